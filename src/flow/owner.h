/* Owners: an op under which something will be begun later, for others who ask. */
#ifndef WEFT_FLOW_OWNER_H
#define WEFT_FLOW_OWNER_H

#include "core/op.h"

/* The owner of what was opened at site does not run, so nothing can be begun under it; told of teller,
 * which asked, or is the owner. */
__attribute__((noreturn, cold)) void weft__owner_is_idle(const struct weft_site *site,
                                                         const struct weft_op *teller);

static inline void check_owner(const struct weft_op *owner, const struct weft_site *site,
                               const struct weft_op *teller)
{
    if (unlikely(owner->state_ != OP_RUNNING))
        weft__owner_is_idle(site, teller);
}

#endif
