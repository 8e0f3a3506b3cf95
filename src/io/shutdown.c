/* Half-close: a mark behind the last write. From the call on nothing more may be written; the
 * kernel is told when the line is empty. A pipe has only one way, so ending that is closing it. */
#include "stream.h"
#include <errno.h>
#include <fcntl.h>

static int shut_socket(struct weft_stream *stream)
{
    return shutdown(stream->watch_.fd_, SHUT_WR) == 0 ? 0 : uv_translate_sys_error(errno);
}

static int shut_pipe(struct weft_stream *stream)
{
    if ((fcntl(stream->watch_.fd_, F_GETFL) & O_ACCMODE) != O_WRONLY)
        return UV_ENOTSOCK;
    weft__stream_release(&stream->gone_, &stream->gone_tail_, UV_ECANCELED);
    weft__watch_shut(&stream->watch_);
    stream->error_ = UV_EPIPE;
    return 0;
}

static int shut(struct weft_stream *stream)
{
    int status = stream->socket_ ? shut_socket(stream) : shut_pipe(stream);
    if (status != 0)
        stream->shut_ = false;
    return status;
}

void weft__stream_shutdown_now(struct weft_stream *stream)
{
    struct weft_op *op = stream->shutdown_;
    stream->shutdown_ = NULL;
    weft_finish(op, shut(stream));
}

static void shutdown_cancel(struct weft_op *op, int reason)
{
    struct weft_stream *stream = weft_owner(op, struct weft_stream_wait, op)->stream;
    stream->shutdown_ = NULL;
    stream->shut_ = false;
    weft_finish(op, reason);
}

void weft_shutdown_begin(struct weft_op *op)
{
    struct weft_stream *stream = weft_owner(op, struct weft_stream_wait, op)->stream;
    int status = stream_check(stream, op);
    if (status == 0)
        status = stream->shut_ ? UV_EALREADY : stream->write_error_;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    stream->shut_ = true;
    if (stream->writes_ == NULL) {
        weft_finish(op, shut(stream));
        return;
    }
    stream->shutdown_ = op;
    weft_on_cancel(op, shutdown_cancel);
}
