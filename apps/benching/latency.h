/* apps/benching/latency.h: how long it took, of many. */
#ifndef WEFT_BENCHING_LATENCY_H
#define WEFT_BENCHING_LATENCY_H

#include <stdint.h>

/* Times from 0 on, each counted in a bucket that is 1/64 of its value wide, or 1 ns. Zeroed: empty. */
enum { LATENCY_BUCKETS = 59 * 64 };
struct latency {
    uint64_t count, sum_ns;
    uint64_t buckets[LATENCY_BUCKETS];
};
void latency_add(struct latency *latency, uint64_t ns);
/* The least time that so many of 1000 did not exceed, but for the width of a bucket; 0: none. */
uint64_t latency_at(const struct latency *latency, unsigned per_mille);
/* How many took less than 2^exponent µs, exactly: a bucket begins there. exponent is at most 54. */
uint64_t latency_below(const struct latency *latency, unsigned exponent);

#endif
