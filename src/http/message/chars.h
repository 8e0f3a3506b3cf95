/* What a byte may be part of: one look into a table. chars.c says which is which. */
#ifndef WEFT_HTTP_CHARS_H
#define WEFT_HTTP_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HTTP_TOKEN = 1 << 0, /* methods, the names of fields */
    HTTP_VALUE = 1 << 1, /* values of fields: everything but control characters; a tab is none */
    HTTP_PATH = 1 << 2,  /* paths, not decoded */
    HTTP_QUERY = 1 << 3, /* queries, not decoded */
    HTTP_HOST = 1 << 4,  /* names of hosts, but for '%' */
    HTTP_HEX = 1 << 5,
    HTTP_DIGIT = 1 << 6
};

extern const uint8_t weft__http_chars[256];

/* Is it one of these kinds? */
static inline bool http_char(char c, unsigned kinds)
{
    return (weft__http_chars[(unsigned char)c] & kinds) != 0;
}

/* How many bytes of these kinds come first. There is one of another kind: the CR of a line is of
 * none. */
static inline size_t http_span(const char *bytes, unsigned kinds)
{
    size_t size = 0;
    while (http_char(bytes[size], kinds))
        size++;
    return size;
}

#endif
