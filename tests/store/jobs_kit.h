/* A producer, two workers and a Redis, on one loop; and tasks whose results can be checked.
 *
 * A payload is "chunks delay_ms status": so many chunks, a pause before each, and how it ends. Chunk k of part
 * p is "p.k", and goes with the checkpoint "after p.k". */
#ifndef TESTS_STORE_JOBS_KIT_H
#define TESTS_STORE_JOBS_KIT_H

#include "redis_kit.h"
#include <signal.h>
#include <stdlib.h>
#include <weft/jobs.h>

enum { JOBS_PARTS = 512, JOBS_PAYLOAD = 32 };

struct chore {
    struct weft_jobs_task task;
    struct weft_jobs_emit emit;
    struct weft_sleep nap;
    unsigned chunks, delay_ms;
    int status;
    char data[48], checkpoint[64];
};

struct order {
    struct weft_jobs_run run;
    char texts[JOBS_PARTS][JOBS_PAYLOAD];
    struct weft_text payloads[JOBS_PARTS];
    unsigned chunks[JOBS_PARTS], ends[JOBS_PARTS];
    unsigned pause_at; /* says false at that chunk of them all; 0: never */
    unsigned asked;
};

static struct jobs_scene {
    struct world w;
    struct redis_server server;
    bool owns;
    struct weft_jobs jobs;
    struct weft_jobs_worker one, other;
    struct order order, second;
    unsigned begun;      /* tasks, of both */
    struct chore *chore; /* the last one that was begun */
} s;

/* ---- tasks ---------------------------------------------------------------------------------- */

static inline void chore_step(struct chore *chore);

static inline void chore_said(struct weft_op *op, struct weft_op *emit)
{
    struct chore *chore = weft_owner(op, struct chore, task.op);
    if (emit->status != 0)
        weft_finish(op, emit->status);
    else
        chore_step(chore);
}

static inline void chore_slept(struct weft_op *op, struct weft_op *nap)
{
    struct chore *chore = weft_owner(op, struct chore, task.op);
    struct weft_jobs_task *task = &chore->task;
    if (nap->status != 0) {
        weft_finish(op, nap->status);
        return;
    }
    snprintf(chore->data, sizeof chore->data, "%zu.%u", task->part, (unsigned)task->chunks);
    snprintf(chore->checkpoint, sizeof chore->checkpoint, "after %s", chore->data);
    weft_jobs_emit(op, &chore->emit, task, weft_text_of(chore->data),
                   weft_text_of(chore->checkpoint), chore_said);
}

static inline void chore_step(struct chore *chore)
{
    struct weft_op *op = &chore->task.op;
    if (chore->task.chunks < chore->chunks) {
        weft_sleep(op, &chore->nap, chore->delay_ms, chore_slept);
        return;
    }
    if (chore->status != 0)
        snprintf(chore->task.why, sizeof chore->task.why, "part %zu says no", chore->task.part);
    weft_finish(op, chore->status);
}

static inline void chore_begin(struct weft_op *op)
{
    struct chore *chore = weft_owner(op, struct chore, task.op);
    const struct weft_jobs_task *task = &chore->task;
    char expected[48] = "";
    s.begun++;
    s.chore = chore;
    if (sscanf(task->payload.data, "%u %u %d", &chore->chunks, &chore->delay_ms, &chore->status) !=
        3) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    if (task->chunks > 0)
        snprintf(expected, sizeof expected, "after %zu.%u", task->part, (unsigned)task->chunks - 1);
    if (!weft_text_is(task->checkpoint, expected))
        weft_finish(op, UV_EPROTO); /* assertions are no use in another process */
    else
        chore_step(chore);
}

/* ---- orders --------------------------------------------------------------------------------- */

static inline bool order_result(struct weft_jobs_run *run, size_t part, struct weft_text data)
{
    struct order *order = weft_owner(run, struct order, run);
    char expected[48];
    snprintf(expected, sizeof expected, "%zu.%u", part, order->chunks[part]++);
    text_is(data, expected);
    assert_int_equal(order->ends[part], 0);
    return order->pause_at == 0 || run->chunks != order->pause_at;
}

static inline void order_part(struct weft_jobs_run *run, size_t part)
{
    weft_owner(run, struct order, run)->ends[part]++;
}

static inline void order_set(struct order *order, size_t parts, unsigned chunks, unsigned delay_ms)
{
    assert_true(parts <= JOBS_PARTS);
    memset(order, 0, sizeof *order);
    order->run.jobs = &s.jobs;
    order->run.parts = parts;
    order->run.payloads = order->payloads;
    order->run.on_result = order_result;
    order->run.on_part = order_part;
    for (size_t i = 0; i < parts; i++) {
        snprintf(order->texts[i], JOBS_PAYLOAD, "%u %u 0", chunks, delay_ms);
        order->payloads[i] = weft_text_of(order->texts[i]);
    }
}

static inline void order_begin(struct order *order)
{
    weft_jobs_run(weft_root(&s.w.loop), &order->run, weft_ignore);
}

/* It has ended well, with every chunk of every part once. */
static inline void order_is_complete(struct order *order, unsigned chunks)
{
    until(&s.w, is_over(&order->run.op));
    if (order->run.op.status != 0)
        fail_msg("a run ended with %s: %s", weft_error_name(order->run.op.status), order->run.why);
    assert_int_equal(order->run.ended, order->run.parts);
    assert_int_equal(order->run.chunks, order->run.parts * chunks);
    for (size_t i = 0; i < order->run.parts; i++) {
        assert_int_equal(order->chunks[i], chunks);
        assert_int_equal(order->ends[i], 1);
    }
}

static inline void order_fails(struct order *order, int status)
{
    until(&s.w, is_over(&order->run.op));
    assert_string_equal(weft_error_name(order->run.op.status), weft_error_name(status));
}

/* ---- up and down ---------------------------------------------------------------------------- */

static inline void set_redis(struct weft_redis *redis)
{
    redis->url = s.server.url;
    if (redis->backoff_ms == 0)
        redis->backoff_ms = 5, redis->backoff_max_ms = 20;
}

static inline void jobs_up(void)
{
    set_redis(&s.jobs.redis);
    s.jobs.queue = "test";
    weft_jobs(weft_root(&s.w.loop), &s.jobs, weft_ignore);
}

static inline void worker_up(struct weft_jobs_worker *worker)
{
    set_redis(&worker->redis);
    worker->queue = "test";
    worker->begin = chore_begin;
    worker->task_size = WEFT_JOBS_TASK(struct chore, task);
    weft_jobs_worker(weft_root(&s.w.loop), worker, weft_ignore);
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
}

/* The same with a server of its own, that remembers. */
static inline void scene_prepare_kept(void)
{
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    redis_server_up_kept(&s.server, NULL);
    s.owns = true;
}

static inline void scene_down(void)
{
    weft_jobs_close(&s.jobs);
    weft_jobs_worker_close(&s.one);
    weft_jobs_worker_close(&s.other);
    world_down(&s.w);
    if (s.owns)
        redis_server_down(&s.server);
}

/* The same, and nothing is left in Redis. */
static inline void scene_down_clean(void)
{
    weft_jobs_close(&s.jobs);
    weft_jobs_worker_close(&s.one);
    weft_jobs_worker_close(&s.other);
    assert_int_equal(world_run(&s.w), 0);
    const char *keys = redis_server_say(&s.server, "KEYS *");
    if (strcmp(keys, "*0\r\n") != 0)
        fail_msg("left in Redis: %s", keys);
    scene_down();
}

/* The first text of an answer that has this length: an id, a key. */
static inline const char *entry_in(const char *answer)
{
    static char entry[64];
    const char *dash = strchr(answer, '-');
    if (dash == NULL)
        fail_msg("there is no entry in %s", answer);
    const char *from = dash;
    while (from > answer && from[-1] >= '0' && from[-1] <= '9')
        from--;
    snprintf(entry, sizeof entry, "%.*s", (int)strcspn(from, "\r\n"), from);
    return entry;
}

#endif
