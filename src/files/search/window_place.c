/* Where in the keywords the window is. The beginning is always possible, and often common: many words
 * begin alike. Further on it has to be a place that is as far from the beginning in all spellings, at
 * which a unit begins in every keyword, and behind which there are enough bytes for a view. Of those
 * the best is the one whose most common view is the rarest, a view being as common as its bytes. */
#include "rarity.h"
#include "spelling.h"
#include "window.h"

enum { OFFSETS = 32 }; /* that are thought of: one bit each */

struct choice {
    uint32_t possible;
    unsigned shortest;        /* spelling of all, as far as it matters */
    unsigned common[OFFSETS]; /* of the most common view there; the sum of the ranks of its bytes */
};

static unsigned rank_of(char byte, bool folds)
{
    if (folds)
        byte = weft_text_lower(byte); /* of the two, nearly always the more common */
    return weft__byte_rank[(unsigned char)byte];
}

static void weigh(struct choice *choice, struct weft_text keyword, unsigned offset, bool folds)
{
    unsigned common = 0;
    for (unsigned i = 0; i < WINDOW_SIZE_MAX; i++)
        common += rank_of(keyword.data[offset + i], folds);
    if (common > choice->common[offset])
        choice->common[offset] = common;
}

static void look_at(struct choice *choice, struct weft_text keyword, bool folds)
{
    uint32_t begins = 0; /* where units do; as long as there is one size for all spellings */
    unsigned shortest = 0;
    bool fixed = true;
    for (size_t at = 0; at < keyword.size && shortest < OFFSETS + WINDOW_SIZE_MAX;) {
        struct spellings all = weft__spellings_of(keyword.data + at, keyword.size - at, folds);
        if (fixed && shortest < OFFSETS)
            begins |= UINT32_C(1) << shortest;
        fixed = fixed && all.shortest == all.longest;
        shortest += all.shortest;
        at += all.size;
    }
    choice->possible &= begins;
    choice->shortest = shortest < choice->shortest ? shortest : choice->shortest;
    for (unsigned offset = 0; offset < OFFSETS && offset + WINDOW_SIZE_MAX <= shortest; offset++) {
        if ((choice->possible >> offset & 1) != 0)
            weigh(choice, keyword, offset, folds);
    }
}

void weft__window_place(struct window *window, const struct weft_text *keywords, size_t count,
                        bool folds)
{
    struct choice choice = {.possible = UINT32_MAX, .shortest = OFFSETS + WINDOW_SIZE_MAX};
    for (size_t i = 0; i < count; i++)
        look_at(&choice, keywords[i], folds);
    window->offset = 0;
    window->size = choice.shortest < WINDOW_SIZE_MAX ? choice.shortest : WINDOW_SIZE_MAX;
    for (unsigned at = 1; at < OFFSETS && at + WINDOW_SIZE_MAX <= choice.shortest; at++) {
        bool rarer = choice.common[at] < choice.common[window->offset];
        if ((choice.possible >> at & 1) != 0 && rarer)
            window->offset = at;
    }
}
