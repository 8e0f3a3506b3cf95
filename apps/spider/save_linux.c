/* What only Linux has.
 *
 * openat2 walks a path in one call and refuses to leave a folder or to follow a link, whoever moves
 * folders meanwhile. Elsewhere, and on kernels without it, folders are walked by hand (save_place.c).
 *
 * A file may have no name, and get one when it is complete: folders are changed once then and not
 * three times, so that threads wait less for each other: on a disk (ext4) two do twice as much. Older
 * kernels let only root name a file by its descriptor; /proc does it for everybody, where it is
 * mounted. */
#include "spider/save_inside.h"

#ifdef __linux__
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
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

int save_nameless(int folder)
{
    int fd;
    do
        fd = openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd >= 0 ? fd : save_error();
}

int save_name_it(int fd, int folder, const char *name, bool by_proc)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int rc = by_proc ? linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW)
                     : linkat(fd, "", folder, name, AT_EMPTY_PATH);
    return rc == 0 ? 0 : save_error();
}

#else

int save_openat2(int root, const char *path)
{
    (void)root;
    (void)path;
    return UV_ENOSYS;
}

int save_nameless(int folder)
{
    (void)folder;
    return UV_ENOSYS;
}

int save_name_it(int fd, int folder, const char *name, bool by_proc)
{
    (void)fd;
    (void)folder;
    (void)name;
    (void)by_proc;
    return UV_ENOSYS;
}

#endif
