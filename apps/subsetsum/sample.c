/* As many bits as there are integers: then there are about as many sums as subsets, and one that was
 * chosen has few others beside it. */
#include "subsetsum/sample.h"

/* SplitMix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t number = *state += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

struct subset_problem subset_sample(unsigned count)
{
    struct subset_problem problem = {.count = count};
    uint64_t state = count, chosen = draw(&state);
    for (unsigned i = 0; i < count; i++) {
        problem.values[i] = (int64_t)(draw(&state) >> (64 - count)) - (INT64_C(1) << (count - 1));
        problem.sum += chosen >> i & 1 ? problem.values[i] : 0;
    }
    return problem;
}
