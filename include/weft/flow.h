/* weft/flow.h: control flow.
 *
 * Each of these is a struct with an op in it, a begin function (so that they nest in one another,
 * in queues and in retries) and a starter macro that fills the struct in and begins it. None
 * allocates: the slots are yours, and their number is the limit. When the outcome is decided early
 * the rest is cancelled and awaited before the whole finishes. What is empty finishes too, on a
 * later turn like everything else. */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include "op.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- series and parallel: a known set of steps ---------------------------------------------- */

/* A step is called with the op of the series (or parallel) and starts what it likes under it. */
struct weft_steps {
    weft_begin_fn *const *list;
    size_t count;
};
#define WEFT_STEPS(...)                                                                            \
    (__extension__({                                                                               \
        static weft_begin_fn *const weft_steps_[] = {__VA_ARGS__};                                 \
        struct weft_steps weft_list_ = {weft_steps_, sizeof weft_steps_ / sizeof weft_steps_[0]};  \
        weft_list_;                                                                                \
    }))

/* One step after the other. A step is over when everything it started is over; one that starts
 * nothing is over when it returns. A child's error with then == NULL, or weft_end in a step, ends
 * the series; weft_end(op, 0) ends it early and well. UV_EINVAL: a step is NULL. */
struct weft_series {
    struct weft_op op;
    struct weft_steps steps;
    size_t at_;
};
#define weft_series(parent, series, then, ...)                                                     \
    weft_series_at(WEFT_HERE("series", WEFT_FLOW), parent, series, WEFT_STEPS(__VA_ARGS__), then)
WEFT_API void weft_series_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_series *series, struct weft_steps steps,
                             weft_then_fn *then);
WEFT_API void weft_series_begin(struct weft_op *op);

/* All steps at once; over when everything they started is over. The first error ends it and
 * cancels the rest. UV_EINVAL: a step is NULL; then none was called. */
struct weft_parallel {
    struct weft_op op;
    struct weft_steps steps;
};
#define weft_parallel(parent, parallel, then, ...)                                                 \
    weft_parallel_at(WEFT_HERE("parallel", WEFT_FLOW), parent, parallel, WEFT_STEPS(__VA_ARGS__),  \
                     then)
WEFT_API void weft_parallel_at(const struct weft_site *site, struct weft_op *parent,
                               struct weft_parallel *parallel, struct weft_steps steps,
                               weft_then_fn *then);
WEFT_API void weft_parallel_begin(struct weft_op *op);

/* ---- each and map: a collection ------------------------------------------------------------- */

/* Where items run: an array of yours, each element with an op in it. One slot is a series, a
 * hundred are a limit of a hundred. */
struct weft_slots {
    struct weft_op *first;
    size_t stride, count;
};
#define WEFT_SLOTS(array, member)                                                                  \
    weft_slots(&(array)[0].member, sizeof(array)[0], sizeof(array) / sizeof(array)[0])
static inline struct weft_slots weft_slots(struct weft_op *first, size_t stride, size_t count)
{
    struct weft_slots slots = {first, stride, count};
    return slots;
}

/* Fill the slot for item number index; false: there are no more. Called when a slot is free, so
 * the source may be lazy or endless. It may weft_end(each, error) and return false. */
typedef bool weft_next_fn(struct weft_op *each, struct weft_op *slot, size_t index);
/* Keep what a slot produced as result number index. */
typedef void weft_store_fn(struct weft_op *map, struct weft_op *slot, size_t index);

/* Runs begin for every item, at most slots.count at once.
 *   done   runs after each item, also a failed one: look at slot->status and weft_index(slot).
 *          weft_end(each, 0) is an early exit. NULL: the first error ends it.
 *          When it returns, the slot is used for the next item: free what the item left.
 * UV_EINVAL: no slots, or next or begin is NULL. */
struct weft_each {
    struct weft_op op;
    struct weft_slots slots;
    weft_next_fn *next;
    weft_begin_fn *begin;
    weft_then_fn *done;
    weft_store_fn *store; /* instead of done: see weft_map */
    const struct weft_site *item_site_;
    size_t next_index_;
    bool dry_;
};
#define weft_each(parent, each, slots, next, begin, done, then)                                    \
    weft_each_at(WEFT_HERE("each", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,  \
                 next, begin, done, then)
WEFT_API void weft_each_at(const struct weft_site *site, const struct weft_site *item_site,
                           struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                           weft_next_fn *next, weft_begin_fn *begin, weft_then_fn *done,
                           weft_then_fn *then);
WEFT_API void weft_each_begin(struct weft_op *op);

/* An each that keeps results: store runs for every item that succeeded, with its index, so that
 * results land in input order whatever finishes first. The first error ends it. */
#define weft_map(parent, each, slots, next, begin, store, then)                                    \
    weft_map_at(WEFT_HERE("map", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,    \
                next, begin, store, then)
WEFT_API void weft_map_at(const struct weft_site *site, const struct weft_site *item_site,
                          struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                          weft_next_fn *next, weft_begin_fn *begin, weft_store_fn *store,
                          weft_then_fn *then);

/* ---- race ----------------------------------------------------------------------------------- */

/* starters begins the runners under op, each with weft_race_first or weft_race_any as its then.
 * The winner ends the race; the others are cancelled and awaited. A cancel may lose: free what
 * every runner may have produced, not only the winner's. winner is NULL unless status is that of
 * a runner that won. UV_EINVAL: nobody ran, or starters is NULL. */
struct weft_race {
    struct weft_op op;
    weft_begin_fn *starters;
    struct weft_op *winner;
};
#define weft_race(parent, race, starters, then)                                                    \
    weft_race_at(WEFT_HERE("race", WEFT_FLOW), parent, race, starters, then)
WEFT_API void weft_race_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_race *race, weft_begin_fn *starters, weft_then_fn *then);
WEFT_API void weft_race_begin(struct weft_op *op);
/* The first to settle wins, whether well or not. */
WEFT_API void weft_race_first(struct weft_op *race, struct weft_op *runner);
/* The first to succeed wins; if all fail, the status is the last one's. */
WEFT_API void weft_race_any(struct weft_op *race, struct weft_op *runner);

/* ---- retry and timeout ---------------------------------------------------------------------- */

/* Begin task again until it succeeds, at most times times (at least 1). Between attempts it waits
 * wait_ms, doubled each time, up to max_ms (0: no bound); with jitter a random part of that, so
 * that many who failed together do not return together. Never tries again once cancelled.
 * UV_EINVAL: times is 0, or task or begin is NULL. */
struct weft_retry {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    unsigned times;
    uint64_t wait_ms, max_ms;
    bool jitter;
    bool (*again)(
        const struct weft_op *task);       /* is this failure worth another try? NULL: all are */
    void (*discard)(struct weft_op *task); /* free what a failed attempt left; NULL: nothing */
    unsigned tries;                        /* how many attempts were begun */
    const struct weft_site *task_site_;
    struct weft_sleep pause_;
};
#define weft_retry(parent, retry, task, begin, times, wait_ms, then)                               \
    weft_retry_at(WEFT_HERE("retry", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, retry,      \
                  task, begin, times, wait_ms, then)
WEFT_API void weft_retry_at(const struct weft_site *site, const struct weft_site *task_site,
                            struct weft_op *parent, struct weft_retry *retry, struct weft_op *task,
                            weft_begin_fn *begin, unsigned times, uint64_t wait_ms,
                            weft_then_fn *then);
WEFT_API void weft_retry_begin(struct weft_op *op);

/* Begin task and give it ms: its own status, or UV_ETIMEDOUT once it has let go. For an op that
 * you begin yourself, weft_deadline does the same without a wrapper. UV_EINVAL: task or begin is
 * NULL. */
struct weft_timeout {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    uint64_t ms;
    const struct weft_site *task_site_;
    struct weft_deadline deadline_;
};
#define weft_timeout(parent, timeout, task, begin, ms, then)                                       \
    weft_timeout_at(WEFT_HERE("timeout", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent,         \
                    timeout, task, begin, ms, then)
WEFT_API void weft_timeout_at(const struct weft_site *site, const struct weft_site *task_site,
                              struct weft_op *parent, struct weft_timeout *timeout,
                              struct weft_op *task, weft_begin_fn *begin, uint64_t ms,
                              weft_then_fn *then);
WEFT_API void weft_timeout_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
