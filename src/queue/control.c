/* Settings and commands: what changes a queue from outside. None of them begins a task itself; they
 * have the pump look again. */
#include "queue.h"

/* lane has changed: may it begin something now? */
static void look_again(struct weft_lane *lane)
{
    RULE(1, lane->queue != NULL, NULL, "a closed lane was used");
    weft__lane_update(lane);
    weft__queue_schedule(lane->queue);
}

int weft_queue_limit(struct weft_queue *queue, unsigned limit)
{
    if (limit == 0)
        return UV_EINVAL;
    queue->limit = limit;
    queue->heir_ = NULL;
    weft__queue_schedule(queue);
    return 0;
}

int weft_lane_limit(struct weft_lane *lane, unsigned limit)
{
    if (limit == 0)
        return UV_EINVAL;
    lane->limit = limit;
    look_again(lane);
    return 0;
}

int weft_queue_high_water(struct weft_queue *queue, size_t high_water)
{
    if (high_water == 0)
        return UV_EINVAL;
    queue->high_water = high_water;
    weft__queue_room_changed(queue, high_water - queue->waiting);
    return 0;
}

int weft_queue_rate(struct weft_queue *queue, unsigned count, uint64_t interval_ms, unsigned burst)
{
    RULE(1, queue->loop != NULL, NULL, "a closed queue was used");
    int err = weft__rate_set(&queue->rate_, count, interval_ms, burst, weft_now(queue->loop));
    if (err != 0)
        return err;
    weft_timer_stop(queue->loop, &queue->timer_);
    queue->heir_ = NULL;
    weft__queue_schedule(queue);
    return 0;
}

int weft_lane_rate(struct weft_lane *lane, unsigned count, uint64_t interval_ms, unsigned burst)
{
    RULE(1, lane->queue != NULL, NULL, "a closed lane was used");
    struct weft_loop *loop = lane->queue->loop;
    int err = weft__rate_set(&lane->rate_, count, interval_ms, burst, weft_now(loop));
    if (err != 0)
        return err;
    weft_timer_stop(loop, &lane->timer_);
    lane->queue->heir_ = NULL;
    look_again(lane);
    return 0;
}

void weft_queue_pause(struct weft_queue *queue)
{
    queue->paused_ = true;
    queue->heir_ = NULL;
}

void weft_queue_resume(struct weft_queue *queue)
{
    queue->paused_ = false;
    weft__queue_schedule(queue);
}

void weft_lane_pause(struct weft_lane *lane)
{
    lane->paused_ = true;
    weft__lane_update(lane);
}

void weft_lane_resume(struct weft_lane *lane)
{
    lane->paused_ = false;
    look_again(lane);
}

void weft_queue_stop(struct weft_queue *queue)
{
    queue->stopped_ = true;
}

struct choice {
    weft_match_fn *matches; /* NULL: all */
    void *context;
    int reason;
};

static size_t cancel_line(struct weft_op *first, const struct choice *choice)
{
    size_t cancelled = 0;
    for (struct weft_op *task = first, *next; task != NULL; task = next) {
        bool chosen = choice->matches == NULL || choice->matches(task, choice->context);
        RULE(2, task->state_ == OP_QUEUED, task,
             "a task was cancelled by the function that weft_queue_remove asks");
        next = task->wait_;
        if (!chosen)
            continue;
        weft_cancel(task, choice->reason);
        cancelled++;
    }
    return cancelled;
}

/* Of a sorted line, first those behind its head: when the head leaves one of them moves up. */
static size_t cancel_waiting(struct weft_queue *queue, const struct choice *choice)
{
    size_t cancelled = 0;
    for (struct weft_lane *lane = queue->lanes_; lane != NULL; lane = lane->all_next_) {
        if (lane_is_sorted(lane))
            cancelled += cancel_line(weft_owner(lane, struct weft_priority, lane)->rest_, choice);
        cancelled += cancel_line(lane->head_, choice);
    }
    return cancelled;
}

size_t weft_queue_remove(struct weft_queue *queue, weft_match_fn *matches, void *context)
{
    RULE(4, matches != NULL, &queue->loop->root, "weft_queue_remove was given nothing to ask");
    return cancel_waiting(queue, &(struct choice){matches, context, UV_ECANCELED});
}

/* Running tasks are on no list: finishing one would have to take it off, for the sake of a call
 * that is rare. So they are looked for, in the whole tree. */
static void cancel_running(struct weft_queue *queue, int reason)
{
    struct weft_op *root = &queue->loop->root;
    bool ours = false;
    for (struct weft_op *at = root; (at = op_walk(at, root, !ours)) != NULL;) {
        ours = at->flags_ & OP_GATED && at->place_.lane->queue == queue;
        if (ours)
            weft_cancel(at, reason);
    }
}

void weft_queue_kill(struct weft_queue *queue, int reason)
{
    RULE(1, queue->loop != NULL, NULL, "a closed queue was used");
    RULE(5, reason < 0, NULL, "the reason of a kill must be negative");
    cancel_waiting(queue, &(struct choice){.reason = reason});
    cancel_running(queue, reason);
}
