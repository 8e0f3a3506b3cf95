/* Until when an entry is what.
 *
 * A cell has two times: until when it is fresh, and when it is gone, which is as long after that as it
 * may be served at all. They are its own, so that a newer one of the same key has nothing to do with the
 * end of an older one. Nothing happens at these times: they are looked at when somebody asks, and by the
 * hand, which goes round the table a few slots with each entry that is stored. */
#include "cache.h"
#include "core/sim.h"

enum { SWEEP_SLOTS = 4 };

/* At most jitter_percent of it less; in a simulation by its seed. */
static uint64_t shortened(const struct weft_cache *cache, uint64_t ttl_ms)
{
    unsigned percent = cache->jitter_percent;
    uint64_t most = ttl_ms / 100 * percent + ttl_ms % 100 * percent / 100;
    if (most == 0)
        return ttl_ms;
    return ttl_ms - weft__loop_random(weft_loop_of(cache->owner)) % (most + 1);
}

static uint64_t end_of(const struct weft_cache *cache, uint64_t ttl_ms)
{
    if (ttl_ms == 0 || ttl_ms == WEFT_CACHE_FOREVER)
        return WEFT_CACHE_FOREVER;
    return time_after(cache_now(cache), shortened(cache, ttl_ms));
}

void weft__expiry_set(const struct weft_cache *cache, struct weft_cell *cell, uint64_t ttl_ms)
{
    uint64_t longer =
        cache->stale_ms > cache->stale_if_error_ms ? cache->stale_ms : cache->stale_if_error_ms;
    cell->fresh_until_ms = end_of(cache, ttl_ms != 0 ? ttl_ms : cache->ttl_ms);
    cell->gone_ms = time_after(cell->fresh_until_ms, longer);
}

/* An error is no answer, so it is never fresh. */
void weft__expiry_set_error(const struct weft_cache *cache, struct weft_cell *cell)
{
    cell->fresh_until_ms = 0;
    cell->gone_ms = end_of(cache, cache->error_ttl_ms);
}

void weft__expiry_sweep(struct weft_cache_inside *inside)
{
    for (unsigned i = 0; i < SWEEP_SLOTS && inside->mortal != 0; i++) {
        if (inside->hand >= table_slots(&inside->table))
            inside->hand = 0;
        struct weft_cell *cell = table_at(&inside->table, inside->hand++);
        if (cell != NULL && cell->gone_ms != WEFT_CACHE_FOREVER)
            weft__cache_still(inside, cell);
    }
}
