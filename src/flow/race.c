/* Race: the runners are children of the race, and one of two functions is their then. Deciding is
 * weft_end: the losers are cancelled and awaited by it. */
#include "core/op.h"
#include "weft/flow.h"

void weft_race_begin(struct weft_op *op)
{
    struct weft_race *race = weft_owner(op, struct weft_race, op);
    race->winner = NULL;
    if (race->starters == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    race->starters(op);
    if (op->state_ == OP_RUNNING && op->running_ == 0) /* nobody ran */
        weft_end(op, op->reason_ != 0 ? op->reason_ : UV_EINVAL);
}

/* Once the race is decided or cancelled, what still comes in has lost. */
static void win(struct weft_op *op, struct weft_op *runner)
{
    if (!(op->flags_ & OP_REFUSE) && op->state_ == OP_RUNNING && !(op->flags_ & OP_DECIDED))
        weft_owner(op, struct weft_race, op)->winner = runner;
    weft_end(op, runner->status);
}

void weft_race_first(struct weft_op *race, struct weft_op *runner)
{
    win(race, runner);
}

void weft_race_any(struct weft_op *race, struct weft_op *runner)
{
    if (runner->status == 0)
        win(race, runner);
    else if (race->running_ == 0)
        weft_end(race, runner->status);
}

void weft_race_at(const struct weft_site *site, struct weft_op *parent, struct weft_race *race,
                  weft_begin_fn *starters, weft_then_fn *then)
{
    op_check_start(parent, &race->op);
    race->starters = starters;
    weft_run_at(site, parent, &race->op, weft_race_begin, then);
}
