/* tests/lib/invariant.h: is a loop in order, between two events?
 *
 * Looks at all of it: the tree of ops, the ready queue, the immediates and the heap of timers.
 * A header, so that tests and fuzz targets share it without sharing a library. */
#ifndef TESTS_INVARIANT_H
#define TESTS_INVARIANT_H

#include "core/op.h"
#include <weft/timer.h>

struct invariant_count {
    uint32_t waiting; /* STARTING or READY: on the ready queue */
    uint32_t timers;
};

/* One op by itself; NULL: it is in order. */
static inline const char *invariant_of_op(const struct weft_op *op)
{
    if (!op_state_known(op->state_) || op->state_ == OP_IDLE)
        return "a child is not running";
    if (*op->sibling_link_ != op)
        return "a child is not linked";
    if (op->sibling_ != NULL && op->sibling_->sibling_link_ != &op->sibling_)
        return "siblings are not linked";
    if (!(op->flags_ & OP_REFUSE) != (op->reason_ == 0))
        return "a reason without a refusal, or the other way round";
    if (op->flags_ & OP_ATTENDANT && (op->child_ != NULL || op->running_ != 0))
        return "a deadline has children";
    if (op->state_ == OP_READY && op->child_ != NULL)
        return "a finished op has children";
    bool waits = op->state_ == OP_STARTING || op->state_ == OP_QUEUED || op->state_ == OP_EARLY;
    if (waits && op->running_ != 0)
        return "an op that waits has children";
    if (op->running_ == 0 && op->flags_ & OP_JOIN && op->state_ == OP_RUNNING)
        return "an op has joined, has no children and still runs";
    if (op->status > 0)
        return "a positive status";
    return NULL;
}

static inline uint32_t invariant_children(const struct weft_op *op)
{
    uint32_t count = 0;
    for (const struct weft_op *child = op->child_; child != NULL; child = child->sibling_)
        count += !(child->flags_ & OP_ATTENDANT);
    return count;
}

static inline const char *invariant_of_tree(const struct weft_loop *loop,
                                            struct invariant_count *count)
{
    const struct weft_op *op = &loop->root;
    for (;;) {
        if (op->running_ != invariant_children(op))
            return "an op does not know how many children it has";
        if (op->child_ != NULL) {
            op = op->child_;
        } else {
            while (op != &loop->root && op->sibling_ == NULL)
                op = op->parent;
            if (op == &loop->root)
                return NULL;
            op = op->sibling_;
        }
        const char *wrong = invariant_of_op(op);
        if (wrong != NULL)
            return wrong;
        /* Whoever was cancelled has passed it on; a child that was added since is refused. */
        if (op->parent->flags_ & OP_REFUSE && !(op->flags_ & (OP_REFUSE | OP_ATTENDANT)) &&
            op->state_ != OP_READY && op->parent != &loop->root)
            return "a cancel did not reach a child";
        count->waiting += op->state_ == OP_STARTING || op->state_ == OP_READY;
    }
}

static inline const char *invariant_of_lists(const struct weft_loop *loop,
                                             const struct invariant_count *count)
{
    uint32_t ready = 0;
    struct weft_op *const *tail = &loop->ready_;
    for (; *tail != NULL; tail = &(*tail)->wait_, ready++) {
        if ((*tail)->state_ != OP_STARTING && (*tail)->state_ != OP_READY)
            return "an op on the ready queue is not ready";
    }
    if (tail != loop->ready_tail_)
        return "the ready queue has lost its end";
    if (ready != count->waiting)
        return "a ready op is not on the ready queue";
    tail = &loop->later_;
    for (; *tail != NULL; tail = &(*tail)->wait_) {
        if ((*tail)->state_ != OP_RUNNING)
            return "an immediate does not run";
    }
    if (tail != loop->later_tail_)
        return "the immediates have lost their end";
    tail = &loop->steps_;
    for (; *tail != NULL; tail = &(*tail)->wait_) {
        if ((*tail)->state_ != OP_RUNNING)
            return "one in line for a slice does not run";
    }
    return tail == loop->steps_tail_ ? NULL : "the line for slices has lost its end";
}

static inline const char *invariant_of_heap(const struct weft_loop *loop)
{
    const struct weft_timer *at = loop->timers_;
    if (at == NULL)
        return NULL;
    if (at->prev_ != NULL || at->next_ != NULL)
        return "the first timer has others beside it";
    for (;;) {
        if (at->fire_ == NULL)
            return "a stopped timer is in the heap";
        if (at->next_ != NULL && at->next_->prev_ != at)
            return "timers are not linked";
        if (at->child_ != NULL) {
            if (at->child_->prev_ != at)
                return "a timer is not linked";
            at = at->child_;
            continue;
        }
        while (at->next_ == NULL) { /* back to the first of its siblings, and up */
            while (at->prev_ != NULL && at->prev_->child_ != at)
                at = at->prev_;
            if (at->prev_ == NULL)
                return NULL;
            if (at->due_ < at->prev_->due_)
                return "a timer is above an earlier one";
            at = at->prev_;
        }
        at = at->next_;
    }
}

/* NULL: the loop is in order. Otherwise what is not. */
static inline const char *invariant_broken(const struct weft_loop *loop)
{
    struct invariant_count count = {0, 0};
    const char *wrong = invariant_of_tree(loop, &count);
    if (wrong == NULL)
        wrong = invariant_of_lists(loop, &count);
    if (wrong == NULL)
        wrong = invariant_of_heap(loop);
    return wrong;
}

#endif
