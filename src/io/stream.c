/* The stream: one descriptor, and the ops that wait for it.
 *
 *     opened ─────────► idle ──────────────► connected ───────────► closed
 *                        │   accept, connect,     │      cancel,       │ libuv has let go of the
 *                        │   adopt, pair          │      close         │ handle, and whoever was
 *                        └────────────────────────┼────────────────────► to connect it is over:
 *                                                 └── abort: reset,      the op finishes
 *                                                     waits for close
 *
 * Who waits is kept in five places: reader_ (one weft_read), writes_ (a line of weft_write), room_
 * and gone_ (any number), shutdown_ (one). A sixth, connector_, is the accept or connect that has a
 * claim on an idle stream. Being there decides who finishes an op: what takes it out finishes it,
 * and each op's cancel function takes it out as well. So whatever the parents of these ops are, the
 * stream can finish all of them at any time without asking, and does when it is closed.
 *
 * What the kernel is asked to watch follows from who waits (stream_settle), with one exception:
 * once begun, watching for bytes goes on while nobody reads, since the next read is likely to come
 * before the next bytes. If bytes come first they are announced on each turn of the loop. The first
 * announcement is passed over (skipped_), the second one stops the watching (stalled_). pending_
 * says that a read has reason to try at once instead of being told: bytes were announced, the last
 * read filled its buffer, or the peer has ended.
 *
 * The end of the peer (ended_) is told by the kernel apart from the bytes before it (UV_DISCONNECT,
 * EPOLLRDHUP): that is how weft_stream_gone sees it without reading. From then on nothing is
 * watched for reading: all bytes are here, and a read never has to wait.
 *
 * Invariants:
 *   1. watch_.fd_ < 0, or the stream is connected and no connector_ has a claim on it;
 *   2. an op in one of the places is RUNNING, and in one place only;
 *   3. waiting is the sum of what is not yet written over writes_; writes_ == NULL after every
 *      failed write;
 *   4. error_ is what a read says in place of an end; write_error_ what every later write says. */
#include "stream.h"
#include <errno.h>
#include <unistd.h>

static void fail_all(struct weft_stream *stream, int status)
{
    struct weft_read *reader = stream->reader_;
    if (reader != NULL) {
        stream->reader_ = NULL;
        weft_finish(&reader->op, status);
    }
    weft__stream_fail_writes(stream, status);
    weft__stream_release(&stream->gone_, &stream->gone_tail_, status);
}

/* ---- opening and closing -------------------------------------------------------------------- */

/* The last thing that had to let go of the stream may have done so. */
static void maybe_over(struct weft_stream *stream)
{
    if (stream->op.flags_ & OP_REFUSE && !stream->watch_.open_ && stream->connector_ == NULL)
        weft_join(&stream->op);
}

static void stream_closed(uv_handle_t *handle)
{
    struct weft_stream *stream = weft_owner((uv_poll_t *)handle, struct weft_stream, watch_.poll_);
    stream->watch_.open_ = false;
    maybe_over(stream);
}

/* A message of which a part is gone must not look complete to the peer. */
static bool cut_short(const struct weft_stream *stream)
{
    const struct weft_op *first = stream->writes_;
    return first != NULL && weft_owner(first, const struct weft_write, op)->written > 0;
}

static void stream_cancel(struct weft_op *op, int reason)
{
    struct weft_stream *stream = weft_owner(op, struct weft_stream, op);
    if (stream->socket_ && cut_short(stream))
        weft__socket_reset_on_close(stream->watch_.fd_);
    fail_all(stream, reason);
    if (stream->connector_ != NULL)
        weft_cancel(stream->connector_, reason);
    weft_handle_close(&stream->connection_);
    if (stream->watch_.open_)
        weft__watch_close(&stream->watch_, false, stream_closed);
    else
        maybe_over(stream);
}

void weft_stream_begin(struct weft_op *op)
{
    struct weft_stream *stream = weft_owner(op, struct weft_stream, op);
    stream->waiting = 0;
    stream->reader_ = NULL;
    stream->writes_ = stream->gone_ = stream->room_ = NULL;
    stream->writes_tail_ = &stream->writes_;
    stream->gone_tail_ = &stream->gone_;
    stream->room_tail_ = &stream->room_;
    stream->shutdown_ = stream->connector_ = NULL;
    stream->error_ = stream->write_error_ = 0;
    stream->socket_ = stream->pending_ = stream->skipped_ = stream->ended_ = stream->shut_ = false;
    stream->stalled_ = true;
    stream->connection_.id_ = 0;
    stream->watch_.fd_ = -1;
    stream->watch_.open_ = false;
    weft_on_cancel(op, stream_cancel);
}

void weft_stream_open_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_stream *stream, weft_then_fn *then)
{
    op_check_start(parent, &stream->op);
    weft_run_now_at(site, parent, &stream->op, weft_stream_begin, then);
}

void weft_stream_close(struct weft_stream *stream)
{
    if (stream->op.state_ != OP_IDLE)
        weft_end(&stream->op, 0);
}

void weft__stream_abort(struct weft_stream *stream)
{
    if (stream->socket_)
        weft__socket_reset_on_close(stream->watch_.fd_);
    weft__watch_shut(&stream->watch_);
    stream->error_ = UV_ECONNABORTED;
    fail_all(stream, UV_ECONNABORTED);
    weft_handle_close(&stream->connection_);
}

/* ---- connecting it to a descriptor ---------------------------------------------------------- */

int weft__stream_check_idle(const struct weft_stream *stream, const struct weft_op *connector)
{
    if (stream == NULL || stream->op.state_ != OP_RUNNING || stream->op.flags_ & OP_REFUSE)
        return UV_EINVAL;
    if (connector != NULL && stream->op.loop_ != connector->loop_)
        return UV_EINVAL;
    if (stream->watch_.open_)
        return UV_EISCONN;
    return stream->connector_ == NULL ? 0 : UV_EBUSY;
}

/* A resource of its own, because a stream may be there long before it is connected. */
static void show_connection(struct weft_stream *stream, struct weft_op *from)
{
    uint64_t parent = weft_id(from != NULL ? from : &stream->op);
    weft_handle_open(&stream->op, &stream->connection_, parent, "connection", WEFT_NET, stream);
}

int weft__stream_attach(struct weft_stream *stream, int fd, bool socket, struct weft_op *from)
{
    int err = weft__watch_open(&stream->watch_, stream->op.loop_->uv, fd);
    if (err != 0)
        return err;
    stream->socket_ = socket;
    if (unlikely(weft_watched(&stream->op)))
        show_connection(stream, from);
    return 0;
}

void weft__stream_unclaim(struct weft_stream *stream)
{
    stream->connector_ = NULL;
    maybe_over(stream);
}

int weft_stream_adopt(struct weft_stream *stream, int fd)
{
    int err = weft__stream_check_idle(stream, NULL);
    if (err != 0)
        return err;
    int type;
    socklen_t size = sizeof type;
    bool socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    if (fd < 0 || (!socket && errno == EBADF))
        return UV_EINVAL;
    return weft__stream_attach(stream, fd, socket, NULL);
}

int weft_stream_pair(struct weft_stream *one, struct weft_stream *other)
{
    int err = weft__stream_check_idle(one, NULL);
    if (err == 0)
        err = one != other ? weft__stream_check_idle(other, NULL) : UV_EINVAL;
    if (err != 0)
        return err;
    uv_os_sock_t fds[2];
    err = uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
    if (err != 0)
        return err;
    err = weft__stream_attach(one, fds[0], true, NULL);
    if (err != 0)
        goto close_both;
    err = weft__stream_attach(other, fds[1], true, NULL);
    if (err != 0)
        goto detach_one;
    return 0;

detach_one: /* its handle is made and stays; only closing it is left */
    weft__stream_abort(one);
    close(fds[1]);
    return err;
close_both:
    close(fds[0]);
    close(fds[1]);
    return err;
}

/* ---- what the kernel says ------------------------------------------------------------------- */

/* The connection is broken. libuv has stopped watching; what has come before can still be read. */
static void broken(struct weft_stream *stream)
{
    int err = stream->socket_ ? weft__socket_error(stream->watch_.fd_) : 0;
    if (err == 0)
        err = UV_EPIPE;
    stream->watch_.events_ = 0;
    if (stream->error_ == 0)
        stream->error_ = err;
    stream->ended_ = stream->pending_ = true;
    weft__stream_fail_writes(stream, err);
    if (stream->reader_ != NULL)
        weft__stream_read(stream);
    weft__stream_release(&stream->gone_, &stream->gone_tail_, err);
}

/* Bytes are announced and nobody reads them. */
static void pass_over(struct weft_stream *stream)
{
    stream->pending_ = true;
    if (stream->skipped_)
        stream->stalled_ = true;
    stream->skipped_ = true;
}

void weft__stream_polled(uv_poll_t *poll, int status, int events)
{
    struct weft_stream *stream = weft_owner(poll, struct weft_stream, watch_.poll_);
    loop_polled(stream->op.loop_);
    if (likely(status == 0 && events == UV_READABLE && stream->reader_ != NULL)) {
        weft__stream_read(stream);
        return;
    }
    if (status != 0) {
        broken(stream);
        stream_settle(stream);
        return;
    }
    if (events & UV_DISCONNECT)
        stream->ended_ = stream->pending_ = true;
    if (events & UV_WRITABLE && stream->writes_ != NULL)
        weft__stream_flush(stream);
    if (events & (UV_READABLE | UV_DISCONNECT)) {
        if (stream->reader_ != NULL)
            weft__stream_read(stream);
        else
            pass_over(stream);
    }
    if (stream->ended_)
        weft__stream_release(&stream->gone_, &stream->gone_tail_,
                             stream->error_ != 0 ? stream->error_ : UV_EOF);
    stream_settle(stream);
}

/* ---- its ends ------------------------------------------------------------------------------- */

typedef int name_fn(int fd, struct sockaddr *to, socklen_t *size);

static int name(const struct weft_stream *stream, struct weft_address *address, name_fn *ask)
{
    if (stream == NULL || address == NULL)
        return UV_EINVAL;
    address->size = 0;
    if (!weft_stream_connected(stream))
        return UV_ENOTCONN;
    socklen_t size = sizeof address->to;
    if (ask(stream->watch_.fd_, &address->to.any, &size) != 0)
        return uv_translate_sys_error(errno);
    address->size = size;
    return 0;
}

int weft_stream_local(const struct weft_stream *stream, struct weft_address *address)
{
    return name(stream, address, getsockname);
}

int weft_stream_peer(const struct weft_stream *stream, struct weft_address *address)
{
    return name(stream, address, getpeername);
}
