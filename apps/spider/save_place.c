/* The folder that a page is in: found, made, and held open for the next page.
 *
 * The kernel is asked to walk (save_linux.c). Where it cannot, and where folders have to be made,
 * we walk by hand, one segment after the other from the folder's descriptor: each step opens a name
 * in a folder that is held open and follows no link, so nobody can slip one in meanwhile.
 *
 * Pages of one folder come one after the other, so the last few folders are held open: that saves
 * an open and a close for each page, a tenth of all that saving costs. What is held may be out of
 * date. A folder that was removed says so (UV_ENOENT) and is entered afresh. One that was moved does
 * not: so nothing is held for longer than a second.
 *
 *     free (fd -1) ──► held (size > 0) ──► given up (size 0), until its last user has left ──► free
 */
#include "spider/save_inside.h"
#include <weft/text.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { PATH_SIZE = 4096, SEGMENT_SIZE = 256 };

static const uint64_t hold_ns = 1000000000U;

bool save_name_ok(const char *name)
{
    struct weft_text rest = weft_text_of(name);
    if (rest.size >= PATH_SIZE)
        return false;
    do {
        struct weft_text segment = weft_text_cut(&rest, '/');
        if (segment.size == 0 || segment.size >= SEGMENT_SIZE || segment.data[0] == '.')
            return false;
    } while (rest.data != NULL);
    return true;
}

/* ---- walking -------------------------------------------------------------------------------- */

static int open_segment(int folder, const char *segment)
{
    int fd;
    do
        fd = openat(folder, segment, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd >= 0 ? fd : save_error();
}

static int step_into(int folder, const char *segment, bool make)
{
    int fd = open_segment(folder, segment);
    if (fd == UV_ENOENT && make) {
        if (mkdirat(folder, segment, 0777) != 0 && errno != EEXIST)
            return save_error();
        fd = open_segment(folder, segment);
    }
    struct stat it;
    if (fd == UV_ENOTDIR && fstatat(folder, segment, &it, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(it.st_mode))
        return UV_ELOOP;
    return fd;
}

int save_walk(int root, const char *path, size_t size, bool make)
{
    struct weft_text rest = weft_text(path, size);
    int folder = root;
    do {
        char segment[SEGMENT_SIZE] = ".";
        struct weft_text next = weft_text_cut(&rest, '/');
        if (next.size > 0) {
            memcpy(segment, next.data, next.size);
            segment[next.size] = '\0';
        }
        int fd = step_into(folder, segment, make);
        if (folder != root)
            close(folder);
        folder = fd;
    } while (folder >= 0 && rest.data != NULL);
    return folder;
}

/* A descriptor, or an error. */
static int open_below(const struct save_folder *folder, const char *path, size_t size, bool make)
{
    int fd = UV_ENOSYS;
    if (!folder->walk) {
        char terminated[PATH_SIZE] = ".";
        if (size > 0) {
            memcpy(terminated, path, size);
            terminated[size] = '\0';
        }
        fd = save_openat2(folder->fd, terminated);
    }
    bool by_hand = fd == UV_ENOSYS || fd == UV_EAGAIN || (fd == UV_ENOENT && make);
    return by_hand ? save_walk(folder->fd, path, size, make) : fd;
}

/* ---- holding -------------------------------------------------------------------------------- */

/* With the lock. */
static void give_up(struct save_held *held)
{
    held->size = 0;
    if (held->users == 0 && held->fd >= 0) {
        close(held->fd);
        held->fd = -1;
    }
}

/* With the lock: the one with this path, if it is held. */
static struct save_held *find_held(struct save_folder *folder, const char *path, size_t size)
{
    for (int i = 0; i < SAVE_HELD; i++) {
        struct save_held *held = &folder->held_[i];
        if (held->size == size && size > 0 && memcmp(held->path, path, size) == 0)
            return held;
    }
    return NULL;
}

static bool enter_held(struct save_folder *folder, size_t size, const char *path, bool fresh,
                       struct save_place *place)
{
    uint64_t now = uv_hrtime();
    uv_mutex_lock(&folder->lock_);
    struct save_held *held = find_held(folder, path, size);
    if (held != NULL && (fresh || now - held->since_ns > hold_ns)) {
        give_up(held);
        held = NULL;
    }
    if (held != NULL) {
        held->users++;
        held->used_ns = now;
        place->fd = held->fd;
        place->held = held;
    }
    uv_mutex_unlock(&folder->lock_);
    return held != NULL;
}

/* With the lock: a free one, or the one that was not used for the longest time; or NULL. */
static struct save_held *make_room(struct save_folder *folder)
{
    struct save_held *oldest = NULL;
    for (int i = 0; i < SAVE_HELD; i++) {
        struct save_held *held = &folder->held_[i];
        if (held->fd < 0)
            return held;
        if (held->users == 0 && (oldest == NULL || held->used_ns < oldest->used_ns))
            oldest = held;
    }
    if (oldest != NULL)
        give_up(oldest);
    return oldest;
}

/* The place was entered: hold it, unless another thread was quicker or its path is too long. */
static void hold(struct save_folder *folder, const char *path, size_t size,
                 struct save_place *place)
{
    uint64_t now = uv_hrtime();
    if (size == 0 || size > sizeof folder->held_[0].path)
        return;
    uv_mutex_lock(&folder->lock_);
    struct save_held *held = NULL;
    if (find_held(folder, path, size) == NULL)
        held = make_room(folder);
    if (held != NULL) {
        held->fd = place->fd;
        held->users = 1;
        held->size = size;
        held->since_ns = held->used_ns = now;
        memcpy(held->path, path, size);
        place->held = held;
    }
    uv_mutex_unlock(&folder->lock_);
}

/* ---- entering and leaving ------------------------------------------------------------------- */

/* How much of name is the path of its folder; place->last is the rest. */
static size_t split(const char *name, struct save_place *place)
{
    const char *slash = strrchr(name, '/');
    place->held = NULL;
    place->last = slash != NULL ? slash + 1 : name;
    return slash != NULL ? (size_t)(slash - name) : 0;
}

int save_place_find(struct save_folder *folder, const char *name, struct save_place *place)
{
    size_t size = split(name, place);
    place->fd = open_below(folder, name, size, false);
    return place->fd < 0 ? place->fd : 0;
}

int save_place_make(struct save_folder *folder, const char *name, bool fresh,
                    struct save_place *place)
{
    size_t size = split(name, place);
    if (enter_held(folder, size, name, fresh, place))
        return 0;
    place->fd = open_below(folder, name, size, true);
    if (place->fd < 0)
        return place->fd;
    hold(folder, name, size, place);
    return 0;
}

void save_place_leave(struct save_folder *folder, const struct save_place *place)
{
    struct save_held *held = place->held;
    if (held == NULL) {
        close(place->fd);
        return;
    }
    uv_mutex_lock(&folder->lock_);
    held->users--;
    if (held->size == 0)
        give_up(held);
    uv_mutex_unlock(&folder->lock_);
}

/* By a second name for it: that is never another file's. */
static int move_if_free(int fd, const char *from, const char *to)
{
    if (linkat(fd, from, fd, to, 0) != 0 || unlinkat(fd, from, 0) != 0)
        return save_error();
    return 0;
}

int save_rename(struct save_folder *folder, const char *from, const char *to, bool replace)
{
    struct save_place place;
    const char *slash = strrchr(to, '/');
    if (!save_name_ok(from) || !save_name_ok(to))
        return UV_EINVAL;
    int err = save_place_find(folder, from, &place);
    if (err != 0)
        return err;
    const char *last = slash != NULL ? slash + 1 : to;
    if (!replace)
        err = move_if_free(place.fd, place.last, last);
    else if (renameat(place.fd, place.last, place.fd, last) != 0)
        err = save_error();
    if (replace && err == UV_ENOENT && faccessat(place.fd, last, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        err = 0; /* it was, by somebody who could not say so any more */
    save_place_leave(folder, &place);
    return err;
}

void save_place_forget(struct save_folder *folder)
{
    for (int i = 0; i < SAVE_HELD; i++)
        give_up(&folder->held_[i]);
}
