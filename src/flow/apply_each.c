/* Apply each: the items are functions, so there is nothing to fill the slots with: the number of an
 * item is that of its function, and its begin calls that with the value. */
#include "each.h"
#include "steps.h"

static struct weft_apply_each *apply_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_apply_each, each.op);
}

static void call_function(struct weft_op *slot)
{
    const struct weft_apply_each *apply = apply_of(slot->parent);
    apply->functions.list[weft_index(slot)](slot, apply->value);
}

void weft_apply_each_begin(struct weft_op *op)
{
    struct weft_apply_each *apply = apply_of(op);
    if (!weft__functions_valid(&apply->functions)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    apply->each.begin = call_function;
    apply->each.source = weft_source_of(apply->functions.count);
    weft_each_begin(op);
}

void weft_apply_each_at(const struct weft_site *site, const struct weft_site *item_site,
                        struct weft_op *parent, struct weft_apply_each *apply,
                        struct weft_slots slots, void *value, struct weft_functions functions,
                        weft_store_fn *store, weft_then_fn *then)
{
    struct weft_each settings = {.slots = slots, .store = store, .item_site_ = item_site};
    apply->functions = functions;
    apply->value = value;
    weft__each_start(site, parent, &apply->each, &settings, weft_apply_each_begin, then);
}
