/* One keyword, its case as it is: two of its bytes are looked for where they stand to each other. */
#ifndef WEFT_FILES_SEARCH_PAIR_H
#define WEFT_FILES_SEARCH_PAIR_H

#include "weft/text.h"

struct pair {
    struct weft_text keyword; /* a copy */
    size_t first, second; /* where in it the two bytes are; the same for a keyword of one byte */
};

/* UV_ENOMEM. */
int weft__pair_make(struct pair *pair, struct weft_text keyword);
void weft__pair_close(struct pair *pair);

/* Where it is found first, or NULL. The latter two need the processor to have what they are named
 * for. */
const char *weft__pair_find_plain(const struct pair *pair, const char *data, size_t size);
const char *weft__pair_find_ssse3(const struct pair *pair, const char *data, size_t size);
const char *weft__pair_find_avx2(const struct pair *pair, const char *data, size_t size);

#endif
