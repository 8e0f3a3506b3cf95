/* A million waiting tasks: push, pop and cancel take as long as with ten thousand. In a sorted line
 * they take a little longer, as logarithms do.
 *
 * Time is the thread's own, so that a busy machine does not matter, and the best of three. What is
 * allowed for are caches: a million ops do not fit into any. Something that looked through the line
 * would be a hundred times slower and more.
 * ctest: shuffle=no */
#include "tasks.h"
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <weft/priority.h>

enum { FEW = 10000, MANY = 1000000, CANCELS = 5000, ALLOWED = 40 };

static double thread_seconds(void)
{
    struct timespec time;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t over_count;

static void count_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    over_count++;
}

/* Seconds each, for one task. */
struct costs {
    double push, cancel, pop;
};

static void lower(double *best, double seconds, size_t count)
{
    double each = seconds / (double)count;
    if (*best == 0 || each < *best)
        *best = each;
}

static void measure(struct weft_op *ops, size_t count, struct costs *best)
{
    world_up_in_order(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    memset(ops, 0, count * sizeof *ops);
    over_count = 0;

    double start = thread_seconds();
    for (size_t i = 0; i < count; i++)
        weft_queue_push(&queue, weft_root(&w.loop), &ops[i], finish_at_once, count_over);
    lower(&best->push, thread_seconds() - start, count);

    struct dice dice = {check_seed()};
    start = thread_seconds();
    for (size_t i = 0; i < CANCELS; i++)
        weft_cancel(&ops[roll(&dice, count)], UV_ECANCELED);
    lower(&best->cancel, thread_seconds() - start, CANCELS);

    start = thread_seconds();
    assert_int_equal(world_run(&w), 0);
    lower(&best->pop, thread_seconds() - start, count);
    assert_int_equal(over_count, count);
    assert_int_equal(queue.stats.done + queue.stats.removed, count);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void assert_close(const char *what, double few, double many)
{
    if (many > ALLOWED * few)
        fail_msg("%s takes %.0f ns with %d waiting and %.0f ns with %d", what, few * 1e9, FEW,
                 many * 1e9, MANY);
}

TEST(push_pop_and_cancel_take_as_long_with_a_million_waiting_as_with_ten_thousand)
{
    struct costs few = {0}, many = {0};
    struct weft_op *ops = malloc(MANY * sizeof *ops);
    assert_non_null(ops);
    for (int round = 0; round < 3; round++)
        measure(ops, FEW, &few);
    measure(ops, MANY, &many);
    measure(ops, MANY, &many);
    assert_close("push", few.push, many.push);
    assert_close("cancel", few.cancel, many.cancel);
    assert_close("pop", few.pop, many.pop);
    free(ops);
}

static bool is_the_last(const struct weft_op *task, void *context)
{
    return task == context;
}

TEST(removing_and_killing_a_million_takes_one_walk)
{
    struct weft_op *ops = calloc(MANY, sizeof *ops);
    assert_non_null(ops);
    world_up(&w);
    over_count = 0;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    for (size_t i = 0; i < MANY; i++)
        weft_queue_push(&queue, weft_root(&w.loop), &ops[i], finish_at_once, count_over);
    assert_int_equal(weft_queue_remove(&queue, is_the_last, &ops[MANY - 1]), 1);
    assert_int_equal(queue.waiting, MANY - 1);
    weft_queue_kill(&queue, UV_ECANCELED);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(over_count, MANY);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    free(ops);
}

static size_t left;

static void again(struct weft_op *parent, struct weft_op *op)
{
    over_count++;
    if (left > 0) {
        left--;
        weft_queue_push(&queue, parent, op, finish_at_once, again);
    }
}

/* Each task pushes another one in its begin, on a queue without a limit: whoever begins tasks as
 * long as there are some would never come back. */
static struct endless {
    struct weft_ticker ticker;
    struct weft_op ops[MANY];
    size_t begun;
    bool enough;
} endless;

static void begin_and_push(struct weft_op *op)
{
    if (!endless.enough && endless.begun < MANY)
        weft_queue_push(&queue, op->parent, &endless.ops[endless.begun++], begin_and_push,
                        count_over);
    weft_finish(op, 0);
}

static void had_a_turn(struct weft_op *op)
{
    endless.enough = true;
    weft_end(op, 0);
}

TEST(tasks_that_push_tasks_on_a_queue_without_a_limit_leave_timers_their_turn)
{
    memset(&endless, 0, sizeof endless);
    world_up(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, UINT_MAX), 0);
    weft_queue_push(&queue, weft_root(&w.loop), &endless.ops[endless.begun++], begin_and_push,
                    count_over);
    weft_ticker(weft_root(&w.loop), &endless.ticker, 1, had_a_turn, NULL);
    assert_int_equal(world_run(&w), 0);
    assert_true(endless.enough);
    assert_true(endless.begun < MANY); /* the timer came in between */
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void recycle_a_million(void)
{
    static struct weft_op ops[8];
    world_up(&w);
    over_count = 0;
    left = MANY - 8;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    for (int i = 0; i < 8; i++)
        weft_queue_push(&queue, weft_root(&w.loop), &ops[i], finish_at_once, again);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(a_million_synchronous_tasks_use_the_stack_of_one)
{
    on_a_small_stack(recycle_a_million);
    assert_int_equal(over_count, MANY);
}

/* ---- a sorted line -------------------------------------------------------------------------- */

enum { FEW_SORTED = 1000, MANY_SORTED = 100000 };

/* In which order priorities come; each has tempted some heap. */
static int64_t rising(size_t i)
{
    return (int64_t)i;
}

static int64_t falling(size_t i)
{
    return -(int64_t)i;
}

static int64_t equal(size_t i)
{
    (void)i;
    return 7;
}

static int64_t mixed(size_t i)
{
    return (int64_t)(i * 2654435761U % 1000003U);
}

/* Seconds for one task: pushed, every third changed, every fourth cancelled, the rest run. */
static double measure_sorted(struct weft_urgent *ops, size_t count, int64_t (*priority)(size_t))
{
    struct weft_priority lane;
    world_up_in_order(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    assert_int_equal(weft_priority_init(&lane, &queue, UINT_MAX, 0), 0);
    memset(ops, 0, count * sizeof *ops);
    over_count = 0;
    double start = thread_seconds();
    for (size_t i = 0; i < count; i++)
        weft_priority_push(&lane, weft_root(&w.loop), &ops[i], priority(i), finish_at_once,
                           count_over);
    for (size_t i = 0; i < count; i += 3)
        weft_priority_change(&ops[i], priority(count - i));
    for (size_t i = 0; i < count; i += 4)
        weft_cancel(&ops[i].op, UV_ECANCELED);
    assert_int_equal(world_run(&w), 0);
    double each = (thread_seconds() - start) / (double)count;
    assert_int_equal(over_count, count);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    return each;
}

TEST(a_sorted_line_of_a_hundred_thousand_takes_hardly_longer_a_task_than_one_of_a_thousand)
{
    static int64_t (*const orders[])(size_t) = {rising, falling, equal, mixed};
    struct weft_urgent *ops = malloc(MANY_SORTED * sizeof *ops);
    assert_non_null(ops);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        double few = 0;
        for (int round = 0; round < 5; round++)
            lower(&few, measure_sorted(ops, FEW_SORTED, orders[i]), 1);
        double many = measure_sorted(ops, MANY_SORTED, orders[i]);
        if (many > ALLOWED * few)
            fail_msg("order %zu: a task takes %.0f ns of %d and %.0f ns of %d", i, few * 1e9,
                     FEW_SORTED, many * 1e9, MANY_SORTED);
    }
    free(ops);
}

TEST(removing_and_killing_a_hundred_thousand_of_a_sorted_line_is_quick_too)
{
    struct weft_priority lane;
    struct weft_urgent *ops = calloc(MANY_SORTED, sizeof *ops);
    assert_non_null(ops);
    world_up(&w);
    over_count = 0;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    assert_int_equal(weft_priority_init(&lane, &queue, UINT_MAX, 0), 0);
    for (size_t i = 0; i < MANY_SORTED; i++)
        weft_priority_push(&lane, weft_root(&w.loop), &ops[i], mixed(i), finish_at_once,
                           count_over);
    assert_int_equal(weft_queue_remove(&queue, is_the_last, &ops[MANY_SORTED - 1].op), 1);
    weft_queue_kill(&queue, UV_ECANCELED);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(over_count, MANY_SORTED);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    free(ops);
}
