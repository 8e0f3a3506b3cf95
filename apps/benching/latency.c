/* Times of any size in a fixed number of buckets, for quantiles of millions of requests.
 *
 * A time below 128 has a bucket of its own. Of a larger one the seven highest bits count: they say
 * which of 64 buckets it is in, the number of the others in which row. */
#include "benching/latency.h"

static unsigned lower_bits(uint64_t ns)
{
    unsigned highest = 63 - (unsigned)__builtin_clzll(ns | 64);
    return highest - 6;
}

static uint64_t bucket_of(uint64_t ns)
{
    uint64_t shift = lower_bits(ns);
    return shift * 64 + (ns >> shift);
}

void latency_add(struct latency *latency, uint64_t ns)
{
    latency->buckets[bucket_of(ns)]++;
    latency->count++;
    latency->sum_ns += ns;
}

/* The middle of the bucket. */
static uint64_t value_of(unsigned bucket)
{
    unsigned shift = bucket < 128 ? 0 : bucket / 64 - 1;
    uint64_t least = (uint64_t)(bucket - shift * 64) << shift;
    return least + ((uint64_t)1 << shift) / 2;
}

uint64_t latency_at(const struct latency *latency, unsigned per_mille)
{
    uint64_t rank = (latency->count * per_mille + 999) / 1000, seen = 0;
    for (unsigned bucket = 0; bucket < LATENCY_BUCKETS; bucket++) {
        seen += latency->buckets[bucket];
        if (seen >= rank && seen > 0)
            return value_of(bucket);
    }
    return 0;
}

/* 1000 is 125 * 2^3, and 125 has seven bits: so 2^n µs is where a bucket begins. */
uint64_t latency_below(const struct latency *latency, unsigned exponent)
{
    uint64_t end = bucket_of(UINT64_C(1000) << exponent), count = 0;
    for (uint64_t bucket = 0; bucket < end; bucket++)
        count += latency->buckets[bucket];
    return count;
}
