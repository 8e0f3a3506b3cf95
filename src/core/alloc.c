/* The allocator: four functions in front of whatever the process has chosen. */
#include "weft/alloc.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static void *default_alloc(size_t size, void *context)
{
    (void)context;
    return malloc(size);
}

static void *default_resize(void *block, size_t size, void *context)
{
    (void)context;
    return realloc(block, size);
}

static void default_release(void *block, void *context)
{
    (void)context;
    free(block);
}

static const struct weft_allocator default_allocator = {default_alloc, default_resize,
                                                        default_release, NULL};
static struct weft_allocator current = {default_alloc, default_resize, default_release, NULL};

int weft_set_allocator(const struct weft_allocator *allocator)
{
    if (allocator == NULL)
        allocator = &default_allocator;
    if (allocator->alloc == NULL || allocator->resize == NULL || allocator->release == NULL)
        return UV_EINVAL;
    current = *allocator;
    return 0;
}

/* A size of 0 is made 1: NULL always means that there was no memory. */
void *weft_alloc(size_t size)
{
    return current.alloc(size != 0 ? size : 1, current.context);
}

void *weft_calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    void *block = weft_alloc(count * size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

void *weft_realloc(void *block, size_t size)
{
    return current.resize(block, size != 0 ? size : 1, current.context);
}

void weft_free(void *block)
{
    current.release(block, current.context);
}
