/* LRU: one queue, in the order of the last use; the one at its end gives way. */
#include "policy.h"

static void enter(struct policy *policy, struct weft_cell *cell)
{
    policy_enter_queue(policy, cell, QUEUE_MAIN);
}

static void used(struct policy *policy, struct weft_cell *cell)
{
    if (policy->queues[QUEUE_MAIN].newest == cell)
        return;
    policy_leave(policy, cell);
    policy_enter_queue(policy, cell, QUEUE_MAIN);
}

static struct weft_cell *victim(struct policy *policy)
{
    return policy->queues[QUEUE_MAIN].oldest;
}

const struct policy_kind weft__lru = {enter, used, used, victim};
