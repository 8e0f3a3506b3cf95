/* Lazy: a gate before a component that is not there yet.
 *
 *               ┌─ a failure: all in line get it ─┐
 *               ▼                                 │
 *     open ──► wait_in_line ──init or a call──► the same, pending ──0, line begun──► straight
 *               │                                 │                                  │
 *               └─────────────close───────────────┴────────► stopped ◄───────────────┘
 *
 * run_ is the state: the function that weft_lazy_run calls. straight has weft_run_at's arguments in
 * their order and the lazy behind them, so it is one jump. In the other states a call is an op that is
 * EARLY: adopted, so that cancel, deadline, hooks and context reach it, but not begun. entry_ keeps its
 * begin for it, place_ its lazy.
 *
 * The initialisation is a promise: however many ask, its op runs once, and who asks later is answered
 * by what it settled with. Its then is ours, so that the order is: initialized, everybody in line is
 * begun, those who awaited it are told. They are finished before the line is begun but told from the
 * ready queue, after it.
 *
 * The line is begun in a loop of its own and not by the ready queue, whose order is nobody's promise.
 * A begin may do anything meanwhile: make a call (it goes to the end of the line), cancel one that is
 * in it, close the lazy (the line is empty then, and inside_ keeps the storage).
 *
 * Invariants:
 *   - being in line decides who finishes a call that has not begun;
 *   - somebody is in line only while run_ is wait_in_line;
 *   - the timer runs exactly while somebody is in line and may not wait for ever. All may wait equally
 *     long, so the first one's time is up first. It is armed for that one, or for one that has left. */
#include "weft/lazy.h"
#include "flow/owner.h"
#include "flow/promise.h"
#include <stdio.h>

static weft_lazy_run_fn wait_in_line, straight, stopped;

/* ---- the line ------------------------------------------------------------------------------- */

static void leave_line(struct weft_lazy *lazy, struct weft_op *call)
{
    wait_unlink(call, &lazy->calls_tail_);
    if (--lazy->waiting == 0)
        weft_timer_stop(call->loop_, &lazy->timer_);
}

/* call was adopted and will not be begun. */
static void turn_away(struct weft_op *call, int status)
{
    call->state_ = OP_RUNNING;
    weft_finish(call, status);
}

static void turn_all_away(struct weft_lazy *lazy, int status)
{
    while (lazy->calls_ != NULL) {
        struct weft_op *call = lazy->calls_;
        leave_line(lazy, call);
        turn_away(call, status);
    }
}

void weft__lazy_cancel(struct weft_op *call)
{
    leave_line(call->place_.lazy, call);
}

/* The age of an op has 32 bits: 49 days. */
static bool is_patient(const struct weft_lazy *lazy)
{
    return lazy->wait_ms == 0 || lazy->wait_ms > UINT32_MAX;
}

static uint32_t waited_ms(const struct weft_op *call)
{
    return (uint32_t)weft_now(call->loop_) - call->since_ms_;
}

static void time_is_up(struct weft_timer *timer)
{
    struct weft_lazy *lazy = weft_owner(timer, struct weft_lazy, timer_);
    while (lazy->calls_ != NULL) {
        struct weft_op *call = lazy->calls_;
        uint32_t waited = waited_ms(call);
        if (waited < lazy->wait_ms) {
            weft__timer_start(call->loop_, timer, lazy->wait_ms - waited, time_is_up);
            return;
        }
        leave_line(lazy, call);
        turn_away(call, UV_ETIMEDOUT);
    }
}

static void join_line(struct weft_lazy *lazy, struct weft_op *call, weft_begin_fn *begin)
{
    call->state_ = OP_EARLY;
    call->entry_.begin = begin;
    call->place_.lazy = lazy;
    call->since_ms_ = (uint32_t)weft_now(call->loop_);
    wait_append(call, &lazy->calls_tail_);
    if (lazy->waiting++ == 0 && !is_patient(lazy))
        weft__timer_start(call->loop_, &lazy->timer_, lazy->wait_ms, time_is_up);
}

static void begin_first(struct weft_lazy *lazy)
{
    struct weft_op *call = lazy->calls_;
    weft_begin_fn *begin = call->entry_.begin;
    leave_line(lazy, call);
    call->entry_.begin = NULL;
    op_begin(call->loop_, call, begin);
}

static void begin_all(struct weft_lazy *lazy)
{
    lazy->inside_ = true;
    while (lazy->calls_ != NULL)
        begin_first(lazy);
    lazy->inside_ = false;
    if (lazy->run_ == wait_in_line)
        lazy->run_ = straight;
}

/* ---- the initialisation --------------------------------------------------------------------- */

static void initialisation_over(struct weft_op *owner, struct weft_op *op)
{
    struct weft_lazy *lazy = weft_owner(op, struct weft_lazy, promise.op);
    lazy->initialized = op->status == 0;
    if (!lazy->initialized)
        turn_all_away(lazy, op->status);
    weft__promise_settled(owner, op);
    if (lazy->initialized)
        begin_all(lazy);
}

static bool has_to_be_started(const struct weft_lazy *lazy)
{
    return !lazy->initialized && !promise_pending(&lazy->promise);
}

/* Its owner was cancelled before anybody has initialised it: nobody will, so nobody is left in line.
 * Returns the reason; 0: it is not so. */
static int give_up(struct weft_lazy *lazy)
{
    int reason = has_to_be_started(lazy) ? lazy->owner->reason_ : 0;
    if (reason != 0)
        turn_all_away(lazy, reason);
    return reason;
}

/* It may run, as its first act, whatever the user likes. */
static void start(struct weft_lazy *lazy, const struct weft_op *asker)
{
    check_owner(lazy->owner, lazy->handle_.site_, asker);
    lazy->promise.keep = true;
    weft__promise_start(lazy->begin_site_, lazy->owner, &lazy->promise, lazy->begin,
                        initialisation_over);
}

/* An op below parent is about to wait: is it part of what it would wait for? */
static void check_no_self_wait(const struct weft_lazy *lazy, const struct weft_op *parent)
{
    RULE(1, parent->loop_ == lazy->owner->loop_, parent, "a call through another loop's lazy");
    for (const struct weft_op *op = parent; op != NULL; op = op->parent)
        RULE(2, op != &lazy->promise.op, parent,
             "an initialisation would wait for itself; use the component without its lazy there");
}

/* ---- a call, by state ----------------------------------------------------------------------- */

/* false: its parent was cancelled, and it has been refused. */
static bool adopt(const struct weft_site *site, struct weft_op *parent, struct weft_op *call,
                  weft_then_fn *then)
{
    if (parent->flags_ & OP_REFUSE) {
        weft__refuse_start(site, parent, call, then);
        return false;
    }
    op_adopt_observed(site, parent, call, then);
    return true;
}

static size_t limit_of(const struct weft_lazy *lazy)
{
    return lazy->limit != 0 ? lazy->limit : WEFT_LAZY_LIMIT;
}

static void wait_in_line(const struct weft_site *site, struct weft_op *parent, struct weft_op *call,
                         weft_begin_fn *begin, weft_then_fn *then, struct weft_lazy *lazy)
{
    op_check_start(parent, call);
    check_no_self_wait(lazy, parent);
    if (!adopt(site, parent, call, then))
        return;
    int reason = give_up(lazy);
    if (reason != 0) {
        turn_away(call, reason); /* rather than have the promise refused each time */
    } else if (lazy->waiting >= limit_of(lazy)) {
        turn_away(call, UV_ENOBUFS);
    } else {
        join_line(lazy, call, begin);
        if (has_to_be_started(lazy) && !lazy->by_hand)
            start(lazy, call);
    }
}

static void straight(const struct weft_site *site, struct weft_op *parent, struct weft_op *call,
                     weft_begin_fn *begin, weft_then_fn *then, struct weft_lazy *lazy)
{
    (void)lazy;
    weft_run_at(site, parent, call, begin, then);
}

static void stopped(const struct weft_site *site, struct weft_op *parent, struct weft_op *call,
                    weft_begin_fn *begin, weft_then_fn *then, struct weft_lazy *lazy)
{
    (void)begin;
    (void)lazy;
    op_check_start(parent, call);
    if (adopt(site, parent, call, then))
        turn_away(call, WEFT_ESTOPPED);
}

/* Its place is told, for parent's is another. */
void weft_lazy_not_open(const struct weft_site *site, const struct weft_op *parent)
{
    char text[512];
    snprintf(text, sizeof text, "a call at %s:%d %s() through a lazy that was not opened",
             site->file, site->line, site->func);
    weft__broken(1, parent, text);
}

/* ---- init ----------------------------------------------------------------------------------- */

/* Why it cannot be awaited; 0: it can. */
static int refusal_of_init(const struct weft_op *op, struct weft_lazy *lazy)
{
    if (op->reason_ != 0)
        return op->reason_;
    if (lazy == NULL)
        return UV_EINVAL;
    if (!lazy->open_ || lazy->run_ == stopped)
        return WEFT_ESTOPPED;
    return give_up(lazy);
}

void weft_lazy_init_begin(struct weft_op *op)
{
    struct weft_lazy_init *init = weft_owner(op, struct weft_lazy_init, await.op);
    struct weft_lazy *lazy = init->lazy;
    int err = refusal_of_init(op, lazy);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    check_no_self_wait(lazy, op);
    init->await.promise = &lazy->promise;
    if (has_to_be_started(lazy))
        start(lazy, op);
    if (op->state_ == OP_RUNNING) /* the initialisation has not ended it */
        weft_await_begin(op);
}

/* Now, as an await: the order in which they ask is the order in which they are told. */
void weft_lazy_init_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_lazy_init *init, struct weft_lazy *lazy, weft_then_fn *then)
{
    op_check_start(parent, &init->await.op);
    init->lazy = lazy;
    weft_run_now_at(site, parent, &init->await.op, weft_lazy_init_begin, then);
    if (init->await.op.then_ != then)
        op_wraps(&init->await.op, then);
}

/* ---- open and close ------------------------------------------------------------------------- */

int weft_lazy_open_at(const struct weft_site *site, const struct weft_site *begin_site,
                      struct weft_lazy *lazy)
{
    if (lazy->owner == NULL || lazy->begin == NULL || lazy->open_)
        return UV_EINVAL;
    check_owner(lazy->owner, site, lazy->owner);
    lazy->initialized = false;
    lazy->waiting = 0;
    lazy->calls_ = NULL;
    lazy->calls_tail_ = &lazy->calls_;
    lazy->begin_site_ = begin_site;
    lazy->run_ = wait_in_line;
    lazy->open_ = lazy->was_opened_ = true;
    weft_handle_open_at(site, lazy->owner, &lazy->handle_, 0, lazy);
    return 0;
}

int weft_lazy_close(struct weft_lazy *lazy)
{
    if (!lazy->open_)
        return 0;
    lazy->run_ = stopped;
    turn_all_away(lazy, WEFT_ESTOPPED);
    weft_cancel(&lazy->promise.op, WEFT_ESTOPPED);
    if (promise_pending(&lazy->promise) || lazy->promise.held_ != 0 || lazy->inside_)
        return UV_EBUSY;
    weft_handle_close(&lazy->handle_);
    lazy->open_ = false;
    return 0;
}
