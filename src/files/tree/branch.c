/* A folder is opened from its parent, by its name alone: that is fast at any depth, works where the whole
 * path would be too long, and cannot be led astray by links that somebody puts in the place of folders. So
 * parents stay open while folders wait that were found in them.
 *
 * Descriptors are few. After so many as there may be the upper ones are closed, and if folders still wait
 * there, those are opened by their path.
 *
 * Invariant: folders are read in the order of a stack, so of those that wait the top one was found in
 * the deepest folder of the branch that has any; the one at its depth less one is its parent, or is
 * not here. */
#include "branch.h"

static void cut(struct branch *branch, size_t count)
{
    while (branch->count > count)
        weft__folder_close(&branch->folders[--branch->count]);
}

void weft__branch_close(struct branch *branch)
{
    cut(branch, 0);
}

const struct folder *weft__branch_at(struct branch *branch, size_t depth)
{
    if (branch->count == 0 || depth < branch->first || depth >= branch->first + branch->count) {
        /* What is open is no use to anybody above; what is deeper is over. */
        cut(branch, 0);
        return NULL;
    }
    cut(branch, depth - branch->first + 1);
    return &branch->folders[depth - branch->first];
}

void weft__branch_keep(struct branch *branch, struct folder folder, size_t depth)
{
    if (branch->count > 0 && depth > branch->first && depth <= branch->first + branch->count)
        cut(branch, depth - branch->first);
    else
        cut(branch, 0);
    if (branch->count >= branch->most)
        cut(branch, 0);
    if (branch->most == 0) {
        weft__folder_close(&folder);
        return;
    }
    if (branch->count == 0)
        branch->first = depth;
    branch->folders[branch->count++] = folder;
}
