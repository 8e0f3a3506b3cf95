/* A cell: one answer with its key, in one block of memory, counted.
 *
 * A load makes it, those who wait look into it, a cache may keep it: all of them hold the same block.
 * All but the holders, the sizes and the hash are the cache's, and mean nothing to others. */
#ifndef WEFT_RECIPES_CELL_H
#define WEFT_RECIPES_CELL_H

#include "hash.h"
#include "weft/batch.h"

/* What a search looks at comes last, beside the key: so a hit touches one line of the processor's cache,
 * or two. */
struct weft_cell {
    struct weft_cell *newer, *older; /* in a queue of the policy */
    uint64_t hash;
    uint32_t holders;
    uint8_t queue;

    uint8_t uses;
    int status; /* 0, or the error that is remembered here in place of a value */
    uint32_t key_size, value_size;
    uint64_t fresh_until_ms, gone_ms;
    /* Behind it: the key, a NUL, and on the next multiple of 16 the value, and a NUL. */
};

enum { CELL_ALIGNMENT = 16, CELL_HEADER = 64 };
_Static_assert(sizeof(struct weft_cell) <= CELL_HEADER, "the key is behind the header");

static inline char *cell_key(struct weft_cell *cell)
{
    return (char *)cell + CELL_HEADER;
}

static inline size_t cell_value_at(size_t key_size)
{
    return CELL_HEADER + (key_size + CELL_ALIGNMENT) / CELL_ALIGNMENT * CELL_ALIGNMENT;
}

/* The bytes of a block for these. */
static inline size_t cell_size(size_t key_size, size_t value_size)
{
    return cell_value_at(key_size) + value_size + 1;
}

enum { KEY_SHORT = 16 };

/* For a key of up to KEY_SHORT bytes, without a call. */
static inline bool cell_has_short_key(struct weft_cell *cell, struct weft_text key)
{
    if (cell->key_size != key.size)
        return false;
    uint64_t ours[2], theirs[2];
    hash_read_short(cell_key(cell), key.size, ours);
    hash_read_short(key.data, key.size, theirs);
    return ((ours[0] ^ theirs[0]) | (ours[1] ^ theirs[1])) == 0;
}

static inline bool cell_has_key(struct weft_cell *cell, struct weft_text key)
{
    return cell->key_size == key.size &&
           (key.size == 0 || memcmp(cell_key(cell), key.data, key.size) == 0);
}

static inline struct weft_text cell_value(const struct weft_cell *cell)
{
    return weft_text((const char *)cell + cell_value_at(cell->key_size), cell->value_size);
}

/* A copy of both, held once. NULL: no memory. The value is at most UINT32_MAX bytes. */
struct weft_cell *weft__cell_make(struct weft_text key, uint64_t hash, const void *data,
                                  size_t size);

#endif
