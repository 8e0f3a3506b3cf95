/* apps/trace/analysis.h: what a trace tells: figures a type, slow chains, callbacks that blocked a
 * loop, what was never destroyed. `summary` prints it, `report` puts it on a page: the same
 * numbers.
 *
 *     struct analysis analysis = {.limit = 10 * 1000000, .top = 10};
 *     int status = analysis_make(&analysis, &trace);
 *     ...
 *     analysis_free(&analysis); */
#ifndef WEFT_TRACE_ANALYSIS_H
#define WEFT_TRACE_ANALYSIS_H

#include "trace/model.h"

/* Of a number of lengths of time, in nanoseconds. The p50 is the shortest that half of them do not
 * exceed, the p99 the shortest that 99 of 100 do not. All 0 if there are none. */
struct analysis_times {
    int64_t total, p50, p99, most;
};

/* A type of operation. Only what has ended has a length: the others are counted in open. */
struct analysis_type {
    uint32_t type;
    bool handle; /* it is one of those that live long */
    uint64_t count, open, calls;
    int64_t total;  /* how long they lived, all together */
    int64_t queued; /* of that, how long they waited in queues before they were begun */
    struct analysis_times waiting, running;
};

/* The operations of one type that were begun at one place. */
struct analysis_site {
    uint32_t type, site;
    uint64_t count, open;
    bool handle;
    int64_t oldest;   /* of the open ones: how long the oldest has lived */
    uint32_t slowest; /* of those that ended, in ops; TRACE_NONE: none has */
};

/* An operation, and what it waited for, and what that waited for. */
enum { CHAIN_LONGEST = 64 };
struct analysis_chain {
    uint32_t ops[CHAIN_LONGEST]; /* the first is what was slow */
    size_t count;
    uint64_t like; /* how many operations of the first's type and place there are */
    bool idle;     /* it waited for a client or a signal, or was just there */
};

struct analysis {
    /* Set these first. */
    int64_t limit; /* a callback that runs longer blocks its loop */
    size_t top;    /* how many chains and blocking callbacks at most; 0: all, but no more than */
                   /* ANALYSIS_CHAINS of the former */

    struct analysis_type *types; /* the longest total first, what lives long last */
    size_t type_count;
    struct analysis_site *sites; /* those with something open first, the most first */
    size_t site_count, open_site_count;
    uint64_t open;                 /* never destroyed, but for loops */
    struct analysis_chain *chains; /* the slowest first, the idle ones last */
    size_t chain_count;
    uint32_t *blocking; /* in calls, the longest first */
    size_t blocking_count;
    uint64_t blocked; /* how many blocking callbacks there are in all */
};
enum { ANALYSIS_CHAINS = 1000 };

/* UV_ENOMEM. analysis is to be freed in any case; it refers to trace by number. */
int analysis_make(struct analysis *analysis, const struct trace *trace);
void analysis_free(struct analysis *analysis);

/* How long an operation lived; waited: of that, none of its callbacks ran. */
int64_t analysis_length(const struct trace_op *op);
int64_t analysis_waited(const struct trace_op *op);

#endif
