/* The bell: one post for all that a pool's threads have to tell.
 *
 * It is expected (armed) while something may come from a thread, which keeps the loop alive, and sent
 * (rung) once for all news until the loop has heard of them. Under the lock, whenever somebody lets go
 * of it:
 *   1. armed exactly if rung, or if a job can go on by itself;
 *   2. if a job is on the list of those who talk or are over, the bell was rung, or the loop is about
 *      to look.
 * A thread rings only while it has a job that can go on, so the bell is armed then; what it does after
 * that may make 1 untrue but for rung. Only the loop's thread arms and withdraws it. It is never
 * withdrawn after it was rung: it is on its way then, and the pool waits for it. */
#include "core/handles.h"
#include "threads.h"

bool weft__bell_ring(struct weft_pool *pool)
{
    if (pool->rung)
        return false;
    pool->rung = true;
    return true;
}

/* A job on a thread that does not wait for the loop; or one in line for which there is a thread. */
static bool goes_on(const struct weft_pool *pool)
{
    const struct weft_threads_stats *now = &pool->stats;
    return now->running > pool->stalled || (now->waiting > 0 && now->running < now->threads);
}

static void rung(struct weft_post *post);

void weft__bell_tend(struct weft_pool *pool)
{
    bool wanted = pool->rung || goes_on(pool);
    if (wanted == pool->armed)
        return;
    pool->armed = wanted;
    if (wanted)
        weft__post_expect(pool->loop, &pool->bell, rung);
    else
        weft__post_withdraw(&pool->bell);
}

/* One by one: the end of a job may release what its context holds, which is the caller's code. */
static void settle_all(struct weft_pool *pool)
{
    struct weft_thread_job *job;
    while ((job = pool->over.first) != NULL) {
        jobs_remove(&pool->over, job);
        uv_mutex_unlock(&pool->lock);
        weft__job_settle(job);
        uv_mutex_lock(&pool->lock);
    }
}

static void rung(struct weft_post *post)
{
    struct weft_pool *pool = weft_owner(post, struct weft_pool, bell);
    pool->inside++;
    uv_mutex_lock(&pool->lock);
    pool->armed = pool->rung = false;
    pool->stats.wakeups++;
    weft__bell_tend(pool);
    weft__threads_hear(pool);
    settle_all(pool);
    bool more = pool->talking.first != NULL && weft__bell_ring(pool);
    weft__bell_tend(pool);
    uv_mutex_unlock(&pool->lock);
    if (more)
        weft_post(&pool->bell);
    pool->inside--;
    weft__threads_attend(pool);
}
