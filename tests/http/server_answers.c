/* Answers: their framing, what may be in them, in which order they come.
 * ctest: labels=valgrind-long */
#include "client.h"
#include "fault.h"
#include <weft/timer.h>

static struct site s;
static struct client c;

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

/* ---- whole ones ----------------------------------------------------------------------------- */

TEST(an_answer_has_a_date_a_type_and_a_length)
{
    site_up(&s, hello);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "hello\n");
    assert_memory_equal(c.head, "HTTP/1.1 200 OK\r\n", 17);
    expect_field(&c, "Content-Length", "6");
    expect_field(&c, "Content-Type", "text/plain");
    expect_field(&c, "Connection", NULL);
    expect_field(&c, "Server", NULL);
    assert_int_equal(strlen(field(&c, "Date")), 29);
    assert_non_null(strstr(field(&c, "Date"), " GMT"));
    assert_int_equal(s.server.requests, 1);
    until(&s, told.calls == 1);
    assert_int_equal(told.answered, 200);
    assert_int_equal(told.sent, 6);
    hang_up(&c);
    site_down(&s);
}

static void answer_by_path(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    int status = atoi(request->head.path.data + 1);
    weft_http_answer(request, status, "text/plain", "hello\n", 6);
}

TEST(a_head_has_the_fields_of_a_get_and_no_body)
{
    site_up(&s, hello);
    dial(&s, &c);
    say(&c, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear_head(&s, &c), 200);
    expect_field(&c, "Content-Length", "6");
    hear_nothing(&s, &c);
    until(&s, told.calls == 1);
    assert_int_equal(told.sent, 0);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "hello\n");
    hang_up(&c);
    site_down(&s);
}

TEST(an_answer_without_a_body_has_none_whatever_the_handler_says)
{
    site_up(&s, answer_by_path);
    dial(&s, &c);
    say(&c, "GET /204 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 204);
    expect_field(&c, "Content-Length", NULL);
    expect_field(&c, "Transfer-Encoding", NULL);
    hear_nothing(&s, &c);
    say(&c, "GET /304 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 304);
    expect_field(&c, "Content-Length", "6");
    hear_nothing(&s, &c);
    say(&c, "GET /205 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 205);
    expect_field(&c, "Content-Length", "0");
    hear_nothing(&s, &c);
    hang_up(&c);
    site_down(&s);
}

static void set_type_twice(struct weft_op *op)
{
    assert_int_equal(weft_http_set(request_of(op), "content-type", "text/html"), 0);
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

TEST(a_type_that_was_set_stands_and_stands_alone)
{
    site_up(&s, set_type_twice);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "content-type", "text/html");
    assert_null(strstr(c.head, "text/plain"));
    hang_up(&c);
    site_down(&s);
}

TEST(a_status_without_a_name_has_an_empty_one)
{
    site_up(&s, answer_by_path);
    dial(&s, &c);
    say(&c, "GET /599 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 599);
    assert_memory_equal(c.head, "HTTP/1.1 599 \r\n", 15);
    hang_up(&c);
    site_down(&s);
}

TEST(a_status_that_is_none_is_an_error_of_the_handler)
{
    site_up(&s, answer_by_path);
    assert_int_equal(ask(&s, "GET /199 HTTP/1.1\r\nHost: a\r\n\r\n"), 500);
    assert_int_equal(ask(&s, "GET /600 HTTP/1.1\r\nHost: a\r\n\r\n"), 500);
    assert_int_equal(ask(&s, "GET /-1 HTTP/1.1\r\nHost: a\r\n\r\n"), 500);
    site_down(&s);
}

static void answer_nothing(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, NULL, 0);
}

static void answer_null(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, NULL, 1);
}

TEST(an_answer_may_be_empty)
{
    site_up(&s, answer_nothing);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Content-Length", "0");
    expect_field(&c, "Content-Type", NULL);
    hang_up(&c);
    site_down(&s);
    site_up(&s, answer_null);
    assert_int_equal(ask(&s, GET_ROOT), 500);
    site_down(&s);
}

enum { LARGE = 200000 };
static char large[LARGE];

static void answer_large(struct weft_op *op)
{
    memset(large, 'x', sizeof large);
    weft_http_answer(request_of(op), 200, NULL, large, sizeof large);
}

TEST(a_large_answer_arrives_whole)
{
    site_up(&s, answer_large);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, LARGE);
        assert_memory_equal(c.body, large, LARGE);
    }
    hang_up(&c);
    site_down(&s);
}

static int format_size;

static void answer_formatted(struct weft_op *op)
{
    weft_http_answerf(request_of(op), 200, "text/plain", "%0*d", format_size, 7);
}

TEST(a_formatted_answer_may_have_any_size)
{
    static const int sizes[] = {1, 511, 512, 513, 900, 5000, 100000};
    site_up(&s, answer_formatted);
    dial(&s, &c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        format_size = sizes[i];
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, sizes[i]);
        assert_int_equal(c.body[sizes[i] - 1], '7');
        assert_int_equal(strspn(c.body, "0"), sizes[i] - 1);
    }
    hang_up(&c);
    site_down(&s);
}

/* A head that leaves no room for a body behind it, so that even a short one is kept apart. */
static void answer_behind_a_full_head(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    assert_int_equal(weft_http_setf(request, "X-Long", "%0*d", 600, 1), 0);
    weft_http_answerf(request, 200, "text/plain", "%0*d", 400, 7);
}

TEST(a_formatted_answer_goes_behind_a_long_head)
{
    site_up(&s, answer_behind_a_full_head);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(c.body_size, 400);
    assert_int_equal(c.body[399], '7');
    hang_up(&c);
    site_down(&s);
}

static void answer_with_a_copy(struct weft_op *op)
{
    static char body[100000];
    memset(body, 'x', sizeof body);
    body[0] = '\0';
    weft_http_answer_copy(request_of(op), 200, "text/plain", body, (size_t)format_size);
    memset(body, 'y', sizeof body);
}

TEST(an_answer_that_is_copied_may_have_any_size)
{
    static const int sizes[] = {0, 1, 511, 512, 900, 100000};
    site_up(&s, answer_with_a_copy);
    dial(&s, &c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        format_size = sizes[i];
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, sizes[i]);
        for (int at = 0; at < sizes[i]; at++)
            assert_int_equal(c.body[at], at == 0 ? '\0' : 'x');
    }
    hang_up(&c);
    site_down(&s);
}

static void answer_a_copy_of_nothing(struct weft_op *op)
{
    weft_http_answer_copy(request_of(op), 200, NULL, NULL, 1000);
}

TEST(a_copy_of_what_is_not_there_is_refused)
{
    site_up(&s, answer_a_copy_of_nothing);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 500);
    hang_up(&c);
    site_down(&s);
}

static void answer_twice(struct weft_op *op)
{
    weft_http_answerf(request_of(op), 201, NULL, "first");
    weft_http_answerf(request_of(op), 202, NULL, "second");
    weft_http_answer(request_of(op), 203, NULL, "third", 5);
    weft_http_answer_copy(request_of(op), 203, NULL, "fourth", 6);
    assert_int_equal(weft_http_start(request_of(op), 204, NULL, 0), UV_EALREADY);
    assert_int_equal(weft_http_set(request_of(op), "A", "b"), UV_EALREADY);
    assert_int_equal(request_of(op)->answered, 201);
}

TEST(the_first_answer_stands)
{
    site_up(&s, answer_twice);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 201);
    assert_string_equal(c.body, "first");
    hear_nothing(&s, &c);
    hang_up(&c);
    site_down(&s);
}

/* ---- versions and connections --------------------------------------------------------------- */

TEST(a_connection_is_kept_as_the_version_says)
{
    site_up(&s, hello);
    dial(&s, &c);
    for (int i = 0; i < 3; i++) {
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
    }
    say(&c, GET_ROOT_AND_CLOSE);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    dial(&s, &c);
    say(&c, "GET / HTTP/1.0\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    dial(&s, &c);
    for (int i = 0; i < 3; i++) {
        say(&c, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assert_int_equal(hear(&s, &c), 200);
        expect_field(&c, "Connection", "keep-alive");
    }
    hang_up(&c);
    site_down(&s);
    assert_int_equal(told.calls, 8);
}

static void hello_and_close(struct weft_op *op)
{
    request_of(op)->close = true;
    hello(op);
}

TEST(a_handler_may_close_the_connection)
{
    site_up(&s, hello_and_close);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_wants_a_tunnel_gets_no_second_request)
{
    site_up(&s, hello);
    dial(&s, &c);
    say(&c, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n" GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    assert_int_equal(s.server.requests, 1);
    hang_up(&c);
    site_down(&s);
}

/* ---- pipelining ----------------------------------------------------------------------------- */

struct slow {
    struct weft_http_request request;
    struct weft_sleep sleep;
};

static void slow_over(struct weft_op *op, struct weft_op *sleep)
{
    struct weft_http_request *request = request_of(op);
    if (sleep->status == 0)
        weft_http_answerf(request, 200, NULL, "%.*s", WEFT_TEXT_ARGS(request->head.path));
    else
        weft_finish(op, sleep->status);
}

/* The first ones take longest. */
static void answer_slowly(struct weft_op *op)
{
    struct slow *slow = weft_owner(op, struct slow, request.op);
    int number = atoi(slow->request.head.path.data + 1);
    weft_sleep(op, &slow->sleep, (uint64_t)(100 - number), slow_over);
}

enum { MANY = 60 };

/* Many requests in one piece, with heads of some size. */
static char *many_requests(size_t padding)
{
    size_t room = MANY * (padding + 100), size = 0;
    char *text = calloc(1, room);
    assert_non_null(text);
    for (int i = 0; i < MANY; i++)
        size +=
            (size_t)snprintf(text + size, room - size,
                             "GET /%d HTTP/1.1\r\nHost: a\r\nX: %0*d\r\n\r\n", i, (int)padding, 0);
    return text;
}

static void pipelined_with(size_t padding)
{
    char *text = many_requests(padding), number[16];
    site_prepare(&s, answer_slowly);
    s.server.request_size = sizeof(struct slow);
    site_start(&s);
    dial(&s, &c);
    say(&c, text);
    pass(&s, MANY * 100);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(hear(&s, &c), 200);
        snprintf(number, sizeof number, "/%d", i);
        assert_string_equal(c.body, number);
    }
    assert_int_equal(s.server.requests, MANY);
    hang_up(&c);
    site_down(&s);
    assert_int_equal(told.calls, MANY);
    free(text);
}

TEST(pipelined_requests_are_answered_in_their_order)
{
    pipelined_with(1);    /* many in a small buffer */
    pipelined_with(700);  /* one and a half in it */
    pipelined_with(1500); /* none fits a small one */
    pipelined_with(9000); /* two in a large one */
}

TEST(pipelined_requests_may_come_in_any_pieces)
{
    char *text = many_requests(40);
    site_up(&s, hello);
    for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
        dial(&s, &c);
        for (size_t at = 0, size = strlen(text); at < size; at += piece) {
            say_bytes(&c, text + at, piece < size - at ? piece : size - at);
            if (piece > 1 || at % 16 == 0)
                turn(&s);
        }
        for (int i = 0; i < MANY; i++)
            assert_int_equal(hear(&s, &c), 200);
        hear_nothing(&s, &c);
        hang_up(&c);
    }
    free(text);
    site_down(&s);
}

/* ---- the fields ----------------------------------------------------------------------------- */

static void answer_with_fields(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    assert_int_equal(weft_http_set(request, "X-One", "1"), 0);
    assert_int_equal(weft_http_setf(request, "X-Two", "%d%s", 2, " and"), 0);
    assert_int_equal(weft_http_set_text(request, weft_text("X-Three!", 7), weft_text("3!", 1)), 0);
    assert_int_equal(weft_http_set(request, "X-Empty", ""), 0);
    assert_int_equal(weft_http_set(request, "X-Null", NULL), 0);
    assert_int_equal(weft_http_set(request, "X-Bytes", "\xc3\xa4\t\xff"), 0);
    static const char *const names[] = {"", " ", "a b", "a:", "a\r\n", "\xc3\xa4", "a\n", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(weft_http_set(request, names[i], "x"), UV_EINVAL);
    static const char *const values[] = {"a\r\nSet-Cookie: x", "a\rb", "a\nb", "\x01", "\x7f"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_int_equal(weft_http_set(request, "X-Bad", values[i]), UV_EINVAL);
        assert_int_equal(weft_http_setf(request, "X-Bad", "%s", values[i]), UV_EINVAL);
    }
    assert_int_equal(weft_http_set_text(request, weft_text("X-Bad", 5), weft_text("a\0b", 3)),
                     UV_EINVAL);
    static const char *const ours[] = {"Content-Length", "transfer-encoding", "CONNECTION", "Date"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_int_equal(weft_http_set(request, ours[i], "1"), UV_EINVAL);
    weft_http_answer(request, 200, NULL, "", 0);
}

TEST(nothing_can_be_put_into_a_field_but_a_value)
{
    site_prepare(&s, answer_with_fields);
    s.server.name = "weft test";
    site_start(&s);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "X-One", "1");
    expect_field(&c, "X-Two", "2 and");
    expect_field(&c, "X-Three", "3");
    expect_field(&c, "X-Empty", "");
    expect_field(&c, "X-Null", "");
    expect_field(&c, "X-Bytes", "\xc3\xa4\t\xff");
    expect_field(&c, "X-Bad", NULL);
    expect_field(&c, "Set-Cookie", NULL);
    expect_field(&c, "Server", "weft test");
    hang_up(&c);
    site_down(&s);
}

static void answer_with_a_bad_type(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    assert_int_equal(weft_http_start(request, 200, "text/plain\r\nX: y", 0), UV_EINVAL);
    weft_http_answer(request, 200, "text/plain\r\nX: y", "", 0);
}

TEST(nothing_can_be_put_into_the_type_either)
{
    site_up(&s, answer_with_a_bad_type);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 500);
    expect_field(&c, "X", NULL);
    hang_up(&c);
    site_down(&s);
}

static size_t set_in_vain, set_well;

static void fill_the_head(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    set_well = set_in_vain = 0;
    for (int i = 0, count = atoi(request->head.path.data + 1); i < count; i++) {
        int err = weft_http_setf(request, "X-Fill", "%0*d", 100, i);
        assert_true(err == 0 || err == UV_ENOBUFS);
        err == 0 ? set_well++ : set_in_vain++;
    }
    assert_int_equal(weft_http_setf(request, "X-Long", "%0*d", 1024, 1), UV_ENOBUFS);
    weft_http_answer(request, 200, "text/plain", "hello\n", 6);
}

TEST(the_head_of_an_answer_has_a_limit)
{
    site_prepare(&s, fill_the_head);
    s.server.answer_head_max = 64 + 20 * 110 + 120; /* twenty fields, and what the server adds */
    site_start(&s);
    dial(&s, &c);
    say(&c, "GET /20 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(set_well, 20);
    assert_int_equal(strlen(field(&c, "X-Fill")), 100);
    assert_string_equal(c.body, "hello\n");
    say(&c, "GET /100 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_int_equal(hear(&s, &c), 500); /* no room for the rest: UV_ENOBUFS */
    assert_int_equal(set_well, 21);
    assert_int_equal(set_in_vain, 79);
    expect_field(&c, "X-Fill", NULL);
    hang_up(&c);
    site_down(&s);
}

static void set_too_much(struct weft_op *op)
{
    weft_end(op, weft_http_setf(request_of(op), "X-Long", "%0*d", 1024, 1));
}

TEST(a_head_that_is_too_large_is_nothing_that_passes)
{
    site_up(&s, set_too_much);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 500);
    expect_field(&c, "Retry-After", NULL);
    hang_up(&c);
    site_down(&s);
}

/* ---- handlers that fail --------------------------------------------------------------------- */

static int handler_status;

static void fail_with_status(struct weft_op *op)
{
    weft_http_set(request_of(op), "X-Forgotten", "1");
    weft_finish(op, handler_status);
}

TEST(a_handler_that_fails_has_answered_too)
{
    static const struct {
        int error, status;
    } cases[] = {{0, 500},
                 {UV_EIO, 500},
                 {UV_EFBIG, 413},
                 {WEFT_EHTTP, 400},
                 {UV_ENOMEM, 503},
                 {UV_EMFILE, 503},
                 {UV_ENFILE, 503},
                 {UV_EAGAIN, 503},
                 {UV_EBUSY, 503},
                 {UV_ETIMEDOUT, 504},
                 {UV_ENOBUFS, 503},
                 {UV_ENOTCONN, 503},
                 {WEFT_ESTOPPED, 503}};
    site_up(&s, fail_with_status);
    dial(&s, &c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        handler_status = cases[i].error;
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), cases[i].status);
        expect_field(&c, "X-Forgotten", NULL);
        expect_field(&c, "Connection", NULL);
        expect_field(&c, "Retry-After", cases[i].status == 503 ? "1" : NULL);
        until(&s, told.calls == i + 1);
        assert_int_equal(told.answered, cases[i].status);
    }
    assert_int_equal(s.server.running, 0);
    hang_up(&c);
    site_down(&s);
}

static void start_and_fail(struct weft_op *op)
{
    assert_int_equal(weft_http_start(request_of(op), 200, "text/plain", 10), 0);
    weft_finish(op, handler_status);
}

TEST(a_handler_that_fails_before_anything_went_out_is_answered_for)
{
    site_up(&s, start_and_fail);
    handler_status = UV_EIO;
    assert_int_equal(ask(&s, GET_ROOT), 500);
    handler_status = 0;
    assert_int_equal(ask(&s, GET_ROOT), 500);
    site_down(&s);
}

/* ---- cost ----------------------------------------------------------------------------------- */

static void hello_by_format(struct weft_op *op)
{
    weft_http_answerf(request_of(op), 200, "text/plain", "hello %d\n", 1);
}

TEST(under_a_steady_load_nothing_is_allocated)
{
    weft_fault_install();
    site_up(&s, hello_by_format);
    dial(&s, &c);
    for (int i = 0; i < 100; i++) {
        if (i == 30)
            weft_fault_fail_at(0); /* count from here on */
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        if (i % 20 == 19) {
            hang_up(&c);
            dial(&s, &c);
        }
    }
    assert_int_equal(weft_fault_allocations(), 0);
    hang_up(&c);
    site_down(&s);
    fault_remove();
}
