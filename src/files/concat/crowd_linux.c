/* Whether there are more who want a processor than there are processors: a thread that was pushed out of
 * its own knows. Only Linux counts that for each thread; elsewhere nobody ever is. A thread that waits,
 * for a disk or for another hand, leaves by itself and is not counted. */
#include "crowd.h"

#ifdef __linux__
#include <sys/resource.h>

long weft__crowd_pushed_out(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

#else

long weft__crowd_pushed_out(void)
{
    return 0;
}

#endif
