/* What the automaton reads: the symbols of a piece of text, that are bytes too.
 *
 * Where case matters each byte is its own symbol. Where it does not, a unit is read and folded: a
 * character becomes the bytes of what it folds to, a stray byte is put behind 0xFF, which is in no
 * character; so what is the same has the same symbols, and what is not has others. */
#ifndef WEFT_FILES_SEARCH_SYMBOL_H
#define WEFT_FILES_SEARCH_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols {
    uint32_t bytes; /* the first is the lowest */
    unsigned count; /* 1 to 4 */
    unsigned size;  /* of the text that they stand for */
};

/* Those of the unit at data[0] when case does not matter and it is not ASCII. */
struct symbols weft__symbols_fold(const char *data, size_t size);

/* Those of the unit at data[0]; size is at least 1. */
static inline struct symbols symbols_read(const char *data, size_t size, bool folds)
{
    unsigned char byte = (unsigned char)data[0];
    if (folds && byte >= 0x80)
        return weft__symbols_fold(data, size);
    if (folds && byte >= 'A' && byte <= 'Z')
        byte |= 0x20;
    return (struct symbols){byte, 1, 1};
}

/* Takes the first one away; there has to be one. */
static inline unsigned char symbols_take(struct symbols *symbols)
{
    unsigned char first = (unsigned char)symbols->bytes;
    symbols->bytes >>= 8;
    symbols->count--;
    return first;
}

#endif
