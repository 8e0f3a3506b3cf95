/* What only Linux has, and what makes static files both safe and quick:
 *   - openat2, which walks a path and refuses to leave a folder, whatever links say and whoever
 *     moves folders meanwhile; and which can be told to use only what is in the name cache;
 *   - preadv2 with RWF_NOWAIT, which reads what is in the page cache and nothing else.
 * Elsewhere, and on kernels without them, the answer is "there is none" and "not without waiting":
 * the folder is walked by hand then (files_open.c), and every file is read on the pool. */
#include "files.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { RACES = 16 }; /* a ".." in a link, while folders are moved: the kernel asks for a new try */

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

static uint64_t rules(enum weft_http_links links)
{
    if (links == WEFT_HTTP_LINKS_ALL)
        return RESOLVE_NO_MAGICLINKS;
    if (links == WEFT_HTTP_LINKS_NONE)
        return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
    return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
}

int weft__http_openat2(int root, const char *path, int flags, enum weft_http_links links,
                       bool cached)
{
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC), .resolve = rules(links)};
    if (cached)
        how.resolve |= RESOLVE_CACHED;
    for (int tries = 0;; tries++) {
        long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (cached && (errno == EAGAIN || errno == EINVAL || errno == EINTR))
            return UV_EAGAIN; /* EINVAL: older than the rule to use the cache */
        if (tries == RACES || (errno != EAGAIN && errno != EINTR))
            return uv_translate_sys_error(errno);
    }
}

ssize_t weft__http_read_cached(int fd, void *buffer, size_t size, uint64_t offset)
{
    struct iovec part = {buffer, size};
    ssize_t got = preadv2(fd, &part, 1, (off_t)offset, RWF_NOWAIT);
    if (got >= 0)
        return got;
    return errno == EOPNOTSUPP || errno == EINTR ? UV_EAGAIN : uv_translate_sys_error(errno);
}

bool weft__http_in_memory(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

#else

int weft__http_openat2(int root, const char *path, int flags, enum weft_http_links links,
                       bool cached)
{
    (void)root;
    (void)path;
    (void)flags;
    (void)links;
    (void)cached;
    return UV_ENOSYS;
}

ssize_t weft__http_read_cached(int fd, void *buffer, size_t size, uint64_t offset)
{
    (void)fd;
    (void)buffer;
    (void)size;
    (void)offset;
    return UV_EAGAIN;
}

bool weft__http_in_memory(int fd)
{
    (void)fd;
    return false;
}

#endif
