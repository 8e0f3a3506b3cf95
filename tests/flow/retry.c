/* Retry: attempt, pause, attempt.
 * ctest: labels=valgrind */
#include "model.h"
#include "provider.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

static struct world w;
static struct weft_retry retry;
static struct job task;
static uint64_t begun_at[100];
static unsigned failures, discarded, asked;

static void up(void)
{
    model_up(&w);
    memset(&retry, 0, sizeof retry);
    task = (struct job){0};
    failures = UINT_MAX;
    discarded = asked = 0;
}

/* Fails so many times, then succeeds. */
static void try_task(struct weft_op *op)
{
    struct job *job = job_of(op);
    if (job->begun < 100)
        begun_at[job->begun] = weft_now(&w.loop);
    job->status = job->begun < failures ? UV_ECONNREFUSED : 0;
    job_begin(op);
}

static void run(unsigned times, uint64_t wait_ms)
{
    weft_retry(weft_root(&w.loop), &retry, &task.op, try_task, times, wait_ms, noted);
}

TEST(a_task_that_succeeds_is_tried_once)
{
    up();
    failures = 0;
    run(5, 10);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_task_is_tried_until_it_succeeds)
{
    up();
    failures = 2;
    task.ms = 5;
    run(5, 10);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(retry.tries, 3);
    assert_int_equal(task.begun, 3);
}

TEST(a_task_is_tried_at_most_so_many_times_and_the_last_error_stands)
{
    up();
    run(4, 1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
    assert_int_equal(retry.tries, 4);
    assert_int_equal(task.begun, 4);
}

TEST(one_time_is_one_try)
{
    up();
    run(1, 1000);
    world_down(&w);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
    assert_int_equal(w.sim.now_, 0);
}

TEST(success_at_the_last_try_counts)
{
    up();
    failures = 2;
    run(3, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(retry.tries, 3);
}

TEST(the_pause_doubles_each_time)
{
    up();
    task.ms = 1;
    run(6, 10);
    world_down(&w);
    uint64_t at = 0, pause = 10;
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(begun_at[i], at);
        at += 1 + pause;
        pause *= 2;
    }
}

TEST(the_pause_grows_no_longer_than_max_ms)
{
    up();
    retry.max_ms = 25;
    run(6, 10);
    world_down(&w);
    static const uint64_t expected[] = {0, 10, 30, 55, 80, 105};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(begun_at[i], expected[i]);
}

TEST(max_ms_bounds_the_first_pause_too)
{
    up();
    retry.max_ms = 3;
    run(2, 10);
    world_down(&w);
    assert_int_equal(begun_at[1], 3);
}

TEST(without_a_pause_tries_follow_each_other_at_once)
{
    up();
    run(50, 0);
    world_down(&w);
    assert_int_equal(retry.tries, 50);
    assert_int_equal(w.sim.now_, 0);
}

TEST(jitter_draws_each_pause_from_its_upper_half)
{
    bool differs = false, low = false, high = false;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        up();
        w.sim.random_ = seed;
        retry.jitter = true;
        retry.max_ms = 400;
        run(4, 100);
        world_down(&w);
        uint64_t full = 100;
        for (unsigned i = 1; i < 4; i++) {
            uint64_t pause = begun_at[i] - begun_at[i - 1];
            assert_true(pause >= full / 2 && pause <= full);
            differs |= pause != full;
            low |= pause < full * 6 / 10;
            high |= pause > full * 9 / 10;
            full *= 2;
        }
    }
    assert_true(differs && low && high);
}

TEST(jitter_of_no_pause_is_no_pause)
{
    up();
    retry.jitter = true;
    run(3, 0);
    world_down(&w);
    assert_int_equal(w.sim.now_, 0);
    assert_int_equal(retry.tries, 3);
}

static bool twice_only(const struct weft_op *op)
{
    assert_ptr_equal(op, &task.op);
    assert_int_equal(op->status, UV_ECONNREFUSED);
    return ++asked <= 2;
}

static void discard(struct weft_op *op)
{
    assert_ptr_equal(op, &task.op);
    assert_int_equal(op->status, UV_ECONNREFUSED);
    discarded++;
}

TEST(again_decides_which_failures_are_worth_another_try)
{
    up();
    retry.again = twice_only;
    run(10, 1);
    world_down(&w);
    assert_int_equal(retry.tries, 3);
    assert_int_equal(asked, 3);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
}

TEST(again_is_not_asked_about_a_success_nor_about_the_last_try)
{
    up();
    failures = 0;
    retry.again = twice_only;
    run(5, 1);
    world_run(&w);
    assert_int_equal(asked, 0);
    failures = UINT_MAX;
    run(1, 1);
    world_down(&w);
    assert_int_equal(asked, 0);
}

TEST(discard_is_called_for_each_failed_attempt_that_is_retried_and_for_no_other)
{
    for (unsigned times = 1; times <= 5; times++) {
        up();
        retry.discard = discard;
        run(times, 1);
        world_down(&w);
        assert_int_equal(discarded, times - 1); /* what the last one left is the caller's */
    }
    up();
    failures = 3;
    retry.discard = discard;
    run(10, 1);
    world_down(&w);
    assert_int_equal(discarded, 3);
    up();
    retry.discard = discard;
    retry.again = twice_only;
    run(10, 1);
    world_down(&w);
    assert_int_equal(discarded, 2);
}

TEST(times_of_0_are_invalid)
{
    up();
    run(0, 1);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(task.begun, 0);
    assert_int_equal(retry.tries, 0);
}

TEST(a_retry_without_a_task_is_invalid)
{
    up();
    weft_retry(weft_root(&w.loop), &retry, NULL, try_task, 3, 1, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_retry_without_a_begin_is_invalid)
{
    up();
    weft_retry(weft_root(&w.loop), &retry, &task.op, NULL, 3, 1, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_retry_under_a_cancelled_parent_tries_nothing)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_retry(&parent, &retry, &task.op, try_task, 3, 1, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(task.begun, 0);
    assert_int_equal(retry.op.status, UV_ETIMEDOUT);
}

TEST(a_cancel_during_an_attempt_stops_it_and_tries_no_other)
{
    up();
    task.ms = 100;
    task.linger_ms = 5;
    retry.discard = discard;
    run(10, 1);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&retry.op, UV_ECANCELED);
    weft_sim_advance(&w.sim, 4);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(task.cancelled, 1);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(discarded, 0);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_during_a_pause_ends_it_at_once)
{
    up();
    run(10, 1000);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(w.sim.now_, 10);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_when_a_failed_attempt_is_ready_tries_no_other)
{
    up();
    run(10, 1);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_when_the_last_failure_is_ready_leaves_that_its_status)
{
    up();
    run(1, 1);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECONNREFUSED);
}

TEST(a_cancel_when_a_successful_attempt_is_ready_reports_the_reason)
{
    up();
    failures = 0;
    run(10, 1);
    weft_cancel(&retry.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_cancel_when_the_pause_is_over_begins_no_attempt_and_counts_none)
{
    up();
    run(10, 5);
    weft_sim_advance(&w.sim, 4);
    assert_true(weft_sim_step(&w.sim)); /* the pause's timer fires; it has not reported yet */
    assert_int_equal(w.sim.now_, 5);
    weft_cancel(&retry.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(task.begun, 1);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_cancel_of_a_retry_that_has_finished_has_no_effect)
{
    up();
    run(0, 0);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

static void discard_and_cancel(struct weft_op *op)
{
    discard(op);
    weft_cancel(&retry.op, UV_ECANCELED);
}

TEST(discard_may_cancel_the_retry)
{
    up();
    retry.discard = discard_and_cancel;
    run(10, 1);
    world_down(&w);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_deadline_over_a_retry_ends_it)
{
    up();
    static struct weft_deadline deadline;
    run(UINT_MAX, 1);
    weft_deadline(&retry.op, &deadline, 20);
    world_down(&w);
    assert_int_equal(w.sim.now_, 20);
    assert_int_equal(retry.tries, 5); /* at 0, 1, 3, 7, 15 */
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_pause_of_the_greatest_length_does_not_overflow)
{
    static const uint64_t long_pauses[] = {UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 4,
                                           UINT64_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof long_pauses / sizeof *long_pauses; i++) {
        up();
        run(10, long_pauses[i]);
        weft_sim_advance(&w.sim, 1000000);
        assert_int_equal(retry.tries, 1);
        weft_cancel(&retry.op, UV_ECANCELED);
        world_down(&w);
        assert_int_equal(seen.status, UV_ECANCELED);
    }
}

TEST(a_pause_that_doubles_a_hundred_times_does_not_overflow)
{
    up();
    retry.tries = 0;
    run(UINT_MAX, 1);
    weft_sim_advance(&w.sim, UINT64_C(1) << 40);
    /* The n-th begins at 2^(n-1) - 1, and never again at a rush. */
    assert_int_equal(retry.tries, 41);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
}

TEST(a_bound_holds_after_a_hundred_doublings)
{
    up();
    retry.max_ms = 1000;
    run(99, 1);
    world_down(&w);
    assert_int_equal(retry.tries, 99);
    assert_int_equal(begun_at[98] - begun_at[97], 1000);
}

TEST(jitter_of_the_longest_pause_does_not_overflow)
{
    up();
    retry.jitter = true;
    run(3, UINT64_MAX);
    weft_sim_advance(&w.sim, 1000000);
    assert_int_equal(retry.tries, 1);
    weft_cancel(&retry.op, UV_ECANCELED);
    world_down(&w);
}

TEST(a_retry_can_be_begun_again)
{
    up();
    failures = 2;
    run(5, 1);
    world_run(&w);
    assert_int_equal(retry.tries, 3);
    task.begun = 0;
    run(5, 1);
    world_down(&w);
    assert_int_equal(retry.tries, 3);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, 0);
}

TEST(the_site_of_a_retried_task_names_the_users_line_and_begin)
{
    up();
    task.ms = 5;
    int line = __LINE__ + 1;
    weft_retry(weft_root(&w.loop), &retry, &task.op, try_task, 2, 1, noted);
    assert_string_equal(retry.op.site_->type, "retry");
    assert_int_equal(retry.op.site_->line, line);
    assert_int_equal(retry.op.site_->group, WEFT_FLOW);
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(task.begun, i);
        assert_string_equal(task.op.site_->type, "try_task");
        assert_string_equal(task.op.site_->file, __FILE__);
        assert_int_equal(task.op.site_->line, line);
        weft_sim_advance(&w.sim, 6);
    }
    world_down(&w);
}

struct heap_retry {
    struct weft_retry retry;
    struct job task;
};

static void free_retry(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    free(weft_owner(op, struct heap_retry, retry.op));
}

TEST(a_retry_is_the_callers_again_when_its_then_starts)
{
    for (uint64_t at = 0; at < 8; at++) {
        up();
        struct heap_retry *heap = calloc(1, sizeof *heap);
        heap->task = (struct job){.ms = 2, .status = UV_EIO};
        weft_retry(weft_root(&w.loop), &heap->retry, &heap->task.op, job_begin, 100, 2, free_retry);
        weft_sim_advance(&w.sim, at);
        weft_cancel(&heap->retry.op, UV_ECANCELED);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
    }
}

/* ---- growth --------------------------------------------------------------------------------- */

static void pauses_are(unsigned growth, const uint64_t *expected, unsigned count)
{
    up();
    retry.growth = growth;
    run(count + 1, 10);
    world_down(&w);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(begun_at[i + 1] - begun_at[i], expected[i]);
}

TEST(a_growth_of_1_keeps_the_pause)
{
    static const uint64_t same[] = {10, 10, 10, 10, 10};
    pauses_are(1, same, 5);
}

TEST(a_growth_of_0_means_2)
{
    static const uint64_t doubled[] = {10, 20, 40, 80};
    pauses_are(0, doubled, 4);
    pauses_are(2, doubled, 4);
}

TEST(a_growth_of_3_triples_the_pause)
{
    static const uint64_t tripled[] = {10, 30, 90, 270};
    pauses_are(3, tripled, 4);
}

TEST(max_ms_bounds_any_growth)
{
    up();
    retry.growth = 10;
    retry.max_ms = 50;
    run(4, 7);
    world_down(&w);
    static const uint64_t expected[] = {0, 7, 57, 107};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(begun_at[i], expected[i]);
}

/* The second pause would be wait_ms times growth, which is more than fits. */
TEST(the_greatest_growth_does_not_overflow)
{
    static const unsigned growths[] = {UINT_MAX, 9, 17};
    static const uint64_t waits[] = {UINT64_C(1) << 33, UINT64_MAX / 8, UINT64_MAX / 16};
    for (size_t i = 0; i < 3; i++) {
        up();
        retry.growth = growths[i];
        run(10, waits[i]);
        weft_sim_advance(&w.sim, waits[i]);
        assert_int_equal(retry.tries, 2);
        weft_sim_advance(&w.sim, waits[i]); /* no second pause is as short as the first */
        assert_int_equal(retry.tries, 2);
        weft_cancel(&retry.op, UV_ECANCELED);
        world_down(&w);
        assert_int_equal(seen.status, UV_ECANCELED);
    }
}

TEST(a_bound_holds_where_growth_would_overflow)
{
    up();
    retry.growth = UINT_MAX;
    retry.max_ms = 100;
    run(50, 1);
    world_down(&w);
    assert_int_equal(retry.tries, 50);
    assert_int_equal(w.sim.now_, 1 + 48 * 100);
}

TEST(jitter_of_an_odd_pause_is_at_least_half_and_may_be_all_of_it)
{
    bool seen_pause[6] = {false};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        up();
        w.sim.random_ = seed;
        retry.jitter = true;
        retry.growth = 1;
        run(2, 5);
        world_down(&w);
        assert_in_range(begun_at[1], 3, 5);
        seen_pause[begun_at[1]] = true;
    }
    assert_true(seen_pause[3] && seen_pause[4] && seen_pause[5]);
}

TEST(jitter_of_a_millisecond_is_that_millisecond)
{
    up();
    retry.jitter = true;
    run(2, 1);
    world_down(&w);
    assert_int_equal(begun_at[1], 1);
}

/* ---- ended from inside ---------------------------------------------------------------------- */

static bool end_when_asked(const struct weft_op *op)
{
    weft_end(op->parent, 0);
    return true;
}

static void end_when_discarded(struct weft_op *op)
{
    discarded++;
    weft_end(op->parent, UV_EACCES);
}

TEST(again_may_end_it_early_and_well)
{
    up();
    retry.again = end_when_asked;
    retry.discard = discard;
    run(10, 1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(discarded, 0); /* it was not tried again */
}

static bool cancel_when_asked(const struct weft_op *op)
{
    weft_cancel(op->parent, UV_EINTR);
    return true;
}

TEST(again_may_cancel_it)
{
    up();
    retry.again = cancel_when_asked;
    retry.discard = discard;
    run(10, 1);
    world_down(&w);
    assert_true(seen.status == UV_EINTR || seen.status == UV_ECONNREFUSED);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(discarded, 0);
}

TEST(discard_may_end_it)
{
    up();
    retry.discard = end_when_discarded;
    run(10, 1);
    world_down(&w);
    assert_int_equal(seen.status, UV_EACCES);
    assert_int_equal(retry.tries, 1);
    assert_int_equal(discarded, 1);
}

/* ---- retryable ------------------------------------------------------------------------------ */

TEST(retryable_fills_in_and_begins_nothing)
{
    up();
    retry.growth = 3;
    retry.jitter = true;
    int line = __LINE__ + 1;
    weft_retryable(&retry, &task.op, try_task, 4, 10);
    assert_int_equal(task.begun, 0);
    assert_int_equal(retry.times, 4);
    assert_int_equal(retry.wait_ms, 10);
    assert_int_equal(retry.growth, 3);
    assert_true(retry.jitter);
    assert_int_equal(retry.task_site_->line, line);
    assert_string_equal(retry.task_site_->type, "try_task");
    world_down(&w);
}

enum { LINE = 4 };
static struct line {
    struct weft_retry retry;
    struct job task;
} line[LINE];

static void fail_once(struct weft_op *op)
{
    struct job *job = job_of(op);
    job->status = job->begun == 0 ? UV_ECONNREFUSED : 0;
    job_begin(op);
}

TEST(in_a_queue_a_retryable_keeps_its_place_while_it_waits)
{
    up();
    struct weft_queue queue;
    memset(line, 0, sizeof line);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 2), 0);
    for (size_t i = 0; i < LINE; i++) {
        line[i].task.ms = 3;
        weft_retryable(&line[i].retry, &line[i].task.op, fail_once, 3, 10);
        weft_queue_push(&queue, weft_root(&w.loop), &line[i].retry.op, weft_retry_begin, noted);
    }
    assert_int_equal(jobs.begun, 0);
    weft_sim_advance(&w.sim, 8); /* both pause */
    assert_int_equal(jobs.begun, 2);
    assert_int_equal(jobs.running, 0);
    world_run(&w);
    weft_queue_close(&queue);
    world_down(&w);
    assert_int_equal(seen.calls, LINE);
    assert_int_equal(jobs.begun, 2 * LINE);
    assert_int_equal(jobs.most, 2);
    assert_int_equal(w.sim.now_, 2 * (3 + 10 + 3));
    for (size_t i = 0; i < LINE; i++) {
        assert_int_equal(line[i].retry.op.status, 0);
        assert_int_equal(line[i].retry.tries, 2);
    }
}

TEST(a_retryable_in_a_retry_multiplies_the_tries)
{
    up();
    static struct weft_retry outer;
    memset(&outer, 0, sizeof outer);
    weft_retryable(&retry, &task.op, try_task, 3, 1);
    weft_retry(weft_root(&w.loop), &outer, &retry.op, weft_retry_begin, 2, 100, noted);
    world_down(&w);
    assert_int_equal(task.begun, 6);
    assert_int_equal(retry.tries, 3);
    assert_int_equal(outer.tries, 2);
    assert_int_equal(w.sim.now_, 3 + 100 + 3);
}

/* ---- the contract --------------------------------------------------------------------------- */

static void good(void *storage)
{
    struct line *own = storage;
    weft_retryable(&own->retry, &own->task.op, fail_once, 3, 2);
    own->task.ms = 1;
    own->task.begun = 0;
}

static void bad(void *storage)
{
    struct line *own = storage;
    good(storage);
    own->retry.begin = job_begin;
    own->task.status = UV_ECONNREFUSED;
}

static void verify(void *storage)
{
    assert_int_equal(((struct line *)storage)->retry.tries, 2);
}

TEST(a_retry_conforms)
{
    static const struct weft_provider provider = {
        .name = "retry",
        WEFT_PROVIDER_OP(struct line, retry.op),
        .begin = weft_retry_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_ECONNREFUSED,
        .nothing_status = UV_EINVAL,
        .verify = verify,
    };
    provider_check(&provider);
}
