/* What the file operations share: system calls that go on after an interruption. See file.c. */
#ifndef WEFT_IO_FILE_H
#define WEFT_IO_FILE_H

#include "hop.h"
#include "weft/file.h"
#include <errno.h>
#include <sys/stat.h>

/* Bytes between two looks at whether the hop was stopped. */
enum { FILE_CHUNK = 1 << 20 };

/* errno as a status. */
static inline int sys_error(void)
{
    return uv_translate_sys_error(errno);
}

/* open that never waits: close-on-exec, no controlling terminal, non-blocking. A descriptor or a
 * negative status. */
int weft__file_open(const char *path, int flags, mode_t mode);
/* After an open that says UV_EAGAIN: somebody holds a lease on the file, as servers of files do, and was told by
 * that call to let go. Waits, longer each time, for half a second in all; false: that was all. *turn is zero
 * at first. */
bool weft__file_lease_wait(unsigned *turn);
/* close for files that were written: 0, or what the system had kept to itself until now. */
int weft__file_close(int fd);
/* Read at most size bytes: how many, 0 at the end, or a negative status. */
ssize_t weft__file_read_some(int fd, void *data, size_t size);
/* Write all of it. With a hop, stop between chunks with UV_ECANCELED when that is stopped. */
int weft__file_write_all(int fd, const void *data, size_t size, struct weft_hop *hop);

enum weft_file_kind weft__file_kind(mode_t mode);

#endif
