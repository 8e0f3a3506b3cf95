/* Blocks: sales, packed.
 *
 * A scan looks at every sale. One entry of LMDB for each would cost more than the look itself, so a
 * block has as many as fit into one page. It is filled from the front; an add goes on to fill the
 * last one, which costs nothing more, because LMDB writes whole pages anyway.
 *
 *   head    checksum of all that follows 8, id of the first sale 8, how many 4, bytes in all 4
 *   sale    size of the item's name 1, the name, amount 8, time 8
 *
 * Numbers are in the machine's order, as LMDB's own are. The checksum finds what a disk does to a
 * block, not what an enemy does: it is quick, four words at a time, and each of its steps can be
 * undone, so that a change of one word never goes unseen. */
#include "sales/block.h"

enum { AT_FIRST = 8, AT_COUNT = 16, AT_SIZE = 20 };

#define MIX UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * MIX;
    return hash ^ hash >> 29;
}

/* size is at least 8. The last word may overlap the one before it. */
static uint64_t checksum(const char *data, size_t size)
{
    uint64_t lanes[4] = {size, MIX, ~MIX, MIX << 1};
    size_t at = 0;
    for (; size - at >= 32; at += 32) {
        for (size_t i = 0; i < 4; i++)
            lanes[i] = mixed(lanes[i], block_load(data + at + 8 * i));
    }
    for (; size - at >= 8; at += 8)
        lanes[0] = mixed(lanes[0], block_load(data + at));
    lanes[1] = mixed(lanes[1], block_load(data + size - 8));
    for (size_t i = 1; i < 4; i++)
        lanes[0] = mixed(lanes[0], lanes[i]);
    return lanes[0];
}

void block_begin(struct ledger_block *block, uint64_t first)
{
    block->first = first;
    block->count = 0;
    block->size = BLOCK_HEAD;
}

bool block_add(struct ledger_block *block, struct weft_text item, int64_t amount, int64_t time_s)
{
    size_t size = SALE_FIXED + item.size;
    if (size > BLOCK_MAX - block->size)
        return false;
    char *at = block->bytes + block->size;
    *at++ = (char)item.size;
    memcpy(at, item.data, item.size);
    at += item.size;
    memcpy(at, &amount, sizeof amount);
    memcpy(at + sizeof amount, &time_s, sizeof time_s);
    block->size += (uint32_t)size;
    block->count++;
    return true;
}

void block_seal(struct ledger_block *block)
{
    memcpy(block->bytes + AT_FIRST, &block->first, sizeof block->first);
    memcpy(block->bytes + AT_COUNT, &block->count, sizeof block->count);
    memcpy(block->bytes + AT_SIZE, &block->size, sizeof block->size);
    uint64_t sum = checksum(block->bytes + AT_FIRST, block->size - AT_FIRST);
    memcpy(block->bytes, &sum, sizeof sum);
}

bool block_open(struct block_view *view, const void *data, size_t size)
{
    const char *bytes = data;
    uint32_t said;
    if (size <= BLOCK_HEAD || size > BLOCK_MAX)
        return false;
    memcpy(&said, bytes + AT_SIZE, sizeof said);
    if (said != size || checksum(bytes + AT_FIRST, size - AT_FIRST) != block_load(bytes))
        return false;
    view->first = block_load(bytes + AT_FIRST);
    memcpy(&view->count, bytes + AT_COUNT, sizeof view->count);
    view->sales = bytes + BLOCK_HEAD;
    view->end = bytes + size;
    return view->count > 0;
}

void block_resume(struct ledger_block *block, const struct block_view *view)
{
    block->first = view->first;
    block->count = view->count;
    block->size = (uint32_t)(BLOCK_HEAD + (view->end - view->sales));
    memcpy(block->bytes + BLOCK_HEAD, view->sales, (size_t)(view->end - view->sales));
}
