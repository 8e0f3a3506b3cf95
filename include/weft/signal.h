/* weft/signal.h: signals of the operating system as operations. */
#ifndef WEFT_SIGNAL_H
#define WEFT_SIGNAL_H

#include "loop.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wait for a signal.
 *   arrived NULL   op finishes with 0 when the signal arrives.
 *   arrived        is called each time, and op lives until it is ended or cancelled:
 *                  weft_end(op, 0) ends it well. It may start children of op.
 *
 * All ops that wait for the same signal get it, on every loop of the process. Signals that arrive
 * faster than they are handled may be told as one: that is how the system keeps them. While at
 * least one op waits for a signal its usual effect (for most, to end the process) is off. When the
 * last one is over it is on again, so between two waits in a row SIGTERM kills and others are lost:
 * who must not miss one sets arrived.
 *
 * It keeps the loop alive, because a signal can always come: cancel it when nothing is left to do,
 * or set `background`: then it does not, and what is stuck beside it is told as ever.
 * The signal or a cancel is told one turn of the loop later, when libuv has let go of op.
 *
 * UV_EINVAL: there is no such signal, or it is one that nobody can wait for (SIGKILL, SIGSTOP).
 * Waiting for SIGSEGV, SIGBUS, SIGFPE or SIGILL of the process's own making does not help: those
 * must not be returned from. */
struct weft_signal {
    struct weft_op op;
    int signum;
    weft_begin_fn *arrived; /* set it before the start; starting leaves it alone */
    bool background;        /* the same: do not keep the loop alive */
    uint64_t count;         /* how often it has arrived */
    int status_;
    uv_signal_t handle_;
};
#define weft_signal(parent, signal, signum, then)                                                  \
    weft_signal_at(WEFT_HERE("signal", WEFT_SIGNAL | WEFT_HANDLE), parent, signal, signum, then)
WEFT_API void weft_signal_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_signal *signal, int signum, weft_then_fn *then);
WEFT_API void weft_signal_begin(struct weft_op *op);

/* Ctrl-C: begin task, and cancel it with UV_EINTR when SIGINT, SIGTERM or SIGHUP comes; not by one that
 * the process ignores. The status is the task's once it has let go: UV_EINTR if it was cut short, 0 if it
 * was over before. What comes within a moment of the first signal is the same request told twice, and has
 * no effect. From then on all have their usual effect again, so a second Ctrl-C ends the
 * process at once.
 *
 *     struct app app = {.interruptible = {.task = &app.job.op, .begin = job_begin}};
 *     int status = weft_go(&app.interruptible.op, weft_interruptible_begin);
 *     return status == UV_EINTR ? 128 + app.interruptible.caught : status != 0;
 *
 * UV_EINVAL: task or begin is NULL. */
enum {
    WEFT_INTERRUPTIBLE_SIGNALS = 3,
    WEFT_INTERRUPTIBLE_MOMENT_MS =
        250 /* longer than anybody needs to tell the same twice, shorter than
                                          people need to press Ctrl-C again */
};
struct weft_interruptible {
    struct weft_op op;
    struct weft_op *task;
    weft_begin_fn *begin;
    int caught; /* which signal came; 0: none */
    const struct weft_site *task_site_;
    struct weft_signal signals_[WEFT_INTERRUPTIBLE_SIGNALS];
    struct weft_sleep moment_;
};
#define weft_interruptible(parent, interruptible, task, begin, then)                               \
    weft_interruptible_at(WEFT_HERE("interruptible", WEFT_SIGNAL), WEFT_HERE(#begin, WEFT_USER),   \
                          parent, interruptible, task, begin, then)
WEFT_API void weft_interruptible_at(const struct weft_site *site, const struct weft_site *task_site,
                                    struct weft_op *parent,
                                    struct weft_interruptible *interruptible, struct weft_op *task,
                                    weft_begin_fn *begin, weft_then_fn *then);
WEFT_API void weft_interruptible_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
