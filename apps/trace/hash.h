/* apps/trace/hash.h: where in a table something is looked for first. Different in each process. */
#ifndef WEFT_TRACE_HASH_H
#define WEFT_TRACE_HASH_H

#include <stdint.h>
#include <weft/text.h>

uint64_t hash_pair(uint64_t a, uint64_t b);
uint64_t hash_text(struct weft_text text);

#endif
