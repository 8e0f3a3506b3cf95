/* Who speaks of what is not there yet. */
#include "check.h"
#include "fault.h"
#include "offline/waits.h"
#include <string.h>
#include <weft/alloc.h>

static enum waits_state states[100];
static uint32_t told[100];
static size_t count;

static enum waits_state look(void *context, uint32_t id)
{
    (void)context;
    return states[id];
}

static void tell(void *context, uint32_t page)
{
    (void)context;
    told[count++ % 100] = page;
}

static void begin(struct waits *waits)
{
    memset(waits, 0, sizeof *waits);
    memset(states, 0, sizeof states); /* all are open */
    count = 0;
}

TEST(only_pages_that_were_wrong_are_told)
{
    struct waits waits;
    begin(&waits);
    waits_for(&waits, 7, 1, true);
    waits_for(&waits, 8, 1, true);
    waits_for(&waits, 8, 2, false);
    waits_for(&waits, 9, 3, false);
    states[7] = WAITS_THERE;
    states[8] = WAITS_NOT_THERE;
    states[9] = WAITS_THERE;
    waits_collect(&waits, false, look, tell, NULL);
    assert_int_equal(count, 2);
    assert_int_equal(told[0], 1);
    assert_int_equal(told[1], 3);
    assert_int_equal(waits.known.count, 0);
    waits_free(&waits);
}

TEST(what_is_open_is_kept_until_the_end)
{
    struct waits waits;
    begin(&waits);
    waits_for(&waits, 7, 1, true);
    waits_for(&waits, 8, 2, false);
    waits_collect(&waits, false, look, tell, NULL);
    assert_int_equal(count, 0);
    assert_int_equal(waits.known.count, 2);
    waits_collect(&waits, true, look, tell, NULL);
    assert_int_equal(count, 1); /* it was written as if it were there, and never came */
    assert_int_equal(told[0], 1);
    assert_int_equal(waits.known.count, 0);
    waits_free(&waits);
}

TEST(a_file_that_has_another_name_is_wrong_for_all_who_speak_of_it)
{
    struct waits waits;
    begin(&waits);
    waits_for(&waits, 7, 1, true);
    waits_for(&waits, 8, 2, true);
    states[7] = states[8] = WAITS_THERE;
    waits_renamed(&waits, 7);
    assert_true(waits_is_renamed(&waits, 7));
    assert_false(waits_is_renamed(&waits, 8));
    waits_collect(&waits, false, look, tell, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(told[0], 1);
    waits_free(&waits);
}

TEST(what_nobody_wanted_may_come_after_all)
{
    struct waits waits;
    begin(&waits);
    waits_for_far(&waits, UINT64_C(0x1234567800000000), 1);
    waits_for_far(&waits, UINT64_C(0x0000765400000000), 2);
    assert_false(waits_came(&waits, UINT64_C(0x0000000900000000)));
    waits_collect(&waits, false, look, tell, NULL);
    assert_int_equal(count, 0);
    assert_true(waits_came(&waits, UINT64_C(0x1234567800000000)));
    waits_collect(&waits, false, look, tell, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(told[0], 1);
    assert_int_equal(waits.far.count, 1);
    waits_collect(&waits, true, look, tell, NULL);
    assert_int_equal(count, 1);
    waits_free(&waits);
}

TEST(a_page_with_many_links_to_one_place_waits_once)
{
    struct waits waits;
    begin(&waits);
    for (int i = 0; i < 100; i++)
        waits_for(&waits, 7, 1, true);
    assert_int_equal(waits.known.count, 1);
    waits_free(&waits);
}

static void without_memory(unsigned long n)
{
    struct waits waits;
    (void)n;
    begin(&waits);
    waits_for(&waits, 7, 1, true);
    waits_for_far(&waits, 9, 2);
    waits_renamed(&waits, 8);
    waits_came(&waits, 9);
    waits_collect(&waits, true, look, tell, NULL);
    assert_true(waits.lost || count == 2);
    waits_free(&waits);
}

TEST(what_cannot_be_noted_is_known_to_be_lost)
{
    fault_ladder(without_memory);
}
