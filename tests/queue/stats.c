/* Statistics, exact on the virtual clock.
 * ctest: labels=valgrind-long */
#include "tasks.h"

static void assert_stats(uint64_t done, uint64_t failed, uint64_t removed)
{
    assert_int_equal(queue.stats.done, done);
    assert_int_equal(queue.stats.failed, failed);
    assert_int_equal(queue.stats.removed, removed);
}

TEST(a_new_queue_has_done_nothing)
{
    up(1);
    assert_stats(0, 0, 0);
    assert_int_equal(queue.stats.wait_ms, 0);
    assert_int_equal(queue.stats.run_ms, 0);
    down();
}

TEST(a_task_counts_when_its_place_is_free_again)
{
    up(1);
    all_take(5);
    push(0);
    let_pass(4);
    assert_stats(0, 0, 0);
    assert_int_equal(queue.running, 1);
    let_pass(1);
    assert_stats(1, 0, 0);
    assert_int_equal(queue.running, 0);
    down();
}

TEST(done_and_failed_are_told_apart)
{
    up(2);
    for (int id = 0; id < 10; id++)
        tasks[id].status = id % 3 == 0 ? UV_EIO : 0;
    push_some(0, 9);
    down();
    assert_stats(6, 4, 0);
}

TEST(a_task_that_is_cancelled_while_it_runs_has_failed)
{
    up(1);
    all_take(5);
    push(0);
    let_pass(2);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    down();
    assert_stats(0, 1, 0);
    assert_int_equal(queue.stats.run_ms, 2);
}

TEST(a_task_that_never_began_was_removed)
{
    up(1);
    all_take(5);
    push_some(0, 3);
    let_pass(1);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    weft_cancel(&tasks[2].op, UV_ETIMEDOUT);
    assert_stats(0, 0, 2);
    down();
    assert_stats(2, 0, 2);
}

TEST(a_task_that_was_refused_was_removed)
{
    up(1);
    weft_queue_stop(&queue);
    push_some(0, 2);
    down();
    assert_stats(0, 0, 3);
}

TEST(waiting_time_is_summed_from_push_to_begin)
{
    up(1);
    all_take(10);
    push_some(0, 2); /* wait 0, 10 and 20 */
    let_pass(5);
    push(3); /* waits 25 */
    down();
    assert_int_equal(queue.stats.wait_ms, 0 + 10 + 20 + 25);
}

TEST(waiting_time_of_a_removed_task_does_not_count)
{
    up(1);
    all_take(10);
    push_some(0, 1);
    let_pass(7);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    down();
    assert_int_equal(queue.stats.wait_ms, 0);
}

TEST(running_time_is_summed_from_begin_to_the_free_place)
{
    up(2);
    tasks[0].ms = 3;
    tasks[1] = (struct job){.ms = 8, .status = UV_EIO};
    tasks[2] = (struct job){.ms = 100, .linger_ms = 4};
    push_some(0, 2); /* 2 begins at 3 */
    let_pass(9);
    weft_cancel(&tasks[2].op, UV_ECANCELED);
    down();
    assert_int_equal(queue.stats.run_ms, 3 + 8 + 10);
    assert_stats(1, 2, 0);
}

TEST(running_and_waiting_are_counted_for_the_queue_and_for_each_lane)
{
    struct weft_lane lane;
    up(3);
    assert_int_equal(weft_lane_init(&lane, &queue, 1, 0), 0);
    all_take(10);
    push_some(0, 3);
    for (int id = 10; id < 13; id++)
        push_to(&lane, id);
    assert_int_equal(queue.waiting, 7);
    assert_int_equal(lane.waiting, 3);
    assert_int_equal(queue.main.waiting, 4);
    let_pass(0);
    assert_int_equal(queue.running, 3);
    assert_int_equal(lane.running, 1);
    assert_int_equal(queue.main.running, 2);
    assert_int_equal(queue.waiting, 4);
    assert_int_equal(lane.waiting, 2);
    assert_int_equal(queue.main.waiting, 2);
    down();
    assert_int_equal(lane.running, 0);
    assert_int_equal(lane.waiting, 0);
}

TEST(time_beyond_32_bits_of_milliseconds_does_not_confuse_the_sums)
{
    up(1);
    let_pass((UINT64_C(1) << 32) - 5);
    all_take(10);
    push_some(0, 1); /* the clock's low half wraps while 0 runs */
    down();
    assert_int_equal(queue.stats.wait_ms, 10);
    assert_int_equal(queue.stats.run_ms, 20);
}
