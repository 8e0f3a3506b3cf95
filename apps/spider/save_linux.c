/* What only Linux has: openat2, which walks a path in one call and refuses to leave a folder or to
 * follow a link, whoever moves folders meanwhile. Elsewhere, and on kernels without it, folders are
 * walked by hand (save_place.c). */
#include "spider/save_inside.h"

#ifdef __linux__
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int save_openat2(int root, const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd;
    do
        fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    while (fd < 0 && errno == EINTR);
    return fd >= 0 ? (int)fd : save_error();
}

#else

int save_openat2(int root, const char *path)
{
    (void)root;
    (void)path;
    return UV_ENOSYS;
}

#endif
