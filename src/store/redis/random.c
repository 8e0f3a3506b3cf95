/* From the kernel, and never blocking for long: it is asked at most once for a load or a connection. Where
 * it has nothing to give (a very old kernel) clock and address have to do: a token then is still another
 * one each time. */
#include "random.h"
#include <sys/random.h>
#include <uv.h>

uint64_t weft__redis_random(void)
{
    static uint64_t count;
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number)
        return number;
    number = uv_hrtime() ^ (uint64_t)(uintptr_t)&number;
    return (number + __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED)) * 0x9e3779b97f4a7c15U;
}
