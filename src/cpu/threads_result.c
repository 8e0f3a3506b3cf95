/* Results: from a thread to the loop, in order and bounded.
 *
 *     thread: send ──► job->sent_ ══talks══► loop: job->taken_ ──► on_result, on_result, …
 *               ▲ waits (blocked_)                                  │ false: paused_
 *               └───────────────── untaken_ is small enough ◄───────┘
 *
 * The loop takes the whole of sent_ over into taken_, which is its own, and then calls without the
 * lock. untaken_ counts both, until on_result has returned. blocked_ is what a sender waits for: it
 * sets it, and whoever makes room or stops the job clears it.
 *
 * A job that is blocked and paused can only be helped by weft_thread_resume or a cancel: it is stalled,
 * and does not keep the loop alive (see threads_bell.c).
 *
 * Each time the bell is heard the loop takes TURN results at most, and SHARE of one job before the next
 * one's: the rest comes after a look for I/O. */
#include "threads.h"
#include "weft/alloc.h"
#include <string.h>

enum { TURN = 1024, SHARE = 64 };

struct weft_thread_result {
    struct weft_thread_result *next;
    size_t size;
    char bytes[];
};
_Static_assert(sizeof(struct weft_thread_result) <= WEFT_THREADS_RESULT_OVERHEAD,
               "a result counts as much as it takes");

static size_t cost(size_t size)
{
    return size + WEFT_THREADS_RESULT_OVERHEAD;
}

static size_t buffer_of(const struct weft_thread_job *job)
{
    return job->buffer != 0 ? job->buffer : WEFT_THREADS_BUFFER;
}

static bool fits(const struct weft_thread_job *job, size_t size)
{
    size_t buffer = buffer_of(job);
    return job->untaken_ == 0 || (size <= buffer && job->untaken_ <= buffer - size);
}

void weft__job_restall(struct weft_thread_job *job)
{
    bool stalled = job->place_ == JOB_AWAY && job->blocked_ && job->paused_;
    if (stalled == job->stalled_)
        return;
    job->stalled_ = stalled;
    if (stalled)
        job->pool_->stalled++;
    else
        job->pool_->stalled--;
}

void weft__job_talk(struct weft_thread_job *job)
{
    struct weft_pool *pool = job->pool_;
    if (job->link_ != NULL || job->paused_)
        return;
    bool over = job->place_ == JOB_BACK && job->untaken_ == 0;
    job->talking_ = !over;
    jobs_append(over ? &pool->over : &pool->talking, job);
}

/* ---- on the thread -------------------------------------------------------------------------- */

/* The reason, once there was a cancel. */
static int stopped(const struct weft_thread_job *job)
{
    return __atomic_load_n(&job->stop_, __ATOMIC_RELAXED);
}

bool weft_thread_stopped(const struct weft_thread_job *job)
{
    return stopped(job) != 0;
}

static void send_bell_unlocked(struct weft_pool *pool)
{
    if (!weft__bell_ring(pool))
        return;
    uv_mutex_unlock(&pool->lock);
    weft_post(&pool->bell);
    uv_mutex_lock(&pool->lock);
}

/* If the loop has paused the job it has to hear that nothing more comes by itself. */
static void wait_for_room(struct weft_thread_job *job, size_t size)
{
    struct weft_pool *pool = job->pool_;
    if (stopped(job) != 0 || fits(job, size))
        return;
    job->wanted_ = size;
    job->blocked_ = true;
    weft__job_restall(job);
    if (job->stalled_)
        send_bell_unlocked(pool);
    while (job->blocked_)
        uv_cond_wait(&job->thread_->news, &pool->lock);
}

/* Under the lock. */
static int send_now(struct weft_thread_job *job, struct weft_thread_result *result)
{
    wait_for_room(job, cost(result->size));
    if (stopped(job) != 0) {
        job->lost_ = true;
        return stopped(job);
    }
    *job->sent_tail_ = result;
    job->sent_tail_ = &result->next;
    job->untaken_ += cost(result->size);
    if (job->paused_)
        return 0; /* the resume will have a look */
    weft__job_talk(job);
    send_bell_unlocked(job->pool_);
    return 0;
}

int weft_thread_send(struct weft_thread_job *job, const void *data, size_t size)
{
    if (job->on_result == NULL || (data == NULL && size > 0))
        return UV_EINVAL;
    struct weft_thread_result *result =
        size < SIZE_MAX / 2 ? weft_alloc(sizeof *result + size) : NULL;
    if (result == NULL)
        return UV_ENOMEM;
    result->next = NULL;
    result->size = size;
    if (size > 0)
        memcpy(result->bytes, data, size);
    struct weft_pool *pool = job->pool_;
    uv_mutex_lock(&pool->lock);
    int err = send_now(job, result);
    uv_mutex_unlock(&pool->lock);
    if (err != 0)
        weft_free(result);
    return err;
}

/* ---- on the loop ---------------------------------------------------------------------------- */

/* What the job has sent becomes the loop's. */
static void take_sent(struct weft_thread_job *job)
{
    if (job->taken_ != NULL)
        return;
    job->taken_ = job->sent_;
    job->sent_ = NULL;
    job->sent_tail_ = &job->sent_;
}

static bool tell(struct weft_thread_job *job, const struct weft_thread_result *result)
{
    struct weft_frame frame;
    weft_handle_enter(&frame, &job->results_, (weft_entry_fn *)job->on_result);
    bool more = job->on_result(job, weft_text(result->bytes, result->size));
    weft_leave(&frame);
    return more;
}

static bool is_cancelled(const struct weft_thread_job *job)
{
    return job->op.state_ != OP_RUNNING || weft_cancelled(&job->op) != 0;
}

/* Call for at most count results; how many bytes of untaken_ that were. A callback may cancel the job:
 * then what is left of it was dropped, and it may be over. */
static size_t tell_some(struct weft_thread_job *job, unsigned count, bool *more)
{
    size_t size = 0;
    *more = true;
    for (; count > 0 && *more && !is_cancelled(job) && job->taken_ != NULL; count--) {
        struct weft_thread_result *result = job->taken_;
        job->taken_ = result->next;
        *more = tell(job, result);
        size += cost(result->size);
        weft_free(result);
    }
    return size;
}

/* When half of the buffer is free, so that it is woken for many results and not for each. */
static void let_sender_go_on(struct weft_thread_job *job)
{
    if (!job->blocked_ || !fits(job, job->wanted_) || job->untaken_ > buffer_of(job) / 2)
        return;
    job->blocked_ = false;
    uv_cond_signal(&job->thread_->news);
}

/* One who talks. */
static void hear(struct weft_pool *pool, struct weft_thread_job *job)
{
    bool more;
    jobs_remove(&pool->talking, job);
    take_sent(job);
    uv_mutex_unlock(&pool->lock);
    size_t size = tell_some(job, SHARE, &more);
    uv_mutex_lock(&pool->lock);
    if (is_cancelled(job))
        return; /* job_cancel has seen to it */
    job->untaken_ -= size;
    job->paused_ = !more;
    if (job->paused_ && job->link_ != NULL)
        jobs_remove(&pool->talking, job); /* it has gone on talking meanwhile */
    let_sender_go_on(job);
    weft__job_restall(job);
    if (job->untaken_ > 0 || job->place_ == JOB_BACK)
        weft__job_talk(job);
    weft__bell_tend(pool);
}

void weft__threads_hear(struct weft_pool *pool)
{
    for (int share = 0; share < TURN / SHARE && pool->talking.first != NULL; share++)
        hear(pool, pool->talking.first);
}

void weft_thread_resume(struct weft_thread_job *job)
{
    if (job->op.state_ != OP_RUNNING || !job->paused_ || weft_cancelled(&job->op) != 0)
        return;
    RULE_THREAD(job->op.loop_, &job->op);
    struct weft_pool *pool = job->pool_;
    uv_mutex_lock(&pool->lock);
    job->paused_ = false;
    weft__job_restall(job);
    bool news = job->untaken_ > 0 || job->place_ == JOB_BACK, ring = false;
    if (news) {
        weft__job_talk(job);
        ring = weft__bell_ring(pool);
    }
    weft__bell_tend(pool);
    uv_mutex_unlock(&pool->lock);
    if (ring)
        weft_post(&pool->bell);
}

void weft__results_drop(struct weft_thread_job *job)
{
    struct weft_thread_result *lists[] = {job->taken_, job->sent_};
    job->taken_ = job->sent_ = NULL;
    job->sent_tail_ = &job->sent_;
    for (int i = 0; i < 2; i++) {
        while (lists[i] != NULL) {
            struct weft_thread_result *next = lists[i]->next;
            weft_free(lists[i]);
            lists[i] = next;
            job->lost_ = true;
        }
    }
}
