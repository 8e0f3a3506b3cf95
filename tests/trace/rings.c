/* Rings: what is forgotten is counted, and memory does not grow.
 * ctest: timeout=120 needs=hooks */
#include "fault.h"
#include "loop.h"
#include "scratch.h"
#include "valid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/alloc.h>
#include <weft/threads.h>
#include <weft/trace.h>

static char path[SCRATCH_PATH];

static int start(size_t events)
{
    scratch_new_path(path, "trace.json");
    return weft_trace_start(&(struct weft_trace_options){.path = path, .events = events});
}

static struct valid *stop(void)
{
    assert_int_equal(weft_trace_stop(), 0);
    return valid_trace(path);
}

/* An op after the other: each is four events. */
struct chain {
    struct weft_op op;
    unsigned long left;
};

static void next(struct weft_op *root, struct weft_op *op)
{
    struct chain *chain = weft_owner(op, struct chain, op);
    if (chain->left-- > 0)
        weft_run(root, op, finish_at_once, next);
}

static void run_chain(struct world *w, unsigned long count)
{
    struct chain chain = {.left = count - 1};
    weft_run(weft_root(&w->loop), &chain.op, finish_at_once, next);
    assert_int_equal(world_run(w), 0);
}

/* ---- overflow ------------------------------------------------------------------------------- */

/* All in all: the loop's init and destroy, and four for each op. */
static void overflow(size_t events, unsigned long ops)
{
    struct world w;
    assert_int_equal(start(events), 0);
    world_up(&w);
    run_chain(&w, ops);
    world_close(&w);
    struct valid *valid = stop();
    uint64_t all = 2 + 4 * ops;
    assert_int_equal(valid->kept, all < events ? all : events);
    assert_int_equal(valid->kept + valid->lost, all);
    valid_free(valid);
}

TEST(a_full_ring_forgets_the_oldest_and_counts_exactly)
{
    for (size_t events = 1; events < 40; events++)
        overflow(events, 8);
    overflow(34, 8); /* exactly full */
    overflow(1000, 2000);
    overflow(1009, 20000);
}

TEST(the_newest_are_kept)
{
    struct world w;
    assert_int_equal(start(9), 0);
    world_up(&w);
    run_chain(&w, 100);
    world_close(&w);
    struct valid *valid = stop();
    /* … init | post, destroy; pre, post, destroy of the last; the loop's destroy: it has no begin */
    assert_true(valid->begins >= 1);
    assert_int_equal(valid->unfinished, 0);
    assert_null(valid_find(valid, "b", "loop"));
    assert_null(valid_find(valid, "e", "loop"));
    valid_free(valid);
}

/* Whose post has lost its pre, in the middle of a callback of another loop that has not. */
static void run_another(struct weft_op *parent, struct weft_op *op)
{
    struct world inner;
    noted(parent, op);
    world_up(&inner);
    run_chain(&inner, 100);
    world_close(&inner);
}

TEST(an_end_whose_begin_was_forgotten_ends_nothing_else)
{
    for (size_t events = 5; events < 12; events++) {
        struct world w;
        struct weft_op op = {0};
        assert_int_equal(start(events), 0);
        world_up(&w);
        weft_run(weft_root(&w.loop), &op, fail_at_once, run_another);
        world_down(&w);
        struct valid *valid = stop();
        const struct json *call = valid_find(valid, "X", "fail_at_once");
        assert_non_null(call);
        int64_t end = valid_ns(call, "ts") + valid_ns(call, "dur");
        for (const struct json *it = valid->events->first; it != NULL; it = it->next) {
            if (weft_text_is(json_text(it, "name"), "finish_at_once"))
                assert_true(valid_ns(it, "ts") <= end);
        }
        valid_free(valid);
    }
}

/* ---- threads that end ------------------------------------------------------------------------ */

static int work(struct weft_thread_job *job)
{
    (void)job;
    return 0;
}

TEST(threads_that_come_and_go_leave_their_rings_to_others)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    struct weft_thread_job job = {.op = {0}};
    assert_int_equal(start(10000), 0);
    world_up(&w);
    for (int i = 0; i < 2 * WEFT_TRACE_RINGS; i++) {
        weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
        weft_thread_job(weft_root(&w.loop), &job, &pool, work, weft_ignore);
        weft_threads_close(&pool);
        assert_int_equal(world_run(&w), 0);
    }
    world_close(&w);
    struct valid *valid = stop();
    assert_int_equal(valid->work, 2 * WEFT_TRACE_RINGS);
    assert_int_equal(valid->lost, 0);
    valid_free(valid);
}

/* ---- memory --------------------------------------------------------------------------------- */

static long resident_kb(void)
{
    char line[200];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL)
        return 0;
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "VmRSS: %ld", &kb);
    fclose(status);
    return kb;
}

/* The first ops fill the ring once, so that all its pages are there. */
TEST(a_million_events_take_no_more_memory_than_a_thousand)
{
    struct world w;
    weft_fault_install();
    assert_int_equal(start(WEFT_TRACE_EVENTS), 0);
    world_up(&w);
    run_chain(&w, 250);
    unsigned long allocations = weft_fault_allocations(), bytes = weft_fault_live_bytes();
    run_chain(&w, WEFT_TRACE_EVENTS / 4);
    long before = resident_kb();
    run_chain(&w, 250000);
    assert_int_equal(weft_fault_allocations(), allocations);
    assert_int_equal(weft_fault_live_bytes(), bytes);
    long grown = resident_kb() - before;
    world_close(&w);
    assert_int_equal(weft_trace_stop(), 0);
    fault_remove();
    assert_in_range(grown < 0 ? 0 : grown, 0,
                    256); /* pages of the program that were not used yet */
}

/* An allocator whose blocks are full of something, and which looks at the largest when it goes. */
enum { MARK = 0x5a };

static struct {
    unsigned char *block;
    size_t size, untouched;
} largest;

static void *marked_alloc(size_t size, void *context)
{
    (void)context;
    unsigned char *block = malloc(size);
    if (block == NULL)
        return NULL;
    memset(block, MARK, size);
    if (size > largest.size) {
        largest.block = block;
        largest.size = size;
    }
    return block;
}

static void *marked_resize(void *block, size_t size, void *context)
{
    (void)context;
    return realloc(block, size);
}

static void marked_release(void *block, void *context)
{
    (void)context;
    if (block != NULL && block == largest.block) {
        for (size_t i = 0; i < largest.size; i++)
            largest.untouched += largest.block[i] == MARK;
        largest.block = NULL;
    }
    free(block);
}

TEST(of_a_ring_only_what_is_used_is_touched)
{
    struct world w;
    memset(&largest, 0, sizeof largest);
    weft_set_allocator(&(struct weft_allocator){marked_alloc, marked_resize, marked_release, NULL});
    assert_int_equal(start(WEFT_TRACE_EVENTS), 0);
    world_up(&w);
    run_chain(&w, 10);
    world_close(&w);
    int stopped = weft_trace_stop();
    weft_set_allocator(NULL);
    assert_int_equal(stopped, 0);
    assert_true(largest.size >= (size_t)WEFT_TRACE_EVENTS * 32);
    assert_true(largest.untouched > largest.size - 100 * 40);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->kept, 2 + 4 * 10);
    valid_free(valid);
}

TEST(loops_that_come_and_go_share_one_ring)
{
    struct world w;
    weft_fault_install();
    assert_int_equal(start(1000), 0);
    world_up(&w);
    run_chain(&w, 1);
    world_close(&w);
    unsigned long bytes = weft_fault_live_bytes();
    for (int i = 0; i < 100; i++) {
        world_up(&w);
        run_chain(&w, 1);
        world_close(&w);
    }
    assert_int_equal(weft_fault_live_bytes(), bytes);
    assert_int_equal(weft_trace_stop(), 0);
    fault_remove();
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->kept, 101 * 6);
    assert_int_equal(valid->lost, 0);
    valid_free(valid);
}

TEST(loops_beyond_the_last_ring_are_counted)
{
    enum { TOO_MANY = WEFT_TRACE_RINGS + 3 };
    static struct world worlds[TOO_MANY];
    assert_int_equal(start(10), 0);
    for (int i = 0; i < TOO_MANY; i++)
        world_up(&worlds[i]);
    assert_int_equal(weft_trace_loop(&worlds[TOO_MANY - 1].loop), UV_ENOSPC);
    world_close(&worlds[0]);
    assert_int_equal(weft_trace_loop(&worlds[TOO_MANY - 1].loop), 0);
    for (int i = 1; i < TOO_MANY; i++)
        world_close(&worlds[i]);
    struct valid *valid = stop();
    assert_int_equal(valid->begins, WEFT_TRACE_RINGS + 1);
    assert_int_equal((int)valid_number(json_get(valid->all, "otherData"), "unrecorded"), 3);
    valid_free(valid);
}

/* Three allocations: the spare ring at the start, what a loop needs, its ring. */
TEST(a_loop_without_memory_for_its_ring_loses_its_events)
{
    struct world one, two;
    weft_fault_install();
    assert_int_equal(start(100), 0);
    world_up(&one); /* takes the spare one */
    weft_fault_fail_at(2);
    world_up(&two);
    assert_true(weft_fault_hit());
    weft_fault_fail_at(0);
    run_chain(&two, 5);
    world_close(&two);
    world_close(&one);
    assert_int_equal(weft_trace_stop(), 0);
    fault_remove();
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->kept, 2);
    assert_int_equal(valid->lost, 2 + 4 * 5);
    valid_free(valid);
}
