/* What the systems do in their own ways: folder_linux.c, folder_plain.c. */
#ifndef WEFT_FILES_FOLDER_INSIDE_H
#define WEFT_FILES_FOLDER_INSIDE_H

#include "folder.h"

/* Take over fd, which is a folder. 0, or a negative status: then fd is closed. */
int weft__folder_opened(struct folder *folder, int fd);
/* openat for a path that the kernel takes as it is: a descriptor or a negative status. */
int weft__folder_step(int at, const char *path, int flags, bool follow);

static inline bool folder_is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

#endif
