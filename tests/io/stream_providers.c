/* Streams through the conformance suite. Every run has a bed of its own: a stream, connected or
 * not, and the other end as a bare descriptor.
 * ctest: labels=valgrind-long timeout=120 */
#include "provider.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <weft/stream.h>

enum { BEDS = 64, HIGH_WATER = 1000, LINE = 5000 };

static struct bed {
    struct weft_stream stream;
    struct weft_write line; /* waits, so that what comes behind it waits as well */
    int peer;
} beds[BEDS];
static size_t made;
static struct weft_loop *on;
static struct weft_listen listener;
static const char zeros[LINE];

static void over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static void up(struct weft_loop *loop)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    memset(beds, 0, sizeof beds);
    memset(&listener, 0, sizeof listener);
    made = 0;
    on = loop;
    weft_listen(weft_root(loop), &listener, &address, over);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    for (size_t i = 0; i < made; i++) {
        weft_stream_close(&beds[i].stream);
        if (beds[i].peer > 0)
            close(beds[i].peer);
    }
    weft_listen_close(&listener);
}

static struct bed *bed_make(void)
{
    assert_true(made < BEDS);
    struct bed *bed = &beds[made++];
    weft_stream_open(weft_root(on), &bed->stream, over);
    return bed;
}

static struct bed *bed_make_connected(void)
{
    struct bed *bed = bed_make();
    int fds[2];
    if (weft_cancelled(weft_root(on)))
        return bed;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(weft_stream_adopt(&bed->stream, fds[0]), 0);
    bed->peer = fds[1];
    return bed;
}

/* The kernel has no room, and a write is in line. */
static struct bed *bed_make_full(void)
{
    struct bed *bed = bed_make_connected();
    while (send(weft_stream_fd(&bed->stream), zeros, sizeof zeros, MSG_DONTWAIT) > 0)
        continue;
    bed->stream.high_water = HIGH_WATER;
    weft_write(weft_root(on), &bed->line, &bed->stream, zeros, sizeof zeros, over);
    return bed;
}

static void bed_drain(struct weft_stream *stream)
{
    char bytes[65536];
    while (recv(weft_owner(stream, struct bed, stream)->peer, bytes, sizeof bytes, 0) > 0)
        continue;
}

/* ---- the stream itself ---------------------------------------------------------------------- */

/* Given nothing a stream is just open: only a run that is meant to be one begins. */
struct open_run {
    struct weft_stream stream;
    bool meant;
};

static void open_begin(struct weft_op *op)
{
    if (weft_owner(op, struct open_run, stream.op)->meant)
        weft_stream_begin(op);
    else
        weft_finish(op, UV_EINVAL);
}

static void good_open(void *storage)
{
    ((struct open_run *)storage)->meant = true;
}

static void end_it(void *storage)
{
    weft_end(storage, 0);
}

static const struct weft_provider stream = {
    .name = "stream",
    WEFT_PROVIDER_OP(struct open_run, stream.op),
    .begin = open_begin,
    .good = good_open,
    .nudge = end_it,
    .nothing_status = UV_EINVAL,
};

TEST(stream_conforms)
{
    provider_check(&stream);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct read_run {
    struct weft_read read;
    char buffer[16];
};

static void good_read(void *storage)
{
    struct read_run *run = storage;
    run->read.stream = &bed_make_connected()->stream;
    run->read.buffer = run->buffer;
    run->read.capacity = sizeof run->buffer;
}

static void good_read_of_what_is_there(void *storage)
{
    struct read_run *run = storage;
    good_read(storage);
    if (weft_stream_connected(run->read.stream)) {
        send(weft_owner(run->read.stream, struct bed, stream)->peer, "hello", 5, 0);
        run->read.stream->pending_ = true;
    }
}

static void bad_read(void *storage)
{
    good_read(storage);
    ((struct read_run *)storage)->read.stream = &bed_make()->stream;
}

static void send_hello(void *storage)
{
    struct read_run *run = storage;
    send(weft_owner(run->read.stream, struct bed, stream)->peer, "hello", 5, 0);
}

static void read_has_hello(void *storage)
{
    struct read_run *run = storage;
    assert_int_equal(run->read.size, 5);
    assert_memory_equal(run->buffer, "hello", 5);
}

static const struct weft_provider reading = {
    .name = "read",
    WEFT_PROVIDER_OP(struct read_run, read.op),
    .begin = weft_read_begin,
    .up = up,
    .down = down,
    .good = good_read,
    .bad = bad_read,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .nudge = send_hello,
    .verify = read_has_hello,
};

TEST(read_conforms)
{
    provider_check(&reading);
}

static const struct weft_provider reading_at_once = {
    .name = "read of what is there",
    WEFT_PROVIDER_OP(struct read_run, read.op),
    .begin = weft_read_begin,
    .up = up,
    .down = down,
    .good = good_read_of_what_is_there,
    .bad = bad_read,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .verify = read_has_hello,
};

TEST(a_read_of_what_is_there_conforms)
{
    provider_check(&reading_at_once);
}

static void good_read_all(void *storage)
{
    struct weft_read_all *all = storage;
    struct bed *bed = bed_make_connected();
    all->stream = &bed->stream;
    all->max = 10000;
    if (bed->peer > 0) {
        send(bed->peer, zeros, sizeof zeros, 0);
        shutdown(bed->peer, SHUT_WR);
    }
}

static void bad_read_all(void *storage)
{
    good_read_all(storage);
    ((struct weft_read_all *)storage)->stream = &bed_make()->stream;
}

static void read_all_has_all(void *storage)
{
    assert_int_equal(((struct weft_read_all *)storage)->size, LINE);
}

static void release_read_all(void *storage)
{
    weft_read_all_free(storage);
}

static const struct weft_provider reading_all = {
    .name = "read_all",
    WEFT_PROVIDER_OP(struct weft_read_all, op),
    .begin = weft_read_all_begin,
    .up = up,
    .down = down,
    .good = good_read_all,
    .bad = bad_read_all,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .verify = read_all_has_all,
    .release = release_read_all,
};

TEST(read_all_conforms)
{
    provider_check(&reading_all);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void fill_write(struct weft_write *write, struct bed *bed)
{
    write->stream = &bed->stream;
    write->bufs[0] = uv_buf_init((char *)"hel", 3);
    write->bufs[1] = uv_buf_init((char *)"lo", 2);
    write->count = 2;
}

static void good_write(void *storage)
{
    fill_write(storage, bed_make_connected());
}

static void good_write_in_line(void *storage)
{
    fill_write(storage, bed_make_full());
}

static void bad_write(void *storage)
{
    struct bed *bed = bed_make_connected();
    fill_write(storage, bed);
    shutdown(bed->peer, SHUT_RD);
}

static void drain_for_write(void *storage)
{
    bed_drain(((struct weft_write *)storage)->stream);
}

static void write_is_written(void *storage)
{
    assert_int_equal(((struct weft_write *)storage)->written, 5);
}

static const struct weft_provider writing = {
    .name = "write",
    WEFT_PROVIDER_OP(struct weft_write, op),
    .begin = weft_write_begin,
    .up = up,
    .down = down,
    .good = good_write,
    .bad = bad_write,
    .bad_status = UV_EPIPE,
    .nothing_status = UV_EINVAL,
    .verify = write_is_written,
};

TEST(write_conforms)
{
    provider_check(&writing);
}

static const struct weft_provider writing_in_line = {
    .name = "write that waits",
    WEFT_PROVIDER_OP(struct weft_write, op),
    .begin = weft_write_begin,
    .up = up,
    .down = down,
    .good = good_write_in_line,
    .bad = bad_write,
    .bad_status = UV_EPIPE,
    .nothing_status = UV_EINVAL,
    .nudge = drain_for_write,
    .verify = write_is_written,
};

TEST(a_write_that_waits_conforms)
{
    provider_check(&writing_in_line);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void good_wait(void *storage)
{
    ((struct weft_stream_wait *)storage)->stream = &bed_make_full()->stream;
}

static void bad_wait(void *storage)
{
    ((struct weft_stream_wait *)storage)->stream = &bed_make()->stream;
}

static void drain_for_wait(void *storage)
{
    bed_drain(((struct weft_stream_wait *)storage)->stream);
}

static const struct weft_provider room = {
    .name = "stream_room",
    WEFT_PROVIDER_OP(struct weft_stream_wait, op),
    .begin = weft_stream_room_begin,
    .up = up,
    .down = down,
    .good = good_wait,
    .bad = bad_wait,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .nudge = drain_for_wait,
};

TEST(stream_room_conforms)
{
    provider_check(&room);
}

static const struct weft_provider half_close = {
    .name = "shutdown",
    WEFT_PROVIDER_OP(struct weft_stream_wait, op),
    .begin = weft_shutdown_begin,
    .up = up,
    .down = down,
    .good = good_wait,
    .bad = bad_wait,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .nudge = drain_for_wait,
};

TEST(shutdown_conforms)
{
    provider_check(&half_close);
}

/* To see the peer go is never a success; here it is turned into one. */
struct gone_run {
    struct weft_op op;
    struct weft_stream *stream;
    struct weft_stream_wait gone;
};

static void gone_over(struct weft_op *op, struct weft_op *gone)
{
    weft_end(op, gone->status == UV_EOF ? 0 : gone->status);
}

static void gone_begin(struct weft_op *op)
{
    struct gone_run *run = weft_owner(op, struct gone_run, op);
    weft_stream_gone(op, &run->gone, run->stream, gone_over);
}

static void good_gone(void *storage)
{
    ((struct gone_run *)storage)->stream = &bed_make_connected()->stream;
}

static void bad_gone(void *storage)
{
    ((struct gone_run *)storage)->stream = &bed_make()->stream;
}

static void leave(void *storage)
{
    struct weft_stream *left = ((struct gone_run *)storage)->stream;
    shutdown(weft_owner(left, struct bed, stream)->peer, SHUT_WR);
}

static const struct weft_provider gone = {
    .name = "stream_gone",
    WEFT_PROVIDER_OP(struct gone_run, op),
    .begin = gone_begin,
    .up = up,
    .down = down,
    .good = good_gone,
    .bad = bad_gone,
    .bad_status = UV_ENOTCONN,
    .nothing_status = UV_EINVAL,
    .nudge = leave,
};

TEST(stream_gone_conforms)
{
    provider_check(&gone);
}

/* ---- listening and accepting ---------------------------------------------------------------- */

static void good_listen(void *storage)
{
    struct weft_listen *run = storage;
    assert_int_equal(weft_address_parse(&run->address, "127.0.0.1:0"), 0);
}

static void bad_listen(void *storage)
{
    struct weft_listen *run = storage;
    assert_int_equal(weft_address_parse(&run->address, "192.0.2.1:80"), 0);
}

static const struct weft_provider listening = {
    .name = "listen",
    WEFT_PROVIDER_OP(struct weft_listen, op),
    .begin = weft_listen_begin,
    .good = good_listen,
    .bad = bad_listen,
    .bad_status = UV_EADDRNOTAVAIL,
    .nothing_status = UV_EINVAL,
    .nudge = end_it,
    .flags = WEFT_PROVIDER_AWAITS, /* once it is ended a cancel comes too late */
};

TEST(listen_conforms)
{
    provider_check(&listening);
}

static void good_accept(void *storage)
{
    struct weft_accept *run = storage;
    run->listen = &listener;
    run->stream = &bed_make()->stream;
}

static void bad_accept(void *storage)
{
    struct weft_accept *run = storage;
    run->listen = &listener;
    run->stream = &bed_make_connected()->stream;
}

static void knock(void *storage)
{
    struct bed *bed = weft_owner(((struct weft_accept *)storage)->stream, struct bed, stream);
    bed->peer = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(bed->peer > 0);
    (void)!connect(bed->peer, &listener.address.to.any, listener.address.size);
}

static void accepted_is_connected(void *storage)
{
    assert_true(weft_stream_connected(((struct weft_accept *)storage)->stream));
}

static const struct weft_provider accepting = {
    .name = "accept",
    WEFT_PROVIDER_OP(struct weft_accept, op),
    .begin = weft_accept_begin,
    .up = up,
    .down = down,
    .good = good_accept,
    .bad = bad_accept,
    .bad_status = UV_EISCONN,
    .nothing_status = UV_EINVAL,
    .nudge = knock,
    .verify = accepted_is_connected,
};

TEST(accept_conforms)
{
    provider_check(&accepting);
}

/* ---- connecting ----------------------------------------------------------------------------- */

static void good_connect(void *storage)
{
    struct weft_connect *run = storage;
    run->stream = &bed_make()->stream;
    run->host = run->service = NULL;
    run->address = listener.address;
}

static void bad_connect(void *storage)
{
    struct weft_connect *run = storage;
    good_connect(storage);
    assert_int_equal(weft_address_parse(&run->address, "unix:/nowhere/at/all"), 0);
}

static void connected(void *storage)
{
    assert_true(weft_stream_connected(((struct weft_connect *)storage)->stream));
}

static const struct weft_provider connecting = {
    .name = "connect",
    WEFT_PROVIDER_OP(struct weft_connect, op),
    .begin = weft_connect_begin,
    .up = up,
    .down = down,
    .good = good_connect,
    .bad = bad_connect,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = connected,
};

TEST(connect_conforms)
{
    provider_check(&connecting);
}

static char port[8];

static void good_connect_by_name(void *storage)
{
    struct weft_connect *run = storage;
    good_connect(storage);
    snprintf(port, sizeof port, "%u", weft_address_port(&listener.address));
    run->host = "localhost";
    run->service = port;
}

static void bad_connect_by_name(void *storage)
{
    good_connect_by_name(storage);
    ((struct weft_connect *)storage)->service = "no-such-service";
}

static const struct weft_provider connecting_by_name = {
    .name = "connect by name",
    WEFT_PROVIDER_OP(struct weft_connect, op),
    .begin = weft_connect_begin,
    .up = up,
    .down = down,
    .good = good_connect_by_name,
    .bad = bad_connect_by_name,
    .bad_status = WEFT_PROVIDER_ANY_ERROR,
    .nothing_status = UV_EINVAL,
    .verify = connected,
};

TEST(connect_by_name_conforms)
{
    provider_check(&connecting_by_name);
}
