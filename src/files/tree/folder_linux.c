/* Folders as Linux has them.
 *
 * Entries are read by the page, straight from the descriptor: a readdir would allocate for every folder,
 * ask for its status, and copy what the kernel has laid out well enough. The kind of an entry comes with it
 * on all common file systems, so nothing has to be asked for.
 *
 * A path is walked by openat2, which refuses links on the way: whoever puts one in the place of a folder
 * while the tree is walked does not lead us out of it. Kernels without it (before 5.6, and some sandboxes)
 * watch over the last name only. */
#ifdef __linux__
#include "folder_inside.h"
#include "io/file.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int weft__folder_opened(struct folder *folder, int fd)
{
    *folder = (struct folder){.fd = fd, .open = true};
    return 0;
}

void weft__folder_close(struct folder *folder)
{
    if (folder->open)
        close(folder->fd);
    folder->open = false;
}

int weft__folder_step(int at, const char *path, int flags, bool follow)
{
    if (!follow) {
        struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_SYMLINKS};
        long fd = syscall(SYS_openat2, at, path, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno != ENOSYS && errno != EPERM)
            return sys_error();
    }
    int fd = openat(at, path, flags | (follow ? 0 : O_NOFOLLOW));
    return fd < 0 ? sys_error() : fd;
}

int weft__folder_read(struct folder *folder, struct folder_page *page)
{
    ssize_t got;
    do {
        got = getdents64(folder->fd, page->data, FOLDER_PAGE);
    } while (got < 0 && errno == EINTR);
    page->at = 0;
    page->size = got > 0 ? (size_t)got : 0;
    if (got < 0)
        return sys_error();
    return got > 0;
}

bool weft__folder_next(struct folder_page *page, struct folder_entry *entry)
{
    while (page->at < page->size) {
        const struct dirent64 *found = (const void *)(page->data + page->at);
        page->at += found->d_reclen;
        if (folder_is_dots(found->d_name))
            continue;
        entry->name = found->d_name;
        entry->size = strlen(found->d_name);
        entry->kind = found->d_type == DT_UNKNOWN ? WEFT_KIND_UNKNOWN
                                                  : weft__file_kind((mode_t)DTTOIF(found->d_type));
        return true;
    }
    return false;
}

#endif
