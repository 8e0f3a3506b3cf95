/* tests/http/readings.h: heads of requests, read in pieces. Tests and fuzz targets share it.
 *
 * Before each piece the bytes move to a block of their own that is not one byte too long: so a
 * sanitizer sees who reads too far, or through a text that was left behind. */
#ifndef TESTS_HTTP_READINGS_H
#define TESTS_HTTP_READINGS_H

#include "bytes.h"
#include "http/message/parse.h"
#include <assert.h>
#include <stdlib.h>

enum { READING_FIELDS = 16 };

struct reading {
    struct http_parser parser;
    struct weft_http_field fields[READING_FIELDS];
    struct http_limits limits;
    char *block;
    int status;
};

static inline void reading_begin(struct reading *r)
{
    memset(r, 0, sizeof *r);
    r->parser.fields = r->fields;
    r->parser.capacity = READING_FIELDS;
    r->limits = (struct http_limits){.line = 1000, .head = 2000};
    weft__http_parse_begin(&r->parser);
}

/* Now the first size bytes are there. */
static inline int reading_go_on(struct reading *r, const char *bytes, size_t size)
{
    char *block = malloc(size > 0 ? size : 1);
    assert(block != NULL);
    memcpy(block, bytes, size);
    if (r->block != NULL)
        weft__http_parse_moved(&r->parser, r->block, block);
    free(r->block);
    r->block = block;
    r->status = weft__http_parse(&r->parser, &r->limits, block, size);
    return r->status;
}

static inline void reading_end(struct reading *r)
{
    free(r->block);
}

static inline bool same_text(const struct reading *a, struct weft_text one, const struct reading *b,
                             struct weft_text other)
{
    if ((one.data == NULL) != (other.data == NULL) || !weft_text_equal(one, other))
        return false;
    bool here = one.data >= a->block && one.data < a->block + a->parser.line;
    return !here || one.data - a->block == other.data - b->block;
}

static inline bool same_fields(const struct reading *a, const struct reading *b)
{
    const struct weft_http_head *one = &a->parser.head, *other = &b->parser.head;
    if (one->count != other->count || one->fields != a->fields || other->fields != b->fields)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        if (!same_text(a, one->fields[i].name, b, other->fields[i].name) ||
            !same_text(a, one->fields[i].value, b, other->fields[i].value))
            return false;
    }
    return true;
}

/* The same answer, and if the head is complete the same head. */
static inline bool same_reading(const struct reading *a, const struct reading *b)
{
    const struct weft_http_head *one = &a->parser.head, *other = &b->parser.head;
    if (a->status != b->status || a->status != HTTP_DONE)
        return a->status == b->status;
    return a->parser.line == b->parser.line && one->method == other->method &&
           same_text(a, one->method_text, b, other->method_text) &&
           same_text(a, one->target, b, other->target) && same_text(a, one->path, b, other->path) &&
           same_text(a, one->query, b, other->query) && same_text(a, one->host, b, other->host) &&
           one->minor == other->minor && same_fields(a, b) &&
           one->content_length == other->content_length && one->chunked == other->chunked &&
           one->has_length == other->has_length && one->keep_alive == other->keep_alive &&
           one->expects_continue == other->expects_continue;
}

/* The same bytes in two pieces, cut at cut: is the answer the one of the whole? */
static inline bool same_in_two(const struct reading *whole, const char *bytes, size_t size,
                               size_t cut)
{
    struct reading r;
    reading_begin(&r);
    r.limits = whole->limits;
    if (reading_go_on(&r, bytes, cut) == HTTP_MORE)
        reading_go_on(&r, bytes, size);
    bool same = same_reading(whole, &r);
    reading_end(&r);
    return same;
}

static inline bool same_byte_by_byte(const struct reading *whole, const char *bytes, size_t size)
{
    struct reading r;
    reading_begin(&r);
    r.limits = whole->limits;
    for (size_t come = 1; come <= size && r.status == HTTP_MORE; come++)
        reading_go_on(&r, bytes, come);
    bool same = same_reading(whole, &r);
    reading_end(&r);
    return same;
}

/* Cut anywhere, and byte by byte. */
static inline bool same_in_pieces(const struct reading *whole, const char *bytes, size_t size)
{
    for (size_t cut = 0; cut <= size; cut++) {
        if (!same_in_two(whole, bytes, size, cut))
            return false;
    }
    return same_byte_by_byte(whole, bytes, size);
}

#endif
