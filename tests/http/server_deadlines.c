/* Times: for a head, between requests, for a body, for the client to take what is written, for a
 * whole request. All on the virtual clock.
 * ctest: labels=valgrind-long */
#include "client.h"
#include <weft/timer.h>

static struct site s;
static struct client c;

struct work {
    struct weft_http_request request;
    struct weft_sleep sleep;
    struct weft_http_read_all all;
    struct weft_http_read read;
    struct weft_http_write write;
    char buffer[100];
};

static int work_status;

static struct work *work_of(struct weft_op *op)
{
    return weft_owner(op, struct work, request.op);
}

/* Times that are easy to tell apart. */
enum { HEAD = 1000, IDLE = 5000, BODY = 2000, WRITE = 3000, REQUEST = 20000 };

static void up_with(weft_begin_fn *handler)
{
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct work);
    s.server.head_ms = HEAD;
    s.server.idle_ms = IDLE;
    s.server.body_ms = BODY;
    s.server.write_ms = WRITE;
    s.server.request_ms = REQUEST;
    work_status = 1;
    site_start(&s);
}

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

/* ---- heads ---------------------------------------------------------------------------------- */

TEST(a_client_that_says_nothing_is_left_alone_and_then_closed)
{
    up_with(hello);
    dial(&s, &c);
    turns(&s);
    pass(&s, HEAD - 1);
    hear_nothing(&s, &c);
    pass(&s, 1);
    hear_end(&s, &c);
    assert_int_equal(told.calls, 0);
    until(&s, s.server.connections == 0);
    hang_up(&c);
    site_down(&s);
}

TEST(a_head_has_to_come_in_its_time_however_it_drips)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: loris\r\n\r\n";
    up_with(hello);
    dial(&s, &c);
    turns(&s);
    pass(&s, HEAD / 2); /* before the first byte */
    for (size_t i = 0; i < 20; i++) {
        say_bytes(&c, head + i, 1);
        turns(&s);
        if (i > 0) /* the first one starts the clock */
            pass(&s, HEAD / 20);
    }
    hear_nothing(&s, &c);
    pass(&s, HEAD / 20);
    assert_int_equal(hear(&s, &c), 408);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 408);
    assert_int_equal(s.server.requests, 0);
    serves_on(&s);
    site_down(&s);
}

TEST(a_pipelined_head_has_the_same_time)
{
    up_with(hello);
    dial(&s, &c);
    say(&c, GET_ROOT "GET / HT");
    assert_int_equal(hear(&s, &c), 200);
    pass(&s, HEAD - 1);
    hear_nothing(&s, &c);
    pass(&s, 1);
    assert_int_equal(hear(&s, &c), 408);
    hang_up(&c);
    site_down(&s);
}

TEST(an_idle_connection_is_closed_in_its_time)
{
    up_with(hello);
    dial(&s, &c);
    for (int i = 0; i < 3; i++) {
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        pass(&s, IDLE - 1);
        hear_nothing(&s, &c);
    }
    pass(&s, 1);
    hear_end(&s, &c);
    until(&s, s.server.connections == 0);
    hang_up(&c);
    site_down(&s);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void body_over(struct weft_op *op, struct weft_op *all)
{
    struct work *work = work_of(op);
    work_status = all->status;
    if (all->status != 0) {
        weft_end(op, all->status);
        return;
    }
    weft_http_read_all_free(&work->all);
    weft_http_answer(&work->request, 200, NULL, "read", 4);
}

static void read_body(struct weft_op *op)
{
    weft_http_read_all(op, &work_of(op)->all, request_of(op), body_over);
}

static void body_is_awaited(const char *head, const char *piece)
{
    up_with(read_body);
    dial(&s, &c);
    say(&c, head);
    turns(&s);
    for (int i = 0; i < 3; i++) { /* as long as something comes it may take its time */
        pass(&s, BODY - 1);
        hear_nothing(&s, &c);
        say(&c, piece);
        turns(&s);
    }
    pass(&s, BODY - 1);
    hear_nothing(&s, &c);
    pass(&s, 1);
    assert_int_equal(hear(&s, &c), 408);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    assert_int_equal(work_status, UV_ETIMEDOUT);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(told.calls, 1);
    site_down(&s);
}

TEST(a_body_has_to_come_on)
{
    body_is_awaited("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", "12");
    body_is_awaited("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                    "1\r\nx\r\n");
}

TEST(a_body_that_nobody_reads_has_to_come_too)
{
    up_with(hello);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    pass(&s, BODY - 1);
    hear_nothing(&s, &c);
    pass(&s, 1);
    hear_end(&s, &c);
    until(&s, s.server.connections == 0);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 200);
    hang_up(&c);
    site_down(&s);
}

/* ---- the whole request ---------------------------------------------------------------------- */

static void sleep_over(struct weft_op *op, struct weft_op *sleep)
{
    work_status = sleep->status;
    if (sleep->status != 0)
        weft_finish(op, sleep->status);
    else
        weft_http_answer(request_of(op), 200, NULL, "slept", 5);
}

static void sleep_long(struct weft_op *op)
{
    weft_sleep(op, &work_of(op)->sleep, REQUEST + 1, sleep_over);
}

static void sleep_less(struct weft_op *op)
{
    weft_sleep(op, &work_of(op)->sleep, REQUEST - 1, sleep_over);
}

TEST(a_handler_that_takes_too_long_is_stopped)
{
    up_with(sleep_long);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    pass(&s, REQUEST - 1);
    hear_nothing(&s, &c);
    pass(&s, 1);
    assert_int_equal(work_status, UV_ETIMEDOUT);
    assert_int_equal(hear(&s, &c), 504);
    expect_field(&c, "Connection", NULL);
    s.server.handler = sleep_less;
    for (int i = 0; i < 3; i++) { /* each request has its own time */
        say(&c, GET_ROOT);
        until(&s, s.server.running == 1);
        pass(&s, REQUEST - 1);
        assert_int_equal(hear(&s, &c), 200);
    }
    hang_up(&c);
    site_down(&s);
}

TEST(a_request_may_have_less_time_than_anything_else)
{
    up_with(sleep_long);
    s.server.request_ms = HEAD / 10;
    dial(&s, &c);
    for (int i = 0; i < 3; i++) {
        say(&c, GET_ROOT);
        until(&s, s.server.running == 1);
        pass(&s, HEAD / 10 - 1);
        hear_nothing(&s, &c);
        pass(&s, 1);
        assert_int_equal(hear(&s, &c), 504);
    }
    hang_up(&c);
    site_down(&s);
}

static void answer_anyway(struct weft_op *op, struct weft_op *sleep)
{
    work_status = sleep->status;
    weft_http_answer(request_of(op), 200, NULL, "too late", 8);
}

static void sleep_and_answer(struct weft_op *op)
{
    weft_sleep(op, &work_of(op)->sleep, 10 * REQUEST, answer_anyway);
}

TEST(a_handler_that_was_stopped_cannot_answer_any_more)
{
    up_with(sleep_and_answer);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    pass(&s, REQUEST);
    assert_int_equal(hear(&s, &c), 504);
    assert_int_equal(work_status, UV_ETIMEDOUT);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 504);
    hang_up(&c);
    site_down(&s);
}

static weft_then_fn dribble_later;

static void dribble(struct weft_op *op, struct weft_op *before)
{
    struct work *work = work_of(op);
    if (before->status != 0)
        weft_end(op, before->status);
    else
        weft_http_write(op, &work->write, &work->request, "x", 1, dribble_later);
}

static void dribble_later(struct weft_op *op, struct weft_op *write)
{
    work_status = write->status;
    if (write->status != 0)
        weft_end(op, write->status);
    else
        weft_sleep(op, &work_of(op)->sleep, 100, dribble);
}

static void answer_for_ever(struct weft_op *op)
{
    struct work *work = work_of(op);
    assert_int_equal(weft_http_start(&work->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(op, &work->write, &work->request, NULL, 0, dribble_later);
}

TEST(an_answer_that_takes_too_long_is_cut)
{
    up_with(answer_for_ever);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    pass(&s, REQUEST - 1);
    assert_int_equal(s.server.running, 1);
    pass(&s, 1);
    assert_int_equal(s.server.running, 0);
    hear_reset(&s, &c);
    hang_up(&c);
    site_down(&s);
}

/* ---- a client that does not read ------------------------------------------------------------ */

enum { HUGE = 32 * 1024 * 1024 };
static char zeros[HUGE];

static void answer_huge(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, zeros, HUGE);
}

static weft_then_fn pour_on;

static void pour(struct weft_op *op)
{
    struct work *work = work_of(op);
    assert_int_equal(weft_http_start(&work->request, 200, NULL, HUGE), 0);
    weft_http_write(op, &work->write, &work->request, zeros, 65536, pour_on);
}

static void pour_on(struct weft_op *op, struct weft_op *write)
{
    struct work *work = work_of(op);
    work_status = write->status;
    if (write->status != 0)
        weft_end(op, write->status);
    else if (work->request.sent < HUGE)
        weft_http_write(op, &work->write, &work->request, zeros, 65536, pour_on);
    else
        weft_http_end(&work->request);
}

/* Some of what is there, a megabyte at most; how much it was. */
static size_t sip(void)
{
    size_t total = 0;
    for (ssize_t got; total < 1024 * 1024 && (got = recv(c.fd, c.bytes, EARS, 0)) > 0;)
        total += (size_t)got;
    return total;
}

TEST(a_client_that_stops_reading_is_cut)
{
    static weft_begin_fn *const handlers[] = {answer_huge, pour};
    for (int i = 0; i < 2; i++) {
        up_with(handlers[i]);
        dial(&s, &c);
        say(&c, GET_ROOT);
        until(&s, s.server.running == 1);
        pass(&s, WRITE - 1);
        assert_int_equal(s.server.running, 1);
        pass(&s, WRITE + 1); /* it may have taken something in the first moment */
        until(&s, s.server.connections == 0);
        assert_int_equal(told.calls, 1);
        hang_up(&c);
        site_down(&s);
    }
    assert_int_equal(work_status, UV_ETIMEDOUT);
}

TEST(a_client_that_reads_slowly_is_not_cut)
{
    static weft_begin_fn *const handlers[] = {answer_huge, pour};
    for (int i = 0; i < 2; i++) {
        up_with(handlers[i]);
        s.server.request_ms = WEFT_HTTP_NEVER;
        dial(&s, &c);
        say(&c, GET_ROOT);
        until(&s, s.server.running == 1);
        size_t total = 0;
        while (total < HUGE) {
            total += sip();
            pass(&s, WRITE - 1);
            if (s.server.running == 0)
                until(&s, (total += sip()) >= HUGE);
        }
        until(&s, s.server.running == 0);
        assert_int_equal(s.server.connections, 1);
        hang_up(&c);
        site_down(&s);
        assert_int_equal(told.sent, HUGE);
    }
}

/* ---- none at all ---------------------------------------------------------------------------- */

TEST(any_time_may_be_for_ever)
{
    site_prepare(&s, read_body);
    s.server.request_size = sizeof(struct work);
    s.server.head_ms = s.server.idle_ms = s.server.body_ms = s.server.write_ms =
        s.server.request_ms = WEFT_HTTP_NEVER;
    site_start(&s);
    dial(&s, &c);
    pass(&s, 1000000000);
    say(&c, "POST / HTTP/1.1\r\n");
    pass(&s, 1000000000);
    say(&c, "Host: a\r\nContent-Length: 2\r\n\r\n");
    pass(&s, 1000000000);
    say(&c, "1");
    pass(&s, 1000000000);
    say(&c, "2");
    assert_int_equal(hear(&s, &c), 200);
    pass(&s, 1000000000);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_does_not_close_after_the_last_answer_is_closed)
{
    up_with(hello);
    dial(&s, &c);
    say(&c, "bad\r\n\r\n");
    assert_int_equal(hear(&s, &c), 400);
    hear_end(&s, &c);
    pass(&s, 1999);
    assert_int_equal(s.server.connections, 1);
    pass(&s, 1);
    until(&s, s.server.connections == 0);
    hang_up(&c);
    site_down(&s);
}
