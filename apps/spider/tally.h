/* apps/spider/tally.h: what a run comes to, in numbers: for the report. Of a fixed size, however
 * long the run is. */
#ifndef WEFT_SPIDER_TALLY_H
#define WEFT_SPIDER_TALLY_H

#include <weft/crawl.h>

enum {
    TALLY_TOP = 100,       /* of the slowest, of the largest */
    TALLY_SLICES = 480,    /* of time; when they are used up two become one */
    TALLY_SLICE_MS = 20,   /* how long the first ones are */
    TALLY_RESTS = 200,     /* of hosts; more are only counted */
    TALLY_STATUSES = 1000, /* three digits; 0: no answer */
    TALLY_STEPS = 128      /* of times, each 1.19 times as long as the one before */
};

/* The greatest of many, the greatest first. */
struct tally_top {
    struct tally_page {
        weft_crawl_id id;
        int http_status;
        uint64_t value; /* microseconds, bytes */
    } pages[TALLY_TOP];
    unsigned count;
};
void tally_top_add(struct tally_top *top, weft_crawl_id id, int http_status, uint64_t value);

/* Zeroed before its first use. */
struct tally {
    uint64_t fetches;
    uint32_t statuses[TALLY_STATUSES];
    uint32_t times[TALLY_STEPS]; /* of answers, how long they took */
    struct tally_top slowest;
    uint64_t slice_ms;
    struct tally_slice {
        uint32_t answers, errors;
        uint64_t bytes;
    } slices[TALLY_SLICES];
    unsigned slices_used;
    struct tally_rest {
        const char *host; /* whose it is stays */
        uint64_t begin_ms, end_ms;
    } rests[TALLY_RESTS];
    uint64_t rests_count; /* all of them */
};

/* A request has ended. */
struct tally_answer {
    weft_crawl_id id;
    int http_status; /* 0: there was none */
    bool good;       /* it is what was asked for, or leads there */
    uint64_t took_us, wire;
};
void tally_answer(struct tally *tally, uint64_t ms, const struct tally_answer *answer);

/* host is left alone. One that rests already rests on. */
void tally_rest(struct tally *tally, const char *host, uint64_t begin_ms, uint64_t end_ms);

/* So many microseconds, or fewer, took this part of the answers, 0 to 1; up to a fifth too much. */
uint64_t tally_quantile(const struct tally *tally, double part);

#endif
