/* Loops: a link that leads to a folder above it.
 *
 * Names never tell, so each folder that is entered notes its numbers and who it was entered from; a
 * folder whose numbers stand somewhere above it is one that we are in already. The chain goes up from
 * each folder that waits, and many chains share their upper part: so it is counted and never changed. */
#include "place.h"
#include "weft/alloc.h"

struct place *weft__place_below(struct place *above, const struct stat *st)
{
    struct place *place = weft_alloc(sizeof *place);
    if (place == NULL)
        return NULL;
    place->above = above;
    place->device = st->st_dev;
    place->inode = st->st_ino;
    atomic_init(&place->holders, 1);
    return place;
}

struct place *weft__place_hold(struct place *place)
{
    if (place != NULL)
        atomic_fetch_add_explicit(&place->holders, 1, memory_order_relaxed);
    return place;
}

void weft__place_drop(struct place *place)
{
    while (place != NULL &&
           atomic_fetch_sub_explicit(&place->holders, 1, memory_order_acq_rel) == 1) {
        struct place *above = place->above;
        weft_free(place);
        place = above;
    }
}

bool weft__place_has(const struct place *place, const struct stat *st)
{
    for (; place != NULL; place = place->above) {
        if (place->inode == st->st_ino && place->device == st->st_dev)
            return true;
    }
    return false;
}
