/* A thread of a pool: started, at work, idle, over.
 *
 *     start ──► take a job ──► function ──► news for the loop ──┐
 *                  ▲  │ none                                    │
 *                  │  └──► idle ──woken──┐                      │
 *                  └─────────────────────┴──────────────────────┘
 *                          └ too long, or the pool ends: over
 *
 * Idle threads are a stack: the one that worked last is woken first, so that those which are not
 * needed are idle long enough to end. One is taken off the stack by whoever wakes it, so that a second
 * job wakes a second thread.
 *
 * A thread that ends joins the one that ended before it, and leaves itself to the next. So at most one
 * is left to be joined at any time, nobody has to be woken for that, and when the pool has joined the
 * last one all of them are gone. */
#include "threads.h"
#include "trace/brackets.h"
#include "weft/alloc.h"

/* ---- at work -------------------------------------------------------------------------------- */

static int call(struct weft_thread_job *job)
{
    if (likely(!trace_on() || job->id_ == 0))
        return job->function(job);
    weft__trace_work(job->id_, (weft_entry_fn *)job->function);
    int status = job->function(job);
    weft__trace_worked(job->id_);
    return status;
}

/* The context is that of the op's begin: the op's own the loop may change meanwhile. */
static int call_in_context(struct weft_thread_job *job)
{
    weft__visit = (struct weft_visit){&job->op, job->id_, job->context_};
    int status = call(job);
    weft__visit = (struct weft_visit){0};
    return status;
}

static void work(struct weft_pool_thread *thread, struct weft_thread_job *job)
{
    struct weft_pool *pool = thread->pool;
    job->place_ = JOB_AWAY;
    job->thread_ = thread;
    pool->stats.running++;
    pool->stats.begun++;
    uv_mutex_unlock(&pool->lock);
    int status = call_in_context(job);
    uv_mutex_lock(&pool->lock);
    pool->stats.running--;
    job->status_ = status;
    job->place_ = JOB_BACK;
    job->thread_ = NULL;
    weft__job_talk(job);
    if (!weft__bell_ring(pool))
        return;
    uv_mutex_unlock(&pool->lock);
    weft_post(&pool->bell);
    uv_mutex_lock(&pool->lock);
}

/* ---- idle ----------------------------------------------------------------------------------- */

bool weft__thread_wake(struct weft_pool *pool)
{
    struct weft_pool_thread *thread = pool->idle;
    if (thread == NULL)
        return false;
    pool->idle = thread->next_idle;
    thread->woken = true;
    uv_cond_signal(&thread->news);
    return true;
}

static void leave_idle(struct weft_pool_thread *thread)
{
    struct weft_pool_thread **link = &thread->pool->idle;
    while (*link != thread)
        link = &(*link)->next_idle;
    *link = thread->next_idle;
}

/* false: it was not needed for long. Those of the minimum are not asked how long. */
static bool wait_for_work(struct weft_pool_thread *thread)
{
    struct weft_pool *pool = thread->pool;
    uint64_t now = uv_hrtime(), end = now + pool->idle_ns;
    thread->woken = false;
    thread->next_idle = pool->idle;
    pool->idle = thread;
    while (!thread->woken) {
        if (pool->stats.threads <= pool->min) {
            uv_cond_wait(&thread->news, &pool->lock);
        } else if (now >= end) {
            leave_idle(thread);
            return false;
        } else {
            uv_cond_timedwait(&thread->news, &pool->lock, end - now);
        }
        now = uv_hrtime();
    }
    return true;
}

/* NULL: it ends. */
static struct weft_thread_job *next_job(struct weft_pool_thread *thread)
{
    struct weft_pool *pool = thread->pool;
    while (pool->stats.waiting == 0) {
        if (pool->quit || !wait_for_work(thread))
            return NULL;
    }
    return weft__line_take(pool);
}

/* ---- over ----------------------------------------------------------------------------------- */

static void free_thread(struct weft_pool_thread *thread)
{
    uv_cond_destroy(&thread->news);
    weft_free(thread);
}

static void join(struct weft_pool_thread *thread)
{
    if (thread == NULL)
        return;
    uv_thread_join(&thread->id);
    free_thread(thread);
}

static void unlist(struct weft_pool_thread *thread)
{
    *thread->link = thread->next;
    if (thread->next != NULL)
        thread->next->link = thread->link;
    thread->pool->stats.threads--;
}

/* Under the lock, which it lets go of. The pool is not touched after that. */
static void end(struct weft_pool_thread *thread)
{
    struct weft_pool *pool = thread->pool;
    struct weft_pool_thread *before = pool->ended;
    unlist(thread);
    pool->ended = thread;
    if (pool->stats.threads == 0)
        uv_cond_signal(&pool->gone);
    uv_mutex_unlock(&pool->lock);
    weft__trace_thread_over();
    join(before);
}

static void body(void *data)
{
    struct weft_pool_thread *thread = data;
    struct weft_pool *pool = thread->pool;
    struct weft_thread_job *job;
    weft__thread_name(pool->name, thread->number);
    weft__thread_nice(pool->nice);
    uv_mutex_lock(&pool->lock);
    while ((job = next_job(thread)) != NULL)
        work(thread, job);
    end(thread);
}

void weft__threads_quit(struct weft_pool *pool)
{
    uv_mutex_lock(&pool->lock);
    pool->quit = true;
    while (weft__thread_wake(pool))
        continue;
    while (pool->stats.threads > 0)
        uv_cond_wait(&pool->gone, &pool->lock);
    struct weft_pool_thread *last = pool->ended;
    uv_mutex_unlock(&pool->lock);
    join(last);
}

/* ---- started -------------------------------------------------------------------------------- */

static bool has_number(const struct weft_pool *pool, unsigned number)
{
    const struct weft_pool_thread *thread = pool->all;
    while (thread != NULL && thread->number != number)
        thread = thread->next;
    return thread != NULL;
}

static void list(struct weft_pool *pool, struct weft_pool_thread *thread)
{
    thread->number = 1;
    while (has_number(pool, thread->number))
        thread->number++;
    thread->next = pool->all;
    thread->link = &pool->all;
    if (thread->next != NULL)
        thread->next->link = &thread->next;
    pool->all = thread;
    pool->stats.threads++;
}

/* The new thread's first act is to take the lock: it finds all of this done. */
static int create(struct weft_pool *pool, struct weft_pool_thread *thread)
{
    uv_thread_options_t options = {UV_THREAD_HAS_STACK_SIZE, pool->threads->stack_size};
    uv_mutex_lock(&pool->lock);
    list(pool, thread);
    int err = uv_thread_create_ex(&thread->id, &options, body, thread);
    if (err != 0) {
        unlist(thread);
    } else {
        pool->stats.started++;
        if (pool->stats.threads > pool->stats.most)
            pool->stats.most = pool->stats.threads;
        weft__bell_tend(pool);
    }
    uv_mutex_unlock(&pool->lock);
    return err;
}

int weft__thread_start(struct weft_pool *pool)
{
    struct weft_pool_thread *thread = weft_calloc(1, sizeof *thread);
    if (thread == NULL)
        return UV_ENOMEM;
    int err = uv_cond_init(&thread->news);
    if (err != 0) {
        weft_free(thread);
        return err;
    }
    thread->pool = pool;
    err = create(pool, thread);
    if (err != 0)
        free_thread(thread);
    return err;
}
