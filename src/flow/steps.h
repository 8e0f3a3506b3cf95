/* What series, waterfall and the other lists of steps share. */
#ifndef WEFT_FLOW_STEPS_H
#define WEFT_FLOW_STEPS_H

#include "core/op.h"
#include "weft/series.h"

/* No step is NULL. */
bool weft__steps_valid(const struct weft_step_list *steps);
bool weft__functions_valid(const struct weft_functions *functions);

/* One step after the other, as long as nothing runs below op. call_next calls the next step; false:
 * there is none left. A step that started something is over when the last of it has reported: the
 * op tells by its idle function, which comes back here. One that started nothing is over when it
 * returns, and the next follows in the same loop: a long list of those uses no stack. */
static inline void steps_go_on(struct weft_op *op, bool (*call_next)(struct weft_op *op))
{
    while (op->state_ == OP_RUNNING && op->running_ == 0) {
        if (op->flags_ & OP_REFUSE) {
            weft_finish(op, op->reason_);
            return;
        }
        if (!call_next(op)) {
            weft_finish(op, 0);
            return;
        }
    }
}

#endif
