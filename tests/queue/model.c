/* The queue against a model of it, under thousands of seeded schedules.
 * ctest: labels=model timeout=120 shuffle=no
 *
 * The model knows each task as a record in an array and looks at all of them to answer anything:
 * which lane's turn it is, what waits, what runs. A schedule draws a queue, lanes, parents and what
 * happens to them from its seed: pushes (from outside, from begins and from thens), cancels,
 * deadlines, failures, pauses, changed limits and priorities, kills. After each step of the loop both are
 * compared, and at each begin the model is asked whether it is this task's turn.
 *
 * Only one thing is looked up inside the loop: which op it delivers next, because a place becomes
 * free at that moment and nobody is called. With rates the model does not predict whose turn it is;
 * there it checks that no stretch of time saw too many. */
#include "model.h"
#include "core/op.h"
#include <limits.h>
#include <string.h>
#include <weft/priority.h>

enum { TASKS = 48, LANES = 5, SORTED = LANES - 1, PARENTS = 3, WAITERS = 6, SCHEDULES = 10000 };

enum state { UNUSED, WAITING, RUNNING, FINISHED, REMOVED, OVER };

struct task {
    union {
        struct weft_op op;
        struct weft_urgent urgent;
    };
    struct weft_deadline deadline;
    struct weft_timer timer;
    /* what it will do */
    uint64_t ms;
    int status;
    bool by_hand, slow; /* slow: a cancelled one takes a millisecond more */
    /* what the model knows */
    enum state state;
    int lane, parent, expected;
    int64_t priority; /* in its lane: smaller goes first; 0 but in the sorted one */
    uint64_t order;   /* the same among those of one priority */
    uint64_t due;     /* of its deadline; 0: none */
    uint64_t pushed_at, begun_at;
    unsigned begins, reports, errors;
    bool cancelled;
};

struct lane {
    struct weft_lane lane;
    unsigned limit, rank;
    bool paused, ready; /* ready: it has a task that may begin */
    uint64_t since;     /* when it last had a turn or became ready: the smallest is next */
    uint64_t count, interval, burst;
    uint64_t begun[TASKS];
    int begun_count;
};

struct waiter {
    struct weft_queue_wait wait;
    enum { NOT_USED, WAITS, LET_GO, GONE } state;
    bool idle;
    int expected;
    uint64_t order, since_step;
};

static struct model {
    struct dice dice;
    struct weft_queue queue;
    struct weft_priority sorted;
    struct task tasks[TASKS];
    struct lane lanes[LANES]; /* the first is the queue's main lane, the last one m.sorted */
    struct weft_op parents[PARENTS];
    int parent_reason[PARENTS];
    struct waiter waiters[WAITERS];
    struct weft_listener listeners[5];
    unsigned limit;
    size_t high_water;
    bool paused, stopped, rated, listening;
    uint64_t counter, front;
    uint64_t count, interval, burst;
    uint64_t begun[TASKS];
    int begun_count;
    uint64_t done, failed, removed, wait_ms, run_ms;
    bool busy, saturated, begun_since_unqueued;
    uint64_t last_empty_step;
    int used;
} m;

static struct world w;

/* ---- the model ------------------------------------------------------------------------------ */

static unsigned count_in(int lane, enum state state)
{
    unsigned count = 0;
    for (int i = 0; i < m.used; i++)
        count += (lane < 0 || m.tasks[i].lane == lane) && m.tasks[i].state == state;
    return count;
}

/* A place is held until the op is delivered. */
static unsigned running_in(int lane)
{
    return count_in(lane, RUNNING) + count_in(lane, FINISHED);
}

static struct weft_lane *real_lane(int lane)
{
    if (lane == SORTED)
        return &m.sorted.lane;
    return lane == 0 ? &m.queue.main : &m.lanes[lane].lane;
}

static bool goes_first(const struct task *a, const struct task *b)
{
    return a->priority != b->priority ? a->priority < b->priority : a->order < b->order;
}

static int first_waiting(int lane)
{
    int first = -1;
    for (int i = 0; i < m.used; i++) {
        const struct task *task = &m.tasks[i];
        if (task->lane == lane && task->state == WAITING &&
            (first < 0 || goes_first(task, &m.tasks[first])))
            first = i;
    }
    return first;
}

static bool may_begin(int lane)
{
    return first_waiting(lane) >= 0 && running_in(lane) < m.lanes[lane].limit &&
           !m.lanes[lane].paused;
}

/* After anything that concerns a lane: has it become ready, or is it not any more? */
static void look_at(int lane)
{
    bool ready = may_begin(lane);
    if (ready && !m.lanes[lane].ready)
        m.lanes[lane].since = ++m.counter;
    m.lanes[lane].ready = ready;
}

/* Whose turn is it? -1: nobody's. */
static int next_lane(void)
{
    int next = -1;
    for (int i = 0; i < LANES; i++) {
        const struct lane *lane = &m.lanes[i], *best = next >= 0 ? &m.lanes[next] : NULL;
        if (lane->ready && (best == NULL || lane->rank < best->rank ||
                            (lane->rank == best->rank && lane->since < best->since)))
            next = i;
    }
    return next;
}

static bool something_may_begin(void)
{
    return !m.paused && running_in(-1) < m.limit && next_lane() >= 0;
}

static void note_emptiness(void)
{
    if (count_in(-1, WAITING) == 0 && running_in(-1) == 0)
        m.last_empty_step = schedule.steps + 1;
}

/* places have become free in the line: who waits for room is let in, the longest waiting first. */
static void let_in(size_t places)
{
    size_t waiting = count_in(-1, WAITING);
    while (waiting < m.high_water && (places > 0 || waiting == 0)) {
        struct waiter *first = NULL;
        for (int i = 0; i < WAITERS; i++) {
            struct waiter *waiter = &m.waiters[i];
            if (waiter->state == WAITS && !waiter->idle &&
                (first == NULL || waiter->order < first->order))
                first = waiter;
        }
        if (first == NULL)
            return;
        first->state = LET_GO;
        first->expected = 0;
        places -= places > 0;
    }
}

static void model_removed(struct task *task, int reason)
{
    model_tell("task %td is removed with %d", task - m.tasks, reason);
    task->state = REMOVED;
    task->expected = reason;
    m.removed++;
    look_at(task->lane);
    let_in(1);
    note_emptiness();
}

/* task is about to be delivered: its place is free. */
static void model_released(struct task *task)
{
    task->state = OVER;
    m.run_ms += weft_now(&w.loop) - task->begun_at;
    if (task->expected == 0)
        m.done++;
    else
        m.failed++;
    look_at(task->lane);
    note_emptiness();
}

/* No stretch of time may see more than the burst and its share. */
static void check_rate(const uint64_t *begun, int begun_count, uint64_t count, uint64_t interval,
                       uint64_t burst)
{
    for (int i = 0; count != 0 && i < begun_count; i++) {
        uint64_t passed = (uint64_t)(begun_count - i);
        uint64_t time = begun[begun_count - 1] - begun[i];
        agree(passed <= burst || (passed - burst) * interval <= time * count);
    }
}

static void model_begun(struct task *task)
{
    struct lane *lane = &m.lanes[task->lane];
    uint64_t now = weft_now(&w.loop);
    agree(task->state == WAITING);
    agree(!m.paused && !lane->paused);
    agree(running_in(-1) < m.limit);
    agree(running_in(task->lane) < lane->limit);
    agree(first_waiting(task->lane) == (int)(task - m.tasks));
    if (!m.rated)
        agree(next_lane() == task->lane);
    model_tell("task %td begins", task - m.tasks);
    task->state = RUNNING;
    task->begun_at = now;
    task->begins++;
    m.wait_ms += now - task->pushed_at;
    m.begun_since_unqueued = true;
    m.begun[m.begun_count++] = now;
    lane->begun[lane->begun_count++] = now;
    check_rate(m.begun, m.begun_count, m.count, m.interval, m.burst);
    check_rate(lane->begun, lane->begun_count, lane->count, lane->interval, lane->burst);
    look_at(task->lane);
    lane->since = ++m.counter; /* it has had its turn */
    let_in(1);
}

static void model_finished(struct task *task, int status)
{
    agree(task->state == RUNNING);
    model_tell("task %td ends with %d", task - m.tasks, status);
    task->state = FINISHED;
    task->expected = status;
}

/* ---- the tasks ------------------------------------------------------------------------------ */

static void act(int how_often);
static void task_begin(struct weft_op *op);
static void task_over(struct weft_op *parent, struct weft_op *op);

static struct task *task_of(struct weft_op *op)
{
    return weft_owner(op, struct task, op);
}

static void finish_task(struct task *task, int status)
{
    model_finished(task, status);
    weft_finish(&task->op, status);
}

static void task_due(struct weft_timer *timer)
{
    struct task *task = weft_owner(timer, struct task, timer);
    finish_task(task, task->cancelled ? weft_cancelled(&task->op) : task->status);
}

static void task_cancel(struct weft_op *op, int reason)
{
    struct task *task = task_of(op);
    agree(task->state == RUNNING);
    weft_timer_stop(&w.loop, &task->timer);
    task->cancelled = true;
    if (task->slow)
        weft_timer_start(&w.loop, &task->timer, 1, task_due);
    else
        finish_task(task, reason);
}

static void task_begin(struct weft_op *op)
{
    struct task *task = task_of(op);
    model_begun(task);
    if (chance(&m.dice, 3))
        act(2);
    if (weft_cancelled(op) != 0) { /* one of these was a kill, or its parent's cancel */
        finish_task(task, weft_cancelled(op));
        return;
    }
    if (task->ms == 0 && !task->by_hand) {
        finish_task(task, task->status);
        return;
    }
    if (!task->by_hand)
        weft_timer_start(&w.loop, &task->timer, task->ms, task_due);
    weft_on_cancel(op, task_cancel);
}

static void task_over(struct weft_op *parent, struct weft_op *op)
{
    struct task *task = task_of(op);
    agree(parent == (task->parent < 0 ? weft_root(&w.loop) : &m.parents[task->parent]));
    agree(task->state == OVER || task->state == REMOVED);
    agree(op->status == task->expected);
    agree(task->begins <= 1 && ++task->reports == 1);
    if (m.listening)
        agree(task->errors == (task->state == OVER && op->status != 0));
    task->state = OVER;
    if (chance(&m.dice, 3))
        act(2);
}

/* ---- what happens --------------------------------------------------------------------------- */

static bool really_push(struct task *task, struct weft_op *under, bool front)
{
    struct weft_lane *lane = real_lane(task->lane);
    if (task->lane == SORTED)
        return weft_priority_push(&m.sorted, under, &task->urgent, task->priority, task_begin,
                                  task_over);
    return front ? weft_lane_push_front(lane, under, &task->op, task_begin, task_over)
                 : weft_lane_push(lane, under, &task->op, task_begin, task_over);
}

static void push_one(bool front)
{
    if (m.used == TASKS)
        return;
    struct task *task = &m.tasks[m.used++];
    int lane = (int)roll(&m.dice, LANES), parent = (int)between(&m.dice, -1, PARENTS - 1);
    if (parent >= 0 && m.parents[parent].state_ != OP_RUNNING)
        parent = -1;
    *task = (struct task){.lane = lane,
                          .parent = parent,
                          .priority = lane == SORTED ? between(&m.dice, -2, 2) : 0,
                          .ms = roll(&m.dice, 3) * roll(&m.dice, 4),
                          .status = chance(&m.dice, 4) ? UV_EIO : 0,
                          .by_hand = chance(&m.dice, 6),
                          .slow = chance(&m.dice, 4),
                          .pushed_at = weft_now(&w.loop)};
    model_tell("task %d is pushed %sto lane %d, parent %d", m.used - 1, front ? "in front, " : "",
               lane, parent);
    int reason = parent >= 0 ? m.parent_reason[parent] : 0;
    if (reason != 0 || m.stopped) {
        task->state = REMOVED;
        task->expected = reason != 0 ? reason : WEFT_ESTOPPED;
        m.removed++;
    } else {
        task->state = WAITING;
        /* In front of all, or behind all: the middle of the numbers is where it began. */
        bool last = !front || lane == SORTED;
        task->order = last ? UINT64_MAX / 2 + ++m.counter : --m.front;
        m.busy = true;
        look_at(lane);
    }
    struct weft_op *under = parent < 0 ? weft_root(&w.loop) : &m.parents[parent];
    bool room = really_push(task, under, front);
    agree(room == (count_in(-1, WAITING) < m.high_water));
    if (chance(&m.dice, 5) && task->state == WAITING) {
        uint64_t ms = (uint64_t)between(&m.dice, 1, 12);
        task->due = weft_now(&w.loop) + ms;
        weft_deadline(&task->op, &task->deadline, ms);
    }
}

/* What the model knows of a cancel that reaches task. A running one answers for itself. */
static void model_cancelled(struct task *task, int reason)
{
    if (task->state == WAITING)
        model_removed(task, reason);
}

static void cancel_one(void)
{
    if (m.used == 0)
        return;
    struct task *task = &m.tasks[roll(&m.dice, (uint64_t)m.used)];
    model_cancelled(task, UV_ECANCELED);
    weft_cancel(&task->op, UV_ECANCELED);
}

static void cancel_parent(int parent, int reason)
{
    if (m.parents[parent].state_ != OP_RUNNING || m.parent_reason[parent] != 0)
        return;
    m.parent_reason[parent] = reason;
    for (int i = 0; i < m.used; i++) {
        if (m.tasks[i].parent == parent)
            model_cancelled(&m.tasks[i], reason);
    }
    weft_cancel(&m.parents[parent], reason);
}

static void kill_all(void)
{
    for (int i = 0; i < m.used; i++)
        model_cancelled(&m.tasks[i], UV_EACCES);
    weft_queue_kill(&m.queue, UV_EACCES);
}

static bool every_third(const struct weft_op *op, void *context)
{
    const struct task *task = weft_owner((struct weft_op *)(uintptr_t)op, struct task, op);
    return (task - m.tasks) % 3 == *(const int *)context;
}

static void remove_some(void)
{
    int third = (int)roll(&m.dice, 3);
    size_t expected = 0;
    for (int i = third; i < m.used; i += 3) {
        expected += m.tasks[i].state == WAITING;
        model_cancelled(&m.tasks[i], UV_ECANCELED);
    }
    agree(weft_queue_remove(&m.queue, every_third, &third) == expected);
}

static void change_limits(void)
{
    int lane = (int)roll(&m.dice, LANES);
    if (lane == 0 || chance(&m.dice, 2)) {
        m.limit = (unsigned)between(&m.dice, 1, 6);
        weft_queue_limit(&m.queue, m.limit);
    } else {
        m.lanes[lane].limit = (unsigned)between(&m.dice, 1, 3);
        look_at(lane);
        weft_lane_limit(real_lane(lane), m.lanes[lane].limit);
    }
}

static void change_priority(void)
{
    if (m.used == 0)
        return;
    struct task *task = &m.tasks[roll(&m.dice, (uint64_t)m.used)];
    int64_t priority = between(&m.dice, -3, 3);
    bool may = task->state == WAITING && task->lane == SORTED;
    agree(weft_priority_change(&task->urgent, priority) == (may ? 0 : UV_EINVAL));
    if (!may)
        return;
    task->priority = priority;
    task->order = UINT64_MAX / 2 + ++m.counter;
}

static void pause_or_resume(void)
{
    int which = (int)roll(&m.dice, LANES + 1);
    if (which == LANES) {
        m.paused = !m.paused;
        (m.paused ? weft_queue_pause : weft_queue_resume)(&m.queue);
        return;
    }
    m.lanes[which].paused = !m.lanes[which].paused;
    look_at(which);
    (m.lanes[which].paused ? weft_lane_pause : weft_lane_resume)(real_lane(which));
}

static void finish_by_hand(void)
{
    for (int i = 0; i < m.used; i++) {
        struct task *task = &m.tasks[i];
        /* One that is still in its begin has no cancel function yet. */
        if (task->state == RUNNING && task->by_hand && !task->cancelled &&
            task->op.flags_ & OP_WORKS) {
            weft_on_cancel(&task->op, NULL);
            finish_task(task, task->status);
            return;
        }
    }
}

static void wait_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct waiter *waiter = weft_owner(op, struct waiter, wait.op);
    agree(waiter->state == LET_GO || (waiter->state == WAITS && waiter->idle));
    if (waiter->state == LET_GO)
        agree(op->status == waiter->expected);
    else /* told by the pump: the queue was empty at some time since */
        agree(op->status == 0 && m.last_empty_step > waiter->since_step);
    waiter->state = GONE;
}

static void wait_for_the_queue(void)
{
    for (int i = 0; i < WAITERS; i++) {
        struct waiter *waiter = &m.waiters[i];
        if (waiter->state == WAITS && chance(&m.dice, 4)) {
            waiter->state = LET_GO; /* the pump may have let one go that waits for idle */
            waiter->expected = waiter->wait.op.state_ == OP_READY ? 0 : UV_ECANCELED;
            weft_cancel(&waiter->wait.op, UV_ECANCELED);
            return;
        }
        if (waiter->state == WAITS || waiter->state == LET_GO)
            continue;
        memset(waiter, 0, sizeof *waiter);
        waiter->idle = chance(&m.dice, 3);
        bool at_once = waiter->idle ? count_in(-1, WAITING) + running_in(-1) == 0
                                    : count_in(-1, WAITING) < m.high_water;
        waiter->state = at_once ? LET_GO : WAITS;
        waiter->order = ++m.counter;
        waiter->since_step = schedule.steps;
        if (waiter->idle)
            weft_queue_idle(weft_root(&w.loop), &waiter->wait, &m.queue, wait_over);
        else
            weft_queue_room(weft_root(&w.loop), &waiter->wait, &m.queue, wait_over);
        return;
    }
}

static void change_high_water(void)
{
    m.high_water = (size_t)between(&m.dice, 1, 8);
    size_t waiting = count_in(-1, WAITING);
    let_in(m.high_water > waiting ? m.high_water - waiting : 0);
    weft_queue_high_water(&m.queue, m.high_water);
}

/* Something or other happens, up to how_often times. */
static void act(int how_often)
{
    for (int i = 0; i < how_often; i++) {
        uint64_t dice = roll(&m.dice, 210);
        if (dice < 110)
            push_one(dice < 15);
        else if (dice < 130)
            cancel_one();
        else if (dice < 140)
            pause_or_resume();
        else if (dice < 155)
            change_limits();
        else if (dice < 170)
            finish_by_hand();
        else if (dice < 188)
            wait_for_the_queue();
        else if (dice < 192)
            change_high_water();
        else if (dice < 195)
            remove_some();
        else if (dice < 197)
            cancel_parent((int)roll(&m.dice, PARENTS), UV_ETIMEDOUT);
        else if (dice < 198)
            kill_all();
        else if (dice >= 200)
            change_priority();
        else if (schedule.steps > 60 && chance(&m.dice, 2))
            weft_queue_stop(&m.queue), m.stopped = true;
    }
}

/* ---- events --------------------------------------------------------------------------------- */

static void on_error(struct weft_listener *listener, void *about)
{
    (void)listener;
    struct task *task = task_of(about);
    agree(task->begins == 1 && task->reports == 0 && task->errors == 0);
    agree(task->op.status == task->expected && task->expected != 0);
    task->errors++;
}

static void on_saturation(struct weft_listener *listener, void *about)
{
    (void)about;
    bool saturated = listener == &m.listeners[WEFT_QUEUE_SATURATED];
    agree(m.saturated != saturated);
    agree(saturated == (running_in(-1) >= m.limit));
    m.saturated = saturated;
}

static void on_unqueued(struct weft_listener *listener, void *about)
{
    (void)listener;
    (void)about;
    agree(count_in(-1, WAITING) == 0 && m.begun_since_unqueued);
    m.begun_since_unqueued = false;
}

static void on_empty(struct weft_listener *listener, void *about)
{
    (void)listener;
    (void)about;
    agree(m.busy);
    agree(count_in(-1, WAITING) == 0 && running_in(-1) == 0);
    m.busy = false;
}

static void listen_to_all(void)
{
    weft_on(&m.queue.events, WEFT_QUEUE_ERROR, &m.listeners[WEFT_QUEUE_ERROR], on_error);
    weft_on(&m.queue.events, WEFT_QUEUE_SATURATED, &m.listeners[WEFT_QUEUE_SATURATED],
            on_saturation);
    weft_on(&m.queue.events, WEFT_QUEUE_UNSATURATED, &m.listeners[WEFT_QUEUE_UNSATURATED],
            on_saturation);
    weft_on(&m.queue.events, WEFT_QUEUE_UNQUEUED, &m.listeners[WEFT_QUEUE_UNQUEUED], on_unqueued);
    weft_on(&m.queue.events, WEFT_QUEUE_EMPTY, &m.listeners[WEFT_QUEUE_EMPTY], on_empty);
}

/* ---- a schedule ----------------------------------------------------------------------------- */

/* The loop is about to deliver an op: if it is a task that ran, its place is free now. */
static void look_ahead(void)
{
    const struct weft_op *next = w.loop.ready_;
    for (int i = 0; i < m.used; i++) {
        if (&m.tasks[i].op == next && m.tasks[i].state == FINISHED)
            model_released(&m.tasks[i]);
    }
}

/* Deadlines that have passed while their task waited: nobody was called. */
static void notice_deadlines(void)
{
    uint64_t now = weft_now(&w.loop);
    for (int i = 0; i < m.used; i++) {
        struct task *task = &m.tasks[i];
        if (task->state == WAITING && task->due != 0 && task->due <= now)
            model_removed(task, UV_ETIMEDOUT);
    }
}

static void compare(void)
{
    agree(m.queue.running == running_in(-1));
    agree(m.queue.waiting == count_in(-1, WAITING));
    for (int i = 0; i < LANES; i++) {
        const struct weft_lane *lane = real_lane(i);
        agree(lane->running == running_in(i));
        agree(lane->waiting == count_in(i, WAITING));
        if (!m.rated)
            agree(lane->listed_ == m.lanes[i].ready);
    }
    agree(m.queue.stats.done == m.done && m.queue.stats.failed == m.failed);
    agree(m.queue.stats.removed == m.removed);
    agree(m.queue.stats.wait_ms == m.wait_ms && m.queue.stats.run_ms == m.run_ms);
    for (int i = 0; i < WAITERS; i++) {
        if (m.waiters[i].state == WAITS)
            agree(m.waiters[i].wait.op.state_ == OP_RUNNING ||
                  (m.waiters[i].idle && m.waiters[i].wait.op.state_ == OP_READY));
    }
    /* Nothing that may begin is forgotten: the pump is on its way. */
    if (!m.rated && something_may_begin())
        agree(m.queue.scheduled_);
}

static bool step(void)
{
    look_ahead();
    model_tell_next(&w);
    bool went_on = weft_sim_step(&w.sim);
    schedule.steps++;
    notice_deadlines();
    compare();
    return went_on;
}

static void set_up(uint64_t seed)
{
    memset(&m, 0, sizeof m);
    m.dice.state = seed;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&m.dice, 4) ? 0 : seed | 1), 0);
    m.limit = (unsigned)between(&m.dice, 1, 5);
    m.high_water = chance(&m.dice, 3) ? SIZE_MAX : (size_t)between(&m.dice, 1, 6);
    m.front = UINT64_MAX / 2;
    m.rated = chance(&m.dice, 5);
    m.listening = chance(&m.dice, 2);
    assert_int_equal(weft_queue_init(&m.queue, &w.loop, m.limit), 0);
    weft_queue_high_water(&m.queue, m.high_water);
    m.lanes[0].limit = UINT_MAX;
    m.lanes[0].rank = WEFT_RANK_NORMAL;
    for (int i = 1; i < LANES; i++) {
        struct lane *lane = &m.lanes[i];
        lane->limit = chance(&m.dice, 3) ? UINT_MAX : (unsigned)between(&m.dice, 1, 3);
        lane->rank = chance(&m.dice, 2) ? WEFT_RANK_NORMAL : (unsigned)roll(&m.dice, WEFT_RANKS);
        int err = i == SORTED ? weft_priority_init(&m.sorted, &m.queue, lane->limit, lane->rank)
                              : weft_lane_init(&lane->lane, &m.queue, lane->limit, lane->rank);
        assert_int_equal(err, 0);
    }
    for (int i = 0; i < PARENTS; i++)
        weft_run(weft_root(&w.loop), &m.parents[i], NULL, noted);
    if (m.listening)
        listen_to_all();
    if (m.rated) {
        int rated = chance(&m.dice, 2) ? 1 : SORTED;
        struct lane *lane = &m.lanes[rated];
        m.count = (uint64_t)between(&m.dice, 1, 3);
        m.interval = (uint64_t)between(&m.dice, 1, 9);
        m.burst = (uint64_t)between(&m.dice, 1, 3);
        lane->count = 1;
        lane->interval = (uint64_t)between(&m.dice, 1, 9);
        lane->burst = (uint64_t)between(&m.dice, 1, 2);
        weft_queue_rate(&m.queue, (unsigned)m.count, m.interval, (unsigned)m.burst);
        weft_lane_rate(real_lane(rated), 1, lane->interval, (unsigned)lane->burst);
    }
}

/* Everything is let run: no pause, no task that waits for a hand. */
static void let_all_run(void)
{
    m.paused = false;
    weft_queue_resume(&m.queue);
    for (int i = 0; i < LANES; i++) {
        m.lanes[i].paused = false;
        look_at(i);
        weft_lane_resume(real_lane(i));
    }
    for (int i = 0; i < PARENTS; i++)
        weft_join(&m.parents[i]);
    unsigned held = 1;
    while (step() || held > 0) {
        held = 0;
        for (int i = 0; i < m.used; i++)
            held += m.tasks[i].state == RUNNING && m.tasks[i].by_hand;
        finish_by_hand();
        if (m.paused) {
            m.paused = false;
            weft_queue_resume(&m.queue);
            held = 1;
        }
        for (int i = 0; i < LANES; i++) {
            if (m.lanes[i].paused) {
                m.lanes[i].paused = false;
                look_at(i);
                weft_lane_resume(real_lane(i));
                held = 1;
            }
        }
        agree(schedule.steps < 100000);
    }
}

static void one_schedule(uint64_t seed)
{
    model_begin("queue", seed);
    set_up(seed);
    int rounds = (int)between(&m.dice, 1, 60);
    for (int i = 0; i < rounds; i++) {
        act((int)roll(&m.dice, 4));
        compare();
        for (uint64_t steps = roll(&m.dice, 5); steps > 0 && step(); steps--)
            continue;
    }
    let_all_run();
    for (int i = 0; i < m.used; i++)
        agree(m.tasks[i].reports == 1);
    for (int i = 0; i < WAITERS; i++)
        agree(m.waiters[i].state == NOT_USED || m.waiters[i].state == GONE);
    for (int i = 0; i < PARENTS; i++)
        agree(m.parents[i].status == m.parent_reason[i]);
    if (m.listening)
        agree(!m.busy && m.saturated == (m.limit == 0));
    agree(w.loop.root.running_ == 0);
    agree(weft_queue_close(&m.queue) == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(the_queue_agrees_with_its_model)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
