/* Push: a task's way through the queue, its parent, its site, and what is refused.
 * ctest: labels=valgrind */
#include "tasks.h"
#include "core/op.h"
#include <limits.h>
#include <stdlib.h>

TEST(push_never_begins_anything_itself)
{
    up(4);
    push(0);
    assert_int_equal(jobs.begun, 0);
    assert_int_equal(queue.waiting, 1);
    assert_int_equal(queue.running, 0);
    down();
    assert_int_equal(tasks[0].begun, 1);
    assert_int_equal(tasks[0].reported, 1);
    assert_int_equal(tasks[0].op.status, 0);
}

TEST(an_empty_queue_keeps_nobody_waiting)
{
    up(4);
    assert_int_equal(world_run(&w), 0);
    down();
}

TEST(tasks_begin_in_the_order_in_which_they_were_pushed)
{
    up(2);
    all_take(3);
    push_some(0, 9);
    down();
    assert_string_equal(trail, "0 1 2 3 4 5 6 7 8 9 ");
    assert_int_equal(jobs.most, 2);
    assert_int_equal(jobs.reported, 10);
}

TEST(the_limit_holds_for_synchronous_tasks_too)
{
    up(3);
    push_some(0, 9);
    down();
    assert_string_equal(trail, "0 1 2 3 4 5 6 7 8 9 ");
    assert_int_equal(jobs.reported, 10);
}

TEST(a_place_is_held_until_the_moment_before_then)
{
    up(1);
    push(0);
    push(1);
    assert_true(weft_sim_step(&w.sim)); /* the pump: 0 begins, and has finished */
    assert_int_equal(tasks[0].begun, 1);
    assert_int_equal(tasks[0].reported, 0);
    assert_int_equal(queue.running, 1);
    assert_int_equal(tasks[1].begun, 0);
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(tasks[0].reported, 1);
    assert_int_equal(tasks[1].begun, 1);
    down();
}

static void push_the_next(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    int next = job_of(op)->id + 1;
    if (next < 5)
        weft_queue_push(&queue, parent, &tasks[next].op, work, push_the_next);
}

TEST(a_then_may_push_the_next_task)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, push_the_next);
    down();
    assert_string_equal(trail, "0 1 2 3 4 ");
}

TEST(what_a_then_pushes_comes_behind_what_waited)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, push_the_next);
    push(10);
    push(11);
    down();
    assert_string_equal(trail, "0 10 11 1 2 3 4 ");
}

static void work_and_push_two(struct weft_op *op)
{
    struct job *job = job_of(op);
    for (int i = 1; i <= 2 && job->id < 7; i++) {
        struct job *next = &tasks[job->id * 2 + i];
        weft_queue_push(&queue, op->parent, &next->op, work_and_push_two, job_over);
    }
    work(op);
}

TEST(tasks_may_push_tasks_from_within)
{
    up(2);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work_and_push_two, job_over);
    down();
    assert_string_equal(trail, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 ");
    assert_int_equal(jobs.reported, 15);
}

static void again_ten_times(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    if (job_of(op)->begun < 10)
        weft_queue_push(&queue, parent, op, work, again_ten_times);
}

TEST(a_task_may_be_pushed_again_in_its_own_then)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, again_ten_times);
    down();
    assert_int_equal(tasks[0].begun, 10);
    assert_int_equal(tasks[0].reported, 10);
}

TEST(push_front_comes_first)
{
    up(1);
    push(0);
    push(1);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[2].op, work, job_over);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[3].op, work, job_over);
    push(4);
    down();
    assert_string_equal(trail, "3 2 0 1 4 ");
}

TEST(push_front_on_an_empty_queue_is_a_push)
{
    up(1);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[0].op, work, job_over);
    push(1);
    down();
    assert_string_equal(trail, "0 1 ");
}

TEST(a_task_that_was_pushed_in_front_can_be_cancelled)
{
    up(1);
    push(0);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[1].op, work, job_over);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[2].op, work, job_over);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    weft_cancel(&tasks[2].op, UV_ECANCELED);
    push(3);
    down();
    assert_string_equal(trail, "0 3 ");
}

TEST(a_task_without_a_begin_is_finished_by_hand)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, NULL, job_over);
    push(1);
    let_pass(100);
    assert_int_equal(queue.running, 1);
    assert_int_equal(tasks[1].begun, 0);
    weft_finish(&tasks[0].op, 0);
    down();
    assert_int_equal(tasks[0].reported, 1);
    assert_int_equal(tasks[1].reported, 1);
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(a_waiting_task_that_is_cancelled_never_begins)
{
    up(1);
    all_take(5);
    push_some(0, 4);
    let_pass(1);
    weft_cancel(&tasks[4].op, UV_ECANCELED);
    weft_cancel(&tasks[2].op, UV_ETIMEDOUT);
    weft_cancel(&tasks[2].op, UV_EIO);
    assert_int_equal(queue.waiting, 2);
    assert_int_equal(tasks[2].reported, 0); /* not from inside weft_cancel */
    let_pass(0);
    assert_int_equal(tasks[2].reported, 1);
    assert_int_equal(tasks[2].op.status, UV_ETIMEDOUT);
    assert_int_equal(tasks[4].op.status, UV_ECANCELED);
    down();
    assert_string_equal(trail, "0 1 3 ");
    assert_int_equal(jobs.reported, 5);
}

TEST(a_task_cancelled_before_the_pump_ran_never_begins)
{
    up(3);
    push_some(0, 2);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    down();
    assert_string_equal(trail, "0 2 ");
    assert_int_equal(jobs.reported, 3);
}

TEST(a_running_task_that_is_cancelled_gives_its_place_back)
{
    up(1);
    all_take(100);
    tasks[0].linger_ms = 5;
    push_some(0, 1);
    let_pass(1);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    let_pass(4);
    assert_int_equal(tasks[1].begun, 0);
    let_pass(1);
    assert_int_equal(tasks[1].begun, 1);
    down();
    assert_int_equal(tasks[0].op.status, UV_ECANCELED);
    assert_int_equal(tasks[1].op.status, 0);
}

TEST(a_cancel_of_a_task_that_has_finished_has_no_effect)
{
    up(1);
    push(0);
    weft_sim_step(&w.sim);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    down();
    assert_int_equal(tasks[0].op.status, 0);
}

static struct weft_op parent;

static void parent_up(void)
{
    memset(&parent, 0, sizeof parent);
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
}

TEST(a_task_is_its_parents_child_from_the_push_on)
{
    up(1);
    parent_up();
    weft_queue_push(&queue, &parent, &tasks[0].op, work, job_over);
    assert_ptr_equal(tasks[0].op.parent, &parent);
    assert_int_equal(weft_running(&parent), 1);
    weft_join(&parent);
    down();
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(tasks[0].reported, 1);
}

TEST(a_cancel_of_the_parent_reaches_its_waiting_and_its_running_tasks)
{
    up(2);
    parent_up();
    all_take(100);
    for (int i = 0; i < 5; i++)
        weft_queue_push(&queue, &parent, &tasks[i].op, work, job_over);
    push(5);
    weft_join(&parent);
    let_pass(1);
    weft_cancel(&parent, UV_ETIMEDOUT);
    assert_int_equal(queue.waiting, 1);
    let_pass(0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    for (int i = 0; i < 5; i++)
        assert_int_equal(tasks[i].op.status, UV_ETIMEDOUT);
    down();
    assert_string_equal(trail, "0 1 5 "); /* the other's task was not touched */
    assert_int_equal(tasks[5].op.status, 0);
}

TEST(a_cancel_of_the_root_reaches_everything_that_waits)
{
    up(2);
    all_take(100);
    push_some(0, 9);
    let_pass(1);
    weft_cancel(weft_root(&w.loop), UV_ECANCELED);
    down();
    assert_int_equal(jobs.reported, 10);
    assert_int_equal(jobs.begun, 2);
}

TEST(a_task_pushed_under_a_cancelled_parent_gets_the_reason_and_never_begins)
{
    up(2);
    parent_up();
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_queue_push(&queue, &parent, &tasks[0].op, work, job_over);
    weft_queue_push_front(&queue, &parent, &tasks[1].op, work, job_over);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(tasks[0].reported, 0);
    weft_join(&parent);
    down();
    assert_string_equal(trail, "");
    assert_int_equal(tasks[0].op.status, UV_ETIMEDOUT);
    assert_int_equal(tasks[1].op.status, UV_ETIMEDOUT);
    assert_int_equal(queue.stats.removed, 2);
}

static void cancel_the_next(struct weft_op *op)
{
    weft_cancel(&tasks[job_of(op)->id + 1].op, UV_ECANCELED);
    work(op);
}

TEST(a_begin_may_cancel_a_task_that_waits_behind_it)
{
    up(5);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, cancel_the_next, job_over);
    push(1);
    push(2);
    down();
    assert_string_equal(trail, "0 2 ");
    assert_int_equal(jobs.reported, 3);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

static struct weft_deadline deadlines[TASKS];

TEST(a_deadline_counts_the_time_of_waiting)
{
    up(1);
    memset(deadlines, 0, sizeof deadlines);
    all_take(20);
    push_some(0, 2);
    weft_deadline(&tasks[1].op, &deadlines[1], 30); /* 20 of them it waits */
    weft_deadline(&tasks[2].op, &deadlines[2], 5);  /* it never gets that far */
    let_pass(5);
    assert_int_equal(tasks[2].op.status, UV_ETIMEDOUT);
    assert_int_equal(tasks[2].reported, 1);
    assert_int_equal(queue.waiting, 1);
    down();
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(tasks[1].op.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 30);
}

TEST(a_deadline_that_is_kept_is_taken_back)
{
    up(1);
    memset(deadlines, 0, sizeof deadlines);
    all_take(20);
    push_some(0, 1);
    weft_deadline(&tasks[1].op, &deadlines[1], 1000);
    down();
    assert_int_equal(tasks[1].op.status, 0);
    assert_int_equal(w.sim.now_, 40);
}

TEST(a_deadline_of_no_time_ends_a_waiting_task_on_the_next_turn_of_the_clock)
{
    up(1);
    memset(deadlines, 0, sizeof deadlines);
    all_take(20);
    push_some(0, 1);
    weft_deadline(&tasks[1].op, &deadlines[1], 0);
    let_pass(0);
    assert_int_equal(tasks[1].reported, 1);
    assert_int_equal(tasks[1].op.status, UV_ETIMEDOUT);
    down();
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(an_error_stops_nothing_and_drops_nothing)
{
    up(2);
    all_take(1);
    for (int i = 0; i < 10; i += 3)
        tasks[i].status = UV_EIO;
    push_some(0, 9);
    down();
    assert_string_equal(trail, "0 1 2 3 4 5 6 7 8 9 ");
    for (int i = 0; i < 10; i++) {
        assert_int_equal(tasks[i].reported, 1);
        assert_int_equal(tasks[i].op.status, i % 3 == 0 ? UV_EIO : 0);
    }
}

TEST(without_then_and_without_listener_an_error_ends_the_parent)
{
    up(1);
    parent_up();
    all_take(5);
    tasks[1].status = UV_EIO;
    for (int i = 0; i < 4; i++)
        weft_queue_push(&queue, &parent, &tasks[i].op, work, i == 1 ? NULL : job_over);
    weft_join(&parent);
    down();
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(tasks[0].op.status, 0);
    assert_int_equal(tasks[3].op.status, UV_ECANCELED);
    assert_int_equal(tasks[3].begun, 0);
}

TEST(without_then_but_with_a_listener_an_error_is_the_listeners_and_the_parent_goes_on)
{
    up(1);
    parent_up();
    listen_to(WEFT_QUEUE_ERROR);
    tasks[1].status = UV_EIO;
    for (int i = 0; i < 4; i++)
        weft_queue_push(&queue, &parent, &tasks[i].op, work, NULL);
    weft_join(&parent);
    world_run(&w);
    weft_off(&listeners[WEFT_QUEUE_ERROR]);
    down();
    assert_string_equal(trail, "0 1 error:1:EIO 2 3 ");
    assert_int_equal(seen.status, 0);
}

static void fail_under_the_root(void)
{
    up(1);
    tasks[0].status = UV_EIO;
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, NULL);
    world_run(&w);
}

TEST(without_then_and_listener_an_error_under_the_root_breaks_rule_8)
{
    dies(fail_under_the_root, "rule 8", "EIO", "work", "push.c");
}

TEST(a_success_without_then_needs_no_answer)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, NULL);
    down();
    assert_int_equal(tasks[0].begun, 1);
}

TEST(a_waiting_task_without_then_that_is_cancelled_under_the_root_is_no_fault)
{
    up(1);
    all_take(5);
    push(0);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[1].op, work, NULL);
    let_pass(1);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    down();
    assert_int_equal(tasks[1].begun, 0);
}

/* ---- misuse, sites and small print ---------------------------------------------------------- */

static void push_below_itself(struct weft_op *op)
{
    weft_queue_push(&queue, op, &tasks[1].op, work, job_over);
    weft_join(op);
}

static void wait_for_its_own_queue(void)
{
    up(4);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, push_below_itself, job_over);
    world_run(&w);
}

TEST(a_task_that_pushes_below_itself_breaks_rule_2_and_is_told_what_to_do)
{
    dies(wait_for_its_own_queue, "rule 2", "its own queue", "push under the task's parent",
         "push_below_itself", "push.c");
}

static struct weft_op grandchild;

static void push_from_below(struct weft_op *op)
{
    weft_queue_push(&queue, op, &tasks[1].op, work, job_over);
    weft_join(op);
}

static void start_grandchild(struct weft_op *op)
{
    weft_run(op, &grandchild, push_from_below, NULL);
    weft_join(op);
}

static void wait_for_its_own_queue_from_below(void)
{
    up(4);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, start_grandchild, job_over);
    world_run(&w);
}

TEST(a_descendant_of_a_task_may_not_wait_for_its_queue_either)
{
    dies(wait_for_its_own_queue_from_below, "rule 2", "its own queue", "start_grandchild");
}

static struct weft_queue other;

static void push_to_the_other(struct weft_op *op)
{
    weft_queue_push(&other, op, &tasks[1].op, work, NULL);
    weft_join(op);
}

TEST(a_task_may_push_below_itself_on_another_queue)
{
    up(1);
    assert_int_equal(weft_queue_init(&other, &w.loop, 1), 0);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, push_to_the_other, job_over);
    world_run(&w);
    assert_int_equal(weft_queue_close(&other), 0);
    down();
    assert_int_equal(tasks[1].begun, 1);
    assert_int_equal(tasks[0].reported, 1);
}

TEST(a_task_pushed_below_a_waiting_place_of_another_queue_is_cancelled_with_it)
{
    up(1);
    assert_int_equal(weft_queue_init(&other, &w.loop, 1), 0);
    tasks[1].ms = 100;
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, push_to_the_other, job_over);
    let_pass(1);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    world_run(&w);
    assert_int_equal(weft_queue_close(&other), 0);
    down();
    assert_int_equal(tasks[0].op.status, UV_ECANCELED);
    assert_int_equal(tasks[1].op.status, UV_ECANCELED);
}

static void push_twice(void)
{
    up(1);
    push(0);
    push(0);
}

TEST(a_task_that_waits_cannot_be_pushed_again)
{
    dies(push_twice, "rule 1", "still runs", "work");
}

static void push_running(struct weft_op *op)
{
    weft_queue_push(&queue, op->parent, op, work, job_over);
}

static void push_while_running(void)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, push_running, job_over);
    world_run(&w);
}

TEST(a_task_that_runs_cannot_be_pushed_again)
{
    dies(push_while_running, "rule 1", "still runs", "push_running");
}

static void push_garbage(void)
{
    up(1);
    memset(&tasks[0].op, 0xa5, sizeof tasks[0].op);
    push(0);
}

TEST(a_task_that_was_not_zeroed_cannot_be_pushed)
{
    dies(push_garbage, "rule 1", "zeroed");
}

static void push_on_closed(void)
{
    up(1);
    weft_queue_close(&queue);
    push(0);
}

TEST(a_task_cannot_be_pushed_on_a_closed_queue)
{
    dies(push_on_closed, "rule 1", "closed");
}

static void push_under_another_loop(void)
{
    static struct world elsewhere;
    up(1);
    world_up(&elsewhere);
    weft_queue_push(&queue, weft_root(&elsewhere.loop), &tasks[0].op, work, job_over);
}

TEST(a_task_cannot_be_pushed_under_a_parent_of_another_loop)
{
    dies(push_under_another_loop, "rule 1", "another loop");
}

TEST(the_site_of_a_task_is_the_line_of_the_push_and_the_name_of_begin)
{
    up(1);
    int line = __LINE__ + 1;
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, job_over);
    weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[1].op, work, job_over);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(tasks[i].op.site_->type, "work");
        assert_string_equal(tasks[i].op.site_->file, __FILE__);
        assert_string_equal(tasks[i].op.site_->func, __func__);
        assert_int_equal(tasks[i].op.site_->line, line + i);
        assert_int_equal(tasks[i].op.site_->group, WEFT_USER);
    }
    down();
}

TEST(a_dump_names_the_tasks_that_wait)
{
    up(1);
    all_take(BY_HAND);
    push_some(0, 1);
    let_pass(1);
    FILE *file = tmpfile();
    weft_dump(&w.loop, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "work [queued"));
    assert_non_null(strstr(text, "work [waiting"));
    free(text);
    fclose(file);
    finish(0);
    let_pass(0);
    finish(1);
    down();
}

struct heap_task {
    struct job job;
    char behind[64];
};

static void free_task(struct weft_op *op_parent, struct weft_op *op)
{
    job_over(op_parent, op);
    struct heap_task *task = weft_owner(op, struct heap_task, job.op);
    memset(task, 0xdd, sizeof *task);
    free(task);
}

TEST(a_task_is_the_callers_again_when_its_then_starts)
{
    up(2);
    struct heap_task *heap[12];
    for (int i = 0; i < 12; i++) {
        heap[i] = calloc(1, sizeof *heap[i]);
        heap[i]->job = (struct job){.ms = (uint64_t)i % 3, .status = i % 4 == 0 ? UV_EIO : 0};
        weft_queue_push(&queue, weft_root(&w.loop), &heap[i]->job.op, job_begin, free_task);
    }
    weft_cancel(&heap[5]->job.op, UV_ECANCELED);
    weft_cancel(&heap[11]->job.op, UV_ECANCELED);
    down();
    assert_int_equal(jobs.reported, 12);
    assert_int_equal(jobs.begun, 10);
}

TEST(a_queue_works_on_a_real_loop)
{
    world_up(&w);
    jobs = (struct jobs){0};
    trail[0] = '\0';
    for (int i = 0; i < TASKS; i++)
        tasks[i] = (struct job){.id = i, .ms = (uint64_t)i % 3};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 3), 0);
    push_some(0, TASKS - 1);
    down();
    assert_int_equal(jobs.reported, TASKS);
    assert_true(jobs.most <= 3);
}

TEST(a_queue_needs_a_place_a_loop_and_storage)
{
    up(1);
    struct weft_queue bad;
    assert_int_equal(weft_queue_init(&bad, &w.loop, 0), UV_EINVAL);
    assert_int_equal(weft_queue_init(&bad, NULL, 1), UV_EINVAL);
    assert_int_equal(weft_queue_init(NULL, &w.loop, 1), UV_EINVAL);
    down();
}

TEST(a_queue_may_have_as_many_places_as_can_be_counted)
{
    up(UINT_MAX);
    all_take(10);
    push_some(0, TASKS - 1);
    let_pass(0);
    assert_int_equal(queue.running, TASKS);
    down();
    assert_int_equal(w.sim.now_, 10);
}
