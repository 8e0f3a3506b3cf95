/* Sleep: the smallest provider, and the model for the others: begin starts something, tells how to
 * stop it, and whatever comes first finishes the op. */
#include "op.h"
#include "weft/timer.h"

static void sleep_over(struct weft_timer *timer)
{
    weft_finish(&weft_owner(timer, struct weft_sleep, timer_)->op, 0);
}

static void sleep_cancel(struct weft_op *op, int reason)
{
    weft_timer_stop(op->loop_, &weft_owner(op, struct weft_sleep, op)->timer_);
    weft_finish(op, reason);
}

void weft_sleep_begin(struct weft_op *op)
{
    struct weft_sleep *sleep = weft_owner(op, struct weft_sleep, op);
    weft__timer_start(op->loop_, &sleep->timer_, sleep->ms, sleep_over);
    weft_on_cancel(op, sleep_cancel);
}

void weft_sleep_at(const struct weft_site *site, struct weft_op *parent, struct weft_sleep *sleep,
                   uint64_t ms, weft_then_fn *then)
{
    op_check_start(parent, &sleep->op);
    sleep->ms = ms;
    weft_run_at(site, parent, &sleep->op, weft_sleep_begin, then);
}
