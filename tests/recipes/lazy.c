/* Lazy: calls to a component that is not ready yet.
 * ctest: labels=valgrind */
#include "lazy.h"
#include <stdlib.h>

/* ---- open ----------------------------------------------------------------------------------- */

TEST(a_lazy_needs_an_owner_and_a_begin_and_is_opened_once)
{
    up();
    struct weft_lazy bad = {.owner = root()};
    assert_int_equal(weft_lazy_open(&bad), UV_EINVAL);
    bad = (struct weft_lazy){.begin = db_begin};
    assert_int_equal(weft_lazy_open(&bad), UV_EINVAL);
    assert_int_equal(weft_lazy_open(&db.lazy), UV_EINVAL);
    assert_int_equal(db.begun, 0);
    down();
}

/* ---- waiting -------------------------------------------------------------------------------- */

TEST(a_call_that_comes_too_early_waits_until_the_component_is_ready)
{
    up();
    make_call(0);
    assert_int_equal(db.begun, 1);
    assert_int_equal(db.lazy.waiting, 1);
    weft_sim_advance(&w.sim, 4);
    assert_false(db.lazy.initialized);
    left("");
    weft_sim_advance(&w.sim, 1);
    assert_true(db.lazy.initialized);
    assert_int_equal(db.lazy.waiting, 0);
    left("0 0:ok ");
    down();
}

TEST(calls_are_begun_in_their_order)
{
    up();
    for (int i = 0; i < CALLS; i++) {
        calls[i].job.ms = 10 * (unsigned)(CALLS - i); /* they end the other way round */
        make_call(i);
        weft_sim_advance(&w.sim, (unsigned)i % 2);
    }
    world_run(&w);
    left("0 1 2 3 4 5 5:ok 4:ok 3:ok 2:ok 1:ok 0:ok ");
    assert_int_equal(db.begun, 1);
    down();
}

TEST(a_call_goes_straight_through_once_the_component_is_ready)
{
    up();
    ask(0);
    world_run(&w);
    calls[0].job.ms = 3;
    make_call(0);
    left("init0:ok 0 ");
    assert_int_equal(db.lazy.waiting, 0);
    world_run(&w);
    left("init0:ok 0 0:ok ");
    assert_int_equal(db.begun, 1);
    down();
}

TEST(an_initialisation_that_is_over_at_once_is_still_seen_on_a_later_turn)
{
    up_with(0, 0);
    make_call(0);
    assert_false(db.lazy.initialized);
    left("");
    make_call(1);
    world_run(&w);
    assert_true(strncmp(trail, "0 1 ", 4) == 0);
    down();
}

TEST(a_call_without_a_begin_waits_and_is_finished_by_hand)
{
    up();
    weft_lazy_run(root(), &calls[0].job.op, &db.lazy, NULL, call_over);
    world_run(&w);
    assert_true(db.lazy.initialized);
    left("");
    weft_finish(&calls[0].job.op, 0);
    world_run(&w);
    left("0:ok ");
    down();
}

TEST(by_hand_a_call_does_not_start_the_initialisation)
{
    up();
    db.lazy.by_hand = true;
    make_call(0);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(db.begun, 0);
    assert_int_equal(db.lazy.waiting, 1);
    ask(0);
    world_run(&w);
    assert_int_equal(db.begun, 1);
    assert_true(strncmp(trail, "0 ", 2) == 0);
    down();
}

/* ---- init ----------------------------------------------------------------------------------- */

TEST(however_many_ask_it_is_initialised_once)
{
    up();
    ask(0);
    weft_sim_advance(&w.sim, 2);
    ask(1);
    make_call(0);
    world_run(&w);
    assert_int_equal(db.begun, 1);
    assert_non_null(strstr(trail, "init0:ok"));
    assert_non_null(strstr(trail, "init1:ok"));
    down();
}

TEST(who_asks_when_it_is_ready_is_told_so_on_a_later_turn)
{
    up();
    ask(0);
    world_run(&w);
    ask(1);
    left("init0:ok ");
    world_run(&w);
    left("init0:ok init1:ok ");
    assert_int_equal(db.begun, 1);
    down();
}

TEST(it_is_initialized_first_then_the_calls_begin_then_those_who_asked_are_told)
{
    up();
    ask(0);
    make_call(0);
    make_call(1);
    calls[0].job.ms = calls[1].job.ms = 7;
    weft_sim_advance(&w.sim, 5);
    left("0 1 init0:ok "); /* that it is initialized, call_begin has seen */
    down();
}

TEST(the_initialisation_goes_on_when_those_who_ask_have_left)
{
    up();
    ask(0);
    make_call(0);
    weft_cancel(&inits[0].await.op, UV_EINTR);
    weft_cancel(&calls[0].job.op, UV_ECANCELED);
    world_run(&w);
    assert_true(db.lazy.initialized);
    assert_int_equal(jobs.cancelled, 0);
    assert_non_null(strstr(trail, "init0:EINTR"));
    down();
}

TEST(asking_nobody_is_a_mistake)
{
    up();
    weft_lazy_init(root(), &inits[0], NULL, told_of_init);
    world_run(&w);
    left("init0:EINVAL ");
    down();
}

/* ---- failure -------------------------------------------------------------------------------- */

TEST(a_failure_reaches_everybody_who_waits)
{
    up_with(5, UV_ECONNREFUSED);
    ask(0);
    make_call(0);
    make_call(1);
    world_run(&w);
    assert_false(db.lazy.initialized);
    assert_non_null(strstr(trail, "init0:ECONNREFUSED"));
    assert_non_null(strstr(trail, "0:ECONNREFUSED"));
    assert_non_null(strstr(trail, "1:ECONNREFUSED"));
    assert_int_equal(calls[0].job.begun + calls[1].job.begun, 0);
    assert_int_equal(db.lazy.waiting, 0);
    down();
}

TEST(after_a_failure_the_next_call_tries_again)
{
    up_with(5, UV_ECONNREFUSED);
    make_call(0);
    world_run(&w);
    db.job.status = 0;
    make_call(1);
    world_run(&w);
    left("0:ECONNREFUSED 1 1:ok ");
    assert_int_equal(db.begun, 2);
    assert_true(db.lazy.initialized);
    down();
}

TEST(after_a_failure_who_asks_tries_again)
{
    up_with(5, UV_ECONNREFUSED);
    db.lazy.by_hand = true;
    make_call(0);
    ask(0);
    world_run(&w);
    db.job.status = 0;
    make_call(1);
    assert_int_equal(db.begun, 1);
    ask(1);
    world_run(&w);
    assert_int_equal(db.begun, 2);
    assert_non_null(strstr(trail, "1 "));
    assert_non_null(strstr(trail, "init1:ok"));
    down();
}

static unsigned tries;

static void call_again(struct weft_op *parent, struct weft_op *op)
{
    leave("%s", op->status == 0 ? "ok" : weft_error_name(op->status));
    if (op->status == 0)
        return;
    if (++tries == 2)
        db.job.status = 0;
    weft_lazy_run(parent, op, &db.lazy, call_begin, call_again);
}

TEST(one_that_is_told_of_a_failure_may_call_again_there)
{
    up_with(5, UV_ECONNREFUSED);
    tries = 0;
    ask(0); /* it is not told yet when the promise is started again */
    weft_lazy_run(root(), &calls[0].job.op, &db.lazy, call_begin, call_again);
    world_run(&w);
    assert_int_equal(db.begun, 3);
    assert_non_null(strstr(trail, "init0:ECONNREFUSED"));
    assert_non_null(strstr(trail, "0 ok"));
    down();
}

/* ---- limit ---------------------------------------------------------------------------------- */

TEST(only_so_many_may_wait)
{
    up();
    db.lazy.limit = 2;
    make_call(0);
    make_call(1);
    make_call(2);
    assert_int_equal(db.lazy.waiting, 2);
    weft_sim_advance(&w.sim, 1);
    left("2:ENOBUFS ");
    weft_cancel(&calls[0].job.op, UV_ECANCELED);
    make_call(3);
    assert_int_equal(db.lazy.waiting, 2);
    weft_sim_advance(&w.sim, 1);
    left("2:ENOBUFS 0:ECANCELED ");
    world_run(&w);
    assert_int_equal(calls[1].job.begun + calls[3].job.begun, 2);
    down();
}

TEST(without_a_limit_of_its_own_the_line_has_one)
{
    up();
    struct weft_op *many = calloc(WEFT_LAZY_LIMIT + 1, sizeof *many);
    for (int i = 0; i <= WEFT_LAZY_LIMIT; i++)
        weft_lazy_run(root(), &many[i], &db.lazy, finish_at_once, noted);
    assert_int_equal(db.lazy.waiting, WEFT_LAZY_LIMIT);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_ptr_equal(seen.op, &many[WEFT_LAZY_LIMIT]);
    world_run(&w);
    assert_int_equal(seen.calls, WEFT_LAZY_LIMIT + 1);
    free(many);
    down();
}

/* ---- time ----------------------------------------------------------------------------------- */

TEST(each_call_waits_only_for_so_long)
{
    up_with(100, 0);
    db.lazy.wait_ms = 10;
    make_call(0);
    weft_sim_advance(&w.sim, 4);
    make_call(1);
    weft_sim_advance(&w.sim, 5);
    left("");
    weft_sim_advance(&w.sim, 1);
    left("0:ETIMEDOUT ");
    weft_sim_advance(&w.sim, 3);
    left("0:ETIMEDOUT ");
    weft_sim_advance(&w.sim, 1);
    left("0:ETIMEDOUT 1:ETIMEDOUT ");
    weft_sim_advance(&w.sim, 81);
    make_call(2);
    world_run(&w);
    left("0:ETIMEDOUT 1:ETIMEDOUT 2 2:ok ");
    assert_int_equal(db.begun, 1);
    down();
}

TEST(the_time_of_one_that_has_left_is_not_anothers)
{
    up_with(100, 0);
    db.lazy.wait_ms = 10;
    make_call(0);
    weft_sim_advance(&w.sim, 6);
    make_call(1);
    weft_cancel(&calls[0].job.op, UV_ECANCELED);
    weft_sim_advance(&w.sim, 9);
    left("0:ECANCELED ");
    weft_sim_advance(&w.sim, 1);
    left("0:ECANCELED 1:ETIMEDOUT ");
    down();
}

TEST(nobody_in_line_keeps_no_timer)
{
    up();
    db.lazy.by_hand = true;
    db.lazy.wait_ms = 10;
    make_call(0);
    assert_non_null(w.loop.timers_);
    weft_cancel(&calls[0].job.op, UV_ECANCELED);
    assert_null(w.loop.timers_);
    world_run(&w);
    assert_int_equal(weft_now(&w.loop), 0);
    down();
}

TEST(a_wait_beyond_all_clocks_is_for_ever)
{
    up();
    db.lazy.by_hand = true;
    db.lazy.wait_ms = UINT64_MAX;
    make_call(0);
    assert_null(w.loop.timers_);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    ask(0);
    down();
    assert_non_null(strstr(trail, "0:ok"));
}

TEST(a_deadline_takes_a_call_out_of_line)
{
    up();
    struct weft_deadline deadline = {0};
    make_call(0);
    weft_deadline(&calls[0].job.op, &deadline, 3);
    make_call(1);
    weft_sim_advance(&w.sim, 3);
    left("0:ETIMEDOUT ");
    assert_int_equal(db.lazy.waiting, 1);
    world_run(&w);
    left("0:ETIMEDOUT 1 1:ok ");
    down();
}

TEST(a_deadline_counts_on_when_the_call_has_begun)
{
    up();
    struct weft_deadline deadline = {0};
    calls[0].job.ms = 100;
    make_call(0);
    weft_deadline(&calls[0].job.op, &deadline, 8);
    weft_sim_advance(&w.sim, 7);
    left("0 ");
    weft_sim_advance(&w.sim, 1);
    left("0 0:ETIMEDOUT ");
    down();
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(a_cancel_takes_a_call_out_of_line_at_once)
{
    up();
    make_call(0);
    make_call(1);
    make_call(2);
    weft_cancel(&calls[1].job.op, UV_EINTR);
    assert_int_equal(db.lazy.waiting, 2);
    weft_cancel(&calls[2].job.op, UV_EINTR); /* the last one */
    weft_cancel(&calls[2].job.op, UV_EIO);
    make_call(3);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(calls[1].job.reported + calls[2].job.reported, 2);
    assert_null(strstr(trail, "EIO"));
    trail[0] = '\0';
    calls[0].job.ms = calls[3].job.ms = BY_HAND;
    weft_sim_advance(&w.sim, 4);
    left("0 3 ");
    weft_cancel(&calls[0].job.op, UV_ECANCELED);
    weft_cancel(&calls[3].job.op, UV_ECANCELED);
    down();
}

TEST(a_cancelled_parent_takes_its_calls_with_it)
{
    up();
    struct weft_op parent = {0};
    weft_run(root(), &parent, NULL, noted);
    weft_lazy_run(&parent, &calls[0].job.op, &db.lazy, call_begin, call_over);
    make_call(1);
    weft_lazy_run(&parent, &calls[2].job.op, &db.lazy, call_begin, call_over);
    weft_join(&parent);
    weft_cancel(&parent, UV_EINTR);
    assert_int_equal(db.lazy.waiting, 1);
    world_run(&w);
    assert_non_null(strstr(trail, "0:EINTR"));
    assert_non_null(strstr(trail, "2:EINTR"));
    assert_non_null(strstr(trail, "1 1:ok"));
    assert_int_equal(seen.status, UV_EINTR);
    down();
}

TEST(an_end_takes_a_call_out_of_line_with_a_status_of_its_own)
{
    up();
    make_call(0);
    weft_end(&calls[0].job.op, UV_ENOENT);
    assert_int_equal(db.lazy.waiting, 0);
    world_run(&w);
    left("0:ENOENT ");
    down();
}

TEST(a_call_under_a_cancelled_parent_is_refused)
{
    up();
    struct weft_op parent = {0};
    weft_run(root(), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    weft_lazy_run(&parent, &calls[0].job.op, &db.lazy, call_begin, call_over);
    assert_int_equal(db.lazy.waiting, 0);
    assert_int_equal(db.begun, 0);
    weft_join(&parent);
    world_run(&w);
    left("0:EINTR ");
    assert_int_equal(seen.status, UV_EINTR);
    down();
}
