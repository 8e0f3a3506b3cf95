/* A job: the operation. It is in one place at a time: among those who wait (wait_.link_ is set), in
 * a worker (worker_ is set), or over. Whoever takes it out of its place finishes it. */
#include "procs.h"
#include "memory.h"
#include "weft/alloc.h"
#include <stdio.h>
#include <string.h>

static struct weft_job *job_from(struct weft_op *op)
{
    return weft_owner(op, struct weft_job, op);
}

static void count_end(struct weft_procs *procs, int status)
{
    if (status == 0)
        procs->done++;
    else
        procs->failed++;
    if (status == UV_ENOBUFS || status == WEFT_ESTOPPED || status == WEFT_EBROKEN)
        procs->refused++;
}

void weft__job_over(struct weft_job *job, int status, const char *why)
{
    if (job->worker_ != NULL)
        job->procs->running--;
    job->worker_ = NULL;
    job->paused_ = false;
    if (why != job->why)
        snprintf(job->why, sizeof job->why, "%s", why);
    count_end(job->procs, status);
    weft_finish(&job->op, status);
}

static void job_cancel(struct weft_op *op, int reason)
{
    struct weft_job *job = job_from(op);
    struct weft_procs_engine *engine = job->procs->engine_;
    struct weft_worker *worker = job->worker_;
    if (worker == NULL)
        weft__procs_unwait(engine, &job->wait_);
    weft__job_over(job, reason, "");
    if (worker != NULL)
        weft__line_forget(worker, job);
    weft__procs_pump(engine);
}

static void forget_the_last_run(struct weft_job *job)
{
    job->result = weft_text(NULL, 0);
    job->why[0] = '\0';
    job->exit_code = -1;
    job->term_signal = job->pid = 0;
    job->attempt = job->tried_ = 0;
    job->delivered_ = job->paused_ = job->mapped_ = false;
    job->worker_ = NULL;
    job->wait_ = (struct weft_procs_wait){.rank_ = job->rank, .job_ = true};
}

static int check_input(const struct weft_job *job)
{
    size_t most = job->payload != NULL ? job->payload->size : WEFT_PAYLOAD_MAX;
    if (job->payload != NULL && (job->input != NULL || job->payload->data == NULL))
        return UV_EINVAL;
    if (job->payload == NULL && job->input == NULL && job->input_size > 0)
        return UV_EINVAL;
    return job->input_size > most ? UV_E2BIG : 0;
}

static int check(struct weft_job *job)
{
    int err = weft_cancelled(&job->op);
    if (err == 0)
        err = weft__procs_admit(job->procs, &job->op, job->rank, job->why);
    if (err == 0)
        err = check_input(job);
    if (err == 0 && job->held != NULL && job->held->procs != job->procs)
        err = UV_EINVAL;
    return err;
}

static void begin_held(struct weft_job *job)
{
    struct weft_worker *worker = job->held->worker_;
    int err = 0;
    if (worker == NULL || worker->holder != job->held || worker->state != WORKER_READY)
        err = WEFT_ECRASHED;
    else if (worker->count >= line_room(worker))
        err = UV_EBUSY;
    else
        err = weft__line_give(worker, job);
    if (err != 0)
        weft__job_over(job, err, err == WEFT_ECRASHED ? "its worker is gone" : "");
    else
        weft_on_cancel(&job->op, job_cancel);
}

static void begin_waiting(struct weft_job *job)
{
    struct weft_procs *procs = job->procs;
    struct weft_procs_engine *engine = procs->engine_;
    job->wait_.since_ = weft_now(engine->loop);
    weft__procs_wait(engine, &job->wait_, false);
    weft_on_cancel(&job->op, job_cancel);
    weft__procs_pump(engine);
    if (job->wait_.link_ != NULL && job->op.state_ == OP_RUNNING &&
        procs->waiting > or_default(procs->limit, WEFT_PROCS_LIMIT)) {
        weft__procs_unwait(engine, &job->wait_);
        weft__job_over(job, UV_ENOBUFS, "");
    }
}

void weft_job_begin(struct weft_op *op)
{
    struct weft_job *job = job_from(op);
    forget_the_last_run(job);
    int err = check(job);
    if (err != 0) {
        if (job->procs != NULL && job->procs->op.loop_ == op->loop_)
            count_end(job->procs, err);
        weft_finish(op, err);
        return;
    }
    job->id_ = ++job->procs->engine_->jobs;
    if (job->held != NULL)
        begin_held(job);
    else
        begin_waiting(job);
}

void weft_job_at(const struct weft_site *site, struct weft_op *parent, struct weft_job *job,
                 struct weft_procs *procs, weft_then_fn *then)
{
    op_check_start(parent, &job->op);
    forget_the_last_run(job); /* also if begin is refused */
    job->procs = procs;
    weft_run_at(site, parent, &job->op, weft_job_begin, then);
}

void weft_job_resume(struct weft_job *job)
{
    struct weft_worker *worker = job->worker_;
    if (job->op.state_ != OP_RUNNING || !job->paused_ || worker == NULL)
        return;
    job->paused_ = worker->paused = false;
    weft__worker_heard(worker);
    weft__worker_settle(worker);
    worker->resumed = true;
    weft__procs_send_soon(worker);
}

int weft_job_send(struct weft_job *job, uint32_t kind, const void *data, size_t size)
{
    if (size > FRAME_INLINE || (data == NULL && size > 0))
        return UV_EINVAL;
    if (job->op.state_ != OP_RUNNING || job->worker_ == NULL)
        return UV_ENOTCONN;
    return weft__line_send(job->worker_, job, kind, data, size);
}

void weft_job_free(struct weft_job *job)
{
    char *data = (char *)(uintptr_t)job->result.data;
    if (job->mapped_)
        weft__memory_unmap(data, job->result.size);
    else if (data != job->small_)
        weft_free(data);
    job->mapped_ = false;
    job->result = weft_text(NULL, 0);
}
