/* A connection: one request after the other.
 *
 *                    bytes               head complete            answered, body read
 *     accepted ► IDLE ────► HEAD ──────────────────────► REQUEST ───────────────────► IDLE …
 *                  │          │ malformed, too large,      │  │ some of the body is left
 *                  │          │ too late: a refusal is     │  └────────► DISCARD ────► IDLE …
 *                  │ EOF,     │ a request with an answer   │ it is the last one
 *                  │ too late │ of the server's own        ▼
 *                  └──────────┴────────────────────────► LINGER ► closed
 *
 * The op of a connection has joined from its first moment on: it is over when the last thing below
 * it is, and the stream is there as long as the connection is. weft_end closes it from anywhere.
 *
 * Bytes. They are read into a small buffer in the connection; only a head that does not fit, or a
 * body, gets a large one. A request's texts point into the buffer, so it stays where it is until
 * the request is over: in[0..start) may be looked at by the handler, in[start..end) has not been
 * used. An idle connection has no exchange and no large buffer: ten thousand of them are cheap.
 *
 * Leaving. One op waits for the client's leaving as long as the connection lives. When it is told,
 * the request that runs is cancelled, unless all of its answer was given to the kernel already.
 *
 * Closing. If bytes come in after the descriptor is closed, the kernel resets the connection, and
 * the client may lose an answer that was on its way. So whoever may still send is only told that no
 * more comes, and what it sends is thrown away for a moment (PHASE_LINGER). */
#include "server.h"
#include "weft/http_message.h"
#include <sys/socket.h>

static weft_then_fn received, request_over, discarded_last, left, accepted, connection_over;
static void read_on(struct weft_http_connection *c);

static struct weft_http_connection *connection_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_http_connection, op);
}

/* ---- opening and ending --------------------------------------------------------------------- */

static void connection_begin(struct weft_op *op)
{
    struct weft_http_connection *c = connection_of(op);
    weft_stream_open(op, &c->stream, NULL);
    weft_join(op);
    weft_accept(op, &c->first_or_last.accept, &c->server->listen_, &c->stream, accepted);
}

void weft__http_connection_open(struct weft_http_server *server, struct weft_http_connection *c)
{
    c->server = server;
    c->in = c->small;
    c->in_room = sizeof c->small;
    c->stream.write_max = SIZE_MAX; /* what waits is the handlers' own, and they wait for it */
    c->due = c->request_due = c->armed = WEFT_HTTP_NEVER;
    weft_run_at(WEFT_HERE("http_connection", WEFT_HTTP | WEFT_HANDLE), &server->op, &c->op,
                connection_begin, connection_over);
}

static void accepted(struct weft_op *op, struct weft_op *accept)
{
    weft__http_accepted(connection_of(op), accept->status);
}

static void release_buffer(struct weft_http_connection *c)
{
    if (c->in != c->small)
        weft__http_put_buffer(c->server->pool_, c->in);
    c->in = c->small;
    c->in_room = sizeof c->small;
}

/* What hooks see stands apart, so that nobody pays for it while there are none. */
__attribute__((noinline)) static void let_go_seen(struct weft_http_exchange *x,
                                                  weft_http_done_fn *done)
{
    struct weft_frame frame;
    if (done != NULL) {
        weft_handle_enter(&frame, &x->handle, (weft_entry_fn *)done);
        done(x->request);
        weft_leave(&frame);
    }
    weft_handle_close(&x->handle);
}

/* The request is over, whatever became of it: tell, and keep its storage for the next. */
static void release_exchange(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    c->exchange = NULL;
    if (x == NULL)
        return;
    bool was_request = c->phase == PHASE_REQUEST || c->phase == PHASE_DISCARD;
    weft_http_done_fn *done = was_request ? c->server->done : NULL;
    if (weft_handle_seen(&x->handle))
        let_go_seen(x, done);
    else if (done != NULL)
        done(x->request);
    weft__http_answer_reset(x);
    weft__http_put_exchange(c->server->pool_, x);
}

static void connection_over(struct weft_op *server_op, struct weft_op *op)
{
    struct weft_http_connection *c = connection_of(op);
    (void)server_op;
    weft_timer_stop(weft_loop_of(op), &c->timer);
    release_exchange(c);
    release_buffer(c);
    weft__http_connection_over(c);
}

static void close_connection(struct weft_http_connection *c)
{
    weft_end(&c->op, 0);
}

void weft__http_connection_cut(struct weft_http_connection *c, int status)
{
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(weft_stream_fd(&c->stream), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    weft_cancel(&c->op, status); /* and not weft_end: the handler is to know why */
}

/* ---- the last words ------------------------------------------------------------------------- */

static void linger_on(struct weft_http_connection *c)
{
    weft_read(&c->op, &c->read, &c->stream, c->in, c->in_room, discarded_last);
}

static void discarded_last(struct weft_op *op, struct weft_op *read)
{
    struct weft_http_connection *c = connection_of(op);
    c->lingered += c->read.size;
    if (read->status != 0 || c->lingered > LINGER_MAX)
        close_connection(c);
    else
        linger_on(c);
}

static void linger(struct weft_http_connection *c)
{
    c->phase = PHASE_LINGER;
    if (c->over_limit)
        weft__http_due(c, REFUSED_MS);
    else
        weft__http_due(c, weft_http_draining(c->server) ? HURRY_MS : LINGER_MS);
    weft_shutdown(&c->op, &c->first_or_last.shutdown, &c->stream, NULL);
    linger_on(c);
}

/* ---- reading heads -------------------------------------------------------------------------- */

/* Give the bytes a large buffer. */
static bool enlarge(struct weft_http_connection *c)
{
    char *large = weft__http_take_buffer(c->server->pool_);
    if (large == NULL)
        return false;
    memcpy(large, c->small + c->start, c->end - c->start);
    weft__http_parse_moved(&c->exchange->parser, c->small + c->start, large);
    c->end -= c->start;
    c->start = 0;
    c->in = large;
    c->in_room = weft__http_buffer_size(c->server->pool_);
    return true;
}

/* Bring the bytes to the front of the buffer. */
static void compact(struct weft_http_connection *c)
{
    memmove(c->in, c->in + c->start, c->end - c->start);
    weft__http_parse_moved(&c->exchange->parser, c->in + c->start, c->in);
    c->end -= c->start;
    c->start = 0;
}

/* Room for one byte at least. A head that fills a large buffer was refused before. */
static bool make_room(struct weft_http_connection *c)
{
    if (c->end < c->in_room)
        return true;
    if (c->start > 0) {
        compact(c);
        return true;
    }
    return enlarge(c);
}

static void read_on(struct weft_http_connection *c)
{
    weft_read(&c->op, &c->read, &c->stream, c->in + c->end, c->in_room - c->end, received);
}

static void wait_for_request(struct weft_http_connection *c)
{
    c->phase = PHASE_IDLE;
    weft__http_due(c, c->requests > 0 ? c->server->idle_ms : c->server->head_ms);
    read_on(c);
    if (weft_http_draining(c->server))
        weft__http_connection_drain(c);
}

static void wait_for_head(struct weft_http_connection *c)
{
    if (!make_room(c)) {
        weft__http_refuse(c, 503);
        return;
    }
    if (c->phase != PHASE_HEAD) {
        c->phase = PHASE_HEAD;
        weft__http_due(c, c->server->head_ms);
    }
    read_on(c);
}

static inline void begin_handler(struct weft_http_connection *c, struct weft_http_exchange *x)
{
    weft_run_at(WEFT_HERE("http_request", WEFT_HTTP), &c->op, &x->request->op, c->server->handler,
                request_over);
}

/* What the handler does is the parser's doing: in it that is current, and its parent the
 * connection. */
__attribute__((noinline)) static void begin_handler_seen(struct weft_http_connection *c,
                                                         struct weft_http_exchange *x)
{
    struct weft_frame frame;
    weft_handle_enter(&frame, &x->handle, (weft_entry_fn *)c->server->handler);
    begin_handler(c, x);
    weft_leave(&frame);
}

static void handle(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    struct weft_http_request *request = x->request;
    struct weft_http_server *server = c->server;
    c->requests++;
    server->requests++;
    server->running++;
    request->head = x->parser.head;
    request->head.fields = x->parser.fields;
    request->body_max = server->body_max;
    request->close = !request->head.keep_alive || c->requests >= server->requests_max ||
                     request->head.method == WEFT_HTTP_CONNECT; /* it may take us for a tunnel */
    weft__http_body_begin(x);
    weft__http_request_due(c, server->request_ms);
    if (weft_handle_seen(&x->handle))
        begin_handler_seen(c, x);
    else
        begin_handler(c, x);
    if (c->left && !x->complete)
        weft_cancel(&request->op, UV_ECONNRESET);
}

static void begin_request(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    struct weft_http_request *request = x->request;
    c->phase = PHASE_REQUEST;
    weft__http_due(c, WEFT_HTTP_NEVER);
    x->connection = c;
    request->server = c->server;
    request->inner_ = x;
    if (c->server->done != NULL)
        request->began_ns = uv_hrtime();
    weft__http_answer_begin(x);
}

__attribute__((noinline)) static void show_exchange(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    weft_handle_open(&c->op, &x->handle, 0, "http_parser", WEFT_HTTP, x->request);
}

/* false: there is no memory, and the connection ends. */
static bool take_exchange(struct weft_http_connection *c)
{
    c->exchange = weft__http_take_exchange(c->server->pool_);
    if (c->exchange == NULL) {
        close_connection(c);
        return false;
    }
    if (weft_watched(&c->op))
        show_exchange(c);
    weft__http_parse_begin(&c->exchange->parser);
    return true;
}

/* The request's texts stay where they are from now on: a body needs room behind them. */
static bool make_body_room(struct weft_http_connection *c)
{
    const struct weft_http_head *head = &c->exchange->parser.head;
    if (!head->chunked && head->content_length == 0)
        return true;
    if (c->in == c->small)
        return enlarge(c);
    compact(c);
    return true;
}

/* Look at the bytes that are there. */
static void advance(struct weft_http_connection *c)
{
    struct weft_http_server *server = c->server;
    if (c->exchange == NULL && !take_exchange(c))
        return;
    struct http_parser *parser = &c->exchange->parser;
    struct http_limits limits = {server->line_max, server->head_max};
    int verdict = weft__http_parse(parser, &limits, c->in + c->start, c->end - c->start);
    if (verdict == HTTP_MORE) {
        wait_for_head(c);
        return;
    }
    if (verdict < 0) {
        weft__http_refuse(c, -verdict);
        return;
    }
    if (!make_body_room(c)) {
        weft__http_refuse(c, 503);
        return;
    }
    c->start += parser->line;
    begin_request(c);
    handle(c);
}

static void received(struct weft_op *op, struct weft_op *read)
{
    struct weft_http_connection *c = connection_of(op);
    if (c->phase == PHASE_HEAD && c->exchange->late && !weft_cancelled(op)) {
        weft__http_refuse(c, 408);
    } else if (read->status == 0) {
        c->end += c->read.size;
        advance(c);
    } else {
        close_connection(c);
    }
}

/* ---- a request and its end ------------------------------------------------------------------ */

int weft_http_status_of(int error)
{
    switch (error) {
    case UV_EFBIG:
        return 413;
    case WEFT_EHTTP:
        return 400;
    case UV_ETIMEDOUT:
        return 504;
    case UV_ENOMEM:
    case UV_EMFILE:
    case UV_ENFILE:
    case UV_EAGAIN:
    case UV_EBUSY:
    case UV_ENOBUFS:
    case UV_ENOTCONN:
    case WEFT_ESTOPPED:
        return 503;
    default:
        return 500;
    }
}

/* What the client is told when a handler ends without an answer. */
static int refusal_for(const struct weft_http_exchange *x, int error)
{
    if (x->late)
        return 408;
    if (x->head_full && error == UV_ENOBUFS) /* it will be as large the next time */
        return 500;
    return weft_http_status_of(error);
}

static void refusal_begin(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    int status = request->inner_->refusal;
    if (status == 503)
        weft_http_set(request, "Retry-After", "1");
    weft_http_answerf(request, status, "text/plain; charset=utf-8", "%d %s\n", status,
                      weft_http_reason(status));
}

void weft__http_refuse(struct weft_http_connection *c, int status)
{
    struct weft_http_exchange *x = c->exchange;
    if (c->phase != PHASE_REQUEST) { /* nothing of it is certain, not even where it ends */
        begin_request(c);
        x->request->head = x->parser.head;
        x->request->head.fields = x->parser.fields;
        x->request->close = true;
    }
    if (x->late)
        x->request->close = true;
    weft__http_answer_reset(x);
    x->refusal = status;
    c->server->running++;
    weft_run_at(WEFT_HERE("http_refusal", WEFT_HTTP), &c->op, &x->request->op, refusal_begin,
                request_over);
}

/* The answer is out. */
static void go_on(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    if (weft__http_body_skippable(x) && !x->request->close) {
        weft__http_body_discard(c);
        return;
    }
    if (x->body != BODY_OVER)
        x->request->close = true;
    weft__http_connection_next(c);
}

static void request_over(struct weft_op *op, struct weft_op *request_op)
{
    struct weft_http_connection *c = connection_of(op);
    struct weft_http_exchange *x = c->exchange;
    c->server->running--;
    weft__http_request_due(c, WEFT_HTTP_NEVER);
    if (weft_cancelled(op))
        return;
    if (x->complete && request_op->status == 0)
        go_on(c);
    else if (x->head_out || x->refusal != 0)
        weft__http_connection_cut(c, request_op->status != 0 ? request_op->status : UV_ECANCELED);
    else if (c->left)
        close_connection(c);
    else
        weft__http_refuse(c, refusal_for(x, request_op->status));
}

void weft__http_connection_next(struct weft_http_connection *c)
{
    struct weft_http_exchange *x = c->exchange;
    bool close = x->request->close || weft_http_draining(c->server);
    bool asked = x->refusal == 0 && !x->parser.head.keep_alive;
    bool all_read = x->body == BODY_OVER && c->start == c->end;
    release_exchange(c);
    if (weft_cancelled(&c->op) != 0) /* by whoever was told */
        return;
    if (close) {
        if (asked && all_read) /* it has said that it sends no more */
            close_connection(c);
        else
            linger(c);
        return;
    }
    size_t rest = c->end - c->start;
    if (c->in != c->small && rest <= sizeof c->small) {
        memcpy(c->small, c->in + c->start, rest);
        release_buffer(c);
        c->start = 0;
        c->end = rest;
    }
    if (rest > 0) {
        c->phase = PHASE_IDLE;
        advance(c);
    } else {
        c->start = c->end = 0;
        wait_for_request(c);
    }
}

/* ---- the client leaves, the server drains --------------------------------------------------- */

static void left(struct weft_op *op, struct weft_op *gone)
{
    struct weft_http_connection *c = connection_of(op);
    if (weft_cancelled(op) || (gone->status == UV_EOF && c->server->half_close))
        return;
    c->left = true;
    if (c->phase == PHASE_REQUEST && !c->exchange->complete)
        weft_cancel(&c->exchange->request->op, UV_ECONNRESET);
}

void weft__http_connection_serve(struct weft_http_connection *c)
{
    if (c->server->done != NULL) /* who is told may ask for it when the client has left */
        weft_stream_peer(&c->stream, &c->peer);
    weft_stream_gone(&c->op, &c->gone, &c->stream, left);
    if (!c->over_limit) {
        wait_for_request(c);
        return;
    }
    if (take_exchange(c))
        weft__http_refuse(c, 503);
}

void weft__http_connection_drain(struct weft_http_connection *c)
{
    if (c->phase == PHASE_IDLE)
        weft_cancel(&c->read.op, UV_ECANCELED); /* unless it has read something: that is served */
    else if (c->phase == PHASE_HEAD || c->phase == PHASE_LINGER)
        weft__http_due(c, HURRY_MS);
}
