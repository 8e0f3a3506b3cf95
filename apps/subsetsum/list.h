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

/* A merge under way, in registers: of `left` places that are still to be filled, `shifted` are for X + v
 * and the others for X. */
struct NAME(merge) {
    SUM *sums;
    uint64_t *masks;
    size_t left, shifted;
    SUM size;
    uint64_t bit;
};

static inline struct NAME(merge)
    NAME(merge_of)(const struct subset_list *list, const struct subset_plan *plan)
{
    const unsigned place = list->first + list->done;
    return (struct NAME(merge)){list->sums,
                                list->masks,
                                list->plain + list->shifted,
                                list->shifted,
                                (SUM)plan->sizes[place],
                                plan->bits[place]};
}

static inline void NAME(merge_end)(struct subset_list *list, const struct NAME(merge) * merge)
{
    list->shifted = merge->shifted;
    list->plain = merge->left - merge->shifted;
}

/* The highest of those that are left, to where it belongs. */
static inline void NAME(merge_step)(struct NAME(merge) * merge)
{
    const size_t shifted = merge->shifted, plain = merge->left - shifted;
    SUM low = merge->sums[plain - 1], high = (SUM)(merge->sums[shifted - 1] + merge->size);
    uint64_t mask = merge->masks[plain - 1], turned = merge->masks[shifted - 1] ^ merge->bit;
    bool moved = high >= low;
    size_t to = --merge->left;
    merge->sums[to] = high >= low ? high : low;
    merge->masks[to] = mask ^ ((mask ^ turned) & (0 - (uint64_t)moved)); /* ?: would be a branch */
    merge->shifted = shifted - moved;
}

/* The next `count` of a merge, at most as many as are shifted. */
static void NAME(list_merge)(struct subset_list *list, const struct subset_plan *plan, size_t count)
{
    struct NAME(merge) merge = NAME(merge_of)(list, plan);
    for (; count > 0; count--)
        NAME(merge_step)(&merge);
    NAME(merge_end)(list, &merge);
}

/* The same for two lists: each step waits for the one before it, but not for the other list's. */
static void NAME(list_merge_both)(struct subset_list *one, struct subset_list *other,
                                  const struct subset_plan *plan, size_t count)
{
    struct NAME(merge) merge = NAME(merge_of)(one, plan), beside = NAME(merge_of)(other, plan);
    for (; count > 0; count--) {
        NAME(merge_step)(&merge);
        NAME(merge_step)(&beside);
    }
    NAME(merge_end)(one, &merge);
    NAME(merge_end)(other, &beside);
}

/* A merge is complete: begin the next one. */
static void NAME(list_turn)(struct subset_list *list)
{
    if (list->shifted > 0)
        return;
    list->count *= 2;
    list->plain = list->shifted = list->count;
    list->done++;
}

/* True: the list is complete. False: the steps are used up. */
static bool NAME(list_grow)(struct subset_list *list, const struct subset_plan *plan,
                            uint64_t *steps)
{
    while (list->done < list->numbers) {
        size_t piece = list->shifted < *steps ? list->shifted : (size_t)*steps;
        if (piece == 0)
            return false;
        NAME(list_merge)(list, plan, piece);
        NAME(list_turn)(list);
        *steps -= piece;
    }
    return true;
}

/* The same for two. */
static bool NAME(list_grow_both)(struct subset_list *one, struct subset_list *other,
                                 const struct subset_plan *plan, uint64_t *steps)
{
    while (one->done < one->numbers && other->done < other->numbers && *steps >= 2) {
        size_t piece = one->shifted < other->shifted ? one->shifted : other->shifted;
        piece = piece < *steps / 2 ? piece : (size_t)(*steps / 2);
        NAME(list_merge_both)(one, other, plan, piece);
        NAME(list_turn)(one);
        NAME(list_turn)(other);
        *steps -= 2 * piece;
    }
    return NAME(list_grow)(one, plan, steps) && NAME(list_grow)(other, plan, steps);
}
