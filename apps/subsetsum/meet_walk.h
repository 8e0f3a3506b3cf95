/* The walk through two sorted lists, for one WIDTH; see meet.c. */

/* Where the run that begins at `from` ends. */
static size_t NAME(run_end)(const struct subset_list *list, size_t from)
{
    const SUM *sums = list->sums;
    size_t in = from, step = 1;
    while (step < list->count - in && sums[in + step] == sums[from]) {
        in += step;
        step *= 2;
    }
    size_t out = step < list->count - in ? in + step : list->count;
    while (in + 1 < out) { /* sums[in] belongs to it, sums[out] does not */
        size_t middle = in + (out - in) / 2;
        if (sums[middle] == sums[from])
            in = middle;
        else
            out = middle;
    }
    return out;
}

static void NAME(meet_found)(struct subset_work *work)
{
    struct subset_meet *meet = &work->meet;
    const struct subset_list *left = &work->lists[0], *right = &work->lists[1];
    size_t left_end = NAME(run_end)(left, meet->left);
    size_t right_end = NAME(run_end)(right, meet->right);
    subset_block_open(&work->block, work->plan.base);
    subset_block_add(&work->block, right->masks + meet->right, right_end - meet->right);
    subset_block_add(&work->block, left->masks + meet->left, left_end - meet->left);
    meet->left = left_end;
    meet->right = right_end;
}

/* SUBSET_END: of this unit. */
static enum subset_advance NAME(meet_walk)(struct subset_work *work, uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    const struct subset_list *one = &work->lists[0], *other = &work->lists[1];
    const SUM *left = one->sums, *right = other->sums;
    subset_size sum = subset_plan_sum(plan, other->first, other->numbers);
    const SUM add_left = (SUM)(plan->goal < sum ? sum - plan->goal : 0);
    const SUM add_right = (SUM)(plan->goal > sum ? plan->goal - sum : 0);
    size_t i = work->meet.left, j = work->meet.right;
    bool found = false;
    while (!found && i < one->count && j<other->count && * steps> 0) {
        size_t piece = one->count - i < other->count - j ? one->count - i : other->count - j;
        piece = piece < *steps ? piece : (size_t)*steps;
        *steps -= piece;
        for (; piece > 0; piece--) {
            SUM x = (SUM)(left[i] + add_left), c = (SUM)(right[j] + add_right);
            if ((found = x == c))
                break;
            i += x < c;
            j += x > c;
        }
        *steps +=
            found ? piece - 1 : 0; /* the rest of the piece; the one that was found costs one */
    }
    work->meet.left = i;
    work->meet.right = j;
    if (found) {
        NAME(meet_found)(work);
        return SUBSET_BLOCK;
    }
    return i < one->count && j < other->count ? SUBSET_PAUSED : SUBSET_END;
}
