/* Rates over the last seconds.
 *
 * Samples lie in a ring; a rate is the difference between the newest and the oldest one that is still
 * within the window. That is smooth enough to be read, and forgets what was long ago.
 *
 * An end is in sight when what waits has stopped growing: until then each page brings more than it
 * takes away, and any estimate would be a lie. So it is where each page leads to one more, and nothing
 * ever waits for long. Everything that is settled brings the end nearer, not only what is saved. But what
 * waits now takes a while, whatever will come: a limit that is reached before that is an end in sight, too. */
#include "spider/rates.h"
#include <string.h>

static void move_bars(struct rates *rates, const struct rates_sample *sample)
{
    uint64_t seconds = sample->ms / 1000 - rates->last_.ms / 1000;
    uint64_t gone = seconds < RATES_BARS ? seconds : RATES_BARS;
    if (gone > 0) {
        memmove(rates->bars, rates->bars + gone, (RATES_BARS - gone) * sizeof rates->bars[0]);
        memset(rates->bars + RATES_BARS - gone, 0, gone * sizeof rates->bars[0]);
    }
    rates->bars[RATES_BARS - 1] += (uint32_t)(sample->pages - rates->last_.pages);
}

void rates_add(struct rates *rates, const struct rates_sample *sample)
{
    if (sample->ms < rates->last_.ms)
        return;
    if (sample->waiting > rates->last_.waiting)
        rates->grown_ms_ = sample->ms;
    move_bars(rates, sample);
    rates->last_ = *sample;
    unsigned newest = (rates->next_ + RATES_KEPT - 1) % RATES_KEPT;
    if (rates->count_ > 0 && sample->ms - rates->samples_[newest].ms < RATES_STEP_MS)
        return;
    rates->samples_[rates->next_] = *sample;
    rates->next_ = (rates->next_ + 1) % RATES_KEPT;
    rates->count_ += rates->count_ < RATES_KEPT;
}

/* At the beginning, when nothing had happened, if that is not too long ago. */
static const struct rates_sample *oldest(const struct rates *rates)
{
    static const struct rates_sample beginning = {0};
    if (rates->last_.ms <= RATES_WINDOW_MS)
        return &beginning;
    for (unsigned i = rates->count_; i > 0; i--) {
        const struct rates_sample *sample =
            &rates->samples_[(rates->next_ + RATES_KEPT - i) % RATES_KEPT];
        if (rates->last_.ms - sample->ms <= RATES_WINDOW_MS)
            return sample;
    }
    return &rates->last_;
}

/* In a thousand units of time, which is why a rate below one is not lost. */
static uint64_t in_time(uint64_t what, uint64_t unit_ms, uint64_t ms)
{
    if (ms == 0)
        return 0;
    return what <= UINT64_MAX / unit_ms ? what * unit_ms / ms : what / ms * unit_ms;
}

uint64_t rates_pages(const struct rates *rates)
{
    const struct rates_sample *then = oldest(rates);
    return in_time(rates->last_.pages - then->pages, UINT64_C(1000000), rates->last_.ms - then->ms);
}

uint64_t rates_bytes(const struct rates *rates)
{
    const struct rates_sample *then = oldest(rates);
    return in_time(rates->last_.bytes - then->bytes, 1000, rates->last_.ms - then->ms);
}

/* Until so much has come, if it comes as it did. UINT64_MAX: for ever. */
static uint64_t time_of(uint64_t what, uint64_t came, uint64_t ms)
{
    if (what == UINT64_MAX || came == 0 || (ms != 0 && what > INT64_MAX / ms))
        return UINT64_MAX;
    return what * ms / came;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Is what became known meanwhile more than what has ever waited? So it is where each page leads to the next. */
static bool feeds_itself(const struct rates_sample *then, const struct rates_sample *now)
{
    uint64_t before = then->settled + then->waiting;
    return now->settled + now->waiting > before + most(then->waiting, now->waiting);
}

int64_t rates_left_ms(const struct rates *rates, const struct rates_limits *limits, bool endless)
{
    const struct rates_sample *then = oldest(rates), *now = &rates->last_;
    uint64_t ms = now->ms - then->ms;
    if (now->waiting == 0)
        return 0;
    uint64_t drained = time_of(now->waiting, now->settled - then->settled, ms);
    if (drained == UINT64_MAX || ms < RATES_STEADY_MS)
        return -1;
    uint64_t limit = least(time_of(limits->pages, now->there - then->there, ms),
                           time_of(limits->bytes, now->bytes - then->bytes, ms));
    limit = least(limit, limits->ms);
    if (limit <= drained)
        return (int64_t)limit;
    bool grows = now->ms - rates->grown_ms_ < RATES_STEADY_MS;
    return endless || grows || feeds_itself(then, now) ? -1 : (int64_t)drained;
}
