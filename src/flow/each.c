/* Each and map: a collection through a fixed set of slots.
 *
 * The slots are the limit. Each is filled from the source, run, and filled again in its own then;
 * when the source is dry the op joins: it finishes when the last slot has reported. Nothing starts
 * once the outcome is decided, so an early exit reads no further. */
#include "core/op.h"
#include "weft/flow.h"

static void item_over(struct weft_op *op, struct weft_op *slot);

static void fill(struct weft_each *each, struct weft_op *slot)
{
    if (each->dry_ || each->op.flags_ & OP_REFUSE || each->op.state_ != OP_RUNNING)
        return;
    if (!each->next(&each->op, slot, each->next_index_)) {
        each->dry_ = true;
        return;
    }
    if (each->op.flags_ & OP_REFUSE || each->op.state_ != OP_RUNNING)
        return; /* next ended it, whatever it returned */
    slot->place_.index = each->next_index_++;
    const struct weft_site *site = each->item_site_ != NULL ? each->item_site_ : each->op.site_;
    weft_run_at(site, &each->op, slot, each->begin, item_over);
}

static void item_over(struct weft_op *op, struct weft_op *slot)
{
    struct weft_each *each = weft_owner(op, struct weft_each, op);
    if (each->done != NULL)
        each->done(op, slot);
    else if (slot->status != 0)
        weft_end(op, slot->status);
    else if (each->store != NULL)
        each->store(op, slot, slot->place_.index);
    fill(each, slot);
}

void weft_each_begin(struct weft_op *op)
{
    struct weft_each *each = weft_owner(op, struct weft_each, op);
    each->next_index_ = 0;
    each->dry_ = false;
    if (each->slots.first == NULL || each->slots.count == 0 || each->next == NULL ||
        each->begin == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    char *slot = (char *)each->slots.first;
    for (size_t i = 0; i < each->slots.count && !each->dry_; i++, slot += each->slots.stride)
        fill(each, (struct weft_op *)(void *)slot);
    weft_join(op);
}

static void start(const struct weft_site *site, struct weft_op *parent, struct weft_each *each,
                  const struct weft_each *settings, weft_then_fn *then)
{
    op_check_start(parent, &each->op);
    each->slots = settings->slots;
    each->next = settings->next;
    each->begin = settings->begin;
    each->done = settings->done;
    each->store = settings->store;
    each->item_site_ = settings->item_site_;
    weft_run_at(site, parent, &each->op, weft_each_begin, then);
}

void weft_each_at(const struct weft_site *site, const struct weft_site *item_site,
                  struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                  weft_next_fn *next, weft_begin_fn *begin, weft_then_fn *done, weft_then_fn *then)
{
    struct weft_each settings = {
        .slots = slots, .next = next, .begin = begin, .done = done, .item_site_ = item_site};
    start(site, parent, each, &settings, then);
}

void weft_map_at(const struct weft_site *site, const struct weft_site *item_site,
                 struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                 weft_next_fn *next, weft_begin_fn *begin, weft_store_fn *store, weft_then_fn *then)
{
    struct weft_each settings = {
        .slots = slots, .next = next, .begin = begin, .store = store, .item_site_ = item_site};
    start(site, parent, each, &settings, then);
}
