/* When to yield: what slices cost, and how long a timer waits.
 *
 * The same work in four ways: in a plain loop, during which nothing else happens, and as weft_steps
 * that yield after every step, after every 1,000 steps whatever time they take, or by time (2 ms). A step
 * is a function that multiplies and adds once; ns is what one takes, of ten million (a million where each
 * step is an iteration of the loop).
 *
 * timer: beside the work runs a ticker of one millisecond; the figure is by how much the latest tick
 * of a run was late, in the best of the rounds. -long: steps of about 10 µs, 3,000 of them. That is the
 * case against counting: what is too often for one kind of work is too seldom for another. */
#include "../bench.h"
#include <weft.h>

enum { TINY = 10000000, LONG = 3000, LONG_ROUNDS = 10000 };

struct work {
    struct weft_steps steps;
    uint64_t number;
    size_t left;
};

static struct weft_loop loop;
static struct work work;
static struct weft_ticker ticker;
static unsigned every;
static bool ticking;
static uint64_t last_tick, latest;
static volatile uint64_t result; /* so that the work has to be done */

static int tiny(struct weft_steps *steps)
{
    struct work *w = weft_owner(steps, struct work, steps);
    w->number = w->number * 6364136223846793005U + 1442695040888963407U;
    return --w->left > 0 ? WEFT_MORE : 0;
}

static int lengthy(struct weft_steps *steps)
{
    struct work *w = weft_owner(steps, struct work, steps);
    for (int i = 0; i < LONG_ROUNDS; i++)
        w->number = w->number * 6364136223846793005U + 1442695040888963407U;
    return --w->left > 0 ? WEFT_MORE : 0;
}

static weft_step_fn *volatile step = tiny;

/* ---- the ways ------------------------------------------------------------------------------- */

static void tick(struct weft_op *op)
{
    (void)op;
    uint64_t now = uv_hrtime(), gap = now - last_tick;
    if (gap > 1000000 && gap - 1000000 > latest)
        latest = gap - 1000000;
    last_tick = now;
}

static void begin_ticking(void)
{
    latest = 0;
    last_tick = uv_hrtime();
    uv_update_time(loop.uv);
    weft_ticker(weft_root(&loop), &ticker, 1, tick, weft_ignore);
}

static void end_ticking(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    bench_check(op->status == 0, "a step failed");
    if (ticking) {
        tick(op); /* it waits already */
        weft_end(&ticker.op, 0);
    }
}

static uint64_t in_slices(size_t count)
{
    work = (struct work){.left = count, .steps.every = every};
    uint64_t begun = uv_hrtime();
    if (ticking)
        begin_ticking();
    weft_steps(weft_root(&loop), &work.steps, step, end_ticking);
    bench_check(weft_loop_run(&loop) == 0, "the loop is stuck");
    uint64_t took = uv_hrtime() - begun;
    bench_check(work.steps.steps == count, "not every step was taken");
    result = work.number;
    return took;
}

static void all_at_once(struct weft_op *op)
{
    while (step(&work.steps) == WEFT_MORE)
        continue;
    weft_finish(op, 0);
}

static uint64_t plain(size_t count)
{
    static struct weft_op op;
    work = (struct work){.left = count};
    uint64_t begun = uv_hrtime();
    if (ticking)
        begin_ticking();
    weft_run(weft_root(&loop), &op, all_at_once, end_ticking);
    bench_check(weft_loop_run(&loop) == 0, "the loop is stuck");
    uint64_t took = uv_hrtime() - begun;
    result = work.number;
    return took;
}

/* ---- the lines ------------------------------------------------------------------------------ */

static double least_late_ms(bench_fn *way, size_t count)
{
    double best = 0;
    ticking = true;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        way(count);
        if (best == 0 || (double)latest / 1e6 < best)
            best = (double)latest / 1e6;
    }
    ticking = false;
    return best;
}

static void lateness(const char *name, size_t count, size_t plain_count)
{
    double ours = least_late_ms(in_slices, count), theirs = least_late_ms(plain, plain_count);
    printf("bench steps/%s peer=plain ours=%.2fms theirs=%.2fms ratio=%.2f\n", name, ours, theirs,
           theirs / ours);
    fflush(stdout);
}

int main(void)
{
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    every = 1;
    bench_compare("steps/every-step", "plain", in_slices, plain, TINY / 10);
    every = 1000;
    bench_compare("steps/every-1000", "plain", in_slices, plain, TINY);
    every = 0;
    bench_compare("steps/by-time", "plain", in_slices, plain, TINY);
    every = 1;
    lateness("every-step-timer", TINY / 10, TINY);
    every = 1000;
    lateness("every-1000-timer", TINY, TINY);
    every = 0;
    lateness("by-time-timer", TINY, TINY);
    step = lengthy;
    every = 1000;
    lateness("every-1000-long-timer", LONG, LONG);
    every = 0;
    lateness("by-time-long-timer", LONG, LONG);
    return 0;
}
