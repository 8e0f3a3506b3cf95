/* A body in chunks (RFC 9112, 7.1), taken apart byte by byte where it is framing and as a whole
 * where it is body; nothing is kept but where in the framing we are.
 *
 *     SIZE     hexadecimal digits, nothing before them         -> EXTENSION, SIZE_LF
 *     EXTENSION  behind a ';': passed over                     -> SIZE_LF
 *     SIZE_LF  the end of the line; a size of 0 is the last    -> DATA or TRAILER
 *     DATA     the body itself                                 -> DATA_CR, DATA_LF -> SIZE
 *     TRAILER  a field (NAME, VALUE, TRAILER_LF), or the end   -> END_LF -> END
 *
 * Strict where readers could differ: CRLF and nothing else, no blanks around a size, at most 16
 * digits and not above 2^63-1. Trailers are checked as fields are and thrown away. Extensions and
 * trailers carry nothing for us, so all of them together are bounded for the whole body: else one
 * could keep us busy for ever with a body of a few bytes. */
#include "parse.h"
#include "scan.h"

enum {
    SIZE,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER,
    NAME,
    VALUE,
    TRAILER_LF,
    END_LF,
    END
};

enum { DIGITS_MAX = 16 };

void weft__http_chunked_begin(struct http_chunked *chunked)
{
    chunked->left = 0;
    chunked->state = SIZE;
    chunked->digits = 0;
    chunked->trailer = 0;
    chunked->loose = false;
}

static bool go(struct http_chunked *chunked, unsigned next)
{
    chunked->state = next;
    return true;
}

/* A byte of the line with the size; false: it does not belong there. */
static bool take_size(struct http_chunked *chunked, char c)
{
    if (http_char(c, HTTP_HEX)) {
        if (++chunked->digits > DIGITS_MAX || chunked->left > INT64_MAX >> 4)
            return false;
        chunked->left = chunked->left << 4 | (unsigned)hex_value(c);
        return true;
    }
    if (chunked->digits == 0 || (c != '\r' && c != ';'))
        return false;
    return go(chunked, c == ';' ? EXTENSION : SIZE_LF);
}

/* A byte of a trailer. */
static bool take_trailer(struct http_chunked *chunked, char c)
{
    switch (chunked->state) {
    case TRAILER:
        if (chunked->loose && http_char(c, HTTP_VALUE))
            return go(chunked, VALUE);
        return http_char(c, HTTP_TOKEN) && go(chunked, NAME);
    case NAME:
        return http_char(c, HTTP_TOKEN) || (c == ':' && go(chunked, VALUE));
    case VALUE:
        return http_char(c, HTTP_VALUE) || (c == '\r' && go(chunked, TRAILER_LF));
    default:
        return c == '\n' && go(chunked, TRAILER);
    }
}

/* A byte of the framing; false: it does not belong there, or is one too many. */
static bool take(struct http_chunked *chunked, char c)
{
    switch (chunked->state) {
    case SIZE:
        return take_size(chunked, c);
    case EXTENSION:
        if (!http_char(c, HTTP_VALUE))
            return c == '\r' && go(chunked, SIZE_LF);
        return ++chunked->trailer <= HTTP_CHUNKED_EXTRA_MAX;
    case SIZE_LF:
        return c == '\n' && go(chunked, chunked->left > 0 ? DATA : TRAILER);
    case DATA_CR:
        return c == '\r' && go(chunked, DATA_LF);
    case DATA_LF:
        chunked->digits = 0;
        return c == '\n' && go(chunked, SIZE);
    case END_LF:
        return c == '\n' && go(chunked, END);
    default:
        if (chunked->state == TRAILER && c == '\r')
            return go(chunked, END_LF);
        return take_trailer(chunked, c) && ++chunked->trailer <= HTTP_CHUNKED_EXTRA_MAX;
    }
}

static struct weft_text take_data(struct http_chunked *chunked, const char *data, size_t size)
{
    if (size > chunked->left)
        size = (size_t)chunked->left;
    chunked->left -= size;
    if (chunked->left == 0)
        chunked->state = DATA_CR;
    return weft_text(data, size);
}

int weft__http_chunked(struct http_chunked *chunked, const char *data, size_t size, size_t *used,
                       struct weft_text *part)
{
    *part = weft_text(NULL, 0);
    while (*used < size && chunked->state != END) {
        if (chunked->state == DATA) {
            *part = take_data(chunked, data + *used, size - *used);
            *used += part->size;
            return HTTP_MORE;
        }
        if (!take(chunked, data[*used]))
            return -400;
        ++*used;
    }
    return chunked->state == END ? HTTP_DONE : HTTP_MORE;
}
