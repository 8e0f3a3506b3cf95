/* What the memo has to know of a promise. */
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

/* Begin a promise that is not pending, whatever is left of its life before. */
void weft__promise_start(const struct weft_site *site, struct weft_op *owner,
                         struct weft_promise *promise, weft_begin_fn *begin);

#endif
