/* The two bytes are the rarest of the keyword, different ones if it has any: then few places have
 * both, and only there the whole keyword is compared.
 *
 * The plain way is the C library's: memchr for one byte, memmem for more, which is linear. Where data
 * are such that the pair is everywhere and the keyword is not, the others end up there as well. */
#include "pair.h"
#include "rarity.h"
#include "weft/alloc.h"
#include <uv.h>

static unsigned char rank_at(struct weft_text keyword, size_t at)
{
    return weft__byte_rank[(unsigned char)keyword.data[at]];
}

/* Where the rarest byte is that is none like that at other; other if there is none. */
static size_t rarest(struct weft_text keyword, size_t other)
{
    size_t best = other;
    for (size_t at = 0; at < keyword.size; at++) {
        if (keyword.data[at] == keyword.data[other])
            continue;
        if (best == other || rank_at(keyword, at) < rank_at(keyword, best))
            best = at;
    }
    return best;
}

static void choose(struct pair *pair)
{
    struct weft_text keyword = pair->keyword;
    size_t first = 0;
    for (size_t at = 1; at < keyword.size; at++) {
        if (rank_at(keyword, at) < rank_at(keyword, first))
            first = at;
    }
    pair->first = first;
    pair->second = rarest(keyword, first);
    if (pair->second == first) /* one byte again and again: as far apart as can be */
        pair->second = keyword.size - 1;
}

int weft__pair_make(struct pair *pair, struct weft_text keyword)
{
    char *copy = weft_alloc(keyword.size);
    if (copy == NULL)
        return UV_ENOMEM;
    memcpy(copy, keyword.data, keyword.size);
    pair->keyword = weft_text(copy, keyword.size);
    choose(pair);
    return 0;
}

void weft__pair_close(struct pair *pair)
{
    weft_free((char *)pair->keyword.data);
    *pair = (struct pair){0};
}

const char *weft__pair_find_plain(const struct pair *pair, const char *data, size_t size)
{
    if (size == 0)
        return NULL;
    if (pair->keyword.size == 1)
        return memchr(data, pair->keyword.data[0], size);
    return memmem(data, size, pair->keyword.data, pair->keyword.size);
}
