/* Several keywords, or several spellings of one: places where one may begin, by what is seen of it
 * through a window of three bytes, which is at the same place in all of them. */
#ifndef WEFT_FILES_SEARCH_WINDOWES_H
#define WEFT_FILES_SEARCH_WINDOWES_H

#include "weft/text.h"
#include <stdint.h>

enum { WINDOW_SIZE_MAX = 3, WINDOW_BUCKETS = 8, WINDOW_SEEN_BITS = 16 };

struct window {
    unsigned offset; /* from where a keyword begins, in whatever spelling */
    unsigned size;   /* 1 to 3: no spelling ends within it */
    /* For each byte of a view, by its lower half and by its upper half: in which buckets there are
     * views that have it there, one bit a bucket. All bits where the window has no such byte. */
    unsigned char lower[WINDOW_SIZE_MAX][16], upper[WINDOW_SIZE_MAX][16];
    /* One bit for each hash of a view. */
    unsigned char seen[(1 << WINDOW_SEEN_BITS) / 8];
};

/* Of the bytes of a view, the first is the lowest. */
static inline uint32_t window_hash(uint32_t bytes)
{
    return bytes * 0x9E3779B1u >> (32 - WINDOW_SEEN_BITS);
}

static inline bool window_seen(const struct window *window, uint32_t bytes)
{
    uint32_t hash = window_hash(bytes);
    return (window->seen[hash >> 3] >> (hash & 7) & 1) != 0;
}

void weft__window_make(struct window *window, const struct weft_text *keywords, size_t count,
                       bool folds);

/* Choose offset and size, for the rarest view. */
void weft__window_place(struct window *window, const struct weft_text *keywords, size_t count,
                        bool folds);

/* Asked of each place where a keyword may begin, from left to right; true ends the search. */
struct search;
bool weft__search_try(struct search *search, size_t at);

/* Try the places of data; true if one has ended the search. Here data are what is seen through the
 * window from the first place on. plain begins with place from. */
bool weft__window_find_plain(const struct window *window, const char *data, size_t size,
                             size_t from, struct search *search);
bool weft__window_find_ssse3(const struct window *window, const char *data, size_t size,
                             struct search *search);
bool weft__window_find_avx2(const struct window *window, const char *data, size_t size,
                            struct search *search);

#endif
