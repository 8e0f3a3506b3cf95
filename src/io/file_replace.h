/* Putting a new file in the place of an old one, in one step. See file_replace.c. All of it runs
 * on a pool thread. */
#ifndef WEFT_IO_FILE_REPLACE_H
#define WEFT_IO_FILE_REPLACE_H

#include "file.h"
#include <limits.h>

struct replace {
    struct weft_hop *hop;
    int fd;  /* write the new content here */
    int dir; /* its directory, if it is to be durable; otherwise -1 */
    bool durable;
    char target[PATH_MAX], temporary[PATH_MAX];
};

/* What is at path now: *st, or st->st_mode 0 if there is nothing; through a symbolic link what it
 * leads to, whose path goes to replace->target. Otherwise a negative status: what is there cannot
 * be replaced. */
int weft__replace_look(struct replace *replace, const char *path, struct stat *st);

/* Open the temporary file beside target. It will have the mode and the owner of old, as far as the
 * system allows it, or new_mode less the umask if there is no old file. On an error there is
 * nothing to undo. */
int weft__replace_open(struct replace *replace, struct weft_hop *hop, const struct stat *old,
                       mode_t new_mode, bool durable);

/* The content is complete if status is 0: put it in place. Otherwise, or if that fails or the hop
 * was stopped, remove it. Returns the final status. */
int weft__replace_close(struct replace *replace, int status);

#endif
