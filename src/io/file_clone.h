/* Copying inside the kernel, where there is a way to. See file_clone.c. */
#ifndef WEFT_IO_FILE_CLONE_H
#define WEFT_IO_FILE_CLONE_H

#include "hop.h"
#include <sys/types.h>

/* Copy what the kernel will copy from one open file to another, from where they stand, and add how
 * much that was to *size. 0: the rest, which may be all or nothing, is to be read and written.
 * UV_ECANCELED: the hop was stopped. Another negative status: the disk is full or broken. */
int weft__file_clone(struct weft_hop *hop, int from, int to, uint64_t *size);

/* Copy a stretch of at most size bytes, and move the two places on by as much (NULL: where the
 * descriptor stands). How many bytes; 0: the kernel will not, or from ends here; a negative status:
 * the disk is full or broken. */
ssize_t weft__file_clone_range(int from, off_t *from_at, int to, off_t *to_at, size_t size);

/* Does the file system of fd only move the bytes when it copies, as we can do it ourselves? Not if it
 * shares blocks, or asks a server. */
bool weft__file_clone_is_plain(int fd);

#endif
