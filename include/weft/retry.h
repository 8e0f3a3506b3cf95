/* weft/retry.h: one task in a wrapping: retry, timeout, reflect, ensure_async.
 *
 * Each begins a task of yours, an op and its begin, and finishes in its place. Filled in but not
 * begun, a wrapping is a task itself: its op and its begin go into a queue, an each or another
 * wrapping. See weft/flow.h for what all of control flow has in common. */
#ifndef WEFT_RETRY_H
#define WEFT_RETRY_H

#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- retry ---------------------------------------------------------------------------------- */

/* Begin task again until it succeeds, at most times times (at least 1). Between attempts it waits:
 * wait_ms the first time, then growth times as long each time, up to max_ms (0: no bound); with
 * jitter a random part of that, at least half, so that many who failed together do not return
 * together. Never tries again once cancelled. UV_EINVAL: times is 0, or task or begin is NULL. */
struct weft_retry {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    unsigned times;
    uint64_t wait_ms, max_ms;
    unsigned growth; /* 0 means 2; 1: the same pause each time */
    bool jitter;
    bool (*again)(
        const struct weft_op *task);       /* is this failure worth another try? NULL: all are */
    void (*discard)(struct weft_op *task); /* free what a failed attempt left, before the next one:
                                              what the last one left is yours; NULL: nothing */
    unsigned tries;                        /* read only: how many attempts were begun */
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

/* Fill retry in without beginning it: &retry->op with weft_retry_begin is then a task that tries
 * again, wherever a task can go. */
#define weft_retryable(retry, task, begin, times, wait_ms)                                         \
    weft_retryable_at(WEFT_HERE(#begin, WEFT_USER), retry, task, begin, times, wait_ms)
WEFT_API void weft_retryable_at(const struct weft_site *task_site, struct weft_retry *retry,
                                struct weft_op *task, weft_begin_fn *begin, unsigned times,
                                uint64_t wait_ms);

/* ---- timeout -------------------------------------------------------------------------------- */

/* Begin task and give it ms: its own status, or UV_ETIMEDOUT once it has let go. For an op that
 * you begin yourself, weft_deadline does the same without a wrapping. UV_EINVAL: task or begin is
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

/* ---- reflect -------------------------------------------------------------------------------- */

/* Begin task and succeed however it ends: outcome is its status. A cancel is still a cancel. For a
 * whole collection see weft_settle. UV_EINVAL: task or begin is NULL. */
struct weft_reflect {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    int outcome;
    const struct weft_site *task_site_;
};
#define weft_reflect(parent, reflect, task, begin, then)                                           \
    weft_reflect_at(WEFT_HERE("reflect", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent,         \
                    reflect, task, begin, then)
WEFT_API void weft_reflect_at(const struct weft_site *site, const struct weft_site *task_site,
                              struct weft_op *parent, struct weft_reflect *reflect,
                              struct weft_op *task, weft_begin_fn *begin, weft_then_fn *then);
WEFT_API void weft_reflect_begin(struct weft_op *op);

/* ---- ensure_async --------------------------------------------------------------------------- */

/* `then` is never called before weft_run has returned (rule 3). With this, begin is not either: the
 * task begins on a later turn of the loop, after the I/O that is pending now has been looked at.
 * UV_EINVAL: task or begin is NULL. */
struct weft_ensure_async {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    const struct weft_site *task_site_;
    struct weft_op turn_;
};
#define weft_ensure_async(parent, ensure, task, begin, then)                                       \
    weft_ensure_async_at(WEFT_HERE("ensure_async", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER),       \
                         parent, ensure, task, begin, then)
WEFT_API void weft_ensure_async_at(const struct weft_site *site, const struct weft_site *task_site,
                                   struct weft_op *parent, struct weft_ensure_async *ensure,
                                   struct weft_op *task, weft_begin_fn *begin, weft_then_fn *then);
WEFT_API void weft_ensure_async_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
