/* apps/spider/reader.h: the body of a page while it comes in: its bytes, its hash, its links.
 *
 *     take ── data ──► digest: hash, links noted ──► follow: each of them, to who wants them
 *
 * Taking and following are for the loop's thread. Digesting is the long part of it and touches
 * nothing but the reader, so that it can be done on another. Buffers are kept from one page to the
 * next. There is one reader for each download. */
#ifndef WEFT_SPIDER_READER_H
#define WEFT_SPIDER_READER_H

#include "offline/swaps.h"
#include "spider/memo.h"
#include <weft/crawl.h>
#include <weft/links.h>
#include <weft/url.h>

enum {
    READER_KEPT = 256 * 1024, /* bytes of a body that are held in memory: a larger one is spilled */
    READER_FOUND = 1 << 20,   /* bytes of links that wait: with more they are followed at once */
    READER_IDLE = 64 * 1024   /* bytes of buffer that a reader keeps while it is not in use */
};

struct reader_buffer {
    char *data;
    size_t used, room;
};

struct reader {
    struct reader *next_spare;
    struct weft_links links;
    bool linked;          /* it is of a kind that has links */
    bool places;          /* set between begin and links: fragments and guards are noted, too */
    struct weft_url base; /* what its links are relative to */
    struct memo_key memo; /* the same, for links that were followed before */
    struct weft_crawl_hash hash;
    uint64_t size;              /* bytes until now */
    struct reader_buffer body;  /* those that are not spilled */
    size_t digested;            /* of these */
    struct reader_buffer found; /* links that are noted, and not followed yet */
    unsigned number;      /* of the link that is being followed; only what leads somewhere counts */
    struct swaps swaps;   /* what they become, if the page is written anew; */
    struct out moved;     /* which of them go through a redirect; */
    struct out rewritten; /* and the page with that */
};

/* What kind of links a body of this Content-Type has. false: none. A name (or empty) helps if there
 * is no type. */
bool reader_type(struct weft_text content_type, struct weft_text name, enum weft_links_type *type,
                 struct weft_text *charset);

/* Does nobody say what it is, neither its Content-Type nor its name? Then it is a page if it begins like one. */
bool reader_is_unknown(struct weft_text content_type, struct weft_text name);
enum reader_look { READER_BLANK, READER_PAGE, READER_NO_PAGE };
enum reader_look reader_look(const char *data, size_t size);
/* reader_type for a body that is there: it tells, if nobody else does. *untold: it had to. */
bool reader_type_of(struct weft_text content_type, struct weft_text name, struct weft_text body,
                    enum weft_links_type *type, struct weft_text *charset, bool *untold);

/* Begin a body, whose links are relative to url. Without reader_links nobody looks for any. */
int reader_begin(struct reader *reader, const struct weft_crawl *state, const struct weft_url *url);
int reader_links(struct reader *reader, enum weft_links_type type, struct weft_text charset);

/* Is there room for size bytes more? Otherwise they have to wait until the body was emptied. */
static inline bool reader_has_room(const struct reader *reader, size_t size)
{
    return reader->body.used == 0 || reader->body.used + size <= READER_KEPT;
}
/* There will be about so many: make room for them, within reason. UV_ENOMEM. */
int reader_expect(struct reader *reader, uint64_t size);
/* The next bytes. UV_ENOMEM. */
int reader_take(struct reader *reader, const char *data, size_t size);
/* The body is saved as far as it is here: there is room again. */
void reader_empty(struct reader *reader);

/* Hash what has been taken, and note its links; end: there is no more, and this is the hash. */
int reader_digest(struct reader *reader);
int reader_end(struct reader *reader, uint64_t hash[2]);
/* Only note the links of a body that lies elsewhere, the next piece of it; size 0: there is no
 * more. After reader_links. */
int reader_scan(struct reader *reader, const char *data, size_t size);

/* Each link that was noted, in their order; then there are none. Ends with the first error. way: the link, as it
 * may be looked for in memo. */
typedef int reader_follow_fn(void *context, const struct weft_link *link, struct memo_way *way);
int reader_follow(struct reader *reader, const struct memo *memo, reader_follow_fn *follow,
                  void *context);

/* Give back what is more than it needs while it waits. */
void reader_rest(struct reader *reader);
void reader_free(struct reader *reader);

#endif
