/* Two sides that share a cache, as two processes would, but on one loop. */
#ifndef TESTS_STORE_SHARED_KIT_H
#define TESTS_STORE_SHARED_KIT_H

#include "redis_kit.h"
#include <signal.h>
#include <stdlib.h>
#include <weft/shared.h>

enum { VALUE = 128 };

struct side {
    struct weft_shared shared;
    const char *name;
    unsigned loads;
    uint64_t load_takes_ms, ttl_ms;
    int fails; /* the loads' status */
    size_t size;
};

struct job {
    struct weft_flight flight;
    struct weft_sleep nap;
};

struct request {
    struct weft_cache_get get;
    char value[VALUE];
    size_t size;
};

static struct shared_scene {
    struct world w;
    struct redis_server server;
    bool owns;
    struct side one, other;
    struct weft_shared_forget forget;
    struct request request, more[4];
} s;

/* ---- loading -------------------------------------------------------------------------------- */

/* The value says whose it is and which: "one 1". */
static inline void job_done(struct weft_op *op, struct weft_op *nap)
{
    struct job *job = weft_owner(op, struct job, flight.promise.op);
    struct side *side = weft_owner(op->parent, struct side, shared.op);
    char value[VALUE];
    if (nap->status != 0 || side->fails != 0) {
        weft_finish(op, nap->status != 0 ? nap->status : side->fails);
        return;
    }
    snprintf(value, sizeof value, "%s %u", side->name, side->loads);
    job->flight.ttl_ms = side->ttl_ms;
    if (side->size == 0) {
        weft_flight_answer(&job->flight, value, strlen(value));
        return;
    }
    char *large = calloc(1, side->size);
    weft_flight_answer(&job->flight, large, side->size);
    free(large);
}

static inline void job_begin(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, flight.promise.op);
    struct side *side = weft_owner(op->parent, struct side, shared.op);
    side->loads++;
    weft_sleep(op, &job->nap, side->load_takes_ms, job_done);
}

/* ---- up and down ---------------------------------------------------------------------------- */

static inline void side_up(struct side *side, const char *name)
{
    struct weft_shared *shared = &side->shared;
    side->name = name;
    shared->redis.url = s.server.url;
    shared->redis.backoff_ms = 5;
    shared->redis.backoff_max_ms = 20;
    shared->prefix = "test:";
    if (shared->load == NULL)
        shared->load = job_begin;
    shared->flight_size = WEFT_FLIGHT(struct job, flight);
    if (shared->cache.ttl_ms == 0)
        shared->cache.ttl_ms = 60000;
    weft_shared(weft_root(&s.w.loop), shared, weft_ignore);
}

static inline bool side_ready(const struct side *side)
{
    return side->shared.redis.connected && side->shared.listening;
}

static inline void both_ready(void)
{
    until(&s.w, side_ready(&s.one) && side_ready(&s.other));
}

/* One server for all tests of a program, empty for each. */
static inline void scene_prepare(void)
{
    static struct redis_server server;
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    if (server.pid == 0)
        redis_server_up(&server, NULL);
    s.server = server;
    redis_server_say(&server, "FLUSHALL");
    redis_server_say(&server, "SCRIPT FLUSH");
    redis_server_say(&server, "CONFIG RESETSTAT");
}

/* The same with a server of its own, for those that do something to it. */
static inline void scene_prepare_own(void)
{
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    redis_server_up(&s.server, NULL);
    s.owns = true;
}

static inline void scene_start(void)
{
    side_up(&s.one, "one");
    side_up(&s.other, "other");
    both_ready();
}

static inline void scene_up(void)
{
    scene_prepare();
    scene_start();
}

static inline void scene_up_own(void)
{
    scene_prepare_own();
    scene_start();
}

static inline void scene_down(void)
{
    weft_shared_close(&s.one.shared);
    weft_shared_close(&s.other.shared);
    world_down(&s.w);
    if (s.owns)
        redis_server_down(&s.server);
}

/* ---- asking --------------------------------------------------------------------------------- */

static inline void request_told(struct weft_op *root, struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, get.await.op);
    (void)root;
    request->size = request->get.value.size;
    snprintf(request->value, sizeof request->value, "%.*s", WEFT_TEXT_ARGS(request->get.value));
}

static inline void request_begin(struct side *side, struct request *request, const char *key)
{
    weft_shared_get(weft_root(&s.w.loop), &request->get, &side->shared, weft_text_of(key),
                    request_told);
}

static inline const char *request_end(struct request *request)
{
    until(&s.w, is_over(&request->get.await.op));
    if (request->get.await.op.status != 0)
        fail_msg("a get ended with %s", weft_error_name(request->get.await.op.status));
    return request->value;
}

static inline const char *get(struct side *side, const char *key)
{
    request_begin(side, &s.request, key);
    return request_end(&s.request);
}

static inline int forget(struct side *side, const char *key)
{
    weft_shared_forget(weft_root(&s.w.loop), &s.forget, &side->shared, weft_text_of(key),
                       weft_ignore);
    until(&s.w, is_over(&s.forget.op));
    return s.forget.op.status;
}

/* Until what was sent in the background has been stored. */
static inline void stored(struct side *side, uint64_t sets)
{
    until(&s.w, side->shared.stats.sets == sets);
}

#endif
