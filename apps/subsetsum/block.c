/* Matches come as cross products: every subset of these places with the sum x goes with every subset
 * of those with S - x. Many equal numbers make few but huge products (40 zeros: one of 2^40), so they
 * are never stored: a block is the runs it is made of and a position in each, turned like the wheels
 * of a counter, the first one fastest. */
#include "subsetsum/inside.h"

void subset_block_open(struct subset_block *block, uint64_t base)
{
    block->count = 0;
    block->base = base;
}

void subset_block_add(struct subset_block *block, const uint64_t *masks, size_t count)
{
    block->runs[block->count++] = (struct subset_run){masks, count, 0};
}

subset_size subset_block_size(const struct subset_block *block)
{
    subset_size size = block->count > 0;
    for (unsigned i = 0; i < block->count; i++)
        size *= block->runs[i].count;
    return size;
}

/* The first wheel has come round: turn the next one. After the last there is no block any more. */
static void carry(struct subset_block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct subset_run *run = &block->runs[i];
        if (run->at < run->count)
            return;
        run->at = 0;
        if (i + 1 < block->count)
            block->runs[i + 1].at++;
        else
            block->count = 0;
    }
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

size_t subset_block_emit(struct subset_block *block, uint64_t *masks, size_t room, uint64_t *steps)
{
    size_t made = 0;
    while (block->count > 0 && made<room && * steps> 0) {
        struct subset_run *run = &block->runs[0];
        uint64_t outer = block->base;
        for (unsigned i = 1; i < block->count; i++)
            outer |= block->runs[i].masks[block->runs[i].at];
        size_t piece = least(run->count - run->at, room - made);
        piece = piece < *steps ? piece : (size_t)*steps;
        for (size_t i = 0; i < piece; i++) {
            uint64_t mask = outer | run->masks[run->at + i];
            masks[made] = mask;
            made += mask != 0;
        }
        run->at += piece;
        *steps -= piece;
        carry(block);
    }
    return made;
}

/* ---- leaving out ---------------------------------------------------------------------------- */

static subset_size position(const struct subset_block *block)
{
    subset_size at = 0;
    for (unsigned i = block->count; i > 0; i--)
        at = at * block->runs[i - 1].count + block->runs[i - 1].at;
    return at;
}

static void move_to(struct subset_block *block, subset_size at)
{
    for (unsigned i = 0; i < block->count; i++) {
        block->runs[i].at = (size_t)(at % block->runs[i].count);
        at /= block->runs[i].count;
    }
    if (at > 0)
        block->count = 0;
}

/* Where the empty subset is; the size of the block: nowhere in it. */
static subset_size find_empty(const struct subset_block *block)
{
    subset_size at = 0;
    if (block->base != 0)
        return subset_block_size(block);
    for (unsigned i = block->count; i > 0; i--) {
        const struct subset_run *run = &block->runs[i - 1];
        size_t zero = 0;
        while (zero < run->count && run->masks[zero] != 0)
            zero++;
        if (zero == run->count)
            return subset_block_size(block);
        at = at * run->count + zero;
    }
    return at;
}

void subset_block_skip(struct subset_block *block, uint64_t *skip, bool watch)
{
    subset_size size = subset_block_size(block), at = position(block);
    subset_size empty = watch ? find_empty(block) : size;
    bool inside = at <= empty && empty < size;
    subset_size matches = size - at - inside;
    uint64_t left_out = matches < *skip ? (uint64_t)matches : *skip;
    bool passed = inside && (left_out == matches || at + left_out >= empty);
    *skip -= left_out;
    move_to(block, at + left_out + passed);
}
