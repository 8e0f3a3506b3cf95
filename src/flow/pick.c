/* Pick: filter, reject, sort_by and group_by are one each that notes which items it is about.
 *
 * An item is noted as it comes, with its key; the list is put in order once, when the last one is
 * over. Without a key all keys are 0, and by key and index is then by index: input order. */
#include "each.h"
#include "sort.h"

static struct weft_pick *pick_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_pick, each.op);
}

static void note(struct weft_pick *pick, struct weft_picked picked)
{
    if (pick->count < pick->picks.capacity) {
        pick->picks.list[pick->count++] = picked;
        return;
    }
    struct weft_op *op = &pick->each.op;
    weft_end(op, UV_ENOBUFS);
    if (op->status == 0) /* the item's own test has ended it: that was no success */
        op->status = UV_ENOBUFS;
}

static void look_at(struct weft_op *slot)
{
    struct weft_pick *pick = pick_of(slot->parent);
    bool counts = each_is_open(&pick->each); /* before the test, which may end it */
    if (pick->test != NULL && pick->test(slot) == pick->reject)
        return;
    struct weft_picked picked = {.index = weft_index(slot),
                                 .key = pick->key != NULL ? pick->key(slot) : 0};
    if (counts)
        note(pick, picked);
}

static void put_in_order(struct weft_each *each)
{
    struct weft_pick *pick = pick_of(&each->op);
    weft__picks_sort(pick->picks.list, pick->count);
}

static bool is_valid(const struct weft_pick *pick)
{
    return (pick->test != NULL || pick->key != NULL) &&
           (pick->picks.list != NULL || pick->picks.capacity == 0);
}

void weft_pick_begin(struct weft_op *op)
{
    struct weft_pick *pick = pick_of(op);
    pick->count = 0;
    if (!is_valid(pick)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    pick->each.done = NULL;
    pick->each.store = look_at;
    pick->each.over_ = put_in_order;
    weft_each_begin(op);
}

void weft_pick_at(const struct weft_site *site, const struct weft_site *item_site,
                  struct weft_op *parent, struct weft_pick *pick, struct weft_slots slots,
                  struct weft_source source, weft_begin_fn *begin, weft_test_fn *test,
                  weft_key_fn *key, bool reject, struct weft_picks picks, weft_then_fn *then)
{
    struct weft_each settings = {
        .slots = slots, .source = source, .begin = begin, .item_site_ = item_site};
    pick->test = test;
    pick->key = key;
    pick->reject = reject;
    pick->picks = picks;
    pick->count = 0; /* under a cancelled parent nothing begins */
    weft__each_start(site, parent, &pick->each, &settings, weft_pick_begin, then);
}

size_t weft_group_end(const struct weft_pick *pick, size_t from)
{
    const struct weft_picked *list = pick->picks.list;
    size_t to = from;
    while (to < pick->count && list[to].key == list[from].key)
        to++;
    return to;
}
