/* Rates: so many in an interval, exact on the virtual clock.
 * ctest: labels=valgrind-long */
#include "tasks.h"
#include <limits.h>
#include <stdlib.h>

static const uint64_t year_ms = UINT64_C(365) * 24 * 3600 * 1000;

/* When each task began. */
static uint64_t begun_at[TASKS];
static int begun_count;

static void note_time(struct weft_op *op)
{
    begun_at[begun_count++] = weft_now(&w.loop);
    work(op);
}

static void rate_up(unsigned limit)
{
    up(limit);
    begun_count = 0;
}

static void push_timed(struct weft_lane *lane, int from, int to)
{
    for (int id = from; id <= to; id++)
        weft_lane_push(lane, weft_root(&w.loop), &tasks[id].op, note_time, job_over);
}

static void assert_times(const uint64_t *expected, int count)
{
    assert_int_equal(begun_count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(begun_at[i], expected[i]);
}
#define TIMES(...)                                                                                 \
    assert_times((const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

TEST(tasks_begin_evenly_at_the_rate)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 10, 1000, 1), 0);
    push_timed(&queue.main, 0, 4);
    down();
    TIMES(0, 100, 200, 300, 400);
}

TEST(a_burst_of_0_is_a_burst_of_1)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 10, 1000, 0), 0);
    push_timed(&queue.main, 0, 2);
    down();
    TIMES(0, 100, 200);
}

TEST(a_burst_begins_at_once_and_the_rest_evenly)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 10, 1000, 3), 0);
    push_timed(&queue.main, 0, 6);
    down();
    TIMES(0, 0, 0, 100, 200, 300, 400);
}

TEST(quiet_time_gives_back_the_burst_and_no_more)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 10, 1000, 3), 0);
    push_timed(&queue.main, 0, 2);
    let_pass(150); /* one and a half are there again */
    push_timed(&queue.main, 3, 4);
    let_pass(10000); /* more than three do not come together */
    push_timed(&queue.main, 5, 9);
    down();
    TIMES(0, 0, 0, 150, 200, 10150, 10150, 10150, 10250, 10350);
}

TEST(a_burst_of_the_whole_count_is_allowed)
{
    rate_up(TASKS);
    assert_int_equal(weft_queue_rate(&queue, 4, 100, 4), 0);
    push_timed(&queue.main, 0, 7);
    down();
    TIMES(0, 0, 0, 0, 25, 50, 75, 100);
}

/* Over every stretch from one begin to another: burst + the share of the time, and no more. */
static void assert_never_more(uint64_t count, uint64_t interval, uint64_t burst)
{
    for (int i = 0; i < begun_count; i++) {
        for (int j = i; j < begun_count; j++) {
            uint64_t passed = (uint64_t)(j - i + 1), time = begun_at[j] - begun_at[i];
            if (passed > burst && (passed - burst) * interval > time * count)
                fail_msg("%u per %u ms, burst %u: %u began in %u ms", (unsigned)count,
                         (unsigned)interval, (unsigned)burst, (unsigned)passed, (unsigned)time);
        }
    }
}

TEST(no_stretch_of_time_sees_more_than_the_burst_and_its_share)
{
    struct dice dice = {check_seed()};
    for (int round = 0; round < 300; round++) {
        unsigned count = (unsigned)between(&dice, 1, 40), burst = (unsigned)between(&dice, 1, 6);
        uint64_t interval = (uint64_t)between(&dice, 1, 300);
        rate_up(TASKS);
        assert_int_equal(weft_queue_rate(&queue, count, interval, burst), 0);
        int next = 0;
        while (next < TASKS) {
            int last = next + (int)roll(&dice, 8);
            push_timed(&queue.main, next, last < TASKS ? last : TASKS - 1);
            next = last + 1;
            let_pass(roll(&dice, 4) * interval / count + roll(&dice, 3));
        }
        down();
        assert_int_equal(begun_count, TASKS);
        assert_never_more(count, interval, burst);
        /* Nor slower than it must be: each costs its share, rounded up to the clock's 1 ms. */
        uint64_t share = (interval + count - 1) / count;
        for (int i = 1; i < TASKS; i++)
            assert_true(begun_at[i] - begun_at[i - 1] <= 4 * (interval / count + 1) + 3 + share);
    }
}

TEST(a_rate_holds_whatever_the_order_of_pushes)
{
    rate_up(1);
    assert_int_equal(weft_queue_rate(&queue, 1, 50, 1), 0);
    push_timed(&queue.main, 0, 0);
    let_pass(20);
    push_timed(&queue.main, 1, 1);
    let_pass(20);
    push_timed(&queue.main, 2, 2);
    down();
    TIMES(0, 50, 100);
}

TEST(the_limit_holds_below_a_rate)
{
    rate_up(1);
    all_take(70);
    assert_int_equal(weft_queue_rate(&queue, 1, 50, 1), 0);
    push_timed(&queue.main, 0, 3);
    down();
    TIMES(0, 70, 140, 210);
    assert_int_equal(jobs.most, 1);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

static struct weft_lane a, b;

static void lanes_up(unsigned limit)
{
    rate_up(limit);
    assert_int_equal(weft_lane_init(&a, &queue, UINT_MAX, WEFT_RANK_NORMAL), 0);
    assert_int_equal(weft_lane_init(&b, &queue, UINT_MAX, WEFT_RANK_NORMAL), 0);
}

TEST(a_lane_with_a_rate_does_not_hold_up_the_others)
{
    lanes_up(10);
    assert_int_equal(weft_lane_rate(&a, 1, 30, 1), 0);
    push_timed(&a, 0, 2);
    push_timed(&b, 10, 12);
    down();
    assert_string_equal(trail, "0 10 11 12 1 2 ");
    TIMES(0, 0, 0, 0, 30, 60);
}

TEST(lanes_have_rates_of_their_own)
{
    lanes_up(10);
    assert_int_equal(weft_lane_rate(&a, 1, 30, 1), 0);
    assert_int_equal(weft_lane_rate(&b, 1, 20, 2), 0);
    push_timed(&a, 0, 2);
    push_timed(&b, 10, 13);
    down();
    assert_string_equal(trail, "0 10 11 12 1 13 2 ");
    TIMES(0, 0, 0, 20, 30, 40, 60);
}

TEST(the_rates_of_the_queue_and_of_a_lane_hold_together)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    assert_int_equal(weft_lane_rate(&a, 1, 35, 1), 0);
    push_timed(&a, 0, 2);
    push_timed(&b, 10, 13);
    down();
    /* a may begin again at 35; b has waited since 30 and is first. */
    assert_string_equal(trail, "0 10 11 12 13 1 2 ");
    TIMES(0, 10, 20, 30, 40, 50, 85);
}

TEST(a_lane_that_has_to_wait_does_not_use_up_the_queues_rate)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    assert_int_equal(weft_lane_rate(&a, 1, 100, 1), 0);
    push_timed(&a, 0, 1);
    let_pass(50);
    push_timed(&b, 10, 10);
    down();
    TIMES(0, 50, 100);
}

TEST(a_lane_of_a_smaller_rank_that_has_to_wait_lets_the_others_begin)
{
    struct weft_lane urgent;
    rate_up(1);
    assert_int_equal(weft_lane_init(&urgent, &queue, UINT_MAX, 0), 0);
    assert_int_equal(weft_lane_rate(&urgent, 1, 15, 1), 0);
    all_take(10);
    push_timed(&urgent, 0, 2);
    push_timed(&queue.main, 10, 12);
    down();
    assert_string_equal(trail, "0 10 1 11 2 12 ");
    TIMES(0, 10, 20, 30, 40, 50);
}

/* ---- changes -------------------------------------------------------------------------------- */

TEST(a_rate_of_0_switches_it_off_while_tasks_wait)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 1000, 1), 0);
    push_timed(&queue.main, 0, 3);
    let_pass(100);
    assert_int_equal(weft_queue_rate(&queue, 0, 0, 0), 0);
    assert_int_equal(begun_count, 1); /* not from inside the call */
    down();
    TIMES(0, 100, 100, 100);
}

TEST(a_lanes_rate_of_0_switches_it_off_while_tasks_wait)
{
    lanes_up(10);
    assert_int_equal(weft_lane_rate(&a, 1, 1000, 1), 0);
    push_timed(&a, 0, 3);
    let_pass(100);
    assert_int_equal(weft_lane_rate(&a, 0, 5, 5), 0);
    assert_int_equal(begun_count, 1);
    down();
    TIMES(0, 100, 100, 100);
}

TEST(a_faster_rate_holds_at_once_for_those_that_wait)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 1000, 1), 0);
    push_timed(&queue.main, 0, 3);
    let_pass(100);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    down();
    assert_true(begun_at[1] >= 100 && begun_at[1] <= 110);
    assert_int_equal(begun_at[2] - begun_at[1], 10);
    assert_int_equal(begun_at[3] - begun_at[2], 10);
}

TEST(a_slower_rate_holds_at_once_for_those_that_wait)
{
    lanes_up(10);
    assert_int_equal(weft_lane_rate(&a, 1, 10, 1), 0);
    push_timed(&a, 0, 3);
    let_pass(15);
    assert_int_equal(weft_lane_rate(&a, 1, 100, 1), 0);
    down();
    assert_int_equal(begun_at[1], 10);
    assert_true(begun_at[2] >= 20);
    assert_int_equal(begun_at[3] - begun_at[2], 100);
}

TEST(setting_the_same_rate_again_lets_no_more_through)
{
    rate_up(TASKS);
    assert_int_equal(weft_queue_rate(&queue, 10, 1000, 2), 0);
    push_timed(&queue.main, 0, 9);
    for (int i = 0; i < 100; i++) {
        let_pass(3);
        assert_int_equal(weft_queue_rate(&queue, 10, 1000, 2), 0);
    }
    down();
    assert_never_more(10, 1000, 2);
    TIMES(0, 0, 100, 200, 300, 400, 500, 600, 700, 800);
}

TEST(a_rate_may_be_set_while_tasks_wait_that_had_none)
{
    rate_up(1);
    all_take(10);
    push_timed(&queue.main, 0, 3);
    let_pass(5);
    assert_int_equal(weft_queue_rate(&queue, 1, 100, 1), 0);
    down();
    TIMES(0, 10, 110, 210);
}

/* ---- what is refused, and the extremes ------------------------------------------------------ */

TEST(a_rate_needs_an_interval_of_at_most_a_year)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 0, 1), UV_EINVAL);
    assert_int_equal(weft_queue_rate(&queue, 1, year_ms + 1, 1), UV_EINVAL);
    assert_int_equal(weft_queue_rate(&queue, UINT_MAX, UINT64_MAX, UINT_MAX), UV_EINVAL);
    assert_int_equal(weft_lane_rate(&a, 1, 0, 1), UV_EINVAL);
    assert_int_equal(weft_lane_rate(&a, 1, year_ms + 1, 1), UV_EINVAL);
    push_timed(&queue.main, 0, 3);
    push_timed(&a, 4, 5);
    down();
    TIMES(0, 0, 0, 0, 0, 0); /* no rate was set */
}

TEST(a_refused_rate_leaves_the_old_one)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    push_timed(&queue.main, 0, 3);
    let_pass(5);
    assert_int_equal(weft_queue_rate(&queue, 1, 0, 1), UV_EINVAL);
    down();
    TIMES(0, 10, 20, 30);
}

TEST(once_a_year_is_a_rate)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, year_ms, 1), 0);
    push_timed(&queue.main, 0, 2);
    down();
    TIMES(0, year_ms, 2 * year_ms);
}

TEST(the_greatest_burst_does_not_overflow)
{
    rate_up(TASKS);
    assert_int_equal(weft_queue_rate(&queue, 1, year_ms, UINT_MAX), 0);
    push_timed(&queue.main, 0, TASKS - 1);
    down();
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(begun_at[i], 0);
}

/* (2^20 - 1) times a year in microseconds is still far below 2^64; this product is not. */
TEST(a_burst_that_would_overflow_to_a_small_one_is_still_a_burst)
{
    rate_up(TASKS);
    unsigned burst = (unsigned)(UINT64_MAX / (year_ms * 1000)) + 2;
    assert_int_equal(weft_queue_rate(&queue, 1, year_ms, burst), 0);
    push_timed(&queue.main, 0, TASKS - 1);
    down();
    assert_int_equal(begun_at[TASKS - 1], 0);
}

TEST(the_greatest_count_is_a_rate)
{
    rate_up(TASKS);
    assert_int_equal(weft_queue_rate(&queue, UINT_MAX, 1, UINT_MAX), 0);
    push_timed(&queue.main, 0, TASKS - 1);
    down();
    assert_int_equal(begun_at[TASKS - 1], 0);
}

/* ---- together with the rest ----------------------------------------------------------------- */

TEST(a_rate_that_nobody_waits_for_keeps_no_loop_alive)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, year_ms, 1), 0);
    push_timed(&queue.main, 0, 1);
    let_pass(10);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    down();
    assert_int_equal(w.sim.now_, 10);
}

TEST(a_lanes_rate_that_nobody_waits_for_keeps_no_loop_alive)
{
    lanes_up(10);
    assert_int_equal(weft_lane_rate(&a, 1, year_ms, 1), 0);
    push_timed(&a, 0, 2);
    let_pass(10);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    weft_cancel(&tasks[2].op, UV_ECANCELED);
    down();
    assert_int_equal(w.sim.now_, 10);
}

TEST(a_rate_holds_for_the_next_task_after_all_that_waited_were_cancelled)
{
    lanes_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 100, 1), 0);
    assert_int_equal(weft_lane_rate(&a, 1, 150, 1), 0);
    push_timed(&a, 0, 1);
    let_pass(10);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    let_pass(10);
    push_timed(&a, 2, 2);
    push_timed(&b, 3, 3);
    down();
    assert_string_equal(trail, "0 3 2 ");
    TIMES(0, 100, 200);
}

TEST(a_pause_while_the_rate_is_awaited_holds)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    push_timed(&queue.main, 0, 2);
    let_pass(5);
    weft_queue_pause(&queue);
    let_pass(50);
    weft_queue_resume(&queue);
    down();
    TIMES(0, 55, 65);
}

TEST(tasks_that_are_removed_cost_nothing)
{
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 10, 1), 0);
    push_timed(&queue.main, 0, 5);
    for (int id = 1; id < 5; id++)
        weft_cancel(&tasks[id].op, UV_ECANCELED);
    down();
    TIMES(0, 10);
}

TEST(a_deadline_that_passes_while_the_rate_is_awaited_ends_the_task)
{
    static struct weft_deadline deadline;
    rate_up(10);
    assert_int_equal(weft_queue_rate(&queue, 1, 100, 1), 0);
    push_timed(&queue.main, 0, 1);
    weft_deadline(&tasks[1].op, &deadline, 40);
    down();
    assert_int_equal(tasks[1].op.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 40);
}

TEST(a_rate_holds_on_a_real_clock)
{
    world_up(&w);
    jobs = (struct jobs){0};
    trail[0] = '\0';
    begun_count = 0;
    for (int i = 0; i < TASKS; i++)
        tasks[i] = (struct job){.id = i};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 10), 0);
    assert_int_equal(weft_queue_rate(&queue, 1, 2, 2), 0);
    push_timed(&queue.main, 0, 9);
    down();
    assert_int_equal(begun_count, 10);
    assert_never_more(1, 2, 2);
}
