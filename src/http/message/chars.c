/* The kinds of bytes, from RFC 9110 (token, field-value) and RFC 3986 (the parts of a URI).
 *
 * A path is what RFC 3986 lets it be, and what browsers leave in it beyond that (the WHATWG rules):
 * "[]^|" come unescaped every day. In a query they leave all visible ASCII as it is but for '"',
 * '#', '<' and '>'. A '%' stands for itself here: browsers send it unescaped too, and who decodes
 * has to look at the digits behind it anyway. Nothing outside of visible ASCII belongs into a
 * target. */
#include "chars.h"

/* What most of the punctuation is. */
#define ANYWHERE (HTTP_VALUE | HTTP_PATH | HTTP_QUERY | HTTP_HOST)
#define ALNUM (HTTP_TOKEN | ANYWHERE)

const uint8_t weft__http_chars[256] = {
    ['\t'] = HTTP_VALUE,
    [' '] = HTTP_VALUE,
    ['!'] = HTTP_TOKEN | ANYWHERE,
    ['"'] = HTTP_VALUE,
    ['#'] = HTTP_TOKEN | HTTP_VALUE,
    ['$'] = HTTP_TOKEN | ANYWHERE,
    ['%'] = HTTP_TOKEN | HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['&'] = HTTP_TOKEN | ANYWHERE,
    ['\''] = HTTP_TOKEN | ANYWHERE,
    ['('] = ANYWHERE,
    [')'] = ANYWHERE,
    ['*'] = HTTP_TOKEN | ANYWHERE,
    ['+'] = HTTP_TOKEN | ANYWHERE,
    [','] = ANYWHERE,
    ['-'] = HTTP_TOKEN | ANYWHERE,
    ['.'] = HTTP_TOKEN | ANYWHERE,
    ['/'] = HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['0' ... '9'] = ALNUM | HTTP_HEX | HTTP_DIGIT,
    [':'] = HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    [';'] = ANYWHERE,
    ['<'] = HTTP_VALUE,
    ['='] = ANYWHERE,
    ['>'] = HTTP_VALUE,
    ['?'] = HTTP_VALUE | HTTP_QUERY,
    ['@'] = HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['A' ... 'F'] = ALNUM | HTTP_HEX,
    ['G' ... 'Z'] = ALNUM,
    ['['] = HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['\\'] = HTTP_VALUE | HTTP_QUERY,
    [']'] = HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['^'] = HTTP_TOKEN | HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['_'] = HTTP_TOKEN | ANYWHERE,
    ['`'] = HTTP_TOKEN | HTTP_VALUE | HTTP_QUERY,
    ['a' ... 'f'] = ALNUM | HTTP_HEX,
    ['g' ... 'z'] = ALNUM,
    ['{'] = HTTP_VALUE | HTTP_QUERY,
    ['|'] = HTTP_TOKEN | HTTP_VALUE | HTTP_PATH | HTTP_QUERY,
    ['}'] = HTTP_VALUE | HTTP_QUERY,
    ['~'] = HTTP_TOKEN | ANYWHERE,
    [0x80 ... 0xff] = HTTP_VALUE,
};
