/* The ticker. When it ticked, in virtual milliseconds, is what most of these look at.
 * ctest: labels=valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/timer.h>

struct metronome {
    struct weft_ticker ticker;
    struct weft_sleep naps[8];
    uint64_t at[8];  /* when each tick came */
    unsigned end_at; /* the tick that ends it; 0: none */
    int end_with;
    uint64_t nap_ms; /* each tick starts a nap so long; 0: none */
    bool joins;      /* the last tick joins */
    struct world *w;
    uint64_t busy_ms; /* the first tick keeps the loop busy for so long */
};

static void tick(struct weft_op *op)
{
    struct metronome *m = weft_owner(op, struct metronome, ticker.op);
    uint64_t n = m->ticker.ticks - 1;
    assert_true(n < 8);
    m->at[n] = weft_now(weft_loop_of(op));
    if (n == 0)
        m->w->sim.now_ += m->busy_ms;
    if (m->nap_ms != 0)
        weft_sleep(op, &m->naps[n], m->nap_ms, noted);
    if (m->ticker.ticks != m->end_at)
        return;
    if (m->joins)
        weft_join(op);
    else
        weft_end(op, m->end_with);
}

static void metronome_up(struct metronome *m, struct world *w, unsigned end_at)
{
    world_up_sim(w, 0);
    memset(m, 0, sizeof *m);
    m->w = w;
    m->end_at = end_at;
}

TEST(a_ticker_ticks_every_so_often_until_it_is_ended)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 3);
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 3);
    assert_int_equal(m.at[0], 10);
    assert_int_equal(m.at[1], 20);
    assert_int_equal(m.at[2], 30);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 30);
}

TEST(a_ticker_may_end_with_an_error)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 1);
    m.end_with = UV_EPIPE;
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EPIPE);
    assert_int_equal(w.sim.now_, 10);
}

TEST(ticks_that_were_missed_are_skipped_and_the_rest_do_not_drift)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 4);
    m.busy_ms = 34; /* until 44: the ticks of 20, 30 and 40 are missed */
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(m.at[0], 10);
    assert_int_equal(m.at[1], 50);
    assert_int_equal(m.at[2], 60);
    assert_int_equal(m.at[3], 70);
}

TEST(a_tick_that_takes_exactly_a_period_misses_the_next)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 2);
    m.busy_ms = 10;
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(m.at[1], 30);
}

TEST(a_ticker_that_ends_stops_what_its_ticks_have_started)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 2);
    m.nap_ms = 1000;
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(w.sim.now_, 20);
    assert_int_equal(m.naps[0].op.status, UV_ECANCELED);
    assert_int_equal(m.naps[1].op.status, UV_ECANCELED);
    assert_int_equal(seen.calls, 3);
    assert_ptr_equal(seen.op, &m.ticker.op); /* the last to report */
    assert_int_equal(seen.status, 0);
}

static void forget_metronome(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    struct metronome *m = weft_owner(op, struct metronome, ticker.op);
    memset(m, 0xa5, sizeof *m);
    free(m);
}

TEST(a_tick_that_joins_is_the_last_one)
{
    struct world w;
    struct metronome *m = calloc(1, sizeof *m);
    metronome_up(m, &w, 2);
    m->nap_ms = 25;
    m->joins = true;
    weft_ticker(weft_root(&w.loop), &m->ticker, 10, tick, forget_metronome);
    world_down(&w);
    assert_int_equal(w.sim.now_, 45);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.status, 0);
}

TEST(an_error_that_no_then_takes_ends_the_ticker)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    struct weft_op child = {0};
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    weft_run(&m.ticker.op, &child, fail_at_once, NULL);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 0);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_cancelled_ticker_stops_awaits_its_children_and_reports_the_reason)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    m.nap_ms = 1000;
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    weft_sim_advance(&w.sim, 25);
    weft_cancel(&m.ticker.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 2);
    assert_int_equal(w.sim.now_, 25);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(m.naps[0].op.status, UV_ETIMEDOUT);
    assert_int_equal(m.ticker.op.status, UV_ETIMEDOUT);
}

TEST(a_ticker_may_be_cancelled_before_its_first_tick)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    weft_cancel(&m.ticker.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

static void cancel_in_tick(struct weft_op *op)
{
    weft_cancel(op, UV_ECANCELED);
}

TEST(a_ticker_may_be_cancelled_in_its_tick)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, cancel_in_tick, noted);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_ticker_may_have_a_deadline)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    struct weft_deadline deadline = {.op_ = {0}};
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    weft_deadline(&m.ticker.op, &deadline, 35);
    world_down(&w);
    assert_int_equal(m.ticker.ticks, 3);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 35);
}

TEST(a_ticker_needs_a_period_and_a_tick)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 1);
    weft_ticker(weft_root(&w.loop), &m.ticker, 0, tick, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, NULL, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(m.ticker.ticks, 0);
    weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.status, 0);
}

TEST(a_ticker_with_the_longest_period_does_not_spin)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 0);
    weft_ticker(weft_root(&w.loop), &m.ticker, UINT64_MAX, tick, noted);
    weft_sim_advance(&w.sim, 1000ULL * 60 * 60 * 24 * 365 * 1000);
    assert_int_equal(m.ticker.ticks, 0);
    weft_cancel(&m.ticker.op, UV_ECANCELED);
    world_down(&w);
}

TEST(a_ticker_may_be_used_again_and_counts_from_0)
{
    struct world w;
    struct metronome m;
    metronome_up(&m, &w, 3);
    for (int i = 0; i < 2; i++) {
        weft_ticker(weft_root(&w.loop), &m.ticker, 10, tick, noted);
        assert_int_equal(world_run(&w), 0);
        assert_int_equal(m.ticker.ticks, 3);
    }
    world_down(&w);
    assert_int_equal(w.sim.now_, 60);
}

static unsigned real_ticks;

static void real_tick(struct weft_op *op)
{
    if (++real_ticks == 5)
        weft_end(op, 0);
}

TEST(a_ticker_works_in_real_time)
{
    struct world w;
    world_up(&w);
    real_ticks = 0;
    struct weft_ticker ticker = {.ms = 0};
    uint64_t begun = weft_now(&w.loop);
    weft_ticker(weft_root(&w.loop), &ticker, 1, real_tick, noted);
    world_down(&w);
    assert_int_equal(ticker.ticks, 5);
    assert_true(weft_now(&w.loop) >= begun + 5);
}
