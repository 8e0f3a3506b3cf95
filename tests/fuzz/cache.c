/* Bytes as operations on a cache: after each of them its bytes are below the limit, and all it counts adds
 * up. The first four bytes choose the cache, then two bytes are one operation: what, and with which key
 * and how much. */
#include "recipes/cache.h"
#include <stdio.h>
#include <stdlib.h>
#include <weft/sim.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "cache.c:%d: %s\n", __LINE__, #holds);                                 \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { PEOPLE = 4, OPERATIONS = 2000 };

static struct weft_cache cache;
static struct weft_sim sim;
static struct weft_cache_get people[PEOPLE];
static bool asking[PEOPLE];
static struct weft_flight *waiting; /* the last load that has not answered */
static uint8_t how;                 /* the next load goes */

static size_t check_queue(const struct line *line)
{
    size_t bytes = 0;
    const struct weft_cell *newer = NULL;
    for (const struct weft_cell *cell = line->newest; cell != NULL; cell = cell->older) {
        CHECK(cell->newer == newer);
        newer = cell;
        bytes += cell_cost(cell);
    }
    CHECK(line->oldest == newer && line->bytes == bytes);
    return bytes;
}

static void check(void)
{
    struct weft_cache_inside *inside = cache.inside_;
    const struct weft_cache_stats *stats = &cache.stats;
    size_t bytes = 0, entries = 0, mortal = 0;
    for (size_t i = 0; i < table_slots(&inside->table); i++) {
        const struct weft_cell *cell = table_at(&inside->table, i);
        if (cell == NULL)
            continue;
        entries++;
        bytes += cell_cost(cell);
        mortal += cell->gone_ms != WEFT_CACHE_FOREVER;
        CHECK(weft__table_find(&inside->table, weft_cell_key(cell), cell->hash) == cell);
    }
    CHECK(cache.bytes <= cache.bytes_limit && cache.bytes == bytes);
    CHECK(cache.entries == entries && inside->table.count == entries && inside->mortal == mortal);
    CHECK(check_queue(&inside->policy.queues[QUEUE_SMALL]) +
              check_queue(&inside->policy.queues[QUEUE_MAIN]) ==
          bytes);
    CHECK(stats->stored ==
          entries + stats->replaced + stats->evicted + stats->expired + stats->forgotten);
    CHECK(stats->refreshes <= stats->loads && stats->rescued <= stats->errors);
}

/* ---- loads and people ------------------------------------------------------------------------ */

static void stop(struct weft_op *op, int reason)
{
    if (waiting == weft_owner(op, struct weft_flight, promise.op))
        waiting = NULL;
    weft_finish(op, reason);
}

static void answer(struct weft_flight *flight)
{
    static const char zeros[64 * 64];
    flight->ttl_ms = how % 5;
    weft_on_cancel(&flight->promise.op, NULL);
    if (how % 7 == 0)
        weft_finish(&flight->promise.op, UV_EIO);
    else if (how % 11 == 0)
        weft_finish(&flight->promise.op, 0); /* and no answer */
    else
        weft_flight_answer(flight, zeros, (size_t)(how % 64) * (how % 64));
}

static void load(struct weft_op *op)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    weft_on_cancel(op, stop);
    if (waiting != NULL || how % 2 == 0)
        answer(flight);
    else
        waiting = flight;
}

static void told(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    const struct weft_cache_get *get = weft_owner(op, struct weft_cache_get, await.op);
    asking[get - people] = false;
    CHECK((op->status == 0) == (get->cell != NULL));
    CHECK(get->cell == NULL || weft_text_equal(get->value, weft_cell_value(get->cell)));
}

static void wake(void)
{
    struct weft_flight *flight = waiting;
    waiting = NULL;
    if (flight != NULL)
        answer(flight);
}

/* ---- operations ----------------------------------------------------------------------------- */

static struct weft_text key_of(uint8_t byte)
{
    static const char letters[] = "aaaabbbbccccddddeeeeffffgggghhhhiiiijjjj";
    return weft_text(letters + byte % 5, (size_t)(byte / 5 % 32));
}

static void get(struct weft_op *root, size_t who, struct weft_text key)
{
    if (asking[who]) {
        weft_cancel(&people[who].await.op, UV_EINTR);
        return;
    }
    asking[who] = true;
    weft_cache_get(root, &people[who], &cache, key, told);
}

static void operate(struct weft_op *root, uint8_t what, uint8_t with)
{
    static const char zeros[256 * 16];
    struct weft_text key = key_of(with);
    how = (uint8_t)(what ^ with);
    switch (what % 8) {
    case 0:
        weft_cache_put(&cache, key, zeros, (size_t)(what / 8) * with / 2, what / 64);
        break;
    case 1:
        weft_cache_forget(&cache, key);
        break;
    case 2:
        if (what / 8 % 4 == 0)
            weft_cache_forget_prefix(&cache, key);
        break;
    case 3:
        weft_cache_look(&cache, key, NULL);
        break;
    case 4:
        weft_sim_advance(&sim, with % 16);
        break;
    case 5:
        wake();
        break;
    default:
        get(root, what / 8 % PEOPLE, key);
    }
}

static void choose(struct weft_op *owner, const uint8_t *data)
{
    cache = (struct weft_cache){.owner = owner,
                                .load = load,
                                .bytes_limit = (size_t)data[0] * 32,
                                .policy = data[1] % 2 == 0 ? WEFT_S3FIFO : WEFT_LRU,
                                .loads_limit = data[1] / 2 % 4,
                                .jitter_percent = data[1] / 8,
                                .ttl_ms = data[2] % 16,
                                .ahead_ms = data[2] / 16 % 4,
                                .load_ms = data[2] / 64 * 4,
                                .stale_ms = data[3] % 8,
                                .stale_if_error_ms = data[3] / 8 % 8,
                                .error_ttl_ms = data[3] / 64};
    CHECK(weft_cache_open(&cache) == 0);
}

static void play(struct weft_loop *loop, const uint8_t *data, size_t size)
{
    struct weft_op owner = {0};
    weft_run(weft_root(loop), &owner, NULL, weft_ignore);
    choose(&owner, data);
    for (size_t i = 4; i + 1 < size && i < OPERATIONS; i += 2) {
        operate(weft_root(loop), data[i], data[i + 1]);
        check();
        if (data[i + 1] % 3 == 0)
            weft_sim_advance(&sim, 0);
        check();
    }
    weft_cancel(weft_root(loop), UV_ECANCELED);
    weft_sim_run(&sim);
    check();
    CHECK(weft_cache_close(&cache) == 0);
    weft_finish(&owner, UV_ECANCELED);
    CHECK(weft_sim_run(&sim) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uv_loop_t uv;
    struct weft_loop loop;
    if (size < 4)
        return 0;
    waiting = NULL;
    for (int i = 0; i < PEOPLE; i++) {
        people[i] = (struct weft_cache_get){0};
        asking[i] = false;
    }
    CHECK(uv_loop_init(&uv) == 0 && weft_loop_init(&loop, &uv) == 0);
    loop.stuck_to = NULL;
    CHECK(weft_sim_init(&sim, &loop, 0) == 0);
    play(&loop, data, size);
    CHECK(weft_sim_close(&sim) == 0 && weft_loop_close(&loop) == 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&uv) == 0);
    return 0;
}
