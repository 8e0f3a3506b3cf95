/* The search for a pair on processors that have AVX2: see pair_lanes.h. */
#include "ways.h"
#if WEFT_SEARCH_LANES
#include "lanes_avx2.h"
#include "pair_lanes.h"
#endif
