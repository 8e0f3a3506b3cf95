/* The plain way to places where a keyword may begin: the hash of each three bytes (or two, or one)
 * that follow each other, looked up among those that are seen of keywords. */
#include "window.h"

static uint32_t byte_at(const char *data, size_t at)
{
    return (unsigned char)data[at];
}

bool weft__window_find_plain(const struct window *window, const char *data, size_t size,
                             size_t from, struct search *search)
{
    uint32_t bytes = 0;
    unsigned top = 8 * (window->size - 1); /* how far up the last byte of a view is */
    if (size - from < window->size)
        return false;
    for (unsigned i = 0; i + 1 < window->size; i++)
        bytes |= byte_at(data, from + i) << 8 * (i + 1);
    for (size_t end = from + window->size - 1; end < size; end++) {
        bytes = bytes >> 8 | byte_at(data, end) << top;
        if (window_seen(window, bytes) && weft__search_try(search, end + 1 - window->size))
            return true;
    }
    return false;
}
