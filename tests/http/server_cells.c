/* Answers that are the value of a cell: it lives as long as it is sent, and no longer.
 * ctest: labels=valgrind-long */
#include "client.h"
#include <weft/alloc.h>
#include <weft/cache.h>

enum { LARGE = 8 * 1024 * 1024, LIMIT = 32 * 1024 * 1024 };

static struct site s;
static struct client c;
static struct weft_cache cache;
static size_t value_size;

struct visit {
    struct weft_http_request request;
    struct weft_cache_get get;
};

static void load(struct weft_op *op)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    char *value = weft_alloc(value_size + 1);
    if (value == NULL) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    memset(value, flight->key.data[flight->key.size - 1], value_size);
    weft_flight_answer(flight, value, value_size);
    weft_free(value);
}

/* Nobody but the answer knows the cell when it is on its way. */
static void there(struct weft_op *op, struct weft_op *get)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    if (get->status != 0) {
        weft_end(op, get->status);
        return;
    }
    weft_http_answer_cell(&visit->request, 200, "text/plain", visit->get.cell);
    weft_cache_forget_all(&cache);
}

static void handler(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    weft_cache_get(op, &visit->get, &cache, visit->request.head.path, there);
}

static void up(size_t size)
{
    value_size = size;
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct visit);
    site_start(&s);
    cache = (struct weft_cache){.owner = weft_root(&s.w.loop), .load = load, .bytes_limit = LIMIT};
    assert_int_equal(weft_cache_open(&cache), 0);
}

static void down(void)
{
    assert_int_equal(weft_cache_close(&cache), 0);
    site_down(&s);
}

TEST(the_value_of_a_cell_is_the_body)
{
    up(40000);
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Content-Length", "40000");
    expect_field(&c, "Content-Type", "text/plain");
    assert_int_equal(c.body_size, 40000);
    assert_true(c.body[0] == 'a' && c.body[39999] == 'a');
    hang_up(&c);
    down();
}

TEST(a_value_may_be_short_or_empty)
{
    for (size_t size = 0; size < 2; size++) {
        up(size);
        dial(&s, &c);
        say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, size);
        hang_up(&c);
        down();
    }
}

TEST(for_head_only_the_length_of_a_value_is_told)
{
    up(40000);
    dial(&s, &c);
    say(&c, "HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    until(&s, heard_end(&c));
    assert_non_null(strstr(c.bytes, "Content-Length: 40000\r\n"));
    assert_string_equal(c.bytes + c.size - 4, "\r\n\r\n");
    hang_up(&c);
    down();
}

TEST(pipelined_requests_get_a_cell_each)
{
    up(3000);
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, 3000);
        assert_int_equal(c.body[2999], "aba"[i]);
    }
    hang_up(&c);
    down();
}

/* Bytes of the body that were heard, and are right. */
static size_t heard_of_body(void)
{
    size_t size = 0;
    listen_once(&c);
    while (size < c.size && c.bytes[size] == 'a')
        size++;
    assert_int_equal(size, c.size);
    c.size = 0;
    return size;
}

TEST(a_cell_is_there_until_the_last_byte_is_sent)
{
    size_t left = LARGE;
    up(LARGE);
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    until(&s, heard(&c, "\r\n\r\n"));
    drop_bytes(&c, (size_t)(strstr(c.bytes, "\r\n\r\n") + 4 - c.bytes));
    until(&s, (left -= heard_of_body()) == 0);
    until(&s, s.server.running == 0);
    hang_up(&c);
    down();
}

/* More than the kernel takes, to a client that reads a little and leaves. */
static void leaves(void (*leave)(struct client *))
{
    up(LARGE);
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    until(&s, heard(&c, "aaaa"));
    assert_int_equal(s.server.running, 1);
    leave(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(s.server.running, 0);
    if (c.fd >= 0)
        hang_up(&c);
    down();
}

TEST(a_cell_is_dropped_when_the_client_leaves)
{
    leaves(hang_up);
    leaves(slam);
}

TEST(a_cell_outlives_its_cache)
{
    up(200000);
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    until(&s, s.server.requests == 1 && cache.stats.loads == 1 && weft_cache_close(&cache) == 0);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(c.body_size, 200000);
    assert_int_equal(c.body[199999], 'a');
    hang_up(&c);
    down();
}

/* ---- what cannot be answered ------------------------------------------------------------------ */

static int bad_status;

static void badly_there(struct weft_op *op, struct weft_op *get)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    (void)get;
    weft_http_answer_cell(&visit->request, bad_status, "text/plain",
                          bad_status == 200 ? NULL : visit->get.cell);
}

static void bad_handler(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    weft_cache_get(op, &visit->get, &cache, visit->request.head.path, badly_there);
}

TEST(no_cell_and_a_bad_status_are_errors)
{
    static const int statuses[] = {200, 99, 600};
    up(40000);
    s.server.handler = bad_handler;
    dial(&s, &c);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        bad_status = statuses[i];
        say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_int_equal(hear(&s, &c), 500);
    }
    hang_up(&c);
    down();
}

static void twice_there(struct weft_op *op, struct weft_op *get)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    (void)get;
    weft_http_answer(&visit->request, 200, NULL, "first", 5);
    weft_http_answer_cell(&visit->request, 200, NULL, visit->get.cell);
}

static void twice(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    weft_cache_get(op, &visit->get, &cache, visit->request.head.path, twice_there);
}

TEST(an_answer_before_a_cell_stands)
{
    up(40000);
    s.server.handler = twice;
    dial(&s, &c);
    say(&c, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "first");
    hang_up(&c);
    down();
}
