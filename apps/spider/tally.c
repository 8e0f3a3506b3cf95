/* Numbers of a run that grow with nothing but its variety.
 *
 * Time is cut into slices: all are of one length, and when the run outlasts them neighbours are put
 * together and the rest is free again. So a run of a second has slices of 20 ms, and one of a day
 * some hundred of a few minutes, and a picture of either is as fine as can be seen. How long answers
 * took is counted in steps, four to a doubling, which is as exact as anybody asks for. */
#include "spider/tally.h"
#include <string.h>

void tally_top_add(struct tally_top *top, weft_crawl_id id, int http_status, uint64_t value)
{
    unsigned at = top->count;
    if (at == TALLY_TOP && value <= top->pages[at - 1].value)
        return; /* nearly always */
    if (at == TALLY_TOP)
        at--;
    else
        top->count++;
    for (; at > 0 && top->pages[at - 1].value < value; at--)
        top->pages[at] = top->pages[at - 1];
    top->pages[at] = (struct tally_page){id, http_status, value};
}

/* ---- slices --------------------------------------------------------------------------------- */

static void halve(struct tally *tally)
{
    struct tally_slice *slices = tally->slices;
    for (size_t i = 0; i < TALLY_SLICES / 2; i++) {
        struct tally_slice one = slices[2 * i], other = slices[2 * i + 1];
        slices[i] = (struct tally_slice){one.answers + other.answers, one.errors + other.errors,
                                         one.bytes + other.bytes};
    }
    memset(slices + TALLY_SLICES / 2, 0, TALLY_SLICES / 2 * sizeof *slices);
    tally->slices_used = (tally->slices_used + 1) / 2;
    tally->slice_ms *= 2;
}

static struct tally_slice *slice_at(struct tally *tally, uint64_t ms)
{
    if (tally->slice_ms == 0)
        tally->slice_ms = TALLY_SLICE_MS;
    while (ms / tally->slice_ms >= TALLY_SLICES)
        halve(tally);
    unsigned number = (unsigned)(ms / tally->slice_ms);
    if (number >= tally->slices_used)
        tally->slices_used = number + 1;
    return &tally->slices[number];
}

/* ---- times ---------------------------------------------------------------------------------- */

/* Four steps to a doubling: the highest bit, and the two behind it. */
static unsigned step_of(uint64_t us)
{
    unsigned doubled = 0;
    us = us < 4 ? 4 : us;
    while (us >= 8) {
        us /= 2;
        doubled++;
    }
    unsigned step = doubled * 4 + (unsigned)us - 4;
    return step < TALLY_STEPS ? step : TALLY_STEPS - 1;
}

static uint64_t step_end(unsigned step)
{
    return (uint64_t)(5 + step % 4) << (step / 4);
}

uint64_t tally_quantile(const struct tally *tally, double part)
{
    uint64_t all = 0, below = 0;
    for (unsigned i = 0; i < TALLY_STEPS; i++)
        all += tally->times[i];
    for (unsigned i = 0; i < TALLY_STEPS; i++) {
        below += tally->times[i];
        if (below > 0 && (double)below >= part * (double)all)
            return step_end(i);
    }
    return 0;
}

/* ---- what happens --------------------------------------------------------------------------- */

void tally_answer(struct tally *tally, uint64_t ms, const struct tally_answer *answer)
{
    int status = answer->http_status < 0 ? 0 : answer->http_status;
    struct tally_slice *slice = slice_at(tally, ms);
    tally->fetches++;
    tally->statuses[status < TALLY_STATUSES ? status : TALLY_STATUSES - 1]++;
    slice->answers += answer->good;
    slice->errors += !answer->good;
    slice->bytes += answer->wire;
    if (status == 0)
        return;
    tally->times[step_of(answer->took_us)]++;
    tally_top_add(&tally->slowest, answer->id, status, answer->took_us);
}

void tally_rest(struct tally *tally, const char *host, uint64_t begin_ms, uint64_t end_ms)
{
    size_t kept = tally->rests_count < TALLY_RESTS ? (size_t)tally->rests_count : TALLY_RESTS;
    for (size_t i = 0; i < kept; i++) {
        struct tally_rest *rest = &tally->rests[i];
        if (rest->host == host && rest->end_ms >= begin_ms) {
            rest->end_ms = rest->end_ms < end_ms ? end_ms : rest->end_ms;
            return;
        }
    }
    if (tally->rests_count++ < TALLY_RESTS)
        tally->rests[kept] = (struct tally_rest){host, begin_ms, end_ms};
}
