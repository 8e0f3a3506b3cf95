/* A pool of threads: an op that runs until it is closed.
 *
 *     begin ──► open ──close──► closing: the jobs that are under way ──► no job left: threads end,
 *                 └──cancel──► the same, all jobs cancelled ──────────►  joined, finish
 *
 * What the threads share is in a block of its own (struct weft_pool, threads.h), from begin to the end.
 * It ends in weft__threads_attend alone: when it is closing, no job is under way, the bell is not on its
 * way, and no function further up the stack goes on with it. Threads are joined there, on the loop's
 * thread: they have nothing to do any more, so that takes as long as waking them. */
#include "threads.h"
#include "weft/alloc.h"
#include <string.h>

static struct weft_threads *threads_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_threads, op);
}

int weft__threads_check(const struct weft_threads *threads, const struct weft_loop *loop)
{
    if (threads == NULL || threads->op.state_ == OP_IDLE || threads->op.loop_ != loop)
        return UV_EINVAL;
    return threads->pool_ == NULL || threads->pool_->closing ? WEFT_ESTOPPED : 0;
}

/* ---- room ----------------------------------------------------------------------------------- */

static void let_go(struct weft_op *op, struct weft_pool *pool, int status)
{
    wait_unlink(op, &pool->room_tail);
    weft_on_cancel(op, NULL);
    weft_finish(op, status);
}

static void room_cancel(struct weft_op *op, int reason)
{
    let_go(op, weft_owner(op, struct weft_threads_room, op)->threads->pool_, reason);
}

static bool has_room(const struct weft_pool *pool)
{
    return pool->job_count < pool->most_jobs;
}

void weft_threads_room_begin(struct weft_op *op)
{
    const struct weft_threads *threads = weft_owner(op, struct weft_threads_room, op)->threads;
    int err = weft__threads_check(threads, op->loop_);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_pool *pool = threads->pool_;
    if (pool->room == NULL && has_room(pool)) {
        weft_finish(op, 0);
    } else {
        wait_append(op, &pool->room_tail);
        weft_on_cancel(op, room_cancel);
    }
}

void weft_threads_room_at(const struct weft_site *site, struct weft_op *parent,
                          struct weft_threads_room *room, struct weft_threads *threads,
                          weft_then_fn *then)
{
    op_check_start(parent, &room->op);
    room->threads = threads;
    weft_run_at(site, parent, &room->op, weft_threads_room_begin, then);
}

/* One for each job that is over; all of them when no more will be. */
static void tell_of_room(struct weft_pool *pool)
{
    while (pool->room != NULL && has_room(pool) && (pool->freed > 0 || pool->job_count == 0)) {
        let_go(pool->room, pool, 0);
        pool->freed -= pool->freed > 0;
    }
    pool->freed = 0;
}

static void tell_of_the_end(struct weft_pool *pool, int status)
{
    while (pool->room != NULL)
        let_go(pool->room, pool, status);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void free_pool(struct weft_pool *pool)
{
    uv_cond_destroy(&pool->gone);
    uv_mutex_destroy(&pool->lock);
    weft_free(pool);
}

static void end(struct weft_pool *pool)
{
    struct weft_threads *threads = pool->threads;
    weft__threads_quit(pool);
    threads->pool_ = NULL;
    free_pool(pool);
    weft_on_cancel(&threads->op, NULL);
    weft_join(&threads->op); /* jobs may have been begun under it */
}

static bool is_on_its_way(struct weft_pool *pool)
{
    uv_mutex_lock(&pool->lock);
    bool rung = pool->rung;
    uv_mutex_unlock(&pool->lock);
    return rung;
}

void weft__threads_attend(struct weft_pool *pool)
{
    if (pool->inside > 0)
        return;
    tell_of_room(pool);
    if (pool->closing && pool->job_count == 0 && !is_on_its_way(pool))
        end(pool);
}

/* A cancel that finishes a job takes that off the list, and no other. */
static void cancel_jobs(struct weft_pool *pool, int reason)
{
    struct weft_thread_job *next;
    for (struct weft_thread_job *job = pool->jobs; job != NULL; job = next) {
        next = job->peer_;
        weft_cancel(&job->op, reason);
    }
}

static void threads_cancel(struct weft_op *op, int reason)
{
    struct weft_pool *pool = threads_of(op)->pool_;
    pool->closing = true;
    pool->inside++;
    tell_of_the_end(pool, reason);
    cancel_jobs(pool, reason);
    pool->inside--;
    weft__threads_attend(pool);
}

void weft_threads_close(struct weft_threads *threads)
{
    struct weft_pool *pool = threads->op.state_ == OP_RUNNING ? threads->pool_ : NULL;
    if (pool == NULL || pool->closing)
        return;
    RULE_THREAD(pool->loop, &threads->op);
    pool->closing = true;
    tell_of_the_end(pool, WEFT_ESTOPPED);
    weft__threads_attend(pool);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static unsigned most_threads(const struct weft_threads *threads)
{
    if (threads->max != 0)
        return threads->max;
    unsigned processors = uv_available_parallelism();
    if (processors > WEFT_THREADS_MOST)
        processors = WEFT_THREADS_MOST;
    return processors > threads->min ? processors : threads->min;
}

static void copy_settings(struct weft_pool *pool, struct weft_threads *threads)
{
    bool named = threads->name != NULL && threads->name[0] != '\0';
    uint64_t idle_ms = threads->idle_ms != 0 ? threads->idle_ms : WEFT_THREADS_IDLE_MS;
    uint64_t for_ever = UINT64_MAX / 4 / 1000000;
    pool->threads = threads;
    pool->loop = threads->op.loop_;
    pool->min = threads->min;
    pool->max = most_threads(threads);
    pool->most_jobs =
        (size_t)pool->max + (threads->limit != 0 ? threads->limit : WEFT_THREADS_LIMIT);
    pool->idle_ns = (idle_ms < for_ever ? idle_ms : for_ever) * 1000000;
    pool->nice = threads->nice;
    strncpy(pool->name, named ? threads->name : "weft", sizeof pool->name - 1);
}

static int make(struct weft_threads *threads)
{
    unsigned max = most_threads(threads);
    if (threads->min > max || max > WEFT_THREADS_MOST)
        return UV_EINVAL;
    struct weft_pool *pool = weft_calloc(1, sizeof *pool);
    if (pool == NULL)
        return UV_ENOMEM;
    int err = uv_mutex_init(&pool->lock);
    if (err != 0)
        goto no_lock;
    err = uv_cond_init(&pool->gone);
    if (err != 0)
        goto no_condition;
    copy_settings(pool, threads);
    pool->room_tail = &pool->room;
    weft__line_init(pool);
    jobs_init(&pool->talking);
    jobs_init(&pool->over);
    threads->pool_ = pool;
    return 0;
no_condition:
    uv_mutex_destroy(&pool->lock);
no_lock:
    weft_free(pool);
    return err;
}

void weft_threads_begin(struct weft_op *op)
{
    struct weft_threads *threads = threads_of(op);
    threads->pool_ = NULL;
    int err = make(threads);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_pool *pool = threads->pool_;
    for (unsigned i = 0; i < pool->min && err == 0; i++)
        err = weft__thread_start(
            pool); /* with fewer, or none: it is tried again when they are needed */
    weft_on_cancel(op, threads_cancel);
}

void weft_threads_open_at(const struct weft_site *site, struct weft_op *parent,
                          struct weft_threads *threads, weft_then_fn *then)
{
    op_check_start(parent, &threads->op);
    threads->pool_ = NULL; /* also if begin is refused */
    weft_run_now_at(site, parent, &threads->op, weft_threads_begin, then);
}

struct weft_threads_stats weft_threads_stats(const struct weft_threads *threads)
{
    struct weft_threads_stats stats = {0};
    struct weft_pool *pool = threads->op.state_ == OP_RUNNING ? threads->pool_ : NULL;
    if (pool == NULL)
        return stats;
    uv_mutex_lock(&pool->lock);
    stats = pool->stats;
    uv_mutex_unlock(&pool->lock);
    return stats;
}
