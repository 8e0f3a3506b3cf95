/* Interruptible: a task under an op beside some signals. One of them cancels the op, and with it the
 * task and the others; the end of the task ends it. The signals do not keep the loop alive: a task that
 * is stuck is told, as if they were not there. */
#include "core/op.h"
#include "weft/signal.h"
#include <signal.h>

static void signal_over(struct weft_op *op, struct weft_op *signal)
{
    if (signal->status == 0) {
        weft_owner(op, struct weft_interruptible, op)->caught =
            weft_owner(signal, struct weft_signal, op)->signum;
        weft_cancel(op, UV_EINTR);
    } else if (!weft_cancelled(op)) {
        weft_end(op, signal->status); /* it cannot be waited for */
    }
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
