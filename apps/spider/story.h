/* apps/spider/story.h: what happens in a crawl, told to those who asked for it: the log (--log-json)
 * and the tally of the report (--report).
 *
 * Each of these is called where the thing happens; if nobody asked it is one comparison. The events
 * are described in docs/spider-log.md. */
#ifndef WEFT_SPIDER_STORY_H
#define WEFT_SPIDER_STORY_H

#include "spider/log.h"
#include "spider/tally.h"

struct crawl;
struct page;
struct host;
struct weft_crawl_result;
struct weft_http_fetch;

struct story {
    bool told; /* somebody listens */
    bool ended;
    struct log log;
    struct tally *tally; /* NULL: no report */
    uint64_t wire;       /* bytes of all answers, as they came */
    uint64_t elapsed_ms; /* when it ended */
    const char *limit;   /* the one that was reached: "max-pages", … */
    char *text;          /* for the time of a call: WEFT_CRAWL_URL_MAX + 1 bytes */
};

/* Before anything happens. 0, or it was said why not. */
int story_begin(struct crawl *crawl);
/* A request for a page has ended, in whatever way. */
void story_fetched(const struct page *page);
/* This became of number id. page: NULL if it never got that far. */
void story_settled(struct crawl *crawl, weft_crawl_id id, const struct page *page,
                   const struct weft_crawl_result *result);
/* It was asked for again, and is as it was: that is its result. */
void story_same(const struct page *page, const struct weft_crawl_result *result);
/* It is asked for again: after so long, or when it is its host's turn (wait_ms 0). */
void story_later(const struct page *page, const char *why, uint64_t wait_ms);
/* A host is left alone for so long. */
void story_rest(const struct host *host, uint64_t ms);
/* It is given up. */
void story_gone(const struct host *host);
/* What its robots.txt says: "rules", "none", "kept", "later", "denied". fetch: NULL for "kept". */
void story_robots(const struct host *host, const char *what, const struct weft_http_fetch *fetch);
/* Nothing new begins. */
void story_stop(const struct crawl *crawl);
/* Why it ended, in a word or two: "done", "max-pages", "interrupted". */
const char *story_why(const struct crawl *crawl);
/* Once a turn. */
void story_flush(struct crawl *crawl);
/* It is over. */
void story_end(struct crawl *crawl);
void story_free(struct crawl *crawl);

#endif
