/* Cancel at any moment: the fetch ends at once, and the server sees that nobody waits any more.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

static void silence(struct peer *peer)
{
    (void)peer;
}

static void head_only(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
}

static void half_a_body(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
}

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

static void cancelled_with(struct weft_http_fetch *fetch, int reason)
{
    await(&scene.w, &fetch->op);
    assert_int_equal(fetch->op.status, reason);
    assert_int_equal(fetch->failure, WEFT_FETCH_FAILED_CANCEL);
    weft_http_fetch_free(fetch);
}

/* Cancel when condition has come true; the server has to see it. */
#define cancel_when(on_request, fetch, condition)                                                  \
    do {                                                                                           \
        scene_up(&scene, on_request);                                                              \
        get(&scene, fetch, "/");                                                                   \
        await_that(&scene.w, condition);                                                           \
        assert_false(over(&(fetch)->op));                                                          \
        weft_cancel(&(fetch)->op, UV_EINTR);                                                       \
        cancelled_with(fetch, UV_EINTR);                                                           \
        await_that(&scene.w, scene.server.gone == 1);                                              \
        scene_down(&scene);                                                                        \
    } while (0)

TEST(a_cancel_before_the_connection_leaves_nothing_behind)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, silence);
    get(&scene, &fetch, "/");
    weft_cancel(&fetch.op, UV_EINTR);
    cancelled_with(&fetch, UV_EINTR);
    look_around(&scene.w);
    assert_int_equal(scene.server.requests, 0);
    scene_down(&scene);
}

TEST(a_cancel_while_connected_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {0};
    cancel_when(silence, &fetch, scene.server.connections == 1);
}

TEST(a_cancel_while_waiting_for_the_answer_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {0};
    cancel_when(silence, &fetch, scene.server.requests == 1);
}

TEST(a_cancel_after_the_head_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {0};
    cancel_when(head_only, &fetch, fetch.status == 200);
}

TEST(a_cancel_in_the_body_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {0};
    cancel_when(half_a_body, &fetch, fetch.received == 4);
}

static unsigned bodies;

static int pause_it(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    (void)data;
    (void)size;
    bodies++;
    return WEFT_FETCH_PAUSE;
}

TEST(a_cancel_of_a_paused_fetch_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {.on_body = pause_it};
    bodies = 0;
    cancel_when(half_a_body, &fetch, bodies == 1);
}

static unsigned pulls;

static ssize_t never(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    (void)fetch;
    (void)buffer;
    (void)capacity;
    pulls++;
    return WEFT_FETCH_LATER;
}

static void heads_only_up(void)
{
    scene.server.heads = true;
}

TEST(a_cancel_of_an_upload_is_seen_by_the_server)
{
    struct weft_http_fetch fetch = {.pull = never, .pull_size = 100, .method = "PUT"};
    pulls = 0;
    scene_up(&scene, silence);
    heads_only_up();
    get(&scene, &fetch, "/");
    await_that(&scene.w, pulls > 0 && scene.server.requests == 1);
    weft_cancel(&fetch.op, UV_EINTR);
    cancelled_with(&fetch, UV_EINTR);
    await_that(&scene.w, scene.server.gone == 1);
    scene_down(&scene);
}

TEST(a_cancel_while_connecting_leaves_nothing_behind)
{
    struct weft_http_fetch fetch = {0};
    struct sockaddr_in name;
    int fill[4], fd = full_listener(&name, fill);
    char url[URL_MAX];
    scene_up(&scene, silence);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(name.sin_port));
    for (unsigned i = 1; i <= 4; i++) { /* curl closes the socket, and its number comes again */
        weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
        await_that(&scene.w, scene.client.connections == i);
        weft_cancel(&fetch.op, UV_EINTR);
        cancelled_with(&fetch, UV_EINTR);
    }
    scene_down(&scene);
    close(fd);
    for (int i = 0; i < 4; i++)
        close(fill[i]);
}

/* ---- while it waits ------------------------------------------------------------------------- */

TEST(a_fetch_in_line_can_be_cancelled)
{
    struct weft_http_fetch first = {0}, second = {0}, third = {0};
    scene_up(&scene, silence);
    scene.client.max_handles = 1;
    get(&scene, &first, "/1");
    get(&scene, &second, "/2");
    get(&scene, &third, "/3");
    weft_cancel(&second.op, UV_EINTR);
    cancelled_with(&second, UV_EINTR);
    await_that(&scene.w, scene.server.requests == 1);
    scene.server.on_request = hello;
    weft_cancel(&first.op, UV_EINTR);
    cancelled_with(&first, UV_EINTR);
    await(&scene.w, &third.op);
    assert_int_equal(third.op.status, 0);
    weft_http_fetch_free(&third);
    scene_down(&scene);
}

TEST(others_do_not_notice_a_cancel)
{
    static struct weft_http_fetch fetches[8];
    scene_up(&scene, silence);
    for (int i = 0; i < 8; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == 8);
    for (int i = 0; i < 8; i += 2)
        weft_cancel(&fetches[i].op, UV_ECANCELED);
    for (int i = 0; i < PEERS; i++) {
        if (scene.server.peers[i].requests == 1)
            hello(&scene.server.peers[i]);
    }
    for (int i = 0; i < 8; i++) {
        await(&scene.w, &fetches[i].op);
        assert_int_equal(fetches[i].op.status, i % 2 == 0 ? UV_ECANCELED : 0);
        weft_http_fetch_free(&fetches[i]);
    }
    scene_down(&scene);
}

/* ---- from inside the callbacks -------------------------------------------------------------- */

enum trick { CANCEL, END, CANCEL_PARENT, CLOSE_CLIENT, FAIL, START_ANOTHER };

static struct tricky {
    struct weft_op op;
    struct weft_http_fetch fetch, another;
    enum trick trick;
} tricky;

static int do_trick(void)
{
    switch (tricky.trick) {
    case CANCEL:
        weft_cancel(&tricky.fetch.op, UV_EINTR);
        break;
    case END:
        weft_end(&tricky.fetch.op, UV_EPERM);
        break;
    case CANCEL_PARENT:
        weft_cancel(&tricky.op, UV_EIO);
        break;
    case CLOSE_CLIENT:
        weft_http_client_close(&scene.client);
        break;
    case FAIL:
        return UV_ENOSPC;
    case START_ANOTHER:
        if (over(&tricky.another.op) && tricky.another.body == NULL)
            weft_http_fetch(&tricky.op, &tricky.another, &scene.client, tricky.fetch.url, noted);
        break;
    }
    return 0;
}

static int trick_head(struct weft_http_fetch *fetch)
{
    return fetch == &tricky.fetch ? do_trick() : 0;
}

static int trick_body(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)data;
    (void)size;
    (void)fetch;
    return do_trick();
}

static ssize_t trick_pull(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    (void)fetch;
    (void)capacity;
    int status = do_trick();
    memcpy(buffer, "x", 1);
    return status != 0 ? status : 1;
}

static bool trick_follow(struct weft_http_fetch *fetch, const char *url)
{
    (void)fetch;
    (void)url;
    return do_trick() == 0;
}

static bool trick_allow(struct weft_http_client *client, const struct weft_address *address)
{
    (void)client;
    (void)address;
    return over(&tricky.fetch.op) || do_trick() == 0;
}

static void trick_resolve(struct weft_op *op)
{
    int status = do_trick();
    if (status == 0 && !weft_cancelled(op))
        resolve_to_loopback(op);
    else
        weft_finish(op, status != 0 ? status : weft_cancelled(op));
}

static void trick_over(struct weft_op *op, struct weft_op *child)
{
    (void)child;
    if (weft_running(op) == 0)
        weft_end(op, 0);
}

static void redirect(struct peer *peer)
{
    if (asked_for(peer, "GET /there"))
        hello(peer);
    else
        say_text(peer, "HTTP/1.1 302 x\r\nLocation: /there\r\nContent-Length: 1\r\n\r\nx");
}

static int expected_of(enum trick trick, bool fails_with_it)
{
    static const int expected[] = {UV_EINTR, UV_EPERM, UV_EIO, UV_ECANCELED, UV_ENOSPC, 0};
    return trick == FAIL && !fails_with_it ? 1 : expected[trick];
}

static void run_trick(enum trick trick, struct weft_http_fetch fetch, weft_begin_fn *resolve,
                      weft_http_allow_fn *allow, peer_fn *on_request, bool fails_with_it)
{
    memset(&tricky, 0, sizeof tricky);
    scene_up(&scene, on_request);
    if (resolve != NULL)
        scene.client.resolve = resolve;
    scene.client.allow_address = allow;
    tricky.trick = trick;
    tricky.fetch = fetch;
    weft_run(scene_root(&scene), &tricky.op, NULL, noted);
    weft_http_fetch(&tricky.op, &tricky.fetch, &scene.client, url_at(scene.server.named, "/"),
                    trick_over);
    await(&scene.w, &tricky.fetch.op);
    int expected = expected_of(trick, fails_with_it);
    if (expected <= 0 && tricky.fetch.op.status != expected)
        fail_msg("trick %d ended with %s", (int)trick, weft_error_name(tricky.fetch.op.status));
    if (!over(&tricky.another.op))
        await(&scene.w, &tricky.another.op);
    if (!over(&tricky.op))
        weft_end(&tricky.op, 0);
    weft_http_fetch_free(&tricky.fetch);
    weft_http_fetch_free(&tricky.another);
    scene_down(&scene);
}

TEST(callbacks_may_do_what_they_like)
{
    for (enum trick trick = CANCEL; trick <= START_ANOTHER; trick++) {
        run_trick(trick, (struct weft_http_fetch){.on_head = trick_head}, NULL, NULL, hello, true);
        run_trick(trick, (struct weft_http_fetch){.on_body = trick_body}, NULL, NULL, hello, true);
        run_trick(trick, (struct weft_http_fetch){.pull = trick_pull, .pull_size = 1}, NULL, NULL,
                  hello, true);
        run_trick(trick, (struct weft_http_fetch){.follow = trick_follow, .max_redirects = 1}, NULL,
                  NULL, redirect, false);
        run_trick(trick, (struct weft_http_fetch){0}, NULL, trick_allow, hello, false);
        run_trick(trick, (struct weft_http_fetch){0}, trick_resolve, NULL, hello, true);
    }
}

/* ---- the parent and the client -------------------------------------------------------------- */

TEST(closing_the_client_ends_its_fetches_first)
{
    static struct weft_http_fetch fetches[4];
    scene_up(&scene, silence);
    scene.client.max_handles = 2;
    for (int i = 0; i < 4; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == 2);
    weft_http_client_close(&scene.client);
    weft_http_client_close(&scene.client);
    await(&scene.w, &scene.client.op);
    assert_int_equal(scene.client.op.status, 0);
    for (int i = 0; i < 4; i++) {
        assert_true(over(&fetches[i].op));
        cancelled_with(&fetches[i], UV_ECANCELED);
    }
    await_that(&scene.w, scene.server.gone == 2);
    scene_down(&scene);
}

TEST(a_deadline_of_the_callers_is_a_time_out)
{
    struct weft_http_fetch fetch = {0};
    struct weft_deadline deadline = {0};
    scene_up_sim(&scene, silence);
    get(&scene, &fetch, "/");
    weft_deadline(&fetch.op, &deadline, 1000);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_ETIMEDOUT);
    assert_int_equal(fetch.failure, WEFT_FETCH_FAILED_TIMEOUT);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
