/* Producer, run, worker and emit through the conformance suite, and all of them without memory.
 * ctest: labels=valgrind-long timeout=300 */
#include "fake_redis.h"
#include "fault.h"
#include "provider.h"
#include <weft/jobs.h>

#define JOB "0123456789abcdef0123456789abcdef"

/* Of Redis there is as much as is needed: every job has one part that ends with one chunk; who asks for parts gets
 * one, and then nothing. */
static struct bed {
    struct fake fake;
    struct weft_jobs jobs;
    struct weft_jobs_worker worker;
    struct weft_jobs_task *task;
    bool given, idle;        /* the part is; there is none */
    struct fake_peer *waits; /* for a part */
} bed;

static bool is_verb(const redisReply *command, const char *verb)
{
    return strcmp(command->element[4]->str, verb) == 0;
}

/* Who knows of no part gets it again. */
static void answer_join(struct fake_peer *peer, const redisReply *command)
{
    if (command->elements == 6)
        bed.given = bed.idle;
    fake_line(peer, "*2\r\n$2\r\nok\r\n:0\r\n");
}

static void answer_call(struct fake_peer *peer, const redisReply *command)
{
    if (is_verb(command, "fetch"))
        fake_line(peer,
                  strcmp(command->element[6]->str, "0-0") == 0
                      ? "*4\r\n$2\r\nok\r\n:0\r\n"
                        "*2\r\n$3\r\n1-1\r\n*8\r\n$4\r\npart\r\n$1\r\n0\r\n$5\r\nchunk\r\n$1\r\n0"
                        "\r\n$5\r\ntotal\r\n$2\r\n69\r\n$4\r\ndata\r\n$5\r\nhello\r\n"
                        "*2\r\n$3\r\n1-2\r\n*10\r\n$4\r\npart\r\n$1\r\n0\r\n$5\r\nchunk\r\n$1\r\n1"
                        "\r\n$5\r\ntotal\r\n$3\r\n133\r\n$6\r\nstatus\r\n$1\r\n0\r\n$3\r\nwhy\r\n"
                        "$0\r\n\r\n"
                      : "*2\r\n$2\r\nok\r\n:1\r\n");
    else if (is_verb(command, "sweep"))
        fake_line(peer, "*2\r\n$2\r\nok\r\n:0\r\n");
    else if (is_verb(command, "join"))
        answer_join(peer, command);
    else if (is_verb(command, "take"))
        fake_line(peer, "*8\r\n$4\r\ntask\r\n$3\r\n1-1\r\n$32\r\n" JOB
                        "\r\n$1\r\n0\r\n$1\r\n1\r\n$1\r\n0\r\n$0\r\n\r\n$4\r\nwork\r\n");
    else if (is_verb(command, "claim"))
        fake_line(peer, "*3\r\n$4\r\nnone\r\n:0\r\n:0\r\n");
    else
        fake_line(peer, "$2\r\nok\r\n");
}

static void give_part(struct fake_peer *peer)
{
    if (bed.given) {
        bed.waits = peer;
        return;
    }
    bed.given = true;
    fake_line(peer,
              "*1\r\n*2\r\n$9\r\n{p}:parts\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\n"
              "b\r\n");
}

static void call_back(void)
{
    if (bed.waits != NULL && weft_stream_connected(&bed.waits->stream))
        fake_line(bed.waits, "*-1\r\n");
    bed.waits = NULL;
}

static void answer(struct fake_peer *peer, const redisReply *command)
{
    if (fake_asked(command, "EVAL") || fake_asked(command, "EVALSHA")) {
        answer_call(peer, command);
    } else if (fake_asked(command, "XREADGROUP")) {
        give_part(peer);
    } else if (fake_asked(command, "CLIENT")) {
        fake_line(peer, ":7\r\n");
        if (strcmp(command->element[1]->str, "UNBLOCK") == 0)
            call_back();
    } else {
        fake_good(peer, command);
    }
}

static void work(struct weft_op *op)
{
    bed.task = weft_owner(op, struct weft_jobs_task, op);
    weft_on_cancel(op, weft_finish);
}

static void fill(struct weft_redis *redis)
{
    redis->url = bed.fake.url;
    redis->backoff_ms = redis->backoff_max_ms = 1;
    redis->command_ms = 500;
}

static void fill_jobs(struct weft_jobs *jobs)
{
    fill(&jobs->redis);
    jobs->queue = "p";
}

static void fill_worker(struct weft_jobs_worker *worker)
{
    fill(&worker->redis);
    worker->queue = "p";
    worker->begin = work;
}

static void up_fake(struct weft_loop *loop)
{
    memset(&bed, 0, sizeof bed);
    fake_up(loop, &bed.fake, answer);
}

/* The fake ends behind whoever has something to tell it. */
static void closed(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    fake_down(&bed.fake);
}

static void up_jobs(struct weft_loop *loop)
{
    up_fake(loop);
    fill_jobs(&bed.jobs);
    weft_jobs(weft_root(loop), &bed.jobs, closed);
}

static void up_task(struct weft_loop *loop)
{
    up_fake(loop);
    fill_worker(&bed.worker);
    weft_jobs_worker(weft_root(loop), &bed.worker, closed);
    while (bed.task == NULL) {
        if (loop->sim_ != NULL)
            weft_sim_step(loop->sim_);
        else
            uv_run(loop->uv, UV_RUN_ONCE);
    }
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    if (bed.jobs.engine_ != NULL)
        weft_jobs_close(&bed.jobs);
    else if (bed.worker.crew_ != NULL)
        weft_cancel(&bed.worker.op, UV_ECANCELED);
    else
        fake_down(&bed.fake);
}

/* ---- the producer --------------------------------------------------------------------------- */

static void good_jobs(void *storage)
{
    fill_jobs(storage);
}

static void bad_jobs(void *storage)
{
    fill_jobs(storage);
    ((struct weft_jobs *)storage)->redis.url = "redis://";
}

static void close_jobs(void *storage)
{
    weft_jobs_close(storage);
}

static const struct weft_provider a_producer = {
    .name = "jobs",
    WEFT_PROVIDER_OP(struct weft_jobs, op),
    .begin = weft_jobs_begin,
    .up = up_fake,
    .down = down,
    .good = good_jobs,
    .bad = bad_jobs,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = close_jobs,
    .flags = WEFT_PROVIDER_HANDLE | WEFT_PROVIDER_AWAITS, /* its end, for Redis to be told */
};

TEST(a_producer_conforms)
{
    provider_check(&a_producer);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static const struct weft_text payloads[] = {WEFT_REDIS_ARG("work")};

static void good_run(void *storage)
{
    struct weft_jobs_run *run = storage;
    run->jobs = &bed.jobs;
    run->parts = 1;
    run->payloads = payloads;
}

static void bad_run(void *storage)
{
    good_run(storage);
    ((struct weft_jobs_run *)storage)->parts = 0;
}

static void verify_run(void *storage)
{
    const struct weft_jobs_run *run = storage;
    assert_int_equal(run->ended, 1);
    assert_int_equal(run->chunks, 1);
    assert_int_equal(run->bytes, 5);
}

static const struct weft_provider a_run = {
    .name = "jobs_run",
    WEFT_PROVIDER_OP(struct weft_jobs_run, op),
    .begin = weft_jobs_run_begin,
    .up = up_jobs,
    .down = down,
    .good = good_run,
    .bad = bad_run,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .verify = verify_run,
    .flags = WEFT_PROVIDER_HANDLE,
};

TEST(a_run_conforms)
{
    provider_check(&a_run);
}

/* ---- the worker ----------------------------------------------------------------------------- */

static void good_worker(void *storage)
{
    bed.given = bed.idle = true;
    fill_worker(storage);
}

static void bad_worker(void *storage)
{
    fill_worker(storage);
    ((struct weft_jobs_worker *)storage)->redis.url = "redis://";
}

static void close_worker(void *storage)
{
    weft_jobs_worker_close(storage);
}

static const struct weft_provider a_worker = {
    .name = "jobs_worker",
    WEFT_PROVIDER_OP(struct weft_jobs_worker, op),
    .begin = weft_jobs_worker_begin,
    .up = up_fake,
    .down = down,
    .good = good_worker,
    .bad = bad_worker,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = close_worker,
    .flags = WEFT_PROVIDER_HANDLE | WEFT_PROVIDER_AWAITS, /* its end, for parts to be given back */
};

TEST(a_worker_conforms)
{
    provider_check(&a_worker);
}

/* ---- an emit -------------------------------------------------------------------------------- */

static void good_emit(void *storage)
{
    struct weft_jobs_emit *emit = storage;
    emit->task = bed.task;
    emit->data = weft_text_of("data");
    emit->checkpoint = weft_text_of("checkpoint");
}

static void bad_emit(void *storage)
{
    good_emit(storage);
    ((struct weft_jobs_emit *)storage)->data = weft_text("", WEFT_JOBS_CHUNK_MAX + 1);
}

static const struct weft_provider an_emit = {
    .name = "jobs_emit",
    WEFT_PROVIDER_OP(struct weft_jobs_emit, op),
    .begin = weft_jobs_emit_begin,
    .up = up_task,
    .down = down,
    .good = good_emit,
    .bad = bad_emit,
    .bad_status = UV_E2BIG,
    .nothing_status = UV_EINVAL,
    .flags = WEFT_PROVIDER_ALONE | WEFT_PROVIDER_AWAITS,
};

TEST(an_emit_conforms)
{
    provider_check(&an_emit);
}

/* ---- no memory ------------------------------------------------------------------------------ */

/* A run and a task with an emit, and then both sides are closed. */
static struct {
    struct weft_op op;
    struct weft_jobs_run run;
    struct weft_jobs_emit emit;
    int ran, emitted;
} life;

static void life_end(void)
{
    weft_jobs_close(&bed.jobs);
    weft_jobs_worker_close(&bed.worker);
    if (bed.jobs.op.state_ == OP_IDLE && bed.worker.op.state_ == OP_IDLE)
        fake_down(&bed.fake);
}

static void side_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    life_end();
}

static void emitted(struct weft_op *op, struct weft_op *emit)
{
    life.emitted = emit->status;
    weft_finish(op, emit->status);
    life_end();
}

static void emit_once(struct weft_op *op)
{
    struct weft_jobs_task *task = weft_owner(op, struct weft_jobs_task, op);
    weft_jobs_emit(op, &life.emit, task, weft_text_of("data"), weft_text_of("checkpoint"), emitted);
}

static void start_worker(struct weft_op *root, struct weft_op *op)
{
    life.ran = op->status;
    fill_worker(&bed.worker);
    bed.worker.begin = emit_once;
    weft_jobs_worker(root, &bed.worker, side_over);
    if (life.ran != 0)
        life_end();
}

static bool is_clear(int status)
{
    return status == 0 || status == UV_ENOMEM || status == UV_ECANCELED || status == UV_EINVAL;
}

static void start_all(struct weft_loop *loop)
{
    fill_jobs(&bed.jobs);
    weft_jobs(weft_root(loop), &bed.jobs, side_over);
    good_run(&life.run);
    weft_jobs_run(weft_root(loop), &life.run, start_worker);
}

static void run_life(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    memset(&life, 0, sizeof life);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        up_fake(&loop);
        start_all(&loop);
        assert_int_equal(weft_loop_run(&loop), 0);
        if (!is_clear(life.ran) || !is_clear(life.emitted))
            fail_msg("step %lu: %s, %s", n, weft_error_name(life.ran),
                     weft_error_name(life.emitted));
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(without_memory_there_is_a_clear_error_and_nothing_is_left)
{
    fault_ladder(run_life);
    assert_true(fault_ladder_height() > 20);
}
