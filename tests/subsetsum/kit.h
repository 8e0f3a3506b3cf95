/* tests/subsetsum/kit.h: problems that are made up, their matches by brute force, and those of the
 * engine. */
#ifndef TESTS_SUBSETSUM_KIT_H
#define TESTS_SUBSETSUM_KIT_H

#include "check.h"
#include "subsetsum/engine.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KIT_FOUND_MAX = 1 << 16 };

struct found {
    size_t count;
    uint64_t masks[KIT_FOUND_MAX];
};

static const enum subset_method kit_methods[] = {SUBSET_AUTO, SUBSET_GRAY, SUBSET_MEET,
                                                 SUBSET_SCHROEPPEL};
enum { KIT_METHODS = sizeof kit_methods / sizeof kit_methods[0] };

/* SplitMix64. */
static inline uint64_t kit_draw(uint64_t *state)
{
    uint64_t number = *state += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

static inline struct subset_problem kit_problem(const int64_t *values, unsigned count, int64_t sum)
{
    struct subset_problem problem = {.count = count, .sum = sum};
    if (count > 0)
        memcpy(problem.values, values, count * sizeof *values);
    return problem;
}

static inline subset_wide kit_sum(const struct subset_problem *problem, uint64_t mask)
{
    subset_wide sum = 0;
    for (unsigned i = 0; i < problem->count; i++)
        sum += mask >> i & 1 ? problem->values[i] : 0;
    return sum;
}

/* A value of a kind: tiny, small, wide, from end to end, only the ends, only zeros and ones. */
enum { KIT_KINDS = 6 };
static inline int64_t kit_value(uint64_t *state, unsigned kind)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, 0, 1, -1};
    uint64_t drawn = kit_draw(state);
    switch (kind) {
    case 0:
        return (int64_t)(drawn % 7) - 3;
    case 1:
        return (int64_t)(drawn % 199) - 99;
    case 2:
        return (int64_t)(drawn % (UINT64_C(1) << 33)) - (INT64_C(1) << 32);
    case 3:
        return (int64_t)drawn;
    case 4:
        return ends[drawn % 7];
    default:
        return (int64_t)(drawn % 2);
    }
}

/* The sum is one that some subset has, mostly. */
static inline struct subset_problem kit_random(uint64_t *state, unsigned most)
{
    struct subset_problem problem = {.count = (unsigned)(kit_draw(state) % (most + 1))};
    unsigned kind = (unsigned)(kit_draw(state) % KIT_KINDS);
    for (unsigned i = 0; i < problem.count; i++)
        problem.values[i] = kit_value(state, kind);
    uint64_t drawn = kit_draw(state);
    if (drawn % 4 > 0)
        problem.sum = kit_sum(&problem, kit_draw(state));
    if (drawn % 16 == 5)
        problem.sum += 1;
    return problem;
}

static inline void kit_say(const struct subset_problem *problem, uint64_t seed)
{
    char text[SUBSET_TEXT_MAX];
    struct subset_writer writer;
    subset_writer_init(&writer, problem);
    size_t size = subset_write(&writer, UINT64_MAX, text);
    fprintf(stderr, "seed %" PRIu64 ": %.*s with sum %" PRId64 " (%s)\n", seed, (int)size, text,
            (int64_t)problem->sum, problem->sum == (int64_t)problem->sum ? "exactly" : "cut");
}

static inline int kit_compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static inline void kit_sort(struct found *found)
{
    qsort(found->masks, found->count, sizeof found->masks[0], kit_compare);
}

/* All of them, ascending. */
static inline void kit_brute(const struct subset_problem *problem, struct found *found)
{
    found->count = 0;
    for (uint64_t mask = 1; mask < UINT64_C(1) << problem->count; mask++) {
        if (kit_sum(problem, mask) == problem->sum)
            found->masks[found->count++] = mask;
    }
}

/* What a part finds is added, in its order. */
static inline void kit_add(const struct subset_problem *problem, struct found *found,
                           enum subset_method method, unsigned part, unsigned parts)
{
    struct subset_search search;
    assert_int_equal(subset_search_init(&search, problem, method, part, parts), 0);
    while (search.state == SUBSET_MORE) {
        assert_true(found->count < KIT_FOUND_MAX);
        found->count += subset_search_next(&search, found->masks + found->count,
                                           KIT_FOUND_MAX - found->count, 1 << 20);
    }
    subset_search_free(&search);
}

static inline uint64_t kit_count(const struct subset_problem *problem, unsigned part,
                                 unsigned parts, uint64_t steps)
{
    struct subset_count count;
    assert_int_equal(subset_count_init(&count, problem, part, parts), 0);
    while (subset_count_run(&count, steps) == SUBSET_MORE)
        continue;
    subset_count_free(&count);
    return count.total;
}

static inline bool kit_same(const struct found *one, const struct found *other)
{
    return one->count == other->count &&
           memcmp(one->masks, other->masks, one->count * sizeof one->masks[0]) == 0;
}

/* The 20 integers of the benchmark, and the 17 of the books. */
static inline struct subset_problem kit_twenty(void)
{
    struct subset_problem problem = {.count = 20};
    for (int i = 0; i < 20; i++)
        problem.values[i] = (i * 7919 + 13) % 199 - 99;
    return problem;
}

static inline struct subset_problem kit_seventeen(void)
{
    static const int64_t values[] = {116, 119,  101, 101, -116, 109,  101,  -105, -102,
                                     117, -115, -97, 119, -116, -104, -105, 115};
    return kit_problem(values, 17, 0);
}

#endif
