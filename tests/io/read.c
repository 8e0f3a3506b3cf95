/* Reading: into the caller's buffer, when the caller asks, and nothing is lost.
 * ctest: labels=valgrind */
#include "streams.h"
#include "fault.h"
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

/* libuv's own calls come here, since the program's names go first. */
static unsigned changes;

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    changes++;
    return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

static void put(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* ---- one read ------------------------------------------------------------------------------- */

TEST(a_read_takes_what_has_come)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char buffer[8] = "";
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_read(root_of(&w), &read, &stream, buffer, sizeof buffer, noted);
    look_around(&w);
    assert_int_equal(seen.calls, 0);
    put(peer, "hello");
    await(&w, &read.op);
    assert_int_equal(read.op.status, 0);
    assert_int_equal(read.size, 5);
    assert_memory_equal(buffer, "hello", 5);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_read_takes_no_more_than_its_buffer_holds)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char buffer[4] = "...";
    world_up(&w);
    int peer = half_up(&w, &stream);
    put(peer, "hello");
    weft_read(root_of(&w), &read, &stream, buffer, 3, noted);
    await(&w, &read.op);
    assert_int_equal(read.size, 3);
    assert_string_equal(buffer, "hel");
    weft_read(root_of(&w), &read, &stream, buffer, 3, noted);
    await(&w, &read.op);
    assert_int_equal(read.size, 2);
    assert_string_equal(buffer, "lol");
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(the_end_comes_after_the_bytes_and_stays)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char buffer[16];
    world_up(&w);
    int peer = half_up(&w, &stream);
    put(peer, "bye");
    close(peer);
    weft_read(root_of(&w), &read, &stream, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, 0);
    assert_int_equal(read.size, 3);
    for (int i = 0; i < 3; i++) {
        weft_read(root_of(&w), &read, &stream, buffer, sizeof buffer, noted);
        await(&w, &read.op);
        assert_int_equal(read.op.status, UV_EOF);
        assert_int_equal(read.size, 0);
    }
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(only_one_may_read_at_a_time)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read first = {0}, second = {0};
    char buffer[16];
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_read(root_of(&w), &first, &stream, buffer, sizeof buffer, noted);
    weft_read(root_of(&w), &second, &stream, buffer, sizeof buffer, noted);
    await(&w, &second.op);
    assert_int_equal(second.op.status, UV_EBUSY);
    assert_false(over(&first.op));
    put(peer, "x");
    await(&w, &first.op);
    assert_int_equal(first.op.status, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_read_without_a_buffer_fails)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char byte;
    world_up(&w);
    int peer = half_up(&w, &stream);
    put(peer, "x");
    weft_read(root_of(&w), &read, &stream, NULL, 1, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_EINVAL);
    weft_read(root_of(&w), &read, &stream, &byte, 0, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_EINVAL);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_cancelled_read_takes_no_bytes)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char buffer[16] = "";
    world_up(&w);
    int peer = half_up(&w, &stream);
    for (int i = 0; i < 3; i++) {
        weft_read(root_of(&w), &read, &stream, buffer, sizeof buffer, noted);
        look_around(&w);
        if (i == 1)
            put(peer, "kept");
        weft_cancel(&read.op, UV_ETIMEDOUT);
        await(&w, &read.op);
        assert_int_equal(read.op.status, i < 2 ? UV_ETIMEDOUT : 0);
    }
    assert_int_equal(read.size, 4);
    assert_memory_equal(buffer, "kept", 4);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_deadline_ends_a_read)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read read = {0};
    struct weft_deadline deadline = {0};
    char byte;
    world_up_sim(&w, 0);
    ends_up(&w, &ends);
    weft_read(root_of(&w), &read, &ends.a, &byte, 1, noted);
    weft_deadline(&read.op, &deadline, 60000);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_ETIMEDOUT);
    assert_int_equal(weft_now(&w.loop), 60000);
    ends_down(&w, &ends);
}

/* ---- resets --------------------------------------------------------------------------------- */

TEST(a_reset_is_told_after_the_bytes_before_it)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read read = {0};
    char buffer[16];
    world_up(&w);
    ends_up_tcp(&w, &ends);
    put(weft_stream_fd(&ends.a), "half a mess");
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(weft_stream_fd(&ends.a), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    weft_stream_close(&ends.a);
    weft_read(root_of(&w), &read, &ends.b, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    while (read.op.status == 0) {
        weft_read(root_of(&w), &read, &ends.b, buffer, sizeof buffer, noted);
        await(&w, &read.op);
    }
    assert_int_equal(read.op.status, UV_ECONNRESET);
    weft_read(root_of(&w), &read, &ends.b, buffer, sizeof buffer, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_ECONNRESET);
    ends_down(&w, &ends);
}

/* The kernel tells a reset once. If a write has taken it, a read must not mistake what follows for
 * the end that the peer has chosen. */
TEST(a_reset_that_a_write_has_met_is_not_an_end_for_a_read)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read read = {0};
    struct weft_write write = {0};
    char byte;
    world_up(&w);
    ends_up_tcp(&w, &ends);
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(weft_stream_fd(&ends.a), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    weft_stream_close(&ends.a);
    weft_write(root_of(&w), &write, &ends.b, "x", 1, noted);
    await(&w, &write.op);
    assert_int_equal(write.op.status, UV_ECONNRESET);
    weft_read(root_of(&w), &read, &ends.b, &byte, 1, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_ECONNRESET);
    ends_down(&w, &ends);
}

/* ---- when ----------------------------------------------------------------------------------- */

TEST(nothing_is_read_that_nobody_asks_for)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char bytes[4096] = "";
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_read(root_of(&w), &read, &stream, bytes, 1, noted);
    put(peer, "x");
    await(&w, &read.op);
    while (write(peer, bytes, sizeof bytes) > 0)
        continue;
    look_around(&w);
    assert_int_equal(write(peer, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EAGAIN);
    /* And the loop is not woken for it again and again. */
    assert_int_equal(stream.watch_.events_ & UV_READABLE, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(what_is_watched_does_not_change_around_a_read)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    char bytes[64];
    world_up(&w);
    int peer = half_up(&w, &stream);
    weft_read(root_of(&w), &read, &stream, bytes, sizeof bytes, noted);
    look_around(&w);
    changes = 0;
    for (int i = 0; i < 100; i++) {
        put(peer, "ping");
        await(&w, &read.op);
        assert_int_equal(read.size, 4);
        weft_read(root_of(&w), &read, &stream, bytes, sizeof bytes, noted);
    }
    look_around(&w);
    assert_int_equal(changes, 0);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

static size_t taken, received;

static void take_more(struct weft_op *root, struct weft_op *op)
{
    struct weft_read *read = weft_owner(op, struct weft_read, op);
    assert_int_equal(op->status, 0);
    pattern_check(read->buffer, received, read->size);
    received += read->size;
    taken++;
    if (received < 200000)
        weft_read(root, read, read->stream, read->buffer, read->capacity, take_more);
}

/* A reader that is slower than its peer gets by without being told of each piece. */
TEST(a_large_message_is_taken_in_without_polling_for_each_piece)
{
    struct world w;
    struct weft_stream stream = {0};
    struct weft_read read = {0};
    static char bytes[200000], buffer[1000];
    world_up(&w);
    int peer = half_up(&w, &stream);
    pattern_fill(bytes, 0, sizeof bytes);
    int size = 1 << 20;
    setsockopt(peer, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    assert_int_equal(write(peer, bytes, sizeof bytes), sizeof bytes);
    look_around(&w);
    taken = received = 0;
    changes = 0;
    weft_read(root_of(&w), &read, &stream, buffer, sizeof buffer, take_more);
    unsigned turns = 0;
    while (received < sizeof bytes) {
        uv_run(&w.uv, UV_RUN_ONCE);
        turns++;
    }
    assert_int_equal(taken, 200);
    assert_true(turns < 5);
    assert_true(changes <= 2);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

/* ---- pipes ---------------------------------------------------------------------------------- */

TEST(a_pipe_is_read_to_its_end)
{
    struct world w;
    struct weft_stream in = {0}, out = {0};
    struct weft_read_all all = {0};
    struct weft_read read = {0};
    char byte;
    int fds[2];
    world_up(&w);
    assert_int_equal(pipe(fds), 0);
    weft_stream_open(root_of(&w), &in, noted);
    weft_stream_open(root_of(&w), &out, noted);
    assert_int_equal(weft_stream_adopt(&in, fds[0]), 0);
    assert_int_equal(weft_stream_adopt(&out, fds[1]), 0);
    weft_read_all(root_of(&w), &all, &in, 100, noted);
    put(fds[1], "through the pipe");
    look_around(&w);
    weft_read(root_of(&w), &read, &out, &byte, 1, noted);
    look_around(&w);
    weft_cancel(&read.op, UV_ECANCELED);
    await(&w, &read.op);
    assert_true(read.op.status == UV_EBADF || read.op.status == UV_ECANCELED);
    weft_stream_close(&out);
    await(&w, &all.op);
    assert_int_equal(all.op.status, 0);
    assert_string_equal(all.data, "through the pipe");
    weft_read_all_free(&all);
    weft_stream_close(&in);
    world_down(&w);
}

/* ---- to the end ----------------------------------------------------------------------------- */

static int read_all_of(size_t size, size_t max)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read_all all = {0};
    struct weft_write write = {0};
    char *bytes = malloc(size + 1);
    world_up(&w);
    pattern_fill(bytes, 0, size);
    ends_up(&w, &ends);
    weft_write(root_of(&w), &write, &ends.a, bytes, size, noted);
    struct weft_stream_wait half = {0};
    weft_shutdown(root_of(&w), &half, &ends.a, noted);
    weft_read_all(root_of(&w), &all, &ends.b, max, noted);
    await(&w, &all.op);
    int status = all.op.status;
    if (status == 0) {
        assert_int_equal(all.size, size);
        assert_int_equal(all.data[size], 0);
        pattern_check(all.data, 0, size);
    } else {
        assert_null(all.data);
        assert_int_equal(all.size, 0);
    }
    weft_read_all_free(&all);
    weft_read_all_free(&all);
    ends_down(&w, &ends);
    free(bytes);
    return status;
}

TEST(everything_is_read_up_to_a_limit)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 100000, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] > 0)
            assert_int_equal(read_all_of(sizes[i], sizes[i]), 0);
        assert_int_equal(read_all_of(sizes[i], sizes[i] + 1), 0);
        assert_int_equal(read_all_of(sizes[i], SIZE_MAX - 1), 0);
        if (sizes[i] > 1)
            assert_int_equal(read_all_of(sizes[i], sizes[i] - 1), UV_EFBIG);
    }
    assert_int_equal(read_all_of(10, 0), UV_EINVAL);
    assert_int_equal(read_all_of(10, SIZE_MAX), UV_EINVAL);
}

static void read_all_with_little_memory(unsigned long n)
{
    struct world w;
    struct weft_read_all all = {0};
    struct weft_stream stream = {0};
    static char bytes[20000];
    weft_fault_fail_at(0);
    world_up(&w);
    int peer = half_up(&w, &stream);
    assert_int_equal(write(peer, bytes, sizeof bytes), sizeof bytes);
    close(peer);
    weft_fault_fail_at(n);
    weft_read_all(root_of(&w), &all, &stream, 100000, noted);
    await(&w, &all.op);
    assert_int_equal(all.op.status, weft_fault_hit() ? UV_ENOMEM : 0);
    bool hit = weft_fault_hit();
    weft_read_all_free(&all);
    weft_stream_close(&stream);
    world_down(&w);
    assert_int_equal(hit, weft_fault_hit());
}

TEST(reading_everything_survives_running_out_of_memory)
{
    fault_ladder(read_all_with_little_memory);
    assert_true(fault_ladder_height() >= 3);
}

TEST(reading_everything_can_be_cancelled)
{
    struct world w;
    struct weft_read_all all = {0};
    struct weft_stream stream = {0};
    world_up(&w);
    int peer = half_up(&w, &stream);
    put(peer, "something");
    weft_read_all(root_of(&w), &all, &stream, 100, noted);
    look_around(&w);
    weft_cancel(&all.op, UV_ETIMEDOUT);
    await(&w, &all.op);
    assert_int_equal(all.op.status, UV_ETIMEDOUT);
    assert_null(all.data);
    close(peer);
    weft_stream_close(&stream);
    world_down(&w);
}

TEST(a_reset_never_looks_like_the_whole)
{
    struct world w;
    struct ends ends = {0};
    struct weft_read_all all = {0};
    world_up(&w);
    ends_up_tcp(&w, &ends);
    put(weft_stream_fd(&ends.a), "half of it");
    weft_read_all(root_of(&w), &all, &ends.b, 1000, noted);
    look_around(&w);
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(weft_stream_fd(&ends.a), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    weft_stream_close(&ends.a);
    await(&w, &all.op);
    assert_int_equal(all.op.status, UV_ECONNRESET);
    ends_down(&w, &ends);
}
