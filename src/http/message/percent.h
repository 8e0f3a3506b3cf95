/* One character of a text with percent signs. */
#ifndef WEFT_HTTP_PERCENT_H
#define WEFT_HTTP_PERCENT_H

#include "scan.h"

/* Take the next byte of text, which is not empty, decoded: 0 to 255, or -1 for a '%' without two
 * hex digits. plus: '+' is a space. */
static inline int percent_take(struct weft_text *text, bool plus)
{
    char c = text->data[0];
    if (c != '%') {
        scan_skip(text, 1);
        return plus && c == '+' ? ' ' : (unsigned char)c;
    }
    if (text->size < 3)
        return -1;
    int high = hex_value(text->data[1]), low = hex_value(text->data[2]);
    if (high < 0 || low < 0)
        return -1;
    scan_skip(text, 3);
    return high << 4 | low;
}

#endif
