/* weft/timer.h: sleep, ticker, deadline, and the timers below them.
 *
 * All timers of a loop live in one heap on one uv_timer_t. Stopping is synchronous: a stopped
 * timer's storage is yours at once. Timers due at the same millisecond fire in the order in which
 * they were started. A time of more than 2^62 ms is for ever; there are no negative times. */
#ifndef WEFT_TIMER_H
#define WEFT_TIMER_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For providers: a bare timer. Zeroed storage is a stopped timer. It belongs to no op: in fire the root
 * is current, and of the context (weft/context.h) of whoever started it nothing is there. A weft_sleep
 * has that; or put weft_enter and weft_leave with your op (weft/hook.h) around what fire does. */
struct weft_timer {
    struct weft_timer *child_, *next_, *prev_;
    uint64_t due_;
    uint32_t order_;
    void (*fire_)(struct weft_timer *timer);
    uint64_t id_;
};
typedef void weft_fire_fn(struct weft_timer *timer);

/* fire runs once, from the loop, in ms or more; the timer is stopped by then and may be started
 * again or freed there. Starting one that runs already moves it. fire is not NULL. */
#define weft_timer_start(loop, timer, ms, fire)                                                    \
    weft_timer_start_at(WEFT_HERE("timer", WEFT_TIMER | WEFT_HANDLE), loop, timer, ms, fire)
WEFT_API void weft_timer_start_at(const struct weft_site *site, struct weft_loop *loop,
                                  struct weft_timer *timer, uint64_t ms, weft_fire_fn *fire);
/* Safe on a stopped one. */
WEFT_API void weft_timer_stop(struct weft_loop *loop, struct weft_timer *timer);

/* Sleep: finishes with 0 after ms, which may be 0. */
struct weft_sleep {
    struct weft_op op;
    uint64_t ms;
    struct weft_timer timer_;
};
#define weft_sleep(parent, sleep, ms, then)                                                        \
    weft_sleep_at(WEFT_HERE("sleep", WEFT_TIMER), parent, sleep, ms, then)
WEFT_API void weft_sleep_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_sleep *sleep, uint64_t ms, weft_then_fn *then);
WEFT_API void weft_sleep_begin(struct weft_op *op);

/* Ticker: calls tick every ms until it is ended or cancelled: weft_end(op, 0) in tick stops it
 * without an error. The first tick comes after ms, not at once. Ticks do not drift; those that were
 * missed while the loop was busy are skipped, not made up. tick may start children of op; the next
 * tick does not wait for them, and weft_end(op, 0) cancels those that run. To let them finish,
 * weft_join(op) in tick: no more ticks, and it ends when they have. UV_EINVAL: ms is 0 or tick is
 * NULL. */
struct weft_ticker {
    struct weft_op op;
    uint64_t ms;
    weft_begin_fn *tick;
    uint64_t ticks; /* how often it was called; in tick, the call under way is counted */
    uint64_t due_;
    struct weft_timer timer_;
};
#define weft_ticker(parent, ticker, ms, tick, then)                                                \
    weft_ticker_at(WEFT_HERE("ticker", WEFT_TIMER | WEFT_HANDLE), parent, ticker, ms, tick, then)
WEFT_API void weft_ticker_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_ticker *ticker, uint64_t ms, weft_begin_fn *tick,
                             weft_then_fn *then);
WEFT_API void weft_ticker_begin(struct weft_op *op);

/* Deadline: cancel op with UV_ETIMEDOUT if it is not over in ms. Call it after op was begun or
 * pushed; the time in a queue counts. Armed in op's own begin it counts from there: the time in a
 * queue before that does not. The storage lives as long as op does and is disarmed by op's finish,
 * before its then. Arming it on an op that has ended does nothing; arming it a second time moves
 * it. Several deadlines on one op are allowed: the first counts. Not for the root. */
struct weft_deadline {
    struct weft_op op_;
    struct weft_timer timer_;
};
WEFT_API void weft_deadline(struct weft_op *op, struct weft_deadline *deadline, uint64_t ms);
/* Take it back; safe on one that is not armed. */
WEFT_API void weft_deadline_clear(struct weft_deadline *deadline);

#ifdef __cplusplus
}
#endif
#endif
