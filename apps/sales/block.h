/* apps/sales/block.h: sales as they lie on the disk, some hundred in a block. See block.c. */
#ifndef WEFT_SALES_BLOCK_H
#define WEFT_SALES_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <weft/text.h>

enum {
    BLOCK_MAX = 4080, /* bytes: a page of LMDB's without its head */
    BLOCK_HEAD = 24,
    SALE_FIXED = 1 + 8 + 8, /* bytes of a sale beside its item's name */
};

/* One that is being filled. */
struct ledger_block {
    uint64_t first; /* the id of its first sale */
    uint32_t count;
    uint32_t size;                     /* bytes in use; BLOCK_HEAD if it is empty */
    _Alignas(8) char bytes[BLOCK_MAX]; /* the head is in order only after block_seal */
};

void block_begin(struct ledger_block *block, uint64_t first);
/* False: it is full. The item has 1 to 255 bytes. */
bool block_add(struct ledger_block *block, struct weft_text item, int64_t amount, int64_t time_s);
/* Write the head: from here on bytes is what goes to the disk. */
void block_seal(struct ledger_block *block);

/* What a block on the disk says of itself. False: it is not what was written. Its sales have still to
 * be looked at with care: see sale_size. */
struct block_view {
    uint64_t first;
    uint32_t count;
    const char *sales, *end;
};
bool block_open(struct block_view *view, const void *data, size_t size);
/* Go on to fill it. The view has passed block_open and all of its sales lie within. */
void block_resume(struct ledger_block *block, const struct block_view *view);

static inline uint64_t block_load(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* A sale: the size of its item's name, the name, the amount, the time. The bytes that the one at
 * takes; 0: it does not end before end. Eight bytes behind its first one can always be read. */
static inline size_t sale_size(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    if (left <= SALE_FIXED)
        return 0;
    size_t size = SALE_FIXED + (size_t)(unsigned char)at[0];
    return size > left || size == SALE_FIXED ? 0 : size;
}

#endif
