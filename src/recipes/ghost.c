/* Ghosts: see ghost.h. What two keys share in 32 bits of a hash costs one of them a place that it has not
 * earned, and nothing else. */
#include "ghost.h"
#include "weft/alloc.h"
#include <string.h>

/* The table uses the low bits of the hash. 0 is an empty place. */
static uint32_t print_of(uint64_t hash)
{
    uint32_t print = (uint32_t)(hash >> 32);
    return print != 0 ? print : 1;
}

static uint32_t *set_of(const struct ghost *ghost, uint32_t print)
{
    return ghost->prints + (print & (ghost->sets - 1)) * GHOST_SET;
}

static void push(const struct ghost *ghost, uint32_t print)
{
    uint32_t *set = set_of(ghost, print);
    memmove(set + 1, set, (GHOST_SET - 1) * sizeof *set);
    set[0] = print;
}

void weft__ghost_close(struct ghost *ghost)
{
    weft_free(ghost->prints);
    *ghost = (struct ghost){0};
}

/* The oldest first, so that they stay the oldest. */
static void move_all(const struct ghost *from, const struct ghost *to)
{
    for (size_t i = from->sets * GHOST_SET; i-- > 0;) {
        if (from->prints[i] != 0)
            push(to, from->prints[i]);
    }
}

void weft__ghost_grow(struct ghost *ghost, size_t sets)
{
    struct ghost larger = {.sets = sets};
    larger.prints = weft_calloc(larger.sets * GHOST_SET, sizeof(uint32_t));
    if (larger.prints == NULL)
        return;
    move_all(ghost, &larger);
    weft__ghost_close(ghost);
    *ghost = larger;
}

void weft__ghost_add(struct ghost *ghost, uint64_t hash)
{
    if (ghost->prints != NULL)
        push(ghost, print_of(hash));
}

bool weft__ghost_take(struct ghost *ghost, uint64_t hash)
{
    if (ghost->prints == NULL)
        return false;
    uint32_t print = print_of(hash), *set = set_of(ghost, print);
    for (size_t i = 0; i < GHOST_SET; i++) {
        if (set[i] != print)
            continue;
        memmove(set + i, set + i + 1, (GHOST_SET - 1 - i) * sizeof *set);
        set[GHOST_SET - 1] = 0;
        return true;
    }
    return false;
}
