/* apps/spider/progress.h: what is shown while a crawl runs: the display, a line now and then, or
 * nothing. */
#ifndef WEFT_SPIDER_PROGRESS_H
#define WEFT_SPIDER_PROGRESS_H

#include "spider/rates.h"
#include "spider/screen.h"
#include "spider/settings.h"

enum { PROGRESS_PLAIN_MS = 5000 }; /* from line to line in a log */

struct crawl;

struct progress {
    enum settings_progress kind; /* AUTO: it has not begun, or is over */
    bool shares;                 /* live, and what is for standard output is said above it */
    uint64_t next_ms;            /* plain: when the next line is due */
    struct rates rates;
    struct display_view view;
    struct display_frame frame;
    struct screen screen;
};

/* Decide what is shown. From now on complaints go where it does not disturb them. */
void show_begin(struct progress *progress, const struct settings *settings);
/* Every now and then, and when something is to be seen at once. */
void show_now(struct crawl *crawl);
/* Before the process is stopped: nothing stands. And after: others may have used the terminal. */
void show_pause(struct progress *progress);
void show_again(struct crawl *crawl);
/* Nothing stands any more, and complaints go where they always do. Any number of times. */
void show_end(struct progress *progress);

/* gather.c: fill view from crawl. */
void gather_view(const struct crawl *crawl, struct display_view *view);

#endif
