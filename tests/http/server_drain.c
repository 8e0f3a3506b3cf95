/* Stopping: gracefully or at once, in every phase of a connection.
 * ctest: labels=valgrind-long */
#include "client.h"
#include <weft/timer.h>

static struct site s;
static struct client c;

struct work {
    struct weft_http_request request;
    struct weft_sleep sleep;
    struct weft_http_read_all all;
    struct weft_http_write write;
};

static int work_status;
static unsigned work_over;

static struct work *work_of(struct weft_op *op)
{
    return weft_owner(op, struct work, request.op);
}

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

static void slept(struct weft_op *op, struct weft_op *sleep)
{
    work_status = sleep->status;
    work_over++;
    if (sleep->status == 0)
        hello(op);
    else
        weft_finish(op, sleep->status);
}

static void hello_later(struct weft_op *op)
{
    weft_sleep(op, &work_of(op)->sleep, 100, slept);
}

static void up_with(weft_begin_fn *handler)
{
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct work);
    work_status = 1;
    work_over = 0;
    site_start(&s);
}

static void is_over(int status)
{
    until(&s, s.status != 1);
    assert_int_equal(s.status, status);
    assert_int_equal(s.server.connections, 0);
}

/* ---- gracefully ----------------------------------------------------------------------------- */

TEST(a_server_without_connections_is_drained_at_once)
{
    up_with(hello);
    assert_false(weft_http_draining(&s.server));
    weft_http_drain(&s.server, 1000);
    assert_true(weft_http_draining(&s.server));
    is_over(0);
    site_down(&s);
}

TEST(idle_connections_are_closed_and_nobody_else_gets_in)
{
    static struct client fresh;
    up_with(hello);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    dial(&s, &fresh);
    until(&s, s.server.connections == 2);
    weft_http_drain(&s.server, 1000);
    is_over(0);
    hear_end(&s, &c);
    hear_end(&s, &fresh);
    hang_up(&c);
    hang_up(&fresh);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, &s.server.address.to.any, s.server.address.size), -1);
    assert_int_equal(errno, ECONNREFUSED);
    close(fd);
    site_down(&s);
}

TEST(a_request_under_way_is_finished)
{
    up_with(hello_later);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    weft_http_drain(&s.server, 1000);
    pass(&s, 99);
    assert_int_equal(s.status, 1);
    pass(&s, 1);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    is_over(0);
    site_down(&s);
}

TEST(the_request_behind_it_is_not)
{
    up_with(hello_later);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    until(&s, s.server.running == 1);
    weft_http_drain(&s.server, 1000);
    pass(&s, 100);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    is_over(0);
    assert_int_equal(s.server.requests, 1);
    site_down(&s);
}

TEST(a_head_that_is_coming_in_is_waited_for)
{
    up_with(hello);
    dial(&s, &c);
    say(&c, "GET / HTTP/1.1\r\n");
    until(&s, s.server.connections == 1);
    turns(&s);
    weft_http_drain(&s.server, 1000);
    pass(&s, 500);
    assert_int_equal(s.status, 1);
    say(&c, "Host: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hang_up(&c);
    is_over(0);
    site_down(&s);
}

/* One that says nothing more, and one that was answered and does not leave: there is no request. */
static void keep_somebody_busy(bool answered)
{
    up_with(hello);
    dial(&s, &c);
    say(&c, answered ? "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n"
                     : "GET / HTTP/1.1\r\n");
    until(&s, s.server.connections == 1);
    if (answered)
        assert_int_equal(hear(&s, &c), 200);
    turns(&s);
}

TEST(who_has_no_request_is_not_waited_for)
{
    for (int answered = 0; answered < 2; answered++) {
        keep_somebody_busy(answered);
        weft_http_drain(&s.server, 60000);
        pass(&s, 1000);
        hang_up(&c);
        is_over(0);
        assert_true(weft_now(&s.w.loop) < 3000);
        site_down(&s);
    }
}

TEST(a_drain_that_cuts_no_request_is_no_failure)
{
    for (int answered = 0; answered < 2; answered++) {
        keep_somebody_busy(answered);
        weft_http_drain(&s.server, 100);
        pass(&s, 100);
        is_over(0);
        hang_up(&c);
        site_down(&s);
    }
}

static void body_over(struct weft_op *op, struct weft_op *all)
{
    work_status = all->status;
    work_over++;
    weft_http_read_all_free(&work_of(op)->all);
    if (all->status != 0)
        weft_end(op, all->status);
    else
        hello(op);
}

static void read_body(struct weft_op *op)
{
    weft_http_read_all(op, &work_of(op)->all, request_of(op), body_over);
}

TEST(a_body_that_is_coming_in_is_waited_for)
{
    static weft_begin_fn *const handlers[] = {read_body, hello /* thrown away */};
    for (int i = 0; i < 2; i++) {
        up_with(handlers[i]);
        dial(&s, &c);
        say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12");
        until(&s, s.server.requests == 1);
        weft_http_drain(&s.server, 1000);
        pass(&s, 500);
        assert_int_equal(s.status, 1);
        say(&c, "34");
        assert_int_equal(hear(&s, &c), 200);
        hear_end(&s, &c);
        hang_up(&c);
        is_over(0);
        site_down(&s);
    }
}

/* The request has been read, or the connection accepted, and its then has not run: it is under way,
 * whatever the order. */
TEST(a_request_that_has_just_come_is_answered)
{
    for (int i = 0; i < 2; i++) {
        up_with(hello);
        dial(&s, &c);
        if (i == 0)
            until(&s, s.server.connections == 1);
        say(&c, GET_ROOT);
        /* Take in what has come, but deliver nothing of it yet. */
        while (s.w.loop.ready_ == NULL)
            uv_run(&s.w.uv, UV_RUN_NOWAIT);
        weft_http_drain(&s.server, 1000);
        assert_int_equal(hear(&s, &c), 200);
        expect_field(&c, "Connection", "close");
        hang_up(&c);
        is_over(0);
        assert_int_equal(s.server.requests, 1);
        site_down(&s);
    }
}

TEST(a_connection_that_has_just_come_without_a_request_is_closed)
{
    up_with(hello);
    dial(&s, &c);
    while (s.w.loop.ready_ == NULL)
        uv_run(&s.w.uv, UV_RUN_NOWAIT);
    weft_http_drain(&s.server, 1000);
    is_over(0);
    hear_end(&s, &c);
    hang_up(&c);
    site_down(&s);
}

TEST(what_takes_too_long_is_cut)
{
    up_with(hello_later);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    weft_http_drain(&s.server, 50);
    pass(&s, 49);
    assert_int_equal(s.status, 1);
    pass(&s, 1);
    is_over(UV_ETIMEDOUT);
    assert_int_equal(work_status, UV_ETIMEDOUT);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 0);
    until(&s, heard_end(&c));
    assert_int_equal(c.size, 0);
    hang_up(&c);
    site_down(&s);
}

TEST(draining_again_moves_the_time)
{
    for (int longer = 0; longer < 2; longer++) {
        up_with(hello_later);
        dial(&s, &c);
        say(&c, GET_ROOT);
        until(&s, s.server.running == 1);
        weft_http_drain(&s.server, longer ? 10 : 1000);
        weft_http_drain(&s.server, longer ? 1000 : 10);
        pass(&s, 10);
        if (longer) {
            assert_int_equal(s.status, 1);
            pass(&s, 90);
            assert_int_equal(hear(&s, &c), 200);
        }
        hang_up(&c);
        is_over(longer ? 0 : UV_ETIMEDOUT);
        weft_http_drain(&s.server, 10); /* there is nothing any more */
        site_down(&s);
    }
}

TEST(a_server_that_does_not_run_is_not_drained)
{
    struct weft_http_server server = {0};
    weft_http_drain(&server, 10);
    assert_false(weft_http_draining(&server));
}

static void drain_and_answer(struct weft_op *op)
{
    weft_http_drain(&s.server, 1000);
    hello(op);
}

static void drain_when_told(struct weft_http_request *request)
{
    tell(request);
    weft_http_drain(request->server, 1000);
}

TEST(a_server_can_be_drained_from_anywhere)
{
    up_with(drain_and_answer);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hang_up(&c);
    is_over(0);
    assert_int_equal(told.calls, 1);
    site_down(&s);
    up_with(hello);
    s.server.done = drain_when_told;
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    is_over(0);
    hear_end(&s, &c);
    hang_up(&c);
    site_down(&s);
}

/* ---- at once, in every phase ---------------------------------------------------------------- */

enum { HUGE = 16 * 1024 * 1024 };
static char zeros[HUGE];

static void answer_huge(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, zeros, HUGE);
}

static void stream_huge(struct weft_op *op)
{
    struct work *work = work_of(op);
    assert_int_equal(weft_http_start(&work->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(op, &work->write, &work->request, zeros, HUGE, NULL);
}

static void fail_at_once_with_busy(struct weft_op *op)
{
    weft_finish(op, UV_EBUSY);
}

static const struct phase {
    const char *name;
    weft_begin_fn *handler;
    const char *said;
    unsigned told; /* how many requests are told */
} phases[] = {
    {"idle", hello, "", 0},
    {"in a head", hello, "GET / HT", 0},
    {"in a large head", hello, NULL, 0},
    {"between two requests", hello, GET_ROOT, 1},
    {"in a handler", hello_later, GET_ROOT GET_ROOT, 1},
    {"in a body", read_body, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12", 1},
    {"in chunks", read_body,
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n12", 1},
    {"while it expects", read_body,
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n", 1},
    {"in an answer", answer_huge, GET_ROOT, 1},
    {"in a streamed answer", stream_huge, GET_ROOT, 1},
    {"in an unread body", hello, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12", 1},
    {"lingering", hello, "bad\r\n\r\n", 1},
    {"after a refusal", fail_at_once_with_busy, GET_ROOT, 1},
};

enum { PHASES = sizeof phases / sizeof *phases, ORDERS = 6 };

/* The i-th phase, under one order after the other. */
static const struct phase *reach(size_t i)
{
    const struct phase *phase = &phases[i % PHASES];
    site_seed = i / PHASES;
    up_with(phase->handler);
    dial(&s, &c);
    until(&s, s.server.connections == 1);
    if (phase->said != NULL) {
        say(&c, phase->said);
    } else {
        memset(c.body, 'x', 3000);
        c.body[3000] = '\0';
        say(&c, "GET / HTTP/1.1\r\nHost: a\r\nX: ");
        say(&c, c.body);
    }
    turns(&s);
    site_seed = 0;
    return phase;
}

TEST(a_cancel_ends_everything_at_once_whatever_it_is_at)
{
    for (size_t i = 0; i < PHASES * ORDERS; i++) {
        const struct phase *phase = reach(i);
        weft_cancel(&s.server.op, UV_EINTR);
        is_over(UV_EINTR);
        if (told.calls != phase->told)
            fail_msg("%s: %u were told", phase->name, told.calls);
        if (phase->handler == hello_later || phase->handler == read_body)
            assert_int_equal(work_status, UV_EINTR);
        until(&s, heard_end(&c) || c.size == EARS - 1);
        hang_up(&c);
        site_down(&s);
    }
}

TEST(a_drain_comes_to_its_end_whatever_it_meets)
{
    for (size_t i = 0; i < PHASES * ORDERS; i++) {
        const struct phase *phase = reach(i);
        weft_http_drain(&s.server, 10);
        pass(&s, 10);
        until(&s, s.status != 1);
        assert_true(s.status == 0 || s.status == UV_ETIMEDOUT);
        assert_int_equal(told.calls, phase->told);
        hang_up(&c);
        site_down(&s);
    }
}

TEST(a_client_may_leave_whatever_the_server_is_at)
{
    for (size_t i = 0; i < PHASES * ORDERS; i++) {
        for (int slammed = 0; slammed < 2; slammed++) {
            const struct phase *phase = reach(i);
            slammed ? slam(&c) : hang_up(&c);
            until(&s, s.server.connections == 0);
            assert_int_equal(s.server.running, 0);
            assert_int_equal(told.calls, phase->told);
            s.server.handler = hello;
            serves_on(&s);
            site_down(&s);
        }
    }
}

/* ---- from inside ---------------------------------------------------------------------------- */

static void cancel_and_answer(struct weft_op *op)
{
    weft_cancel(&s.server.op, UV_EINTR);
    hello(op);
}

static void cancel_when_told(struct weft_http_request *request)
{
    tell(request);
    weft_cancel(&request->server->op, UV_EINTR);
}

TEST(a_server_can_be_cancelled_from_inside)
{
    up_with(cancel_and_answer);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    is_over(UV_EINTR);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 0);
    hang_up(&c);
    site_down(&s);
    up_with(hello);
    s.server.done = cancel_when_told;
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    is_over(UV_EINTR);
    assert_int_equal(told.calls, 1);
    hang_up(&c);
    site_down(&s);
}

TEST(a_server_that_has_stopped_can_be_started_again)
{
    up_with(hello);
    for (int i = 0; i < 3; i++) {
        serves_on(&s);
        assert_int_equal(s.server.requests, 1);
        weft_http_drain(&s.server, 1000);
        is_over(0);
        s.status = 1;
        site_start(&s);
        assert_false(weft_http_draining(&s.server));
    }
    site_down(&s);
}
