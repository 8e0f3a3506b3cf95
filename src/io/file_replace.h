/* Putting a new file in the place of an old one, in one step. See file_replace.c. All of it runs
 * on a pool thread. */
#ifndef WEFT_IO_FILE_REPLACE_H
#define WEFT_IO_FILE_REPLACE_H

#include "file.h"
#include <limits.h>
#include <stdatomic.h>

struct replace {
    struct stat old; /* the file that is replaced; st_mode 0: there is none */
    int fd;          /* write the new content here */
    int dir;         /* its directory, if it is to be durable; otherwise -1 */
    char target[PATH_MAX], temporary[PATH_MAX];
};

/* Look at what is at path now, through a symbolic link if there is one: old and target. A negative
 * status: what is there cannot be replaced. */
int weft__replace_look(struct replace *replace, const char *path);

/* Open the temporary file beside target. If there is no old file it will have new_mode less the
 * umask. On an error there is nothing to undo. */
int weft__replace_open(struct replace *replace, mode_t new_mode, bool durable);

/* The content is complete if status is 0: put it in place. Otherwise, or if that fails or *stop was
 * set meanwhile (NULL: nobody can), remove it. Returns the final status. */
int weft__replace_close(struct replace *replace, int status, const atomic_bool *stop);

#endif
