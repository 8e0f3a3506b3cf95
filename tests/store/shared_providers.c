/* A shared cache, its gets and its forgetting through the conformance suite, and without memory.
 * ctest: labels=valgrind-long timeout=300 */
#include "fake_redis.h"
#include "fault.h"
#include "provider.h"
#include <weft/shared.h>

/* Of Redis there is as much as is needed: everybody gets the lease, and everything is stored. */
static void answer(struct fake_peer *peer, const redisReply *command)
{
    bool is_call = command->elements > 6 && strncmp(command->element[0]->str, "EVAL", 4) == 0;
    if (!is_call)
        fake_good(peer, command);
    else if (command->elements == 6 + 5 && command->element[7]->len < 10)
        fake_line(peer, "*3\r\n$5\r\nlease\r\n:0\r\n$16\r\n0123456789abcdef\r\n");
    else
        fake_line(peer, ":1\r\n");
}

static void load(struct weft_op *op)
{
    weft_flight_answer(weft_owner(op, struct weft_flight, promise.op), "value", 5);
}

static struct bed {
    struct fake fake;
    struct weft_shared shared;
} bed;

static void fill(struct weft_shared *shared)
{
    shared->redis.url = bed.fake.url;
    shared->redis.backoff_ms = shared->redis.backoff_max_ms = 1;
    shared->prefix = "p:";
    shared->load = load;
}

static void up(struct weft_loop *loop)
{
    fake_up(loop, &bed.fake, answer);
    memset(&bed.shared, 0, sizeof bed.shared);
    fill(&bed.shared);
    weft_shared(weft_root(loop), &bed.shared, weft_ignore);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    weft_shared_close(&bed.shared);
    fake_down(&bed.fake);
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void good_shared(void *storage)
{
    fill(storage);
}

static void bad_shared(void *storage)
{
    fill(storage);
    ((struct weft_shared *)storage)->redis.url = "redis://";
}

static void close_shared(void *storage)
{
    weft_shared_close(storage);
}

static const struct weft_provider a_shared = {
    .name = "shared",
    WEFT_PROVIDER_OP(struct weft_shared, op),
    .begin = weft_shared_begin,
    .up = up,
    .down = down,
    .good = good_shared,
    .bad = bad_shared,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = close_shared,
    .flags = WEFT_PROVIDER_HANDLE | WEFT_PROVIDER_AWAITS, /* its end, for what is below it */
};

TEST(a_shared_cache_conforms)
{
    provider_check(&a_shared);
}

/* ---- a get ---------------------------------------------------------------------------------- */

static void good_get(void *storage)
{
    struct weft_cache_get *get = storage;
    get->cache = &bed.shared.cache;
    get->key = weft_text_of("key");
}

static void verify_get(void *storage)
{
    assert_true(weft_text_is(((struct weft_cache_get *)storage)->value, "value"));
}

static const struct weft_provider a_get = {
    .name = "shared_get",
    WEFT_PROVIDER_OP(struct weft_cache_get, await.op),
    .begin = weft_cache_get_begin,
    .up = up,
    .down = down,
    .good = good_get,
    .nothing_status = UV_EINVAL,
    .verify = verify_get,
};

TEST(a_get_conforms)
{
    provider_check(&a_get);
}

/* ---- forgetting ----------------------------------------------------------------------------- */

static void forget_key(void *storage)
{
    struct weft_shared_forget *forget = storage;
    forget->shared = &bed.shared;
    forget->key = weft_text_of("key");
}

static void forget_too_much(void *storage)
{
    forget_key(storage);
    ((struct weft_shared_forget *)storage)->key.size = WEFT_KEY_MAX + 1;
}

static const struct weft_provider a_forget = {
    .name = "shared_forget",
    WEFT_PROVIDER_OP(struct weft_shared_forget, op),
    .begin = weft_shared_forget_begin,
    .up = up,
    .down = down,
    .good = forget_key,
    .bad = forget_too_much,
    .bad_status = UV_ENAMETOOLONG,
    .nothing_status = UV_EINVAL,
};

TEST(forgetting_conforms)
{
    provider_check(&a_forget);
}

/* ---- no memory ------------------------------------------------------------------------------ */

/* A get, a forget and another get as soon as Redis is there. */
static struct {
    struct weft_op op;
    struct weft_sleep nap;
    struct weft_cache_get get;
    struct weft_shared_forget forget;
    int first, forgotten, second;
} life;

static void looked_again(struct weft_op *op, struct weft_op *get)
{
    life.second = get->status;
    weft_end(op, 0);
}

static void forgotten(struct weft_op *op, struct weft_op *forget)
{
    life.forgotten = forget->status;
    weft_shared_get(op, &life.get, &bed.shared, weft_text_of("key"), looked_again);
}

static void looked(struct weft_op *op, struct weft_op *get)
{
    life.first = get->status;
    weft_shared_forget(op, &life.forget, &bed.shared, weft_text_of("key"), forgotten);
}

static void waited(struct weft_op *op, struct weft_op *nap)
{
    (void)nap;
    if (bed.shared.engine_ != NULL && !bed.shared.redis.connected)
        weft_sleep(op, &life.nap, 1, waited);
    else
        weft_shared_get(op, &life.get, &bed.shared, weft_text_of("key"), looked);
}

static void life_begin(struct weft_op *op)
{
    weft_sleep(op, &life.nap, 1, waited);
}

static void life_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    down(weft_loop_of(root));
}

static bool is_clear(int status)
{
    return status == 0 || status == UV_ENOMEM;
}

static void run_life(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    (void)n;
    memset(&life, 0, sizeof life);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        up(&loop);
        bool began = bed.shared.engine_ != NULL;
        weft_run(weft_root(&loop), &life.op, life_begin, life_over);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_true(!began || bed.shared.op.status != 0 ||
                    (is_clear(life.first) && is_clear(life.second)));
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(without_memory_there_is_a_clear_error_and_nothing_is_left)
{
    fault_ladder(run_life);
    assert_true(fault_ladder_height() > 20);
}
