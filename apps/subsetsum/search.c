/* A search: a plan, a method and the block that is being delivered.
 *
 * A method only ever finds the next block; delivering, leaving out, the bounds of a call and the
 * empty subset are the same for all and are here. All that a search needs lies in one block of
 * memory, whose size is known beforehand: it is laid out first without memory, to measure it. */
#include "subsetsum/inside.h"
#include <string.h>
#include <weft/alloc.h>

/* Up to so many numbers (without those that the units decide) the plain walk is the fastest, and up to
 * so many the lists. With 44 these would still be a little faster than the heaps, but in 128 MB in
 * place of 0.6. See `find crossing` in bench/subsetsum. */
enum { GRAY_MOST = 13, MEET_MOST = 42 };

struct method {
    void (*lay)(struct subset_work *work, struct subset_room *room);
    enum subset_advance (*advance)(struct subset_work *work, uint64_t *steps);
};

static const struct method methods[] = {
    [SUBSET_GRAY] = {subset_gray_lay, subset_gray_advance},
    [SUBSET_MEET] = {subset_meet_lay, subset_meet_advance},
    [SUBSET_SCHROEPPEL] = {subset_schroeppel_lay, subset_schroeppel_advance},
};

/* On lines of the cache, also for vectors. */
void *subset_room_take(struct subset_room *room, size_t count, size_t size)
{
    enum { LINE = 64 };
    void *place = room->base != NULL ? room->base + room->used : NULL;
    room->used += (count * size + LINE - 1) / LINE * LINE;
    return place;
}

static enum subset_method best_method(const struct subset_plan *plan)
{
    if (plan->count > MEET_MOST)
        return SUBSET_SCHROEPPEL;
    return plan->count - plan->fixed <= GRAY_MOST ? SUBSET_GRAY : SUBSET_MEET;
}

/* May the sums of half of the numbers all be different? If they have to repeat there are few of them,
 * and it is the subsets that have to be shared out. */
static bool sums_may_differ(const struct subset_plan *plan)
{
    unsigned half = plan->count / 2;
    return subset_plan_sum(plan, 0, half) >> half > 0;
}

/* The plan and the method of a search; the bytes it needs are in *bytes. */
static int prepare(struct subset_work *work, const struct subset_problem *problem,
                   enum subset_method *method, unsigned part, unsigned parts, size_t *bytes)
{
    struct subset_plan *plan = &work->plan;
    struct subset_room measure = {NULL, 0};
    int err = subset_plan_init(plan, problem, part, parts, false);
    if (err != 0)
        return err;
    if (*method == SUBSET_AUTO)
        *method = best_method(plan);
    if (*method < SUBSET_GRAY || *method > SUBSET_SCHROEPPEL)
        return UV_EINVAL;
    if (*method == SUBSET_MEET && plan->count - plan->fixed > SUBSET_MEET_MAX)
        return UV_E2BIG;
    if (*method == SUBSET_SCHROEPPEL && parts > 1 && sums_may_differ(plan))
        subset_plan_init(plan, problem, part, parts, true);
    subset_room_take(&measure, 1, sizeof *work);
    subset_room_take(&measure, 1, 1); /* malloc knows nothing of lines */
    methods[*method].lay(work, &measure);
    *bytes = measure.used;
    return 0;
}

int subset_search_init(struct subset_search *search, const struct subset_problem *problem,
                       enum subset_method method, unsigned part, unsigned parts)
{
    struct subset_work work;
    size_t bytes;
    if (search == NULL)
        return UV_EINVAL;
    memset(search, 0, sizeof *search);
    search->state = SUBSET_DONE;
    memset(&work, 0, sizeof work);
    int err = prepare(&work, problem, &method, part, parts, &bytes);
    if (err != 0)
        return err;
    search->work_ = weft_alloc(bytes);
    if (search->work_ == NULL)
        return UV_ENOMEM;
    *search->work_ = work;
    struct subset_room room = {(char *)search->work_, 0};
    subset_room_take(&room, 1, sizeof work);
    room.used += (0 - (uintptr_t)room.base) % 64;
    methods[method].lay(search->work_, &room);
    search->method = method;
    search->state = SUBSET_MORE;
    return 0;
}

enum subset_advance subset_search_advance(struct subset_search *search, uint64_t *steps)
{
    enum subset_advance got = methods[search->method].advance(search->work_, steps);
    if (got == SUBSET_END)
        search->state = SUBSET_DONE;
    return got;
}

size_t subset_search_next(struct subset_search *search, uint64_t *masks, size_t room,
                          uint64_t steps)
{
    struct subset_work *work = search->work_;
    size_t made = 0;
    while (search->state == SUBSET_MORE && made < room && steps > 0) {
        if (work->block.count == 0)
            subset_search_advance(search, &steps);
        if (work->skip > 0 && work->block.count > 0)
            subset_block_skip(&work->block, &work->skip, work->plan.has_empty);
        made += subset_block_emit(&work->block, masks + made, room - made, &steps);
    }
    search->found += made;
    return made;
}

void subset_search_skip(struct subset_search *search, uint64_t count)
{
    struct subset_work *work = search->work_;
    if (work != NULL)
        work->skip = work->skip + count < count ? UINT64_MAX : work->skip + count;
}

void subset_search_free(struct subset_search *search)
{
    weft_free(search->work_);
    search->work_ = NULL;
    search->state = SUBSET_DONE;
}

uint64_t subset_search_memory(const struct subset_problem *problem, enum subset_method method,
                              unsigned parts)
{
    struct subset_work work;
    size_t bytes;
    memset(&work, 0, sizeof work);
    return prepare(&work, problem, &method, 0, parts, &bytes) == 0 ? bytes : 0;
}
