/* bench/bench.h: what the measuring programs share.
 *
 * Machines are noisy and never help: the best of several runs is the one that was disturbed least.
 * Ours and the peer's take turns, so that both meet the same weather. */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

enum { BENCH_ROUNDS = 7 };

/* Does count pieces of work and returns the nanoseconds that the part which counts took. */
typedef uint64_t bench_fn(size_t count);

/* What was measured is worth nothing if the work was not done. */
static inline void bench_check(int holds, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "bench: %s\n", text);
    exit(1);
}

static inline void bench_keep_best(double *best, uint64_t ns, size_t count)
{
    double each = (double)ns / (double)count;
    if (*best == 0 || each < *best)
        *best = each;
}

/* Nanoseconds for one of count. */
static inline double bench_best(bench_fn *work, size_t count)
{
    double best = 0;
    for (int round = 0; round < BENCH_ROUNDS; round++)
        bench_keep_best(&best, work(count), count);
    return best;
}

/* One line: nanoseconds for one of count, ours and theirs; a ratio above 1 means we are faster. */
static inline void bench_compare(const char *name, const char *peer, bench_fn *ours,
                                 bench_fn *theirs, size_t count)
{
    double our_best = 0, their_best = 0;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        bench_keep_best(&our_best, ours(count), count);
        bench_keep_best(&their_best, theirs(count), count);
    }
    printf("bench %s peer=%s ours=%.1fns theirs=%.1fns ratio=%.2f\n", name, peer, our_best,
           their_best, their_best / our_best);
    fflush(stdout);
}

#endif
