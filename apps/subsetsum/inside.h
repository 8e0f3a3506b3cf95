/* apps/subsetsum/inside.h: what the methods share; the command sees engine.h only.
 *
 * Words: a *number* is one of the problem's. Its *size* is its absolute value, its *place* is where
 * it stands when all are sorted by size. The *unit* decides the first few places, the method the
 * rest. A *run* is a list of masks for the same sum; a *block* is a cross product of runs, each
 * element of which is a match. */
#ifndef WEFT_SUBSETSUM_INSIDE_H
#define WEFT_SUBSETSUM_INSIDE_H

#include "subsetsum/engine.h"

__extension__ typedef unsigned __int128 subset_size;

/* ---- plan.c: the problem without signs, cut into units --------------------------------------- */

struct subset_plan {
    unsigned count;
    unsigned fixed;     /* places that the unit decides: the first ones */
    unsigned width;     /* bits of a sum: 32, 64 or 128 */
    uint64_t unit, end; /* those that are left of this part */
    uint64_t base;      /* of the unit that was taken: its bits of the mask */
    subset_size goal;   /* and what the rest has to come to */
    subset_size target; /* the sum of sizes that is looked for */
    subset_size rest;   /* sum of all sizes that no unit decides */
    subset_size sizes[SUBSET_MAX];
    uint64_t bits[SUBSET_MAX]; /* by place: the bit of the mask */
    uint64_t negative;         /* the bits of the negative numbers */
    unsigned share, shares; /* this part's range of the sums; shares 1: all, the units are shared */
    bool has_empty;         /* among this part's matches is the empty subset */
};

/* by_sums: each part gets a range of the sums instead of units. */
int subset_plan_init(struct subset_plan *plan, const struct subset_problem *problem, unsigned part,
                     unsigned parts, bool by_sums);
/* Take the next unit in which there can be a match: base and goal. False: there is none. */
bool subset_plan_next(struct subset_plan *plan);
/* The bits and the sum of sizes of `count` places from `first` on. */
uint64_t subset_plan_bits(const struct subset_plan *plan, unsigned first, unsigned count);
subset_size subset_plan_sum(const struct subset_plan *plan, unsigned first, unsigned count);

/* ---- memory: one block, laid out twice: first to measure it, then for good -------------------- */

struct subset_room {
    char *base; /* NULL: only measure */
    size_t used;
};
void *subset_room_take(struct subset_room *room, size_t count, size_t size);

/* ---- block.c: matches as a cross product ------------------------------------------------------ */

enum { SUBSET_RUNS = 4 };
struct subset_run {
    const uint64_t *masks;
    size_t count, at;
};
struct subset_block {
    struct subset_run runs[SUBSET_RUNS]; /* the first one is the innermost */
    unsigned count;                      /* of runs; 0: there is no block */
    uint64_t base;
};
void subset_block_open(struct subset_block *block, uint64_t base);
void subset_block_add(struct subset_block *block, const uint64_t *masks, size_t count);
subset_size subset_block_size(const struct subset_block *block);
/* The next ones into masks, room of them at most, but never the empty one; *steps is charged. */
size_t subset_block_emit(struct subset_block *block, uint64_t *masks, size_t room, uint64_t *steps);
/* Leave out up to *skip of them. watch: the empty one may be here, and does not count. */
void subset_block_skip(struct subset_block *block, uint64_t *skip, bool watch);

/* ---- list.h: the sorted sums of some places --------------------------------------------------- */

struct subset_list {
    void *sums;      /* ascending; as wide as the plan says */
    uint64_t *masks; /* the subset that each belongs to */
    size_t count;
    unsigned first, numbers, done; /* its places, and how many of them are in */
    size_t plain, shifted;         /* of the merge under way: how many are to be placed */
};

/* ---- the methods ------------------------------------------------------------------------------ */

enum subset_advance {
    SUBSET_PAUSED, /* the steps are used up */
    SUBSET_BLOCK,  /* there is a block */
    SUBSET_END,    /* no more of them */
};

enum { SUBSET_LOW = 6, SUBSET_LANES = 1 << SUBSET_LOW };
struct subset_gray {
    void *low;       /* the sums of all subsets of the first places: SUBSET_LANES of them */
    uint64_t *masks; /* theirs */
    uint64_t *hits;  /* those of the last match */
    void *high;      /* the sizes of the places behind */
    unsigned low_numbers, high_numbers;
    bool avx2;        /* the processor has it */
    uint64_t valid;   /* the lanes that are used, a bit each */
    uint64_t at, end; /* steps of the Gray code; at == end: no unit is under way */
    uint64_t mask;    /* of the high places */
    subset_size want; /* what the low ones would have to come to, in as many bits as a lane has */
};

struct subset_meet {
    size_t left, right; /* the next ones to be compared */
    bool open;          /* a unit is under way */
};

/* The sums of pairs from two lists, in ascending order. */
struct subset_stream {
    const struct subset_list *rows, *columns;
    const uint32_t *row_first, *column_first;
    void *heap;
    size_t size;
    uint32_t *pairs; /* row and column of those that have the same sum now */
    size_t pair_count, at;
    size_t seeded;   /* rows that were looked at for the beginning of the range */
    size_t matches;  /* how many subsets all of these are */
    subset_size add; /* to each sum */
};
/* What it costs to bisect a list, in steps: most of it is waiting for memory. */
enum { SUBSET_BISECTION = 8 };

/* Which sums are to be looked at; see cut.c. */
struct subset_cut {
    subset_size from, past; /* those that both halves can have: from <= sum < past */
    subset_size begin, end; /* and this part's share of them */
    uint64_t below, all;    /* sums of both streams below from and past */
    unsigned stage;
    subset_size low, high; /* of the bisection under way */
    unsigned side; /* of the counting under way: the stream, its row, and what was counted */
    size_t row;
    uint64_t count;
};

struct subset_schroeppel {
    struct subset_cut cut;
    uint32_t *first[4]; /* where the masks of a sum begin, for each list; one more than sums */
    size_t read[4], written[4];
    struct subset_stream left, right;
    unsigned phase;
    subset_size sum;
};

struct subset_work {
    struct subset_plan plan;
    struct subset_block block;
    uint64_t skip;
    bool counts; /* only the sizes of blocks matter */
    struct subset_list lists[4];
    union {
        struct subset_gray gray;
        struct subset_meet meet;
        struct subset_schroeppel schroeppel;
    };
};

/* Take what the method needs from the room, and be ready to advance if that has a base. */
void subset_gray_lay(struct subset_work *work, struct subset_room *room);
void subset_meet_lay(struct subset_work *work, struct subset_room *room);
void subset_schroeppel_lay(struct subset_work *work, struct subset_room *room);
/* Work until there is a block. */
enum subset_advance subset_gray_advance(struct subset_work *work, uint64_t *steps);
enum subset_advance subset_meet_advance(struct subset_work *work, uint64_t *steps);
enum subset_advance subset_schroeppel_advance(struct subset_work *work, uint64_t *steps);

/* schroeppel.c, for cut.c: how many sums of a row are below this one. */
size_t subset_stream_below(const struct subset_work *work, const struct subset_stream *stream,
                           size_t row, subset_size sum);
/* cut.c: the range of the unit that was taken. False: the steps are used up. */
void subset_cut_begin(struct subset_work *work);
bool subset_cut_find(struct subset_work *work, uint64_t *steps);

/* search.c, for count.c: until there is a block, with what the search uses. */
enum subset_advance subset_search_advance(struct subset_search *search, uint64_t *steps);

#endif
