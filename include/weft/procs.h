/* weft/procs.h: a pool of worker processes, and jobs for them.
 *
 * What computes for long, or may crash, or is written in another language, runs in processes of its
 * own. A worker is any program that reads jobs from descriptor 3 and writes what it finds there:
 * the frames are on one page, docs/workers.md; weft/worker.h does it in C. The pool starts workers
 * when there are jobs, keeps them for the next, ends those that are idle, and replaces those that
 * die.
 *
 *     static bool found(struct weft_job *job, uint32_t kind, struct weft_text data)
 *     {
 *         printf("%.*s\n", WEFT_TEXT_ARGS(data));
 *         return true;                                    // false: not now, see weft_job_resume
 *     }
 *     ...
 *     static const char *const args[] = {"./sums", NULL};
 *     struct weft_procs procs = {.args = args, .max = 2};
 *     weft_procs(op, &procs, NULL);
 *     struct weft_job job = {.input = "1 2 -3", .input_size = 6, .on_event = found};
 *     weft_job(op, &job, &procs, job_over);
 *
 * Every job ends exactly once, whatever its worker does: it is killed, stopped, exits, writes
 * garbage, hangs, closes its channel and lives on. And a job that was not begun is never lost: when
 * a worker dies, what lay in its socket goes to another one. A job that was begun is not begun a
 * second time, unless it asks for that (retries). Never are two jobs in one worker, nor more than
 * max workers.
 *
 * What is left behind if this process is killed: nothing. The kernel kills the workers, also
 * stopped ones, when the thread that runs the loop ends, however it does. (What a worker has
 * started itself is in its process group, which the pool kills after it; but a pool that is killed
 * cannot do that, so such a worker should see to its own.) A program with the set-user-ID bit gets
 * around it.
 *
 * Only Linux has all of this: elsewhere the end of the channel tells workers that they are alone,
 * and affinity is not set. */
#ifndef WEFT_PROCS_H
#define WEFT_PROCS_H

#include "hook.h"
#include "text.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_PROCS_RANKS = 8,
    WEFT_PROCS_WHY = 128,           /* room for an explanation, with its NUL */
    WEFT_PROCS_MAX = 4096,          /* the largest max */
    WEFT_PROCS_AHEAD = 1024,        /* the largest ahead */
    WEFT_PROCS_LIMIT = 1024,        /* the default of limit */
    WEFT_PROCS_IDLE_MS = 60 * 1000, /* the defaults of what ends with these names */
    WEFT_PROCS_READY_MS = 10 * 1000,
    WEFT_PROCS_GRACE_MS = 1000,
    WEFT_PROCS_AGE_MS = 1000,
    WEFT_PROCS_BACKOFF_MS = 100,
    WEFT_PROCS_BACKOFF_MAX_MS = 10 * 1000,
    WEFT_PROCS_BREAKER = 5,
    WEFT_PROCS_BREAKER_MS = 5000,
    WEFT_PROCS_RESULT_MAX = 1 << 30, /* the default of result_max */
    WEFT_PAYLOAD_MAX = 1 << 30       /* the largest input */
};

struct weft_procs_engine; /* the library's */
struct weft_worker;       /* the library's */

/* The library's: a place in the line of those who wait for a worker. */
struct weft_procs_wait {
    struct weft_procs_wait *next_, **link_;
    uint64_t since_;
    unsigned rank_;
    bool job_;
};

/* ---- the pool ------------------------------------------------------------------------------- */

/* What a worker may use. 0: as much as this process. */
struct weft_procs_limits {
    uint64_t cpu_s;  /* of computing, in all its life: then SIGXCPU, and SIGKILL a second later */
    uint64_t memory; /* bytes of address space */
    uint64_t files;  /* open descriptors */
    bool core;       /* it may leave a core file, if this process may */
};

/* Set before the begin; texts and lists stay until the end. Zero will do for all but args and max.
 * A time of 0 is the default, UINT64_MAX is never. */
struct weft_procs {
    struct weft_op op;

    /* What is started. */
    const char *const *args; /* ends with NULL; args[0] is looked for in the PATH of env */
    /* "NAME=value" to set, "NAME" to take from this process if it is there; ends with NULL. Beside
     * that a worker gets PATH, HOME, LANG, LC_* and TZ, and nothing else. A later entry counts
     * more. */
    const char *const *env;
    const char *cwd; /* NULL: that of this process */
    /* Descriptors for its output and its errors; 0: those of this process. Its input is /dev/null;
     * all others are closed. */
    int out, err;
    struct weft_procs_limits limits;
    int nice;          /* added to that of this process, as nice(1) does */
    uint64_t affinity; /* a bit for each of the first 64 processors that it may use; 0: any */

    /* How many. */
    unsigned min; /* so many workers at all times */
    unsigned max; /* at most so many, those that start included */
    /* So many further jobs may lie in a worker's socket, so that it need not wait for the next.
     * They are begun one after the other. For workers that have a page (those made with
     * weft/worker.h); others get one at a time. */
    unsigned ahead;
    size_t limit;      /* so many jobs and acquires may wait; 0: WEFT_PROCS_LIMIT */
    size_t result_max; /* bytes of one frame of a worker's; a larger one is a broken worker's */

    /* How long. A worker that has done so many jobs, or is so old, or uses so many bytes of memory
     * after a job (/proc), is replaced when it is idle; 0: never. */
    uint64_t max_jobs, max_age_ms, max_rss;
    uint64_t idle_ms;  /* with nothing to do for so long one is ended, if there are more than min */
    uint64_t ready_ms; /* from its start to its first word */
    /* 0: none. One that says nothing for so long is asked for a sign of life; if nothing comes for
     * so long again it hangs, and is killed. A function that computes has to call
     * weft_worker_stopped or weft_worker_emit more often than that. */
    uint64_t beat_ms;
    /* A job that was cancelled, a worker that was told to end, one that has closed its channel: so
     * long until it is killed. */
    uint64_t grace_ms;
    uint64_t age_ms; /* a job of rank r waits as if it had come r times this later */

    /* Trouble. A worker that could not be started, or died, is replaced at once. If the next one
     * dies too, with no job done in between, there is a pause, which doubles from backoff_ms to
     * backoff_max_ms. After `breaker` in a row nobody waits any more: for breaker_ms all jobs are
     * refused (WEFT_EBROKEN; why says of what they died), then there is one try. */
    uint64_t backoff_ms, backoff_max_ms, breaker_ms;
    unsigned breaker;

    /* Read only from here on. Workers: */
    unsigned workers;  /* processes, those that start and those that end included */
    unsigned starting; /* of them, those that have not said that they are ready */
    unsigned idle;     /* of them, those that wait for a job */
    uint64_t started;  /* in all */
    uint64_t died;     /* by themselves */
    uint64_t killed;   /* with a job that was too late or not let go of; hung, or broken */
    /* Jobs: */
    size_t waiting;   /* also acquires */
    size_t running;   /* that were given to a worker */
    uint64_t done;    /* ended with 0 */
    uint64_t failed;  /* ended otherwise */
    uint64_t refused; /* of these, those that were not taken */
    bool broken;      /* jobs are refused */
    /* Of what the last worker died: WEFT_ECRASHED; UV_ETIMEDOUT: it was not ready in time, or hung;
     * or why it could not be started: UV_ENOENT, … */
    int status;
    char why[WEFT_PROCS_WHY]; /* the same in words */
    struct weft_procs_engine *engine_;
    struct weft_op turn_;
};

/* Begin it. It runs until it is closed or cancelled, and keeps the loop alive as long as it has
 * workers. then runs when every worker is reaped and every job has ended: 0 after weft_procs_close,
 * the reason after a cancel. That workers cannot be started does not end it: see breaker.
 * UV_EINVAL: no args, max is 0 or above WEFT_PROCS_MAX, min above max, ahead above
 * WEFT_PROCS_AHEAD; why says which. UV_ENOMEM. */
#define weft_procs(parent, procs, then)                                                            \
    weft_procs_at(WEFT_HERE("procs", WEFT_PROCESS | WEFT_HANDLE), parent, procs, then)
WEFT_API void weft_procs_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_procs *procs, weft_then_fn *then);
WEFT_API void weft_procs_begin(struct weft_op *op);

/* Take no more jobs (WEFT_ESTOPPED); let those that were taken end; wait for workers that are held;
 * then tell the workers to end, and kill those that have not after grace_ms. No effect on one that
 * is not open. A cancel of its op kills all workers at once, and jobs end with its reason. */
WEFT_API void weft_procs_close(struct weft_procs *procs);

/* ---- payloads ------------------------------------------------------------------------------- */

/* An input that is built where the worker will read it: memory that is shared, not copied. data is
 * yours to write to whenever no job has it. An input of more than 64 KiB that is not in one is
 * copied into such a memory when its job is sent, on the loop's thread. */
struct weft_payload {
    void *data;  /* zeroed at first */
    size_t size; /* of it; a job may use less */
    int fd_;
};
/* 0, UV_EINVAL (size is 0 or above WEFT_PAYLOAD_MAX), UV_ENOMEM, UV_EMFILE, …: payload is closed then. */
WEFT_API int weft_payload_open(struct weft_payload *payload, size_t size);
/* Safe on one that is closed or zeroed. */
WEFT_API void weft_payload_close(struct weft_payload *payload);

/* ---- a job ---------------------------------------------------------------------------------- */

/* Fill in what differs from the default, begin it, free it (weft_job_free) after any outcome but a
 * refusal, where there is nothing to free but it does no harm.
 *   0                 it is done, and result is what its worker said at the end
 *   WEFT_EJOB         the worker says that it failed; why is its text
 *   WEFT_ECRASHED     its worker died while it was in it: why, exit_code and term_signal say how
 *   UV_ETIMEDOUT      it was not over timeout_ms after its worker could begin; the worker was killed
 *   the reason        it was cancelled. then comes at once; the worker is told, and is given to nobody else
 *                     before it has let go of the job. If that takes more than grace_ms it is killed
 *   UV_ENOBUFS        refused: limit jobs wait
 *   WEFT_ESTOPPED     refused: procs is being closed, or is over
 *   WEFT_EBROKEN      refused: workers die all the time; why says of what
 *   UV_EINVAL         procs is not open or of another loop, rank is too large, there is an input and a payload,
 *                     or held is of another pool
 *   UV_EBUSY          held's worker has a job already (with ahead: so many)
 *   UV_E2BIG          the input is larger than WEFT_PAYLOAD_MAX or its payload
 *   UV_ENOMEM, UV_EMFILE, …: there is no memory for its input, its result, or a frame of its worker's
 * Order: those of a smaller rank are first. A job of rank r is behind one of rank 0 that came up to
 * r times age_ms later, and before all others: so nobody waits for ever.
 * Time: timeout_ms counts from when the job is the first in its worker's line, also while nobody
 * wants its events.
 * Retries: if its worker dies, and no event was delivered, it is begun again up to so many times,
 * in another worker. It does not lose its place. Not for jobs on a worker that is held. */
struct weft_job {
    struct weft_op op;
    struct weft_procs *procs;
    struct weft_acquire *held; /* in the worker that this one holds; NULL: in any */
    const void *input;         /* stays until the end */
    size_t input_size;
    const struct weft_payload *payload; /* in place of input; the same. input_size 0: all of it */
    unsigned rank;                      /* 0 to 7 */
    unsigned retries;
    uint64_t timeout_ms; /* 0: none */
    /* The worker has found something. data is there until this returns. false: no more for now.
     * Then nothing is read from that worker, until its channel is full and it has to wait; after
     * weft_job_resume it goes on. It may cancel or end anything. NULL: events are thrown away. */
    bool (*on_event)(struct weft_job *job, uint32_t kind, struct weft_text data);

    int pid;          /* read only: the worker it was given to; 0: none yet */
    unsigned attempt; /* read only: how often it was given to one */
    /* Read only, once over: */
    struct weft_text result;
    char why[WEFT_PROCS_WHY]; /* empty if there is nothing to say */
    int exit_code;            /* of the worker that died; -1: it did not exit */
    int term_signal;          /* the same; 0: none */
    struct weft_procs_wait wait_;
    struct weft_worker *worker_;
    uint64_t id_;
    unsigned tried_;
    bool delivered_, paused_, mapped_;
    char small_[64];
};
#define weft_job(parent, job, procs, then)                                                         \
    weft_job_at(WEFT_HERE("job", WEFT_PROCESS | WEFT_HANDLE), parent, job, procs, then)
WEFT_API void weft_job_at(const struct weft_site *site, struct weft_op *parent,
                          struct weft_job *job, struct weft_procs *procs, weft_then_fn *then);
WEFT_API void weft_job_begin(struct weft_op *op);
/* Events may come again, from the next turn on. No effect on a job that was not paused. */
WEFT_API void weft_job_resume(struct weft_job *job);
/* Something for the worker's function, while it runs: it asks for it by weft_worker_receive. data
 * is copied.
 * UV_EINVAL: more than 64 KiB. UV_ENOTCONN: it is in no worker now, or not the first in its line.
 * UV_EAGAIN: what was sent before has not been taken yet; try again later. UV_ENOMEM. */
WEFT_API int weft_job_send(struct weft_job *job, uint32_t kind, const void *data, size_t size);
/* Free the result. Safe twice. */
WEFT_API void weft_job_free(struct weft_job *job);

/* ---- a worker of one's own ------------------------------------------------------------------ */

/* Wait for a worker, and keep it: it gets no jobs but those that are begun with `held`, one at a
 * time or with ahead, until weft_worker_release. Acquires wait in the same order as jobs, and are
 * refused in the same way:
 * UV_ENOBUFS, WEFT_ESTOPPED, WEFT_EBROKEN, UV_EINVAL, the reason of a cancel. With 0 the worker is
 * held, and the storage stays until it is released. A worker that dies is held until then all the
 * same: `alive` says so, jobs on it end with WEFT_ECRASHED, and its place goes to others at
 * once. */
struct weft_acquire {
    struct weft_op op;
    struct weft_procs *procs;
    unsigned rank;
    int pid;    /* read only: of the worker */
    bool alive; /* read only: it is held and runs; false after release, too */
    struct weft_procs_wait wait_;
    struct weft_worker *worker_;
};
#define weft_worker_acquire(parent, acquire, procs, then)                                          \
    weft_worker_acquire_at(WEFT_HERE("worker_acquire", WEFT_PROCESS), parent, acquire, procs, then)
WEFT_API void weft_worker_acquire_at(const struct weft_site *site, struct weft_op *parent,
                                     struct weft_acquire *acquire, struct weft_procs *procs,
                                     weft_then_fn *then);
WEFT_API void weft_worker_acquire_begin(struct weft_op *op);
/* Give it back: it goes to the first who waits, or becomes idle, once the jobs that were begun on
 * it are over. Releasing twice, or what was never acquired, has no effect. */
WEFT_API void weft_worker_release(struct weft_acquire *acquire);

#ifdef __cplusplus
}
#endif
#endif
