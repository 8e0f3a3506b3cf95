/* Adding a piece to the result. One hand at a time does it, and what it writes goes where the new
 * file's descriptor stands.
 *
 * The kernel refuses to copy between many pairs of files, for reasons of its own, and says so only when
 * it is asked: what it leaves is read and written, and it is not asked again. */
#include "concat.h"
#include "io/file_clone.h"
#include <unistd.h>

static void note_done(struct weft_concat_job *job, uint64_t size)
{
    atomic_fetch_add_explicit(&job->done, size, memory_order_relaxed);
}

static int put_bytes(struct weft_concat_job *job, const struct piece *piece)
{
    int err = weft__file_write_all(job->replace.fd, piece->buffer, (size_t)piece->size, NULL);
    if (err == 0)
        note_done(job, piece->size);
    return err;
}

/* The end of the file moves along: the hole may be the last of it. A place that the file system has no
 * number for is a bad argument to a seek, and to a write it is too large. */
static int put_hole(struct weft_concat_job *job, const struct piece *piece)
{
    off_t end = lseek(job->replace.fd, (off_t)piece->size, SEEK_CUR);
    if (end < 0 || ftruncate(job->replace.fd, end) != 0)
        return errno == EINVAL ? UV_EFBIG : sys_error();
    note_done(job, piece->size);
    return 0;
}

static int put_by_hand(struct weft_concat_job *job, struct piece *rest, size_t *index)
{
    struct piece part = *rest;
    part.form = PIECE_BYTES;
    while (rest->size > 0 && !concat_stopped(job)) {
        bool end;
        part.from = rest->from;
        part.size = rest->size < job->room ? rest->size : job->room;
        int err = weft__concat_fill(job, &part, index, &end);
        rest->buffer = part.buffer;
        if (err != 0)
            return err;
        *index = WEFT_NONE;
        err = put_bytes(job, &part);
        if (err != 0)
            return err;
        rest->from += part.size;
        rest->size -= part.size;
    }
    return 0;
}

static int put_range(struct weft_concat_job *job, struct piece *piece, size_t *index)
{
    while (piece->size > 0 && !concat_stopped(job)) {
        off_t from = (off_t)piece->from;
        ssize_t copied =
            weft__file_clone_range(piece->fd, &from, job->replace.fd, NULL, (size_t)piece->size);
        if (copied < 0 && copied != UV_EIO)
            return (int)copied;
        /* Also if a disk is broken: by hand it is known which one. */
        if (copied <= 0) {
            uv_mutex_lock(&job->lock);
            job->plan.by_hand = true;
            uv_mutex_unlock(&job->lock);
            return put_by_hand(job, piece, index);
        }
        note_done(job, (uint64_t)copied);
        piece->from += (uint64_t)copied;
        piece->size -= (uint64_t)copied;
    }
    return 0;
}

int weft__concat_put(struct weft_concat_job *job, struct piece *piece, size_t *index)
{
    *index = WEFT_NONE;
    if (piece->form == PIECE_HOLE)
        return put_hole(job, piece);
    if (piece->form == PIECE_RANGE)
        return put_range(job, piece, index);
    return put_bytes(job, piece);
}
