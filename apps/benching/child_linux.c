/* What only Linux has: a process that is killed when its parent ends. Elsewhere a server stays behind
 * if the bench is killed without a chance to end it. */
#include "benching/benching.h"

#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>

void bench_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

#else

void bench_end_with_parent(void)
{
}

#endif
