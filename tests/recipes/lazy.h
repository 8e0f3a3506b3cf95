/* What the tests of the lazy share: a component whose initialisation is a job, and calls to it that
 * leave their numbers behind when they begin, and their outcomes when they end. */
#ifndef TESTS_RECIPES_LAZY_H
#define TESTS_RECIPES_LAZY_H

#include "model.h"
#include <string.h>
#include <weft/lazy.h>

/* A component; its initialisation is a job below the promise. */
struct db {
    struct weft_lazy lazy;
    struct job job;
    unsigned begun;
};

/* A call: a job, with something to do in its begin. */
struct call {
    struct job job;
    void (*act)(struct call *call);
};

enum { CALLS = 6 };

static struct world w;
static struct db db;
static struct call calls[CALLS];
static struct weft_lazy_init inits[3];

static inline struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static inline void db_up(struct weft_op *op, struct weft_op *job)
{
    weft_end(op, job->status);
}

static inline void db_begin(struct weft_op *op)
{
    struct db *it = weft_owner(op, struct db, lazy.promise.op);
    it->begun++;
    weft_run(op, &it->job.op, job_begin, db_up);
}

static inline void call_begin(struct weft_op *op)
{
    struct call *call = weft_owner(op, struct call, job.op);
    assert_true(db.lazy.initialized);
    leave("%d", call->job.id);
    if (call->act != NULL)
        call->act(call);
    if (call->job.begun == 0) /* it may have begun, or ended, by its own hand */
        job_begin(op);
}

static inline void call_over(struct weft_op *parent, struct weft_op *op)
{
    leave("%d:%s", job_of(op)->id, op->status == 0 ? "ok" : weft_error_name(op->status));
    job_over(parent, op);
}

static inline void told_of_init(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct weft_lazy_init *init = weft_owner(op, struct weft_lazy_init, await.op);
    leave("init%d:%s", (int)(init - inits), op->status == 0 ? "ok" : weft_error_name(op->status));
}

static inline void up_with(uint64_t ms, int status)
{
    model_up(&w);
    w.loop.stuck_to = NULL; /* some run a loop whose calls wait for them */
    memset(calls, 0, sizeof calls);
    memset(inits, 0, sizeof inits);
    for (int i = 0; i < CALLS; i++)
        calls[i].job.id = i;
    db = (struct db){.lazy = {.owner = root(), .begin = db_begin},
                     .job = {.ms = ms, .status = status, .id = 99}};
    assert_int_equal(weft_lazy_open(&db.lazy), 0);
}

static inline void up(void)
{
    up_with(5, 0);
}

static inline void down(void)
{
    world_run(&w);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    world_down(&w);
}

static inline void make_call(int i)
{
    weft_lazy_run(root(), &calls[i].job.op, &db.lazy, call_begin, call_over);
}

static inline void ask(int i)
{
    weft_lazy_init(root(), &inits[i], &db.lazy, told_of_init);
}

#define left(words) assert_string_equal(trail, words)

#endif
