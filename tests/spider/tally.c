/* The numbers of a run: exact where they are few, of a fixed size where they are many.
 * ctest: shuffle=no */
#include "spider/tally.h"
#include "check.h"

static struct tally tally;

static void answer(uint64_t ms, int status, uint64_t took_us)
{
    struct tally_answer answer = {
        .id = 1, .http_status = status, .good = status == 200, .took_us = took_us, .wire = 10};
    tally_answer(&tally, ms, &answer);
}

TEST(a_top_keeps_the_greatest_in_order_and_the_first_of_equal_ones_first)
{
    static struct tally_top top;
    top = (struct tally_top){0};
    for (weft_crawl_id i = 1; i <= 1000; i++)
        tally_top_add(&top, i, 200, i * 7919 % 1000);
    assert_int_equal(top.count, TALLY_TOP);
    for (unsigned i = 0; i < TALLY_TOP; i++)
        assert_int_equal(top.pages[i].value, 999 - i);
    tally_top_add(&top, 1001, 200, 999);
    assert_int_equal(top.pages[1].id, 1001);
    assert_int_equal(top.pages[1].value, 999);
}

TEST(slices_become_longer_when_the_run_does_and_lose_nothing)
{
    tally = (struct tally){0};
    uint64_t answers = 0, errors = 0, bytes = 0;
    for (uint64_t i = 0; i < 1000; i++)
        answer(i * i, i % 10 == 0 ? 404 : 200, 100); /* up to 1,000 s */
    for (unsigned i = 0; i < tally.slices_used; i++) {
        answers += tally.slices[i].answers;
        errors += tally.slices[i].errors;
        bytes += tally.slices[i].bytes;
    }
    assert_int_equal(answers, 900);
    assert_int_equal(errors, 100);
    assert_int_equal(bytes, 10000);
    assert_int_equal(tally.slice_ms, 2560);
    assert_int_equal(tally.slices_used, 999 * 999 / 2560 + 1);
    answer(UINT64_MAX / 2, 200, 1); /* far beyond: still one of the slices */
    assert_in_range(tally.slices_used, 1, TALLY_SLICES);
}

TEST(a_moment_is_in_the_slice_that_it_belongs_to)
{
    tally = (struct tally){0};
    answer(0, 200, 1);
    answer(TALLY_SLICE_MS - 1, 200, 1);
    answer(TALLY_SLICE_MS, 200, 1);
    answer((uint64_t)TALLY_SLICE_MS * TALLY_SLICES - 1, 200, 1);
    assert_int_equal(tally.slice_ms, TALLY_SLICE_MS);
    assert_int_equal(tally.slices[0].answers, 2);
    assert_int_equal(tally.slices[1].answers, 1);
    answer((uint64_t)TALLY_SLICE_MS * TALLY_SLICES, 200, 1);
    assert_int_equal(tally.slice_ms, 2 * TALLY_SLICE_MS);
    assert_int_equal(tally.slices[0].answers, 3);
    assert_int_equal(tally.slices[TALLY_SLICES / 2 - 1].answers, 1);
    assert_int_equal(tally.slices[TALLY_SLICES / 2].answers, 1);
}

TEST(statuses_are_counted_whatever_a_server_says)
{
    tally = (struct tally){0};
    answer(0, 200, 1);
    answer(0, 999, 1);
    answer(0, 600, 1);
    answer(0, -5, 1);
    answer(0, 0, 1);
    assert_int_equal(tally.statuses[200], 1);
    assert_int_equal(tally.statuses[999], 1); /* as it was sent */
    assert_int_equal(tally.statuses[600], 1);
    assert_int_equal(tally.statuses[0], 2);
    assert_int_equal(tally.fetches, 5);
    assert_int_equal(tally.slowest.count, 3); /* no answer is not a slow one */
}

TEST(a_quantile_is_at_most_a_quarter_too_much)
{
    tally = (struct tally){0};
    assert_int_equal(tally_quantile(&tally, 0.5), 0);
    for (uint64_t us = 1; us <= 100000; us++)
        answer(0, 200, us);
    assert_in_range(tally_quantile(&tally, 0.5), 50000, 62500);
    assert_in_range(tally_quantile(&tally, 0.95), 95000, 118750);
    assert_in_range(tally_quantile(&tally, 1), 100000, 125000);
    answer(0, 200, UINT64_MAX);
    assert_true(tally_quantile(&tally, 1) > 100000);
}

TEST(a_host_that_rests_rests_on)
{
    static const char a[] = "a", b[] = "b";
    tally = (struct tally){0};
    tally_rest(&tally, a, 0, 1000);
    tally_rest(&tally, b, 10, 20);
    tally_rest(&tally, a, 500, 3000);
    tally_rest(&tally, a, 600, 700); /* it never becomes shorter */
    tally_rest(&tally, a, 4000, 5000);
    assert_int_equal(tally.rests_count, 3);
    assert_int_equal(tally.rests[0].end_ms, 3000);
    assert_int_equal(tally.rests[2].begin_ms, 4000);
    for (uint64_t i = 0; i < 2 * TALLY_RESTS; i++)
        tally_rest(&tally, b, 10000 + 10 * i, 10005 + 10 * i);
    assert_int_equal(tally.rests_count, 3 + 2 * TALLY_RESTS);
}
