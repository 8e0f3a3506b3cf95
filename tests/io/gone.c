/* A peer that leaves is seen while we do something else.
 * ctest: labels=valgrind-long */
#include "streams.h"
#include <weft/timer.h>

static void gone_of(bool tcp, bool with_bytes, bool by_reset, int expected)
{
    struct world w;
    struct ends ends = {0};
    struct weft_stream_wait first = {0}, second = {0}, late = {0}, cancelled = {0};
    struct weft_read read = {0};
    char buffer[16];
    world_up(&w);
    if (tcp)
        ends_up_tcp(&w, &ends);
    else
        ends_up(&w, &ends);
    weft_stream_gone(root_of(&w), &first, &ends.a, noted);
    weft_stream_gone(root_of(&w), &second, &ends.a, noted);
    weft_stream_gone(root_of(&w), &cancelled, &ends.a, noted);
    if (with_bytes)
        assert_int_equal(send(weft_stream_fd(&ends.b), "unread", 6, 0), 6);
    look_around(&w);
    assert_false(over(&first.op));
    weft_cancel(&cancelled.op, UV_EINTR);
    if (by_reset) {
        struct linger now = {.l_onoff = 1, .l_linger = 0};
        setsockopt(weft_stream_fd(&ends.b), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    weft_stream_close(&ends.b);
    await(&w, &first.op);
    await(&w, &second.op);
    assert_int_equal(first.op.status, expected);
    assert_int_equal(second.op.status, expected);
    assert_int_equal(cancelled.op.status, UV_EINTR);
    weft_stream_gone(root_of(&w), &late, &ends.a, noted);
    await(&w, &late.op);
    assert_int_equal(late.op.status, expected);
    if (with_bytes) { /* what has come is still there */
        weft_read(root_of(&w), &read, &ends.a, buffer, sizeof buffer, noted);
        await(&w, &read.op);
        assert_int_equal(read.op.status, 0);
        assert_memory_equal(buffer, "unread", 6);
    }
    weft_read(root_of(&w), &read, &ends.a, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, expected);
    weft_stream_close(&ends.a);
    world_down(&w);
}

TEST(a_peer_that_leaves_is_seen_without_reading)
{
    gone_of(false, false, false, UV_EOF);
    gone_of(true, false, false, UV_EOF);
}

TEST(a_peer_that_leaves_is_seen_behind_unread_bytes)
{
    gone_of(false, true, false, UV_EOF);
    gone_of(true, true, false, UV_EOF);
}

TEST(a_reset_is_told_from_an_end)
{
    gone_of(true, false, true, UV_ECONNRESET);
    gone_of(true, true, true, UV_ECONNRESET);
}

/* The handler works for a client that leaves: the work stops. */
struct handler {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_stream_wait gone;
    struct weft_sleep work;
};

static void handler_begin(struct weft_op *op)
{
    struct handler *h = weft_owner(op, struct handler, op);
    weft_stream_gone(op, &h->gone, &h->stream, NULL);
    weft_sleep(op, &h->work, 3600 * 1000, NULL);
    weft_join(op);
}

TEST(work_stops_when_there_is_nobody_to_work_for)
{
    struct world w;
    struct handler handler = {0};
    world_up(&w);
    int client = half_up(&w, &handler.stream);
    weft_run(root_of(&w), &handler.op, handler_begin, noted);
    look_around(&w);
    assert_false(over(&handler.op));
    close(client);
    await(&w, &handler.op);
    assert_int_equal(handler.op.status, UV_EOF);
    assert_int_equal(handler.work.op.status, UV_ECANCELED);
    weft_stream_close(&handler.stream);
    world_down(&w);
}

TEST(a_peer_is_seen_to_leave_while_others_read_and_write)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_stream_wait gone = {0};
    struct weft_read read = {0};
    struct weft_write write = {0};
    static char much[1 << 20];
    char byte;
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_stream_gone(root_of(&w), &gone, &stream, noted);
    weft_read(root_of(&w), &read, &stream, &byte, 1, noted);
    weft_write(root_of(&w), &write, &stream, much, sizeof much, noted);
    look_around(&w);
    shutdown(peer, SHUT_WR); /* it goes on reading */
    await(&w, &gone.op);
    await(&w, &read.op);
    assert_int_equal(gone.op.status, UV_EOF);
    assert_int_equal(read.op.status, UV_EOF);
    assert_false(over(&write.op));
    while (!over(&write.op)) {
        static char bytes[65536];
        while (recv(peer, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            continue;
        uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    assert_int_equal(write.op.status, 0);
    /* Its end is known, and nothing is watched for it any more. */
    look_around(&w);
    assert_int_equal(stream.watch_.events_, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(the_reader_of_a_pipe_is_seen_to_leave)
{
    struct world w;
    struct weft_stream out = {0}, in = {0};
    struct weft_stream_wait gone = {0};
    int fds[2];
    world_up(&w);
    assert_int_equal(pipe(fds), 0);
    weft_stream_open(root_of(&w), &out, noted);
    assert_int_equal(weft_stream_adopt(&out, fds[1]), 0);
    weft_stream_gone(root_of(&w), &gone, &out, noted);
    look_around(&w);
    assert_false(over(&gone.op));
    close(fds[0]);
    await(&w, &gone.op);
    assert_int_equal(gone.op.status, UV_EPIPE);
    weft_stream_close(&out);
    /* And its writer, behind bytes that nobody reads. */
    assert_int_equal(pipe(fds), 0);
    weft_stream_open(root_of(&w), &in, noted);
    assert_int_equal(weft_stream_adopt(&in, fds[0]), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    weft_stream_gone(root_of(&w), &gone, &in, noted);
    look_around(&w);
    assert_false(over(&gone.op));
    close(fds[1]);
    await(&w, &gone.op);
    assert_int_equal(gone.op.status, UV_EOF);
    weft_stream_close(&in);
    world_down(&w);
}

TEST(waiting_behind_unread_bytes_does_not_spin)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_stream_wait gone = {0};
    struct weft_read read = {0};
    char byte;
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_read(root_of(&w), &read, &stream, &byte, 1, noted);
    assert_int_equal(send(peer, "many", 4, 0), 4);
    await(&w, &read.op);
    weft_stream_gone(root_of(&w), &gone, &stream, noted);
    look_around(&w);
    assert_int_equal(stream.watch_.events_, UV_DISCONNECT);
    close(peer);
    await(&w, &gone.op);
    weft_stream_close(&stream);
    world_down(&w);
}
