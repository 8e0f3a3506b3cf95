/* The inside of the queue, shared by its files. */
#ifndef WEFT_QUEUE_QUEUE_H
#define WEFT_QUEUE_QUEUE_H

#include "core/op.h"
#include "weft/priority.h"
#include "weft/queue.h"

/* Put lane on its ring if it has a task that may begin, take it off if not. The one function that
 * decides that. */
void weft__lane_update(struct weft_lane *lane);
/* Have the queue look for tasks to begin on the ready queue's next turn. */
void weft__queue_schedule(struct weft_queue *queue);
/* So many places in the line have become free: is there room for those who wait to push? */
void weft__queue_room_changed(struct weft_queue *queue, size_t places);
/* Nothing waits, nothing runs: tell those who wait for that. */
void weft__queue_idle_reached(struct weft_queue *queue);

/* An op below parent is about to wait for the queue: does parent hold a place in it? */
void weft__queue_check_no_self_wait(const struct weft_queue *queue, const struct weft_op *parent);

/* Have then called on the ready queue's next turn, with op, which is the root's child until then;
 * and call that off again. */
void weft__queue_call(const struct weft_site *site, struct weft_loop *loop, struct weft_op *op,
                      weft_then_fn *then);
void weft__queue_call_off(struct weft_op *op);

/* Is the line of this lane, which is open, a heap? See priority.c. */
static inline bool lane_is_sorted(const struct weft_lane *lane)
{
    return lane->plain_ == NULL;
}
/* task joins a sorted line, or leaves it; the caller counts. */
void weft__priority_put(struct weft_lane *lane, struct weft_op *task);
void weft__priority_leave(struct weft_lane *lane, struct weft_op *task);
/* The first one was taken: the next one moves up. */
void weft__priority_move_up(struct weft_lane *lane);

int weft__rate_set(struct weft_rate *rate, unsigned count, uint64_t interval_ms, unsigned burst,
                   uint64_t now_ms);
/* How long until one more may pass; 0: now. */
uint64_t weft__rate_wait_ms(const struct weft_rate *rate, uint64_t now_ms);
void weft__rate_take(struct weft_rate *rate, uint64_t now_ms);

static inline bool rate_limited(const struct weft_rate *rate)
{
    return rate->cost_us_ != 0;
}

#endif
