/* apps/sales/bench.h: the parts of `weft sales bench`.
 *
 *     bench ── run (a test in a mode) ──┬── server   a child process: weft sales serve
 *                                       ├── load     clients that ask it
 *                                       └── figures  what it says it did: /metrics */
#ifndef WEFT_SALES_BENCH_H
#define WEFT_SALES_BENCH_H

#include "benching/benching.h"
#include "benching/latency.h"
#include "sales/totals.h"
#include <stdio.h>

#define SALES_BENCH_USAGE                                                                          \
    "      --db FOLDER           the ledger (default: a temporary one of 100,000 sales)\n"         \
    "      --item NAME           what is asked for (default book)\n"                               \
    "      --modes LIST          some of plain,batch,cache,promise (default all)\n"                \
    "      --requests N          first so many requests (default 20; 0: not this test),\n"         \
    "      --every MS            one each so many milliseconds (default 200)\n"                    \
    "      --clients N           then so many that ask again at once (default 20)\n"               \
    "      --seconds S           for so long (default 2; 0: not this test)\n"                      \
    "      --scan-delay MS       each scan takes that much longer\n"                               \
    "      --json                for machines\n"

/* ---- bench_load.c: many who ask -------------------------------------------------------------- */

enum { BENCH_ANSWER_MAX = 4096 }; /* bytes of an answer, head and all */

/* Either so many requests, one each so many milliseconds, however long the answers take; or so many
 * clients, each of which asks again when it has its answer, for so many milliseconds. All answers
 * are awaited, but none longer than patience_ms after the last question: UV_ETIMEDOUT. The errors of
 * clients; UV_ENOMEM. */
struct bench_load {
    struct weft_op op;
    const struct weft_address *server;
    struct weft_text request;
    size_t clients; /* or the number of requests, if every_ms is not 0: for_ms is 0 then */
    uint64_t every_ms, for_ms, patience_ms;

    uint64_t requests; /* answers that were 200; */
    uint64_t failed;   /* those that were not, */
    int status;        /* and the status of the last of these */
    uint64_t took_ns;  /* from the first question to the last answer */
    char answer[256];  /* what that one said, or else the last; without the end of its line */
    struct latency latency;

    uint64_t begun_ns_, until_ns_;
    struct bench_member *members_;
    struct weft_deadline deadline_;
};
#define bench_load(parent, load, then) weft_run(parent, &(load)->op, bench_load_begin, then)
void bench_load_begin(struct weft_op *op);
/* In its then, and whatever its status. */
void bench_load_free(struct bench_load *load);

/* ---- bench_temporary.c: a ledger for the time of a bench --------------------------------------- */

struct bench_temporary {
    char folder[4096]; /* "": there is none */
    struct weft_process process;
};
/* Make the folder; false: it was said what is wrong. */
bool bench_temporary_make(struct bench_temporary *temporary);
/* Fill it with 100,000 sales of seed 1; its op is process. */
void bench_temporary_fill(struct weft_op *parent, struct bench_temporary *temporary,
                          const char *command, weft_then_fn *then);
/* Safe if there is none. */
void bench_temporary_remove(struct bench_temporary *temporary);

/* ---- bench_run.c: one line of the table ------------------------------------------------------ */

enum bench_test { BENCH_PACED, BENCH_CLOSED, BENCH_TESTS };
enum { BENCH_RUNS = BENCH_TESTS * TOTALS_MODES, BENCH_FIGURES_MAX = 256 * 1024 };

struct bench {
    struct weft_op op;
    const char *command; /* the file of this program */
    const char *db, *item;
    uint64_t clients, for_ms, scan_delay_ms, requests, every_ms;
    bool modes[TOTALS_MODES]; /* those that are asked for */
    bool json;

    struct bench_temporary temporary;
    struct weft_text request;
    char text[1024]; /* of the request */
    struct bench_run *runs;
    size_t count, over;
    struct weft_ticker ticker;
    bool told; /* it was said what is wrong */
};

/* What a server says it did. */
struct bench_figures {
    uint64_t scans, joined, hits;
};

struct bench_run {
    struct weft_op op;
    struct bench *bench;
    enum bench_test test;
    unsigned mode; /* a totals_mode */

    struct bench_load load;
    struct bench_figures figures;
    char why[256]; /* what went wrong; "": nothing */

    struct bench_server server;
    struct weft_deadline deadline;
    struct bench_client asks;
    char delay[BENCH_NUMBER_MAX], *answer;
    bool decided;
};
void bench_run_begin(struct weft_op *op);

/* ---- bench_table.c: what is told -------------------------------------------------------------- */

void bench_show_head(const struct bench *bench, const struct bench_run *run);
void bench_show_run(const struct bench_run *run);
void bench_show_json(const struct bench *bench);

#endif
