/* weft/jobs.h: jobs for several machines, over Redis Streams. In libweft-redis.
 *
 * One side has a job of many parts, each a few bytes that say what to do, and wants the results as they
 * come. On the other side, on any number of machines, are workers.
 *
 *     jobs->redis.url = "redis://10.0.0.5";           struct sum {
 *     jobs->queue = "sums";                               struct weft_jobs_task task;
 *     weft_jobs(app, jobs, NULL);                         struct weft_jobs_emit emit;
 *     ...                                             };
 *     run->jobs = jobs;                               static void sum_begin(struct weft_op *op)
 *     run->parts = 4;                                 {
 *     run->payloads = texts;                              ... task.payload ...
 *     run->on_result = result;                            weft_jobs_emit(op, &sum->emit, &sum->task,
 *     weft_jobs_run(request, run, over);                                 data, checkpoint, emitted);
 *                                                     }
 *     static bool result(run, part, data)             worker->redis.url = "redis://10.0.0.5";
 *     {                                               worker->queue = "sums";
 *         ... write it to the client ...              worker->concurrency = 2;
 *         return there_is_room;                       worker->task_size = WEFT_JOBS_TASK(struct sum, task);
 *     }                                               worker->begin = sum_begin;
 *                                                     weft_jobs_worker(app, worker, NULL);
 *
 * The promise: each part is worked on at least once, and has one recorded result. A worker that dies, hangs
 * or is cut off loses its lease, and another one begins the part anew, with the next attempt number. Whatever
 * a worker says to Redis (a chunk of a result, an end, a sign of life) is compared there, in a script, with
 * the attempt that the part is in, and with the number of the chunk that is expected: what is late is
 * refused, what is repeated is not recorded twice. So the work may be done twice, as all work may that is
 * not finished in one step; its result is not. What a task does elsewhere (a mail, a payment) has to be safe
 * to repeat.
 *
 * Chunks are recorded with a checkpoint, some bytes of the task's own. The next attempt is given the last one
 * and goes on behind what is recorded.
 *
 * Redis may be away, be restarted, or have the connection cut: both sides go on when it is back. What was
 * sent and not answered is sent again, which is safe. How much of what Redis acknowledged it still knows
 * after a crash is its own setting: appendonly yes, appendfsync always.
 *
 * Nothing stays. Results are removed as they are delivered, parts as they end, a job when it is over; one
 * whose producer was not heard of for keep_ms is discarded by a worker. Only dead letters stay.
 *
 * In Redis (6.2 or newer), with P for "{queue}:", which puts all of it into one slot of a cluster: P"parts"
 * is the stream of parts, with the group "workers"; P"jobs" has the jobs by the time until which they are
 * kept; P"j:"id is a job, P"r:"id its results; P"dead" are the dead letters; P"w" is the channel to the
 * workers, P"p:"id that to a producer. Others may write there: what is not understood is counted and removed,
 * or put among the dead letters. */
#ifndef WEFT_JOBS_H
#define WEFT_JOBS_H

#include "redis.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_JOBS_LEASE_MS = 10 * 1000,      /* the default of lease_ms */
    WEFT_JOBS_KEEP_MS = 30 * 1000,       /* the default of keep_ms */
    WEFT_JOBS_TIME_MIN_MS = 50,          /* the least of both */
    WEFT_JOBS_DELIVERIES = 5,            /* the default of deliveries */
    WEFT_JOBS_WINDOW = 64,               /* the default of window */
    WEFT_JOBS_WINDOW_MAX = 4096,         /* the most of it */
    WEFT_JOBS_LIMIT = 256,               /* the default of limit */
    WEFT_JOBS_UNREAD_MAX = 1024 * 1024,  /* the default of unread_max */
    WEFT_JOBS_PARTS_MAX = 1 << 24,       /* of a job */
    WEFT_JOBS_PAYLOAD_MAX = 1024 * 1024, /* bytes of a part's payload, at most */
    WEFT_JOBS_CHUNK_MAX = 1024 * 1024,   /* bytes of a chunk, at most */
    WEFT_JOBS_CHECKPOINT_MAX = 64 * 1024,
    WEFT_JOBS_CONCURRENCY_MAX = 256,
    WEFT_JOBS_DEAD_MAX = 1000, /* dead letters; then the oldest give way */
    WEFT_JOBS_QUEUE_MAX = 200, /* bytes of a queue's name */
    WEFT_JOBS_ID = 32          /* hexadecimal digits of a job's id */
};

/* ---- the producer --------------------------------------------------------------------------- */

struct weft_jobs_engine; /* the library's */
struct weft_jobs_course; /* the library's */

struct weft_jobs_stats {
    uint64_t runs, ended;   /* begun; of them, those that ended with 0 */
    uint64_t parts, chunks; /* put into the line; delivered */
    uint64_t garbage;       /* results and messages that made no sense, or came twice */
};

/* Set before the begin, texts stay until the end; zero will do for all but redis.url and queue. */
struct weft_jobs {
    struct weft_op op;
    struct weft_redis redis; /* its settings, but on_up and on_down; and what it says of itself */
    const char *queue;       /* a name without '{' and '}' */
    uint64_t keep_ms;        /* a job is discarded when its producer was away for so long */
    size_t unread_max; /* bytes of a job's results that wait in Redis; then its workers wait */
    size_t window;     /* parts of a job in the line or under way; others follow as these end */
    size_t limit;      /* runs at a time */

    bool listening; /* read only: it is told of results at once; else it looks now and then */
    struct weft_jobs_stats stats; /* read only */
    struct weft_jobs_engine *engine_;
};

/* Open it: runs may begin when this returns, also before there is a connection. It ends when it is told to
 * (a close, a cancel). Runs under way end then, with UV_ECANCELED or the cancel's reason, and are cancelled
 * everywhere: it waits for Redis to be told, not longer than redis.command_ms.
 * That Redis is not there does not end it; see redis.status and redis.why.
 * UV_EINVAL, UV_ENAMETOOLONG: the url, the queue's name, or a limit, with redis.why; UV_ENOMEM. */
#define weft_jobs(parent, jobs, then)                                                              \
    weft_jobs_at(WEFT_HERE("jobs", WEFT_QUEUE | WEFT_HANDLE), parent, jobs, then)
WEFT_API void weft_jobs_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_jobs *jobs, weft_then_fn *then);
WEFT_API void weft_jobs_begin(struct weft_op *op);
/* End it with 0. No effect on one that is not open. */
WEFT_API void weft_jobs_close(struct weft_jobs *jobs);

/* One job. Set jobs and parts, and payloads or payload, and what else you need; zero the rest.
 *
 * The status is 0 when all parts have ended well and all of their results were delivered. Otherwise it is
 * decided by the first thing that goes wrong: the job is cancelled then, everywhere, and part and why say
 * more:
 *   the error that a task has ended with, and its text
 *   WEFT_EPOISON    a part's workers have died or vanished, as often as deliveries allows (or its payload is
 *                   too large for them): it is among the dead letters
 *   WEFT_EDAMAGED   results are missing: somebody has removed them
 *   UV_ENOENT       the job is not in Redis any more: the producer was away for longer than keep_ms, or
 *                   somebody has removed it
 *   what payload has returned
 *   WEFT_ESTATUS    Redis refuses, with its own words in why; UV_EFBIG: a result is larger than
 *                   redis.reply_max
 *   UV_EINVAL       jobs is not open, parts is 0 or above WEFT_JOBS_PARTS_MAX, or there are no payloads
 *   UV_E2BIG        a payload is larger than WEFT_JOBS_PAYLOAD_MAX
 *   UV_ENOBUFS      limit runs are under way
 *   UV_ENOMEM
 * While Redis is away it waits; a deadline limits that. A cancel is answered at once. It reaches workers that
 * listen within a round trip, all others with their next sign of life.
 *
 * Callbacks may begin, cancel and resume runs, this one too, and close jobs. */
struct weft_jobs_run {
    struct weft_op op;
    struct weft_jobs *jobs;
    size_t parts;
    const struct weft_text *payloads; /* one for each part, until the end; or NULL, and: */
    /* Says what part, from 0, is to do; the text is copied. Called once for each part, in order, a few (window)
     * ahead of those that have ended. A negative status ends the run. */
    int (*payload)(struct weft_jobs_run *run, size_t part, struct weft_text *payload);
    /* A chunk of a part's result. Those of one part come in order, those of several in any. data is there
     * until it returns. false: no more until weft_jobs_resume; nothing is read from Redis meanwhile, and when
     * unread_max bytes wait there the workers pause. NULL: results are dropped. */
    bool (*on_result)(struct weft_jobs_run *run, size_t part, struct weft_text data);
    /* A part has ended well. May be NULL. */
    void (*on_part)(struct weft_jobs_run *run, size_t part);

    char id[WEFT_JOBS_ID + 1]; /* read only: the job's name in Redis */
    size_t ended;              /* read only: parts that have ended well */
    uint64_t chunks, bytes;    /* read only: delivered */
    size_t part;               /* read only: which one went wrong; WEFT_NONE: none */
    char why[WEFT_REDIS_WHY];  /* read only: in words */
    struct weft_jobs_course *course_;
};
#define weft_jobs_run(parent, run, then)                                                           \
    weft_jobs_run_at(WEFT_HERE("jobs_run", WEFT_QUEUE | WEFT_HANDLE), parent, run, then)
WEFT_API void weft_jobs_run_at(const struct weft_site *site, struct weft_op *parent,
                               struct weft_jobs_run *run, weft_then_fn *then);
WEFT_API void weft_jobs_run_begin(struct weft_op *op);
/* Deliver again after on_result has said false. No effect on one that is not paused, or not under way.
 * on_result is not called from inside it. */
WEFT_API void weft_jobs_resume(struct weft_jobs_run *run);

/* ---- the worker ----------------------------------------------------------------------------- */

struct weft_jobs_crew; /* the library's */
struct weft_jobs_slot; /* the library's */

struct weft_jobs_worker_stats {
    uint64_t taken;    /* parts that were begun */
    uint64_t claimed;  /* of them, those of workers that are gone */
    uint64_t finished; /* ends that were recorded, good or bad */
    uint64_t returned; /* parts that were given back */
    uint64_t lost; /* tasks that were cancelled: their job is over, or the part somebody else's */
    uint64_t dead; /* parts that this worker has put among the dead letters */
    uint64_t garbage;   /* entries and messages that made no sense */
    uint64_t discarded; /* jobs whose producer has vanished */
};

/* Set before the begin, texts stay until the end; zero will do for all but redis.url, queue and begin. */
struct weft_jobs_worker {
    struct weft_op op;
    struct weft_redis redis; /* as in weft_jobs */
    const char *queue;
    unsigned concurrency; /* tasks at a time; 0: one */
    /* How long a part is a worker's without a sign of life, of which it gives three in that time. The same for
     * all workers of a queue. */
    uint64_t lease_ms;
    /* So many leases of a part may run out; then it is poison. A worker that dies takes all of its tasks with
     * it, and for each of them that is one. */
    unsigned deliveries;
    weft_begin_fn *begin; /* the begin of task->op */
    size_t task_size;     /* WEFT_JOBS_TASK of the struct around it; 0: there is none */

    bool listening; /* read only: it hears of cancelled jobs at once */
    bool ready;     /* read only: parts can be taken */
    size_t running; /* read only: tasks under way, and those whose end is being recorded */
    char id[17];    /* read only: its name in the group */
    struct weft_jobs_worker_stats stats; /* read only, not reset by the begin */
    struct weft_jobs_crew *crew_;
};

/* Open it: it takes parts until it is ended. It has three connections: one for commands, one that waits for
 * parts, one that listens. That Redis is not there does not end it.
 *   weft_jobs_worker_close   takes no more parts; tasks under way end as ever, their ends are recorded, and
 *                            then it ends with 0. Without Redis that may take until it is back.
 *   weft_cancel              cancels the tasks and gives their parts back, so that others take them at once;
 *                            for that it waits for Redis, once the tasks are over, not longer than
 *                            redis.command_ms. Also during a close.
 * UV_EINVAL, UV_ENAMETOOLONG: the url, the queue's name, no begin, or a limit, with redis.why; UV_ENOMEM. */
#define weft_jobs_worker(parent, worker, then)                                                     \
    weft_jobs_worker_at(WEFT_HERE("jobs_worker", WEFT_QUEUE | WEFT_HANDLE), parent, worker, then)
WEFT_API void weft_jobs_worker_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_jobs_worker *worker, weft_then_fn *then);
WEFT_API void weft_jobs_worker_begin(struct weft_op *op);
/* No effect on one that is not open. */
WEFT_API void weft_jobs_worker_close(struct weft_jobs_worker *worker);

/* A part that is being worked on. To have more for each, embed it as the first member of a struct of your own
 * and set task_size to WEFT_JOBS_TASK of that: it is zeroed for each. It is the library's, under the worker's
 * op, and gone when it has ended.
 *
 * op ends with 0 if the part is done, and that is recorded; or with an error, which is recorded with the text
 * in why, and fails the job: a part that may be tried again is tried again by its task. Only a worker that
 * dies, hangs or is cut off gives the part to another one. A task that ends with 0 although Redis has refused
 * a chunk of it, or nobody knows, has failed with the status of that emit.
 * When its job is cancelled, or its lease was lost and somebody else has the part, op is cancelled with
 * UV_ECANCELED, and how it ends is of no interest any more.
 *
 * Signs of life come from the loop: a task that computes for long does it in steps or on another thread. */
struct weft_jobs_task {
    struct weft_op op;
    struct weft_jobs_worker *worker;
    struct weft_text payload;    /* with a NUL behind, until the end */
    struct weft_text checkpoint; /* of the last chunk of an attempt before; "" if there is none */
    uint64_t chunks;             /* how many are recorded: of attempts before, and of this one */
    uint64_t attempt;            /* from 1 */
    size_t part;
    char job[WEFT_JOBS_ID + 1];
    char why[WEFT_REDIS_WHY]; /* yours: for an error */
    struct weft_jobs_slot *slot_;
};

/* The task_size for a struct with this member of type struct weft_jobs_task: its size, and the compiler
 * checks that the member is the first one. */
#ifdef __cplusplus
#define WEFT_JOBS_TASK(type, member)                                                               \
    (1 ? sizeof(type) : sizeof(char[offsetof(type, member) == 0 ? 1 : -1]))
#else
#define WEFT_JOBS_TASK(type, member)                                                               \
    (1 ? sizeof(type) : sizeof(struct {                                                            \
        _Static_assert(offsetof(type, member) == 0, "the task is not the first member");           \
        _Static_assert(_Generic(((type *)0)->member, struct weft_jobs_task : 1, default : 0),      \
                       "the member is no struct weft_jobs_task");                                  \
        char one_;                                                                                 \
    }))
#endif

/* Record a chunk of a task's result, and the checkpoint from which the next attempt would go on. Both are
 * borrowed until the end; a checkpoint may be empty. Begin it under the task's op, or below that.
 * It is over when Redis has it: that takes as long as unread_max bytes of this job wait for the producer, and
 * as long as Redis is away.
 * A cancel is answered when Redis has answered what was sent, or has not in time; it may lose. An emit that
 * was cancelled and ends with an error is not recorded, except if no answer came: then nobody knows, and all
 * further emits of the task end in the same way.
 *   UV_ECANCELED   the part is not this task's any more; its op is being cancelled
 *   UV_EBUSY       another emit of the task is under way
 *   UV_E2BIG       data is larger than WEFT_JOBS_CHUNK_MAX, or checkpoint than WEFT_JOBS_CHECKPOINT_MAX
 *   UV_EINVAL      there is no task, or it has ended
 *   WEFT_ESTATUS   Redis refuses; the task's why has its words */
struct weft_jobs_emit {
    struct weft_op op;
    struct weft_jobs_task *task;
    struct weft_text data, checkpoint;
};
#define weft_jobs_emit(parent, emit, task, data, checkpoint, then)                                 \
    weft_jobs_emit_at(WEFT_HERE("jobs_emit", WEFT_QUEUE), parent, emit, task, data, checkpoint,    \
                      then)
WEFT_API void weft_jobs_emit_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_jobs_emit *emit, struct weft_jobs_task *task,
                                struct weft_text data, struct weft_text checkpoint,
                                weft_then_fn *then);
WEFT_API void weft_jobs_emit_begin(struct weft_op *op);

/* ---- dead letters --------------------------------------------------------------------------- */

/* An entry of the stream "{queue}:dead", to be looked at with XRANGE, has the fields
 *     reason     "lost": its workers have died or vanished; "too large": for a worker; "malformed": an
 *                entry that is none of ours
 *     job, part, attempts, payload
 * and of a malformed one only reason and payload: its fields one after the other, 1 KB at most. */

#ifdef __cplusplus
}
#endif
#endif
