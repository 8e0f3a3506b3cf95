/* The search through a window on processors that have AVX2: see window_lanes.h. */
#include "ways.h"
#if WEFT_SEARCH_LANES
#include "lanes_avx2.h"
#include "window_lanes.h"
#endif
