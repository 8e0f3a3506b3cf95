/* The operation: begin it, finish it, deliver it.
 *
 * This file is the contract of weft/op.h at work. Its parts call each other in one direction only:
 *
 *     weft_run ──► begin ──► … ──► weft_finish ──► ready queue ──► deliver ──► then
 *                                  weft_join ─┘                       │
 *                                  weft_end ──┘   (parent idle?) ◄────┘
 *
 * Nothing in it waits, allocates or recurses: a begin that begins another one nests OP_DEPTH deep
 * at most and then goes through the ready queue; `then` is called only from deliver, which is
 * called only from the loop. So a million synchronous completions use the stack of one.
 *
 * Invariants, besides the states in op.h:
 *   - running_ counts the children that have not reported; attendants (deadlines) are children too
 *     but are not counted, so a finish with child_ != NULL and running_ == 0 only has those left;
 *   - OP_REFUSE is set exactly when reason_ is: from then on nothing starts below;
 *   - an op on the ready queue is never cancelled: its outcome is decided (READY) or the flag is
 *     found when its begin would run (STARTING);
 *   - OP_WORKS is set while an op has work of its own that its cancel function stops: such an op is
 *     finished by that work and never from here, since its storage is in use. */
#include "observe.h"

static inline bool too_deep(const struct weft_loop *loop, weft_begin_fn *begin)
{
    return unlikely(loop->depth_ >= OP_DEPTH) && begin != NULL;
}

static inline void begin_later(struct weft_loop *loop, struct weft_op *op, weft_begin_fn *begin)
{
    op->state_ = OP_STARTING;
    op->entry_.begin = begin;
    ready_put(loop, op);
}

/* Apart, so that the plain begin keeps nothing on the stack for it. */
__attribute__((noinline)) static void run_special(const struct weft_site *site,
                                                  struct weft_op *parent, struct weft_op *op,
                                                  weft_begin_fn *begin, weft_then_fn *then)
{
    struct weft_loop *loop = parent->loop_;
    if (parent->flags_ & OP_REFUSE) {
        weft__refuse_start(site, parent, op, then);
        return;
    }
    op_adopt_observed(site, parent, op, then);
    if (too_deep(loop, begin))
        begin_later(loop, op, begin);
    else
        op_begin(loop, op, begin);
}

void weft_run_at(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                 weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, op);
    if (unlikely(!begin_is_plain(parent))) {
        run_special(site, parent, op, begin, then);
        return;
    }
    struct weft_loop *loop = parent->loop_;
    op_adopt(site, parent, op, then);
    if (too_deep(loop, begin))
        begin_later(loop, op, begin);
    else
        op_begin_plain(loop, op, begin);
}

__attribute__((noinline)) static void run_now_special(const struct weft_site *site,
                                                      struct weft_op *parent, struct weft_op *op,
                                                      weft_begin_fn *begin, weft_then_fn *then)
{
    if (parent->flags_ & OP_REFUSE) {
        weft__refuse_start(site, parent, op, then);
        return;
    }
    op_adopt_observed(site, parent, op, then);
    op_begin(parent->loop_, op, begin);
}

void weft_run_now_at(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                     weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, op);
    if (unlikely(!begin_is_plain(parent))) {
        run_now_special(site, parent, op, begin, then);
        return;
    }
    op_adopt(site, parent, op, then);
    op_begin_plain(parent->loop_, op, begin);
}

/* A loop in a then that ignores its status would have its op refused for ever and burn a core. The
 * same storage coming back again and again is that loop: it is called by its name. */
__attribute__((cold)) void weft__refuse_start(const struct weft_site *site, struct weft_op *parent,
                                              struct weft_op *op, weft_then_fn *then)
{
    uint32_t times = op_refusals(parent, op);
    RULE(5, !op_refused_for_ever(times), parent,
         "an op goes on starting children although it was cancelled");
    op_adopt_observed(site, parent, op, then);
    op->flags_ |= OP_REFUSED;
    op->since_ms_ = times;
    op_refuse(op, parent->reason_);
}

static inline void finish_now(struct weft_op *op, int status)
{
    op->state_ = OP_READY;
    if (likely(!(op->flags_ & OP_DECIDED)))
        op->status = status;
    ready_put(op->loop_, op);
}

/* Apart, so that the usual finish needs no stack frame. */
__attribute__((noinline)) static void finish_attended(struct weft_op *op, int status)
{
    weft__attendants_stop(op);
    finish_now(op, status);
}

void weft_finish(struct weft_op *op, int status)
{
    RULE(2, op->state_ == OP_RUNNING, op, "an op that is not running was finished (twice?)");
    RULE_THREAD(op->loop_, op);
    RULE(2, op->running_ == 0, op, "finished while a child runs; use weft_join or weft_end");
    RULE(2, status <= 0, op,
         "a status must be 0 or negative; errno is translated by uv_translate_sys_error");
    RULE(2, op->parent != NULL, op, "the root does not end; cancel it instead");
    if (unlikely(op->child_ != NULL))
        finish_attended(op, status);
    else
        finish_now(op, status);
}

void weft_join(struct weft_op *op)
{
    if (op->state_ == OP_READY && op->flags_ & OP_DECIDED)
        return; /* weft_end came first and had nothing to wait for */
    RULE(2, op->state_ == OP_RUNNING, op, "join of an op that is not running");
    RULE(2, !(op->flags_ & OP_CANCEL), op, "join of an op that has work of its own; use weft_end");
    RULE(2, !(op->flags_ & OP_IDLING), op,
         "join of a flow, which would end it here; it goes on by itself, and weft_end ends it");
    op->flags_ |= OP_JOIN;
    if (op->running_ == 0)
        weft_finish(op, op->reason_);
}

void weft_end(struct weft_op *op, int status)
{
    RULE(2, op->state_ != OP_IDLE && op_state_known(op->state_), op,
         "end of an op that is not running; weft_cancel would have no effect on it");
    RULE(2, op->parent != NULL, op, "the root does not end; cancel it instead");
    RULE(2, status <= 0, op,
         "a status must be 0 or negative; errno is translated by uv_translate_sys_error");
    if (op->state_ == OP_READY || op->flags_ & OP_DECIDED)
        return; /* decided before: the first word stands */
    op->status = status != 0 ? status : op->reason_;
    op->flags_ |= op->flags_ & OP_REFUSE ? OP_DECIDED : OP_DECIDED | OP_ENDED;
    if (op->state_ == OP_RUNNING && !(op->flags_ & OP_WORKS)) {
        op->flags_ |= OP_JOIN;
        if (op->running_ == 0) {
            weft_finish(op, op->status);
            return;
        }
    }
    weft_cancel(op, UV_ECANCELED);
}

void weft_ignore(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
}

void weft_pass(struct weft_op *parent, struct weft_op *op)
{
    if (unlikely(parent->parent == NULL))
        weft__op_answer_for_nobody(parent, op); /* there is nothing to end */
    else if (op->status != 0 || !(parent->flags_ & (OP_JOIN | OP_IDLING)))
        weft_end(parent, op->status);
}

void weft__op_answer_for_nobody(struct weft_op *parent, struct weft_op *op)
{
    if (op->status == 0 || op->flags_ & OP_HANDLED)
        return;
    if (parent->parent != NULL)
        weft_end(parent, op->status);
    else if (!(op->flags_ & OP_REFUSE) || op->flags_ & OP_ENDED) /* whoever cancelled it knows */
        weft__uncaught(op, op->status);
}

static void begin_late(struct weft_loop *loop, struct weft_op *op)
{
    weft_begin_fn *begin = op->entry_.begin;
    op->entry_.begin = NULL;
    if (op->flags_ & OP_REFUSE)
        op_refuse(op, op->reason_);
    else if (unlikely(loop_observed(loop)))
        weft__begin_observed(loop, op, begin);
    else
        op_begin(loop, op, begin);
}

/* The first op of the ready queue; NULL: it was not to be delivered but begun, and has been. */
__attribute__((always_inline)) static inline struct weft_op *take_ready(struct weft_loop *loop)
{
    struct weft_op *op = loop->ready_;
    loop->ready_ = op->wait_;
    if (loop->ready_ == NULL)
        loop->ready_tail_ = &loop->ready_;
    if (likely(op->state_ != OP_STARTING))
        return op;
    begin_late(loop, op);
    return NULL;
}

__attribute__((noinline)) static void deliver_special(struct weft_loop *loop, struct weft_op *op)
{
    if ((op->flags_ & (OP_OBSERVED | OP_GATED)) == OP_CONTEXT)
        weft__deliver_with_context(loop, op);
    else
        weft__deliver_observed(loop, op);
}

/* observed: 1 if a hook was enabled since the batch began. */
__attribute__((always_inline)) static inline void report_plain(struct weft_loop *loop,
                                                               struct weft_op *op,
                                                               uintptr_t observed)
{
    struct weft_op *parent = op_take(op);
#ifdef WEFT_NO_HOOKS
    (void)loop;
    (void)observed;
#else
    loop->current_ = (uintptr_t)parent + observed;
#endif
    op_answer(parent, op);
    op_after_child(parent);
}

__attribute__((always_inline)) static inline void deliver_plain(struct weft_loop *loop)
{
    struct weft_op *op = take_ready(loop);
    if (unlikely(op == NULL))
        return;
    if (unlikely(op->flags_ & OP_OBSERVED)) {
        deliver_special(loop, op);
    } else if (op->flags_ & OP_GATED) {
        /* Still READY and a child: no listener can end parent before then. */
        weft__lane_release(op);
        report_plain(loop, op, loop->observed_);
    } else {
        report_plain(loop, op, 0);
    }
}

static void deliver_observed(struct weft_loop *loop)
{
    struct weft_op *op = take_ready(loop);
    if (op != NULL)
        weft__deliver_observed(loop, op);
}

void weft__deliver(struct weft_loop *loop)
{
    if (unlikely(loop_observed(loop)))
        deliver_observed(loop);
    else
        deliver_plain(loop);
}

/* An observer that comes in the middle of it breaks a batch of plain ones off (weft__watch), and
 * the rest goes on as what it is then. */
void weft__deliver_batch(struct weft_loop *loop, uint32_t most)
{
    for (;;) {
        loop->left_ = most;
        if (unlikely(loop_observed(loop))) {
            for (; loop->left_ > 0 && loop->ready_ != NULL; loop->left_--)
                deliver_observed(loop);
        } else {
            for (; loop->left_ > 0 && loop->ready_ != NULL; loop->left_--)
                deliver_plain(loop);
        }
        loop->left_ = 0;
        most = loop->rest_;
        if (likely(most == 0))
            return;
        loop->rest_ = 0;
        scope_end(loop);
    }
}

void weft__watch(struct weft_loop *loop, uint32_t watch)
{
    loop->watch_ = watch != 0 || loop->observers_->hidden == 0 ? watch : WATCH_HIDING;
    loop->observed_ = loop->watch_ != 0;
    current_set(loop, current_op(loop));
    if (loop->left_ > 1) {
        loop->rest_ = loop->left_ - 1;
        loop->left_ = 1; /* this one */
    }
}
