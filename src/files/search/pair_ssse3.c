/* The search for a pair on processors that have SSSE3: see pair_lanes.h. */
#include "ways.h"
#if WEFT_SEARCH_LANES
#include "lanes_ssse3.h"
#include "pair_lanes.h"
#endif
