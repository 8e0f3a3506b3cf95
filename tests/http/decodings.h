/* tests/http/decodings.h: bodies in chunks, decoded in pieces that come in blocks of their own.
 * Tests and fuzz targets share it. */
#ifndef TESTS_HTTP_DECODINGS_H
#define TESTS_HTTP_DECODINGS_H

#include "bytes.h"
#include "http/message/parse.h"
#include <assert.h>
#include <stdlib.h>

struct decoding {
    struct http_chunked chunked;
    char body[4096];
    size_t size; /* of body */
    size_t used; /* of all bytes that came */
    int status;
};

static inline void decoding_begin(struct decoding *d)
{
    memset(d, 0, sizeof *d);
    weft__http_chunked_begin(&d->chunked);
}

/* These bytes come next. */
static inline int decoding_go_on(struct decoding *d, const char *bytes, size_t size)
{
    char *block = malloc(size > 0 ? size : 1);
    struct weft_text part;
    size_t used = 0;
    assert(block != NULL);
    memcpy(block, bytes, size);
    do {
        d->status = weft__http_chunked(&d->chunked, block, size, &used, &part);
        assert(used <= size && part.size <= used);
        assert(part.size <= sizeof d->body - d->size);
        if (part.size > 0) {
            assert(part.data + part.size == block + used);
            memcpy(d->body + d->size, part.data, part.size);
            d->size += part.size;
        }
    } while (d->status == HTTP_MORE && used < size);
    d->used += used;
    free(block);
    return d->status;
}

static inline bool same_decoding(const struct decoding *a, const struct decoding *b)
{
    return a->status == b->status && a->used == b->used && a->size == b->size &&
           memcmp(a->body, b->body, a->size) == 0;
}

static inline bool same_body_in_two(const struct decoding *whole, const char *bytes, size_t size,
                                    size_t cut)
{
    struct decoding d;
    decoding_begin(&d);
    if (decoding_go_on(&d, bytes, cut) == HTTP_MORE)
        decoding_go_on(&d, bytes + cut, size - cut);
    return same_decoding(whole, &d);
}

static inline bool same_body_byte_by_byte(const struct decoding *whole, const char *bytes,
                                          size_t size)
{
    struct decoding d;
    decoding_begin(&d);
    for (size_t at = 0; at < size && d.status == HTTP_MORE; at++)
        decoding_go_on(&d, bytes + at, 1);
    return same_decoding(whole, &d);
}

/* Cut anywhere, and byte by byte. */
static inline bool same_body_in_pieces(const struct decoding *whole, const char *bytes, size_t size)
{
    for (size_t cut = 0; cut <= size; cut++) {
        if (!same_body_in_two(whole, bytes, size, cut))
            return false;
    }
    return same_body_byte_by_byte(whole, bytes, size);
}

#endif
