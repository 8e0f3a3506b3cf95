/* The search for a pair with lanes: each lane is a place where the keyword may begin. Included by
 * pair_avx2.c and pair_ssse3.c, behind the lanes that they are about.
 *
 * Blocks of places are looked at, four together while there are as many; the last one overlaps the
 * one before it, and what was tried there is tried again, which does no harm. So every load lies
 * within the data: place + keyword.size never exceeds its size.
 *
 * Each place that has the pair but not the keyword has cost a comparison, whose price is added up.
 * When that is out of all proportion to the places that were passed, the rest is left to the plain
 * way, which is slower and always linear. */
#include "pair.h"

enum { TRY_PRICE = 16, TRY_CREDIT = 4096 };
enum { TWO_BLOCKS = 2 * LANES, THREE_BLOCKS = 3 * LANES, FOUR_BLOCKS = 4 * LANES };

struct places {
    const struct pair *pair;
    const char *begin, *end; /* where the keyword may begin */
    size_t spent;            /* on comparisons */
    const char *found;
};

/* The lanes that have the pair. */
LANES_TARGET static inline lanes with_pair(const char *at, const struct pair *pair, lanes first,
                                           lanes second)
{
    return lanes_and(lanes_equal(lanes_load(at + pair->first), first),
                     lanes_equal(lanes_load(at + pair->second), second));
}

/* Compares at the places of a block that have the pair; true ends the search. */
static bool try_block(struct places *places, const char *at, uint32_t bits)
{
    struct weft_text keyword = places->pair->keyword;
    for (; bits != 0; bits &= bits - 1) {
        const char *place = at + __builtin_ctz(bits);
        if (memcmp(place, keyword.data, keyword.size) == 0) {
            places->found = place;
            return true;
        }
        places->spent += TRY_PRICE + keyword.size / TRY_PRICE;
        if (places->spent > TRY_CREDIT + (size_t)(place - places->begin)) {
            size_t left = (size_t)(places->end - place - 1) + keyword.size - 1;
            places->found = weft__pair_find_plain(places->pair, place + 1, left);
            return true;
        }
    }
    return false;
}

LANES_TARGET const char *LANES_NAME(weft__pair_find)(const struct pair *pair, const char *data,
                                                     size_t size)
{
    struct weft_text keyword = pair->keyword;
    if (keyword.size == 1 || size < keyword.size + LANES - 1)
        return weft__pair_find_plain(pair, data, size);
    struct places places = {pair, data, data + (size - keyword.size + 1), 0, NULL};
    lanes first = lanes_of(keyword.data[pair->first]),
          second = lanes_of(keyword.data[pair->second]);
    const char *at = data;
    for (; places.end - at >= FOUR_BLOCKS; at += FOUR_BLOCKS) {
        lanes one = with_pair(at, pair, first, second);
        lanes two = with_pair(at + LANES, pair, first, second);
        lanes three = with_pair(at + TWO_BLOCKS, pair, first, second);
        lanes four = with_pair(at + THREE_BLOCKS, pair, first, second);
        if (lanes_bits(lanes_or(lanes_or(one, two), lanes_or(three, four))) == 0)
            continue;
        if (try_block(&places, at, lanes_bits(one)) ||
            try_block(&places, at + LANES, lanes_bits(two)) ||
            try_block(&places, at + TWO_BLOCKS, lanes_bits(three)) ||
            try_block(&places, at + THREE_BLOCKS, lanes_bits(four)))
            return places.found;
    }
    for (; at < places.end; at += LANES) {
        if (places.end - at < LANES)
            at = places.end - LANES;
        if (try_block(&places, at, lanes_bits(with_pair(at, pair, first, second))))
            return places.found;
    }
    return NULL;
}
