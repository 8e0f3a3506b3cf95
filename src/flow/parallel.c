/* Parallel: every step at once, then wait for all that they started. It waits by its idle function,
 * not by a join: so a step that joins is told that it must not, rather than end it for the others. */
#include "core/op.h"
#include "steps.h"

static void over(struct weft_op *op)
{
    weft_finish(op, op->reason_);
}

void weft_parallel_begin(struct weft_op *op)
{
    struct weft_parallel *parallel = weft_owner(op, struct weft_parallel, op);
    if (!weft__steps_valid(&parallel->steps)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    op_when_idle(op, over);
    /* A step may end it: then the others have nothing left to do. */
    for (size_t i = 0; i < parallel->steps.count && op->state_ == OP_RUNNING; i++) {
        if (!(op->flags_ & OP_REFUSE))
            parallel->steps.list[i](op);
    }
    if (op->state_ == OP_RUNNING && op->running_ == 0)
        over(op);
}

void weft_parallel_at(const struct weft_site *site, struct weft_op *parent,
                      struct weft_parallel *parallel, struct weft_step_list steps,
                      weft_then_fn *then)
{
    op_check_start(parent, &parallel->op);
    parallel->steps = steps;
    weft_run_at(site, parent, &parallel->op, weft_parallel_begin, then);
}
