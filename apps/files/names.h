/* apps/files/names.h: a list of file names, from files. */
#ifndef WEFT_FILES_NAMES_H
#define WEFT_FILES_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { FILES_NAMES_MAX = 256 << 20 /* bytes that a file of names stays below */ };

struct files_text;

/* Zero it before its first use. */
struct files_names {
    const char **names; /* where they are is the list's; NULL behind the last */
    size_t count;
    struct files_text *texts_; /* what was read; the names point into it */
    size_t names_room_;
};

/* Add one that stays where it is. A negative status: UV_ENOMEM. */
int files_names_add(struct files_names *list, const char *name);
/* Add all of a file: '-' is standard input. Each ends with end, the last one need not; empty ones
 * are passed over. A negative status: UV_ENOMEM, UV_EFBIG, UV_EILSEQ (a NUL where lines were expected),
 * or that of a system call. */
int files_names_read(struct files_names *list, const char *path, char end);
void files_names_free(struct files_names *list);

#endif
