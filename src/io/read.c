/* Reading: straight from the kernel into the reader's buffer, when the reader asks.
 *
 * A read whose bytes are likely to be there (pending_) tries at once; any other waits to be told,
 * so that the common request and response costs one call to the kernel and never a failed one. A
 * read that filled its buffer leaves pending_ set: a large message is taken in piece after piece
 * without going through the poll. The ready queue between two pieces is what keeps that fair. */
#include "stream.h"
#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* Bytes, 0 at the end, or a negative status; UV_EAGAIN: none yet. */
static ssize_t take(const struct weft_stream *stream, const struct weft_read *read_op)
{
    size_t size = read_op->capacity < INT_MAX ? read_op->capacity : INT_MAX;
    ssize_t got;
    do {
        got = likely(stream->socket_) ? recv(stream->watch_.fd_, read_op->buffer, size, 0)
                                      : read(stream->watch_.fd_, read_op->buffer, size);
    } while (unlikely(got < 0 && errno == EINTR));
    return got >= 0 ? got : uv_translate_sys_error(errno);
}

/* One attempt; 1: the read goes on waiting, otherwise how it ended. */
static int attempt(struct weft_stream *stream, struct weft_read *read_op)
{
    ssize_t got = take(stream, read_op);
    stream->skipped_ = false;
    if (likely(got > 0)) {
        read_op->size = (size_t)got;
        stream->pending_ = (size_t)got == read_op->capacity || stream->ended_;
        return 0;
    }
    if (got == UV_EAGAIN && !stream->ended_) {
        stream->pending_ = false;
        return 1;
    }
    stream->ended_ = stream->pending_ = true;
    if (got < 0 && got != UV_EAGAIN && stream->error_ == 0)
        stream->error_ = (int)got;
    int status = stream->error_ != 0 ? stream->error_ : UV_EOF;
    weft__stream_release(&stream->gone_, &stream->gone_tail_, status);
    return status;
}

void weft__stream_read(struct weft_stream *stream)
{
    struct weft_read *reader = stream->reader_;
    int status = attempt(stream, reader);
    if (status > 0)
        return;
    stream->reader_ = NULL;
    if (likely(status == 0))
        watch_hold(&stream->watch_, stream_is_awaited(stream));
    else
        stream_settle(stream);
    weft_finish(&reader->op, status);
}

static void read_cancel(struct weft_op *op, int reason)
{
    struct weft_stream *stream = weft_owner(op, struct weft_read, op)->stream;
    stream->reader_ = NULL;
    stream_settle(stream);
    weft_finish(op, reason);
}

void weft_read_begin(struct weft_op *op)
{
    struct weft_read *read_op = weft_owner(op, struct weft_read, op);
    struct weft_stream *stream = read_op->stream;
    read_op->size = 0;
    int status = stream_check(stream, op);
    if (status == 0 && (read_op->buffer == NULL || read_op->capacity == 0))
        status = UV_EINVAL;
    if (status == 0 && stream->reader_ != NULL)
        status = UV_EBUSY;
    if (status == 0)
        status = stream->pending_ ? attempt(stream, read_op) : 1;
    if (status <= 0) {
        weft_finish(op, status);
        return;
    }
    stream->reader_ = read_op;
    if (likely(!stream->stalled_ && stream->watch_.events_ & UV_READABLE)) {
        watch_hold(&stream->watch_, true);
    } else {
        stream->stalled_ = false;
        stream_settle(stream);
    }
    weft_on_cancel(op, read_cancel);
}

void weft_read_at(const struct weft_site *site, struct weft_op *parent, struct weft_read *read_op,
                  struct weft_stream *stream, void *buffer, size_t capacity, weft_then_fn *then)
{
    op_check_start(parent, &read_op->op);
    read_op->stream = stream;
    read_op->buffer = buffer;
    read_op->capacity = capacity;
    weft_run_now_at(site, parent, &read_op->op, weft_read_begin, then);
}
