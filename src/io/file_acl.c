/* Lists of rights as Linux has them: an attribute of the file. Elsewhere nobody is known to have one.
 *
 * A file with a list shows in its mode what the list allows at most; whoever copies the mode alone gives
 * that to the group. And a new file has the list that its folder gives to all: a mode opens it. */
#include "file_acl.h"

#ifdef __linux__
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/xattr.h>

enum { ACL_SIZE = 16 * 1024 }; /* some two thousand names */

static const char name[] = "system.posix_acl_access";

static bool knows_none(int err)
{
    return err == ENODATA || err == ENOTSUP;
}

bool weft__file_acl_copy(const char *path, int fd)
{
    char list[ACL_SIZE];
    ssize_t size = getxattr(path, name, list, sizeof list);
    if (size > 0)
        return fsetxattr(fd, name, list, (size_t)size, 0) == 0;
    if (size < 0 && !knows_none(errno))
        return false;
    return fremovexattr(fd, name) == 0 || knows_none(errno);
}

#else

bool weft__file_acl_copy(const char *path, int fd)
{
    (void)path;
    (void)fd;
    return true;
}

#endif
