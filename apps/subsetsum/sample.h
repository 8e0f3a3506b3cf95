/* apps/subsetsum/sample.h: made-up problems, to measure with. */
#ifndef WEFT_SUBSETSUM_SAMPLE_H
#define WEFT_SUBSETSUM_SAMPLE_H

#include "subsetsum/engine.h"

enum { SUBSET_SAMPLE_LEAST = 12, SUBSET_SAMPLE_MOST = 62 };

/* count integers around 2^count, always the same for the same count, and a sum that is there: all work
 * is searching, since few subsets have it. */
struct subset_problem subset_sample(unsigned count);

#endif
