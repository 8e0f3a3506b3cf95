/* Ensure async: the task begins on a later turn of the loop.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct weft_ensure_async ensure;
static struct job task;

static void up(void)
{
    model_up(&w);
    memset(&ensure, 0, sizeof ensure);
    task = (struct job){0};
}

static void run(void)
{
    weft_ensure_async(weft_root(&w.loop), &ensure, &task.op, job_begin, noted);
    assert_int_equal(task.begun, 0);
}

static void down(void)
{
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

TEST(the_task_does_not_begin_at_once)
{
    up();
    run();
    down();
    assert_int_equal(task.begun, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_task_that_takes_its_time_is_awaited)
{
    up();
    task.ms = 5;
    run();
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 5);
}

TEST(the_status_is_the_tasks)
{
    up();
    task.status = UV_EIO;
    run();
    down();
    assert_int_equal(seen.status, UV_EIO);
}

/* What is ready when it is begun comes before the task, and so does what that makes ready. */
static struct weft_op ticks[3];

static void third(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    leave("third");
    assert_int_equal(task.begun, 0);
}

static void second(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    leave("second");
    weft_tick(parent, &ticks[2], third);
}

static void first(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    leave("first");
    weft_tick(parent, &ticks[1], second);
}

TEST(everything_that_is_ready_now_comes_before_it)
{
    up();
    memset(ticks, 0, sizeof ticks);
    run();
    weft_tick(weft_root(&w.loop), &ticks[0], first);
    down();
    assert_string_equal(trail, "first second third ");
    assert_int_equal(task.begun, 1);
}

TEST(without_a_task_or_a_begin_it_is_invalid)
{
    up();
    weft_ensure_async(weft_root(&w.loop), &ensure, NULL, job_begin, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
    up();
    weft_ensure_async(weft_root(&w.loop), &ensure, &task.op, NULL, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_cancel_before_its_turn_begins_no_task)
{
    up();
    run();
    weft_cancel(&ensure.op, UV_ETIMEDOUT);
    down();
    assert_int_equal(task.begun, 0);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_cancel_when_the_turn_has_come_begins_no_task)
{
    up();
    run();
    assert_true(weft_sim_step(&w.sim)); /* the turn is ready, and has not reported */
    weft_cancel(&ensure.op, UV_ETIMEDOUT);
    down();
    assert_int_equal(task.begun, 0);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_cancel_midway_stops_the_task)
{
    up();
    task = (struct job){.ms = 100, .linger_ms = 4};
    run();
    weft_sim_advance(&w.sim, 10);
    assert_int_equal(task.begun, 1);
    weft_cancel(&ensure.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 3);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(task.cancelled, 1);
}

TEST(an_early_exit_before_its_turn_begins_no_task)
{
    up();
    run();
    weft_end(&ensure.op, 0);
    down();
    assert_int_equal(task.begun, 0);
    assert_int_equal(seen.status, 0);
}

TEST(under_a_cancelled_parent_nothing_begins)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_ensure_async(&parent, &ensure, &task.op, job_begin, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(task.begun, 0);
    assert_int_equal(ensure.op.status, UV_EACCES);
}

TEST(a_deadline_ends_it)
{
    up();
    static struct weft_deadline deadline;
    task.ms = 100;
    run();
    weft_deadline(&ensure.op, &deadline, 10);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 10);
}

TEST(the_sites_name_the_users_line_and_begin)
{
    up();
    int line = __LINE__ + 1;
    weft_ensure_async(weft_root(&w.loop), &ensure, &task.op, job_begin, noted);
    assert_string_equal(ensure.op.site_->type, "ensure_async");
    assert_int_equal(ensure.op.site_->line, line);
    down();
    assert_string_equal(task.op.site_->type, "job_begin");
    assert_int_equal(task.op.site_->line, line);
}

TEST(in_a_retry_each_attempt_waits_for_its_turn)
{
    up();
    static struct weft_retry retry;
    memset(&retry, 0, sizeof retry);
    task.status = UV_EIO;
    ensure.task = &task.op;
    ensure.begin = job_begin;
    weft_retry(weft_root(&w.loop), &retry, &ensure.op, weft_ensure_async_begin, 3, 1, noted);
    assert_int_equal(task.begun, 0);
    down();
    assert_int_equal(task.begun, 3);
    assert_int_equal(seen.status, UV_EIO);
}

/* ---- on the real loop ----------------------------------------------------------------------- */

static uv_check_t polls;
static unsigned polled;

static void count_poll(uv_check_t *check)
{
    (void)check;
    polled++;
}

static void begin_after_a_poll(struct weft_op *op)
{
    leave("%s", polled > 0 ? "later" : "too early");
    weft_finish(op, 0);
}

TEST(io_has_been_looked_at_before_the_task_begins)
{
    world_up(&w);
    memset(&ensure, 0, sizeof ensure);
    task = (struct job){0};
    trail[0] = '\0';
    polled = 0;
    uv_check_init(&w.uv, &polls); /* the latest to be started is called first */
    uv_check_start(&polls, count_poll);
    uv_unref((uv_handle_t *)&polls);
    weft_ensure_async(weft_root(&w.loop), &ensure, &task.op, begin_after_a_poll, noted);
    world_run(&w);
    uv_close((uv_handle_t *)&polls, NULL);
    world_down(&w);
    assert_string_equal(trail, "later ");
    assert_int_equal(seen.status, 0);
}

struct patient {
    struct weft_ensure_async ensure;
    struct job task;
};

static void good(void *storage)
{
    struct patient *patient = storage;
    patient->ensure.task = &patient->task.op;
    patient->ensure.begin = job_begin;
    patient->task.ms = 2;
    patient->task.status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct patient *)storage)->task.status = UV_EIO;
}

TEST(an_ensure_async_conforms)
{
    static const struct weft_provider provider = {
        .name = "ensure_async",
        WEFT_PROVIDER_OP(struct patient, ensure.op),
        .begin = weft_ensure_async_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EIO,
        .nothing_status = UV_EINVAL,
    };
    provider_check(&provider);
}
