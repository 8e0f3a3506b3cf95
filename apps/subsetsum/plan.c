/* The problem as the methods see it: no signs, sorted, cut into units.
 *
 * Signs go first. To take a negative number is the same as to leave out its absolute value, if all
 * negative ones are added to the sum that is looked for: with sizes |v| and the target S - M, M being
 * the sum of the negative numbers, a subset of sizes is a subset of numbers with the bits of the
 * negative ones turned. So all sums grow, none is above P - M, and that one figure says how wide a
 * sum has to be.
 *
 * The numbers are sorted by size, so that equal ones stand together: lists that are made from them
 * have fewer different sums.
 *
 * Units: the first places are decided by the bits of the unit's number. All units use the same lists
 * of the other places and only look for another goal. The smallest numbers decide, because then all
 * goals are near to each other, and so is the work.
 *
 * A list of k numbers less is only 2^(k/2) times shorter, so 2^k parts by units are 2^(k/2) times as
 * much work as the whole. Where nearly all of the work is a walk through sums, that is shared out
 * instead (cut.c), and there is one unit. */
#include "subsetsum/inside.h"
#include <string.h>

static subset_size size_of(int64_t value)
{
    return value < 0 ? (subset_size)0 - (subset_size)value : (subset_size)value;
}

/* By insertion, stable: there are 64 at most. */
static void sort_in(struct subset_plan *plan, unsigned place, subset_size size, uint64_t bit)
{
    for (; place > 0 && plan->sizes[place - 1] > size; place--) {
        plan->sizes[place] = plan->sizes[place - 1];
        plan->bits[place] = plan->bits[place - 1];
    }
    plan->sizes[place] = size;
    plan->bits[place] = bit;
}

/* Two more bits than needed if the parts are no power of two: then each has four to eight units. */
static unsigned fixed_places(unsigned parts, unsigned count)
{
    unsigned fixed = 0;
    while (1u << fixed < parts)
        fixed++;
    if (1u << fixed != parts)
        fixed += 2;
    return fixed < count ? fixed : count;
}

static unsigned width_of(subset_size total)
{
    return total <= UINT32_MAX ? 32 : total <= UINT64_MAX ? 64 : 128;
}

/* The empty subset has the sum 0, and its unit has the bits of the negative numbers. */
static bool finds_empty(const struct subset_plan *plan, const struct subset_problem *problem)
{
    uint64_t unit = 0;
    for (unsigned i = 0; i < plan->fixed; i++)
        unit |= (uint64_t)((plan->bits[i] & plan->negative) != 0) << i;
    return problem->sum == 0 && plan->unit <= unit && unit < plan->end;
}

int subset_plan_init(struct subset_plan *plan, const struct subset_problem *problem, unsigned part,
                     unsigned parts, bool by_sums)
{
    subset_wide least = 0, most = 0;
    memset(plan, 0, sizeof *plan);
    if (problem == NULL || parts == 0 || parts > SUBSET_PARTS_MAX || part >= parts)
        return UV_EINVAL;
    if (problem->count > SUBSET_MAX)
        return UV_E2BIG;
    plan->count = problem->count;
    for (unsigned i = 0; i < plan->count; i++) {
        int64_t value = problem->values[i];
        sort_in(plan, i, size_of(value), UINT64_C(1) << i);
        plan->negative |= (uint64_t)(value < 0) << i;
        least += value < 0 ? value : 0;
        most += value > 0 ? value : 0;
    }
    plan->width = width_of((subset_size)(most - least));
    plan->share = by_sums ? part : 0;
    plan->shares = by_sums ? parts : 1;
    if (by_sums)
        part = 0, parts = 1; /* of the units: all have the only one */
    plan->fixed = fixed_places(parts, plan->count);
    plan->rest = subset_plan_sum(plan, plan->fixed, plan->count - plan->fixed);
    if (plan->count == 0 || problem->sum < least || problem->sum > most)
        return 0;
    uint64_t units = UINT64_C(1) << plan->fixed;
    plan->target = (subset_size)(problem->sum - least);
    plan->unit = units * part / parts;
    plan->end = units * (part + 1) / parts;
    plan->has_empty = finds_empty(plan, problem);
    return 0;
}

bool subset_plan_next(struct subset_plan *plan)
{
    while (plan->unit < plan->end) {
        uint64_t unit = plan->unit++;
        subset_size sum = 0;
        plan->base = subset_plan_bits(plan, 0, plan->fixed) & plan->negative;
        for (unsigned i = 0; i < plan->fixed; i++) {
            if ((unit >> i & 1) == 0)
                continue;
            sum += plan->sizes[i];
            plan->base ^= plan->bits[i];
        }
        if (sum > plan->target || plan->target - sum > plan->rest)
            continue;
        plan->goal = plan->target - sum;
        return true;
    }
    return false;
}

uint64_t subset_plan_bits(const struct subset_plan *plan, unsigned first, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = first; i < first + count; i++)
        bits |= plan->bits[i];
    return bits;
}

subset_size subset_plan_sum(const struct subset_plan *plan, unsigned first, unsigned count)
{
    subset_size sum = 0;
    for (unsigned i = first; i < first + count; i++)
        sum += plan->sizes[i];
    return sum;
}
