/* What an op's begin and end mean to hooks and context: the long way round, taken by an op that is
 * captured, has a context, or is on a loop where a hook is enabled.
 *
 * Everything that the end of an op brings about is inside its pre and post: its then, the tasks that
 * its place in a queue lets begin, and the next step of the flow above it. So whatever the user's
 * code does has a callback around it that is somebody's.
 *
 * An op is borrowed only until its then starts. What is needed after that is in the frame. */
#include "tell.h"

static bool give_id(struct weft_op *op)
{
    struct weft_slot *slot = slot_take(op->loop_, site_of(op), 0, op, &op->flags_);
    if (slot == NULL)
        return false;
    SLOT_SET(slot->state, WEFT_OPEN);
    op->id_ = SLOT_GET(slot->id);
    op->flags_ |= OP_NAMED;
    return true;
}

/* Those above it get one too, so that parents are known. The chain may be a million long: first the
 * ids, then who belongs to whom. */
__attribute__((noinline)) static uint64_t name(struct weft_op *op)
{
    struct weft_op *top = op, *at = op;
    RULE_THREAD(op->loop_, op);
    for (; top != NULL && !(top->flags_ & OP_NAMED); top = top->parent) {
        if (!give_id(top))
            break;
    }
    for (; at != top && at->parent != NULL && at->parent->flags_ & OP_NAMED; at = at->parent)
        SLOT_SET(slot_of(at->id_)->parent, at->parent->id_);
    return op->flags_ & OP_NAMED ? op->id_ : 0;
}

uint64_t weft_id(struct weft_op *op)
{
    if (op == NULL || op->state_ == OP_IDLE)
        return 0;
    op_check_known(op);
    if (op->flags_ & OP_NAMED)
        return op->id_;
    return op->state_ != OP_READY ? name(op) : 0; /* that may be on its way out already */
}

static inline void tell_begin(struct weft_op *parent, struct weft_op *op, uint32_t seen)
{
    uint64_t above = likely(parent->flags_ & OP_NAMED) ? parent->id_ : name(parent);
    struct weft_slot *slot = slot_take(op->loop_, op->site_, above, op, &op->flags_);
    if (unlikely(slot == NULL))
        return; /* without memory it is not seen */
    op->id_ = atomic_load_explicit(&slot->id, memory_order_relaxed);
    op->flags_ |= OP_NAMED | seen;
    tell_init(op->loop_, seen, slot);
}

void weft__observe_begin(struct weft_op *parent, struct weft_op *op)
{
    struct weft_loop *loop = op->loop_;
    uint32_t flags = parent->flags_ & (OP_SEEN | OP_CUT), hidden = loop->observers_->hidden;
    op->flags_ |= parent->flags_ & (OP_CUT | OP_BY_HOOK);
    if (unlikely(hidden != 0))
        op->flags_ |= (hidden & OP_SEEN) << OP_CUT_SHIFT | OP_BY_HOOK;
    if (parent->flags_ & OP_CONTEXT)
        weft__context_inherit(op, parent);
    uint32_t seen = hooks_capturing(loop, flags);
    if (seen != 0)
        tell_begin(parent, op, seen);
}

void weft__observe_end(struct weft_op *op)
{
    uint32_t flags = op->flags_;
    void *context = op->context_;
    op->flags_ &= ~(OP_OBSERVED);
    if (flags & OP_NAMED)
        weft__resource_over(op->loop_, slot_of(op->id_), flags & OP_SEEN);
    if (flags & OP_CONTEXT)
        weft__context_drop(context);
}

/* A handle without a then has no callback at its end. */
static bool has_callback(const struct weft_op *op)
{
    return op->then_ != NULL || !(op->site_->group & WEFT_HANDLE);
}

static weft_entry_fn *entry_of(const struct weft_op *op)
{
    return (weft_entry_fn *)(op->flags_ & OP_WRAPPED ? op->place_.then : op->then_);
}

/* Only its then is the hook's: the place it frees, and the flow above it, are others'. */
static void answer_hidden(struct weft_op *parent, struct weft_op *op)
{
    struct weft_loop *loop = op->loop_;
    uint32_t hidden = hide_begin(loop, 0);
    op_answer(parent, op);
    hide_end(loop, hidden);
}

void weft__deliver_observed(struct weft_loop *loop, struct weft_op *op)
{
    struct weft_frame frame;
    struct weft_slot *slot = op->flags_ & OP_NAMED ? slot_of(op->id_) : NULL;
    bool called = has_callback(op);
    frame_push(&frame, loop, op->parent, slot, op->flags_, op->site_, entry_of(op));
    frame.op_ = op;
    frame.status_ = op->status;
    if (called && frame.seen_ != 0)
        tell_pre(loop, &frame, frame.entry_);
    if (op->flags_ & OP_GATED) {
        weft__lane_release(op);
        current_set(loop, op->parent);
    }
    void *context = op->flags_ & OP_CONTEXT ? op->context_ : NULL;
    op->flags_ &= ~(uint32_t)OP_CONTEXT; /* in its then it is over, but the value is still held */
    struct weft_op *parent = op_take(op);
    frame.op_ = NULL;
    if (slot != NULL) { /* its storage is its owner's */
        slot->seen = &frame.seen_;
        SLOT_SET(slot->resource, NULL);
    }
    if (unlikely(op->flags_ & OP_BY_HOOK))
        answer_hidden(parent, op);
    else
        op_answer(parent, op);
    op_after_child(parent);
    if (called && frame.seen_ != 0)
        tell_post(loop, &frame);
    frame_pop(&frame, loop);
    if (slot != NULL)
        weft__resource_over(loop, slot, frame.seen_);
    if (context != NULL)
        weft__context_drop(context);
    scope_end(loop);
}

void weft__deliver_with_context(struct weft_loop *loop, struct weft_op *op)
{
    void *context = op->context_;
    struct weft_op *parent = op_take(op);
    op->flags_ &= ~(uint32_t)OP_CONTEXT;
    current_set(loop, parent);
    op_answer(parent, op);
    op_after_child(parent);
    weft__context_drop(context);
}

/* A begin that comes from the ready queue is a callback of the loop's. */
void weft__begin_observed(struct weft_loop *loop, struct weft_op *op, weft_begin_fn *begin)
{
    struct weft_frame frame;
    weft_enter(&frame, &loop->root, (weft_entry_fn *)begin);
    op_begin(loop, op, begin);
    weft_leave(&frame);
    scope_end(loop);
}
