/* The allocator, and what the core takes from it.
 * ctest: labels=valgrind */
#include "fault.h"
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/alloc.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct ledger {
    unsigned allocs, resizes, releases;
    size_t last;
};

static void *ledger_alloc(size_t size, void *context)
{
    ((struct ledger *)context)->allocs++;
    ((struct ledger *)context)->last = size;
    return malloc(size);
}

static void *ledger_resize(void *block, size_t size, void *context)
{
    ((struct ledger *)context)->resizes++;
    ((struct ledger *)context)->last = size;
    return realloc(block, size);
}

static void ledger_release(void *block, void *context)
{
    ((struct ledger *)context)->releases++;
    free(block);
}

TEST(memory_comes_from_the_allocator_that_was_set)
{
    struct ledger ledger = {0};
    struct weft_allocator allocator = {ledger_alloc, ledger_resize, ledger_release, &ledger};
    assert_int_equal(weft_set_allocator(&allocator), 0);
    memset(&allocator, 0, sizeof allocator); /* it was copied */
    char *block = weft_alloc(10);
    assert_int_equal(ledger.allocs, 1);
    assert_int_equal(ledger.last, 10);
    memset(block, 'x', 10);
    block = weft_realloc(block, 20);
    assert_int_equal(ledger.resizes, 1);
    assert_memory_equal(block, "xxxxxxxxxx", 10);
    weft_free(block);
    weft_free(NULL);
    assert_int_equal(ledger.releases, 2);
    assert_int_equal(weft_set_allocator(NULL), 0);
    weft_free(weft_alloc(1));
    assert_int_equal(ledger.allocs, 1);
}

TEST(an_allocator_needs_all_three_functions)
{
    struct ledger ledger = {0};
    for (int missing = 0; missing < 3; missing++) {
        struct weft_allocator allocator = {ledger_alloc, ledger_resize, ledger_release, &ledger};
        if (missing == 0)
            allocator.alloc = NULL;
        else if (missing == 1)
            allocator.resize = NULL;
        else
            allocator.release = NULL;
        assert_int_equal(weft_set_allocator(&allocator), UV_EINVAL);
        weft_free(weft_alloc(1)); /* the one before is still there */
    }
    assert_int_equal(ledger.allocs, 0);
}

TEST(malloc_is_what_there_is_at_first)
{
    char *block = weft_alloc(3);
    assert_non_null(block);
    memcpy(block, "ab", 3);
    block = weft_realloc(block, 1000);
    assert_string_equal(block, "ab");
    weft_free(block);
    block = weft_realloc(NULL, 5);
    assert_non_null(block);
    weft_free(block);
    weft_free(NULL);
}

TEST(calloc_gives_zeroes)
{
    weft_fault_install();
    char *dirty = weft_alloc(64);
    memset(dirty, 0xa5, 64);
    weft_free(dirty);
    char *block = weft_calloc(8, 8);
    for (int i = 0; i < 64; i++)
        assert_int_equal(block[i], 0);
    weft_free(block);
    fault_remove();
}

TEST(calloc_refuses_a_product_that_overflows)
{
    weft_fault_install();
    assert_null(weft_calloc(SIZE_MAX, 2));
    assert_null(weft_calloc(2, SIZE_MAX));
    assert_null(weft_calloc(SIZE_MAX / 2 + 1, 2));
    assert_null(weft_calloc((size_t)1 << 33, (size_t)1 << 33));
    assert_int_equal(weft_fault_allocations(), 0); /* nobody was asked */
    fault_remove();
}

TEST(a_size_of_0_is_a_block_like_any_other)
{
    void *a = weft_alloc(0), *b = weft_calloc(0, 8), *c = weft_calloc(8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    a = weft_realloc(a, 0);
    assert_non_null(a);
    weft_free(a);
    weft_free(b);
    weft_free(c);
}

/* ---- the core ------------------------------------------------------------------------------- */

static void make_a_loop(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    (void)n;
    assert_int_equal(uv_loop_init(&uv), 0);
    memset(&loop, 0xa5, sizeof loop);
    int status = weft_loop_init(&loop, &uv);
    if (weft_fault_hit())
        assert_int_equal(status, UV_ENOMEM);
    else
        assert_int_equal(status, 0);
    assert_int_equal(weft_loop_close(&loop), 0); /* also what was half built */
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(a_loop_survives_running_out_of_memory)
{
    fault_ladder(make_a_loop);
    assert_int_equal(fault_ladder_height(), 1);
}

TEST(ops_timers_deadlines_and_queues_allocate_nothing)
{
    weft_fault_install();
    struct world w;
    world_up_sim(&w, 0);
    unsigned long before = weft_fault_allocations();
    struct weft_queue queue;
    struct weft_sleep naps[50];
    struct weft_deadline deadlines[50];
    memset(naps, 0, sizeof naps);
    memset(deadlines, 0, sizeof deadlines);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 3), 0);
    for (int i = 0; i < 50; i++) {
        naps[i].ms = (uint64_t)i;
        weft_queue_push(&queue, weft_root(&w.loop), &naps[i].op, weft_sleep_begin, noted);
        weft_deadline(&naps[i].op, &deadlines[i], 100);
    }
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.calls, 50);
    assert_int_equal(weft_fault_allocations(), before);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    fault_remove();
}
