/* The pace of a host, with numbers: when it slows down, how it comes back, when it gives up. */
#include "check.h"
#include "spider/pace.h"

enum { SEEDS = 1000 };

/* A moment at which the last rest is over. */
static uint64_t later(const struct pace *pace, uint64_t now)
{
    return now > pace->rest_until_ms ? now : pace->rest_until_ms;
}

static void answers(struct pace *pace, uint64_t now, int times)
{
    for (int i = 0; i < times; i++)
        pace_answered(pace, now, 10);
}

/* ---- at the beginning ----------------------------------------------------------------------- */

TEST(it_begins_with_what_is_wanted)
{
    struct pace pace;
    pace_init(&pace, 200, 4, 3, 1);
    assert_int_equal(pace.gap_ms, 200);
    assert_int_equal(pace.connections, 4);
    assert_int_equal(pace.rest_until_ms, 0);
    assert_false(pace.gone);
}

TEST(no_connection_and_no_try_are_taken_for_one)
{
    struct pace pace;
    pace_init(&pace, 0, 0, 0, 1);
    assert_int_equal(pace.connections, 1);
    pace_failed(&pace, 1000, 10);
    assert_true(pace.gone);
}

TEST(good_answers_change_nothing_if_all_is_well)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers(&pace, 1000, 1000);
    assert_int_equal(pace.gap_ms, 0);
    assert_int_equal(pace.connections, 4);
    assert_int_equal(pace.rest_until_ms, 0);
    assert_int_equal(pace.answers, 1000);
}

TEST(another_base_holds_at_once_and_goes_again)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    pace_set_base(&pace, 5000);
    assert_int_equal(pace.gap_ms, 5000);
    pace_set_base(&pace, 100);
    assert_int_equal(pace.gap_ms, 100);
}

/* ---- push-backs ----------------------------------------------------------------------------- */

TEST(after_a_push_back_there_is_a_gap_and_one_connection)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_int_equal(pace.gap_ms, 250);
    assert_int_equal(pace.connections, 1);
    assert_in_range(pace.rest_until_ms, 1500, 2000);
    assert_int_equal(pace.pushed_back, 1);
}

TEST(each_push_back_doubles_the_gap_up_to_a_minute)
{
    static const uint64_t gaps[] = {250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
    struct pace pace;
    uint64_t now = 1000;
    pace_init(&pace, 0, 8, 3, 1);
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        now = later(&pace, now) + 1000;
        pace_pushed_back(&pace, now, 10, -1);
        assert_int_equal(pace.gap_ms, gaps[i]);
    }
}

TEST(a_push_back_doubles_a_gap_that_was_wanted_anyway)
{
    struct pace pace;
    pace_init(&pace, 2000, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_int_equal(pace.gap_ms, 4000);
    pace_init(&pace, 100, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_int_equal(pace.gap_ms, 250);
    pace_init(&pace, 100 * 1000, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_int_equal(pace.gap_ms, 100 * 1000);
    pace_init(&pace, UINT64_MAX, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_true(pace.gap_ms == UINT64_MAX);
}

TEST(the_gap_comes_back_by_a_fifth_after_ten_good_answers)
{
    static const uint64_t gaps[] = {200, 160, 128, 102, 81, 64, 51, 0, 0};
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        uint64_t before = pace.gap_ms;
        answers(&pace, 5000, 9);
        assert_int_equal(pace.gap_ms, before);
        answers(&pace, 5000, 1);
        assert_int_equal(pace.gap_ms, gaps[i]);
    }
}

TEST(the_gap_never_falls_below_what_is_wanted)
{
    struct pace pace;
    pace_init(&pace, 150, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1); /* 300 */
    answers(&pace, 5000, 30);
    assert_int_equal(pace.gap_ms, 153);
    answers(&pace, 5000, 10);
    assert_int_equal(pace.gap_ms, 150);
    answers(&pace, 5000, 100);
    assert_int_equal(pace.gap_ms, 150);
}

TEST(connections_come_back_one_by_one_after_twenty_good_answers_each)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    for (unsigned expected = 1; expected < 4; expected++) {
        answers(&pace, 5000, 19);
        assert_int_equal(pace.connections, expected);
        answers(&pace, 5000, 1);
        assert_int_equal(pace.connections, expected + 1);
    }
    answers(&pace, 5000, 100);
    assert_int_equal(pace.connections, 4);
}

TEST(good_answers_are_counted_in_a_row)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    pace_pushed_back(&pace, 1000, 10, -1);
    answers(&pace, 5000, 9);
    pace_failed(&pace, 5000, 10);
    uint64_t now = later(&pace, 5000);
    answers(&pace, now, 9);
    assert_int_equal(pace.gap_ms, 250);
    pace_pushed_back(&pace, now, 10, -1);
    now = later(&pace, now);
    answers(&pace, now, 19);
    assert_int_equal(pace.connections, 1);
    assert_int_equal(pace.gap_ms, 400);
}

TEST(good_answers_that_come_in_during_a_rest_do_not_count)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    pace_pushed_back(&pace, 1000, 10, 60 * 1000);
    answers(&pace, 60 * 1000, 100);
    assert_int_equal(pace.gap_ms, 250);
    assert_int_equal(pace.connections, 1);
    assert_int_equal(pace.answers, 100);
}

TEST(push_backs_of_one_burst_count_once)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    for (uint64_t i = 0; i < 8; i++)
        pace_pushed_back(&pace, 10000 + 1000 * i, 1000 * i + 20, -1);
    assert_int_equal(pace.gap_ms, 250);
    assert_in_range(pace.rest_until_ms, 10500, 11000);
    assert_int_equal(pace.pushed_back, 8);
    pace_pushed_back(&pace, 20000, 9000, -1); /* begun at 11000, behind the rest */
    assert_int_equal(pace.gap_ms, 500);
}

/* For two minutes a server pushes back what comes sooner than 400 ms after the one before. We would
 * ask every 10 ms, that is 6000 times a minute. */
TEST(the_rate_goes_down_after_429_and_comes_back_slowly)
{
    enum { STRICT_MS = 120 * 1000, WHOLE_MS = 240 * 1000, ANSWERS_MS = 10 };
    struct pace pace;
    uint64_t last = 0, full_speed_ms = 0;
    unsigned begun[WHOLE_MS / 60000] = {0};
    pace_init(&pace, 0, 1, 3, check_seed());
    for (uint64_t now = 1000; now < WHOLE_MS;) {
        begun[now / 60000]++;
        if (now < STRICT_MS && now - last < 400)
            pace_pushed_back(&pace, now, 0, -1);
        else
            pace_answered(&pace, now, 0);
        if (now >= STRICT_MS && pace.gap_ms == 0 && full_speed_ms == 0)
            full_speed_ms = now;
        last = now;
        now = later(&pace, now + (pace.gap_ms > ANSWERS_MS ? pace.gap_ms : ANSWERS_MS));
    }
    /* 150 would be perfect. */
    assert_in_range(begun[0], 75, 150);
    assert_in_range(begun[1], 75, 150);
    assert_in_range(pace.pushed_back, 2, 30);
    assert_in_range(full_speed_ms - STRICT_MS, 10 * 1000, 40 * 1000);
    assert_int_equal(begun[3], 6000);
}

/* ---- rests ---------------------------------------------------------------------------------- */

TEST(retry_after_is_kept_to_and_a_little_more)
{
    bool differs = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct pace pace;
        pace_init(&pace, 0, 8, 3, seed);
        pace_pushed_back(&pace, 1000, 10, 10 * 1000);
        assert_in_range(pace.rest_until_ms, 11000, 12000);
        differs = differs || pace.rest_until_ms > 11900;
    }
    assert_true(differs);
}

TEST(retry_after_holds_up_to_an_hour)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct pace pace;
        pace_init(&pace, 0, 8, 3, seed);
        pace_pushed_back(&pace, 0, 0, INT64_MAX);
        assert_in_range(pace.rest_until_ms, 3600 * 1000, 3605 * 1000);
    }
}

TEST(retry_after_zero_is_a_short_rest)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, 0);
    assert_in_range(pace.rest_until_ms, 1500, 1550);
}

TEST(rests_after_push_backs_grow_from_a_second_to_five_minutes)
{
    static const uint64_t most[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct pace pace;
        uint64_t now = 1000;
        pace_init(&pace, 0, 8, 3, seed);
        for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
            now = later(&pace, now) + 100;
            pace_pushed_back(&pace, now, 50, -1);
            assert_in_range(pace.rest_until_ms - now, most[i] * 500, most[i] * 1000);
        }
    }
}

TEST(rests_begin_small_again_after_ten_good_answers)
{
    struct pace pace;
    uint64_t now = 1000;
    pace_init(&pace, 0, 8, 3, 1);
    for (int i = 0; i < 6; i++) {
        now = later(&pace, now) + 100;
        pace_pushed_back(&pace, now, 50, -1);
    }
    now = later(&pace, now);
    answers(&pace, now, 9);
    pace_pushed_back(&pace, now + 100, 50, -1);
    assert_true(pace.rest_until_ms - now >= 32000);
    now = later(&pace, now);
    answers(&pace, now, 10);
    pace_pushed_back(&pace, now + 100, 50, -1);
    assert_true(pace.rest_until_ms - now <= 1100);
}

TEST(a_later_push_back_makes_a_rest_longer_and_never_shorter)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, 10 * 1000);
    uint64_t until = pace.rest_until_ms;
    pace_pushed_back(&pace, 1001, 10, 1000);
    assert_int_equal(pace.rest_until_ms, until);
    pace_pushed_back(&pace, 1002, 10, -1);
    assert_int_equal(pace.rest_until_ms, until);
    pace_failed(&pace, 1003, 10);
    assert_int_equal(pace.rest_until_ms, until);
    pace_answered(&pace, 1004, 10);
    assert_int_equal(pace.rest_until_ms, until);
    pace_pushed_back(&pace, 1005, 10, 30 * 1000);
    assert_in_range(pace.rest_until_ms, 31005, 34005);
    assert_int_equal(pace.gap_ms, 250);
}

TEST(rests_after_failures_grow_from_half_a_second_to_a_minute)
{
    static const uint64_t most[] = {500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
    bool low = false, high = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct pace pace;
        uint64_t now = 1000;
        pace_init(&pace, 0, 8, 100, seed);
        for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
            now = later(&pace, now) + 100;
            pace_failed(&pace, now, 50);
            uint64_t rest = pace.rest_until_ms - now;
            assert_in_range(rest, most[i] / 2, most[i]);
            low = low || rest < most[i] * 55 / 100;
            high = high || rest > most[i] * 95 / 100;
        }
    }
    assert_true(low && high);
}

TEST(the_same_seed_rests_the_same_and_another_one_differently)
{
    struct pace one, same, other;
    pace_init(&one, 0, 8, 3, 7);
    pace_init(&same, 0, 8, 3, 7);
    pace_init(&other, 0, 8, 3, 8);
    pace_pushed_back(&one, 0, 0, 3600 * 1000);
    pace_pushed_back(&same, 0, 0, 3600 * 1000);
    pace_pushed_back(&other, 0, 0, 3600 * 1000);
    assert_int_equal(one.rest_until_ms, same.rest_until_ms);
    assert_int_not_equal(one.rest_until_ms, other.rest_until_ms);
}

/* ---- failures ------------------------------------------------------------------------------- */

/* How many rounds until it is gone, 0: it does not go in a hundred. */
static unsigned rounds_until_gone(struct pace *pace, uint64_t now)
{
    for (unsigned round = 1; round <= 100; round++) {
        now = later(pace, now) + 100;
        pace_failed(pace, now, 50);
        if (pace->gone)
            return round;
    }
    return 0;
}

TEST(a_host_that_never_answered_is_given_up_after_its_tries)
{
    for (unsigned tries = 1; tries < 12; tries++) {
        struct pace pace;
        pace_init(&pace, 0, 8, tries, 1);
        assert_int_equal(rounds_until_gone(&pace, 0), tries);
    }
}

TEST(a_host_that_has_answered_is_given_up_after_eight_rounds)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 2, 1);
    answers(&pace, 1000, 1);
    assert_int_equal(rounds_until_gone(&pace, 1000), 8);
    pace_init(&pace, 0, 8, 20, 1);
    pace_pushed_back(&pace, 1000, 10, -1); /* an answer, too */
    assert_int_equal(rounds_until_gone(&pace, 1000), 8);
}

/* How many rounds of push-backs until it is gone, with an answer behind each of the first few. */
static unsigned busy_rounds_until_gone(struct pace *pace, unsigned answered)
{
    uint64_t now = 1000;
    for (unsigned round = 1; round <= 100; round++) {
        now = later(pace, now) + 100;
        pace_pushed_back(pace, now, 50, round % 2 ? -1 : 5000);
        if (pace->gone)
            return round;
        pace_pushed_back(pace, now + 1, 60, -1); /* the same round */
        now = later(pace, now) + 100;
        if (round <= answered)
            pace_answered(pace, now, 5);
    }
    return 0;
}

TEST(a_host_that_is_only_busy_is_given_up_after_eight_rounds)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    assert_int_equal(busy_rounds_until_gone(&pace, 0), 8);
    pace_init(&pace, 0, 8, 3, 1);
    assert_int_equal(busy_rounds_until_gone(&pace, 20), 28);
    pace_init(&pace, 0, 8, 3, 1);
    assert_int_equal(busy_rounds_until_gone(&pace, 100), 0);
}

TEST(an_answer_begins_the_count_again)
{
    struct pace pace;
    uint64_t now = 1000;
    pace_init(&pace, 0, 8, 3, 1);
    for (int i = 0; i < 100; i++) {
        now = later(&pace, now) + 100;
        pace_failed(&pace, now, 50);
        now = later(&pace, now) + 100;
        pace_failed(&pace, now, 50);
        now = later(&pace, now) + 100;
        if (i % 4 == 0) /* push-backs are answers to this count; alone they have one of their own */
            pace_answered(&pace, now, 10);
        else
            pace_pushed_back(&pace, now, 10, -1);
        assert_false(pace.gone);
    }
    assert_int_equal(rounds_until_gone(&pace, now), 8);
}

TEST(who_is_gone_stays_gone)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 1, 1);
    pace_failed(&pace, 1000, 10);
    assert_true(pace.gone);
    answers(&pace, 100000, 100);
    assert_true(pace.gone);
}

TEST(failures_that_come_in_during_a_rest_count_once)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 2, 1);
    for (uint64_t i = 0; i < 8; i++)
        pace_failed(&pace, 1000 + i, 0);
    assert_false(pace.gone);
    assert_in_range(pace.rest_until_ms, 1250, 1500);
    assert_int_equal(pace.failures, 8);
    pace_failed(&pace, 2000, 100);
    assert_true(pace.gone);
}

/* They were begun one second apart and wait for half a minute each: longer than the first rest. */
TEST(time_outs_of_requests_begun_before_the_rest_count_once)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 2, 1);
    for (uint64_t i = 0; i < 8; i++)
        pace_failed(&pace, 30000 + 1000 * i, 30000);
    assert_false(pace.gone);
    pace_failed(&pace, 61000, 30000); /* begun at 31000 */
    assert_true(pace.gone);
}

TEST(failures_of_requests_begun_before_a_push_back_do_not_count)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 3, 1);
    pace_pushed_back(&pace, 1000, 10, 0);
    uint64_t until = pace.rest_until_ms;
    pace_failed(&pace, 30000, 29500);
    assert_int_equal(pace.rest_until_ms, until);
    assert_int_equal(rounds_until_gone(&pace, 31000), 8);
}

TEST(a_failure_halves_the_connections)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 100, 1);
    uint64_t now = 1000;
    for (unsigned expected = 4;; expected /= 2) {
        now = later(&pace, now) + 100;
        pace_failed(&pace, now, 50);
        assert_int_equal(pace.connections, expected > 0 ? expected : 1);
        if (expected == 0)
            break;
    }
    now = later(&pace, now);
    answers(&pace, now, 7 * 20);
    assert_int_equal(pace.connections, 8);
    assert_int_equal(pace.gap_ms, 0);
}

TEST(a_request_that_took_longer_than_there_is_time_was_begun_at_the_beginning)
{
    struct pace pace;
    pace_init(&pace, 0, 8, 2, 1);
    pace_failed(&pace, 1000, UINT64_MAX);
    pace_failed(&pace, 5000, UINT64_MAX);
    assert_false(pace.gone);
}

/* ---- slow servers --------------------------------------------------------------------------- */

static void answers_in(struct pace *pace, uint64_t took_ms, int times)
{
    for (int i = 0; i < times; i++)
        pace_answered(pace, 1000, took_ms);
}

TEST(a_server_that_becomes_slow_is_asked_less_often)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 100, 50);
    assert_int_equal(pace.gap_ms, 0);
    answers_in(&pace, 2000, 100);
    /* Four connections would make 2000 / 4 of it by themselves. */
    assert_in_range(pace.gap_ms, 990, 1000);
    answers_in(&pace, 4000, 100);
    assert_in_range(pace.gap_ms, 1990, 2000);
}

TEST(the_gap_follows_a_slow_server_and_goes_with_its_slowness)
{
    struct pace pace;
    uint64_t last = 0;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 100, 50);
    for (int i = 0; i < 50; i++) {
        answers_in(&pace, 2000, 1);
        assert_true(pace.gap_ms >= last);
        last = pace.gap_ms;
    }
    assert_true(last > 900);
    for (int i = 0; i < 50; i++) {
        answers_in(&pace, 100, 1);
        assert_true(pace.gap_ms <= last);
        last = pace.gap_ms;
    }
    assert_int_equal(pace.gap_ms, 0);
}

TEST(a_server_that_took_no_time_at_all_can_become_slow)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 0, 50);
    answers_in(&pace, 2000, 100);
    assert_in_range(pace.gap_ms, 990, 1000);
}

TEST(one_slow_answer_is_no_slow_server)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 100, 50);
    answers_in(&pace, 2000, 1);
    assert_int_equal(pace.gap_ms, 0);
}

TEST(slow_means_four_times_the_best_and_over_half_a_second)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 10, 50);
    answers_in(&pace, 490, 200);
    assert_int_equal(pace.gap_ms, 0);
    answers_in(&pace, 520, 200);
    assert_in_range(pace.gap_ms, 250, 260);

    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 1000, 50);
    answers_in(&pace, 3900, 200);
    assert_int_equal(pace.gap_ms, 0);
    answers_in(&pace, 4100, 200);
    assert_in_range(pace.gap_ms, 2000, 2050);
}

TEST(the_first_answers_are_not_taken_for_the_best)
{
    struct pace pace;
    pace_init(&pace, 0, 4, 3, 1);
    answers_in(&pace, 1, 1);
    answers_in(&pace, 1000, 200);
    assert_int_equal(pace.gap_ms, 0);
}

TEST(a_slow_server_never_makes_a_gap_of_more_than_a_minute)
{
    struct pace pace;
    pace_init(&pace, 0, 1, 3, 1);
    answers_in(&pace, 1, 50);
    answers_in(&pace, UINT64_MAX, 200);
    assert_int_equal(pace.gap_ms, PACE_GAP_MOST_MS);
}

TEST(the_largest_gap_counts)
{
    struct pace pace;
    pace_init(&pace, 3000, 4, 3, 1);
    answers_in(&pace, 100, 50);
    answers_in(&pace, 2000, 100);
    assert_int_equal(pace.gap_ms, 3000);
    pace_pushed_back(&pace, 1000, 10, -1);
    assert_int_equal(pace.gap_ms, 6000);
}
