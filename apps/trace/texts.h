/* apps/trace/texts.h: texts that come again and again, kept once each and known by a
 * number. */
#ifndef WEFT_TRACE_TEXTS_H
#define WEFT_TRACE_TEXTS_H

#include "trace/table.h"
#include <weft/text.h>

/* ---- texts ---------------------------------------------------------------------------------- */

enum { TEXTS_LONGEST = 512 };

/* Zeroed before its first use. */
struct texts {
    struct texts_piece {
        size_t begin, size;
    } * pieces;
    char *bytes;
    size_t count, pieces_capacity, size, bytes_capacity;
    uint32_t *slots;
    size_t slots_capacity;
};

/* The number of a text; 0 is the empty one. What cannot be shown without harm is replaced first
 * (U+FFFD), and what is longer than TEXTS_LONGEST cut ("…"), so that nobody has to look again.
 * TABLE_NONE: there is no memory. */
uint32_t texts_put(struct texts *texts, struct weft_text text);
/* Valid until the next put. */
struct weft_text texts_get(const struct texts *texts, uint32_t number);
void texts_free(struct texts *texts);

#endif
