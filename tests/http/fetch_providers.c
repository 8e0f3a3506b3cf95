/* Client and fetch through the conformance suite, and both without memory.
 * ctest: labels=valgrind-long timeout=300 also=WEFT_TEST_NO_DIRECT */
#include "fault.h"
#include "outside.h"
#include "provider.h"

static struct bed {
    struct outside server;
    struct weft_http_client client;
    char url[URL_MAX];
} bed;

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

static void up(struct weft_loop *loop)
{
    memset(&bed, 0, sizeof bed);
    outside_up(loop, &bed.server, hello);
    bed.client.resolve = resolve_to_loopback;
    weft_http_client_open(weft_root(loop), &bed.client, nothing);
    snprintf(bed.url, sizeof bed.url, "%s/", bed.server.named);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    weft_http_client_close(&bed.client);
    outside_down(&bed.server);
}

/* ---- the client ----------------------------------------------------------------------------- */

struct client_run {
    struct weft_http_client client;
    bool meant;
};

static void client_begin(struct weft_op *op)
{
    if (weft_owner(op, struct client_run, client.op)->meant)
        weft_http_client_begin(op);
    else
        weft_finish(op, UV_EINVAL);
}

static void good_client(void *storage)
{
    ((struct client_run *)storage)->meant = true;
}

static void bad_client(void *storage)
{
    struct client_run *run = storage;
    run->meant = true;
    run->client.proxy = "nowhere";
}

static void close_client(void *storage)
{
    weft_http_client_close(storage);
}

static const struct weft_provider client = {
    .name = "http_client",
    WEFT_PROVIDER_OP(struct client_run, client.op),
    .begin = client_begin,
    .good = good_client,
    .bad = bad_client,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .nudge = close_client,
};

TEST(client_conforms)
{
    provider_check(&client);
}

/* ---- the fetch ------------------------------------------------------------------------------ */

static void good_fetch(void *storage)
{
    struct weft_http_fetch *fetch = storage;
    fetch->client = &bed.client;
    fetch->url = bed.url;
}

static void bad_fetch(void *storage)
{
    good_fetch(storage);
    ((struct weft_http_fetch *)storage)->url = "http://127.0.0.2:1/";
}

static void fetch_has_hello(void *storage)
{
    struct weft_http_fetch *fetch = storage;
    assert_int_equal(fetch->status, 200);
    assert_string_equal(fetch->body, "hello");
    assert_int_equal(fetch->failure, WEFT_FETCH_NO_FAILURE);
}

static void release_fetch(void *storage)
{
    weft_http_fetch_free(storage);
}

static const struct weft_provider fetch = {
    .name = "fetch",
    WEFT_PROVIDER_OP(struct weft_http_fetch, op),
    .begin = weft_http_fetch_begin,
    .up = up,
    .down = down,
    .good = good_fetch,
    .bad = bad_fetch,
    .bad_status = UV_ECONNREFUSED,
    .nothing_status = UV_EINVAL,
    .verify = fetch_has_hello,
    .release = release_fetch,
};

TEST(fetch_conforms)
{
    provider_check(&fetch);
}

/* ---- the lookup ----------------------------------------------------------------------------- */

static void good_resolve(void *storage)
{
    ((struct weft_http_resolve *)storage)->host = "localhost";
}

static void bad_resolve(void *storage)
{
    ((struct weft_http_resolve *)storage)->host = "no such host";
}

static void resolve_found(void *storage)
{
    assert_true(((struct weft_http_resolve *)storage)->count > 0);
}

static const struct weft_provider resolve = {
    .name = "http_resolve",
    WEFT_PROVIDER_OP(struct weft_http_resolve, op),
    .begin = weft_http_resolve_begin,
    .good = good_resolve,
    .bad = bad_resolve,
    .bad_status = WEFT_PROVIDER_ANY_ERROR,
    .nothing_status = UV_EINVAL,
    .verify = resolve_found,
};

TEST(resolve_conforms)
{
    provider_check(&resolve);
}
