/* weft/loop.h: the loop, on a uv_loop_t that you own and may use for other things.
 *
 * What keeps a loop alive is what can make progress: ready operations, timers, work in slices, jobs on
 * threads, libuv's requests and handles, expected posts. An operation that only waits for you does
 * not: the run returns and names it. */
#ifndef WEFT_LOOP_H
#define WEFT_LOOP_H

#include "op.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_timer;
struct weft_handles;
struct weft_sim;
struct weft_frame;
struct weft_observers;

/* An error that escaped: thrown by a callback (weft_throw, weft/hook.h), or of an op under the root
 * that has no then. op: on whose behalf the callback ran, or the op that failed. */
typedef void weft_uncaught_fn(struct weft_loop *loop, struct weft_op *op, int err,
                              const char *text);

struct weft_loop {
    struct weft_op root; /* never ends; cancelling it cancels all there is */
    uv_loop_t *uv;       /* read only */
    FILE *stuck_to;      /* where weft_loop_run tells what is stuck; stderr; NULL: nowhere */
    weft_uncaught_fn *on_uncaught; /* NULL: an error that nobody handles ends the process */
    struct weft_op *ready_, **ready_tail_;
    struct weft_op *later_, **later_tail_;
    struct weft_op *steps_, **steps_tail_;
    struct weft_timer *timers_;
    struct weft_handles *handles_;
    struct weft_sim *sim_;
    uintptr_t current_, observed_;
    struct weft_frame *frame_;
    struct weft_observers *observers_;
    const char *thread_;
    uint64_t shuffle_, random_, timer_armed_;
    uint32_t now_ms_, timer_count_, depth_, batch_, expected_, detached_, awaited_, watch_, left_,
        rest_;
    bool awake_, draining_, firing_;
};

/* The sizes a program was compiled with. */
struct weft_abi {
    uint32_t version, op, loop, uv_poll, uv_process;
};
#define WEFT_ABI                                                                                   \
    (__extension__({                                                                               \
        static const struct weft_abi weft_abi_ = {WEFT_VERSION, sizeof(struct weft_op),            \
                                                  sizeof(struct weft_loop), sizeof(uv_poll_t),     \
                                                  sizeof(uv_process_t)};                           \
        &weft_abi_;                                                                                \
    }))

/* Make a loop on uv, for the calling thread. UV_EINVAL: uv is NULL. WEFT_EABI: this header is not
 * the library's. UV_ENOMEM and libuv's own errors; then nothing is left behind. */
#define weft_loop_init(loop, uv) weft_loop_init_as(WEFT_ABI, loop, uv)
WEFT_API int weft_loop_init_as(const struct weft_abi *abi, struct weft_loop *loop, uv_loop_t *uv);

/* uv_run until nothing can make progress. 0: every operation is over. WEFT_ESTUCK: some are left,
 * and loop->stuck_to was told which. UV_EINTR: uv_stop was called before that; run it again to go
 * on. Not from inside a begin, a then or a timer (rule 3). */
WEFT_API int weft_loop_run(struct weft_loop *loop);

/* UV_EBUSY: operations, requests that outlive a cancel, or expected posts remain, or this is
 * inside a callback of the loop's. Otherwise 0, and loop is yours again at once; the uv_loop_t
 * needs one more uv_run to let go of its handles, as after any uv_close. Closing twice is
 * allowed. */
WEFT_API int weft_loop_close(struct weft_loop *loop);

/* The parent of what has no other. */
static inline struct weft_op *weft_root(struct weft_loop *loop)
{
    return &loop->root;
}

/* The loop's clock in milliseconds; read once an iteration, never goes back. */
WEFT_API uint64_t weft_now(const struct weft_loop *loop);

/* main(): run one operation on a loop of its own and return its status. What is stuck is dumped to
 * stderr, cancelled, and the status is WEFT_ESTUCK. UV_EINVAL: op or begin is NULL.
 * It returns when everything has let go, also requests that outlive a cancel: after a deadline on a
 * lookup has passed, its then has run and op is over, weft_go still waits for a getaddrinfo that
 * hangs in a pool thread. */
#define weft_go(op, begin) weft_go_at(WEFT_HERE(#begin, WEFT_USER), op, begin)
WEFT_API int weft_go_at(const struct weft_site *site, struct weft_op *op, weft_begin_fn *begin);

/* What is it waiting for? Every operation that is not over, as a tree, newest first: type, state, age,
 * where it was begun; the handles that are no operations, by place, if a hook saw them being opened;
 * why the loop stays alive; and your own uv handles. Of many that are alike some are shown and the
 * rest counted: a million operations are a thousand lines at most. On the loop's thread; for more,
 * and for a program that hangs, see weft/dump.h. */
WEFT_API void weft_dump(const struct weft_loop *loop, FILE *to);

/* The chain from op up to the root, innermost first, a line each. The states: running (a callback is
 * under way for it right now), waiting, waiting for its children, queued, starting (its begin will
 * run from the ready queue), finished and not reported yet, over. Of a chain that is very long the
 * two ends. */
WEFT_API void weft_stack(const struct weft_op *op, FILE *to);

#ifdef __cplusplus
}
#endif
#endif
