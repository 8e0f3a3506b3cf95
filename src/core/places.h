/* Counting by place: a small table of sites, with room that does not grow. One thread counts;
 * others may look at any time. */
#ifndef WEFT_CORE_PLACES_H
#define WEFT_CORE_PLACES_H

#include "report.h"

struct place {
    const struct weft_site *site;
    uint64_t count;
    uint64_t oldest;    /* for a dump: the id of that one, */
    uint32_t oldest_ms; /* and its age */
};

/* The place of site among `size` (a power of two), made if it has none yet. NULL: there is no room
 * for it. */
static inline struct place *place_of(struct place *table, size_t size, const struct weft_site *site)
{
    size_t at = ((uintptr_t)site >> 4) * 0x9e3779b97f4a7c15U >> 32;
    for (size_t i = 0; i < size; i++) {
        struct place *place = &table[(at + i) & (size - 1)];
        if (place->site == NULL)
            __atomic_store_n(&place->site, site, __ATOMIC_RELEASE);
        if (place->site == site)
            return place;
    }
    return NULL;
}

static inline void place_add(struct place *place, uint64_t count)
{
    __atomic_store_n(&place->count, place->count + count, __ATOMIC_RELAXED);
}

#endif
