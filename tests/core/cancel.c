/* Cancel: at every step of an op's way, and whatever its functions do meanwhile.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct family {
    struct weft_op op;
    struct weft_op kids[3];
    struct weft_sleep nap;
};

/* ---- where an op can be --------------------------------------------------------------------- */

TEST(a_cancel_before_the_first_run_has_no_effect)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_cancel(&op, UV_ECANCELED);
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_cancel_after_then_has_no_effect)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    assert_int_equal(world_run(&w), 0);
    weft_cancel(&op, UV_ECANCELED);
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, 0);
}

TEST(a_cancel_between_finish_and_then_comes_too_late)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static void cancel_myself_then_sleep(struct weft_op *op)
{
    weft_cancel(op, UV_ECANCELED);
    weft_sleep_begin(op);
}

TEST(a_cancel_inside_begin_reaches_the_work_that_begin_starts)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 100000};
    weft_run(weft_root(&w.loop), &nap.op, cancel_myself_then_sleep, noted);
    world_down(&w);
    assert_int_equal(w.sim.now_, 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

/* The first 32 begins nest; the next op is STARTING when begin returns. */
struct link {
    struct weft_op op;
    struct link *next;
};

static void nest(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL)
        weft_run(op, &link->next->op, nest, noted);
    else
        seen.begun++;
    weft_join(op);
}

TEST(an_op_that_is_about_to_start_is_not_begun_after_a_cancel)
{
    struct world w;
    world_up(&w);
    struct link links[33];
    memset(links, 0, sizeof links);
    for (int i = 0; i < 32; i++)
        links[i].next = &links[i + 1];
    weft_run(weft_root(&w.loop), &links[0].op, nest, noted);
    weft_cancel(&links[32].op, UV_ETIMEDOUT);
    weft_cancel(&links[32].op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.calls, 33);
    assert_int_equal(links[32].op.status, UV_ETIMEDOUT);
    assert_int_equal(links[0].op.status, 0);
}

TEST(a_cancel_in_flight_stops_the_work)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 100000, noted);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&nap.op, UV_ECANCELED);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(w.sim.now_, 10);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_waiting_task_that_is_cancelled_is_not_begun)
{
    struct world w;
    world_up(&w);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct weft_op tasks[3] = {0};
    for (int i = 0; i < 3; i++)
        weft_queue_push(&queue, weft_root(&w.loop), &tasks[i], begin_counted, noted);
    for (int i = 0; i < 3; i++)
        weft_cancel(&tasks[i], UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_int_equal(weft_queue_close(&queue), 0);
}

static void push_three(struct weft_op *op, struct weft_queue *queue, struct weft_op *tasks)
{
    for (int i = 0; i < 3; i++)
        weft_queue_push(queue, op, &tasks[i], wait_for_cancel, noted);
    weft_join(op);
}

TEST(a_cancel_of_the_parent_reaches_tasks_that_wait_and_tasks_that_run)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    push_three(&f.op, &queue, f.kids);
    assert_true(weft_sim_step(&w.sim)); /* the first one runs now */
    assert_int_equal(queue.running, 1);
    assert_int_equal(queue.waiting, 2);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 4);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f.kids[i].status, UV_ETIMEDOUT);
    assert_int_equal(f.op.status, UV_ETIMEDOUT);
    assert_int_equal(weft_queue_close(&queue), 0);
}

/* ---- sticky --------------------------------------------------------------------------------- */

TEST(the_first_reason_stands)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_cancel(&op, UV_ETIMEDOUT);
    weft_cancel(&op, UV_ECANCELED);
    assert_int_equal(weft_cancelled(&op), UV_ETIMEDOUT);
    weft_join(&op);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(any_negative_number_is_a_reason)
{
    struct world w;
    world_up(&w);
    struct weft_op ops[3] = {0};
    const int reasons[3] = {-1, WEFT_ESTOPPED, INT32_MIN};
    for (int i = 0; i < 3; i++) {
        weft_run(weft_root(&w.loop), &ops[i], wait_for_cancel, noted);
        weft_cancel(&ops[i], reasons[i]);
    }
    world_down(&w);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ops[i].status, reasons[i]);
}

TEST(under_a_cancelled_parent_begin_is_not_called_and_then_gets_the_reason)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    weft_run(&f.op, &f.kids[0], begin_counted, noted);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(weft_cancelled(&f.kids[0]), UV_ETIMEDOUT);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(f.kids[0].status, UV_ETIMEDOUT);
}

static void start_the_second(struct weft_op *op, struct weft_op *kid)
{
    struct family *f = weft_owner(op, struct family, op);
    (void)kid; /* ignores the error, as careless programs do */
    weft_run(op, &f->kids[1], begin_counted, noted);
}

TEST(a_cancel_between_two_children_stops_the_second)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, start_the_second);
    weft_join(&f.op);
    weft_cancel(&f.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(f.kids[0].status, 0);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(f.kids[1].status, UV_ECANCELED);
    assert_int_equal(f.op.status, UV_ECANCELED);
}

static void run_once_more(struct weft_op *op, struct weft_op *kid)
{
    noted(op, kid);
    if (seen.calls < 100)
        weft_run(op, kid, begin_counted, run_once_more);
    else
        weft_join(op);
}

TEST(an_op_cancelled_in_flight_may_be_run_again_and_is_refused)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, run_once_more);
    f.kids[0].since_ms_ = 0x10000; /* whatever the clock said when it was begun */
    weft_cancel(&f.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 101);
    assert_int_equal(seen.begun, 0);
}

/* A parent in the same storage that is cancelled in every run, and goes on each time: none of its
 * runs is the loop that rule 5 is about. */
static void start_the_kid(struct weft_op *op, struct weft_op *nap)
{
    (void)nap;
    weft_run(op, &weft_owner(op, struct family, op)->kids[0], begin_counted, weft_pass);
}

static void nap_first(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct family, op)->nap, 1, start_the_kid);
}

TEST(an_op_may_be_cancelled_in_any_number_of_runs)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {0};
    for (unsigned i = 0; i < 20000; i++) {
        weft_run(weft_root(&w.loop), &f.op, nap_first, noted);
        weft_cancel(&f.op, UV_ECANCELED);
        weft_sim_advance(&w.sim, 1);
        assert_int_equal(seen.status, UV_ECANCELED);
    }
    world_down(&w);
    assert_int_equal(seen.calls, 20000);
    assert_int_equal(seen.begun, 0);
}

/* ---- cancel functions ----------------------------------------------------------------------- */

static unsigned asked;
static int asked_why;

static void count_and_finish(struct weft_op *op, int reason)
{
    asked++;
    asked_why = reason;
    weft_finish(op, reason);
}

static void wait_counting(struct weft_op *op)
{
    weft_on_cancel(op, count_and_finish);
}

TEST(a_cancel_function_is_called_once_with_the_reason)
{
    struct world w;
    world_up(&w);
    asked = 0;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_counting, noted);
    weft_cancel(&op, UV_ETIMEDOUT);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(asked, 1);
    assert_int_equal(asked_why, UV_ETIMEDOUT);
}

TEST(a_cancel_function_set_after_the_cancel_is_called_at_once)
{
    struct world w;
    world_up(&w);
    asked = 0;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_cancel(&op, UV_ETIMEDOUT);
    weft_on_cancel(&op, count_and_finish);
    assert_int_equal(asked, 1);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_cancel_function_that_was_taken_back_is_not_called)
{
    struct world w;
    world_up(&w);
    asked = 0;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_counting, noted);
    weft_on_cancel(&op, NULL);
    weft_cancel(&op, UV_ECANCELED);
    assert_int_equal(asked, 0);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(an_op_whose_cancel_function_was_taken_back_ends_at_once)
{
    struct world w;
    world_up(&w);
    asked = 0;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_counting, noted);
    weft_on_cancel(&op, NULL);
    weft_end(&op, 0);
    world_down(&w);
    assert_int_equal(asked, 0);
    assert_int_equal(seen.calls, 1);
}

TEST(a_cancel_function_is_not_called_for_an_op_that_has_finished)
{
    struct world w;
    world_up(&w);
    asked = 0;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_counting, noted);
    weft_finish(&op, 0);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(asked, 0);
    assert_int_equal(seen.status, 0);
}

TEST(a_cancel_may_lose)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_cancel(&op, UV_ECANCELED);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

/* A child's cancel function cancels its parent again and starts another child there. */
static void cancel_more_and_start(struct weft_op *op, int reason)
{
    struct family *f = weft_owner(op, struct family, kids[0]);
    weft_cancel(&f->op, UV_EIO);
    weft_run(&f->op, &f->kids[1], begin_counted, noted);
    weft_finish(op, reason);
}

static void wait_and_start(struct weft_op *op)
{
    weft_on_cancel(op, cancel_more_and_start);
}

TEST(a_cancel_function_may_cancel_and_start)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_and_start, noted);
    weft_join(&f.op);
    weft_cancel(&f.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(f.kids[1].status, UV_ECANCELED);
    assert_int_equal(f.op.status, UV_ECANCELED);
}

/* The walk stands on kids[1], the middle one: the list was kids[2], kids[1], kids[0]. */
static void finish_both_neighbours(struct weft_op *op, int reason)
{
    struct family *f = weft_owner(op, struct family, kids[1]);
    weft_finish(&f->kids[0], 0);
    weft_finish(op, reason);
}

static void wait_for_neighbours(struct weft_op *op)
{
    weft_on_cancel(op, finish_both_neighbours);
}

TEST(a_cancel_function_may_finish_another_op)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_run(&f.op, &f.kids[1], wait_for_neighbours, noted);
    weft_run(&f.op, &f.kids[2], wait_for_cancel, noted);
    weft_join(&f.op);
    weft_cancel(&f.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(f.kids[0].status, 0);
    assert_int_equal(f.kids[1].status, UV_ECANCELED);
    assert_int_equal(f.kids[2].status, UV_ECANCELED);
}

static void join_children(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void work_with_children(struct weft_op *op)
{
    struct family *f = weft_owner(op, struct family, op);
    weft_on_cancel(op, join_children);
    weft_run(op, &f->kids[0], wait_for_cancel, noted);
    weft_sleep(op, &f->nap, 100000, noted);
}

TEST(a_cancel_function_may_leave_the_finish_to_its_children)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, work_with_children, noted);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(f.nap.op.status, UV_ETIMEDOUT);
    assert_int_equal(f.op.status, UV_ETIMEDOUT);
}

TEST(end_of_work_with_children_stops_both)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, work_with_children, noted);
    weft_end(&f.op, 0);
    world_down(&w);
    assert_int_equal(w.sim.now_, 0);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(f.op.status, 0);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static void cancel_the_parent(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    weft_cancel(parent, UV_ECANCELED);
}

TEST(siblings_that_are_both_ready_cancel_each_other_in_vain)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, cancel_the_parent);
    weft_run(&f.op, &f.kids[1], finish_at_once, cancel_the_parent);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(f.kids[0].status, 0);
    assert_int_equal(f.kids[1].status, 0);
    assert_int_equal(f.op.status, UV_ECANCELED);
}

TEST(a_cancel_leaves_the_parent_and_the_siblings_alone)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_run(&f.op, &f.kids[1], wait_for_cancel, noted);
    weft_cancel(&f.kids[0], UV_ECANCELED);
    assert_int_equal(weft_cancelled(&f.op), 0);
    assert_int_equal(weft_cancelled(&f.kids[1]), 0);
    weft_finish(&f.kids[1], 0);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(f.op.status, 0);
    assert_int_equal(f.kids[0].status, UV_ECANCELED);
}

TEST(a_cancel_of_the_root_ends_everything_and_nothing_starts_any_more)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {0};
    struct weft_queue queue;
    struct weft_op tasks[2] = {0}, tick = {0}, immediate = {0}, late = {0};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_run(weft_root(&w.loop), &f.op, work_with_children, noted);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0], wait_for_cancel, noted);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[1], wait_for_cancel, noted);
    weft_immediate(weft_root(&w.loop), &immediate, noted);
    weft_tick(weft_root(&w.loop), &tick, noted);
    weft_cancel(weft_root(&w.loop), UV_ECANCELED);
    weft_run(weft_root(&w.loop), &late, begin_counted, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 8);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(f.op.status, UV_ECANCELED);
    assert_int_equal(tasks[1].status, UV_ECANCELED);
    assert_int_equal(immediate.status, UV_ECANCELED);
    assert_int_equal(tick.status, 0); /* it was finished already */
    assert_int_equal(late.status, UV_ECANCELED);
    assert_int_equal(weft_cancelled(weft_root(&w.loop)), UV_ECANCELED);
    assert_int_equal(weft_queue_close(&queue), 0);
}

/* ---- at every step -------------------------------------------------------------------------- */

/* A longer way: it sleeps, ticks, waits for I/O, waits in a queue, races two ops, hears from a
 * thread. Each step ignores the errors of the one before it, so a cancel shows at all of them. */
struct journey {
    struct weft_op op;
    struct weft_sleep nap;
    struct weft_op tick, immediate, task, group, pair[2];
    struct weft_queue *queue;
    struct weft_post post;
    struct weft_op heard;
    uv_thread_t thread;
    bool posted;
    unsigned stations;
};

static struct journey *journey_of(struct weft_op *op)
{
    return weft_owner(op, struct journey, op);
}

static void arrived(struct weft_op *op, struct weft_op *last)
{
    journey_of(op)->stations++;
    weft_end(op, last->status);
}

static void post_came(struct weft_post *post)
{
    struct journey *j = weft_owner(post, struct journey, post);
    uv_thread_join(&j->thread);
    weft_finish(&j->heard, 0);
}

static void send_post(void *journey)
{
    weft_post(&((struct journey *)journey)->post);
}

/* The thread uses the storage: a cancel waits for it. */
static void keep_waiting(struct weft_op *op, int reason)
{
    (void)op;
    (void)reason;
}

static void hear(struct weft_op *op)
{
    struct journey *j = weft_owner(op, struct journey, heard);
    weft_post_init(weft_loop_of(op), &j->post, post_came);
    weft_on_cancel(op, keep_waiting);
    assert_int_equal(uv_thread_create(&j->thread, send_post, j), 0);
}

static void paired(struct weft_op *op, struct weft_op *group)
{
    (void)group;
    journey_of(op)->stations++;
    weft_run(op, &journey_of(op)->heard, hear, arrived);
}

static void pair_over(struct weft_op *group, struct weft_op *one)
{
    weft_end(group, one->status);
}

static void pair_up(struct weft_op *group)
{
    struct journey *j = weft_owner(group, struct journey, group);
    weft_run(group, &j->pair[0], wait_for_cancel, pair_over);
    weft_tick(group, &j->pair[1], pair_over);
}

static void queued(struct weft_op *op, struct weft_op *task)
{
    (void)task;
    journey_of(op)->stations++;
    weft_run(op, &journey_of(op)->group, pair_up, paired);
}

static void looked(struct weft_op *op, struct weft_op *immediate)
{
    (void)immediate;
    struct journey *j = journey_of(op);
    j->stations++;
    weft_queue_push(j->queue, op, &j->task, finish_at_once, queued);
}

static void ticked(struct weft_op *op, struct weft_op *tick)
{
    (void)tick;
    journey_of(op)->stations++;
    weft_immediate(op, &journey_of(op)->immediate, looked);
}

static void slept(struct weft_op *op, struct weft_op *nap)
{
    (void)nap;
    journey_of(op)->stations++;
    weft_tick(op, &journey_of(op)->tick, ticked);
}

static void depart(struct weft_op *op)
{
    weft_sleep(op, &journey_of(op)->nap, 10, slept);
}

static void forget_journey(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    struct journey *j = journey_of(op);
    memset(j, 0xa5, sizeof *j);
    free(j);
}

/* Cancel after `at` steps; true: it was over before. */
static bool travel(uint64_t seed, unsigned at)
{
    struct world w;
    world_up_sim(&w, seed);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct journey *j = calloc(1, sizeof *j);
    j->queue = &queue;
    weft_run(weft_root(&w.loop), &j->op, depart, forget_journey);
    for (unsigned i = 0; i < at && seen.calls == 0; i++)
        weft_sim_step(&w.sim);
    bool over = seen.calls != 0;
    if (!over)
        weft_cancel(&j->op, UV_ECANCELED);
    uint64_t then = w.sim.now_;
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.calls, 1);
    if (over)
        assert_int_equal(seen.status, 0);
    else
        assert_true(seen.status == UV_ECANCELED || seen.status == 0);
    assert_int_equal(w.sim.now_, then); /* nothing slept on */
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    return over;
}

TEST(a_cancel_works_at_every_step_of_a_longer_way)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        unsigned at = 0;
        while (!travel(seed, at))
            at++;
        assert_true(at > 6);
    }
}
