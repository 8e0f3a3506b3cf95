/* A client for one kind of question: it is small, so that the server is what is measured.
 *
 *     begin ─► (sleep) ─► dial ─► ask ─► read … ─► answered ──(no more)──► over
 *                          ▲       ▲                   │
 *                          │       └──(again: sleep)───┤
 *                          └──(the server closes)──────┘
 *
 * The answer is read into one buffer. Only the length, or that it comes in chunks, and the wish to
 * close are looked for in its head; it comes from our own server, but nothing is believed that does
 * not fit. */
#include "benching/benching.h"

enum { CHUNK_DIGITS = 8 };

static void ask(struct bench_client *client);
static void dial(struct bench_client *client);

static struct bench_client *client_of(struct weft_op *op)
{
    return weft_owner(op, struct bench_client, op);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static bool read_length(struct weft_text text, size_t most, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || *length > most)
            return false;
        *length = *length * 10 + (size_t)(text.data[i] - '0');
    }
    return text.size > 0 && *length <= most;
}

static bool read_status(struct weft_text line, int *status)
{
    const char *digits = line.data + 9;
    if (line.size < 12 || !weft_text_starts(line, "HTTP/1.1 "))
        return false;
    *status = 0;
    for (int i = 0; i < 3; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *status = *status * 10 + (digits[i] - '0');
    }
    return true;
}

/* All lines of the head; false: there is no length, or one that does not fit, nor chunks. */
static bool read_head(struct bench_client *client, struct weft_text head, size_t *length)
{
    bool found = false;
    if (!read_status(weft_text_cut(&head, '\n'), &client->status))
        return false;
    client->closes_ = client->chunked_ = false;
    while (head.data != NULL) {
        struct weft_text value = weft_text_cut(&head, '\n');
        struct weft_text name = weft_text_cut(&value, ':');
        if (value.size > 0 && value.data[value.size - 1] == '\r')
            value.size--;
        value = weft_text_trim(value);
        if (weft_text_same(name, weft_text_of("content-length")))
            found = read_length(value, client->capacity, length);
        else if (weft_text_same(name, weft_text_of("connection")))
            client->closes_ = weft_text_same(value, weft_text_of("close"));
        else if (weft_text_same(name, weft_text_of("transfer-encoding")))
            client->chunked_ = weft_text_same(value, weft_text_of("chunked"));
    }
    return found != client->chunked_;
}

/* The size of a chunk and the end of its line. 1: it is there, 0: more has to come, or WEFT_EHTTP. */
static int read_chunk_size(struct weft_text *rest, size_t *size)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    size_t digits = end != NULL ? (size_t)(end - rest->data) : rest->size;
    if (digits > CHUNK_DIGITS + 1)
        return WEFT_EHTTP;
    if (end == NULL)
        return 0;
    *size = 0;
    for (size_t i = 0; i + 1 < digits; i++) {
        char digit = rest->data[i];
        if (digit >= '0' && digit <= '9')
            *size = *size * 16 + (size_t)(digit - '0');
        else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
            *size = *size * 16 + (size_t)((digit | 0x20) - 'a') + 10;
        else
            return WEFT_EHTTP;
    }
    *rest = weft_text(end + 1, rest->size - digits - 1);
    return digits > 1 && end[-1] == '\r' ? 1 : WEFT_EHTTP;
}

/* The same for all chunks; the last one is empty, and nothing is behind it. What is in them goes to
 * `to`, which may be where they are; NULL: they are only looked at. */
static int read_chunks(struct weft_text rest, char *to, size_t *length)
{
    size_t size;
    int there;
    *length = 0;
    while ((there = read_chunk_size(&rest, &size)) == 1) {
        if (rest.size < size + 2)
            return 0;
        if (rest.data[size] != '\r' || rest.data[size + 1] != '\n')
            return WEFT_EHTTP;
        if (to != NULL)
            memmove(to + *length, rest.data, size);
        *length += size;
        rest = weft_text(rest.data + size + 2, rest.size - size - 2);
        if (size == 0)
            return rest.size == 0 ? 1 : WEFT_EHTTP;
    }
    return there;
}

/* As read_answer. They are moved together when all of them are there. */
static int read_chunked(struct bench_client *client, size_t head)
{
    char *body = client->buffer + head;
    struct weft_text chunks = weft_text(body, client->size_ - head);
    size_t length;
    int there = read_chunks(chunks, NULL, &length);
    if (there == 0 && client->size_ == client->capacity)
        return WEFT_EHTTP;
    if (there == 1) {
        read_chunks(chunks, body, &length);
        client->body = weft_text(body, length);
    }
    return there;
}

/* 1: all of it is there, 0: more has to come, or WEFT_EHTTP. */
static int read_answer(struct bench_client *client)
{
    static const char end[4] = {'\r', '\n', '\r', '\n'};
    const char *head_end = memmem(client->buffer, client->size_, end, sizeof end);
    size_t length = 0;
    if (head_end == NULL)
        return client->size_ < client->capacity ? 0 : WEFT_EHTTP;
    size_t head = (size_t)(head_end - client->buffer) + sizeof end;
    if (!read_head(client, weft_text(client->buffer, head - sizeof end), &length))
        return WEFT_EHTTP;
    if (client->chunked_)
        return read_chunked(client, head);
    if (length > client->capacity - head || client->size_ > head + length)
        return WEFT_EHTTP;
    client->body = weft_text(client->buffer + head, length);
    return client->size_ == head + length;
}

static void paused(struct weft_op *op, struct weft_op *sleep)
{
    if (sleep->status != 0)
        weft_end(op, sleep->status);
    else
        ask(client_of(op));
}

static void answered(struct bench_client *client)
{
    client->took_ns = uv_hrtime() - client->asked_ns;
    client->again_ = client->answered(client);
    client->asked_ns = 0;
    if (!client->again_)
        weft_end(&client->op, 0);
    else if (client->closes_)
        weft_stream_close(&client->stream_);
    else if (client->pause_ms > 0)
        weft_sleep(&client->op, &client->sleep_, client->pause_ms, paused);
    else
        ask(client);
}

/* ---- the exchange ---------------------------------------------------------------------------- */

static void received(struct weft_op *op, struct weft_op *read)
{
    struct bench_client *client = client_of(op);
    client->size_ += client->read_.size;
    int whole = read->status != 0 ? read->status : read_answer(client);
    if (whole < 0)
        weft_end(op, whole);
    else if (whole > 0)
        answered(client);
    else
        weft_read(op, &client->read_, &client->stream_, client->buffer + client->size_,
                  client->capacity - client->size_, received);
}

static void written(struct weft_op *op, struct weft_op *write)
{
    struct bench_client *client = client_of(op);
    if (write->status != 0)
        weft_end(op, write->status);
    else
        weft_read(op, &client->read_, &client->stream_, client->buffer, client->capacity, received);
}

static void ask(struct bench_client *client)
{
    client->size_ = 0;
    client->asked_ns = uv_hrtime();
    weft_write(&client->op, &client->write_, &client->stream_, client->request.data,
               client->request.size, written);
}

/* ---- the connection -------------------------------------------------------------------------- */

static void connected(struct weft_op *op, struct weft_op *connect)
{
    if (connect->status != 0)
        weft_end(op, connect->status);
    else
        ask(client_of(op));
}

static void closed(struct weft_op *op, struct weft_op *stream)
{
    struct bench_client *client = client_of(op);
    if (stream->status == 0 && client->again_)
        dial(client);
}

static void dial(struct bench_client *client)
{
    weft_stream_open(&client->op, &client->stream_, closed);
    weft_connect_address(&client->op, &client->connect_, &client->stream_, client->server,
                         connected);
}

static void rested(struct weft_op *op, struct weft_op *sleep)
{
    if (sleep->status != 0)
        weft_end(op, sleep->status);
    else
        dial(client_of(op));
}

void bench_client_begin(struct weft_op *op)
{
    struct bench_client *client = client_of(op);
    client->again_ = false;
    client->asked_ns = 0;
    weft_sleep(op, &client->sleep_, client->delay_ms, rested);
}
