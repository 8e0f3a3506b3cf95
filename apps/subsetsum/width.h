/* What depends on the width of a sum is written once and compiled three times: a source includes
 * this, then itself or its parts, with WIDTH as 32, 64 and 128. SUM is the type, NAME(x) is x_32 and
 * so on; WIDTH_CALL(plan, function, ...) calls the one that a plan needs. */
#ifndef WEFT_SUBSETSUM_WIDTH_H
#define WEFT_SUBSETSUM_WIDTH_H

#include "subsetsum/inside.h"

typedef uint32_t subset_sum_32;
typedef uint64_t subset_sum_64;
typedef subset_size subset_sum_128;

#define WIDTH_JOIN_(name, width) name##_##width
#define WIDTH_JOIN(name, width) WIDTH_JOIN_(name, width)
#define NAME(name) WIDTH_JOIN(name, WIDTH)
#define SUM NAME(subset_sum)

#define WIDTH_CALL(plan, name, ...)                                                                \
    ((plan)->width == 32   ? name##_32(__VA_ARGS__)                                                \
     : (plan)->width == 64 ? name##_64(__VA_ARGS__)                                                \
                           : name##_128(__VA_ARGS__))

static inline size_t subset_width_bytes(const struct subset_plan *plan)
{
    return plan->width / 8;
}

#endif
