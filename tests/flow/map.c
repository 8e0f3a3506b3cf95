/* Map: an each that keeps results, in input order whatever finishes first.
 * ctest: labels=valgrind-long */
#include "model.h"
#include <string.h>
#include <weft/flow.h>

enum { COUNT = 50, SLOTS = 7 };

static struct world w;
static struct weft_each map;
static struct job slots[SLOTS];
static size_t results[COUNT], stored[COUNT], wanted;
static int status_of[COUNT];

static void up(size_t count)
{
    model_up(&w);
    memset(&map, 0, sizeof map);
    memset(slots, 0, sizeof slots);
    memset(results, 0, sizeof results);
    memset(stored, 0, sizeof stored);
    memset(status_of, 0, sizeof status_of);
    wanted = count;
}

static bool next_square(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    if (index == wanted)
        return false;
    *job_of(slot) = (struct job){.id = (int)index};
    job_of(slot)->ms = index * 37 % 11;
    job_of(slot)->status = status_of[index];
    return true;
}

static void store_square(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &map.op);
    assert_int_equal(index, job_of(slot)->id);
    assert_int_equal(slot->status, 0);
    results[index] = index * index;
    stored[index]++;
    leave("%zu", index);
}

static void run(void)
{
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, job_begin, store_square,
             noted);
}

TEST(a_map_of_nothing_finishes_with_0)
{
    up(0);
    run();
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "");
}

TEST(a_map_of_one_stores_one)
{
    up(1);
    run();
    world_down(&w);
    assert_string_equal(trail, "0 ");
}

TEST(results_land_in_input_order_whatever_finishes_first)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        up(COUNT);
        weft_loop_shuffle(&w.loop, seed);
        run();
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_int_equal(jobs.most, SLOTS);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(stored[i], 1);
            assert_int_equal(results[i], i * i);
        }
    }
}

TEST(the_order_of_finishing_was_indeed_another_one)
{
    up(5);
    run(); /* after 0, 4, 8, 1 and 5 ms */
    world_down(&w);
    assert_string_equal(trail, "0 3 1 4 2 ");
}

TEST(the_first_error_ends_a_map_and_a_failed_item_is_not_stored)
{
    up(COUNT);
    status_of[9] = UV_EIO;
    run();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(stored[9], 0);
    assert_int_equal(jobs.running, 0);
    assert_true(jobs.begun < COUNT);
}

TEST(a_map_of_which_the_last_item_fails_has_stored_the_others)
{
    up(3);
    status_of[2] = UV_EIO; /* after 8 ms: the others are done */
    run();
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(two_errors_of_a_map_are_reported_once)
{
    up(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        status_of[i] = UV_EIO;
    run();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_string_equal(trail, "");
}

TEST(a_map_that_is_cancelled_stores_only_what_succeeded)
{
    up(COUNT);
    run();
    weft_sim_advance(&w.sim, 3);
    weft_cancel(&map.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
    size_t sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += stored[i];
    assert_int_equal(sum, jobs.begun - jobs.cancelled);
}

static void store_and_stop(struct weft_op *slot)
{
    store_square(slot);
    if (weft_index(slot) == 4)
        weft_end(slot->parent, 0);
}

TEST(store_may_end_a_map_early_and_well)
{
    up(COUNT);
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, job_begin,
             store_and_stop, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(stored[4], 1);
    assert_true(jobs.begun < COUNT);
}

TEST(a_map_without_store_is_an_each_that_the_first_error_ends)
{
    up(COUNT);
    status_of[COUNT - 1] = UV_EIO;
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, job_begin, NULL, noted);
    world_down(&w);
    assert_int_equal(jobs.begun, COUNT);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_map_without_a_begin_or_a_source_is_invalid)
{
    up(1);
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, NULL, store_square,
             noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), (weft_next_fn *)NULL, job_begin,
             store_square, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, UV_EINVAL);
}

static void forbidden(struct weft_op *op, struct weft_op *slot)
{
    (void)op;
    (void)slot;
    fail_msg("done was called in a map");
}

TEST(a_struct_that_was_an_each_before_is_a_map_now_and_the_other_way_round)
{
    up(2);
    map.done = forbidden;
    run();
    world_run(&w);
    assert_string_equal(trail, "0 1 ");
    weft_each(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, job_begin, NULL, noted);
    world_down(&w);
    assert_string_equal(trail, "0 1 ");
}

TEST(the_site_of_a_map_and_of_its_slots_is_the_users_line)
{
    up(1);
    int line = __LINE__ + 1;
    weft_map(weft_root(&w.loop), &map, WEFT_SLOTS(slots, op), next_square, job_begin, NULL, noted);
    assert_string_equal(map.op.site_->type, "map");
    assert_int_equal(map.op.site_->line, line);
    assert_int_equal(map.op.site_->group, WEFT_FLOW);
    assert_string_equal(slots[0].op.site_->type, "job_begin");
    assert_int_equal(slots[0].op.site_->line, line);
    world_down(&w);
}
