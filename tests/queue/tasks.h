/* What the tests of the queue share: one queue on a simulated loop, and numbered tasks that leave
 * their number in the trail when they begin. */
#ifndef TESTS_QUEUE_TASKS_H
#define TESTS_QUEUE_TASKS_H

#include "model.h"
#include <string.h>
#include <weft/queue.h>

enum { TASKS = 40 };

static struct world w;
static struct weft_queue queue;
static struct job tasks[TASKS];

/* A loop, a queue with limit places, tasks that finish at once with 0. */
static inline void up(unsigned limit)
{
    model_up(&w);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = (struct job){.id = i};
    assert_int_equal(weft_queue_init(&queue, &w.loop, limit), 0);
}

/* Run to the end; nothing is left in the queue, and everything closes. */
static inline void down(void)
{
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(queue.running, 0);
    assert_int_equal(queue.waiting, 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static inline void work(struct weft_op *op)
{
    leave("%d", job_of(op)->id);
    job_begin(op);
}

static inline bool push_to(struct weft_lane *lane, int id)
{
    return weft_lane_push(lane, weft_root(&w.loop), &tasks[id].op, work, job_over);
}

static inline bool push(int id)
{
    return push_to(&queue.main, id);
}

static inline void push_some(int from, int to)
{
    for (int id = from; id <= to; id++)
        push(id);
}

/* All tasks take ms from now on. */
static inline void all_take(uint64_t ms)
{
    for (int id = 0; id < TASKS; id++)
        tasks[id].ms = ms;
}

static inline void let_pass(uint64_t ms)
{
    weft_sim_advance(&w.sim, ms);
}

/* Finish a task that runs BY_HAND. */
static inline void finish(int id)
{
    weft_on_cancel(&tasks[id].op, NULL);
    jobs.running--;
    weft_finish(&tasks[id].op, tasks[id].status);
}

/* ---- events --------------------------------------------------------------------------------- */

static struct weft_listener listeners[5];

static inline void heard_error(struct weft_listener *listener, void *about)
{
    (void)listener;
    struct weft_op *task = about;
    leave("error:%d:%s", job_of(task)->id, weft_error_name(task->status));
}

static inline void heard(struct weft_listener *listener, void *about)
{
    static const char *const names[] = {"error", "saturated", "unsaturated", "unqueued", "empty"};
    assert_ptr_equal(about, &queue);
    leave("%s", names[listener - listeners]);
}

static inline void listen_to(enum weft_queue_event event)
{
    weft_on(&queue.events, (int)event, &listeners[event],
            event == WEFT_QUEUE_ERROR ? heard_error : heard);
}

#endif
