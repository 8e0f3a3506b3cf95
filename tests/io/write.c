/* Writing: in order, bounded, and a message that was cut never looks complete.
 * ctest: labels=valgrind */
#include "streams.h"
#include <signal.h>
#include <stdlib.h>

static char much[1 << 20]; /* more than the kernel takes at once */

static void fill_much(void)
{
    pattern_fill(much, 0, sizeof much);
}

/* Let the peer take everything and check it; returns how many bytes came. */
static size_t drain_until(struct world *w, int peer, const struct weft_op *last)
{
    size_t total = 0;
    while (!over(last)) {
        total += drain(peer, total);
        uv_run(&w->uv, UV_RUN_NOWAIT);
    }
    return total + drain(peer, total);
}

/* ---- all of it, in order -------------------------------------------------------------------- */

TEST(a_small_write_is_with_the_kernel_at_once)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    char buffer[8];
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_write(root_of(&w), &write, &stream, "hello", 5, noted);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(recv(peer, buffer, sizeof buffer, 0), 5);
    assert_memory_equal(buffer, "hello", 5);
    await(&w, &write.op);
    assert_int_equal(write.op.status, 0);
    assert_int_equal(write.written, 5);
    assert_int_equal(write.size, 5);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(what_the_kernel_does_not_take_waits)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    weft_write(root_of(&w), &write, &stream, much, sizeof much, noted);
    look_around(&w);
    assert_int_equal(seen.calls, 0);
    assert_true(write.written > 0 && write.written < sizeof much);
    assert_int_equal(stream.waiting, sizeof much - write.written);
    assert_int_equal(drain_until(&w, peer, &write.op), sizeof much);
    assert_int_equal(write.op.status, 0);
    assert_int_equal(write.written, sizeof much);
    assert_int_equal(stream.waiting, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

enum { LINE = 300 };

static void writes_in_order(bool deep, bool tiny)
{
    struct world w;
    struct weft_stream stream = {0};
    static struct weft_write writes[LINE];
    memset(writes, 0, sizeof writes);
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    if (tiny)
        make_tiny(weft_stream_fd(&stream));
    if (deep)
        w.loop.depth_ = OP_DEPTH;
    size_t at = 0;
    for (size_t i = 0; i < LINE; i++) { /* sizes from 0 to 3987, in up to 8 parts */
        uv_buf_t parts[WEFT_WRITE_BUFS];
        unsigned count = (unsigned)(i % (WEFT_WRITE_BUFS + 1));
        for (unsigned part = 0; part < count; part++) {
            size_t size = (i * 37 + part * 101) % 500;
            parts[part] = uv_buf_init(much + at, (unsigned)size);
            at += size;
        }
        weft_writev(root_of(&w), &writes[i], &stream, parts, count, noted);
        memset(parts, 0xdd, sizeof parts); /* the array is the caller's again */
    }
    w.loop.depth_ = 0;
    assert_int_equal(drain_until(&w, peer, &writes[LINE - 1].op), at);
    look_around(&w);
    assert_int_equal(seen.calls, LINE);
    for (size_t i = 0; i < LINE; i++)
        assert_int_equal(writes[i].op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(writes_keep_their_order)
{
    writes_in_order(false, false);
}

TEST(writes_keep_their_order_through_tiny_buffers)
{
    writes_in_order(false, true);
}

TEST(writes_keep_their_order_however_deep_the_stack_is)
{
    writes_in_order(true, true);
}

TEST(a_write_of_nothing_succeeds_in_its_turn)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write first = {0}, nothing = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    weft_write(root_of(&w), &nothing, &stream, NULL, 0, noted);
    await(&w, &nothing.op);
    assert_int_equal(nothing.op.status, 0);
    weft_write(root_of(&w), &first, &stream, much, sizeof much, noted);
    weft_writev(root_of(&w), &nothing, &stream, NULL, 0, noted);
    look_around(&w);
    assert_false(over(&nothing.op));
    drain_until(&w, peer, &nothing.op);
    assert_int_equal(first.op.status, 0);
    assert_int_equal(nothing.op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_write_that_makes_no_sense_fails)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    uv_buf_t bufs[WEFT_WRITE_BUFS + 1];
    world_up(&w);
    int peer = half_up(&w, &stream);
    for (unsigned i = 0; i < WEFT_WRITE_BUFS + 1; i++)
        bufs[i] = uv_buf_init(much, 1);
    weft_write(root_of(&w), &write, &stream, NULL, 1, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_EINVAL);
    weft_writev(root_of(&w), &write, &stream, bufs, WEFT_WRITE_BUFS + 1, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_EINVAL);
    weft_writev(root_of(&w), &write, &stream, NULL, 2, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_EINVAL);
    bufs[0].len = bufs[1].len = SIZE_MAX;
    weft_writev(root_of(&w), &write, &stream, bufs, 2, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_EINVAL);
    char byte;
    assert_int_equal(recv(peer, &byte, 1, MSG_DONTWAIT), -1);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

/* ---- bounded -------------------------------------------------------------------------------- */

TEST(writes_beyond_the_limit_are_refused)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write first = {0}, fits = {0}, too_much = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    stream.write_max = 1000;
    weft_write(root_of(&w), &first, &stream, much, sizeof much, noted); /* the first may be large */
    stream.write_max = stream.waiting + 1000;
    weft_write(root_of(&w), &too_much, &stream, much, 1001, noted);
    await(&w, &too_much.op);
    assert_int_equal(too_much.op.status, UV_ENOBUFS);
    weft_write(root_of(&w), &fits, &stream, much, 1000, noted);
    assert_int_equal(stream.waiting, stream.write_max);
    weft_write(root_of(&w), &too_much, &stream, much, 1, noted);
    await(&w, &too_much.op);
    assert_int_equal(too_much.op.status, UV_ENOBUFS);
    weft_cancel(&fits.op, UV_ECANCELED);
    weft_write(root_of(&w), &too_much, &stream, much, SIZE_MAX, noted);
    await(&w, &too_much.op);
    assert_int_equal(too_much.op.status, UV_ENOBUFS);
    assert_int_equal(drain_until(&w, peer, &first.op), sizeof much);
    weft_write(root_of(&w), &fits, &stream, much, 1000, noted);
    await(&w, &fits.op);
    assert_int_equal(fits.op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(room_is_awaited)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    struct weft_stream_wait rooms[3] = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    stream.high_water = 1000;
    weft_stream_room(root_of(&w), &rooms[0], &stream, noted);
    await(&w, &rooms[0].op);
    assert_int_equal(rooms[0].op.status, 0);
    weft_write(root_of(&w), &write, &stream, much, sizeof much, noted);
    for (int i = 0; i < 3; i++)
        weft_stream_room(root_of(&w), &rooms[i], &stream, noted);
    weft_cancel(&rooms[1].op, UV_EINTR);
    look_around(&w);
    assert_false(over(&rooms[0].op));
    assert_int_equal(rooms[1].op.status, UV_EINTR);
    drain_until(&w, peer, &rooms[0].op);
    assert_true(stream.waiting < 1000);
    await(&w, &rooms[2].op);
    assert_int_equal(rooms[0].op.status, 0);
    assert_int_equal(rooms[2].op.status, 0);
    weft_stream_close(&stream);
    close(peer);
    world_down(&w);
}

/* A producer that is faster than its consumer, held back by room: memory stays bounded. */
struct producer {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_stream_wait room;
    struct weft_write writes[8];
    size_t at, most;
};

static void produce(struct weft_op *op, struct weft_op *room)
{
    struct producer *p = weft_owner(op, struct producer, op);
    assert_int_equal(room->status, 0);
    for (int i = 0; i < 8 && p->at < sizeof much; i++) {
        struct weft_write *write = &p->writes[i];
        if (!over(&write->op))
            continue;
        size_t size = sizeof much - p->at < 3000 ? sizeof much - p->at : 3000;
        weft_write(op, write, &p->stream, much + p->at, size, NULL);
        p->at += size;
        if (p->stream.waiting > p->most)
            p->most = p->stream.waiting;
    }
    if (p->at < sizeof much)
        weft_stream_room(op, &p->room, &p->stream, produce);
    else
        weft_stream_close(&p->stream);
}

static void producer_begin(struct weft_op *op)
{
    struct producer *p = weft_owner(op, struct producer, op);
    weft_stream_room(op, &p->room, &p->stream, produce);
    weft_join(op);
}

TEST(a_producer_is_held_back_by_room)
{
    struct world w;
    static struct producer p;
    memset(&p, 0, sizeof p);
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &p.stream);
    make_tiny(weft_stream_fd(&p.stream));
    p.stream.high_water = 6000;
    p.stream.write_max = 40000;
    weft_run(root_of(&w), &p.op, producer_begin, noted);
    size_t total = 0;
    while (!over(&p.op)) {
        total += drain(peer, total);
        uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    assert_true(p.most <= 6000 + 8 * 3000);
    assert_true(p.most > 0);
    assert_true(total + drain(peer, total) > sizeof much / 2);
    close(peer);
    world_down(&w);
}

/* ---- cancelled ------------------------------------------------------------------------------ */

TEST(a_write_of_which_nothing_has_gone_is_taken_back)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write first = {0}, second = {0}, third = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    size_t half = sizeof much / 2;
    weft_write(root_of(&w), &first, &stream, much, half, noted);
    weft_write(root_of(&w), &second, &stream, "never", 5, noted);
    weft_write(root_of(&w), &third, &stream, much + half, half, noted);
    weft_cancel(&second.op, UV_ETIMEDOUT);
    assert_int_equal(drain_until(&w, peer, &third.op), sizeof much);
    assert_int_equal(first.op.status, 0);
    assert_int_equal(second.op.status, UV_ETIMEDOUT);
    assert_int_equal(second.written, 0);
    assert_int_equal(third.op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

/* The kernel's buffer is full of an earlier write, so that nothing of this one goes. */
TEST(the_first_in_line_is_taken_back_too_if_nothing_of_it_has_gone)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    size_t total = 0;
    for (;;) {
        ssize_t put = send(weft_stream_fd(&stream), much + total, 1000, MSG_DONTWAIT);
        if (put < 0)
            break;
        total += (size_t)put;
    }
    weft_write(root_of(&w), &write, &stream, "never", 5, noted);
    look_around(&w);
    assert_int_equal(write.written, 0);
    weft_cancel(&write.op, UV_ECANCELED);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_ECANCELED);
    assert_int_equal(stream.waiting, 0);
    assert_int_equal(drain(peer, 0), total);
    weft_write(root_of(&w), &write, &stream, much + total, 1000, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, 0);
    assert_int_equal(drain(peer, total), 1000);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

struct others {
    struct weft_read read;
    struct weft_write write;
    struct weft_stream_wait gone, room, half;
    char byte;
};

static void start_others(struct world *w, struct others *o, struct weft_stream *stream)
{
    weft_read(root_of(w), &o->read, stream, &o->byte, 1, noted);
    weft_write(root_of(w), &o->write, stream, "x", 1, noted);
    weft_stream_gone(root_of(w), &o->gone, stream, noted);
    weft_stream_room(root_of(w), &o->room, stream, noted);
    weft_shutdown(root_of(w), &o->half, stream, noted);
}

static void check_others(const struct others *o, int status)
{
    const struct weft_op *ops[] = {&o->read.op, &o->write.op, &o->gone.op, &o->room.op,
                                   &o->half.op};
    for (int i = 0; i < 5; i++) {
        assert_true(over(ops[i]));
        assert_int_equal(ops[i]->status, status);
    }
}

/* Read all there is; the end: 0, or errno. */
static int read_on(int fd)
{
    static char bytes[65536];
    for (;;) {
        ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got == 0)
            return 0;
        if (got < 0)
            return errno;
    }
}

TEST(cancelling_a_write_in_its_middle_resets_the_connection)
{
    struct world w;
    struct ends ends = {0};
    struct weft_write write = {0};
    struct others others = {0}, later = {0};
    world_up(&w);
    fill_much();
    ends_up_tcp(&w, &ends);
    ends.a.write_max = 100 << 20;
    make_tiny(weft_stream_fd(&ends.b));
    static char more[16 << 20];
    weft_write(root_of(&w), &write, &ends.a, more, sizeof more, noted);
    look_around(&w);
    assert_true(write.written > 0 && write.written < sizeof more);
    start_others(&w, &others, &ends.a);
    weft_cancel(&write.op, UV_ETIMEDOUT);
    look_around(&w);
    assert_int_equal(write.op.status, UV_ETIMEDOUT);
    check_others(&others, UV_ECONNABORTED);
    assert_false(over(&ends.a.op)); /* whoever opened it closes it */
    assert_false(weft_stream_connected(&ends.a));
    assert_int_equal(weft_stream_adopt(&ends.a, 0), UV_EISCONN);
    start_others(&w, &later, &ends.a);
    look_around(&w);
    check_others(&later, UV_ECONNABORTED);
    int fd = weft_stream_fd(&ends.b);
    fcntl(fd, F_SETFL, 0);
    assert_int_equal(read_on(fd), ECONNRESET);
    ends_down(&w, &ends);
    assert_int_equal(ends.a.op.status, 0);
}

TEST(closing_a_stream_in_the_middle_of_a_write_resets_it)
{
    struct world w;
    struct ends ends = {0};
    struct weft_write write = {0};
    world_up(&w);
    ends_up_tcp(&w, &ends);
    static char more[16 << 20];
    weft_write(root_of(&w), &write, &ends.a, more, sizeof more, noted);
    look_around(&w);
    assert_true(write.written > 0 && write.written < sizeof more);
    weft_stream_close(&ends.a);
    await(&w, &ends.a.op);
    assert_int_equal(write.op.status, UV_ECANCELED);
    int fd = weft_stream_fd(&ends.b);
    fcntl(fd, F_SETFL, 0);
    assert_int_equal(read_on(fd), ECONNRESET);
    weft_stream_close(&ends.b);
    world_down(&w);
}

TEST(closing_a_stream_between_writes_ends_it_in_good_order)
{
    struct world w;
    struct ends ends = {0};
    struct weft_write write = {0};
    world_up(&w);
    ends_up_tcp(&w, &ends);
    weft_write(root_of(&w), &write, &ends.a, "all", 3, noted);
    weft_stream_close(&ends.a);
    await(&w, &ends.a.op);
    await(&w, &write.op);
    assert_int_equal(write.op.status, 0);
    int fd = weft_stream_fd(&ends.b);
    fcntl(fd, F_SETFL, 0);
    assert_int_equal(read_on(fd), 0);
    weft_stream_close(&ends.b);
    world_down(&w);
}

/* ---- the peer leaves ------------------------------------------------------------------------ */

static volatile sig_atomic_t sigpipes;

static void count_sigpipe(int number)
{
    (void)number;
    sigpipes++;
}

/* With the default action SIGPIPE would kill the test; with a handler it would be counted. */
static void write_to_nobody(bool is_pipe, void (*action)(int))
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    int fds[2];
    signal(SIGPIPE, action);
    sigpipes = 0;
    world_up(&w);
    weft_stream_open(root_of(&w), &stream, noted);
    assert_int_equal(is_pipe ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(weft_stream_adopt(&stream, fds[1]), 0);
    close(fds[0]);
    for (int i = 0; i < 3; i++) {
        weft_write(root_of(&w), &write, &stream, "x", 1, noted);
        await(&w, &write.op);
        assert_int_equal(write.op.status, UV_EPIPE);
    }
    weft_stream_close(&stream);
    world_down(&w);
    assert_int_equal(sigpipes, 0);
    assert_ptr_equal(signal(SIGPIPE, SIG_DFL), action); /* nobody has changed it */
    sigset_t pending;
    sigpending(&pending);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
}

TEST(a_write_to_nobody_fails_and_raises_no_signal)
{
    for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
        write_to_nobody(is_pipe, SIG_DFL);
        write_to_nobody(is_pipe, SIG_IGN);
        write_to_nobody(is_pipe, count_sigpipe);
    }
}

TEST(writes_that_wait_fail_when_the_peer_leaves)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write first = {0}, second = {0};
    struct weft_stream_wait room = {0}, half = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    weft_write(root_of(&w), &first, &stream, much, sizeof much, noted);
    weft_write(root_of(&w), &second, &stream, much, 1, noted);
    weft_stream_room(root_of(&w), &room, &stream, noted);
    weft_shutdown(root_of(&w), &half, &stream, noted);
    look_around(&w);
    close(peer);
    await(&w, &half.op);
    look_around(&w);
    assert_true(first.op.status == UV_EPIPE || first.op.status == UV_ECONNRESET);
    assert_int_equal(second.op.status, first.op.status);
    assert_int_equal(room.op.status, first.op.status);
    assert_int_equal(half.op.status, first.op.status);
    assert_true(first.written > 0 && first.written < sizeof much);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_reset_fails_the_writes_that_wait)
{
    struct world w;
    struct ends ends = {0};
    struct weft_write write = {0};
    world_up(&w);
    ends_up_tcp(&w, &ends);
    static char more[16 << 20];
    weft_write(root_of(&w), &write, &ends.a, more, sizeof more, noted);
    look_around(&w);
    weft_stream_close(&ends.b); /* with bytes that it has not read: a reset */
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_ECONNRESET);
    ends_down(&w, &ends);
}

/* ---- half-close ----------------------------------------------------------------------------- */

TEST(half_closing_ends_what_is_written_and_not_what_is_read)
{
    struct world w;
    struct ends ends = {0};
    struct weft_stream_wait half = {0}, again = {0}, room = {0};
    struct weft_write write = {0};
    struct weft_read_all all = {0};
    struct weft_read read = {0};
    char buffer[8];
    world_up(&w);
    ends_up_tcp(&w, &ends);
    weft_write(root_of(&w), &write, &ends.a, "question", 8, noted);
    await(&w, &write.op);
    weft_shutdown(root_of(&w), &half, &ends.a, noted);
    weft_shutdown(root_of(&w), &again, &ends.a, noted);
    weft_write(root_of(&w), &write, &ends.a, "x", 1, noted);
    weft_stream_room(root_of(&w), &room, &ends.a, noted);
    look_around(&w);
    assert_int_equal(half.op.status, 0);
    assert_int_equal(again.op.status, UV_EALREADY);
    assert_int_equal(write.op.status, UV_EPIPE);
    assert_int_equal(room.op.status, UV_EPIPE);
    weft_read_all(root_of(&w), &all, &ends.b, 100, noted);
    await(&w, &all.op);
    assert_string_equal(all.data, "question");
    weft_read_all_free(&all);
    weft_write(root_of(&w), &write, &ends.b, "answer", 6, noted);
    weft_read(root_of(&w), &read, &ends.a, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    assert_int_equal(read.size, 6);
    ends_down(&w, &ends);
}

TEST(half_closing_waits_for_the_writes_before_it)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_write write = {0}, late = {0};
    struct weft_stream_wait half = {0};
    world_up(&w);
    fill_much();
    int peer = half_up(&w, &stream);
    stream.write_max = 10 * sizeof much;
    weft_write(root_of(&w), &write, &stream, much, sizeof much, noted);
    weft_shutdown(root_of(&w), &half, &stream, noted);
    weft_write(root_of(&w), &late, &stream, "x", 1, noted);
    look_around(&w);
    assert_false(over(&half.op));
    assert_int_equal(late.op.status, UV_EPIPE);
    weft_cancel(&half.op, UV_EINTR); /* then it was never asked for */
    weft_write(root_of(&w), &late, &stream, much, 1000, noted);
    await(&w, &half.op);
    assert_int_equal(half.op.status, UV_EINTR);
    weft_shutdown(root_of(&w), &half, &stream, noted);
    size_t total = 0;
    while (!over(&half.op)) {
        static char bytes[65536];
        for (ssize_t got; (got = recv(peer, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
            total += (size_t)got;
        uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    assert_int_equal(half.op.status, 0);
    assert_true(total > 0);
    assert_int_equal(late.op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(half_closing_a_pipe_closes_it)
{
    struct world w;
    struct weft_stream in = {0}, out = {0};
    struct weft_stream_wait half = {0}, gone = {0};
    struct weft_write write = {0};
    struct weft_read_all all = {0};
    int fds[2];
    world_up(&w);
    assert_int_equal(pipe(fds), 0);
    weft_stream_open(root_of(&w), &in, noted);
    weft_stream_open(root_of(&w), &out, noted);
    assert_int_equal(weft_stream_adopt(&in, fds[0]), 0);
    assert_int_equal(weft_stream_adopt(&out, fds[1]), 0);
    weft_shutdown(root_of(&w), &half, &in, noted);
    await(&w, &half.op);
    assert_int_equal(half.op.status, UV_ENOTSOCK);
    weft_stream_gone(root_of(&w), &gone, &out, noted);
    weft_write(root_of(&w), &write, &out, "input", 5, noted);
    weft_shutdown(root_of(&w), &half, &out, noted);
    weft_read_all(root_of(&w), &all, &in, 100, noted);
    await(&w, &all.op);
    assert_string_equal(all.data, "input");
    weft_read_all_free(&all);
    assert_int_equal(half.op.status, 0);
    assert_int_equal(gone.op.status, UV_ECANCELED);
    weft_write(root_of(&w), &write, &out, "x", 1, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_EPIPE);
    weft_stream_close(&in);
    weft_stream_close(&out);
    world_down(&w);
}
