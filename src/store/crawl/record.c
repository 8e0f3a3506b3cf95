/* How a change gets into the state: into the journal first, then into memory.
 *
 * All memory that it needs is there before the journal is written, so that what is in the journal
 * is in memory too, and the other way round. */
#include "store.h"
#include "weft/alloc.h"

int weft__crawl_room_for(struct weft__crawl_room *room, size_t size)
{
    if (size <= room->size)
        return 0;
    char *data = weft_realloc(room->data, size);
    if (data == NULL)
        return UV_ENOMEM;
    *room = (struct weft__crawl_room){data, size};
    return 0;
}

struct weft__crawl_entry *weft__crawl_entry(const struct weft_crawl *crawl, weft_crawl_id id)
{
    return crawl->store_ != NULL ? weft__crawl_known_at(&crawl->store_->known, id) : NULL;
}

void weft__crawl_become(struct weft_crawl *crawl, struct weft__crawl_entry *entry,
                        enum weft_crawl_what what)
{
    if (entry->what != 0)
        crawl->counts[entry->what]--;
    entry->what = (uint8_t)what;
    crawl->counts[what]++;
}

/* A journal begins with the number of its batch: the older one is replayed first. */
static int begin_batch(struct weft_crawl_store *store, struct weft__crawl_journal *journal)
{
    char first[WEFT__CRAWL_CHANGE_HEAD + 16];
    struct weft__crawl_change batch = {.kind = WEFT__CRAWL_BATCH, .batch = store->batch_number};
    if (journal->size > WEFT__CRAWL_JOURNAL_HEAD)
        return 0;
    weft__crawl_change_write(&store->state.key, &batch, first);
    return weft__crawl_journal_append(journal, first, weft__crawl_change_size(&batch));
}

/* Up to end, and what was deferred before it. */
static int journal_to(struct weft_crawl_store *store, size_t end)
{
    struct weft__crawl_batch *batch = &store->batches[store->current];
    struct weft__crawl_journal *journal = &store->journals[store->current];
    if (batch->journaled == end)
        return 0;
    int err = begin_batch(store, journal);
    if (err == 0)
        err = weft__crawl_journal_append(journal, batch->data + batch->journaled,
                                         end - batch->journaled);
    if (err == 0)
        batch->journaled = end;
    return err;
}

int weft_crawl_flush(struct weft_crawl *crawl)
{
    struct weft_crawl_store *store = crawl->store_;
    return store != NULL ? journal_to(store, store->batches[store->current].size) : 0;
}

int weft__crawl_record(struct weft_crawl *crawl, const struct weft__crawl_change *change)
{
    struct weft_crawl_store *store = crawl->store_;
    struct weft__crawl_batch *batch = &store->batches[store->current];
    size_t size = weft__crawl_change_size(change);
    int err = weft__crawl_batch_room(batch, &store->state.key, size);
    if (err != 0)
        return err;
    weft__crawl_change_write(&store->state.key, change, batch->data + batch->size);
    if (!crawl->deferred)
        err = journal_to(store, batch->size + size);
    if (err != 0)
        return err;
    weft__crawl_batch_add(batch, &store->state.key, change);
    crawl->pending = batch->size;
    return 0;
}

int weft__crawl_look(struct weft_crawl_store *store, const struct weft__crawl_change *wanted,
                     weft__crawl_state_see *see, void *context)
{
    struct weft__crawl_change found = *wanted;
    for (unsigned i = 0; i < 2; i++) {
        const struct weft__crawl_batch *batch = &store->batches[store->current ^ i];
        if (weft__crawl_batch_find(batch, &store->state.key, &found))
            return see(context, &found);
    }
    return weft__crawl_state_find(&store->state, wanted, see, context);
}

struct fetching {
    struct weft__crawl_room *room;
    size_t size;
    bool found;
};

static int keep_value(void *context, const struct weft__crawl_change *change)
{
    struct fetching *fetching = context;
    int err = weft__crawl_room_for(fetching->room, change->value.size + 1); /* never of nothing */
    if (err != 0)
        return err;
    memcpy(fetching->room->data, change->value.data, change->value.size);
    fetching->size = change->value.size;
    fetching->found = true;
    return 0;
}

int weft__crawl_fetch(struct weft_crawl_store *store, struct weft__crawl_change *wanted)
{
    struct fetching fetching = {.room = &store->reading};
    int err = weft__crawl_look(store, wanted, keep_value, &fetching);
    wanted->value = err == 0 && fetching.found ? weft_text(store->reading.data, fetching.size)
                                               : weft_text(NULL, 0);
    return err;
}
