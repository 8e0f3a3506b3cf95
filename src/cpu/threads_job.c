/* A job: an op whose function runs on a thread of a pool.
 *
 * The thread works in the caller's struct, so a job that is away is always awaited; one that is in line
 * is taken out by its cancel. Being on the line decides who has it: a thread takes it off under the
 * lock, and so does a cancel. See threads.h for the places, threads_result.c for what it sends. */
#include "threads.h"

static struct weft_thread_job *job_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_thread_job, op);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void leave_pool(struct weft_thread_job *job)
{
    *job->peer_link_ = job->peer_;
    if (job->peer_ != NULL)
        job->peer_->peer_link_ = job->peer_link_;
    job->pool_->job_count--;
    job->pool_->freed++;
}

/* From here on the pool does not know it. */
static void finish(struct weft_thread_job *job, int status)
{
    job->place_ = JOB_NOWHERE;
    leave_pool(job);
    weft_handle_close(&job->results_);
    if (unlikely(job->context_ != NULL))
        weft__context_drop(job->context_);
    weft_finish(&job->op, status);
}

void weft__job_settle(struct weft_thread_job *job)
{
    int status = job->status_, reason = weft_cancelled(&job->op);
    if (reason != 0 && (status == UV_ECANCELED || (status == 0 && job->lost_)))
        status = reason;
    finish(job, status);
}

/* ---- a cancel ------------------------------------------------------------------------------- */

static void stop(struct weft_thread_job *job, int reason)
{
    __atomic_store_n(&job->stop_, reason, __ATOMIC_RELAXED);
    if (job->blocked_)
        uv_cond_signal(&job->thread_->news);
    job->blocked_ = false;
}

/* Under the lock: nothing of it is heard any more. */
static void silence(struct weft_thread_job *job)
{
    struct weft_pool *pool = job->pool_;
    if (job->link_ != NULL)
        jobs_remove(job->talking_ ? &pool->talking : &pool->over, job);
    weft__results_drop(job);
    job->untaken_ = 0;
    job->paused_ = false;
    weft__job_restall(job);
}

static void job_cancel(struct weft_op *op, int reason)
{
    struct weft_thread_job *job = job_of(op);
    struct weft_pool *pool = job->pool_;
    uv_mutex_lock(&pool->lock);
    enum job_place place = job->place_;
    if (place == JOB_LINE) {
        weft__line_remove(pool, job);
        pool->stats.left++;
    } else if (place == JOB_AWAY) {
        stop(job, reason);
        silence(job);
    } else if (place == JOB_BACK) {
        silence(job);
    }
    weft__bell_tend(pool);
    uv_mutex_unlock(&pool->lock);
    if (place == JOB_LINE)
        finish(job, reason);
    else if (place == JOB_BACK)
        weft__job_settle(job);
    if (place == JOB_LINE || place == JOB_BACK)
        weft__threads_attend(pool);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static int check(const struct weft_thread_job *job)
{
    if (job->function == NULL || job->rank >= WEFT_THREADS_RANKS)
        return UV_EINVAL;
    int err = weft__threads_check(job->threads, job->op.loop_);
    return err != 0 ? err : weft_cancelled(&job->op);
}

static int check_room(struct weft_pool *pool)
{
    if (pool->job_count < pool->most_jobs)
        return 0;
    uv_mutex_lock(&pool->lock);
    pool->stats.refused++;
    uv_mutex_unlock(&pool->lock);
    return UV_ENOBUFS;
}

static void prepare(struct weft_thread_job *job, struct weft_pool *pool)
{
    struct weft_op *op = &job->op;
    job->pool_ = pool;
    job->thread_ = NULL;
    job->link_ = NULL;
    job->sent_ = job->taken_ = NULL;
    job->sent_tail_ = &job->sent_;
    job->untaken_ = 0;
    job->stop_ = 0;
    job->paused_ = job->blocked_ = job->stalled_ = job->talking_ = job->lost_ = false;
    job->id_ = op->flags_ & OP_NAMED ? op->id_ : 0;
    job->context_ = weft__context_hold(op);
    if (job->on_result != NULL)
        weft_handle_open(op, &job->results_, 0, "thread_results", WEFT_THREAD, job);
}

static void join_pool(struct weft_thread_job *job, struct weft_pool *pool)
{
    job->peer_ = pool->jobs;
    job->peer_link_ = &pool->jobs;
    if (job->peer_ != NULL)
        job->peer_->peer_link_ = &job->peer_;
    pool->jobs = job;
    pool->job_count++;
}

/* To the line. true: a thread more would be of use. */
static bool line_up(struct weft_thread_job *job, struct weft_pool *pool)
{
    uv_mutex_lock(&pool->lock);
    weft__line_put(pool, job);
    bool more = !weft__thread_wake(pool) && pool->stats.threads < pool->max;
    weft__bell_tend(pool);
    uv_mutex_unlock(&pool->lock);
    return more;
}

/* There is no thread, and none to be had: nobody will ever take it. */
static bool give_up(struct weft_thread_job *job, struct weft_pool *pool)
{
    uv_mutex_lock(&pool->lock);
    bool alone = pool->stats.threads == 0;
    if (alone)
        weft__line_remove(pool, job);
    uv_mutex_unlock(&pool->lock);
    return alone;
}

void weft_thread_job_begin(struct weft_op *op)
{
    struct weft_thread_job *job = job_of(op);
    job->results_ = (struct weft_handle){0};
    job->place_ = JOB_NOWHERE;
    job->paused_ = false;
    int err = check(job);
    if (err == 0)
        err = check_room(job->threads->pool_);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_pool *pool = job->threads->pool_;
    prepare(job, pool);
    join_pool(job, pool);
    if (line_up(job, pool))
        err = weft__thread_start(pool);
    if (err != 0 && give_up(job, pool))
        finish(job, err);
    else
        weft_on_cancel(op, job_cancel);
}

void weft_thread_job_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_thread_job *job, struct weft_threads *threads,
                        weft_thread_fn *function, weft_then_fn *then)
{
    op_check_start(parent, &job->op);
    job->threads = threads;
    job->function = function;
    weft_run_at(site, parent, &job->op, weft_thread_job_begin, then);
}
