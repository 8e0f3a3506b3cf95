/* Reading a file in pieces: a work whose function opens, reads and closes, and hands each piece to
 * the caller's function on the same thread. */
#include "file.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <unistd.h>

static int read_pieces(struct weft_file_scan *scan, int fd, char *buffer)
{
    for (;;) {
        if (weft_work_stopped(&scan->work))
            return UV_ECANCELED;
        ssize_t got = weft__file_read_some(fd, buffer, WEFT_FILE_PIECE);
        if (got <= 0)
            return (int)got;
        scan->size += (uint64_t)got;
        int err = scan->piece(scan, buffer, (size_t)got);
        if (err != 0)
            return err;
    }
}

static int scan_file(struct weft_work *work)
{
    struct weft_file_scan *scan = weft_owner(work, struct weft_file_scan, work);
    int fd = weft__file_open(scan->path, O_RDONLY, 0);
    if (fd < 0)
        return fd;
    char *buffer = weft_alloc(WEFT_FILE_PIECE);
    int status = buffer != NULL ? read_pieces(scan, fd, buffer) : UV_ENOMEM;
    weft_free(buffer);
    close(fd);
    return status;
}

void weft_file_scan_begin(struct weft_op *op)
{
    struct weft_file_scan *scan = weft_owner(op, struct weft_file_scan, work.op);
    scan->size = 0;
    scan->work.function = scan_file;
    if (scan->path == NULL || scan->path[0] == '\0' || scan->piece == NULL)
        weft_finish(op, UV_EINVAL);
    else
        weft_work_begin(op);
}

void weft_file_scan_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_file_scan *scan, const char *path, weft_piece_fn *piece,
                       weft_then_fn *then)
{
    op_check_start(parent, &scan->work.op);
    scan->path = path;
    scan->piece = piece;
    weft_run_at(site, parent, &scan->work.op, weft_file_scan_begin, then);
}
