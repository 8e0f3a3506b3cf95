/* Connections of our own: which requests go over them, when one is used again, when it is asked
 * again, who waits.
 * ctest: labels=valgrind-long timeout=120 */
#include "http/client/direct.h"
#include "outside.h"

static struct scene scene;

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

static void silence(struct peer *peer)
{
    (void)peer;
}

static const char *reply;

static void say_reply(struct peer *peer)
{
    say_text(peer, reply);
}

static void down(struct weft_http_fetch *fetch)
{
    weft_http_fetch_free(fetch);
    scene_down(&scene);
}

static void got(struct weft_http_fetch *fetch, const char *body)
{
    await(&scene.w, &fetch->op);
    assert_int_equal(fetch->op.status, 0);
    assert_string_equal(fetch->body, body);
    weft_http_fetch_free(fetch);
}

static void get_of(const char *host, struct weft_http_fetch *fetch)
{
    static char urls[8][64];
    static unsigned next;
    char *url = urls[next++ % 8];
    snprintf(url, sizeof *urls, "http://%s:%u/", host,
             weft_address_port(&scene.server.listen.address));
    weft_http_fetch(scene_root(&scene), fetch, &scene.client, url, noted);
}

/* ---- which ones ----------------------------------------------------------------------------- */

/* Does it go over a connection of ours? */
static bool is_ours(struct weft_http_fetch fetch, const char *url)
{
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    bool ours = fetch.direct_ != NULL;
    assert_true(ours == (fetch.handle_ == NULL));
    weft_cancel(&fetch.op, UV_ECANCELED);
    await(&scene.w, &fetch.op);
    weft_http_fetch_free(&fetch);
    return ours;
}

TEST(plain_requests_are_ours)
{
    static const char *const fields[] = {"X: y", "Accept: text/html", "Host: other.test"};
    scene_up(&scene, silence);
    assert_true(is_ours((struct weft_http_fetch){0}, "http://127.0.0.1:1"));
    assert_true(is_ours((struct weft_http_fetch){0}, "http://127.0.0.1:1/a..b/c.?d=/../#e"));
    assert_true(is_ours((struct weft_http_fetch){.method = "HEAD"}, "http://127.0.0.1:1/"));
    assert_true(is_ours((struct weft_http_fetch){.version = WEFT_FETCH_1_0}, "http://127.0.0.1:1"));
    assert_true(is_ours((struct weft_http_fetch){.accept_encoding = "gzip;q=1, deflate"},
                        "http://127.0.0.1:1/"));
    assert_true(is_ours((struct weft_http_fetch){.fields = fields, .fields_count = 3},
                        "http://127.0.0.1:1/"));
    scene_down(&scene);
}

TEST(everything_else_is_curls)
{
    static const char *const urls[] = {"https://127.0.0.1:1/",      "http://[::1]:1/",
                                       "http://a:b@127.0.0.1:1/",   "HTTP://127.0.0.1:1/",
                                       "http://127.0.0.1:1/a/../b", "http://127.0.0.1:1/%2e%2e/b",
                                       "http://127.0.0.1:1?a",      "http://127.1:1/"};
    static const char *const upgrade[] = {"Upgrade: x"}, *const closes[] = {"connection: close"};
    scene_up(&scene, silence);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_false(is_ours((struct weft_http_fetch){0}, urls[i]));
    const struct weft_http_fetch fetches[] = {
        {.method = "POST"},
        {.data = "x", .data_size = 1},
        {.user = "me", .password = "secret"},
        {.version = WEFT_FETCH_2_ALONE},
        {.accept_encoding = "gzip, br"},
        {.fields = upgrade, .fields_count = 1},
        {.fields = closes, .fields_count = 1},
    };
    for (size_t i = 0; i < sizeof fetches / sizeof *fetches; i++)
        assert_false(is_ours(fetches[i], "http://127.0.0.1:1/"));
    scene.client.no_direct = true;
    assert_false(is_ours((struct weft_http_fetch){0}, "http://127.0.0.1:1/"));
    scene_down(&scene);
}

/* ---- connections that were kept ------------------------------------------------------------- */

static unsigned answers_left;

static void answer_some_and_leave(struct peer *peer)
{
    if (answers_left > 0) {
        answers_left--;
        answer(peer, "hello");
    } else {
        answers_left = peer->requests > 1 ? 1 : 0;
        hang_up(peer);
    }
}

TEST(a_request_on_a_stale_connection_is_sent_again)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, answer_some_and_leave);
    answers_left = 1;
    get(&scene, &fetch, "/");
    got(&fetch, "hello");
    get(&scene, &fetch, "/"); /* it is closed when it is asked */
    got(&fetch, "hello");
    assert_false(fetch.reused);
    assert_int_equal(scene.server.connections, 2);
    assert_int_equal(scene.server.requests, 3);
    scene_down(&scene);
}

static void leave(struct peer *peer)
{
    hang_up(peer);
}

TEST(and_only_once)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    get(&scene, &fetch, "/");
    got(&fetch, "hello");
    scene.server.on_request = leave;
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "cut short");
    assert_int_equal(scene.server.connections, 2);
    assert_int_equal(scene.server.requests, 3);
    down(&fetch);
}

static void answer_if_new(struct peer *peer)
{
    if (peer->requests == 1)
        answer(peer, "hello");
    else
        hang_up(peer);
}

TEST(over_a_fresh_connection_even_if_others_are_kept)
{
    struct weft_http_fetch fetches[2] = {0};
    scene_up(&scene, answer_if_new);
    for (int i = 0; i < 2; i++)
        get(&scene, &fetches[i], "/");
    for (int i = 0; i < 2; i++)
        got(&fetches[i], "hello");
    assert_int_equal(scene.server.connections, 2);
    get(&scene, &fetches[0], "/");
    got(&fetches[0], "hello");
    assert_int_equal(scene.server.connections, 3);
    assert_int_equal(scene.server.requests, 4); /* and not the other one that is stale */
    scene_down(&scene);
}

static void one_byte_and_leave(struct peer *peer)
{
    say_text(peer, "H");
    hang_up(peer);
}

TEST(what_has_begun_to_be_answered_is_not_sent_again)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    get(&scene, &fetch, "/");
    got(&fetch, "hello");
    scene.server.on_request = one_byte_and_leave;
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "cut short");
    assert_true(fetch.reused);
    assert_int_equal(scene.server.requests, 2);
    down(&fetch);
}

static void say_to_all(const char *text)
{
    for (int i = 0; i < PEERS; i++) {
        if (scene.server.peers[i].requests > 0)
            say_text(&scene.server.peers[i], text);
    }
}

/* What a server says unasked is not the answer to the next question. */
TEST(what_nobody_asked_for_is_not_an_answer)
{
    for (int at_once = 0; at_once < 2; at_once++) {
        struct weft_http_fetch fetch = {0};
        scene_up(&scene, hello);
        get(&scene, &fetch, "/");
        got(&fetch, "hello");
        say_to_all("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
        if (!at_once)
            look_around(&scene.w);
        get(&scene, &fetch, "/");
        got(&fetch, "hello");
        assert_int_equal(scene.server.connections, 2);
        scene_down(&scene);
    }
}

static void is_kept(const char *text, struct weft_http_fetch how, bool kept)
{
    scene_up(&scene, say_reply);
    reply = text;
    for (int i = 0; i < 2; i++) {
        struct weft_http_fetch fetch = how;
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.reused, kept && i == 1);
        weft_http_fetch_free(&fetch);
    }
    assert_int_equal(scene.server.connections, kept ? 1 : 2);
    scene_down(&scene);
}

TEST(a_connection_is_kept_if_both_sides_know_where_the_answer_ends)
{
    const struct weft_http_fetch plain = {0}, head = {.method = "HEAD"},
                                 old = {.version = WEFT_FETCH_1_0};
    is_kept("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", plain, true);
    is_kept("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", plain, true);
    is_kept("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", plain,
            true);
    is_kept("HTTP/1.1 204 No\r\n\r\n", plain, true);
    is_kept("HTTP/1.1 304 No\r\nContent-Length: 99\r\n\r\n", plain, true);
    is_kept("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", head, true);
    is_kept("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", plain, true);
    is_kept("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", plain, false);
    is_kept("HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 0\r\n\r\n", plain, false);
    is_kept("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", plain, false);
    is_kept("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", old, false);
}

/* ---- limits --------------------------------------------------------------------------------- */

TEST(an_idle_connection_makes_room_for_another_host)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    scene.client.max_connections = 1;
    get_of("a.test", &fetch);
    got(&fetch, "hello");
    get_of("b.test", &fetch);
    got(&fetch, "hello");
    assert_int_equal(scene.server.connections, 2);
    await_that(&scene.w, scene.server.gone == 1);
    scene_down(&scene);
}

TEST(who_waits_for_a_connection_gets_one_when_another_host_is_done)
{
    struct weft_http_fetch fetches[3] = {0};
    scene_up(&scene, hello);
    scene.client.max_connections = 1;
    get_of("a.test", &fetches[0]);
    get_of("b.test", &fetches[1]);
    get_of("a.test", &fetches[2]);
    for (int i = 0; i < 3; i++)
        got(&fetches[i], "hello");
    scene_down(&scene);
}

TEST(who_waits_for_a_connection_can_be_cancelled)
{
    struct weft_http_fetch fetches[4] = {0};
    scene_up(&scene, silence);
    scene.client.max_host_connections = 1;
    for (int i = 0; i < 4; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == 1);
    weft_cancel(&fetches[1].op, UV_ECANCELED);
    scene.server.on_request = hello;
    weft_cancel(&fetches[0].op, UV_ECANCELED); /* the next one is called, and leaves as well */
    weft_cancel(&fetches[2].op, UV_ECANCELED);
    got(&fetches[3], "hello");
    for (int i = 0; i < 3; i++)
        assert_int_equal(fetches[i].op.status, UV_ECANCELED);
    assert_int_equal(scene.server.requests, 2);
    scene_down(&scene);
}

static unsigned buffers_in_use(void)
{
    const struct weft_http_engine *engine = scene.client.engine_;
    unsigned used = 0;
    for (struct weft_http_chain *at = engine->idle.next_; at != &engine->idle; at = at->next_)
        used += weft_owner(at, struct direct_connection, age)->buffer != NULL;
    return used;
}

TEST(idle_connections_have_no_buffers)
{
    static struct weft_http_fetch fetches[40];
    memset(fetches, 0, sizeof fetches);
    scene_up(&scene, silence);
    for (int i = 0; i < 40; i++)
        get(&scene, &fetches[i], "/");
    await_that(&scene.w, scene.server.requests == 40);
    say_to_all("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    look_around(&scene.w);
    say_to_all("llo");
    for (int i = 0; i < 40; i++)
        got(&fetches[i], "hello");
    assert_int_equal(scene.client.engine_->idle_count, 40);
    assert_int_equal(buffers_in_use(), 0);
    assert_int_equal(scene.client.engine_->free_buffer_count, DIRECT_SPARE);
    scene_down(&scene);
}

/* ---- addresses ------------------------------------------------------------------------------ */

TEST(who_does_not_answer_is_not_waited_for)
{
    struct weft_http_fetch fetch = {0};
    struct sockaddr_in name;
    int fill[4];
    int full = full_listener(&name, fill);
    char url[64];
    scene_up_sim(&scene, hello);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(name.sin_port));
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ETIMEDOUT, WEFT_FETCH_FAILED_TIMEOUT, WEFT_FETCH_LATE_CONNECT,
                "no connection");
    for (int i = 0; i < 4; i++)
        close(fill[i]);
    close(full);
    down(&fetch);
}

/* ---- long requests -------------------------------------------------------------------------- */

enum { LONG = 8 * 1024 * 1024 };

static size_t taken;

static void take_and_answer(struct peer *peer)
{
    taken += peer->size;
    if (peer->size >= 4 && memcmp(peer->request + peer->size - 4, "\r\n\r\n", 4) == 0)
        answer(peer, "hello");
}

/* It waits until the server reads, and all of it arrives. */
TEST(a_request_may_be_longer_than_what_the_kernel_takes)
{
    char *field = malloc(LONG);
    const char *fields[] = {field};
    struct weft_http_fetch fetch = {.fields = fields, .fields_count = 1};
    assert_non_null(field);
    memset(field, 'x', LONG);
    memcpy(field, "X: ", 3);
    field[LONG - 1] = '\0';
    taken = 0;
    scene_up(&scene, take_and_answer);
    scene.server.raw = scene.server.deaf = true;
    get(&scene, &fetch, "/");
    await_that(&scene.w, scene.server.connections == 1);
    look_around(&scene.w);
    assert_non_null(fetch.direct_);
    assert_true(fetch.direct_->sent > 0 && fetch.direct_->sent < LONG);
    scene.server.deaf = false;
    peer_listen(&scene.server.peers[0]);
    got(&fetch, "hello");
    assert_true(taken > LONG);
    get(&scene, &fetch, "/"); /* and the connection is as good as before */
    got(&fetch, "hello");
    assert_true(fetch.reused);
    scene_down(&scene);
    free(field);
}
