/* Numbers in messages: digits, all of them, and nothing else. Not strtol: it skips blanks, takes
 * signs, and reads on behind the end of a text. */
#ifndef WEFT_HTTP_NUMBER_H
#define WEFT_HTTP_NUMBER_H

#include "weft/text.h"
#include <stdint.h>
#include <uv.h>

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number, leading zeros included. UV_EINVAL: it is none, *number is 0. UV_ERANGE: it is
 * above most, *number is most: so who wants it capped looks for UV_EINVAL only. */
static inline int number_parse(struct weft_text text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    bool above = false;
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.data[i]))
            return UV_EINVAL;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        above = above || digit > most || value > (most - digit) / 10;
        if (!above)
            value = value * 10 + digit;
    }
    if (text.size == 0)
        return UV_EINVAL;
    *number = above ? most : value;
    return above ? UV_ERANGE : 0;
}

#endif
