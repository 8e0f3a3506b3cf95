/* apps/trace/table.h: a table from pairs of numbers to a number; and blocks that grow. */
#ifndef WEFT_TRACE_TABLE_H
#define WEFT_TRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX

struct table_key {
    uint64_t a, b;
};
struct table_entry {
    struct table_key key;
    uint32_t value; /* TABLE_NONE: nothing here */
};
/* Zeroed before its first use. */
struct table {
    struct table_entry *entries;
    size_t count, capacity;
};

/* Where the value for key is; a new one is TABLE_NONE, to be set before the next call. NULL: there
 * is no memory. Valid until the next call. */
uint32_t *table_put(struct table *table, uint64_t a, uint64_t b);
/* TABLE_NONE: there is none. */
uint32_t table_get(const struct table *table, uint64_t a, uint64_t b);
void table_free(struct table *table);

/* Room for one more of size bytes in a block of *capacity that holds count: the block, perhaps a
 * new one. NULL: there is no memory, and block is as it was. */
void *grow(void *block, size_t count, size_t *capacity, size_t size);

#endif
