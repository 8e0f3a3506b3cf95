/* The output folder, opened once: everything below it is reached from its descriptor, so that it
 * stays the same folder even if somebody moves it.
 *
 * Links in the path to it are the user's own and are followed. From the folder on none is. */
#include "spider/save_inside.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char tmp_path[] = ".weft/tmp";

static int open_at(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? fd : save_error();
}

/* Each folder of path, from the first to the last. */
int save_folder_make(const char *path)
{
    char part[PATH_SIZE];
    size_t size = strlen(path);
    if (size >= sizeof part)
        return UV_ENAMETOOLONG;
    memcpy(part, path, size + 1);
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return save_error();
        part[i] = path[i];
    }
    return 0;
}

static int open_or_make(const char *path)
{
    int fd = open_at(path);
    if (fd != UV_ENOENT)
        return fd;
    int err = save_folder_make(path);
    return err != 0 ? err : open_at(path);
}

static bool kernel_walks(int fd)
{
    int found = save_openat2(fd, ".");
    if (found >= 0)
        close(found);
    return found >= 0;
}

int save_folder_open(struct save_folder *folder, const char *path)
{
    *folder = (struct save_folder)SAVE_FOLDER_CLOSED;
    for (int i = 0; i < SAVE_HELD; i++)
        folder->held_[i].fd = -1;
    if (path == NULL || path[0] == '\0')
        return UV_EINVAL;
    int err = uv_mutex_init(&folder->lock_);
    if (err != 0)
        return err;
    int fd = err = open_or_make(path);
    if (err < 0)
        goto no_folder;
    folder->tmp_ = err = save_walk(fd, tmp_path, sizeof tmp_path - 1, true);
    if (err < 0)
        goto no_tmp;
    err = save_temp_sweep(folder);
    if (err != 0)
        goto no_sweep;
    folder->walk = !kernel_walks(fd);
    folder->nameless = save_temp_nameless(folder);
    folder->fd = fd;
    return 0;

no_sweep:
    close(folder->tmp_);
no_tmp:
    close(fd);
no_folder:
    uv_mutex_destroy(&folder->lock_);
    return err;
}

void save_folder_close(struct save_folder *folder)
{
    if (folder->fd < 0)
        return;
    save_place_forget(folder);
    close(folder->tmp_);
    close(folder->fd);
    uv_mutex_destroy(&folder->lock_);
    *folder = (struct save_folder)SAVE_FOLDER_CLOSED;
}
