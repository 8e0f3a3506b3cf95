/* A temporary file in .weft/tmp, on its way to become a page.
 *
 *     open ──► write … ──► place: mtime, close, rename
 *        └── after any error, and by drop: close, unlink
 *
 * Its name is a number that nobody else in this process gets. Other processes do not write here:
 * the state of the crawl lets in one at a time. So what is there when the folder is opened was left
 * by one that was killed, and is swept out.
 *
 * The fewest system calls: five for a page whose folder is known (openat, write, futimens, close,
 * renameat). A rename finds out by itself whether the folder is still there. */
#include "spider/save_inside.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NUMBER_SIZE = 24,
    PIECE = 1 << 20 /* bytes that are written without a look whether a cancel has come */
};

static void name_temp(const struct save_temp *temp, char name[NUMBER_SIZE])
{
    snprintf(name, NUMBER_SIZE, "%" PRIx64, temp->number);
}

int save_temp_open(struct save_temp *temp, struct save_folder *folder)
{
    char name[NUMBER_SIZE];
    temp->folder = folder;
    do {
        temp->number = __atomic_add_fetch(&folder->made_, 1, __ATOMIC_RELAXED);
        name_temp(temp, name);
        temp->fd = openat(folder->tmp_, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (temp->fd < 0 && (errno == EEXIST || errno == EINTR));
    return temp->fd >= 0 ? 0 : save_error();
}

int save_temp_write(struct save_temp *temp, const void *data, size_t size,
                    const struct weft_work *work)
{
    const char *at = data;
    while (size > 0) {
        if (weft_work_stopped(work))
            return UV_ECANCELED;
        ssize_t done = write(temp->fd, at, size < PIECE ? size : PIECE);
        if (done < 0 && errno != EINTR)
            return save_error();
        if (done > 0) {
            at += done;
            size -= (size_t)done;
        }
    }
    return 0;
}

static void unlink_temp(const struct save_temp *temp)
{
    char name[NUMBER_SIZE];
    name_temp(temp, name);
    unlinkat(temp->folder->tmp_, name, 0);
}

void save_temp_drop(struct save_temp *temp)
{
    close(temp->fd);
    unlink_temp(temp);
}

static int stamp(int fd, int64_t modified)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)modified}};
    if (modified < 0)
        return 0;
    return futimens(fd, times) == 0 ? 0 : save_error();
}

/* UV_EINTR of close is none: the descriptor is closed and what was written is with the kernel. */
static int complete(struct save_temp *temp, int64_t modified, const struct weft_work *work)
{
    int status = stamp(temp->fd, modified);
    if (close(temp->fd) != 0 && status == 0 && errno != EINTR)
        status = save_error();
    if (status == 0 && weft_work_stopped(work))
        status = UV_ECANCELED;
    return status;
}

static int rename_to(const struct save_temp *temp, const char *name, bool fresh)
{
    struct save_place place;
    char number[NUMBER_SIZE];
    int status = save_place_make(temp->folder, name, fresh, &place);
    if (status != 0)
        return status;
    name_temp(temp, number);
    if (renameat(temp->folder->tmp_, number, place.fd, place.last) != 0)
        status = save_error();
    save_place_leave(temp->folder, &place);
    return status;
}

int save_temp_place(struct save_temp *temp, const char *name, int64_t modified,
                    const struct weft_work *work)
{
    int status = complete(temp, modified, work);
    if (status == 0) {
        status = rename_to(temp, name, false);
        if (status == UV_ENOENT) /* the folder was removed since it was entered: make it again */
            status = rename_to(temp, name, true);
    }
    if (status != 0)
        unlink_temp(temp);
    return status;
}

/* Remove the next one. 1: there may be more; 0: that was all. */
static int sweep_one(DIR *listing)
{
    errno = 0;
    const struct dirent *entry = readdir(listing);
    if (entry == NULL)
        return errno != 0 ? save_error() : 0;
    bool itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (!itself && unlinkat(dirfd(listing), entry->d_name, 0) != 0 && errno != ENOENT)
        return save_error();
    return 1;
}

int save_temp_sweep(struct save_folder *folder)
{
    int fd = openat(folder->tmp_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return save_error();
    DIR *listing = fdopendir(fd);
    if (listing == NULL) {
        close(fd);
        return UV_ENOMEM;
    }
    int status;
    do
        status = sweep_one(listing);
    while (status > 0);
    closedir(listing);
    return status;
}
