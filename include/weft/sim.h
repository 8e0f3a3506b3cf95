/* weft/sim.h: a loop under control, for tests.
 *
 * Two things make asynchronous code hard to test: time, and an order that is never the same twice.
 * A simulation takes both in hand: a virtual clock that moves only when nothing else can, and an
 * order of ready operations drawn from a seed. It goes one event at a time and can check an
 * invariant after each.
 *
 *     struct weft_sim sim;
 *     weft_sim_init(&sim, &loop, seed);
 *     weft_run(weft_root(&loop), &job.op, job_begin, job_done);
 *     assert(weft_sim_run(&sim) == 0);     // a day of sleeping takes no time
 *     weft_sim_close(&sim);
 *
 * Real I/O works too: virtual time stands still while a request, an expected post or a child
 * process is under way. For a socket it does not: what comes over it may never come.
 *
 * A program that is never idle, such as a weft_forever of empty rounds, stands still in time: no
 * timer of it comes. Computing takes no time either: weft_steps are done before the next timer comes.
 *
 * The order alone can be shuffled in any program, without a simulation: weft_loop_shuffle, or
 * WEFT_SHUFFLE=seed in the environment when the loop is made. A simulation has its own seed. */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_sim {
    struct weft_loop *loop;                  /* read only */
    uint64_t steps;                          /* read only: events so far */
    void (*invariant)(struct weft_sim *sim); /* called after each step, if set */
    uint64_t random_, now_;
};

/* weft_go on a virtual clock, with an order drawn from seed (0: first in, first out): a program that
 * sleeps a day is over at once. */
#define weft_sim_go(op, begin, seed) weft_sim_go_at(WEFT_HERE(#begin, WEFT_USER), op, begin, seed)
WEFT_API int weft_sim_go_at(const struct weft_site *site, struct weft_op *op, weft_begin_fn *begin,
                            uint64_t seed);

/* Draw the order of ready operations from seed; 0: first in, first out. */
WEFT_API void weft_loop_shuffle(struct weft_loop *loop, uint64_t seed);

/* Take over loop's clock and order; the clock starts at 0. seed 0: first in, first out. The loop
 * has no timers yet: UV_EBUSY otherwise. invariant starts as NULL. */
WEFT_API int weft_sim_init(struct weft_sim *sim, struct weft_loop *loop, uint64_t seed);
/* Give the loop back to real time. UV_EBUSY: timers are armed. */
WEFT_API int weft_sim_close(struct weft_sim *sim);

/* One event: deliver one ready operation; or else take in I/O; or else move the clock to the next
 * timer and fire what is due. false: nothing can happen any more. */
WEFT_API bool weft_sim_step(struct weft_sim *sim);
/* Step until nothing can happen. 0, or WEFT_ESTUCK as weft_loop_run says it. */
WEFT_API int weft_sim_run(struct weft_sim *sim);
/* Step until the clock would pass now + ms, then set it there. */
WEFT_API void weft_sim_advance(struct weft_sim *sim, uint64_t ms);
/* A number below limit (0: 0) from the seed, for the test's own decisions. */
WEFT_API uint64_t weft_sim_random(struct weft_sim *sim, uint64_t limit);

#ifdef __cplusplus
}
#endif
#endif
