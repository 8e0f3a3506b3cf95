/* demo/site/site.h: a web site that is generated as it is asked for, with every kind of link that a
 * crawler meets, and with the bad habits of servers, switched on by options.
 *
 * Everything follows from the path of a request, --pages and --seed: there are no files, and two
 * runs are the same. All of it is one struct site; a request is a struct visit. */
#ifndef WEFT_DEMO_SITE_H
#define WEFT_DEMO_SITE_H

#include <weft.h>
#include <weft/http.h>

enum {
    SITE_PAGE_MAX = 64 * 1024 * 1024,      /* bytes of one answer that is made in memory */
    SITE_URLS_MAX = 256 * 1024,            /* URLs that are counted one by one, */
    SITE_URL_BYTES_MAX = 32 * 1024 * 1024, /* and the bytes of all of them */
    SITE_PIECE = 64 * 1024,                /* bytes of the big file that are written at a time */
    SITE_SLOW_MS = 700,
    SITE_SHORT_SLOW_MS = 300
};

/* ---- options.c ------------------------------------------------------------------------------ */

struct options {
    const char *address, *log, *robots, *retry_after;
    uint64_t port, pages, seed, delay_ms, drop_after, down_ms, too_many, robots_status, big;
    bool quiet, hang, plain;
};

/* Read the command line. -1: go on. Otherwise the exit status; what is wrong was said. */
int options_read(struct options *options, int argc, char **argv);

/* ---- counts.c ------------------------------------------------------------------------------- */

struct url_count {
    char *url;
    uint64_t hash, count;
};

/* Which URLs were asked for, in the order of their first time. Zeroed storage is an empty one. */
struct counts {
    struct url_count *urls;
    uint32_t *slots; /* where in urls, plus 1; by hash */
    size_t count, room, bytes;
    uint64_t others; /* asked for when there was no more room */
};

/* Count one more. How often it was asked for by now; 0: there is no room to know. */
uint64_t counts_add(struct counts *counts, struct weft_text url);
void counts_free(struct counts *counts);

/* ---- page.c: an answer as it is written ----------------------------------------------------- */

/* Zeroed storage is an empty one. After a failure all that is added is dropped. */
struct page {
    char *data;
    size_t size, room;
    int err; /* 0, UV_ENOMEM, or UV_ENOBUFS beyond SITE_PAGE_MAX */
};

void page_add(struct page *page, const void *data, size_t size);
__attribute__((format(printf, 2, 3))) void page_addf(struct page *page, const char *format, ...);
/* A 32-bit number, most significant byte first, and the other way round. */
void page_add_big(struct page *page, uint32_t number);
void page_add_little(struct page *page, uint32_t number);
/* About so many bytes of prose in paragraphs, always the same for the same seed. */
void page_add_prose(struct page *page, uint64_t seed, size_t bytes);
/* The begin of an HTML page, up to its heading; and its end. */
void page_begin_html(struct page *page, const char *title, const char *head);
void page_end_html(struct page *page);
void page_free(struct page *page);

/* Any number from another, always the same one. */
uint64_t mixed(uint64_t number);
uint64_t hashed(const void *data, size_t size);

/* ---- visit.c -------------------------------------------------------------------------------- */

struct visit {
    struct weft_http_request request;
    struct weft_sleep wait;
    struct weft_http_write piece;
    struct page page;
    uint64_t left;  /* bytes of the big file that are not written yet */
    uint64_t count; /* how often this URL was asked for, with this time */
    bool is_page;   /* it counts among those under way */
};

struct visit *visit_of(struct weft_op *op);
struct site *site_of(const struct visit *visit);

/* The handler of the server: count, misbehave as the options say, wait, and go to the route. */
void visit_begin(struct weft_op *op);
void visit_done(struct weft_http_request *request);

/* Answer with visit->page, with ETag and Last-Modified if the status is 200; or with 304. */
void visit_answer(struct visit *visit, int status, const char *type);
void visit_answer_html(struct visit *visit);
void visit_answer_missing(struct visit *visit);

/* Answer nothing: it ends when the client leaves, or the site. */
void visit_hang(struct visit *visit);

/* "http://127.0.0.1:8080" as the client calls us. */
void visit_add_origin(struct visit *visit);

/* ---- routes.c: from paths to the following -------------------------------------------------- */

void visit_route(struct weft_op *op);
/* A number without a sign or zeros in front, from 0 to most; otherwise false. */
bool number_read(struct weft_text text, unsigned most, unsigned *number);

/* stats.c */
void serve_stats(struct weft_op *op);

/* plain.c: the pages of --no-extras. */
void serve_plain(struct weft_op *op);
void plain_answer(struct visit *visit, unsigned number);

/* tree.c: the front, the chapters and their pages. */
void serve_front(struct weft_op *op);
void serve_chapter(struct weft_op *op);
void serve_page(struct weft_op *op);
void serve_sitemap(struct weft_op *op);

/* special.c: what behaves in its own way. */
void serve_robots(struct weft_op *op);
void serve_flaky(struct weft_op *op);
void serve_hang(struct weft_op *op);
void serve_short(struct weft_op *op);
void serve_big(struct weft_op *op);

/* made.c: bytes that are no text. */
void serve_image(struct weft_op *op);
void serve_tone(struct weft_op *op);
void serve_font(struct weft_op *op);
void page_gzip(struct page *page); /* what is in it becomes a gzip file */

/* fixed.c: a table of all that is always the same. */
void serve_fixed(struct weft_op *op);
void serve_kinds(struct weft_op *op);
/* The paths of the table, one after the other, of what a site would list; NULL: that was all. */
const char *fixed_listed(size_t *at);

/* ---- log.c ---------------------------------------------------------------------------------- */

/* 0, or a status. */
int log_open(int *fd, const char *path);
/* One line, in one write: what became of a request. */
void log_visit(int fd, uint64_t ms, const struct visit *visit);

/* ---- the site ------------------------------------------------------------------------------- */

struct site {
    struct weft_op op, started;
    struct weft_http_server server;
    struct weft_signal signals[2];
    struct weft_sleep down;
    struct options options;
    struct counts counts;
    uint64_t began_ms;
    uint64_t total, pages; /* requests: all but /_stats, and those without robots.txt */
    uint64_t running, most_running;
    uint64_t connections; /* of servers before this one: see drop */
    int log;              /* a descriptor; -1: none */
    int err;
    bool dropped, stopping;
};

/* site.c: close the listener and cut all connections, now; be back later. */
void site_drop(struct site *site);

#endif
