/* Text that is put into a buffer piece by piece; what does not fit is counted all the same. */
#ifndef WEFT_HTTP_METRICS_TEXT_H
#define WEFT_HTTP_METRICS_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <uv.h>

struct metrics_text {
    char *text;
    size_t size, used; /* used >= size: it did not fit */
};

__attribute__((format(printf, 2, 3))) static inline void metrics_put(struct metrics_text *to,
                                                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = to->used < to->size ? to->size - to->used : 0;
    int length = vsnprintf(room > 0 ? to->text + to->used : NULL, room, format, arguments);
    va_end(arguments);
    to->used += (size_t)length;
}

/* How many bytes it is; or UV_ENOBUFS, and text, where it was put, becomes "". */
static inline int metrics_end(const struct metrics_text *to, char *text)
{
    if (to->used < to->size)
        return (int)to->used;
    if (to->size > 0)
        text[0] = '\0';
    return UV_ENOBUFS;
}

#endif
