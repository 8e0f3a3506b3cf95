/* weft/shared.h: a cache that several processes share: one of weft/cache.h in each, Redis behind all.
 * In libweft-redis.
 *
 *     shared->redis.url = "redis://127.0.0.1";
 *     shared->prefix = "sales:";
 *     shared->load = total_begin;                 // as for a batch or a cache
 *     shared->cache.ttl_ms = 30 * 1000;
 *     weft_shared(app, shared, NULL);
 *     ...
 *     weft_shared_get(op, &request->get, shared, key, total_there);   // get.value
 *     weft_shared_forget(op, &sale->forget, shared, key, told);
 *
 * Asking. What is in the local cache answers as ever. What is not is looked for in Redis, and kept here
 * for as long as it has left there; if another process has stored it with a longer cache.ttl_ms than ours, no
 * longer than we would have kept it, and one that is older than that is loaded again. (What a load has set
 * for its own answer holds for all.) If it is not there either, one process gets a lease for the key, loads
 * and stores; the others look again every few milliseconds until the value is there or the lease is gone,
 * at most for twice lease_ms. So there is one load at a time however many processes ask. That is best
 * effort: a load that outlasts its lease is not the only one any more, and without Redis each process
 * loads for itself.
 *
 * Forgetting. A key, or all; by a prefix only the local cache can (weft_cache_forget_prefix), and Redis would
 * fill it again: forget all. Here at once, then in Redis, and by a message in all other processes. A load that was under
 * way meanwhile, anywhere, is answered to those who wait for it and not stored: its lease went with the
 * value. Who was not connected to hear the message has forgotten everything by then: losing the channel
 * empties the local cache, and its coming back does so again. One that is lost without a word is missed
 * after twice WEFT_REDIS_ALIVE_MS. While it is lost nothing is kept here for longer than
 * WEFT_SHARED_ALONE_MS (and what stale_ms allows after that).
 *
 * Without Redis the local cache goes on, loads run here, and no get fails for it. None waits for an answer of
 * Redis longer than redis.command_ms, with the time that a first connection takes, and none at all once the
 * connection is known to be lost. What a process could not tell Redis to forget is made up for as soon as it
 * can be: then all is forgotten.
 *
 * In Redis, with P for the prefix: P"v:"key are values, P"l:"key leases, P"g" the generation, and P"m" is
 * the channel. Values begin with a version and the generation; what does not is no value, counted, and
 * replaced. Forgetting all removes the generation, and who asks next makes a new one, at random: so what is
 * left of the old one is not found. With ttl_ms 0 it stays in Redis until its key is stored again, or Redis
 * makes room. One Redis, not a cluster: a script touches several keys. And one that keeps its word: what is
 * restored from an older copy (a snapshot, a replica that lags) was not yet forgotten there; who takes such a
 * step forgets all. */
#ifndef WEFT_SHARED_H
#define WEFT_SHARED_H

#include "cache.h"
#include "redis.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_SHARED_LEASE_MS = 10000, /* the default of lease_ms */
    WEFT_SHARED_ALONE_MS = 1000,  /* how long an answer is kept while messages may be missed */
    WEFT_SHARED_PREFIX_MAX = 256
};

struct weft_shared_stats {
    uint64_t remote_hits;   /* loads that Redis answered */
    uint64_t remote_misses; /* loads that found nothing there */
    uint64_t remote_errors; /* commands that failed, and loads that did without Redis */
    uint64_t garbage;       /* values and messages there that were none of ours */
    uint64_t leases;        /* that were given to this process */
    uint64_t waits;         /* loads that found somebody else's lease */
    uint64_t gave_up;       /* of them, those that loaded without one in the end */
    uint64_t sets;          /* values that were stored */
    uint64_t refused_sets;  /* values that were not: forgotten meanwhile, or the lease was over */
    uint64_t forgets;       /* messages of others that made this process forget something */
    uint64_t flushes; /* how often the local cache was emptied, for the channel or a message */
};

struct weft_shared_engine; /* the library's */
struct weft_shared_errand; /* the library's */

/* Filled in by you; zero what is not named here. */
struct weft_shared {
    struct weft_op op;
    struct weft_redis redis; /* its settings: url, command_ms … ; on_up is taken */
    const char *prefix;      /* of the keys in Redis, up to WEFT_SHARED_PREFIX_MAX bytes; stays */
    struct weft_cache cache; /* its settings: ttl_ms … ; owner, load, flight_size, load_ms stay 0 */
    struct weft_op *owner;   /* the loads' parent; outlives them; NULL: shared's op */
    weft_begin_fn *load;     /* the begin of flight->promise.op, as for a batch */
    size_t flight_size;      /* of the struct around weft_flight: WEFT_FLIGHT; 0: there is none */
    uint64_t load_ms;        /* the deadline of a load; 0: none */
    uint64_t lease_ms;       /* the longest a load is expected to take; 0: WEFT_SHARED_LEASE_MS */
    /* Can this be a value of yours? What comes from Redis and cannot is not shown to anybody: it counts
     * as garbage, is removed there, and the load runs here. NULL: any bytes can. */
    bool (*valid)(const struct weft_shared *shared, struct weft_text key, struct weft_text value);

    bool listening;                 /* read only: messages of others come in */
    struct weft_shared_stats stats; /* read only; those of gets are in cache.stats */
    struct weft_shared_engine *engine_;
};

/* Begin it: gets may begin as soon as this returns, whether Redis is there or not. It ends when it is told
 * to (a close, a cancel): loads under way are cancelled, and it is over when everybody who waited for one
 * has been told. UV_EINVAL: there is no load or no prefix; the cache has an owner, a load, a flight_size or a
 * load_ms; what weft_redis says of the url and weft_cache_open of the cache. UV_ENAMETOOLONG: the prefix, the
 * url. Of both, redis.why says more. UV_ENOMEM. */
#define weft_shared(parent, shared, then)                                                          \
    weft_shared_at(WEFT_HERE("shared", WEFT_CACHE | WEFT_HANDLE), parent, shared, then)
WEFT_API void weft_shared_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_shared *shared, weft_then_fn *then);
WEFT_API void weft_shared_begin(struct weft_op *op);
/* End it with 0. What is on its way to Redis arrives there first, and the leases of the loads under way are
 * given back, so that nobody waits for them; that takes no longer than redis.command_ms. A cancel does not
 * wait for it: those leases end after lease_ms. Until it is over gets are answered with what the local cache
 * has, and UV_ECANCELED for what it has not; after that, UV_EINVAL. No effect on one that is not open. */
WEFT_API void weft_shared_close(struct weft_shared *shared);

/* Ask for key: a get of the local cache, with all that weft/cache.h says of it. get is a struct
 * weft_cache_get. */
#define weft_shared_get(parent, get, shared, key, then)                                            \
    weft_cache_get_at(WEFT_HERE("shared_get", WEFT_CACHE), parent, get, &(shared)->cache, key, then)

/* Forget a key, which is copied, or all there are. Here it is forgotten when this returns. 0: nobody finds
 * it in Redis any more, and the others have been told. An error, UV_ENOTCONN and others of
 * weft_redis_command, UV_ENOMEM: Redis has not confirmed that, and others may go on with what they have
 * until they hear of it: as soon as Redis is there and does as it is told, all is forgotten. Nothing is sent
 * after UV_EINVAL: shared is not open; UV_ENAMETOOLONG: a key of more than WEFT_KEY_MAX bytes. */
struct weft_shared_forget {
    struct weft_op op;
    struct weft_shared *shared;
    struct weft_text key;
    bool all;
    struct weft_shared_errand *errand_;
};
#define weft_shared_forget(parent, forget, shared, key, then)                                      \
    weft_shared_forget_at(WEFT_HERE("shared_forget", WEFT_CACHE), parent, forget, shared, key,     \
                          false, then)
#define weft_shared_forget_all(parent, forget, shared, then)                                       \
    weft_shared_forget_at(WEFT_HERE("shared_forget", WEFT_CACHE), parent, forget, shared,          \
                          weft_text(NULL, 0), true, then)
WEFT_API void weft_shared_forget_at(const struct weft_site *site, struct weft_op *parent,
                                    struct weft_shared_forget *forget, struct weft_shared *shared,
                                    struct weft_text key, bool all, weft_then_fn *then);
WEFT_API void weft_shared_forget_begin(struct weft_op *op);

/* Forget all there is, without an op and without memory, for those who have none left and may not lose it:
 * here it is forgotten when this returns, by Redis and the others as soon as they can be told. No effect on
 * one that is not open. */
WEFT_API void weft_shared_forget_soon(struct weft_shared *shared);

#ifdef __cplusplus
}
#endif
#endif
