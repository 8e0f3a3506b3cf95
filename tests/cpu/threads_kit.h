/* What the tests of threads share: jobs that begin, wait at a gate and go on when the test says so. */
#ifndef TESTS_CPU_THREADS_KIT_H
#define TESTS_CPU_THREADS_KIT_H

#include "core/op.h"
#include "loop.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <weft/threads.h>

static sem_t begun, gate;
static atomic_int at_work, most_at_work, worked;
static atomic_int order[1024]; /* the numbers of those that have worked */

struct task {
    struct weft_thread_job job;
    int number, status;
};

static inline void count_in(void)
{
    int now = atomic_fetch_add(&at_work, 1) + 1, most = atomic_load(&most_at_work);
    while (now > most && !atomic_compare_exchange_weak(&most_at_work, &most, now))
        continue;
}

static inline void count_out(const struct weft_thread_job *job)
{
    const struct task *task = weft_owner(job, struct task, job);
    int at = atomic_fetch_add(&worked, 1);
    if (at < (int)(sizeof order / sizeof order[0]))
        atomic_store(&order[at], task->number);
    atomic_fetch_sub(&at_work, 1);
}

/* Says that it is there, waits, and returns its status. */
static inline int pass_the_gate(struct weft_thread_job *job)
{
    count_in();
    sem_post(&begun);
    while (sem_wait(&gate) != 0)
        continue;
    count_out(job);
    return weft_owner(job, struct task, job)->status;
}

static inline int work_at_once(struct weft_thread_job *job)
{
    count_in();
    count_out(job);
    return weft_owner(job, struct task, job)->status;
}

/* Until it is cancelled. */
static inline int work_until_stopped(struct weft_thread_job *job)
{
    sem_post(&begun);
    while (!weft_thread_stopped(job))
        sched_yield();
    return UV_ECANCELED;
}

static inline void await_begun(int count)
{
    for (; count > 0; count--) {
        while (sem_wait(&begun) != 0)
            continue;
    }
}

static inline void open_gate(int count)
{
    for (; count > 0; count--)
        sem_post(&gate);
}

static inline void kit_up(struct world *w, struct weft_threads *threads)
{
    if (w != NULL)
        world_up(w);
    sem_init(&begun, 0, 0);
    sem_init(&gate, 0, 0);
    atomic_store(&at_work, 0);
    atomic_store(&most_at_work, 0);
    atomic_store(&worked, 0);
    if (w != NULL && threads != NULL)
        weft_threads_open(weft_root(&w->loop), threads, weft_ignore);
}

static inline void push(struct world *w, struct weft_threads *threads, struct task *task,
                        weft_thread_fn *function)
{
    weft_thread_job(weft_root(&w->loop), &task->job, threads, function, noted);
}

/* Run until op's then has run. */
static inline void await_op(struct world *w, const struct weft_op *op)
{
    while (op->state_ != OP_IDLE) {
        bool more = w->simulated ? weft_sim_step(&w->sim) : uv_run(&w->uv, UV_RUN_ONCE) != 0;
        if (!more && op->state_ != OP_IDLE) {
            weft_dump(&w->loop, stderr);
            fail_msg("the loop is dry and the op has not ended");
        }
    }
}

/* Close the pool, and leave nothing behind. */
static inline void kit_down(struct world *w, struct weft_threads *threads)
{
    weft_threads_close(threads);
    world_down(w);
    assert_int_equal(threads->op.status, 0);
    assert_null(threads->pool_);
}

#endif
