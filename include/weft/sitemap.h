/* weft/sitemap.h: the URLs of a sitemap, as it comes in.
 *
 * Fed piece by piece; any split of the input gives the same. Taken are, each also packed with gzip
 * (by its first bytes, whatever the name or the Content-Type say; of several members too):
 *     <urlset>        <loc> and <lastmod> of each <url>
 *     <sitemapindex>  <loc> and <lastmod> of each <sitemap>, which is another sitemap
 *     RSS             <link> and <pubDate> of each <item>
 *     Atom            href of the <link> of each <entry> (rel "alternate" or none), and <updated>
 *     text            one URL a line; lines without http:// or https:// at their beginning are not
 * It is a scanner and no XML parser: broken XML gives what can be seen in it. There are no external
 * entities, and no entities but the five of XML and numbers. ASCII, UTF-8, or a charset that has
 * ASCII as ASCII. Fed with what a stranger sent: memory is bounded, and so are size and entries.
 *
 *     struct weft_sitemap sitemap = {.on_entry = found, .context = host};
 *     weft_sitemap_begin(&sitemap);
 *     while (...)
 *         status = weft_sitemap_feed(&sitemap, data, size);
 *     status = weft_sitemap_end(&sitemap);
 *     weft_sitemap_free(&sitemap); */
#ifndef WEFT_SITEMAP_H
#define WEFT_SITEMAP_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The protocol's own limits for one file, after it is unpacked. */
enum { WEFT_SITEMAP_SIZE_MAX = 50 * 1024 * 1024, WEFT_SITEMAP_ENTRIES_MAX = 50000 };

/* A longer URL is skipped. A lastmod above 64 bytes is empty. */
enum { WEFT_SITEMAP_LOC_MAX = 8 * 1024 };

struct weft_sitemap_entry {
    struct weft_text loc;     /* without entities and the blanks around it; never empty; not
                                 checked further: it may be anything, also a relative URL */
    bool index;               /* it is another sitemap */
    struct weft_text lastmod; /* as it is written: "2024-05-01"; empty if there is none */
};                            /* the texts are valid during the call */

struct weft_sitemap;
/* May not call anything on sitemap. */
typedef void weft_sitemap_fn(struct weft_sitemap *sitemap, const struct weft_sitemap_entry *entry,
                             void *context);

struct weft_sitemap {
    weft_sitemap_fn *on_entry; /* yours, set before weft_sitemap_begin */
    void *context;             /* yours */
    uint64_t size_max;         /* bytes, unpacked; 0: WEFT_SITEMAP_SIZE_MAX */
    uint64_t entries_max;      /* 0: WEFT_SITEMAP_ENTRIES_MAX */

    /* Private from here on. */
    struct weft__sitemap *reader_;
    int status_;
};

/* Begin a file. The struct was zeroed before its first use; it may be used again after
 * weft_sitemap_end or in the midst of a file. */
WEFT_API void weft_sitemap_begin(struct weft_sitemap *sitemap);

/* The next piece; on_entry is called from in here. 0, or
 *     UV_EFBIG   above size_max or entries_max; what was within them has been reported
 *     UV_EINVAL  the gzip is broken; what came before that has been reported
 *     UV_ENOMEM
 * An error stays: every feed and the end return it from then on, and nothing more is reported. */
WEFT_API int weft_sitemap_feed(struct weft_sitemap *sitemap, const void *data, size_t size);

/* There is no more. The same, and UV_EOF for a gzip that is cut off; what could be unpacked has
 * been reported. */
WEFT_API int weft_sitemap_end(struct weft_sitemap *sitemap);

/* Free what it holds. Takes a struct that is zeroed, and one that is freed. */
WEFT_API void weft_sitemap_free(struct weft_sitemap *sitemap);

#ifdef __cplusplus
}
#endif
#endif
