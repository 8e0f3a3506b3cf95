/* What every system has for opening folders and asking about entries.
 *
 * The kernel takes paths of less than PATH_MAX bytes, but a tree may be deeper. A longer path is cut
 * at slashes into pieces that it takes, and each is opened from the one before. So is each name of a path with
 * more links than the kernel follows at once, which are forty. */
#include "folder.h"
#include "folder_inside.h"
#include "io/file.h"
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

static int opened(struct folder *folder, int fd)
{
    if (fd < 0)
        return fd;
    return weft__folder_opened(folder, fd);
}

int weft__folder_open(struct folder *folder, int at, const char *name, bool follow)
{
    int fd = openat(at, name, FOLDER_FLAGS | (follow ? 0 : O_NOFOLLOW));
    return opened(folder, fd < 0 ? sys_error() : fd);
}

/* How much of path, which has so many bytes, is opened at once; 0: that cannot be. */
typedef size_t piece_fn(const char *path, size_t size);

/* The longest beginning that ends before a slash and that the kernel takes. */
static size_t longest(const char *path, size_t size)
{
    if (size < PATH_MAX)
        return size;
    size = PATH_MAX - 1;
    while (size > 0 && path[size] != '/')
        size--;
    return size;
}

static size_t one_name(const char *path, size_t size)
{
    size_t slashes = strspn(path, "/");
    size = slashes + strcspn(path + slashes, "/");
    return size < PATH_MAX ? size : 0;
}

static int open_pieces(int at, const char *path, piece_fn *choose, int flags, bool follow)
{
    char piece[PATH_MAX];
    int from = at;
    for (size_t left = strlen(path);;) {
        size_t size = choose(path, left);
        memcpy(piece, path, size);
        piece[size] = '\0';
        size_t next = size + strspn(path + size, "/"); /* a slash in front would lead to the root */
        bool last = next == left;
        int fd = size > 0 ? weft__folder_step(from, piece, last ? flags : FOLDER_FLAGS, follow)
                          : UV_ENAMETOOLONG;
        if (from != at)
            close(from);
        if (fd < 0 || last)
            return fd;
        from = fd;
        path += next;
        left -= next;
    }
}

int weft__path_open(int at, const char *path, int flags, bool follow)
{
    path = *path != '\0' ? path : ".";
    int fd = open_pieces(at, path, longest, flags, follow);
    if (fd == UV_ELOOP && follow)
        fd = open_pieces(at, path, one_name, flags, follow);
    return fd;
}

int weft__folder_open_below(struct folder *folder, int at, const char *path, bool follow)
{
    return opened(folder, weft__path_open(at, path, FOLDER_FLAGS, follow));
}

int weft__folder_kind(const struct folder *folder, const char *name, bool follow)
{
    struct stat st;
    if (fstatat(folder->fd, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return sys_error();
    return (int)weft__file_kind(st.st_mode);
}
