/* Latencies: quantiles that are near enough, counts that are exact.
 * ctest: labels=valgrind */
#include "check.h"
#include "benching/latency.h"

TEST(short_times_are_told_exactly)
{
    struct latency latency = {0};
    for (uint64_t ns = 1; ns <= 100; ns++)
        latency_add(&latency, ns);
    assert_int_equal(latency_at(&latency, 500), 50);
    assert_int_equal(latency_at(&latency, 990), 99);
    assert_int_equal(latency_at(&latency, 1000), 100);
    assert_int_equal(latency_at(&latency, 1), 1);
}

TEST(the_median_of_three_is_the_second)
{
    struct latency latency = {0};
    for (uint64_t ns = 1; ns <= 3; ns++)
        latency_add(&latency, ns);
    assert_int_equal(latency_at(&latency, 500), 2);
}

TEST(long_times_are_told_within_a_sixty_fourth)
{
    for (uint64_t ns = 1; ns < UINT64_MAX / 3; ns = ns * 3 + 1) {
        struct latency latency = {0};
        latency_add(&latency, ns);
        uint64_t told = latency_at(&latency, 500);
        assert_in_range(told, ns - ns / 64, ns + ns / 64);
    }
}

TEST(the_longest_time_of_all_has_a_place)
{
    struct latency latency = {0};
    latency_add(&latency, 0);
    latency_add(&latency, UINT64_MAX);
    assert_int_equal(latency_at(&latency, 500), 0);
    assert_true(latency_at(&latency, 1000) >= UINT64_MAX - UINT64_MAX / 64);
}

TEST(of_no_times_there_is_no_quantile)
{
    struct latency latency = {0};
    assert_int_equal(latency_at(&latency, 500), 0);
}

TEST(a_rare_long_time_is_not_the_median)
{
    struct latency latency = {0};
    for (int i = 0; i < 98; i++)
        latency_add(&latency, 10);
    latency_add(&latency, 1000000);
    latency_add(&latency, 1000000);
    assert_int_equal(latency_at(&latency, 500), 10);
    assert_int_equal(latency_at(&latency, 980), 10);
    assert_true(latency_at(&latency, 990) > 900000);
}

/* What the page showed as 46 ms. */
TEST(a_median_is_within_two_percent)
{
    struct latency latency = {0};
    for (uint64_t us = 50800; us < 52800; us++)
        latency_add(&latency, us * 1000);
    assert_in_range(latency_at(&latency, 500), 51800000 - 1036000, 51800000 + 1036000);
    assert_true(latency_at(&latency, 1) > 50800000 - 1016000);
}

TEST(what_took_less_than_a_power_of_two_is_counted_exactly)
{
    for (unsigned exponent = 0; exponent <= 54; exponent++) {
        struct latency latency = {0};
        uint64_t edge = UINT64_C(1000) << exponent;
        latency_add(&latency, edge - 1);
        assert_int_equal(latency_below(&latency, exponent), 1);
        latency_add(&latency, edge);
        assert_int_equal(latency_below(&latency, exponent), 1);
        if (exponent < 54)
            assert_int_equal(latency_below(&latency, exponent + 1), 2);
    }
}

TEST(times_are_added_up)
{
    struct latency latency = {0};
    latency_add(&latency, 1500);
    latency_add(&latency, 2700);
    assert_int_equal(latency.count, 2);
    assert_int_equal(latency.sum_ns, 4200);
}
