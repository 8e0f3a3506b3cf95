/* weft/alloc.h: the one place where weft gets memory.
 *
 * Operations, flow and queues never allocate: their storage is yours. Providers that use the
 * thread pool, and the loop itself, allocate through here. What a provider hands to you (the
 * bytes of a file, a list of names) has a free function of its own beside it. */
#ifndef WEFT_ALLOC_H
#define WEFT_ALLOC_H

#include "version.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* alloc and resize return NULL when there is no memory; release takes NULL. All three are called
 * from any thread. context is passed on as it is. */
struct weft_allocator {
    void *(*alloc)(size_t size, void *context);
    void *(*resize)(void *block, size_t size, void *context);
    void (*release)(void *block, void *context);
    void *context;
};

/* Replace malloc, realloc and free for the whole process. Before the first loop is made: a block
 * must go back to the allocator it came from. The struct is copied. NULL: malloc again.
 * UV_EINVAL if one of the functions is NULL. */
WEFT_API int weft_set_allocator(const struct weft_allocator *allocator);

WEFT_API void *weft_alloc(size_t size); /* NULL: no memory */
WEFT_API void *weft_calloc(size_t count,
                           size_t size); /* zeroed; NULL also if the product overflows */
WEFT_API void *weft_realloc(void *block, size_t size); /* NULL: no memory, block is still there */
WEFT_API void weft_free(void *block);                  /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
