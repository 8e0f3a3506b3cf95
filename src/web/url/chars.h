/* What a byte means in each part of a URL: one look into a table. chars.c says which is which. */
#ifndef WEFT_URL_CHARS_H
#define WEFT_URL_CHARS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /* The percent-encode sets: what is written as %XX in that part. */
    URL_IN_OPAQUE = 1 << 0, /* and in hosts of schemes that are not special */
    URL_IN_FRAGMENT = 1 << 1,
    URL_IN_QUERY = 1 << 2,
    URL_IN_SPECIAL_QUERY = 1 << 3,
    URL_IN_PATH = 1 << 4,
    URL_IN_USER = 1 << 5,
    /* What makes a host invalid: any host, and a domain. */
    URL_NO_HOST = 1 << 6,
    URL_NO_DOMAIN = 1 << 7,
    /* What makes a domain more than a copy: upper case, '%', outside ASCII, invalid. */
    URL_DOMAIN_WORK = 1 << 8,
    URL_ENDS_SEGMENT = 1 << 9, /* '/', '\', '?', '#' */
    URL_PATH_WORK = 1 << 10,   /* what makes a path more than a copy: URL_IN_PATH and '\\' */
    URL_SCHEME = 1 << 11,
    URL_ALPHA = 1 << 12,
    URL_DIGIT = 1 << 13,
    URL_HEX = 1 << 14
};

extern const uint16_t weft__url_chars[256];

/* Is it one of these kinds? */
static inline bool url_char(char c, unsigned kinds)
{
    return (weft__url_chars[(unsigned char)c] & kinds) != 0;
}

/* Where the first of these kinds is; end: there is none. Four bytes with one branch: this is where
 * the time goes. */
static inline const char *url_find(const char *at, const char *end, unsigned kinds)
{
    const uint16_t *chars = weft__url_chars;
    for (; end - at >= 4; at += 4) {
        const unsigned char *four = (const unsigned char *)at;
        unsigned found = chars[four[0]] | chars[four[1]] | chars[four[2]] | chars[four[3]];
        if ((found & kinds) != 0)
            break;
    }
    while (at < end && !url_char(*at, kinds))
        at++;
    return at;
}

/* The value of a hex digit. */
static inline unsigned url_hex(char c)
{
    return url_char(c, URL_DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

#endif
