/* What was found and is to be entered later: a stack. See pending.c. */
#ifndef WEFT_FILES_PENDING_H
#define WEFT_FILES_PENDING_H

#include "place.h"
#include "weft/tree.h"
#include <stddef.h>
#include <stdint.h>

/* At most so many of one explorer, and a path of at most so many bytes. */
enum { PENDING_MOST = 16 * 1000 * 1000, PENDING_PATH_MOST = 1 << 20 };

/* A folder, or a file that somebody else may have the time to look into. */
struct pending_item {
    size_t path; /* where in paths it begins; a NUL stands behind it */
    size_t size, depth;
    enum weft_file_kind kind;
    struct place *above; /* of its parent, held; NULL: a file, or links are not followed */
};

/* Zeroed before its first use. */
struct pending {
    struct pending_item *items;
    size_t count, room;
    char *paths;
    size_t paths_used, paths_room;
};

/* Put one on top; path is copied, above is taken over if the status is 0. UV_ENOMEM; UV_E2BIG: too
 * many. */
int weft__pending_push(struct pending *pending, const struct weft_tree_entry *entry,
                       struct place *above);
/* Take the top one off, which must be there. Its path stays valid until the next push. */
struct pending_item weft__pending_pop(struct pending *pending);
/* Give the lower half to one that is empty. UV_ENOMEM: nothing has changed. */
int weft__pending_share(struct pending *from, struct pending *to);
void weft__pending_free(struct pending *pending);

#endif
