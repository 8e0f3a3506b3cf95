/* Search: detect, some and every are one each that stops at the item it looks for.
 *
 * Every item that succeeded is tested, because what it leaves is freed there; the answer counts
 * only if the outcome is open after it, so that something found is a success. Whether all passed is
 * known when the last one is over and nobody, also not a test or a next, has ended it before. */
#include "each.h"

static struct weft_search *search_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_search, each.op);
}

static void forget(struct weft_search *search)
{
    search->yes = false;
    search->found = WEFT_NONE;
    search->slot = NULL;
}

static void look_at(struct weft_op *slot)
{
    struct weft_search *search = search_of(slot->parent);
    if (search->test(slot) == search->every || !each_is_open(&search->each))
        return; /* or the test itself has ended it */
    search->found = weft_index(slot);
    search->slot = slot;
    weft_end(slot->parent, 0);
}

static void conclude(struct weft_each *each)
{
    struct weft_search *search = search_of(&each->op);
    bool all_were_tested = !(each->op.flags_ & OP_DECIDED);
    bool answer = search->every ? all_were_tested : search->found != WEFT_NONE;
    search->yes = answer && each_outcome(each) == 0;
}

void weft_search_begin(struct weft_op *op)
{
    struct weft_search *search = search_of(op);
    forget(search);
    if (search->test == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    search->each.done = NULL;
    search->each.store = look_at;
    search->each.over_ = conclude;
    weft_each_begin(op);
}

void weft_search_at(const struct weft_site *site, const struct weft_site *item_site,
                    struct weft_op *parent, struct weft_search *search, struct weft_slots slots,
                    struct weft_source source, weft_begin_fn *begin, weft_test_fn *test, bool every,
                    weft_then_fn *then)
{
    struct weft_each settings = {
        .slots = slots, .source = source, .begin = begin, .item_site_ = item_site};
    search->test = test;
    search->every = every;
    forget(search); /* under a cancelled parent nothing begins */
    weft__each_start(site, parent, &search->each, &settings, weft_search_begin, then);
}
