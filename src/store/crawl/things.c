/* Other things that last: values under keys. And the names of files, and fingerprints: what needs
 * the state but is no URL. */
#include "store.h"

int weft_crawl_put(struct weft_crawl *crawl, struct weft_text key, struct weft_text value)
{
    struct weft__crawl_change change = {.kind = WEFT__CRAWL_THING, .key = key, .value = value};
    if (crawl->store_ == NULL || key.size == 0)
        return UV_EINVAL;
    if (key.size > WEFT__CRAWL_THING_KEY_MAX || value.size > WEFT__CRAWL_THING_MAX)
        return UV_E2BIG;
    return weft__crawl_record(crawl, &change);
}

int weft_crawl_get(struct weft_crawl *crawl, struct weft_text key, struct weft_text *value)
{
    struct weft__crawl_change wanted = {.kind = WEFT__CRAWL_THING, .key = key};
    *value = weft_text(NULL, 0);
    if (crawl->store_ == NULL || key.size == 0)
        return UV_EINVAL;
    if (key.size > WEFT__CRAWL_THING_KEY_MAX)
        return UV_E2BIG;
    int err = weft__crawl_fetch(crawl->store_, &wanted);
    if (err == 0 && wanted.value.size > 0)
        *value = wanted.value;
    return err;
}

bool weft_crawl_claim(struct weft_crawl *crawl, struct weft_text name, weft_crawl_id id)
{
    weft_crawl_id owner;
    if (weft__crawl_entry(crawl, id) == NULL || name.size == 0)
        return false;
    return weft__crawl_names_claim(&crawl->store_->names, &crawl->store_->state.key, name, id,
                                   &owner) == 0 &&
           owner == id;
}

weft_crawl_id weft_crawl_named(const struct weft_crawl *crawl, struct weft_text name)
{
    if (crawl->store_ == NULL || name.size == 0)
        return 0;
    return weft__crawl_names_find(&crawl->store_->names, &crawl->store_->state.key, name);
}

void weft_crawl_hash_begin(const struct weft_crawl *crawl, struct weft_crawl_hash *hash)
{
    static const struct weft__crawl_key none;
    weft__crawl_hash_begin(crawl->store_ != NULL ? &crawl->store_->state.key : &none, hash);
}

void weft_crawl_hash_begin_light(const struct weft_crawl *crawl, struct weft_crawl_hash *hash)
{
    weft_crawl_hash_begin(crawl, hash);
    hash->light_ = true;
}
