/* The inside of a cache, shared by the files about it.
 *
 *     cache.c       open, close, look, put, forget
 *     cache_get.c   ask, load, refresh; what becomes of a load that is over
 *     store.c       an entry comes in, and goes
 *     expiry.c      until when
 *     table.c       where
 *     policy.h      which one gives way: s3fifo.c, lru.c, ghost.c */
#ifndef WEFT_RECIPES_CACHE_H
#define WEFT_RECIPES_CACHE_H

#include "flight.h"
#include "policy.h"
#include "table.h"

struct weft_cache_inside {
    struct table table;
    struct policy policy;
    uint64_t seed; /* of the hash; the same as the batch's */
    size_t mortal; /* entries that do not live for ever */
    size_t hand;   /* the slot that the hand looks at next */
    size_t untold; /* gets that found something, and whose then has not returned yet */
    struct weft_cache *cache;
    struct weft_batch batch; /* its loads; not open if there is no load */
    struct weft_handle handle;
};

/* ---- store.c -------------------------------------------------------------------------------- */

/* cell, an entry that does not live for ever; NULL: its time had passed, and it was dropped. */
struct weft_cell *weft__cache_still(struct weft_cache_inside *inside, struct weft_cell *cell);
/* cell, which is an entry, is none any more; counter says why. */
void weft__cache_drop(struct weft_cache_inside *inside, struct weft_cell *cell, uint64_t *counter);
/* Make cell, whose times are set, the entry for its key, and hold it. UV_EFBIG, UV_ENOMEM: it is not,
 * and there is none for this key any more. */
int weft__cache_store(struct weft_cache_inside *inside, struct weft_cell *cell);

/* ---- expiry.c ------------------------------------------------------------------------------- */

/* Fresh from now on for ttl_ms, less the jitter. */
void weft__expiry_set(const struct weft_cache *cache, struct weft_cell *cell, uint64_t ttl_ms);
/* The same for a remembered error, for error_ttl_ms. */
void weft__expiry_set_error(const struct weft_cache *cache, struct weft_cell *cell);
/* Look at the next few entries, and drop those whose time has passed. */
void weft__expiry_sweep(struct weft_cache_inside *inside);

static inline uint64_t cache_now(const struct weft_cache *cache)
{
    return weft_now(weft_loop_of(cache->owner));
}

/* ms after `at`; what would be too late is for ever. */
static inline uint64_t time_after(uint64_t at, uint64_t ms)
{
    return ms < WEFT_CACHE_FOREVER - at ? at + ms : WEFT_CACHE_FOREVER;
}

/* Before `until`? The clock is not read for what is for ever. */
static inline bool cache_is_before(const struct weft_cache *cache, uint64_t until)
{
    return until == WEFT_CACHE_FOREVER || cache_now(cache) < until;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* The entry for key, of whatever age and kind; NULL: there is none. */
static inline struct weft_cell *cache_find(struct weft_cache_inside *inside, struct weft_text key,
                                           uint64_t hash)
{
    struct weft_cell *cell = weft__table_find(&inside->table, key, hash);
    if (cell == NULL || cell->gone_ms == WEFT_CACHE_FOREVER)
        return cell;
    return weft__cache_still(inside, cell);
}

/* ---- cache_get.c ---------------------------------------------------------------------------- */

/* A load is over, and nobody was told yet. */
void weft__cache_over(struct weft_batch *batch, struct weft_flight *flight);

#endif
