/* weft/threads.h: a pool of threads of your own, for work that takes a processor.
 *
 * libuv has four threads, and files and names need them: while four computations hold them no file is
 * read (weft/work.h). A pool of your own has as many as you say, runs what is most urgent first, and
 * streams what a job finds to the loop while it is still searching.
 *
 *     struct search { struct weft_thread_job job; ... };
 *
 *     static int find(struct weft_thread_job *job)                   // on a thread of the pool
 *     {
 *         int err = 0;
 *         while (err == 0 && ...)
 *             if (...)
 *                 err = weft_thread_send(job, &match, sizeof match);
 *         return err;
 *     }
 *     static bool found(struct weft_thread_job *job, struct weft_text match)    // on the loop
 *     ...
 *     weft_threads_open(op, &pool, NULL);
 *     search->job.on_result = found;
 *     weft_thread_job(op, &search->job, &pool, find, over);
 *
 * Threads. One is started when a job is pushed, none is free and fewer than max are there; one that has
 * had nothing to do for idle_ms ends, down to min. If the system gives no more threads, the jobs wait
 * for those that are there.
 *
 * Order. Of the jobs that wait, those of a smaller rank go first, those of one rank in their order.
 * Nobody waits for ever: a job counts as one rank more urgent for each WEFT_THREADS_AGE jobs pushed
 * after it. So of the later ones only those less than 32 pushes later for each rank between them go
 * first: a job of rank 7 is overtaken by 223 at most.
 *
 * Limits. At most max + limit jobs are under way: they run, they wait, or what they have sent was not
 * taken yet. One more is refused at once, with UV_ENOBUFS; weft_threads_room waits until there is room.
 *
 * Alive. A job that can go on by itself keeps the loop alive, and virtual time (weft/sim.h) stands
 * still for it. Threads with nothing to do do not, nor does a job that waits for weft_thread_resume. */
#ifndef WEFT_THREADS_H
#define WEFT_THREADS_H

#include "hook.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_THREADS_IDLE_MS = 10000,     /* the default of threads.idle_ms */
    WEFT_THREADS_LIMIT = 1024,        /* the default of threads.limit */
    WEFT_THREADS_MOST = 1024,         /* how many threads a pool may have */
    WEFT_THREADS_RANKS = 8,           /* ranks are 0 to 7; WEFT_RANK_NORMAL (weft/queue.h) is 4 */
    WEFT_THREADS_AGE = 32,            /* for so many jobs that come later, a rank */
    WEFT_THREADS_BUFFER = 64 * 1024,  /* the default of job.buffer */
    WEFT_THREADS_RESULT_OVERHEAD = 16 /* what a result counts beside its bytes */
};

struct weft_pool;
struct weft_pool_thread;
struct weft_thread_job;
struct weft_thread_result;

/* ---- the pool ------------------------------------------------------------------------------- */

/* A pool is an op that runs until it is closed. then runs when no job is under way and all of its
 * threads have ended: nothing of it is left. 0 after weft_threads_close, otherwise the reason of the
 * cancel. UV_EINVAL: min is above max, or max above WEFT_THREADS_MOST. UV_ENOMEM.
 * A cancel gives the reason to the jobs that wait, tells those that run to stop, and awaits them. */
struct weft_threads {
    struct weft_op op;
    /* Set before the opening. */
    unsigned min, max; /* how many threads; max 0: as many as there are processors, or min */
    unsigned limit;    /* how many jobs beside max may be under way; 0: WEFT_THREADS_LIMIT */
    uint64_t idle_ms;  /* 0: WEFT_THREADS_IDLE_MS */
    const char *name;  /* threads are called name-1, …, cut to 15 bytes; copied; NULL: weft */
    size_t stack_size; /* of threads that are started from now on; 0: the system's */
    /* Added to the niceness of the thread that starts them: with a positive one the loop gets the
     * processor first when both want it. Linux only. One that is not allowed has no effect. */
    int nice;
    struct weft_pool *pool_;
};
/* It is open, with min threads if the system gives as many, when this returns. */
#define weft_threads_open(parent, threads, then)                                                   \
    weft_threads_open_at(WEFT_HERE("threads", WEFT_THREAD | WEFT_HANDLE), parent, threads, then)
WEFT_API void weft_threads_open_at(const struct weft_site *site, struct weft_op *parent,
                                   struct weft_threads *threads, weft_then_fn *then);
WEFT_API void weft_threads_begin(struct weft_op *op);

/* No new jobs: they, and those who wait for room, get WEFT_ESTOPPED. Those that are under way are run,
 * then the pool ends with 0. No effect on one that is not open. */
WEFT_API void weft_threads_close(struct weft_threads *threads);

/* How it is at this moment; all zero if it is not open. */
struct weft_threads_stats {
    unsigned threads; /* that there are */
    unsigned running; /* jobs on a thread */
    unsigned waiting; /* jobs in line */
    unsigned most;    /* threads at the same time, so far */
    uint64_t started; /* threads so far */
    uint64_t begun;   /* jobs that a thread took, so far */
    uint64_t left;    /* jobs that were cancelled in line */
    uint64_t refused; /* jobs for which there was no room */
    uint64_t wakeups; /* of the loop; many results share one */
};
WEFT_API struct weft_threads_stats weft_threads_stats(const struct weft_threads *threads);

/* Wait until there is room for a job; at once if it is so. Those who wait are let go in their order,
 * one for each job that is over. Room is seen, not reserved: who pushes in between takes it.
 * WEFT_ESTOPPED: the pool was closed. The pool's reason, if it was cancelled. UV_EINVAL: threads is NULL
 * or not open. */
struct weft_threads_room {
    struct weft_op op;
    struct weft_threads *threads;
};
#define weft_threads_room(parent, room, threads, then)                                             \
    weft_threads_room_at(WEFT_HERE("threads_room", WEFT_THREAD), parent, room, threads, then)
WEFT_API void weft_threads_room_at(const struct weft_site *site, struct weft_op *parent,
                                   struct weft_threads_room *room, struct weft_threads *threads,
                                   weft_then_fn *then);
WEFT_API void weft_threads_room_begin(struct weft_op *op);

/* ---- a job ---------------------------------------------------------------------------------- */

/* Runs on a thread of the pool. Between begin and then the struct around job is its own, but for what
 * the two threads agree on; it may start no op. Returns 0 or a negative status. weft_context_get of
 * job->op works (weft/context.h). */
typedef int weft_thread_fn(struct weft_thread_job *job);
/* On the loop: what the job has sent, valid until this returns. false: no more until
 * weft_thread_resume, and then does not come before either. It may cancel or end job->op. */
typedef bool weft_thread_result_fn(struct weft_thread_job *job, struct weft_text result);

/* then runs when function has returned and all it has sent was taken. The parent is any op of the
 * pool's loop.
 *
 * A cancel of a job in line takes it out at once: function is not called. One that runs is told
 * (weft_thread_stopped, weft_thread_send) and awaited; UV_ECANCELED from function becomes the reason.
 * on_result is not called any more. Otherwise the status is what function returned, and may be 0;
 * but not if results were lost by the cancel: then 0 becomes the reason, too.
 *
 * UV_EINVAL: function is NULL, threads is NULL, not open or of another loop, or the rank is too large.
 * UV_ENOBUFS: no room. WEFT_ESTOPPED: the pool was closed, or could not be opened, and has not reported
 * yet. UV_EAGAIN, UV_ENOMEM: there is no thread, and none could be started. */
struct weft_thread_job {
    struct weft_op op;
    struct weft_threads *threads;
    weft_thread_fn *function;
    /* Set before the start. */
    weft_thread_result_fn *on_result; /* NULL: function sends nothing */
    unsigned rank;                    /* 0 to 7; smaller goes first */
    size_t buffer; /* bytes sent and not taken, at most; 0: WEFT_THREADS_BUFFER */
    struct weft_pool *pool_;
    struct weft_pool_thread *thread_;
    struct weft_thread_job *next_, **link_; /* of a line, or of those with news */
    struct weft_thread_job *peer_, **peer_link_;
    struct weft_thread_result *sent_, **sent_tail_, *taken_;
    struct weft_handle results_;
    uint64_t order_, id_;
    void *context_;
    size_t untaken_, wanted_;
    int status_, stop_;
    unsigned char place_;
    bool paused_, blocked_, stalled_, talking_, lost_;
};
#define weft_thread_job(parent, job, threads, function, then)                                      \
    weft_thread_job_at(WEFT_HERE(#function, WEFT_THREAD), parent, job, threads, function, then)
WEFT_API void weft_thread_job_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_thread_job *job, struct weft_threads *threads,
                                 weft_thread_fn *function, weft_then_fn *then);
WEFT_API void weft_thread_job_begin(struct weft_op *op);

/* From function: has a cancel come? */
WEFT_API bool weft_thread_stopped(const struct weft_thread_job *job);

/* From function: give on_result these bytes, which are copied. Results come in the order in which they
 * were sent. Waits while they and those that were not taken yet are more than job->buffer bytes,
 * counting WEFT_THREADS_RESULT_OVERHEAD for each; one alone may be of any size. The reason of the
 * cancel if there was one, before or while it waited: stop. UV_ENOMEM. UV_EINVAL: there is no
 * on_result, or data is NULL with a size. After an error nothing was sent. */
WEFT_API int weft_thread_send(struct weft_thread_job *job, const void *data, size_t size);

/* On the loop: go on after on_result has returned false, on a later turn. No effect on a job that is
 * not paused. */
WEFT_API void weft_thread_resume(struct weft_thread_job *job);

#ifdef __cplusplus
}
#endif
#endif
