/* Race: the first to settle, or the first to succeed.
 * ctest: labels=valgrind */
#include "model.h"
#include "provider.h"
#include <limits.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

static struct world w;
static struct weft_race race;
static struct job a, b, c;

static void up(void)
{
    model_up(&w);
    memset(&race, 0, sizeof race);
    race.winner = &race.op; /* garbage of an earlier life */
    race.places = 9;
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

/* ---- the first few -------------------------------------------------------------------------- */

static void run_of(unsigned wanted, weft_begin_fn *starters)
{
    weft_race_of(weft_root(&w.loop), &race, wanted, starters, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

static void assert_places(size_t of_a, size_t of_b, size_t of_c)
{
    assert_true(weft_index(&a.op) == of_a);
    assert_true(weft_index(&b.op) == of_b);
    assert_true(weft_index(&c.op) == of_c);
}

TEST(the_first_two_end_the_race_and_have_their_places)
{
    up();
    a = (struct job){.ms = 5};
    b = (struct job){.ms = 100, .linger_ms = 3};
    c = (struct job){.ms = 2};
    run_of(2, first_of_three);
    assert_int_equal(seen.status, 0);
    assert_int_equal(race.places, 2);
    assert_ptr_equal(race.winner, &c.op);
    assert_places(1, WEFT_NONE, 0);
    assert_int_equal(b.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 8);
}

TEST(as_many_as_run_may_be_wanted)
{
    up();
    a.ms = 3;
    b.ms = 1;
    c.ms = 2;
    run_of(3, first_of_three);
    assert_int_equal(seen.status, 0);
    assert_int_equal(race.places, 3);
    assert_ptr_equal(race.winner, &b.op);
    assert_places(2, 0, 1);
}

TEST(a_wanted_of_0_means_1)
{
    up();
    a.ms = 3;
    b.ms = 1;
    c.ms = 2;
    run_of(0, first_of_three);
    assert_int_equal(race.places, 1);
    assert_places(WEFT_NONE, 0, WEFT_NONE);
}

TEST(of_the_first_few_an_error_takes_a_place_and_the_last_place_decides_the_status)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2};
    c = (struct job){.ms = 9};
    run_of(2, first_of_three);
    assert_int_equal(seen.status, 0);
    assert_int_equal(race.places, 2);
    assert_ptr_equal(race.winner, &a.op);
    assert_places(0, 1, WEFT_NONE);
    up();
    a = (struct job){.ms = 2, .status = UV_EIO};
    b = (struct job){.ms = 1};
    c = (struct job){.ms = 9};
    run_of(2, first_of_three);
    assert_int_equal(seen.status, UV_EIO);
    assert_places(1, 0, WEFT_NONE);
}

TEST(any_two_skip_a_failure)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 3};
    c = (struct job){.ms = 2};
    run_of(2, any_of_three);
    assert_int_equal(seen.status, 0);
    assert_int_equal(race.places, 2);
    assert_ptr_equal(race.winner, &c.op);
    assert_places(WEFT_NONE, 1, 0);
}

TEST(a_race_is_lost_as_soon_as_too_few_are_left)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2, .status = UV_ENOENT};
    c = (struct job){.ms = 100, .linger_ms = 4};
    run_of(2, any_of_three);
    assert_int_equal(seen.status, UV_ENOENT);
    assert_int_equal(race.places, 0);
    assert_null(race.winner);
    assert_places(WEFT_NONE, WEFT_NONE, WEFT_NONE);
    assert_int_equal(c.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 6);
}

TEST(a_race_that_is_lost_keeps_the_places_that_were_taken)
{
    up();
    a = (struct job){.ms = 1};
    b = (struct job){.ms = 2, .status = UV_ENOENT};
    c = (struct job){.ms = 100};
    run_of(3, any_of_three);
    assert_int_equal(seen.status, UV_ENOENT);
    assert_int_equal(race.places, 1);
    assert_ptr_equal(race.winner, &a.op);
    assert_places(0, WEFT_NONE, WEFT_NONE);
    assert_int_equal(w.sim.now_, 2);
}

TEST(fewer_runners_than_are_wanted_are_invalid_and_stopped)
{
    up();
    a = (struct job){.ms = 50, .linger_ms = 2};
    b = c = (struct job){.ms = 50};
    run_of(4, first_of_three);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(jobs.cancelled, 3);
    assert_int_equal(race.places, 0);
    assert_null(race.winner);
    assert_int_equal(w.sim.now_, 2);
}

TEST(fewer_runners_that_are_ready_at_once_are_invalid_too)
{
    up();
    run_of(UINT_MAX, any_of_three);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(race.places, 0);
    assert_places(WEFT_NONE, WEFT_NONE, WEFT_NONE);
}

TEST(when_all_are_ready_together_only_as_many_as_are_wanted_come_in)
{
    up();
    run_of(2, first_of_three);
    assert_int_equal(seen.status, 0);
    assert_int_equal(race.places, 2);
    size_t sum = 0, none = 0;
    struct job *all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        size_t place = weft_index(&all[i]->op);
        none += place == WEFT_NONE;
        sum += place == WEFT_NONE ? 0 : place + 1;
    }
    assert_int_equal(none, 1);
    assert_int_equal(sum, 1 + 2);
}

TEST(cancelled_after_one_place_a_race_reports_the_reason_and_keeps_the_place)
{
    up();
    a = (struct job){.ms = 1};
    b = c = (struct job){.ms = 100, .linger_ms = 5};
    weft_race_of(weft_root(&w.loop), &race, 2, any_of_three, noted);
    weft_sim_advance(&w.sim, 10);
    assert_int_equal(race.places, 1);
    weft_cancel(&race.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(race.places, 1);
    assert_ptr_equal(race.winner, &a.op);
    assert_places(0, WEFT_NONE, WEFT_NONE);
}

TEST(what_comes_in_after_a_cancel_has_no_place)
{
    up();
    a = (struct job){.ms = 1};
    weft_race_of(weft_root(&w.loop), &race, 2, first_of_three, noted);
    weft_cancel(&race.op, UV_ETIMEDOUT); /* b and c are ready */
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(b.op.status, 0);
    assert_int_equal(race.places, 0);
    assert_null(race.winner);
    assert_places(WEFT_NONE, WEFT_NONE, WEFT_NONE);
}

TEST(a_deadline_over_the_first_two_ends_the_race)
{
    up();
    static struct weft_deadline deadline;
    a.ms = 1;
    b.ms = c.ms = 100;
    weft_race_of(weft_root(&w.loop), &race, 2, first_of_three, noted);
    weft_deadline(&race.op, &deadline, 10);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(race.places, 1);
}

/* ---- nobody is left to decide --------------------------------------------------------------- */

static void start_nobody(struct weft_op *op, struct weft_op *pause)
{
    (void)op;
    (void)pause;
}

static void a_pause_and_nobody(struct weft_op *op)
{
    weft_sleep(op, &stagger, 5, start_nobody);
}

TEST(a_race_in_which_nobody_ever_ran_is_invalid)
{
    up();
    run(a_pause_and_nobody);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_null(race.winner);
}

static void one_and_a_pause(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_first);
    weft_sleep(op, &stagger, 5, start_nobody);
}

TEST(a_race_in_which_too_few_ever_ran_is_invalid_and_keeps_its_places)
{
    up();
    a.ms = 9;
    run_of(2, one_and_a_pause);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(race.places, 1);
    assert_ptr_equal(race.winner, &a.op);
}

static void one_fails_and_a_pause(struct weft_op *op)
{
    weft_run(op, &a.op, job_begin, weft_race_any);
    weft_sleep(op, &stagger, 5, start_nobody);
}

TEST(a_race_that_is_lost_when_a_pause_is_over_reports_the_last_failure)
{
    up();
    a.status = UV_EIO;
    run(one_fails_and_a_pause);
    assert_int_equal(seen.status, UV_EIO);
    assert_null(race.winner);
}

static void run_outside_a_race(void)
{
    up();
    weft_run(weft_root(&w.loop), &a.op, job_begin, weft_race_first);
    world_run(&w);
}

static void fail_outside_a_race(void)
{
    up();
    a.status = UV_EIO;
    weft_run(weft_root(&w.loop), &a.op, job_begin, weft_race_any);
    world_run(&w);
}

TEST(a_runner_under_an_op_that_is_no_race_breaks_rule_2)
{
    dies(run_outside_a_race, "rule 2", "no race");
    dies(fail_outside_a_race, "rule 2", "no race");
}

TEST(a_race_that_is_cancelled_before_anybody_ran_reports_the_reason)
{
    up();
    weft_race(weft_root(&w.loop), &race, a_pause_and_nobody, noted);
    weft_cancel(&race.op, UV_EINTR);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
}

/* ---- elsewhere ------------------------------------------------------------------------------ */

static struct weft_queue queue;

static void queued_runners(struct weft_op *op)
{
    weft_queue_push(&queue, op, &a.op, job_begin, weft_race_first);
    weft_queue_push(&queue, op, &b.op, job_begin, weft_race_first);
    weft_queue_push(&queue, op, &c.op, job_begin, weft_race_first);
}

TEST(runners_in_a_queue_that_never_began_have_no_place)
{
    up();
    a.ms = b.ms = c.ms = 5;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_race_of(weft_root(&w.loop), &race, 2, queued_runners, noted);
    world_run(&w);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 3); /* the third had its place when the second came in */
    assert_places(0, 1, WEFT_NONE);
}

TEST(a_race_can_be_begun_again)
{
    up();
    a = (struct job){.ms = 1};
    b = c = (struct job){.ms = 2};
    weft_race_of(weft_root(&w.loop), &race, 3, first_of_three, noted);
    world_run(&w);
    assert_int_equal(race.places, 3);
    a.ms = 7;
    c.ms = 3;
    seen.calls = 0;
    run(first_of_three);
    assert_int_equal(race.places, 1);
    assert_ptr_equal(race.winner, &b.op);
    assert_places(WEFT_NONE, 0, WEFT_NONE);
}

struct heat {
    struct weft_race race;
    struct job runners[3];
};

static void start_heat(struct weft_op *op)
{
    struct heat *heat = weft_owner(op, struct heat, race.op);
    for (int i = 0; i < 3; i++)
        weft_run(op, &heat->runners[i].op, job_begin, weft_race_any);
}

static void good(void *storage)
{
    struct heat *heat = storage;
    heat->race.starters = start_heat;
    heat->race.wanted = 2;
    for (unsigned i = 0; i < 3; i++) {
        heat->runners[i].ms = 1 + i;
        heat->runners[i].status = 0;
    }
}

static void bad(void *storage)
{
    good(storage);
    ((struct heat *)storage)->runners[0].status = UV_EIO;
    ((struct heat *)storage)->runners[2].status = UV_EIO;
}

static void verify(void *storage)
{
    assert_int_equal(((struct heat *)storage)->race.places, 2);
}

TEST(a_race_conforms)
{
    static const struct weft_provider provider = {
        .name = "race",
        WEFT_PROVIDER_OP(struct heat, race.op),
        .begin = weft_race_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EIO,
        .nothing_status = UV_EINVAL,
        .verify = verify,
        .flags = WEFT_PROVIDER_AWAITS, /* decided, it awaits the losers */
    };
    provider_check(&provider);
}
