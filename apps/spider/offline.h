/* apps/spider/offline.h: links that work from the disk (-k).
 *
 *     page ──► digested ──► followed, each link becomes a swap ──► written with them
 *                                       │                               ▲
 *     a URL is settled ──► waits ── who was written otherwise? ──► mended, from the disk
 *
 * A page is written once its links were followed, and before what they lead to is there: to a file if that
 * will be fetched, under the name it will probably have; otherwise to the network. What turns out otherwise
 * (a page that fails, moves, has another type than its name says; one that was too far away and came nearer)
 * is mended in the pages that wait for it: not at once, which could be a hundred times for one page, but when
 * some are together, and when the crawl is over.
 *
 * A page that was written like this says so in its last line, with a sign that only this crawl's state can
 * make. So it is known of every file whether its links are a site's or a copy's; and which of them lead to what
 * they say only because a redirect does. */
#ifndef WEFT_SPIDER_OFFLINE_H
#define WEFT_SPIDER_OFFLINE_H

#include "offline/waits.h"
#include "spider/name.h"
#include "trace/output.h"
#include <weft/crawl.h>
#include <weft/links.h>
#include <weft/url.h>

enum {
    OFFLINE_TURNED =
        64, /* so many that turned out otherwise, and so long since the last time: mend */
    OFFLINE_EVERY_MS = 3000,
    OFFLINE_SIGN = 16 /* digits */
};

struct crawl;
struct page;
struct memo_way;

struct offline {
    struct waits waits;
    size_t turned;        /* URLs that turned out otherwise since pages were mended */
    weft_crawl_id *mends; /* pages to be mended */
    size_t mends_count, mends_room;
    unsigned char *wanted; /* a bit for each URL: it is among them */
    size_t wanted_size;
    size_t mending;       /* under way */
    uint64_t mended_at;   /* when some were, last */
    uint64_t mended;      /* pages, in this run */
    weft_crawl_id known;  /* URLs when the run began */
    bool all;             /* nobody knows who waits for whom: look at all pages in the end */
    bool promised;        /* names are given to URLs when they are seen, not when they are saved */
    bool ended;           /* what still waits was told that it waits in vain */
    weft_crawl_id named;  /* whose name was made last, */
    char name[NAME_SIZE]; /* and that is it: a link that is new is written with it at once */
    char
        former[NAME_SIZE]; /* of the URL that is being settled: the name that its file had; or "" */
    struct weft_url url;
    struct out text; /* both for the time of a call */
    struct out link; /* what offline_url has found: until its next call */
    struct out part; /* "#…": of where a link is redirected to, for the time of a call */
};

/* When a crawl begins. */
int offline_load(struct crawl *crawl);
/* It is over: there is nothing left to be mended. */
int offline_close(struct crawl *crawl);
void offline_free(struct offline *offline);

/* The document as it was read from the disk, or has come. */
struct weft_text offline_original(const struct page *page);
/* It cannot be written anew, for what its links would become: it was told. */
bool offline_is_too_much(const struct page *page);
/* The page is going to be written: before its links. */
void offline_begin(struct page *page);
/* One of them was followed, or is none to follow; way: it, if it is a link at all, and that it was. UV_ENOMEM. */
int offline_link(struct page *page, const struct weft_link *link, struct memo_way *way);
/* The page's reader has its body, and the swaps: write it. Then keep_finish or keep_failed follows. */
void offline_keep(struct page *page);

/* The page was there before its crawl, and is about to be settled: it gets a name that says what it is, and is
 * written anew when there is time. */
void offline_adopt(struct page *page);

/* This is about to become of a URL: if it became something else in an earlier run, its pages lead to that. */
void offline_settles(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result);
/* It did: the name that its file had before is kept. */
void offline_keep_former(struct crawl *crawl, weft_crawl_id id);
/* This became of a URL; url is it, or NULL if it has to be looked up. */
void offline_settled(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url,
                     const struct weft_crawl_result *result);
/* Number id has to be looked at: something in it may have to be written otherwise. */
void offline_want(struct crawl *crawl, weft_crawl_id id);
/* Number id, as waits.h wants to know it; context is the crawl. */
enum waits_state offline_look(void *context, uint32_t id);
/* Begin to mend, if it is time. last: there is nothing else to do. */
void offline_feed(struct crawl *crawl, bool last);
/* Is anything left to be mended? */
bool offline_is_busy(const struct crawl *crawl);

/* A URL was seen for the first time. The name it is expected to be saved under becomes its own: names are
 * given in the order of numbers, so that they are the same after an interruption, when pages speak of files
 * that are still to come. */
void offline_seen(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url);
/* That name, valid until the next call; url: its own, or NULL if it has to be looked up (then it is in
 * crawl->other). Nothing: it has none. */
struct weft_text offline_expected(struct crawl *crawl, weft_crawl_id id,
                                  const struct weft_url *url);
uint64_t offline_hash(const struct crawl *crawl, struct weft_text url);

/* The file of number id is not called this any more: who speaks of it still means number id. */
int offline_was_called(struct crawl *crawl, weft_crawl_id id, struct weft_text name);
/* Such names are taken, when a crawl begins. */
int offline_claim_former(struct crawl *crawl);

/* Where a link in such a file leads to: its URL, valid until the next call; or false: as it is written. */
bool offline_url(struct page *page, struct weft_text link, struct weft_text *url);

/* ---- the last line of such a file: see offline_line.c ------------------------------------------- */

struct offline_line {
    size_t begin, end;      /* in the file, with the line end before it */
    struct weft_text moved; /* links that go through a redirect, from the last one asked for on */
};

/* A link that goes through a redirect: what it leads to, and where that is redirected to, which is what the file
 * says. part: so is its fragment. Into moved, in the order of links. */
void offline_note_moved(struct out *moved, unsigned link, weft_crawl_id from, weft_crawl_id to,
                        bool part);
/* The line, with these behind its sign. */
void offline_put_line(const struct crawl *crawl, struct weft_text url, struct weft_text moved,
                      bool css, struct out *out);

/* A file as it was read: was it written by offline_keep, in this crawl? *line: of it, valid as long as file. */
bool offline_find_line(const struct crawl *crawl, struct weft_text url, struct weft_text file,
                       struct offline_line *line);
/* The same, in this crawl or in another one. */
bool offline_is_copy(struct weft_text file);
/* Is there a note on this link? They have to be asked for in their order. */
bool offline_was_moved(struct offline_line *line, unsigned link);
/* And is its fragment not its own? */
bool offline_part_is_moved(struct offline_line *line, unsigned link);
/* What it leads to, if it is written as leading to `to`: that, unless there is a note on it. */
weft_crawl_id offline_before_moved(struct offline_line *line, unsigned link, weft_crawl_id to);

#endif
