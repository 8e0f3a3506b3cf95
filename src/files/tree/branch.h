/* The folders that are open from somewhere above down to the one that is read. See branch.c. */
#ifndef WEFT_FILES_BRANCH_H
#define WEFT_FILES_BRANCH_H

#include "folder.h"

enum { BRANCH_MOST = 32 };

/* Zeroed before its first use, but for most. folders[i] is at depth first + i. */
struct branch {
    struct folder folders[BRANCH_MOST];
    size_t first, count, most; /* most: how many may be open, BRANCH_MOST or fewer */
};

/* Keep a folder open, for those below it. Those that are as deep or deeper are closed; if there are too
 * many, all others are. */
void weft__branch_keep(struct branch *branch, struct folder folder, size_t depth);
/* The folder at this depth, and those below it are closed; NULL: it is not open any more. */
const struct folder *weft__branch_at(struct branch *branch, size_t depth);
void weft__branch_close(struct branch *branch);

#endif
