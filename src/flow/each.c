/* Each, and what only differs from it by its settings: a collection through a fixed set of slots.
 *
 * The slots are the limit. Each is filled from the source, run, and filled again in its own then;
 * when the source is dry the op joins: it finishes when the last slot has reported. Nothing starts
 * once the outcome is decided, so an early exit reads no further.
 *
 * In input order: item number n runs in slot n % count, and its slot is filled again only when the
 * item has been handed over. So fewer than `count` items are ahead of the one that is waited for,
 * and the next one is always in the slot that follows: it is over when that slot is IDLE. An error
 * does not wait for its turn, and what is over by then is still handed over.
 *
 * Two hooks are for the collections that are made of this one: admit_ has the last word before an
 * item begins, and over_ runs once, when the last one was handed over and before the op reports. */
#include "each.h"

static bool may_begin(const struct weft_each *each)
{
    return !each->dry_ && each_is_open(each);
}

static struct weft_op *slot_at(const struct weft_each *each, size_t index)
{
    return (struct weft_op *)(void *)((char *)each->slots.first + index * each->slots.stride);
}

static void item_over(struct weft_op *op, struct weft_op *slot);

/* The source is asked with a slot that says which item it wants. */
static bool next_item(struct weft_each *each, struct weft_op *slot, size_t index)
{
    if (each->source.next == NULL)
        return each->taken_ < each->source.count;
    slot->place_.index = index;
    slot->parent = &each->op;
    return each->source.next(slot);
}

static void fill(struct weft_each *each, struct weft_op *slot)
{
    if (!may_begin(each))
        return;
    bool backwards = each->order == WEFT_BACKWARDS;
    size_t index = backwards ? each->source.count - 1 - each->taken_ : each->taken_;
    if (!next_item(each, slot, index)) {
        each->dry_ = true;
        return;
    }
    if (!may_begin(each)) /* next ended it, whatever it returned */
        return;
    if (each->admit_ != NULL && !each->admit_(each, index))
        return;
    each->taken_++;
    slot->place_.index = index; /* next may have written over the whole slot */
    const struct weft_site *site = each->item_site_ != NULL ? each->item_site_ : each->op.site_;
    weft_run_at(site, &each->op, slot, each->begin, item_over);
}

static void hand_over(struct weft_each *each, struct weft_op *slot)
{
    if (each->done != NULL)
        each->done(&each->op, slot);
    else if (slot->status != 0)
        weft_end(&each->op, slot->status);
    else if (each->store != NULL)
        each->store(slot);
    each->handed_over_++;
}

/* Everything that is over and whose turn it is. */
static void hand_over_in_order(struct weft_each *each)
{
    while (each->handed_over_ < each->taken_) {
        struct weft_op *slot = slot_at(each, each->handed_over_ % each->slots.count);
        if (slot->state_ != OP_IDLE)
            return;
        hand_over(each, slot);
        fill(each, slot);
    }
}

/* Each that was begun is handed over, and no other began instead: there is nothing to come. */
static void when_over(struct weft_each *each)
{
    if (each->handed_over_ == each->taken_ && each->over_ != NULL)
        each->over_(each);
}

static void item_over(struct weft_op *op, struct weft_op *slot)
{
    struct weft_each *each = weft_owner(op, struct weft_each, op);
    if (each->order != WEFT_AS_THEY_COME) {
        if (slot->status != 0 && each->done == NULL)
            weft_end(op, slot->status); /* an error does not wait for its turn */
        hand_over_in_order(each);
    } else {
        hand_over(each, slot);
        fill(each, slot);
    }
    when_over(each);
}

static bool is_valid(const struct weft_each *each)
{
    return each->slots.first != NULL && each->slots.count != 0 && each->begin != NULL &&
           (each->source.next == NULL ? each->source.count <= SIZE_MAX / 2
                                      : each->order != WEFT_BACKWARDS);
}

void weft_each_begin(struct weft_op *op)
{
    struct weft_each *each = weft_owner(op, struct weft_each, op);
    each->taken_ = 0;
    each->handed_over_ = 0;
    each->dry_ = false;
    if (!is_valid(each)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    for (size_t i = 0; i < each->slots.count && may_begin(each); i++)
        fill(each, slot_at(each, i));
    when_over(each); /* there was nothing */
    weft_join(op);
}

void weft__each_start(const struct weft_site *site, struct weft_op *parent, struct weft_each *each,
                      const struct weft_each *settings, weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &each->op);
    each->slots = settings->slots;
    each->source = settings->source;
    each->begin = settings->begin;
    each->done = settings->done;
    each->store = settings->store;
    each->order = settings->order;
    each->item_site_ = settings->item_site_;
    each->admit_ = NULL;
    each->over_ = NULL;
    weft_run_at(site, parent, &each->op, begin, then);
}

void weft_each_at(const struct weft_site *site, const struct weft_site *item_site,
                  struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                  struct weft_source source, weft_begin_fn *begin, weft_then_fn *done,
                  enum weft_order order, weft_then_fn *then)
{
    struct weft_each settings = {.slots = slots,
                                 .source = source,
                                 .begin = begin,
                                 .done = done,
                                 .order = order,
                                 .item_site_ = item_site};
    weft__each_start(site, parent, each, &settings, weft_each_begin, then);
}

void weft_map_at(const struct weft_site *site, const struct weft_site *item_site,
                 struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                 struct weft_source source, weft_begin_fn *begin, weft_store_fn *store,
                 enum weft_order order, weft_then_fn *then)
{
    struct weft_each settings = {.slots = slots,
                                 .source = source,
                                 .begin = begin,
                                 .store = store,
                                 .order = order,
                                 .item_site_ = item_site};
    weft__each_start(site, parent, each, &settings, weft_each_begin, then);
}
