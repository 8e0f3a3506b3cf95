/* weft/priority.h: a queue that takes the most urgent task first.
 *
 * A lane's ranks (weft/queue.h) are for a few kinds of work. This is a lane whose line is a heap:
 * any number of priorities, the smallest number first, and of equals the one that came first. Push
 * and the begin of the next are O(log n), a cancel too. It is a lane among others of its queue:
 * limit, rate, pause, remove, stop and statistics are the lane's. */
#ifndef WEFT_PRIORITY_H
#define WEFT_PRIORITY_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task with a priority; embed it. */
struct weft_urgent {
    struct weft_op op;
    int64_t priority; /* read only: weft_priority_push sets it, weft_priority_change changes it */
    uint64_t order_;
    struct weft_urgent *child_, *next_, *prev_;
};

struct weft_priority {
    struct weft_lane lane; /* for weft_lane_limit, weft_lane_rate, weft_lane_pause, ... */
    struct weft_urgent *heap_;
    struct weft_op *rest_, **rest_tail_;
    uint64_t pushed_;
};

/* As weft_lane_init. UV_EINVAL: limit is 0, rank too large, an argument NULL, the queue closed. */
WEFT_API int weft_priority_init(struct weft_priority *priority, struct weft_queue *queue,
                                unsigned limit, unsigned rank);
/* As weft_lane_close. UV_EBUSY: tasks of it wait or run. */
WEFT_API int weft_priority_close(struct weft_priority *priority);

/* As weft_lane_push; the plain pushes of weft/queue.h are not for this lane (rule 2). */
#define weft_priority_push(lane, parent, task, priority, begin, then)                              \
    weft_priority_push_at(WEFT_HERE(#begin, WEFT_USER), lane, parent, task, priority, begin, then)
WEFT_API bool weft_priority_push_at(const struct weft_site *site, struct weft_priority *lane,
                                    struct weft_op *parent, struct weft_urgent *task,
                                    int64_t priority, weft_begin_fn *begin, weft_then_fn *then);
/* Another priority for a task that waits; it comes behind its equals. UV_EINVAL: it does not wait,
 * or not in such a lane. */
WEFT_API int weft_priority_change(struct weft_urgent *task, int64_t priority);

#ifdef __cplusplus
}
#endif
#endif
