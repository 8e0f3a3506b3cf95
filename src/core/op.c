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
#include "op.h"

void weft_run_at(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                 weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, op);
    if (unlikely(parent->flags_ & OP_REFUSE)) {
        weft__refuse_start(site, parent, op, then);
        return;
    }
    struct weft_loop *loop = parent->loop_;
    op_adopt(site, parent, op, then);
    if (unlikely(loop->depth_ >= OP_DEPTH) && begin != NULL) {
        op->state_ = OP_STARTING;
        op->entry_.begin = begin;
        ready_put(loop, op);
        return;
    }
    op_begin(loop, op, begin);
}

void weft_run_now_at(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                     weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, op);
    if (unlikely(parent->flags_ & OP_REFUSE)) {
        weft__refuse_start(site, parent, op, then);
        return;
    }
    op_adopt(site, parent, op, then);
    op_begin(parent->loop_, op, begin);
}

/* A loop in a then that ignores its status would have its op refused for ever and burn a core. The
 * same storage coming back again and again is that loop: it is called by its name. */
__attribute__((cold)) void weft__refuse_start(const struct weft_site *site, struct weft_op *parent,
                                              struct weft_op *op, weft_then_fn *then)
{
    uint32_t times = op_refusals(parent, op);
    RULE(5, !op_refused_for_ever(times), parent,
         "an op goes on starting children although it was cancelled");
    op_adopt(site, parent, op, then);
    op->flags_ = OP_REFUSED;
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
    RULE(2, op->running_ == 0, op, "finished while a child runs; use weft_join or weft_end");
    RULE(2, status <= 0, op,
         "a status must be 0 or negative; errno is translated by uv_translate_sys_error");
    RULE(2, op->parent != NULL, op, "the root does not end; cancel it instead");
    RULE_THREAD(op->loop_, op);
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

static void answer_for_nobody(struct weft_op *parent, struct weft_op *op);

void weft_ignore(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
}

void weft_pass(struct weft_op *parent, struct weft_op *op)
{
    if (unlikely(parent->parent == NULL))
        answer_for_nobody(parent, op); /* there is nothing to end */
    else if (op->status != 0 || !(parent->flags_ & (OP_JOIN | OP_IDLING)))
        weft_end(parent, op->status);
}

/* op's last child may just have reported: what now? */
static inline void after_child(struct weft_op *op)
{
    if (!(op->flags_ & (OP_JOIN | OP_IDLING)) || op->running_ != 0 || op->state_ != OP_RUNNING)
        return;
    if (op->flags_ & OP_JOIN)
        weft_finish(op, op->reason_);
    else
        op->entry_.idle(op);
}

/* then == NULL: success needs no answer, an error ends the parent. */
static void answer_for_nobody(struct weft_op *parent, struct weft_op *op)
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
    else
        op_begin(loop, op, begin);
}

static inline void deliver(struct weft_loop *loop)
{
    struct weft_op *op = loop->ready_;
    loop->ready_ = op->wait_;
    if (loop->ready_ == NULL)
        loop->ready_tail_ = &loop->ready_;
    if (unlikely(op->state_ == OP_STARTING)) {
        begin_late(loop, op);
        return;
    }
    if (op->flags_ & OP_GATED) /* still READY and a child: no listener can end parent before then */
        weft__lane_release(op);
    struct weft_op *parent = op->parent;
    child_unlink(op);
    parent->running_--;
    op->state_ = OP_IDLE;
    if (likely(op->then_ != NULL))
        op->then_(parent, op);
    else
        answer_for_nobody(parent, op);
    after_child(parent);
}

void weft__deliver(struct weft_loop *loop)
{
    deliver(loop);
}

void weft__deliver_batch(struct weft_loop *loop, uint32_t most)
{
    for (; most > 0 && loop->ready_ != NULL; most--)
        deliver(loop);
}
