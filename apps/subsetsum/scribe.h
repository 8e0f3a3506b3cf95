/* apps/subsetsum/scribe.h: a search whose matches are written as lines: "Match: [1,2,-3]\n".
 *
 * What every way to search has in common, wherever it runs: on the loop, on a thread, in another
 * process, on another machine. It writes into a buffer of the caller's and does a bounded piece of
 * work a call. */
#ifndef WEFT_SUBSETSUM_SCRIBE_H
#define WEFT_SUBSETSUM_SCRIBE_H

#include "subsetsum/engine.h"

#define SCRIBE_MATCH "Match: "
enum {
    SCRIBE_LINE_MAX = sizeof SCRIBE_MATCH + SUBSET_TEXT_MAX, /* with its end */
    SCRIBE_TEXT = 16 * 1024, /* a good size for a buffer: what is given on at once */
    SCRIBE_MASKS = 64
};

/* Zeroed is closed. */
struct scribe {
    struct subset_search search_;
    struct subset_writer writer_;
    uint64_t masks_[SCRIBE_MASKS];
    unsigned next_, count_; /* of masks_: found, but not written yet */
    uint64_t written;       /* read only: matches, those that were skipped included */
};

/* The share `part` of `parts` of a problem, without its first `skipped` matches. The errors of
 * subset_search_init. */
int scribe_open(struct scribe *scribe, const struct subset_problem *problem, unsigned part,
                unsigned parts, uint64_t skipped);
/* Whole lines into buffer, which has room for one at least; how many bytes. It returns when no further
 * line is sure to fit, after about so many steps, or at the end. */
size_t scribe_write(struct scribe *scribe, char *buffer, size_t room, uint64_t steps);
/* Nothing more will come. */
bool scribe_done(const struct scribe *scribe);
void scribe_close(struct scribe *scribe);

#endif
