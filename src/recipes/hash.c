/* The seed of the tables: from the kernel, and where that has none to give, from the clock and where
 * things lie in memory. */
#include "hash.h"
#include <uv.h>

uint64_t weft__hash_seed(void)
{
    uint64_t seed;
    if (uv_random(NULL, NULL, &seed, sizeof seed, 0, NULL) == 0)
        return seed;
    return hash_fold(uv_hrtime() | 1, (uint64_t)(uintptr_t)&seed);
}
