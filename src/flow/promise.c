/* Promise: an op whose then is a list of waiters.
 *
 *     never started ──weft_promise──► pending ──delivered──► settled ──weft_promise──► pending …
 *           ▲                                                   │
 *           └───────────────────── weft_promise_close ──────────┘
 *
 * Pending is what the op says, settled is a flag of ours: it is set in the op's then, which is the
 * end of everything that worked for it. Then all waiters are finished, in their order; who comes
 * later finishes in its begin. Both go through the ready queue, so nobody is told synchronously.
 *
 * Invariants:
 *   - being on the list decides who finishes an await, as with the queue's waiters; only a pending
 *     promise has anybody on its list;
 *   - held_ counts the awaits that have begun and whose then has not started. Their thens will look
 *     at what the promise produced, so it is neither closed nor started again before. For that an
 *     await puts a then of ours in front of its own. One without a then looks at nothing: it does
 *     not hold, and what an op without a then means stays with the core. */
#include "promise.h"
#include "core/observe.h"
#include "trace/brackets.h"

/* ---- the promise ---------------------------------------------------------------------------- */

/* An error of one that nobody ever awaited is lost. Who awaited it and left did not want to know,
 * and whoever cancelled it knows. */
void weft__promise_check_awaited(struct weft_promise *promise)
{
    if (promise->settled && promise->op.status != 0 && !promise->awaited_ &&
        !promise_cancelled(promise))
        weft__uncaught(&promise->op, promise->op.status);
}

static void let_go(struct weft_op *waiter, struct weft_promise *promise, int status)
{
    wait_unlink(waiter, &promise->waiters_tail_);
    weft_finish(waiter, status);
}

void weft__promise_settled(struct weft_op *owner, struct weft_op *op)
{
    (void)owner;
    struct weft_promise *promise = weft_owner(op, struct weft_promise, op);
    promise->settled = true;
    promise->settled_ms_ = weft_now(op->loop_);
    if (promise->context_ != NULL) /* it was not begun */
        weft__context_drop(promise->context_);
    promise->context_ = NULL;
    while (promise->waiters_ != NULL)
        let_go(promise->waiters_, promise, op->status);
}

/* The begin of one that is settled by hand: so a cancel ends it. */
static void by_hand(struct weft_op *op)
{
    weft_on_cancel(op, weft_finish);
}

void weft__promise_start(const struct weft_site *site, struct weft_op *owner,
                         struct weft_promise *promise, weft_begin_fn *begin, weft_then_fn *settled)
{
    promise->settled = promise->awaited_ = promise->forgotten_ = promise->asked_ = false;
    promise->waiters_ = NULL;
    promise->waiters_tail_ = &promise->waiters_;
    if (begin != NULL)
        weft_run_at(site, owner, &promise->op, begin, settled);
    else
        weft_run_now_at(site, owner, &promise->op, by_hand, settled);
}

static void begin_in_context(struct weft_op *op)
{
    struct weft_promise *promise = weft_owner(op, struct weft_promise, op);
    weft__context_give(op, promise->context_);
    promise->context_ = NULL;
    promise->begin_(op);
}

void weft__promise_start_for(const struct weft_op *asker, const struct weft_site *site,
                             struct weft_op *owner, struct weft_promise *promise,
                             weft_begin_fn *begin, weft_then_fn *settled)
{
    promise->expected_ = true;
    promise->begin_ = begin;
    promise->context_ = asker != NULL ? weft__context_hold(asker) : NULL;
    if (promise->context_ != NULL)
        begin = begin_in_context;
    weft__promise_start(site, owner, promise, begin, settled);
    promise->expected_ = false;
}

void weft_promise_at(const struct weft_site *site, struct weft_op *owner,
                     struct weft_promise *promise, weft_begin_fn *begin)
{
    op_check_start(owner, &promise->op);
    RULE(1, promise->held_ == 0, &promise->op,
         "a promise was started again before everybody who awaits it was told");
    weft__promise_check_awaited(promise);
    weft__promise_start(site, owner, promise, begin, weft__promise_settled);
}

void weft_promise_settle(struct weft_promise *promise, int status)
{
    if (!promise->settled)
        weft_end(&promise->op, status);
}

int weft_promise_close(struct weft_promise *promise)
{
    if (promise_pending(promise) || promise->held_ != 0)
        return UV_EBUSY;
    weft__promise_check_awaited(promise);
    promise->settled = false;
    return 0;
}

/* ---- nobody wants it any more --------------------------------------------------------------- */

/* Work that is cancelled may have awaited another promise as its last one, and so on. A chain of
 * them may be long: the first call works through a list, those inside it only append to it. What
 * is on it stays a pending promise, because nothing is delivered inside a cancel. */
static _Thread_local struct weft_promise *unwanted;
static _Thread_local bool cancelling;

static void cancel_unwanted(void)
{
    cancelling = true;
    while (unwanted != NULL) {
        struct weft_promise *promise = unwanted;
        unwanted = promise->next_unwanted_;
        promise->unwanted_ = false;
        if (promise->waiters_ == NULL) /* somebody may have come meanwhile */
            weft_cancel(&promise->op, UV_ECANCELED);
    }
    cancelling = false;
}

static void last_one_left(struct weft_promise *promise)
{
    if (promise->keep || promise->unwanted_ || promise->expected_)
        return;
    promise->unwanted_ = true;
    promise->next_unwanted_ = unwanted;
    unwanted = promise;
    if (!cancelling)
        cancel_unwanted();
}

/* ---- await ---------------------------------------------------------------------------------- */

static void await_cancel(struct weft_op *op, int reason)
{
    struct weft_promise *promise = weft_owner(op, struct weft_await, op)->promise;
    let_go(op, promise, reason);
    if (promise->waiters_ == NULL)
        last_one_left(promise);
}

static void told(struct weft_op *parent, struct weft_op *op)
{
    struct weft_await *await = weft_owner(op, struct weft_await, op);
    await->promise->held_--;
    await->then_(parent, op);
}

static void hold(struct weft_await *await)
{
    if (await->op.then_ == NULL)
        return;
    await->then_ = await->op.then_;
    await->op.then_ = told;
    await->promise->held_++;
}

static void wait_for(struct weft_op *op, struct weft_promise *promise)
{
    RULE_THREAD(promise->op.loop_, op);
    wait_append(op, &promise->waiters_tail_);
    if (unlikely(op->flags_ & OP_SEEN && promise->op.flags_ & OP_NAMED) && trace_on())
        weft__trace_awaits(op->loop_, op->id_, promise->op.id_);
    weft_on_cancel(op, await_cancel);
}

void weft_await_begin(struct weft_op *op)
{
    struct weft_await *await = weft_owner(op, struct weft_await, op);
    struct weft_promise *promise = await->promise;
    if (op->reason_ != 0) { /* cancelled already: it has never been one of those who wait */
        weft_finish(op, op->reason_);
    } else if (promise == NULL || (!promise->settled && !promise_pending(promise))) {
        weft_finish(op, UV_EINVAL);
    } else {
        promise->awaited_ = true;
        hold(await);
        if (promise->settled)
            weft_finish(op, promise->op.status);
        else
            wait_for(op, promise);
    }
}

/* Now, however deep the stack is: the order of the awaits is the order of the thens. */
void weft_await_at(const struct weft_site *site, struct weft_op *parent, struct weft_await *await,
                   struct weft_promise *promise, weft_then_fn *then)
{
    op_check_start(parent, &await->op);
    await->promise = promise;
    weft_run_now_at(site, parent, &await->op, weft_await_begin, then);
    if (await->op.then_ == told)
        op_wraps(&await->op, then);
}
