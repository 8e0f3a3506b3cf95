/* A block is filled by one thread and then read by another, never both: it goes there and back with its
 * explorer. It has room for what is usual; a record that is larger makes it grow, once. */
#include "block.h"
#include "weft/alloc.h"
#include "weft/tree.h"
#include <stdalign.h>

enum { ROOM = WEFT_TREE_BLOCK + 16 * 1024 };

void *weft__block_add(struct block *block, enum block_type type, size_t size)
{
    size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (size > block->room - block->used) {
        size_t room = block->used + size > ROOM ? block->used + size : ROOM;
        char *data = weft_realloc(block->data, room);
        if (data == NULL)
            return NULL;
        block->data = data;
        block->room = room;
    }
    struct block_head *head = (void *)(block->data + block->used);
    *head = (struct block_head){size, type};
    block->used += size;
    return head;
}

bool weft__block_full(const struct block *block)
{
    return block->used >= WEFT_TREE_BLOCK;
}

const struct block_head *weft__block_next(struct block *block)
{
    if (block->told == block->used) {
        block->told = block->used = 0;
        return NULL;
    }
    const struct block_head *head = (const void *)(block->data + block->told);
    block->told += head->size;
    return head;
}

void weft__block_free(struct block *block)
{
    weft_free(block->data);
    *block = (struct block){0};
}
