/* The folding is 1454 code points that move, and most do so in company: whole alphabets by one
 * distance, or every second letter by one. So it is a sorted table of ranges, made by
 * tools/fold-table, and a look-up is a binary search. The way back is rare (only when a matcher is
 * made) and asks every range whether one of its own arrives there. */
#include "fold.h"
#include <stdbool.h>
#include <stddef.h>

struct fold_range {
    uint32_t first, last;
    int32_t distance;
    uint32_t step; /* 2: every second one moves */
};

#include "fold_table.h"

enum { RANGES = sizeof ranges / sizeof ranges[0] };

const char weft__fold_unicode[] = FOLD_UNICODE;

static bool has(const struct fold_range *range, uint32_t code)
{
    return range->first <= code && code <= range->last && (code - range->first) % range->step == 0;
}

uint32_t weft__fold(uint32_t code)
{
    size_t low = 0, high = RANGES;
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code | 0x20 : code;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == RANGES || !has(&ranges[low], code))
        return code;
    return code + (uint32_t)ranges[low].distance;
}

unsigned weft__fold_class(uint32_t code, uint32_t same[FOLD_CLASS_MAX])
{
    unsigned count = 0;
    uint32_t folded = weft__fold(code);
    same[count++] = folded;
    for (size_t i = 0; i < RANGES && count < FOLD_CLASS_MAX; i++) {
        uint32_t from = folded - (uint32_t)ranges[i].distance;
        if (has(&ranges[i], from))
            same[count++] = from;
    }
    return count;
}
