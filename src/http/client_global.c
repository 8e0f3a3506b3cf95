/* libcurl for the whole process: begun once, with our memory.
 *
 * A process that has initialised curl before keeps what it has chosen; curl then only counts us. It
 * is never cleaned up: nobody knows who else still uses it. An attempt that fails may be made again:
 * memory may be there then. */
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

static char *copy_string(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = weft_alloc(size);
    return copy != NULL ? memcpy(copy, string, size) : NULL;
}

int weft__http_global(void)
{
    uv_once(&once, make_mutex);
    if (!usable)
        return UV_ENOMEM;
    uv_mutex_lock(&mutex);
    if (!ready)
        ready = curl_global_init_mem(CURL_GLOBAL_ALL, weft_alloc, weft_free, weft_realloc,
                                     copy_string, weft_calloc) == CURLE_OK;
    bool done = ready;
    uv_mutex_unlock(&mutex);
    return done ? 0 : UV_ENOMEM;
}
