/* The kinds of bytes that the states of the tokenizer stop at. */
#ifndef WEFT_WEB_HTML_CHARS_H
#define WEFT_WEB_HTML_CHARS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HTML_SPACE = 1 << 0, /* tab, LF, FF, CR, blank */
    HTML_ALPHA = 1 << 1,
    HTML_DIGIT = 1 << 2,
    HTML_HEX = 1 << 3,
    HTML_TAG_STOP = 1 << 4,   /* what ends the name of a tag, and NUL */
    HTML_NAME_STOP = 1 << 5,  /* what ends the name of an attribute, and NUL */
    HTML_VALUE_STOP = 1 << 6, /* what ends a value without quotes, a reference, and NUL */
    HTML_STOP_LESS = 1 << 7,  /* '<'; those below are single bytes too */
    HTML_STOP_AMP = 1 << 8,
    HTML_STOP_CR = 1 << 9,
    HTML_STOP_NUL = 1 << 10,
    HTML_STOP_DASH = 1 << 11,
    HTML_STOP_BRACKET = 1 << 12, /* ']' */
    HTML_STOP_DOUBLE = 1 << 13,  /* '"' */
    HTML_STOP_SINGLE = 1 << 14,  /* '\'' */
    HTML_STOP_GREATER = 1 << 15
};

extern const uint16_t weft__html_chars[256];

static inline bool html_char(char c, unsigned kinds)
{
    return (weft__html_chars[(unsigned char)c] & kinds) != 0;
}

/* What windows-1252 has at 0x80 to 0x9f; 0: nothing. */
extern const uint16_t weft__html_windows_1252[32];

/* A byte of windows-1252, or a number that somebody took from there, as a code point. */
static inline uint32_t html_windows_1252(uint32_t code)
{
    if (code >= 0x80 && code <= 0x9F && weft__html_windows_1252[code - 0x80] != 0)
        return weft__html_windows_1252[code - 0x80];
    return code;
}

/* The first byte of one of these kinds, or end. */
static inline const char *html_find(const char *at, const char *end, unsigned kinds)
{
    while (at < end && !html_char(*at, kinds))
        at++;
    return at;
}

#endif
