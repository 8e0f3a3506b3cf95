/* Repeat: whilst, until, do_whilst, do_until, forever: one loop with two questions about its test.
 *
 * A round is over when the last of what it started has reported, which the op tells by its idle
 * function. A round that started nothing starts a turn: an op that is ready at once. So every
 * round but the first comes from the ready queue, which the loop drains in batches, and an endless
 * loop of empty rounds leaves timers and I/O their turn. */
#include "core/op.h"
#include "weft/repeat.h"

static bool may_go_on(const struct weft_op *op)
{
    return op->state_ == OP_RUNNING && !(op->flags_ & OP_REFUSE);
}

static bool wants_more(struct weft_repeat *repeat)
{
    bool unasked = repeat->how & WEFT_FOREVER || (repeat->how & WEFT_DO && repeat->rounds == 0);
    return unasked || repeat->test(&repeat->op) == !(repeat->how & WEFT_UNTIL);
}

/* No more rounds: what the test has started is awaited. */
static void end_well(struct weft_op *op)
{
    if (op->state_ != OP_RUNNING)
        return; /* it was ended */
    op->flags_ |= OP_JOIN;
    if (op->running_ == 0)
        weft_finish(op, op->reason_);
}

static void next_round(struct weft_op *op)
{
    struct weft_repeat *repeat = weft_owner(op, struct weft_repeat, op);
    if (!may_go_on(op) || !wants_more(repeat) || !may_go_on(op)) { /* the test may end it too */
        end_well(op);
        return;
    }
    repeat->rounds++;
    repeat->body(op);
    if (op->state_ == OP_RUNNING && op->running_ == 0)
        weft_tick(op, &repeat->turn_, NULL);
}

void weft_repeat_begin(struct weft_op *op)
{
    struct weft_repeat *repeat = weft_owner(op, struct weft_repeat, op);
    repeat->rounds = 0;
    if (repeat->body == NULL || (repeat->test == NULL && !(repeat->how & WEFT_FOREVER))) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    op_when_idle(op, next_round);
    next_round(op);
}

void weft_repeat_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_repeat *repeat, unsigned how, weft_more_fn *test,
                    weft_begin_fn *body, weft_then_fn *then)
{
    op_check_start(parent, &repeat->op);
    repeat->how = how;
    repeat->test = test;
    repeat->body = body;
    repeat->rounds = 0; /* under a cancelled parent nothing begins */
    weft_run_at(site, parent, &repeat->op, weft_repeat_begin, then);
}
