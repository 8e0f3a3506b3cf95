/* Accepting: a line of ops, each with an idle stream of its own; a connection goes to the first.
 *
 * The kernel is asked only while somebody waits, and as long as it has connections to give: so a
 * burst is taken in at once, up to the number of waiting accepts, and the rest stays in the
 * backlog. What is watched follows the rules of a stream (see stream.c): the listener is watched on
 * while nobody waits, until connections have been announced twice in vain; and who comes after one
 * was announced, or when the last one found a connection, asks at once (pending_).
 *
 * What an accept's then does is the connection's doing. So if that is seen by a hook, a then of ours
 * is put in front, which runs the caller's as a callback of the connection. */
#include "listen.h"
#include <unistd.h>

static void accept_polled(uv_poll_t *poll, int status, int events);

static void settle(struct weft_listen *listener)
{
    watch_set(&listener->watch_, listener->stalled_ ? 0 : UV_READABLE, listener->accepts_ != NULL,
              accept_polled);
}

void weft__accept_over(struct weft_accept *accept_op, int status)
{
    wait_unlink(&accept_op->op, &accept_op->listen->accepts_tail_);
    weft__stream_unclaim(accept_op->stream);
    weft_finish(&accept_op->op, status);
}

/* A connection that was broken off before anybody took it is not the listener's trouble. */
static bool passing(int status)
{
    return status == UV_ECONNABORTED || status == UV_EINTR || status == UV_EPROTO;
}

/* The stream may be closed, and its storage gone, before the accept reports: then its connection is
 * not known any more. */
static void connected(struct weft_op *parent, struct weft_op *op)
{
    struct weft_accept *accept_op = weft_owner(op, struct weft_accept, op);
    weft_then_fn *then = accept_op->then_;
    struct weft_resource found;
    struct weft_frame frame;
    if (weft_resource_by_id(accept_op->connection_, &found) != 0) {
        then(parent, op);
        return;
    }
    weft_handle_enter(&frame, &accept_op->stream->connection_, (weft_entry_fn *)then);
    current_set(parent->loop_, parent); /* as in any then */
    then(parent, op);
    weft_leave(&frame);
}

static void connect_to(struct weft_accept *accept_op)
{
    struct weft_stream *stream = accept_op->stream;
    stream->pending_ = true; /* who connects mostly has something to say */
    if (likely(!weft_handle_seen(&stream->connection_)) || accept_op->op.then_ == NULL)
        return;
    accept_op->connection_ = stream->connection_.id_;
    accept_op->then_ = accept_op->op.then_;
    accept_op->op.then_ = connected;
}

/* Give out what there is. An error goes to the first in line alone: the others may have better luck
 * when it has closed something. */
static void serve(struct weft_listen *listener)
{
    listener->skipped_ = listener->pending_ = false;
    while (listener->accepts_ != NULL) {
        int fd = weft__socket_accept(listener->watch_.fd_);
        if (fd == UV_EAGAIN)
            return;
        if (passing(fd))
            continue;
        struct weft_accept *first = weft_owner(listener->accepts_, struct weft_accept, op);
        int status = fd >= 0 ? weft__stream_attach(first->stream, fd, true, &listener->op) : fd;
        if (fd >= 0 && status != 0)
            close(fd);
        if (status == 0)
            connect_to(first);
        weft__accept_over(first, status);
        if (status != 0)
            return;
    }
    listener->pending_ = true; /* there may be more: a burst is not taken in one a turn */
}

static void accept_polled(uv_poll_t *poll, int status, int events)
{
    struct weft_listen *listener = weft_owner(poll, struct weft_listen, watch_.poll_);
    (void)events;
    loop_polled(listener->op.loop_);
    if (status != 0)
        listener->watch_.events_ = 0; /* libuv has stopped: settle begins anew */
    if (listener->accepts_ != NULL) {
        serve(listener);
    } else {
        listener->pending_ = true;
        listener->stalled_ = listener->skipped_;
        listener->skipped_ = true;
    }
    settle(listener);
}

static void accept_cancel(struct weft_op *op, int reason)
{
    struct weft_accept *accept_op = weft_owner(op, struct weft_accept, op);
    struct weft_listen *listener = accept_op->listen;
    weft__accept_over(accept_op, reason);
    settle(listener);
}

static int check(const struct weft_accept *accept_op)
{
    const struct weft_listen *listener = accept_op->listen;
    if (listener == NULL || listener->op.loop_ != accept_op->op.loop_ ||
        listener->op.state_ != OP_RUNNING || listener->watch_.fd_ < 0)
        return UV_EINVAL;
    return weft__stream_check_idle(accept_op->stream, &accept_op->op);
}

void weft_accept_begin(struct weft_op *op)
{
    struct weft_accept *accept_op = weft_owner(op, struct weft_accept, op);
    struct weft_listen *listener = accept_op->listen;
    int status = check(accept_op);
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    accept_op->stream->connector_ = op;
    wait_append(op, &listener->accepts_tail_);
    listener->stalled_ = false;
    weft_on_cancel(op, accept_cancel);
    if (listener->pending_)
        serve(listener);
    settle(listener);
}

void weft_accept_at(const struct weft_site *site, struct weft_op *parent,
                    struct weft_accept *accept_op, struct weft_listen *listener,
                    struct weft_stream *stream, weft_then_fn *then)
{
    op_check_start(parent, &accept_op->op);
    accept_op->listen = listener;
    accept_op->stream = stream;
    weft_run_now_at(site, parent, &accept_op->op, weft_accept_begin, then);
    if (then != NULL && weft_watched(&accept_op->op))
        op_wraps(&accept_op->op, then); /* if not now, then when it is connected */
}
