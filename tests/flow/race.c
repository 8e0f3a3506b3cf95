/* Race: the first to settle, or the first to succeed.
 * ctest: labels=valgrind */
#include "model.h"
#include <string.h>
#include <weft/flow.h>

static struct world w;
static struct weft_race race;
static struct job a, b, c;

static void up(void)
{
    model_up(&w);
    memset(&race, 0, sizeof race);
    race.winner = &race.op; /* garbage of an earlier life */
    a = b = c = (struct job){0};
}

static void nobody(struct weft_op *op)
{
    (void)op;
}

static void first_of_three(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_first);
    weft_run(op, &b.op, job_begin, weft_race_first);
    weft_run(op, &c.op, job_begin, weft_race_first);
}

static void any_of_three(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_any);
    weft_run(op, &b.op, job_begin, weft_race_any);
    weft_run(op, &c.op, job_begin, weft_race_any);
}

static void first_of_one(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_first);
}

static void any_of_one(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_any);
}

static void run(weft_begin_fn *starters)
{
    weft_race(weft_root(&w.loop), &race, starters, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

TEST(a_race_with_nobody_in_it_is_invalid)
{
    up();
    run(nobody);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_null(race.winner);
}

TEST(a_race_without_starters_is_invalid)
{
    up();
    run(NULL);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_null(race.winner);
}

TEST(the_only_runner_wins)
{
    up();
    a.ms = 3;
    run(first_of_one);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &a.op);
}

TEST(the_only_runner_wins_with_its_error_in_a_first)
{
    up();
    a.status = UV_EIO;
    run(first_of_one);
    assert_int_equal(seen.status, UV_EIO);
    assert_ptr_equal(race.winner, &a.op);
}

TEST(the_only_runner_of_an_any_that_fails_is_no_winner)
{
    up();
    a.status = UV_EIO;
    run(any_of_one);
    assert_int_equal(seen.status, UV_EIO);
    assert_null(race.winner);
}

TEST(the_first_to_settle_wins_and_the_others_are_cancelled_and_awaited)
{
    up();
    a = (struct job){.ms = 10, .linger_ms = 7};
    b = (struct job){.ms = 2};
    c = (struct job){.ms = 10};
    run(first_of_three);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &b.op);
    assert_int_equal(a.op.status, UV_ECANCELED);
    assert_int_equal(c.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 2 + 7);
}

TEST(the_first_to_settle_wins_also_with_an_error)
{
    up();
    a.ms = c.ms = 10;
    b = (struct job){.ms = 1, .status = UV_ECONNREFUSED};
    run(first_of_three);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
    assert_ptr_equal(race.winner, &b.op);
}

TEST(a_second_failure_changes_nothing)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2, .status = UV_ENOENT};
    c = (struct job){.ms = 3, .linger_ms = 9};
    run(first_of_three);
    assert_int_equal(seen.status, UV_EIO);
    assert_ptr_equal(race.winner, &a.op);
}

TEST(when_all_are_ready_together_one_wins_and_the_race_is_told_once)
{
    up();
    run(first_of_three); /* all succeed in their begin: the cancel loses */
    assert_int_equal(seen.status, 0);
    assert_non_null(race.winner);
    assert_int_equal(a.op.status, 0);
    assert_int_equal(b.op.status, 0);
    assert_int_equal(c.op.status, 0);
    assert_int_equal(jobs.cancelled, 0);
}

TEST(the_winner_of_those_that_are_ready_is_the_first_that_is_delivered)
{
    model_up_seeded(&w, 0);
    a = b = c = (struct job){0};
    run(first_of_three);
    assert_ptr_equal(race.winner, &a.op);
}

TEST(any_skips_failures)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2, .status = UV_ENOENT};
    c = (struct job){.ms = 9};
    run(any_of_three);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &c.op);
}

TEST(any_cancels_the_slower_ones_and_awaits_them)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2};
    c = (struct job){.ms = 100, .linger_ms = 5};
    run(any_of_three);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &b.op);
    assert_int_equal(c.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 7);
}

TEST(if_all_fail_the_status_of_any_is_that_of_the_last)
{
    up();
    a = (struct job){.ms = 3, .status = UV_EIO};
    b = (struct job){.ms = 1, .status = UV_ENOENT};
    c = (struct job){.ms = 2, .status = UV_EPIPE};
    run(any_of_three);
    assert_int_equal(seen.status, UV_EIO);
    assert_null(race.winner);
}

TEST(if_all_fail_at_once_any_is_told_once)
{
    up();
    a.status = b.status = c.status = UV_EIO;
    run(any_of_three);
    assert_int_equal(seen.status, UV_EIO);
    assert_null(race.winner);
}

TEST(a_loser_that_succeeds_after_the_race_is_decided_is_no_winner)
{
    up();
    a = (struct job){.ms = 2, .linger_ms = 3};
    b = (struct job){.ms = 1};
    c = (struct job){.ms = 1}; /* ready when b wins, or the other way round */
    run(any_of_three);
    assert_int_equal(seen.status, 0);
    assert_true(race.winner == &b.op || race.winner == &c.op);
    assert_int_equal(b.op.status, 0);
    assert_int_equal(c.op.status, 0);
}

TEST(a_race_under_a_cancelled_parent_starts_nobody)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_race(&parent, &race, first_of_three, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(jobs.begun, 0);
    assert_int_equal(race.op.status, UV_ETIMEDOUT);
}

static void cancel_midway(weft_begin_fn *starters)
{
    up();
    a = (struct job){.ms = 100, .linger_ms = 4};
    b = (struct job){.ms = 100};
    c = (struct job){.ms = BY_HAND};
    weft_race(weft_root(&w.loop), &race, starters, noted);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&race.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 3);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(jobs.cancelled, 3);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_null(race.winner);
}

TEST(a_cancel_midway_stops_all_runners_and_nobody_wins)
{
    cancel_midway(first_of_three);
}

TEST(a_cancel_midway_of_an_any_stops_all_runners_and_nobody_wins)
{
    cancel_midway(any_of_three);
}

static void cancel_when_ready(weft_begin_fn *starters)
{
    up();
    weft_race(weft_root(&w.loop), &race, starters, noted);
    weft_cancel(&race.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(a.op.status, 0);
    assert_int_equal(b.op.status, 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_null(race.winner);
}

TEST(a_race_cancelled_while_all_are_ready_reports_the_reason_and_has_no_winner)
{
    cancel_when_ready(first_of_three);
}

TEST(an_any_cancelled_while_all_are_ready_reports_the_reason_and_has_no_winner)
{
    cancel_when_ready(any_of_three);
}

TEST(a_race_cancelled_while_a_failure_is_ready_has_no_winner)
{
    up();
    a.status = b.status = c.status = UV_EIO;
    weft_race(weft_root(&w.loop), &race, first_of_three, noted);
    weft_cancel(&race.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_true(seen.status != 0);
    assert_null(race.winner);
}

TEST(a_cancel_after_the_race_is_over_has_no_effect)
{
    up();
    run(first_of_three);
    weft_cancel(&race.op, UV_ECANCELED);
    assert_int_equal(race.op.status, 0);
    assert_int_equal(seen.calls, 1);
}

TEST(a_cancel_while_the_losers_are_awaited_does_not_change_the_outcome)
{
    up();
    a = (struct job){.ms = 100, .linger_ms = 50};
    b = c = (struct job){.ms = 100};
    b.ms = 2;
    weft_race(weft_root(&w.loop), &race, first_of_three, noted);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&race.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &b.op);
}

static void start_late(struct weft_op *op, struct weft_op *pause)
{
    (void)pause;
    weft_run(op, &b.op, job_begin, weft_race_any);
}

static struct weft_sleep stagger;

static void staggered(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_any);
    weft_sleep(op, &stagger, 5, start_late);
}

TEST(a_runner_may_be_started_later_and_a_failure_before_it_does_not_end_the_race)
{
    up();
    a = (struct job){.ms = 1, .status = UV_ECONNREFUSED};
    b = (struct job){.ms = 1};
    run(staggered);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(race.winner, &b.op);
}

static void runners_without_then(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, NULL);
    weft_run(op, &b.op, job_begin, weft_race_first);
}

TEST(an_error_that_nobody_takes_ends_a_race_without_a_winner)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b.ms = 5;
    run(runners_without_then);
    assert_int_equal(seen.status, UV_EIO);
    assert_null(race.winner);
}

static void starters_end_it(struct weft_op *op)
{
    first_of_three(op);
    weft_end(op, UV_EACCES);
}

TEST(starters_may_end_the_race)
{
    up();
    a.ms = b.ms = 5;
    run(starters_end_it);
    assert_int_equal(seen.status, UV_EACCES);
    assert_null(race.winner);
}

static void end_without_runners(struct weft_op *op)
{
    weft_end(op, 0);
}

TEST(starters_may_end_the_race_before_anybody_ran)
{
    up();
    run(end_without_runners);
    assert_int_equal(seen.status, 0);
    assert_null(race.winner);
}

static void cancel_without_runners(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
}

TEST(a_race_cancelled_before_anybody_ran_reports_the_reason)
{
    up();
    run(cancel_without_runners);
    assert_int_equal(seen.status, UV_EINTR);
    assert_null(race.winner);
}

TEST(the_site_of_a_race_is_where_it_was_written)
{
    up();
    int line = __LINE__ + 1;
    weft_race(weft_root(&w.loop), &race, first_of_three, noted);
    assert_string_equal(race.op.site_->type, "race");
    assert_int_equal(race.op.site_->line, line);
    assert_int_equal(race.op.site_->group, WEFT_FLOW);
    world_down(&w);
}
