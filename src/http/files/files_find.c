/* From a path to an answer.
 *
 *     path ──► file    ──► its conditions ──► its ranges ──► 200, 206, 304, 412, 416
 *          ├─► folder, path without '/'  ──► 301
 *          ├─► folder, path with '/'     ──► its index, as a file; or a listing; or 403
 *          └─► nothing, something else   ──► 404, 403
 *
 * It is one step: done with what is cached, or not at all. If the name cache does not suffice,
 * UV_EAGAIN leaves nothing behind, and the pool does all of it again: what is opened here is only
 * kept once the answer is known. */
#include "files.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t NANO = 1000000000;

/* ---- opening -------------------------------------------------------------------------------- */

/* What the client is told for an error of open; 0: it is the server's trouble, not the client's. */
static int answer_for(int err)
{
    switch (err) {
    case UV_ENOENT:
    case UV_ENOTDIR:
    case UV_ENAMETOOLONG:
        return 404;
    case UV_EACCES:
    case UV_EPERM:
    case UV_EXDEV: /* a link that leads out */
    case UV_ELOOP: /* a link that may not be followed, or leads to itself */
    case UV_ENXIO: /* a socket */
    case UV_ENODEV:
        return 403;
    default:
        return 0;
    }
}

/* The answer is a status and no more: 0, or the error that is the server's own. */
static int plainly(struct weft_http_job *job, int err)
{
    job->found.answer = answer_for(err);
    return job->found.answer != 0 ? 0 : err;
}

static int open_file(struct weft_http_job *job, struct stat *st, bool cached)
{
    int fd = weft__http_open_below(job->files, job->path_room, O_RDONLY, cached);
    if (fd >= 0 && fstat(fd, st) != 0) {
        close(fd);
        return UV_EIO;
    }
    return fd;
}

/* Put it behind the first size bytes of the path: there is room for every name and ending. */
static void add_to_path(struct weft_http_job *job, size_t size, const char *what)
{
    memcpy(job->path_room + size, what, strlen(what) + 1);
}

/* ---- a file --------------------------------------------------------------------------------- */

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

/* Less than a second old, or from the future: it may change again within one tick of the clock. */
static bool is_young(const struct timespec *modified, const struct timespec *now)
{
    int64_t second_ago = (int64_t)now->tv_sec - 1;
    return modified->tv_sec > second_ago ||
           (modified->tv_sec == second_ago && modified->tv_nsec > now->tv_nsec);
}

static void describe(struct weft_http_job *job, const struct stat *st, const struct timespec *now)
{
    struct http_found *found = &job->found;
    /* As a number that may wrap: a file may have any date. */
    uint64_t modified_ns = (uint64_t)st->st_mtim.tv_sec * NANO + (uint64_t)st->st_mtim.tv_nsec;
    found->size = (uint64_t)st->st_size;
    found->in_memory = job->files->in_memory_ && (uint64_t)st->st_dev == job->files->device_;
    found->modified = st->st_mtim.tv_sec;
    if (found->modified > now->tv_sec)
        found->modified = now->tv_sec; /* RFC 9110, 8.8.2.1 */
    if (found->modified < 0)
        found->modified = WEFT_HTTP_NO_TIME;
    weft_http_etag_format(found->etag, found->size, (int64_t)modified_ns,
                          is_young(&st->st_mtim, now));
}

static void close_file(struct weft_http_job *job, int answer)
{
    close(job->found.fd);
    job->found.fd = -1;
    job->found.answer = answer;
}

/* The file is open: what of it does the client want? */
static int decide(struct weft_http_job *job, int64_t now, bool cached)
{
    struct http_found *found = &job->found;
    struct weft_text etag = weft_text_of(found->etag);
    struct weft_http_ranges ranges;
    enum weft_http_verdict verdict = weft_http_conditional(job->head, etag, found->modified, now);
    enum weft_http_part part = WEFT_HTTP_WHOLE;
    if (verdict != WEFT_HTTP_PROCEED) {
        close_file(job, verdict == WEFT_HTTP_NOT_MODIFIED ? 304 : 412);
        return 0;
    }
    if (weft_http_range_applies(job->head, etag, found->modified, now))
        part = weft_http_range_parse(weft_http_head_get(job->head, "Range"), found->size, &ranges);
    if (part == WEFT_HTTP_UNSATISFIABLE) {
        close_file(job, 416);
        return 0;
    }
    found->answer = part == WEFT_HTTP_PARTIAL ? 206 : 200;
    int err = weft__http_parts_begin(job, part == WEFT_HTTP_PARTIAL ? &ranges : NULL);
    if (err != 0 || job->head->method == WEFT_HTTP_HEAD)
        return err;
    job->step = weft__http_parts_fill;
    return weft__http_parts_fill(job, cached);
}

static const char *type_of(const struct weft_http_job *job)
{
    const char *type = weft_http_media_type(weft_text_of(job->path_room));
    if (job->files->type_by_default != NULL && strcmp(type, "application/octet-stream") == 0)
        return job->files->type_by_default;
    return type;
}

/* Is there the same in fewer bytes? fd is then that one. Smaller and not older: who writes name and
 * forgets name.gz is not answered from the past; and the two never have the same entity tag. */
static int try_encoding(struct weft_http_job *job, const char *coding, const char *ending,
                        struct stat *st, bool cached)
{
    struct stat packed;
    size_t plain_size = strlen(job->path_room);
    if (!weft_http_accepts_encoding(job->head, coding))
        return UV_ENOENT;
    add_to_path(job, plain_size, ending);
    int fd = open_file(job, &packed, cached);
    add_to_path(job, plain_size, "");
    if (fd < 0)
        return fd == UV_EAGAIN ? fd : UV_ENOENT;
    if (!S_ISREG(packed.st_mode) || packed.st_size >= st->st_size ||
        packed.st_mtime < st->st_mtime) {
        close(fd);
        return UV_ENOENT;
    }
    *st = packed;
    job->found.encoding = coding;
    return fd;
}

static int choose_encoding(struct weft_http_job *job, int fd, struct stat *st, bool cached)
{
    int packed = try_encoding(job, "br", ".br", st, cached);
    if (packed == UV_ENOENT)
        packed = try_encoding(job, "gzip", ".gz", st, cached);
    if (packed == UV_ENOENT)
        return fd;
    close(fd);
    return packed;
}

static int found_file(struct weft_http_job *job, int fd, struct stat *st, bool cached)
{
    struct timespec now;
    if (job->files->precompressed)
        fd = choose_encoding(job, fd, st, cached);
    if (fd < 0)
        return fd;
    clock_gettime(CLOCK_REALTIME, &now);
    job->found.fd = fd;
    job->found.type = type_of(job);
    describe(job, st, &now);
    return decide(job, now.tv_sec, cached);
}

/* ---- folders -------------------------------------------------------------------------------- */

static int found_folder(struct weft_http_job *job, bool cached)
{
    if (cached)
        return UV_EAGAIN; /* to list it is to wait */
    add_to_path(job, job->path.size, "");
    int fd = weft__http_open_below(job->files, job->path_room, O_RDONLY | O_DIRECTORY, cached);
    if (fd < 0)
        return plainly(job, fd);
    job->found.fd = fd;
    if (!job->files->listing) {
        close_file(job, 403);
        return 0;
    }
    job->found.answer = 200;
    job->found.list = true;
    job->found.type = "text/html; charset=utf-8";
    job->step = weft__http_list;
    return weft__http_list(job, cached);
}

static int find_in_folder(struct weft_http_job *job, bool cached)
{
    static const char *const usual[] = {"index.html", NULL};
    struct stat st;
    const char *const *index = job->files->index != NULL ? job->files->index : usual;
    for (; *index != NULL; index++) {
        add_to_path(job, job->path.size, *index);
        int fd = open_file(job, &st, cached);
        if (fd >= 0 && S_ISREG(st.st_mode))
            return found_file(job, fd, &st, cached);
        if (fd >= 0)
            close(fd);
        else if (fd != UV_ENOENT && fd != UV_ENOTDIR)
            return plainly(job, fd);
    }
    return found_folder(job, cached);
}

int weft__http_find(struct weft_http_job *job, bool cached)
{
    struct stat st;
    job->found.encoding = NULL;
    if (job->path.size == 0 || job->path.data[job->path.size - 1] == '/')
        return find_in_folder(job, cached);
    int fd = open_file(job, &st, cached);
    if (fd < 0)
        return plainly(job, fd);
    if (S_ISREG(st.st_mode))
        return found_file(job, fd, &st, cached);
    close(fd);
    job->found.answer = S_ISDIR(st.st_mode) ? 301 : 403;
    return 0;
}
