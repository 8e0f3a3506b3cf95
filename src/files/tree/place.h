/* Which folders lie above, by their numbers: only where links are followed. See place.c. */
#ifndef WEFT_FILES_PLACE_H
#define WEFT_FILES_PLACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

/* A folder, and the one it was entered from. Counted: those below it and folders that wait hold it, on
 * any thread. */
struct place {
    struct place *above;
    dev_t device;
    ino_t inode;
    atomic_uint holders;
};

/* One more place below above, whose hold is taken over; the caller holds the new one. NULL: no memory,
 * above is held as before. */
struct place *weft__place_below(struct place *above, const struct stat *st);
/* One holder more; NULL is nowhere, and fine. */
struct place *weft__place_hold(struct place *place);
void weft__place_drop(struct place *place);
/* Is the folder st one of these? */
bool weft__place_has(const struct place *place, const struct stat *st);

#endif
