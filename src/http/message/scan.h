/* Walking through a text from its beginning: `rest` is what has not been looked at yet. */
#ifndef WEFT_HTTP_SCAN_H
#define WEFT_HTTP_SCAN_H

#include "chars.h"
#include "number.h"
#include "weft/http_message.h"

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_token(char c)
{
    return http_char(c, HTTP_TOKEN);
}

static inline bool is_value(char c)
{
    return http_char(c, HTTP_VALUE);
}

/* The value of a hex digit, or -1. */
static inline int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = weft_text_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static inline void scan_skip(struct weft_text *rest, size_t count)
{
    if (count == 0)
        return; /* data may be NULL, and nothing is added to that */
    rest->data += count;
    rest->size -= count;
}

static inline void scan_blanks(struct weft_text *rest)
{
    size_t count = 0;
    while (count < rest->size && is_blank(rest->data[count]))
        count++;
    scan_skip(rest, count);
}

/* Is this the next character? Then it is taken. */
static inline bool scan_char(struct weft_text *rest, char c)
{
    if (rest->size == 0 || rest->data[0] != c)
        return false;
    scan_skip(rest, 1);
    return true;
}

/* The characters that are next and of this kind: maybe none. */
static inline struct weft_text scan_while(struct weft_text *rest, bool (*kind)(char c))
{
    struct weft_text piece = weft_text(rest->data, 0);
    while (piece.size < rest->size && kind(rest->data[piece.size]))
        piece.size++;
    scan_skip(rest, piece.size);
    return piece;
}

static inline struct weft_text scan_token(struct weft_text *rest)
{
    return scan_while(rest, is_token);
}

/* How far it is to the separator outside of quoted strings, or to the end. */
size_t weft__http_scan_until(struct weft_text text, char separator);

/* "name", "name=value" or "name=\"value\"", with blanks around '='. False if it is none of these;
 * then rest is somewhere inside of it. */
bool weft__http_scan_parameter(struct weft_text *rest, struct weft_http_parameter *parameter);

/* The q among the parameters of a list's element, in thousandths; 1000 without one, the last of
 * several. False: it, or another parameter, is malformed. */
bool weft__http_scan_weight(struct weft_text parameters, unsigned *quality);

#endif
