/* weft subsetsum worker: searches for others.
 *
 * Started by a pool (way_procs.c) it has a channel, and serves what comes by it. With --redis it takes
 * parts from the line there, as many at a time as it has threads: a part is searched on a thread, and
 * each bunch of lines is recorded before the next one is sent, together with how many matches are
 * recorded now. Who takes the part over goes on behind these.
 *
 *     part ──► thread: search ── bunch ──► loop: emit ── recorded ──► the thread goes on */
#include "serving/redis.h"
#include "subsetsum/finding.h"
#include "subsetsum/subsetsum.h"
#include "units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/worker.h>

/* ---- of a pool ------------------------------------------------------------------------------ */

static void serve(struct weft_worker_job *job, void *context)
{
    (void)context;
    static struct scribe scribe;
    static char text[SCRIBE_TEXT];
    struct errand errand;
    char why[SUBSET_WHY];
    int err = errand_read(&errand, weft_text(job->data, job->size), why);
    if (err == 0) {
        err = scribe_open(&scribe, &errand.problem, errand.part, errand.parts, 0);
        snprintf(why, sizeof why, "%s", weft_strerror(err));
    }
    if (err != 0) {
        weft_worker_fail(job, why);
        return;
    }
    while (!scribe_done(&scribe) && !weft_worker_stopped(job)) {
        size_t size = scribe_write(&scribe, text, sizeof text, FINDING_SLICE);
        if (size > 0 && !weft_worker_emit(job, FINDING_LINES, text, size))
            break;
    }
    scribe_close(&scribe);
}

/* ---- of a line in Redis --------------------------------------------------------------------- */

struct crew {
    struct weft_op op;
    struct weft_threads threads;
    struct weft_jobs_worker worker;
    struct weft_interruptible interruptible;
    struct redis_watch watch;
    bool quiet;
};

/* What the thread sends: how many matches there are when these lines are recorded. */
struct bunch {
    uint64_t written;
    char text[SCRIBE_TEXT];
};

struct task {
    struct weft_jobs_task task;
    struct weft_thread_job job;
    struct weft_jobs_emit emit;
    struct errand errand;
    struct scribe scribe;
    uint64_t skipped;
    struct bunch bunch;     /* the thread's */
    struct bunch under_way; /* the loop's: what is being recorded */
    char checkpoint[24];
};

static struct task *task_of(struct weft_op *op)
{
    return weft_owner(op, struct task, task.op);
}

/* On the thread. */
static int search(struct weft_thread_job *job)
{
    struct task *task = weft_owner(job, struct task, job);
    struct scribe *scribe = &task->scribe;
    struct bunch *bunch = &task->bunch;
    const struct errand *errand = &task->errand;
    int err = scribe_open(scribe, &errand->problem, errand->part, errand->parts, task->skipped);
    while (err == 0 && !scribe_done(scribe)) {
        size_t size = scribe_write(scribe, bunch->text, sizeof bunch->text, FINDING_SLICE);
        bunch->written = scribe->written;
        if (size > 0)
            err = weft_thread_send(job, bunch, offsetof(struct bunch, text) + size);
        else if (weft_thread_stopped(job))
            err = UV_ECANCELED;
    }
    scribe_close(scribe);
    return err;
}

static void emitted(struct weft_op *op, struct weft_op *emit)
{
    struct task *task = task_of(op);
    if (emit->status == 0)
        weft_thread_resume(&task->job);
    else
        weft_end(op, emit->status);
}

static bool found(struct weft_thread_job *job, struct weft_text sent)
{
    struct task *task = weft_owner(job, struct task, job);
    struct bunch *bunch = &task->under_way;
    memcpy(bunch, sent.data, sent.size);
    int size = snprintf(task->checkpoint, sizeof task->checkpoint, "%" PRIu64, bunch->written);
    weft_jobs_emit(&task->task.op, &task->emit, &task->task,
                   weft_text(bunch->text, sent.size - offsetof(struct bunch, text)),
                   weft_text(task->checkpoint, (size_t)size), emitted);
    return false;
}

/* An attempt before this one, of a worker like this one, has written it; or a stranger. */
static bool read_checkpoint(struct weft_text text, uint64_t *skipped)
{
    *skipped = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned char)text.data[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(*skipped, 10, skipped) ||
            __builtin_add_overflow(*skipped, digit, skipped))
            return false;
    }
    return true;
}

static void task_begin(struct weft_op *op)
{
    struct task *task = task_of(op);
    struct crew *crew = weft_owner(task->task.worker, struct crew, worker);
    char why[SUBSET_WHY] = "its checkpoint is none";
    int err = errand_read(&task->errand, task->task.payload, why);
    if (err == 0 && !read_checkpoint(task->task.checkpoint, &task->skipped))
        err = UV_EINVAL;
    if (err != 0) {
        snprintf(task->task.why, sizeof task->task.why, "%s", why);
        weft_finish(op, err);
        return;
    }
    task->job.on_result = found;
    task->job.rank = WEFT_RANK_NORMAL;
    weft_thread_job(op, &task->job, &crew->threads, search, weft_pass);
}

/* The pool of threads goes with the crew. */
static void worker_over(struct weft_op *op, struct weft_op *worker)
{
    weft_end(op, worker->status);
}

static void crew_begin(struct weft_op *op)
{
    struct crew *crew = weft_owner(op, struct crew, op);
    weft_threads_open(op, &crew->threads, NULL);
    weft_jobs_worker(op, &crew->worker, worker_over);
    if (!crew->quiet)
        redis_watch(op, &crew->watch, &crew->worker.redis, "there is no work");
}

/* ---- the command line ----------------------------------------------------------------------- */

static int work_for_redis(struct crew *crew)
{
    crew->worker.begin = task_begin;
    crew->worker.task_size = WEFT_JOBS_TASK(struct task, task);
    crew->threads.name = "subsetsum";
    crew->threads.max = crew->worker.concurrency;
    crew->threads.nice = FINDING_NICE;
    crew->interruptible.task = &crew->op;
    crew->interruptible.begin = crew_begin;
    int err = weft_go(&crew->interruptible.op, weft_interruptible_begin);
    if (crew->interruptible.caught != 0) /* its parts were given back */
        return EXIT_OK;
    complain("%s: %s", weft_strerror(err), crew->worker.redis.why);
    return EXIT_FAILED;
}

int subsetsum_check_line(const char *redis, const char *queue)
{
    char why[WEFT_REDIS_WHY];
    if (weft_redis_url_check(redis, why) != 0)
        return misused("subsetsum", "--redis: %s", why);
    if (queue != NULL && (strlen(queue) > WEFT_JOBS_QUEUE_MAX || strpbrk(queue, "{}") != NULL))
        return misused("subsetsum", "--queue is a name of up to %d bytes, without '{' and '}'",
                       WEFT_JOBS_QUEUE_MAX);
    return EXIT_OK;
}

int subsetsum_worker_run(int argc, char **argv)
{
    struct crew crew = {.worker = {.queue = FINDING_QUEUE}};
    uint64_t threads = uv_available_parallelism(), lease_ms = WEFT_JOBS_LEASE_MS;
    const struct option options[] = {
        {.name = "redis", .text = &crew.worker.redis.url},
        {.name = "queue", .text = &crew.worker.queue},
        {.name = "threads",
         .letter = 't',
         .number = &threads,
         .least = 1,
         .most = WEFT_JOBS_CONCURRENCY_MAX},
        {.name = "lease", .number = &lease_ms, .parse = units_duration, .example = "10s or 500ms"},
        {.name = "quiet", .letter = 'q', .flag = &crew.quiet},
        {.name = NULL},
    };
    int status = options_read("subsetsum", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("subsetsum", "worker takes options only, not '%s'", argv[1]);
    if (crew.worker.redis.url == NULL && getenv("WEFT_WORKER_FD") != NULL)
        return weft_worker_run(serve, NULL) == 0 ? EXIT_OK : EXIT_FAILED;
    if (crew.worker.redis.url == NULL)
        return misused("subsetsum", "worker needs --redis URL");
    status = subsetsum_check_line(crew.worker.redis.url, crew.worker.queue);
    if (status != EXIT_OK)
        return status;
    if (lease_ms < WEFT_JOBS_TIME_MIN_MS)
        return misused("subsetsum", "--lease is %d ms at least", WEFT_JOBS_TIME_MIN_MS);
    crew.worker.lease_ms = lease_ms;
    crew.worker.concurrency = (unsigned)threads;
    return work_for_redis(&crew);
}
