/* From the database into memory, while a state is opened: every record is read, so every record is
 * checked. */
#include "store.h"

static int load_url(void *context, const struct weft__crawl_change *change)
{
    struct weft_crawl *crawl = context;
    struct weft__crawl_known *known = &crawl->store_->known;
    struct weft__crawl_url url;
    uint64_t print[2];
    int err = weft__crawl_url_read(change->value, &url);
    if (err != 0 || change->id != known->count + 1)
        return WEFT_EDAMAGED;
    weft__crawl_digest(&crawl->store_->state.key, url.text, print);
    err = weft__crawl_known_room(known, print);
    if (err != 0)
        return err;
    crawl->known = weft__crawl_known_add(known, print);
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, crawl->known);
    entry->depth = url.depth;
    weft__crawl_become(crawl, entry, WEFT_CRAWL_WAITING);
    return 0;
}

static int load_result(void *context, const struct weft__crawl_change *change)
{
    struct weft_crawl *crawl = context;
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, change->id);
    struct weft_crawl_result result;
    weft_crawl_id owner;
    if (entry == NULL || weft__crawl_result_read(change->value, &result, &entry->depth) != 0)
        return WEFT_EDAMAGED;
    weft__crawl_become(crawl, entry, result.what);
    if (result.file.size == 0)
        return 0;
    return weft__crawl_names_claim(&crawl->store_->names, &crawl->store_->state.key, result.file,
                                   change->id, &owner);
}

static int load_mark(void *context, const struct weft__crawl_change *change)
{
    struct weft_crawl *crawl = context;
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, change->id);
    enum weft_crawl_what what;
    if (entry == NULL || weft__crawl_mark_read(change->value, &what, &entry->depth) != 0)
        return WEFT_EDAMAGED;
    weft__crawl_become(crawl, entry, what);
    return 0;
}

/* Things stay where they are; that they can be read is all that is wanted. */
static int look_at_thing(void *context, const struct weft__crawl_change *change)
{
    (void)context;
    (void)change;
    return 0;
}

int weft__crawl_load(struct weft_crawl *crawl)
{
    struct weft__crawl_state *state = &crawl->store_->state;
    weft_crawl_id count;
    int err = weft__crawl_state_count(state, &count);
    if (err == 0)
        err = weft__crawl_known_reserve(&crawl->store_->known, count);
    if (err == 0)
        err = weft__crawl_state_each(state, WEFT__CRAWL_URL, load_url, crawl);
    if (err == 0)
        err = weft__crawl_state_each(state, WEFT__CRAWL_RESULT, load_result, crawl);
    if (err == 0)
        err = weft__crawl_state_each(state, WEFT__CRAWL_MARK, load_mark, crawl);
    if (err == 0)
        err = weft__crawl_state_each(state, WEFT__CRAWL_THING, look_at_thing, NULL);
    return err;
}
