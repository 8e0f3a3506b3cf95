/* ICU on demand. It is large, and few pages need it: hosts outside ASCII, and links outside ASCII in
 * pages that are neither UTF-8 nor windows-1252. The library is that of the headers we were built
 * with, since the version is a part of every name in it. Whoever asks first has it loaded; it is
 * never unloaded. */
#include "icu.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <uv.h>

const char *weft__icu_name = "libicuuc.so." U_ICU_VERSION_SHORT;

static uv_once_t once = UV_ONCE_INIT;
static struct icu functions;
static bool loaded;

/* A pointer to a function may not be cast from one to an object: POSIX has it copied. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void)
{
    void *library = dlopen(weft__icu_name, RTLD_NOW | RTLD_LOCAL);
    loaded = library != NULL;
#define TEXT(name) #name
#define FIND(name) loaded = loaded && find(library, TEXT(name), &functions.name);
    WEFT_ICU_FUNCTIONS(FIND)
#undef FIND
#undef TEXT
}

const struct icu *weft__icu(void)
{
    uv_once(&once, load);
    return loaded ? &functions : NULL;
}
