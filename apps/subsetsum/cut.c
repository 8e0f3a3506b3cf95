/* Which sums a walk through two streams has to look at.
 *
 * Only those that both halves can have: from the larger of their least sums to the smaller of their
 * greatest. A search whose sums may all differ is also shared out by them: each part looks at a range
 * of its own. The ranges are chosen so that all have the same number of sums: how many are below x is
 * the sum, over all rows, of the columns that come before x, each found by bisecting; and the x with a
 * given number below it is found by bisecting again. All parts find the same boundaries, so that no
 * sum is left out and none is looked at twice.
 *
 * For 64 numbers this is some million comparisons, so it is done in steps like all else. */
#include "subsetsum/inside.h"

enum { BELOW, ALL, BEGIN, END, READY };

static subset_size half_sum(const struct subset_work *work, unsigned first_list)
{
    const struct subset_list *list = &work->lists[first_list];
    return subset_plan_sum(&work->plan, list[0].first, list[0].numbers + list[1].numbers);
}

void subset_cut_begin(struct subset_work *work)
{
    struct subset_schroeppel *its = &work->schroeppel;
    subset_size left = its->left.add, right = its->right.add;
    subset_size left_most = left + half_sum(work, 0), right_most = right + half_sum(work, 2);
    its->cut = (struct subset_cut){.stage = work->plan.shares > 1 ? BELOW : READY};
    its->cut.from = its->cut.begin = left > right ? left : right;
    its->cut.past = its->cut.end = (left_most < right_most ? left_most : right_most) + 1;
    its->cut.low = its->cut.from;
    its->cut.high = its->cut.past;
}

/* How many sums of both streams are below this one. False: the steps are used up; go on with the same
 * one. */
static bool count_below(struct subset_work *work, subset_size sum, uint64_t *steps, uint64_t *count)
{
    struct subset_schroeppel *its = &work->schroeppel;
    struct subset_cut *cut = &its->cut;
    for (; cut->side < 2; cut->side++, cut->row = 0) {
        const struct subset_stream *stream = cut->side == 0 ? &its->left : &its->right;
        for (; cut->row < stream->rows->count; cut->row++) {
            if (*steps == 0)
                return false;
            *steps -= *steps < SUBSET_BISECTION ? *steps : SUBSET_BISECTION;
            cut->count += subset_stream_below(work, stream, cut->row, sum);
        }
    }
    *count = cut->count;
    cut->side = 0;
    cut->count = 0;
    return true;
}

/* Bisect for the least sum with so many below it, or for one that is near enough: a sixteenth of a
 * share. It is in low then. */
static bool bisect(struct subset_work *work, uint64_t wanted, uint64_t *steps)
{
    struct subset_cut *cut = &work->schroeppel.cut;
    const uint64_t near = (cut->all - cut->below) / work->plan.shares / 16;
    while (cut->low < cut->high) {
        subset_size middle = cut->low + (cut->high - cut->low) / 2;
        uint64_t count;
        if (!count_below(work, middle, steps, &count))
            return false;
        if ((count > wanted ? count - wanted : wanted - count) < near)
            cut->low = cut->high = middle;
        else if (count >= wanted)
            cut->high = middle;
        else
            cut->low = middle + 1;
    }
    return true;
}

/* Where a share begins; the one behind the last begins at the end. */
static bool boundary(struct subset_work *work, unsigned share, subset_size *at, uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_cut *cut = &work->schroeppel.cut;
    uint64_t wanted = cut->below + (cut->all - cut->below) * share / plan->shares;
    if (share == 0 || share == plan->shares) {
        *at = share == 0 ? cut->from : cut->past;
        return true;
    }
    if (!bisect(work, wanted, steps))
        return false;
    *at = cut->low;
    cut->low = cut->from;
    cut->high = cut->past;
    return true;
}

/* The empty subset is found by one part only: the one whose range has its sum. */
static void look_for_empty(struct subset_work *work)
{
    struct subset_plan *plan = &work->plan;
    const struct subset_schroeppel *its = &work->schroeppel;
    subset_size sum = its->left.add;
    for (unsigned i = work->lists[0].first; i < work->lists[2].first; i++)
        sum += (plan->bits[i] & plan->negative) != 0 ? plan->sizes[i] : 0;
    plan->has_empty = plan->has_empty && its->cut.begin <= sum && sum < its->cut.end;
}

bool subset_cut_find(struct subset_work *work, uint64_t *steps)
{
    struct subset_cut *cut = &work->schroeppel.cut;
    const unsigned share = work->plan.share;
    if (cut->stage == READY)
        return true;
    if (cut->stage == BELOW && count_below(work, cut->from, steps, &cut->below))
        cut->stage = ALL;
    if (cut->stage == ALL && count_below(work, cut->past, steps, &cut->all))
        cut->stage = BEGIN;
    if (cut->stage == BEGIN && boundary(work, share, &cut->begin, steps))
        cut->stage = END;
    if (cut->stage == END && boundary(work, share + 1, &cut->end, steps)) {
        look_for_empty(work);
        cut->stage = READY;
    }
    return cut->stage == READY;
}
