/* Entries come in, and go.
 *
 * All ways in lead through weft__cache_store, all ways out through weft__cache_drop: so entries are always
 * those that were stored less those that were replaced, evicted, expired or forgotten. What has to give
 * way goes before the new one comes, so bytes are at no moment more than the limit. */
#include "cache.h"

void weft__cache_drop(struct weft_cache_inside *inside, struct weft_cell *cell, uint64_t *counter)
{
    struct weft_cache *cache = inside->cache;
    weft__table_remove(&inside->table, cell);
    policy_leave(&inside->policy, cell);
    inside->mortal -= cell->gone_ms != WEFT_CACHE_FOREVER;
    cache->bytes -= cell_cost(cell);
    cache->entries--;
    (*counter)++;
    weft_cell_drop(cell);
}

struct weft_cell *weft__cache_still(struct weft_cache_inside *inside, struct weft_cell *cell)
{
    if (cache_now(inside->cache) < cell->gone_ms)
        return cell;
    weft__cache_drop(inside, cell, &inside->cache->stats.expired);
    return NULL;
}

/* Let others give way until cost bytes more would fit, old's not counted. The old one may be among
 * them; returns it, or NULL. */
static struct weft_cell *make_room(struct weft_cache_inside *inside, size_t cost,
                                   struct weft_cell *old)
{
    struct weft_cache *cache = inside->cache;
    while (cache->bytes - (old != NULL ? cell_cost(old) : 0) > cache->bytes_limit - cost) {
        struct weft_cell *victim = inside->policy.kind->victim(&inside->policy);
        if (old != NULL && victim == old)
            old = NULL;
        weft__cache_drop(inside, victim, &cache->stats.evicted);
    }
    return old;
}

static void add(struct weft_cache_inside *inside, struct weft_cell *cell)
{
    cell->uses = 0;
    weft__table_add(&inside->table, cell);
    inside->policy.kind->enter(&inside->policy, cell);
    inside->cache->entries++;
}

static void replace(struct weft_cache_inside *inside, struct weft_cell *old, struct weft_cell *cell)
{
    weft__table_replace(&inside->table, old, cell);
    policy_replace(&inside->policy, old, cell);
    inside->mortal -= old->gone_ms != WEFT_CACHE_FOREVER;
    inside->cache->bytes -= cell_cost(old);
    inside->cache->stats.replaced++;
    weft_cell_drop(old);
}

static int reserve(struct weft_cache_inside *inside)
{
    size_t mask = inside->table.mask;
    int err = weft__table_reserve(&inside->table);
    if (inside->table.mask != mask)
        policy_fit_table(&inside->policy, inside->table.mask + 1);
    return err;
}

/* Is there a place for cell at all? */
static int check(struct weft_cache_inside *inside, const struct weft_cell *cell, bool is_new)
{
    if (cell_cost(cell) > inside->cache->bytes_limit)
        return UV_EFBIG;
    return is_new ? reserve(inside) : 0;
}

int weft__cache_store(struct weft_cache_inside *inside, struct weft_cell *cell)
{
    struct weft_cache *cache = inside->cache;
    weft__expiry_sweep(inside);
    struct weft_cell *old = cache_find(inside, weft_cell_key(cell), cell->hash);
    int err = check(inside, cell, old == NULL);
    if (err != 0) {
        if (old != NULL)
            weft__cache_drop(inside, old, &cache->stats.forgotten);
        return err;
    }
    if (old != NULL)
        inside->policy.kind->renewed(&inside->policy, old);
    old = make_room(inside, cell_cost(cell), old);
    if (old != NULL)
        replace(inside, old, cell);
    else
        add(inside, cell);
    inside->mortal += cell->gone_ms != WEFT_CACHE_FOREVER;
    cache->bytes += cell_cost(cell);
    cache->stats.stored++;
    weft_cell_hold(cell);
    return 0;
}
