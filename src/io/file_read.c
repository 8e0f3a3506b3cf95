/* Reading a whole file.
 *
 * The size that stat tells is a hint: a file may grow, and those below /proc say 0. So there is
 * room for one byte more than the hint, and the end is where read says so. For most files that is
 * one allocation, one read and one more that finds nothing. A byte of the room is kept free for
 * the NUL: the buffer grows as soon as it is full. */
#include "file.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <unistd.h>

enum { FIRST_ROOM = 4096 };

struct read_hop {
    struct weft_hop hop;
    size_t max, size, room;
    char *data;
};

static int grow(struct read_hop *its, size_t room)
{
    char *data = weft_realloc(its->data, room);
    if (data == NULL)
        return UV_ENOMEM;
    its->data = data;
    its->room = room;
    return 0;
}

/* Twice as much, but never more than it takes to see that max is passed. */
static size_t next_room(const struct read_hop *its)
{
    return its->room > its->max / 2 ? its->max + 1 : its->room * 2;
}

static int read_on(struct read_hop *its, int fd)
{
    for (;;) {
        if (hop_stopped(&its->hop))
            return UV_ECANCELED;
        ssize_t got = weft__file_read_some(fd, its->data + its->size, its->room - its->size);
        if (got <= 0)
            return (int)got;
        its->size += (size_t)got;
        if (its->size > its->max)
            return UV_EFBIG;
        if (its->size == its->room) {
            int err = grow(its, next_room(its));
            if (err != 0)
                return err;
        }
    }
}

/* Give back what doubling took too much; if there is no memory for that, it stays. */
static void trim(struct read_hop *its)
{
    if (its->room - its->size > FIRST_ROOM)
        grow(its, its->size + 1);
}

static int read_whole(struct read_hop *its, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return sys_error();
    if (S_ISDIR(st.st_mode))
        return UV_EISDIR;
    uint64_t hint = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    if (hint > its->max)
        return UV_EFBIG;
    size_t least = its->max < FIRST_ROOM ? its->max + 1 : FIRST_ROOM;
    int err = grow(its, hint != 0 ? (size_t)hint + 1 : least);
    if (err == 0)
        err = read_on(its, fd);
    if (err != 0)
        return err;
    trim(its);
    its->data[its->size] = '\0';
    return 0;
}

static int read_work(struct weft_hop *hop)
{
    int fd = weft__file_open(hop->path, O_RDONLY, 0);
    if (fd < 0)
        return fd;
    int status = read_whole(weft_owner(hop, struct read_hop, hop), fd);
    close(fd);
    return status;
}

static void read_give(struct weft_hop *hop, struct weft_op *op)
{
    struct read_hop *its = weft_owner(hop, struct read_hop, hop);
    struct weft_file_read *read = weft_owner(op, struct weft_file_read, op);
    read->data = its->data;
    read->size = its->size;
    its->data = NULL;
}

static void read_drop(struct weft_hop *hop)
{
    weft_free(weft_owner(hop, struct read_hop, hop)->data);
}

static const struct hop_kind read_kind = {.size = sizeof(struct read_hop),
                                          .paths = 1,
                                          .work = read_work,
                                          .give = read_give,
                                          .drop = read_drop};
HOPPER(weft_file_read);

void weft_file_read_begin(struct weft_op *op)
{
    struct weft_file_read *read = weft_owner(op, struct weft_file_read, op);
    read->data = NULL;
    read->size = 0;
    struct weft_hop *hop = weft__hop_make(op, &read_kind, read->path, NULL);
    if (hop == NULL)
        return;
    size_t max = read->max != 0 ? read->max : WEFT_FILE_READ_MAX;
    size_t most = SIZE_MAX / 2; /* so that no sum of ours overflows; nobody has that much */
    weft_owner(hop, struct read_hop, hop)->max = max < most ? max : most;
    weft__hop_go(hop);
}

void weft_file_read_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_file_read *read, const char *path, weft_then_fn *then)
{
    op_check_start(parent, &read->op);
    read->path = path;
    weft_run_at(site, parent, &read->op, weft_file_read_begin, then);
}

void weft_file_read_free(struct weft_file_read *read)
{
    weft_free(read->data);
    read->data = NULL;
    read->size = 0;
}
