/* How much a thread gives way to others. POSIX says that niceness is a process's; Linux has one for each
 * thread. Where it is not so, nothing: the loop would give way, too. */
#include "threads.h"

#ifdef __linux__
#include <errno.h>
#include <sys/resource.h>

/* 0 is the calling thread. -1 may be a niceness, so errno decides. */
void weft__thread_nice(int more)
{
    if (more == 0)
        return;
    errno = 0;
    int now = getpriority(PRIO_PROCESS, 0);
    if (errno == 0)
        setpriority(PRIO_PROCESS, 0, now + more);
}
#else
void weft__thread_nice(int more)
{
    (void)more;
}
#endif
