/* Answers piece by piece: chunks, lengths, what is too much or too little, and backpressure.
 * ctest: labels=valgrind-long */
#include "client.h"
#include "http/server/server.h"
#include <weft/timer.h>

static struct site s;
static struct client c;

enum { PIECES = 4 };

struct stream {
    struct weft_http_request request;
    struct weft_http_write pieces[PIECES], extra;
    struct weft_sleep sleep;
    int over;
};

/* What the handlers below are to do, and what became of it. */
static uint64_t length;
static int statuses[4 * PIECES];
static unsigned writes_over;
static int answer_status;

static struct stream *stream_of(struct weft_op *op)
{
    return weft_owner(op, struct stream, request.op);
}

static void up_with(weft_begin_fn *handler)
{
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct stream);
    writes_over = 0;
    length = WEFT_HTTP_UNKNOWN;
    answer_status = 200;
    site_start(&s);
}

static void wrote(struct weft_op *op, struct weft_op *piece)
{
    (void)op;
    statuses[writes_over++] = piece->status;
}

/* ---- all at once ---------------------------------------------------------------------------- */

static void stream_at_once(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    struct weft_http_request *request = &st->request;
    assert_int_equal(weft_http_start(request, answer_status, "text/plain", length), 0);
    weft_http_write(op, &st->pieces[0], request, "one ", 4, wrote);
    weft_http_write(op, &st->pieces[1], request, NULL, 0, wrote);
    weft_http_write(op, &st->pieces[2], request, "two ", 4, wrote);
    weft_http_write(op, &st->pieces[3], request, "three", 5, wrote);
    weft_http_end(request);
    weft_http_end(request);
}

static void say_and_expect(const char *text, const char *body)
{
    writes_over = 0;
    say(&c, text);
    assert_int_equal(hear(&s, &c), answer_status);
    assert_string_equal(c.body, body);
    until(&s, writes_over == PIECES);
    for (unsigned i = 0; i < PIECES; i++)
        assert_int_equal(statuses[i], 0);
}

TEST(an_answer_of_unknown_length_goes_in_chunks)
{
    up_with(stream_at_once);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, heard(&c, "0\r\n\r\n"));
    assert_non_null(strstr(c.bytes, "\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"));
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Transfer-Encoding", "chunked");
    expect_field(&c, "Content-Length", NULL);
    say_and_expect(GET_ROOT, "one two three");
    until(&s, told.calls == 2);
    assert_int_equal(told.sent, 13);
    hang_up(&c);
    site_down(&s);
}

/* With as many begins on the stack as there may be, one more would be put off, behind the end. */
static void stream_deep_down(struct weft_op *op)
{
    struct weft_loop *loop = weft_loop_of(op);
    uint32_t depth = loop->depth_;
    loop->depth_ = 1000;
    stream_at_once(op);
    loop->depth_ = depth;
}

TEST(pieces_stay_in_order_however_deep_the_stack_is)
{
    up_with(stream_deep_down);
    dial(&s, &c);
    say_and_expect(GET_ROOT, "one two three");
    hang_up(&c);
    site_down(&s);
}

TEST(an_answer_of_known_length_goes_as_it_is)
{
    up_with(stream_at_once);
    length = 13;
    dial(&s, &c);
    for (int i = 0; i < 2; i++) {
        say_and_expect(GET_ROOT, "one two three");
        expect_field(&c, "Transfer-Encoding", NULL);
        expect_field(&c, "Content-Length", "13");
    }
    hang_up(&c);
    site_down(&s);
}

TEST(an_old_client_reads_to_the_end)
{
    static const char *const asks[] = {"GET / HTTP/1.0\r\n\r\n",
                                       "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"};
    up_with(stream_at_once);
    for (int i = 0; i < 2; i++) {
        dial(&s, &c);
        say_and_expect(asks[i], "one two three");
        expect_field(&c, "Transfer-Encoding", NULL);
        expect_field(&c, "Content-Length", NULL);
        expect_field(&c, "Connection", "close");
        assert_true(c.ended);
        hang_up(&c);
    }
    site_down(&s);
}

TEST(an_answer_without_a_body_takes_the_pieces_and_sends_none)
{
    up_with(stream_at_once);
    dial(&s, &c);
    for (int i = 0; i < 2; i++) {
        length = i == 0 ? WEFT_HTTP_UNKNOWN : 13;
        say(&c, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_int_equal(hear_head(&s, &c), 200);
        expect_field(&c, "Transfer-Encoding", i == 0 ? "chunked" : NULL);
        expect_field(&c, "Content-Length", i == 0 ? NULL : "13");
        hear_nothing(&s, &c);
        answer_status = 204;
        say_and_expect(GET_ROOT, "");
        expect_field(&c, "Transfer-Encoding", NULL);
        hear_nothing(&s, &c);
        answer_status = 304;
        say_and_expect(GET_ROOT, "");
        hear_nothing(&s, &c);
        answer_status = 200;
    }
    say(&c, "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_int_equal(hear_head(&s, &c), 200);
    expect_field(&c, "Connection", "keep-alive");
    hear_nothing(&s, &c);
    hang_up(&c);
    site_down(&s);
}

/* ---- one after the other -------------------------------------------------------------------- */

static weft_then_fn tick_later;

static void tick_now(struct weft_op *op, struct weft_op *sleep)
{
    struct stream *st = stream_of(op);
    if (sleep->status != 0)
        weft_end(op, sleep->status);
    else if (st->over < PIECES)
        weft_http_write(op, &st->pieces[st->over++], &st->request, "tick\n", 5, tick_later);
    else
        weft_http_end(&st->request);
}

static void tick_later(struct weft_op *op, struct weft_op *piece)
{
    if (piece->status != 0)
        weft_end(op, piece->status);
    else
        weft_sleep(op, &stream_of(op)->sleep, 10, tick_now);
}

static void tick(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, length), 0);
    weft_http_write(op, &st->extra, &st->request, NULL, 0, tick_later); /* the head, at once */
}

TEST(a_piece_is_with_the_client_while_the_next_is_made)
{
    up_with(tick);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, heard(&c, "\r\n\r\n"));
    assert_null(strstr(c.bytes, "tick"));
    for (int i = 1; i <= PIECES; i++) {
        size_t size = c.size;
        pass(&s, 10);
        until(&s, heard(&c, "tick\n\r\n") && c.size > size);
        assert_int_equal(c.size, size + 10);
        assert_int_equal(s.server.running, 1);
    }
    pass(&s, 10);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "tick\ntick\ntick\ntick\n");
    assert_int_equal(s.server.running, 0);
    hang_up(&c);
    site_down(&s);
}

/* ---- too much, too little, broken off ------------------------------------------------------- */

static void write_too_much(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    struct weft_http_request *request = &st->request;
    weft_http_write(op, &st->extra, request, "early", 5, wrote);
    assert_int_equal(weft_http_start(request, 200, NULL, 5), 0);
    weft_http_write(op, &st->pieces[0], request, "123", 3, wrote);
    weft_http_write(op, &st->pieces[1], request, "456", 3, wrote);
    weft_http_write(op, &st->pieces[2], request, NULL, 2, wrote);
    weft_http_write(op, &st->pieces[3], request, "45", 2, wrote);
    weft_http_end(request);
}

TEST(a_piece_that_does_not_fit_is_refused)
{
    up_with(write_too_much);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "12345");
    until(&s, writes_over == PIECES + 1);
    int refused = 0;
    for (int i = 0; i <= PIECES; i++)
        refused += statuses[i] == UV_EINVAL;
    assert_int_equal(refused, 3);
    hear_nothing(&s, &c);
    hang_up(&c);
    site_down(&s);
}

static void write_too_little(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, 5), 0);
    if (weft_text_is(st->request.head.path, "/some"))
        weft_http_write(op, &st->pieces[0], &st->request, "123", 3, wrote);
    weft_http_end(&st->request);
}

TEST(an_answer_that_is_too_short_never_looks_complete)
{
    up_with(write_too_little);
    dial(&s, &c);
    say(&c, "GET /some HTTP/1.1\r\nHost: a\r\n\r\n");
    hear_reset(&s, &c);
    hang_up(&c);
    assert_int_equal(ask(&s, "GET /none HTTP/1.1\r\nHost: a\r\n\r\n"), 500); /* nothing went out */
    site_down(&s);
}

static void write_and_fail(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, length), 0);
    weft_http_write(op, &st->pieces[0], &st->request, "123", 3, wrote);
    weft_end(op, UV_EIO);
}

TEST(a_handler_that_fails_in_its_answer_cuts_the_connection)
{
    static const char *const asks[] = {GET_ROOT, "GET / HTTP/1.0\r\n\r\n"};
    up_with(write_and_fail);
    for (int i = 0; i < 4; i++) {
        length = i < 2 ? WEFT_HTTP_UNKNOWN : 10;
        dial(&s, &c);
        say(&c, asks[i % 2]);
        hear_reset(&s, &c);
        hang_up(&c);
    }
    until(&s, told.calls == 4);
    assert_int_equal(told.answered, 200);
    site_down(&s);
}

static void write_after_the_end(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    weft_http_end(&st->request); /* without a start: nothing */
    assert_int_equal(weft_http_start(&st->request, 200, NULL, length), 0);
    weft_http_end(&st->request);
    weft_http_write(op, &st->pieces[0], &st->request, "late", 4, wrote);
    weft_http_write(op, &st->pieces[1], NULL, "late", 4, wrote);
}

TEST(there_is_nothing_after_the_end)
{
    up_with(write_after_the_end);
    dial(&s, &c);
    say(&c, GET_ROOT GET_ROOT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hear(&s, &c), 200);
        assert_string_equal(c.body, "");
    }
    until(&s, writes_over == 4);
    assert_true(statuses[0] == UV_EALREADY || statuses[1] == UV_EALREADY);
    assert_true(statuses[0] == UV_EINVAL || statuses[1] == UV_EINVAL);
    hang_up(&c);
    site_down(&s);
}

/* ---- a client that does not read ------------------------------------------------------------ */

enum { HUGE = 32 * 1024 * 1024, PIECE = 64 * 1024 };
static char zeros[HUGE];

static uint64_t given;

static weft_then_fn pour_on;

static void pour(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    given = 0;
    assert_int_equal(weft_http_start(&st->request, 200, NULL, HUGE), 0);
    weft_http_write(op, &st->pieces[0], &st->request, zeros, PIECE, pour_on);
}

static void pour_on(struct weft_op *op, struct weft_op *piece)
{
    struct stream *st = stream_of(op);
    given += PIECE;
    if (piece->status != 0)
        weft_end(op, piece->status);
    else if (given < HUGE)
        weft_http_write(op, &st->pieces[0], &st->request, zeros, PIECE, pour_on);
    else
        weft_http_end(&st->request);
}

/* Read everything, and count it. */
static size_t gulp(void)
{
    static char bytes[256 * 1024];
    size_t total = 0;
    ssize_t got;
    while ((got = recv(c.fd, bytes, sizeof bytes, 0)) > 0)
        total += (size_t)got;
    if (got < 0 && errno != EAGAIN)
        c.error = errno;
    return total;
}

TEST(a_client_that_reads_slowly_slows_the_handler)
{
    up_with(pour);
    dial(&s, &c);
    say(&c, GET_ROOT);
    turns(&s);
    uint64_t stalled_at = given;
    turns(&s);
    assert_true(given < HUGE);
    assert_int_equal(given, stalled_at);
    size_t total = 0;
    until(&s, (total += gulp()) > HUGE);
    until(&s, s.server.running == 0);
    assert_int_equal(given, HUGE);
    hang_up(&c);
    site_down(&s);
    assert_int_equal(told.sent, HUGE);
}

static void answer_huge(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, zeros, HUGE);
}

static void huge_and_end(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    for (int i = 0; i < PIECES; i++)
        weft_http_write(op, &st->pieces[i], &st->request, zeros, HUGE / PIECES, wrote);
    weft_http_end(&st->request);
}

TEST(what_waits_has_no_limit_but_the_handlers_memory)
{
    static weft_begin_fn *const handlers[] = {answer_huge, huge_and_end};
    for (int i = 0; i < 2; i++) {
        up_with(handlers[i]);
        dial(&s, &c);
        say(&c, GET_ROOT_AND_CLOSE);
        turns(&s);
        assert_int_equal(s.server.running, 1);
        size_t total = 0;
        until(&s, (total += gulp()) > HUGE && s.server.connections == 0);
        hang_up(&c);
        site_down(&s);
        assert_int_equal(told.answered, 200);
        assert_int_equal(told.sent, HUGE);
    }
}

/* The kernel's buffer is tiny: every piece goes out in many parts. */
enum { NARROW = 150 * 1000 };
static char odd_bytes[NARROW];

static void write_through_a_narrow_pipe(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    int tiny = 1, fd = weft_stream_fd(&st->request.inner_->connection->stream);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &tiny, sizeof tiny), 0);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, length), 0);
    for (int i = 0; i < 3; i++)
        weft_http_write(op, &st->pieces[i], &st->request, odd_bytes + i * 50000, 50000, wrote);
    weft_http_end(&st->request);
}

TEST(an_answer_arrives_whole_through_the_narrowest_pipe)
{
    for (size_t i = 0; i < NARROW; i++)
        odd_bytes[i] = (char)(i * 31 + (i >> 8) * 17 + (i >> 16));
    up_with(write_through_a_narrow_pipe);
    for (int i = 0; i < 2; i++) {
        length = i == 0 ? WEFT_HTTP_UNKNOWN : NARROW;
        dial(&s, &c);
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 200);
        assert_int_equal(c.body_size, NARROW);
        assert_memory_equal(c.body, odd_bytes, NARROW);
        hang_up(&c);
    }
    site_down(&s);
}

/* ---- pieces that are taken back ------------------------------------------------------------- */

static bool end_before_cancel;

static void take_one_back(struct weft_op *op)
{
    struct stream *st = stream_of(op);
    assert_int_equal(weft_http_start(&st->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(op, &st->pieces[0], &st->request, zeros, HUGE, wrote);
    weft_http_write(op, &st->pieces[1], &st->request, "second", 6, wrote);
    if (end_before_cancel)
        weft_http_end(&st->request);
    weft_cancel(&st->pieces[1].op, UV_EINTR); /* it waits: no byte of it has gone */
    weft_sleep(op, &st->sleep, 1, tick_now);
    st->over = PIECES; /* then weft_http_end */
}

TEST(a_piece_that_was_taken_back_leaves_no_whole_answer)
{
    for (int i = 0; i < 2; i++) {
        end_before_cancel = i == 1;
        up_with(take_one_back);
        dial(&s, &c);
        say(&c, GET_ROOT);
        turns(&s);
        pass(&s, 1);
        size_t total = 0;
        until(&s, (total += gulp()) > 0 && s.server.connections == 0);
        total += gulp();
        assert_true(total < HUGE);
        assert_int_equal(c.error, ECONNRESET);
        hang_up(&c);
        site_down(&s);
    }
}
