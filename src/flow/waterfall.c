/* Waterfall: a series that hands a value from step to step.
 *
 * `result` is where a value waits between two steps: weft_hand_on puts it there, the next step
 * takes it away. So whatever ends the waterfall, and wherever, what nobody has taken is there. */
#include "steps.h"

static bool call_next(struct weft_op *op)
{
    struct weft_waterfall *waterfall = weft_owner(op, struct weft_waterfall, op);
    size_t count = waterfall->steps.count;
    if (waterfall->at_ == count)
        return false;
    size_t index = waterfall->backwards ? count - 1 - waterfall->at_ : waterfall->at_;
    void *value = waterfall->result;
    waterfall->at_++;
    waterfall->result = NULL;
    waterfall->steps.list[index](op, value);
    return true;
}

static void go_on(struct weft_op *op)
{
    steps_go_on(op, call_next);
}

bool weft__functions_valid(const struct weft_functions *functions)
{
    if (functions->list == NULL)
        return functions->count == 0;
    for (size_t i = 0; i < functions->count; i++) {
        if (functions->list[i] == NULL)
            return false;
    }
    return true;
}

void weft_waterfall_begin(struct weft_op *op)
{
    struct weft_waterfall *waterfall = weft_owner(op, struct weft_waterfall, op);
    waterfall->at_ = 0;
    waterfall->result = waterfall->value;
    if (!weft__functions_valid(&waterfall->steps)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    op_when_idle(op, go_on);
    go_on(op);
}

void weft_hand_on(struct weft_op *op, void *value)
{
    RULE(2, op->flags_ & OP_IDLING && op->entry_.idle == go_on, op,
         "a value was handed on in an op that is no waterfall");
    weft_owner(op, struct weft_waterfall, op)->result = value;
}

void weft_waterfall_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_waterfall *waterfall, void *value, struct weft_functions steps,
                       bool backwards, weft_then_fn *then)
{
    op_check_start(parent, &waterfall->op);
    waterfall->steps = steps;
    waterfall->backwards = backwards;
    waterfall->value = value;
    waterfall->result = value; /* nobody takes it if the parent was cancelled */
    weft_run_at(site, parent, &waterfall->op, weft_waterfall_begin, then);
}
