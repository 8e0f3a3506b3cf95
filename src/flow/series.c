/* Series: one step after the other.
 *
 * A step that started something is over when the last of it has reported: the op tells by its idle
 * function. One that started nothing is over when it returns, and the next follows in the same
 * loop, so that a long list of synchronous steps uses no stack. */
#include "core/op.h"
#include "steps.h"

static void next_steps(struct weft_op *op)
{
    struct weft_series *series = weft_owner(op, struct weft_series, op);
    while (op->state_ == OP_RUNNING && op->running_ == 0) {
        if (op->flags_ & OP_REFUSE) {
            weft_finish(op, op->reason_);
            return;
        }
        if (series->at_ == series->steps.count) {
            weft_finish(op, 0);
            return;
        }
        series->steps.list[series->at_++](op);
    }
}

bool weft__steps_valid(const struct weft_steps *steps)
{
    if (steps->list == NULL)
        return steps->count == 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->list[i] == NULL)
            return false;
    }
    return true;
}

void weft_series_begin(struct weft_op *op)
{
    struct weft_series *series = weft_owner(op, struct weft_series, op);
    series->at_ = 0;
    if (!weft__steps_valid(&series->steps)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    op_when_idle(op, next_steps);
    next_steps(op);
}

void weft_series_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_series *series, struct weft_steps steps, weft_then_fn *then)
{
    op_check_start(parent, &series->op);
    series->steps = steps;
    weft_run_at(site, parent, &series->op, weft_series_begin, then);
}
