/* Schroeppel and Shamir: the sums of a half in ascending order, without a list of them.
 *
 * Each half is two quarters with sorted lists of their own. The sums of pairs come out of a heap that
 * has, of each row (a sum of the one list), the next column (of the other): the top is the smallest,
 * and its row moves on to its next column. A row comes into the heap when the one before it leaves
 * its first column, which is never too late. So 2^(N/2) sums are walked in the memory of about
 * 2^(N/4); the walk itself is that of meet.c, also that the right half is turned.
 *
 * The lists are made of different sums, each with the run of its masks. That makes small numbers
 * cheap (16 of them below 100 have 1,600 sums, not 65,536), and it bounds what meets: a row has a
 * column at most once, so the pairs of one sum are no more than rows, and fit into a buffer that is
 * as large as the heap. Where both halves meet, all pairs of that sum are taken from both
 * heaps; each pair of pairs is a block of four runs.
 *
 * Phases: take a unit; the lists grow; equal sums of them are joined (both only for the first unit);
 * cut off what lies outside of the range of sums (cut.c) and begin the streams there; seek a sum that
 * both halves have, collect its pairs, deliver the blocks, seek on; the next unit. */
#include "subsetsum/width.h"

enum { UNIT, GROW, JOIN, CUT, SEEK, COLLECT, DELIVER };

#define WIDTH 32
#include "subsetsum/list.h"
#include "subsetsum/schroeppel_walk.h"
#undef WIDTH
#define WIDTH 64
#include "subsetsum/list.h"
#include "subsetsum/schroeppel_walk.h"
#undef WIDTH
#define WIDTH 128
#include "subsetsum/list.h"
#include "subsetsum/schroeppel_walk.h"
#undef WIDTH

static size_t entry_bytes(const struct subset_plan *plan)
{
    return plan->width == 128  ? sizeof(struct entry_128)
           : plan->width == 64 ? sizeof(struct entry_64)
                               : sizeof(struct entry_32);
}

static void lay_list(struct subset_work *work, struct subset_room *room, unsigned which,
                     unsigned first, unsigned numbers)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_schroeppel *its = &work->schroeppel;
    struct subset_list *list = &work->lists[which];
    size_t count = (size_t)1 << numbers;
    list->first = first;
    list->numbers = numbers;
    list->sums = subset_room_take(room, count, subset_width_bytes(plan));
    list->masks = subset_room_take(room, count, sizeof *list->masks);
    its->first[which] = subset_room_take(room, count + 1, sizeof *its->first[which]);
    if (room->base != NULL)
        WIDTH_CALL(plan, list_begin, list, plan, which >= 2);
}

/* There are as many rows as the shorter list has sums. */
static void lay_stream(struct subset_work *work, struct subset_room *room,
                       struct subset_stream *stream, unsigned which)
{
    unsigned one = work->lists[which].numbers, other = work->lists[which + 1].numbers;
    size_t rows = (size_t)1 << (one < other ? one : other);
    stream->heap = subset_room_take(room, rows, entry_bytes(&work->plan));
    stream->pairs = subset_room_take(room, rows, 2 * sizeof *stream->pairs);
}

/* The numbers of a half that make its rows. A heap of few rows is quick and stays near the processor;
 * columns are read one after the other. Three less than half of them: a quarter of the time less for
 * 50 numbers, at 2.5 MB in place of 0.7. */
static unsigned few(unsigned half)
{
    return half / 2 > 3 ? half / 2 - 3 : half / 2;
}

void subset_schroeppel_lay(struct subset_work *work, struct subset_room *room)
{
    struct subset_plan *plan = &work->plan;
    unsigned rest = plan->count - plan->fixed, first = plan->fixed;
    work->schroeppel = (struct subset_schroeppel){.phase = UNIT};
    for (unsigned i = 0; i < 4; i++) {
        unsigned half = i < 2 ? rest / 2 : rest - rest / 2, rows = few(half);
        unsigned numbers = i % 2 == 0 ? rows : half - rows;
        lay_list(work, room, i, first, numbers);
        first += numbers;
    }
    lay_stream(work, room, &work->schroeppel.left, 0);
    lay_stream(work, room, &work->schroeppel.right, 2);
}

/* The shorter list are the rows. */
static void set_stream(struct subset_work *work, struct subset_stream *stream, unsigned which)
{
    const struct subset_schroeppel *its = &work->schroeppel;
    unsigned row = work->lists[which].count <= work->lists[which + 1].count ? which : which + 1;
    unsigned column = which + which + 1 - row;
    stream->rows = &work->lists[row];
    stream->columns = &work->lists[column];
    stream->size = stream->seeded = 0;
    stream->row_first = its->first[row];
    stream->column_first = its->first[column];
}

/* The streams of the unit that was taken. */
static void set_streams(struct subset_work *work)
{
    struct subset_plan *plan = &work->plan;
    struct subset_schroeppel *its = &work->schroeppel;
    const struct subset_list *third = &work->lists[2], *fourth = &work->lists[3];
    subset_size sum = subset_plan_sum(plan, third->first, third->numbers + fourth->numbers);
    set_stream(work, &its->left, 0);
    set_stream(work, &its->right, 2);
    its->left.add = plan->goal < sum ? sum - plan->goal : 0;
    its->right.add = plan->goal > sum ? plan->goal - sum : 0;
}

size_t subset_stream_below(const struct subset_work *work, const struct subset_stream *stream,
                           size_t row, subset_size sum)
{
    return WIDTH_CALL(&work->plan, stream_below, stream, row, sum);
}

static void add_run(struct subset_block *block, const struct subset_list *list,
                    const uint32_t *first, uint32_t which)
{
    subset_block_add(block, list->masks + first[which], first[which + 1] - first[which]);
}

/* Columns innermost: their lists are longer, and so are their runs. */
static void add_pairs(struct subset_block *block, const struct subset_stream *left,
                      const struct subset_stream *right)
{
    const uint32_t *one = left->pairs + 2 * left->at, *other = right->pairs + 2 * right->at;
    add_run(block, right->columns, right->column_first, other[1]);
    add_run(block, left->columns, left->column_first, one[1]);
    add_run(block, right->rows, right->row_first, other[0]);
    add_run(block, left->rows, left->row_first, one[0]);
}

/* The next pair of pairs as a block; false: there was none left. Who only counts gets all of them as
 * one block, which has no masks. */
static bool deliver(struct subset_work *work)
{
    struct subset_stream *left = &work->schroeppel.left, *right = &work->schroeppel.right;
    if (left->at == left->pair_count)
        return false;
    subset_block_open(&work->block, work->plan.base);
    if (work->counts) {
        subset_block_add(&work->block, NULL, right->matches);
        subset_block_add(&work->block, NULL, left->matches);
        left->at = left->pair_count;
        return true;
    }
    add_pairs(&work->block, left, right);
    if (++right->at == right->pair_count) {
        right->at = 0;
        left->at++;
    }
    return true;
}

/* True: they are there. */
static bool make_lists(struct subset_work *work, uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_schroeppel *its = &work->schroeppel;
    for (unsigned i = 0; i < 4 && its->phase == GROW; i += 2) {
        struct subset_list *lists = &work->lists[i];
        if (!WIDTH_CALL(plan, list_grow_both, &lists[0], &lists[1], plan, steps))
            return false;
    }
    its->phase = JOIN;
    for (unsigned i = 0; i < 4; i++) {
        if (!WIDTH_CALL(plan, list_join, work, i, steps))
            return false;
    }
    return true;
}

/* Both streams to the beginning of the range. */
static bool seed_streams(struct subset_work *work, uint64_t *steps)
{
    struct subset_schroeppel *its = &work->schroeppel;
    subset_size begin = its->cut.begin;
    return WIDTH_CALL(&work->plan, stream_seed, &its->left, begin, steps) &&
           WIDTH_CALL(&work->plan, stream_seed, &its->right, begin, steps);
}

/* To where the walk can begin, or the next unit is to be taken: SUBSET_BLOCK. */
static enum subset_advance begin_unit(struct subset_work *work, uint64_t *steps)
{
    struct subset_schroeppel *its = &work->schroeppel;
    if (its->phase == UNIT) {
        if (!subset_plan_next(&work->plan))
            return SUBSET_END;
        its->phase = GROW; /* a second time this is nothing */
    }
    if (its->phase <= JOIN) {
        if (!make_lists(work, steps))
            return SUBSET_PAUSED;
        set_streams(work);
        subset_cut_begin(work);
        its->phase = CUT;
    }
    if (!subset_cut_find(work, steps) || !seed_streams(work, steps))
        return SUBSET_PAUSED;
    its->phase = its->cut.begin < its->cut.end ? SEEK : UNIT; /* a share may be empty */
    return SUBSET_BLOCK;
}

enum subset_advance subset_schroeppel_advance(struct subset_work *work, uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    struct subset_schroeppel *its = &work->schroeppel;
    while (*steps > 0) {
        if (its->phase < SEEK) {
            enum subset_advance got = begin_unit(work, steps);
            if (got != SUBSET_BLOCK)
                return got;
        }
        if (its->phase == SEEK)
            its->phase = WIDTH_CALL(plan, seek, work, steps);
        if (its->phase == COLLECT)
            its->phase = WIDTH_CALL(plan, collect, work, steps);
        if (its->phase == DELIVER && *steps > 0) {
            --*steps;
            if (deliver(work))
                return SUBSET_BLOCK;
            its->phase = SEEK;
        }
    }
    return SUBSET_PAUSED;
}
