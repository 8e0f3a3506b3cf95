/* S3-FIFO: three queues, first in, first out.
 *
 *                      used meanwhile                      not used
 *     new ──► small ─────────────────────► main ──────────────────────► out
 *               │        (10 % of the bytes)  ▲ └─ used: to the front again, counted down
 *               │ not used                    │
 *               └──► out, and a ghost ────────┘ came back while its ghost was there
 *
 * Most of what a cache is asked for is asked for once. That passes through the small queue and never
 * drives out what is in the main one. A hit only counts, up to three, and moves nothing. */
#include "policy.h"

static void enter(struct policy *policy, struct weft_cell *cell)
{
    bool again = weft__ghost_take(&policy->ghost, cell->hash);
    policy_enter_queue(policy, cell, again ? QUEUE_MAIN : QUEUE_SMALL);
}

static void used(struct policy *policy, struct weft_cell *cell)
{
    (void)policy;
    policy_count_use(cell);
}

/* That it was loaded again says nothing about who asks for it. */
static void renewed(struct policy *policy, struct weft_cell *cell)
{
    (void)policy;
    (void)cell;
}

static void move_to_main(struct policy *policy, struct weft_cell *cell)
{
    policy_leave(policy, cell);
    policy_enter_queue(policy, cell, QUEUE_MAIN);
}

static struct weft_cell *victim_of_small(struct policy *policy)
{
    struct weft_cell *cell;
    while ((cell = policy->queues[QUEUE_SMALL].oldest) != NULL && cell->uses > 0) {
        cell->uses = 0;
        move_to_main(policy, cell);
    }
    if (cell != NULL)
        weft__ghost_add(&policy->ghost, cell->hash);
    return cell;
}

static struct weft_cell *victim_of_main(struct policy *policy)
{
    struct weft_cell *cell;
    while ((cell = policy->queues[QUEUE_MAIN].oldest) != NULL && cell->uses > 0) {
        cell->uses--;
        move_to_main(policy, cell);
    }
    return cell;
}

/* The small queue may have nobody to give: then all of it is in the main one. */
static struct weft_cell *victim(struct policy *policy)
{
    struct weft_cell *cell = NULL;
    while (cell == NULL) {
        bool from_small = policy->queues[QUEUE_SMALL].bytes > policy->small_limit ||
                          policy->queues[QUEUE_MAIN].oldest == NULL;
        cell = from_small ? victim_of_small(policy) : victim_of_main(policy);
    }
    return cell;
}

const struct policy_kind weft__s3fifo = {enter, used, renewed, victim};
