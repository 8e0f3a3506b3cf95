/* 100,000 timers beside uv_timer_t: nanoseconds a timer.
 *
 * Bare timers (struct weft_timer): both are initialised beforehand, so that starting, stopping and
 * firing are all that counts.
 *     timers-arm             start all, for 1 ms to a minute, in no order
 *     timers-arm-cancel      start all, stop all in the order in which they were started
 *     timers-cancel-random   the same, stopped in another order
 *     timers-arm-fire        start all for 1 to 20 ms; wait until all are due, which does not
 *                            count; let all of them fire
 * Sleeps (struct weft_sleep) are whole operations: begun, and over when their storage is the
 * caller's again. With uv_timer_t that is init, start, close and the close callback.
 *     sleep-cancel           begin all, cancel all, until the last has reported
 *     sleep-fire             as timers-arm-fire, until the last has reported */
#include "../bench.h"
#include <weft/timer.h>

enum { COUNT = 100000, MINUTE_MS = 60000, SOON_MS = 20, UNTIL_DUE_MS = 30 };

static struct weft_loop loop;
static uv_loop_t our_uv, their_uv;

static struct weft_timer *timers;
static struct weft_sleep *sleeps;
static uv_timer_t *uv_timers;
static uint32_t *ms, *soon_ms, *order;
static size_t ended;

/* The same sequence in every run, for both. */
static uint32_t next_random(void)
{
    static uint64_t state = 88172645463325252U;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void *array(size_t size)
{
    void *block = calloc(COUNT, size);
    bench_check(block != NULL, "no memory");
    return block;
}

static void prepare(void)
{
    timers = array(sizeof *timers);
    sleeps = array(sizeof *sleeps);
    uv_timers = array(sizeof *uv_timers);
    ms = array(sizeof *ms);
    soon_ms = array(sizeof *soon_ms);
    order = array(sizeof *order);
    for (uint32_t i = 0; i < COUNT; i++) {
        ms[i] = 1 + next_random() % MINUTE_MS;
        soon_ms[i] = 1 + next_random() % SOON_MS;
        uint32_t other = next_random() % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    bench_check(uv_loop_init(&our_uv) == 0 && uv_loop_init(&their_uv) == 0, "no loop");
    bench_check(weft_loop_init(&loop, &our_uv) == 0, "no loop");
}

/* The clocks of both loops are read here, as they are at the start of each iteration. */
static uint64_t start(void)
{
    ended = 0;
    uv_update_time(&our_uv);
    uv_update_time(&their_uv);
    return uv_hrtime();
}

/* ---- bare timers, ours ---------------------------------------------------------------------- */

static void fire(struct weft_timer *timer)
{
    (void)timer;
    ended++;
}

static void arm(const uint32_t *after_ms)
{
    for (size_t i = 0; i < COUNT; i++)
        weft_timer_start(&loop, &timers[i], after_ms[i], fire);
}

static uint64_t our_arm(size_t count)
{
    (void)count;
    uint64_t begun = start();
    arm(ms);
    uint64_t took = uv_hrtime() - begun;
    for (size_t i = 0; i < COUNT; i++)
        weft_timer_stop(&loop, &timers[i]);
    return took;
}

static uint64_t our_cancel(size_t count)
{
    (void)count;
    uint64_t begun = start();
    arm(ms);
    for (size_t i = 0; i < COUNT; i++)
        weft_timer_stop(&loop, &timers[i]);
    return uv_hrtime() - begun;
}

static uint64_t our_cancel_random(size_t count)
{
    (void)count;
    uint64_t begun = start();
    arm(ms);
    for (size_t i = 0; i < COUNT; i++)
        weft_timer_stop(&loop, &timers[order[i]]);
    return uv_hrtime() - begun;
}

static uint64_t our_fire(size_t count)
{
    uint64_t begun = start();
    arm(soon_ms);
    uint64_t took = uv_hrtime() - begun;
    uv_sleep(UNTIL_DUE_MS);
    begun = uv_hrtime();
    weft_loop_run(&loop);
    took += uv_hrtime() - begun;
    bench_check(ended == count, "not every timer of ours fired");
    return took;
}

/* ---- bare timers, theirs -------------------------------------------------------------------- */

static void uv_fire(uv_timer_t *timer)
{
    (void)timer;
    ended++;
}

static void uv_init_all(void)
{
    for (size_t i = 0; i < COUNT; i++)
        uv_timer_init(&their_uv, &uv_timers[i]);
}

static void uv_arm(const uint32_t *after_ms)
{
    for (size_t i = 0; i < COUNT; i++)
        uv_timer_start(&uv_timers[i], uv_fire, after_ms[i], 0);
}

static uint64_t their_arm(size_t count)
{
    (void)count;
    uint64_t begun = start();
    uv_arm(ms);
    uint64_t took = uv_hrtime() - begun;
    for (size_t i = 0; i < COUNT; i++)
        uv_timer_stop(&uv_timers[i]);
    return took;
}

static uint64_t their_cancel(size_t count)
{
    (void)count;
    uint64_t begun = start();
    uv_arm(ms);
    for (size_t i = 0; i < COUNT; i++)
        uv_timer_stop(&uv_timers[i]);
    return uv_hrtime() - begun;
}

static uint64_t their_cancel_random(size_t count)
{
    (void)count;
    uint64_t begun = start();
    uv_arm(ms);
    for (size_t i = 0; i < COUNT; i++)
        uv_timer_stop(&uv_timers[order[i]]);
    return uv_hrtime() - begun;
}

static uint64_t their_fire(size_t count)
{
    uint64_t begun = start();
    uv_arm(soon_ms);
    uint64_t took = uv_hrtime() - begun;
    uv_sleep(UNTIL_DUE_MS);
    begun = uv_hrtime();
    uv_run(&their_uv, UV_RUN_DEFAULT);
    took += uv_hrtime() - begun;
    bench_check(ended == count, "not every timer of theirs fired");
    return took;
}

/* ---- whole operations ----------------------------------------------------------------------- */

static void slept(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    ended++;
}

static uint64_t our_sleep_cancel(size_t count)
{
    uint64_t begun = start();
    for (size_t i = 0; i < COUNT; i++)
        weft_sleep(weft_root(&loop), &sleeps[i], ms[i], slept);
    for (size_t i = 0; i < COUNT; i++)
        weft_cancel(&sleeps[i].op, UV_ECANCELED);
    weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(ended == count, "not every sleep of ours was cancelled");
    return took;
}

static uint64_t our_sleep_fire(size_t count)
{
    uint64_t begun = start();
    for (size_t i = 0; i < COUNT; i++)
        weft_sleep(weft_root(&loop), &sleeps[i], soon_ms[i], slept);
    uint64_t took = uv_hrtime() - begun;
    uv_sleep(UNTIL_DUE_MS);
    begun = uv_hrtime();
    weft_loop_run(&loop);
    took += uv_hrtime() - begun;
    bench_check(ended == count, "not every sleep of ours was over");
    return took;
}

static void uv_closed(uv_handle_t *handle)
{
    (void)handle;
    ended++;
}

static void uv_slept(uv_timer_t *timer)
{
    uv_close((uv_handle_t *)timer, uv_closed);
}

static uint64_t their_sleep_cancel(size_t count)
{
    uint64_t begun = start();
    for (size_t i = 0; i < COUNT; i++) {
        uv_timer_init(&their_uv, &uv_timers[i]);
        uv_timer_start(&uv_timers[i], uv_slept, ms[i], 0);
    }
    for (size_t i = 0; i < COUNT; i++)
        uv_close((uv_handle_t *)&uv_timers[i], uv_closed);
    uv_run(&their_uv, UV_RUN_DEFAULT);
    uint64_t took = uv_hrtime() - begun;
    bench_check(ended == count, "not every timer of theirs was closed");
    return took;
}

static uint64_t their_sleep_fire(size_t count)
{
    uint64_t begun = start();
    for (size_t i = 0; i < COUNT; i++) {
        uv_timer_init(&their_uv, &uv_timers[i]);
        uv_timer_start(&uv_timers[i], uv_slept, soon_ms[i], 0);
    }
    uint64_t took = uv_hrtime() - begun;
    uv_sleep(UNTIL_DUE_MS);
    begun = uv_hrtime();
    uv_run(&their_uv, UV_RUN_DEFAULT);
    took += uv_hrtime() - begun;
    bench_check(ended == count, "not every timer of theirs was over");
    return took;
}

int main(void)
{
    prepare();
    bench_compare("core/sleep-cancel", "uv_timer", our_sleep_cancel, their_sleep_cancel, COUNT);
    bench_compare("core/sleep-fire", "uv_timer", our_sleep_fire, their_sleep_fire, COUNT);
    uv_init_all(); /* the sleeps closed them */
    bench_compare("core/timers-arm", "uv_timer", our_arm, their_arm, COUNT);
    bench_compare("core/timers-arm-cancel", "uv_timer", our_cancel, their_cancel, COUNT);
    bench_compare("core/timers-cancel-random", "uv_timer", our_cancel_random, their_cancel_random,
                  COUNT);
    bench_compare("core/timers-arm-fire", "uv_timer", our_fire, their_fire, COUNT);
    return 0;
}
