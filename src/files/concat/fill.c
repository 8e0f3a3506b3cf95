/* Reading a piece into its buffer. A file has the bytes it was seen to have, or it has changed. */
#include "concat.h"
#include "weft/alloc.h"
#include <unistd.h>

/* Exactly size bytes of fd, at from. */
static int fill_from(int fd, char *data, size_t size, uint64_t from)
{
    while (size > 0) {
        ssize_t got = pread(fd, data, size, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? WEFT_ECHANGED : sys_error();
        data += got;
        from += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static int fill_run(struct weft_concat_job *job, struct piece *piece, size_t *index)
{
    char *data = piece->buffer;
    for (*index = piece->first; *index < piece->first + piece->count; ++*index) {
        size_t size = (size_t)job->sources[*index].size;
        int fd = weft__concat_open(job, *index);
        if (fd < 0)
            return fd;
        int err = fill_from(fd, data, size, 0);
        close(fd);
        if (err != 0)
            return err;
        data += size;
    }
    return 0;
}

/* As much as there is now. */
static int fill_unsized(struct weft_concat_job *job, struct piece *piece, bool *end)
{
    bool stream = job->sources[piece->first].kind == SOURCE_STREAM;
    while (piece->size < job->room && !concat_stopped(job)) {
        char *data = piece->buffer + piece->size;
        size_t room = job->room - (size_t)piece->size;
        ssize_t got = stream ? weft__ready_read(piece->fd, data, room)
                             : weft__file_read_some(piece->fd, data, room);
        *end = got == 0;
        if (got <= 0)
            return got == UV_EAGAIN ? 0 : (int)got;
        piece->size += (uint64_t)got;
    }
    return 0;
}

int weft__concat_fill(struct weft_concat_job *job, struct piece *piece, size_t *index, bool *end)
{
    *index = WEFT_NONE;
    if (piece->form == PIECE_HOLE || piece->form == PIECE_RANGE)
        return 0;
    if (piece->buffer == NULL)
        piece->buffer = weft_alloc(job->room);
    if (piece->buffer == NULL)
        return UV_ENOMEM;
    *index = piece->first;
    if (piece->form == PIECE_RUN)
        return fill_run(job, piece, index);
    if (piece->form == PIECE_UNSIZED)
        return fill_unsized(job, piece, end);
    return fill_from(piece->fd, piece->buffer, (size_t)piece->size, piece->from);
}
