/* Series: one step after the other; see steps.h for how. */
#include "steps.h"

static bool call_next(struct weft_op *op)
{
    struct weft_series *series = weft_owner(op, struct weft_series, op);
    if (series->at_ == series->steps.count)
        return false;
    series->steps.list[series->at_++](op);
    return true;
}

static void go_on(struct weft_op *op)
{
    steps_go_on(op, call_next);
}

bool weft__steps_valid(const struct weft_step_list *steps)
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
    op_when_idle(op, go_on);
    go_on(op);
}

void weft_series_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_series *series, struct weft_step_list steps, weft_then_fn *then)
{
    op_check_start(parent, &series->op);
    series->steps = steps;
    weft_run_at(site, parent, &series->op, weft_series_begin, then);
}
