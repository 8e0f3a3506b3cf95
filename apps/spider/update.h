/* apps/spider/update.h: a finished crawl is looked at again (--update).
 *
 * Everything that is known is asked for once more, with what the server said of it the last time (ETag,
 * Last-Modified): what has not changed costs no download, and its file is not touched. Told is what is new, what
 * has changed and what is gone. A file of a page that is gone stays, and links of a copy lead to it.
 *
 * One that is interrupted goes on with the next run, whatever that is asked for: it is known when it began, and
 * what was asked for since then is done. A page that cannot be had for now is as it was before, and asked for the
 * next time.
 *
 * A limit is for what is new: files that are there count as pages while they wait to be asked for, and if there
 * is a limit at all, what is new is held back until everything known was asked for. So known and new URLs do not
 * compete, and an update with a limit comes to an end. */
#ifndef WEFT_SPIDER_UPDATE_H
#define WEFT_SPIDER_UPDATE_H

#include "spider/name.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/crawl.h>

struct crawl;
struct page;

enum { UPDATE_ETAG = 256, UPDATE_DATE = 64, UPDATE_STARTS = 10 };

struct update {
    int64_t since;     /* it began then, in seconds since 1970; 0: there is none */
    bool look_through; /* rules or nesting have changed, or something has come nearer before it was
                          asked for: links of what has not changed count anew */
    uint64_t fresh, changed, same, gone; /* pages */
    weft_crawl_id starts[UPDATE_STARTS]; /* start URLs that are the same, the first few */
    size_t starts_count;
    unsigned char *known; /* enum update_known of each number up to last, as long as it waits */
    weft_crawl_id last;   /* that was known when it began */
    uint32_t due, files;  /* so many of them are in lines, or under way; and have files */
    bool beyond; /* something known is too far away to be asked for, unless a link leads to it */
    bool holds;  /* what is new is held back */
    bool ended;  /* all that is known was asked for */
};

enum update_known {
    UPDATE_DUE = 1, /* it was a page, or redirected, and is asked for in this run */
    UPDATE_FILE = 2 /* it has a file */
};

/* What was known of a page before. */
struct update_before {
    bool known; /* it was asked for before */
    bool there; /* it is on the disk */
    uint64_t hash[2];
};

/* The fields that ask whether it has changed; their texts. */
struct update_fields {
    char etag[sizeof "If-None-Match: " + UPDATE_ETAG];
    char date[sizeof "If-Modified-Since: " + UPDATE_DATE];
};

/* When a crawl begins, and when it has come to its end. */
int update_load(struct crawl *crawl);
int update_close(struct crawl *crawl);
/* What is asked for now is asked for at this time: not before the update began. */
int64_t update_now(const struct crawl *crawl);
/* Has this been asked for since the update began? true if there is none. */
bool update_is_done(const struct crawl *crawl, const struct weft_crawl_result *result);
void update_free(struct update *update);
/* Number id, of which this is known, waits; due: in a line. */
void update_waits(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result,
                  bool due);
/* A link that is followed leads to number id, which is known. true: it is to be asked for, although it was too far
 * away when this update began; it waits then, as by update_waits. */
bool update_reaches(struct crawl *crawl, weft_crawl_id id);
/* Number id waits no longer. */
void update_settled(struct crawl *crawl, weft_crawl_id id);
/* Does number id have to wait, until everything that is known was asked for? */
bool update_holds(const struct crawl *crawl, weft_crawl_id id);

/* A page is going to be asked for: what is known of it. */
void update_recall(struct page *page);
/* Its fields into list, which has room for two; how many. */
size_t update_ask(struct page *page, const char **list);
/* The whole of its body is here: is it what it was before? */
bool update_is_same(const struct page *page);
/* It is: it is settled as it was. */
void update_same(struct page *page);
/* Is it a start URL that was the same? */
bool update_start_is_same(const struct crawl *crawl, weft_crawl_id id);
/* It was there, and the server says that it is not any more. */
bool update_is_gone(const struct page *page);
/* It failed. If it has a file, because it was there before it was gone, that stays, and links of a copy lead
 * there: result->file is that, in name. */
void update_keep_file(const struct page *page, struct weft_crawl_result *result,
                      char name[NAME_SIZE]);
/* For the log, of a page that was saved, moved or failed: "new", "changed", "gone"; NULL: nothing to say. */
const char *update_word(const struct page *page, const struct weft_crawl_result *result);
/* It was saved, or was and is redirected now; or it is gone: tell. */
void update_saved(struct page *page);
void update_gone(struct page *page);

#endif
