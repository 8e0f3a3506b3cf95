/* Ghosts: which keys have gone lately? Only fingerprints are kept, of 32 bits each, in sets of 16 where
 * the newest one is in front and pushes the oldest out: a set is a line of the processor's cache. */
#ifndef WEFT_RECIPES_GHOST_H
#define WEFT_RECIPES_GHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GHOST_SET = 16 };

struct ghost {
    uint32_t *prints; /* NULL: none are kept */
    size_t sets;      /* a power of two */
};

void weft__ghost_close(struct ghost *ghost);
/* So many sets, a power of two. Without memory it stays as it is. */
void weft__ghost_grow(struct ghost *ghost, size_t sets);
void weft__ghost_add(struct ghost *ghost, uint64_t hash);
/* Was it there? It is not any more. */
bool weft__ghost_take(struct ghost *ghost, uint64_t hash);

#endif
