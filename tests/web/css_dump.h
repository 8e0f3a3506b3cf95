/* The links of a sheet, found in the pieces that a test cuts it into. */
#ifndef TESTS_WEB_CSS_DUMP_H
#define TESTS_WEB_CSS_DUMP_H

#include "dump.h"
#include <weft/css.h>

/* "import quote start end url\n" for each. */
static inline void css_dump_url(struct weft_css *css, const struct weft_css_url *url, void *context)
{
    struct dump *dump = context;
    (void)css;
    dump->count++;
    dump_print(dump, "%c%c %llu %llu ", url->import ? '@' : ' ', url->quote ? url->quote : ' ',
               (unsigned long long)url->start, (unsigned long long)url->end);
    dump_bytes(dump, url->url.data, url->url.size);
    dump_bytes(dump, "\n", 1);
}

/* In pieces of first, then of step bytes; step 0: the rest as one. Each is a block of its own, so
 * that a sanitizer sees a read past its end. The status of the end. */
static inline int css_dump(struct dump *dump, const char *data, size_t size, size_t first,
                           size_t step)
{
    struct weft_css css = {.on_url = css_dump_url, .context = dump};
    dump_clear(dump);
    weft_css_begin(&css);
    while (size > 0) {
        size_t piece = first < size ? first : size;
        char *copy = malloc(piece + 1);
        if (copy == NULL)
            abort();
        memcpy(copy + 1, data, piece);
        weft_css_feed(&css, copy + 1, piece);
        free(copy);
        data += piece;
        size -= piece;
        first = step > 0 ? step : size;
    }
    int status = weft_css_end(&css);
    weft_css_free(&css);
    return status;
}

#endif
