/* tests/lib/hook_world.h: what most tests of hooks begin with: a loop, two hooks that write down what
 * they are told, some ops, and begins whose names the logs show. Each program has its own. */
#ifndef TESTS_HOOK_WORLD_H
#define TESTS_HOOK_WORLD_H

#include "hook_log.h"
#include <string.h>
#include <weft/hook.h>

static struct world w;
static struct hook_log one, other;
static struct weft_op ops[12];

static inline struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static inline void fresh(void)
{
    w.loop.stuck_to = NULL; /* most ops here wait for the test */
    memset(ops, 0, sizeof ops);
    hook_log_init(&one);
    hook_log_init(&other);
}

/* On a virtual clock, first in, first out. */
static inline void up(void)
{
    world_up_sim(&w, 0);
    fresh();
}

/* In real time; shuffled if the environment says so. */
static inline void up_real(void)
{
    world_up(&w);
    fresh();
}

static inline void enable(struct hook_log *log)
{
    assert_int_equal(weft_hook_enable(&w.loop, &log->hook), 0);
}

static inline void scope(struct hook_log *log)
{
    assert_int_equal(weft_hook_scope(&w.loop, &log->hook), 0);
}

static inline void finish(struct weft_op *op)
{
    weft_finish(op, 0);
    world_run(&w);
}

/* Begins that leave it to the test to finish the op. */
static inline void a(struct weft_op *op)
{
    (void)op;
}
static inline void b(struct weft_op *op)
{
    (void)op;
}
static inline void c(struct weft_op *op)
{
    (void)op;
}
static inline void d(struct weft_op *op)
{
    (void)op;
}

#endif
