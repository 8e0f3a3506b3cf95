/* Meet in the middle: the sorted sums of one half of the numbers, those of the other, and a walk
 * through both.
 *
 * The right half is turned: its list has the sums c of what is left out. With R the sum of the right
 * half, x + (R - c) = goal is x + (R - goal) = c, or x = c + (goal - R) if that is the side which is
 * not negative. So both lists are walked upwards, as in a merge, and no sum exceeds the sum of all.
 *
 * Equal sums stand together. Where both sides meet, the ends of the two runs are found by doubling,
 * and the block is their product. */
#include "subsetsum/width.h"

#define WIDTH 32
#include "subsetsum/list.h"
#include "subsetsum/meet_walk.h"
#undef WIDTH
#define WIDTH 64
#include "subsetsum/list.h"
#include "subsetsum/meet_walk.h"
#undef WIDTH
#define WIDTH 128
#include "subsetsum/list.h"
#include "subsetsum/meet_walk.h"
#undef WIDTH

void subset_meet_lay(struct subset_work *work, struct subset_room *room)
{
    struct subset_plan *plan = &work->plan;
    unsigned rest = plan->count - plan->fixed, first = plan->fixed;
    for (unsigned i = 0; i < 2; i++) {
        struct subset_list *list = &work->lists[i];
        list->first = first;
        list->numbers = i == 0 ? rest / 2 : rest - rest / 2;
        first += list->numbers;
        list->sums = subset_room_take(room, (size_t)1 << list->numbers, subset_width_bytes(plan));
        list->masks = subset_room_take(room, (size_t)1 << list->numbers, sizeof *list->masks);
        if (room->base != NULL)
            WIDTH_CALL(plan, list_begin, list, plan, i == 1);
    }
    work->meet = (struct subset_meet){0};
}

static bool next_unit(struct subset_work *work)
{
    work->meet = (struct subset_meet){.open = subset_plan_next(&work->plan)};
    return work->meet.open;
}

enum subset_advance subset_meet_advance(struct subset_work *work, uint64_t *steps)
{
    const struct subset_plan *plan = &work->plan;
    while (work->meet.open || next_unit(work)) { /* without one there is no need of lists */
        if (!WIDTH_CALL(plan, list_grow_both, &work->lists[0], &work->lists[1], plan, steps))
            return SUBSET_PAUSED;
        enum subset_advance got = WIDTH_CALL(plan, meet_walk, work, steps);
        if (got != SUBSET_END)
            return got;
        work->meet.open = false;
    }
    return SUBSET_END;
}
