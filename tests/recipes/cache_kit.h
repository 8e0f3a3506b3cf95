/* What the tests of the cache share: loads that are jobs and answer "key#number of the load", people who
 * ask and remember what they were told, and what holds of a cache at every moment. */
#ifndef TESTS_RECIPES_CACHE_KIT_H
#define TESTS_RECIPES_CACHE_KIT_H

#include "model.h"
#include "recipes/cache.h"
#include <stdlib.h>
#include <string.h>

enum { ASKERS = 12, VALUE_SIZE = 64 };

struct loading {
    struct weft_flight flight;
    struct job job;
    unsigned number; /* from 1 */
};

static struct world w;
static struct weft_cache cache;
static struct weft_op owner;
static struct job next_job;  /* how the next load goes */
static uint64_t next_ttl_ms; /* what it says about its answer */
static unsigned load_count;
static struct loading *latest; /* load; gone when that is over */

static struct asker {
    struct weft_cache_get get;
    unsigned told;
    int status;
    enum weft_cache_how how;
    char value[VALUE_SIZE];
} askers[ASKERS];

/* ---- what always holds ---------------------------------------------------------------------- */

/* true: all adds up. */
static inline bool cache_adds_up(const struct weft_cache *it)
{
    const struct weft_cache_inside *inside = it->inside_;
    const struct weft_cache_stats *stats = &it->stats;
    size_t bytes = 0, entries = 0, mortal = 0, queued = 0;
    for (size_t i = 0; i < table_slots(&inside->table); i++) {
        const struct weft_cell *cell = table_at(&inside->table, i);
        if (cell == NULL)
            continue;
        entries++;
        bytes += cell_cost(cell);
        mortal += cell->gone_ms != WEFT_CACHE_FOREVER;
    }
    for (int i = 0; i < QUEUES; i++) {
        const struct line *line = &inside->policy.queues[i];
        size_t sum = 0;
        for (const struct weft_cell *cell = line->oldest; cell != NULL; cell = cell->newer)
            sum += cell_cost(cell);
        if (sum != line->bytes)
            return false;
        queued += sum;
    }
    return bytes == it->bytes && bytes == queued && it->bytes <= it->bytes_limit &&
           entries == it->entries && entries == inside->table.count && mortal == inside->mortal &&
           stats->stored ==
               entries + stats->replaced + stats->evicted + stats->expired + stats->forgotten &&
           stats->refreshes <= stats->loads && stats->rescued <= stats->errors;
}

static inline void check_cache(void)
{
    assert_true(cache_adds_up(&cache));
}

/* ---- loads ---------------------------------------------------------------------------------- */

static inline void job_done(struct weft_op *op, struct weft_op *job)
{
    struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    char value[VALUE_SIZE];
    if (job->status != 0) {
        weft_end(op, job->status);
        return;
    }
    int size = snprintf(value, sizeof value, "%.*s#%u", WEFT_TEXT_ARGS(loading->flight.key),
                        loading->number);
    weft_flight_answer(&loading->flight, value, (size_t)size);
}

static inline void load_begin(struct weft_op *op)
{
    latest = weft_owner(op, struct loading, flight.promise.op);
    latest->number = ++load_count;
    latest->job = next_job;
    latest->flight.ttl_ms = next_ttl_ms;
    weft_run(op, &latest->job.op, job_begin, job_done);
}

static inline void answer_nothing(struct weft_op *op)
{
    load_count++;
    weft_flight_answer(weft_owner(op, struct weft_flight, promise.op), NULL, 0);
}

/* ---- the cache ------------------------------------------------------------------------------ */

static inline void prepare(void)
{
    memset(askers, 0, sizeof askers);
    memset(&owner, 0, sizeof owner);
    load_count = 0;
    latest = NULL;
    next_job = (struct job){.ms = 5};
    next_ttl_ms = 0;
    w.loop.stuck_to = NULL; /* the owner is there until the test ends it */
    weft_run(weft_root(&w.loop), &owner, NULL, weft_ignore);
    cache = (struct weft_cache){
        .owner = &owner, .load = load_begin, .flight_size = WEFT_FLIGHT(struct loading, flight)};
}

/* On a virtual clock, with a cache that the test may change before it opens it. */
static inline void up(void)
{
    model_up(&w);
    prepare();
}

/* The same where there may be no memory for a loop; false: there is none. */
static inline bool up_if_possible(void)
{
    memset(&w, 0, sizeof w);
    assert_int_equal(uv_loop_init(&w.uv), 0);
    if (weft_loop_init(&w.loop, &w.uv) != 0) {
        uv_run(&w.uv, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&w.uv), 0);
        return false;
    }
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, 0), 0);
    w.simulated = true;
    prepare();
    return true;
}

static inline void open_cache(void)
{
    assert_int_equal(weft_cache_open(&cache), 0);
}

static inline void up_with_ttl(uint64_t ttl_ms)
{
    up();
    cache.ttl_ms = ttl_ms;
    open_cache();
}

static inline void down(void)
{
    world_run(&w);
    check_cache();
    assert_int_equal(weft_cache_close(&cache), 0);
    weft_end(&owner, 0);
    world_down(&w);
}

static inline void pass(uint64_t ms)
{
    weft_sim_advance(&w.sim, ms);
}

static inline struct weft_text key(const char *text)
{
    return weft_text_of(text);
}

static inline int put(const char *name, const char *value)
{
    int err = weft_cache_put(&cache, key(name), value, strlen(value), 0);
    check_cache();
    return err;
}

static inline bool has(const char *name, const char *value)
{
    struct weft_text found;
    bool is_there = weft_cache_look(&cache, key(name), &found);
    check_cache();
    return is_there && weft_text_is(found, value);
}

static inline bool has_not(const char *name)
{
    bool is_there = weft_cache_look(&cache, key(name), NULL);
    check_cache();
    return !is_there;
}

/* ---- asking --------------------------------------------------------------------------------- */

static inline void asker_told(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct asker *asker = weft_owner(op, struct asker, get.await.op);
    asker->told++;
    asker->status = op->status;
    asker->how = asker->get.how;
    asker->value[0] = '\0';
    check_cache();
    if (op->status != 0) {
        assert_null(asker->get.cell);
        return;
    }
    struct weft_text value = weft_cell_value(asker->get.cell);
    assert_true(weft_text_equal(value, asker->get.value) && value.size < VALUE_SIZE);
    snprintf(asker->value, sizeof asker->value, "%.*s", WEFT_TEXT_ARGS(value));
}

static inline struct asker *ask(int which, const char *name)
{
    struct asker *asker = &askers[which];
    weft_cache_get(weft_root(&w.loop), &asker->get, &cache, key(name), asker_told);
    check_cache();
    return asker;
}

/* Run until nothing is ready; the clock stands. */
static inline void settle(void)
{
    pass(0);
}

/* Loads a value and waits until it is there. */
static inline void have(const char *name)
{
    struct asker *asker = ask(ASKERS - 1, name);
    pass(next_job.ms);
    assert_int_equal(asker->status, 0);
    asker->told = 0;
}

/* It was told once more, this. */
static inline void assert_got(struct asker *asker, enum weft_cache_how how, const char *value)
{
    assert_int_equal(asker->told, 1);
    assert_int_equal(asker->status, 0);
    assert_int_equal(asker->how, how);
    assert_string_equal(asker->value, value);
    asker->told = 0;
}

static inline void assert_failed(struct asker *asker, int status)
{
    assert_int_equal(asker->told, 1);
    assert_int_equal(asker->status, status);
    asker->told = 0;
}

#endif
