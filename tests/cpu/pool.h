/* tests/cpu/pool.h: a pool and some jobs, for tests. Each program has its own. */
#ifndef TESTS_CPU_POOL_H
#define TESTS_CPU_POOL_H

#include "worker_program.h"
#include "../lib/check.h"
#include "../lib/loop.h"
#include <weft.h>

enum { JOBS = 64 };

static struct world w;
static struct weft_procs procs;
static struct weft_job jobs[JOBS];
static unsigned over;        /* jobs that have reported */
static unsigned order[JOBS]; /* in which order */
static unsigned open_jobs;   /* that have not; at 0 the pool is closed */
static int pool_status;      /* of the pool; 1: it runs */
static int descriptors;
static void (*job_told)(unsigned index); /* called for each */

static inline struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static inline void pool_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    pool_status = op->status;
}

/* Settings are made by the test between pool_init and pool_up. */
static inline void pool_init(unsigned max)
{
    memset(&procs, 0, sizeof procs);
    memset(jobs, 0, sizeof jobs);
    procs.args = self();
    procs.max = max;
    over = open_jobs = 0;
    job_told = NULL;
    pool_status = 1;
}

static inline void pool_up(void)
{
    static bool counted;
    world_up(&w);
    if (!counted) { /* what libc and libuv open once and keep is there by now */
        world_close(&w);
        counted = true;
        world_up(&w);
    }
    descriptors = count_descriptors();
    weft_procs(root(), &procs, pool_over);
}

static inline void job_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    unsigned index = (unsigned)(weft_owner(op, struct weft_job, op) - jobs);
    order[over++] = index;
    open_jobs--;
    if (job_told != NULL)
        job_told(index);
    if (open_jobs == 0)
        weft_procs_close(&procs);
}

/* The next job: what to do. The text stays. */
static inline struct weft_job *ask(const char *what)
{
    struct weft_job *job = &jobs[over + open_jobs++];
    job->input = what;
    job->input_size = strlen(what);
    weft_job(root(), job, &procs, job_over);
    return job;
}

/* Until everything is over; nothing is left. */
static inline void pool_down(void)
{
    assert_int_equal(world_run(&w), 0);
    assert_true(is_childless());
    assert_int_equal(procs.workers, 0);
    assert_int_equal(procs.waiting, 0);
    assert_int_equal(procs.running, 0);
    assert_int_equal(count_descriptors(), descriptors);
    world_close(&w);
}

static inline void results_free(void)
{
    for (int i = 0; i < JOBS; i++)
        weft_job_free(&jobs[i]);
}

static inline bool result_is(const struct weft_job *job, const char *text)
{
    return weft_text_is(job->result, text);
}

#define assert_result(job, text)                                                                   \
    do {                                                                                           \
        assert_int_equal((job)->op.status, 0);                                                     \
        if (!result_is(job, text))                                                                 \
            fail_msg("result: %.*s", WEFT_TEXT_ARGS((job)->result));                               \
    } while (0)

#endif
