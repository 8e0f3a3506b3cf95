/* What every system has for opening folders and asking about entries.
 *
 * The kernel takes paths of less than PATH_MAX bytes, but a tree may be deeper. A longer path is cut
 * at slashes into pieces that it takes, and each is opened from the one before. */
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

/* The longest beginning of path that ends before a slash and that the kernel takes; 0: there is none. */
static size_t first_piece(const char *path, char piece[PATH_MAX])
{
    size_t size = PATH_MAX - 1;
    while (size > 0 && path[size] != '/')
        size--;
    memcpy(piece, path, size);
    piece[size] = '\0';
    return size;
}

int weft__path_open(int at, const char *path, int flags, bool follow)
{
    char piece[PATH_MAX];
    int from = at;
    for (size_t left = strlen(path); left >= PATH_MAX;) {
        size_t size = first_piece(path, piece);
        int next =
            size > 0 ? weft__folder_step(from, piece, FOLDER_FLAGS, follow) : UV_ENAMETOOLONG;
        if (from != at)
            close(from);
        if (next < 0)
            return next;
        from = next;
        size +=
            strspn(path + size, "/"); /* one that is left would lead to the root of everything */
        path += size;
        left -= size;
    }
    int fd = weft__folder_step(from, *path != '\0' ? path : ".", flags, follow);
    if (from != at)
        close(from);
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
