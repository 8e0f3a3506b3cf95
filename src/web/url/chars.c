/* The kinds of bytes, as the URL standard has them: the percent-encode sets, the forbidden host
 * and domain code points.
 *
 * Each percent-encode set contains the one before it (controls, query, path, user), but for that of
 * fragments, which stands beside. All of them contain everything outside ASCII. */
#include "chars.h"

#define QUERIES (URL_IN_QUERY | URL_IN_SPECIAL_QUERY)
#define IN_ALL (URL_IN_OPAQUE | URL_IN_FRAGMENT | QUERIES | PATH_UP)
#define PATH_UP (URL_IN_PATH | URL_PATH_WORK | URL_IN_USER)
#define QUERY_UP (QUERIES | PATH_UP)
#define NO_DOMAIN (URL_NO_DOMAIN | URL_DOMAIN_WORK)
#define NO_HOST (URL_NO_HOST | NO_DOMAIN)

const uint16_t weft__url_chars[256] = {
    [0x00] = IN_ALL | NO_HOST,
    [0x01 ... 0x08] = IN_ALL | NO_DOMAIN,
    ['\t' ... '\n'] = IN_ALL | NO_HOST,
    [0x0b ... 0x0c] = IN_ALL | NO_DOMAIN,
    ['\r'] = IN_ALL | NO_HOST,
    [0x0e ... 0x1f] = IN_ALL | NO_DOMAIN,
    [' '] = QUERY_UP | URL_IN_FRAGMENT | NO_HOST,
    ['"'] = QUERY_UP | URL_IN_FRAGMENT,
    ['#'] = QUERY_UP | NO_HOST | URL_ENDS_SEGMENT,
    ['%'] = NO_DOMAIN,
    ['\''] = URL_IN_SPECIAL_QUERY,
    ['+'] = URL_SCHEME,
    ['-' ... '.'] = URL_SCHEME,
    ['/'] = URL_IN_USER | NO_HOST | URL_ENDS_SEGMENT,
    ['0' ... '9'] = URL_SCHEME | URL_DIGIT | URL_HEX,
    [':'] = URL_IN_USER | NO_HOST,
    [';'] = URL_IN_USER,
    ['<'] = QUERY_UP | URL_IN_FRAGMENT | NO_HOST,
    ['='] = URL_IN_USER,
    ['>'] = QUERY_UP | URL_IN_FRAGMENT | NO_HOST,
    ['?'] = PATH_UP | NO_HOST | URL_ENDS_SEGMENT,
    ['@'] = URL_IN_USER | NO_HOST,
    ['A' ... 'F'] = URL_SCHEME | URL_ALPHA | URL_HEX | URL_DOMAIN_WORK,
    ['G' ... 'Z'] = URL_SCHEME | URL_ALPHA | URL_DOMAIN_WORK,
    ['['] = URL_IN_USER | NO_HOST,
    ['\\'] = URL_IN_USER | NO_HOST | URL_ENDS_SEGMENT | URL_PATH_WORK,
    [']'] = URL_IN_USER | NO_HOST,
    ['^'] = PATH_UP | NO_HOST,
    ['`'] = PATH_UP | URL_IN_FRAGMENT,
    ['a' ... 'f'] = URL_SCHEME | URL_ALPHA | URL_HEX,
    ['g' ... 'z'] = URL_SCHEME | URL_ALPHA,
    ['{'] = PATH_UP,
    ['|'] = URL_IN_USER | NO_HOST,
    ['}'] = PATH_UP,
    [0x7f] = IN_ALL | NO_DOMAIN,
    [0x80 ... 0xff] = IN_ALL | URL_DOMAIN_WORK,
};
