/* What the collections share: each of them is a weft_each with settings of its own. */
#ifndef WEFT_FLOW_EACH_H
#define WEFT_FLOW_EACH_H

#include "core/op.h"
#include "weft/each.h"

/* Everything but the op and what a run keeps for itself comes from settings; then begin begins it.
 * begin is weft_each_begin, or one that sets its hooks (admit_, over_) and ends in it. */
void weft__each_start(const struct weft_site *site, struct weft_op *parent, struct weft_each *each,
                      const struct weft_each *settings, weft_begin_fn *begin, weft_then_fn *then);

/* Has nothing decided the outcome yet? What comes in after that does not count. */
static inline bool each_is_open(const struct weft_each *each)
{
    return !(each->op.flags_ & OP_REFUSE) && each->op.state_ == OP_RUNNING;
}

/* In over_: how it is going to end. */
static inline int each_outcome(const struct weft_each *each)
{
    return each->op.flags_ & OP_DECIDED ? each->op.status : each->op.reason_;
}

#endif
