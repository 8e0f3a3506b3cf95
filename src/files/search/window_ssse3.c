/* The search through a window on processors that have SSSE3: see window_lanes.h. */
#include "ways.h"
#if WEFT_SEARCH_LANES
#include "lanes_ssse3.h"
#include "window_lanes.h"
#endif
