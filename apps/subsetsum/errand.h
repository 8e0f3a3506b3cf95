/* apps/subsetsum/errand.h: what a worker elsewhere is asked to do, as a line of text:
 *
 *     PART PARTS SUM [1,2,-3]
 *
 * It is read as if a stranger had written it. */
#ifndef WEFT_SUBSETSUM_ERRAND_H
#define WEFT_SUBSETSUM_ERRAND_H

#include "subsetsum/engine.h"

struct errand {
    struct subset_problem problem;
    unsigned part, parts;
};

enum { ERRAND_TEXT = 2 * 8 + SUBSET_SUM_MAX + 1 + SUBSET_TEXT_MAX };

/* The size of what was written; it has no NUL. */
size_t errand_write(const struct errand *errand, char text[ERRAND_TEXT]);
/* 0, or UV_EINVAL or UV_E2BIG with a sentence in why. */
int errand_read(struct errand *errand, struct weft_text text, char why[SUBSET_WHY]);

#endif
