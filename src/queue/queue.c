/* The task queue.
 *
 *     push ──► lane ──► ring of its rank ──► pump: begin ──► … finish ──► release ──► then
 *              (a line of tasks)             (while there are places)       │
 *                              ▲────────────────────────────────────────────┘
 *
 * A lane is on the ring of its rank exactly while it has a task that may begin now; the pump takes
 * the first lane of the first rank, begins one task and sends the lane to the back of its ring: so
 * lanes take turns, and every step is O(1) whatever waits. The pump runs in two places: from an op
 * of its own on the ready queue, when somebody pushed or changed a setting (so push never begins
 * anything), and in release, when a place became free.
 *
 * A place is held from begin to the moment before then: what then pushes comes behind what waited.
 *
 * "empty" is told from the pump's op and not at once, so that a then that pushes the next task does
 * not see the queue run empty each time; busy_ remembers that there is something to tell. */
#include "queue.h"
#include "trace/brackets.h"
#include <limits.h>
#include <string.h>

enum { BATCH = 1024 };

static const struct weft_site pump_site = {__FILE__, "weft_queue", "queue pump", __LINE__,
                                           WEFT_QUEUE | WEFT_HANDLE};

/* ---- rings ---------------------------------------------------------------------------------- */

static void ring_append(struct weft_queue *queue, struct weft_lane *lane)
{
    struct weft_ring *ring = &queue->rings_[lane->rank];
    lane->ring_next_ = NULL;
    lane->ring_link_ = ring->tail;
    *ring->tail = lane;
    ring->tail = &lane->ring_next_;
    queue->listed_ranks_ |= 1U << lane->rank;
    queue->heir_ = NULL;
    lane->listed_ = true;
}

static void ring_remove(struct weft_queue *queue, struct weft_lane *lane)
{
    struct weft_ring *ring = &queue->rings_[lane->rank];
    *lane->ring_link_ = lane->ring_next_;
    if (lane->ring_next_ != NULL)
        lane->ring_next_->ring_link_ = lane->ring_link_;
    else
        ring->tail = lane->ring_link_;
    if (ring->first == NULL)
        queue->listed_ranks_ &= ~(1U << lane->rank);
    queue->heir_ = NULL;
    lane->listed_ = false;
}

void weft__lane_update(struct weft_lane *lane)
{
    bool may_begin = lane->head_ != NULL && lane->running < lane->limit && !lane->paused_ &&
                     lane->timer_.fire_ == NULL;
    if (may_begin == lane->listed_)
        return;
    if (may_begin)
        ring_append(lane->queue, lane);
    else
        ring_remove(lane->queue, lane);
}

/* A task has joined the line or given its place back: that can only bring lane on its ring. */
static inline void lane_may_begin_more(struct weft_lane *lane)
{
    if (unlikely(!lane->listed_))
        weft__lane_update(lane);
}

/* The lane, on its ring, has had its turn: that can only take it off, or to the back. */
static inline void take_turns(struct weft_lane *lane)
{
    if (lane->head_ == NULL || lane->running >= lane->limit) {
        ring_remove(lane->queue, lane);
    } else if (lane->ring_next_ != NULL) {
        ring_remove(lane->queue, lane);
        ring_append(lane->queue, lane);
    }
}

/* ---- the pump ------------------------------------------------------------------------------- */

/* What the listeners do is a callback of the queue's. One of them may close it. false: there are
 * none. */
__attribute__((noinline)) static bool emit(struct weft_queue *queue, enum weft_queue_event event,
                                           void *about)
{
    const struct weft_listener *first = queue->events.first_;
    while (first != NULL && first->event_ != (int)event)
        first = first->next_;
    if (first == NULL)
        return false;
    struct weft_frame frame;
    weft_handle_enter(&frame, &queue->handle_, (weft_entry_fn *)first->fn_);
    weft_emit(&queue->events, (int)event, about);
    weft_leave(&frame);
    return true;
}

static void tell(struct weft_queue *queue, enum weft_queue_event event)
{
    if (queue->events.first_ != NULL)
        emit(queue, event, queue);
}

static void tell_saturation(struct weft_queue *queue)
{
    bool saturated = queue->running >= queue->limit;
    if (likely(saturated == queue->saturated_))
        return;
    queue->saturated_ = saturated;
    tell(queue, saturated ? WEFT_QUEUE_SATURATED : WEFT_QUEUE_UNSATURATED);
}

static void queue_rate_passed(struct weft_timer *timer)
{
    weft__queue_schedule(weft_owner(timer, struct weft_queue, timer_));
}

static void lane_rate_passed(struct weft_timer *timer)
{
    struct weft_lane *lane = weft_owner(timer, struct weft_lane, timer_);
    weft__lane_update(lane);
    weft__queue_schedule(lane->queue);
}

/* false: the queue has to wait; or this lane has, and then it is off its ring. */
static bool rates_allow(struct weft_queue *queue, struct weft_lane *lane)
{
    uint64_t now = weft_now(queue->loop), wait = 0;
    if (rate_limited(&queue->rate_))
        wait = weft__rate_wait_ms(&queue->rate_, now);
    if (wait != 0) {
        weft__timer_start(queue->loop, &queue->timer_, wait, queue_rate_passed);
        return false;
    }
    if (rate_limited(&lane->rate_))
        wait = weft__rate_wait_ms(&lane->rate_, now);
    if (wait != 0) {
        weft__timer_start(queue->loop, &lane->timer_, wait, lane_rate_passed);
        weft__lane_update(lane);
        return false;
    }
    if (rate_limited(&queue->rate_))
        weft__rate_take(&queue->rate_, now);
    if (rate_limited(&lane->rate_))
        weft__rate_take(&lane->rate_, now);
    return true;
}

/* Take task out of its lane; it holds no place yet, or never will. */
static void leave_line(struct weft_lane *lane, struct weft_op *task)
{
    if (lane_is_sorted(lane))
        weft__priority_leave(lane, task);
    else
        wait_unlink(task, &lane->tail_);
    lane->waiting--;
    lane->queue->waiting--;
}

/* The first one was the only one, as the first of a sorted line always is. */
__attribute__((noinline)) static void line_is_empty(struct weft_lane *lane)
{
    lane->tail_ = &lane->head_;
    if (lane_is_sorted(lane))
        weft__priority_move_up(lane);
}

/* leave_line for the first one, which is cheaper. */
static inline struct weft_op *take_first(struct weft_queue *queue, struct weft_lane *lane)
{
    struct weft_op *task = lane->head_;
    lane->head_ = task->wait_;
    if (likely(lane->head_ != NULL))
        lane->head_->wait_link_ = &lane->head_;
    else
        line_is_empty(lane);
    lane->waiting--;
    queue->waiting--;
    return task;
}

/* Somebody waits for room, or is recorded while it waits: attended_, so that one test is enough for
 * all others. */
__attribute__((noinline, cold)) static void begin_attended(struct weft_queue *queue,
                                                           const struct weft_op *task)
{
    if (task->flags_ & OP_SEEN && trace_on())
        weft__trace_unqueued(queue->loop, task->id_, queue->handle_.id_);
    weft__queue_room_changed(queue, 1);
    queue->attended_ = queue->room_ != NULL || queue->waiting != 0;
}

/* Begin a task that was taken from its line, in a place that is counted already. */
static inline void begin_taken(struct weft_queue *queue, struct weft_op *task)
{
    uint32_t now = queue->loop->now_ms_;
    if (unlikely(now != task->since_ms_)) {
        queue->stats.wait_ms += now - task->since_ms_;
        task->since_ms_ = now;
    }
    task->flags_ |= OP_GATED;
    if (unlikely(queue->attended_))
        begin_attended(queue, task);
    task->state_ = OP_RUNNING;
    if (unlikely(task->entry_.begin == NULL))
        return;
    /* From the loop: there is no depth to count, and what was current before is not any more. */
    current_set(queue->loop, task);
    task->entry_.begin(task);
}

static void begin_task(struct weft_queue *queue, struct weft_lane *lane)
{
    struct weft_op *task = take_first(queue, lane);
    lane->running++;
    queue->running++;
    take_turns(lane);
    begin_taken(queue, task);
}

/* Every place is taken and only one lane has tasks that may begin, none of them held up by a rate
 * or a pause: that lane gets each place that becomes free, without another look. What could change
 * that sets heir_ to NULL. */
static struct weft_lane *find_heir(const struct weft_queue *queue)
{
    uint32_t ranks = queue->listed_ranks_;
    if (ranks == 0 || (ranks & (ranks - 1)) != 0 || queue->running != queue->limit ||
        queue->paused_ || rate_limited(&queue->rate_))
        return NULL;
    struct weft_lane *lane = queue->rings_[__builtin_ctz(ranks)].first;
    return lane->ring_next_ == NULL && !rate_limited(&lane->rate_) ? lane : NULL;
}

static inline bool may_begin(const struct weft_queue *queue)
{
    return queue->running < queue->limit && queue->listed_ranks_ != 0 && !queue->paused_ &&
           queue->timer_.fire_ == NULL;
}

/* Tasks have begun, and may have changed the queue as they did. */
static void look_after(struct weft_queue *queue, bool unqueued)
{
    if (may_begin(queue))
        weft__queue_schedule(queue);
    if (unqueued && queue->waiting == 0)
        tell(queue, WEFT_QUEUE_UNQUEUED);
    tell_saturation(queue);
    queue->heir_ = find_heir(queue);
}

/* Begins at most so many: under a great limit, tasks that push tasks would keep the loop from its
 * other work. The caller holds inside_, so that a listener cannot close the queue under our
 * feet. */
static void pump(struct weft_queue *queue, unsigned most)
{
    bool unqueued = false;
    for (; most > 0 && may_begin(queue); most--) {
        struct weft_lane *lane = queue->rings_[__builtin_ctz(queue->listed_ranks_)].first;
        if (unlikely(rate_limited(&queue->rate_) || rate_limited(&lane->rate_)) &&
            !rates_allow(queue, lane))
            continue;
        begin_task(queue, lane);
        unqueued = queue->waiting == 0;
    }
    look_after(queue, unqueued);
}

static bool is_empty(const struct weft_queue *queue)
{
    return queue->running == 0 && queue->waiting == 0;
}

static void pump_due(struct weft_op *root, struct weft_op *op)
{
    struct weft_queue *queue = weft_owner(op, struct weft_queue, pump_);
    (void)root;
    queue->scheduled_ = false;
    queue->inside_ = true;
    pump(queue, BATCH);
    queue->inside_ = false;
    if (!is_empty(queue) || !queue->busy_)
        return;
    queue->busy_ = false;
    weft__queue_idle_reached(queue);
    tell(queue, WEFT_QUEUE_EMPTY); /* last: a listener may close the queue */
}

void weft__queue_call(const struct weft_site *site, struct weft_loop *loop, struct weft_op *op,
                      weft_then_fn *then)
{
    op_adopt_observed(site, &loop->root, op, then);
    op->flags_ &= ~(uint32_t)OP_BY_HOOK; /* it is a turn for all, whoever called for it */
    op->state_ = OP_READY;
    ready_put(loop, op);
}

void weft__queue_schedule(struct weft_queue *queue)
{
    if (queue->scheduled_)
        return;
    RULE(1, queue->loop != NULL, NULL, "a closed queue was used");
    queue->scheduled_ = true;
    weft__queue_call(&pump_site, queue->loop, &queue->pump_, pump_due);
}

/* ---- a task's way --------------------------------------------------------------------------- */

/* A task that waits for its own queue would hold a place and wait for one. */
void weft__queue_check_no_self_wait(const struct weft_queue *queue, const struct weft_op *parent)
{
    for (; parent != NULL; parent = parent->parent)
        RULE(2, !(parent->flags_ & OP_GATED) || parent->place_.lane->queue != queue, parent,
             "a task would wait for its own queue; push under the task's parent");
}

static void refuse(struct weft_queue *queue, const struct weft_site *site, struct weft_op *parent,
                   struct weft_op *task, weft_then_fn *then)
{
    queue->stats.removed++;
    if (parent->flags_ & OP_REFUSE) {
        weft__refuse_start(site, parent, task, then);
        return;
    }
    /* As for a cancelled parent: the same task coming back for ever is called by its name. */
    uint32_t times = op_refusals(parent, task);
    RULE(5, !op_refused_for_ever(times), parent,
         "a task is pushed again and again on a queue that was stopped");
    op_adopt_observed(site, parent, task, then);
    task->flags_ |= OP_REFUSED;
    task->since_ms_ = times;
    task->state_ = OP_RUNNING;
    weft_finish(task, WEFT_ESTOPPED);
}

/* Why the queue that a push has found is not one to push on. */
__attribute__((noreturn, cold)) static void wrong_lane(const struct weft_lane *lane,
                                                       const struct weft_queue *found,
                                                       const struct weft_op *parent)
{
    RULE(2, found != NULL || lane->queue == NULL, parent,
         "a plain push on a lane of priorities; use weft_priority_push");
    weft__broken(1, parent, "a task was pushed on a lane that is closed or another loop's");
}

enum where { BACK, FRONT, BY_PRIORITY };

static inline void join_line(struct weft_lane *lane, struct weft_op *task, enum where where)
{
    if (where == BY_PRIORITY) {
        weft__priority_put(lane, task);
    } else if (where == FRONT && lane->head_ != NULL) {
        task->wait_ = lane->head_;
        task->wait_->wait_link_ = &task->wait_;
        task->wait_link_ = &lane->head_;
        lane->head_ = task;
    } else {
        wait_append(task, &lane->tail_);
    }
}

/* task, adopted, takes its place in the line. */
__attribute__((always_inline)) static inline bool wait_in_line(struct weft_lane *lane,
                                                               struct weft_op *task,
                                                               weft_begin_fn *begin,
                                                               enum where where)
{
    struct weft_queue *queue = lane->queue;
    task->state_ = OP_QUEUED;
    task->entry_.begin = begin;
    task->place_.lane = lane;
    join_line(lane, task, where);
    lane->waiting++;
    queue->waiting++;
    if (unlikely(!queue->busy_))
        queue->busy_ = true;
    lane_may_begin_more(lane);
    if (queue->running < queue->limit)
        weft__queue_schedule(queue);
    return queue->waiting < queue->high_water;
}

/* Refused, or observed. Apart, so that a plain push keeps nothing on the stack for it. */
__attribute__((noinline)) static bool push_special(const struct weft_site *site,
                                                   struct weft_lane *lane, struct weft_op *parent,
                                                   struct weft_op *task, weft_begin_fn *begin,
                                                   weft_then_fn *then, enum where where)
{
    struct weft_queue *queue = lane->queue;
    if (parent->flags_ & OP_REFUSE || queue->stopped_) {
        refuse(queue, site, parent, task, then);
        return queue->waiting < queue->high_water;
    }
    op_adopt_observed(site, parent, task, then);
    queue->attended_ = true;
    return wait_in_line(lane, task, begin, where);
}

__attribute__((always_inline)) static inline bool push(const struct weft_site *site,
                                                       struct weft_lane *lane,
                                                       struct weft_op *parent, struct weft_op *task,
                                                       weft_begin_fn *begin, weft_then_fn *then,
                                                       enum where where)
{
    struct weft_queue *queue = where == BY_PRIORITY ? lane->queue : lane->plain_;
    op_check_start(parent, task);
    if (unlikely(queue == NULL || queue->loop != parent->loop_))
        wrong_lane(lane, queue, parent);
    weft__queue_check_no_self_wait(queue, parent);
    /* One test after the other: a sum of them would need registers that the plain way does not. */
    if (unlikely(parent->flags_ & (OP_REFUSE | OP_INHERITED)))
        return push_special(site, lane, parent, task, begin, then, where);
    if (unlikely(loop_observed(parent->loop_) != 0))
        return push_special(site, lane, parent, task, begin, then, where);
    if (unlikely(queue->stopped_))
        return push_special(site, lane, parent, task, begin, then, where);
    op_adopt(site, parent, task, then);
    return wait_in_line(lane, task, begin, where);
}

bool weft_lane_push_at(const struct weft_site *site, struct weft_lane *lane, struct weft_op *parent,
                       struct weft_op *op, weft_begin_fn *begin, weft_then_fn *then)
{
    return push(site, lane, parent, op, begin, then, BACK);
}

bool weft_lane_push_front_at(const struct weft_site *site, struct weft_lane *lane,
                             struct weft_op *parent, struct weft_op *op, weft_begin_fn *begin,
                             weft_then_fn *then)
{
    return push(site, lane, parent, op, begin, then, FRONT);
}

bool weft_priority_push_at(const struct weft_site *site, struct weft_priority *lane,
                           struct weft_op *parent, struct weft_urgent *task, int64_t priority,
                           weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &task->op); /* before anything of a task that waits is changed */
    task->priority = priority;
    return push(site, &lane->lane, parent, &task->op, begin, then, BY_PRIORITY);
}

/* A waiting task is cancelled: the caller finishes it. */
void weft__lane_cancel(struct weft_op *task)
{
    struct weft_lane *lane = task->place_.lane;
    struct weft_queue *queue = lane->queue;
    leave_line(lane, task);
    queue->stats.removed++;
    /* A rate that nobody waits for must not keep the loop alive. */
    if (lane->waiting == 0)
        weft_timer_stop(queue->loop, &lane->timer_);
    if (queue->waiting == 0)
        weft_timer_stop(queue->loop, &queue->timer_);
    weft__lane_update(lane);
    weft__queue_room_changed(queue, 1);
    if (is_empty(queue))
        weft__queue_schedule(queue);
}

__attribute__((noinline)) static void task_failed(struct weft_queue *queue, struct weft_op *task)
{
    queue->stats.failed++;
    if (emit(queue, WEFT_QUEUE_ERROR, task))
        task->flags_ |= OP_HANDLED;
}

/* The place of a task that is over goes to the next one of its lane; see find_heir. More wait
 * behind that, so nothing but the line changes. */
static inline void hand_over(struct weft_queue *queue, struct weft_lane *lane)
{
    begin_taken(queue, take_first(queue, lane));
    if (unlikely(queue->heir_ != lane))
        look_after(queue, queue->waiting == 0);
}

__attribute__((noinline)) static void give_back(struct weft_queue *queue, struct weft_lane *lane)
{
    queue->inside_ = true;
    lane->running--;
    queue->running--;
    lane_may_begin_more(lane);
    pump(queue, 1); /* the place that became free */
    queue->inside_ = false;
    if (is_empty(queue))
        weft__queue_schedule(queue);
}

/* A task has finished and is about to report: its place becomes free. The listeners of an error are
 * told before that, so that they find the lane busy and cannot close it under our feet. */
void weft__lane_release(struct weft_op *task)
{
    struct weft_lane *lane = task->place_.lane;
    struct weft_queue *queue = lane->queue;
    uint32_t now = queue->loop->now_ms_;
    if (unlikely(now != task->since_ms_))
        queue->stats.run_ms += now - task->since_ms_;
    if (likely(task->status == 0))
        queue->stats.done++;
    else
        task_failed(queue, task);
    if (likely(queue->heir_ == lane && lane->head_->wait_ != NULL))
        hand_over(queue, lane);
    else
        give_back(queue, lane);
}

/* ---- init and close ------------------------------------------------------------------------- */

int weft_lane_init(struct weft_lane *lane, struct weft_queue *queue, unsigned limit, unsigned rank)
{
    if (lane == NULL || queue == NULL || queue->loop == NULL || limit == 0 || rank >= WEFT_RANKS)
        return UV_EINVAL;
    *lane = (struct weft_lane){.queue = queue, .limit = limit, .rank = (uint8_t)rank};
    lane->plain_ = queue;
    lane->tail_ = &lane->head_;
    lane->all_next_ = queue->lanes_;
    lane->all_link_ = &queue->lanes_;
    if (lane->all_next_ != NULL)
        lane->all_next_->all_link_ = &lane->all_next_;
    queue->lanes_ = lane;
    return 0;
}

int weft_lane_close(struct weft_lane *lane)
{
    struct weft_queue *queue = lane->queue;
    if (queue == NULL)
        return 0;
    if (lane->waiting != 0 || lane->running != 0)
        return UV_EBUSY;
    weft_timer_stop(queue->loop, &lane->timer_);
    *lane->all_link_ = lane->all_next_;
    if (lane->all_next_ != NULL)
        lane->all_next_->all_link_ = lane->all_link_;
    lane->queue = lane->plain_ = NULL;
    return 0;
}

static void show(struct weft_queue *queue, const struct weft_site *site)
{
    struct weft_op *root = &queue->loop->root;
    weft_handle_open_at(site, root, &queue->handle_, weft_watched(root) ? weft_current_id() : 0,
                        queue);
}

int weft_queue_init_at(const struct weft_site *site, struct weft_queue *queue,
                       struct weft_loop *loop, unsigned limit)
{
    if (queue == NULL || loop == NULL || limit == 0)
        return UV_EINVAL;
    memset(queue, 0, sizeof *queue);
    queue->loop = loop;
    queue->limit = limit;
    queue->high_water = SIZE_MAX;
    for (int rank = 0; rank < WEFT_RANKS; rank++)
        queue->rings_[rank].tail = &queue->rings_[rank].first;
    queue->room_tail_ = &queue->room_;
    queue->idle_tail_ = &queue->idle_;
    weft_emitter_init(&queue->events, "queue");
    show(queue, site);
    return weft_lane_init(&queue->main, queue, UINT_MAX, WEFT_RANK_NORMAL);
}

/* An op of ours that is on its way to its then, with nothing left to do there, is taken off the
 * ready queue: its storage is about to go. */
void weft__queue_call_off(struct weft_op *op)
{
    struct weft_loop *loop = op->loop_;
    struct weft_op **link = &loop->ready_;
    while (*link != op)
        link = &(*link)->wait_;
    *link = op->wait_;
    if (*link == NULL)
        loop->ready_tail_ = link;
    op_take(op);
    observe_end(op);
}

int weft_queue_close(struct weft_queue *queue)
{
    if (queue->loop == NULL)
        return 0;
    if (!is_empty(queue) || queue->inside_ || queue->room_ != NULL || queue->idle_ != NULL)
        return UV_EBUSY;
    if (queue->scheduled_)
        weft__queue_call_off(&queue->pump_);
    queue->scheduled_ = false;
    weft_timer_stop(queue->loop, &queue->timer_);
    while (queue->lanes_ != NULL)
        weft_lane_close(queue->lanes_);
    weft_emitter_close(&queue->events);
    weft_handle_close(&queue->handle_);
    queue->loop = NULL;
    return 0;
}
