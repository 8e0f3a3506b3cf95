/* Asking a cache.
 *
 *     an entry, fresh ──────────────► it answers;  in its last ahead_ms: and is refreshed
 *     stale ────────────────────────► it answers, and is refreshed
 *     a remembered error ───────────► that is the answer
 *     old, or none ──► a load, begun or joined ──► its answer; or the old one, if it fails
 *
 * A refresh is a flight that nobody has to wait for. While it is in the table there is no second one, and
 * whoever comes when the old entry may not be served any more joins it: so a refresh that hangs makes
 * nobody get what is too old. The first thing that happens when a load is over is here (weft__cache_over):
 * what is told to those who wait is in the cache already.
 *
 * A get that finds something holds the cell from its begin until its then has returned, whatever becomes
 * of the entry meanwhile. It looks for the entry once, before any load is begun: that is code of the
 * user's, which may change all there is. */
#include "cache.h"
#include "core/op.h"
#include "flow/promise.h"
#include "hash.h"

static struct weft_cache_get *get_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_cache_get, await.op);
}

/* ---- a load is over ------------------------------------------------------------------------- */

static struct weft_cache_inside *inside_of(struct weft_batch *batch)
{
    return weft_owner(batch, struct weft_cache_inside, batch);
}

static void keep_answer(struct weft_cache_inside *inside, const struct weft_flight *flight)
{
    weft__expiry_set(inside->cache, flight->cell, flight->ttl_ms);
    inside->cache->stats.discarded += weft__cache_store(inside, flight->cell) != 0;
}

/* That nobody waited any more, or that the owner ends, is no news about the key; that it took too long
 * is. Who asks after that may have begun another load by now. */
static bool is_worth_keeping(const struct weft_cache_inside *inside,
                             const struct weft_flight *flight)
{
    const struct weft_promise *promise = &flight->promise;
    return inside->cache->error_ttl_ms != 0 && !(inside->cache->owner->flags_ & OP_REFUSE) &&
           !(promise_cancelled(promise) && promise->op.reason_ != UV_ETIMEDOUT) &&
           weft__flight_find(&inside->batch, flight->key, flight->hash_) == NULL;
}

static void keep_error(struct weft_cache_inside *inside, const struct weft_flight *flight)
{
    struct weft_cell *cell = weft__cell_make(flight->key, flight->hash_, NULL, 0);
    if (cell == NULL)
        return;
    cell->status = flight->promise.op.status;
    weft__expiry_set_error(inside->cache, cell);
    weft__cache_store(inside, cell);
    weft_cell_drop(cell);
}

/* Those who wait get the old answer. */
static void rescue(struct weft_cache_inside *inside, struct weft_flight *flight,
                   struct weft_cell *old)
{
    weft_cell_drop(flight->cell);
    flight->cell = weft_cell_hold(old);
    flight->rescued_ = true;
    flight->promise.op.status = 0;
    inside->cache->stats.rescued++;
}

static void failed(struct weft_cache_inside *inside, struct weft_flight *flight)
{
    inside->cache->stats.errors++;
    if (flight->forgotten_)
        return;
    struct weft_cell *old = cache_find(inside, flight->key, flight->hash_);
    if (old != NULL && old->status == 0) {
        if (flight->promise.waiters_ != NULL)
            rescue(inside, flight, old);
    } else if (is_worth_keeping(inside, flight)) {
        keep_error(inside, flight);
    }
}

void weft__cache_over(struct weft_batch *batch, struct weft_flight *flight)
{
    struct weft_cache_inside *inside = inside_of(batch);
    if (flight->promise.op.status != 0)
        failed(inside, flight);
    else if (flight->forgotten_)
        inside->cache->stats.discarded++;
    else
        keep_answer(inside, flight);
}

/* ---- an answer that is here ----------------------------------------------------------------- */

/* The then may use get's storage again. */
static void served(struct weft_op *parent, struct weft_op *op)
{
    struct weft_cache_get *get = get_of(op);
    struct weft_cache_inside *inside = get->cache->inside_;
    struct weft_cell *cell = get->cell;
    get->then_(parent, op);
    inside->untold--;
    weft_cell_drop(cell);
}

/* cell is held; that is given away. */
static void serve(struct weft_cache_get *get, struct weft_cell *cell, enum weft_cache_how how)
{
    struct weft_op *op = &get->await.op;
    if (op->then_ == NULL || op->reason_ != 0) {
        weft_cell_drop(cell);
        weft_finish(op, op->reason_);
        return;
    }
    get->cell = cell;
    get->value = weft_cell_value(cell);
    get->how = how;
    get->then_ = op->then_;
    op->then_ = served;
    get->cache->inside_->untold++;
    weft_finish(op, 0);
}

/* Begin a load behind the back of who asks; if there can be none now, the next one will see to it. */
static void refresh(struct weft_cache_inside *inside, struct weft_cache_get *get, uint64_t hash)
{
    struct weft_cache_stats *stats = &inside->cache->stats;
    int err;
    if (weft__flight_find(&inside->batch, get->key, hash) != NULL ||
        weft__flight_begin(&inside->batch, get->key, hash, &get->await.op, true, &err) == NULL)
        return;
    stats->loads++;
    stats->refreshes++;
}

static void serve_and_refresh(struct weft_cache_inside *inside, struct weft_cache_get *get,
                              struct weft_cell *cell, enum weft_cache_how how)
{
    weft_cell_hold(cell);
    refresh(inside, get, cell->hash);
    if (get->await.op.state_ == OP_RUNNING)
        serve(get, cell, how);
    else
        weft_cell_drop(cell); /* the load's begin has ended the get */
}

/* ---- an answer that has to be waited for ------------------------------------------------------ */

/* The then may use get's storage again. */
static void answered(struct weft_op *parent, struct weft_op *op)
{
    struct weft_cache_get *get = get_of(op);
    struct weft_flight *flight = weft_owner(get->await.promise, struct weft_flight, promise);
    if (op->status == 0) {
        get->cell = flight->cell;
        get->value = weft_cell_value(flight->cell);
        if (flight->rescued_)
            get->how = WEFT_CACHE_STALE;
    }
    get->then_(parent, op);
    weft__flight_leave(flight);
}

/* No load can be begun: an old answer is better than none. old, if there is one, is held. */
static void go_without(struct weft_cache_inside *inside, struct weft_cache_get *get,
                       struct weft_cell *old, int err)
{
    if (old != NULL) {
        inside->cache->stats.stale++;
        serve(get, old, WEFT_CACHE_STALE);
        return;
    }
    inside->cache->stats.failed++;
    weft_finish(&get->await.op, err);
}

static void join(struct weft_cache_inside *inside, struct weft_cache_get *get,
                 struct weft_flight *flight)
{
    get->how = WEFT_CACHE_JOINED;
    if (weft__flight_join(flight, &get->await, answered, &get->then_) == 0)
        inside->cache->stats.joined++;
    else
        inside->cache->stats.failed++;
}

static void begin(struct weft_cache_inside *inside, struct weft_cache_get *get, uint64_t hash,
                  struct weft_cell *old)
{
    struct weft_op *op = &get->await.op;
    int err;
    struct weft_flight *flight =
        weft__flight_begin(&inside->batch, get->key, hash, op, false, &err);
    if (flight == NULL) {
        go_without(inside, get, weft_cell_hold(old), err);
        return;
    }
    inside->cache->stats.loads++;
    inside->cache->stats.misses++;
    weft__flight_join(flight, &get->await, answered, &get->then_);
}

/* old: the entry, too old to be served, or NULL. */
static void load(struct weft_cache_inside *inside, struct weft_cache_get *get, uint64_t hash,
                 struct weft_cell *old)
{
    struct weft_flight *flight = weft__flight_find(&inside->batch, get->key, hash);
    if (flight != NULL)
        join(inside, get, flight);
    else
        begin(inside, get, hash, old);
}

/* ---- get ------------------------------------------------------------------------------------ */

/* Of an entry that does not stay fresh for ever. */
static void ask_by_age(struct weft_cache_inside *inside, struct weft_cache_get *get,
                       struct weft_cell *cell)
{
    struct weft_cache *cache = inside->cache;
    uint64_t now = cache_now(cache), until = cell->fresh_until_ms;
    if (now < until && until - now > cache->ahead_ms) {
        cache->stats.hits++;
        serve(get, weft_cell_hold(cell), WEFT_CACHE_HIT);
    } else if (now < until) {
        cache->stats.hits++;
        serve_and_refresh(inside, get, cell, WEFT_CACHE_HIT);
    } else if (now < time_after(until, cache->stale_ms)) {
        cache->stats.stale++;
        serve_and_refresh(inside, get, cell, WEFT_CACHE_STALE);
    } else {
        load(inside, get, cell->hash, cell);
    }
}

static void ask(struct weft_cache_inside *inside, struct weft_cache_get *get)
{
    struct weft_cache *cache = inside->cache;
    uint64_t hash = hash_key(get->key, inside->seed);
    struct weft_cell *cell = cache_find(inside, get->key, hash);
    if (cell == NULL) {
        load(inside, get, hash, NULL);
        return;
    }
    policy_used(&inside->policy, cell);
    if (cell->status != 0) {
        cache->stats.failed++;
        weft_finish(&get->await.op, cell->status);
    } else if (cell->fresh_until_ms == WEFT_CACHE_FOREVER) {
        cache->stats.hits++;
        serve(get, weft_cell_hold(cell), WEFT_CACHE_HIT);
    } else {
        ask_by_age(inside, get, cell);
    }
}

static bool is_open(const struct weft_cache *cache)
{
    return cache != NULL && cache->inside_ != NULL;
}

static int check(const struct weft_cache_get *get)
{
    if (get->cache->load == NULL)
        return UV_EINVAL;
    return get->key.size <= WEFT_KEY_MAX ? 0 : UV_ENAMETOOLONG;
}

static void no_answer(struct weft_cache_get *get)
{
    get->value = weft_text(NULL, 0);
    get->cell = NULL;
    get->how = WEFT_CACHE_MISS;
}

void weft_cache_get_begin(struct weft_op *op)
{
    struct weft_cache_get *get = get_of(op);
    no_answer(get);
    if (weft_cancelled(op) != 0 || !is_open(get->cache)) {
        weft_finish(op, weft_cancelled(op) != 0 ? weft_cancelled(op) : UV_EINVAL);
        return;
    }
    int err = check(get);
    if (err == 0) {
        ask(get->cache->inside_, get);
        return;
    }
    get->cache->stats.failed++;
    weft_finish(op, err);
}

/* Now, so that the key is looked at before this returns. The load's own begin is run with care for the
 * stack. */
void weft_cache_get_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_cache_get *get, struct weft_cache *cache, struct weft_text key,
                       weft_then_fn *then)
{
    op_check_start(parent, &get->await.op);
    get->cache = cache;
    get->key = key;
    no_answer(get); /* it may be refused without a begin */
    weft_run_now_at(site, parent, &get->await.op, weft_cache_get_begin, then);
    if (get->await.op.then_ != then)
        op_wraps(&get->await.op, then);
}
