/* Pairs in a table of open addressing, at most half full. */
#include "trace/table.h"
#include "trace/hash.h"
#include <weft/alloc.h>

enum { FIRST_CAPACITY = 64 };

void *grow(void *block, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return block;
    size_t more = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    if (more > SIZE_MAX / size)
        return NULL;
    void *larger = weft_realloc(block, more * size);
    if (larger != NULL)
        *capacity = more;
    return larger;
}

static struct table_entry *slot(const struct table *table, struct table_key key)
{
    size_t mask = table->capacity - 1, at = (size_t)hash_pair(key.a, key.b) & mask;
    for (;; at = (at + 1) & mask) {
        struct table_entry *entry = &table->entries[at];
        if (entry->value == TABLE_NONE || (entry->key.a == key.a && entry->key.b == key.b))
            return entry;
    }
}

static bool enlarge(struct table *table)
{
    if (table->count * 2 < table->capacity)
        return true;
    struct table larger = {.count = table->count,
                           .capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2};
    larger.entries = weft_alloc(larger.capacity * sizeof *larger.entries);
    if (larger.entries == NULL)
        return false;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.entries[i].value = TABLE_NONE;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].value != TABLE_NONE)
            *slot(&larger, table->entries[i].key) = table->entries[i];
    }
    weft_free(table->entries);
    *table = larger;
    return true;
}

uint32_t *table_put(struct table *table, uint64_t a, uint64_t b)
{
    struct table_key key = {a, b};
    if (!enlarge(table))
        return NULL;
    struct table_entry *entry = slot(table, key);
    if (entry->value == TABLE_NONE) {
        entry->key = key;
        table->count++;
    }
    return &entry->value;
}

uint32_t table_get(const struct table *table, uint64_t a, uint64_t b)
{
    struct table_key key = {a, b};
    return table->capacity == 0 ? TABLE_NONE : slot(table, key)->value;
}

void table_free(struct table *table)
{
    weft_free(table->entries);
    *table = (struct table){0};
}
