/* ctest: labels=model shuffle=no */
/* Every method finds what brute force finds, in whatever pieces. */
#include "kit.h"
#include "subsetsum/inside.h"

static struct found expected, got, again;

static void same_or_say(bool holds, const struct subset_problem *problem, uint64_t seed,
                        unsigned method)
{
    if (!holds) {
        kit_say(problem, seed);
        fail_msg("method %u has found %zu of %zu", method, got.count, expected.count);
    }
}

TEST(all_methods_agree_with_brute_force)
{
    uint64_t state = check_seed();
    for (unsigned long round = 0; round < check_scale(15000); round++) {
        uint64_t seed = state;
        struct subset_problem problem = kit_random(&state, round % 50 == 0 ? 15 : 11);
        kit_brute(&problem, &expected);
        for (unsigned i = 0; i < KIT_METHODS; i++) {
            got.count = 0;
            kit_add(&problem, &got, kit_methods[i], 0, 1);
            kit_sort(&got);
            same_or_say(kit_same(&got, &expected), &problem, seed, i);
        }
        got.count = kit_count(&problem, 0, 1, 1 << 20);
        same_or_say(got.count == expected.count, &problem, seed, KIT_METHODS);
    }
}

/* Where brute force would take too long they have each other. */
TEST(the_methods_agree_with_each_other_on_more_numbers)
{
    uint64_t state = check_seed() + 1;
    for (unsigned long round = 0; round < check_scale(40); round++) {
        uint64_t seed = state;
        struct subset_problem problem = {.count = 18 + (unsigned)round % 5};
        for (unsigned i = 0; i < problem.count; i++)
            problem.values[i] = kit_value(&state, round % 2 == 0 ? 2 : 3) >> (round % 3 * 10);
        problem.sum = kit_sum(&problem, kit_draw(&state));
        expected.count = 0;
        kit_add(&problem, &expected, SUBSET_GRAY, 0, 1);
        kit_sort(&expected);
        for (unsigned i = 0; i < KIT_METHODS; i++) {
            got.count = 0;
            kit_add(&problem, &got, kit_methods[i], 0, 1);
            kit_sort(&got);
            same_or_say(kit_same(&got, &expected), &problem, seed, i);
        }
        got.count = kit_count(&problem, 0, 1, 1 << 20);
        same_or_say(got.count == expected.count, &problem, seed, KIT_METHODS);
    }
}

/* Counting uses tallies where it can: this is the other way, which few numbers would never take. */
static uint64_t count_blocks(const struct subset_problem *problem, enum subset_method method,
                             unsigned part, unsigned parts, uint64_t *state)
{
    struct subset_count count = {.state = SUBSET_MORE};
    assert_int_equal(subset_search_init(&count.search_, problem, method, part, parts), 0);
    count.search_.work_->counts = true;
    while (subset_count_run(&count, 1 + kit_draw(state) % 100) == SUBSET_MORE)
        continue;
    subset_count_free(&count);
    return count.total;
}

TEST(blocks_are_counted_as_they_are_delivered)
{
    uint64_t state = check_seed() + 7;
    for (unsigned long round = 0; round < check_scale(3000); round++) {
        uint64_t seed = state;
        struct subset_problem problem = kit_random(&state, 11);
        unsigned method = 1 + (unsigned)round % (KIT_METHODS - 1),
                 parts = 1 + (unsigned)(round / 3 % 5);
        kit_brute(&problem, &expected);
        got.count = 0;
        for (unsigned part = 0; part < parts; part++)
            got.count += count_blocks(&problem, kit_methods[method], part, parts, &state);
        same_or_say(got.count == expected.count, &problem, seed, method);
    }
}

/* ---- parts ---------------------------------------------------------------------------------- */

static unsigned some_parts(uint64_t *state)
{
    static const unsigned parts[] = {2, 3, 4, 5, 7, 8, 13, 64, 100, 1000, 4095, 4096};
    return parts[kit_draw(state) % (sizeof parts / sizeof parts[0])];
}

TEST(the_parts_of_a_search_add_up_to_the_whole)
{
    uint64_t state = check_seed() + 2;
    for (unsigned long round = 0; round < check_scale(600); round++) {
        uint64_t seed = state, counted = 0;
        struct subset_problem problem = kit_random(&state, 12);
        unsigned parts = some_parts(&state), method = (unsigned)round % KIT_METHODS;
        kit_brute(&problem, &expected);
        got.count = 0;
        for (unsigned part = 0; part < parts; part++) {
            kit_add(&problem, &got, kit_methods[method], part, parts);
            counted += kit_count(&problem, part, parts, 1 << 20);
        }
        kit_sort(&got);
        same_or_say(kit_same(&got, &expected), &problem, seed, method);
        got.count = counted;
        same_or_say(counted == expected.count, &problem, seed, KIT_METHODS);
    }
}

/* In steps, which is what work is measured in here. */
static uint64_t work_of(const struct subset_problem *problem, enum subset_method method,
                        unsigned part, unsigned parts)
{
    struct subset_search search;
    uint64_t mask, calls = 0;
    assert_int_equal(subset_search_init(&search, problem, method, part, parts), 0);
    for (; search.state == SUBSET_MORE; calls++)
        subset_search_next(&search, &mask, 1, 16);
    subset_search_free(&search);
    return calls;
}

TEST(parts_are_of_similar_work)
{
    static const unsigned parts[] = {2, 3, 5, 8, 11, 32};
    uint64_t state = check_seed() + 3;
    struct subset_problem problem = {.count = 24};
    for (unsigned i = 0; i < problem.count; i++)
        problem.values[i] = kit_value(&state, 3) / 4;
    problem.sum = kit_sum(&problem, 0x5a5a5a);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (enum subset_method method = SUBSET_MEET; method <= SUBSET_SCHROEPPEL; method++) {
            uint64_t least = UINT64_MAX, most = 0;
            for (unsigned part = 0; part < parts[i]; part++) {
                uint64_t work = work_of(&problem, method, part, parts[i]);
                least = work < least ? work : least;
                most = work > most ? work : most;
            }
            assert_true(most <= least * 3 / 2);
        }
    }
}

/* Where the sums are shared out, parts are not more work than the whole. */
TEST(eight_parts_of_a_large_search_are_together_hardly_more_work_than_all_of_it)
{
    uint64_t state = check_seed() + 8, together = 0;
    struct subset_problem problem = {.count = 36};
    for (unsigned i = 0; i < problem.count; i++)
        problem.values[i] = kit_value(&state, 3) / 64;
    problem.sum = kit_sum(&problem, 0xa5a5a5a5);
    for (unsigned part = 0; part < 8; part++)
        together += work_of(&problem, SUBSET_SCHROEPPEL, part, 8);
    assert_true(together < 2 * work_of(&problem, SUBSET_SCHROEPPEL, 0, 1));
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Rooms and budgets of any size, and a search that is left and begun again with what was found
 * skipped. */
static void find_in_pieces(const struct subset_problem *problem, enum subset_method method,
                           unsigned parts, uint64_t *state, struct found *found)
{
    struct subset_search search = {0};
    for (unsigned part = 0; part < parts; part++) {
        size_t begin = found->count;
        assert_int_equal(subset_search_init(&search, problem, method, part, parts), 0);
        while (search.state == SUBSET_MORE) {
            size_t room = 1 + (size_t)(kit_draw(state) % 5);
            uint64_t steps = 1 + kit_draw(state) % (UINT64_C(1) << kit_draw(state) % 12);
            room = room < KIT_FOUND_MAX - found->count ? room : KIT_FOUND_MAX - found->count;
            found->count += subset_search_next(&search, found->masks + found->count, room, steps);
            if (kit_draw(state) % 64 > 0)
                continue;
            uint64_t first = kit_draw(state) % (found->count - begin + 1);
            subset_search_free(&search);
            assert_int_equal(subset_search_init(&search, problem, method, part, parts), 0);
            subset_search_skip(&search, first); /* in two goes: they add up */
            subset_search_skip(&search, found->count - begin - first);
        }
        subset_search_free(&search);
    }
}

TEST(where_a_search_is_cut_makes_no_difference)
{
    uint64_t state = check_seed() + 4;
    for (unsigned long round = 0; round < check_scale(5000); round++) {
        uint64_t seed = state;
        struct subset_problem problem = kit_random(&state, 9);
        unsigned method = (unsigned)round % KIT_METHODS, parts = 1 + (unsigned)(round / 4 % 3);
        expected.count = got.count = again.count = 0;
        for (unsigned part = 0; part < parts; part++)
            kit_add(&problem, &expected, kit_methods[method], part, parts);
        find_in_pieces(&problem, kit_methods[method], parts, &state, &got);
        same_or_say(kit_same(&got, &expected), &problem, seed, method);
    }
}

/* From the beginning, and after some were delivered. */
static void find_but_skip(const struct subset_problem *problem, enum subset_method method,
                          size_t first, uint64_t skip)
{
    struct subset_search search;
    assert_int_equal(subset_search_init(&search, problem, method, 0, 1), 0);
    got.count = 0;
    while (search.state == SUBSET_MORE && got.count < first)
        got.count += subset_search_next(&search, got.masks + got.count, first - got.count, 50);
    subset_search_skip(&search, skip);
    while (search.state == SUBSET_MORE)
        got.count += subset_search_next(&search, got.masks + got.count, 100, 50);
    subset_search_free(&search);
}

TEST(any_number_of_matches_can_be_skipped_at_any_time)
{
    uint64_t state = check_seed() + 5;
    for (unsigned long round = 0; round < check_scale(3000); round++) {
        uint64_t seed = state;
        struct subset_problem problem = kit_random(&state, 9);
        unsigned method = (unsigned)round % KIT_METHODS;
        expected.count = 0;
        kit_add(&problem, &expected, kit_methods[method], 0, 1);
        size_t first = (size_t)(kit_draw(&state) % (expected.count + 1));
        size_t skip = (size_t)(kit_draw(&state) % (expected.count - first + 2));
        find_but_skip(&problem, kit_methods[method], first, skip);
        size_t left = skip < expected.count - first ? expected.count - first - skip : 0;
        memmove(expected.masks + first, expected.masks + expected.count - left, left * 8);
        expected.count = first + left;
        same_or_say(kit_same(&got, &expected), &problem, seed, method);
    }
}

TEST(a_count_may_be_cut_anywhere_too)
{
    uint64_t state = check_seed() + 6;
    for (unsigned long round = 0; round < check_scale(600); round++) {
        struct subset_problem problem = kit_random(&state, 10);
        uint64_t whole = kit_count(&problem, 0, 1, UINT64_MAX);
        assert_int_equal(kit_count(&problem, 0, 1, 1), whole);
        assert_int_equal(kit_count(&problem, 0, 1, 7), whole);
    }
}
