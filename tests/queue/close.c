/* Close: when it is refused, and that the storage is the caller's at once.
 * ctest: labels=valgrind */
#include "tasks.h"
#include <stdlib.h>

TEST(a_queue_that_waits_or_runs_cannot_be_closed)
{
    up(1);
    all_take(5);
    push_some(0, 1);
    assert_int_equal(weft_queue_close(&queue), UV_EBUSY); /* waits */
    let_pass(7);
    assert_int_equal(queue.running, 1);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(weft_queue_close(&queue), UV_EBUSY); /* runs */
    let_pass(3);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(closing_twice_is_allowed)
{
    up(1);
    push(0);
    world_run(&w);
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(a_queue_that_was_never_made_can_be_closed)
{
    struct weft_queue zeroed = {0};
    assert_int_equal(weft_queue_close(&zeroed), 0);
    struct weft_lane lane = {0};
    assert_int_equal(weft_lane_close(&lane), 0);
}

TEST(a_queue_that_nobody_used_can_be_closed)
{
    up(1);
    assert_int_equal(weft_queue_close(&queue), 0);
    memset(&queue, 0xdd, sizeof queue);
    world_down(&w);
}

TEST(a_closed_queue_can_be_made_again)
{
    up(1);
    assert_int_equal(weft_queue_close(&queue), 0);
    memset(&queue, 0xdd, sizeof queue);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 2), 0);
    push_some(0, 3);
    down();
    assert_string_equal(trail, "0 1 2 3 ");
}

TEST(a_queue_that_somebody_waits_for_cannot_be_closed)
{
    struct weft_queue_wait room = {0}, idle = {0};
    up(1);
    all_take(5);
    weft_queue_high_water(&queue, 1);
    push_some(0, 1);
    let_pass(1);
    weft_queue_room(weft_root(&w.loop), &room, &queue, noted);
    weft_queue_idle(weft_root(&w.loop), &idle, &queue, noted);
    weft_queue_kill(&queue, UV_ECANCELED);
    while (queue.running != 0)
        weft_sim_step(&w.sim);
    if (seen.calls < 2) /* the pump has not run yet: idle still waits */
        assert_int_equal(weft_queue_close(&queue), UV_EBUSY);
    world_run(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static int status_in_begin, status_in_lane_begin;

static void close_in_begin(struct weft_op *op)
{
    status_in_begin = weft_queue_close(&queue);
    status_in_lane_begin = weft_lane_close(&queue.main);
    work(op);
}

TEST(a_queue_cannot_be_closed_in_the_begin_of_its_task)
{
    up(1);
    weft_queue_push(&queue, weft_root(&w.loop), &tasks[0].op, close_in_begin, job_over);
    down();
    assert_int_equal(status_in_begin, UV_EBUSY);
    assert_int_equal(status_in_lane_begin, UV_EBUSY);
}

/* ---- freed at once -------------------------------------------------------------------------- */

struct shop {
    struct weft_queue queue;
    struct weft_lane lane;
    struct weft_listener empty, error;
    struct job jobs[6];
    unsigned left;
};

static void free_shop(struct shop *shop)
{
    assert_int_equal(weft_queue_close(&shop->queue), 0);
    memset(shop, 0xdd, sizeof *shop);
    free(shop);
    leave("freed");
}

static void shop_then(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    struct job *first = job_of(op) - job_of(op)->id;
    struct shop *shop = weft_owner(first, struct shop, jobs[0]);
    if (--shop->left == 0)
        free_shop(shop);
}

static struct shop *open_shop(weft_then_fn *then)
{
    struct shop *shop = calloc(1, sizeof *shop);
    assert_int_equal(weft_queue_init(&shop->queue, &w.loop, 2), 0);
    assert_int_equal(weft_lane_init(&shop->lane, &shop->queue, 1, 0), 0);
    shop->left = 6;
    for (int i = 0; i < 6; i++) {
        shop->jobs[i] = (struct job){.id = i, .ms = (uint64_t)i % 2, .status = i == 2 ? UV_EIO : 0};
        weft_lane_push(i % 2 == 0 ? &shop->lane : &shop->queue.main, weft_root(&w.loop),
                       &shop->jobs[i].op, job_begin, then);
    }
    return shop;
}

TEST(a_queue_can_be_closed_and_freed_in_the_then_of_its_last_task)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        model_up_seeded(&w, seed);
        open_shop(shop_then);
        open_shop(shop_then); /* another one, so that the ready queue has more than one pump */
        world_down(&w);
        assert_string_equal(trail, "freed freed ");
        assert_int_equal(jobs.reported, 12);
    }
}

static void shop_is_empty(struct weft_listener *listener, void *about)
{
    struct shop *shop = weft_owner(listener, struct shop, empty);
    assert_ptr_equal(about, &shop->queue);
    free_shop(shop);
}

static void unexpected(struct weft_listener *listener, void *about)
{
    (void)listener;
    (void)about;
    leave("unexpected");
}

TEST(a_queue_can_be_closed_and_freed_in_its_empty_event)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        model_up_seeded(&w, seed);
        struct shop *shop = open_shop(job_over);
        weft_on(&shop->queue.events, WEFT_QUEUE_EMPTY, &shop->empty, shop_is_empty);
        weft_on(&shop->queue.events, WEFT_QUEUE_EMPTY, &shop->error, unexpected);
        world_down(&w);
        assert_string_equal(trail, "freed ");
    }
}

TEST(a_listener_outlives_the_queue_it_listened_to)
{
    model_up(&w);
    struct weft_listener outside = {0};
    struct shop *shop = open_shop(job_over);
    weft_on(&shop->queue.events, WEFT_QUEUE_ERROR, &outside, unexpected);
    world_run(&w);
    free_shop(shop);
    weft_off(&outside); /* it is off already; and nothing of the shop is looked at */
    world_down(&w);
    assert_string_equal(trail, "unexpected freed ");
}

TEST(a_queue_can_be_freed_when_its_tasks_were_cancelled_and_its_pump_is_still_due)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct weft_op before = {0}, after = {0};
        model_up_seeded(&w, seed);
        weft_tick(weft_root(&w.loop), &before, noted);
        struct weft_queue *heap = calloc(1, sizeof *heap);
        assert_int_equal(weft_queue_init(heap, &w.loop, 1), 0);
        tasks[0] = (struct job){0};
        weft_queue_push(heap, weft_root(&w.loop), &tasks[0].op, job_begin, job_over);
        weft_tick(weft_root(&w.loop), &after, noted);
        weft_cancel(&tasks[0].op, UV_ECANCELED);
        assert_int_equal(weft_queue_close(heap), 0);
        memset(heap, 0xdd, sizeof *heap);
        free(heap);
        struct weft_op more = {0};
        weft_tick(weft_root(&w.loop), &more, noted); /* the ready queue is whole */
        world_down(&w);
        assert_int_equal(seen.calls, 3);
        assert_int_equal(tasks[0].op.status, UV_ECANCELED);
    }
}

TEST(a_pump_that_is_last_on_the_ready_queue_can_be_taken_off)
{
    model_up_seeded(&w, 0);
    struct weft_op first = {0}, more = {0};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_tick(weft_root(&w.loop), &first, noted);
    weft_queue_resume(&queue); /* has the pump look again */
    assert_int_equal(weft_queue_close(&queue), 0);
    memset(&queue, 0xdd, sizeof queue);
    weft_tick(weft_root(&w.loop), &more, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
}

TEST(a_queue_with_timers_armed_lets_go_of_them)
{
    up(5);
    struct weft_lane lane;
    assert_int_equal(weft_lane_init(&lane, &queue, 1, 0), 0);
    assert_int_equal(weft_queue_rate(&queue, 1, 1000, 1), 0);
    assert_int_equal(weft_lane_rate(&lane, 1, 2000, 1), 0);
    push_some(0, 1);
    push_to(&lane, 2);
    push_to(&lane, 3);
    let_pass(1500);
    weft_queue_kill(&queue, UV_ECANCELED);
    assert_int_equal(weft_queue_close(&queue), 0);
    memset(&queue, 0xdd, sizeof queue);
    memset(&lane, 0xdd, sizeof lane);
    world_down(&w);
    assert_int_equal(w.sim.now_, 1500);
}

TEST(the_loop_is_busy_until_the_pump_has_run)
{
    world_up(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_resume(&queue);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}
