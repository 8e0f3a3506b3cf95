/* The inside of the queue, shared by its files. */
#ifndef WEFT_QUEUE_QUEUE_H
#define WEFT_QUEUE_QUEUE_H

#include "core/op.h"
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
