/* The sorted list of the sums of all subsets of some numbers, with the subsets. Included once for each
 * WIDTH.
 *
 * It is never sorted: if X is the list for k numbers, then the one for k + 1 is the merge of X and of
 * X with the next number added to each. No size is negative, so X + v is never behind X, and the
 * merge works in place from the top: of X there are `plain` left to be placed and of X + v `shifted`,
 * always plain >= shifted; the place to be filled is plain + shifted - 1, which is not below
 * anything that is still to be read. When no shifted one is left, the plain ones are where they
 * belong.
 *
 * The step has no branch that depends on the data: which of two random sums is larger cannot be
 * foreseen, and a wrong guess would cost more than all else. */

/* turned: count the numbers that are left out instead of those that are in. */
static void NAME(list_begin)(struct subset_list *list, const struct subset_plan *plan, bool turned)
{
    uint64_t bits = subset_plan_bits(plan, list->first, list->numbers);
    ((SUM *)list->sums)[0] = 0;
    list->masks[0] = turned ? bits & ~plan->negative : bits & plan->negative;
    list->count = list->plain = list->shifted = 1;
    list->done = 0;
}

/* The next `count` of a merge, at most as many as are shifted. */
static void NAME(list_merge)(struct subset_list *list, SUM size, uint64_t bit, size_t count)
{
    SUM *sums = list->sums;
    uint64_t *masks = list->masks;
    size_t plain = list->plain, shifted = list->shifted;
    for (; count > 0; count--) {
        bool moved = (SUM)(sums[shifted - 1] + size) >= sums[plain - 1];
        size_t from = moved ? shifted : plain, to = plain + shifted - 1;
        sums[to] = (SUM)(sums[from - 1] + (size & (SUM)((SUM)0 - moved)));
        masks[to] = masks[from - 1] ^ (bit & (0 - (uint64_t)moved));
        shifted -= moved;
        plain -= !moved;
    }
    list->plain = plain;
    list->shifted = shifted;
}

/* True: the list is complete. False: the steps are used up. */
static bool NAME(list_grow)(struct subset_list *list, const struct subset_plan *plan,
                            uint64_t *steps)
{
    while (list->done < list->numbers) {
        unsigned place = list->first + list->done;
        while (list->shifted > 0) {
            size_t piece = list->shifted < *steps ? list->shifted : (size_t)*steps;
            if (piece == 0)
                return false;
            NAME(list_merge)(list, (SUM)plan->sizes[place], plan->bits[place], piece);
            *steps -= piece;
        }
        list->count *= 2;
        list->plain = list->shifted = list->count;
        list->done++;
    }
    return true;
}
