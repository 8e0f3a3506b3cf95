/* A worker of one's own. The acquire is the token: a worker knows its holder, and the holder its
 * worker, so that a worker is given back once, by the one who has it, and to nobody else
 * meanwhile. */
#include "procs.h"

static struct weft_acquire *acquire_from(struct weft_op *op)
{
    return weft_owner(op, struct weft_acquire, op);
}

static void acquire_cancel(struct weft_op *op, int reason)
{
    struct weft_acquire *acquire = acquire_from(op);
    weft__procs_unwait(acquire->procs->engine_, &acquire->wait_);
    weft_finish(op, reason);
    weft__procs_pump(acquire->procs->engine_);
}

static void forget_the_last_run(struct weft_acquire *acquire)
{
    acquire->pid = 0;
    acquire->alive = false;
    acquire->worker_ = NULL;
    acquire->wait_ = (struct weft_procs_wait){.rank_ = acquire->rank};
}

void weft_worker_acquire_begin(struct weft_op *op)
{
    struct weft_acquire *acquire = acquire_from(op);
    struct weft_procs *procs = acquire->procs;
    forget_the_last_run(acquire);
    int err = weft_cancelled(op);
    if (err == 0)
        err = weft__procs_admit(procs, op, acquire->rank, NULL);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    acquire->wait_.since_ = weft_now(op->loop_);
    weft__procs_wait(procs->engine_, &acquire->wait_, false);
    weft_on_cancel(op, acquire_cancel);
    weft__procs_pump(procs->engine_);
    if (acquire->wait_.link_ != NULL && op->state_ == OP_RUNNING &&
        procs->waiting > or_default(procs->limit, WEFT_PROCS_LIMIT)) {
        weft__procs_unwait(procs->engine_, &acquire->wait_);
        weft_finish(op, UV_ENOBUFS);
    }
}

void weft_worker_acquire_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_acquire *acquire, struct weft_procs *procs,
                            weft_then_fn *then)
{
    op_check_start(parent, &acquire->op);
    forget_the_last_run(acquire); /* also if begin is refused */
    acquire->procs = procs;
    weft_run_at(site, parent, &acquire->op, weft_worker_acquire_begin, then);
}

void weft_worker_release(struct weft_acquire *acquire)
{
    struct weft_worker *worker = acquire->worker_;
    acquire->worker_ = NULL;
    acquire->alive = false;
    if (worker == NULL || worker->holder != acquire)
        return;
    worker->holder = NULL;
    if (worker->count == 0)
        weft__worker_rest(worker);
}
