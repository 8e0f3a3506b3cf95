/* Cancel: a request to stop that goes all the way down.
 *
 * The walk is in pre-order and without recursion, so that a chain of a million nested ops cancels
 * on a small stack. It is safe against what a cancel function may do:
 *   - finish its op: it becomes READY but stays among its parent's children until it is delivered,
 *     and deliver never runs inside a cancel;
 *   - start ops under a cancelled parent: they are refused, and join the list at its head, behind
 *     the walk;
 *   - cancel something else, or the same tree again: OP_REFUSE makes that a no-op.
 * Being on a list decides who finishes a waiting op: one that is taken off its lane here is
 * finished here. */
#include "op.h"

/* Cancel op alone. true: its children are to be cancelled too. */
static bool cancel_one(struct weft_op *op, int reason)
{
    if (op->flags_ & (OP_ATTENDANT | OP_REFUSE))
        return false;
    switch (op->state_) {
    case OP_QUEUED:
        weft__lane_cancel(op);
        op_refuse(op, reason);
        return false;
    case OP_EARLY:
        weft__lazy_cancel(op);
        op_refuse(op, reason);
        return false;
    case OP_STARTING: /* refused when its begin would run */
        op->reason_ = reason;
        op->flags_ |= OP_REFUSE;
        return false;
    case OP_RUNNING:
        op->reason_ = reason;
        op->flags_ |= OP_REFUSE;
        if (op->flags_ & OP_CANCEL) {
            op->flags_ &= ~(uint32_t)OP_CANCEL;
            op->entry_.cancel(op, reason);
        }
        return op->state_ == OP_RUNNING;
    default:
        return false;
    }
}

void weft_cancel(struct weft_op *op, int reason)
{
    if (op->state_ == OP_IDLE)
        return;
    op_check_known(op);
    RULE(5, reason < 0, op, "the reason of a cancel must be negative");
    RULE_THREAD(op->loop_, op);
    struct weft_op *at = op;
    do {
        bool down = cancel_one(at, reason);
        at = op_walk(at, op, down);
    } while (at != NULL);
}

void weft_on_cancel(struct weft_op *op, weft_cancel_fn *fn)
{
    RULE(5, op->state_ == OP_RUNNING, op, "weft_on_cancel of an op that is not running");
    RULE(5, !(op->flags_ & OP_IDLING), op,
         "an op that waits for its steps cannot have a cancel function of its own");
    if (fn == NULL) {
        op->flags_ &= ~(uint32_t)(OP_CANCEL | OP_WORKS);
        return;
    }
    op->flags_ |= OP_WORKS;
    if (unlikely(op->flags_ & OP_REFUSE)) { /* the cancel came first, from inside begin */
        fn(op, op->reason_);
        return;
    }
    op->entry_.cancel = fn;
    op->flags_ |= OP_CANCEL;
}
