/* Results are those of this run: under a cancelled parent, where nothing begins, none is left over
 * from the run before.
 * ctest: labels=valgrind-long */
#include "loop.h"
#include <weft/flow.h>

static struct world w;
static struct weft_op parent, runner, task;
static struct weft_race race;
static struct weft_promise promise;
static struct weft_await await[1];
static struct weft_await_many many;
static struct weft_auto graph;
static struct weft_auto_node nodes[1];
static struct weft_retry retry;
static struct weft_repeat repeat;
static struct weft_reflect reflect;

static void start_runner(struct weft_op *op)
{
    weft_run(op, &runner, finish_at_once, weft_race_first);
}

static bool first_round(struct weft_op *op)
{
    return weft_owner(op, struct weft_repeat, op)->rounds == 0;
}

static void do_nothing(struct weft_op *op)
{
    (void)op;
}

static void run_race(struct weft_op *op)
{
    weft_race(op, &race, start_runner, noted);
}

static void run_await(struct weft_op *op)
{
    weft_promise(op, &promise, finish_at_once);
    await[0].promise = &promise;
    weft_await_any(op, &many, await, 1, noted);
}

static void run_auto(struct weft_op *op)
{
    static const struct weft_auto_task tasks[1] = {{.begin = finish_at_once}};
    weft_auto(op, &graph, tasks, nodes, 1, noted);
}

static void run_retry(struct weft_op *op)
{
    weft_retry(op, &retry, &task, finish_at_once, 3, 1, noted);
}

static void run_repeat(struct weft_op *op)
{
    weft_whilst(op, &repeat, first_round, do_nothing, noted);
}

static void run_reflect(struct weft_op *op)
{
    weft_reflect(op, &reflect, &task, fail_at_once, noted);
}

/* Once as it should be, then again under a parent that was cancelled. */
static void run_twice(weft_begin_fn *begin)
{
    parent = (struct weft_op){0};
    world_up_sim(&w, 0);
    w.loop.stuck_to = NULL;
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    begin(&parent);
    assert_int_equal(world_run(&w), WEFT_ESTUCK); /* parent waits for us */
    assert_int_equal(seen.status, 0);
    weft_cancel(&parent, UV_EINTR);
    begin(&parent);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
}

TEST(a_race_that_was_not_run_has_no_winner)
{
    run_twice(run_race);
    assert_null(race.winner);
    assert_int_equal(race.places, 0);
}

TEST(awaits_that_were_not_begun_were_decided_by_none)
{
    run_twice(run_await);
    assert_true(many.which == WEFT_NONE);
}

TEST(a_graph_that_was_not_begun_has_nothing_done)
{
    run_twice(run_auto);
    assert_false(nodes[0].done);
    assert_true(graph.culprit == WEFT_NONE);
}

TEST(a_retry_that_was_not_begun_has_not_tried)
{
    run_twice(run_retry);
    assert_int_equal(retry.tries, 0);
}

TEST(a_loop_that_was_not_begun_has_no_rounds)
{
    run_twice(run_repeat);
    assert_int_equal(repeat.rounds, 0);
}

TEST(a_reflect_that_was_not_begun_has_no_outcome)
{
    run_twice(run_reflect);
    assert_int_equal(reflect.outcome, 0);
}
