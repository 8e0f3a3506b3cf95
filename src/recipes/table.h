/* The cache's table: chunks of 15 slots, searched one after the other from where the hash says.
 *
 *     tags    ┌ 15 tags, 0 is empty ┐ passed │ ...        a chunk's are 16 bytes, compared at once
 *     cells   │ 15 pointers         │          ...
 *
 * A tag is a byte of the hash: so a cell is touched only if it is most likely the one, and whether there
 * is one at all the tags say, which are small enough to be near. passed counts those of the table that
 * would be in this chunk or before it had it not been full: while it is 0 a search ends here. What is
 * removed counts it down again, so there are no graves, and nothing moves but when the table grows. */
#ifndef WEFT_RECIPES_TABLE_H
#define WEFT_RECIPES_TABLE_H

#include "cell.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { CHUNK_SLOTS = 15, CHUNK_TAGS = 16, CHUNK_FULL = 12 };

struct table {
    uint8_t *tags;
    struct weft_cell **cells; /* in the same block */
    size_t mask;              /* the number of chunks, a power of two, less 1 */
    size_t count;
};

/* UV_ENOMEM, or 0. */
int weft__table_open(struct table *table);
void weft__table_close(struct table *table);

/* Make sure that one more fits. UV_ENOMEM: it does not, and nothing has changed. */
int weft__table_reserve(struct table *table);
/* The key is not there, and one more fits. */
void weft__table_add(struct table *table, struct weft_cell *cell);
/* Both have the same key; old is there. */
void weft__table_replace(struct table *table, const struct weft_cell *old, struct weft_cell *cell);
/* cell is there. */
void weft__table_remove(struct table *table, const struct weft_cell *cell);

static inline size_t table_slots(const struct table *table)
{
    return (table->mask + 1) * CHUNK_SLOTS;
}

/* What is in a slot, from 0; NULL: nothing. */
static inline struct weft_cell *table_at(const struct table *table, size_t slot)
{
    return table->cells[slot];
}

static inline uint8_t tag_of(uint64_t hash)
{
    uint8_t tag = (uint8_t)(hash >> 56);
    return tag != 0 ? tag : 1;
}

/* A bit for each slot of a chunk with this tag. */
static inline unsigned tags_like(const uint8_t *tags, uint8_t tag)
{
#ifdef __SSE2__
    __m128i all = _mm_load_si128((const __m128i *)(const void *)tags);
    int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)tag)));
    return (unsigned)bits & ((1U << CHUNK_SLOTS) - 1);
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < CHUNK_SLOTS; i++)
        bits |= (unsigned)(tags[i] == tag) << i;
    return bits;
#endif
}

/* Where a search begins, and nearly always ends. */
struct guess {
    struct weft_cell *cell; /* the first with its tag; NULL: none has */
    bool none;              /* for sure */
};
static inline struct guess table_guess(const struct table *table, uint64_t hash)
{
    size_t chunk = hash & table->mask;
    const uint8_t *tags = table->tags + chunk * CHUNK_TAGS;
    unsigned like = tags_like(tags, tag_of(hash));
    if (like == 0)
        return (struct guess){NULL, tags[CHUNK_SLOTS] == 0};
    size_t slot = chunk * CHUNK_SLOTS + (unsigned)__builtin_ctz(like);
    return (struct guess){table->cells[slot], false};
}

/* NULL: there is none. */
struct weft_cell *weft__table_find(const struct table *table, struct weft_text key, uint64_t hash);

#endif
