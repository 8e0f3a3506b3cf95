/* Timeout: a task with so much time and no more.
 * ctest: labels=valgrind-long */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct weft_timeout timeout;
static struct job task;

static void up(void)
{
    model_up(&w);
    memset(&timeout, 0, sizeof timeout);
    task = (struct job){0};
}

static void run(uint64_t ms)
{
    weft_timeout(weft_root(&w.loop), &timeout, &task.op, job_begin, ms, noted);
}

TEST(a_task_in_time_keeps_its_own_status)
{
    up();
    task.ms = 5;
    run(10);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 5); /* the deadline was taken back */
}

TEST(a_task_that_fails_in_time_keeps_its_own_error)
{
    up();
    task = (struct job){.ms = 5, .status = UV_EIO};
    run(10);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_task_that_takes_too_long_is_cancelled)
{
    up();
    task.ms = 50;
    run(10);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(task.cancelled, 1);
    assert_int_equal(w.sim.now_, 10);
}

TEST(a_timeout_reports_once_the_task_has_let_go)
{
    up();
    task = (struct job){.ms = 50, .linger_ms = 7};
    run(10);
    weft_sim_advance(&w.sim, 16);
    assert_int_equal(task.cancelled, 1);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_synchronous_task_is_in_time)
{
    up();
    run(1);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_synchronous_failure_is_in_time)
{
    up();
    task.status = UV_EIO;
    run(1);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(no_time_at_all_is_enough_for_what_is_ready)
{
    up();
    run(0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(no_time_at_all_is_too_little_for_anything_else)
{
    up();
    task.ms = 1;
    run(0);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 0);
}

/* The deadline is armed before the task's own timer and comes first. */
TEST(when_both_are_due_at_once_the_deadline_that_was_armed_first_wins)
{
    up();
    task.ms = 10;
    run(10);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(task.cancelled, 1);
}

/* The task has finished by its timer, but has not reported when the deadline passes. */
TEST(when_the_task_was_first_in_the_same_millisecond_its_work_still_came_too_late)
{
    up();
    static struct weft_deadline second;
    task.ms = 10;
    run(100);
    weft_deadline(&timeout.op, &second, 10); /* armed after the task's timer, due with it */
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(task.op.status, 0);
    assert_int_equal(task.cancelled, 0);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_time_for_ever_never_passes)
{
    up();
    task.ms = 1000000;
    run(UINT64_MAX);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_timeout_without_a_task_is_invalid)
{
    up();
    weft_timeout(weft_root(&w.loop), &timeout, NULL, job_begin, 1, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_timeout_without_a_begin_is_invalid)
{
    up();
    weft_timeout(weft_root(&w.loop), &timeout, &task.op, NULL, 1, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_timeout_under_a_cancelled_parent_begins_nothing)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_timeout(&parent, &timeout, &task.op, job_begin, 10, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(task.begun, 0);
    assert_int_equal(timeout.op.status, UV_EACCES);
}

TEST(a_cancel_midway_stops_the_task_and_takes_the_deadline_back)
{
    up();
    task = (struct job){.ms = 50, .linger_ms = 1};
    run(100);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&timeout.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 11);
}

TEST(a_deadline_that_passes_while_a_cancelled_task_is_awaited_changes_nothing)
{
    up();
    task = (struct job){.ms = 50, .linger_ms = 20};
    run(15);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&timeout.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(task.cancelled, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 30);
}

TEST(a_timeout_cancelled_when_its_task_is_ready_reports_the_reason)
{
    up();
    run(10);
    weft_cancel(&timeout.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(task.op.status, 0);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_of_a_timeout_that_has_finished_has_no_effect)
{
    up();
    weft_timeout(weft_root(&w.loop), &timeout, NULL, NULL, 1, noted);
    weft_cancel(&timeout.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(the_site_of_a_task_with_a_timeout_names_the_users_line_and_begin)
{
    up();
    int line = __LINE__ + 1;
    weft_timeout(weft_root(&w.loop), &timeout, &task.op, job_begin, 10, noted);
    assert_string_equal(timeout.op.site_->type, "timeout");
    assert_int_equal(timeout.op.site_->line, line);
    assert_int_equal(timeout.op.site_->group, WEFT_FLOW);
    assert_string_equal(task.op.site_->type, "job_begin");
    assert_int_equal(task.op.site_->line, line);
    assert_string_equal(task.op.site_->file, __FILE__);
    world_down(&w);
}

TEST(a_timeout_can_be_begun_again)
{
    up();
    task.ms = 50;
    run(10);
    world_run(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    run(100);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, 0);
}

struct heap_timeout {
    struct weft_timeout timeout;
    struct job task;
};

static void free_timeout(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    free(weft_owner(op, struct heap_timeout, timeout.op));
}

TEST(a_timeout_is_the_callers_again_when_its_then_starts)
{
    for (uint64_t ms = 0; ms < 6; ms++) {
        up();
        struct heap_timeout *heap = calloc(1, sizeof *heap);
        heap->task = (struct job){.ms = 3, .linger_ms = 1};
        weft_timeout(weft_root(&w.loop), &heap->timeout, &heap->task.op, job_begin, ms,
                     free_timeout);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, ms > 3 ? 0 : UV_ETIMEDOUT);
    }
}
