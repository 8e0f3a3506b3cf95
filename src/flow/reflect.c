/* Reflect: a task whose failure is a result. A success after a cancel is weft_end's matter: it
 * reports the reason. */
#include "core/op.h"
#include "weft/retry.h"

static void task_over(struct weft_op *op, struct weft_op *task)
{
    weft_owner(op, struct weft_reflect, op)->outcome = task->status;
    weft_end(op, 0);
}

void weft_reflect_begin(struct weft_op *op)
{
    struct weft_reflect *reflect = weft_owner(op, struct weft_reflect, op);
    reflect->outcome = 0;
    if (reflect->task == NULL || reflect->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    const struct weft_site *site = reflect->task_site_ != NULL ? reflect->task_site_ : op->site_;
    weft_run_at(site, op, reflect->task, reflect->begin, task_over);
}

void weft_reflect_at(const struct weft_site *site, const struct weft_site *task_site,
                     struct weft_op *parent, struct weft_reflect *reflect, struct weft_op *task,
                     weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &reflect->op);
    reflect->task = task;
    reflect->begin = begin;
    reflect->task_site_ = task_site;
    reflect->outcome = 0; /* under a cancelled parent nothing begins */
    weft_run_at(site, parent, &reflect->op, weft_reflect_begin, then);
}
