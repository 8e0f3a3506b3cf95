/* The lanes of the Gray walk, for one WIDTH; see gray.c. */

/* The low sums and the high sizes. Lanes without a subset are never asked for: see valid. */
static void NAME(gray_fill)(struct subset_work *work)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_gray *gray = &work->gray;
    SUM *low = gray->low, *high = gray->high;
    const unsigned first = plan->fixed, behind = first + gray->low_numbers;
    memset(low, 0, SUBSET_LANES * sizeof *low);
    gray->masks[0] = subset_plan_bits(plan, first, gray->low_numbers) & plan->negative;
    for (unsigned i = 1; i < 1u << gray->low_numbers; i++) {
        unsigned number = (unsigned)__builtin_ctz(i);
        low[i] = (SUM)(low[i & (i - 1)] + (SUM)plan->sizes[first + number]);
        gray->masks[i] = gray->masks[i & (i - 1)] ^ plan->bits[first + number];
    }
    for (unsigned i = 0; i < gray->high_numbers; i++)
        high[i] = (SUM)plan->sizes[behind + i];
}

/* Which lanes have it: a bit each. */
static inline uint64_t NAME(gray_hits)(const SUM *low, SUM want)
{
    uint64_t hits = 0;
    for (unsigned i = 0; i < SUBSET_LANES; i++)
        hits |= (uint64_t)(low[i] == want) << i;
    return hits;
}
