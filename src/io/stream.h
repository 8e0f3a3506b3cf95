/* The inside of streams and listeners, shared by the files of this room. stream.c tells the
 * whole. */
#ifndef WEFT_IO_STREAM_H
#define WEFT_IO_STREAM_H

#include "core/op.h"
#include "weft/stream.h"

/* ---- a watched descriptor (stream_watch.c) -------------------------------------------------- */

/* Take fd, without watching it yet. On an error nothing is left and fd is the caller's. */
int weft__watch_open(struct weft_watch *watch, uv_loop_t *uv, int fd);
/* Watch for events, UV_READABLE and so on, and for no others; 0: none. */
void weft__watch_change(struct weft_watch *watch, unsigned events, uv_poll_cb fn);
/* Stop watching and close the descriptor. The handle stays until weft__watch_close. */
void weft__watch_shut(struct weft_watch *watch);
/* Shut it and let libuv go of the handle; closed is told. keep_fd: the descriptor stays open. */
void weft__watch_close(struct weft_watch *watch, bool keep_fd, uv_close_cb closed);

/* Keep the loop alive for it, or no longer. */
static inline void watch_hold(struct weft_watch *watch, bool held)
{
    if (held == watch->held_)
        return;
    watch->held_ = held;
    if (held)
        uv_ref((uv_handle_t *)&watch->poll_);
    else
        uv_unref((uv_handle_t *)&watch->poll_);
}

static inline void watch_set(struct weft_watch *watch, unsigned events, bool held, uv_poll_cb fn)
{
    if (unlikely(events != watch->events_))
        weft__watch_change(watch, events, fn);
    watch_hold(watch, held);
}

/* ---- sockets (stream_socket.c) -------------------------------------------------------------- */

/* A socket, non-blocking and not inherited; or a negative status. */
int weft__socket(int family);
/* accept, likewise. */
int weft__socket_accept(int listener);
/* Set the options of a TCP socket; connections inherit those of their listener. */
int weft__socket_options(int fd, const struct weft_tcp_options *options);
/* The pending error of a socket, taken from it: a negative status or 0. */
int weft__socket_error(int fd);
/* Closing fd will reset the connection instead of ending it. */
void weft__socket_reset_on_close(int fd);

/* ---- streams -------------------------------------------------------------------------------- */

/* May op, which begins now, do something with stream? 0, UV_EINVAL or the status it gets. */
static inline int stream_check(const struct weft_stream *stream, const struct weft_op *op)
{
    if (stream == NULL || stream->op.loop_ != op->loop_)
        return UV_EINVAL;
    if (stream->op.state_ != OP_RUNNING)
        return UV_ENOTCONN;
    if (stream->watch_.fd_ < 0)
        return stream->error_ != 0 ? stream->error_ : UV_ENOTCONN;
    return 0;
}

/* May stream be connected by connector (NULL: by nobody who waits)? */
int weft__stream_check_idle(const struct weft_stream *stream, const struct weft_op *connector);
/* Connect it to fd, a socket or not; from: whose connection it is, the listener or the connect. On an
 * error fd is the caller's. */
int weft__stream_attach(struct weft_stream *stream, int fd, bool socket, struct weft_op *from);
/* Whoever was to connect it will not any more. */
void weft__stream_unclaim(struct weft_stream *stream);
/* Break it off in the middle of a write: reset it, fail everything with UV_ECONNABORTED. */
void weft__stream_abort(struct weft_stream *stream);

void weft__stream_polled(uv_poll_t *poll, int status, int events);

static inline bool stream_is_awaited(const struct weft_stream *stream)
{
    return stream->reader_ != NULL || stream->writes_ != NULL || stream->gone_ != NULL;
}

/* Bring what is watched in line with what is waited for. After every change of the latter, as long
 * as the stream is connected. */
static inline void stream_settle(struct weft_stream *stream)
{
    unsigned events = 0;
    if (!stream->ended_)
        events = UV_DISCONNECT | (stream->stalled_ ? 0 : UV_READABLE);
    if (stream->writes_ != NULL)
        events |= UV_WRITABLE;
    watch_set(&stream->watch_, events, stream_is_awaited(stream), weft__stream_polled);
}

/* Bytes may have come, and somebody reads (read.c). */
void weft__stream_read(struct weft_stream *stream);
/* There is room in the kernel, and somebody writes (write.c). */
void weft__stream_flush(struct weft_stream *stream);
/* Nothing can be written any more, because of status: tell all who want to (write.c). */
void weft__stream_fail_writes(struct weft_stream *stream, int status);
/* No write waits any more: the half-close may be done (shutdown.c). */
void weft__stream_shutdown_now(struct weft_stream *stream);
/* Finish every op of a list (stream_wait.c). */
void weft__stream_release(struct weft_op **first, struct weft_op ***tail, int status);

static inline size_t stream_high_water(const struct weft_stream *stream)
{
    return stream->high_water != 0 ? stream->high_water : WEFT_STREAM_HIGH_WATER;
}

/* ---- connecting (connect.c) ----------------------------------------------------------------- */

/* Try these addresses, in this order, for a connect that has just begun. */
void weft__connect_try(struct weft_connect *connect, const struct weft_address *list, size_t count);

#endif
