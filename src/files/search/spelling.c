/* Letters that are the same need not be of one size: k is one byte, the Kelvin sign three. Hence a
 * keyword has no size where case does not matter, but a shortest and a longest spelling. */
#include "spelling.h"

struct spellings weft__spellings_of(const char *keyword, size_t size, bool folds)
{
    uint32_t same[FOLD_CLASS_MAX];
    struct spellings all = {
        .bytes = {{keyword[0]}}, .sizes = {1}, .count = 1, .shortest = 1, .longest = 1, .size = 1};
    if (!folds)
        return all;
    struct unit unit = weft__unit_read(keyword, size);
    all.size = all.shortest = all.longest = unit.size;
    all.count = weft__fold_class(unit.code, same);
    for (unsigned i = 0; i < all.count; i++) {
        unsigned written = all.sizes[i] = weft__unit_write(same[i], all.bytes[i]);
        all.shortest = written < all.shortest ? written : all.shortest;
        all.longest = written > all.longest ? written : all.longest;
    }
    return all;
}
