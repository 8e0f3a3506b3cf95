/* A million synchronous completions use the stack of one, and leave others their turn. */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

enum { MILLION = 1000000 };

static struct world w;
static struct weft_op child;
static size_t count, wanted;

/* ---- series --------------------------------------------------------------------------------- */

static struct weft_series series;

static void count_step(struct weft_op *op)
{
    (void)op;
    count++;
}

static void count_step_with_child(struct weft_op *op)
{
    count++;
    weft_run(op, &child, finish_at_once, NULL);
}

static void many_steps(weft_begin_fn *step)
{
    weft_begin_fn **list = malloc(MILLION * sizeof *list);
    for (size_t i = 0; i < MILLION; i++)
        list[i] = step;
    struct weft_step_list steps = {list, MILLION};
    count = 0;
    model_up(&w);
    memset(&series, 0, sizeof series);
    memset(&child, 0, sizeof child);
    weft_series_at(WEFT_HERE("series", WEFT_FLOW), weft_root(&w.loop), &series, steps, noted);
    world_down(&w);
    free(list);
    assert_int_equal(count, MILLION);
    assert_int_equal(seen.status, 0);
}

static void steps_that_start_nothing(void)
{
    many_steps(count_step);
}

static void steps_with_children(void)
{
    many_steps(count_step_with_child);
}

TEST(a_million_steps_that_start_nothing)
{
    on_a_small_stack(steps_that_start_nothing);
}

TEST(a_million_steps_with_synchronous_children)
{
    on_a_small_stack(steps_with_children);
}

/* ---- each and map --------------------------------------------------------------------------- */

static struct weft_each each;
static struct weft_op slots[3];

static bool next_number(struct weft_op *slot)
{
    return weft_index(slot) < wanted;
}

static void count_item(struct weft_op *op)
{
    count++;
    assert_true(weft_running(op->parent) <= 3);
    weft_finish(op, 0);
}

static void nothing_to_keep(struct weft_op *slot)
{
    (void)slot;
}

static struct weft_slots three_slots(void)
{
    memset(slots, 0, sizeof slots);
    memset(&each, 0, sizeof each);
    count = 0;
    wanted = MILLION;
    return weft_slots(slots, sizeof slots[0], 3);
}

static void million_items(void)
{
    model_up(&w);
    weft_each(weft_root(&w.loop), &each, three_slots(), next_number, count_item, NULL, noted);
    world_down(&w);
}

static void million_results(void)
{
    model_up(&w);
    weft_map(weft_root(&w.loop), &each, three_slots(), next_number, count_item, nothing_to_keep,
             noted);
    world_down(&w);
}

TEST(a_million_synchronous_items_of_an_each)
{
    on_a_small_stack(million_items);
    assert_int_equal(count, MILLION);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_million_synchronous_items_of_a_map)
{
    on_a_small_stack(million_results);
    assert_int_equal(count, MILLION);
    assert_int_equal(seen.status, 0);
}

/* On the real loop: a timer gets its turn while the items go on. */
static struct weft_ticker ticker;

static void tick(struct weft_op *op)
{
    if (seen.calls != 0 || ticker.ticks == 5) {
        wanted = 0; /* the endless source is dry */
        weft_end(op, 0);
    }
}

static void each_and_ticker(void)
{
    world_up(&w);
    weft_ticker(weft_root(&w.loop), &ticker, 1, tick, NULL);
    struct weft_slots three = three_slots();
    wanted = SIZE_MAX;
    weft_each(weft_root(&w.loop), &each, three, next_number, count_item, NULL, noted);
    world_down(&w);
}

TEST(an_endless_synchronous_each_does_not_starve_a_timer)
{
    on_a_small_stack(each_and_ticker);
    assert_int_equal(ticker.ticks, 5);
    assert_int_equal(seen.status, 0);
}

/* ---- retry, and flows nested deeply --------------------------------------------------------- */

static struct weft_retry retry;

static void fail_and_count(struct weft_op *op)
{
    count++;
    weft_finish(op, count < MILLION / 10 ? UV_EAGAIN : 0);
}

static void many_tries(void)
{
    model_up(&w);
    count = 0;
    memset(&retry, 0, sizeof retry);
    memset(&child, 0, sizeof child);
    weft_retry(weft_root(&w.loop), &retry, &child, fail_and_count, MILLION, 0, noted);
    world_down(&w);
}

TEST(a_hundred_thousand_synchronous_tries)
{
    on_a_small_stack(many_tries);
    assert_int_equal(count, MILLION / 10);
    assert_int_equal(seen.status, 0);
}

/* timeout of timeout of timeout ... of a job */
static struct weft_timeout *deep;

static void timeouts_in_timeouts(bool cancel)
{
    enum { DEPTH = 100000 };
    static struct job last;
    model_up(&w);
    last = (struct job){.ms = 10};
    deep = calloc(DEPTH, sizeof *deep);
    for (size_t i = 0; i < DEPTH; i++) {
        deep[i].task = i + 1 < DEPTH ? &deep[i + 1].op : &last.op;
        deep[i].begin = i + 1 < DEPTH ? weft_timeout_begin : job_begin;
        deep[i].ms = 1000;
    }
    weft_run(weft_root(&w.loop), &deep[0].op, weft_timeout_begin, noted);
    weft_sim_advance(&w.sim, 5);
    assert_int_equal(jobs.running, 1);
    if (cancel)
        weft_cancel(&deep[0].op, UV_ECANCELED);
    world_down(&w);
    free(deep);
}

static void deep_to_the_end(void)
{
    timeouts_in_timeouts(false);
}

static void deep_cancelled(void)
{
    timeouts_in_timeouts(true);
}

TEST(a_hundred_thousand_nested_timeouts)
{
    on_a_small_stack(deep_to_the_end);
    assert_int_equal(seen.status, 0);
}

TEST(a_hundred_thousand_nested_timeouts_cancelled)
{
    on_a_small_stack(deep_cancelled);
    assert_int_equal(seen.status, UV_ECANCELED);
}
