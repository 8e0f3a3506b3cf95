/* High water, and waiting for the queue: for room and for the end.
 * ctest: labels=valgrind-long */
#include "tasks.h"
#include "core/op.h"
#include <stdlib.h>

enum { WAITERS = 8 };
static struct waiter {
    struct weft_queue_wait wait;
    int id;
    unsigned told;
} waiters[WAITERS];

static void full_up(unsigned limit, size_t high_water)
{
    up(limit);
    assert_int_equal(weft_queue_high_water(&queue, high_water), 0);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = (struct waiter){.id = i};
    all_take(10);
}

static void waited(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct waiter *waiter = weft_owner(op, struct waiter, wait.op);
    waiter->told++;
    if (op->status == 0)
        leave("in:%d", waiter->id);
    else
        leave("%s:%d", weft_error_name(op->status), waiter->id);
}

static void wait_for_room(int id)
{
    weft_queue_room(weft_root(&w.loop), &waiters[id].wait, &queue, waited);
}

static void wait_for_idle(int id)
{
    weft_queue_idle(weft_root(&w.loop), &waiters[id].wait, &queue, waited);
}

/* Have they been let in, whatever the order in which they were told? */
static void assert_in(unsigned count)
{
    unsigned in = 0;
    for (int i = 0; i < WAITERS; i++)
        in += waiters[i].told;
    assert_int_equal(in, count);
}

/* ---- high water ----------------------------------------------------------------------------- */

TEST(at_first_a_queue_is_never_full)
{
    up(1);
    assert_int_equal(queue.high_water, SIZE_MAX);
    for (int id = 0; id < TASKS; id++)
        assert_true(push(id));
    down();
}

TEST(push_says_full_from_the_task_on_that_reaches_the_high_water_mark)
{
    full_up(2, 3);
    assert_true(push(0));
    assert_true(push(1));
    assert_false(push(2)); /* the third that waits: nothing has begun yet */
    assert_false(push(3));
    let_pass(1); /* two run, two wait */
    assert_false(push(4));
    assert_false(push(5));
    down();
    assert_int_equal(jobs.reported, 6); /* what was pushed on a full queue is queued all the same */
}

TEST(push_says_whether_there_is_room_for_another)
{
    full_up(1, 2);
    push(0);
    let_pass(1);
    assert_int_equal(queue.waiting, 0);
    assert_true(push(1));
    assert_false(push(2));
    let_pass(10);
    assert_int_equal(queue.waiting, 1);
    assert_false(push(3));
    let_pass(20);
    assert_int_equal(queue.waiting, 0);
    assert_true(push(4));
    down();
}

TEST(push_front_says_full_too)
{
    full_up(1, 1);
    assert_false(weft_queue_push_front(&queue, weft_root(&w.loop), &tasks[0].op, work, job_over));
    down();
}

TEST(the_high_water_mark_counts_all_lanes)
{
    struct weft_lane lane;
    full_up(1, 2);
    assert_int_equal(weft_lane_init(&lane, &queue, 1, 0), 0);
    assert_true(push(0));
    assert_false(push_to(&lane, 1));
    down();
}

TEST(a_refused_push_says_how_full_the_queue_is)
{
    full_up(1, 1);
    weft_queue_pause(&queue);
    assert_false(push(0));
    weft_queue_stop(&queue);
    assert_false(push(1));
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    assert_true(push(2));
    down();
}

TEST(a_high_water_mark_of_0_is_invalid)
{
    full_up(1, 5);
    assert_int_equal(weft_queue_high_water(&queue, 0), UV_EINVAL);
    assert_int_equal(queue.high_water, 5);
    down();
}

/* ---- room ----------------------------------------------------------------------------------- */

TEST(where_there_is_room_nobody_waits)
{
    full_up(1, 2);
    wait_for_room(0);
    assert_int_equal(waiters[0].told, 0); /* then is never called from inside */
    let_pass(0);
    assert_string_equal(trail, "in:0 ");
    down();
}

TEST(room_waits_until_fewer_tasks_wait_than_the_high_water_mark)
{
    full_up(1, 2);
    push_some(0, 3);
    let_pass(1); /* one runs, three wait */
    wait_for_room(0);
    let_pass(9); /* two wait */
    assert_int_equal(waiters[0].told, 0);
    let_pass(10); /* one waits */
    assert_int_equal(waiters[0].told, 1);
    assert_int_equal(waiters[0].wait.op.status, 0);
    down();
}

TEST(waiters_are_let_in_one_for_each_task_that_begins_in_their_order)
{
    full_up(1, 3);
    push_some(0, 3);
    let_pass(1); /* 0 runs, three wait: full */
    for (int id = 0; id < 5; id++)
        wait_for_room(id);
    let_pass(9);
    assert_string_equal(trail, "0 1 in:0 ");
    let_pass(10);
    assert_string_equal(trail, "0 1 in:0 2 in:1 ");
    down();
    assert_in(5);
}

TEST(when_nothing_waits_any_more_everybody_is_let_in)
{
    full_up(1, 1);
    push_some(0, 1);
    let_pass(1);
    for (int id = 0; id < 5; id++)
        wait_for_room(id);
    let_pass(8);
    assert_in(0);
    let_pass(1); /* 1 begins, nothing waits */
    assert_in(5);
    down();
}

TEST(a_task_that_is_cancelled_makes_room_too)
{
    full_up(1, 3);
    push_some(0, 3);
    let_pass(1);
    for (int id = 0; id < 3; id++)
        wait_for_room(id);
    weft_cancel(&tasks[2].op, UV_ECANCELED);
    let_pass(1);
    assert_string_equal(trail, "0 in:0 ");
    weft_cancel(&tasks[3].op, UV_ECANCELED);
    let_pass(1);
    assert_string_equal(trail, "0 in:0 in:1 ");
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    let_pass(1);
    assert_string_equal(trail, "0 in:0 in:1 in:2 ");
    down();
}

TEST(a_kill_lets_everybody_in)
{
    full_up(1, 2);
    push_some(0, 6);
    let_pass(1);
    for (int id = 0; id < WAITERS; id++)
        wait_for_room(id);
    weft_queue_kill(&queue, UV_ECANCELED);
    let_pass(0);
    assert_in(WAITERS);
    down();
}

TEST(a_raised_high_water_mark_lets_in_as_many_as_there_is_room_for)
{
    full_up(1, 2);
    weft_queue_pause(&queue);
    push_some(0, 1);
    for (int id = 0; id < 6; id++)
        wait_for_room(id);
    assert_int_equal(weft_queue_high_water(&queue, 6), 0); /* four places */
    let_pass(0);
    assert_in(4);
    for (int id = 0; id < 4; id++)
        assert_int_equal(waiters[id].told, 1);
    weft_queue_resume(&queue);
    down();
    assert_in(6);
}

TEST(a_lowered_high_water_mark_lets_nobody_in)
{
    full_up(1, 5);
    weft_queue_pause(&queue);
    push_some(0, 4);
    wait_for_room(0);
    assert_int_equal(weft_queue_high_water(&queue, 3), 0);
    let_pass(0);
    assert_in(0);
    weft_queue_resume(&queue);
    down();
    assert_in(1);
}

TEST(a_waiter_for_room_can_be_cancelled)
{
    full_up(1, 1);
    push_some(0, 2);
    let_pass(1);
    for (int id = 0; id < 4; id++)
        wait_for_room(id);
    weft_cancel(&waiters[0].wait.op, UV_ECANCELED);
    weft_cancel(&waiters[3].wait.op, UV_ETIMEDOUT);
    let_pass(0);
    assert_int_equal(waiters[0].wait.op.status, UV_ECANCELED);
    assert_int_equal(waiters[3].wait.op.status, UV_ETIMEDOUT);
    assert_in(2);
    down();
    assert_int_equal(waiters[1].wait.op.status, 0);
    assert_int_equal(waiters[2].wait.op.status, 0);
    assert_in(4);
}

TEST(a_deadline_on_a_waiter_holds)
{
    static struct weft_deadline deadline;
    full_up(1, 1);
    push_some(0, 1);
    let_pass(1);
    wait_for_room(0);
    weft_deadline(&waiters[0].wait.op, &deadline, 3);
    let_pass(3);
    assert_int_equal(waiters[0].wait.op.status, UV_ETIMEDOUT);
    down();
}

static void cancelled_in_begin(struct weft_op *op)
{
    weft_cancel(op, UV_ECANCELED);
    weft_queue_room_begin(op);
}

static void cancelled_in_idle_begin(struct weft_op *op)
{
    weft_cancel(op, UV_ECANCELED);
    weft_queue_idle_begin(op);
}

TEST(a_cancel_that_comes_before_the_wait_is_heard)
{
    full_up(1, 1);
    push_some(0, 1);
    weft_queue_wait_at(WEFT_HERE("wait", WEFT_QUEUE), weft_root(&w.loop), &waiters[0].wait, &queue,
                       cancelled_in_begin, waited);
    weft_queue_wait_at(WEFT_HERE("wait", WEFT_QUEUE), weft_root(&w.loop), &waiters[1].wait, &queue,
                       cancelled_in_idle_begin, waited);
    let_pass(0);
    assert_int_equal(waiters[0].wait.op.status, UV_ECANCELED);
    assert_int_equal(waiters[1].wait.op.status, UV_ECANCELED);
    down();
}

/* A producer that minds: pushes while there is room, waits when there is none. */
static struct producer {
    struct weft_op op;
    struct weft_queue_wait room;
    int next, last;
    size_t highest;
} producers[2];

static void produce(struct weft_op *op, struct weft_op *wait)
{
    struct producer *producer = weft_owner(op, struct producer, op);
    if (wait != NULL && wait->status != 0) {
        weft_end(op, wait->status);
        return;
    }
    bool room = true;
    while (room && producer->next <= producer->last) {
        room = weft_queue_push(&queue, op, &tasks[producer->next].op, work, job_over);
        producer->next++;
        if (queue.waiting > producer->highest)
            producer->highest = queue.waiting;
    }
    if (producer->next <= producer->last)
        weft_queue_room(op, &producer->room, &queue, produce);
    else
        weft_join(op);
}

static void producer_begin(struct weft_op *op)
{
    produce(op, NULL);
}

TEST(a_producer_that_waits_for_room_keeps_the_queue_below_the_mark)
{
    full_up(2, 3);
    producers[0] = (struct producer){.next = 0, .last = TASKS - 1};
    weft_run(weft_root(&w.loop), &producers[0].op, producer_begin, noted);
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.reported, TASKS);
    assert_int_equal(producers[0].highest, 3);
}

TEST(two_producers_that_wait_for_room_both_get_through)
{
    full_up(2, 3);
    producers[0] = (struct producer){.next = 0, .last = 19};
    producers[1] = (struct producer){.next = 20, .last = 39};
    weft_run(weft_root(&w.loop), &producers[0].op, producer_begin, noted);
    weft_run(weft_root(&w.loop), &producers[1].op, producer_begin, noted);
    down();
    assert_int_equal(seen.calls, 2);
    assert_int_equal(jobs.reported, 40);
    assert_true(producers[0].highest <= 4 && producers[1].highest <= 4);
}

TEST(a_producer_that_is_cancelled_leaves_nothing_behind)
{
    for (uint64_t at = 0; at < 60; at += 7) {
        full_up(2, 3);
        producers[0] = (struct producer){.next = 0, .last = TASKS - 1};
        weft_run(weft_root(&w.loop), &producers[0].op, producer_begin, noted);
        let_pass(at);
        weft_cancel(&producers[0].op, UV_ECANCELED);
        down();
        assert_int_equal(seen.status, UV_ECANCELED);
        assert_int_equal(jobs.reported, producers[0].next);
    }
}

/* ---- idle ----------------------------------------------------------------------------------- */

TEST(an_idle_queue_keeps_nobody_waiting)
{
    full_up(1, 1);
    wait_for_idle(0);
    assert_int_equal(waiters[0].told, 0);
    let_pass(0);
    assert_string_equal(trail, "in:0 ");
    down();
}

TEST(idle_waits_until_nothing_waits_and_nothing_runs)
{
    full_up(1, 5);
    push_some(0, 1);
    wait_for_idle(0);
    wait_for_idle(1);
    let_pass(19);
    assert_in(0);
    let_pass(1);
    assert_in(2);
    down();
}

TEST(idle_is_reached_by_cancels_too)
{
    full_up(1, 5);
    weft_queue_pause(&queue);
    push_some(0, 1);
    wait_for_idle(0);
    let_pass(5);
    assert_in(0);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    let_pass(0);
    assert_in(1);
    down();
}

TEST(those_who_wait_for_idle_are_told_in_their_order)
{
    model_up_seeded(&w, 0);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = (struct waiter){.id = i};
    tasks[0] = (struct job){0};
    push(0);
    for (int id = 0; id < 4; id++)
        wait_for_idle(id);
    down();
    assert_string_equal(trail, "0 in:0 in:1 in:2 in:3 ");
}

TEST(a_waiter_for_idle_can_be_cancelled)
{
    full_up(1, 5);
    push(0);
    for (int id = 0; id < 3; id++)
        wait_for_idle(id);
    weft_cancel(&waiters[1].wait.op, UV_ECANCELED);
    weft_cancel(&waiters[2].wait.op, UV_ECANCELED);
    let_pass(5);
    assert_in(2);
    down();
    assert_int_equal(waiters[0].wait.op.status, 0);
    assert_int_equal(waiters[1].wait.op.status, UV_ECANCELED);
}

TEST(weft_end_of_a_waiter_lets_it_go)
{
    full_up(1, 1);
    push_some(0, 1);
    let_pass(1);
    wait_for_room(0);
    wait_for_idle(1);
    weft_end(&waiters[0].wait.op, UV_EIO);
    weft_end(&waiters[1].wait.op, 0);
    let_pass(0);
    assert_int_equal(waiters[0].wait.op.status, UV_EIO);
    assert_int_equal(waiters[1].wait.op.status, 0);
    down();
}

TEST(waiting_for_no_queue_is_invalid)
{
    full_up(1, 1);
    weft_queue_room(weft_root(&w.loop), &waiters[0].wait, NULL, waited);
    weft_queue_idle(weft_root(&w.loop), &waiters[1].wait, NULL, waited);
    down();
    assert_int_equal(waiters[0].wait.op.status, UV_EINVAL);
    assert_int_equal(waiters[1].wait.op.status, UV_EINVAL);
    assert_in(2);
}

TEST(waiting_for_a_closed_queue_is_invalid)
{
    full_up(1, 1);
    assert_int_equal(weft_queue_close(&queue), 0);
    wait_for_room(0);
    wait_for_idle(1);
    world_down(&w);
    assert_int_equal(waiters[0].wait.op.status, UV_EINVAL);
    assert_int_equal(waiters[1].wait.op.status, UV_EINVAL);
}

TEST(the_sites_of_the_waits_say_what_they_are)
{
    full_up(1, 1);
    wait_for_room(0);
    wait_for_idle(1);
    assert_string_equal(waiters[0].wait.op.site_->type, "queue_room");
    assert_string_equal(waiters[1].wait.op.site_->type, "queue_idle");
    assert_int_equal(waiters[0].wait.op.site_->group, WEFT_QUEUE);
    assert_string_equal(waiters[0].wait.op.site_->file, __FILE__);
    down();
}

static void free_wait(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    free(weft_owner(op, struct weft_queue_wait, op));
}

TEST(a_wait_is_the_callers_again_when_its_then_starts)
{
    full_up(1, 1);
    push_some(0, 3);
    let_pass(1);
    for (int i = 0; i < 6; i++) {
        struct weft_queue_wait *wait = calloc(1, sizeof *wait);
        if (i % 2 == 0)
            weft_queue_room(weft_root(&w.loop), wait, &queue, free_wait);
        else
            weft_queue_idle(weft_root(&w.loop), wait, &queue, free_wait);
        if (i >= 4)
            weft_cancel(&wait->op, UV_ECANCELED);
    }
    down();
    assert_int_equal(seen.calls, 6);
}

static bool tasks_4_and_5(const struct weft_op *task, void *context)
{
    (void)context;
    return task == &tasks[4].op || task == &tasks[5].op;
}

TEST(who_comes_while_others_wait_for_room_waits_behind_them)
{
    full_up(1, 4);
    push_some(0, 5);
    let_pass(1); /* 0 runs, 1 to 5 wait: one more than the mark */
    wait_for_room(0);
    wait_for_room(1);
    assert_int_equal(weft_queue_remove(&queue, tasks_4_and_5, NULL), 2); /* room for one: 0 */
    wait_for_room(2); /* fewer tasks wait than the mark, but 1 was here before */
    let_pass(5);
    assert_in(1);
    down();
    assert_in(3);
}

static struct weft_queue_wait own_wait;

static void wait_for_own_queue(struct weft_op *op)
{
    weft_queue_idle(op, &own_wait, &queue, NULL);
    weft_join(op);
}

static void a_task_waits_for_its_own_queue(void)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, wait_for_own_queue, NULL);
    world_run(&w);
}

TEST(a_task_that_waits_for_its_own_queue_to_be_idle_breaks_rule_2)
{
    dies(a_task_waits_for_its_own_queue, "rule 2", "its own queue", "wait_for_own_queue");
}
