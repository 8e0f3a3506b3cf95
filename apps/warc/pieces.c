/* Pieces of memory and of files, one behind the other: from memory in one call of the kernel's, of a
 * file a bounded piece at a time. */
#include "warc/inside.h"
#include <sys/uio.h>
#include <unistd.h>
#include <weft/alloc.h>

enum { PIECES = 8 };

int warc_write_at(int fd, const void *data, size_t size, uint64_t at)
{
    const char *from = data;
    while (size > 0) {
        ssize_t done = pwrite(fd, from, size, (off_t)at);
        if (done < 0 && errno != EINTR)
            return warc_error();
        if (done > 0) {
            from += done;
            at += (uint64_t)done;
            size -= (size_t)done;
        }
    }
    return 0;
}

ssize_t warc_read_at(int fd, void *data, size_t size, uint64_t at)
{
    ssize_t got;
    do
        got = pread(fd, data, size, (off_t)at);
    while (got < 0 && errno == EINTR);
    return got >= 0 ? got : warc_error();
}

static int copy(int from, uint64_t size, int to, uint64_t at)
{
    char *block = weft_alloc(WARC_COPY);
    int err = block == NULL ? UV_ENOMEM : 0;
    for (uint64_t done = 0; err == 0 && done < size;) {
        size_t want = size - done < WARC_COPY ? (size_t)(size - done) : WARC_COPY;
        ssize_t got = warc_read_at(from, block, want, done);
        err = got > 0   ? warc_write_at(to, block, (size_t)got, at + done)
              : got < 0 ? (int)got
                        : UV_EIO; /* it has become shorter */
        done += got > 0 ? (uint64_t)got : 0;
    }
    weft_free(block);
    return err;
}

/* As many as there are from memory at the begin: how many, or an error. */
static int write_memory(int fd, const struct warc_piece *pieces, size_t count, uint64_t at)
{
    struct iovec vectors[PIECES];
    size_t wanted = 0;
    int used = 0;
    for (; (size_t)used < count && used < PIECES && pieces[used].fd < 0; used++) {
        vectors[used] =
            (struct iovec){(void *)(uintptr_t)pieces[used].data, (size_t)pieces[used].size};
        wanted += (size_t)pieces[used].size;
    }
    ssize_t done = pwritev(fd, vectors, used, (off_t)at);
    if (done >= 0 && (size_t)done == wanted)
        return used;
    for (int i = 0, err = 0; i < used; at += pieces[i++].size) { /* seldom: once more, one by one */
        err = warc_write_at(fd, pieces[i].data, (size_t)pieces[i].size, at);
        if (err != 0)
            return err;
    }
    return used;
}

int warc_pieces_write(int fd, const struct warc_piece *pieces, size_t count, uint64_t *at)
{
    for (size_t i = 0; i < count;) {
        int done = 1, err = 0;
        if (pieces[i].fd >= 0)
            err = copy(pieces[i].fd, pieces[i].size, fd, *at);
        else
            done = write_memory(fd, pieces + i, count - i, *at);
        if (err != 0 || done < 0)
            return err != 0 ? err : done;
        for (; done > 0; done--)
            *at += pieces[i++].size;
    }
    return 0;
}
