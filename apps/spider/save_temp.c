/* A temporary file, on its way to become a page.
 *
 *     open ──► write … ──► place: mtime, its name
 *        └── after any error, and by drop: it is gone
 *
 * It has no name until it gets that of the page, where the file system can do that: then nothing is left
 * of it if the process is killed. Only a rename can replace what is there already, though. So one that
 * finds its name taken, and all of them where every file has a name, are in .weft/tmp for as long.
 *
 * Such a name is a number that nobody else in this process gets. Other processes do not write here:
 * the state of the crawl lets in one at a time. So what is there when the folder is opened was left
 * by one that was killed, and is swept out.
 *
 * The fewest system calls: five for a page whose folder is known (openat, write, futimens, linkat and
 * close; or close and renameat). A link, or a rename, finds out by itself whether the folder is still
 * there. */
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

static uint64_t next_number(struct save_folder *folder)
{
    return __atomic_add_fetch(&folder->made_, 1, __ATOMIC_RELAXED);
}

static int open_named(struct save_temp *temp)
{
    char name[NUMBER_SIZE];
    do {
        temp->number = next_number(temp->folder);
        name_temp(temp, name);
        temp->fd = openat(temp->folder->tmp_, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (temp->fd < 0 && (errno == EEXIST || errno == EINTR));
    return temp->fd >= 0 ? 0 : save_error();
}

int save_temp_open(struct save_temp *temp, struct save_folder *folder)
{
    *temp = (struct save_temp){.folder = folder};
    if (!folder->nameless)
        return open_named(temp);
    temp->fd = save_nameless(folder->tmp_);
    return temp->fd >= 0 ? 0 : temp->fd;
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
    if (temp->number == 0)
        return;
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

/* ---- its place ------------------------------------------------------------------------------ */

/* What is done with a name in the folder that the page is in. */
typedef int place_fn(const struct save_temp *temp, int folder, const char *name);

static int link_to(const struct save_temp *temp, int folder, const char *name)
{
    return save_name_it(temp->fd, folder, name, temp->folder->by_proc);
}

static int rename_to(const struct save_temp *temp, int folder, const char *name)
{
    char number[NUMBER_SIZE];
    name_temp(temp, number);
    return renameat(temp->folder->tmp_, number, folder, name) == 0 ? 0 : save_error();
}

static int remove_from(const struct save_temp *temp, int folder, const char *name)
{
    (void)temp;
    return unlinkat(folder, name, 0) == 0 ? 0 : save_error();
}

static int enter(const struct save_temp *temp, const char *name, bool fresh, place_fn *function)
{
    struct save_place place;
    int status = save_place_make(temp->folder, name, fresh, &place);
    if (status != 0)
        return status;
    status = function(temp, place.fd, place.last);
    save_place_leave(temp->folder, &place);
    return status;
}

static int put(const struct save_temp *temp, const char *name, place_fn *function)
{
    int status = enter(temp, name, false, function);
    if (status == UV_ENOENT) /* the folder was removed since it was entered: make it again */
        status = enter(temp, name, true, function);
    return status;
}

/* Into .weft/tmp, so that it can be renamed. */
static int give_number(struct save_temp *temp)
{
    char name[NUMBER_SIZE];
    int status;
    do {
        temp->number = next_number(temp->folder);
        name_temp(temp, name);
        status = save_name_it(temp->fd, temp->folder->tmp_, name, temp->folder->by_proc);
    } while (status == UV_EEXIST);
    if (status != 0)
        temp->number = 0;
    return status;
}

bool save_temp_nameless(struct save_folder *folder)
{
    struct save_temp temp = {.folder = folder, .fd = save_nameless(folder->tmp_)};
    if (temp.fd < 0)
        return false;
    int status = give_number(&temp);
    if (status == UV_ENOENT) {
        folder->by_proc = true;
        status = give_number(&temp);
    }
    save_temp_drop(&temp);
    return status == 0;
}

/* UV_EINTR of close is none: the descriptor is closed and what was written is with the kernel. */
static int close_temp(const struct save_temp *temp)
{
    return close(temp->fd) == 0 || errno == EINTR ? 0 : save_error();
}

/* A place that is free, for one without a name. UV_EEXIST: it is not. */
static int place_nameless(struct save_temp *temp, const char *name)
{
    int status = put(temp, name, link_to);
    if (status == UV_EEXIST)
        return status;
    int closed = close_temp(temp);
    if (status == 0 && closed != 0)
        put(temp, name, remove_from);
    return status != 0 ? status : closed;
}

static int place_numbered(struct save_temp *temp, const char *name)
{
    int status = close_temp(temp);
    if (status == 0)
        status = put(temp, name, rename_to);
    if (status != 0)
        unlink_temp(temp);
    return status;
}

int save_temp_place(struct save_temp *temp, const char *name, int64_t modified,
                    const struct weft_work *work)
{
    int status = stamp(temp->fd, modified);
    if (status == 0 && weft_work_stopped(work))
        status = UV_ECANCELED;
    if (status == 0 && temp->number == 0) {
        status = place_nameless(temp, name);
        if (status != UV_EEXIST)
            return status;
        status = give_number(temp);
    }
    if (status == 0)
        return place_numbered(temp, name);
    save_temp_drop(temp);
    return status;
}

/* ---- what was left behind ------------------------------------------------------------------- */

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
