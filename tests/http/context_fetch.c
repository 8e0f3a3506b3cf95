/* Context in the client: a fetch and what it calls have that of who fetches, however many share a
 * connection, a name or the client.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT needs=hooks */
#include "outside.h"
#include <weft/context.h>
#include <weft/hook.h>

enum { FETCHERS = 3 };

static struct scene scene;

static struct fetcher {
    struct weft_op op;
    struct weft_http_fetch fetch;
    unsigned heads, bodies, released;
    int status;
} fetchers[FETCHERS];

static void fetcher_release(void *value)
{
    ((struct fetcher *)value)->released++;
}
static struct weft_key fetcher_key = {.name = "fetcher", .release = fetcher_release};
static struct weft_key client_key = {.name = "client"};
static unsigned resolved;

/* Here runs a function of fetcher's, with op at hand. */
static void look(struct fetcher *fetcher, const struct weft_op *op)
{
    assert_ptr_equal(weft_context_get(op, &fetcher_key), fetcher);
    assert_ptr_equal(weft_context_get(weft_current(), &fetcher_key), fetcher);
    assert_int_equal(fetcher->released, 0);
}

static int head_came(struct weft_http_fetch *fetch)
{
    struct fetcher *fetcher = weft_owner(fetch, struct fetcher, fetch);
    look(fetcher, &fetch->op);
    fetcher->heads++;
    return 0;
}

static int body_came(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    struct fetcher *fetcher = weft_owner(fetch, struct fetcher, fetch);
    (void)data;
    look(fetcher, &fetch->op);
    fetcher->bodies += (unsigned)size;
    return WEFT_FETCH_TAKEN;
}

static void fetched(struct weft_op *op, struct weft_op *fetch)
{
    struct fetcher *fetcher = weft_owner(op, struct fetcher, op);
    look(fetcher, op);
    weft_http_fetch_free(&fetcher->fetch);
    weft_finish(op, fetch->status);
}

static void fetcher_begin(struct weft_op *op)
{
    struct fetcher *fetcher = weft_owner(op, struct fetcher, op);
    assert_int_equal(weft_context_set(op, &fetcher_key, fetcher), 0);
    fetcher->fetch.on_head = head_came;
    fetcher->fetch.on_body = body_came;
    weft_http_fetch(op, &fetcher->fetch, &scene.client, scene.server.named, fetched);
}

static void fetcher_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    weft_owner(op, struct fetcher, op)->status = op->status;
}

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

/* A name is looked up once for all who wait for it: so it is the client's. */
static void resolve(struct weft_op *op)
{
    resolved++;
    assert_null(weft_context_get(op, &fetcher_key));
    assert_string_equal(weft_context_get(op, &client_key), "the client");
    assert_string_equal(weft_context_get(weft_current(), &client_key), "the client");
    resolve_to_loopback(op);
}

static void fetch_all(void)
{
    memset(fetchers, 0, sizeof fetchers);
    for (int i = 0; i < FETCHERS; i++) {
        fetchers[i].status = 1;
        weft_run(scene_root(&scene), &fetchers[i].op, fetcher_begin, fetcher_over);
    }
    for (int i = 0; i < FETCHERS; i++) {
        await(&scene.w, &fetchers[i].op);
        assert_int_equal(fetchers[i].status, 0);
        assert_int_equal(fetchers[i].heads, 1);
        assert_int_equal(fetchers[i].bodies, 5);
        assert_int_equal(fetchers[i].released, 1);
    }
}

TEST(a_fetch_and_what_it_calls_have_that_of_who_fetches)
{
    static char name[] = "the client";
    resolved = 0;
    scene_up(&scene, hello);
    weft_http_client_close(&scene.client); /* again, with a value and a resolver of its own */
    await(&scene.w, &scene.client.op);
    scene.client.resolve = resolve;
    scene.client.max_connections = 1;
    assert_int_equal(weft_context_set(scene_root(&scene), &client_key, name), 0);
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
    assert_int_equal(weft_context_set(scene_root(&scene), &client_key, NULL), 0);
    fetch_all();
    fetch_all(); /* over a connection that was somebody else's */
    assert_int_equal(resolved, 1);
    scene_down(&scene);
}
