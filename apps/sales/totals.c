/* Four ways to a total, behind one op.
 *
 * What differs is who waits for a scan, and for how long its result is used; the scan is the same.
 * An ask passes the question to the op of its mode and takes over what comes back. Loads run below
 * the owner, not below who asked: that one may leave. Keys are the names of items as they are; the
 * empty one, which no item has, stands for all.
 *
 * An answer in the cache is never older than ttl_ms: it is renewed before its time is over if it is
 * asked for then, and there is no stale time, so who adds a sale elsewhere can say when it shows.
 * Nor does an old answer stand for a scan that failed. */
#include "sales/totals.h"
#include <weft/alloc.h>

const char *const totals_mode_names[] = {"plain", "batch", "cache", "promise", NULL};
const char *const totals_how_names[] = {"hit", "stale", "miss", "joined", "scan"};

/* ---- a scan --------------------------------------------------------------------------------- */

static void scan_ledger(struct totals_scan *scan)
{
    scan->total.ledger = scan->totals->ledger;
    ledger_total(&scan->op, &scan->total, weft_pass);
}

static void paused(struct weft_op *op, struct weft_op *pause)
{
    if (pause->status != 0)
        weft_end(op, pause->status);
    else
        scan_ledger(weft_owner(op, struct totals_scan, op));
}

static void scan_begin(struct weft_op *op)
{
    struct totals_scan *scan = weft_owner(op, struct totals_scan, op);
    if (scan->totals->delay_ms > 0)
        weft_sleep(op, &scan->pause, scan->totals->delay_ms, paused);
    else
        scan_ledger(scan);
}

static void scan(struct weft_op *op, struct totals_scan *scan, struct totals *totals,
                 struct weft_text item, weft_then_fn *then)
{
    scan->totals = totals;
    scan->total.item = item;
    weft_run(op, &scan->op, scan_begin, then);
}

/* ---- loads of batch and cache --------------------------------------------------------------- */

struct load {
    struct weft_flight flight;
    struct totals_scan scan;
};

static void load_scanned(struct weft_op *op, struct weft_op *scan)
{
    struct load *load = weft_owner(op, struct load, flight.promise.op);
    if (scan->status != 0)
        weft_finish(op, scan->status);
    else
        weft_flight_answer(&load->flight, &load->scan.total.sum, sizeof load->scan.total.sum);
}

static void load_begin(struct weft_op *op)
{
    struct load *load = weft_owner(op, struct load, flight.promise.op);
    struct totals *totals = weft_owner(op->parent, struct totals, owner);
    scan(op, &load->scan, totals, load->flight.key, load_scanned);
}

/* ---- promises ------------------------------------------------------------------------------- */

struct totals_promise {
    struct weft_promise promise;
    struct totals_scan scan;
    size_t size;
    char item[LEDGER_ITEM_MAX];
};

static struct totals_promise *promise_of(const struct weft_op *op)
{
    return weft_owner((struct weft_op *)op, struct totals_promise, promise.op);
}

static void promise_begin(struct weft_op *op)
{
    struct totals_promise *promise = promise_of(op);
    struct totals *totals = weft_owner(op->parent, struct totals, owner);
    scan(op, &promise->scan, totals, weft_text(promise->item, promise->size), weft_pass);
}

static bool promise_is(const struct weft_op *op, const void *key)
{
    const struct totals_promise *promise = promise_of(op);
    return weft_text_equal(weft_text(promise->item, promise->size), *(const struct weft_text *)key);
}

static void promise_take(struct weft_op *op, const void *key)
{
    struct totals_promise *promise = promise_of(op);
    const struct weft_text *item = key;
    promise->size = item->size < sizeof promise->item ? item->size : sizeof promise->item;
    memset(&promise->scan, 0, sizeof promise->scan);
    if (promise->size > 0)
        memcpy(promise->item, item->data, promise->size);
}

/* ---- asking --------------------------------------------------------------------------------- */

static void plain_there(struct weft_op *op, struct weft_op *scan)
{
    struct totals_ask *ask = weft_owner(op, struct totals_ask, op);
    ask->sum = ask->by_.scan.total.sum;
    ask->how = TOTALS_SCAN;
    weft_end(op, scan->status);
}

static int64_t read_sum(struct weft_text value)
{
    int64_t sum = 0;
    if (value.size == sizeof sum)
        memcpy(&sum, value.data, sizeof sum);
    return sum;
}

static void batch_there(struct weft_op *op, struct weft_op *batch)
{
    struct totals_ask *ask = weft_owner(op, struct totals_ask, op);
    ask->sum = read_sum(ask->by_.batch.value);
    ask->how = ask->by_.batch.joined ? TOTALS_JOINED : TOTALS_SCAN;
    weft_end(op, batch->status);
}

static void cache_there(struct weft_op *op, struct weft_op *get)
{
    static const enum totals_how hows[] = {[WEFT_CACHE_HIT] = TOTALS_HIT,
                                           [WEFT_CACHE_STALE] = TOTALS_STALE,
                                           [WEFT_CACHE_MISS] = TOTALS_MISS,
                                           [WEFT_CACHE_JOINED] = TOTALS_JOINED};
    struct totals_ask *ask = weft_owner(op, struct totals_ask, op);
    ask->sum = read_sum(ask->by_.get.value);
    ask->how = hows[ask->by_.get.how];
    weft_end(op, get->status);
}

static void promise_there(struct weft_op *op, struct weft_op *memoize)
{
    struct totals_ask *ask = weft_owner(op, struct totals_ask, op);
    if (memoize->status == 0)
        ask->sum = promise_of(ask->by_.memoize.entry)->scan.total.sum;
    weft_end(op, memoize->status);
}

static void ask_promise(struct totals_ask *ask)
{
    struct totals *totals = ask->totals;
    uint64_t misses = totals->memo.misses;
    weft_memoize(&ask->op, &ask->by_.memoize, &totals->memo, &ask->item, promise_there);
    const struct weft_op *entry = ask->by_.memoize.entry;
    if (totals->memo.misses != misses) {
        ask->how = TOTALS_MISS;
    } else if (entry != NULL && !promise_of(entry)->promise.settled) {
        ask->how = TOTALS_JOINED;
        totals->promise_joined++;
    }
}

void totals_ask_begin(struct weft_op *op)
{
    struct totals_ask *ask = weft_owner(op, struct totals_ask, op);
    struct totals *totals = ask->totals;
    if (totals == NULL || ask->mode >= TOTALS_MODES) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    totals->asked[ask->mode]++;
    ask->how = TOTALS_HIT;
    memset(&ask->by_, 0, sizeof ask->by_); /* another mode may have used it */
    if (ask->mode == TOTALS_BATCH)
        weft_batch_ask(op, &ask->by_.batch, &totals->batch, ask->item, batch_there);
    else if (ask->mode == TOTALS_CACHE)
        weft_cache_get(op, &ask->by_.get, totals->cache, ask->item, cache_there);
    else if (ask->mode == TOTALS_PROMISE)
        ask_promise(ask);
    else
        scan(op, &ask->by_.scan, totals, ask->item, plain_there);
}

/* ---- open and close ------------------------------------------------------------------------- */

static int open_batch(struct totals *totals)
{
    totals->batch = (struct weft_batch){.owner = &totals->owner,
                                        .load = load_begin,
                                        .flight_size = WEFT_FLIGHT(struct load, flight)};
    return weft_batch_open(&totals->batch);
}

static struct weft_cache cache_settings(const struct totals *totals)
{
    return (struct weft_cache){.ttl_ms = totals->ttl_ms,
                               .ahead_ms = totals->ttl_ms / TOTALS_AHEAD_PART,
                               .jitter_percent = TOTALS_JITTER_PERCENT};
}

static int open_cache(struct totals *totals)
{
    totals->local = cache_settings(totals);
    totals->local.owner = &totals->owner;
    totals->local.load = load_begin;
    totals->local.flight_size = WEFT_FLIGHT(struct load, flight);
    totals->cache = &totals->local;
    return weft_cache_open(&totals->local);
}

/* What comes from Redis may be anybody's. */
static bool is_sum(const struct weft_shared *shared, struct weft_text key, struct weft_text value)
{
    (void)shared;
    (void)key;
    return value.size == sizeof(int64_t);
}

/* That Redis is not there is no error; what else may be wrong ends the owner. */
static void open_shared(struct totals *totals)
{
    totals->shared.cache = cache_settings(totals);
    totals->shared.redis.url = totals->redis;
    totals->shared.prefix = totals->prefix;
    totals->shared.owner = &totals->owner;
    totals->shared.load = load_begin;
    totals->shared.flight_size = WEFT_FLIGHT(struct load, flight);
    totals->shared.valid = is_sum;
    totals->shared.lease_ms = totals->delay_ms + TOTALS_SCAN_MS;
    totals->cache = &totals->shared.cache;
    weft_shared(&totals->owner, &totals->shared, NULL);
}

static int open_memo(struct totals *totals)
{
    totals->promises = weft_calloc(TOTALS_PROMISES, sizeof *totals->promises);
    if (totals->promises == NULL)
        return UV_ENOMEM;
    totals->memo =
        (struct weft_memo){.entries = WEFT_SLOTS_OF(totals->promises, promise.op, TOTALS_PROMISES),
                           .owner = &totals->owner,
                           .begin = promise_begin,
                           .is = promise_is,
                           .take = promise_take,
                           .ttl_ms = totals->ttl_ms};
    return 0;
}

static int open_overview(struct totals *totals)
{
    totals->overview =
        (struct weft_cache){.owner = &totals->owner,
                            .load = totals_overview_load,
                            .flight_size = WEFT_FLIGHT(struct totals_overview_flight, flight),
                            .ttl_ms = TOTALS_OVERVIEW_MS};
    return weft_cache_open(&totals->overview);
}

/* It runs until it is cancelled, and is over when its loads are. */
static void owner_cancelled(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void totals_begin(struct weft_op *op)
{
    weft_on_cancel(op, owner_cancelled);
}

int totals_open(struct totals *totals, struct weft_op *op)
{
    weft_run(op, &totals->owner, totals_begin, NULL);
    int err = open_batch(totals);
    if (totals->redis != NULL)
        open_shared(totals);
    else if (err == 0)
        err = open_cache(totals);
    if (err == 0)
        err = open_memo(totals);
    if (err == 0)
        err = open_overview(totals);
    return err;
}

void totals_close(struct totals *totals)
{
    if (weft_cache_close(&totals->overview) != 0 || weft_cache_close(&totals->local) != 0 ||
        weft_batch_close(&totals->batch) != 0 || weft_memo_close(&totals->memo) != 0)
        return; /* somebody asks still, who is below op: then it was not over */
    weft_free(totals->promises);
    totals->promises = NULL;
}
