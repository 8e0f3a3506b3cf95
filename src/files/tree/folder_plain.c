/* Folders where there is no Linux: readdir, whose entries are put into the page one at a time. */
#ifndef __linux__
#include "folder_inside.h"
#include "io/file.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int weft__folder_opened(struct folder *folder, int fd)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        int status = sys_error();
        close(fd);
        return status;
    }
    *folder = (struct folder){.fd = dirfd(dir), .open = true, .dir_ = dir};
    return 0;
}

void weft__folder_close(struct folder *folder)
{
    if (folder->open)
        closedir(folder->dir_);
    folder->open = false;
}

int weft__folder_step(int at, const char *path, int flags, bool follow)
{
    int fd = openat(at, path, flags | (follow ? 0 : O_NOFOLLOW));
    return fd < 0 ? sys_error() : fd;
}

/* The kind, then the name. */
int weft__folder_read(struct folder *folder, struct folder_page *page)
{
    page->at = page->size = 0;
    errno = 0;
    const struct dirent *found = readdir(folder->dir_);
    if (found == NULL)
        return errno == 0 ? 0 : sys_error();
    size_t size = strlen(found->d_name) + 1;
    enum weft_file_kind kind = WEFT_KIND_UNKNOWN;
#ifdef DT_UNKNOWN
    if (found->d_type != DT_UNKNOWN)
        kind = weft__file_kind((mode_t)DTTOIF(found->d_type));
#endif
    page->data[0] = (char)kind;
    memcpy(page->data + 1, found->d_name, size);
    page->size = 1 + size;
    return 1;
}

bool weft__folder_next(struct folder_page *page, struct folder_entry *entry)
{
    if (page->at == page->size)
        return false;
    page->at = page->size;
    entry->kind = (enum weft_file_kind)page->data[0];
    entry->name = page->data + 1;
    entry->size = page->size - 2;
    return !folder_is_dots(entry->name);
}

#endif
