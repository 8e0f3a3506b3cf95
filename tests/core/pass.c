/* weft_pass, the then that only passes on how it went.
 * ctest: labels=valgrind */
#include "model.h"
#include <weft/flow.h>

static struct family {
    struct weft_op parent;
    struct job kids[3];
    struct weft_series series;
    struct weft_parallel parallel;
    struct weft_ticker ticker;
    unsigned steps;
} family;

static struct world w;

static void up(void)
{
    model_up(&w);
    family = (struct family){0};
}

static void start_kid(struct weft_op *op, int number)
{
    weft_run(op, &family.kids[number].op, job_begin, weft_pass);
}

static void start_one(struct weft_op *op)
{
    start_kid(op, 0);
}

static void start_three(struct weft_op *op)
{
    for (int i = 0; i < 3; i++)
        start_kid(op, i);
}

static void join_three(struct weft_op *op)
{
    start_three(op);
    weft_join(op);
}

TEST(a_child_that_succeeds_finishes_its_parent)
{
    up();
    family.kids[0].ms = 5;
    weft_run(weft_root(&w.loop), &family.parent, start_one, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_child_that_fails_ends_its_parent)
{
    up();
    family.kids[0] = (struct job){.ms = 5};
    family.kids[1] = (struct job){.ms = 2, .status = UV_EIO};
    family.kids[2] = (struct job){.ms = 3, .status = UV_EPERM};
    weft_run(weft_root(&w.loop), &family.parent, start_three, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(jobs.cancelled, 2);
}

TEST(the_first_that_succeeds_ends_what_was_not_joined)
{
    up();
    family.kids[1].ms = family.kids[2].ms = BY_HAND;
    weft_run(weft_root(&w.loop), &family.parent, start_three, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.cancelled, 2);
}

TEST(a_parent_that_was_joined_waits_for_all)
{
    up();
    for (unsigned i = 0; i < 3; i++)
        family.kids[i].ms = i;
    weft_run(weft_root(&w.loop), &family.parent, join_three, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 3);
    assert_int_equal(jobs.cancelled, 0);
}

static void step_one(struct weft_op *op)
{
    family.steps++;
    start_kid(op, 0);
}

static void step_two(struct weft_op *op)
{
    family.steps++;
    start_kid(op, 1);
}

TEST(a_series_goes_on_with_its_next_step)
{
    up();
    weft_series(weft_root(&w.loop), &family.series, noted, step_one, step_two);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(family.steps, 2);
}

TEST(a_series_ends_with_an_error)
{
    up();
    family.kids[0].status = UV_EIO;
    weft_series(weft_root(&w.loop), &family.series, noted, step_one, step_two);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(family.steps, 1);
}

TEST(a_parallel_waits_for_the_others)
{
    up();
    family.kids[1].ms = 9;
    weft_parallel(weft_root(&w.loop), &family.parallel, noted, step_one, step_two);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.cancelled, 0);
}

static void tick(struct weft_op *op)
{
    start_kid(op, 0);
}

TEST(work_of_its_own_is_ended)
{
    up();
    weft_ticker(weft_root(&w.loop), &family.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(family.ticker.ticks, 1);
}

TEST(a_parent_that_was_cancelled_reports_the_reason)
{
    up();
    family.kids[0].ms = 5;
    weft_run(weft_root(&w.loop), &family.parent, start_one, noted);
    weft_cancel(&family.parent, UV_EINTR);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
}

TEST(under_the_root_a_success_needs_no_answer)
{
    up();
    weft_run(weft_root(&w.loop), &family.kids[0].op, job_begin, weft_pass);
    world_down(&w);
    assert_int_equal(jobs.begun, 1);
}

static void fail_under_the_root(void)
{
    up();
    family.kids[0].status = UV_EIO;
    weft_run(weft_root(&w.loop), &family.kids[0].op, job_begin, weft_pass);
    world_run(&w);
}

TEST(under_the_root_an_error_is_nobodys)
{
    dies(fail_under_the_root, "rule 8", "EIO", "job_begin");
}

static void join_in_a_step(struct weft_op *op)
{
    start_kid(op, 0);
    weft_join(op);
}

static void join_with_nothing_started(struct weft_op *op)
{
    weft_join(op);
}

static void join_a_series(void)
{
    up();
    weft_series(weft_root(&w.loop), &family.series, noted, join_in_a_step, step_two);
}

static void join_a_parallel(void)
{
    up();
    weft_parallel(weft_root(&w.loop), &family.parallel, noted, join_with_nothing_started, step_two);
}

TEST(a_step_that_joins_would_hide_the_steps_behind_it_and_breaks_rule_2)
{
    dies(join_a_series, "rule 2", "join of a flow", "series");
    dies(join_a_parallel, "rule 2", "join of a flow", "parallel");
}

static void ignore_a_failure(struct weft_op *op)
{
    weft_run(op, &family.kids[0].op, job_begin, weft_ignore);
    weft_join(op);
}

TEST(what_is_ignored_ends_nobody)
{
    up();
    family.kids[0].status = UV_EIO;
    weft_run(weft_root(&w.loop), &family.parent, ignore_a_failure, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}
