/* The operations of the server through the conformance suite.
 *
 * Reading a body and writing a piece have their place below a request, so each of their runs is an
 * op around one that is begun there, and passes on what happens to it. The requests are made before a
 * run: clients whose handlers do nothing but wait.
 * ctest: labels=valgrind-long timeout=180 */
#include "provider.h"
#include "http/server/server.h"
#include "loop.h"
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BEDS = 6, LINE = 64 * 1024 };

static struct bed {
    struct weft_http_request *request; /* NULL: it is over */
    struct weft_http_write line;       /* waits, so that what comes behind it waits as well */
    int client;
} beds[BEDS];
static size_t made, taken;
static struct weft_loop *on;
static struct weft_http_server server;
static const char zeros[LINE];

/* ---- requests that wait --------------------------------------------------------------------- */

static void over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static void join_cancelled(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void wait_here(struct weft_op *op)
{
    weft_on_cancel(op, join_cancelled);
    beds[made++].request = weft_owner(op, struct weft_http_request, op);
}

static void forget(struct weft_http_request *request)
{
    for (size_t i = 0; i < made; i++) {
        if (beds[i].request == request)
            beds[i].request = NULL;
    }
}

static void turn(void)
{
    if (on->sim_ != NULL)
        weft_sim_advance(on->sim_, 0);
    else
        uv_run(on->uv, UV_RUN_NOWAIT);
}

static void dial(struct bed *bed, const char *text)
{
    int tiny = 1;
    bed->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(bed->client > 0);
    setsockopt(bed->client, SOL_SOCKET, SO_RCVBUF, &tiny, sizeof tiny);
    assert_int_equal(connect(bed->client, &server.address.to.any, server.address.size), 0);
    assert_int_equal(fcntl(bed->client, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(send(bed->client, text, strlen(text), 0), strlen(text));
}

/* How much the kernel takes of what is written to the client. */
static void set_room(struct bed *bed, int size)
{
    int fd = weft_stream_fd(&bed->request->inner_->connection->stream);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
}

/* One after the other: so the n-th bed has the n-th client. */
static void up_with(struct weft_loop *loop, const char *text)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    memset(beds, 0, sizeof beds);
    memset(&server, 0, sizeof server);
    made = taken = 0;
    on = loop;
    server.handler = wait_here;
    server.done = forget;
    weft_http_serve(weft_root(loop), &server, &address, over);
    for (size_t i = 0; i < BEDS; i++) {
        dial(&beds[i], text);
        while (made == i)
            turn();
        set_room(&beds[i], 1);
    }
}

static void up_get(struct weft_loop *loop)
{
    up_with(loop, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

static void up_body(struct weft_loop *loop)
{
    up_with(loop, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
}

static void up_body_there(struct weft_loop *loop)
{
    up_with(loop, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
}

static void up_chunks(struct weft_loop *loop)
{
    up_with(loop, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
}

static void up_expecting(struct weft_loop *loop)
{
    up_with(loop,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    weft_cancel(&server.op, UV_ECANCELED);
    for (size_t i = 0; i < BEDS; i++)
        close(beds[i].client);
}

static struct bed *next_bed(void)
{
    assert_true(taken < BEDS);
    return &beds[taken++];
}

/* ---- a run around an op of the server ------------------------------------------------------- */

struct run {
    struct weft_op op;
    struct bed *bed;
    struct weft_http_read read;
    struct weft_http_read_all all;
    struct weft_http_write write;
    struct weft_op *inner;
    char buffer[16];
};

static void pass_on(struct weft_op *op, int reason)
{
    weft_cancel(weft_owner(op, struct run, op)->inner, reason);
}

static struct weft_http_request *request_of(struct run *run)
{
    return run->bed != NULL ? run->bed->request : NULL;
}

/* Given nothing it is a child of the run: there is no request to be below. */
static struct weft_op *parent_of(struct run *run)
{
    return request_of(run) != NULL ? &request_of(run)->op : &run->op;
}

static void read_over(struct weft_op *parent, struct weft_op *read)
{
    (void)parent;
    weft_finish(&weft_owner(read, struct run, read.op)->op, read->status);
}

static void read_begin(struct weft_op *op)
{
    struct run *run = weft_owner(op, struct run, op);
    run->inner = &run->read.op;
    weft_http_read(parent_of(run), &run->read, request_of(run), run->buffer, sizeof run->buffer,
                   read_over);
    weft_on_cancel(op, pass_on);
}

static void all_over(struct weft_op *parent, struct weft_op *all)
{
    (void)parent;
    weft_finish(&weft_owner(all, struct run, all.op)->op, all->status);
}

static void all_begin(struct weft_op *op)
{
    struct run *run = weft_owner(op, struct run, op);
    run->inner = &run->all.op;
    weft_http_read_all(parent_of(run), &run->all, request_of(run), all_over);
    weft_on_cancel(op, pass_on);
}

static void write_over(struct weft_op *parent, struct weft_op *write)
{
    (void)parent;
    weft_finish(&weft_owner(write, struct run, write.op)->op, write->status);
}

static void write_begin(struct weft_op *op)
{
    struct run *run = weft_owner(op, struct run, op);
    run->inner = &run->write.op;
    weft_http_write(parent_of(run), &run->write, request_of(run), "hello", 5, write_over);
    weft_on_cancel(op, pass_on);
}

static void good(void *storage)
{
    ((struct run *)storage)->bed = next_bed();
}

static void bad_body(void *storage)
{
    struct run *run = storage;
    good(storage);
    run->bed->request->body_max = 4;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void send_body(void *storage)
{
    send(((struct run *)storage)->bed->client, "hello", 5, MSG_NOSIGNAL);
}

static void send_chunks(void *storage)
{
    send(((struct run *)storage)->bed->client, "5\r\nhello\r\n0\r\n\r\n", 15, MSG_NOSIGNAL);
}

static void read_has_hello(void *storage)
{
    struct run *run = storage;
    assert_int_equal(run->read.size, 5);
    assert_memory_equal(run->buffer, "hello", 5);
}

static void all_has_hello(void *storage)
{
    struct run *run = storage;
    assert_int_equal(run->all.size, 5);
    assert_string_equal(run->all.data, "hello");
}

static void release_all(void *storage)
{
    weft_http_read_all_free(&((struct run *)storage)->all);
}

#define READING(its_name, its_up, its_nudge)                                                       \
    {                                                                                              \
        .name = its_name, WEFT_PROVIDER_OP(struct run, op), .begin = read_begin, .up = its_up,     \
        .down = down, .good = good, .bad = bad_body, .bad_status = UV_EFBIG,                       \
        .nothing_status = UV_EINVAL, .nudge = its_nudge, .verify = read_has_hello,                 \
        .flags = WEFT_PROVIDER_AWAITS                                                              \
    }

static const struct weft_provider reading = READING("http_read", up_body, send_body);
static const struct weft_provider reading_what_is_there =
    READING("http_read, there", up_body_there, NULL);
static const struct weft_provider reading_after_continue =
    READING("http_read, expected", up_expecting, send_body);

TEST(http_read_conforms)
{
    provider_check(&reading);
    provider_check(&reading_what_is_there);
    provider_check(&reading_after_continue);
}

static void bad_chunks(void *storage)
{
    good(storage);
    send(((struct run *)storage)->bed->client, "five\r\n", 6, MSG_NOSIGNAL);
}

static const struct weft_provider reading_chunks = {
    .name = "http_read, chunks",
    WEFT_PROVIDER_OP(struct run, op),
    .begin = read_begin,
    .up = up_chunks,
    .down = down,
    .good = good,
    .bad = bad_chunks,
    .bad_status = WEFT_PROVIDER_ANY_ERROR, /* WEFT_EHTTP, and UV_EOF when it is tried again */
    .nothing_status = UV_EINVAL,
    .nudge = send_chunks,
    .verify = read_has_hello,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(http_read_of_chunks_conforms)
{
    provider_check(&reading_chunks);
}

#define READING_ALL(its_name, its_up, its_nudge)                                                   \
    {                                                                                              \
        .name = its_name, WEFT_PROVIDER_OP(struct run, op), .begin = all_begin, .up = its_up,      \
        .down = down, .good = good, .bad = bad_body, .bad_status = UV_EFBIG,                       \
        .nothing_status = UV_EINVAL, .nudge = its_nudge, .verify = all_has_hello,                  \
        .release = release_all, .flags = WEFT_PROVIDER_AWAITS                                      \
    }

static const struct weft_provider reading_all = READING_ALL("http_read_all", up_body, send_body);
static const struct weft_provider reading_all_there =
    READING_ALL("http_read_all, there", up_body_there, NULL);

TEST(http_read_all_conforms)
{
    provider_check(&reading_all);
    provider_check(&reading_all_there);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void good_write(void *storage)
{
    struct run *run = storage;
    good(storage);
    if (run->bed->request != NULL && !weft_cancelled(&run->bed->request->op))
        assert_int_equal(weft_http_start(run->bed->request, 200, NULL, 5), 0);
}

static void bad_write(void *storage)
{
    struct run *run = storage;
    good(storage);
    assert_int_equal(weft_http_start(run->bed->request, 200, NULL, 4), 0);
}

static void good_write_in_line(void *storage)
{
    struct run *run = storage;
    good(storage);
    struct weft_http_request *request = run->bed->request;
    if (request == NULL || weft_cancelled(&request->op))
        return;
    assert_int_equal(weft_http_start(request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(&request->op, &run->bed->line, request, zeros, sizeof zeros, over);
}

/* The kernel gets room for all of it. */
static void make_room(void *storage)
{
    set_room(((struct run *)storage)->bed, 1024 * 1024);
}

#define WRITING(its_name, its_good, its_nudge)                                                     \
    {                                                                                              \
        .name = its_name, WEFT_PROVIDER_OP(struct run, op), .begin = write_begin, .up = up_get,    \
        .down = down, .good = its_good, .bad = bad_write, .bad_status = UV_EINVAL,                 \
        .nothing_status = UV_EINVAL, .nudge = its_nudge, .flags = WEFT_PROVIDER_AWAITS             \
    }

static const struct weft_provider writing = WRITING("http_write", good_write, NULL);
static const struct weft_provider writing_in_line =
    WRITING("http_write that waits", good_write_in_line, make_room);

TEST(http_write_conforms)
{
    provider_check(&writing);
    provider_check(&writing_in_line);
}

/* ---- the server itself ---------------------------------------------------------------------- */

static void good_server(void *storage)
{
    struct weft_http_server *run = storage;
    run->handler = wait_here;
    assert_int_equal(weft_address_parse(&run->address, "127.0.0.1:0"), 0);
}

static void bad_server(void *storage)
{
    good_server(storage);
    struct weft_http_server *run = storage;
    assert_int_equal(weft_address_parse(&run->address, "192.0.2.1:80"), 0);
}

static void drain_it(void *storage)
{
    weft_http_drain(storage, 1000);
}

static const struct weft_provider serving = {
    .name = "http_serve",
    WEFT_PROVIDER_OP(struct weft_http_server, op),
    .begin = weft_http_serve_begin,
    .good = good_server,
    .bad = bad_server,
    .bad_status = UV_EADDRNOTAVAIL,
    .nothing_status = UV_EINVAL,
    .nudge = drain_it,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(http_serve_conforms)
{
    provider_check(&serving);
}
