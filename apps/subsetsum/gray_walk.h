/* The walk itself, for one WIDTH and one kind of processor; see gray.c. */

GRAY_TARGET static uint64_t GRAY_NAME(gray_walk)(struct subset_work *work, uint64_t *mask,
                                                 uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_gray *gray = &work->gray;
    const SUM *low = gray->low, *high = gray->high;
    const uint64_t *bits = plan->bits + plan->fixed + gray->low_numbers;
    SUM want = (SUM)gray->want;
    uint64_t hits = 0;
#ifndef GRAY_NO_VECTORS
    typedef SUM vector __attribute__((vector_size(GRAY_VECTOR), may_alias));
    typedef uint64_t quarters __attribute__((vector_size(GRAY_VECTOR)));
    const vector *sums = gray->low;
#endif
    while (hits == 0 && gray->at<gray->end && * steps> 0) {
        --*steps;
#ifndef GRAY_NO_VECTORS
        vector wanted = (vector){0} + want;
        quarters any = {0};
        for (unsigned i = 0; i < SUBSET_LANES * sizeof(SUM) / GRAY_VECTOR; i++)
            any |= (quarters)(sums[i] == wanted);
        if ((any[0] | any[1] | any[2] | any[3]) != 0)
#endif
            hits = NAME(gray_hits)(low, want) & gray->valid;
        *mask = gray->mask;
        uint64_t code = gray->at ^ gray->at >> 1;
        if (++gray->at == gray->end)
            break;
        unsigned turned = (unsigned)__builtin_ctzll(gray->at);
        want = (SUM)((code >> turned & 1) != 0 ? want + high[turned] : want - high[turned]);
        gray->mask ^= bits[turned];
    }
    gray->want = want;
    return hits;
}
#undef GRAY_TARGET
#undef GRAY_NAME
#undef GRAY_NO_VECTORS
