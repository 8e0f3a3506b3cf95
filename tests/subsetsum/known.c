/* ctest: labels=valgrind shuffle=no */
/* Problems whose answers are known, the ends of what can be asked for, and memory that runs out. */
#include "fault.h"
#include "kit.h"
#include "subsetsum/inside.h"

static struct found got;

static void find(const struct subset_problem *problem, enum subset_method method)
{
    got.count = 0;
    kit_add(problem, &got, method, 0, 1);
}

TEST(five_numbers_have_the_two_subsets_of_the_books)
{
    static const int64_t values[] = {1, 2, -4, 5, -3};
    struct subset_problem problem = kit_problem(values, 5, 0);
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        find(&problem, kit_methods[i]);
        kit_sort(&got);
        assert_int_equal(got.count, 2);
        assert_int_equal(got.masks[0], 0x13); /* 1, 2, -3 */
        assert_int_equal(got.masks[1], 0x1e); /* 2, -4, 5, -3 */
    }
    assert_int_equal(kit_count(&problem, 0, 1, 1000), 2);
}

TEST(seventeen_numbers_have_507_subsets_and_twenty_have_2074)
{
    struct subset_problem seventeen = kit_seventeen(), twenty = kit_twenty();
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        find(&seventeen, kit_methods[i]);
        assert_int_equal(got.count, 507);
        find(&twenty, kit_methods[i]);
        assert_int_equal(got.count, 2074);
    }
    assert_int_equal(kit_count(&seventeen, 0, 1, 1000), 507);
    assert_int_equal(kit_count(&twenty, 0, 1, 1000), 2074);
}

/* ---- astronomically many -------------------------------------------------------------------- */

static uint64_t count_at_once(const struct subset_problem *problem, uint64_t steps)
{
    struct subset_count count;
    assert_int_equal(subset_count_init(&count, problem, 0, 1), 0);
    assert_int_equal(subset_count_run(&count, steps), SUBSET_DONE);
    subset_count_free(&count);
    return count.total;
}

TEST(zeros_are_counted_without_being_enumerated)
{
    struct subset_problem zeros = {.count = 40};
    assert_int_equal(count_at_once(&zeros, 1000), (UINT64_C(1) << 40) - 1);
    zeros.count = 64;
    assert_int_equal(count_at_once(&zeros, 1000), UINT64_MAX);
    zeros.sum = 1;
    assert_int_equal(count_at_once(&zeros, 1000), 0);
}

/* 64 choose 32, and half of all subsets: by sums of small numbers, of large and of the largest. */
TEST(sixty_four_numbers_are_counted_by_their_few_sums)
{
    struct subset_problem problem = {.count = 64, .sum = 32};
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = 1;
    assert_int_equal(count_at_once(&problem, 10000), UINT64_C(1832624140942590534));
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = INT64_C(1) << 40;
    problem.sum = (subset_wide)32 << 40;
    assert_int_equal(kit_count(&problem, 0, 1, UINT64_MAX), UINT64_C(1832624140942590534));
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = INT64_MIN;
    problem.sum = (subset_wide)INT64_MIN * 32;
    assert_int_equal(kit_count(&problem, 0, 1, UINT64_MAX), UINT64_C(1832624140942590534));
}

static bool all_differ(struct found *found)
{
    kit_sort(found);
    for (size_t i = 1; i < found->count; i++) {
        if (found->masks[i] == found->masks[i - 1])
            return false;
    }
    return found->masks[0] != 0;
}

TEST(the_first_thousand_of_2_to_the_40_come_at_once)
{
    struct subset_problem zeros = {.count = 40};
    struct subset_search search;
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        if (kit_methods[i] == SUBSET_MEET) /* its lists alone would be 32 MB; see the next one */
            continue;
        zeros.count = kit_methods[i] == SUBSET_AUTO ? 30 : 40;
        assert_int_equal(subset_search_init(&search, &zeros, kit_methods[i], 0, 1), 0);
        got.count = subset_search_next(&search, got.masks, 1000, 1 << 17);
        assert_int_equal(got.count, 1000);
        assert_true(all_differ(&got));
        subset_search_free(&search);
    }
}

/* Also past the middle of a product, and past the empty one. */
TEST(a_billion_matches_are_skipped_without_being_made)
{
    struct subset_problem zeros = {.count = 32};
    struct subset_search search;
    const uint64_t all = (UINT64_C(1) << 32) - 1;
    for (enum subset_method method = SUBSET_MEET; method <= SUBSET_SCHROEPPEL; method++) {
        assert_int_equal(subset_search_init(&search, &zeros, method, 0, 1), 0);
        subset_search_skip(&search, all - 10);
        got.count = 0;
        for (unsigned calls = 0; search.state == SUBSET_MORE && calls < 100; calls++)
            got.count += subset_search_next(&search, got.masks + got.count, 1000, 1 << 16);
        assert_int_equal(search.state, SUBSET_DONE);
        assert_int_equal(got.count, 10);
        assert_int_equal(search.found, 10);
        assert_true(all_differ(&got));
        subset_search_free(&search);
    }
}

TEST(skipping_more_than_there_is_ends_the_search)
{
    struct subset_problem zeros = {.count = 64};
    struct subset_search search;
    uint64_t masks[4];
    assert_int_equal(subset_search_init(&search, &zeros, SUBSET_SCHROEPPEL, 0, 1), 0);
    subset_search_skip(&search, UINT64_MAX - 5);
    subset_search_skip(&search, UINT64_MAX); /* no more than all of them */
    while (search.state == SUBSET_MORE)
        assert_int_equal(subset_search_next(&search, masks, 4, 1 << 16), 0);
    subset_search_free(&search);
}

/* ---- the ends ------------------------------------------------------------------------------- */

TEST(an_empty_list_has_no_subsets_whatever_the_sum)
{
    struct subset_problem problem = {0};
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        find(&problem, kit_methods[i]);
        assert_int_equal(got.count, 0);
    }
    assert_int_equal(kit_count(&problem, 0, 1, 10), 0);
    problem.sum = 5;
    assert_int_equal(kit_count(&problem, 3, 7, 10), 0);
}

TEST(one_number_is_its_own_sum)
{
    static const int64_t values[] = {0, 5, -5, INT64_MIN, INT64_MAX};
    for (unsigned v = 0; v < 5; v++) {
        struct subset_problem problem = kit_problem(&values[v], 1, values[v]);
        for (unsigned i = 0; i < KIT_METHODS; i++) {
            find(&problem, kit_methods[i]);
            assert_int_equal(got.count, 1);
            assert_int_equal(got.masks[0], 1);
        }
        problem.sum = 7;
        find(&problem, SUBSET_AUTO);
        assert_int_equal(got.count, 0);
        assert_int_equal(kit_count(&problem, 0, 1, 10), 0);
    }
}

/* In 64 bits these would wrap to 0, which is what is asked for in the second half. */
TEST(sums_beyond_64_bits_are_exact)
{
    struct subset_problem problem = {.count = 16};
    for (unsigned i = 0; i < 16; i++)
        problem.values[i] = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        problem.sum = (subset_wide)INT64_MAX * 8;
        find(&problem, kit_methods[i]);
        assert_int_equal(got.count, 1);
        assert_int_equal(got.masks[0], 0xaaaa);
        problem.sum = 0;
        find(&problem, kit_methods[i]);
        assert_int_equal(got.count, 0);
        problem.sum = -3;
        find(&problem, kit_methods[i]);
        assert_int_equal(got.count, 56 * 56);
    }
}

TEST(a_sum_out_of_reach_is_seen_at_once)
{
    struct subset_problem problem = {.count = 64};
    struct subset_search search;
    uint64_t mask;
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = INT64_MAX - (int64_t)i;
    static const int64_t near[] = {-1, INT64_MIN};
    for (unsigned i = 0; i < 4; i++) {
        problem.sum = i < 2 ? (subset_wide)near[i] : ((subset_wide)INT64_MAX * 64) << (i - 2) * 56;
        for (unsigned m = 0; m < KIT_METHODS; m++) {
            problem.count = kit_methods[m] == SUBSET_MEET ? 40 : 64;
            assert_int_equal(subset_search_init(&search, &problem, kit_methods[m], 0, 1), 0);
            assert_int_equal(subset_search_next(&search, &mask, 1, 10), 0);
            assert_int_equal(search.state, SUBSET_DONE);
            subset_search_free(&search);
        }
        assert_int_equal(count_at_once(&problem, 10), 0);
    }
}

TEST(what_cannot_be_asked_is_refused)
{
    struct subset_problem problem = {.count = 65};
    struct subset_search search = {0};
    struct subset_count count;
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 0, 1), UV_E2BIG);
    assert_int_equal(search.state, SUBSET_DONE);
    assert_int_equal(subset_count_init(&count, &problem, 0, 1), UV_E2BIG);
    assert_int_equal(subset_count_run(&count, 10), SUBSET_DONE);
    assert_int_equal(subset_search_memory(&problem, SUBSET_AUTO, 1), 0);
    assert_int_equal(subset_count_memory(&problem, 1), 0);
    problem.count = 5;
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 0, 0), UV_EINVAL);
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 3, 3), UV_EINVAL);
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 0, 4097), UV_EINVAL);
    assert_int_equal(subset_search_init(&search, &problem, (enum subset_method)4, 0, 1), UV_EINVAL);
    assert_int_equal(subset_search_init(&search, NULL, SUBSET_AUTO, 0, 1), UV_EINVAL);
    assert_int_equal(subset_search_init(NULL, &problem, SUBSET_AUTO, 0, 1), UV_EINVAL);
    assert_int_equal(subset_count_init(&count, NULL, 0, 1), UV_EINVAL);
    assert_int_equal(subset_count_init(NULL, &problem, 0, 1), UV_EINVAL);
    problem.count = SUBSET_MEET_MAX + 1;
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_MEET, 0, 1), UV_E2BIG);
    assert_true(subset_search_memory(&problem, SUBSET_MEET, 2) > 0);
    subset_search_free(&search);
    subset_search_free(&search);
    subset_count_free(&count);
}

TEST(no_room_and_no_steps_change_nothing)
{
    struct subset_problem problem = kit_seventeen();
    struct subset_search search;
    uint64_t mask;
    assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 0, 1), 0);
    assert_int_equal(subset_search_next(&search, NULL, 0, 1000), 0);
    assert_int_equal(subset_search_next(&search, &mask, 1, 0), 0);
    assert_int_equal(search.state, SUBSET_MORE);
    subset_search_free(&search);
    assert_int_equal(subset_search_next(&search, &mask, 1, 1000), 0);
}

/* What a processor without AVX2 does: the same. */
TEST(the_walk_through_all_subsets_needs_no_special_processor)
{
    uint64_t state = check_seed();
    for (unsigned round = 0; round < 200; round++) {
        struct subset_problem problem = kit_random(&state, 12);
        struct subset_search search;
        find(&problem, SUBSET_GRAY);
        assert_int_equal(subset_search_init(&search, &problem, SUBSET_GRAY, 0, 1), 0);
        search.work_->gray.avx2 = false;
        size_t count = 0;
        while (search.state == SUBSET_MORE) {
            uint64_t mask;
            if (subset_search_next(&search, &mask, 1, 100) == 1)
                assert_int_equal(mask, got.masks[count++]);
        }
        assert_int_equal(count, got.count);
        subset_search_free(&search);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct subset_problem wide(unsigned count)
{
    struct subset_problem problem = {.count = count};
    uint64_t state = 1;
    for (unsigned i = 0; i < count; i++)
        problem.values[i] = kit_value(&state, 3) / 64;
    return problem;
}

TEST(the_method_follows_from_the_size_and_the_memory_is_known_beforehand)
{
    struct {
        unsigned count;
        enum subset_method method;
        uint64_t least, most;
    } rows[] = {{10, SUBSET_GRAY, 1, 1 << 14},
                {40, SUBSET_MEET, 32 << 20, 33 << 20},
                {64, SUBSET_SCHROEPPEL, 4 << 20, 24 << 20}};
    for (unsigned i = 0; i < 3; i++) {
        struct subset_problem problem = wide(rows[i].count);
        struct subset_search search;
        uint64_t memory = subset_search_memory(&problem, SUBSET_AUTO, 1);
        assert_true(rows[i].least <= memory && memory <= rows[i].most);
        weft_fault_install();
        assert_int_equal(subset_search_init(&search, &problem, SUBSET_AUTO, 0, 1), 0);
        assert_int_equal(search.method, rows[i].method);
        assert_int_equal(weft_fault_live_bytes(), memory);
        subset_search_free(&search);
        fault_remove();
    }
}

TEST(counting_small_numbers_takes_little_memory)
{
    struct subset_problem problem = {.count = 64};
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = (int64_t)i - 32;
    assert_true(subset_count_memory(&problem, 1) < 1 << 17);
    problem = wide(64);
    assert_int_equal(subset_count_memory(&problem, 1),
                     subset_search_memory(&problem, SUBSET_SCHROEPPEL, 1));
}

static void find_poorly(unsigned long n)
{
    struct subset_problem problem = kit_seventeen();
    (void)n;
    for (unsigned i = 0; i < KIT_METHODS; i++) {
        struct subset_search search;
        uint64_t masks[600];
        int err = subset_search_init(&search, &problem, kit_methods[i], 0, 1);
        assert_true(err == 0 || err == UV_ENOMEM);
        if (err == 0)
            assert_int_equal(subset_search_next(&search, masks, 600, 1 << 20), 507);
        subset_search_free(&search);
    }
    struct subset_count count;
    int err = subset_count_init(&count, &problem, 0, 1);
    assert_true(err == 0 || err == UV_ENOMEM);
    assert_int_equal(subset_count_run(&count, 1 << 20), SUBSET_DONE);
    assert_int_equal(count.total, err == 0 ? 507 : 0);
    subset_count_free(&count);
    problem = wide(50);
    err = subset_count_init(&count, &problem, 0, 1); /* by a search */
    assert_true(err == 0 || err == UV_ENOMEM);
    assert_int_equal(subset_count_run(&count, 10), err == 0 ? SUBSET_MORE : SUBSET_DONE);
    subset_count_free(&count);
}

TEST(searching_and_counting_survive_running_out_of_memory)
{
    fault_ladder(find_poorly);
    assert_int_equal(fault_ladder_height(), KIT_METHODS + 2);
}
