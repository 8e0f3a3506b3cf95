/* The names of functions. */
#ifndef WEFT_CORE_SYMBOLS_H
#define WEFT_CORE_SYMBOLS_H

#include "map.h"
#include "weft/hook.h"

enum { SYMBOL_NAME = 128 };

/* Zeroed, it knows nothing; what it learns it keeps. */
struct symbols {
    struct weft_map known; /* of a function: its number among the names */
    char (*names)[SYMBOL_NAME];
    size_t count;
    struct weft_modules *modules;
};

/* Its name as the linker knows it, cut if it is very long; of one without, module+0xoffset, or its
 * address. NULL (a then that is not there): "none". Valid until the next call. */
const char *weft__symbol(struct symbols *symbols, weft_entry_fn *function);
void weft__symbols_free(struct symbols *symbols);

/* ---- symbols_elf.c -------------------------------------------------------------------------- */

/* Write a name into text; false: this system tells none, or there is no memory. */
bool weft__symbol_find(struct symbols *symbols, uintptr_t address, char *text, size_t size);
void weft__modules_free(struct weft_modules *modules);

#endif
