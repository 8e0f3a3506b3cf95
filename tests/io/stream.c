/* Opening, connecting and closing streams, and what becomes of the ops that are under way.
 * ctest: labels=valgrind */
#include "streams.h"
#include <stdlib.h>

/* ---- life ----------------------------------------------------------------------------------- */

TEST(an_idle_stream_is_closed_with_0)
{
    struct world w;
    struct weft_stream stream = {0};
    world_up(&w);
    weft_stream_open(root_of(&w), &stream, noted);
    assert_false(weft_stream_connected(&stream));
    assert_int_equal(weft_stream_fd(&stream), -1);
    weft_stream_close(&stream);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(stream.op.status, 0);
}

TEST(a_cancelled_stream_reports_the_reason)
{
    struct world w;
    struct ends ends = {0};
    world_up(&w);
    ends_up(&w, &ends);
    weft_cancel(&ends.a.op, UV_ETIMEDOUT);
    assert_false(weft_stream_connected(&ends.a));
    weft_end(&ends.b.op, UV_EPROTO);
    world_down(&w);
    assert_int_equal(ends.a.op.status, UV_ETIMEDOUT);
    assert_int_equal(ends.b.op.status, UV_EPROTO);
}

TEST(closing_what_is_not_open_does_nothing)
{
    struct weft_stream stream = {0};
    struct weft_listen listener = {0};
    weft_stream_close(&stream);
    weft_listen_close(&listener);
}

static void close_the_pair(struct weft_op *op)
{
    weft_end(op, 0);
}

TEST(a_stream_ends_with_its_parent)
{
    struct world w;
    struct ends ends = {0};
    struct weft_op parent = {0};
    world_up(&w);
    weft_run(root_of(&w), &parent, NULL, noted);
    weft_stream_open(&parent, &ends.a, NULL);
    weft_stream_open(&parent, &ends.b, NULL);
    assert_int_equal(weft_stream_pair(&ends.a, &ends.b), 0);
    close_the_pair(&parent);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(parent.status, 0);
}

static unsigned lives;

static void open_again(struct weft_op *root, struct weft_op *op)
{
    struct weft_stream *stream = weft_owner(op, struct weft_stream, op);
    assert_int_equal(op->status, 0);
    memset(stream, 0, sizeof *stream);
    if (++lives == 5)
        return;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    close(fds[1]);
    weft_stream_open(root, stream, open_again);
    assert_int_equal(weft_stream_adopt(stream, fds[0]), 0);
    weft_stream_close(stream);
}

TEST(a_stream_may_be_opened_again_in_its_own_then)
{
    struct world w;
    struct weft_stream stream = {0};
    world_up(&w);
    lives = 0;
    weft_stream_open(root_of(&w), &stream, open_again);
    weft_stream_close(&stream);
    world_down(&w);
    assert_int_equal(lives, 5);
}

TEST(a_stream_opens_at_once_however_deep_the_stack_is)
{
    struct world w;
    struct ends ends = {0};
    world_up(&w);
    w.loop.depth_ = OP_DEPTH;
    ends_up(&w, &ends);
    w.loop.depth_ = 0;
    assert_true(weft_stream_connected(&ends.a));
    ends_down(&w, &ends);
}

/* ---- connecting ----------------------------------------------------------------------------- */

TEST(only_an_open_idle_stream_can_be_connected)
{
    struct world w;
    struct weft_stream closed = {0}, other = {0};
    struct ends ends = {0};
    world_up(&w);
    assert_int_equal(weft_stream_adopt(NULL, 0), UV_EINVAL);
    assert_int_equal(weft_stream_adopt(&closed, 0), UV_EINVAL);
    ends_up(&w, &ends);
    assert_int_equal(weft_stream_adopt(&ends.a, 0), UV_EISCONN);
    weft_stream_open(root_of(&w), &other, noted);
    assert_int_equal(weft_stream_pair(&other, &other), UV_EINVAL);
    assert_int_equal(weft_stream_pair(&other, &ends.a), UV_EISCONN);
    assert_int_equal(weft_stream_pair(&other, &closed), UV_EINVAL);
    assert_false(weft_stream_connected(&other));
    weft_stream_close(&other);
    assert_int_equal(weft_stream_adopt(&other, 0), UV_EINVAL);
    ends_down(&w, &ends);
}

TEST(what_cannot_be_waited_for_is_not_adopted)
{
    struct world w;
    struct weft_stream stream = {0};
    world_up(&w);
    weft_stream_open(root_of(&w), &stream, noted);
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_int_equal(weft_stream_adopt(&stream, -1), UV_EINVAL);
    assert_int_equal(weft_stream_adopt(&stream, 1 << 20), UV_EINVAL);
    assert_int_equal(weft_stream_adopt(&stream, file), UV_EPERM);
    assert_true(fcntl(file, F_GETFD) >= 0);
    assert_int_equal(close(file), 0);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_stream_closes_its_descriptor_at_once)
{
    struct world w;
    struct weft_stream stream = {0};
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_stream_close(&stream);
    char byte;
    assert_int_equal(recv(peer, &byte, 1, MSG_DONTWAIT), 0);
    close(peer);
    world_down(&w);
}

TEST(the_ends_of_a_connection_have_names)
{
    struct world w;
    struct ends ends = {0};
    struct weft_address here, there;
    char one[WEFT_ADDRESS_TEXT], other[WEFT_ADDRESS_TEXT];
    world_up(&w);
    ends_up_tcp(&w, &ends);
    assert_int_equal(weft_stream_local(&ends.a, &here), 0);
    assert_int_equal(weft_stream_peer(&ends.b, &there), 0);
    assert_int_equal(weft_address_format(&here, one, sizeof one), 0);
    assert_int_equal(weft_address_format(&there, other, sizeof other), 0);
    assert_string_equal(one, other);
    ends_down(&w, &ends);
    assert_int_equal(weft_stream_local(&ends.a, &here), UV_ENOTCONN);
    assert_int_equal(here.size, 0);
    assert_int_equal(weft_stream_peer(NULL, &here), UV_EINVAL);
    assert_int_equal(weft_stream_peer(&ends.a, NULL), UV_EINVAL);
}

TEST(a_pipe_has_no_name)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_address address;
    int fds[2];
    world_up(&w);
    assert_int_equal(pipe(fds), 0);
    weft_stream_open(root_of(&w), &stream, noted);
    assert_int_equal(weft_stream_adopt(&stream, fds[0]), 0);
    assert_int_equal(weft_stream_local(&stream, &address), UV_ENOTSOCK);
    close(fds[1]);
    weft_stream_close(&stream);
    world_down(&w);
}

/* ---- what is under way ---------------------------------------------------------------------- */

/* One of each kind, all waiting: nothing comes, and nothing goes out. */
struct busy {
    struct weft_op parents[2];
    struct weft_read read;
    struct weft_stream_wait gone, room, half;
    struct weft_write first, second;
    char buffer[16];
};
static char much[4 << 20];

static void make_busy(struct weft_stream *stream, struct busy *busy, struct weft_op *one,
                      struct weft_op *other)
{
    if (stream != NULL)
        stream->write_max = 2 * sizeof much;
    weft_read(one, &busy->read, stream, busy->buffer, sizeof busy->buffer, noted);
    weft_stream_gone(other, &busy->gone, stream, noted);
    weft_write(one, &busy->first, stream, much, sizeof much, noted);
    weft_write(other, &busy->second, stream, much, 1, noted);
    weft_stream_room(one, &busy->room, stream, noted);
    weft_shutdown(other, &busy->half, stream, noted);
}

static const struct weft_op *busy_ops(const struct busy *busy, int i)
{
    const struct weft_op *ops[] = {&busy->read.op,  &busy->gone.op,   &busy->room.op,
                                   &busy->first.op, &busy->second.op, &busy->half.op};
    return ops[i];
}

enum { BUSY = 6 };

static void check_busy(const struct busy *busy, int status)
{
    for (int i = 0; i < BUSY; i++) {
        assert_true(over(busy_ops(busy, i)));
        assert_int_equal(busy_ops(busy, i)->status, status);
    }
}

/* No op refers to the stream when its then runs: they have all finished before, whatever order
 * they report in. */
static struct busy *watched;
static void stream_over(struct weft_op *root, struct weft_op *op)
{
    for (int i = 0; i < BUSY; i++)
        assert_true(busy_ops(watched, i)->state_ != OP_RUNNING);
    noted(root, op);
    memset(weft_owner(op, struct weft_stream, op), 0xdd, sizeof(struct weft_stream));
}

static void close_a_busy_stream(int parents, void (*finish)(struct weft_stream *stream),
                                int expected)
{
    struct world w;
    struct busy *busy = calloc(1, sizeof *busy);
    struct weft_stream *stream = calloc(1, sizeof *stream);
    int fds[2];
    world_up(&w);
    watched = busy;
    struct weft_op *one = root_of(&w), *other = root_of(&w);
    weft_stream_open(root_of(&w), stream, stream_over);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(weft_stream_adopt(stream, fds[0]), 0);
    for (int i = 0; parents == 1 && i < 2; i++)
        weft_run(root_of(&w), &busy->parents[i], NULL, noted);
    if (parents == 1)
        one = &busy->parents[0], other = &busy->parents[1];
    if (parents == 2)
        one = other = &stream->op;
    make_busy(stream, busy, one, other);
    for (int i = 0; i < 2 && parents == 1; i++)
        weft_join(&busy->parents[i]);
    look_around(&w);
    assert_int_equal(seen.calls, 0);
    finish(stream);
    world_down(&w);
    check_busy(busy, expected);
    assert_int_equal(seen.calls, BUSY + 1 + (parents == 1 ? 2 : 0));
    close(fds[1]);
    free(stream);
    free(busy);
}

static void by_cancel(struct weft_stream *stream)
{
    weft_cancel(&stream->op, UV_ETIMEDOUT);
}

TEST(closing_a_stream_finishes_the_ops_on_it)
{
    close_a_busy_stream(0, weft_stream_close, UV_ECANCELED);
}

TEST(closing_a_stream_finishes_ops_with_other_parents)
{
    close_a_busy_stream(1, weft_stream_close, UV_ECANCELED);
}

TEST(closing_a_stream_finishes_ops_that_are_its_children)
{
    close_a_busy_stream(2, weft_stream_close, UV_ECANCELED);
}

TEST(cancelling_a_stream_passes_the_reason_on)
{
    close_a_busy_stream(0, by_cancel, UV_ETIMEDOUT);
    close_a_busy_stream(1, by_cancel, UV_ETIMEDOUT);
    close_a_busy_stream(2, by_cancel, UV_ETIMEDOUT);
}

TEST(a_common_parent_cancels_ops_and_stream_in_any_order)
{
    for (int stream_first = 0; stream_first < 2; stream_first++) {
        struct world w;
        struct busy busy = {0};
        struct weft_stream stream = {0};
        struct weft_op parent = {0};
        int fds[2];
        world_up(&w);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        weft_run(root_of(&w), &parent, NULL, noted);
        weft_stream_open(stream_first ? root_of(&w) : &parent, &stream, noted);
        assert_int_equal(weft_stream_adopt(&stream, fds[0]), 0);
        make_busy(&stream, &busy, &parent, &parent);
        weft_end(&parent, 0);
        weft_stream_close(&stream);
        world_down(&w);
        assert_int_equal(parent.status, 0);
        for (int i = 0; i < BUSY; i++)
            assert_true(busy_ops(&busy, i)->status < 0);
        close(fds[1]);
    }
}

TEST(an_op_on_a_stream_that_is_not_connected_fails)
{
    struct world w;
    struct weft_stream idle = {0}, never = {0};
    struct ends ends = {0};
    struct busy busy = {0};
    world_up(&w);
    ends_up(&w, &ends);
    weft_stream_open(root_of(&w), &idle, noted);
    make_busy(&idle, &busy, root_of(&w), root_of(&w));
    await(&w, &busy.half.op);
    look_around(&w);
    check_busy(&busy, UV_ENOTCONN);
    weft_stream_close(&ends.b);
    await(&w, &ends.b.op);
    make_busy(&ends.b, &busy, root_of(&w), root_of(&w));
    look_around(&w);
    check_busy(&busy, UV_ENOTCONN);
    make_busy(NULL, &busy, root_of(&w), root_of(&w));
    look_around(&w);
    check_busy(&busy, UV_EINVAL);
    make_busy(&never, &busy, root_of(&w), root_of(&w));
    look_around(&w);
    check_busy(&busy, UV_EINVAL);
    weft_stream_close(&idle);
    weft_stream_close(&ends.a);
    world_down(&w);
}

/* ---- what keeps the loop alive -------------------------------------------------------------- */

TEST(a_stream_that_nobody_waits_for_does_not_keep_the_loop_alive)
{
    struct world w;
    struct ends ends = {0};
    struct weft_write write = {0};
    struct weft_read read = {0};
    char byte;
    world_up(&w);
    w.loop.stuck_to = NULL;
    ends_up(&w, &ends);
    weft_write(root_of(&w), &write, &ends.a, "x", 1, noted);
    weft_read(root_of(&w), &read, &ends.b, &byte, 1, noted);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(read.size, 1);
    ends_down(&w, &ends);
}

TEST(a_read_that_waits_keeps_the_loop_alive)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read read = {0};
    char byte;
    world_up(&w);
    ends_up(&w, &ends);
    weft_read(root_of(&w), &read, &ends.b, &byte, 1, noted);
    assert_true(uv_run(&w.uv, UV_RUN_NOWAIT) != 0);
    assert_true(uv_run(&w.uv, UV_RUN_NOWAIT) != 0);
    weft_cancel(&read.op, UV_ECANCELED);
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    ends_down(&w, &ends);
}
