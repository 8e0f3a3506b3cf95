/* A name that leads elsewhere the second time, and other ways to have a client connect to where it
 * must not: allow_address with weft_address_is_public holds on every hop and for every connection.
 *
 * 127.0.0.2 plays the open network: it is allowed, and a server is there. At 127.0.0.1, on the same
 * port, is what nobody from outside may reach.
 * ctest: timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;
static int inside; /* the listener that must not hear of it */

static bool allow_public(struct weft_http_client *client, const struct weft_address *address)
{
    struct weft_address open;
    (void)client;
    assert_int_equal(weft_address_parse(&open, "127.0.0.2:0"), 0);
    weft_address_set_port(&open, weft_address_port(address));
    return weft_address_equal(address, &open) || weft_address_is_public(address);
}

/* ---- names ---------------------------------------------------------------------------------- */

static unsigned asked; /* for server.test, until now */

static void add(struct weft_http_resolve *resolve, const char *address)
{
    assert_int_equal(weft_address_parse(&resolve->addresses[resolve->count++], address), 0);
}

/* server.test is outside the first time it is asked for, and inside from then on. */
static void resolve_anew(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 0;
    if (strcmp(resolve->host, "server.test") == 0)
        add(resolve, asked++ == 0 ? "127.0.0.2:0" : "127.0.0.1:0");
    else if (strcmp(resolve->host, "open.test") == 0)
        add(resolve, "127.0.0.2:0");
    else if (strcmp(resolve->host, "mapped.test") == 0)
        add(resolve, "[::ffff:127.0.0.1]:0");
    else if (strcmp(resolve->host, "both.test") == 0) {
        add(resolve, "127.0.0.1:0");
        add(resolve, "127.0.0.2:0");
    } else {
        add(resolve, "127.0.0.1:0");
    }
    weft_finish(op, 0);
}

/* ---- up and down ---------------------------------------------------------------------------- */

static int listen_inside(unsigned port)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                               .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    if (bind(fd, (struct sockaddr *)&name, sizeof name) != 0) {
        close(fd);
        return -1; /* somebody has it: then there is nobody of ours to be reached */
    }
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

static void up(peer_fn *on_request)
{
    asked = 0;
    memset(&scene, 0, sizeof scene);
    world_up_sim(&scene.w, 0);
    outside_up_at(&scene.w.loop, &scene.server, on_request, "127.0.0.2");
    inside = listen_inside(weft_address_port(&scene.server.listen.address));
    scene.client.resolve = resolve_anew;
    scene.client.allow_address = allow_public;
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
}

static void down(void)
{
    look_around(&scene.w);
    if (inside >= 0) {
        assert_int_equal(accept(inside, NULL, NULL), -1); /* nobody has come */
        close(inside);
    }
    scene_down(&scene);
}

static const char *url_of(const char *host)
{
    static char url[URL_MAX];
    snprintf(url, sizeof url, "http://%s:%u/", host,
             weft_address_port(&scene.server.listen.address));
    return url;
}

static void ask(struct weft_http_fetch *fetch, const char *host)
{
    weft_http_fetch(scene_root(&scene), fetch, &scene.client, url_of(host), noted);
    await(&scene.w, &fetch->op);
}

static void is_refused(struct weft_http_fetch *fetch)
{
    failed_with(fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED, WEFT_FETCH_NO_DETAIL,
                "not allowed");
    weft_http_fetch_free(fetch);
}

static void hello_and_goodbye(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
    hang_up(peer);
}

static void hello(struct peer *peer)
{
    answer(peer, "hi");
}

/* ---- tests ---------------------------------------------------------------------------------- */

TEST(a_name_that_leads_inside_the_second_time_is_refused_then)
{
    struct weft_http_fetch fetch = {0};
    up(hello_and_goodbye);
    ask(&fetch, "server.test");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "hi");
    weft_http_fetch_free(&fetch);
    struct weft_sleep sleep = {0};
    weft_sleep(scene_root(&scene), &sleep, WEFT_FETCH_DNS_TTL_MS + 1, noted); /* it is asked anew */
    await(&scene.w, &sleep.op);
    ask(&fetch, "server.test");
    is_refused(&fetch);
    assert_int_equal(asked, 2);
    assert_int_equal(scene.server.connections, 1);
    down();
}

TEST(a_kept_connection_to_outside_serves_on_whatever_the_name_says_now)
{
    struct weft_http_fetch fetch = {0};
    up(hello);
    ask(&fetch, "server.test");
    weft_http_fetch_free(&fetch);
    struct weft_sleep sleep = {0};
    weft_sleep(scene_root(&scene), &sleep, WEFT_FETCH_DNS_TTL_MS + 1, noted);
    await(&scene.w, &sleep.op);
    ask(&fetch, "server.test");
    if (fetch.op.status == 0) /* over the connection that is there, which leads outside */
        assert_int_equal(scene.server.requests, 2);
    else
        assert_int_equal(fetch.op.status, WEFT_EREFUSED);
    weft_http_fetch_free(&fetch);
    down();
}

TEST(of_several_addresses_only_those_outside_are_tried)
{
    struct weft_http_fetch fetch = {0};
    up(hello);
    ask(&fetch, "both.test");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(scene.server.connections, 1);
    weft_http_fetch_free(&fetch);
    down();
}

static void send_inside(struct peer *peer)
{
    static const char *const hosts[] = {"inside.test", "127.0.0.1", "mapped.test"};
    char text[512];
    snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
             url_of(hosts[(peer->server->requests - 1) % 3]));
    say_text(peer, text);
}

TEST(a_redirect_leads_nobody_inside)
{
    for (unsigned i = 1; i <= 3; i++) {
        struct weft_http_fetch fetch = {.max_redirects = 5};
        if (i == 1)
            up(send_inside);
        ask(&fetch, "open.test");
        assert_int_equal(scene.server.requests, i);
        is_refused(&fetch);
    }
    down();
}

TEST(an_address_inside_is_refused_however_it_is_written)
{
    static const char *const hosts[] = {"127.0.0.1",  "inside.test", "mapped.test",
                                        "2130706433", "0x7f.1",      "[::ffff:127.0.0.1]",
                                        "[::1]",      "0.0.0.0",     "localhost"};
    up(hello);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct weft_http_fetch fetch = {0};
        ask(&fetch, hosts[i]);
        if (fetch.op.status != WEFT_EREFUSED)
            fail_msg("%s: %s", hosts[i], weft_error_name(fetch.op.status));
        weft_http_fetch_free(&fetch);
    }
    down();
}
