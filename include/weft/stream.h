/* weft/stream.h: streams of bytes: TCP, Unix sockets, and the pipes of child processes.
 *
 * A stream is an op that runs until it is closed. It is opened idle under its owner and connected
 * once, by weft_accept, weft_connect, weft_stream_adopt or weft_stream_pair. Everything done with
 * it is an op of its own, with a parent of its own, usually the stream's:
 *
 *     struct connection { struct weft_op op; struct weft_stream stream; struct weft_read read;
 *                         struct weft_write write; char bytes[4096]; };
 *
 *     weft_stream_open(op, &c->stream, NULL);
 *     weft_accept(op, &c->accept, &server->listen, &c->stream, connected);
 *     ...
 *     weft_read(op, &c->read, &c->stream, c->bytes, sizeof c->bytes, received);
 *
 * How it is built. A stream is a non-blocking descriptor, its own system calls, and one uv_poll_t;
 * not a uv_tcp_t. So a read goes straight into your buffer when you ask and there is no other
 * buffer; a write that waits can be taken back; nothing is accepted that nobody waits for; a peer
 * that leaves is seen without reading on; a descriptor changes hands without a copy. Reading,
 * writing and accepting allocate nothing, and what the kernel watches changes only when it must:
 * not around each read.
 *
 * Backpressure. A read happens when you ask for it. Writes that the kernel does not take at once
 * wait in a bounded line. A connection is accepted when a weft_accept waits: the limit of a server
 * is the number of its slots.
 *
 * Ending. weft_stream_close, a cancel of the stream, or its parent's end closes the descriptor at
 * once. All ops under way on the stream, whatever their parents, finish then and there with the
 * cancel's reason (UV_ECANCELED for a close), before the stream itself does: when the stream's
 * then runs no op refers to it any more, and it may be freed, or opened and connected again. The
 * same holds for a listener. An open stream is a child that runs: its owner ends with weft_end,
 * which closes it and awaits that; weft_finish would break rule 2, and after weft_join the owner
 * waits until the stream is closed.
 *
 * A message that was cut short never looks complete: if a write is cancelled, or the stream closed,
 * when only a part of that write's bytes are with the kernel, a TCP connection is reset and the
 * peer's read fails instead of meeting an end.
 *
 * Deadlines: weft_deadline on any of these ops. A peer that is gone is UV_EPIPE or UV_ECONNRESET
 * in the write's then: SIGPIPE is never raised, and its disposition not touched.
 *
 * Only what somebody waits for keeps the loop alive: a connected stream with no op under way does
 * not.
 *
 * Seen by hooks (weft/hook.h) a stream is two things: the stream, from its opening to its then, and
 * the connection, as long as it has a descriptor. The connection's parent is the listener that
 * accepted it, the connect that made it, or the stream. An accept's then runs as a callback of the
 * connection: weft_current_id() is that, weft_trigger_id() the listener. */
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include "address.h"
#include "dns.h"
#include "hook.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_STREAM_WRITE_MAX = 1024 * 1024, /* the default of stream.write_max */
    WEFT_STREAM_HIGH_WATER = 64 * 1024,  /* the default of stream.high_water */
    WEFT_WRITE_BUFS = 8,                 /* how many parts a write has at most */
    WEFT_LISTEN_BACKLOG = 511,           /* the default of listen.backlog */
    WEFT_CONNECT_STAGGER_MS = 250,       /* the default of connect.stagger_ms */
    WEFT_CONNECT_ADDRESSES = 16          /* how many addresses of a name are tried at most */
};

struct weft_read;
struct weft_attempts;

/* For the library: a descriptor, and what of it the loop watches. */
struct weft_watch {
    int fd_;
    unsigned char events_;
    bool open_, held_;
    uv_poll_t poll_;
};

/* ---- the stream ----------------------------------------------------------------------------- */

struct weft_stream {
    struct weft_op op;
    size_t write_max;  /* how many bytes may wait to be written; 0: WEFT_STREAM_WRITE_MAX */
    size_t high_water; /* from how many on there is no room; 0: WEFT_STREAM_HIGH_WATER */
    size_t waiting;    /* read only: how many bytes wait to be written */
    struct weft_read *reader_;
    struct weft_op *writes_, **writes_tail_;
    struct weft_op *gone_, **gone_tail_;
    struct weft_op *room_, **room_tail_;
    struct weft_op *shutdown_, *connector_;
    int error_, write_error_;
    bool socket_, pending_, skipped_, stalled_, ended_, shut_;
    struct weft_handle connection_;
    struct weft_watch watch_;
};

/* Open stream, idle: it can be connected as soon as this returns. then runs when it is closed: 0
 * after weft_stream_close, otherwise the reason of the cancel. The fields write_max and high_water
 * may be set before and changed at any time. */
#define weft_stream_open(parent, stream, then)                                                     \
    weft_stream_open_at(WEFT_HERE("stream", WEFT_NET | WEFT_HANDLE), parent, stream, then)
WEFT_API void weft_stream_open_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_stream *stream, weft_then_fn *then);
WEFT_API void weft_stream_begin(struct weft_op *op);

/* Close it; its then gets 0. What was written before still goes out; see above for what was not.
 * No effect on one that is not open. */
WEFT_API void weft_stream_close(struct weft_stream *stream);

/* Connect an open, idle stream to a descriptor: a socket, a pipe, a terminal. It is the stream's
 * from then on: made non-blocking, closed with it. A pipe goes one way: the other one fails with
 * UV_EBADF. UV_EINVAL: stream is not open, fd is none. UV_EISCONN: it is connected. UV_EBUSY: an
 * accept or a connect is under way for it. UV_EPERM: fd is of a kind that cannot be waited for (a
 * file). Other errors of libuv. After an error fd is still yours. */
WEFT_API int weft_stream_adopt(struct weft_stream *stream, int fd);

/* Connect two open, idle streams to each other. Errors as above, and those of socketpair; then
 * neither is connected. */
WEFT_API int weft_stream_pair(struct weft_stream *one, struct weft_stream *other);

/* Is it connected? It stays so when the peer leaves, until it is closed or reset. */
static inline bool weft_stream_connected(const struct weft_stream *stream)
{
    return stream->op.state_ != 0 && stream->watch_.fd_ >= 0;
}

/* The descriptor, for setsockopt and the like, or -1. It belongs to the stream: neither read, nor
 * write, nor close it. */
static inline int weft_stream_fd(const struct weft_stream *stream)
{
    return stream->op.state_ != 0 ? stream->watch_.fd_ : -1;
}

/* The two ends. UV_ENOTCONN: not connected. UV_ENOTSOCK: it is a pipe. */
WEFT_API int weft_stream_local(const struct weft_stream *stream, struct weft_address *address);
WEFT_API int weft_stream_peer(const struct weft_stream *stream, struct weft_address *address);

/* ---- reading -------------------------------------------------------------------------------- */

/* Read at least 1 byte and at most capacity into buffer, as soon as there are any: read->size.
 * UV_EOF: the peer has ended its side; so does every later read. A cancelled read has taken no
 * bytes, unless its status is 0: a cancel may lose. One at a time: UV_EBUSY for a second reader.
 * UV_EINVAL: stream or buffer is NULL, capacity is 0, or the stream is of another loop.
 * UV_ENOTCONN: not connected. UV_ECONNABORTED: the stream was reset here, see above. UV_ECONNRESET
 * and other errors of the socket, after the bytes that came before. */
struct weft_read {
    struct weft_op op;
    struct weft_stream *stream;
    void *buffer;
    size_t capacity;
    size_t size; /* how many bytes came; 0 after an error */
};
#define weft_read(parent, read, stream, buffer, capacity, then)                                    \
    weft_read_at(WEFT_HERE("read", WEFT_NET), parent, read, stream, buffer, capacity, then)
WEFT_API void weft_read_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_read *read, struct weft_stream *stream, void *buffer,
                           size_t capacity, weft_then_fn *then);
WEFT_API void weft_read_begin(struct weft_op *op);

/* Read to the end, at most max bytes. data is followed by a NUL that size does not count; free it
 * with weft_read_all_free. UV_EFBIG: there is more. UV_ENOMEM. UV_EINVAL: max is 0 or SIZE_MAX.
 * The errors of weft_read. After an error there is no data: what was read is lost. */
struct weft_read_all {
    struct weft_op op;
    struct weft_stream *stream;
    size_t max;
    char *data;
    size_t size;
    size_t room_;
    struct weft_read read_;
};
#define weft_read_all(parent, all, stream, max, then)                                              \
    weft_read_all_at(WEFT_HERE("read_all", WEFT_NET), parent, all, stream, max, then)
WEFT_API void weft_read_all_at(const struct weft_site *site, struct weft_op *parent,
                               struct weft_read_all *all, struct weft_stream *stream, size_t max,
                               weft_then_fn *then);
WEFT_API void weft_read_all_begin(struct weft_op *op);
/* Safe on one that failed, and a second time. */
WEFT_API void weft_read_all_free(struct weft_read_all *all);

/* ---- waiting for the stream ----------------------------------------------------------------- */

struct weft_stream_wait {
    struct weft_op op;
    struct weft_stream *stream;
};

/* Wait for the peer to leave, while you do something else. Never succeeds: UV_EOF, it has ended its
 * side; UV_ECONNRESET or another error, the connection is broken. So with then == NULL, under the
 * op that works for the peer, the work stops when there is nobody to work for. Nothing is read:
 * bytes that have come stay with the kernel for the next weft_read. A peer whose bytes the kernel
 * has no room for has not left yet: read them to see it go. One that only half-closes looks the
 * same as one that leaves. Any number may wait. UV_EINVAL, UV_ENOTCONN as above. */
#define weft_stream_gone(parent, wait, stream, then)                                               \
    weft_stream_wait_at(WEFT_HERE("stream_gone", WEFT_NET), parent, wait, stream,                  \
                        weft_stream_gone_begin, then)
WEFT_API void weft_stream_gone_begin(struct weft_op *op);

/* Wait until fewer than high_water bytes wait to be written; at once if it is so. Any number may
 * wait. The errors of weft_write. */
#define weft_stream_room(parent, wait, stream, then)                                               \
    weft_stream_wait_at(WEFT_HERE("stream_room", WEFT_NET), parent, wait, stream,                  \
                        weft_stream_room_begin, then)
WEFT_API void weft_stream_room_begin(struct weft_op *op);

/* Half-close: when what was written before is with the kernel, tell the peer that no more comes.
 * Reading goes on. Writes that follow fail with UV_EPIPE. On the writing end of a pipe this closes
 * the descriptor. A cancelled one has done nothing. UV_EALREADY: it was done, or is under way.
 * UV_ENOTSOCK: the reading end of a pipe. The errors of weft_write. */
#define weft_shutdown(parent, wait, stream, then)                                                  \
    weft_stream_wait_at(WEFT_HERE("shutdown", WEFT_NET), parent, wait, stream,                     \
                        weft_shutdown_begin, then)
WEFT_API void weft_shutdown_begin(struct weft_op *op);

WEFT_API void weft_stream_wait_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_stream_wait *wait, struct weft_stream *stream,
                                  weft_begin_fn *begin, weft_then_fn *then);

/* ---- writing -------------------------------------------------------------------------------- */

/* Write all bytes, in the order of the calls. Finishes when they are with the kernel; until then
 * they are yours and must stay. weft_write has one part; weft_writev up to WEFT_WRITE_BUFS, and the
 * array itself may go. A size of 0 is allowed.
 *
 * What the kernel does not take at once waits. Cancelling a write of which no byte has gone takes
 * it out of the line and harms nothing; after the first byte it resets the stream: every other op
 * on it fails with UV_ECONNABORTED, and only closing it is left.
 *
 * UV_EINVAL: stream is NULL or of another loop, a part is NULL with a size, there are too many,
 * or all sizes do not fit a size_t. UV_ENOTCONN: not connected. UV_ENOBUFS: others wait, and with
 * this one it would be more than write_max bytes (the first in line may be of any size: its bytes
 * are your own). UV_EPIPE: after weft_shutdown, or the peer is gone. UV_ECONNABORTED,
 * UV_ECONNRESET and other errors of the socket: of all writes that wait, and of later ones. */
struct weft_write {
    struct weft_op op;
    struct weft_stream *stream;
    uv_buf_t bufs[WEFT_WRITE_BUFS];
    unsigned count;
    size_t size;    /* the sum of the parts; set by begin */
    size_t written; /* how many bytes are with the kernel, also after an error */
};
#define weft_write(parent, write, stream, data, size, then)                                        \
    weft_write_at(WEFT_HERE("write", WEFT_NET), parent, write, stream, data, size, then)
WEFT_API void weft_write_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_write *write, struct weft_stream *stream, const void *data,
                            size_t size, weft_then_fn *then);
#define weft_writev(parent, write, stream, bufs, count, then)                                      \
    weft_writev_at(WEFT_HERE("write", WEFT_NET), parent, write, stream, bufs, count, then)
WEFT_API void weft_writev_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_write *write, struct weft_stream *stream,
                             const uv_buf_t *bufs, unsigned count, weft_then_fn *then);
WEFT_API void weft_write_begin(struct weft_op *op);

/* ---- listening ------------------------------------------------------------------------------ */

/* Options of a TCP connection. All zero: small writes go out at once, no probes. */
struct weft_tcp_options {
    bool nagle;           /* let the kernel hold small writes back (no TCP_NODELAY) */
    unsigned keepalive_s; /* probe a peer that has been silent for so many seconds; 0: never */
};

/* Listen on address until closed. It is bound when this returns: address then has the port that
 * the kernel chose for port 0. If it could not be bound, then gets the error: UV_EADDRINUSE,
 * UV_EACCES and others of socket, bind and listen; UV_EINVAL: address is NULL or none.
 * An IPv6 listener on [::] takes IPv4 too.
 *
 * Unix sockets in the file system: a file that is in the way is removed only if it is a socket on
 * which nobody listens any more (one that refuses a connection); anything else is UV_EADDRINUSE.
 * Closing removes the file if it is still the one that was made here. */
struct weft_listen {
    struct weft_op op;
    struct weft_address address;
    int backlog;                 /* how many may wait in the kernel; 0: WEFT_LISTEN_BACKLOG */
    bool reuse_port;             /* SO_REUSEPORT: several listeners share the port, a loop each */
    struct weft_tcp_options tcp; /* of the connections that are accepted */
    struct weft_op *accepts_, **accepts_tail_;
    uint64_t file_device_, file_number_;
    bool pending_, skipped_, stalled_, made_file_;
    struct weft_watch watch_;
};
#define weft_listen(parent, listen, address, then)                                                 \
    weft_listen_at(WEFT_HERE("listen", WEFT_NET | WEFT_HANDLE), parent, listen, address, then)
WEFT_API void weft_listen_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_listen *listen, const struct weft_address *address,
                             weft_then_fn *then);
WEFT_API void weft_listen_begin(struct weft_op *op);
/* Close it; its then gets 0. No effect on one that does not listen. */
WEFT_API void weft_listen_close(struct weft_listen *listen);

/* Wait for one connection and connect stream, open and idle, to it. Those who wait are served in
 * their order. Nothing is accepted while nobody waits: it stays in the kernel's backlog.
 * UV_EMFILE and the like: no descriptor was left. One waiting accept fails, the listener goes on,
 * the connection stays in the backlog: accept again when something was closed, or after a pause.
 * UV_EINVAL: listen is not listening, stream is not open, or they are of another loop.
 * UV_EISCONN: stream is connected. UV_EBUSY: it is waited for by another accept or connect. */
struct weft_accept {
    struct weft_op op;
    struct weft_listen *listen;
    struct weft_stream *stream;
    uint64_t connection_;
    weft_then_fn *then_;
};
#define weft_accept(parent, accept, listen, stream, then)                                          \
    weft_accept_at(WEFT_HERE("accept", WEFT_NET), parent, accept, listen, stream, then)
WEFT_API void weft_accept_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_accept *accept, struct weft_listen *listen,
                             struct weft_stream *stream, weft_then_fn *then);
WEFT_API void weft_accept_begin(struct weft_op *op);

/* ---- connecting ----------------------------------------------------------------------------- */

/* Connect stream, open and idle, to a service of a host by TCP. host is a name or a numeric
 * address, service a name or a number ("https", "443"); both are copied when the op begins.
 *
 * The host's addresses are tried as RFC 8305 says (happy eyeballs): IPv6 and IPv4 in turn, the next
 * one when the one before has failed or stagger_ms have passed; the first that answers is it, the
 * others are closed before then runs. If none answers the status is that of the last one, except
 * that an answer (refused, timed out) tells more than a missing route. After a failure stream is
 * idle as before, and another connect may follow.
 *
 * weft_connect_address goes to one address, TCP or Unix, without a lookup.
 * UV_EINVAL: an argument is NULL, stream is not open or of another loop. UV_EISCONN, UV_EBUSY as
 * weft_accept. UV_ENOMEM. UV_EAI_NONAME and the like: the errors of weft_lookup. UV_ECONNREFUSED,
 * UV_ENOENT and others of connect. UV_EAGAIN: the backlog of a Unix socket is full. */
struct weft_connect {
    struct weft_op op;
    struct weft_stream *stream;
    const char *host, *service;
    struct weft_address address; /* of weft_connect_address; out: where stream is connected to */
    unsigned stagger_ms;         /* 0: WEFT_CONNECT_STAGGER_MS */
    struct weft_tcp_options tcp;
    struct weft_lookup lookup_;
    struct weft_attempts *attempts_;
};
#define weft_connect(parent, connect, stream, host, service, then)                                 \
    weft_connect_at(WEFT_HERE("connect", WEFT_NET), parent, connect, stream, host, service, then)
WEFT_API void weft_connect_at(const struct weft_site *site, struct weft_op *parent,
                              struct weft_connect *connect, struct weft_stream *stream,
                              const char *host, const char *service, weft_then_fn *then);
#define weft_connect_address(parent, connect, stream, address, then)                               \
    weft_connect_address_at(WEFT_HERE("connect", WEFT_NET), parent, connect, stream, address, then)
WEFT_API void weft_connect_address_at(const struct weft_site *site, struct weft_op *parent,
                                      struct weft_connect *connect, struct weft_stream *stream,
                                      const struct weft_address *address, weft_then_fn *then);
/* With host == NULL it connects to address. */
WEFT_API void weft_connect_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
