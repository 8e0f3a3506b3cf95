/* The pace of a host.
 *
 * Three things make the gap between two requests: what is wanted anyway, what push-backs have
 * added, and what a slow server adds. Each is kept for itself, and the largest is the gap; so none
 * has to know how to take back what another did.
 *
 * Trouble comes in rounds. With eight requests under way one overload is seen eight times; counted
 * eight times it would make a gap of 32 seconds out of nothing, or give a host up after one bad
 * moment. What was begun before a round's first bad news is therefore part of that round.
 *
 * What makes it slower acts at once, what makes it faster needs answers in a row: good news that
 * came in during a rest was on its way before. rest_until_ms only ever grows. */
#include "spider/pace.h"

enum {
    REST_LEAST_MS = PACE_FAILED_REST_MS, /* also if Retry-After says 0 */
    RETRY_JITTER_MOST_MS = 5000,
    SMOOTHING = 8, /* an answer's part in the smoothed time is an eighth */
    US = 1000
};

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t most(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* From 0 to bound. SplitMix64: any seed is a good one. */
static uint64_t any_up_to(struct pace *pace, uint64_t bound)
{
    uint64_t x = pace->random_ += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % (bound + 1);
}

static void set_gap(struct pace *pace)
{
    pace->gap_ms = most(pace->base_ms_, most(pace->push_gap_ms_, pace->slow_gap_ms_));
}

static void rest(struct pace *pace, uint64_t now_ms, uint64_t ms)
{
    pace->rest_until_ms = most(pace->rest_until_ms, now_ms + ms);
}

/* first, twice that, four times … up to limit; of it half to all. */
static uint64_t backoff(struct pace *pace, uint64_t first, uint64_t limit, unsigned rounds)
{
    uint64_t ms = least(limit, first << least(rounds - 1, 20));
    return ms / 2 + any_up_to(pace, ms - ms / 2);
}

void pace_init(struct pace *pace, uint64_t base_ms, unsigned limit, unsigned tries, uint64_t seed)
{
    *pace = (struct pace){.base_ms_ = base_ms,
                          .limit_ = limit > 0 ? limit : 1,
                          .tries_ = tries > 0 ? tries : 1,
                          .random_ = seed};
    pace->connections = pace->limit_;
    set_gap(pace);
}

void pace_set_base(struct pace *pace, uint64_t base_ms)
{
    pace->base_ms_ = base_ms;
    set_gap(pace);
}

/* ---- good answers --------------------------------------------------------------------------- */

/* The smoothed time is kept in microseconds: eighths of a few milliseconds would get lost. */
static void watch_latency(struct pace *pace, uint64_t latency_ms)
{
    uint64_t us = least(latency_ms, UINT32_MAX) * US, slow_us;
    if (pace->answers == 1)
        pace->latency_us_ = us;
    else
        pace->latency_us_ = (pace->latency_us_ * (SMOOTHING - 1) + us) / SMOOTHING;
    if (pace->answers < PACE_SLOW_ANSWERS)
        return;
    if (pace->answers == PACE_SLOW_ANSWERS || pace->latency_us_ < pace->best_us_)
        pace->best_us_ = pace->latency_us_;
    slow_us = most(PACE_SLOW_TIMES * pace->best_us_, (uint64_t)PACE_SLOW_MS * US);
    pace->slow_gap_ms_ = 0;
    if (pace->latency_us_ > slow_us)
        pace->slow_gap_ms_ =
            least(PACE_GAP_MOST_MS, 2 * pace->latency_us_ / US / pace->connections);
}

static void speed_up(struct pace *pace)
{
    pace->streak_++;
    if (pace->streak_ % PACE_GAP_ANSWERS == 0) {
        pace->push_rounds_ = 0;
        pace->push_gap_ms_ = pace->push_gap_ms_ * 4 / 5;
        if (pace->push_gap_ms_ < PACE_GAP_LEAST_MS)
            pace->push_gap_ms_ = 0;
    }
    if (pace->streak_ % PACE_CONNECTION_ANSWERS == 0 && pace->connections < pace->limit_)
        pace->connections++;
}

void pace_answered(struct pace *pace, uint64_t now_ms, uint64_t latency_ms)
{
    pace->answers++;
    pace->fail_rounds_ = 0;
    pace->busy_rounds_ = 0;
    if (now_ms >= pace->rest_until_ms)
        speed_up(pace);
    watch_latency(pace, latency_ms);
    set_gap(pace);
}

/* ---- bad news ------------------------------------------------------------------------------- */

/* Was the request begun before that round? at_ms counts only if there was one. */
static bool is_of_round(bool any, uint64_t at_ms, uint64_t now_ms, uint64_t took_ms)
{
    return any && now_ms - least(now_ms, took_ms) <= at_ms;
}

void pace_pushed_back(struct pace *pace, uint64_t now_ms, uint64_t took_ms, int64_t retry_after_ms)
{
    bool old = is_of_round(pace->pushed_back > 0, pace->pushed_at_ms_, now_ms, took_ms);
    pace->pushed_back++;
    pace->fail_rounds_ = 0;
    pace->streak_ = 0;
    if (!old) {
        pace->push_rounds_++;
        pace->busy_rounds_++;
        pace->gone = pace->gone || pace->busy_rounds_ >= PACE_PUSHED_ROUNDS;
        pace->pushed_at_ms_ = now_ms;
        pace->connections = 1;
        pace->push_gap_ms_ = most(
            PACE_GAP_FIRST_MS, least(PACE_GAP_MOST_MS, 2 * least(PACE_GAP_MOST_MS, pace->gap_ms)));
        set_gap(pace);
    }
    if (retry_after_ms >= 0) {
        uint64_t ms = least((uint64_t)retry_after_ms, PACE_RETRY_AFTER_MOST_MS);
        ms = most(ms, REST_LEAST_MS);
        rest(pace, now_ms, ms + any_up_to(pace, least(ms / 10, RETRY_JITTER_MOST_MS)));
    } else if (!old) {
        rest(pace, now_ms,
             backoff(pace, PACE_PUSHED_REST_MS, PACE_PUSHED_REST_MOST_MS, pace->push_rounds_));
    }
}

void pace_failed(struct pace *pace, uint64_t now_ms, uint64_t took_ms)
{
    bool old = now_ms < pace->rest_until_ms ||
               is_of_round(pace->pushed_back > 0, pace->pushed_at_ms_, now_ms, took_ms) ||
               is_of_round(pace->failures > 0, pace->failed_at_ms_, now_ms, took_ms);
    pace->failures++;
    pace->streak_ = 0;
    if (old)
        return;
    bool answered = pace->answers > 0 || pace->pushed_back > 0;
    pace->fail_rounds_++;
    pace->failed_at_ms_ = now_ms;
    pace->connections = pace->connections > 1 ? pace->connections / 2 : 1;
    rest(pace, now_ms,
         backoff(pace, PACE_FAILED_REST_MS, PACE_FAILED_REST_MOST_MS, pace->fail_rounds_));
    if (pace->fail_rounds_ >= (answered ? PACE_FAILED_ROUNDS : pace->tries_))
        pace->gone = true;
}
