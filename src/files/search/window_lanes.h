/* The search through a window with lanes (known as Teddy, from Hyperscan): each lane is a place where
 * a keyword may begin. Included by window_avx2.c and window_ssse3.c, behind the lanes that they are
 * about.
 *
 * A shuffle looks up sixteen entries at once, so the halves of a byte are looked up apart; where the
 * sets of buckets of all halves of all bytes have one in common, the place is tried. That is a block
 * with what follows it: the places at the end are left to the plain way. */
#include "window.h"

struct tables {
    lanes lower[WINDOW_SIZE_MAX], upper[WINDOW_SIZE_MAX];
};

/* The buckets that the bytes there pass as the number-th of a view. */
LANES_TARGET static inline lanes buckets(const struct tables *tables, unsigned number,
                                         const char *at)
{
    lanes bytes = lanes_load(at + number);
    return lanes_and(lanes_choose(tables->lower[number], lanes_lower_half(bytes)),
                     lanes_choose(tables->upper[number], lanes_upper_half(bytes)));
}

LANES_TARGET static inline uint32_t places(const struct tables *tables, const char *at)
{
    lanes passed = lanes_and(lanes_and(buckets(tables, 0, at), buckets(tables, 1, at)),
                             buckets(tables, 2, at));
    return ~lanes_bits(lanes_equal(passed, lanes_of(0))) & LANES_ALL;
}

LANES_TARGET bool LANES_NAME(weft__window_find)(const struct window *window, const char *data,
                                                size_t size, struct search *search)
{
    struct tables tables;
    size_t at = 0;
    for (unsigned i = 0; i < WINDOW_SIZE_MAX; i++) {
        tables.lower[i] = lanes_table(window->lower[i]);
        tables.upper[i] = lanes_table(window->upper[i]);
    }
    for (; at + LANES + WINDOW_SIZE_MAX - 1 <= size; at += LANES) {
        for (uint32_t bits = places(&tables, data + at); bits != 0; bits &= bits - 1) {
            if (weft__search_try(search, at + (unsigned)__builtin_ctz(bits)))
                return true;
        }
    }
    return weft__window_find_plain(window, data, size, at, search);
}
