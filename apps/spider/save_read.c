/* A page that is on the disk already: its bytes, or only what it is.
 *
 * The folder is entered as for saving, and the last name is opened without following a link and
 * without waiting, because opening a pipe would wait for its other end. What somebody writes to
 * meanwhile is read up to the size that it had when it was opened. */
#include "spider/save_inside.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>

/* A regular file? 0, or what it is instead. */
static int judge(const struct stat *it)
{
    if (S_ISREG(it->st_mode))
        return 0;
    if (S_ISDIR(it->st_mode))
        return UV_EISDIR;
    return S_ISLNK(it->st_mode) ? UV_ELOOP : UV_EINVAL;
}

/* ---- read ----------------------------------------------------------------------------------- */

static int open_page(struct save_folder *folder, const char *name)
{
    struct save_place place;
    int fd = save_place_find(folder, name, &place);
    if (fd != 0)
        return fd;
    do
        fd =
            openat(place.fd, place.last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        fd = save_error();
    save_place_leave(folder, &place);
    return fd == UV_ENXIO ? UV_EINVAL : fd; /* a socket */
}

static int fill(struct save_read *page, int fd, size_t size)
{
    page->data = weft_alloc(size + 1);
    if (page->data == NULL)
        return UV_ENOMEM;
    size_t at = 0;
    while (at < size) {
        if (weft_work_stopped(&page->work))
            return UV_ECANCELED;
        ssize_t got = read(fd, page->data + at, size - at);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return save_error();
        at += got > 0 ? (size_t)got : 0;
    }
    page->data[at] = '\0';
    page->size = at;
    return 0;
}

static int read_there(struct weft_work *work)
{
    struct save_read *page = weft_owner(work, struct save_read, work);
    int fd = open_page(page->folder, page->name);
    if (fd < 0)
        return fd;
    struct stat it;
    int status = fstat(fd, &it) == 0 ? judge(&it) : save_error();
    if (status == 0 && (uintmax_t)it.st_size > page->limit)
        status = UV_EFBIG;
    if (status == 0) {
        page->modified = it.st_mtime;
        status = fill(page, fd, (size_t)it.st_size);
    }
    close(fd);
    if (status != 0)
        save_read_free(page);
    return status;
}

void save_read_free(struct save_read *page)
{
    weft_free(page->data);
    page->data = NULL;
    page->size = 0;
}

void save_read_begin(struct weft_op *op)
{
    struct save_read *page = weft_owner(op, struct save_read, work.op);
    page->data = NULL;
    page->size = 0;
    page->work.function = page->folder != NULL && save_name_ok(page->name) ? read_there : NULL;
    weft_work_begin(op);
}

void save_read_at(const struct weft_site *site, struct weft_op *parent, struct save_read *page,
                  struct save_folder *folder, const char *name, size_t limit, weft_then_fn *then)
{
    page->folder = folder;
    page->name = name;
    page->limit = limit;
    weft_run_at(site, parent, &page->work.op, save_read_begin, then);
}

/* ---- look ----------------------------------------------------------------------------------- */

static int look_there(struct weft_work *work)
{
    struct save_look *look = weft_owner(work, struct save_look, work);
    struct save_place place;
    int status = save_place_find(look->folder, look->name, &place);
    if (status != 0)
        return status;
    struct stat it;
    status =
        fstatat(place.fd, place.last, &it, AT_SYMLINK_NOFOLLOW) == 0 ? judge(&it) : save_error();
    save_place_leave(look->folder, &place);
    if (status == 0) {
        look->size = (uint64_t)it.st_size;
        look->modified = it.st_mtime;
    }
    return status;
}

void save_look_begin(struct weft_op *op)
{
    struct save_look *look = weft_owner(op, struct save_look, work.op);
    look->work.function = look->folder != NULL && save_name_ok(look->name) ? look_there : NULL;
    weft_work_begin(op);
}

void save_look_at(const struct weft_site *site, struct weft_op *parent, struct save_look *look,
                  struct save_folder *folder, const char *name, weft_then_fn *then)
{
    look->folder = folder;
    look->name = name;
    weft_run_at(site, parent, &look->work.op, save_look_begin, then);
}
