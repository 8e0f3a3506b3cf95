/* What the memo and the recipes have to know of a promise. */
#ifndef WEFT_FLOW_PROMISE_H
#define WEFT_FLOW_PROMISE_H

#include "core/op.h"
#include "weft/promise.h"

/* Its work is under way, or has finished and is not delivered yet. */
static inline bool promise_pending(const struct weft_promise *promise)
{
    return promise->op.state_ != OP_IDLE;
}

/* It was told to stop before it had an outcome of its own; true also when that is long over. */
static inline bool promise_cancelled(const struct weft_promise *promise)
{
    return (promise->op.flags_ & (OP_REFUSE | OP_ENDED)) == OP_REFUSE;
}

/* Begin a promise that is not pending, whatever is left of its life before. settled is the then of its
 * op: weft__promise_settled, or something that ends in it and has the first word. */
void weft__promise_start(const struct weft_site *site, struct weft_op *owner,
                         struct weft_promise *promise, weft_begin_fn *begin, weft_then_fn *settled);
/* The same for asker, who is going to await it when this returns: whoever comes and leaves from inside
 * begin is not the last one. The work gets asker's context, although it is the owner's child; if asker
 * has none, or is NULL, the owner's. begin is not NULL. */
void weft__promise_start_for(const struct weft_op *asker, const struct weft_site *site,
                             struct weft_op *owner, struct weft_promise *promise,
                             weft_begin_fn *begin, weft_then_fn *settled);
/* It has settled with op's status: tell everybody who waits. Nobody has run yet when it returns. */
void weft__promise_settled(struct weft_op *owner, struct weft_op *op);
/* Its storage is let go of: an error of one that nobody ever awaited is nobody's, rule 8. */
void weft__promise_check_awaited(struct weft_promise *promise);

#endif
