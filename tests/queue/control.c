/* Control: limits, pause, remove, kill and stop.
 * ctest: labels=valgrind */
#include "tasks.h"
#include <limits.h>
#include <stdlib.h>

/* ---- limit ---------------------------------------------------------------------------------- */

TEST(a_limit_can_be_raised_while_tasks_run)
{
    up(1);
    all_take(10);
    push_some(0, 5);
    let_pass(1);
    assert_int_equal(weft_queue_limit(&queue, 3), 0);
    assert_int_equal(queue.limit, 3);
    assert_int_equal(queue.running, 1); /* begins nothing itself */
    let_pass(0);
    assert_int_equal(queue.running, 3);
    down();
    assert_int_equal(jobs.most, 3);
}

TEST(a_limit_can_be_lowered_while_tasks_run_and_stops_nothing)
{
    up(4);
    all_take(10);
    push_some(0, 9);
    let_pass(1);
    assert_int_equal(weft_queue_limit(&queue, 2), 0);
    let_pass(1);
    assert_int_equal(queue.running, 4);
    let_pass(8);
    assert_int_equal(queue.running, 2);
    jobs.most = 0;
    down();
    assert_int_equal(jobs.most, 2);
    assert_int_equal(jobs.cancelled, 0);
    assert_int_equal(jobs.reported, 10);
}

TEST(a_queue_needs_at_least_one_place)
{
    up(3);
    assert_int_equal(weft_queue_limit(&queue, 0), UV_EINVAL);
    assert_int_equal(queue.limit, 3);
    down();
}

TEST(the_greatest_limit_lets_everything_run)
{
    up(1);
    all_take(10);
    push_some(0, TASKS - 1);
    assert_int_equal(weft_queue_limit(&queue, UINT_MAX), 0);
    let_pass(0);
    assert_int_equal(queue.running, TASKS);
    down();
}

static void work_and_change_the_limit(struct weft_op *op)
{
    weft_queue_limit(&queue, 1);
    work(op);
}

TEST(a_limit_lowered_by_a_task_holds_at_once)
{
    up(5);
    all_take(3);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work_and_change_the_limit, job_over);
    push_some(1, 4);
    down();
    assert_int_equal(jobs.most, 1);
}

/* ---- pause and resume ----------------------------------------------------------------------- */

TEST(while_paused_nothing_begins_and_what_runs_goes_on)
{
    up(1);
    all_take(5);
    push_some(0, 2);
    let_pass(1);
    weft_queue_pause(&queue);
    weft_queue_pause(&queue);
    let_pass(100);
    assert_string_equal(trail, "0 ");
    assert_int_equal(tasks[0].reported, 1);
    weft_queue_resume(&queue);
    weft_queue_resume(&queue);
    assert_string_equal(trail, "0 "); /* not from inside the call */
    down();
    assert_string_equal(trail, "0 1 2 ");
}

TEST(a_paused_queue_takes_tasks_and_keeps_no_loop_alive)
{
    up(4);
    weft_queue_pause(&queue);
    push_some(0, 2);
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(queue.waiting, 3);
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "0 1 2 ");
}

TEST(a_resume_without_a_pause_does_nothing)
{
    up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    weft_queue_resume(&queue);
    world_run(&w);
    assert_string_equal(trail, "");
    push(0);
    down();
    assert_string_equal(trail, "0 empty ");
}

static void work_and_pause(struct weft_op *op)
{
    weft_queue_pause(&queue);
    work(op);
}

TEST(a_pause_from_within_a_task_holds_for_the_next_one)
{
    up(5);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work_and_pause, job_over);
    push_some(1, 2);
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_string_equal(trail, "0 ");
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "0 1 2 ");
}

TEST(a_lane_and_its_queue_are_paused_independently)
{
    up(5);
    weft_queue_pause(&queue);
    weft_lane_pause(&queue.main);
    push(0);
    weft_queue_resume(&queue);
    let_pass(1);
    assert_string_equal(trail, "");
    weft_queue_pause(&queue);
    weft_lane_resume(&queue.main);
    let_pass(1);
    assert_string_equal(trail, "");
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "0 ");
}

/* ---- remove --------------------------------------------------------------------------------- */

static bool is_odd(const struct weft_op *task, void *context)
{
    const struct job *job = weft_owner((struct weft_op *)(uintptr_t)task, struct job, op);
    ++*(int *)context;
    return job->id % 2 == 1;
}

static bool always(const struct weft_op *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static bool never(const struct weft_op *task, void *context)
{
    (void)task;
    (void)context;
    return false;
}

TEST(remove_cancels_the_waiting_tasks_that_match)
{
    up(1);
    struct weft_lane lane;
    assert_int_equal(weft_lane_init(&lane, &queue, 1, 0), 0);
    all_take(5);
    push(1);
    let_pass(1); /* 1 runs: it is odd, but does not wait */
    push_some(2, 9);
    for (int id = 10; id < 15; id++)
        push_to(&lane, id);
    int asked = 0;
    assert_int_equal(weft_queue_remove(&queue, is_odd, &asked), 4 + 2);
    assert_int_equal(asked, 8 + 5);
    assert_int_equal(queue.waiting, 4 + 3);
    assert_int_equal(lane.waiting, 3);
    assert_int_equal(jobs.reported, 0); /* not from inside the call */
    down();
    assert_string_equal(trail, "1 10 12 14 2 4 6 8 ");
    for (int id = 2; id < 15; id++)
        assert_int_equal(tasks[id].op.status, id % 2 == 1 ? UV_ECANCELED : 0);
    assert_int_equal(jobs.reported, 14);
}

TEST(remove_of_all_or_of_none)
{
    up(1);
    push_some(0, 5);
    assert_int_equal(weft_queue_remove(&queue, never, NULL), 0);
    assert_int_equal(weft_queue_remove(&queue, always, NULL), 6);
    assert_int_equal(weft_queue_remove(&queue, always, NULL), 0);
    down();
    assert_string_equal(trail, "");
    assert_int_equal(jobs.reported, 6);
}

static bool and_cancels_the_next(const struct weft_op *task, void *context)
{
    (void)context;
    int next = weft_owner((struct weft_op *)(uintptr_t)task, struct job, op)->id + 1;
    if (next < 6)
        weft_cancel(&tasks[next].op, UV_EIO);
    return true;
}

TEST(a_predicate_may_cancel_what_waits_behind)
{
    up(1);
    push_some(0, 5);
    assert_int_equal(weft_queue_remove(&queue, and_cancels_the_next, NULL), 3);
    down();
    for (int id = 0; id < 6; id++)
        assert_int_equal(tasks[id].op.status, id % 2 == 0 ? UV_ECANCELED : UV_EIO);
}

static void remove_without_predicate(void)
{
    up(1);
    weft_queue_remove(&queue, NULL, NULL);
}

static bool cancels_it_itself(const struct weft_op *task, void *context)
{
    (void)context;
    weft_cancel((struct weft_op *)(uintptr_t)task, UV_EIO);
    return true;
}

static void remove_what_cancels_itself(void)
{
    up(1);
    push_some(0, 5);
    weft_queue_remove(&queue, cancels_it_itself, NULL);
}

TEST(a_predicate_does_not_cancel_what_it_is_asked_about)
{
    dies(remove_what_cancels_itself, "rule 2", "weft_queue_remove");
}

TEST(remove_needs_a_predicate)
{
    dies(remove_without_predicate, "rule 4", "weft_queue_remove");
}

/* ---- kill ----------------------------------------------------------------------------------- */

static struct weft_op parents[3];
static struct job outsider;

/* Tasks under the root, under a parent, and under a parent of a parent. */
static void family_up(void)
{
    up(3);
    memset(parents, 0, sizeof parents);
    outsider = (struct job){.ms = 50};
    all_take(20);
    weft_run(weft_root(&w.loop), &parents[0], NULL, noted);
    weft_run(&parents[0], &parents[1], NULL, noted);
    weft_run(weft_root(&w.loop), &parents[2], NULL, noted); /* has no task at all */
    weft_run(&parents[1], &outsider.op, job_begin, job_over);
    struct weft_op *under[] = {weft_root(&w.loop), &parents[0], &parents[1]};
    for (int id = 0; id < 9; id++)
        weft_queue_push(&queue, under[id % 3], &tasks[id].op, work, job_over);
    for (int i = 2; i >= 0; i--)
        weft_join(&parents[i]);
}

TEST(kill_cancels_every_task_waiting_and_running_and_nothing_else)
{
    family_up();
    let_pass(1);
    assert_int_equal(queue.running, 3);
    weft_queue_kill(&queue, UV_ETIMEDOUT);
    assert_int_equal(queue.waiting, 0);
    down();
    assert_string_equal(trail, "0 1 2 ");
    for (int id = 0; id < 9; id++) {
        assert_int_equal(tasks[id].op.status, UV_ETIMEDOUT);
        assert_int_equal(tasks[id].reported, 1);
    }
    assert_int_equal(outsider.op.status, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(parents[i].status, 0); /* their tasks had a then that took it */
}

TEST(a_queue_can_be_used_on_after_a_kill)
{
    family_up();
    let_pass(1);
    weft_queue_kill(&queue, UV_ECANCELED);
    tasks[20].ms = 1;
    push(20);
    down();
    assert_int_equal(tasks[20].op.status, 0);
}

TEST(kill_awaits_what_takes_time_to_let_go)
{
    up(1);
    tasks[0] = (struct job){.ms = 100, .linger_ms = 10};
    push(0);
    let_pass(1);
    weft_queue_kill(&queue, UV_ECANCELED);
    let_pass(9);
    assert_int_equal(queue.running, 1);
    push(1);
    down();
    assert_int_equal(tasks[0].op.status, UV_ECANCELED);
    assert_string_equal(trail, "0 1 ");
}

TEST(kill_of_an_empty_queue_does_nothing)
{
    up(1);
    weft_queue_kill(&queue, UV_ECANCELED);
    down();
}

TEST(kill_leaves_what_has_finished_alone)
{
    up(2);
    push(0);
    weft_sim_step(&w.sim);
    assert_int_equal(tasks[0].begun, 1);
    weft_queue_kill(&queue, UV_ECANCELED);
    down();
    assert_int_equal(tasks[0].op.status, 0);
}

TEST(kill_reaches_only_the_tasks_of_its_own_queue)
{
    static struct weft_queue other;
    up(1);
    all_take(5);
    assert_int_equal(weft_queue_init(&other, &w.loop, 1), 0);
    push_some(0, 1);
    weft_queue_push(&other, weft_root(&w.loop), &tasks[2].op, work, job_over);
    weft_queue_push(&other, weft_root(&w.loop), &tasks[3].op, work, job_over);
    let_pass(1);
    weft_queue_kill(&other, UV_ECANCELED);
    world_run(&w);
    assert_int_equal(weft_queue_close(&other), 0);
    down();
    for (int id = 0; id < 4; id++)
        assert_int_equal(tasks[id].op.status, id < 2 ? 0 : UV_ECANCELED);
}

static void work_and_kill(struct weft_op *op)
{
    work(op);
    weft_queue_kill(&queue, UV_ECANCELED);
}

TEST(a_task_may_kill_its_queue_and_itself_with_it)
{
    up(2);
    all_take(5);
    push(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work_and_kill, job_over);
    push(2);
    down();
    assert_string_equal(trail, "1 0 ");
    for (int id = 0; id < 3; id++)
        assert_int_equal(tasks[id].op.status, UV_ECANCELED);
}

static void kill_with_0(void)
{
    up(1);
    weft_queue_kill(&queue, 0);
}

static void kill_a_closed_one(void)
{
    up(1);
    weft_queue_close(&queue);
    weft_queue_kill(&queue, UV_ECANCELED);
}

TEST(a_closed_queue_is_not_killed)
{
    dies(kill_a_closed_one, "rule 1", "closed");
}

TEST(the_reason_of_a_kill_is_negative)
{
    dies(kill_with_0, "rule 5", "negative");
}

/* ---- stop ----------------------------------------------------------------------------------- */

static void let_pass_some_steps(void)
{
    for (int i = 0; i < 100; i++)
        assert_true(weft_sim_step(&w.sim));
}

static struct weft_queue_wait idle;

TEST(a_stopped_queue_runs_what_waits_and_refuses_more)
{
    up(1);
    idle = (struct weft_queue_wait){0};
    all_take(5);
    push_some(0, 2);
    let_pass(1);
    weft_queue_stop(&queue);
    weft_queue_stop(&queue);
    push(3);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[4].op, work, job_over);
    assert_int_equal(queue.waiting, 2);
    assert_int_equal(tasks[3].reported, 0); /* then is never called from inside */
    weft_queue_idle(weft_root(&w.loop), &idle, &queue, noted);
    let_pass(13);
    assert_int_equal(tasks[3].op.status, WEFT_ESTOPPED);
    assert_int_equal(tasks[4].op.status, WEFT_ESTOPPED);
    assert_int_equal(seen.calls, 0);
    down();
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "0 1 2 ");
    assert_int_equal(jobs.reported, 5);
}

TEST(a_refused_task_does_not_empty_an_empty_queue)
{
    up(1);
    listen_to(WEFT_QUEUE_EMPTY);
    weft_queue_stop(&queue);
    push(0);
    down();
    assert_string_equal(trail, "");
    assert_int_equal(queue.stats.removed, 1);
}

TEST(a_task_refused_under_a_cancelled_parent_gets_the_cancels_reason)
{
    up(1);
    memset(parents, 0, sizeof parents);
    weft_run(weft_root(&w.loop), &parents[0], NULL, noted);
    weft_cancel(&parents[0], UV_ETIMEDOUT);
    weft_queue_stop(&queue);
    weft_queue_push(&queue, &parents[0], &tasks[0].op, work, job_over);
    weft_join(&parents[0]);
    down();
    assert_int_equal(tasks[0].op.status, UV_ETIMEDOUT);
}

TEST(a_refused_task_without_then_ends_its_parent)
{
    up(1);
    memset(parents, 0, sizeof parents);
    weft_run(weft_root(&w.loop), &parents[0], NULL, noted);
    weft_queue_stop(&queue);
    weft_queue_push(&queue, &parents[0], &tasks[0].op, work, NULL);
    weft_join(&parents[0]);
    down();
    assert_int_equal(seen.status, WEFT_ESTOPPED);
}

/* It passes on how it went on another queue, say. */
TEST(a_task_that_has_failed_with_that_status_by_itself_is_refused_like_any)
{
    up(1);
    let_pass(20000);
    tasks[0].status = WEFT_ESTOPPED;
    push(0);
    let_pass(1);
    assert_int_equal(tasks[0].op.status, WEFT_ESTOPPED);
    weft_queue_stop(&queue);
    push(0);
    down();
    assert_int_equal(tasks[0].reported, 2);
    assert_int_equal(tasks[0].begun, 1);
}

static void again_whatever_happened(struct weft_op *parent, struct weft_op *op)
{
    weft_queue_push(&queue, parent, op, job_begin, again_whatever_happened);
}

static void recycle_after_stop(void)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, job_begin, again_whatever_happened);
    let_pass_some_steps();
    weft_queue_stop(&queue);
    world_run(&w);
}

static void recycle_after_cancel(void)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, job_begin, again_whatever_happened);
    let_pass_some_steps();
    weft_cancel(weft_root(&w.loop), UV_ECANCELED);
    world_run(&w);
}

TEST(a_then_that_pushes_again_for_ever_on_a_stopped_queue_breaks_rule_5)
{
    dies(recycle_after_stop, "rule 5", "stopped");
}

TEST(a_then_that_pushes_again_for_ever_under_a_cancelled_parent_breaks_rule_5)
{
    dies(recycle_after_cancel, "rule 5", "cancelled");
}

TEST(a_task_that_pushes_more_is_refused_after_the_stop_and_goes_on_itself)
{
    up(1);
    tasks[0].ms = 5;
    push(0);
    let_pass(1);
    weft_queue_stop(&queue);
    push(1);
    down();
    assert_int_equal(tasks[0].op.status, 0);
    assert_int_equal(tasks[1].op.status, WEFT_ESTOPPED);
}
