/* The head of an answer.
 *
 * It is made in one buffer: first a gap, then the fields as they are set, each complete with its
 * line end. When the answer begins its own fields follow, and the status line goes into the gap, so
 * that it ends where the fields begin. A short body is put behind the head, and all leaves in one
 * piece. The buffer is part of the exchange; a larger one is allocated when that is full, up to
 * server.answer_head_max.
 *
 * Names and values are checked here, once and for all: nothing that comes from outside can add a
 * field or end the head. */
#include "server.h"
#include "weft/alloc.h"
#include "weft/batch.h"
#include "weft/http_message.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static struct weft_http_exchange *exchange_of(struct weft_http_request *request)
{
    return request->inner_;
}

void weft__http_answer_begin(struct weft_http_exchange *x)
{
    x->out = x->small_out;
    x->out_room = sizeof x->small_out;
    x->out_end = STATUS_LINE;
}

void weft__http_answer_reset(struct weft_http_exchange *x)
{
    if (x->out != x->small_out)
        weft_free(x->out);
    weft_free(x->copy);
    x->copy = NULL;
    weft_cell_drop(x->cell);
    x->cell = NULL;
    x->started = x->head_out = x->complete = x->bodyless = x->chunked_out = false;
    x->typed = x->head_full = false;
    x->written = 0;
    x->failed = 0;
    x->request->answered = 0;
    weft__http_answer_begin(x);
}

/* ---- fields --------------------------------------------------------------------------------- */

static int make_room(struct weft_http_exchange *x, size_t size)
{
    size_t max = x->connection->server->answer_head_max;
    if (x->out_end > max || size > max - x->out_end) {
        x->head_full = true;
        return UV_ENOBUFS;
    }
    if (size <= x->out_room - x->out_end)
        return 0;
    size_t room = x->out_room;
    while (room - x->out_end < size)
        room *= 2;
    bool small = x->out == x->small_out;
    char *out = weft_realloc(small ? NULL : x->out, room);
    if (out == NULL)
        return UV_ENOMEM;
    if (small)
        memcpy(out, x->out, x->out_end);
    x->out = out;
    x->out_room = room;
    return 0;
}

static void append(struct weft_http_exchange *x, const char *data, size_t size)
{
    if (size > 0)
        memcpy(x->out + x->out_end, data, size);
    x->out_end += size;
}

static int add(struct weft_http_exchange *x, struct weft_text name, struct weft_text value)
{
    int err = make_room(x, name.size + value.size + 4);
    if (err != 0)
        return err;
    append(x, name.data, name.size);
    append(x, ": ", 2);
    append(x, value.data, value.size);
    append(x, "\r\n", 2);
    return 0;
}

/* Fields that say where the message ends, or that only the server can know. */
static bool is_ours(struct weft_text name)
{
    return weft_text_same(name, weft_text("Content-Length", 14)) ||
           weft_text_same(name, weft_text("Transfer-Encoding", 17)) ||
           weft_text_same(name, weft_text("Connection", 10)) ||
           weft_text_same(name, weft_text("Date", 4));
}

int weft_http_set_text(struct weft_http_request *request, struct weft_text name,
                       struct weft_text value)
{
    struct weft_http_exchange *x = exchange_of(request);
    if (!weft_http_name_ok(name) || !weft_http_value_ok(value) || is_ours(name))
        return UV_EINVAL;
    if (x->started)
        return UV_EALREADY;
    int err = add(x, name, value);
    if (err == 0 && weft_text_same(name, weft_text("Content-Type", 12)))
        x->typed = true;
    return err;
}

int weft_http_set(struct weft_http_request *request, const char *name, const char *value)
{
    return weft_http_set_text(request, weft_text_of(name), weft_text_of(value));
}

int weft_http_setf(struct weft_http_request *request, const char *name, const char *format, ...)
{
    char value[1024];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (size < 0)
        return UV_EINVAL;
    if ((size_t)size >= sizeof value) {
        exchange_of(request)->head_full = true;
        return UV_ENOBUFS;
    }
    return weft_http_set_text(request, weft_text_of(name), weft_text(value, (size_t)size));
}

/* ---- the head ------------------------------------------------------------------------------- */

static struct weft_text date(struct weft_http_server *server)
{
    time_t now = time(NULL);
    if (now != server->date_s_) {
        server->date_s_ = now;
        weft_http_date_format(server->date_, now);
    }
    return weft_text(server->date_, 29);
}

static int add_length(struct weft_http_exchange *x, uint64_t length)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + length % 10);
        length /= 10;
    } while (length > 0);
    return add(x, weft_text("Content-Length", 14), weft_text(digits + at, sizeof digits - at));
}

static bool has_body(const struct weft_http_request *request, int status)
{
    return status != 204 && status != 205 && status != 304 &&
           request->head.method != WEFT_HTTP_HEAD;
}

/* How the client knows where the body ends. */
static int add_framing(struct weft_http_exchange *x, int status, uint64_t length)
{
    struct weft_http_request *request = x->request;
    if (status == 205) /* RFC 9110, 15.3.6 */
        length = 0;
    x->length = length;
    x->bodyless = !has_body(request, status);
    if (status == 204 || (status == 304 && length == 0))
        return 0;
    if (length != WEFT_HTTP_UNKNOWN)
        return add_length(x, length);
    if (request->head.minor > 0) {
        x->chunked_out = !x->bodyless;
        return add(x, weft_text("Transfer-Encoding", 17), weft_text("chunked", 7));
    }
    if (!x->bodyless)
        request->close = true;
    return 0;
}

/* Whether it stays open is said only where it is not what the version says anyway. */
static int add_connection(struct weft_http_exchange *x)
{
    struct weft_http_request *request = x->request;
    if (weft_http_draining(request->server))
        request->close = true;
    if (request->close)
        return add(x, weft_text("Connection", 10), weft_text("close", 5));
    if (request->head.minor == 0)
        return add(x, weft_text("Connection", 10), weft_text("keep-alive", 10));
    return 0;
}

static void add_status_line(struct weft_http_exchange *x, int status)
{
    char line[STATUS_LINE];
    int size;
    if (status == 200)
        size = (int)strlen(strcpy(line, "HTTP/1.1 200 OK\r\n"));
    else
        size =
            snprintf(line, sizeof line, "HTTP/1.1 %d %.40s\r\n", status, weft_http_reason(status));
    x->out_begin = STATUS_LINE - (size_t)size;
    memcpy(x->out + x->out_begin, line, (size_t)size);
}

static int make_head(struct weft_http_exchange *x, int status, const char *type, uint64_t length)
{
    const char *name = x->connection->server->name;
    int err = add(x, weft_text("Date", 4), date(x->connection->server));
    if (err == 0 && name != NULL)
        err = add(x, weft_text("Server", 6), weft_text_of(name));
    if (err == 0 && type != NULL && !x->typed)
        err = add(x, weft_text("Content-Type", 12), weft_text_of(type));
    if (err == 0)
        err = add_framing(x, status, length);
    if (err == 0)
        err = add_connection(x);
    if (err == 0)
        err = make_room(x, 2);
    if (err != 0)
        return err;
    append(x, "\r\n", 2);
    add_status_line(x, status);
    return 0;
}

/* The connection cannot go on if the client is about to send what nobody reads. */
static void decide_close(struct weft_http_exchange *x)
{
    if (x->body != BODY_OVER && !weft__http_body_skippable(x))
        x->request->close = true;
}

int weft_http_start(struct weft_http_request *request, int status, const char *type,
                    uint64_t length)
{
    struct weft_http_exchange *x = exchange_of(request);
    if (x->started)
        return UV_EALREADY;
    if (weft_cancelled(&request->op) != 0) /* nobody waits for it any more */
        return weft_cancelled(&request->op);
    if (status < 200 || status > 599)
        return UV_EINVAL;
    if (type != NULL && !weft_http_value_ok(weft_text_of(type)))
        return UV_EINVAL;
    if (x->reader == NULL && request->received == 0)
        decide_close(x); /* a handler that has begun to read will go on */
    size_t fields_end = x->out_end;
    int err = make_head(x, status, type, length);
    if (err != 0) {
        x->out_end = fields_end;
        return err;
    }
    x->started = true;
    request->answered = status;
    return 0;
}

uv_buf_t weft__http_answer_head(struct weft_http_exchange *x)
{
    x->head_out = true;
    return http_part(x->out + x->out_begin, x->out_end - x->out_begin);
}

/* ---- an answer in one piece ----------------------------------------------------------------- */

enum { SHORT_BODY = 511 }; /* of those that are copied; it mostly fits behind the head */

static void answered(struct weft_op *op, struct weft_op *write)
{
    weft_end(op, write->status);
}

/* Make the head; false: it cannot be, and the request ends. */
static bool begin_whole(struct weft_http_request *request, int status, const char *type,
                        const void *data, size_t size)
{
    decide_close(exchange_of(request));
    int err = data == NULL && size > 0 ? UV_EINVAL : weft_http_start(request, status, type, size);
    if (err != 0)
        weft_end(&request->op, err);
    return err == 0;
}

static bool fits_behind_head(const struct weft_http_exchange *x, size_t size)
{
    return x->bodyless || size <= x->out_room - x->out_end;
}

/* Head and body in one write, and if the body is short in one buffer. */
static void send_whole(struct weft_http_request *request, const void *data, size_t size)
{
    struct weft_http_exchange *x = exchange_of(request);
    uv_buf_t parts[2];
    unsigned count = 1;
    if (x->bodyless)
        size = 0;
    if (!fits_behind_head(x, size))
        parts[count++] = http_part(data, size);
    else
        append(x, data, size);
    parts[0] = weft__http_answer_head(x);
    x->complete = true;
    request->sent = x->written = size;
    weft_writev(&request->op, &x->write, &x->connection->stream, parts, count, answered);
    weft__http_given(x->connection, x->write.size);
}

void weft_http_answer(struct weft_http_request *request, int status, const char *type,
                      const void *data, size_t size)
{
    if (exchange_of(request)->started)
        return;
    if (begin_whole(request, status, type, data, size))
        send_whole(request, data, size);
}

void weft_http_answer_cell(struct weft_http_request *request, int status, const char *type,
                           struct weft_cell *cell)
{
    struct weft_http_exchange *x = exchange_of(request);
    if (x->started)
        return;
    if (cell == NULL) {
        weft_end(&request->op, UV_EINVAL);
        return;
    }
    struct weft_text value = weft_cell_value(cell);
    if (!begin_whole(request, status, type, value.data, value.size))
        return;
    x->cell = weft_cell_hold(cell);
    send_whole(request, value.data, value.size);
}

/* Memory for a body of ours, until the request is over; NULL: there is none, and it ends. */
static char *make_copy(struct weft_http_request *request, size_t size)
{
    struct weft_http_exchange *x = exchange_of(request);
    weft_free(x->copy);
    x->copy = weft_alloc(size + 1);
    if (x->copy == NULL)
        weft_end(&request->op, UV_ENOMEM);
    return x->copy;
}

/* A long one is copied before the head is made: as long as nothing was begun a lack of memory can
 * still be told to the client. */
void weft_http_answer_copy(struct weft_http_request *request, int status, const char *type,
                           const void *data, size_t size)
{
    struct weft_http_exchange *x = exchange_of(request);
    char *copy = NULL;
    if (x->started)
        return;
    if (data != NULL && size > SHORT_BODY && (copy = make_copy(request, size)) == NULL)
        return;
    if (!begin_whole(request, status, type, data, size))
        return;
    if (copy == NULL && !fits_behind_head(x, size) && (copy = make_copy(request, size)) == NULL)
        return;
    send_whole(request, copy != NULL ? memcpy(copy, data, size) : data, size);
}

void weft_http_answerf(struct weft_http_request *request, int status, const char *type,
                       const char *format, ...)
{
    char text[SHORT_BODY + 1];
    if (exchange_of(request)->started)
        return;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0) {
        weft_end(&request->op, UV_EINVAL);
        return;
    }
    if (size <= SHORT_BODY) {
        weft_http_answer_copy(request, status, type, text, (size_t)size);
        return;
    }
    char *body = make_copy(request, (size_t)size);
    if (body == NULL)
        return;
    va_start(args, format);
    vsnprintf(body, (size_t)size + 1, format, args);
    va_end(args);
    weft_http_answer(request, status, type, body, (size_t)size);
}
