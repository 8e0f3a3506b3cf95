/* Try each: one way after the other until one succeeds.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

static struct world w;
static struct errand {
    struct weft_try_each ways;
    struct job job;
    int fails[3]; /* how each way ends */
} errand;

static void up(void)
{
    model_up(&w);
    memset(&errand, 0, sizeof errand);
    errand.ways.won = 7; /* garbage of an earlier life */
}

static void way_over(struct weft_op *attempt, struct weft_op *job)
{
    weft_finish(attempt, job->status);
}

static void go(struct weft_op *attempt)
{
    struct errand *own = weft_owner(attempt, struct errand, ways.attempt);
    leave("%zu", weft_index(attempt));
    own->job.status = own->fails[weft_index(attempt)];
    weft_run(attempt, &own->job.op, job_begin, way_over);
}

static void run_three(void)
{
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, go, go, go);
}

static void run_steps(struct weft_step_list ways)
{
    weft_try_each_at(WEFT_HERE("try_each", WEFT_FLOW), NULL, weft_root(&w.loop), &errand.ways, ways,
                     noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(the_first_way_that_succeeds_is_the_last_that_is_tried)
{
    up();
    errand.fails[0] = UV_EIO;
    errand.job.ms = 2;
    run_three();
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(errand.ways.won, 1);
    assert_int_equal(w.sim.now_, 4);
}

TEST(one_way_is_enough)
{
    up();
    run_steps(WEFT_STEPS(go));
    assert_int_equal(seen.status, 0);
    assert_int_equal(errand.ways.won, 0);
}

TEST(if_none_succeeds_the_status_is_the_last_ones)
{
    up();
    errand.fails[0] = UV_EIO;
    errand.fails[1] = UV_ENOENT;
    errand.fails[2] = UV_EACCES;
    run_three();
    world_down(&w);
    assert_string_equal(trail, "0 1 2 ");
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EACCES);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(no_way_is_invalid)
{
    up();
    run_steps((struct weft_step_list){NULL, 0});
    assert_int_equal(seen.status, UV_EINVAL);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(a_way_that_is_NULL_is_invalid_and_none_is_tried)
{
    up();
    run_steps(WEFT_STEPS(go, NULL));
    assert_int_equal(seen.status, UV_EINVAL);
    assert_string_equal(trail, "");
}

TEST(ways_without_a_list_are_invalid)
{
    up();
    run_steps((struct weft_step_list){NULL, 2});
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_cancel_midway_stops_the_way_and_tries_no_other)
{
    up();
    errand.fails[0] = UV_EIO;
    errand.job.ms = 10;
    errand.job.linger_ms = 4;
    run_three();
    weft_sim_advance(&w.sim, 15);
    weft_cancel(&errand.ways.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 3);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(a_cancel_while_a_failure_is_ready_tries_no_other_way)
{
    up();
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, fail_at_once, go);
    weft_cancel(&errand.ways.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(a_cancel_while_the_last_failure_is_ready_leaves_that_its_status)
{
    up();
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, fail_at_once);
    weft_cancel(&errand.ways.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(a_cancel_while_a_success_is_ready_reports_the_reason_and_nobody_won)
{
    up();
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, finish_at_once, go);
    weft_cancel(&errand.ways.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(errand.ways.attempt.status, 0);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(errand.ways.won == WEFT_NONE);
    assert_string_equal(trail, "");
}

TEST(under_a_cancelled_parent_no_way_is_tried_and_none_has_won)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_try_each(&parent, &errand.ways, noted, go, go);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(errand.ways.op.status, UV_EACCES);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(a_deadline_over_all_ways_ends_the_one_that_runs)
{
    up();
    static struct weft_deadline deadline;
    errand.fails[0] = errand.fails[1] = UV_EIO;
    errand.job.ms = 6;
    run_three();
    weft_deadline(&errand.ways.op, &deadline, 10);
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 10);
}

static void give_up(struct weft_op *attempt)
{
    weft_end(attempt->parent, 0);
    weft_finish(attempt, UV_EIO);
}

TEST(a_way_may_end_it_early_and_well_without_having_won)
{
    up();
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, give_up, go);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, 0);
    assert_true(errand.ways.won == WEFT_NONE);
}

TEST(the_sites_name_the_users_line)
{
    up();
    int line = __LINE__ + 1;
    weft_try_each(weft_root(&w.loop), &errand.ways, noted, go);
    assert_string_equal(errand.ways.op.site_->type, "try_each");
    assert_int_equal(errand.ways.op.site_->line, line);
    assert_int_equal(errand.ways.op.site_->group, WEFT_FLOW);
    assert_string_equal(errand.ways.attempt.site_->type, "attempt");
    assert_int_equal(errand.ways.attempt.site_->line, line);
    world_down(&w);
}

TEST(it_can_be_begun_again)
{
    up();
    errand.fails[0] = errand.fails[1] = errand.fails[2] = UV_EIO;
    run_three();
    world_run(&w);
    assert_int_equal(seen.status, UV_EIO);
    errand.fails[1] = 0;
    run_three();
    world_down(&w);
    assert_string_equal(trail, "0 1 2 0 1 ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(errand.ways.won, 1);
}

TEST(it_can_be_tried_again_as_a_whole)
{
    up();
    static struct weft_retry retry;
    memset(&retry, 0, sizeof retry);
    errand.fails[0] = errand.fails[1] = UV_EIO;
    errand.ways.ways = WEFT_STEPS(go, go);
    weft_retry(weft_root(&w.loop), &retry, &errand.ways.op, weft_try_each_begin, 2, 5, noted);
    world_down(&w);
    assert_string_equal(trail, "0 1 0 1 ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(it_waits_for_its_place_in_a_queue)
{
    up();
    struct weft_queue queue;
    struct job first = {.ms = 5};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    errand.fails[0] = UV_EIO;
    errand.ways.ways = WEFT_STEPS(go, go);
    weft_queue_push(&queue, weft_root(&w.loop), &first.op, job_begin, job_over);
    weft_queue_push(&queue, weft_root(&w.loop), &errand.ways.op, weft_try_each_begin, noted);
    assert_string_equal(trail, "");
    world_run(&w);
    weft_queue_close(&queue);
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(errand.ways.won, 1);
}

/* ---- many ----------------------------------------------------------------------------------- */

enum { MILLION = 1000000 };
static size_t tried;

static void fail_but_the_last(struct weft_op *attempt)
{
    assert_int_equal(weft_index(attempt), tried);
    weft_finish(attempt, ++tried < MILLION ? UV_EAGAIN : 0);
}

static void million_ways(void)
{
    weft_begin_fn **list = malloc(MILLION * sizeof *list);
    for (size_t i = 0; i < MILLION; i++)
        list[i] = fail_but_the_last;
    tried = 0;
    up();
    run_steps((struct weft_step_list){list, MILLION});
    free(list);
}

TEST(a_million_synchronous_failures_use_the_stack_of_one)
{
    on_a_small_stack(million_ways);
    assert_int_equal(seen.status, 0);
    assert_int_equal(errand.ways.won, MILLION - 1);
}

static void many_ways_cancelled(void)
{
    weft_begin_fn **list = malloc(MILLION * sizeof *list);
    for (size_t i = 0; i < MILLION; i++)
        list[i] = fail_at_once;
    up();
    weft_try_each_at(WEFT_HERE("try_each", WEFT_FLOW), NULL, weft_root(&w.loop), &errand.ways,
                     (struct weft_step_list){list, MILLION}, noted);
    for (int i = 0; i < 100; i++)
        weft_sim_step(&w.sim);
    weft_cancel(&errand.ways.op, UV_ETIMEDOUT);
    world_down(&w);
    free(list);
}

TEST(after_a_cancel_the_ways_that_are_left_are_not_even_refused)
{
    many_ways_cancelled();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(weft_index(&errand.ways.attempt) <= 100);
}

/* ---- the contract --------------------------------------------------------------------------- */

static void good(void *storage)
{
    struct errand *own = storage;
    own->ways.ways = WEFT_STEPS(go, go, go);
    own->fails[0] = UV_EIO;
    own->fails[1] = 0;
    own->job.ms = 1;
    trail[0] = '\0';
}

static void bad(void *storage)
{
    good(storage);
    ((struct errand *)storage)->fails[1] = UV_EIO;
    ((struct errand *)storage)->fails[2] = UV_EPIPE;
}

static void verify(void *storage)
{
    assert_int_equal(((struct errand *)storage)->ways.won, 1);
}

TEST(a_try_each_conforms)
{
    static const struct weft_provider provider = {
        .name = "try_each",
        WEFT_PROVIDER_OP(struct errand, ways.op),
        .begin = weft_try_each_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EPIPE,
        .nothing_status = UV_EINVAL,
        .verify = verify,
    };
    provider_check(&provider);
}
