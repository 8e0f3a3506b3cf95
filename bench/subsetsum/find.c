/* Subset sums by the engine of the command.
 *
 *     find twenty                the 20 integers of the books' comparison, sum 0
 *     find seeded N [METHOD]     N made-up integers around 2^N with one sum that is there
 *     find crossing              what each method takes for few numbers: where they cross
 *
 * Prints milliseconds, matches and megabytes. For twenty the best of many, with everything from the
 * numbers to the last delivered match; for seeded one run. */
#include "../bench.h"
#include "subsetsum/engine.h"
#include "subsetsum/sample.h"
#include <inttypes.h>
#include <string.h>

typedef void deliver_fn(void *context, uint64_t mask);

struct sink {
    uint64_t count, mixed;
};

static void note(void *context, uint64_t mask)
{
    struct sink *sink = context;
    sink->count++;
    sink->mixed ^= mask;
}

/* Through a pointer, so that each is delivered to somebody the compiler knows nothing of. */
static deliver_fn *volatile deliver = note;

static uint64_t find_all(const struct subset_problem *problem, enum subset_method method,
                         struct sink *sink)
{
    struct subset_search search;
    uint64_t masks[512], begun_ns = uv_hrtime();
    deliver_fn *to = deliver;
    bench_check(subset_search_init(&search, problem, method, 0, 1) == 0, "no search");
    while (search.state == SUBSET_MORE) {
        size_t count = subset_search_next(&search, masks, 512, 100000);
        for (size_t i = 0; i < count; i++)
            to(sink, masks[i]);
    }
    subset_search_free(&search);
    return uv_hrtime() - begun_ns;
}

static struct subset_problem twenty(unsigned count)
{
    struct subset_problem problem = {.count = count};
    for (unsigned i = 0; i < count; i++)
        problem.values[i] = (int64_t)((i * 7919 + 13) % 199) - 99;
    return problem;
}

static double best_ms(const struct subset_problem *problem, enum subset_method method, int rounds,
                      struct sink *sink)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < rounds; i++) {
        *sink = (struct sink){0};
        uint64_t took = find_all(problem, method, sink);
        best = took < best ? took : best;
    }
    return (double)best / 1e6;
}

static void report(const struct subset_problem *problem, enum subset_method method, int rounds)
{
    struct sink sink;
    double ms = best_ms(problem, method, rounds, &sink);
    bench_check(sink.count > 0, "a sum that is there was not found");
    printf("%.4f %" PRIu64 " %.1f\n", ms, sink.count,
           (double)subset_search_memory(problem, method, 1) / 1048576);
}

static void crossing(void)
{
    for (unsigned count = 4; count <= 24; count++) {
        struct sink sink;
        printf("%2u", count);
        for (enum subset_method method = SUBSET_GRAY; method <= SUBSET_SCHROEPPEL; method++) {
            struct subset_problem small = twenty(count),
                                  wide = subset_sample(count < 12 ? 12 : count);
            wide.count = count;
            printf("  %10.2f", 1e3 * best_ms(&small, method, 50, &sink));
            printf(" %10.2f", 1e3 * best_ms(&wide, method, 50, &sink));
        }
        printf("  us: gray, meet, schroeppel; small numbers and wide ones\n");
    }
}

int main(int argc, char **argv)
{
    struct subset_problem problem;
    if (argc == 2 && strcmp(argv[1], "twenty") == 0) {
        problem = twenty(20);
        report(&problem, SUBSET_AUTO, 1000);
    } else if (argc >= 3 && strcmp(argv[1], "seeded") == 0) {
        unsigned long count = strtoul(argv[2], NULL, 10);
        bench_check(count >= SUBSET_SAMPLE_LEAST && count <= SUBSET_SAMPLE_MOST,
                    "N is from 12 to 62");
        problem = subset_sample((unsigned)count);
        report(&problem, argc > 3 ? (enum subset_method)strtoul(argv[3], NULL, 10) : SUBSET_AUTO,
               1);
    } else {
        bench_check(argc == 2 && strcmp(argv[1], "crossing") == 0,
                    "usage: find twenty | seeded N [METHOD] | crossing");
        crossing();
    }
    return 0;
}
