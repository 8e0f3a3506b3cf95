/* libcurl for the whole process: loaded and begun once, with our memory.
 *
 * It comes with some forty other libraries, and most requests go over connections of our own. So it
 * is no library that we are linked to: whoever needs it first has it loaded. It stays: it is never
 * unloaded.
 *
 * A process that has initialised curl before keeps what it has chosen; curl then only counts us. It
 * is never cleaned up: nobody knows who else still uses it. An attempt that fails may be made
 * again: memory may be there then. The table is filled under the mutex, and whoever reads it has
 * been here before, on its own thread: so no reader needs a lock.
 *
 * When memory runs out curl does not always say so: it calls a URL malformed, or an answer odd. So
 * it is noted down here, where curl asks for memory, and whoever wants to know why something failed
 * asks here first. */
#include "client.h"
#include "weft/alloc.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *weft__http_curl_name = "libcurl.so.4";

static uv_once_t once = UV_ONCE_INIT;
static uv_mutex_t mutex;
static bool ready, usable;

static void make_mutex(void)
{
    usable = uv_mutex_init(&mutex) == 0;
}

/* ---- its memory ----------------------------------------------------------------------------- */

static _Thread_local bool starved;

static void *note(void *block)
{
    starved |= block == NULL;
    return block;
}

static void *alloc(size_t size)
{
    return note(weft_alloc(size));
}

static void *resize(void *block, size_t size)
{
    return note(weft_realloc(block, size));
}

static void *alloc_zeroed(size_t count, size_t size)
{
    return note(weft_calloc(count, size));
}

static char *copy_string(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = alloc(size);
    return copy != NULL ? memcpy(copy, string, size) : NULL;
}

bool weft__http_starved(void)
{
    bool was = starved;
    starved = false;
    return was;
}

/* ---- its functions -------------------------------------------------------------------------- */

struct curl_functions weft__http_curl;

/* A pointer to a function may not be cast from one to an object: POSIX has it copied. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library)
{
    bool found = true;
#define FIND(name) found = found && find(library, "curl_" #name, &weft__http_curl.name);
    WEFT_CURL_FUNCTIONS(FIND)
#undef FIND
    return found;
}

/* ---- loading -------------------------------------------------------------------------------- */

static int load(char *why)
{
    void *library = dlopen(weft__http_curl_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !find_all(library)) {
        const char *said = dlerror();
        if (why != NULL)
            snprintf(why, CURL_WHY, "%s", said != NULL ? said : weft__http_curl_name);
        return UV_ENOSYS;
    }
    CURLcode code =
        curl_global_init_mem(CURL_GLOBAL_ALL, alloc, weft_free, resize, copy_string, alloc_zeroed);
    return code == CURLE_OK ? 0 : UV_ENOMEM;
}

int weft__http_curl_load(char why[CURL_WHY])
{
    int err = 0;
    uv_once(&once, make_mutex);
    if (!usable)
        return UV_ENOMEM;
    uv_mutex_lock(&mutex);
    if (!ready)
        err = load(why);
    ready = err == 0;
    uv_mutex_unlock(&mutex);
    return err;
}
