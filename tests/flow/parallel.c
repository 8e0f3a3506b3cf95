/* Parallel: all steps at once, awaited together.
 * ctest: labels=valgrind-long */
#include "model.h"
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct weft_parallel parallel;
static struct job a, b, c;

static void up(void)
{
    model_up(&w);
    memset(&parallel, 0, sizeof parallel);
    a = b = c = (struct job){0};
}

static void start_a(struct weft_op *op)
{
    leave("a");
    weft_run(op, &a.op, job_begin, NULL);
}

static void start_b(struct weft_op *op)
{
    leave("b");
    weft_run(op, &b.op, job_begin, NULL);
}

static void start_c(struct weft_op *op)
{
    leave("c");
    weft_run(op, &c.op, job_begin, NULL);
}

static void nothing(struct weft_op *op)
{
    (void)op;
    leave("nothing");
}

static void run_a_b_c(void)
{
    weft_parallel(weft_root(&w.loop), &parallel, noted, start_a, start_b, start_c);
}

TEST(an_empty_parallel_finishes_with_0_on_a_later_turn)
{
    up();
    struct weft_step_list none = {NULL, 0};
    weft_parallel_at(WEFT_HERE("parallel", WEFT_FLOW), weft_root(&w.loop), &parallel, none, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_parallel_of_one_step_runs_it)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, start_b);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "b ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_parallel_runs_all_steps_at_once_and_waits_for_the_last)
{
    up();
    a.ms = 5;
    b.ms = 9;
    c.ms = 2;
    run_a_b_c();
    assert_string_equal(trail, "a b c ");
    assert_int_equal(jobs.most, 3);
    weft_sim_advance(&w.sim, 8);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(steps_that_start_nothing_are_a_parallel_that_finishes)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, nothing, nothing);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "nothing nothing ");
    assert_int_equal(seen.status, 0);
}

static void start_b_after(struct weft_op *op, struct weft_op *child)
{
    (void)child;
    start_b(op);
}

static void start_a_then_b(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, start_b_after);
}

TEST(a_parallel_awaits_what_a_then_starts)
{
    up();
    a.ms = 3;
    b.ms = 4;
    c.ms = 1;
    weft_parallel(weft_root(&w.loop), &parallel, noted, start_a_then_b, start_c);
    weft_sim_advance(&w.sim, 6);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(b.begun, 1);
    assert_int_equal(seen.status, 0);
}

static void fails_after(struct job *failing, uint64_t ms)
{
    up();
    a = (struct job){.ms = 10, .linger_ms = 5};
    b = (struct job){.ms = 20, .linger_ms = 5};
    c = (struct job){.ms = 30, .linger_ms = 5};
    *failing = (struct job){.ms = ms, .status = UV_EIO};
    run_a_b_c();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(the_first_error_cancels_the_rest_and_awaits_it)
{
    fails_after(&b, 3);
    assert_int_equal(jobs.cancelled, 2);
    assert_int_equal(w.sim.now_, 8);
}

TEST(an_error_in_the_middle_cancels_what_still_runs)
{
    fails_after(&b, 15);
    assert_int_equal(jobs.cancelled, 1);
    assert_int_equal(a.op.status, 0);
    assert_int_equal(c.op.status, UV_ECANCELED);
}

TEST(an_error_of_the_last_one_ends_a_parallel_too)
{
    fails_after(&c, 40);
    assert_int_equal(jobs.cancelled, 0);
}

TEST(a_synchronous_error_still_lets_the_other_steps_begin)
{
    up();
    a.status = UV_EIO;
    b.ms = 5;
    run_a_b_c();
    world_down(&w);
    assert_string_equal(trail, "a b c ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_parallel_reports_only_the_first_of_two_errors)
{
    up();
    a = (struct job){.ms = 4, .status = UV_ENOENT};
    b = (struct job){.ms = 3, .status = UV_EIO};
    c = (struct job){.ms = 100, .linger_ms = 1};
    run_a_b_c();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(two_errors_that_are_ready_together_are_reported_once)
{
    up();
    a.status = b.status = UV_EIO;
    run_a_b_c();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

static void end_well(struct weft_op *op)
{
    weft_end(op, 0);
}

TEST(a_step_that_ends_the_parallel_keeps_the_others_from_being_called)
{
    up();
    a = (struct job){.ms = 100, .linger_ms = 7};
    weft_parallel(weft_root(&w.loop), &parallel, noted, start_a, end_well, start_c);
    weft_sim_advance(&w.sim, 6);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "a ");
    assert_int_equal(a.cancelled, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_first_step_that_ends_the_parallel_is_the_only_one)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, end_well, start_b, start_c);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static void cancel_itself(struct weft_op *op)
{
    weft_cancel(op, UV_ETIMEDOUT);
}

TEST(a_step_that_cancels_the_parallel_keeps_the_others_from_being_called)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, cancel_itself, start_b);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_parallel_with_a_step_that_is_null_is_invalid_and_calls_none)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, start_a, start_b, NULL);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_parallel_of_steps_without_a_list_is_invalid)
{
    up();
    struct weft_step_list missing = {NULL, 1};
    weft_parallel_at(WEFT_HERE("parallel", WEFT_FLOW), weft_root(&w.loop), &parallel, missing,
                     noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_parallel_under_a_cancelled_parent_calls_no_step)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_parallel(&parent, &parallel, noted, nothing);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(parallel.op.status, UV_ETIMEDOUT);
}

TEST(a_cancel_midway_stops_everything_and_awaits_it)
{
    up();
    a = (struct job){.ms = 2};
    b = (struct job){.ms = 100, .linger_ms = 10};
    c = (struct job){.ms = BY_HAND};
    run_a_b_c();
    weft_sim_advance(&w.sim, 5);
    weft_cancel(&parallel.op, UV_ECANCELED);
    weft_sim_advance(&w.sim, 9);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(jobs.cancelled, 2);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_parallel_cancelled_when_all_are_ready_reports_the_reason)
{
    up();
    run_a_b_c();
    weft_cancel(&parallel.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(a.op.status, 0);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_of_a_parallel_that_has_finished_has_no_effect)
{
    up();
    weft_parallel(weft_root(&w.loop), &parallel, noted, nothing);
    weft_cancel(&parallel.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(the_site_of_a_parallel_is_where_it_was_written)
{
    up();
    int line = __LINE__ + 1;
    weft_parallel(weft_root(&w.loop), &parallel, noted, nothing);
    const struct weft_site *site = parallel.op.site_;
    assert_string_equal(site->type, "parallel");
    assert_int_equal(site->group, WEFT_FLOW);
    assert_int_equal(site->line, line);
    world_down(&w);
}
