/* Resources that are no ops: connections, queues, parsers, timers, and what embedders bring. */
#include "tell.h"

void weft_handle_open_seen(const struct weft_site *site, struct weft_op *branch,
                           struct weft_handle *handle, uint64_t parent, void *resource)
{
    struct weft_loop *loop = branch->loop_;
    RULE_THREAD(loop, branch);
    uint32_t seen = hooks_capturing(loop, branch->flags_);
    if (seen == 0)
        return;
    if (parent == 0)
        parent = weft_id(branch);
    struct weft_slot *slot = slot_take(loop, site, parent, resource, NULL);
    if (slot == NULL)
        return;
    handle->id_ = SLOT_GET(slot->id);
    slot->hooks = seen;
    if (site->group & WEFT_QUEUE)
        slot_loose(loop, slot, weft_id(branch));
    tell_init(loop, seen, slot);
}

/* Its loop may be closed and gone: with that it has lost its id, and nothing else is looked at. */
void weft_handle_close(struct weft_handle *handle)
{
    struct weft_loop *loop;
    struct weft_slot *slot = handle->id_ != 0 ? weft__slot_find(handle->id_, &loop) : NULL;
    handle->id_ = 0;
    if (slot == NULL)
        return;
    RULE_THREAD(loop, handle->branch_);
    uint32_t cut = (handle->branch_->flags_ & OP_CUT) >> OP_CUT_SHIFT;
    weft__resource_over(loop, slot, slot->hooks & ~cut);
}

/* ---- timers and posts: one callback ---------------------------------------------------------- */

void weft__compact_open_seen(struct weft_loop *loop, const struct weft_site *site, uint64_t *id,
                             void *resource)
{
    struct weft_op *current = current_op(loop), *branch = current != NULL ? current : &loop->root;
    uint32_t hooks = hooks_capturing(loop, branch->flags_);
    if (hooks == 0)
        return;
    uint64_t parent = weft_id(branch);
    struct weft_slot *slot = slot_take(loop, site, parent, resource, NULL);
    if (slot == NULL)
        return;
    slot_loose(loop, slot, parent);
    *id = SLOT_GET(slot->id);
    slot->hooks = hooks;
    tell_init(loop, hooks, slot);
}

void weft__compact_close(struct weft_loop *loop, uint64_t *id)
{
    struct weft_slot *slot = slot_of(*id);
    *id = 0;
    weft__resource_over(loop, slot, slot->hooks);
}
