/* The inside of a pool of threads.
 *
 *     threads.c         the pool: an op; room; its end
 *     threads_job.c     a job: an op; in line, away, back
 *     threads_line.c    whose turn it is
 *     threads_body.c    a thread: started, at work, idle, over
 *     threads_result.c  from a thread to the loop: send, hear
 *     threads_bell.c    how the loop is woken, and what keeps it alive
 *
 * Two sides. Ops are touched on the loop's thread only. What both sides know is in the pool and in the
 * private fields of a job, under the pool's lock; nobody's function is called while it is held. */
#ifndef WEFT_CPU_THREADS_H
#define WEFT_CPU_THREADS_H

#include "core/observe.h"
#include "weft/post.h"
#include "weft/threads.h"

/* Where a job is: one word, changed under the lock.
 *
 *     LINE ──a thread takes it──► AWAY ──function has returned──► BACK ──all is taken──► finished
 *      └──────────── cancel ─────────────────────────────────────────────────────────────┘
 *
 * A job is on one list at most: the line while it is in LINE; talking while it has sent something that
 * the loop should look at; over when only the finish is left. */
enum job_place { JOB_NOWHERE, JOB_LINE, JOB_AWAY, JOB_BACK };

struct job_list {
    struct weft_thread_job *first, **tail;
};

static inline void jobs_init(struct job_list *list)
{
    list->first = NULL;
    list->tail = &list->first;
}

static inline void jobs_append(struct job_list *list, struct weft_thread_job *job)
{
    job->next_ = NULL;
    job->link_ = list->tail;
    *list->tail = job;
    list->tail = &job->next_;
}

static inline void jobs_remove(struct job_list *list, struct weft_thread_job *job)
{
    *job->link_ = job->next_;
    if (job->next_ != NULL)
        job->next_->link_ = job->link_;
    else
        list->tail = job->link_;
    job->link_ = NULL;
}

/* A thread, in a block of its own until it was joined. */
struct weft_pool_thread {
    struct weft_pool *pool;
    uv_thread_t id;
    uv_cond_t news; /* woken, a result fits, or its job is to stop */
    unsigned number;
    bool woken; /* was taken off the idle ones */
    struct weft_pool_thread *next_idle;
    struct weft_pool_thread *next, **link; /* of all */
};

struct weft_pool {
    /* Known from the beginning. */
    struct weft_loop *loop;
    struct weft_threads *threads;
    unsigned min, max;
    uint64_t idle_ns;
    int nice;
    char name[16];

    /* On the loop's thread. */
    struct weft_thread_job *jobs; /* all that are under way */
    size_t job_count, most_jobs, freed;
    struct weft_op *room, **room_tail;
    unsigned inside; /* in a function that goes on with the pool: it does not end meanwhile */
    bool closing;

    /* Under the lock. */
    uv_mutex_t lock;
    uv_cond_t gone; /* the last thread is */
    struct job_list line[WEFT_THREADS_RANKS];
    uint64_t pushed;
    struct job_list talking, over;
    unsigned stalled; /* jobs that run and wait for weft_thread_resume */
    struct weft_pool_thread *all, *idle;
    struct weft_pool_thread *ended; /* the last one that did, to be joined */
    struct weft_post bell;
    bool armed, rung; /* the bell is expected; it was sent */
    bool quit;
    struct weft_threads_stats stats;
};

/* ---- threads_line.c, under the lock ---------------------------------------------------------- */

void weft__line_init(struct weft_pool *pool);
void weft__line_put(struct weft_pool *pool, struct weft_thread_job *job);
void weft__line_remove(struct weft_pool *pool, struct weft_thread_job *job);
/* The next one; there is one. */
struct weft_thread_job *weft__line_take(struct weft_pool *pool);

/* ---- threads_body.c -------------------------------------------------------------------------- */

/* On the loop's thread. 0 or an error; with the error there is no thread more. */
int weft__thread_start(struct weft_pool *pool);
/* Under the lock: an idle one is told of the line. false: there is none. */
bool weft__thread_wake(struct weft_pool *pool);
/* All of them end, and have ended when this returns. No job is away. */
void weft__threads_quit(struct weft_pool *pool);
/* The calling thread is called name-number, where threads have names. */
void weft__thread_name(const char *name, unsigned number);
/* threads_nice.c: the calling thread gives way to others by so much more, where each has its own. */
void weft__thread_nice(int more);

/* ---- threads_bell.c, under the lock ---------------------------------------------------------- */

/* There is news for the loop. true: the caller sends the bell, when it has let go of the lock. On a
 * thread: that has a job. */
bool weft__bell_ring(struct weft_pool *pool);
/* On the loop's thread, after each change: does the pool keep the loop alive? */
void weft__bell_tend(struct weft_pool *pool);

/* ---- threads_result.c ------------------------------------------------------------------------ */

/* Under the lock: has job become one that only weft_thread_resume can help, or is it not any more? */
void weft__job_restall(struct weft_thread_job *job);
/* Under the lock: job should be looked at by the loop. */
void weft__job_talk(struct weft_thread_job *job);
/* Under the lock, which is let go of in between: the loop listens to those who talk, for a while. */
void weft__threads_hear(struct weft_pool *pool);
/* On the loop's thread: free what was not taken. */
void weft__results_drop(struct weft_thread_job *job);

/* ---- threads_job.c, on the loop's thread ------------------------------------------------------ */

/* job, BACK and on no list, is over. */
void weft__job_settle(struct weft_thread_job *job);

/* ---- threads.c, on the loop's thread ---------------------------------------------------------- */

/* Does it take jobs? Until its then it is one that was closed. */
int weft__threads_check(const struct weft_threads *threads, const struct weft_loop *loop);
/* Something has changed: is there room for those who wait, is this the end? pool may be gone after
 * it. */
void weft__threads_attend(struct weft_pool *pool);

#endif
