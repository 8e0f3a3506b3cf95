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
