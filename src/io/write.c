/* Writing: the kernel is asked first; what it does not take waits in line.
 *
 * The line is made of the write ops themselves, in the order of the calls. Its first one may be
 * partly written, the others are untouched. When the kernel has room again the line is handed over
 * many writes at a time. Taking an untouched write out of the line harms nothing; taking out one
 * of which a part is gone would splice two messages, so it breaks the stream instead. */
#include "stream.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>

enum { GATHERED = 64 };

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Write to what is not a socket. There is no flag against SIGPIPE, so it is held up and, if the
 * write has raised it, taken away before anybody sees it. */
static ssize_t write_quietly(int fd, const struct iovec *parts, int count)
{
    sigset_t sigpipe, before, pending;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    ssize_t put = writev(fd, parts, count);
    int error = errno;
    if (put < 0 && error == EPIPE && !was_pending) {
        int raised;
        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) == 1)
            sigwait(&sigpipe, &raised);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return put;
}

/* libuv's buffers are the system's (it says so), under another name and without const. */
static struct iovec *as_iovec(const uv_buf_t *parts)
{
    return (struct iovec *)(uintptr_t)parts;
}

static ssize_t put_once(const struct weft_stream *stream, const uv_buf_t *parts, size_t count)
{
#ifdef MSG_NOSIGNAL
    if (likely(stream->socket_)) {
        if (count == 1)
            return send(stream->watch_.fd_, parts->base, parts->len, MSG_NOSIGNAL);
        struct msghdr message = {.msg_iov = as_iovec(parts), .msg_iovlen = count};
        return sendmsg(stream->watch_.fd_, &message, MSG_NOSIGNAL);
    }
#endif
    return write_quietly(stream->watch_.fd_, as_iovec(parts), (int)count);
}

/* How many bytes it took, or a negative status; UV_EAGAIN: none now. */
static ssize_t put(const struct weft_stream *stream, const uv_buf_t *parts, size_t count)
{
    ssize_t done;
    do {
        done = put_once(stream, parts, count);
    } while (unlikely(done < 0 && errno == EINTR));
    return done >= 0 ? done : uv_translate_sys_error(errno);
}

/* The parts of write that are not written, at most room of them. */
static size_t gather(const struct weft_write *write, uv_buf_t *parts, size_t room)
{
    size_t skip = write->written, count = 0;
    for (unsigned i = 0; i < write->count && count < room; i++) {
        const uv_buf_t *buf = &write->bufs[i];
        if (skip >= buf->len) {
            skip -= buf->len;
            continue;
        }
        parts[count].base = buf->base + skip;
        parts[count++].len = buf->len - skip;
        skip = 0;
    }
    return count;
}

/* ---- the line ------------------------------------------------------------------------------- */

void weft__stream_fail_writes(struct weft_stream *stream, int status)
{
    if (stream->write_error_ == 0)
        stream->write_error_ = status;
    stream->waiting = 0;
    weft__stream_release(&stream->writes_, &stream->writes_tail_, status);
    weft__stream_release(&stream->room_, &stream->room_tail_, status);
    struct weft_op *shutdown_op = stream->shutdown_;
    if (shutdown_op != NULL) {
        stream->shutdown_ = NULL;
        weft_finish(shutdown_op, status);
    }
}

/* A write has failed for good. A reset is kept for the readers too: the kernel tells it only once,
 * and would go on with an end that looks like the peer's own. */
static void fail(struct weft_stream *stream, int status)
{
    if (status != UV_EPIPE && stream->error_ == 0)
        stream->error_ = status;
    weft__stream_fail_writes(stream, status);
}

/* The line has become shorter. */
static void line_moved(struct weft_stream *stream)
{
    if (stream->room_ != NULL && stream->waiting < stream_high_water(stream))
        weft__stream_release(&stream->room_, &stream->room_tail_, 0);
    if (stream->writes_ == NULL && stream->shutdown_ != NULL)
        weft__stream_shutdown_now(stream);
}

static void advance(struct weft_stream *stream, size_t done)
{
    while (stream->writes_ != NULL) {
        struct weft_write *first = weft_owner(stream->writes_, struct weft_write, op);
        size_t rest = first->size - first->written;
        if (done < rest) {
            first->written += done;
            stream->waiting -= done;
            return;
        }
        done -= rest;
        stream->waiting -= rest;
        first->written = first->size;
        wait_unlink(&first->op, &stream->writes_tail_);
        weft_finish(&first->op, 0);
    }
}

/* Hand over as much as the kernel takes. false: it is full, or the stream has failed. */
static bool flush_once(struct weft_stream *stream)
{
    uv_buf_t parts[GATHERED];
    size_t count = 0, offered = 0;
    for (struct weft_op *op = stream->writes_; op != NULL && count < GATHERED; op = op->wait_)
        count += gather(weft_owner(op, struct weft_write, op), parts + count, GATHERED - count);
    for (size_t i = 0; i < count; i++)
        offered += parts[i].len;
    ssize_t done = count > 0 ? put(stream, parts, count) : 0;
    if (done == UV_EAGAIN)
        return false;
    if (done < 0) {
        fail(stream, (int)done);
        return false;
    }
    advance(stream, (size_t)done);
    return (size_t)done == offered;
}

void weft__stream_flush(struct weft_stream *stream)
{
    while (stream->writes_ != NULL && flush_once(stream))
        continue;
    line_moved(stream);
}

/* ---- the op --------------------------------------------------------------------------------- */

static void write_cancel(struct weft_op *op, int reason)
{
    struct weft_write *write = weft_owner(op, struct weft_write, op);
    struct weft_stream *stream = write->stream;
    stream->waiting -= write->size - write->written;
    wait_unlink(op, &stream->writes_tail_);
    weft_finish(op, reason);
    if (write->written > 0) {
        weft__stream_abort(stream);
        return;
    }
    line_moved(stream);
    stream_settle(stream);
}

/* Sum up the parts. */
static int measure(struct weft_write *write)
{
    if (unlikely(write->count > WEFT_WRITE_BUFS))
        return UV_EINVAL;
    size_t size = 0;
    for (unsigned i = 0; i < write->count; i++) {
        const uv_buf_t *buf = &write->bufs[i];
        if (unlikely((buf->base == NULL && buf->len > 0) || buf->len > SIZE_MAX - size))
            return UV_EINVAL;
        size += buf->len;
    }
    write->size = size;
    return 0;
}

static bool fits(const struct weft_stream *stream, const struct weft_write *write)
{
    size_t max = stream->write_max != 0 ? stream->write_max : WEFT_STREAM_WRITE_MAX;
    return stream->waiting <= max && write->size <= max - stream->waiting;
}

/* Nobody is in line: try at once. 1: something is left to do. */
static int put_first(struct weft_stream *stream, struct weft_write *write)
{
    ssize_t done = write->size > 0 ? put(stream, write->bufs, write->count) : 0;
    if (likely(done == (ssize_t)write->size)) {
        write->written = write->size;
        return 0;
    }
    if (done == UV_EAGAIN)
        return 1;
    if (done < 0) {
        fail(stream, (int)done);
        return (int)done;
    }
    write->written = (size_t)done;
    return 1;
}

/* 0: it is done. 1: it has to wait. Otherwise why it failed. */
static int start(struct weft_write *write)
{
    struct weft_stream *stream = write->stream;
    int status = stream_check(stream, &write->op);
    if (status == 0)
        status = stream->shut_ ? UV_EPIPE : stream->write_error_;
    if (status == 0)
        status = measure(write);
    if (unlikely(status != 0))
        return status;
    if (likely(stream->writes_ == NULL))
        return put_first(stream, write);
    return fits(stream, write) ? 1 : UV_ENOBUFS;
}

void weft_write_begin(struct weft_op *op)
{
    struct weft_write *write = weft_owner(op, struct weft_write, op);
    struct weft_stream *stream = write->stream;
    write->written = write->size = 0;
    int status = start(write);
    if (likely(status <= 0)) {
        weft_finish(op, status);
        return;
    }
    stream->waiting += write->size - write->written;
    wait_append(op, &stream->writes_tail_);
    stream_settle(stream);
    weft_on_cancel(op, write_cancel);
}

void weft_write_at(const struct weft_site *site, struct weft_op *parent, struct weft_write *write,
                   struct weft_stream *stream, const void *data, size_t size, weft_then_fn *then)
{
    op_check_start(parent, &write->op);
    write->stream = stream;
    write->bufs[0].base = (char *)(uintptr_t)data; /* libuv's word for bytes has no const */
    write->bufs[0].len = size;
    write->count = 1;
    weft_run_now_at(site, parent, &write->op, weft_write_begin, then);
}

void weft_writev_at(const struct weft_site *site, struct weft_op *parent, struct weft_write *write,
                    struct weft_stream *stream, const uv_buf_t *bufs, unsigned count,
                    weft_then_fn *then)
{
    op_check_start(parent, &write->op);
    write->stream = stream;
    write->count = bufs == NULL && count > 0 ? WEFT_WRITE_BUFS + 1 : count; /* refused by begin */
    if (write->count > 0 && write->count <= WEFT_WRITE_BUFS)
        memcpy(write->bufs, bufs, count * sizeof *bufs);
    weft_run_now_at(site, parent, &write->op, weft_write_begin, then);
}
