/* The cache as its owner sees it: open and close, look, put, forget. */
#include "cache.h"
#include "flow/owner.h"
#include "hash.h"
#include "weft/alloc.h"

/* ---- open and close ------------------------------------------------------------------------- */

static const struct policy_kind *kind_of(enum weft_cache_policy policy)
{
    return policy == WEFT_S3FIFO ? &weft__s3fifo : policy == WEFT_LRU ? &weft__lru : NULL;
}

static bool is_valid(const struct weft_cache *cache)
{
    return cache != NULL && cache->inside_ == NULL && cache->owner != NULL &&
           cache->jitter_percent <= 100 && kind_of(cache->policy) != NULL;
}

static int open_loads(struct weft_cache_inside *inside, const struct weft_site *load_site)
{
    const struct weft_cache *cache = inside->cache;
    inside->seed = weft__hash_seed();
    if (cache->load == NULL)
        return 0;
    inside->batch = (struct weft_batch){.owner = cache->owner,
                                        .load = cache->load,
                                        .flight_size = cache->flight_size,
                                        .limit = cache->loads_limit,
                                        .load_ms = cache->load_ms,
                                        .over_ = weft__cache_over};
    int err = weft__batch_open(load_site, &inside->batch);
    inside->seed = inside->batch.seed_;
    return err;
}

static void set_up(struct weft_cache_inside *inside, struct weft_cache *cache)
{
    if (cache->bytes_limit == 0)
        cache->bytes_limit = WEFT_CACHE_BYTES;
    cache->bytes = cache->entries = 0;
    cache->stats = (struct weft_cache_stats){0};
    inside->policy.kind = kind_of(cache->policy);
    inside->policy.small_limit = cache->bytes_limit / 10;
    policy_fit_table(&inside->policy, inside->table.mask + 1);
    cache->inside_ = inside;
}

int weft_cache_open_at(const struct weft_site *site, const struct weft_site *load_site,
                       struct weft_cache *cache)
{
    if (!is_valid(cache))
        return UV_EINVAL;
    check_owner(cache->owner, site, cache->owner);
    struct weft_cache_inside *inside = weft_calloc(1, sizeof *inside);
    if (inside == NULL)
        return UV_ENOMEM;
    inside->cache = cache;
    int err = weft__table_open(&inside->table);
    if (err != 0)
        goto no_table;
    err = open_loads(inside, load_site);
    if (err != 0)
        goto no_loads;
    set_up(inside, cache);
    weft_handle_open_at(site, cache->owner, &inside->handle, 0, cache);
    return 0;

no_loads:
    weft__table_close(&inside->table);
no_table:
    weft_free(inside);
    return err;
}

/* Without a look at the clock: the loop may be gone. */
static void drop_all(struct weft_cache_inside *inside)
{
    for (size_t i = 0; i < table_slots(&inside->table); i++) {
        struct weft_cell *cell = table_at(&inside->table, i);
        if (cell != NULL)
            weft__cache_drop(inside, cell, &inside->cache->stats.forgotten);
    }
}

int weft_cache_close(struct weft_cache *cache)
{
    struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL)
        return 0;
    if (inside->untold != 0 || weft_batch_close(&inside->batch) != 0)
        return UV_EBUSY;
    drop_all(inside);
    weft_handle_close(&inside->handle);
    weft__table_close(&inside->table);
    weft__ghost_close(&inside->policy.ghost);
    weft_free(inside);
    cache->inside_ = NULL;
    return 0;
}

/* ---- look ----------------------------------------------------------------------------------- */

/* Of one that is open. What is looked at most (see weft_cache_look) goes without. */
static void check_thread(const struct weft_cache *cache)
{
    RULE_THREAD(cache->owner->loop_, cache->owner);
}

/* An entry, if it may be shown: it is fresh, which an error never is. */
static struct weft_cell *shown(struct weft_cache *cache, struct weft_cell *cell)
{
    if (cell == NULL || !cache_is_before(cache, cell->fresh_until_ms)) {
        cache->stats.misses++;
        return NULL;
    }
    cache->stats.hits++;
    policy_used(&cache->inside_->policy, cell);
    return cell;
}

struct weft_cell *weft_cache_look_cell(struct weft_cache *cache, struct weft_text key)
{
    struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL)
        return NULL;
    check_thread(cache);
    return shown(cache, cache_find(inside, key, hash_key(key, inside->seed)));
}

static __attribute__((noinline)) bool look_slowly(struct weft_cache *cache, struct weft_text key,
                                                  struct weft_text *value)
{
    const struct weft_cell *cell = weft_cache_look_cell(cache, key);
    if (cell != NULL && value != NULL)
        *value = cell_value(cell);
    return cell != NULL;
}

/* What is asked for most is a short key, of S3-FIFO, that is there for ever in the first place where it may
 * be, or that is certainly not there. That is tried first, and calls nobody. */
bool weft_cache_look(struct weft_cache *cache, struct weft_text key, struct weft_text *value)
{
    const struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL || key.size > KEY_SHORT || inside->policy.kind != &weft__s3fifo)
        return look_slowly(cache, key, value);
    struct guess guess = table_guess(&inside->table, hash_key(key, inside->seed));
    if (guess.none) {
        cache->stats.misses++;
        return false;
    }
    if (guess.cell == NULL || !cell_has_short_key(guess.cell, key) ||
        guess.cell->fresh_until_ms != WEFT_CACHE_FOREVER)
        return look_slowly(cache, key, value);
    cache->stats.hits++;
    policy_count_use(guess.cell);
    if (value != NULL)
        *value = cell_value(guess.cell);
    return true;
}

/* ---- put ------------------------------------------------------------------------------------ */

size_t weft_cache_cost(size_t key_size, size_t value_size)
{
    size_t most = SIZE_MAX / 4;
    return key_size < most && value_size < most ? cost_of(key_size, value_size) : SIZE_MAX;
}

static void forget_load(struct weft_cache_inside *inside, struct weft_text key, uint64_t hash)
{
    if (inside->batch.running != 0)
        weft__flight_forget_key(&inside->batch, key, hash);
}

/* Forget the entry for key, if there is one. */
static size_t forget_entry(struct weft_cache_inside *inside, struct weft_text key, uint64_t hash)
{
    struct weft_cell *cell = cache_find(inside, key, hash);
    if (cell == NULL)
        return 0;
    weft__cache_drop(inside, cell, &inside->cache->stats.forgotten);
    return 1;
}

/* One that is too large is not copied first. */
static struct weft_cell *copy(const struct weft_cache *cache, struct weft_text key, uint64_t hash,
                              const void *data, size_t size, int *err)
{
    *err = size > UINT32_MAX || weft_cache_cost(key.size, size) > cache->bytes_limit ? UV_EFBIG : 0;
    struct weft_cell *cell = *err == 0 ? weft__cell_make(key, hash, data, size) : NULL;
    if (*err == 0 && cell == NULL)
        *err = UV_ENOMEM;
    return cell;
}

int weft_cache_put(struct weft_cache *cache, struct weft_text key, const void *data, size_t size,
                   uint64_t ttl_ms)
{
    struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL || (data == NULL && size != 0))
        return UV_EINVAL;
    check_thread(cache);
    if (key.size > WEFT_KEY_MAX)
        return UV_ENAMETOOLONG;
    uint64_t hash = hash_key(key, inside->seed);
    forget_load(inside, key, hash);
    int err;
    struct weft_cell *cell = copy(cache, key, hash, data, size, &err);
    if (cell == NULL) {
        forget_entry(inside, key, hash);
        return err;
    }
    weft__expiry_set(cache, cell, ttl_ms);
    err = weft__cache_store(inside, cell);
    weft_cell_drop(cell);
    return err;
}

/* ---- forget --------------------------------------------------------------------------------- */

size_t weft_cache_forget(struct weft_cache *cache, struct weft_text key)
{
    struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL)
        return 0;
    check_thread(cache);
    uint64_t hash = hash_key(key, inside->seed);
    forget_load(inside, key, hash);
    return forget_entry(inside, key, hash);
}

/* One whose time has passed is none. */
static bool is_to_be_forgotten(struct weft_cache_inside *inside, struct weft_cell *cell,
                               struct weft_text prefix)
{
    return cell != NULL && key_begins_with(weft_cell_key(cell), prefix) &&
           (cell->gone_ms == WEFT_CACHE_FOREVER || weft__cache_still(inside, cell) != NULL);
}

static bool lies_in(struct weft_text text, const struct weft_cell *cell)
{
    return (uintptr_t)text.data - (uintptr_t)cell < cell_size(cell->key_size, cell->value_size);
}

/* The prefix may be the key or the value of an entry that was looked up: that one is gone last. */
size_t weft_cache_forget_prefix(struct weft_cache *cache, struct weft_text prefix)
{
    struct weft_cache_inside *inside = cache->inside_;
    if (inside == NULL)
        return 0;
    check_thread(cache);
    uint64_t before = cache->stats.forgotten;
    struct weft_cell *lender = NULL;
    weft_batch_forget_prefix(&inside->batch, prefix);
    for (size_t i = 0; i < table_slots(&inside->table); i++) {
        struct weft_cell *cell = table_at(&inside->table, i);
        if (!is_to_be_forgotten(inside, cell, prefix))
            continue;
        if (lies_in(prefix, cell))
            lender = weft_cell_hold(cell);
        weft__cache_drop(inside, cell, &cache->stats.forgotten);
    }
    weft_cell_drop(lender);
    return (size_t)(cache->stats.forgotten - before);
}

size_t weft_cache_forget_all(struct weft_cache *cache)
{
    return weft_cache_forget_prefix(cache, weft_text(NULL, 0));
}
