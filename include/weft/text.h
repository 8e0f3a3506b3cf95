/* weft/text.h: a piece of text that lies somewhere else: where it is, and how long.
 *
 * Not terminated, not owned: it is valid as long as what it points into. An empty one may have any
 * pointer, also NULL. Print it with "%.*s", WEFT_TEXT_ARGS(text). Letters are those of ASCII,
 * whatever the locale. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_text {
    const char *data;
    size_t size;
};

static inline struct weft_text weft_text(const char *data, size_t size)
{
    struct weft_text text = {data, size};
    return text;
}

/* The whole of a string; NULL is empty. */
static inline struct weft_text weft_text_of(const char *string)
{
    return weft_text(string, string != NULL ? strlen(string) : 0);
}

#define WEFT_TEXT_ARGS(text) (int)(text).size, (text).data

/* Byte for byte. */
static inline bool weft_text_equal(struct weft_text one, struct weft_text other)
{
    return one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
}

static inline bool weft_text_is(struct weft_text text, const char *string)
{
    return weft_text_equal(text, weft_text_of(string));
}

static inline char weft_text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The same but for the case of letters. */
static inline bool weft_text_same(struct weft_text one, struct weft_text other)
{
    if (one.size != other.size)
        return false;
    for (size_t i = 0; i < one.size; i++) {
        if (weft_text_lower(one.data[i]) != weft_text_lower(other.data[i]))
            return false;
    }
    return true;
}

static inline bool weft_text_starts(struct weft_text text, const char *string)
{
    size_t size = strlen(string);
    return text.size >= size && memcmp(text.data, string, size) == 0;
}

/* Without the spaces and tabs around it. */
static inline struct weft_text weft_text_trim(struct weft_text text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

/* Cut off what stands before the next separator; rest begins behind it, or is empty with data NULL
 * when that was the last piece. So: while (rest.data != NULL) piece = weft_text_cut(&rest, ','); */
static inline struct weft_text weft_text_cut(struct weft_text *rest, char separator)
{
    const char *end =
        rest->size > 0 ? (const char *)memchr(rest->data, separator, rest->size) : NULL;
    struct weft_text piece = *rest;
    if (end == NULL) {
        *rest = weft_text(NULL, 0);
        return piece;
    }
    piece.size = (size_t)(end - rest->data);
    *rest = weft_text(end + 1, rest->size - piece.size - 1);
    return piece;
}

#ifdef __cplusplus
}
#endif
#endif
