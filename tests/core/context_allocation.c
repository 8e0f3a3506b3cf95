/* Nothing is allocated for an event: a hook of four functions is told of 100,000 ops, and an op
 * that inherits a context costs no memory either. Counted at weft's own allocator.
 * ctest: needs=hooks */
#include "fault.h"
#include "loop.h"
#include <string.h>
#include <weft/context.h>
#include <weft/hook.h>

enum { OPS = 100000, WARM_UP = 1000 };

static struct world w;
static struct weft_op parent, chain;
static unsigned left;

static struct counts {
    unsigned init, pre, post, destroy;
} counts;

static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t above,
                 void *resource)
{
    (void)hook, (void)id, (void)site, (void)above, (void)resource;
    counts.init++;
}

static void pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id, (void)entry;
    counts.pre++;
}

static void post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
    counts.post++;
}

static void destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook, (void)id;
    counts.destroy++;
}

static struct weft_hook hook = {.init = init, .pre = pre, .post = post, .destroy = destroy};
static struct weft_key key = {.name = "value"};

static void again(struct weft_op *above, struct weft_op *op)
{
    if (--left > 0)
        weft_run(above, op, finish_at_once, again);
}

static void run_ops(unsigned ops)
{
    left = ops;
    weft_run(&parent, &chain, finish_at_once, again);
    weft_loop_run(&w.loop); /* parent waits for us */
    assert_int_equal(left, 0);
}

static void counting_up(void)
{
    weft_fault_install();
    world_up(&w);
    w.loop.stuck_to = NULL;
    counts = (struct counts){0};
    memset(&parent, 0, sizeof parent);
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
}

/* The first ops may make room for all that follow. */
static void count_allocations(void)
{
    run_ops(WARM_UP);
    weft_fault_fail_at(0); /* counts from here */
    run_ops(OPS);
    assert_int_equal(weft_fault_allocations(), 0);
}

static void counting_down(void)
{
    weft_finish(&parent, 0);
    world_down(&w);
    fault_remove();
}

TEST(nothing_is_allocated_for_an_event)
{
    counting_up();
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    unsigned before = counts.init;
    count_allocations();
    assert_int_equal(counts.init - before, WARM_UP + OPS);
    assert_int_equal(counts.pre, WARM_UP + OPS);
    assert_int_equal(counts.post, WARM_UP + OPS);
    assert_int_equal(counts.destroy, WARM_UP + OPS);
    weft_hook_remove(&hook);
    counting_down();
}

TEST(nothing_is_allocated_for_an_op_that_inherits_a_context)
{
    int value;
    counting_up();
    assert_int_equal(weft_context_set(&parent, &key, &value), 0);
    count_allocations();
    counting_down();
}
