/* Files: the small operations (rename, remove, mkdir, stat), and the calls that the larger ones
 * in file_read.c, file_write.c, file_save.c and file_copy.c are made of.
 *
 * Everything is opened with O_NONBLOCK. Files and directories do not know it; but a pipe without a
 * peer, or a terminal, would hold one of the pool's few threads for as long as it likes, and a
 * hop that is awaited would never end. */
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool weft__file_lease_wait(unsigned *turn)
{
    enum { TURNS = 9 };
    if (*turn == TURNS)
        return false;
    struct timespec pause = {.tv_nsec = (1L << (*turn)++) * 1000000};
    nanosleep(&pause, NULL);
    return true;
}

int weft__file_open(const char *path, int flags, mode_t mode)
{
    int fd;
    unsigned turn = 0;
    do {
        fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode);
    } while (fd < 0 && (errno == EINTR || (errno == EAGAIN && weft__file_lease_wait(&turn))));
    return fd >= 0 ? fd : sys_error();
}

int weft__file_close(int fd)
{
    if (close(fd) == 0 || errno == EINTR || errno == EINPROGRESS)
        return 0; /* after EINTR the descriptor is gone all the same: trying again hits another */
    return sys_error();
}

ssize_t weft__file_read_some(int fd, void *data, size_t size)
{
    ssize_t got;
    do {
        got = read(fd, data, size < FILE_CHUNK ? size : FILE_CHUNK);
    } while (got < 0 && errno == EINTR);
    return got >= 0 ? got : sys_error();
}

int weft__file_write_all(int fd, const void *data, size_t size, struct weft_hop *hop)
{
    const char *from = data;
    while (size > 0) {
        if (hop != NULL && hop_stopped(hop))
            return UV_ECANCELED;
        ssize_t put = write(fd, from, size < FILE_CHUNK ? size : FILE_CHUNK);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return sys_error();
        from += put;
        size -= (size_t)put;
    }
    return 0;
}

/* ---- rename --------------------------------------------------------------------------------- */

static int rename_work(struct weft_hop *hop)
{
    return rename(hop->path, hop->second) == 0 ? 0 : sys_error();
}

static const struct hop_kind rename_kind = {
    .size = sizeof(struct weft_hop), .paths = 2, .awaited = true, .work = rename_work};
HOPPER(weft_file_rename);

void weft_file_rename_begin(struct weft_op *op)
{
    struct weft_file_rename *file = weft_owner(op, struct weft_file_rename, op);
    struct weft_hop *hop = weft__hop_make(op, &rename_kind, file->from, file->to);
    if (hop != NULL)
        weft__hop_go(hop);
}

void weft_file_rename_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_file_rename *rename, const char *from, const char *to,
                         weft_then_fn *then)
{
    op_check_start(parent, &rename->op);
    rename->from = from;
    rename->to = to;
    weft_run_at(site, parent, &rename->op, weft_file_rename_begin, then);
}

/* ---- remove --------------------------------------------------------------------------------- */

static int remove_work(struct weft_hop *hop)
{
    return unlink(hop->path) == 0 ? 0 : sys_error();
}

static const struct hop_kind remove_kind = {
    .size = sizeof(struct weft_hop), .paths = 1, .awaited = true, .work = remove_work};
HOPPER(weft_file_remove);

void weft_file_remove_begin(struct weft_op *op)
{
    struct weft_file_remove *file = weft_owner(op, struct weft_file_remove, op);
    struct weft_hop *hop = weft__hop_make(op, &remove_kind, file->path, NULL);
    if (hop != NULL)
        weft__hop_go(hop);
}

void weft_file_remove_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_file_remove *remove, const char *path, weft_then_fn *then)
{
    op_check_start(parent, &remove->op);
    remove->path = path;
    weft_run_at(site, parent, &remove->op, weft_file_remove_begin, then);
}

/* ---- mkdir ---------------------------------------------------------------------------------- */

/* One directory; one that is there will do. */
static int make_one(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int err = errno;
    struct stat st;
    if (err != ENOENT && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return uv_translate_sys_error(err);
}

/* The slash before the last name of path[0..end); 0: there is none but the root's. */
static size_t parent_end(const char *path, size_t end)
{
    while (end > 0 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    while (end > 0 && path[end - 1] == '/')
        end--;
    return end;
}

/* From the end: mostly only the last one, or none, is missing. Where that fails for want of a
 * parent the path is cut there, further and further up, until one can be made; then the cuts are
 * mended one by one, from the left. The block's copy of the path is ours to cut. */
static int mkdir_work(struct weft_hop *hop)
{
    char *path = (char *)hop + hop->kind->size;
    size_t whole = strlen(path), end = whole;
    int status;
    while ((status = make_one(path)) == UV_ENOENT) {
        end = parent_end(path, end);
        if (end == 0)
            return status;
        path[end] = '\0';
    }
    while (status == 0 && end < whole) {
        path[end] = '/';
        end = strlen(path);
        status = make_one(path);
    }
    return status;
}

static const struct hop_kind mkdir_kind = {
    .size = sizeof(struct weft_hop), .paths = 1, .awaited = true, .work = mkdir_work};
HOPPER(weft_file_mkdir);

void weft_file_mkdir_begin(struct weft_op *op)
{
    struct weft_file_mkdir *file = weft_owner(op, struct weft_file_mkdir, op);
    struct weft_hop *hop = weft__hop_make(op, &mkdir_kind, file->path, NULL);
    if (hop != NULL)
        weft__hop_go(hop);
}

void weft_file_mkdir_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_file_mkdir *mkdir, const char *path, weft_then_fn *then)
{
    op_check_start(parent, &mkdir->op);
    mkdir->path = path;
    weft_run_at(site, parent, &mkdir->op, weft_file_mkdir_begin, then);
}

/* ---- stat ----------------------------------------------------------------------------------- */

struct stat_hop {
    struct weft_hop hop;
    bool link;
    struct weft_file_info info;
};

enum weft_file_kind weft__file_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return WEFT_KIND_FILE;
    case S_IFDIR:
        return WEFT_KIND_DIR;
    case S_IFLNK:
        return WEFT_KIND_LINK;
    case S_IFIFO:
        return WEFT_KIND_FIFO;
    case S_IFSOCK:
        return WEFT_KIND_SOCKET;
    case S_IFCHR:
        return WEFT_KIND_CHAR;
    case S_IFBLK:
        return WEFT_KIND_BLOCK;
    default:
        return WEFT_KIND_UNKNOWN;
    }
}

/* Beyond the years 1677 to 2262 nanoseconds do not fit: the nearest that do. */
static int64_t nanoseconds(const struct timespec *time)
{
    int64_t limit = INT64_MAX / 1000000000;
    if (time->tv_sec >= limit)
        return INT64_MAX;
    if (time->tv_sec <= -limit)
        return INT64_MIN;
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int stat_work(struct weft_hop *hop)
{
    struct stat_hop *its = weft_owner(hop, struct stat_hop, hop);
    struct stat st;
    if ((its->link ? lstat(hop->path, &st) : stat(hop->path, &st)) != 0)
        return sys_error();
    its->info = (struct weft_file_info){
        .kind = weft__file_kind(st.st_mode),
        .mode = (uint32_t)st.st_mode & 07777,
        .user = st.st_uid,
        .group = st.st_gid,
        .size = (uint64_t)st.st_size,
        .mtime_ns = nanoseconds(&st.st_mtim),
        .device = st.st_dev,
        .inode = st.st_ino,
        .links = st.st_nlink,
    };
    return 0;
}

static void stat_give(struct weft_hop *hop, struct weft_op *op)
{
    weft_owner(op, struct weft_file_stat, op)->info = weft_owner(hop, struct stat_hop, hop)->info;
}

static const struct hop_kind stat_kind = {
    .size = sizeof(struct stat_hop), .paths = 1, .work = stat_work, .give = stat_give};
HOPPER(weft_file_stat);

void weft_file_stat_begin(struct weft_op *op)
{
    struct weft_file_stat *file = weft_owner(op, struct weft_file_stat, op);
    memset(&file->info, 0, sizeof file->info);
    struct weft_hop *hop = weft__hop_make(op, &stat_kind, file->path, NULL);
    if (hop == NULL)
        return;
    weft_owner(hop, struct stat_hop, hop)->link = file->link;
    weft__hop_go(hop);
}

void weft_file_stat_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_file_stat *stat, const char *path, weft_then_fn *then)
{
    op_check_start(parent, &stat->op);
    stat->path = path;
    weft_run_at(site, parent, &stat->op, weft_file_stat_begin, then);
}
