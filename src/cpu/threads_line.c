/* The line of a pool: whose turn it is.
 *
 * A job counts for its number plus WEFT_THREADS_AGE for each rank, and the smallest goes first. The
 * numbers only grow, so whatever comes later counts for more in the end: that is why nobody waits for
 * ever, without a clock and without touching those that wait. In one rank the first is always the
 * smallest, so it is enough to look at the heads of eight lists. */
#include "threads.h"

void weft__line_init(struct weft_pool *pool)
{
    for (int rank = 0; rank < WEFT_THREADS_RANKS; rank++)
        jobs_init(&pool->line[rank]);
}

static uint64_t weight(const struct weft_thread_job *job)
{
    return job->order_ + (uint64_t)job->rank * WEFT_THREADS_AGE;
}

/* Of two that count the same the earlier one has the larger rank. */
static bool before(const struct weft_thread_job *a, const struct weft_thread_job *b)
{
    return weight(a) != weight(b) ? weight(a) < weight(b) : a->order_ < b->order_;
}

void weft__line_put(struct weft_pool *pool, struct weft_thread_job *job)
{
    job->order_ = pool->pushed++;
    job->place_ = JOB_LINE;
    jobs_append(&pool->line[job->rank], job);
    pool->stats.waiting++;
}

void weft__line_remove(struct weft_pool *pool, struct weft_thread_job *job)
{
    jobs_remove(&pool->line[job->rank], job);
    job->place_ = JOB_NOWHERE;
    pool->stats.waiting--;
}

struct weft_thread_job *weft__line_take(struct weft_pool *pool)
{
    struct weft_thread_job *next = NULL;
    for (int rank = 0; rank < WEFT_THREADS_RANKS; rank++) {
        struct weft_thread_job *job = pool->line[rank].first;
        if (job != NULL && (next == NULL || before(job, next)))
            next = job;
    }
    weft__line_remove(pool, next);
    return next;
}
