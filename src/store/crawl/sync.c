/* Files on the disk, all of a file system in one call: what only Linux has. Elsewhere everything is
 * written out, with sync, which some systems only begin. */
#include "journal.h"
#include <unistd.h>

#ifdef __linux__
#include <errno.h>

int weft__crawl_sync(int folder)
{
    return syncfs(folder) == 0 ? 0 : uv_translate_sys_error(errno);
}

#else

int weft__crawl_sync(int folder)
{
    (void)folder;
    sync();
    return 0;
}

#endif
