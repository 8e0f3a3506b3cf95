/* weft/cache.h: answers that are kept for a while, loaded once however many ask.
 *
 *     struct weft_cache cache = {.owner = app, .load = total_begin, .bytes_limit = 64 << 20,
 *                                .ttl_ms = 30 * 1000};
 *     weft_cache_open(&cache);
 *     weft_cache_get(op, &request->get, &cache, key, total_there);    // get.value
 *
 * The load is that of weft/batch.h: one for each key at a time, which all who ask join. A failure
 * reaches them all and is not kept. An answer, whether from the cache or loaded, always comes on a
 * later turn; who does not want to wait looks (weft_cache_look).
 *
 * The life of an entry, by its age:
 *
 *     ├────────── fresh ──────────┼── stale ──┼── if error ──┤
 *     0                  -ahead  ttl    ttl + stale    ttl + stale_if_error
 *
 * While it is fresh it answers. In the last ahead_ms of that, and while it is stale, it answers too, and
 * a load is begun behind the back of whoever asked; one at a time, and it goes on whoever leaves. After
 * that it answers only if the load fails or cannot be begun, up to stale_if_error. An old entry is never
 * served because its refresh hangs: who comes later than ttl + stale waits for that.
 *
 * Memory is bounded by bytes, those of keys, values and what each entry costs beside (weft_cache_cost);
 * when it is full something gives way first, so the limit is never exceeded. Loads under way, and cells
 * that somebody holds, are not counted. What gives way the policy says. S3-FIFO
 * keeps what was asked for more than once and is not washed out by a scan; a hit writes nothing but a
 * counter. LRU is what everybody knows.
 *
 * Entries whose time has passed are dropped when they are looked for, and by a hand that looks at a few
 * others with every entry that is stored: there are no timers, so the timer of an old entry cannot hit
 * a newer one.
 *
 * All of it belongs to the loop's thread. For work on another one: answer in the work's then. */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weft_cache_policy { WEFT_S3FIFO, WEFT_LRU };

#define WEFT_CACHE_BYTES ((size_t)64 * 1024 * 1024)
#define WEFT_CACHE_FOREVER UINT64_MAX

struct weft_cache_stats {
    /* Every get that was begun before it was cancelled is one of these five, whatever becomes of it;
     * every look a hit or a miss. */
    uint64_t hits;   /* found, and fresh */
    uint64_t stale;  /* found, and old, but served; whether it could be refreshed or not */
    uint64_t misses; /* neither found nor under way: a load was begun */
    uint64_t joined; /* not found, or too old, but under way */
    uint64_t failed; /* refused: limit, memory, key; a remembered error; WEFT_ECYCLE */

    uint64_t loads;     /* begun, by gets that missed and as refreshes */
    uint64_t refreshes; /* of them, those behind the back of who asked */
    uint64_t errors;    /* loads that failed, or were cancelled because nobody waits */
    uint64_t rescued;   /* of them, those whose waiters got an old answer instead */

    /* stored is always entries + replaced + evicted + expired + forgotten. */
    uint64_t stored;    /* entries that came in, remembered errors too */
    uint64_t replaced;  /* their place was taken by a newer one of the same key */
    uint64_t evicted;   /* they gave way */
    uint64_t expired;   /* their time had passed */
    uint64_t forgotten; /* they were invalidated, by a close too, or a newer value was not stored */
    uint64_t discarded; /* answers not stored: forgotten meanwhile, too large, no memory */
};

struct weft_cache_inside; /* the library's */

/* Filled in by you; zero what is not named here, and open it. It stays where it is while it is open. */
struct weft_cache {
    struct weft_op *owner; /* the loads' parent; runs when this is opened, until it is closed */
    weft_begin_fn *load;   /* as that of a batch; NULL: there is only look and put */
    size_t flight_size;    /* of the struct around weft_flight: WEFT_FLIGHT; 0: there is none */
    size_t loads_limit;    /* so many loads at a time; 0: WEFT_BATCH_LIMIT */
    uint64_t load_ms;      /* the deadline of a load; 0: none */

    size_t bytes_limit; /* 0: WEFT_CACHE_BYTES */
    enum weft_cache_policy policy;
    uint64_t ttl_ms;            /* how long an answer is fresh; 0: for ever */
    uint64_t stale_ms;          /* how long after that it is served while it is refreshed */
    uint64_t stale_if_error_ms; /* how long after ttl it is served when the load fails */
    uint64_t ahead_ms;          /* how long before its end a hit refreshes it */
    /* How long an error is remembered; 0: it is not. Only where no old answer can be served. That it was
     * cancelled is no error to remember; that it took longer than load_ms is. */
    uint64_t error_ttl_ms;
    /* Every ttl is shortened by up to so much, at random, so that what was loaded together is not
     * loaded together again; up to 100. */
    unsigned jitter_percent;

    size_t bytes, entries;         /* read only: what there is now; bytes <= bytes_limit */
    struct weft_cache_stats stats; /* read only */
    struct weft_cache_inside *inside_;
};

/* UV_EINVAL: there is no owner; jitter_percent is above 100; policy is none; what weft_batch_open says
 * of load and flight_size; or it is open. UV_ENOMEM. Rule 2: the owner does not run. To hooks a cache is
 * a handle. */
#define weft_cache_open(cache)                                                                     \
    weft_cache_open_at(WEFT_HERE("cache", WEFT_CACHE | WEFT_HANDLE),                               \
                       WEFT_HERE("cache load", WEFT_CACHE), cache)
WEFT_API int weft_cache_open_at(const struct weft_site *site, const struct weft_site *load_site,
                                struct weft_cache *cache);
/* Drop all there is. UV_EBUSY: loads are under way, or somebody who waits was not told yet, which lasts
 * until that then has returned; then nothing is dropped. Cells that are held stay until they are
 * dropped. Closing twice is allowed.
 * How to close: let all who ask run below the owner, too. When that is over, so are they and the loads,
 * and this is 0: in the owner's then, or after weft_go. Cancel the owner to get there. */
WEFT_API WEFT_MUST_USE int weft_cache_close(struct weft_cache *cache);

/* ---- asking --------------------------------------------------------------------------------- */

enum weft_cache_how { WEFT_CACHE_HIT, WEFT_CACHE_STALE, WEFT_CACHE_MISS, WEFT_CACHE_JOINED };

/* Ask for key, which is copied, if it has to be, before this returns; weft_cache_get_begin looks at
 * get->key. then runs on a later turn, always, and may use the storage again. On success value and cell
 * are there until it returns (see weft_cell_hold), whatever becomes of the entry; otherwise they are empty
 * and NULL. how says where the answer is from; what the cache has in place of the answer of a load that
 * failed is WEFT_CACHE_STALE. When the last one who waits for a load is cancelled, so is the load, unless
 * it is a refresh. The errors are those of the load, a remembered one among them, and of weft_batch_ask.
 * UV_EINVAL: the cache is NULL, not open, or has no load. */
struct weft_cache_get {
    struct weft_await await;
    struct weft_cache *cache;
    struct weft_text key;
    struct weft_text value;
    struct weft_cell *cell;
    enum weft_cache_how how;
    weft_then_fn *then_;
};
#define weft_cache_get(parent, get, cache, key, then)                                              \
    weft_cache_get_at(WEFT_HERE("cache_get", WEFT_CACHE), parent, get, cache, key, then)
WEFT_API void weft_cache_get_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_cache_get *get, struct weft_cache *cache,
                                struct weft_text key, weft_then_fn *then);
WEFT_API void weft_cache_get_begin(struct weft_op *op);

/* Is it here, and fresh? value, if it is not NULL, is valid until the next call for this cache or the next
 * turn of the loop; one that is empty is there, too. Never loads. A remembered error is not here. */
WEFT_API bool weft_cache_look(struct weft_cache *cache, struct weft_text key,
                              struct weft_text *value);
/* The same; NULL: no. */
WEFT_API struct weft_cell *weft_cache_look_cell(struct weft_cache *cache, struct weft_text key);

/* ---- changing ------------------------------------------------------------------------------- */

/* Store a value, copied, in place of what is there. A load of this key that is under way will not be
 * stored: this is newer. ttl_ms 0: that of the cache. UV_EFBIG: it would not fit into the empty cache;
 * then, and after UV_ENOMEM, there is no entry for this key any more. UV_ENAMETOOLONG, UV_EINVAL. */
WEFT_API int weft_cache_put(struct weft_cache *cache, struct weft_text key, const void *data,
                            size_t size, uint64_t ttl_ms);

/* Forget one key; all that begin with these bytes (looks at every entry); all. Also those whose load is
 * under way: who waits for it gets it, but it is never stored, and who asks from now on starts a new
 * one. Returns how many entries there were. */
WEFT_API size_t weft_cache_forget(struct weft_cache *cache, struct weft_text key);
WEFT_API size_t weft_cache_forget_prefix(struct weft_cache *cache, struct weft_text prefix);
WEFT_API size_t weft_cache_forget_all(struct weft_cache *cache);

/* What an entry with a key and a value of these sizes counts for. */
WEFT_API size_t weft_cache_cost(size_t key_size, size_t value_size);

#ifdef __cplusplus
}
#endif
#endif
