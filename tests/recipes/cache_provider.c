/* A get is an operation as all others are; and there may be no memory.
 * ctest: labels=valgrind-long */
#include "cache_kit.h"
#include "fault.h"
#include "provider.h"

/* ---- conformance ---------------------------------------------------------------------------- */

static unsigned provider_number;

struct provided {
    struct weft_cache_get get;
    char name[16];
};

static void load_for_provider(struct weft_op *op)
{
    const struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    next_job = (struct job){.ms = 1};
    if (loading->flight.key.size > 0 && loading->flight.key.data[0] == '!')
        next_job.status = UV_EIO;
    load_begin(op);
}

static void provider_up(struct weft_loop *loop)
{
    cache = (struct weft_cache){.owner = weft_root(loop),
                                .load = load_for_provider,
                                .flight_size = WEFT_FLIGHT(struct loading, flight)};
    if (weft_cache_open(&cache) == 0)
        weft_cache_put(&cache, key("hit"), "1", 1, 0);
}

/* A load that nobody waits for any more may take a turn to let go. */
static void close_now(struct weft_op *parent, struct weft_op *op)
{
    if (weft_cache_close(&cache) != 0)
        weft_tick(parent, op, close_now);
}

static void provider_down(struct weft_loop *loop)
{
    static struct weft_op closing;
    weft_tick(weft_root(loop), &closing, close_now);
}

static void ask_for(void *storage, const char *mark)
{
    struct provided *provided = storage;
    snprintf(provided->name, sizeof provided->name, "%s%u", mark, provider_number++);
    provided->get.cache = &cache;
    provided->get.key = key(provided->name);
}

static void miss(void *storage)
{
    ask_for(storage, "");
}

static void hit(void *storage)
{
    struct provided *provided = storage;
    provided->get.cache = &cache;
    provided->get.key = key("hit");
}

static void failing(void *storage)
{
    ask_for(storage, "!");
}

static void has_value(void *storage)
{
    const struct provided *provided = storage;
    assert_true(provided->get.how <= WEFT_CACHE_JOINED);
}

TEST(a_get_that_loads_conforms)
{
    struct weft_provider provider = {.name = "cache_get, miss",
                                     WEFT_PROVIDER_OP(struct provided, get.await.op),
                                     .begin = weft_cache_get_begin,
                                     .up = provider_up,
                                     .down = provider_down,
                                     .good = miss,
                                     .bad = failing,
                                     .bad_status = UV_EIO,
                                     .nothing_status = UV_EINVAL,
                                     .verify = has_value};
    provider_check(&provider);
}

TEST(a_get_that_finds_conforms)
{
    struct weft_provider provider = {.name = "cache_get, hit",
                                     WEFT_PROVIDER_OP(struct provided, get.await.op),
                                     .begin = weft_cache_get_begin,
                                     .up = provider_up,
                                     .down = provider_down,
                                     .good = hit,
                                     .nothing_status = UV_EINVAL,
                                     .verify = has_value};
    provider_check(&provider);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void ask_all_ways(unsigned long n)
{
    (void)n;
    if (!up_if_possible())
        return;
    cache.ttl_ms = 10;
    cache.stale_ms = 10;
    cache.stale_if_error_ms = 50;
    cache.error_ttl_ms = 5;
    if (weft_cache_open(&cache) == 0) {
        for (int round = 0; round < 12; round++) {
            next_job.status = round % 3 == 2 ? UV_EIO : 0;
            ask(round % ASKERS, "a");
            ask((round + 1) % ASKERS, round % 2 == 0 ? "a" : "b");
            pass(7);
        }
        world_run(&w);
        check_cache();
        assert_int_equal(weft_cache_close(&cache), 0);
    }
    weft_end(&owner, 0);
    world_down(&w);
}

TEST(asking_survives_running_out_of_memory)
{
    fault_ladder(ask_all_ways);
}
