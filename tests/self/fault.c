/* The counting allocator and the ladder.
 * ctest: labels=threads,valgrind */
#include "check.h"
#include "fault.h"
#include <pthread.h>
#include <string.h>
#include <weft/alloc.h>

TEST(the_allocation_that_is_named_fails_and_no_other)
{
    weft_fault_install();
    weft_fault_fail_at(2);
    void *first = weft_alloc(10);
    void *second = weft_alloc(10);
    void *third = weft_calloc(2, 10);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_true(weft_fault_hit());
    assert_int_equal(weft_fault_allocations(), 3);
    assert_int_equal(weft_fault_live(), 2);
    assert_int_equal(weft_fault_live_bytes(), 30);
    weft_free(first);
    weft_free(third);
    fault_remove();
}

TEST(a_resize_is_counted_and_keeps_what_was_there)
{
    weft_fault_install();
    char *text = weft_alloc(4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    weft_fault_fail_at(2);
    text = weft_realloc(text, 1000);
    assert_non_null(text);
    assert_string_equal(text, "abc");
    assert_int_equal(weft_fault_live_bytes(), 1000);
    assert_null(weft_realloc(text, 2000));
    assert_string_equal(text, "abc");
    text = weft_realloc(text, 5);
    assert_int_equal(weft_fault_live(), 1);
    assert_int_equal(weft_fault_live_bytes(), 5);
    weft_free(text);
    fault_remove();
}

static unsigned climbed;

static void take_three(unsigned long n)
{
    assert_int_equal(n, ++climbed);
    void *blocks[3] = {weft_alloc(1), weft_alloc(2), weft_alloc(3)};
    for (int i = 0; i < 3; i++)
        weft_free(blocks[i]);
}

TEST(the_ladder_has_a_rung_for_each_allocation)
{
    climbed = 0;
    fault_ladder(take_three);
    assert_int_equal(fault_ladder_height(), 3);
    assert_int_equal(climbed, 4);
}

static void *lost;

static void leak_when_the_second_fails(unsigned long n)
{
    (void)n;
    void *first = weft_alloc(1);
    void *second = weft_alloc(1);
    if (first != NULL && second == NULL) {
        lost = first;
        return;
    }
    weft_free(first);
    weft_free(second);
}

static void climb_and_leak(void)
{
    fault_ladder(leak_when_the_second_fails);
}

TEST(the_ladder_notices_a_leak)
{
    dies(climb_and_leak, "allocation 2 failed: 1 blocks, 1 bytes are left");
}

static void release_twice(void)
{
    static char stranger[64];
    weft_fault_install();
    weft_free(stranger + 32);
}

TEST(a_block_of_somebody_elses_is_noticed)
{
    dies(release_twice, "is not a live block");
}

enum { THREADS = 4, ROUNDS = 2000 };

static void *churn(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++)
        weft_free(weft_alloc(16));
    return NULL;
}

TEST(threads_may_allocate_at_once)
{
    weft_fault_install();
    weft_fault_fail_at(THREADS * ROUNDS / 2);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(weft_fault_allocations(), THREADS * ROUNDS);
    assert_true(weft_fault_hit());
    fault_remove();
}
