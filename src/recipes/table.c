/* The table of a cache: see table.h. */
#include "table.h"
#include "weft/alloc.h"

enum { PASSED_MOST = UINT8_MAX };

static int make(struct table *table, size_t chunks)
{
    size_t tags = chunks * CHUNK_TAGS;
    char *block = weft_calloc(chunks, CHUNK_TAGS + CHUNK_SLOTS * sizeof(struct weft_cell *));
    if (block == NULL)
        return UV_ENOMEM;
    *table = (struct table){.tags = (uint8_t *)block,
                            .cells = (struct weft_cell **)(void *)(block + tags),
                            .mask = chunks - 1};
    return 0;
}

int weft__table_open(struct table *table)
{
    return make(table, 1);
}

void weft__table_close(struct table *table)
{
    weft_free(table->tags);
    *table = (struct table){0};
}

int weft__table_reserve(struct table *table)
{
    struct table larger;
    size_t chunks = table->mask + 1;
    if (table->count < chunks * CHUNK_FULL)
        return 0;
    if (make(&larger, chunks * 2) != 0)
        return UV_ENOMEM;
    for (size_t i = 0; i < table_slots(table); i++) {
        if (table_at(table, i) != NULL)
            weft__table_add(&larger, table_at(table, i));
    }
    weft__table_close(table);
    *table = larger;
    return 0;
}

static uint8_t *tags_at(const struct table *table, size_t chunk)
{
    return table->tags + chunk * CHUNK_TAGS;
}

static size_t chunk_after(const struct table *table, size_t chunk)
{
    return (chunk + 1) & table->mask;
}

static struct weft_cell *search_chunk(const struct table *table, size_t chunk, struct weft_text key,
                                      uint8_t tag)
{
    for (unsigned like = tags_like(tags_at(table, chunk), tag); like != 0; like &= like - 1) {
        struct weft_cell *cell = table->cells[chunk * CHUNK_SLOTS + (unsigned)__builtin_ctz(like)];
        if (cell_has_key(cell, key))
            return cell;
    }
    return NULL;
}

/* All chunks may have been passed by somebody: once round, then. */
struct weft_cell *weft__table_find(const struct table *table, struct weft_text key, uint64_t hash)
{
    size_t chunk = hash & table->mask;
    for (size_t left = table->mask + 1; left != 0; left--) {
        struct weft_cell *cell = search_chunk(table, chunk, key, tag_of(hash));
        if (cell != NULL || tags_at(table, chunk)[CHUNK_SLOTS] == 0)
            return cell;
        chunk = chunk_after(table, chunk);
    }
    return NULL;
}

static void set(struct table *table, size_t chunk, unsigned slot, uint8_t tag,
                struct weft_cell *cell)
{
    tags_at(table, chunk)[slot] = tag;
    table->cells[chunk * CHUNK_SLOTS + slot] = cell;
}

/* One that has counted to its end does not know any more how many there are, and stays there until the
 * table grows. */
static void count_passed(uint8_t *passed, int by)
{
    if (*passed != PASSED_MOST)
        *passed = (uint8_t)(*passed + by);
}

void weft__table_add(struct table *table, struct weft_cell *cell)
{
    size_t chunk = cell->hash & table->mask;
    unsigned empty;
    while ((empty = tags_like(tags_at(table, chunk), 0)) == 0) {
        count_passed(&tags_at(table, chunk)[CHUNK_SLOTS], 1);
        chunk = chunk_after(table, chunk);
    }
    set(table, chunk, (unsigned)__builtin_ctz(empty), tag_of(cell->hash), cell);
    table->count++;
}

/* The slot of cell in chunk; CHUNK_SLOTS: it is not there. */
static unsigned slot_in(const struct table *table, size_t chunk, const struct weft_cell *cell)
{
    unsigned like = tags_like(tags_at(table, chunk), tag_of(cell->hash));
    for (; like != 0; like &= like - 1) {
        unsigned slot = (unsigned)__builtin_ctz(like);
        if (table->cells[chunk * CHUNK_SLOTS + slot] == cell)
            return slot;
    }
    return CHUNK_SLOTS;
}

void weft__table_replace(struct table *table, const struct weft_cell *old, struct weft_cell *cell)
{
    size_t chunk = old->hash & table->mask;
    unsigned slot;
    while ((slot = slot_in(table, chunk, old)) == CHUNK_SLOTS)
        chunk = chunk_after(table, chunk);
    table->cells[chunk * CHUNK_SLOTS + slot] = cell;
}

void weft__table_remove(struct table *table, const struct weft_cell *cell)
{
    size_t chunk = cell->hash & table->mask;
    unsigned slot;
    while ((slot = slot_in(table, chunk, cell)) == CHUNK_SLOTS) {
        count_passed(&tags_at(table, chunk)[CHUNK_SLOTS], -1);
        chunk = chunk_after(table, chunk);
    }
    set(table, chunk, slot, 0, NULL);
    table->count--;
}
