/* Work on the thread pool: a function of the caller's there, its status back.
 *
 * Always awaited: the thread works in the caller's struct, which is given back only when the thread
 * is through with it. That is also why nothing is allocated. (A hop, which may be left behind, is
 * the other way: see hop.c.) */
#include "weft/work.h"
#include "core/op.h"

static struct weft_work *work_of(uv_work_t *request)
{
    return weft_owner(request, struct weft_work, request_);
}

static void there(uv_work_t *request)
{
    struct weft_work *work = work_of(request);
    work->status_ = work->function(work);
}

static void back(uv_work_t *request, int err)
{
    struct weft_work *work = work_of(request);
    int status = err != 0 ? err : work->status_;
    if (status == UV_ECANCELED && weft_cancelled(&work->op) != 0)
        status = weft_cancelled(&work->op);
    weft_finish(&work->op, status);
}

static void work_cancel(struct weft_op *op, int reason)
{
    (void)reason;
    struct weft_work *work = weft_owner(op, struct weft_work, op);
    __atomic_store_n(&work->stop_, 1, __ATOMIC_RELAXED);
    uv_cancel((uv_req_t *)&work->request_); /* back comes later in either case */
}

bool weft_work_stopped(const struct weft_work *work)
{
    return __atomic_load_n(&work->stop_, __ATOMIC_RELAXED) != 0;
}

void weft_work_begin(struct weft_op *op)
{
    struct weft_work *work = weft_owner(op, struct weft_work, op);
    work->stop_ = 0;
    int err = weft_cancelled(op);
    if (err == 0)
        err = work->function == NULL
                  ? UV_EINVAL
                  : uv_queue_work(op->loop_->uv, &work->request_, there, back);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_on_cancel(op, work_cancel);
}

void weft_work_at(const struct weft_site *site, struct weft_op *parent, struct weft_work *work,
                  weft_work_fn *function, weft_then_fn *then)
{
    op_check_start(parent, &work->op);
    work->function = function;
    weft_run_at(site, parent, &work->op, weft_work_begin, then);
}
