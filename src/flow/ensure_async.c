/* Ensure async: an immediate, then the task. After a cancel the task is refused, as every op is. */
#include "core/op.h"
#include "weft/retry.h"

static void turn_over(struct weft_op *op, struct weft_op *turn)
{
    (void)turn;
    struct weft_ensure_async *ensure = weft_owner(op, struct weft_ensure_async, op);
    const struct weft_site *site = ensure->task_site_ != NULL ? ensure->task_site_ : op->site_;
    weft_run_at(site, op, ensure->task, ensure->begin, weft_pass);
}

void weft_ensure_async_begin(struct weft_op *op)
{
    struct weft_ensure_async *ensure = weft_owner(op, struct weft_ensure_async, op);
    if (ensure->task == NULL || ensure->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    weft_immediate(op, &ensure->turn_, turn_over);
}

void weft_ensure_async_at(const struct weft_site *site, const struct weft_site *task_site,
                          struct weft_op *parent, struct weft_ensure_async *ensure,
                          struct weft_op *task, weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &ensure->op);
    ensure->task = task;
    ensure->begin = begin;
    ensure->task_site_ = task_site;
    weft_run_at(site, parent, &ensure->op, weft_ensure_async_begin, then);
}
