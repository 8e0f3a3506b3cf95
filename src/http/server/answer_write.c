/* An answer piece by piece. Each piece is one write: with the head in front if that has not gone
 * out, and in its chunk if the length is not known. The kernel takes them in order and finishes
 * each when it has it, so backpressure needs nothing here.
 *
 * A piece that fails leaves a gap. One that was cancelled before its turn harms nothing by itself,
 * so the connection could go on, and the client would take what follows for the rest: that is why a
 * failure is kept (failed) and nothing is written behind it, least of all an end. */
#include "server.h"
#include <stdio.h>

/* May it be written? 0, or why not. */
static int check(const struct weft_http_write *piece)
{
    const struct weft_http_request *request = piece->request;
    if (request == NULL || (piece->data == NULL && piece->size > 0))
        return UV_EINVAL;
    const struct weft_http_exchange *x = request->inner_;
    if (!x->started)
        return UV_EINVAL;
    if (x->complete)
        return UV_EALREADY;
    bool too_much = x->length != WEFT_HTTP_UNKNOWN && piece->size > x->length - x->written;
    return too_much && !x->bodyless ? UV_EINVAL : x->failed;
}

/* The bytes of the piece, with what belongs around them; how many parts that makes. */
static unsigned wrap(struct weft_http_write *piece, size_t size, uv_buf_t parts[4])
{
    struct weft_http_exchange *x = piece->request->inner_;
    bool in_chunk = size > 0 && x->chunked_out;
    unsigned count = 0;
    if (!x->head_out)
        parts[count++] = weft__http_answer_head(x);
    if (in_chunk) {
        int digits = snprintf(piece->frame_, sizeof piece->frame_, "%zx\r\n", size);
        parts[count++] = http_part(piece->frame_, (size_t)digits);
    }
    if (size > 0)
        parts[count++] = http_part(piece->data, size);
    if (in_chunk)
        parts[count++] = http_part("\r\n", 2);
    return count;
}

static void piece_written(struct weft_op *op, struct weft_op *write)
{
    struct weft_http_write *piece = weft_owner(op, struct weft_http_write, op);
    struct weft_http_exchange *x = piece->request->inner_;
    if (write->status != 0) {
        x->failed = write->status;
        weft__http_taken_back(x->connection, piece->write_.size - piece->write_.written);
        if (x->complete) /* the end is in line behind it and must not go out */
            weft_end(&piece->request->op, write->status);
    }
    weft_finish(op, write->status);
}

void weft_http_write_begin(struct weft_op *op)
{
    struct weft_http_write *piece = weft_owner(op, struct weft_http_write, op);
    int err = check(piece);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_http_exchange *x = piece->request->inner_;
    size_t size = x->bodyless ? 0 : piece->size;
    uv_buf_t parts[4];
    unsigned count = wrap(piece, size, parts);
    x->written += size;
    piece->request->sent += size;
    weft_writev(op, &piece->write_, &x->connection->stream, parts, count, piece_written);
    weft__http_given(x->connection, piece->write_.size);
}

void weft_http_write_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_http_write *piece, struct weft_http_request *request,
                        const void *data, size_t size, weft_then_fn *then)
{
    piece->request = request;
    piece->data = data;
    piece->size = size;
    weft_run_now_at(site, parent, &piece->op, weft_http_write_begin, then);
}

static void ended(struct weft_op *op, struct weft_op *write)
{
    weft_end(op, write->status);
}

void weft_http_end(struct weft_http_request *request)
{
    struct weft_http_exchange *x = request->inner_;
    if (!x->started || x->complete)
        return;
    bool too_short = x->length != WEFT_HTTP_UNKNOWN && x->written < x->length && !x->bodyless;
    if (too_short || x->failed != 0) {
        weft_end(&request->op, x->failed != 0 ? x->failed : UV_EINVAL);
        return;
    }
    x->complete = true;
    uv_buf_t parts[2];
    unsigned count = 0;
    if (!x->head_out)
        parts[count++] = weft__http_answer_head(x);
    if (x->chunked_out)
        parts[count++] = http_part("0\r\n\r\n", 5);
    if (count == 0) /* it still goes behind the pieces that wait */
        parts[count++] = http_part(NULL, 0);
    weft_writev(&request->op, &x->write, &x->connection->stream, parts, count, ended);
    weft__http_given(x->connection, x->write.size);
}
