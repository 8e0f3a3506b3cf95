/* The bodies of requests: read in pieces or whole, with a length or in chunks, limited, expected,
 * left unread.
 * ctest: labels=valgrind */
#include "client.h"
#include <weft/timer.h>

static struct site s;
static struct client c;

enum { ROOM = 4096 };

struct upload {
    struct weft_http_request request;
    struct weft_http_read read, second;
    struct weft_http_read_all all;
    struct weft_sleep sleep;
    char buffer[ROOM];
    unsigned reads;
};

static size_t capacity;      /* how much is read at a time */
static char collected[EARS]; /* and what came */
static size_t collected_size;
static unsigned reads;
static int read_status;

static struct upload *upload_of(struct weft_op *op)
{
    return weft_owner(op, struct upload, request.op);
}

static void prepare(weft_begin_fn *handler)
{
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct upload);
    capacity = ROOM;
    collected_size = 0;
}

static void up_with(weft_begin_fn *handler)
{
    prepare(handler);
    site_start(&s);
}

/* ---- handlers ------------------------------------------------------------------------------- */

static void piece_read(struct weft_op *op, struct weft_op *read)
{
    struct upload *u = upload_of(op);
    read_status = read->status;
    if (read->status == UV_EOF) {
        assert_int_equal(u->request.received, collected_size);
        weft_http_answerf(&u->request, 200, NULL, "%zu bytes", collected_size);
        return;
    }
    if (read->status != 0) {
        assert_int_equal(u->read.size, 0);
        weft_end(op, read->status);
        return;
    }
    assert_true(u->read.size > 0 && u->read.size <= capacity);
    memcpy(collected + collected_size, u->buffer, u->read.size);
    collected_size += u->read.size;
    reads++;
    weft_http_read(op, &u->read, &u->request, u->buffer, capacity, piece_read);
}

static void read_in_pieces(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    collected_size = reads = 0;
    weft_http_read(op, &u->read, &u->request, u->buffer, capacity, piece_read);
}

static void all_read(struct weft_op *op, struct weft_op *all)
{
    struct upload *u = upload_of(op);
    read_status = all->status;
    if (all->status != 0) {
        assert_null(u->all.data);
        weft_end(op, all->status);
        return;
    }
    assert_int_equal(u->all.data[u->all.size], '\0');
    collected_size = u->all.size;
    memcpy(collected, u->all.data, u->all.size);
    weft_http_answerf(&u->request, 200, NULL, "%zu bytes", u->all.size);
    weft_http_read_all_free(&u->all);
    weft_http_read_all_free(&u->all);
}

static void read_whole(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    collected_size = 0;
    weft_http_read_all(op, &u->all, &u->request, all_read);
}

static void read_nothing(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, "unread", 6);
}

/* ---- what clients say ----------------------------------------------------------------------- */

/* size bytes of a pattern that has line ends in it. */
static const char *pattern(size_t size)
{
    static char text[EARS];
    for (size_t i = 0; i < size; i++)
        text[i] = "0123456789\r\n\r\nGET / HTTP/1.1\r\n"[(i + i / 31) % 30];
    return text;
}

static size_t length_of(char *text, size_t room, size_t size, const char *fields)
{
    size_t head = (size_t)snprintf(
        text, room, "POST / HTTP/1.1\r\nHost: a\r\n%sContent-Length: %zu\r\n\r\n", fields, size);
    memcpy(text + head, pattern(size), size);
    return head + size;
}

static size_t chunks_of(char *text, size_t room, size_t size, size_t chunk, const char *fields)
{
    size_t at = (size_t)snprintf(
        text, room, "POST / HTTP/1.1\r\nHost: a\r\n%sTransfer-Encoding: chunked\r\n\r\n", fields);
    for (size_t done = 0; done < size; done += chunk) {
        size_t part = chunk < size - done ? chunk : size - done;
        at += (size_t)snprintf(text + at, room - at, "%zx;why=not\r\n", part);
        memcpy(text + at, pattern(size) + done, part);
        at += part;
        at += (size_t)snprintf(text + at, room - at, "\r\n");
    }
    return at + (size_t)snprintf(text + at, room - at, "0\r\nTrailer: x\r\n\r\n");
}

static void say_in_pieces(const char *text, size_t size, size_t piece)
{
    for (size_t at = 0; at < size; at += piece) {
        say_bytes(&c, text + at, piece < size - at ? piece : size - at);
        turn(&s);
    }
}

static char text[2 * EARS];

/* The same body in every form, in pieces of every kind, and a request behind each. */
static void is_read(weft_begin_fn *handler, size_t size, size_t piece, size_t chunk)
{
    up_with(handler);
    capacity = piece % 3 == 0 ? 1 : piece % 3 == 1 ? 100 : ROOM;
    dial(&s, &c);
    size_t all = chunk > 0 ? chunks_of(text, sizeof text, size, chunk, "")
                           : length_of(text, sizeof text, size, "");
    memcpy(text + all, GET_ROOT, sizeof GET_ROOT);
    all += sizeof GET_ROOT - 1;
    say_in_pieces(text, all, piece);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(atol(c.body), size);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "0 bytes");
    assert_int_equal(s.server.requests, 2);
    hang_up(&c);
    site_down(&s);
    assert_int_equal(told.calls, 2);
}

static void keeps_the_bytes(size_t size, size_t chunk)
{
    up_with(read_in_pieces);
    dial(&s, &c);
    size_t all = chunk > 0 ? chunks_of(text, sizeof text, size, chunk, "")
                           : length_of(text, sizeof text, size, "");
    say_in_pieces(text, all, 1500);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(collected_size, size);
    assert_memory_equal(collected, pattern(size), size);
    until(&s, told.calls == 1);
    assert_int_equal(told.received, size);
    hang_up(&c);
    site_down(&s);
}

TEST(a_body_arrives_as_it_was_sent)
{
    static const size_t sizes[] = {1, 2, 900, 1024, 5000, 30000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        keeps_the_bytes(sizes[i], 0);
        keeps_the_bytes(sizes[i], 7 + sizes[i] / 10);
        keeps_the_bytes(sizes[i], 200000);
    }
}

TEST(a_body_may_come_in_any_pieces_and_ends_where_it_ends)
{
    static const size_t pieces[] = {3, 7, 50, 200, 1001, 100000};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        is_read(read_in_pieces, 300, pieces[i], 0);
        is_read(read_in_pieces, 300, pieces[i], 11);
        is_read(read_whole, 300, pieces[i], 100);
    }
    is_read(read_whole, 100000, 5000, 0);
    is_read(read_whole, 100000, 5000, 4096);
    is_read(read_in_pieces, 100000, 100001, 50000);
    is_read(read_whole, 0, 1000, 1);
    is_read(read_whole, 0, 1000, 0);
}

TEST(what_follows_a_body_is_not_read_with_it)
{
    up_with(read_in_pieces);
    dial(&s, &c);
    size_t all = length_of(text, sizeof text, 2000, "");
    say_bytes(&c, text, all - 10);
    turns(&s);
    assert_int_equal(collected_size, 1990);
    say_bytes(&c, text + all - 10, 5);
    turns(&s);
    /* The rest of the body and three requests in one segment, into a buffer with room for all. */
    char rest[200];
    int size =
        snprintf(rest, sizeof rest, "%.5s%s%s%s", text + all - 5, GET_ROOT, GET_ROOT, GET_ROOT);
    memcpy(rest, text + all - 5, 5);
    say_bytes(&c, rest, (size_t)size);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "2000 bytes");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hear(&s, &c), 200);
        assert_string_equal(c.body, "0 bytes");
    }
    hang_up(&c);
    site_down(&s);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void second_read(struct weft_op *op, struct weft_op *read)
{
    (void)op;
    assert_int_equal(read->status, UV_EBUSY);
    read_status = 2;
}

static void refused_read(struct weft_op *op, struct weft_op *read)
{
    (void)op;
    assert_int_equal(read->status, UV_EINVAL);
}

static void read_twice_at_a_time(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    read_in_pieces(op);
    weft_http_read(op, &u->second, &u->request, u->buffer, sizeof u->buffer, second_read);
}

static void read_wrongly(struct weft_op *op)
{
    static struct weft_http_read bad[3];
    static struct weft_http_read_all bad_all;
    struct upload *u = upload_of(op);
    weft_http_read(op, &bad[0], &u->request, NULL, 10, refused_read);
    weft_http_read(op, &bad[1], &u->request, u->buffer, 0, refused_read);
    weft_http_read(op, &bad[2], NULL, u->buffer, 10, refused_read);
    weft_http_read_all(op, &bad_all, NULL, refused_read);
    read_in_pieces(op);
}

TEST(one_reads_at_a_time)
{
    up_with(read_twice_at_a_time);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
    until(&s, read_status == 2);
    say(&c, "abc");
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "3 bytes");
    hang_up(&c);
    site_down(&s);
    up_with(read_wrongly);
    assert_int_equal(ask(&s, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"), 200);
    site_down(&s);
}

TEST(malformed_chunks_are_refused)
{
    static const char *const bodies[] = {
        "x\r\n",      "5\r\nabcdef\r\n0\r\n\r\n", "5 \r\n", "\r\n",
        "-1\r\n",     "ffffffffffffffff\r\n",     "5\n",    "0x5\r\n",
        "3\r\nabc\n", "0\r\n bad\r\n\r\n"};
    up_with(read_whole);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        dial(&s, &c);
        say(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        say(&c, bodies[i]);
        say(&c, GET_ROOT);
        assert_int_equal(hear(&s, &c), 400);
        expect_field(&c, "Connection", "close");
        hear_end(&s, &c);
        assert_int_equal(read_status, WEFT_EHTTP);
        hang_up(&c);
        until(&s, s.server.connections == 0);
    }
    assert_int_equal(s.server.requests, sizeof bodies / sizeof *bodies);
    serves_on(&s);
    site_down(&s);
}

/* ---- limits --------------------------------------------------------------------------------- */

enum { LIMIT = 1000 };

static void answers_to_size(weft_begin_fn *handler, size_t size, size_t chunk, int expected)
{
    prepare(handler);
    s.server.body_max = LIMIT;
    site_start(&s);
    dial(&s, &c);
    say_bytes(&c, text,
              chunk > 0 ? chunks_of(text, sizeof text, size, chunk, "")
                        : length_of(text, sizeof text, size, ""));
    assert_int_equal(hear(&s, &c), expected);
    expect_field(&c, "Connection", expected == 200 ? NULL : "close");
    if (expected != 200) {
        assert_int_equal(read_status, UV_EFBIG);
        hear_end(&s, &c);
    }
    hang_up(&c);
    site_down(&s);
}

TEST(a_body_has_a_limit_to_the_byte)
{
    static weft_begin_fn *const handlers[] = {read_in_pieces, read_whole};
    for (int i = 0; i < 2; i++) {
        answers_to_size(handlers[i], LIMIT, 0, 200);
        answers_to_size(handlers[i], LIMIT, 1, 200);
        answers_to_size(handlers[i], LIMIT, 999, 200);
        answers_to_size(handlers[i], LIMIT, 5000, 200);
        answers_to_size(handlers[i], LIMIT + 1, 1, 413);
        answers_to_size(handlers[i], LIMIT + 1, 5000, 413);
    }
    answers_to_size(read_in_pieces, 100000, 0, 413);
    answers_to_size(read_in_pieces, 100000, 100, 413);
}

TEST(a_length_beyond_the_limit_is_refused_before_a_byte_is_read)
{
    prepare(read_in_pieces);
    s.server.body_max = LIMIT;
    site_start(&s);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000000\r\n\r\n");
    assert_int_equal(hear(&s, &c), 413);
    assert_int_equal(told.received, 0);
    hang_up(&c);
    site_down(&s);
}

static void raise_the_limit(struct weft_op *op)
{
    request_of(op)->body_max = LIMIT + 10;
    read_whole(op);
}

TEST(a_handler_may_set_its_own_limit)
{
    answers_to_size(raise_the_limit, LIMIT + 10, 0, 200);
    answers_to_size(raise_the_limit, LIMIT + 10, 10, 200);
    answers_to_size(raise_the_limit, LIMIT + 11, 10, 413);
}

/* ---- 100 Continue --------------------------------------------------------------------------- */

#define EXPECT "Expect: 100-continue\r\n"

static unsigned count_of(const char *what)
{
    unsigned count = 0;
    listen_once(&c);
    for (const char *at = c.bytes; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void continues(size_t size, size_t chunk)
{
    up_with(read_in_pieces);
    dial(&s, &c);
    size_t all = chunk > 0 ? chunks_of(text, sizeof text, size, chunk, EXPECT)
                           : length_of(text, sizeof text, size, EXPECT);
    size_t head = (size_t)(strstr(text, "\r\n\r\n") + 4 - text);
    say_bytes(&c, text, head);
    until(&s, heard(&c, "\r\n\r\n"));
    assert_string_equal(c.bytes, "HTTP/1.1 100 Continue\r\n\r\n");
    drop_bytes(&c, c.size);
    say_in_pieces(text + head, all - head, 100);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(atol(c.body), size);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_waits_is_told_to_go_on_once_and_when_it_is_read)
{
    continues(1000, 0);
    continues(1000, 99);
}

TEST(a_client_that_did_not_wait_is_not_told)
{
    up_with(read_in_pieces);
    dial(&s, &c);
    say_bytes(&c, text, length_of(text, sizeof text, 500, EXPECT));
    until(&s, heard(&c, "500 bytes"));
    assert_int_equal(count_of("HTTP/1.1"), 1);
    assert_int_equal(hear(&s, &c), 200);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\n" EXPECT "\r\n"); /* nothing to wait for */
    assert_int_equal(hear(&s, &c), 200);
    hear_nothing(&s, &c);
    hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_waits_may_be_answered_at_once)
{
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: a\r\n" EXPECT "Content-Length: 10\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\n" EXPECT "Transfer-Encoding: chunked\r\n\r\n"};
    up_with(read_nothing);
    for (int i = 0; i < 2; i++) {
        dial(&s, &c);
        say(&c, heads[i]);
        assert_int_equal(hear(&s, &c), 200); /* not 100 */
        expect_field(&c, "Connection", "close");
        hear_end(&s, &c); /* nobody knows whether the body will come */
        hang_up(&c);
    }
    site_down(&s);
    prepare(read_whole);
    s.server.body_max = 9;
    site_start(&s);
    dial(&s, &c);
    say(&c, heads[0]);
    assert_int_equal(hear(&s, &c), 413);
    expect_field(&c, "Connection", "close");
    hang_up(&c);
    site_down(&s);
}

static void start_then_read(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    static struct weft_http_write head;
    collected_size = 0;
    assert_int_equal(weft_http_start(&u->request, 200, NULL, 0), 0);
    weft_http_write(op, &head, &u->request, NULL, 0, NULL);
    weft_http_read(op, &u->read, &u->request, u->buffer, capacity, piece_read);
}

TEST(nothing_is_said_between_the_head_of_an_answer_and_its_body)
{
    up_with(start_then_read);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\n" EXPECT "Content-Length: 3\r\n\r\n");
    turns(&s);
    listen_once(&c);
    assert_int_equal(count_of("HTTP/1.1 100"), 0);
    assert_int_equal(count_of("HTTP/1.1 200"), 1);
    hang_up(&c);
    site_down(&s);
}

/* ---- bodies that nobody reads --------------------------------------------------------------- */

TEST(a_short_body_that_nobody_reads_is_thrown_away)
{
    static const size_t sizes[] = {1, 500, 5000, 64 * 1024};
    up_with(read_nothing);
    dial(&s, &c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t all = length_of(text, sizeof text, sizes[i], "");
        say_in_pieces(text, all, 3000);
        assert_int_equal(hear(&s, &c), 200);
        expect_field(&c, "Connection", NULL);
        say_bytes(&c, text, all);
        say(&c, GET_ROOT);
        for (int k = 0; k < 2; k++)
            assert_int_equal(hear(&s, &c), 200);
    }
    hear_nothing(&s, &c);
    assert_int_equal(s.server.connections, 1);
    hang_up(&c);
    site_down(&s);
    assert_int_equal(told.calls, 12);
}

/* A client that sends all it has before it listens: it must not lose the answer to a reset. */
static void is_answered_and_closed(const char *head, size_t size)
{
    dial(&s, &c);
    say(&c, head);
    turns(&s); /* it is answered before a byte of the body is here */
    for (size_t sent = 0; sent < size;) {
        ssize_t put = send(c.fd, text, size - sent < 20000 ? size - sent : 20000, MSG_NOSIGNAL);
        assert_true(put > 0 || errno == EAGAIN);
        sent += put > 0 ? (size_t)put : 0;
        turn(&s);
    }
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close");
    hear_end(&s, &c);
    hang_up(&c);
    until(&s, s.server.connections == 0);
}

TEST(a_long_body_that_nobody_reads_does_not_cost_the_client_its_answer)
{
    up_with(read_nothing);
    memset(text, 'x', sizeof text);
    is_answered_and_closed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n",
                           5000000);
    is_answered_and_closed(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5000000\r\n\r\n",
        5000000);
    is_answered_and_closed("POST / HTTP/1.0\r\nContent-Length: 100000\r\n\r\n", 100000);
    is_answered_and_closed(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", 200000);
    site_down(&s);
}

TEST(a_client_that_ends_its_side_after_a_body_that_nobody_reads_gets_its_answer)
{
    up_with(read_nothing);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    say_bytes(&c, text, 100000);
    fall_silent(&c);
    assert_int_equal(hear(&s, &c), 200);
    hear_end(&s, &c);
    hang_up(&c);
    site_down(&s);
}

static void start_unread(struct weft_op *op)
{
    struct weft_http_request *request = request_of(op);
    assert_int_equal(weft_http_start(request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_end(request);
}

TEST(an_answer_in_pieces_says_so_too_if_the_body_is_left)
{
    static const struct {
        const char *fields;
        bool closes;
    } cases[] = {{"Content-Length: 100000\r\n\r\n", true},
                 {"Transfer-Encoding: chunked\r\n\r\n", true},
                 {"Content-Length: 3\r\n\r\nabc", false},
                 {"\r\n", false}};
    up_with(start_unread);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dial(&s, &c);
        say(&c, "POST / HTTP/1.1\r\nHost: a\r\n");
        say(&c, cases[i].fields);
        assert_int_equal(hear(&s, &c), 200);
        expect_field(&c, "Connection", cases[i].closes ? "close" : NULL);
        hang_up(&c);
    }
    site_down(&s);
}

static void read_again(struct weft_op *op, struct weft_op *read)
{
    assert_int_equal(read->status, read_status);
    weft_end(op, read->status);
}

static void read_up_to_an_error(struct weft_op *op, struct weft_op *read)
{
    struct upload *u = upload_of(op);
    weft_then_fn *then = read->status == 0 ? read_up_to_an_error : read_again;
    read_status = read->status;
    weft_http_read(op, &u->read, &u->request, u->buffer, 5, then);
}

static void read_stubbornly(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    u->request.body_max = 10;
    weft_http_read(op, &u->read, &u->request, u->buffer, 5, read_up_to_an_error);
}

TEST(a_body_that_has_lost_a_piece_is_not_read_on)
{
    up_with(read_stubbornly);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            "8\r\n12345678\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n");
    assert_int_equal(hear(&s, &c), 413);
    assert_int_equal(read_status, UV_EFBIG);
    hang_up(&c);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n1\r\na\r\n");
    assert_int_equal(hear(&s, &c), 400);
    assert_int_equal(read_status, WEFT_EHTTP);
    hang_up(&c);
    site_down(&s);
}

static void read_a_little(struct weft_op *op, struct weft_op *read)
{
    (void)read;
    weft_http_answer(request_of(op), 200, NULL, "enough", 6);
}

static void read_once(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    weft_http_read(op, &u->read, &u->request, u->buffer, 10, read_a_little);
}

TEST(the_rest_of_a_body_is_thrown_away_too)
{
    up_with(read_once);
    dial(&s, &c);
    for (int i = 0; i < 3; i++) {
        say_in_pieces(text, length_of(text, sizeof text, 10000, ""), 999);
        assert_int_equal(hear(&s, &c), 200);
    }
    say_bytes(&c, text, chunks_of(text, sizeof text, 10000, 100, ""));
    assert_int_equal(hear(&s, &c), 200);
    expect_field(&c, "Connection", "close"); /* where chunks end nobody knows who does not read */
    hear_end(&s, &c);
    hang_up(&c);
    site_down(&s);
}
