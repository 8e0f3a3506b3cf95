/* What a matcher finds, found slowly: every keyword is tried at every place, in the order in which
 * they are given. Where case does not matter text is read into units first, by a decoder of its own. */
#ifndef TESTS_FILES_MATCHER_MODEL_H
#define TESTS_FILES_MATCHER_MODEL_H

#include "files/search/fold.h"
#include "files/search/matcher.h"
#include <stdint.h>

enum { MODEL_STRAY = 0x110000 };

static inline size_t model_encode(uint32_t code, unsigned char *bytes)
{
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (size_t i = 0; i <= more; i++)
        bytes[i] = (unsigned char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    bytes[0] = (unsigned char)(leads[more] | code >> 6 * more);
    return more + 1;
}

/* A character is what is spelled as its code point is; everything else is a stray byte. */
static inline uint32_t model_decode(const unsigned char *data, size_t size, size_t *used)
{
    static const unsigned char masks[] = {0x7F, 0x1F, 0x0F, 0x07};
    for (size_t length = 1; length <= 4 && length <= size; length++) {
        unsigned char again[4];
        uint32_t code = data[0] & masks[length - 1];
        for (size_t i = 1; i < length; i++)
            code = code << 6 | (data[i] & 0x3F);
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            continue;
        if (model_encode(code, again) == length && memcmp(again, data, length) == 0) {
            *used = length;
            return code;
        }
    }
    *used = 1;
    return MODEL_STRAY + data[0];
}

/* The next unit at *at; with case, a byte is one. */
static inline uint32_t model_next(struct weft_text text, size_t *at, bool ignore_case)
{
    size_t used = 1;
    const unsigned char *data = (const unsigned char *)text.data + *at;
    uint32_t code = data[0];
    if (ignore_case)
        code = weft__fold(model_decode(data, text.size - *at, &used));
    *at += used;
    return code;
}

/* How many bytes of data from at on are this keyword; 0: it is not there. */
static inline size_t model_match(struct weft_text keyword, struct weft_text data, size_t at,
                                 bool ignore_case)
{
    size_t end = at;
    for (size_t i = 0; i < keyword.size;) {
        if (end == data.size ||
            model_next(keyword, &i, ignore_case) != model_next(data, &end, ignore_case))
            return 0;
    }
    return end - at;
}

static inline bool model_find(const struct weft_text *keywords, size_t count, bool ignore_case,
                              struct weft_text data, struct match *match)
{
    for (size_t at = 0; at < data.size; (void)model_next(data, &at, ignore_case)) {
        for (size_t i = 0; i < count; i++) {
            size_t size = model_match(keywords[i], data, at, ignore_case);
            if (size == 0)
                continue;
            *match = (struct match){data.data + at, size, i};
            return true;
        }
    }
    return false;
}

#endif
