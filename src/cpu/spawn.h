/* Starting a worker: what the child is to be, and how. */
#ifndef WEFT_CPU_SPAWN_H
#define WEFT_CPU_SPAWN_H

#include "weft/procs.h"

/* The descriptors of a worker: input, output, errors, the channel, the page. */
enum { SPAWN_CHANNEL = 3, SPAWN_PAGE = 4, SPAWN_FDS = 5 };

struct spawn_plan {
    const char *file; /* as it is: nobody looks in PATH any more */
    char *const *args, *const *env;
    const char *cwd;
    int fds[SPAWN_FDS]; /* of this process; none of the first three, none twice */
    struct weft_procs_limits limits;
    int nice;
    uint64_t affinity;
};

struct spawned {
    int pid;
    int pidfd; /* -1: there is no such thing here; whoever waits has to ask */
};

/* Start it, in a session and a process group of its own. 0, or why not: nothing is left then. */
int weft__spawn(const struct spawn_plan *plan, struct spawned *spawned);

#endif
