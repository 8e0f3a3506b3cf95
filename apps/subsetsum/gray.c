/* All subsets, one after the other, for few numbers.
 *
 * The sums of the subsets of six numbers lie side by side in vector registers. The subsets of the
 * others are walked in the order of a Gray code, in which each differs from the one before by one
 * number, so `want`, what is still missing, changes by one addition; a few compares look for it in 64
 * sums at once.
 *
 * want may wrap around below 0, which does no harm: a sum that equals it would be above the sum of
 * all, by the rule for the width.
 *
 * The compiler makes the vectors (generic ones of gcc and clang); on x86 the walk is compiled once
 * more for AVX2, and the processor is asked at run time. */
#include "subsetsum/width.h"
#include <string.h>

#if defined(__x86_64__)
#define GRAY_HAS_AVX2
#define GRAY_AVX2 __attribute__((target("avx2")))
#endif
enum { GRAY_VECTOR = 32 }; /* bytes */

#define WIDTH 32
#include "subsetsum/gray_lanes.h"
#define GRAY_TARGET
#define GRAY_NAME(name) NAME(name)
#include "subsetsum/gray_walk.h"
#ifdef GRAY_HAS_AVX2
#define GRAY_TARGET GRAY_AVX2
#define GRAY_NAME(name) NAME(name##_avx2)
#include "subsetsum/gray_walk.h"
#endif
#undef WIDTH

#define WIDTH 64
#include "subsetsum/gray_lanes.h"
#define GRAY_TARGET
#define GRAY_NAME(name) NAME(name)
#include "subsetsum/gray_walk.h"
#ifdef GRAY_HAS_AVX2
#define GRAY_TARGET GRAY_AVX2
#define GRAY_NAME(name) NAME(name##_avx2)
#include "subsetsum/gray_walk.h"
#endif
#undef WIDTH

#define WIDTH 128
#include "subsetsum/gray_lanes.h"
#define GRAY_TARGET
#define GRAY_NAME(name) NAME(name)
#define GRAY_NO_VECTORS
#include "subsetsum/gray_walk.h"
#undef WIDTH

void subset_gray_lay(struct subset_work *work, struct subset_room *room)
{
    struct subset_plan *plan = &work->plan;
    struct subset_gray *gray = &work->gray;
    unsigned rest = plan->count - plan->fixed;
    *gray = (struct subset_gray){.low_numbers = rest < SUBSET_LOW ? rest : SUBSET_LOW};
    gray->high_numbers = rest - gray->low_numbers;
    gray->low = subset_room_take(room, SUBSET_LANES, subset_width_bytes(plan));
    gray->high = subset_room_take(room, SUBSET_MAX, subset_width_bytes(plan));
    gray->masks = subset_room_take(room, SUBSET_LANES, sizeof *gray->masks);
    gray->hits = subset_room_take(room, SUBSET_LANES, sizeof *gray->hits);
#ifdef GRAY_HAS_AVX2
    gray->avx2 = __builtin_cpu_supports("avx2") != 0;
#endif
    gray->valid = UINT64_MAX >> (SUBSET_LANES - (1u << gray->low_numbers));
    if (room->base != NULL)
        WIDTH_CALL(plan, gray_fill, work);
}

static bool next_unit(struct subset_work *work)
{
    struct subset_plan *plan = &work->plan;
    struct subset_gray *gray = &work->gray;
    if (!subset_plan_next(plan))
        return false;
    gray->at = 0;
    gray->end = UINT64_C(1) << gray->high_numbers;
    gray->want = plan->goal;
    gray->mask = subset_plan_bits(plan, plan->fixed + gray->low_numbers, gray->high_numbers) &
                 plan->negative;
    return true;
}

/* To the next step with a match, and past it: the lanes that match, and the mask they go with. 0: the
 * steps are used up, or those of the unit are. */
static uint64_t walk(struct subset_work *work, uint64_t *mask, uint64_t *steps)
{
#ifdef GRAY_HAS_AVX2
    if (work->gray.avx2 && work->plan.width == 32)
        return gray_walk_avx2_32(work, mask, steps);
    if (work->gray.avx2 && work->plan.width == 64)
        return gray_walk_avx2_64(work, mask, steps);
#endif
    return WIDTH_CALL(&work->plan, gray_walk, work, mask, steps);
}

enum subset_advance subset_gray_advance(struct subset_work *work, uint64_t *steps)
{
    struct subset_gray *gray = &work->gray;
    for (;;) {
        if (gray->at == gray->end && !next_unit(work))
            return SUBSET_END;
        if (*steps == 0)
            return SUBSET_PAUSED;
        uint64_t mask, lanes = walk(work, &mask, steps);
        size_t count = 0;
        for (; lanes != 0; lanes &= lanes - 1)
            gray->hits[count++] = gray->masks[__builtin_ctzll(lanes)] | mask;
        if (count > 0) {
            subset_block_open(&work->block, work->plan.base);
            subset_block_add(&work->block, gray->hits, count);
            return SUBSET_BLOCK;
        }
    }
}
