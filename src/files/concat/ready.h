/* Waiting for a descriptor that belongs to others, on the loop. See ready_linux.c. */
#ifndef WEFT_FILES_READY_H
#define WEFT_FILES_READY_H

#include "io/stream.h"
#include "weft/timer.h"

/* An op: finishes with 0 when fd may have something to read, or its end. */
struct ready {
    struct weft_op op;
    int fd;
    struct weft_watch watch;
    struct weft_sleep sleep;
    int status;
};
void weft__ready_begin(struct weft_op *op);

/* From a thread: read what is there, and do not wait for it. How many bytes; 0: the end; UV_EAGAIN:
 * nothing has come yet; another negative status. The descriptor stays as it is. */
ssize_t weft__ready_read(int fd, void *data, size_t size);

#endif
