/* Reflect: a task whose failure is a result.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct weft_reflect reflect;
static struct job task;

static void up(void)
{
    model_up(&w);
    memset(&reflect, 0, sizeof reflect);
    reflect.outcome = 77; /* garbage of an earlier life */
    task = (struct job){0};
}

static void run(void)
{
    weft_reflect(weft_root(&w.loop), &reflect, &task.op, job_begin, noted);
}

static void down(void)
{
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

TEST(a_success_stays_one)
{
    up();
    task.ms = 5;
    run();
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, 0);
}

TEST(a_failure_becomes_an_outcome)
{
    up();
    task = (struct job){.ms = 5, .status = UV_EIO};
    run();
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, UV_EIO);
}

TEST(a_synchronous_failure_becomes_an_outcome)
{
    up();
    task.status = UV_EIO;
    run();
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, UV_EIO);
}

TEST(without_a_task_or_a_begin_it_is_invalid)
{
    up();
    weft_reflect(weft_root(&w.loop), &reflect, NULL, job_begin, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
    up();
    weft_reflect(weft_root(&w.loop), &reflect, &task.op, NULL, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(task.begun, 0);
}

TEST(a_cancel_midway_is_still_a_cancel)
{
    up();
    task = (struct job){.ms = 100, .linger_ms = 4};
    run();
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&reflect.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 3);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(reflect.outcome, UV_ETIMEDOUT);
}

TEST(a_cancel_while_an_outcome_is_ready_is_still_a_cancel)
{
    up();
    task.status = UV_EIO;
    run();
    weft_cancel(&reflect.op, UV_ETIMEDOUT);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(reflect.outcome, UV_EIO);
}

TEST(a_cancel_of_the_task_alone_is_an_outcome)
{
    up();
    task.ms = 10;
    run();
    weft_cancel(&task.op, UV_ECANCELED);
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, UV_ECANCELED);
}

TEST(under_a_cancelled_parent_the_task_does_not_begin)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_reflect(&parent, &reflect, &task.op, job_begin, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(task.begun, 0);
    assert_int_equal(reflect.op.status, UV_EACCES);
}

TEST(it_may_be_ended_early_and_well)
{
    up();
    task.ms = 10;
    run();
    weft_end(&reflect.op, 0);
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, UV_ECANCELED);
}

TEST(around_a_timeout_the_time_out_is_an_outcome)
{
    up();
    static struct weft_timeout timeout;
    memset(&timeout, 0, sizeof timeout);
    task.ms = 100;
    timeout.task = &task.op;
    timeout.begin = job_begin;
    timeout.ms = 10;
    weft_reflect(weft_root(&w.loop), &reflect, &timeout.op, weft_timeout_begin, noted);
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(reflect.outcome, UV_ETIMEDOUT);
}

TEST(in_a_retry_nothing_is_left_to_try_again)
{
    up();
    static struct weft_retry retry;
    memset(&retry, 0, sizeof retry);
    task.status = UV_EIO;
    reflect.task = &task.op;
    reflect.begin = job_begin;
    weft_retry(weft_root(&w.loop), &retry, &reflect.op, weft_reflect_begin, 5, 1, noted);
    down();
    assert_int_equal(retry.tries, 1);
    assert_int_equal(reflect.outcome, UV_EIO);
    assert_int_equal(seen.status, 0);
}

static struct job below[4];
static int outcomes[4];

static bool next_reflected(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    if (index == 4)
        return false;
    struct weft_reflect *item = weft_owner(slot, struct weft_reflect, op);
    below[index] = (struct job){.ms = 4 - index, .status = index % 2 ? UV_EIO : 0};
    item->task = &below[index].op;
    item->begin = job_begin;
    return true;
}

static void keep_outcome(struct weft_op *slot)
{
    outcomes[weft_index(slot)] = weft_owner(slot, struct weft_reflect, op)->outcome;
}

TEST(in_a_map_all_outcomes_are_collected)
{
    up();
    static struct weft_each each;
    static struct weft_reflect slots[4];
    memset(&each, 0, sizeof each);
    memset(slots, 0, sizeof slots);
    weft_map(weft_root(&w.loop), &each, weft_slots(&slots[0].op, sizeof slots[0], 4),
             next_reflected, weft_reflect_begin, keep_outcome, noted);
    down();
    assert_int_equal(seen.status, 0);
    static const int expected[] = {0, UV_EIO, 0, UV_EIO};
    assert_memory_equal(outcomes, expected, sizeof expected);
}

TEST(the_sites_name_the_users_line_and_begin)
{
    up();
    int line = __LINE__ + 1;
    weft_reflect(weft_root(&w.loop), &reflect, &task.op, job_begin, noted);
    assert_string_equal(reflect.op.site_->type, "reflect");
    assert_int_equal(reflect.op.site_->line, line);
    assert_int_equal(reflect.op.site_->group, WEFT_FLOW);
    assert_string_equal(task.op.site_->type, "job_begin");
    assert_int_equal(task.op.site_->line, line);
    down();
}

TEST(it_can_be_begun_again)
{
    up();
    task.status = UV_EIO;
    run();
    world_run(&w);
    assert_int_equal(reflect.outcome, UV_EIO);
    task.status = 0;
    run();
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(reflect.outcome, 0);
}

struct mirror {
    struct weft_reflect reflect;
    struct job task;
};

static void good(void *storage)
{
    struct mirror *mirror = storage;
    mirror->reflect.task = &mirror->task.op;
    mirror->reflect.begin = job_begin;
    mirror->task.ms = 2;
    mirror->task.status = UV_EIO;
}

static void verify(void *storage)
{
    assert_int_equal(((struct mirror *)storage)->reflect.outcome, UV_EIO);
}

TEST(a_reflect_conforms)
{
    static const struct weft_provider provider = {
        .name = "reflect",
        WEFT_PROVIDER_OP(struct mirror, reflect.op),
        .begin = weft_reflect_begin,
        .good = good,
        .nothing_status = UV_EINVAL,
        .verify = verify,
    };
    provider_check(&provider);
}
