/* Open addressing, at most three quarters full, a power of two in size. */
#include "map.h"
#include "weft/alloc.h"
#include <stdbool.h>

static size_t place(const struct weft_map *map, uint64_t key)
{
    uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
    return (size_t)(hash >> 20) & (map->capacity - 1);
}

/* The slot that has key, or where it would go. There is always a free one. */
static struct weft_map_slot *find(const struct weft_map *map, uint64_t key)
{
    size_t at = place(map, key);
    while (map->slots[at].used && map->slots[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

static bool grow(struct weft_map *map)
{
    struct weft_map bigger = {.capacity = map->capacity != 0 ? 2 * map->capacity : 64,
                              .count = map->count};
    bigger.slots = weft_calloc(bigger.capacity, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].used)
            *find(&bigger, map->slots[i].key) = map->slots[i];
    }
    weft_free(map->slots);
    *map = bigger;
    return true;
}

uint32_t *weft__map_put(struct weft_map *map, uint64_t key)
{
    if (map->count >= map->capacity / 4 * 3 && !grow(map))
        return NULL;
    struct weft_map_slot *slot = find(map, key);
    if (!slot->used) {
        *slot = (struct weft_map_slot){.key = key, .value = MAP_NONE, .used = 1};
        map->count++;
    }
    return &slot->value;
}

uint32_t weft__map_get(const struct weft_map *map, uint64_t key)
{
    if (map->count == 0)
        return MAP_NONE;
    const struct weft_map_slot *slot = find(map, key);
    return slot->used ? slot->value : MAP_NONE;
}

void weft__map_free(struct weft_map *map)
{
    weft_free(map->slots);
    *map = (struct weft_map){0};
}

/* Doubled whenever count is a power of two. */
void *weft__grown(void *array, size_t count, size_t size)
{
    enum { FIRST = 16 };
    if (count != 0 && (count < FIRST || (count & (count - 1)) != 0))
        return array;
    size_t room = count == 0 ? FIRST : 2 * count;
    return room > SIZE_MAX / size ? NULL : weft_realloc(array, room * size);
}
