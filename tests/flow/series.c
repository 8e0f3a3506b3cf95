/* Series: one step after the other, and what ends it early.
 * ctest: labels=valgrind */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct errand {
    struct weft_series series;
    struct job a, b, c;
} errand;

static void up(void)
{
    model_up(&w);
    memset(&errand, 0, sizeof errand);
}

static void start_a(struct weft_op *op)
{
    leave("a");
    weft_run(op, &errand.a.op, job_begin, NULL);
}

static void start_b(struct weft_op *op)
{
    leave("b");
    weft_run(op, &errand.b.op, job_begin, NULL);
}

static void start_c(struct weft_op *op)
{
    leave("c");
    weft_run(op, &errand.c.op, job_begin, NULL);
}

static void start_all(struct weft_op *op)
{
    start_a(op);
    start_b(op);
    start_c(op);
}

static void nothing(struct weft_op *op)
{
    (void)op;
    leave("nothing");
}

static void run_a_b_c(void)
{
    weft_series(weft_root(&w.loop), &errand.series, noted, start_a, start_b, start_c);
}

TEST(an_empty_series_finishes_with_0_on_a_later_turn)
{
    up();
    struct weft_step_list none = {NULL, 0};
    weft_series_at(WEFT_HERE("series", WEFT_FLOW), weft_root(&w.loop), &errand.series, none, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_series_of_one_step_runs_it)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, start_b);
    world_down(&w);
    assert_string_equal(trail, "b ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_series_runs_its_steps_one_after_the_other)
{
    up();
    errand.a.ms = 5;
    errand.b.ms = 0;
    errand.c.ms = 3;
    run_a_b_c();
    assert_string_equal(trail, "a ");
    weft_sim_advance(&w.sim, 4);
    assert_string_equal(trail, "a ");
    weft_sim_advance(&w.sim, 1);
    assert_string_equal(trail, "a b c ");
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(jobs.most, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_step_that_starts_nothing_is_over_when_it_returns)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, nothing, nothing, start_c, nothing);
    assert_string_equal(trail, "nothing nothing c ");
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "nothing nothing c nothing ");
    assert_int_equal(seen.status, 0);
}

TEST(a_step_is_over_when_everything_it_started_is_over)
{
    up();
    errand.a.ms = 1;
    errand.b.ms = 7;
    errand.c.ms = 3;
    weft_series(weft_root(&w.loop), &errand.series, noted, start_all, nothing);
    weft_sim_advance(&w.sim, 6);
    assert_string_equal(trail, "a b c ");
    world_down(&w);
    assert_string_equal(trail, "a b c nothing ");
}

static void start_b_after(struct weft_op *op, struct weft_op *child)
{
    (void)child;
    start_b(op);
}

static void start_a_then_b(struct weft_op *op)
{
    leave("a");
    weft_run(op, &errand.a.op, job_begin, start_b_after);
}

TEST(what_a_then_starts_belongs_to_the_step)
{
    up();
    errand.b.ms = 2;
    weft_series(weft_root(&w.loop), &errand.series, noted, start_a_then_b, nothing);
    weft_sim_advance(&w.sim, 1);
    assert_string_equal(trail, "a b ");
    world_down(&w);
    assert_string_equal(trail, "a b nothing ");
}

TEST(an_error_in_the_first_step_ends_the_series)
{
    up();
    errand.a = (struct job){.ms = 2, .status = UV_EIO};
    run_a_b_c();
    world_down(&w);
    assert_string_equal(trail, "a ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(an_error_in_a_middle_step_ends_the_series)
{
    up();
    errand.b.status = UV_EIO;
    run_a_b_c();
    world_down(&w);
    assert_string_equal(trail, "a b ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(an_error_in_the_last_step_ends_the_series)
{
    up();
    errand.c.status = UV_EIO;
    run_a_b_c();
    world_down(&w);
    assert_string_equal(trail, "a b c ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(an_error_cancels_the_rest_of_its_step_and_awaits_it)
{
    up();
    errand.a = (struct job){.ms = 1, .status = UV_EIO};
    errand.b = (struct job){.ms = 100, .linger_ms = 10};
    errand.c = (struct job){.ms = 100};
    weft_series(weft_root(&w.loop), &errand.series, noted, start_all, nothing);
    weft_sim_advance(&w.sim, 10);
    assert_int_equal(jobs.cancelled, 2);
    assert_int_equal(seen.calls, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(seen.calls, 1);
    world_down(&w);
    assert_string_equal(trail, "a b c ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_series_reports_only_the_first_of_two_errors)
{
    up();
    errand.a = (struct job){.ms = 1, .status = UV_EIO};
    errand.b = (struct job){.ms = 2, .status = UV_ENOENT};
    errand.c = (struct job){.ms = 0, .status = UV_EPIPE};
    weft_series(weft_root(&w.loop), &errand.series, noted, start_all);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EPIPE);
}

static void start_failing_with_then(struct weft_op *op)
{
    errand.a.status = UV_EIO;
    weft_run(op, &errand.a.op, job_begin, job_over);
}

TEST(a_childs_error_that_its_then_takes_does_not_end_the_series)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, start_failing_with_then, nothing);
    world_down(&w);
    assert_string_equal(trail, "nothing ");
    assert_int_equal(errand.a.reported, 1);
    assert_int_equal(seen.status, 0);
}

static void end_well(struct weft_op *op)
{
    leave("end");
    weft_end(op, 0);
    weft_end(op, UV_EIO); /* the first word stands */
}

TEST(a_step_may_end_the_series_early_and_well)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, nothing, end_well, nothing);
    world_down(&w);
    assert_string_equal(trail, "nothing end ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static void start_all_and_end_well(struct weft_op *op)
{
    start_all(op);
    end_well(op);
}

TEST(an_early_end_cancels_what_runs_and_awaits_it)
{
    up();
    errand.a = (struct job){.ms = 100, .linger_ms = 5};
    errand.b = (struct job){.ms = BY_HAND};
    errand.c = (struct job){.ms = 100};
    weft_series(weft_root(&w.loop), &errand.series, noted, start_all_and_end_well, nothing);
    weft_sim_advance(&w.sim, 4);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(jobs.cancelled, 3);
    world_down(&w);
    assert_int_equal(weft_now(&w.loop) >= 5, 1);
    assert_string_equal(trail, "a b c end ");
    assert_int_equal(seen.status, 0);
}

static void end_badly(struct weft_op *op)
{
    weft_end(op, UV_EACCES);
}

TEST(a_step_may_end_the_series_with_an_error)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, end_badly, nothing);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_EACCES);
}

TEST(a_series_with_a_step_that_is_null_is_invalid_and_calls_none)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, nothing, NULL, nothing);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_series_of_steps_without_a_list_is_invalid)
{
    up();
    struct weft_step_list missing = {NULL, 3};
    weft_series_at(WEFT_HERE("series", WEFT_FLOW), weft_root(&w.loop), &errand.series, missing,
                   noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_series_under_a_cancelled_parent_calls_no_step)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_series(&parent, &errand.series, noted, nothing);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(errand.series.op.status, UV_ETIMEDOUT);
    assert_int_equal(seen.calls, 2);
}

TEST(a_cancel_midway_stops_the_step_and_calls_no_other)
{
    up();
    errand.b = (struct job){.ms = 100, .linger_ms = 3};
    run_a_b_c();
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&errand.series.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 2);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "a b ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_series_cancelled_when_its_step_is_ready_reports_the_reason_and_goes_no_further)
{
    up();
    run_a_b_c(); /* a has finished in its begin and is not reported yet */
    weft_cancel(&errand.series.op, UV_ECANCELED);
    world_down(&w);
    assert_string_equal(trail, "a ");
    assert_int_equal(errand.a.op.status, 0);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_in_the_last_step_makes_incomplete_work_look_incomplete)
{
    up();
    errand.c.ms = BY_HAND;
    run_a_b_c();
    weft_sim_advance(&w.sim, 0);
    assert_string_equal(trail, "a b c ");
    weft_cancel(&errand.series.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_of_a_series_that_has_finished_has_no_effect)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, nothing);
    weft_cancel(&errand.series.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    weft_cancel(&errand.series.op, UV_ECANCELED);
    assert_int_equal(seen.calls, 1);
}

static void cancel_itself(struct weft_op *op)
{
    weft_cancel(op, UV_ECANCELED);
}

TEST(a_step_may_cancel_the_series)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, cancel_itself, nothing);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_deadline_ends_a_series)
{
    up();
    static struct weft_deadline deadline;
    errand.a.ms = 3;
    errand.b.ms = 100;
    run_a_b_c();
    weft_deadline(&errand.series.op, &deadline, 10);
    world_down(&w);
    assert_string_equal(trail, "a b ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

static unsigned rounds;

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    struct errand *again = weft_owner(op, struct errand, series.op);
    assert_int_equal(op->status, 0);
    if (++rounds < 3)
        weft_series(parent, &again->series, once_more, nothing, start_a);
}

TEST(a_series_can_be_begun_again_in_its_own_then)
{
    up();
    rounds = 0;
    weft_series(weft_root(&w.loop), &errand.series, once_more, nothing, start_a);
    world_down(&w);
    assert_int_equal(rounds, 3);
    assert_string_equal(trail, "nothing a nothing a nothing a ");
}

static void free_errand(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    free(weft_owner(op, struct errand, series.op));
}

static void start_first_of_heap(struct weft_op *op)
{
    weft_run(op, &weft_owner(op, struct errand, series.op)->a.op, job_begin, NULL);
}

TEST(a_series_is_the_callers_again_when_its_then_starts)
{
    up();
    struct errand *heap = calloc(1, sizeof *heap);
    heap->a.ms = 100;
    heap->a.linger_ms = 2;
    weft_series(weft_root(&w.loop), &heap->series, free_errand, start_first_of_heap);
    weft_cancel(&heap->series.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(the_site_of_a_series_is_where_it_was_written)
{
    up();
    int line = __LINE__ + 1;
    weft_series(weft_root(&w.loop), &errand.series, noted, nothing);
    const struct weft_site *site = errand.series.op.site_;
    assert_string_equal(site->type, "series");
    assert_int_equal(site->group, WEFT_FLOW);
    assert_int_equal(site->line, line);
    assert_string_equal(site->file, __FILE__);
    world_down(&w);
}

static void on_cancel(struct weft_op *op, int reason)
{
    (void)op;
    (void)reason;
}

static void want_a_cancel_function(struct weft_op *op)
{
    weft_on_cancel(op, on_cancel);
}

static void give_a_series_a_cancel_function(void)
{
    up();
    weft_series(weft_root(&w.loop), &errand.series, noted, want_a_cancel_function);
}

static void cancel_function_first(struct weft_op *op)
{
    weft_on_cancel(op, on_cancel);
    weft_series_begin(op);
}

static void give_it_before_its_begin(void)
{
    up();
    weft_run(weft_root(&w.loop), &errand.series.op, cancel_function_first, noted);
}

TEST(a_series_cannot_have_a_cancel_function_of_its_own)
{
    dies(give_a_series_a_cancel_function, "rule 5", "series", __FILE__);
    dies(give_it_before_its_begin, "rule 2", "cancel function", __FILE__);
}
