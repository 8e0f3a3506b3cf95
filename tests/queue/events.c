/* Events: when each is told, and what a listener may do.
 * ctest: labels=valgrind-long */
#include "tasks.h"
#include <limits.h>

static void listen_to_all(void)
{
    for (int event = WEFT_QUEUE_ERROR; event <= WEFT_QUEUE_EMPTY; event++)
        listen_to((enum weft_queue_event)event);
}

/* ---- saturated and unsaturated -------------------------------------------------------------- */

static void saturation_up(unsigned limit)
{
    up(limit);
    listen_to(WEFT_QUEUE_SATURATED);
    listen_to(WEFT_QUEUE_UNSATURATED);
    all_take(5);
}

TEST(saturated_is_told_when_every_place_is_taken)
{
    saturation_up(3);
    push_some(0, 1);
    let_pass(1);
    assert_string_equal(trail, "0 1 ");
    push(2);
    let_pass(1);
    assert_string_equal(trail, "0 1 2 saturated ");
    down();
}

TEST(unsaturated_is_told_when_a_place_is_free_again)
{
    saturation_up(2);
    tasks[1].ms = 8;
    push_some(0, 1);
    let_pass(5);
    assert_string_equal(trail, "0 1 saturated unsaturated ");
    push(2);
    let_pass(1);
    assert_string_equal(trail, "0 1 saturated unsaturated 2 saturated ");
    down();
    assert_string_equal(trail, "0 1 saturated unsaturated 2 saturated unsaturated ");
}

TEST(a_place_that_is_taken_again_at_once_is_not_told)
{
    saturation_up(1);
    push_some(0, 4);
    down();
    assert_string_equal(trail, "0 saturated 1 2 3 4 unsaturated ");
}

TEST(a_raised_limit_makes_a_queue_unsaturated)
{
    saturation_up(1);
    push(0);
    let_pass(1);
    weft_queue_limit(&queue, 2);
    assert_string_equal(trail, "0 saturated "); /* events are not told from inside a call */
    let_pass(1);
    assert_string_equal(trail, "0 saturated unsaturated ");
    down();
    assert_string_equal(trail, "0 saturated unsaturated ");
}

TEST(a_lowered_limit_makes_a_queue_saturated)
{
    saturation_up(3);
    push_some(0, 1);
    let_pass(1);
    weft_queue_limit(&queue, 1);
    let_pass(1);
    assert_string_equal(trail, "0 1 saturated ");
    down();
    assert_string_equal(trail, "0 1 saturated unsaturated ");
}

TEST(a_queue_that_never_fills_up_is_never_saturated)
{
    saturation_up(TASKS + 1);
    push_some(0, TASKS - 1);
    world_run(&w);
    assert_null(strstr(trail, "saturated"));
    down();
}

/* ---- unqueued ------------------------------------------------------------------------------- */

TEST(unqueued_is_told_when_the_last_waiting_task_has_begun)
{
    up(2);
    listen_to(WEFT_QUEUE_UNQUEUED);
    all_take(5);
    push_some(0, 2);
    let_pass(4);
    assert_string_equal(trail, "0 1 ");
    let_pass(1);
    assert_string_equal(trail, "0 1 2 unqueued ");
    push(3);
    down();
    assert_string_equal(trail, "0 1 2 unqueued 3 unqueued ");
}

TEST(unqueued_is_not_told_when_the_last_waiting_task_was_cancelled)
{
    up(1);
    listen_to(WEFT_QUEUE_UNQUEUED);
    all_take(5);
    push_some(0, 1);
    let_pass(1);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    down();
    assert_string_equal(trail, "0 ");
}

static void work_and_push_another(struct weft_op *op)
{
    int next = job_of(op)->id + 1;
    if (next < 4)
        weft_queue_push(&queue, op->parent, &tasks[next].op, work_and_push_another, job_over);
    work(op);
}

TEST(unqueued_is_not_told_while_tasks_push_tasks)
{
    up(4);
    listen_to(WEFT_QUEUE_UNQUEUED);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work_and_push_another, job_over);
    down();
    assert_string_equal(trail, "0 1 2 3 unqueued ");
}

/* ---- empty ---------------------------------------------------------------------------------- */

static void over_and_tell(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    leave("then:%d", job_of(op)->id);
}

TEST(empty_is_told_once_after_the_last_then)
{
    up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    for (int id = 0; id < 3; id++)
        weft_queue_push(&queue, weft_root(&w.loop), &tasks[id].op, job_begin, over_and_tell);
    world_run(&w);
    const char *last = strrchr(trail, 't'); /* of "empty" */
    assert_non_null(last);
    assert_string_equal(last, "ty ");
    assert_int_equal(strlen(trail), strlen("then:0 then:1 then:2 empty "));
    down();
}

TEST(empty_is_told_once_each_time_that_happens)
{
    up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    push_some(0, 2);
    world_run(&w);
    assert_string_equal(trail, "0 1 2 empty ");
    world_run(&w);
    push(3);
    world_run(&w);
    push(4);
    down();
    assert_string_equal(trail, "0 1 2 empty 3 empty 4 empty ");
}

TEST(empty_is_told_when_the_last_waiting_task_was_cancelled)
{
    up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    weft_queue_pause(&queue);
    push_some(0, 2);
    for (int id = 0; id < 3; id++)
        weft_cancel(&tasks[id].op, UV_ECANCELED);
    assert_string_equal(trail, "");
    down();
    assert_string_equal(trail, "empty ");
}

TEST(empty_is_told_once_when_everything_was_killed)
{
    up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    all_take(50);
    push_some(0, 9);
    let_pass(1);
    weft_queue_kill(&queue, UV_ECANCELED);
    down();
    assert_string_equal(trail, "0 1 empty ");
}

static void push_the_next(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    int next = job_of(op)->id + 1;
    if (next < 4)
        weft_queue_push(&queue, parent, &tasks[next].op, work, push_the_next);
}

TEST(empty_is_not_told_between_a_task_and_the_one_its_then_pushes)
{
    up(1);
    listen_to(WEFT_QUEUE_EMPTY);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, work, push_the_next);
    down();
    assert_string_equal(trail, "0 1 2 3 empty ");
}

TEST(empty_is_not_told_to_a_queue_that_nobody_used)
{
    up(1);
    listen_to_all();
    weft_queue_limit(&queue, 2);
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "");
}

/* ---- error ---------------------------------------------------------------------------------- */

TEST(error_is_told_with_the_task_and_before_its_then)
{
    up(1);
    listen_to(WEFT_QUEUE_ERROR);
    tasks[1].status = UV_EIO;
    for (int id = 0; id < 3; id++)
        weft_queue_push(&queue, weft_root(&w.loop), &tasks[id].op, work, over_and_tell);
    down();
    const char *error = strstr(trail, "error:1:EIO"), *then = strstr(trail, "then:1");
    assert_non_null(error);
    assert_non_null(then);
    assert_true(error < then);
    assert_null(strstr(error + 1, "error"));
}

TEST(error_without_a_listener_is_no_fault)
{
    up(1);
    tasks[0].status = UV_EIO;
    push(0);
    down();
    assert_int_equal(tasks[0].op.status, UV_EIO);
}

TEST(error_is_told_for_a_task_that_was_cancelled_while_it_ran)
{
    up(1);
    listen_to(WEFT_QUEUE_ERROR);
    all_take(10);
    push(0);
    let_pass(1);
    weft_cancel(&tasks[0].op, UV_ETIMEDOUT);
    down();
    assert_string_equal(trail, "0 error:0:ETIMEDOUT ");
}

TEST(all_events_of_a_life_come_in_order)
{
    up(2);
    listen_to_all();
    all_take(5);
    tasks[2].status = UV_EIO;
    tasks[2].ms = 7;
    push_some(0, 2);
    down();
    assert_string_equal(trail, "0 1 saturated 2 unqueued unsaturated error:2:EIO empty ");
}

/* ---- what a listener may do ----------------------------------------------------------------- */

enum action {
    PUSH,
    CANCEL_WAITING,
    CANCEL_RUNNING,
    CANCEL_PARENT,
    PAUSE,
    RAISE,
    LOWER,
    KILL,
    STOP,
    REMOVE,
    CLOSE,
    WAIT_FOR_IDLE,
    WAIT_FOR_ROOM,
    TAKE_OFF,
    ACTIONS
};

static struct weft_op parent;
static struct actor {
    struct weft_listener listener;
    enum action action;
    int event;
    unsigned times;
    int pushed, closed;
    struct weft_queue_wait wait;
} actor;

static bool any_task(const struct weft_op *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static void push_more(void)
{
    if (actor.pushed < 3) {
        struct job *job = &tasks[30 + actor.pushed++];
        weft_queue_push_front(&queue, weft_root(&w.loop), &job->op, job_begin, job_over);
    }
}

static void wait_once(weft_begin_fn *begin)
{
    if (actor.times == 1)
        weft_queue_wait_at(WEFT_HERE("wait", WEFT_QUEUE), weft_root(&w.loop), &actor.wait, &queue,
                           begin, noted);
}

static void act(struct weft_listener *listener, void *about)
{
    (void)about;
    assert_ptr_equal(listener, &actor.listener);
    actor.times++;
    switch (actor.action) {
    case PUSH:
        push_more();
        break;
    case CANCEL_WAITING:
        weft_cancel(&tasks[9].op, UV_ECANCELED);
        break;
    case CANCEL_RUNNING:
        weft_cancel(&tasks[1].op, UV_ECANCELED);
        break;
    case CANCEL_PARENT:
        weft_cancel(&parent, UV_ECANCELED);
        break;
    case PAUSE:
        weft_queue_pause(&queue);
        break;
    case RAISE:
        weft_queue_limit(&queue, queue.limit + 1);
        break;
    case LOWER:
        weft_queue_limit(&queue, 1);
        break;
    case KILL:
        weft_queue_kill(&queue, UV_ECANCELED);
        break;
    case STOP:
        weft_queue_stop(&queue);
        break;
    case REMOVE:
        weft_queue_remove(&queue, any_task, NULL);
        break;
    case CLOSE:
        actor.closed = weft_queue_close(&queue);
        break;
    case WAIT_FOR_IDLE:
        wait_once(weft_queue_idle_begin);
        break;
    case WAIT_FOR_ROOM:
        wait_once(weft_queue_room_begin);
        break;
    case TAKE_OFF:
        weft_off(listener);
        break;
    case ACTIONS:
        break;
    }
}

/* Ten tasks on three places, some of them failing; the actor acts at each event. Everything still
 * reports once, and the queue closes. */
static void play(int event, enum action action)
{
    up(3);
    memset(&parent, 0, sizeof parent);
    actor = (struct actor){.event = event, .action = action, .closed = 1};
    weft_on(&queue.events, event, &actor.listener, act);
    weft_queue_high_water(&queue, 4);
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    for (int id = 0; id < 10; id++) {
        tasks[id].ms = (uint64_t)(id * 3 % 5);
        tasks[id].status = id % 4 == 0 ? UV_EIO : 0;
        weft_queue_push(&queue, &parent, &tasks[id].op, job_begin, job_over);
    }
    weft_join(&parent);
    w.loop.stuck_to = NULL;
    world_run(&w);
    if (action == PAUSE && queue.loop != NULL) {
        for (int i = 0; i < 20; i++) { /* it pauses again at each event */
            weft_queue_resume(&queue);
            world_run(&w);
        }
    }
    assert_int_equal(world_run(&w), 0);
    for (int id = 0; id < 10; id++)
        assert_int_equal(tasks[id].reported, 1);
    for (int id = 0; id < actor.pushed; id++)
        assert_int_equal(tasks[30 + id].reported, 1);
    assert_true(actor.times > 0);
    assert_int_equal(jobs.running, 0);
    if (action == CLOSE)
        assert_int_equal(actor.closed, event == WEFT_QUEUE_EMPTY ? 0 : UV_EBUSY);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(a_listener_may_do_anything_to_the_queue_in_any_event)
{
    for (int event = WEFT_QUEUE_ERROR; event <= WEFT_QUEUE_EMPTY; event++) {
        for (int action = 0; action < ACTIONS; action++)
            play(event, (enum action)action);
    }
}

TEST(what_a_listener_of_empty_pushes_runs_and_empty_is_told_again)
{
    up(1);
    listen_to(WEFT_QUEUE_EMPTY);
    actor = (struct actor){.action = PUSH};
    weft_on(&queue.events, WEFT_QUEUE_EMPTY, &actor.listener, act);
    push(0);
    down();
    assert_int_equal(actor.times, 4);
    assert_string_equal(trail, "0 empty empty empty empty ");
}

static void pause_the_queue(struct weft_listener *listener, void *about)
{
    (void)listener;
    weft_queue_pause(about);
}

TEST(a_listener_may_pause_the_queue_before_the_next_task_begins)
{
    up(1);
    struct weft_listener listener = {0};
    weft_on(&queue.events, WEFT_QUEUE_SATURATED, &listener, pause_the_queue);
    push_some(0, 3);
    w.loop.stuck_to = NULL;
    world_run(&w);
    assert_string_equal(trail, "0 ");
    weft_off(&listener);
    weft_queue_resume(&queue);
    down();
    assert_string_equal(trail, "0 1 2 3 ");
}

static bool parent_is_over;

static void parent_over(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    parent_is_over = true;
}

static void then_with_a_parent(struct weft_op *op_parent, struct weft_op *op)
{
    assert_false(parent_is_over);
    assert_ptr_equal(op_parent, &parent);
    job_over(op_parent, op);
    weft_run(op_parent, &tasks[1].op, job_begin, job_over); /* it is refused, and awaited */
}

static void end_the_parent(struct weft_listener *listener, void *about)
{
    (void)listener;
    weft_end(((struct weft_op *)about)->parent, UV_EACCES);
}

TEST(a_listener_of_error_may_end_the_parent_which_is_over_only_after_the_then)
{
    up(1);
    memset(&parent, 0, sizeof parent);
    parent_is_over = false;
    struct weft_listener listener = {0};
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, end_the_parent);
    weft_run(weft_root(&w.loop), &parent, NULL, parent_over);
    tasks[0].status = UV_EIO;
    weft_queue_push(&queue, &parent, &tasks[0].op, work, then_with_a_parent);
    down();
    assert_int_equal(tasks[0].reported, 1);
    assert_true(parent_is_over);
    assert_int_equal(seen.status, UV_EACCES);
    assert_int_equal(tasks[1].op.status, UV_ECANCELED);
    assert_int_equal(tasks[1].begun, 0);
}

static void push_the_failed_one_again(struct weft_listener *listener, void *about)
{
    (void)listener;
    weft_queue_push(&queue, weft_root(&w.loop), about, work, job_over);
}

static void push_from_error(void)
{
    up(1);
    struct weft_listener listener = {0};
    tasks[0].status = UV_EIO;
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, push_the_failed_one_again);
    push(0);
    world_run(&w);
}

TEST(a_task_that_failed_cannot_be_pushed_again_before_its_then)
{
    dies(push_from_error, "rule 1", "still runs");
}
