/* weft/queue.h: the task queue, weft_run through a gate.
 *
 * A task is an op like any other: its parent's child from the push on, so that cancel, deadline
 * and the chain of a stack pass through the queue. It waits in a lane until the queue has a free
 * place, holds the place from its begin to the moment before its then, and may push more tasks.
 * Nothing is allocated, and push, pop, cancel and remove of one are O(1) at any size.
 *
 * An error stops nothing and drops nothing: the task's then gets it, and so does whoever listens
 * to WEFT_QUEUE_ERROR. */
#ifndef WEFT_QUEUE_H
#define WEFT_QUEUE_H

#include "emitter.h"
#include "hook.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_RANKS = 8, WEFT_RANK_NORMAL = 4 };

/* Events of queue->events. about is the task's struct weft_op * for ERROR, else the queue. */
enum weft_queue_event {
    WEFT_QUEUE_ERROR = WEFT_ERROR, /* a task failed; before its then; no listener is no fault */
    WEFT_QUEUE_SATURATED,          /* every place is taken */
    WEFT_QUEUE_UNSATURATED,        /* a place is free again */
    WEFT_QUEUE_UNQUEUED,           /* the last waiting task has begun */
    WEFT_QUEUE_EMPTY               /* nothing waits, nothing runs; once each time that happens */
};

/* At most so many in an interval. Exact: over any stretch of time no more than burst + the share
 * of that time are let through. */
struct weft_rate {
    uint64_t cost_us_, slack_us_, next_us_;
};

/* A lane is a line of waiting tasks with a limit of its own, in storage of yours: put one into
 * each struct host. Lanes with something to do take turns. */
struct weft_lane {
    struct weft_queue *queue;
    unsigned limit, running; /* read only */
    size_t waiting;          /* read only */
    uint8_t rank;            /* read only */
    bool paused_, listed_;
    struct weft_queue *plain_; /* queue, for plain pushes; NULL: closed, or a line of priorities */
    struct weft_op *head_, **tail_;
    struct weft_lane *ring_next_, **ring_link_;
    struct weft_lane *all_next_, **all_link_;
    struct weft_rate rate_;
    struct weft_timer timer_;
};

struct weft_queue_stats {
    uint64_t done;    /* tasks that finished with 0 */
    uint64_t failed;  /* tasks that had begun and finished with an error */
    uint64_t removed; /* tasks that left without having begun: cancelled or refused */
    uint64_t wait_ms; /* summed over the tasks that have begun. The clock has 1 ms and is read */
    uint64_t run_ms;  /* once a batch: coarse for one task, fair in the sum */
};

struct weft_queue {
    struct weft_lane main; /* the lane of weft_queue_push */
    struct weft_loop *loop;
    unsigned limit, running; /* read only */
    size_t waiting;          /* read only */
    size_t high_water;       /* read only */
    struct weft_queue_stats stats;
    struct weft_emitter events;
    uint32_t listed_ranks_;
    struct weft_ring {
        struct weft_lane *first, **tail;
    } rings_[WEFT_RANKS];
    struct weft_lane *lanes_, *heir_;
    struct weft_op *room_, **room_tail_, *idle_, **idle_tail_;
    struct weft_op pump_;
    struct weft_rate rate_;
    struct weft_timer timer_;
    struct weft_handle handle_;
    bool inside_, scheduled_, paused_, stopped_, saturated_, busy_, attended_;
};

/* limit places. UV_EINVAL: limit is 0, or an argument is NULL.
 * To hooks (weft/hook.h) a queue is a handle, whose parent is what ran when it was made; its events
 * are its callbacks. */
#define weft_queue_init(queue, loop, limit)                                                        \
    weft_queue_init_at(WEFT_HERE("queue", WEFT_QUEUE | WEFT_HANDLE), queue, loop, limit)
WEFT_API int weft_queue_init_at(const struct weft_site *site, struct weft_queue *queue,
                                struct weft_loop *loop, unsigned limit);
/* UV_EBUSY: tasks wait or run, somebody waits for the queue, or this is inside an event other than
 * WEFT_QUEUE_EMPTY. Otherwise every lane and listener is let go and queue is yours at once. Closing
 * twice is allowed.
 * Close it before its storage goes, unless the loop has run to its end: after weft_go, or a
 * weft_loop_run that returned 0, nothing points at it any more. Closing it then is harmless. */
WEFT_API int weft_queue_close(struct weft_queue *queue);

/* A lane with a limit of its own (UINT_MAX: none but the queue's). Lanes of a smaller rank go
 * first, always: 0 to 7, WEFT_RANK_NORMAL for the main lane. UV_EINVAL: limit is 0, rank too
 * large, an argument NULL, the queue closed. */
WEFT_API int weft_lane_init(struct weft_lane *lane, struct weft_queue *queue, unsigned limit,
                            unsigned rank);
/* UV_EBUSY: tasks of it wait or run. Otherwise lane is yours at once. The queue lists its lanes:
 * close one before its storage goes, unless the queue is closed before or goes with it. Closing
 * twice is allowed. */
WEFT_API int weft_lane_close(struct weft_lane *lane);

/* Queue op for begin, under parent: see weft_run for the arguments. Never begins anything itself.
 * false: the queue holds high_water waiting tasks or more. The task is queued all the same; a
 * producer that minds waits with weft_queue_room before the next one.
 * With then == NULL the error of a task that had begun goes to the listeners of WEFT_QUEUE_ERROR;
 * with none, and for one that had not begun, it ends parent.
 * After weft_queue_stop, then gets WEFT_ESTOPPED.
 * Runners of a race may be pushed, under the race and with weft_race_first or weft_race_any as
 * their then. A loser that waits is taken out of line and never begins; but the winner's place is
 * free a moment before the race hears of it, so the next in line may have begun.
 * A task may not wait for its own queue: pushing under a task that holds a place here breaks rule
 * 2, because with every place held that way nothing would move. Push under its parent. (The check
 * goes up the parents: a push costs a step for each level. What a task awaits by a promise, a memo
 * or a cargo is not seen.) */
#define weft_queue_push(queue, parent, op, begin, then)                                            \
    weft_lane_push(&(queue)->main, parent, op, begin, then)
#define weft_queue_push_front(queue, parent, op, begin, then)                                      \
    weft_lane_push_front(&(queue)->main, parent, op, begin, then)
#define weft_lane_push(lane, parent, op, begin, then)                                              \
    weft_lane_push_at(WEFT_HERE(#begin, WEFT_USER), lane, parent, op, begin, then)
#define weft_lane_push_front(lane, parent, op, begin, then)                                        \
    weft_lane_push_front_at(WEFT_HERE(#begin, WEFT_USER), lane, parent, op, begin, then)
WEFT_API bool weft_lane_push_at(const struct weft_site *site, struct weft_lane *lane,
                                struct weft_op *parent, struct weft_op *op, weft_begin_fn *begin,
                                weft_then_fn *then);
WEFT_API bool weft_lane_push_front_at(const struct weft_site *site, struct weft_lane *lane,
                                      struct weft_op *parent, struct weft_op *op,
                                      weft_begin_fn *begin, weft_then_fn *then);

/* Changes while running. UV_EINVAL: limit is 0. Lowering stops nothing that runs. */
WEFT_API int weft_queue_limit(struct weft_queue *queue, unsigned limit);
WEFT_API int weft_lane_limit(struct weft_lane *lane, unsigned limit);

/* From how many waiting tasks on the queue counts as full; SIZE_MAX at first. UV_EINVAL: 0. */
WEFT_API int weft_queue_high_water(struct weft_queue *queue, size_t high_water);

/* At most count tasks begin per interval_ms, burst of them at once (0 means 1). The clock has 1 ms:
 * more than one task a millisecond needs a burst. count 0: no limit any more. UV_EINVAL:
 * interval_ms is 0 with a count, or over a year. */
WEFT_API int weft_queue_rate(struct weft_queue *queue, unsigned count, uint64_t interval_ms,
                             unsigned burst);
WEFT_API int weft_lane_rate(struct weft_lane *lane, unsigned count, uint64_t interval_ms,
                            unsigned burst);

/* While paused nothing begins; what runs goes on. Both are idempotent. */
WEFT_API void weft_queue_pause(struct weft_queue *queue);
WEFT_API void weft_queue_resume(struct weft_queue *queue);
WEFT_API void weft_lane_pause(struct weft_lane *lane);
WEFT_API void weft_lane_resume(struct weft_lane *lane);

/* Cancel every waiting task for which matches says true, with UV_ECANCELED. Returns how many. */
typedef bool weft_match_fn(const struct weft_op *task, void *context);
WEFT_API size_t weft_queue_remove(struct weft_queue *queue, weft_match_fn *matches, void *context);

/* Refuse new tasks, run those that wait: a graceful stop. weft_queue_idle awaits its end. */
WEFT_API void weft_queue_stop(struct weft_queue *queue);
/* Cancel every task, waiting and running. The queue itself can be used on. reason is negative. */
WEFT_API void weft_queue_kill(struct weft_queue *queue, int reason);

/* Wait for the queue. room: fewer than high_water tasks wait; the waiters are let in in their
 * order, one for each task that begins. Room is seen, not reserved: several who ask before one of
 * them has pushed may all be let in, and the queue then holds one task more for each. idle:
 * nothing waits, nothing runs; below a task of the same queue that breaks rule 2. At once if it is
 * so. UV_EINVAL: queue is NULL or closed. */
struct weft_queue_wait {
    struct weft_op op;
    struct weft_queue *queue;
};
#define weft_queue_room(parent, wait, queue, then)                                                 \
    weft_queue_wait_at(WEFT_HERE("queue_room", WEFT_QUEUE), parent, wait, queue,                   \
                       weft_queue_room_begin, then)
#define weft_queue_idle(parent, wait, queue, then)                                                 \
    weft_queue_wait_at(WEFT_HERE("queue_idle", WEFT_QUEUE), parent, wait, queue,                   \
                       weft_queue_idle_begin, then)
WEFT_API void weft_queue_wait_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_queue_wait *wait, struct weft_queue *queue,
                                 weft_begin_fn *begin, weft_then_fn *then);
WEFT_API void weft_queue_room_begin(struct weft_op *op);
WEFT_API void weft_queue_idle_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
