/* The names of functions: a program has some hundred callbacks and calls them a million times, so
 * each is looked up once. */
#include "symbols.h"
#include "weft/alloc.h"
#include <inttypes.h>
#include <stdio.h>

static void look_up(struct symbols *symbols, uintptr_t address, char *text)
{
    if (!weft__symbol_find(symbols, address, text, SYMBOL_NAME))
        snprintf(text, SYMBOL_NAME, "0x%" PRIxPTR, address);
}

const char *weft__symbol(struct symbols *symbols, weft_entry_fn *function)
{
    static _Thread_local char unkept[SYMBOL_NAME];
    uintptr_t address = (uintptr_t)function;
    if (function == NULL)
        return "none";
    uint32_t known = weft__map_get(&symbols->known, address);
    if (known != MAP_NONE)
        return symbols->names[known];
    char(*names)[SYMBOL_NAME] = weft__grown(symbols->names, symbols->count, sizeof *names);
    if (names != NULL)
        symbols->names = names;
    uint32_t *number = names != NULL ? weft__map_put(&symbols->known, address) : NULL;
    if (number == NULL) {
        look_up(symbols, address, unkept);
        return unkept;
    }
    *number = (uint32_t)symbols->count++;
    look_up(symbols, address, symbols->names[*number]);
    return symbols->names[*number];
}

const char *weft_function_name(weft_entry_fn *function, char *name, size_t size)
{
    struct symbols symbols = {.count = 0};
    if (size > 0)
        snprintf(name, size, "%s", weft__symbol(&symbols, function));
    weft__symbols_free(&symbols);
    return name;
}

void weft__symbols_free(struct symbols *symbols)
{
    weft__map_free(&symbols->known);
    weft_free(symbols->names);
    weft__modules_free(symbols->modules);
    *symbols = (struct symbols){0};
}
