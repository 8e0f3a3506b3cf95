/* apps/spider/reader.h: the body of a page while it comes in: its links, its hash, its bytes.
 *
 * Buffers are kept from one page to the next. There is one for each download. */
#ifndef WEFT_SPIDER_READER_H
#define WEFT_SPIDER_READER_H

#include "spider/memo.h"
#include <weft/crawl.h>
#include <weft/links.h>
#include <weft/url.h>

enum {
    READER_KEPT = 256 * 1024, /* bytes of a body that are held in memory: a larger one is spilled */
    READER_IDLE = 64 * 1024   /* bytes of buffer that a reader keeps while it is not in use */
};

struct reader {
    struct reader *next_spare;
    struct weft_links links; /* context: the page */
    bool linked;             /* it is of a kind that has links */
    struct weft_url base;    /* what its links are relative to */
    struct memo_key memo;    /* the same, for links that were followed before */
    struct weft_crawl_hash hash;
    uint64_t size; /* bytes until now */
    char *data;    /* those that are not spilled */
    size_t used, room;
};

/* What kind of links a body of this Content-Type has. false: none. A name (or empty) helps if there
 * is no type. */
bool reader_type(struct weft_text content_type, struct weft_text name, enum weft_links_type *type,
                 struct weft_text *charset);

/* Begin a body: links go to on_link, relative to url. With linked false nobody looks for links. */
int reader_begin(struct reader *reader, const struct weft_crawl *state, const struct weft_url *url,
                 weft_links_fn *on_link, void *context);
int reader_links(struct reader *reader, enum weft_links_type type, struct weft_text charset);
/* Is there room for size bytes more? Otherwise they have to wait until the reader was emptied. */
static inline bool reader_has_room(const struct reader *reader, size_t size)
{
    return reader->used == 0 || reader->used + size <= READER_KEPT;
}
/* The next bytes. UV_ENOMEM, or what on_link returned. */
int reader_take(struct reader *reader, const char *data, size_t size);
int reader_end(struct reader *reader, uint64_t hash[2]);
/* Give back what is more than it needs while it waits. */
void reader_rest(struct reader *reader);
void reader_free(struct reader *reader);

#endif
