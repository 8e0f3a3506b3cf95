/* apps/spider/display.h: what a running crawl looks like, as lines of text.
 *
 * Pure: a view goes in, which anybody can make up, and a frame comes out. Who fills the view is
 * progress.c, who puts the frame on a terminal is screen.c. */
#ifndef WEFT_SPIDER_DISPLAY_H
#define WEFT_SPIDER_DISPLAY_H

#include "spider/rates.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISPLAY_LINES = 16,    /* a block of more would be in the way */
    DISPLAY_COLUMNS = 240, /* and wider lines are hard to read */
    DISPLAY_BYTES = 1024,  /* of a line: four for each column, and the colours */
    DISPLAY_HOSTS = 4,
    DISPLAY_URLS = 10
};

enum display_host_state { DISPLAY_ASKED, DISPLAY_READING_ROBOTS, DISPLAY_RESTS, DISPLAY_GONE };

struct display_host {
    const char *origin;
    enum display_host_state state;
    unsigned running;
    uint64_t waiting;
    uint64_t gap_ms;  /* between two requests; 0: none */
    uint64_t rest_ms; /* how long it is left alone for */
};

struct display_url {
    const char *url;
    uint64_t age_ms, bytes;
};

struct display_view {
    bool colour, ascii; /* how, not what */

    bool checks; /* nothing is saved, only looked at */
    uint64_t saved, moved, skipped, failed, bytes;
    uint64_t found;   /* were there; */
    uint64_t same;    /* of these, those that an update has asked for */
    uint64_t settled; /* all of these */
    uint64_t waiting; /* those under way are not among them */
    unsigned running;
    uint64_t elapsed_ms, pages_rate, bytes_rate; /* as rates.h has them */
    uint64_t there;                              /* pages, as a limit of pages counts them */
    struct rates_limits limits;
    int64_t left_ms; /* -1: not known */
    bool stopping;   /* only what is under way is finished */
    bool endless;    /* what waits will not all be fetched */
    uint32_t bars[RATES_BARS];

    struct display_host hosts[DISPLAY_HOSTS]; /* the busiest first */
    size_t hosts_count;
    struct display_url urls[DISPLAY_URLS]; /* the oldest first */
    size_t urls_count;
};

struct display_frame {
    unsigned count;
    char line[DISPLAY_LINES][DISPLAY_BYTES];
};

/* Draw view into at most lines lines of at most columns columns. */
void display_draw(const struct display_view *view, unsigned columns, unsigned lines,
                  struct display_frame *frame);

/* The same in one line, for logs. Returns buffer. */
char *display_sentence(const struct display_view *view, char *buffer, size_t size);

#endif
