/* apps/spider/rates.h: how fast it goes just now, and when it will be over. No clock, no loop: what
 * has happened comes in with its time. All zero is a beginning. */
#ifndef WEFT_SPIDER_RATES_H
#define WEFT_SPIDER_RATES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RATES_WINDOW_MS = 5000, /* rates are those of the last so many, */
    RATES_STEP_MS = 200,    /* looked at no more often than this */
    RATES_KEPT = 32,        /* more than enough for both */
    RATES_STEADY_MS = 3000, /* as long as what waits must not have grown for an end to be seen */
    RATES_BARS = 24         /* seconds of history, the last one is not over */
};

/* What has happened until now; each only grows, but for waiting. */
struct rates_sample {
    uint64_t ms;      /* since the beginning */
    uint64_t pages;   /* that came well, or were there, */
    uint64_t settled; /* and all of which something is known, */
    uint64_t there;   /* and pages as a limit of pages counts them, */
    uint64_t bytes;
    uint64_t waiting; /* URLs of which nothing is known yet, those under way among them */
};

/* How much may still come before a limit ends it. */
struct rates_limits {
    uint64_t pages, bytes, ms; /* UINT64_MAX: there is no limit */
};

struct rates {
    struct rates_sample samples_[RATES_KEPT], last_;
    unsigned count_, next_;
    uint64_t grown_ms_;
    uint32_t bars[RATES_BARS]; /* read only: pages in each second, the oldest first */
};

void rates_add(struct rates *rates, const struct rates_sample *sample);

/* Pages in a thousand seconds, bytes in one. 0 at the beginning. */
uint64_t rates_pages(const struct rates *rates);
uint64_t rates_bytes(const struct rates *rates);
/* How long until nothing waits, or a limit is reached. -1: that cannot be known, because more and more
 * waits, or because nothing happens. endless: of what waits some will wait for ever. */
int64_t rates_left_ms(const struct rates *rates, const struct rates_limits *limits, bool endless);

#endif
