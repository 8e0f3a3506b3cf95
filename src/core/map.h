/* A hash table from numbers to numbers that only grows. Zeroed, it is empty. */
#ifndef WEFT_CORE_MAP_H
#define WEFT_CORE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

struct weft_map {
    struct weft_map_slot {
        uint64_t key;
        uint32_t value; /* MAP_NONE: the slot is free, or its value was not set yet */
        uint32_t used;
    } * slots;
    size_t capacity, count;
};

/* The value of key, which is put in with MAP_NONE if it was not there. NULL: there is no memory.
 * Valid until the next put. */
uint32_t *weft__map_put(struct weft_map *map, uint64_t key);
/* MAP_NONE: it is not there. */
uint32_t weft__map_get(const struct weft_map *map, uint64_t key);
void weft__map_free(struct weft_map *map);

/* Room for one element more in an array of count that was grown only by this. NULL: no memory, and
 * the array is as it was. */
void *weft__grown(void *array, size_t count, size_t size);

#endif
