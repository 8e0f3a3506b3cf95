/* The shared cache: a local one, a client, a subscription, and a batch for the caller's loads.
 *
 *     shared.c          opens and closes these, and obeys what the others say
 *     shared_load.c     a load of the local cache
 *     shared_errand.c   what is told to Redis, and by it to the others
 *     shared_call.c     the scripts that run there
 *     shared_wire.c     what is written there, as bytes
 *
 * Closing. One that is closed leaves first: it begins nothing more, cancels its loads, and ends when Redis
 * has been given their leases back, or has not answered in time. A cancel does not wait for that.
 *
 * Then all that runs below the op is cancelled with it. When that has reported, those who waited for a
 * load may still have to be told, and look at its answer then; nobody says when the last of them has. So
 * that is asked: for a few turns in each, which mostly will do, then, since a load may linger, once a
 * millisecond. */
#include "shared.h"
#include "weft/alloc.h"
#include <stdio.h>

enum { TURNS = 8 };

/* ---- forgetting here ------------------------------------------------------------------------ */

void weft__shared_forget_here(struct weft_shared_engine *engine, struct weft_text key)
{
    weft_cache_forget(&engine->shared->cache, key);
    weft_batch_forget(&engine->batch, key);
}

void weft__shared_flush(struct weft_shared_engine *engine)
{
    weft_cache_forget_all(&engine->shared->cache);
    weft_batch_forget_prefix(&engine->batch, weft_text(NULL, 0));
}

static void flush(struct weft_shared_engine *engine)
{
    engine->shared->stats.flushes++;
    weft__shared_flush(engine);
}

/* ---- what the others say -------------------------------------------------------------------- */

static struct weft_shared_engine *engine_of(struct weft_redis_subscription *subscription)
{
    return weft_owner(subscription, struct weft_shared_engine, subscription);
}

static void back(struct weft_redis_subscription *subscription)
{
    engine_of(subscription)->shared->listening = true;
    flush(engine_of(subscription));
}

static void lost(struct weft_redis_subscription *subscription)
{
    engine_of(subscription)->shared->listening = false;
    flush(engine_of(subscription));
}

/* What is not understood may have been a word to forget something. */
static void heard(struct weft_redis_subscription *subscription, struct weft_text channel,
                  struct weft_text message)
{
    struct weft_shared_engine *engine = engine_of(subscription);
    struct weft_shared_stats *stats = &engine->shared->stats;
    struct weft_text key;
    (void)channel;
    enum shared_news news = weft__shared_read_message(message, engine->id, &key);
    stats->forgets += news == SHARED_KEY || news == SHARED_ALL;
    stats->garbage += news == SHARED_ODD;
    if (news == SHARED_KEY)
        weft__shared_forget_here(engine, key);
    else if (news != SHARED_OWN)
        flush(engine);
}

static void client_up(struct weft_redis *redis)
{
    struct weft_shared_engine *engine = weft_owner(redis, struct weft_shared, redis)->engine_;
    if (engine->leaving)
        return;
    weft__shared_teach(engine);
    weft__shared_pay(engine);
    weft__shared_settle_late(engine);
}

/* ---- closing -------------------------------------------------------------------------------- */

/* UV_EBUSY: there is still somebody to be told. What was set in the cache is taken out again. */
static int engine_free(struct weft_shared_engine *engine)
{
    struct weft_cache *cache = &engine->shared->cache;
    if (weft_batch_close(&engine->batch) != 0 || weft_cache_close(cache) != 0)
        return UV_EBUSY;
    cache->owner = NULL;
    cache->load = NULL;
    cache->flight_size = 0;
    weft_free(engine);
    return 0;
}

static void close_when_free(struct weft_timer *timer)
{
    struct weft_shared_engine *engine = weft_owner(timer, struct weft_shared_engine, closer);
    struct weft_op *op = &engine->shared->op;
    if (weft_running(op) != 0 || engine_free(engine) != 0) {
        weft_timer_start(weft_loop_of(op), timer, ++engine->asked > TURNS ? 1 : 0, close_when_free);
        return;
    }
    weft_join(op);
}

static void shared_cancel(struct weft_op *op, int reason)
{
    struct weft_shared *shared = weft_owner(op, struct weft_shared, op);
    struct weft_shared_engine *engine = shared->engine_;
    (void)reason;
    shared->engine_ = NULL;
    shared->listening = false;
    weft_timer_stop(weft_loop_of(op), &engine->payer);
    weft__shared_late_free(engine);
    weft_timer_start(weft_loop_of(op), &engine->closer, 0, close_when_free);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int wrong(struct weft_shared *shared, int status, const char *why)
{
    snprintf(shared->redis.why, sizeof shared->redis.why, "%s", why);
    return status;
}

static int check(struct weft_shared *shared)
{
    const struct weft_cache *cache = &shared->cache;
    if (cache->load != NULL || cache->owner != NULL || cache->flight_size != 0 ||
        cache->load_ms != 0)
        return wrong(shared, UV_EINVAL,
                     "load, owner, flight_size and load_ms are set in the weft_shared, and not in "
                     "its cache");
    if (shared->load == NULL)
        return wrong(shared, UV_EINVAL, "there is no load");
    if (shared->prefix == NULL)
        return wrong(shared, UV_EINVAL, "there is no prefix");
    if (strlen(shared->prefix) > WEFT_SHARED_PREFIX_MAX)
        return wrong(shared, UV_ENAMETOOLONG, "the prefix is too long");
    return weft_redis_url_check(shared->redis.url, shared->redis.why);
}

static int open_batch(struct weft_shared_engine *engine)
{
    const struct weft_shared *shared = engine->shared;
    engine->batch = (struct weft_batch){
        .owner = shared->owner != NULL ? shared->owner : &engine->shared->op,
        .load = shared->load,
        .flight_size = shared->flight_size,
        .limit = shared->cache.loads_limit,
        .load_ms = shared->load_ms,
    };
    int status = weft_batch_open(&engine->batch);
    return status == UV_EINVAL ? wrong(engine->shared, status, "the flight_size is not possible")
                               : status;
}

static int open_cache(struct weft_shared *shared)
{
    shared->cache.owner = &shared->op;
    shared->cache.load = weft__shared_load_begin;
    shared->cache.flight_size = weft__shared_flight_size();
    shared->cache.load_ms = 0;
    int status = weft_cache_open(&shared->cache);
    return status == UV_EINVAL ? wrong(shared, status, "a setting of the cache is not possible")
                               : status;
}

static int open_engine(struct weft_shared *shared)
{
    int status = check(shared);
    if (status != 0)
        return status;
    struct weft_shared_engine *engine = weft_calloc(1, sizeof *engine);
    if (engine == NULL)
        return UV_ENOMEM;
    engine->shared = shared;
    engine->prefix_size = strlen(shared->prefix);
    memcpy(engine->names, shared->prefix, engine->prefix_size);
    engine->names[engine->prefix_size] = 'm';
    engine->channel = weft_text(engine->names, engine->prefix_size + 1);
    weft__shared_token(engine->id);
    status = open_batch(engine);
    if (status == 0)
        status = open_cache(shared);
    if (status != 0)
        engine_free(engine);
    else
        shared->engine_ = engine;
    return status;
}

/* The same server, in the same way. */
static void set_up(struct weft_redis_subscription *subscription, const struct weft_redis *redis)
{
    subscription->url = redis->url;
    subscription->user = redis->user;
    subscription->password = redis->password;
    subscription->database = redis->database;
    subscription->connect_ms = redis->connect_ms;
    subscription->backoff_ms = redis->backoff_ms;
    subscription->backoff_max_ms = redis->backoff_max_ms;
    subscription->reply_max = redis->reply_max;
}

/* Should one of them not begin (no memory), the other gets a cancel and the op its error. */
static void start(struct weft_shared *shared)
{
    struct weft_redis_subscription *subscription = &shared->engine_->subscription;
    set_up(subscription, &shared->redis);
    subscription->on_message = heard;
    subscription->on_back = back;
    subscription->on_lost = lost;
    shared->redis.on_up = client_up;
    weft_redis(&shared->op, &shared->redis, NULL);
    weft_redis_subscribe(&shared->op, subscription, &shared->engine_->channel, 1, NULL);
}

void weft_shared_begin(struct weft_op *op)
{
    struct weft_shared *shared = weft_owner(op, struct weft_shared, op);
    shared->listening = false;
    shared->redis.why[0] = '\0';
    int status = open_engine(shared);
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    start(shared);
    weft_on_cancel(op, shared_cancel);
}

void weft__shared_leave(struct weft_shared_engine *engine)
{
    bool was_cancelled = engine->shared->engine_ == NULL;
    if (engine->leaving && !was_cancelled && engine->flights == NULL && engine->errands == 0)
        weft_end(&engine->shared->op, 0);
}

void weft_shared_close(struct weft_shared *shared)
{
    struct weft_shared_engine *engine = shared->engine_;
    if (engine == NULL || engine->leaving)
        return;
    engine->leaving = true;
    weft__shared_loads_cancel(engine);
    weft__shared_leave(engine);
}

/* Now, however deep the stack is: gets may begin when this returns. */
void weft_shared_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_shared *shared, weft_then_fn *then)
{
    weft_run_now_at(site, parent, &shared->op, weft_shared_begin, then);
}
