/* The kinds of bytes; which state asks for which stands where it asks. */
#include "chars.h"

#define STOP_ALL (HTML_TAG_STOP | HTML_NAME_STOP | HTML_VALUE_STOP)
#define BLANK (HTML_SPACE | STOP_ALL)

const uint16_t weft__html_chars[256] = {
    [0] = HTML_STOP_NUL | STOP_ALL,
    ['\t'] = BLANK,
    ['\n'] = BLANK,
    ['\f'] = BLANK,
    ['\r'] = BLANK | HTML_STOP_CR,
    [' '] = BLANK,
    ['"'] = HTML_STOP_DOUBLE,
    ['&'] = HTML_STOP_AMP | HTML_VALUE_STOP,
    ['\''] = HTML_STOP_SINGLE,
    ['-'] = HTML_STOP_DASH,
    ['/'] = HTML_TAG_STOP | HTML_NAME_STOP,
    ['0' ... '9'] = HTML_DIGIT | HTML_HEX,
    ['<'] = HTML_STOP_LESS,
    ['='] = HTML_NAME_STOP,
    ['>'] = STOP_ALL | HTML_STOP_GREATER,
    ['A' ... 'F'] = HTML_ALPHA | HTML_HEX,
    ['G' ... 'Z'] = HTML_ALPHA,
    [']'] = HTML_STOP_BRACKET,
    ['a' ... 'f'] = HTML_ALPHA | HTML_HEX,
    ['g' ... 'z'] = HTML_ALPHA,
};

const uint16_t weft__html_windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};
