/* A rate limit with one number to remember: when the next one would be due if all came evenly.
 *
 * Each that passes moves it on by cost_us. One may pass up to slack_us before its time: that is the
 * burst. Costs are rounded up, so a limit is never exceeded by rounding. */
#include "queue.h"

enum { US = 1000 };
static const uint64_t longest_us = UINT64_MAX / 4;
static const uint64_t year_ms = 365ULL * 24 * 3600 * 1000;

int weft__rate_set(struct weft_rate *rate, unsigned count, uint64_t interval_ms, unsigned burst,
                   uint64_t now_ms)
{
    if (count == 0) {
        *rate = (struct weft_rate){0};
        return 0;
    }
    if (interval_ms == 0 || interval_ms > year_ms)
        return UV_EINVAL;
    uint64_t cost = (interval_ms * US + count - 1) / count;
    uint64_t early = burst > 1 ? burst - 1 : 0;
    rate->cost_us_ = cost;
    rate->slack_us_ = early <= longest_us / cost ? early * cost : longest_us;
    /* What passed before still counts, or setting a rate would be a way around it. But nobody waits
     * longer than after a whole burst at the new one. */
    uint64_t latest = now_ms * US + rate->slack_us_ + cost;
    if (rate->next_us_ > latest)
        rate->next_us_ = latest;
    return 0;
}

uint64_t weft__rate_wait_ms(const struct weft_rate *rate, uint64_t now_ms)
{
    uint64_t now = now_ms * US + rate->slack_us_;
    return rate->next_us_ <= now ? 0 : (rate->next_us_ - now + US - 1) / US;
}

void weft__rate_take(struct weft_rate *rate, uint64_t now_ms)
{
    uint64_t now = now_ms * US;
    rate->next_us_ = (rate->next_us_ > now ? rate->next_us_ : now) + rate->cost_us_;
}
