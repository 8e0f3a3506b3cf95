/* Settle: an each whose items may fail. Each outcome is noted under the item's number; the last
 * word before an item begins is whether there is room to note it. */
#include "each.h"

static struct weft_settle *settle_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_settle, each.op);
}

static bool has_room(struct weft_each *each, size_t index)
{
    struct weft_settle *settle = settle_of(&each->op);
    if (index >= settle->capacity) {
        weft_end(&each->op, UV_ENOBUFS);
        return false;
    }
    settle->count++;
    return true;
}

static void note(struct weft_op *op, struct weft_op *slot)
{
    struct weft_settle *settle = settle_of(op);
    settle->statuses[weft_index(slot)] = slot->status;
    if (slot->status != 0)
        settle->failed++;
    else if (settle->store != NULL)
        settle->store(slot);
}

static void forget(struct weft_settle *settle)
{
    settle->count = 0;
    settle->failed = 0;
}

void weft_settle_begin(struct weft_op *op)
{
    struct weft_settle *settle = settle_of(op);
    forget(settle);
    if (settle->statuses == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    settle->each.done = note;
    settle->each.admit_ = has_room;
    weft_each_begin(op);
}

void weft_settle_at(const struct weft_site *site, const struct weft_site *item_site,
                    struct weft_op *parent, struct weft_settle *settle, struct weft_slots slots,
                    struct weft_source source, weft_begin_fn *begin, weft_store_fn *store,
                    int *statuses, size_t capacity, weft_then_fn *then)
{
    struct weft_each settings = {
        .slots = slots, .source = source, .begin = begin, .item_site_ = item_site};
    settle->store = store;
    settle->statuses = statuses;
    settle->capacity = capacity;
    forget(settle); /* under a cancelled parent nothing begins */
    weft__each_start(site, parent, &settle->each, &settings, weft_settle_begin, then);
}
