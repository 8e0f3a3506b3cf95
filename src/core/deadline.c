/* Deadline: a cancel with UV_ETIMEDOUT, set for later.
 *
 * It is an attendant of its op: linked among the children, so that the op's finish finds it and
 * disarms it without a field of its own in every op, but not counted as one. */
#include "op.h"
#include "weft/hook.h"
#include "weft/timer.h"

static void disarm(struct weft_deadline *deadline)
{
    weft_timer_stop(deadline->op_.loop_, &deadline->timer_);
    child_unlink(&deadline->op_);
    deadline->op_.state_ = OP_IDLE;
    observe_end(&deadline->op_);
}

void weft__attendants_stop(struct weft_op *op)
{
    while (op->child_ != NULL)
        disarm(weft_owner(op->child_, struct weft_deadline, op_));
}

static void deadline_passed(struct weft_timer *timer)
{
    struct weft_deadline *deadline = weft_owner(timer, struct weft_deadline, timer_);
    struct weft_op *op = deadline->op_.parent;
    struct weft_frame frame;
    weft_enter(&frame, &deadline->op_, (weft_entry_fn *)weft_cancel);
    disarm(deadline); /* its storage is its owner's: what the cancel calls runs for op */
    frame.acting_ = op;
    current_set(op->loop_, op);
    weft_cancel(op, UV_ETIMEDOUT);
    weft_leave(&frame);
}

void weft_deadline(struct weft_op *op, struct weft_deadline *deadline, uint64_t ms)
{
    static const struct weft_site site = {__FILE__, __func__, "deadline", __LINE__,
                                          WEFT_TIMER | WEFT_HANDLE};
    op_check_known(op);
    op_check_known(&deadline->op_);
    weft_deadline_clear(deadline);
    if (op->state_ == OP_READY || op->state_ == OP_IDLE)
        return; /* it has ended */
    RULE_THREAD(op->loop_, op);
    RULE(2, op->parent != NULL, op, "the root has no deadline");
    op_adopt_observed(&site, op, &deadline->op_, NULL);
    op->running_--;
    deadline->op_.flags_ |= OP_ATTENDANT;
    deadline->op_.state_ = OP_RUNNING;
    weft__timer_start(op->loop_, &deadline->timer_, ms, deadline_passed);
}

void weft_deadline_clear(struct weft_deadline *deadline)
{
    if (deadline->op_.state_ != OP_IDLE)
        disarm(deadline);
}
