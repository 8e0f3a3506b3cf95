/* Who links to whom: pairs, appended to a file.
 *
 * Nothing is searched for while a crawl runs: a pair goes into a batch, a full batch to the end of
 * the file. Who wants to know something reads all of it, once: a million pairs are 8 MB.
 *
 * The file may be ahead of the state, never behind it: pairs are written before the state is told
 * that their page is done. So a crash leaves at worst pairs with numbers that the state has lost
 * again, and will give to others: from the first of these on the file is cut when it is opened. The
 * pages whose pairs go with it are not done, and will be looked through again. */
#include "spider/edges.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>

enum { PATH_SIZE = 4096 };

_Static_assert(sizeof(struct edge) == 8, "a pair is eight bytes, in the file too");

static bool path_of(char path[PATH_SIZE], const char *folder)
{
    return snprintf(path, PATH_SIZE, "%s/.weft/edges", folder) < PATH_SIZE;
}

bool edges_exist(const char *folder)
{
    char path[PATH_SIZE];
    return path_of(path, folder) && access(path, F_OK) == 0;
}

static int last_error(void)
{
    return uv_translate_sys_error(errno);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* As many whole pairs as there are at this place, up to a batch. */
static int read_at(int fd, uint64_t at, struct edge *pairs, size_t *count)
{
    size_t got = 0;
    ssize_t more;
    do {
        more = pread(fd, (char *)pairs + got, EDGES_BATCH * sizeof *pairs - got, (off_t)(at + got));
        if (more > 0)
            got += (size_t)more;
    } while (more > 0 || (more < 0 && errno == EINTR));
    *count = got / sizeof *pairs;
    return more < 0 ? last_error() : 0;
}

/* number: how many pairs stand before it. */
typedef int walk_fn(struct edge edge, uint64_t number, void *context);

static int walk(const struct edges *edges, walk_fn *see, void *context)
{
    struct edge pairs[EDGES_BATCH];
    size_t count = 1;
    int err = 0;
    for (uint64_t at = 0; err == 0 && edges->open_ && count > 0; at += count) {
        err = read_at(edges->fd_, at * sizeof *pairs, pairs, &count);
        for (size_t i = 0; err == 0 && i < count; i++)
            err = see(pairs[i], at + i, context);
    }
    return err;
}

/* A page that is read again: "from, 0". Where does the last of those stand, for each page? */
struct latest {
    uint64_t *numbers; /* and one more; 0: there is none */
    size_t room;
};

static bool is_anew(struct edge edge)
{
    return edge.to == 0;
}

static int note_latest(struct edge edge, uint64_t number, void *context)
{
    struct latest *latest = context;
    if (!is_anew(edge))
        return 0;
    if (edge.from >= latest->room) {
        size_t room = (size_t)edge.from * 2 + 1;
        uint64_t *numbers = weft_realloc(latest->numbers, room * sizeof *numbers);
        if (numbers == NULL)
            return UV_ENOMEM;
        memset(numbers + latest->room, 0, (room - latest->room) * sizeof *numbers);
        *latest = (struct latest){numbers, room};
    }
    latest->numbers[edge.from] = number + 1;
    return 0;
}

/* Those that count. */
struct live {
    struct latest latest;
    edges_each_fn *see;
    void *context;
};

static int see_live(struct edge edge, uint64_t number, void *context)
{
    const struct live *live = context;
    const struct latest *latest = &live->latest;
    bool counts =
        !is_anew(edge) && (edge.from >= latest->room || number >= latest->numbers[edge.from]);
    return counts ? live->see(edge, live->context) : 0;
}

int edges_each(struct edges *edges, edges_each_fn *see, void *context)
{
    struct live live = {.see = see, .context = context};
    int err = edges_flush(edges);
    if (err == 0 && edges->anew_)
        err = walk(edges, note_latest, &live.latest);
    if (err == 0)
        err = walk(edges, see_live, &live);
    weft_free(live.latest.numbers);
    return err;
}

/* ---- opening -------------------------------------------------------------------------------- */

struct good {
    weft_crawl_id known;
    uint64_t size;
    bool anew;
};

enum { STRANGE = 1 };

static int is_good(struct edge edge, uint64_t number, void *context)
{
    struct good *good = context;
    (void)number;
    if (edge.from == 0 || edge.from > good->known || edge.to > good->known)
        return STRANGE;
    good->size += sizeof edge;
    good->anew |= is_anew(edge);
    return 0;
}

static int cut_off(struct edges *edges, weft_crawl_id known)
{
    struct stat info;
    struct good good = {.known = known};
    int err = walk(edges, is_good, &good);
    if (err != 0 && err != STRANGE)
        return err;
    edges->size_ = good.size;
    edges->anew_ = good.anew;
    if (fstat(edges->fd_, &info) != 0)
        return last_error();
    if ((uint64_t)info.st_size == good.size)
        return 0;
    return ftruncate(edges->fd_, (off_t)good.size) == 0 ? 0 : last_error();
}

int edges_open(struct edges *edges, const char *folder, weft_crawl_id known)
{
    char path[PATH_SIZE];
    if (edges->open_)
        return UV_EINVAL;
    if (!path_of(path, folder))
        return UV_ENAMETOOLONG;
    *edges = (struct edges){.batch_ = weft_calloc(EDGES_BATCH, sizeof *edges->batch_),
                            .recent_ = weft_calloc(EDGES_RECENT, sizeof *edges->recent_)};
    int err = edges->batch_ == NULL || edges->recent_ == NULL ? UV_ENOMEM : 0;
    if (err == 0) {
        edges->fd_ = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        edges->open_ = edges->fd_ >= 0;
        err = edges->open_ ? cut_off(edges, known) : last_error();
    }
    if (err != 0)
        edges_close(edges);
    return err;
}

/* ---- adding --------------------------------------------------------------------------------- */

int edges_flush(struct edges *edges)
{
    size_t size = edges->used_ * sizeof *edges->batch_, done = 0;
    while (edges->open_ && done < size) {
        ssize_t more = pwrite(edges->fd_, (char *)edges->batch_ + done, size - done,
                              (off_t)(edges->size_ + done));
        if (more < 0 && errno != EINTR)
            return last_error(); /* the next try begins at the same place */
        if (more > 0)
            done += (size_t)more;
    }
    edges->size_ += size;
    edges->used_ = 0;
    return 0;
}

/* A page names the same target in its head and its foot. */
static bool is_recent(struct edges *edges, struct edge edge)
{
    struct edge *place = &edges->recent_[(edge.to * 2654435761u >> 16) % EDGES_RECENT];
    if (place->from == edge.from && place->to == edge.to)
        return true;
    *place = edge;
    return false;
}

static int append(struct edges *edges, struct edge edge)
{
    if (edges->used_ == EDGES_BATCH) {
        int err = edges_flush(edges);
        if (err != 0)
            return err;
    }
    edges->batch_[edges->used_++] = edge;
    return 0;
}

int edges_add(struct edges *edges, weft_crawl_id from, weft_crawl_id to)
{
    struct edge edge = {from, to};
    if (!edges->open_ || from == 0 || to == 0 || is_recent(edges, edge))
        return 0;
    return append(edges, edge);
}

int edges_anew(struct edges *edges, weft_crawl_id from)
{
    if (!edges->open_ || from == 0)
        return 0;
    for (size_t i = 0; i < EDGES_RECENT; i++) {
        if (edges->recent_[i].from == from)
            edges->recent_[i] = (struct edge){0, 0};
    }
    edges->anew_ = true;
    return append(edges, (struct edge){from, 0});
}

/* ---- tidying up ----------------------------------------------------------------------------- */

static int count_one(struct edge edge, void *context)
{
    (void)edge;
    ++*(uint64_t *)context;
    return 0;
}

static int copy_one(struct edge edge, void *context)
{
    return append(context, edge);
}

/* With a batch of its own; on the disk before it takes the place of the other. */
static int write_live(struct edges *edges, struct edges *to, const char *path)
{
    to->batch_ = weft_calloc(EDGES_BATCH, sizeof *to->batch_);
    if (to->batch_ == NULL)
        return UV_ENOMEM;
    to->fd_ = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (to->fd_ < 0)
        return last_error();
    to->open_ = true;
    int err = edges_each(edges, copy_one, to);
    if (err == 0)
        err = edges_flush(to);
    return err == 0 && fsync(to->fd_) != 0 ? last_error() : err;
}

void edges_tidy(struct edges *edges, const char *folder)
{
    char path[PATH_SIZE], new[PATH_SIZE + 4];
    struct edges to = {0};
    uint64_t live = 0, all = edges->size_ / sizeof(struct edge);
    if (!edges->anew_ || all < EDGES_FEW || !path_of(path, folder) ||
        edges_each(edges, count_one, &live) != 0 || live > all / 2)
        return;
    snprintf(new, sizeof new, "%s.new", path);
    int err = write_live(edges, &to, new);
    if (err == 0 && rename(new, path) == 0) {
        int fd = edges->fd_;
        edges->fd_ = to.fd_;
        edges->size_ = to.size_;
        edges->anew_ = false;
        to.fd_ = fd;
    } else if (to.open_) {
        unlink(new);
    }
    to.used_ = 0; /* what is left of one that failed */
    edges_close(&to);
}

void edges_close(struct edges *edges)
{
    if (edges->open_) {
        edges_flush(edges);
        close(edges->fd_);
    }
    weft_free(edges->batch_);
    weft_free(edges->recent_);
    *edges = (struct edges){0};
}
