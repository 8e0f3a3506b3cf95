/* What is sent of a file, in the order in which it goes out.
 *
 *     one range:   bytes
 *     several:     head bytes head bytes … end        (multipart/byteranges, RFC 9110, 14.6)
 *
 * The parts are a cursor: which range, how far in the text in front of it, how far in its bytes. To
 * fill the buffer moves it on. So it may stop anywhere, where the buffer is full or where the page
 * cache ends, and go on later on another thread. The length of everything is known before. */
#include "files.h"
#include "http/server/server.h"
#include "weft/alloc.h"
#include <stdio.h>

enum { TEXT_SIZE = 256 + WEFT_HTTP_CONTENT_RANGE_SIZE };

static bool several(const struct http_parts *parts)
{
    return parts->boundary[0] != '\0';
}

/* What stands in front of a part; behind the last one, the end. */
static size_t text_before(const struct weft_http_job *job, size_t part, char text[TEXT_SIZE])
{
    const struct http_parts *parts = &job->parts;
    char range[WEFT_HTTP_CONTENT_RANGE_SIZE];
    if (!several(parts))
        return 0;
    if (part == parts->ranges.count)
        return (size_t)snprintf(text, TEXT_SIZE, "\r\n--%s--\r\n", parts->boundary);
    weft_http_content_range_format(range, &parts->ranges.range[part], job->found.size);
    int length =
        snprintf(text, TEXT_SIZE, "%s--%s\r\nContent-Type: %.128s\r\nContent-Range: %s\r\n\r\n",
                 part > 0 ? "\r\n" : "", parts->boundary, job->found.type, range);
    return (size_t)length;
}

/* It must not be guessed: who could, and writes files here, could make parts of his own. */
static int draw_boundary(struct http_parts *parts)
{
    unsigned char random[16];
    if (uv_random(NULL, NULL, random, sizeof random, 0, NULL) != 0)
        return UV_EIO;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(parts->boundary + 2 * i, 3, "%02x", random[i]);
    return 0;
}

int weft__http_parts_begin(struct weft_http_job *job, const struct weft_http_ranges *ranges)
{
    struct http_parts *parts = &job->parts;
    char text[TEXT_SIZE];
    parts->part = parts->text_at = 0;
    parts->at = parts->length = 0;
    parts->boundary[0] = '\0';
    if (ranges != NULL) {
        parts->ranges = *ranges;
    } else {
        parts->ranges.count = 1;
        parts->ranges.range[0].first = 0;
        parts->ranges.range[0].size = job->found.size;
    }
    if (parts->ranges.count > 1 && draw_boundary(parts) != 0)
        return UV_EIO;
    for (size_t i = 0; i <= parts->ranges.count; i++)
        parts->length += text_before(job, i, text);
    for (size_t i = 0; i < parts->ranges.count; i++)
        parts->length += parts->ranges.range[i].size;
    parts->total = parts->length;
    return 0;
}

bool weft__http_parts_over(const struct weft_http_job *job)
{
    return job->parts.length == 0;
}

/* A small file goes into a buffer of the server's pool. That is the loop's, so a thread may not ask
 * for one. Without it sixty answers on their way grow the heap and shrink it again with each
 * turn. */
static int make_room(struct weft_http_job *job, bool cached)
{
    struct weft_http_pool *pool = job->file->request->server->pool_;
    uint64_t length = job->parts.length;
    if (job->buffer != NULL)
        return 0;
    job->room = length < WEFT_HTTP_FILES_PIECE ? (size_t)length : WEFT_HTTP_FILES_PIECE;
    job->pooled = cached && job->room <= weft__http_buffer_size(pool);
    job->buffer = job->pooled ? weft__http_take_buffer(pool) : weft_alloc(job->room);
    return job->buffer != NULL ? 0 : UV_ENOMEM;
}

static size_t least(uint64_t one, size_t other)
{
    return one < other ? (size_t)one : other;
}

/* false: all of the text is in the buffer. */
static bool fill_text(struct weft_http_job *job)
{
    struct http_parts *parts = &job->parts;
    char text[TEXT_SIZE];
    size_t length = text_before(job, parts->part, text);
    size_t size = least(length - parts->text_at, job->room - job->size);
    if (size == 0)
        return false;
    memcpy(job->buffer + job->size, text + parts->text_at, size);
    parts->text_at += size;
    parts->length -= size;
    job->size += size;
    return true;
}

static int fill_bytes(struct weft_http_job *job, bool cached)
{
    struct http_parts *parts = &job->parts;
    const struct weft_http_range *range = &parts->ranges.range[parts->part];
    size_t wanted = least(range->size - parts->at, job->room - job->size);
    ssize_t got =
        weft__http_read_at(job, job->buffer + job->size, wanted, range->first + parts->at, cached);
    if (got <= 0)
        return got == 0 ? UV_EIO : (int)got;
    parts->at += (uint64_t)got;
    parts->length -= (uint64_t)got;
    job->size += (size_t)got;
    if (parts->at == range->size) {
        parts->part++;
        parts->at = parts->text_at = 0;
    }
    return 0;
}

int weft__http_parts_fill(struct weft_http_job *job, bool cached)
{
    if (weft__http_parts_over(job))
        return 0;
    int err = make_room(job, cached);
    while (err == 0 && !weft__http_parts_over(job) && job->size < job->room) {
        if (!fill_text(job))
            err = fill_bytes(job, cached);
    }
    return err;
}
