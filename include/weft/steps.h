/* weft/steps.h: work for the processor on the loop, in slices.
 *
 * A long computation in a callback stops everything else: no socket is read, no timer comes. Cut into
 * steps, it lets them in between. You write one step; the library calls it again and again, for two
 * milliseconds, looks what has happened meanwhile, and goes on.
 *
 *     struct sieve { struct weft_steps steps; ... };
 *
 *     static int sieve_on(struct weft_steps *steps)         // a little: some nanoseconds or more
 *     {
 *         struct sieve *sieve = weft_owner(steps, struct sieve, steps);
 *         ...
 *         return sieve->next < sieve->end ? WEFT_MORE : 0;
 *     }
 *     ...
 *     weft_steps(op, &sieve->steps, sieve_on, sieved);
 *
 * Turns. All that are under way on one loop stand in one line. An iteration of the loop looks for I/O
 * and timers, delivers what is ready, and lets the first in line do one slice; then that goes to the
 * end of the line. So a socket waits for one budget, however many compute; the more there are, the
 * longer each of them takes.
 *
 * Slices end by time: to yield after every step costs a look for I/O each time, which is a hundred
 * times a small step; to yield after a number of steps is right for one machine and one input. The
 * clock is not read after each step either: between two looks lie as many steps as took 4 µs the last
 * time, 1,024 at most. Where steps become much longer from one to the next, a slice may be so much
 * longer than its budget.
 *
 * It all happens on the loop's thread, beside everything else: the work takes no less time, and no
 * second processor helps. For that there are weft/threads.h and weft/procs.h. */
#ifndef WEFT_STEPS_H
#define WEFT_STEPS_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_STEPS_BUDGET_US = 2000, /* the default of steps.budget_us */
    WEFT_STEPS_SIMULATED = 16    /* steps in a slice on a virtual clock */
};

/* What a step returns, beside 0 (that was the last one) and an error (it has failed). */
enum weft_step_result {
    WEFT_MORE = 1, /* there is more to do */
    WEFT_PAUSE = 2 /* the same, but not before weft_steps_resume */
};

struct weft_steps;
/* Does a little. It may begin ops, under steps->op or elsewhere, and may end or cancel steps->op
 * itself: then it is not called again. */
typedef int weft_step_fn(struct weft_steps *steps);
/* Told that a slice is over. */
typedef void weft_slice_fn(struct weft_steps *steps);

/* Ends with 0 when a step has returned 0, with its error when one has failed, and with the reason
 * when it was cancelled: between slices at once, in a slice after the step that runs. What steps have
 * begun under op is awaited before, and cancelled if it ends by an error. UV_EINVAL: step is NULL. */
struct weft_steps {
    struct weft_op op;
    weft_step_fn *step;
    /* Set before the start, or at any time.
     * budget_us: how long a slice may take; 0: WEFT_STEPS_BUDGET_US, or for ever if every is set.
     * every: after so many steps a slice ends, whatever time they took; 0: only time counts. With both,
     *     what comes first. On a virtual clock (weft/sim.h) no time passes in a slice, so only every
     *     counts there, and 0 stands for WEFT_STEPS_SIMULATED.
     * on_slice: called after each slice, also after the last one; may be NULL. */
    uint64_t budget_us;
    unsigned every;
    weft_slice_fn *on_slice;
    uint64_t done, total; /* progress: yours, for whoever looks. Begin leaves them alone */
    /* Read only. */
    uint64_t steps, slices; /* so far; in a step, those before its slice */
    uint64_t longest_us;    /* the longest slice */
    unsigned stride_;
    bool paused_;
};
#define weft_steps(parent, steps, step, then)                                                      \
    weft_steps_at(WEFT_HERE("steps", WEFT_FLOW | WEFT_HANDLE), parent, steps, step, then)
WEFT_API void weft_steps_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_steps *steps, weft_step_fn *step, weft_then_fn *then);
WEFT_API void weft_steps_begin(struct weft_op *op);

/* Go on after a WEFT_PAUSE: to the end of the line. A step pauses when it waits for something (a full
 * stream, an answer) whose then calls this. One that is paused costs nothing, does not keep the loop
 * alive, and can be cancelled. No effect on one that is not paused. */
WEFT_API void weft_steps_resume(struct weft_steps *steps);

#ifdef __cplusplus
}
#endif
#endif
