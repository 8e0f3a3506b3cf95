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
#include <sys/ioctl.h>
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

int weft__file_clone(struct weft_hop *hop, int from, int to, uint64_t *size)
{
    if (share_blocks(from, to, size))
        return 0;
    for (;;) {
        if (hop_stopped(hop))
            return UV_ECANCELED;
        ssize_t copied = copy_file_range(from, NULL, to, NULL, CLONE_CHUNK, 0);
        if (copied > 0)
            *size += (uint64_t)copied;
        else if (copied == 0)
            return 0;
        else if (errno != EINTR)
            return hopeless(errno) ? uv_translate_sys_error(errno) : 0;
    }
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

#endif
