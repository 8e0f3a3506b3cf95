/* Copying a file: by the kernel as far as it goes, by hand from there on, in one step like a save.
 *
 * The two ways follow each other instead of excluding each other: the kernel says "no more" at the
 * end of a file, but also at the start of one below /proc, whose size is 0 though there is
 * something to read. Reading on from there is right in every case and costs one read that finds
 * nothing. */
#include "file_clone.h"
#include "file_replace.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <unistd.h>

enum { BUFFER = 128 * 1024 };

struct copy_hop {
    struct weft_hop hop;
    bool durable;
    uint64_t size;
};

static int copy_by_hand(struct copy_hop *its, int from, int to, char *buffer)
{
    for (;;) {
        if (hop_stopped(&its->hop))
            return UV_ECANCELED;
        ssize_t got = weft__file_read_some(from, buffer, BUFFER);
        if (got <= 0)
            return (int)got;
        int err = weft__file_write_all(to, buffer, (size_t)got, &its->hop);
        if (err != 0)
            return err;
        its->size += (uint64_t)got;
    }
}

static int copy_content(struct copy_hop *its, int from, int to)
{
    int err = weft__file_clone(&its->hop, from, to, &its->size);
    if (err != 0)
        return err;
    char *buffer = weft_alloc(BUFFER);
    if (buffer == NULL)
        return UV_ENOMEM;
    err = copy_by_hand(its, from, to, buffer);
    weft_free(buffer);
    return err;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int copy_open_file(struct copy_hop *its, int from)
{
    struct replace replace;
    struct stat source;
    if (fstat(from, &source) != 0)
        return sys_error();
    if (S_ISDIR(source.st_mode))
        return UV_EISDIR;
    int status = weft__replace_look(&replace, its->hop.second);
    if (status == 0 && replace.old.st_mode != 0 && same_file(&source, &replace.old))
        status = UV_EINVAL;
    if (status == 0)
        status = weft__replace_open(&replace, source.st_mode & 0777, its->durable);
    if (status != 0)
        return status;
    status = copy_content(its, from, replace.fd);
    return weft__replace_close(&replace, status, &its->hop.stop);
}

static int copy_work(struct weft_hop *hop)
{
    int from = weft__file_open(hop->path, O_RDONLY, 0);
    if (from < 0)
        return from;
    int status = copy_open_file(weft_owner(hop, struct copy_hop, hop), from);
    close(from);
    return status;
}

static void copy_give(struct weft_hop *hop, struct weft_op *op)
{
    weft_owner(op, struct weft_file_copy, op)->size = weft_owner(hop, struct copy_hop, hop)->size;
}

static const struct hop_kind copy_kind = {.size = sizeof(struct copy_hop),
                                          .paths = 2,
                                          .awaited = true,
                                          .work = copy_work,
                                          .give = copy_give};
HOPPER(weft_file_copy);

void weft_file_copy_begin(struct weft_op *op)
{
    struct weft_file_copy *copy = weft_owner(op, struct weft_file_copy, op);
    copy->size = 0;
    struct weft_hop *hop = weft__hop_make(op, &copy_kind, copy->from, copy->to);
    if (hop == NULL)
        return;
    weft_owner(hop, struct copy_hop, hop)->durable = copy->durable;
    weft__hop_go(hop);
}

void weft_file_copy_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_file_copy *copy, const char *from, const char *to,
                       weft_then_fn *then)
{
    op_check_start(parent, &copy->op);
    copy->from = from;
    copy->to = to;
    weft_run_at(site, parent, &copy->op, weft_file_copy_begin, then);
}
