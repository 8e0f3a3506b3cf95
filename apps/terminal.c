#include "terminal.h"
#include <unistd.h>

bool terminal_is_anothers(int fd)
{
    pid_t group = tcgetpgrp(fd);
    return group >= 0 && group != getpgrp();
}
