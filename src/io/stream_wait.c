/* Waiting for a stream: for the peer to leave, for room to write. Two lists of any length. */
#include "stream.h"

static struct weft_stream *stream_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_stream_wait, op)->stream;
}

void weft__stream_release(struct weft_op **first, struct weft_op ***tail, int status)
{
    while (*first != NULL) {
        struct weft_op *op = *first;
        wait_unlink(op, tail);
        weft_finish(op, status);
    }
}

static void gone_cancel(struct weft_op *op, int reason)
{
    struct weft_stream *stream = stream_of(op);
    wait_unlink(op, &stream->gone_tail_);
    stream_settle(stream);
    weft_finish(op, reason);
}

void weft_stream_gone_begin(struct weft_op *op)
{
    struct weft_stream *stream = stream_of(op);
    int status = stream_check(stream, op);
    if (status == 0 && stream->ended_)
        status = stream->error_ != 0 ? stream->error_ : UV_EOF;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    wait_append(op, &stream->gone_tail_);
    stream_settle(stream);
    weft_on_cancel(op, gone_cancel);
}

static void room_cancel(struct weft_op *op, int reason)
{
    wait_unlink(op, &stream_of(op)->room_tail_);
    weft_finish(op, reason);
}

void weft_stream_room_begin(struct weft_op *op)
{
    struct weft_stream *stream = stream_of(op);
    int status = stream_check(stream, op);
    if (status == 0)
        status = stream->shut_ ? UV_EPIPE : stream->write_error_;
    if (status != 0 || stream->waiting < stream_high_water(stream)) {
        weft_finish(op, status);
        return;
    }
    wait_append(op, &stream->room_tail_);
    weft_on_cancel(op, room_cancel);
}

void weft_stream_wait_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_stream_wait *wait, struct weft_stream *stream,
                         weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &wait->op);
    wait->stream = stream;
    weft_run_now_at(site, parent, &wait->op, begin, then);
}
