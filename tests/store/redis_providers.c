/* Client, command and subscription through the conformance suite, and all of them without memory.
 * ctest: labels=valgrind-long timeout=300 */
#include "fake_redis.h"
#include "fault.h"
#include "provider.h"
#include <weft/redis.h>

static struct bed {
    struct fake fake;
    struct weft_redis redis;
} bed;

static void up(struct weft_loop *loop)
{
    fake_up(loop, &bed.fake, NULL);
    memset(&bed.redis, 0, sizeof bed.redis);
    bed.redis.url = bed.fake.url;
    weft_redis(weft_root(loop), &bed.redis, weft_ignore);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    weft_redis_close(&bed.redis);
    fake_down(&bed.fake);
}

/* ---- the client ----------------------------------------------------------------------------- */

static void good_client(void *storage)
{
    ((struct weft_redis *)storage)->url = bed.fake.url;
}

static void bad_client(void *storage)
{
    ((struct weft_redis *)storage)->url = "http://127.0.0.1";
}

static void end_client(void *storage)
{
    weft_redis_close(storage);
}

static const struct weft_provider client = {
    .name = "redis",
    WEFT_PROVIDER_OP(struct weft_redis, op),
    .begin = weft_redis_begin,
    .up = up,
    .down = down,
    .good = good_client,
    .bad = bad_client,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = end_client,
    .flags = WEFT_PROVIDER_HANDLE | WEFT_PROVIDER_AWAITS, /* its end, for the connection */
};

TEST(client_conforms)
{
    provider_check(&client);
}

/* ---- the command ---------------------------------------------------------------------------- */

static const struct weft_text set[] = {WEFT_REDIS_ARG("SET"), WEFT_REDIS_ARG("a"),
                                       WEFT_REDIS_ARG("1")};

static void good_command(void *storage)
{
    struct weft_redis_command *command = storage;
    command->redis = &bed.redis;
    command->args = set;
    command->count = 3;
    command->wait = true;
}

static void bad_command(void *storage)
{
    good_command(storage);
    ((struct weft_redis_command *)storage)->count = 0;
}

static void verify_command(void *storage)
{
    struct weft_redis_command *command = storage;
    assert_int_equal(command->reply->type, WEFT_REDIS_STATUS);
    assert_true(weft_text_is(command->reply->text, "OK"));
}

static void free_command(void *storage)
{
    weft_redis_command_free(storage);
}

static const struct weft_provider a_command = {
    .name = "redis_command",
    WEFT_PROVIDER_OP(struct weft_redis_command, op),
    .begin = weft_redis_command_begin,
    .up = up,
    .down = down,
    .good = good_command,
    .bad = bad_command,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .verify = verify_command,
    .release = free_command,
};

TEST(command_conforms)
{
    provider_check(&a_command);
}

/* ---- the subscription ----------------------------------------------------------------------- */

static const struct weft_text channels[] = {WEFT_REDIS_ARG("one"), WEFT_REDIS_ARG("two")};

static void good_subscription(void *storage)
{
    struct weft_redis_subscription *subscription = storage;
    subscription->url = bed.fake.url;
    subscription->channels = channels;
    subscription->count = 2;
}

static void bad_subscription(void *storage)
{
    good_subscription(storage);
    ((struct weft_redis_subscription *)storage)->url = "redis://";
}

static void end_subscription(void *storage)
{
    weft_redis_unsubscribe(storage);
}

static const struct weft_provider a_subscription = {
    .name = "redis_subscription",
    WEFT_PROVIDER_OP(struct weft_redis_subscription, op),
    .begin = weft_redis_subscription_begin,
    .up = up,
    .down = down,
    .good = good_subscription,
    .bad = bad_subscription,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = end_subscription,
    .flags = WEFT_PROVIDER_HANDLE | WEFT_PROVIDER_AWAITS, /* its end, for the connection */
};

TEST(subscription_conforms)
{
    provider_check(&a_subscription);
}

/* ---- no memory ------------------------------------------------------------------------------ */

/* A client, a command that waits for it and a subscription, of which one is over when the command is. */
static struct {
    struct weft_op op;
    struct fake fake;
    struct weft_redis redis;
    struct weft_redis_command command;
    struct weft_redis_subscription subscription;
} all;

static void command_over(struct weft_op *op, struct weft_op *child)
{
    (void)child;
    weft_end(op, 0);
}

static void all_begin(struct weft_op *op)
{
    all.redis.url = all.subscription.url = all.fake.url;
    all.redis.backoff_ms = all.subscription.backoff_ms = 1;
    weft_redis(op, &all.redis, weft_ignore);
    weft_redis_subscribe(op, &all.subscription, channels, 2, weft_ignore);
    all.command.wait = true;
    weft_redis_command(op, &all.command, &all.redis, set, 3, command_over);
}

static void all_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    fake_down(&all.fake);
}

static bool is_clear(int status)
{
    return status == 0 || status == UV_ENOMEM || (status == UV_EINVAL && all.redis.status != 0);
}

static void run_all(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    memset(&all, 0, sizeof all);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        fake_up(&loop, &all.fake, NULL);
        weft_run(weft_root(&loop), &all.op, all_begin, all_over);
        assert_int_equal(weft_loop_run(&loop), 0);
        if (!is_clear(all.command.op.status))
            fail_msg("step %lu ended with %s", n, weft_error_name(all.command.op.status));
        weft_redis_command_free(&all.command);
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(without_memory_there_is_a_clear_error_and_nothing_is_left)
{
    fault_ladder(run_all);
    assert_true(fault_ladder_height() > 5);
}
