/* A lane that takes the most urgent task first.
 * ctest: labels=valgrind */
#include "tasks.h"
#include "core/op.h"
#include <limits.h>
#include <stdlib.h>
#include <weft/priority.h>

static struct weft_priority lane;
static struct urgent {
    struct weft_urgent urgent;
    uint64_t ms;
    int id, status;
    unsigned begun, told;
    struct weft_sleep nap;
} urgents[TASKS];

static struct urgent *urgent_of(struct weft_op *op)
{
    return weft_owner(op, struct urgent, urgent.op);
}

static void sorted_up(unsigned limit)
{
    up(limit);
    for (int i = 0; i < TASKS; i++)
        urgents[i] = (struct urgent){.id = i};
    assert_int_equal(weft_priority_init(&lane, &queue, UINT_MAX, WEFT_RANK_NORMAL), 0);
}

static void slept(struct weft_op *op, struct weft_op *nap)
{
    weft_finish(op, nap->status != 0 ? nap->status : urgent_of(op)->status);
}

static void urgent_begin(struct weft_op *op)
{
    struct urgent *task = urgent_of(op);
    task->begun++;
    leave("%d", task->id);
    if (task->ms == 0)
        weft_finish(op, task->status);
    else
        weft_sleep(op, &task->nap, task->ms, slept);
}

static void urgent_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    urgent_of(op)->told++;
}

static bool put(int id, int64_t priority)
{
    return weft_priority_push(&lane, weft_root(&w.loop), &urgents[id].urgent, priority,
                              urgent_begin, urgent_over);
}

/* Tasks 0, 1, … with these priorities. */
static void put_all(const int64_t *priorities, int count)
{
    for (int id = 0; id < count; id++)
        put(id, priorities[id]);
}
#define PUT(...)                                                                                   \
    put_all((const int64_t[]){__VA_ARGS__},                                                        \
            (int)(sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t)))

static void cancel(int id, int reason)
{
    weft_cancel(&urgents[id].urgent.op, reason);
}

static int status_of(int id)
{
    assert_int_equal(urgents[id].told, 1);
    return urgents[id].urgent.op.status;
}

/* ---- order ---------------------------------------------------------------------------------- */

TEST(the_smallest_number_goes_first)
{
    sorted_up(1);
    PUT(5, 1, 4, 2, 3);
    down();
    assert_string_equal(trail, "1 3 4 2 0 ");
}

TEST(priorities_may_be_negative_and_as_large_as_they_come)
{
    sorted_up(1);
    PUT(INT64_MAX, 0, INT64_MIN, -1, 1);
    down();
    assert_string_equal(trail, "2 3 1 4 0 ");
}

TEST(of_equals_the_one_that_came_first_goes_first)
{
    sorted_up(1);
    PUT(7, 7, 3, 7, 3, 7, 3);
    down();
    assert_string_equal(trail, "2 4 6 0 1 3 5 ");
}

TEST(a_task_that_was_overtaken_keeps_its_place_among_its_equals)
{
    sorted_up(1);
    PUT(5, 5, 4, 5, 3, 5);
    down();
    assert_string_equal(trail, "4 2 0 1 3 5 ");
}

TEST(a_task_that_comes_while_others_run_is_put_in_its_place)
{
    sorted_up(1);
    for (int id = 0; id < 6; id++)
        urgents[id].ms = 10;
    PUT(9, 8, 7);
    let_pass(5); /* 2 runs */
    put(3, 1);
    let_pass(10); /* 3 runs */
    put(4, 8);
    put(5, 9);
    down();
    assert_string_equal(trail, "2 3 1 4 0 5 ");
}

TEST(nothing_begins_inside_a_push)
{
    sorted_up(1);
    put(0, 0);
    assert_int_equal(urgents[0].begun, 0);
    down();
    assert_int_equal(urgents[0].begun, 1);
    assert_int_equal(status_of(0), 0);
}

static struct dice dice;

TEST(any_number_of_priorities_comes_out_sorted)
{
    static int64_t priorities[TASKS];
    for (int round = 0; round < 50; round++) {
        sorted_up(1);
        for (int id = 0; id < TASKS; id++)
            priorities[id] = between(&dice, -6, 6);
        put_all(priorities, TASKS);
        down();
        int last = -1, count = 0, used = 0;
        for (const char *at = trail; sscanf(at, "%d %n", &count, &used) == 1; at += used) {
            if (last >= 0)
                assert_true(priorities[last] < priorities[count] ||
                            (priorities[last] == priorities[count] && last < count));
            last = count;
        }
        for (int id = 0; id < TASKS; id++)
            assert_int_equal(status_of(id), 0);
    }
}

TEST(several_places_are_given_to_the_most_urgent)
{
    sorted_up(3);
    for (int id = 0; id < 5; id++)
        urgents[id].ms = 10;
    PUT(5, 4, 3, 2, 1);
    let_pass(1);
    assert_string_equal(trail, "4 3 2 ");
    assert_int_equal(lane.lane.running, 3);
    assert_int_equal(lane.lane.waiting, 2);
    down();
}

TEST(the_same_storage_is_pushed_again_from_its_then)
{
    sorted_up(1);
    for (int round = 0; round < 3; round++) {
        PUT(2, 1, 0);
        assert_int_equal(world_run(&w), 0);
    }
    assert_string_equal(trail, "2 1 0 2 1 0 2 1 0 ");
    down();
}

/* ---- change --------------------------------------------------------------------------------- */

TEST(a_task_that_waits_can_become_more_urgent_or_less)
{
    sorted_up(1);
    PUT(10, 20, 30, 40);
    assert_int_equal(weft_priority_change(&urgents[3].urgent, 5), 0);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 35), 0);
    assert_int_equal(urgents[0].urgent.priority, 35);
    down();
    assert_string_equal(trail, "3 1 2 0 ");
}

TEST(the_most_urgent_of_all_can_become_less_urgent)
{
    sorted_up(1);
    PUT(1, 2, 3);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 9), 0);
    assert_int_equal(queue.waiting, 3);
    down();
    assert_string_equal(trail, "1 2 0 ");
}

TEST(a_changed_task_comes_behind_its_equals)
{
    sorted_up(1);
    PUT(5, 5, 5, 1);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 5), 0);
    assert_int_equal(weft_priority_change(&urgents[3].urgent, 5), 0);
    down();
    assert_string_equal(trail, "1 2 0 3 ");
}

TEST(the_only_task_can_be_changed)
{
    sorted_up(1);
    put(0, 1);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 2), 0);
    put(1, 1);
    down();
    assert_string_equal(trail, "1 0 ");
}

TEST(a_task_that_does_not_wait_in_such_a_lane_cannot_be_changed)
{
    sorted_up(1);
    assert_int_equal(weft_priority_change(NULL, 1), UV_EINVAL);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 1), UV_EINVAL);
    urgents[0].ms = 10;
    put(0, 1);
    let_pass(1);
    assert_int_equal(weft_priority_change(&urgents[0].urgent, 2), UV_EINVAL);
    weft_queue_push(&queue, weft_root(&w.loop), &urgents[1].urgent.op, urgent_begin, urgent_over);
    assert_int_equal(weft_priority_change(&urgents[1].urgent, 2), UV_EINVAL);
    assert_int_equal(urgents[0].urgent.priority, 1);
    down();
}

/* ---- leaving -------------------------------------------------------------------------------- */

TEST(a_cancelled_task_leaves_the_line_at_once)
{
    sorted_up(1);
    PUT(1, 2, 3, 4, 5);
    cancel(2, UV_ECANCELED); /* from the middle */
    cancel(0, UV_ETIMEDOUT); /* the first */
    cancel(4, UV_EINTR);     /* the last */
    assert_int_equal(lane.lane.waiting, 2);
    assert_int_equal(queue.waiting, 2);
    assert_int_equal(queue.stats.removed, 3);
    down();
    assert_string_equal(trail, "1 3 ");
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    assert_int_equal(status_of(2), UV_ECANCELED);
    assert_int_equal(status_of(4), UV_EINTR);
    assert_int_equal(queue.stats.done, 2);
}

TEST(every_subset_can_be_cancelled_and_the_rest_keeps_its_order)
{
    enum { SOME = 7 };
    static const int order[SOME] = {4, 1, 6, 0, 3, 5, 2};
    for (unsigned subset = 0; subset < 1U << SOME; subset++) {
        char expected[64] = "";
        sorted_up(1);
        PUT(30, 10, 60, 30, 5, 50, 20);
        for (int id = 0; id < SOME; id++) {
            if (subset & 1U << id)
                cancel(id, UV_ECANCELED);
        }
        for (int i = 0; i < SOME; i++) {
            if (!(subset & 1U << order[i]))
                snprintf(expected + strlen(expected), 8, "%d ", order[i]);
        }
        down();
        assert_string_equal(trail, expected);
    }
}

TEST(a_deadline_takes_a_task_out_of_the_line)
{
    static struct weft_deadline deadlines[2];
    sorted_up(1);
    for (int id = 0; id < 4; id++)
        urgents[id].ms = 10;
    PUT(0, 1, 2, 3);
    weft_deadline(&urgents[1].urgent.op, &deadlines[0], 5); /* it will be the first then */
    weft_deadline(&urgents[3].urgent.op, &deadlines[1], 5);
    down();
    assert_string_equal(trail, "0 2 ");
    assert_int_equal(status_of(1), UV_ETIMEDOUT);
    assert_int_equal(status_of(3), UV_ETIMEDOUT);
}

static bool is_odd(const struct weft_op *task, void *context)
{
    ++*(int *)context;
    return urgent_of((struct weft_op *)(uintptr_t)task)->id % 2 == 1;
}

TEST(remove_asks_for_every_task_that_waits_once)
{
    int asked = 0;
    sorted_up(1);
    PUT(6, 3, 5, 2, 4, 1, 0);
    assert_int_equal(weft_queue_remove(&queue, is_odd, &asked), 3);
    assert_int_equal(asked, 7);
    assert_int_equal(queue.waiting, 4);
    down();
    assert_string_equal(trail, "6 4 2 0 ");
    assert_int_equal(status_of(1), UV_ECANCELED);
}

TEST(remove_may_take_the_first_and_leaves_the_rest_in_order)
{
    int asked = 0;
    sorted_up(1);
    PUT(6, 1, 5);
    assert_int_equal(weft_queue_remove(&queue, is_odd, &asked), 1);
    down();
    assert_string_equal(trail, "2 0 ");
}

TEST(a_kill_reaches_what_waits_and_what_runs)
{
    sorted_up(2);
    for (int id = 0; id < 6; id++)
        urgents[id].ms = 10;
    PUT(3, 2, 1, 6, 5, 4);
    let_pass(1);
    weft_queue_kill(&queue, UV_EACCES);
    assert_int_equal(queue.waiting, 0);
    down();
    assert_string_equal(trail, "2 1 ");
    for (int id = 0; id < 6; id++)
        assert_int_equal(status_of(id), UV_EACCES);
    assert_int_equal(queue.stats.removed, 4);
    assert_int_equal(queue.stats.failed, 2);
}

TEST(a_stopped_queue_refuses_urgent_tasks_too)
{
    sorted_up(1);
    PUT(2, 1);
    weft_queue_stop(&queue);
    put(2, 0);
    down();
    assert_string_equal(trail, "1 0 ");
    assert_int_equal(status_of(2), WEFT_ESTOPPED);
}

static struct weft_op group;

TEST(a_cancelled_parent_takes_its_tasks_out_and_refuses_new_ones)
{
    sorted_up(1);
    group = (struct weft_op){0};
    weft_run(weft_root(&w.loop), &group, NULL, noted);
    put(0, 5);
    for (int id = 1; id < 4; id++)
        weft_priority_push(&lane, &group, &urgents[id].urgent, id, urgent_begin, urgent_over);
    weft_cancel(&group, UV_EINTR);
    weft_priority_push(&lane, &group, &urgents[4].urgent, 0, urgent_begin, urgent_over);
    weft_join(&group);
    down();
    assert_string_equal(trail, "0 ");
    for (int id = 1; id < 5; id++)
        assert_int_equal(status_of(id), UV_EINTR);
    assert_int_equal(seen.status, UV_EINTR);
}

/* ---- a lane among others -------------------------------------------------------------------- */

TEST(its_limit_is_the_lanes)
{
    sorted_up(4);
    assert_int_equal(weft_lane_limit(&lane.lane, 2), 0);
    for (int id = 0; id < 4; id++)
        urgents[id].ms = 10;
    PUT(4, 3, 2, 1);
    let_pass(1);
    assert_string_equal(trail, "3 2 ");
    down();
    assert_string_equal(trail, "3 2 1 0 ");
}

TEST(its_rate_is_the_lanes)
{
    sorted_up(4);
    assert_int_equal(weft_lane_rate(&lane.lane, 1, 10, 1), 0);
    PUT(3, 2, 1);
    let_pass(5);
    assert_string_equal(trail, "2 ");
    put(3, 0);
    let_pass(10);
    assert_string_equal(trail, "2 3 ");
    cancel(1, UV_ECANCELED);
    cancel(0, UV_ECANCELED); /* nobody waits for the rate any more */
    assert_int_equal(world_run(&w), 0);
    assert_true(weft_now(&w.loop) < 20);
    down();
}

TEST(its_pause_is_the_lanes)
{
    sorted_up(1);
    weft_lane_pause(&lane.lane);
    PUT(3, 2, 1);
    let_pass(5);
    assert_string_equal(trail, "");
    weft_lane_resume(&lane.lane);
    down();
    assert_string_equal(trail, "2 1 0 ");
}

TEST(it_takes_turns_with_plain_lanes_of_its_rank)
{
    sorted_up(1);
    weft_queue_pause(&queue);
    push_some(10, 12);
    PUT(3, 2, 1);
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "10 2 11 1 12 0 ");
}

TEST(its_rank_goes_before_any_priority)
{
    static struct weft_priority first;
    sorted_up(1);
    assert_int_equal(weft_priority_init(&first, &queue, 1, 0), 0);
    PUT(1, 0);
    weft_priority_push(&first, weft_root(&w.loop), &urgents[2].urgent, 100, urgent_begin,
                       urgent_over);
    down();
    assert_string_equal(trail, "2 1 0 ");
}

TEST(its_tasks_count_for_the_high_water_mark_and_make_room)
{
    static struct weft_queue_wait room;
    sorted_up(1);
    weft_queue_high_water(&queue, 2);
    weft_queue_pause(&queue);
    assert_true(put(0, 3));
    assert_false(put(1, 2));
    assert_false(put(2, 1));
    room = (struct weft_queue_wait){0};
    weft_queue_room(weft_root(&w.loop), &room, &queue, noted);
    let_pass(0);
    assert_int_equal(seen.calls, 0);
    cancel(0, UV_ECANCELED);
    let_pass(0);
    assert_int_equal(seen.calls, 0);
    cancel(2, UV_ECANCELED);
    let_pass(0);
    assert_int_equal(seen.calls, 1);
    weft_queue_resume(&queue);
    down();
}

TEST(events_and_statistics_are_the_queues)
{
    sorted_up(1);
    listen_to(WEFT_QUEUE_UNQUEUED);
    listen_to(WEFT_QUEUE_EMPTY);
    for (int id = 0; id < 3; id++)
        urgents[id].ms = 10;
    urgents[1].status = UV_EIO;
    PUT(3, 2, 1);
    down();
    assert_string_equal(trail, "2 1 0 unqueued empty ");
    assert_int_equal(status_of(1), UV_EIO);
    assert_int_equal(queue.stats.done, 2);
    assert_int_equal(queue.stats.failed, 1);
    assert_int_equal(queue.stats.wait_ms, 30);
    assert_int_equal(queue.stats.run_ms, 30);
}

TEST(an_error_without_a_then_ends_the_parent)
{
    sorted_up(1);
    group = (struct weft_op){0};
    weft_run(weft_root(&w.loop), &group, NULL, noted);
    for (int id = 0; id < 3; id++) {
        urgents[id].status = id == 1 ? UV_EIO : 0;
        weft_priority_push(&lane, &group, &urgents[id].urgent, -id, urgent_begin, NULL);
    }
    weft_join(&group);
    down();
    assert_string_equal(trail, "2 1 0 "); /* 0 had its place before the error was told */
    assert_int_equal(seen.status, UV_EIO);
}

/* ---- init and close ------------------------------------------------------------------------- */

TEST(wrong_arguments_are_refused)
{
    static struct weft_priority other;
    sorted_up(1);
    assert_int_equal(weft_priority_init(NULL, &queue, 1, 0), UV_EINVAL);
    assert_int_equal(weft_priority_init(&other, NULL, 1, 0), UV_EINVAL);
    assert_int_equal(weft_priority_init(&other, &queue, 0, 0), UV_EINVAL);
    assert_int_equal(weft_priority_init(&other, &queue, 1, WEFT_RANKS), UV_EINVAL);
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_priority_init(&other, &queue, 1, 0), UV_EINVAL);
    world_down(&w);
}

TEST(it_closes_when_nothing_of_it_waits_or_runs)
{
    sorted_up(1);
    urgents[0].ms = urgents[1].ms = 10;
    PUT(1, 2);
    assert_int_equal(weft_priority_close(&lane), UV_EBUSY);
    let_pass(15);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(weft_priority_close(&lane), UV_EBUSY);
    let_pass(10);
    assert_int_equal(weft_priority_close(&lane), 0);
    assert_int_equal(weft_priority_close(&lane), 0);
    assert_int_equal(weft_priority_init(&lane, &queue, 1, 0), 0);
    put(0, 1);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_lane_close(&lane.lane), 0); /* it is a lane */
    down();
}

TEST(the_site_of_a_task_is_where_it_was_pushed)
{
    sorted_up(1);
    put(0, 0);
    assert_string_equal(urgents[0].urgent.op.site_->type, "urgent_begin");
    assert_string_equal(urgents[0].urgent.op.site_->file, __FILE__);
    down();
}

static void free_task(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    seen.calls++;
    free(weft_owner(op, struct weft_urgent, op));
}

TEST(a_task_is_the_callers_again_when_its_then_starts)
{
    sorted_up(2);
    for (int i = 0; i < 50; i++) {
        struct weft_urgent *task = calloc(1, sizeof *task);
        weft_priority_push(&lane, weft_root(&w.loop), task, i % 7, finish_at_once, free_task);
        if (i % 5 == 4)
            weft_cancel(&task->op, UV_ECANCELED);
    }
    down();
    assert_int_equal(seen.calls, 50);
}

/* ---- broken rules --------------------------------------------------------------------------- */

static void plain_push(void)
{
    sorted_up(1);
    weft_lane_push(&lane.lane, weft_root(&w.loop), &tasks[0].op, work, NULL);
}

static void plain_push_front(void)
{
    sorted_up(1);
    put(0, 1);
    weft_lane_push_front(&lane.lane, weft_root(&w.loop), &tasks[0].op, work, NULL);
}

TEST(a_plain_push_breaks_rule_2)
{
    dies(plain_push, "rule 2", "a plain push on a lane of priorities; use weft_priority_push");
    dies(plain_push_front, "rule 2", "a plain push on a lane of priorities");
}

static void push_on_a_closed_one(void)
{
    sorted_up(1);
    weft_priority_close(&lane);
    put(0, 1);
}

static struct world elsewhere;

static void push_on_another_loops(void)
{
    sorted_up(1);
    world_up(&elsewhere);
    weft_priority_push(&lane, weft_root(&elsewhere.loop), &urgents[0].urgent, 0, urgent_begin,
                       NULL);
}

static void push_twice(void)
{
    sorted_up(1);
    PUT(2, 1);
    put(0, 3);
}

static void push_on_ones_own(struct weft_op *op)
{
    weft_priority_push(&lane, op, &urgents[1].urgent, 0, urgent_begin, NULL);
}

static void wait_for_ones_own_queue(void)
{
    sorted_up(1);
    weft_priority_push(&lane, weft_root(&w.loop), &urgents[0].urgent, 0, push_on_ones_own, NULL);
    world_run(&w);
}

TEST(the_rules_of_a_push_hold)
{
    dies(push_on_a_closed_one, "rule 1", "closed");
    dies(push_on_another_loops, "rule 1", "another loop's");
    dies(push_twice, "rule 1", "still runs");
    dies(wait_for_ones_own_queue, "rule 2", "its own queue");
}
