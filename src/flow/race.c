/* Race: the runners are children of the race, and one of two functions is their then. Deciding is
 * weft_end: the losers are cancelled and awaited by it. If nobody has decided when the last child
 * has reported, too few have run: the last failure says why, if there was one. */
#include "core/op.h"
#include "weft/race.h"

static unsigned wanted(const struct weft_race *race)
{
    return race->wanted != 0 ? race->wanted : 1;
}

static void too_few_ran(struct weft_op *op)
{
    int failure = weft_owner(op, struct weft_race, op)->failure_;
    if (op->reason_ != 0)
        failure = op->reason_;
    weft_end(op, failure != 0 ? failure : UV_EINVAL);
}

static struct weft_race *race_of(struct weft_op *op)
{
    RULE(2, op->flags_ & OP_IDLING && op->entry_.idle == too_few_ran, op,
         "a runner was begun under an op that is no race");
    return weft_owner(op, struct weft_race, op);
}

static void forget(struct weft_race *race)
{
    race->winner = NULL;
    race->places = 0;
    race->failure_ = 0;
}

void weft_race_begin(struct weft_op *op)
{
    struct weft_race *race = weft_owner(op, struct weft_race, op);
    forget(race);
    if (race->starters == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    op_when_idle(op, too_few_ran);
    race->starters(op);
    if (op->state_ == OP_RUNNING && op->running_ < wanted(race))
        too_few_ran(op);
}

/* Once the race is decided or cancelled, what still comes in has lost. */
static bool is_open(const struct weft_op *race)
{
    return !(race->flags_ & (OP_REFUSE | OP_DECIDED)) && race->state_ == OP_RUNNING;
}

void weft_race_first(struct weft_op *op, struct weft_op *runner)
{
    struct weft_race *race = race_of(op);
    bool in_time = is_open(op);
    runner->place_.index = in_time ? race->places++ : WEFT_NONE;
    if (in_time && race->winner == NULL)
        race->winner = runner;
    if (!in_time || race->places == wanted(race))
        weft_end(op, runner->status);
}

void weft_race_any(struct weft_op *op, struct weft_op *runner)
{
    struct weft_race *race = race_of(op);
    if (runner->status == 0) {
        weft_race_first(op, runner);
        return;
    }
    runner->place_.index = WEFT_NONE;
    race->failure_ = runner->status;
    if (race->places + op->running_ < wanted(race)) /* too few are left */
        weft_end(op, runner->status);
}

void weft_race_at(const struct weft_site *site, struct weft_op *parent, struct weft_race *race,
                  unsigned places, weft_begin_fn *starters, weft_then_fn *then)
{
    op_check_start(parent, &race->op);
    race->wanted = places;
    race->starters = starters;
    forget(race); /* under a cancelled parent nothing begins */
    weft_run_at(site, parent, &race->op, weft_race_begin, then);
}
