/* Timeout: a task under an op that has a deadline. */
#include "core/op.h"
#include "weft/retry.h"

static void task_over(struct weft_op *op, struct weft_op *task)
{
    weft_end(op, task->status); /* that of the cancel, if the deadline came first */
}

void weft_timeout_begin(struct weft_op *op)
{
    struct weft_timeout *timeout = weft_owner(op, struct weft_timeout, op);
    if (timeout->task == NULL || timeout->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    const struct weft_site *site = timeout->task_site_ != NULL ? timeout->task_site_ : op->site_;
    weft_deadline(op, &timeout->deadline_, timeout->ms);
    weft_run_at(site, op, timeout->task, timeout->begin, task_over);
}

void weft_timeout_at(const struct weft_site *site, const struct weft_site *task_site,
                     struct weft_op *parent, struct weft_timeout *timeout, struct weft_op *task,
                     weft_begin_fn *begin, uint64_t ms, weft_then_fn *then)
{
    op_check_start(parent, &timeout->op);
    timeout->task = task;
    timeout->begin = begin;
    timeout->ms = ms;
    timeout->task_site_ = task_site;
    weft_run_at(site, parent, &timeout->op, weft_timeout_begin, then);
}
