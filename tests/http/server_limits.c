/* Limits: of heads, connections, requests on a connection, and memory.
 * ctest: labels=valgrind-long */
#include "client.h"
#include "fault.h"

static struct site s;
static struct client c;

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

/* ---- heads ---------------------------------------------------------------------------------- */

static char text[100000];

/* A request whose line, or whole head, has a certain size. */
static void request_of_size(size_t line, size_t head)
{
    size_t path = line > 0 ? line - strlen("GET / HTTP/1.1") : 0;
    memset(text, 0, sizeof text);
    int size = snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\nHost: a\r\n", (int)path, 0);
    if (path == 0)
        size = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\n");
    if (head > 0) {
        size_t rest = head - (size_t)size - strlen("X: \r\n\r\n");
        size += snprintf(text + size, sizeof text - (size_t)size, "X: %0*d\r\n", (int)rest, 0);
    }
    snprintf(text + size, sizeof text - (size_t)size, "\r\n");
}

static void is_refused(const char *request, int status)
{
    dial(&s, &c);
    say(&c, request);
    assert_int_equal(hear(&s, &c), status);
    expect_field(&c, "Connection", status == 200 ? NULL : "close");
    if (status != 200)
        hear_end(&s, &c);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(told.answered, status);
}

static void heads_are_limited(size_t line_max, size_t head_max)
{
    site_prepare(&s, hello);
    s.server.line_max = line_max;
    s.server.head_max = head_max;
    site_start(&s);
    request_of_size(line_max, 0);
    is_refused(text, 200);
    request_of_size(line_max + 1, 0);
    is_refused(text, 414);
    request_of_size(0, head_max);
    is_refused(text, 200);
    request_of_size(0, head_max + 1);
    is_refused(text, 431);
    request_of_size(0, head_max + 20000);
    is_refused(text, 431);
    assert_int_equal(s.server.requests, 2);
    assert_int_equal(told.calls, 5);
    serves_on(&s);
    site_down(&s);
}

TEST(a_head_has_limits_to_the_byte)
{
    heads_are_limited(100, 200);
    heads_are_limited(900, 1024); /* what a small buffer holds */
    heads_are_limited(900, 1025);
    heads_are_limited(WEFT_HTTP_LINE_MAX, WEFT_HTTP_HEAD_MAX);
}

TEST(there_are_only_so_many_fields)
{
    site_prepare(&s, hello);
    s.server.fields_max = 3;
    site_start(&s);
    is_refused("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n", 200);
    is_refused("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", 431);
    site_down(&s);
}

TEST(what_is_not_http_is_refused_before_a_handler_sees_it)
{
    site_up(&s, hello);
    is_refused("GET / HTTP/1.1\r\n\r\n", 400);
    is_refused("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505);
    is_refused("\x16\x03\x01\x02", 400);
    is_refused(
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        400);
    is_refused("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501);
    is_refused("GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n", 417);
    assert_int_equal(s.server.requests, 0);
    assert_int_equal(told.calls, 6);
    dial(&s, &c);
    say(&c, "HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    assert_int_equal(hear_head(&s, &c), 400); /* known to be a HEAD: no body */
    hear_end(&s, &c);
    hang_up(&c);
    dial(&s, &c);
    say(&c, GET_ROOT "bad\r\n\r\n" GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(hear(&s, &c), 400);
    hear_end(&s, &c);
    hang_up(&c);
    serves_on(&s);
    site_down(&s);
}

/* ---- requests on a connection --------------------------------------------------------------- */

TEST(a_connection_has_only_so_many_requests)
{
    site_prepare(&s, hello);
    s.server.requests_max = 3;
    site_start(&s);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT GET_ROOT GET_ROOT);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(hear(&s, &c), 200);
        expect_field(&c, "Connection", i < 3 ? NULL : "close");
    }
    hear_end(&s, &c);
    hang_up(&c);
    assert_int_equal(s.server.requests, 3);
    site_down(&s);
}

/* ---- connections ---------------------------------------------------------------------------- */

TEST(a_connection_too_many_is_told_to_come_again)
{
    static struct client first, second;
    site_prepare(&s, hello);
    s.server.connections_max = 2;
    site_start(&s);
    dial(&s, &first);
    dial(&s, &second);
    until(&s, s.server.connections == 2);
    for (int i = 1; i <= 3; i++) {
        dial(&s, &c);
        if (i > 1)
            say(&c, GET_ROOT); /* it may have spoken or not */
        assert_int_equal(hear(&s, &c), 503);
        expect_field(&c, "Retry-After", "1");
        expect_field(&c, "Connection", "close");
        hear_end(&s, &c);
        assert_int_equal(s.server.refused, i);
        hang_up(&c);
        until(&s, s.server.connections == 2);
    }
    assert_int_equal(told.calls, 3);
    assert_int_equal(told.answered, 503);
    assert_int_equal(s.server.requests, 0);
    say(&first, GET_ROOT);
    assert_int_equal(hear(&s, &first), 200);
    hang_up(&first);
    until(&s, s.server.connections == 1);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    hang_up(&c);
    hang_up(&second);
    assert_int_equal(s.server.accepted, 6);
    site_down(&s);
}

TEST(a_connection_too_many_that_stays_does_not_stay_for_long)
{
    static struct client first;
    site_prepare(&s, hello);
    s.server.connections_max = 1;
    site_start(&s);
    dial(&s, &first);
    until(&s, s.server.connections == 1);
    dial(&s, &c);
    assert_int_equal(hear(&s, &c), 503);
    assert_int_equal(s.server.connections, 2);
    pass(&s, 200);
    until(&s, s.server.connections == 1);
    hang_up(&c);
    hang_up(&first);
    site_down(&s);
}

enum { CROWD = 200 };

TEST(a_crowd_that_is_refused_does_not_become_a_crowd_itself)
{
    static struct client first;
    static int crowd[CROWD];
    site_prepare(&s, hello);
    s.server.connections_max = 1;
    site_start(&s);
    dial(&s, &first);
    until(&s, s.server.connections == 1);
    for (int i = 0; i < CROWD; i++) {
        dial(&s, &c);
        crowd[i] = c.fd;
    }
    turns(&s);
    assert_true(s.server.connections <= 1 + 64); /* the others wait in the kernel */
    for (int i = 0; i < CROWD; i++) {
        c = (struct client){.fd = crowd[i]};
        assert_int_equal(hear(&s, &c), 503);
        hang_up(&c);
    }
    until(&s, s.server.connections == 1);
    assert_int_equal(s.server.refused, CROWD);
    say(&first, GET_ROOT);
    assert_int_equal(hear(&s, &first), 200);
    hang_up(&first);
    until(&s, s.server.connections == 0);
    serves_on(&s);
    site_down(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

TEST(without_memory_nobody_is_accepted_for_a_while)
{
    static struct client second;
    weft_fault_install();
    site_up(&s, hello);
    dial(&s, &c);
    weft_fault_fail_at(1); /* the connection that is to wait behind this one */
    until(&s, s.server.connections == 1);
    turns(&s);
    assert_true(weft_fault_hit());
    dial(&s, &second);
    turns(&s);
    assert_int_equal(s.server.connections, 1);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    pass(&s, 100);
    until(&s, s.server.connections == 2);
    say(&second, GET_ROOT);
    assert_int_equal(hear(&s, &second), 200);
    hang_up(&c);
    hang_up(&second);
    site_down(&s);
    fault_remove();
}

TEST(a_head_that_there_is_no_memory_for_is_refused)
{
    static const char *const requests[] = {
        text, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"};
    weft_fault_install();
    site_up(&s, hello);
    serves_on(&s);
    request_of_size(0, 2000); /* does not fit a small buffer */
    for (int i = 0; i < 2; i++) {
        dial(&s, &c);
        until(&s, s.server.connections == 1);
        turns(&s);
        weft_fault_fail_at(1);
        say(&c, requests[i]);
        assert_int_equal(hear(&s, &c), 503);
        assert_true(weft_fault_hit());
        expect_field(&c, "Connection", "close");
        hear_end(&s, &c);
        hang_up(&c);
        until(&s, s.server.connections == 0);
    }
    weft_fault_fail_at(0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask(&s, requests[i]), 200);
    site_down(&s);
    fault_remove();
}
