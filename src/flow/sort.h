#ifndef WEFT_FLOW_SORT_H
#define WEFT_FLOW_SORT_H

#include "weft/each.h"

/* By key, equal keys by index. In place; n log n at worst. */
void weft__picks_sort(struct weft_picked *list, size_t count);

#endif
