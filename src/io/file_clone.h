/* Copying inside the kernel, where there is a way to. See file_clone.c. */
#ifndef WEFT_IO_FILE_CLONE_H
#define WEFT_IO_FILE_CLONE_H

#include "hop.h"

/* Copy what the kernel will copy from one open file to another, from where they stand, and add how
 * much that was to *size. 0: the rest, which may be all or nothing, is to be read and written.
 * UV_ECANCELED: the hop was stopped. Another negative status: the disk is full or broken. */
int weft__file_clone(struct weft_hop *hop, int from, int to, uint64_t *size);

#endif
