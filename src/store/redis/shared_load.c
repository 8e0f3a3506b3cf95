/* A load of the local cache: Redis first, then the caller's own load.
 *
 *     take ──► value ───────────────────────────────────────► answer
 *       │  ──► lease ──► load ──► answer, and settle by an errand
 *       │  ──► busy ──► pause ──► take …  too long: load without a lease
 *       └────► no Redis ────────► load
 *
 * The steps are children of the flight's op, one at a time. A cancel reaches the one that is under way, and
 * its then sees it. The caller's load runs in a batch of ours, with a flight of its own. */
#include "random.h"
#include "shared.h"
#include <inttypes.h>
#include <stdio.h>

/* One who waits sees a lease out whose holder has died, and the one that follows it. */
enum { PAUSE_MS = 4, PAUSE_MAX_MS = 64, LEASES = 2, NUMBER = 24 };

struct shared_flight {
    struct weft_flight flight;
    struct weft_shared *shared;
    struct shared_flight *next, **link; /* of those under way */
    struct shared_call call;
    struct shared_lease lease;
    char fresh[SHARED_TOKEN]; /* a generation, should there be none */
    char lease_ms[NUMBER], ahead_ms[NUMBER], ttl_ms[NUMBER];
    bool leased, waited;
    uint64_t since_ms, pause_ms;
    struct weft_sleep pause;
    struct weft_batch_ask ask;
};

size_t weft__shared_flight_size(void)
{
    return WEFT_FLIGHT(struct shared_flight, flight);
}

static struct shared_flight *flight_of(struct weft_op *op)
{
    return weft_owner(op, struct shared_flight, flight.promise.op);
}

static uint64_t lease_ms(const struct weft_shared *shared)
{
    uint64_t ms = shared->lease_ms != 0 ? shared->lease_ms : WEFT_SHARED_LEASE_MS;
    return ms < SHARED_MS_MAX ? ms : SHARED_MS_MAX;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* While messages may be missed nothing is kept for long. */
static void limit_ttl(struct shared_flight *load)
{
    uint64_t ttl_ms = load->flight.ttl_ms != 0 ? load->flight.ttl_ms : load->shared->cache.ttl_ms;
    if (!load->shared->listening && (ttl_ms == 0 || ttl_ms > WEFT_SHARED_ALONE_MS))
        load->flight.ttl_ms = WEFT_SHARED_ALONE_MS;
}

static void end(struct shared_flight *load, int status)
{
    struct weft_shared_engine *engine = load->shared->engine_;
    weft__shared_call_free(&load->call);
    limit_ttl(load);
    *load->link = load->next;
    if (load->next != NULL)
        load->next->link = load->link;
    weft_finish(&load->flight.promise.op, status);
    if (engine != NULL)
        weft__shared_leave(engine);
}

void weft__shared_loads_cancel(struct weft_shared_engine *engine)
{
    for (struct shared_flight *load = engine->flights; load != NULL; load = load->next)
        weft_cancel(&load->flight.promise.op, UV_ECANCELED);
}

/* Store what the load has answered, or if that is nothing, give the lease back alone. */
static void settle(struct shared_flight *load, struct weft_cell *cell)
{
    struct weft_shared_engine *engine = load->shared->engine_;
    bool chosen = load->ask.ttl_ms != 0;
    const struct shared_time time = {chosen ? load->ask.ttl_ms : load->shared->cache.ttl_ms,
                                     chosen};
    if (engine != NULL)
        weft__shared_settle(engine, load->flight.key, &load->lease, cell, &time);
}

/* ---- the caller's load ---------------------------------------------------------------------- */

static void loaded(struct weft_op *op, struct weft_op *child)
{
    struct shared_flight *load = flight_of(op);
    int status = child->status;
    if (status == 0) {
        load->flight.ttl_ms = load->ask.ttl_ms;
        status = weft_flight_set(&load->flight, load->ask.value.data, load->ask.value.size);
    }
    if (load->leased)
        settle(load, status == 0 ? load->ask.cell : NULL);
    end(load, status);
}

static void load_here(struct shared_flight *load)
{
    weft_batch_ask(&load->flight.promise.op, &load->ask, &load->shared->engine_->batch,
                   load->flight.key, loaded);
}

/* ---- Redis ---------------------------------------------------------------------------------- */

static void take(struct shared_flight *load);

static void paused(struct weft_op *op, struct weft_op *pause)
{
    if (weft_cancelled(op) != 0)
        end(flight_of(op), pause->status);
    else
        take(flight_of(op));
}

static void wait_a_little(struct shared_flight *load)
{
    struct weft_shared *shared = load->shared;
    struct weft_op *op = &load->flight.promise.op;
    if (!load->waited) {
        shared->stats.waits++;
        load->waited = true;
        load->since_ms = weft_now(weft_loop_of(op));
    }
    if (weft_now(weft_loop_of(op)) - load->since_ms >= LEASES * lease_ms(shared)) {
        shared->stats.gave_up++;
        load_here(load);
        return;
    }
    weft_sleep(op, &load->pause, load->pause_ms + weft__redis_random() % load->pause_ms, paused);
    if (load->pause_ms < PAUSE_MAX_MS)
        load->pause_ms *= 2;
}

static void use_value(struct shared_flight *load, const struct shared_taken *taken)
{
    load->shared->stats.remote_hits++;
    load->flight.ttl_ms = taken->ttl_ms;
    end(load, weft_flight_set(&load->flight, taken->value.data, taken->value.size));
}

static void use_lease(struct shared_flight *load, const struct shared_taken *taken)
{
    struct weft_shared_stats *stats = &load->shared->stats;
    stats->remote_misses++;
    stats->leases++;
    stats->garbage += taken->replaces_garbage;
    load->leased = true;
    memcpy(load->lease.generation, taken->generation, SHARED_TOKEN);
    load_here(load);
}

static void do_without(struct shared_flight *load)
{
    load->shared->stats.remote_errors++;
    load_here(load);
}

/* The connection was lost with the answer. What was sent may still be read from it. */
static bool is_open_whether_obeyed(int status)
{
    return status == UV_ETIMEDOUT || status == UV_ECONNRESET || status == UV_EPROTO ||
           status == UV_EFBIG;
}

/* What the caller cannot have stored is taken away, for all, so that a later load can store. */
static bool is_valid(struct shared_flight *load, struct weft_text value)
{
    const struct weft_shared *shared = load->shared;
    if (shared->valid == NULL || shared->valid(shared, load->flight.key, value))
        return true;
    weft__shared_tell(shared->engine_, load->flight.key, false, NULL);
    return false;
}

static void taken(struct weft_op *op, struct weft_op *call)
{
    struct shared_flight *load = flight_of(op);
    struct shared_taken found = {0};
    if (weft_cancelled(op) != 0 || is_open_whether_obeyed(call->status))
        settle(load, NULL); /* the lease, if it was given */
    if (weft_cancelled(op) != 0) {
        end(load, weft_cancelled(op));
        return;
    }
    if (call->status == 0)
        weft__shared_read_taken(load->call.command.reply, &found);
    if (found.found == SHARED_VALUE && !is_valid(load, found.value))
        found.found = SHARED_NONSENSE;
    if (call->status == 0 && found.found == SHARED_NONSENSE)
        load->shared->stats.garbage++;
    if (found.found == SHARED_VALUE && !shared_owes(load->shared->engine_))
        use_value(load, &found);
    else if (found.found == SHARED_LEASE)
        use_lease(load, &found);
    else if (found.found == SHARED_BUSY)
        wait_a_little(load);
    else
        do_without(load);
}

/* Its arguments lie in the flight. */
static int prepare(struct shared_flight *load)
{
    struct shared_call *call = &load->call;
    int status = weft__shared_call_init(call, load->shared->engine_, SHARED_TAKE, load->flight.key);
    if (status != 0)
        return status;
    weft__shared_token(load->lease.token);
    weft__shared_token(load->fresh);
    snprintf(load->lease_ms, sizeof load->lease_ms, "%" PRIu64, lease_ms(load->shared));
    snprintf(load->ahead_ms, sizeof load->ahead_ms, "%" PRIu64, load->shared->cache.ahead_ms);
    uint64_t ttl_ms = load->shared->cache.ttl_ms;
    snprintf(load->ttl_ms, sizeof load->ttl_ms, "%" PRIu64, ttl_ms < SHARED_MS_MAX ? ttl_ms : 0);
    weft__shared_call_arg(call, load->lease.token, SHARED_TOKEN);
    weft__shared_call_arg(call, load->lease_ms, strlen(load->lease_ms));
    weft__shared_call_arg(call, load->ahead_ms, strlen(load->ahead_ms));
    weft__shared_call_arg(call, load->fresh, SHARED_TOKEN);
    weft__shared_call_arg(call, SHARED_VERSION, strlen(SHARED_VERSION));
    weft__shared_call_arg(call, load->ttl_ms, strlen(load->ttl_ms));
    return 0;
}

static void take(struct shared_flight *load)
{
    weft_redis_command_free(&load->call.command);
    weft_run(&load->flight.promise.op, &load->call.op, weft__shared_call_begin, taken);
}

void weft__shared_load_begin(struct weft_op *op)
{
    struct shared_flight *load = flight_of(op);
    load->shared = weft_owner(op->parent, struct weft_shared, op);
    struct weft_shared_engine *engine = load->shared->engine_;
    if (engine->leaving) {
        weft_finish(op, UV_ECANCELED);
        return;
    }
    load->next = engine->flights;
    load->link = &engine->flights;
    if (load->next != NULL)
        load->next->link = &load->next;
    engine->flights = load;
    load->pause_ms = PAUSE_MS;
    weft__shared_pay(engine);
    if (shared_owes(engine) || prepare(load) != 0)
        do_without(load);
    else
        take(load);
}
