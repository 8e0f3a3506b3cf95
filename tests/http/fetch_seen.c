/* The client as hooks see it, over connections of our own and by curl.
 * ctest: labels=valgrind-long also=WEFT_TEST_NO_DIRECT needs=hooks */
#include "hook_log.h"
#include "outside.h"

static struct hook_log log_;
static struct scene scene;
static struct {
    uint64_t head, body, allow, resolve, trigger;
    struct weft_op *for_head, *for_body, *for_allow, *for_resolve;
} at;

static void hello(struct peer *peer)
{
    if (asked_for(peer, "GET /moved"))
        say_text(peer, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
    else
        answer(peer, "hello");
}

static int on_head(struct weft_http_fetch *fetch)
{
    (void)fetch;
    at.head = weft_current_id();
    at.for_head = weft_current();
    return 0;
}

static int on_body(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    (void)data;
    (void)size;
    at.body = weft_current_id();
    at.trigger = weft_trigger_id();
    at.for_body = weft_current();
    return WEFT_FETCH_TAKEN;
}

static bool allow(struct weft_http_client *client, const struct weft_address *address)
{
    (void)client;
    (void)address;
    at.allow = weft_current_id();
    at.for_allow = weft_current();
    return true;
}

static void resolve(struct weft_op *op)
{
    at.resolve = weft_current_id();
    at.for_resolve = weft_current();
    assert_ptr_equal(at.for_resolve, op);
    resolve_to_loopback(op);
}

static void up(bool hooked)
{
    memset(&at, 0, sizeof at);
    memset(&scene, 0, sizeof scene);
    world_up(&scene.w);
    hook_log_init(&log_);
    outside_up(&scene.w.loop, &scene.server, hello);
    if (hooked)
        assert_int_equal(weft_hook_enable(&scene.w.loop, &log_.hook), 0);
    scene.client.resolve = resolve;
    scene.client.allow_address = allow;
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
}

static void fetch(struct weft_http_fetch *it, const char *path)
{
    memset(it, 0, sizeof *it);
    it->on_head = on_head;
    it->on_body = on_body;
    it->max_redirects = 3;
    weft_http_fetch(scene_root(&scene), it, &scene.client, url_at(scene.server.named, path), noted);
    await(&scene.w, &it->op);
    assert_int_equal(it->op.status, 0);
    assert_int_equal(it->status, 200);
    weft_http_fetch_free(it);
}

/* Of those that belong to the client: the server outside has connections too. */
static const struct hook_log_resource *connection(void)
{
    const struct hook_log_resource *found = NULL;
    for (unsigned i = 0; i < log_.count; i++) {
        const struct hook_log_resource *it = &log_.resources[i];
        if (strcmp(it->site->type, "connection") == 0 &&
            it->parent == hook_log_find(&log_, "fetch")->id) {
            assert_null(found);
            found = it;
        }
    }
    assert_non_null(found);
    return found;
}

TEST(the_callbacks_of_a_fetch_are_its_parsers)
{
    struct weft_http_fetch it;
    up(true);
    fetch(&it, "/");
    const struct hook_log_resource *parser = hook_log_find(&log_, "http_parser");
    assert_int_equal(at.head, parser->id);
    assert_int_equal(at.body, parser->id);
    assert_int_equal(at.trigger, hook_log_find(&log_, "fetch")->id);
    assert_int_equal(parser->parent, hook_log_find(&log_, "fetch")->id);
    assert_ptr_equal(at.for_head, &it.op);
    assert_ptr_equal(at.for_body, &it.op);
    assert_int_equal(hook_log_find(&log_, "fetch")->pairs, 1);
    assert_int_equal(at.allow, hook_log_find(&log_, "http_client")->id);
    assert_int_equal(at.resolve, hook_log_find(&log_, "http_client")->id);
    scene_down(&scene);
    hook_log_check_over(&log_);
}

TEST(without_a_hook_they_run_for_the_fetch_and_the_client)
{
    struct weft_http_fetch it;
    up(false);
    fetch(&it, "/");
    assert_ptr_equal(at.for_head, &it.op);
    assert_ptr_equal(at.for_body, &it.op);
    assert_ptr_equal(at.for_allow, &scene.client.op);
    scene_down(&scene);
}

TEST(a_kept_connection_is_one_and_each_fetch_has_a_parser_of_its_own)
{
    struct weft_http_fetch it;
    up(true);
    fetch(&it, "/");
    assert_true(hook_log_find(&log_, "http_parser")->over);
    assert_false(connection()->over);
    assert_true(connection()->pairs > 0);
    fetch(&it, "/");
    assert_true(it.reused);
    connection(); /* there is still one */
    assert_int_equal(at.body, hook_log_find(&log_, "http_parser2")->id);
    assert_int_equal(hook_log_find(&log_, "http_parser2")->parent,
                     hook_log_find(&log_, "fetch2")->id);
    scene_down(&scene);
    hook_log_check_over(&log_);
}

TEST(a_request_after_a_redirect_has_another_parser)
{
    struct weft_http_fetch it;
    up(true);
    fetch(&it, "/moved");
    assert_int_equal(it.redirects, 1);
    assert_int_equal(at.body, hook_log_find(&log_, "http_parser2")->id);
    assert_int_equal(hook_log_find(&log_, "http_parser2")->parent,
                     hook_log_find(&log_, "http_parser")->parent);
    scene_down(&scene);
    hook_log_check_over(&log_);
}

static int throw_it(struct weft_http_fetch *fetch)
{
    (void)fetch;
    weft_throw(UV_EIO, "a test");
    return 0;
}

static struct weft_op *thrown_for;

static void uncaught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop;
    (void)text;
    assert_int_equal(err, UV_EIO);
    thrown_for = op;
}

TEST(an_error_thrown_in_a_callback_of_a_fetch_is_the_fetchs)
{
    struct weft_http_fetch it = {.on_head = throw_it};
    up(false);
    scene.w.loop.on_uncaught = uncaught;
    weft_http_fetch(scene_root(&scene), &it, &scene.client, url_at(scene.server.named, "/"), noted);
    await(&scene.w, &it.op);
    assert_ptr_equal(thrown_for, &it.op);
    weft_http_fetch_free(&it);
    scene_down(&scene);
}
