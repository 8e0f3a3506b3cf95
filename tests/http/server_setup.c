/* Starting a server: addresses, settings that make no sense, several at a time.
 * ctest: labels=valgrind-long */
#include "client.h"
#include "scratch.h"

static struct site s;
static struct client c;

static void hello(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    struct weft_address peer;
    char text[100] = "nobody";
    assert_int_equal(weft_http_peer(request, NULL), UV_EINVAL);
    if (weft_http_peer(request, &peer) == 0 && peer.to.any.sa_family != AF_UNIX)
        assert_int_equal(weft_address_format(&peer, text, sizeof text), 0);
    weft_http_answerf(request, 200, NULL, "%s at %.*s", text, WEFT_TEXT_ARGS(request->head.path));
}

static void serve_at(const char *address)
{
    struct weft_address at = address_of(address);
    weft_http_serve(weft_root(&s.w.loop), &s.server, &at, site_over);
}

/* ---- where ---------------------------------------------------------------------------------- */

static void is_at(const char *address, const char *url)
{
    char text[200], port[16];
    site_prepare(&s, hello);
    serve_at(address);
    assert_int_equal(weft_http_url(&s.server, text, sizeof text), 0);
    if (s.server.address.to.any.sa_family != AF_UNIX) {
        assert_true(weft_address_port(&s.server.address) > 0); /* bound when serve returns */
        snprintf(port, sizeof port, ":%u/", weft_address_port(&s.server.address));
        assert_string_equal(strstr(text, url) + strlen(url), port);
    } else {
        assert_string_equal(text, url);
    }
    assert_int_equal(weft_http_url(&s.server, text, 5), UV_ENOBUFS);
    dial(&s, &c);
    say(&c, "GET /where HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    assert_non_null(strstr(c.body, "at /where"));
    hang_up(&c);
    site_down(&s);
}

TEST(a_server_listens_where_it_is_told)
{
    char path[SCRATCH_PATH], address[SCRATCH_PATH + 5];
    is_at("127.0.0.1:0", "http://127.0.0.1");
    is_at("0.0.0.0:0", "http://127.0.0.1");
    snprintf(address, sizeof address, "unix:%s", scratch_path(path, "socket"));
    is_at(address, address);
    assert_false(scratch_exists(path));
}

TEST(a_server_speaks_ip6)
{
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) == 0;
    if (fd >= 0)
        close(fd);
    if (!has) {
        print_message("no IPv6 here\n");
        skip();
    }
    is_at("[::1]:0", "http://[::1]");
    is_at("[::]:0", "http://[::1]");
}

TEST(an_address_in_use_is_told)
{
    struct site other;
    site_up(&s, hello);
    memset(&other, 0, sizeof other);
    other.status = 1;
    other.server.handler = hello;
    weft_http_serve(weft_root(&s.w.loop), &other.server, &s.server.address, site_over);
    until(&s, other.status != 1);
    assert_int_equal(other.status, UV_EADDRINUSE);
    serves_on(&s);
    site_down(&s);
}

TEST(no_address_is_told)
{
    site_prepare(&s, hello);
    weft_http_serve(weft_root(&s.w.loop), &s.server, NULL, site_over);
    until(&s, s.status != 1);
    assert_int_equal(s.status, UV_EINVAL);
    site_down(&s);
}

TEST(a_server_that_could_not_listen_says_so_whatever_is_done_to_it)
{
    for (int i = 0; i < 2; i++) {
        site_prepare(&s, hello);
        serve_at("192.0.2.1:80");
        if (i == 0)
            weft_http_drain(&s.server, 10);
        else
            weft_cancel(&s.server.op, UV_EINTR);
        until(&s, s.status != 1);
        assert_int_equal(s.status, UV_EADDRNOTAVAIL); /* it had failed before */
        site_down(&s);
    }
}

/* ---- settings ------------------------------------------------------------------------------- */

static void is_refused(void (*spoil)(struct weft_http_server *server))
{
    site_prepare(&s, hello);
    spoil(&s.server);
    site_start(&s);
    until(&s, s.status != 1);
    assert_int_equal(s.status, UV_EINVAL);
    site_down(&s);
}

#define SPOILER(name, what)                                                                        \
    static void name(struct weft_http_server *server)                                              \
    {                                                                                              \
        server->what;                                                                              \
    }
SPOILER(no_handler, handler = NULL)
SPOILER(small_request, request_size = sizeof(struct weft_http_request) - 1)
SPOILER(huge_request, request_size = SIZE_MAX)
SPOILER(huge_head, head_max = 1024 * 1024 + 1)
SPOILER(long_line, line_max = WEFT_HTTP_HEAD_MAX + 1)
SPOILER(many_fields, fields_max = SIZE_MAX)
SPOILER(huge_answer_head, answer_head_max = SIZE_MAX)
SPOILER(small_answer_head, answer_head_max = 1023)
SPOILER(bad_name, name = "a\r\nX: y")

static void long_name(struct weft_http_server *server)
{
    static char name[258];
    memset(name, 'x', 257);
    server->name = name;
}

TEST(settings_that_make_no_sense_are_refused)
{
    is_refused(no_handler);
    is_refused(small_request);
    is_refused(huge_request);
    is_refused(huge_head);
    is_refused(long_line);
    is_refused(many_fields);
    is_refused(huge_answer_head);
    is_refused(small_answer_head);
    is_refused(bad_name);
    is_refused(long_name);
}

TEST(the_defaults_are_filled_in)
{
    site_up(&s, hello);
    assert_int_equal(s.server.line_max, WEFT_HTTP_LINE_MAX);
    assert_int_equal(s.server.head_max, WEFT_HTTP_HEAD_MAX);
    assert_int_equal(s.server.fields_max, WEFT_HTTP_FIELDS_MAX);
    assert_int_equal(s.server.body_max, WEFT_HTTP_BODY_MAX);
    assert_int_equal(s.server.connections_max, WEFT_HTTP_CONNECTIONS_MAX);
    assert_int_equal(s.server.requests_max, WEFT_HTTP_REQUESTS_MAX);
    assert_int_equal(s.server.request_ms, WEFT_HTTP_REQUEST_MS);
    site_down(&s);
}

TEST(a_small_head_makes_for_a_small_line)
{
    site_prepare(&s, hello);
    s.server.head_max = 4096;
    site_start(&s);
    assert_int_equal(s.server.line_max, 4096);
    assert_int_equal(s.status, 1);
    site_down(&s);
}

/* ---- several -------------------------------------------------------------------------------- */

TEST(two_servers_share_a_loop)
{
    struct site other;
    site_up(&s, hello);
    memset(&other, 0, sizeof other);
    other.status = 1;
    other.server.handler = hello;
    struct weft_address address = address_of("127.0.0.1:0");
    weft_http_serve(weft_root(&s.w.loop), &other.server, &address, site_over);
    for (int i = 0; i < 3; i++) {
        serves_on(&s);
        dial_address(&c, &other.server.address);
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        hang_up(&c);
    }
    assert_int_equal(s.server.requests, 3);
    assert_int_equal(other.server.requests, 3);
    weft_http_drain(&other.server, 100);
    until(&s, other.status != 1);
    assert_int_equal(other.status, 0);
    serves_on(&s);
    site_down(&s);
}

/* ---- a request of one's own ----------------------------------------------------------------- */

struct mine {
    struct weft_http_request request;
    char zeroed[1000];
};

static void look_at_mine(struct weft_op *op)
{
    struct mine *mine = weft_owner(op, struct mine, request.op);
    for (size_t i = 0; i < sizeof mine->zeroed; i++)
        assert_int_equal(mine->zeroed[i], 0);
    memset(mine->zeroed, 'x', sizeof mine->zeroed);
    for (size_t i = 0; i < WEFT_HTTP_PARAMS; i++)
        assert_null(mine->request.params[i].data);
    mine->request.params[0] = weft_text("x", 1);
    assert_ptr_equal(mine->request.server, &s.server);
    weft_http_answer(&mine->request, 200, NULL, NULL, 0);
}

TEST(a_request_is_zeroed_each_time)
{
    site_prepare(&s, look_at_mine);
    s.server.request_size = sizeof(struct mine);
    site_start(&s);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ask(&s, GET_ROOT), 200);
    site_down(&s);
}
