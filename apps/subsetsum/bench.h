/* apps/subsetsum/bench.h: the parts of `weft subsetsum bench`.
 *
 *     bench ── trial (in a mode) ──┬── server    a child process: weft subsetsum serve
 *                                  ├── workers   for Redis only: weft subsetsum worker
 *                                  ├── searches  three who ask for a long search, again and again
 *                                  ├── alive     one who asks for / every few milliseconds
 *                                  └── small     one who asks for a small search now and then */
#ifndef WEFT_SUBSETSUM_BENCH_H
#define WEFT_SUBSETSUM_BENCH_H

#include "benching/benching.h"
#include "benching/latency.h"
#include "subsetsum/finding.h"
#include <stdio.h>

/* ---- trial.c: one line of the table --------------------------------------------------------- */

enum {
    TRIAL_SEARCHES = 3, /* at a time: */
    TRIAL_WORKERS = 2,  /* so many are at work, the third waits */
    TRIAL_PAUSE_MS = 5, /* from an answer of / to the next question */
    TRIAL_REQUEST = 8192,
    TRIAL_ANSWER = 4096
};

struct subset_bench {
    struct weft_op op;
    const char *program; /* the file of this program */
    const char *redis;   /* a URL, or NULL */
    const char *svg;     /* a file to draw, or NULL */
    uint64_t for_ms, numbers;
    bool modes[FINDING_MODES]; /* those that are asked for */
    bool json;

    char request[TRIAL_REQUEST]; /* the long search */
    struct trial *trials;
    size_t count, over;
    bool told; /* it was said what is wrong */
};

/* One who asks, how long it took each time, and the longest of these. */
struct trial_client {
    struct bench_client client;
    struct latency latency;
    uint64_t answers, most_ns;
    char buffer[TRIAL_ANSWER];
};

struct trial {
    struct weft_op op;
    struct subset_bench *bench;
    enum finding_mode mode;

    struct trial_client searches[TRIAL_SEARCHES], alive, small;
    char why[256]; /* what went wrong; "": nothing */

    struct bench_server server;
    struct bench_words words[TRIAL_WORKERS];
    struct weft_process workers[TRIAL_WORKERS];
    struct weft_sleep sleep;
    char count[BENCH_NUMBER_MAX], numbers[BENCH_NUMBER_MAX];
    bool decided;
};
#define TRIAL_WORKER "worker-of" /* a kind of child */
#define trial(parent, trial, then) weft_run(parent, &(trial)->op, trial_begin, then)
void trial_begin(struct weft_op *op);

/* ---- trial_show.c: what is told ------------------------------------------------------------- */

/* What is told of a mode, the same in all forms. Times are in milliseconds, 0 where there are none. A
 * question that was not answered when the time was over counts with the time it has waited, unless that
 * would be the shorter one: it makes the figures worse, never better. */
struct trial_figures {
    uint64_t requests, answered; /* of / */
    char p50[24], p99[24], most[24];
    double p50_ms, p99_ms, most_ms;
    uint64_t searches, smalls; /* that have ended */
    char small[24];            /* the median */
};
struct trial_figures trial_figures(const struct trial *trial);

enum { TRIAL_TEXT = 160 };
/* What was measured, in one line. */
void trial_head(const struct subset_bench *bench, char text[TRIAL_TEXT]);
/* What there is to say about the figures of a mode; false: nothing. */
bool trial_note(const struct trial *trial, char text[TRIAL_TEXT]);

void trial_show_head(const struct subset_bench *bench);
void trial_show(const struct trial *trial);
void trial_show_end(const struct subset_bench *bench);
void trial_show_json(const struct subset_bench *bench);

/* ---- trial_plot.c: a drawing ---------------------------------------------------------------- */

/* All trials that are over, as SVG. */
void trial_plot(const struct subset_bench *bench, FILE *file);

#endif
