/* Addresses of both families: written into the URL, and several of one host, of which not all
 * answer.
 * ctest: timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

static void say_host(struct peer *peer)
{
    const char *line = strstr(peer->request, "Host: ");
    assert_non_null(line);
    line += strlen("Host: ");
    answer(peer, "%.*s", (int)strcspn(line, "\r"), line);
}

static bool has_ip6(void)
{
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) == 0;
    if (fd >= 0)
        close(fd);
    return bound;
}

/* What the resolver says, and in this order. */
static const char *addresses[2];

static void resolve_to_both(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 2;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(weft_address_parse(&resolve->addresses[i], addresses[i]), 0);
    weft_finish(op, 0);
}

/* A server at host; server.test is at first and at second. */
static void up(const char *host, const char *first, const char *second)
{
    if (!has_ip6()) {
        print_error("there is no IPv6 on this machine: skipped\n");
        skip();
    }
    memset(&scene, 0, sizeof scene);
    world_up(&scene.w);
    outside_up_at(&scene.w.loop, &scene.server, say_host, host);
    addresses[0] = first;
    addresses[1] = second;
    scene.client.resolve = resolve_to_both;
    weft_http_client_open(scene_root(&scene), &scene.client, noted);
}

static void get_from(struct weft_http_fetch *fetch, const char *base)
{
    weft_http_fetch(scene_root(&scene), fetch, &scene.client, url_at(base, "/"), noted);
    await(&scene.w, &fetch->op);
}

static void came_from(const struct weft_http_fetch *fetch, const char *host)
{
    char expected[WEFT_ADDRESS_TEXT], text[WEFT_ADDRESS_TEXT];
    snprintf(expected, sizeof expected, "%s:%u", host,
             weft_address_port(&scene.server.listen.address));
    assert_int_equal(fetch->op.status, 0);
    assert_int_equal(weft_address_format(&fetch->peer, text, sizeof text), 0);
    assert_string_equal(text, expected);
}

/* ---- in the URL ----------------------------------------------------------------------------- */

TEST(an_ip6_address_can_be_written_into_a_url)
{
    struct weft_http_fetch fetch = {0};
    up("[::1]", "127.0.0.1:0", "127.0.0.1:0");
    get_from(&fetch, scene.server.base);
    came_from(&fetch, "[::1]");
    assert_int_equal(scene.client.lookups, 0);
    assert_string_equal(fetch.body, scene.server.base + strlen("http://"));
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static char refused[WEFT_ADDRESS_TEXT];

static bool see_and_refuse(struct weft_http_client *client, const struct weft_address *address)
{
    (void)client;
    weft_address_format(address, refused, sizeof refused);
    return false;
}

TEST(an_ip6_address_can_be_refused)
{
    struct weft_http_fetch fetch = {0};
    up("[::1]", "127.0.0.1:0", "127.0.0.1:0");
    scene.client.allow_address = see_and_refuse;
    get_from(&fetch, scene.server.base);
    failed_with(&fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED, WEFT_FETCH_NO_DETAIL,
                "not allowed");
    assert_string_equal(refused, scene.server.base + strlen("http://"));
    assert_int_equal(scene.server.connections, 0);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* ---- several -------------------------------------------------------------------------------- */

TEST(the_other_family_is_tried_if_nobody_is_there)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]"};
    for (size_t i = 0; i < 4; i++) {
        struct weft_http_fetch fetch = {0};
        bool ip4_first = i < 2;
        up(hosts[i % 2], ip4_first ? "127.0.0.1:0" : "[::1]:0",
           ip4_first ? "[::1]:0" : "127.0.0.1:0");
        get_from(&fetch, scene.server.named);
        came_from(&fetch, hosts[i % 2]);
        assert_int_equal(scene.client.lookups, 1);
        assert_int_equal(scene.server.connections, 1);
        weft_http_fetch_free(&fetch);
        scene_down(&scene);
    }
}

TEST(nobody_at_any_address_is_told)
{
    struct weft_http_fetch fetch = {0};
    up("127.0.0.1", "[::1]:0", "127.0.0.3:0");
    get_from(&fetch, scene.server.named);
    failed_with(&fetch, UV_ECONNREFUSED, WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_NO_DETAIL,
                "cannot reach server.test:");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* The same port of ::1 takes no connection and refuses none: its backlog is full. */
static int silent_ip6(unsigned port, int fill[4])
{
    struct sockaddr_in6 name = {.sin6_family = AF_INET6,
                                .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                                .sin6_port = htons((uint16_t)port)};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 0), 0);
    for (int i = 0; i < 4; i++) {
        fill[i] = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(fill[i], (struct sockaddr *)&name, sizeof name);
    }
    return fd;
}

TEST(the_other_family_is_tried_soon_if_one_is_silent)
{
    struct weft_http_fetch fetch = {0};
    int fill[4];
    up("127.0.0.1", "[::1]:0", "127.0.0.1:0");
    int silent = silent_ip6(weft_address_port(&scene.server.listen.address), fill);
    get_from(&fetch, scene.server.named);
    came_from(&fetch, "127.0.0.1");
    assert_true(fetch.times.total < 5000000); /* and not after connect_ms */
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
    for (int i = 0; i < 4; i++)
        close(fill[i]);
    close(silent);
}
