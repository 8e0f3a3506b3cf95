/* Interruptible: a task under an op beside some signals. The first of them cancels the task; the end of the
 * task ends all. The signals do not keep the loop alive: a task that is stuck is told, as if they were not
 * there.
 *
 *     listening ──(a signal)──► the moment ──(is over)──► usual effect
 *         └─────────────────────────┴──(the task is over)──► usual effect
 *
 * One request may be told by several signals: timeout(1) sends its own to the command and then to the whole
 * group, a terminal that is closed is followed by SIGTERM. So for a moment the signals are still waited for,
 * and what comes is heard and dropped. Then they are let go, and libuv gives them their usual effect back. */
#include "core/op.h"
#include "weft/signal.h"
#include <signal.h>

static void let_go(struct weft_interruptible *its)
{
    for (size_t i = 0; i < WEFT_INTERRUPTIBLE_SIGNALS; i++)
        weft_cancel(&its->signals_[i].op, UV_ECANCELED);
}

static void moment_over(struct weft_op *op, struct weft_op *moment)
{
    if (moment->status == 0)
        let_go(weft_owner(op, struct weft_interruptible, op));
}

/* The task alone is cancelled: had it ended well before it heard of that, then it has ended well. */
static void signal_arrived(struct weft_op *op)
{
    struct weft_interruptible *its = weft_owner(op->parent, struct weft_interruptible, op);
    if (its->caught != 0)
        return; /* the same, told twice */
    its->caught = weft_owner(op, struct weft_signal, op)->signum;
    weft_sleep(&its->op, &its->moment_, WEFT_INTERRUPTIBLE_MOMENT_MS, moment_over);
    weft_cancel(its->task, UV_EINTR);
}

static void signal_over(struct weft_op *op, struct weft_op *signal)
{
    if (weft_owner(op, struct weft_interruptible, op)->caught == 0 && !weft_cancelled(op))
        weft_end(op, signal->status); /* it cannot be waited for */
}

static void task_over(struct weft_op *op, struct weft_op *task)
{
    weft_end(op, task->status);
}

/* By nohup, or by a shell for what runs in its background: that is meant to go on. */
static bool is_ignored(int signum)
{
    struct sigaction action;
    return sigaction(signum, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void weft_interruptible_begin(struct weft_op *op)
{
    static const int signums[WEFT_INTERRUPTIBLE_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    struct weft_interruptible *its = weft_owner(op, struct weft_interruptible, op);
    its->caught = 0;
    if (its->task == NULL || its->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    for (size_t i = 0; i < WEFT_INTERRUPTIBLE_SIGNALS; i++) {
        its->signals_[i].background = true;
        its->signals_[i].arrived = signal_arrived;
        if (!is_ignored(signums[i]))
            weft_signal(op, &its->signals_[i], signums[i], signal_over);
    }
    const struct weft_site *site = its->task_site_ != NULL ? its->task_site_ : op->site_;
    weft_run_at(site, op, its->task, its->begin, task_over);
}

void weft_interruptible_at(const struct weft_site *site, const struct weft_site *task_site,
                           struct weft_op *parent, struct weft_interruptible *interruptible,
                           struct weft_op *task, weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &interruptible->op);
    interruptible->task = task;
    interruptible->begin = begin;
    interruptible->task_site_ = task_site;
    weft_run_at(site, parent, &interruptible->op, weft_interruptible_begin, then);
}
