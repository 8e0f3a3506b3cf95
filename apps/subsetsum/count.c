/* Counting: merging with multiplicities, or blocks that are multiplied instead of delivered.
 *
 * A tally is the sorted list of the different sums of some numbers, each with how many subsets have
 * it. The one for k + 1 numbers is the merge of the one for k and the same with the next number added
 * to each, where equal sums become one. It never has more sums than there are integers up to the sum
 * of all its numbers, so many small numbers have short tallies: 40 zeros have one sum. The two halves
 * are walked as in meet.c, and each sum that both have adds a product.
 *
 * If the tallies might become long there is a search instead, and the size of each of its blocks is
 * added: the runs of equal sums are the same multiplicities.
 *
 * total is computed modulo 2^64. The empty subset is counted with the others and taken away at the
 * end, and what is left is below 2^64: so it is exact, whatever happened on the way. */
#include "subsetsum/inside.h"
#include <string.h>
#include <weft/alloc.h>

#define TALLY_MOST ((size_t)1 << 18)

struct entry {
    uint64_t sum, count;
};

struct half {
    struct entry *entries, *next; /* next: the merge under way */
    size_t count, made, plain, shifted;
    unsigned first, numbers, done;
};

struct subset_tally {
    struct subset_plan plan;
    struct half left, right;
    size_t i, j;
    bool open; /* a unit is under way */
};

/* ---- memory --------------------------------------------------------------------------------- */

/* How long the tally of a half can become. */
static size_t bound(const struct subset_plan *plan, unsigned first, unsigned numbers)
{
    subset_size sum = subset_plan_sum(plan, first, numbers);
    subset_size most = (subset_size)1 << numbers;
    most = sum + 1 < most ? sum + 1 : most;
    return most <= TALLY_MOST ? (size_t)most : TALLY_MOST + 1;
}

static size_t lay_half(struct subset_tally *tally, struct half *half, struct subset_room *room)
{
    size_t most = bound(&tally->plan, half->first, half->numbers);
    half->entries = subset_room_take(room, most, sizeof *half->entries);
    half->next = subset_room_take(room, most, sizeof *half->next);
    return most;
}

/* False: it would be too long, or its sums too wide. */
static bool lay(struct subset_tally *tally, struct subset_room *room)
{
    const struct subset_plan *plan = &tally->plan;
    unsigned rest = plan->count - plan->fixed;
    if (plan->width > 64)
        return false;
    subset_room_take(room, 1, sizeof *tally);
    tally->left.first = plan->fixed;
    tally->left.numbers = rest / 2;
    tally->right.first = plan->fixed + rest / 2;
    tally->right.numbers = rest - rest / 2;
    return lay_half(tally, &tally->left, room) <= TALLY_MOST &&
           lay_half(tally, &tally->right, room) <= TALLY_MOST;
}

/* ---- a tally grows -------------------------------------------------------------------------- */

static void begin_half(struct half *half)
{
    half->entries[0] = (struct entry){0, 1};
    half->count = 1;
}

/* The next sum of the merge. Those that are not shifted are never behind. */
static void place(struct half *half, uint64_t size)
{
    const struct entry *plain = &half->entries[half->plain], *shifted;
    struct entry *to = &half->next[half->made++];
    shifted = &half->entries[half->shifted];
    if (half->plain < half->count && plain->sum <= shifted->sum + size) {
        *to = *plain;
        half->plain++;
        if (plain->sum != shifted->sum + size)
            return;
        to->count += shifted->count;
    } else {
        *to = (struct entry){shifted->sum + size, shifted->count};
    }
    half->shifted++;
}

static bool grow(struct half *half, const struct subset_plan *plan, uint64_t *steps)
{
    while (half->done < half->numbers) {
        uint64_t size = (uint64_t)plan->sizes[half->first + half->done];
        for (; half->shifted < half->count; --*steps) {
            if (*steps == 0)
                return false;
            place(half, size);
        }
        struct entry *old = half->entries;
        half->entries = half->next;
        half->next = old;
        half->count = half->made;
        half->made = half->plain = half->shifted = 0;
        half->done++;
    }
    return true;
}

/* ---- both halves ---------------------------------------------------------------------------- */

/* True: this unit is through. The right half is turned, as in meet.c: its subsets are what is left
 * out, and there are as many of these. */
static bool walk(struct subset_count *count, uint64_t *steps)
{
    struct subset_tally *tally = count->tally_;
    const struct subset_plan *plan = &tally->plan;
    const struct half *left = &tally->left, *right = &tally->right;
    subset_size sum = subset_plan_sum(plan, right->first, right->numbers);
    uint64_t add_left = (uint64_t)(plan->goal < sum ? sum - plan->goal : 0);
    uint64_t add_right = (uint64_t)(plan->goal > sum ? plan->goal - sum : 0);
    for (; tally->i < left->count && tally->j < right->count; --*steps) {
        const struct entry *x = &left->entries[tally->i], *c = &right->entries[tally->j];
        if (*steps == 0)
            return false;
        uint64_t one = x->sum + add_left, other = c->sum + add_right;
        if (one == other)
            count->total += x->count * c->count;
        tally->i += one <= other;
        tally->j += one >= other;
    }
    return true;
}

/* True: all units are through. */
static bool run_tally(struct subset_count *count, uint64_t *steps)
{
    struct subset_tally *tally = count->tally_;
    const struct subset_plan *plan = &tally->plan;
    while (tally->open || subset_plan_next(&tally->plan)) {
        tally->open = true;
        if (!grow(&tally->left, plan, steps) || !grow(&tally->right, plan, steps) ||
            !walk(count, steps))
            return false;
        tally->open = false;
        tally->i = tally->j = 0;
    }
    return true;
}

static bool run_search(struct subset_count *count, uint64_t *steps)
{
    struct subset_block *block = &count->search_.work_->block;
    enum subset_advance got;
    while ((got = subset_search_advance(&count->search_, steps)) == SUBSET_BLOCK) {
        count->total += (uint64_t)subset_block_size(block);
        block->count = 0;
    }
    return got == SUBSET_END;
}

/* ---- all of it ------------------------------------------------------------------------------ */

int subset_count_init(struct subset_count *count, const struct subset_problem *problem,
                      unsigned part, unsigned parts)
{
    struct subset_room room = {NULL, 0};
    struct subset_tally tally;
    if (count == NULL)
        return UV_EINVAL;
    memset(count, 0, sizeof *count);
    memset(&tally, 0, sizeof tally);
    count->state = SUBSET_DONE;
    int err = subset_plan_init(&tally.plan, problem, part, parts, false);
    if (err != 0)
        return err;
    if (!lay(&tally, &room)) {
        err = subset_search_init(&count->search_, problem, SUBSET_AUTO, part, parts);
        count->state = count->search_.state;
        if (err == 0)
            count->search_.work_->counts = true;
        return err;
    }
    count->tally_ = weft_alloc(room.used);
    if (count->tally_ == NULL)
        return UV_ENOMEM;
    *count->tally_ = tally;
    room = (struct subset_room){(char *)count->tally_, 0};
    lay(count->tally_, &room);
    begin_half(&count->tally_->left);
    begin_half(&count->tally_->right);
    count->state = SUBSET_MORE;
    return 0;
}

enum subset_state subset_count_run(struct subset_count *count, uint64_t steps)
{
    if (count->state == SUBSET_DONE)
        return SUBSET_DONE;
    bool tallied = count->tally_ != NULL;
    if (tallied ? run_tally(count, &steps) : run_search(count, &steps)) {
        count->total -=
            tallied ? count->tally_->plan.has_empty : count->search_.work_->plan.has_empty;
        count->state = SUBSET_DONE;
    }
    return count->state;
}

void subset_count_free(struct subset_count *count)
{
    subset_search_free(&count->search_);
    weft_free(count->tally_);
    count->tally_ = NULL;
    count->state = SUBSET_DONE;
}

uint64_t subset_count_memory(const struct subset_problem *problem, unsigned parts)
{
    struct subset_room room = {NULL, 0};
    struct subset_tally tally;
    memset(&tally, 0, sizeof tally);
    if (subset_plan_init(&tally.plan, problem, 0, parts, false) != 0)
        return 0;
    return lay(&tally, &room) ? room.used : subset_search_memory(problem, SUBSET_AUTO, parts);
}
