/* Ticker: an op that lives as long as its timer repeats.
 *
 * The next tick is armed when this one was told, unless that has ended the ticker. It is due a
 * whole number of periods after the first, whatever time the ticks take. */
#include "op.h"
#include "weft/hook.h"
#include "weft/timer.h"

static void ticker_due(struct weft_timer *timer);

static void arm(struct weft_ticker *ticker)
{
    uint64_t now = weft_now(ticker->op.loop_);
    if (ticker->due_ <= now)
        ticker->due_ += ((now - ticker->due_) / ticker->ms + 1) * ticker->ms;
    weft__timer_start(ticker->op.loop_, &ticker->timer_, ticker->due_ - now, ticker_due);
}

static void ticker_cancel(struct weft_op *op, int reason)
{
    weft_timer_stop(op->loop_, &weft_owner(op, struct weft_ticker, op)->timer_);
    (void)reason;
    weft_join(op); /* what a tick has started is told by the same cancel, and awaited */
}

/* While it ticks no timer runs, so there is nothing for a cancel to stop: the tick may end the
 * ticker, or join what it has started. */
static void ticker_due(struct weft_timer *timer)
{
    struct weft_ticker *ticker = weft_owner(timer, struct weft_ticker, timer_);
    struct weft_op *op = &ticker->op;
    weft_on_cancel(op, NULL);
    ticker->ticks++;
    struct weft_frame frame;
    weft_enter(&frame, op, (weft_entry_fn *)ticker->tick);
    ticker->tick(op);
    weft_leave(&frame);
    if (op->state_ != OP_RUNNING || op->flags_ & OP_JOIN)
        return;
    if (op->flags_ & OP_REFUSE) {
        weft_join(op);
        return;
    }
    arm(ticker);
    weft_on_cancel(op, ticker_cancel);
}

void weft_ticker_begin(struct weft_op *op)
{
    struct weft_ticker *ticker = weft_owner(op, struct weft_ticker, op);
    ticker->ticks = 0;
    if (ticker->ms == 0 || ticker->tick == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    uint64_t now = weft_now(op->loop_);
    uint64_t for_ever = UINT64_MAX / 4;
    ticker->due_ = now + (ticker->ms < for_ever ? ticker->ms : for_ever);
    weft__timer_start(op->loop_, &ticker->timer_, ticker->due_ - now, ticker_due);
    weft_on_cancel(op, ticker_cancel);
}

void weft_ticker_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_ticker *ticker, uint64_t ms, weft_begin_fn *tick,
                    weft_then_fn *then)
{
    op_check_start(parent, &ticker->op);
    ticker->ms = ms;
    ticker->tick = tick;
    weft_run_at(site, parent, &ticker->op, weft_ticker_begin, then);
}
