/* libcurl for the whole process: begun once, with our memory.
 *
 * A process that has initialised curl before keeps what it has chosen; curl then only counts us. It
 * is never cleaned up: nobody knows who else still uses it. An attempt that fails may be made
 * again: memory may be there then.
 *
 * When memory runs out curl does not always say so: it calls a URL malformed, or an answer odd. So
 * it is noted down here, where curl asks for memory, and whoever wants to know why something failed
 * asks here first. */
#include "client.h"
#include "weft/alloc.h"
#include <string.h>

static uv_once_t once = UV_ONCE_INIT;
static uv_mutex_t mutex;
static bool ready, usable;

static void make_mutex(void)
{
    usable = uv_mutex_init(&mutex) == 0;
}

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

int weft__http_global(void)
{
    uv_once(&once, make_mutex);
    if (!usable)
        return UV_ENOMEM;
    uv_mutex_lock(&mutex);
    if (!ready)
        ready = curl_global_init_mem(CURL_GLOBAL_ALL, alloc, weft_free, resize, copy_string,
                                     alloc_zeroed) == CURLE_OK;
    bool done = ready;
    uv_mutex_unlock(&mutex);
    return done ? 0 : UV_ENOMEM;
}
