/* apps/sales/lines.h: the lines of a file, one after the other, in memory that does not grow. */
#ifndef WEFT_SALES_LINES_H
#define WEFT_SALES_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <weft/text.h>

enum { LINES_MAX = 64 * 1024 }; /* bytes of a line, or of several that belong together */

/* At most size bytes more into buffer: how many; 0: there are no more; negative: a status. */
typedef int lines_fill_fn(void *context, char *buffer, size_t size);

enum lines_got {
    LINES_LINE,
    LINES_LONG, /* it was too long, and is passed over; text is empty */
    LINES_END,
    LINES_FAILED /* see status */
};

/* Set fill and context, zero the rest. */
struct lines {
    lines_fill_fn *fill;
    void *context;

    struct weft_text text; /* read only, until the next call: without LF or CRLF at its end */
    uint64_t number;       /* read only: of the line that text begins with, from 1 */
    int status;            /* read only */

    char *buffer_;
    size_t begin_, at_, end_,
        first_; /* of text; behind it; of what is there; behind its first line */
    uint64_t next_;
    bool ended_;
};

/* The next line. A byte order mark before the first one is not part of it. */
enum lines_got lines_next(struct lines *lines);
/* One line more: text becomes both, with the line's end between them. LINES_END: there is none, and
 * text is as it was; LINES_LONG: together they are too long, and text is as it was. */
enum lines_got lines_more(struct lines *lines);
/* Give back what lines_more added: the next line is the second one of text. */
void lines_back(struct lines *lines);
void lines_free(struct lines *lines);

#endif
