/* Looking before anything is written: at dest first, then at every source.
 *
 * The hands share the sources: each takes the next LOOKS of them until none are left or one is found
 * that will not do. Sources are given out in their order and a hand stops at the first bad one of its
 * own, so that of all bad ones the first is told, however the hands were scheduled.
 *
 * Nothing is opened here: that is told by pipes to whoever writes to them, and rewinds tapes. Whether
 * a source may be read is asked for apart. */
#include "concat.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 4096,      /* bytes that a small file may lack without having a hole */
    CLAIMED = 64 << 10 /* bytes that a file may say it has, without a block, and is not believed */
};

static bool is_sparse(const struct stat *st)
{
    return (uint64_t)st->st_blocks * 512 + BLOCK <= (uint64_t)st->st_size;
}

/* Whether the size of a file is that of its content. What the kernel makes up when it is read has no
 * blocks, and says that it is empty (/proc) or has a page (/sys), however much it is. A small file that is
 * nothing but a hole looks the same, and comes out as bytes. */
static bool is_sized(const struct stat *st)
{
    return st->st_size > (st->st_blocks != 0 ? 0 : CLAIMED);
}

/* What to do with something that is open already, or that open would open. */
static int classify(struct source *source, const struct stat *st, bool input)
{
    *source = (struct source){.device = st->st_dev, .inode = st->st_ino};
    if (S_ISDIR(st->st_mode))
        return UV_EISDIR;
    if (S_ISREG(st->st_mode) && !input && is_sized(st)) {
        source->kind = SOURCE_FILE;
        source->size = (uint64_t)st->st_size;
        source->sparse = is_sparse(st);
        return 0;
    }
    if (S_ISSOCK(st->st_mode) && !input)
        return UV_ENOTSUP;
    source->kind = S_ISREG(st->st_mode) || S_ISBLK(st->st_mode) ? SOURCE_UNSIZED : SOURCE_STREAM;
    return 0;
}

static bool is_dest(const struct weft_concat_job *job, const struct source *source)
{
    const struct stat *old = &job->replace.old;
    return old->st_mode != 0 && old->st_dev == source->device && old->st_ino == source->inode;
}

/* Its owner needs no more than the mode to know, whatever lists there are for others. */
static bool is_readable(const struct weft_concat_job *job, const char *path, const struct stat *st)
{
    if (st->st_uid == job->user && (st->st_mode & S_IRUSR) != 0)
        return true;
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

static int look_at(struct weft_concat_job *job, size_t index)
{
    const char *path = job->concat->sources[index];
    if (path == NULL || path[0] == '\0')
        return UV_EINVAL;
    struct stat st;
    bool input = is_input(job, index);
    if ((input ? fstat(job->concat->input, &st) : stat(path, &st)) != 0)
        return sys_error();
    if (!input && !is_readable(job, path, &st))
        return sys_error();
    struct source *source = &job->sources[index];
    int err = classify(source, &st, input);
    if (err != 0)
        return err;
    return is_dest(job, source) ? UV_EINVAL : 0;
}

/* Sources first to end - 1. What they add to the result; or a negative status, and in *first whose. */
static int64_t look_at_some(struct weft_concat_job *job, size_t *first, size_t end,
                            bool *open_ended)
{
    int64_t size = 0;
    *open_ended = false;
    for (; *first < end; ++*first) {
        int err = look_at(job, *first);
        uint64_t more = job->sources[*first].size;
        if (err == 0 && more > (uint64_t)(INT64_MAX - size))
            err = UV_EFBIG;
        if (err != 0)
            return err;
        size += (int64_t)more;
        *open_ended |= job->sources[*first].kind != SOURCE_FILE;
    }
    return size;
}

/* Under the lock. */
static void add_up(struct weft_concat_job *job, size_t first, int64_t size)
{
    uint64_t max = job->concat->max != 0 ? job->concat->max : INT64_MAX;
    uint64_t total = atomic_load_explicit(&job->total, memory_order_relaxed);
    if (size < 0)
        weft__concat_fail(job, first, (int)size);
    else if ((uint64_t)size > max || total > max - (uint64_t)size)
        weft__concat_exceed(job);
    else
        atomic_store_explicit(&job->total, total + (uint64_t)size, memory_order_relaxed);
}

int weft__concat_look(struct weft_work *work)
{
    struct weft_concat_job *job = weft_owner(work, struct hand, work)->job;
    size_t count = job->concat->count;
    uv_mutex_lock(&job->lock);
    if (!job->dest_looked) {
        job->dest_looked = true;
        int err = weft__replace_look(&job->replace, job->concat->dest);
        if (err != 0)
            weft__concat_fail(job, WEFT_NONE, err);
    }
    while (job->status == 0 && job->looked < count && !concat_stopped(job)) {
        size_t first = job->looked, end = count - first > LOOKS ? first + LOOKS : count;
        job->looked = end;
        uv_mutex_unlock(&job->lock);
        bool open_ended;
        int64_t size = look_at_some(job, &first, end, &open_ended);
        uv_mutex_lock(&job->lock);
        job->open_ended |= open_ended;
        add_up(job, first, size);
    }
    int status = job->status;
    uv_mutex_unlock(&job->lock);
    return status == 0 && concat_stopped(job) ? UV_ECANCELED : status;
}

int weft__concat_open(struct weft_concat_job *job, size_t index)
{
    if (is_input(job, index))
        return job->concat->input;
    const struct source *source = &job->sources[index];
    struct stat st;
    int fd = weft__file_open(job->concat->sources[index], O_RDONLY, 0);
    if (fd < 0)
        return fd;
    int err = fstat(fd, &st) != 0 ? sys_error() : 0;
    if (err == 0 && (st.st_dev != source->device || st.st_ino != source->inode))
        err = WEFT_ECHANGED;
    if (err == 0)
        return fd;
    close(fd);
    return err;
}

void weft__concat_close(struct weft_concat_job *job, int fd)
{
    if (fd >= 0 && fd != job->concat->input)
        close(fd);
}
