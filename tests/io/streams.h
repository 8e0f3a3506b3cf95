/* What the tests of streams share: two ends, waiting for an op, patterns of bytes. */
#ifndef TESTS_IO_STREAMS_H
#define TESTS_IO_STREAMS_H

#include "check.h"
#include "core/op.h"
#include "loop.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/stream.h>

static inline bool over(const struct weft_op *op)
{
    return op->state_ == OP_IDLE;
}

/* Run the loop until op's then has run. */
static inline void await(struct world *w, const struct weft_op *op)
{
    while (!over(op)) {
        bool more = w->simulated ? weft_sim_step(&w->sim) : uv_run(&w->uv, UV_RUN_ONCE) != 0;
        if (!more && !over(op)) {
            weft_dump(&w->loop, stderr);
            fail_msg("the loop is dry and the op has not ended");
        }
    }
}

/* Let the loop look around a few times, for what is not to happen; also if nothing keeps it alive. */
static inline void look_around(struct world *w)
{
    for (int i = 0; i < 5; i++) {
        struct weft_op turn = {0};
        weft_immediate(weft_root(&w->loop), &turn, NULL);
        await(w, &turn);
    }
}

static inline struct weft_op *root_of(struct world *w)
{
    return weft_root(&w->loop);
}

/* Does this machine have an IPv6 loopback? */
static inline bool has_ip6(void)
{
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) == 0;
    if (fd >= 0)
        close(fd);
    return has;
}

/* Two streams, connected to each other. */
struct ends {
    struct weft_stream a, b;
};

static inline void ends_up(struct world *w, struct ends *ends)
{
    weft_stream_open(root_of(w), &ends->a, noted);
    weft_stream_open(root_of(w), &ends->b, noted);
    assert_int_equal(weft_stream_pair(&ends->a, &ends->b), 0);
}

/* The same by TCP, on an ephemeral port of the loopback. */
static inline void ends_up_tcp(struct world *w, struct ends *ends)
{
    struct weft_listen listener = {0};
    struct weft_accept accepted = {0};
    struct weft_connect connected = {0};
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_listen(root_of(w), &listener, &address, noted);
    weft_stream_open(root_of(w), &ends->a, noted);
    weft_stream_open(root_of(w), &ends->b, noted);
    weft_connect_address(root_of(w), &connected, &ends->a, &listener.address, noted);
    weft_accept(root_of(w), &accepted, &listener, &ends->b, noted);
    await(w, &connected.op);
    await(w, &accepted.op);
    assert_int_equal(connected.op.status, 0);
    assert_int_equal(accepted.op.status, 0);
    weft_listen_close(&listener);
    await(w, &listener.op);
}

static inline void ends_down(struct world *w, struct ends *ends)
{
    weft_stream_close(&ends->a);
    weft_stream_close(&ends->b);
    world_down(w);
}

/* One end is a stream, the other a bare non-blocking descriptor, in the test's own hand. */
static inline int half_up(struct world *w, struct weft_stream *stream)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    weft_stream_open(root_of(w), stream, noted);
    assert_int_equal(weft_stream_adopt(stream, fds[0]), 0);
    return fds[1];
}

/* The byte at a place of an endless text without a short period. */
static inline unsigned char pattern(size_t at)
{
    return (unsigned char)((at * 31 + (at >> 8) * 17 + (at >> 16)) & 0xff);
}

static inline void pattern_fill(void *bytes, size_t from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = pattern(from + i);
}

static inline void pattern_check(const void *bytes, size_t from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)bytes)[i] != pattern(from + i))
            fail_msg("byte %zu is wrong", from + i);
    }
}

/* Read a bare descriptor until it has no more for now; how many bytes came. They are checked as
 * the part of the pattern that begins at from. */
static inline size_t drain(int fd, size_t from)
{
    char bytes[65536];
    size_t total = 0;
    for (;;) {
        ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got <= 0)
            return total;
        pattern_check(bytes, from + total, (size_t)got);
        total += (size_t)got;
    }
}

/* Make the kernel's buffers of a connection as small as they get. */
static inline void make_tiny(int fd)
{
    int size = 1;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size), 0);
}

/* Close fd so that a TCP peer meets a reset. */
static inline void reset(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
    close(fd);
}

#endif
