/* tests/lib/loop.h: a loop to test on, and the few ops that most tests need.
 *
 *     TEST(a_sleep_takes_its_time)
 *     {
 *         struct world w;
 *         world_up_sim(&w, 0);
 *         weft_sleep(weft_root(&w.loop), &nap, 10, noted);
 *         world_down(&w);                      // runs to the end; everything is over and closed
 *         assert_int_equal(seen.calls, 1);
 *     }
 */
#ifndef TESTS_LOOP_H
#define TESTS_LOOP_H

#include "check.h"
#include <stdio.h>
#include <weft/loop.h>
#include <weft/sim.h>

struct world {
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    bool simulated;
};

/* A fresh loop in real time; shuffled if WEFT_SHUFFLE says so. Empties `seen`. */
void world_up(struct world *w);
/* The same in real time, first in, first out whatever the environment says. */
void world_up_in_order(struct world *w);
/* A fresh loop on a virtual clock, its order drawn from seed; 0: first in, first out. */
void world_up_sim(struct world *w, uint64_t seed);

/* Run until nothing can make progress: what weft_loop_run or weft_sim_run says. */
int world_run(struct world *w);
/* Run, and leave nothing behind: every op is over, and both loops close. */
void world_down(struct world *w);
/* Close, when everything is over already. */
void world_close(struct world *w);

/* What the ops below and `noted` leave behind; emptied by world_up. */
struct seen {
    unsigned calls;         /* of noted */
    int status;             /* of the last one; 1 before the first */
    struct weft_op *op;     /* that was told last */
    struct weft_op *parent; /* of that one */
    unsigned begun;         /* calls of begin_counted */
};
extern struct seen seen;

void noted(struct weft_op *parent, struct weft_op *op); /* a then that keeps it in seen */
void finish_at_once(struct weft_op *op);                /* a begin: finishes with 0 */
void fail_at_once(struct weft_op *op);                  /* a begin: finishes with UV_EIO */
void join_at_once(struct weft_op *op);                  /* a begin: joins its children, if any */
void begin_counted(struct weft_op *op);                 /* a begin: counts, finishes by hand */

/* A waiting op that obeys: begin registers a cancel function which finishes with the reason. */
void wait_for_cancel(struct weft_op *op);

/* Run body on a thread with a stack of 64 KiB (more only where a sanitizer needs it for itself).
 * A failed assertion in it ends the process. */
void on_a_small_stack(void (*body)(void));

/* What is written to file so far; free it. */
char *text_of(FILE *file);

#endif
