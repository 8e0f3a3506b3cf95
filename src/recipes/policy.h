/* What gives way when a cache is full.
 *
 * Every entry is in one of two queues, in the order in which it came there. Which of them, and what
 * being used means, is the policy's: S3-FIFO (s3fifo.c) or LRU (lru.c). The queues are counted in
 * bytes, as the cache is. */
#ifndef WEFT_RECIPES_POLICY_H
#define WEFT_RECIPES_POLICY_H

#include "cell.h"
#include "ghost.h"
#include "weft/cache.h"

enum { QUEUE_SMALL, QUEUE_MAIN, QUEUES };
enum { USES_MOST = 3 };

struct line {
    struct weft_cell *newest, *oldest;
    size_t bytes;
};

struct policy {
    const struct policy_kind *kind;
    struct line queues[QUEUES];
    size_t small_limit; /* above this the small queue gives way */
    struct ghost ghost; /* S3-FIFO's */
};

struct policy_kind {
    /* cell comes in; its hash is set. */
    void (*enter)(struct policy *policy, struct weft_cell *cell);
    /* It was asked for. */
    void (*used)(struct policy *policy, struct weft_cell *cell);
    /* A newer one is about to take its place. */
    void (*renewed)(struct policy *policy, struct weft_cell *cell);
    /* The one to give way; it stays in its queue. There is one at least. */
    struct weft_cell *(*victim)(struct policy *policy);
};
extern const struct policy_kind weft__s3fifo, weft__lru;

/* What a cell counts for: its block, as malloc has it, and its share of the table and the ghosts when
 * they are at their emptiest. */
enum { MALLOC_HEAD = 8, CELL_SHARE = 40 };
static inline size_t cost_of(size_t key_size, size_t value_size)
{
    size_t block = cell_size(key_size, value_size) + MALLOC_HEAD + CELL_ALIGNMENT - 1;
    return block / CELL_ALIGNMENT * CELL_ALIGNMENT + CELL_SHARE;
}

static inline size_t cell_cost(const struct weft_cell *cell)
{
    return cost_of(cell->key_size, cell->value_size);
}

static inline void line_add(struct line *line, struct weft_cell *cell)
{
    cell->newer = NULL;
    cell->older = line->newest;
    if (line->newest != NULL)
        line->newest->newer = cell;
    else
        line->oldest = cell;
    line->newest = cell;
    line->bytes += cell_cost(cell);
}

static inline void line_remove(struct line *line, struct weft_cell *cell)
{
    *(cell->newer != NULL ? &cell->newer->older : &line->newest) = cell->older;
    *(cell->older != NULL ? &cell->older->newer : &line->oldest) = cell->newer;
    line->bytes -= cell_cost(cell);
}

static inline void policy_enter_queue(struct policy *policy, struct weft_cell *cell, uint8_t queue)
{
    cell->queue = queue;
    line_add(&policy->queues[queue], cell);
}

static inline void policy_leave(struct policy *policy, struct weft_cell *cell)
{
    line_remove(&policy->queues[cell->queue], cell);
}

/* All that S3-FIFO does for a hit; most of the time not even a store. */
static inline void policy_count_use(struct weft_cell *cell)
{
    if (cell->uses < USES_MOST)
        cell->uses++;
}

static inline void policy_used(struct policy *policy, struct weft_cell *cell)
{
    policy->kind->used(policy, cell);
}

/* The table has so many chunks from now on, and the ghosts as many sets. A table has one at first: without
 * ghosts a few entries that were used once would never give way to what is asked for later. */
static inline void policy_fit_table(struct policy *policy, size_t chunks)
{
    if (policy->kind == &weft__s3fifo)
        weft__ghost_grow(&policy->ghost, chunks);
}

/* cell stands where old stood, and is known as that was. */
static inline void policy_replace(struct policy *policy, struct weft_cell *old,
                                  struct weft_cell *cell)
{
    struct line *line = &policy->queues[old->queue];
    cell->queue = old->queue;
    cell->uses = old->uses;
    cell->newer = old->newer;
    cell->older = old->older;
    *(old->newer != NULL ? &old->newer->older : &line->newest) = cell;
    *(old->older != NULL ? &old->older->newer : &line->oldest) = cell;
    line->bytes += cell_cost(cell);
    line->bytes -= cell_cost(old);
}

#endif
