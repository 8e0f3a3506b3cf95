/* The entries of a sitemap, found in the pieces that a test cuts it into. */
#ifndef TESTS_WEB_SITEMAP_DUMP_H
#define TESTS_WEB_SITEMAP_DUMP_H

#include "dump.h"
#include <weft/sitemap.h>

/* "loc lastmod\n" for each, with a '+' before another sitemap. */
static inline void sitemap_dump_entry(struct weft_sitemap *sitemap,
                                      const struct weft_sitemap_entry *entry, void *context)
{
    struct dump *dump = context;
    (void)sitemap;
    dump->count++;
    if (entry->index)
        dump_bytes(dump, "+", 1);
    dump_bytes(dump, entry->loc.data, entry->loc.size);
    if (entry->lastmod.size > 0)
        dump_bytes(dump, " ", 1);
    dump_bytes(dump, entry->lastmod.data, entry->lastmod.size);
    dump_bytes(dump, "\n", 1);
}

/* In pieces of first, then of step bytes; step 0: the rest as one. Each is a block of its own, so
 * that a sanitizer sees a read past its end. The limits are those of sitemap; the status of the
 * end. */
static inline int sitemap_dump(struct weft_sitemap *sitemap, struct dump *dump, const char *data,
                               size_t size, size_t first, size_t step)
{
    sitemap->on_entry = sitemap_dump_entry;
    sitemap->context = dump;
    dump_clear(dump);
    weft_sitemap_begin(sitemap);
    while (size > 0) {
        size_t piece = first < size ? first : size;
        char *copy = malloc(piece + 1);
        if (copy == NULL)
            abort();
        memcpy(copy + 1, data, piece);
        weft_sitemap_feed(sitemap, copy + 1, piece);
        free(copy);
        data += piece;
        size -= piece;
        first = step > 0 ? step : size;
    }
    int status = weft_sitemap_end(sitemap);
    weft_sitemap_free(sitemap);
    return status;
}

#endif
