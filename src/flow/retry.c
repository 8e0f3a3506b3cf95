/* Retry: attempt, pause, attempt. Its children are the task and the sleep, one at a time; a cancel
 * reaches whichever runs, and nothing is tried after it. */
#include "core/op.h"
#include "core/sim.h"
#include "weft/retry.h"

/* More than any timer waits; see weft/timer.h. */
#define FOREVER_MS (UINT64_MAX / 2)

static void attempt_over(struct weft_op *op, struct weft_op *task);

static void attempt(struct weft_retry *retry)
{
    const struct weft_site *site = retry->task_site_ != NULL ? retry->task_site_ : retry->op.site_;
    retry->tries++;
    weft_run_at(site, &retry->op, retry->task, retry->begin, attempt_over);
}

static void pause_over(struct weft_op *op, struct weft_op *pause)
{
    if (pause->status != 0 || weft_cancelled(op)) /* a cancel may come when the pause is over */
        weft_end(op, pause->status);
    else
        attempt(weft_owner(op, struct weft_retry, op));
}

/* wait_ms grown for each attempt so far, without overflow, bounded by max_ms. */
static uint64_t pause_ms(const struct weft_retry *retry)
{
    uint64_t ms = retry->wait_ms;
    unsigned growth = retry->growth != 0 ? retry->growth : 2;
    for (unsigned i = 1; growth > 1 && i < retry->tries && ms != 0; i++) {
        if (ms > FOREVER_MS / growth) {
            ms = FOREVER_MS;
            break;
        }
        ms *= growth;
    }
    if (retry->max_ms != 0 && ms > retry->max_ms)
        ms = retry->max_ms;
    if (retry->jitter && ms != 0)
        ms -= weft__loop_random(retry->op.loop_) % (ms / 2 + 1);
    return ms;
}

/* Is this failure worth another try? again may end the retry, or cancel it, whatever it says. */
static bool is_worth_it(const struct weft_retry *retry)
{
    return retry->again == NULL || (retry->again(retry->task) && !weft_cancelled(&retry->op) &&
                                    retry->op.state_ == OP_RUNNING);
}

static void attempt_over(struct weft_op *op, struct weft_op *task)
{
    struct weft_retry *retry = weft_owner(op, struct weft_retry, op);
    bool last = task->status == 0 || retry->tries == retry->times;
    if (!last && weft_cancelled(op)) {
        weft_end(op, op->reason_); /* it is the cancel that ends it, not the failure */
        return;
    }
    bool again = !last && is_worth_it(retry);
    if (again && retry->discard != NULL)
        retry->discard(task);
    if (again && op->state_ == OP_RUNNING) /* discard may end it too */
        weft_sleep(op, &retry->pause_, pause_ms(retry), pause_over);
    else
        weft_end(op, task->status);
}

void weft_retry_begin(struct weft_op *op)
{
    struct weft_retry *retry = weft_owner(op, struct weft_retry, op);
    retry->tries = 0;
    if (retry->times == 0 || retry->task == NULL || retry->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    attempt(retry);
}

void weft_retryable_at(const struct weft_site *task_site, struct weft_retry *retry,
                       struct weft_op *task, weft_begin_fn *begin, unsigned times, uint64_t wait_ms)
{
    retry->task = task;
    retry->begin = begin;
    retry->times = times;
    retry->wait_ms = wait_ms;
    retry->task_site_ = task_site;
}

void weft_retry_at(const struct weft_site *site, const struct weft_site *task_site,
                   struct weft_op *parent, struct weft_retry *retry, struct weft_op *task,
                   weft_begin_fn *begin, unsigned times, uint64_t wait_ms, weft_then_fn *then)
{
    op_check_start(parent, &retry->op);
    weft_retryable_at(task_site, retry, task, begin, times, wait_ms);
    retry->tries = 0; /* under a cancelled parent nothing begins */
    weft_run_at(site, parent, &retry->op, weft_retry_begin, then);
}
