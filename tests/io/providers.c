/* The providers of the core, the queue, the names and the signals, through the conformance suite.
 * ctest: labels=threads,valgrind timeout=120 */
#include "provider.h"
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <weft/dns.h>
#include <weft/queue.h>
#include <weft/signal.h>
#include <weft/timer.h>

/* ---- core ----------------------------------------------------------------------------------- */

static void good_sleep(void *storage)
{
    ((struct weft_sleep *)storage)->ms = 1;
}

static const struct weft_provider sleeping = {
    .name = "sleep",
    WEFT_PROVIDER_OP(struct weft_sleep, op),
    .begin = weft_sleep_begin,
    .good = good_sleep,
};

TEST(sleep_conforms)
{
    provider_check(&sleeping);
}

static void good_op(void *storage)
{
    (void)storage;
}

static const struct weft_provider ticking = {
    .name = "tick",
    .size = sizeof(struct weft_op),
    .begin = weft_tick_begin,
    .good = good_op,
};

TEST(tick_conforms)
{
    provider_check(&ticking);
}

static const struct weft_provider immediately = {
    .name = "immediate",
    .size = sizeof(struct weft_op),
    .begin = weft_immediate_begin,
    .good = good_op,
};

TEST(immediate_conforms)
{
    provider_check(&immediately);
}

static void tick_and_end(struct weft_op *op)
{
    weft_end(op, 0);
}

static void good_ticker(void *storage)
{
    struct weft_ticker *ticker = storage;
    ticker->ms = 1;
    ticker->tick = tick_and_end;
}

static void bad_ticker(void *storage)
{
    ((struct weft_ticker *)storage)->ms = 1;
}

static const struct weft_provider ticker = {
    .name = "ticker",
    WEFT_PROVIDER_OP(struct weft_ticker, op),
    .flags = WEFT_PROVIDER_HANDLE,
    .begin = weft_ticker_begin,
    .good = good_ticker,
    .bad = bad_ticker,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
};

TEST(ticker_conforms)
{
    provider_check(&ticker);
}

/* ---- waiting for a queue -------------------------------------------------------------------- */

/* A queue whose only place is taken and that has one task waiting, which is all it should have. */
static struct weft_queue queue;

static void free_task(struct weft_op *root, struct weft_op *task)
{
    (void)root;
    free(task);
}

static void stop_holding(struct weft_op *op, int reason)
{
    weft_finish(op, reason);
}

static void hold(struct weft_op *op)
{
    weft_on_cancel(op, stop_holding);
}

static void queue_up(struct weft_loop *loop)
{
    assert_int_equal(weft_queue_init(&queue, loop, 1), 0);
    assert_int_equal(weft_queue_high_water(&queue, 1), 0);
}

static void close_queue(struct weft_op *root, struct weft_op *idle)
{
    (void)root;
    (void)idle;
    assert_int_equal(weft_queue_close(&queue), 0);
}

static void queue_down(struct weft_loop *loop)
{
    static struct weft_queue_wait idle;
    weft_queue_kill(&queue, UV_ECANCELED);
    weft_queue_idle(weft_root(loop), &idle, &queue, close_queue);
}

static void good_wait(void *storage)
{
    ((struct weft_queue_wait *)storage)->queue = &queue;
    while (queue.waiting < 2) {
        struct weft_op *task = calloc(1, sizeof *task);
        assert_non_null(task);
        weft_queue_push(&queue, weft_root(queue.loop), task, hold, free_task);
    }
}

static void nudge_queue(void *storage)
{
    (void)storage;
    weft_queue_kill(&queue, UV_ECANCELED);
}

static const struct weft_provider room = {
    .name = "queue_room",
    WEFT_PROVIDER_OP(struct weft_queue_wait, op),
    .begin = weft_queue_room_begin,
    .up = queue_up,
    .down = queue_down,
    .good = good_wait,
    .nothing_status = UV_EINVAL,
    .nudge = nudge_queue,
    .flags = WEFT_PROVIDER_ALONE,
};

TEST(queue_room_conforms)
{
    provider_check(&room);
}

static const struct weft_provider idle = {
    .name = "queue_idle",
    WEFT_PROVIDER_OP(struct weft_queue_wait, op),
    .begin = weft_queue_idle_begin,
    .up = queue_up,
    .down = queue_down,
    .good = good_wait,
    .nothing_status = UV_EINVAL,
    .nudge = nudge_queue,
    .flags = WEFT_PROVIDER_ALONE,
};

TEST(queue_idle_conforms)
{
    provider_check(&idle);
}

/* ---- signals -------------------------------------------------------------------------------- */

static void good_signal(void *storage)
{
    ((struct weft_signal *)storage)->signum = SIGUSR1;
}

static void bad_signal(void *storage)
{
    ((struct weft_signal *)storage)->signum = 1000;
}

static void send_signal(void *storage)
{
    raise(((struct weft_signal *)storage)->signum);
}

static void signal_was_counted(void *storage)
{
    assert_true(((struct weft_signal *)storage)->count > 0);
}

static const struct weft_provider one_signal = {
    .name = "signal",
    WEFT_PROVIDER_OP(struct weft_signal, op),
    .begin = weft_signal_begin,
    .good = good_signal,
    .bad = bad_signal,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = send_signal,
    .verify = signal_was_counted,
};

TEST(signal_conforms)
{
    provider_check(&one_signal);
}

static void end_at_once(struct weft_op *op)
{
    weft_end(op, 0);
}

static void good_signals(void *storage)
{
    good_signal(storage);
    ((struct weft_signal *)storage)->arrived = end_at_once;
}

static const struct weft_provider signals = {
    .name = "signal that is counted until it is ended",
    WEFT_PROVIDER_OP(struct weft_signal, op),
    .flags = WEFT_PROVIDER_HANDLE,
    .begin = weft_signal_begin,
    .good = good_signals,
    .bad = bad_signal,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = send_signal,
    .verify = signal_was_counted,
};

TEST(a_signal_that_is_counted_conforms)
{
    provider_check(&signals);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void good_lookup(void *storage)
{
    struct weft_lookup *lookup = storage;
    lookup->host = "127.0.0.1";
    lookup->service = "80";
}

static void bad_lookup(void *storage)
{
    struct weft_lookup *lookup = storage;
    lookup->host = "not an address";
    lookup->flags = AI_NUMERICHOST;
}

static void lookup_has_an_address(void *storage)
{
    assert_int_equal(((struct weft_lookup *)storage)->count, 1);
}

static void release_lookup(void *storage)
{
    weft_lookup_free(storage);
}

static const struct weft_provider lookup = {
    .name = "lookup",
    WEFT_PROVIDER_OP(struct weft_lookup, op),
    .begin = weft_lookup_begin,
    .good = good_lookup,
    .bad = bad_lookup,
    .bad_status = UV_EAI_NONAME,
    .nothing_status = UV_EINVAL,
    .verify = lookup_has_an_address,
    .release = release_lookup,
};

TEST(lookup_conforms)
{
    provider_check(&lookup);
}
