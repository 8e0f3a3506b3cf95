/* A lane whose line is sorted.
 *
 *     lane.head_ ──► the most urgent task           heap_ ──► the most urgent of the rest
 *                    (its wait_ is NULL)            rest_ ──► the rest, as a list
 *
 * The queue knows one thing of a line: its first task. So the most urgent one stands there, as the
 * only one of the line that it can see, and the rest waits in a heap behind it. A task that is more
 * urgent than the head changes places with it; when the head leaves, the top of the heap moves up.
 * The rest is linked by wait_ too, so that a remove or a kill can walk over it while tasks leave.
 *
 * Each push has a number, which orders those of one priority; it stays with a task that is sent
 * back into the heap, so that it keeps its place among its equals. */
#include "queue.h"

static bool before(const struct weft_urgent *a, const struct weft_urgent *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->order_ < b->order_;
}
#define HEAP_NODE struct weft_urgent
#include "core/heap.h"

static struct weft_priority *priority_of(struct weft_lane *lane)
{
    return weft_owner(lane, struct weft_priority, lane);
}

static struct weft_urgent *urgent_of(struct weft_op *task)
{
    return weft_owner(task, struct weft_urgent, op);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void rest_put(struct weft_priority *priority, struct weft_urgent *task)
{
    heap_insert(&priority->heap_, task);
    wait_append(&task->op, &priority->rest_tail_);
}

static void rest_remove(struct weft_priority *priority, struct weft_urgent *task)
{
    heap_remove(&priority->heap_, task);
    wait_unlink(&task->op, &priority->rest_tail_);
}

/* ---- the line ------------------------------------------------------------------------------- */

static void put(struct weft_priority *priority, struct weft_urgent *task)
{
    struct weft_lane *lane = &priority->lane;
    task->order_ = priority->pushed_++;
    if (lane->head_ != NULL && !before(task, urgent_of(lane->head_))) {
        rest_put(priority, task);
        return;
    }
    if (lane->head_ != NULL) {
        struct weft_op *head = lane->head_;
        wait_unlink(head, &lane->tail_);
        rest_put(priority, urgent_of(head));
    }
    wait_append(&task->op, &lane->tail_);
}

void weft__priority_put(struct weft_lane *lane, struct weft_op *task)
{
    put(priority_of(lane), urgent_of(task));
}

void weft__priority_move_up(struct weft_lane *lane)
{
    struct weft_priority *priority = priority_of(lane);
    struct weft_urgent *next = priority->heap_;
    if (next == NULL)
        return;
    rest_remove(priority, next);
    wait_append(&next->op, &lane->tail_);
}

void weft__priority_leave(struct weft_lane *lane, struct weft_op *task)
{
    if (task != lane->head_) {
        rest_remove(priority_of(lane), urgent_of(task));
        return;
    }
    wait_unlink(task, &lane->tail_);
    weft__priority_move_up(lane);
}

int weft_priority_change(struct weft_urgent *task, int64_t priority)
{
    if (task == NULL || task->op.state_ != OP_QUEUED || !lane_is_sorted(task->op.place_.lane))
        return UV_EINVAL;
    struct weft_lane *lane = task->op.place_.lane;
    RULE_THREAD(lane->queue->loop, &task->op);
    weft__priority_leave(lane, &task->op);
    task->priority = priority;
    weft__priority_put(lane, &task->op);
    return 0;
}

/* ---- init and close ------------------------------------------------------------------------- */

int weft_priority_init(struct weft_priority *priority, struct weft_queue *queue, unsigned limit,
                       unsigned rank)
{
    if (priority == NULL)
        return UV_EINVAL;
    int err = weft_lane_init(&priority->lane, queue, limit, rank);
    if (err != 0)
        return err;
    priority->lane.plain_ = NULL;
    priority->heap_ = NULL;
    priority->rest_ = NULL;
    priority->rest_tail_ = &priority->rest_;
    priority->pushed_ = 0;
    return 0;
}

int weft_priority_close(struct weft_priority *priority)
{
    return weft_lane_close(&priority->lane);
}
