/* Every flow in every other: begun by its begin function as a child, a slot, a runner, a task.
 *
 * A flow that is nested is described by a struct nest: it holds one of each kind, all of them made
 * of the same few jobs. Whatever is around it, it takes time, reports once and stops on a cancel.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "core/op.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { KINDS = 7, ITEMS = 3 };

/* One of each kind of flow, with jobs of their own below them. */
struct nest {
    struct weft_series series;
    struct weft_parallel parallel;
    struct weft_each each, map;
    struct weft_race race;
    struct weft_retry retry;
    struct weft_timeout timeout;
    struct job below[KINDS][ITEMS];
    unsigned stored;
};

static struct world w;
static uint64_t item_ms, linger_ms;
static int item_status;

static struct job *prepared(struct job *job)
{
    job->ms = item_ms;
    job->linger_ms = linger_ms;
    job->status = item_status;
    return job;
}

/* Runs one of the jobs below; what that reports with an error ends op. */
static void run_below(struct weft_op *op, struct job *job)
{
    weft_run(op, &prepared(job)->op, job_begin, NULL);
}

static void series_first(struct weft_op *op)
{
    run_below(op, &weft_owner(op, struct nest, series.op)->below[0][0]);
}

static void series_second(struct weft_op *op)
{
    run_below(op, &weft_owner(op, struct nest, series.op)->below[0][1]);
}

static void parallel_first(struct weft_op *op)
{
    run_below(op, &weft_owner(op, struct nest, parallel.op)->below[1][0]);
}

static void parallel_second(struct weft_op *op)
{
    run_below(op, &weft_owner(op, struct nest, parallel.op)->below[1][1]);
}

static bool next_item(struct weft_op *slot)
{
    if (weft_index(slot) == 4)
        return false;
    prepared(job_of(slot));
    return true;
}

static void store_item(struct weft_op *slot)
{
    weft_owner(slot->parent, struct nest, map.op)->stored++;
}

static void race_starters(struct weft_op *op)
{
    struct nest *nest = weft_owner(op, struct nest, race.op);
    for (int i = 0; i < 2; i++)
        weft_run(op, &prepared(&nest->below[4][i])->op, job_begin, weft_race_first);
}

struct kind {
    const char *name;
    size_t at; /* of its op in struct nest */
    weft_begin_fn *begin;
};
static const struct kind kinds[KINDS] = {
    {"series", offsetof(struct nest, series.op), weft_series_begin},
    {"parallel", offsetof(struct nest, parallel.op), weft_parallel_begin},
    {"each", offsetof(struct nest, each.op), weft_each_begin},
    {"map", offsetof(struct nest, map.op), weft_each_begin},
    {"race", offsetof(struct nest, race.op), weft_race_begin},
    {"retry", offsetof(struct nest, retry.op), weft_retry_begin},
    {"timeout", offsetof(struct nest, timeout.op), weft_timeout_begin},
};

/* Fill the public fields in by hand, as a provider's are. */
static void nest_init(struct nest *nest)
{
    memset(nest, 0, sizeof *nest);
    nest->series.steps = WEFT_STEPS(series_first, series_second);
    nest->parallel.steps = WEFT_STEPS(parallel_first, parallel_second);
    nest->each.slots = weft_slots(&nest->below[2][0].op, sizeof(struct job), 2);
    nest->each.source.next = next_item;
    nest->each.begin = job_begin;
    nest->map.slots = weft_slots(&nest->below[3][0].op, sizeof(struct job), 3);
    nest->map.source.next = next_item;
    nest->map.begin = job_begin;
    nest->map.store = store_item;
    nest->race.starters = race_starters;
    nest->retry.task = &prepared(&nest->below[5][0])->op;
    nest->retry.begin = job_begin;
    nest->retry.times = 2;
    nest->timeout.task = &prepared(&nest->below[6][0])->op;
    nest->timeout.begin = job_begin;
    nest->timeout.ms = 1000;
}

static struct weft_op *op_of(struct nest *nest, const struct kind *kind)
{
    return (struct weft_op *)(void *)((char *)nest + kind->at);
}

/* ---- what is around it ---------------------------------------------------------------------- */

/* A pair of flows, the one around the other. Every function below finds the inner one here. */
static struct pair {
    struct weft_op op;
    struct weft_series series;
    struct weft_parallel parallel;
    struct weft_each each;
    struct weft_race race;
    struct weft_retry retry;
    struct weft_timeout timeout;
    struct weft_queue queue;
    const struct kind *inner;
    struct nest nests[2]; /* what is inside; an each has two of them as slots */
    bool queued;
} pair;

static void start_inner(struct weft_op *op)
{
    weft_run(op, op_of(&pair.nests[0], pair.inner), pair.inner->begin, NULL);
}

static void start_runner(struct weft_op *op)
{
    weft_run(op, op_of(&pair.nests[0], pair.inner), pair.inner->begin, weft_race_first);
}

static bool next_nest(struct weft_op *slot)
{
    return weft_index(slot) < 4;
}

static void push_inner(struct weft_op *op)
{
    weft_queue_push(&pair.queue, op, op_of(&pair.nests[0], pair.inner), pair.inner->begin, NULL);
    weft_queue_push(&pair.queue, op, op_of(&pair.nests[1], pair.inner), pair.inner->begin, NULL);
    weft_join(op);
}

/* Starts flow number outer around the inner one under the root; returns its op. */
static struct weft_op *start_outer(int outer)
{
    struct weft_op *root = weft_root(&w.loop), *inner = op_of(&pair.nests[0], pair.inner);
    switch (outer) {
    case 0:
        weft_series(root, &pair.series, noted, start_inner);
        return &pair.series.op;
    case 1:
        weft_parallel(root, &pair.parallel, noted, start_inner);
        return &pair.parallel.op;
    case 2:
        weft_each(root, &pair.each, weft_slots(inner, sizeof(struct nest), 2), next_nest,
                  pair.inner->begin, NULL, noted);
        return &pair.each.op;
    case 3:
        weft_map(root, &pair.each, weft_slots(inner, sizeof(struct nest), 2), next_nest,
                 pair.inner->begin, NULL, noted);
        return &pair.each.op;
    case 4:
        weft_race(root, &pair.race, start_runner, noted);
        return &pair.race.op;
    case 5:
        weft_retry(root, &pair.retry, inner, pair.inner->begin, 3, 1, noted);
        return &pair.retry.op;
    case 6:
        weft_timeout(root, &pair.timeout, inner, pair.inner->begin, 1000, noted);
        return &pair.timeout.op;
    default:
        assert_int_equal(weft_queue_init(&pair.queue, &w.loop, 1), 0);
        pair.queued = true;
        weft_run(root, &pair.op, push_inner, noted);
        return &pair.op;
    }
}

enum { OUTERS = 8 };

static struct weft_op *nested_up(int outer, int inner)
{
    model_up(&w);
    memset(&pair, 0, sizeof pair);
    pair.inner = &kinds[inner];
    nest_init(&pair.nests[0]);
    nest_init(&pair.nests[1]);
    return start_outer(outer);
}

static void nested_down(int outer, int inner, int status)
{
    world_run(&w);
    if (seen.calls != 1 || seen.status != status || jobs.running != 0)
        fail_msg("%d around %s: told %u times, %s instead of %s, %u jobs run", outer,
                 kinds[inner].name, seen.calls, weft_error_name(seen.status),
                 weft_error_name(status), jobs.running);
    if (pair.queued)
        assert_int_equal(weft_queue_close(&pair.queue), 0);
    world_down(&w);
}

static void nested(uint64_t ms, int status, int expected)
{
    item_ms = ms;
    linger_ms = 0;
    item_status = status;
    for (int outer = 0; outer < OUTERS; outer++) {
        for (int inner = 0; inner < KINDS; inner++) {
            nested_up(outer, inner);
            nested_down(outer, inner, expected);
        }
    }
}

TEST(every_flow_runs_in_every_other_synchronously)
{
    nested(0, 0, 0);
}

TEST(every_flow_runs_in_every_other_asynchronously)
{
    nested(3, 0, 0);
}

TEST(an_error_comes_up_through_every_pair_at_once)
{
    nested(0, UV_EIO, UV_EIO);
}

TEST(an_error_comes_up_through_every_pair_later)
{
    nested(2, UV_EIO, UV_EIO);
}

TEST(a_cancel_goes_down_through_every_pair_at_any_moment)
{
    item_ms = 3;
    item_status = 0;
    for (linger_ms = 0; linger_ms < 6; linger_ms += 5) {
        for (int outer = 0; outer < OUTERS; outer++) {
            for (int inner = 0; inner < KINDS; inner++) {
                for (uint64_t at = 0; at < 3; at++) { /* none is over before 3 ms */
                    struct weft_op *op = nested_up(outer, inner);
                    weft_sim_advance(&w.sim, at);
                    weft_cancel(op, UV_ETIMEDOUT);
                    nested_down(outer, inner, UV_ETIMEDOUT);
                }
            }
        }
    }
}

/* Whatever the step: it reports once, with 0 if it was over and with the reason if not. */
TEST(a_cancel_after_any_number_of_steps_is_told_once)
{
    item_ms = 1;
    linger_ms = 1;
    item_status = 0;
    for (int outer = 0; outer < OUTERS; outer++) {
        for (int inner = 0; inner < KINDS; inner++) {
            for (int steps = 0; steps < 25; steps++) {
                struct weft_op *op = nested_up(outer, inner);
                for (int i = 0; i < steps; i++)
                    weft_sim_step(&w.sim);
                unsigned told_before = seen.calls;
                uint32_t ready = op->state_;
                weft_cancel(op, UV_ECANCELED);
                world_run(&w);
                assert_int_equal(seen.calls, 1);
                assert_int_equal(jobs.running, 0);
                bool was_over = told_before == 1 || ready == OP_READY;
                assert_int_equal(seen.status, was_over ? 0 : UV_ECANCELED);
                if (pair.queued)
                    assert_int_equal(weft_queue_close(&pair.queue), 0);
                world_down(&w);
            }
        }
    }
}

TEST(a_deadline_goes_down_through_every_pair)
{
    item_ms = 100;
    linger_ms = 4;
    item_status = 0;
    for (int outer = 0; outer < OUTERS; outer++) {
        for (int inner = 0; inner < KINDS; inner++) {
            static struct weft_deadline deadline;
            memset(&deadline, 0, sizeof deadline);
            struct weft_op *op = nested_up(outer, inner);
            weft_deadline(op, &deadline, 10);
            nested_down(outer, inner, UV_ETIMEDOUT);
            assert_int_equal(w.sim.now_, 14);
        }
    }
}

/* ---- what they are for ---------------------------------------------------------------------- */

/* A retry of a timeout of an attempt: those that take too long are cancelled and repeated. */
static struct fetch {
    struct weft_retry retry;
    struct weft_timeout timeout;
    struct job attempt;
} fetch;

static void attempt_begin(struct weft_op *op)
{
    struct job *job = job_of(op);
    job->ms = job->begun == 2 ? 5 : 50; /* the third one is quick */
    job_begin(op);
}

TEST(a_timeout_in_a_retry_is_a_timeout_for_each_attempt)
{
    model_up(&w);
    memset(&fetch, 0, sizeof fetch);
    fetch.timeout.task = &fetch.attempt.op;
    fetch.timeout.begin = attempt_begin;
    fetch.timeout.ms = 20;
    weft_retry(weft_root(&w.loop), &fetch.retry, &fetch.timeout.op, weft_timeout_begin, 5, 10,
               noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(fetch.retry.tries, 3);
    assert_int_equal(fetch.attempt.cancelled, 2);
    assert_int_equal(w.sim.now_, 20 + 10 + 20 + 20 + 5);
}

/* A timeout of a retry: all attempts together. */
TEST(a_retry_in_a_timeout_has_one_time_for_all_attempts)
{
    model_up(&w);
    memset(&fetch, 0, sizeof fetch);
    fetch.attempt = (struct job){.ms = 3, .status = UV_EIO};
    fetch.retry.task = &fetch.attempt.op;
    fetch.retry.begin = job_begin;
    fetch.retry.times = 100;
    fetch.retry.wait_ms = 1;
    weft_timeout(weft_root(&w.loop), &fetch.timeout, &fetch.retry.op, weft_retry_begin, 20, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(fetch.retry.tries, 4); /* at 0, 4, 9, 16 */
    assert_int_equal(w.sim.now_, 20);
}
