/* Copying inside the kernel: what only Linux has. Elsewhere there is nothing, and copies are read
 * and written.
 *
 * First a clone: on file systems that share blocks it takes no time and no space. Then
 * copy_file_range, chunk by chunk so that a cancel is heard. Both refuse many pairs of files for
 * reasons of their own; none of that is an error here, because whoever calls this reads and writes
 * what is left. Only what would hit a plain write as well is told: no space, a limit, a broken
 * disk. */
#include "file_clone.h"

#ifdef __linux__
#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { CLONE_CHUNK = 8 << 20 };

static bool hopeless(int err)
{
    return err == ENOSPC || err == EDQUOT || err == EFBIG || err == EIO;
}

/* true: to holds all of from now. */
static bool share_blocks(int from, int to, uint64_t *size)
{
    if (ioctl(to, FICLONE, from) != 0)
        return false;
    off_t end = lseek(to, 0, SEEK_END); /* both stand at the end then, as after copying */
    if (end < 0 || lseek(from, end, SEEK_SET) != end)
        return false;
    *size += (uint64_t)end;
    return true;
}

ssize_t weft__file_clone_range(int from, off_t *from_at, int to, off_t *to_at, size_t size)
{
    ssize_t copied;
    do {
        copied = copy_file_range(from, from_at, to, to_at, size, 0);
    } while (copied < 0 && errno == EINTR);
    if (copied >= 0)
        return copied;
    return hopeless(errno) ? uv_translate_sys_error(errno) : 0;
}

int weft__file_clone(struct weft_hop *hop, int from, int to, uint64_t *size)
{
    if (share_blocks(from, to, size))
        return 0;
    for (;;) {
        if (hop_stopped(hop))
            return UV_ECANCELED;
        ssize_t copied = weft__file_clone_range(from, NULL, to, NULL, CLONE_CHUNK);
        if (copied <= 0)
            return (int)copied;
        *size += (uint64_t)copied;
    }
}

/* Those that are met most often. An unknown one is given the chance to know better. */
bool weft__file_clone_is_plain(int fd)
{
    struct statfs system;
    if (fstatfs(fd, &system) != 0)
        return false;
    return system.f_type == TMPFS_MAGIC || system.f_type == EXT4_SUPER_MAGIC;
}

#else

int weft__file_clone(struct weft_hop *hop, int from, int to, uint64_t *size)
{
    (void)hop;
    (void)from;
    (void)to;
    (void)size;
    return 0;
}

ssize_t weft__file_clone_range(int from, off_t *from_at, int to, off_t *to_at, size_t size)
{
    (void)from;
    (void)from_at;
    (void)to;
    (void)to_at;
    (void)size;
    return 0;
}

bool weft__file_clone_is_plain(int fd)
{
    (void)fd;
    return true;
}

#endif
