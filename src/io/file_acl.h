/* Lists of rights (POSIX ACLs), which a mode knows only the sum of. */
#ifndef WEFT_IO_FILE_ACL_H
#define WEFT_IO_FILE_ACL_H

#include <stdbool.h>

/* Give fd the list that the file at path has, or none if that has none; before its mode is set. false: it
 * could not be done, and the bits of the group would mean something else than they do there. */
bool weft__file_acl_copy(const char *path, int fd);

#endif
