/* The body of a request, read when the handler asks for it.
 *
 * A body with a length goes straight from the kernel into the reader's buffer, once the bytes that
 * came with the head are used up, and never beyond its end: what follows is the next request.
 * Chunks have to be looked at first, so they are read into the connection's buffer, behind the
 * head. */
#include "server.h"

static weft_then_fn body_received, discarded;
static void take(struct weft_http_read *reader);

static struct weft_http_read *reader_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_http_read, op);
}

void weft__http_body_begin(struct weft_http_exchange *x)
{
    const struct weft_http_head *head = &x->parser.head;
    x->continued = !head->expects_continue;
    x->connection->body_at = x->connection->start;
    if (head->chunked) {
        x->body = BODY_CHUNKED;
        weft__http_chunked_begin(&x->chunks);
    } else if (head->content_length > 0) {
        x->body = BODY_LENGTH;
        x->body_left = head->content_length;
    } else {
        x->body = BODY_OVER;
        x->continued = true;
    }
}

bool weft__http_body_skippable(const struct weft_http_exchange *x)
{
    return x->body == BODY_LENGTH && x->body_left <= DISCARD_MAX && x->continued;
}

static void over(struct weft_http_read *reader, int status)
{
    struct weft_http_exchange *x = reader->request->inner_;
    x->reader = NULL;
    if (status != 0)
        reader->size = 0;
    weft__http_due(x->connection, WEFT_HTTP_NEVER);
    weft__http_given(x->connection, 0);
    weft_finish(&reader->op, status);
}

/* ---- with a length -------------------------------------------------------------------------- */

static void length_used(struct weft_http_exchange *x, size_t size)
{
    x->body_left -= size;
    if (x->body_left == 0)
        x->body = BODY_OVER;
}

static size_t at_most(size_t size, uint64_t limit)
{
    return size < limit ? size : (size_t)limit;
}

static void take_length(struct weft_http_read *reader)
{
    struct weft_http_exchange *x = reader->request->inner_;
    struct weft_http_connection *c = x->connection;
    size_t size = at_most(reader->capacity, x->body_left);
    if (c->start == c->end) {
        weft_read(&reader->op, &reader->read_, &c->stream, reader->buffer, size, body_received);
        return;
    }
    size = at_most(size, c->end - c->start);
    memcpy(reader->buffer, c->in + c->start, size);
    c->start += size;
    length_used(x, size);
    reader->size = size;
    reader->request->received += size;
    over(reader, 0);
}

/* ---- in chunks ------------------------------------------------------------------------------ */

static void read_chunks(struct weft_http_read *reader)
{
    struct weft_http_connection *c = reader->request->inner_->connection;
    c->start = c->end = c->body_at;
    weft_read(&reader->op, &reader->read_, &c->stream, c->in + c->end, c->in_room - c->end,
              body_received);
}

/* A piece is lost: whoever reads on must not take the rest for the whole. */
static void spoiled(struct weft_http_read *reader, int status)
{
    reader->request->close = true;
    reader->request->inner_->body_error = status;
    over(reader, status);
}

static void take_chunks(struct weft_http_read *reader)
{
    struct weft_http_request *request = reader->request;
    struct weft_http_exchange *x = request->inner_;
    struct weft_http_connection *c = x->connection;
    struct weft_text part = {NULL, 0};
    int verdict = HTTP_MORE;
    while (verdict == HTTP_MORE && part.size == 0 && c->start < c->end) {
        size_t end = c->start + at_most(c->end - c->start, reader->capacity);
        verdict = weft__http_chunked(&x->chunks, c->in, end, &c->start, &part);
    }
    if (verdict < 0) {
        spoiled(reader, WEFT_EHTTP);
        return;
    }
    if (verdict == HTTP_DONE)
        x->body = BODY_OVER;
    if (request->received + part.size > request->body_max) {
        spoiled(reader, UV_EFBIG);
    } else if (part.size > 0) {
        memcpy(reader->buffer, part.data, part.size);
        reader->size = part.size;
        request->received += part.size;
        over(reader, 0);
    } else if (verdict == HTTP_DONE) {
        over(reader, UV_EOF);
    } else {
        read_chunks(reader);
    }
}

/* ---- the op --------------------------------------------------------------------------------- */

static void take(struct weft_http_read *reader)
{
    if (reader->request->inner_->body == BODY_LENGTH)
        take_length(reader);
    else
        take_chunks(reader);
}

/* The client cannot be read, or told to go on. If nobody has cancelled that it has left, or has
 * ended its side in the middle of the body; the op that waits for its leaving may be told later
 * than this. */
static int reason_of(struct weft_http_read *reader, int status)
{
    struct weft_http_request *request = reader->request;
    if (weft_cancelled(&reader->op) != 0)
        return status;
    request->close = true;
    if (status == UV_EOF && request->server->half_close)
        return WEFT_EHTTP;
    request->inner_->connection->left = true;
    return status == UV_EOF ? UV_ECONNRESET : status;
}

static void body_received(struct weft_op *op, struct weft_op *read)
{
    struct weft_http_read *reader = reader_of(op);
    struct weft_http_request *request = reader->request;
    struct weft_http_exchange *x = request->inner_;
    if (read->status != 0) {
        over(reader, reason_of(reader, read->status));
        return;
    }
    if (x->body == BODY_CHUNKED) {
        x->connection->end += reader->read_.size;
        take_chunks(reader);
        return;
    }
    reader->size = reader->read_.size;
    request->received += reader->size;
    length_used(x, reader->size);
    over(reader, 0);
}

static void told_to_go_on(struct weft_op *op, struct weft_op *write)
{
    struct weft_http_read *reader = reader_of(op);
    if (write->status != 0)
        over(reader, reason_of(reader, write->status));
    else
        take(reader);
}

void weft_http_read_begin(struct weft_op *op)
{
    struct weft_http_read *reader = reader_of(op);
    struct weft_http_request *request = reader->request;
    reader->size = 0;
    if (request == NULL || reader->buffer == NULL || reader->capacity == 0) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    struct weft_http_exchange *x = request->inner_;
    struct weft_http_connection *c = x->connection;
    int status = 0;
    if (x->reader != NULL)
        status = UV_EBUSY;
    else if (x->body_error != 0)
        status = x->body_error;
    else if (x->body == BODY_OVER)
        status = UV_EOF;
    else if (request->head.content_length > request->body_max)
        status = UV_EFBIG;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    x->reader = reader;
    weft__http_due(c, c->server->body_ms);
    bool ask = !x->continued && c->start == c->end && !x->head_out;
    x->continued = true;
    static const char go[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (ask)
        weft_write(op, &reader->continue_, &c->stream, go, sizeof go - 1, told_to_go_on);
    else
        take(reader);
}

void weft_http_read_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_http_read *reader, struct weft_http_request *request,
                       void *buffer, size_t capacity, weft_then_fn *then)
{
    reader->request = request;
    reader->buffer = buffer;
    reader->capacity = capacity;
    weft_run_now_at(site, parent, &reader->op, weft_http_read_begin, then);
}

/* ---- what nobody read ----------------------------------------------------------------------- */

static void discard_on(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    size_t here = at_most(c->end - c->start, x->body_left);
    c->start += here;
    length_used(x, here);
    if (x->body == BODY_OVER) {
        weft__http_connection_next(c);
        return;
    }
    c->start = c->end = c->body_at;
    weft_read(&c->op, &c->read, &c->stream, c->in + c->end,
              at_most(c->in_room - c->end, x->body_left), discarded);
}

static void discarded(struct weft_op *op, struct weft_op *read)
{
    struct weft_http_connection *c = weft_owner(op, struct weft_http_connection, op);
    if (read->status != 0) {
        weft_end(op, 0);
        return;
    }
    c->end += c->read.size;
    discard_on(c);
}

void weft__http_body_discard(struct weft_http_connection *c)
{
    c->phase = PHASE_DISCARD;
    weft__http_due(c, c->server->body_ms);
    discard_on(c);
}
