/* Through a proxy: plain requests are sent to it whole, for TLS it makes a tunnel; one that speaks
 * SOCKS makes a tunnel for everything.
 * ctest: timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "nginx.h"

static struct scene scene;
static char proxy_url[URL_MAX];
static char resolved_host[256];
static char first_line[256];

static void resolve_and_note(struct weft_op *op)
{
    snprintf(resolved_host, sizeof resolved_host, "%s",
             weft_owner(op, struct weft_http_resolve, op)->host);
    resolve_to_loopback(op);
}

/* ---- the tunnel ----------------------------------------------------------------------------- */

static struct tunnel {
    struct weft_stream *from;
    struct weft_text welcome;
    struct weft_stream far;
    struct weft_connect connect;
    struct pump {
        struct weft_read read;
        struct weft_write write;
        struct weft_stream *in, *out;
        char bytes[16384];
    } there, back;
} tunnel;

static void pumped(struct weft_op *op, struct weft_op *child);

static void filled(struct weft_op *op, struct weft_op *child)
{
    struct pump *pump = weft_owner(child, struct pump, read.op);
    if (child->status != 0) {
        weft_stream_close(pump->in);
        weft_stream_close(pump->out);
        return;
    }
    weft_write(op, &pump->write, pump->out, pump->bytes, pump->read.size, pumped);
}

static void pumped(struct weft_op *op, struct weft_op *child)
{
    struct pump *pump = weft_owner(child, struct pump, write.op);
    if (child->status == 0)
        weft_read(op, &pump->read, pump->in, pump->bytes, sizeof pump->bytes, filled);
}

static void pump_begin(struct weft_op *op, struct pump *pump, struct weft_stream *in,
                       struct weft_stream *out)
{
    pump->in = in;
    pump->out = out;
    weft_read(op, &pump->read, in, pump->bytes, sizeof pump->bytes, filled);
}

static void through(struct weft_op *op, struct weft_op *child)
{
    struct peer *peer = weft_owner(tunnel.from, struct peer, stream);
    assert_int_equal(child->status, 0);
    say(peer, tunnel.welcome.data, tunnel.welcome.size);
    pump_begin(op, &tunnel.there, tunnel.from, &tunnel.far);
    pump_begin(op, &tunnel.back, &tunnel.far, tunnel.from);
}

/* From now on what peer says goes to nginx, and back. It is told so with welcome. */
static void make_tunnel(struct peer *peer, unsigned port, struct weft_text welcome)
{
    struct outside *server = peer->server;
    struct weft_address address;
    char text[64];
    server->deaf = true; /* the tunnel reads from now on */
    snprintf(text, sizeof text, "127.0.0.1:%u", port);
    assert_int_equal(weft_address_parse(&address, text), 0);
    memset(&tunnel, 0, sizeof tunnel);
    tunnel.from = &peer->stream;
    tunnel.welcome = welcome;
    weft_stream_open(&server->op, &tunnel.far, nothing);
    weft_connect_address(&server->op, &tunnel.connect, &tunnel.far, &address, through);
}

static void proxy(struct peer *peer)
{
    snprintf(first_line, sizeof first_line, "%.*s", (int)strcspn(peer->request, "\r"),
             peer->request);
    if (!asked_for(peer, "CONNECT ")) {
        answer(peer, "%s", peer->request);
        return;
    }
    make_tunnel(peer, nginx.tls_port, weft_text_of("HTTP/1.1 200 go on\r\nX-Proxy: yes\r\n\r\n"));
}

static void say_no(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno");
}

static void proxy_up_as(const char *scheme, peer_fn *on_request, const char *user)
{
    nginx_up();
    memset(&scene, 0, sizeof scene);
    world_up(&scene.w);
    outside_up(&scene.w.loop, &scene.server, on_request);
    snprintf(proxy_url, sizeof proxy_url, "%s://%sproxy.test:%u", scheme, user,
             weft_address_port(&scene.server.listen.address));
    scene.client.resolve = resolve_and_note;
    scene.client.proxy = proxy_url;
    scene.client.ca_file = nginx.ca;
    resolved_host[0] = '\0';
}

static void proxy_up(peer_fn *on_request, const char *user)
{
    proxy_up_as("http", on_request, user);
}

TEST(a_plain_request_goes_to_the_proxy)
{
    struct weft_http_fetch fetch = {0};
    proxy_up(proxy, "me:secret@");
    nginx_open(&scene);
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, "http://far.test/page", noted);
    nginx_got(&scene, &fetch);
    assert_string_equal(first_line, "GET http://far.test/page HTTP/1.1");
    assert_non_null(strstr(fetch.body, "Proxy-Authorization: Basic bWU6c2VjcmV0"));
    assert_string_equal(resolved_host, "proxy.test");
    assert_int_equal(weft_address_port(&fetch.peer),
                     weft_address_port(&scene.server.listen.address));
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(tls_goes_through_a_tunnel)
{
    struct weft_http_fetch fetch = {0};
    proxy_up(proxy, "");
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_true(strncmp(first_line, "CONNECT good.test:", 18) == 0);
    assert_string_equal(resolved_host, "proxy.test");
    assert_string_equal(fetch.body, "small");
    assert_int_equal(fetch.status, 200);
    assert_null(weft_http_fetch_get(&fetch, "X-Proxy").data);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_proxy_that_says_no_is_told)
{
    struct weft_http_fetch fetch = {0};
    proxy_up(say_no, "");
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_PROXY,
                "the proxy does not let us through");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(some_hosts_are_reached_without_the_proxy)
{
    static const char *const around[] = {"test", ".test", "a, plain.test ,b", "*", "PLAIN.test"};
    static const char *const through_it[] = {"lain.test", "", "x.plain.test", "other"};
    for (size_t i = 0; i < 9; i++) {
        struct weft_http_fetch fetch = {0};
        proxy_up(proxy, "");
        scene.client.no_proxy = i < 5 ? around[i] : through_it[i - 5];
        nginx_open(&scene);
        nginx_get(&scene, &fetch, "plain", "/small");
        nginx_got(&scene, &fetch);
        assert_string_equal(resolved_host, i < 5 ? "plain.test" : "proxy.test");
        assert_int_equal(scene.server.requests, i < 5 ? 0 : 1);
        weft_http_fetch_free(&fetch);
        scene_down(&scene);
    }
}

TEST(an_ip6_address_may_be_reached_without_the_proxy)
{
    static const char *const around[] = {"::1", "[::1]"};
    for (size_t i = 0; i < 2; i++) {
        struct weft_http_fetch fetch = {0};
        proxy_up(proxy, "");
        scene.client.no_proxy = around[i];
        nginx_open(&scene);
        weft_http_fetch(scene_root(&scene), &fetch, &scene.client, "http://[::1]:1/", noted);
        await(&scene.w, &fetch.op);
        assert_int_equal(fetch.failure, WEFT_FETCH_FAILED_CONNECT); /* nobody is there */
        assert_int_equal(scene.server.connections, 0);
        weft_http_fetch_free(&fetch);
        scene_down(&scene);
    }
}

/* ---- SOCKS (RFC 1928, RFC 1929) ------------------------------------------------------------- */

static char socks_host[256], socks_user[256];
static unsigned socks_port;
static bool socks_refuses;

enum { SOCKS_PASSWORD = 2, SOCKS_CONNECT = 1, SOCKS_NAME = 3 };

/* "I speak 5, and these ways to say who I am." Those who have a name have to tell it. */
static void socks_greeted(struct peer *peer)
{
    bool named = memchr(peer->request + 2, SOCKS_PASSWORD, (size_t)peer->request[1]) != NULL;
    assert_int_equal(peer->request[0], 5);
    say(peer, named ? "\5\2" : "\5\0", 2);
}

static void socks_named(struct peer *peer)
{
    const char *user = peer->request + 1, *password = user + 1 + user[0];
    snprintf(socks_user, sizeof socks_user, "%.*s:%.*s", user[0], user + 1, password[0],
             password + 1);
    say(peer, "\1\0", 2);
}

static void socks_asked(struct peer *peer)
{
    static const char yes[] = "\5\0\0\1\0\0\0\0\0", no[] = "\5\2\0\1\0\0\0\0\0";
    const unsigned char *ask = (const unsigned char *)peer->request;
    assert_int_equal(ask[1], SOCKS_CONNECT);
    assert_int_equal(ask[3], SOCKS_NAME);
    snprintf(socks_host, sizeof socks_host, "%.*s", ask[4], peer->request + 5);
    socks_port = (unsigned)ask[5 + ask[4]] << 8 | ask[6 + ask[4]];
    if (socks_refuses)
        say(peer, no, 10);
    else
        make_tunnel(peer, socks_port, weft_text(yes, 10));
}

static void socks(struct peer *peer)
{
    if (peer->requests == 1)
        socks_greeted(peer);
    else if (peer->request[0] == 1)
        socks_named(peer);
    else
        socks_asked(peer);
}

static void socks_up(const char *user)
{
    proxy_up_as("socks5h", socks, user);
    scene.server.raw = true;
    socks_host[0] = socks_user[0] = '\0';
    socks_refuses = false;
    nginx_open(&scene);
}

/* The proxy is told the name, and it is looked up by nobody here. */
static void goes_through_socks(const char *host, const char *name, const unsigned *port,
                               const char *user)
{
    struct weft_http_fetch fetch = {0};
    socks_up(user);
    nginx_get(&scene, &fetch, host, "/small");
    nginx_got(&scene, &fetch);
    assert_string_equal(fetch.body, "small");
    assert_string_equal(socks_host, name);
    assert_int_equal(socks_port, *port);
    assert_string_equal(resolved_host, "proxy.test");
    assert_int_equal(scene.client.lookups, 1);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(everything_goes_through_a_socks_proxy)
{
    goes_through_socks("plain", "plain.test", &nginx.port, "");
    goes_through_socks("good", "good.test", &nginx.tls_port, "");
    assert_string_equal(socks_user, "");
}

TEST(a_socks_proxy_is_told_who_we_are)
{
    goes_through_socks("plain", "plain.test", &nginx.port, "me:secret@");
    assert_string_equal(socks_user, "me:secret");
}

TEST(a_socks_proxy_that_says_no_is_told)
{
    struct weft_http_fetch fetch = {0};
    socks_up("");
    socks_refuses = true;
    nginx_get(&scene, &fetch, "plain", "/small");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_PROXY,
                "the proxy does not let us through");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(some_hosts_are_reached_without_a_socks_proxy)
{
    struct weft_http_fetch fetch = {0};
    socks_up("");
    scene.client.no_proxy = "plain.test";
    nginx_get(&scene, &fetch, "plain", "/small");
    nginx_got(&scene, &fetch);
    assert_string_equal(resolved_host, "plain.test");
    assert_int_equal(scene.server.connections, 0);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* ---- the environment ------------------------------------------------------------------------ */

TEST(the_environment_has_no_say)
{
    struct weft_http_fetch fetch = {0};
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    nginx_scene(&scene);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "plain", "/small");
    nginx_got(&scene, &fetch);
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}
