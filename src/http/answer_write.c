/* An answer piece by piece. Each piece is one write: with the head in front if that has not gone out,
 * and in its chunk if the length is not known. The kernel takes them in order and finishes each when
 * it has it, so backpressure needs nothing here. */
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
    return too_much && !x->bodyless ? UV_EINVAL : 0;
}

void weft_http_write_begin(struct weft_op *op)
{
    struct weft_http_write *piece = weft_owner(op, struct weft_http_write, write.op);
    int err = check(piece);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_http_exchange *x = piece->request->inner_;
    struct weft_write *write = &piece->write;
    size_t size = x->bodyless ? 0 : piece->size;
    write->stream = &x->connection->stream;
    write->count = 0;
    if (!x->head_out)
        write->bufs[write->count++] = weft__http_answer_head(x);
    if (size > 0 && x->chunked_out) {
        int digits = snprintf(piece->frame_, sizeof piece->frame_, "%zx\r\n", size);
        write->bufs[write->count++] = http_part(piece->frame_, (size_t)digits);
    }
    if (size > 0)
        write->bufs[write->count++] = http_part(piece->data, size);
    if (size > 0 && x->chunked_out)
        write->bufs[write->count++] = http_part("\r\n", 2);
    x->written += size;
    piece->request->sent += size;
    weft_write_begin(op);
    weft__http_wrote(x->connection, write->size);
}

void weft_http_write_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_http_write *piece, struct weft_http_request *request,
                        const void *data, size_t size, weft_then_fn *then)
{
    piece->request = request;
    piece->data = data;
    piece->size = size;
    weft_run_at(site, parent, &piece->write.op, weft_http_write_begin, then);
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
    bool short_of = x->length != WEFT_HTTP_UNKNOWN && x->written < x->length && !x->bodyless;
    if (short_of) {
        weft_end(&request->op, UV_EINVAL);
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
    weft__http_wrote(x->connection, x->write.size);
}
