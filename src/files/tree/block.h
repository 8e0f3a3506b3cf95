/* What an explorer has found, on its way to the loop: records in a block. See block.c. */
#ifndef WEFT_FILES_BLOCK_H
#define WEFT_FILES_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* A record is a head, something of its kind, and bytes. */
enum block_type { BLOCK_FOUND, BLOCK_ERROR };
struct block_head {
    size_t size; /* of all of it; a multiple of its alignment */
    enum block_type type;
};

/* Of type BLOCK_ERROR: path could not be read. */
struct block_error {
    struct block_head head;
    int status;
    char path[]; /* NUL behind it */
};

/* Zeroed before its first use. */
struct block {
    char *data;
    size_t used, room, told; /* told: how far the loop has come */
};

/* Room for one more record of size bytes, of which the head is filled in. NULL: no memory. */
void *weft__block_add(struct block *block, enum block_type type, size_t size);
bool weft__block_full(const struct block *block);
/* The next record to be told; NULL: that was the last, and the block is empty again. */
const struct block_head *weft__block_next(struct block *block);
void weft__block_free(struct block *block);

#endif
