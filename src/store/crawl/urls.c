/* URLs: seen, found, settled. What is asked for often is in memory; texts and results are looked up
 * in what is not committed yet, and then in the database. */
#include "store.h"

static uint16_t clamp(unsigned depth)
{
    return (uint16_t)(depth < WEFT_CRAWL_DEPTH_MAX ? depth : WEFT_CRAWL_DEPTH_MAX);
}

static int record_mark(struct weft_crawl *crawl, weft_crawl_id id, enum weft_crawl_what what,
                       uint16_t depth)
{
    char value[WEFT__CRAWL_MARK_SIZE];
    weft__crawl_mark_write(value, what, depth);
    struct weft__crawl_change change = {
        .kind = WEFT__CRAWL_MARK, .id = id, .value = weft_text(value, sizeof value)};
    return weft__crawl_record(crawl, &change);
}

static int record_url(struct weft_crawl *crawl, weft_crawl_id id, struct weft_text url,
                      uint16_t depth, weft_crawl_id referrer)
{
    struct weft__crawl_room *room = &crawl->store_->writing;
    size_t size = WEFT__CRAWL_URL_HEAD + url.size;
    int err = weft__crawl_room_for(room, size);
    if (err != 0)
        return err;
    weft__crawl_url_head(room->data, referrer, depth);
    memcpy(room->data + WEFT__CRAWL_URL_HEAD, url.data, url.size);
    struct weft__crawl_change change = {
        .kind = WEFT__CRAWL_URL, .id = id, .value = weft_text(room->data, size)};
    return weft__crawl_record(crawl, &change);
}

static int see_new(struct weft_crawl *crawl, struct weft_text url, const uint64_t print[2],
                   uint16_t depth, weft_crawl_id referrer)
{
    struct weft__crawl_known *known = &crawl->store_->known;
    int err = weft__crawl_known_room(known, print);
    if (err == 0)
        err = record_url(crawl, known->count + 1, url, depth, referrer);
    if (err != 0)
        return err;
    crawl->known = weft__crawl_known_add(known, print);
    struct weft__crawl_entry *entry = weft__crawl_known_at(known, crawl->known);
    entry->depth = depth;
    weft__crawl_become(crawl, entry, WEFT_CRAWL_WAITING);
    return WEFT_CRAWL_NEW;
}

static int see_again(struct weft_crawl *crawl, weft_crawl_id id, uint16_t depth)
{
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    if (depth >= entry->depth)
        return WEFT_CRAWL_KNOWN;
    int err = record_mark(crawl, id, (enum weft_crawl_what)entry->what, depth);
    if (err != 0)
        return err;
    entry->depth = depth;
    return WEFT_CRAWL_NEARER;
}

int weft_crawl_see(struct weft_crawl *crawl, struct weft_text url, unsigned depth,
                   weft_crawl_id referrer, weft_crawl_id *id)
{
    uint64_t print[2];
    if (crawl->store_ == NULL || url.size == 0)
        return UV_EINVAL;
    if (url.size > WEFT_CRAWL_URL_MAX)
        return UV_E2BIG;
    weft__crawl_digest(&crawl->store_->state.key, url, print);
    weft_crawl_id found = weft__crawl_known_find(&crawl->store_->known, print);
    int seen = found != 0 ? see_again(crawl, found, clamp(depth))
                          : see_new(crawl, url, print, clamp(depth), referrer);
    if (id != NULL && seen >= 0)
        *id = found != 0 ? found : crawl->known;
    return seen;
}

weft_crawl_id weft_crawl_find(const struct weft_crawl *crawl, struct weft_text url)
{
    uint64_t print[2];
    if (crawl->store_ == NULL)
        return 0;
    weft__crawl_digest(&crawl->store_->state.key, url, print);
    return weft__crawl_known_find(&crawl->store_->known, print);
}

enum weft_crawl_what weft_crawl_what(const struct weft_crawl *crawl, weft_crawl_id id)
{
    const struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    return entry != NULL ? (enum weft_crawl_what)entry->what : (enum weft_crawl_what)0;
}

unsigned weft_crawl_depth(const struct weft_crawl *crawl, weft_crawl_id id)
{
    const struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    return entry != NULL ? entry->depth : 0;
}

/* ---- texts ---------------------------------------------------------------------------------- */

struct copying {
    char *buffer;
    size_t size, length;
    weft_crawl_id referrer;
    bool found;
};

static int copy_url(void *context, const struct weft__crawl_change *change)
{
    struct copying *copying = context;
    struct weft__crawl_url url;
    int err = weft__crawl_url_read(change->value, &url);
    if (err != 0)
        return err;
    copying->found = true;
    copying->length = url.text.size;
    copying->referrer = url.referrer;
    if (url.text.size >= copying->size)
        return UV_ENOBUFS;
    memcpy(copying->buffer, url.text.data, url.text.size);
    copying->buffer[url.text.size] = '\0';
    return 0;
}

int weft_crawl_url(struct weft_crawl *crawl, weft_crawl_id id, char *buffer, size_t size,
                   size_t *length, weft_crawl_id *referrer)
{
    struct weft__crawl_change wanted = {.kind = WEFT__CRAWL_URL, .id = id};
    struct copying copying = {.size = size};
    copying.buffer = buffer;
    if (weft__crawl_entry(crawl, id) == NULL)
        return UV_EINVAL;
    int err = weft__crawl_look(crawl->store_, &wanted, copy_url, &copying);
    if (err == 0 && !copying.found)
        err = WEFT_EDAMAGED;
    if (length != NULL)
        *length = copying.length;
    if (referrer != NULL)
        *referrer = copying.referrer;
    return err;
}

/* ---- results -------------------------------------------------------------------------------- */

int weft_crawl_result(struct weft_crawl *crawl, weft_crawl_id id, struct weft_crawl_result *result)
{
    const struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    struct weft__crawl_change wanted = {.kind = WEFT__CRAWL_RESULT, .id = id};
    uint16_t depth;
    *result = (struct weft_crawl_result){0};
    if (entry == NULL)
        return UV_EINVAL;
    int err = weft__crawl_fetch(crawl->store_, &wanted);
    if (err == 0 && wanted.value.data != NULL)
        err = weft__crawl_result_read(wanted.value, result, &depth);
    if (err == 0)
        result->what = (enum weft_crawl_what)entry->what;
    return err;
}

int weft_crawl_settle(struct weft_crawl *crawl, weft_crawl_id id,
                      const struct weft_crawl_result *result)
{
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    size_t size;
    int err = entry == NULL ? UV_EINVAL : weft__crawl_result_size(result, &size);
    if (err == 0)
        err = weft__crawl_room_for(&crawl->store_->writing, size);
    if (err != 0)
        return err;
    weft__crawl_result_write(result, entry->depth, crawl->store_->writing.data);
    struct weft__crawl_change change = {.kind = WEFT__CRAWL_RESULT,
                                        .id = id,
                                        .value = weft_text(crawl->store_->writing.data, size)};
    err = weft__crawl_record(crawl, &change);
    if (err == 0)
        weft__crawl_become(crawl, entry, result->what);
    return err;
}

int weft_crawl_set(struct weft_crawl *crawl, weft_crawl_id id, enum weft_crawl_what what)
{
    struct weft__crawl_entry *entry = weft__crawl_entry(crawl, id);
    if (entry == NULL || what < WEFT_CRAWL_WAITING || what > WEFT_CRAWL_SKIPPED)
        return UV_EINVAL;
    if (entry->what == what)
        return 0;
    int err = record_mark(crawl, id, what, entry->depth);
    if (err == 0)
        weft__crawl_become(crawl, entry, what);
    return err;
}

int weft_crawl_each(struct weft_crawl *crawl, weft_crawl_each_fn *see, void *context)
{
    if (crawl->store_ == NULL)
        return UV_EINVAL;
    struct weft__crawl_room *text = &crawl->store_->text;
    int err = weft__crawl_room_for(text, WEFT_CRAWL_URL_MAX + 1);
    for (weft_crawl_id id = 1; err == 0 && id <= crawl->known; id++) {
        struct weft_crawl_result result;
        size_t length;
        err = weft_crawl_url(crawl, id, text->data, text->size, &length, NULL);
        if (err == 0)
            err = weft_crawl_result(crawl, id, &result);
        if (err == 0)
            err = see(crawl, id, weft_text(text->data, length), &result, context);
    }
    return err;
}
