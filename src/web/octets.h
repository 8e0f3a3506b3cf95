/* Small things with octets that several rooms of the web need. */
#ifndef WEFT_WEB_OCTETS_H
#define WEFT_WEB_OCTETS_H

#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

/* What a hexadecimal digit stands for; -1: it is none. */
static inline int octets_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = weft_text_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A code point in UTF-8; how many octets that are. What an escape may not stand for (0, surrogates,
 * what is above Unicode) is U+FFFD. */
static inline size_t octets_utf8(char utf8[4], uint32_t code)
{
    size_t size = 0;
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        code = 0xfffd;
    if (code < 0x80) {
        utf8[size++] = (char)code;
        return size;
    }
    if (code < 0x800) {
        utf8[size++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        utf8[size++] = (char)(0xe0 | code >> 12);
        utf8[size++] = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        utf8[size++] = (char)(0xf0 | code >> 18);
        utf8[size++] = (char)(0x80 | (code >> 12 & 0x3f));
        utf8[size++] = (char)(0x80 | (code >> 6 & 0x3f));
    }
    utf8[size++] = (char)(0x80 | (code & 0x3f));
    return size;
}

#endif
