/* Signals: one uv_signal_t in the op itself.
 *
 *     begin ──► listening ──(arrives, or cancel)──► closing ──► closed: join
 *
 * libuv needs a turn to let go of a handle, and the op finishes only then: that costs nothing but a
 * turn, and no block on the heap. So OP_WORKS stays set until the handle is closed, and whoever
 * starts the closing, the signal or a cancel, the other one finds it closing and leaves it alone.
 * Children that `arrived` has started may outlast the handle: the op joins them. */
#include "core/op.h"
#include "weft/dump.h"
#include "weft/hook.h"
#include "weft/signal.h"
#include <signal.h>

static void closed(uv_handle_t *handle)
{
    struct weft_signal *signal = weft_owner((uv_signal_t *)handle, struct weft_signal, handle_);
    weft_on_cancel(&signal->op, NULL); /* no work is left that a cancel could stop */
    if (signal->status_ != 0)
        weft_finish(&signal->op, signal->status_);
    else
        weft_join(&signal->op);
}

static void stop_listening(struct weft_signal *signal)
{
    uv_handle_t *handle = (uv_handle_t *)&signal->handle_;
    if (!uv_is_closing(handle))
        uv_close(handle, closed);
}

static void call(struct weft_signal *signal)
{
    struct weft_frame frame;
    weft_enter(&frame, &signal->op, (weft_entry_fn *)signal->arrived);
    signal->arrived(&signal->op);
    weft_leave(&frame);
}

static void signal_arrived(uv_signal_t *handle, int signum)
{
    (void)signum;
    struct weft_signal *signal = weft_owner(handle, struct weft_signal, handle_);
    signal->count++;
    if (signal->arrived != NULL)
        call(signal);
    else
        stop_listening(signal);
}

static void signal_cancel(struct weft_op *op, int reason)
{
    (void)reason; /* the join tells it */
    stop_listening(weft_owner(op, struct weft_signal, op));
}

void weft_signal_begin(struct weft_op *op)
{
    struct weft_signal *signal = weft_owner(op, struct weft_signal, op);
    signal->count = 0;
    signal->status_ = 0;
    int err = weft_cancelled(op);
    if (err == 0 && (signal->signum <= 0 || signal->signum == SIGKILL || signal->signum == SIGSTOP))
        err = UV_EINVAL;
    if (err == 0)
        err = uv_signal_init(op->loop_->uv, &signal->handle_);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    weft_dump_belongs((uv_handle_t *)&signal->handle_);
    signal->status_ = uv_signal_start(&signal->handle_, signal_arrived, signal->signum);
    if (signal->status_ != 0)
        stop_listening(signal);
    else if (signal->background)
        uv_unref((uv_handle_t *)&signal->handle_);
    weft_on_cancel(op, signal_cancel);
}

void weft_signal_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_signal *signal, int signum, weft_then_fn *then)
{
    op_check_start(parent, &signal->op);
    signal->signum = signum;
    weft_run_at(site, parent, &signal->op, weft_signal_begin, then);
}
