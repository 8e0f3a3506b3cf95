/* The inside of an operation, shared by the core, the flow and the queue.
 *
 * States. One word says where an op is; the magic numbers tell an op in memory that was never
 * zeroed from one that runs.
 *
 *              weft_run                     finish                     deliver
 *     IDLE ───────────────────► RUNNING ─────────────► READY ─────────────────► IDLE, then runs
 *       │                        ▲   ▲
 *       │ run, 32 begins deep    │   │ the queue has a place
 *       ├──────────► STARTING ───┘   │
 *       │ push                       │
 *       ├──────────► QUEUED ─────────┤
 *       │ lazy_run, too soon         │ the component is ready
 *       └──────────► EARLY ──────────┘
 *
 * A refused op (its parent was cancelled) goes from IDLE to READY without its begin. STARTING and
 * READY ops are on the loop's ready queue, QUEUED ones on their lane, EARLY ones on their lazy; all are
 * linked by wait_. */
#ifndef WEFT_CORE_OP_H
#define WEFT_CORE_OP_H

#include "weft/loop.h"

enum op_state {
    OP_IDLE = 0,
    OP_STARTING = 0x57530001,
    OP_RUNNING = 0x57520002,
    OP_READY = 0x57590003,
    OP_QUEUED = 0x57510004,
    OP_EARLY = 0x57450005
};

enum op_flag {
    OP_JOIN = 1 << 0,      /* finishes when its last child has reported */
    OP_DECIDED = 1 << 1,   /* weft_end was called: status stands */
    OP_IDLING = 1 << 2,    /* entry_.idle runs when its last child has reported */
    OP_CANCEL = 1 << 3,    /* entry_.cancel is set */
    OP_REFUSE = 1 << 4,    /* was cancelled or has ended: nothing may start under it */
    OP_ATTENDANT = 1 << 5, /* a deadline: lives and dies with its parent, is not counted */
    OP_GATED = 1 << 6,     /* holds a place in its lane's queue */
    OP_HANDLED = 1 << 7,   /* its error was heard by the queue's listeners */
    OP_WORKS = 1 << 8,     /* has work of its own, which finishes it; see weft_on_cancel */
    OP_ENDED = 1 << 9,     /* weft_end came before any cancel: what it reports is its own */
    OP_REFUSED = 1 << 10,  /* was refused when it was begun: since_ms_ is op_refusals */
    OP_NAMED = 1 << 11,    /* id_ is set, and in the register */
    OP_CONTEXT = 1 << 12,  /* context_ is set, and held */
    OP_WRAPPED = 1 << 13,  /* then_ is a provider's own, and calls the user's: place_.then */
    OP_BY_HOOK = 1 << 14   /* was begun by a hook's function: what its then begins is hidden too */
};

/* Two sets of hooks, a bit each: those that have captured the op, and those it was cut off from.
 * Children inherit both. See hook.c. */
#define OP_SEEN 0x00ff0000U
#define OP_CUT 0xff000000U
enum { OP_CUT_SHIFT = 8 };

#ifdef WEFT_NO_HOOKS
#define OP_INHERITED ((uint32_t)OP_CONTEXT)
#else
#define OP_INHERITED (OP_SEEN | OP_CUT | OP_CONTEXT)
#endif
/* What makes the end of an op a matter for observe.c. */
#define OP_OBSERVED (OP_INHERITED | OP_NAMED)

enum { OP_DEPTH = 32, OP_REFUSALS = 10000 };

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Rules are checked in every build. The text of a broken one costs nothing until then. */
#define RULE(number, holds, op, text)                                                              \
    do {                                                                                           \
        if (unlikely(!(holds)))                                                                    \
            weft__broken(number, op, text);                                                        \
    } while (0)

__attribute__((noreturn, cold)) void weft__broken(int rule, const struct weft_op *op,
                                                  const char *what);
/* An error that reached the root with nobody to take it: the loop's on_uncaught, or the end. */
__attribute__((cold)) void weft__uncaught(struct weft_op *op, int status);

/* An emitter's error without a listener. */
__attribute__((noreturn, cold)) void weft__unheard(const char *emitter);
/* Tell loop->stuck_to what nothing can finish; WEFT_ESTUCK. */
int weft__stuck(const struct weft_loop *loop);

/* A thread is known by the address of this: cheaper than asking for its id. */
extern _Thread_local char weft__thread __attribute__((tls_model("initial-exec")));
#define RULE_THREAD(loop, op)                                                                      \
    RULE(7, (loop)->thread_ == &weft__thread, op, "a loop was used from another thread")

/* A begin may be called from outside the loop too: then only the depth tells. */
#define RULE_OUTSIDE(loop)                                                                         \
    RULE(3, !(loop)->draining_ && !(loop)->firing_ && (loop)->depth_ == 0, &(loop)->root,          \
         "the loop was run from inside a begin, a then or a timer")

void weft__wake(struct weft_loop *loop);

/* weft_timer_start for a timer that is a part of an op, and no resource of its own. */
void weft__timer_start(struct weft_loop *loop, struct weft_timer *timer, uint64_t ms,
                       void (*fire)(struct weft_timer *timer));

/* In a callback from libuv's poll: the queue is drained right after it, so nobody has to be
 * woken. */
static inline void loop_polled(struct weft_loop *loop)
{
    loop->awake_ = true;
}

static inline void ready_append(struct weft_loop *loop, struct weft_op *op)
{
    op->wait_ = NULL;
    *loop->ready_tail_ = op;
    loop->ready_tail_ = &op->wait_;
}

/* ready_put on a loop that is shuffled or asleep. Both in one call at the end, so that a finish
 * needs no stack frame. */
void weft__ready_put_rarely(struct weft_loop *loop, struct weft_op *op);

/* Put op, STARTING or READY, on the ready queue. */
static inline void ready_put(struct weft_loop *loop, struct weft_op *op)
{
    if (unlikely(loop->shuffle_ != 0 || !loop->awake_))
        weft__ready_put_rarely(loop, op);
    else
        ready_append(loop, op);
}

/* The lists of children and of waiters: each element knows the pointer that points at it. */
static inline void child_link(struct weft_op *parent, struct weft_op *op)
{
    op->sibling_ = parent->child_;
    op->sibling_link_ = &parent->child_;
    if (op->sibling_)
        op->sibling_->sibling_link_ = &op->sibling_;
    parent->child_ = op;
}

static inline void child_unlink(struct weft_op *op)
{
    *op->sibling_link_ = op->sibling_;
    if (op->sibling_)
        op->sibling_->sibling_link_ = op->sibling_link_;
}

/* The next op of a walk through everything below top, parents first and without recursion; down:
 * also below at. NULL: that was the last. Attendants are met too. */
static inline struct weft_op *op_walk(const struct weft_op *at, const struct weft_op *top,
                                      bool down)
{
    if (down && at->child_ != NULL)
        return at->child_;
    while (at != top && at->sibling_ == NULL)
        at = at->parent;
    return at != top ? at->sibling_ : NULL;
}

static inline void wait_append(struct weft_op *op, struct weft_op ***tail)
{
    op->wait_ = NULL;
    op->wait_link_ = *tail;
    **tail = op;
    *tail = &op->wait_;
}

static inline void wait_unlink(struct weft_op *op, struct weft_op ***tail)
{
    *op->wait_link_ = op->wait_;
    if (op->wait_)
        op->wait_->wait_link_ = op->wait_link_;
    else
        *tail = op->wait_link_;
}

static inline bool op_state_known(uint32_t state)
{
    return state == OP_IDLE || state == OP_RUNNING || state == OP_READY || state == OP_STARTING ||
           state == OP_QUEUED || state == OP_EARLY;
}

static inline void op_check_known(const struct weft_op *op)
{
    RULE(1, op_state_known(op->state_), NULL,
         "an op's storage was not zeroed before its first use");
}

/* ---- observers (observe.c): what hooks and context do at an op's begin and end ---------------- */

/* op was adopted by parent, and one of them or the loop is observed: inherit, tell the hooks. */
void weft__observe_begin(struct weft_op *parent, struct weft_op *op);
/* deliver for an op that is observed. */
void weft__deliver_observed(struct weft_loop *loop, struct weft_op *op);
/* The same for one that has a context and nothing else. */
void weft__deliver_with_context(struct weft_loop *loop, struct weft_op *op);
/* op, observed, ends without being delivered. */
void weft__observe_end(struct weft_op *op);
/* op's begin, from the ready queue. */
void weft__begin_observed(struct weft_loop *loop, struct weft_op *op, weft_begin_fn *begin);

#ifdef WEFT_NO_HOOKS
#define loop_observed(loop) 0U
#else
/* Not 0: hooks are enabled on loop, or somebody wants to know what runs. */
#define loop_observed(loop) ((loop)->watch_)
#endif

/* Who is current: loop->current_ is the op on whose behalf code runs, plus 1 while the loop is
 * observed. So one comparison tells a plain begin from all others: its parent is current, and nobody
 * looks. Of the rest, all that is not refused is begun the long way, by run_special. */
static inline bool begin_is_plain(const struct weft_op *parent)
{
#ifdef WEFT_NO_HOOKS
    return !(parent->flags_ & (OP_REFUSE | OP_INHERITED));
#else
    return !(parent->flags_ & (OP_REFUSE | OP_INHERITED)) &&
           parent->loop_->current_ == (uintptr_t)parent;
#endif
}

static inline struct weft_op *current_op(const struct weft_loop *loop)
{
#ifdef WEFT_NO_HOOKS
    (void)loop; /* a plain begin and end do not keep it then: it may be an op that is gone */
    return NULL;
#else
    return (struct weft_op *)(loop->current_ & ~(uintptr_t)1);
#endif
}

static inline void current_set(struct weft_loop *loop, const struct weft_op *op)
{
#ifdef WEFT_NO_HOOKS
    (void)loop;
    (void)op;
#else
    loop->current_ = (uintptr_t)op + loop->observed_; /* 1 or 0 */
#endif
}

/* op, just begun by its starter, has a then of the provider's that will call then, the user's: that is
 * what a hook wants to see. Not for an op in a queue or a slot. */
static inline void op_wraps(struct weft_op *op, weft_then_fn *then)
{
    op->place_.then = then;
    op->flags_ |= OP_WRAPPED;
}

/* For what leaves without a deliver: a deadline, a pump. */
static inline void observe_end(struct weft_op *op)
{
    if (unlikely(op->flags_ & OP_OBSERVED))
        weft__observe_end(op);
}

/* ---- begin ---------------------------------------------------------------------------------- */

/* May op be begun under parent? */
static inline void op_check_start(const struct weft_op *parent, const struct weft_op *op)
{
    RULE(2, parent->state_ == OP_RUNNING, parent,
         "a child was begun under an op that is not running");
    RULE_THREAD(parent->loop_, parent);
    if (unlikely(op->state_ != OP_IDLE)) {
        RULE(1, op_state_known(op->state_), parent,
             "a child's storage was not zeroed before its first run");
        weft__broken(1, op, "an op was begun while it still runs");
    }
}

/* Make op parent's child. The caller sets its state. */
static inline void op_adopt(const struct weft_site *site, struct weft_op *parent,
                            struct weft_op *op, weft_then_fn *then)
{
    struct weft_loop *loop = parent->loop_;
    op->status = 0; /* these four lie side by side: one store */
    op->reason_ = 0;
    op->flags_ = 0;
    op->running_ = 0;
    op->since_ms_ = loop->now_ms_;
    op->loop_ = loop;
    op->parent = parent;
    op->then_ = then;
    op->child_ = NULL;
    op->site_ = site;
    child_link(parent, op);
    parent->running_++;
}

/* The same under a parent that may be observed. */
static inline void op_adopt_observed(const struct weft_site *site, struct weft_op *parent,
                                     struct weft_op *op, weft_then_fn *then)
{
    op_adopt(site, parent, op, then);
    if (unlikely((parent->flags_ & OP_INHERITED) | loop_observed(parent->loop_)))
        weft__observe_begin(parent, op);
}

/* The loop whose code runs on this thread (frame.c). */
extern _Thread_local struct weft_loop *weft__loop __attribute__((tls_model("initial-exec")));

/* Call op's begin; NULL: it is finished by hand. It may come from outside of the loop. */
static inline void op_begin(struct weft_loop *loop, struct weft_op *op, weft_begin_fn *begin)
{
    op->state_ = OP_RUNNING;
    if (begin == NULL)
        return;
    struct weft_loop *outer_loop = weft__loop;
    struct weft_op *outer = current_op(loop);
    loop->depth_++;
    weft__loop = loop;
    current_set(loop, op);
    begin(op);
    current_set(loop, outer);
    weft__loop = outer_loop;
    loop->depth_--;
}

/* The same for a plain begin, where outer is op's parent. If an observer comes or goes meanwhile the
 * 1 in current_ does too: so the way back is a difference. */
static inline void op_begin_plain(struct weft_loop *loop, struct weft_op *op, weft_begin_fn *begin)
{
    op->state_ = OP_RUNNING;
    if (begin == NULL)
        return;
    loop->depth_++;
#ifdef WEFT_NO_HOOKS
    begin(op);
#else
    loop->current_ = (uintptr_t)op;
    begin(op);
    loop = op->loop_; /* so that only op is kept over the call */
    uintptr_t way_back = (uintptr_t)op->parent - (uintptr_t)op;
    __asm__("" : "+r"(way_back)); /* as one number: an instruction less */
    loop->current_ += way_back;
#endif
    loop->depth_--;
}

/* Finish op, just adopted or waiting, without its begin. */
static inline void op_refuse(struct weft_op *op, int reason)
{
    op->reason_ = reason;
    op->flags_ |= OP_REFUSE;
    op->state_ = OP_RUNNING;
    weft_finish(op, reason);
}

/* For an op that is about to be refused: how often its storage came back under parent. A refused op
 * has no age to keep, so that is what since_ms_ holds, beside a part of when parent was begun: who
 * is cancelled in each of a hundred thousand runs has done nothing wrong. */
enum { OP_REFUSALS_MASK = (1 << 14) - 1 };
static inline uint32_t op_refusals(const struct weft_op *parent, const struct weft_op *op)
{
    uint32_t this_run = parent->since_ms_ * (OP_REFUSALS_MASK + 1U);
    bool again = op->flags_ & OP_REFUSED && op->parent == parent &&
                 (op->since_ms_ & ~(uint32_t)OP_REFUSALS_MASK) == this_run;
    return again ? op->since_ms_ + 1 : this_run;
}

static inline bool op_refused_for_ever(uint32_t refusals)
{
    return (refusals & OP_REFUSALS_MASK) >= OP_REFUSALS;
}

/* The same for an op that is begun under a cancelled parent, counting how often its storage came
 * back: see rule 5. */
void weft__refuse_start(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                        weft_then_fn *then);

/* Call fn each time op's last child has reported, in place of the join. */
static inline void op_when_idle(struct weft_op *op, weft_begin_fn *fn)
{
    RULE(2, !(op->flags_ & OP_CANCEL), op,
         "an op with a cancel function of its own cannot wait for its steps");
    op->entry_.idle = fn;
    op->flags_ |= OP_IDLING;
}

/* op, READY, leaves the loop's hands: the first part of a deliver. */
static inline struct weft_op *op_take(struct weft_op *op)
{
    struct weft_op *parent = op->parent;
    child_unlink(op);
    parent->running_--;
    op->state_ = OP_IDLE;
    return parent;
}
/* The answer for an op without a then: success needs none, an error ends the parent. */
void weft__op_answer_for_nobody(struct weft_op *parent, struct weft_op *op);

/* op's last child may just have reported: what now? */
static inline void op_after_child(struct weft_op *op)
{
    if (!(op->flags_ & (OP_JOIN | OP_IDLING)) || op->running_ != 0 || op->state_ != OP_RUNNING)
        return;
    if (op->flags_ & OP_JOIN)
        weft_finish(op, op->reason_);
    else
        op->entry_.idle(op);
}

/* The second part: op, taken, reports. op_after_child(parent) is the third. */
static inline void op_answer(struct weft_op *parent, struct weft_op *op)
{
    if (likely(op->then_ != NULL))
        op->then_(parent, op);
    else
        weft__op_answer_for_nobody(parent, op);
}

/* Deliver the first ready op: begin it, or take it from its parent and run its then. */
void weft__deliver(struct weft_loop *loop);
/* At most so many of them. */
void weft__deliver_batch(struct weft_loop *loop, uint32_t most);
/* An op is finished: stop the deadlines that watch it. */
void weft__attendants_stop(struct weft_op *op);

/* The queue's side of a cancel and of a finish. */
void weft__lane_cancel(struct weft_op *task);
void weft__lane_release(struct weft_op *task);
/* A cancel takes a call out of its lazy's line. */
void weft__lazy_cancel(struct weft_op *call);
/* The flight whose load op is; NULL: it is something else. For signal handlers, too. */
struct weft_flight *weft__flight_of(const struct weft_op *op);

const char *weft__op_type(const struct weft_op *op);

#endif
