/* Settle: all outcomes, an error ends nothing.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { MANY = 20, SLOTS = 4, UNTOUCHED = 1 };

static struct world w;
static struct herd {
    struct weft_settle settle;
    int statuses[MANY];
    struct job slots[SLOTS];
    struct job plan[MANY];
    size_t count, asked;
    unsigned stored[MANY];
    size_t ends_at; /* the store ends it there, with ends_with */
    int ends_with;
} herd;

static void up(size_t count)
{
    model_up(&w);
    memset(&herd, 0, sizeof herd);
    herd.count = count;
    herd.ends_at = SIZE_MAX;
    herd.settle.count = herd.settle.failed = 77; /* what an earlier run has left */
    for (size_t i = 0; i < MANY; i++)
        herd.statuses[i] = UNTOUCHED;
}

static bool next_job(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &herd.settle.each.op);
    herd.asked++;
    if (index >= herd.count)
        return false;
    job_follow(job_of(slot), &herd.plan[index % MANY], index);
    return true;
}

static void store(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    assert_ptr_equal(each, &herd.settle.each.op);
    assert_int_equal(slot->status, 0);
    assert_int_equal(index, weft_index(slot));
    assert_int_equal(index, job_of(slot)->id);
    herd.stored[index]++;
    if (index == herd.ends_at)
        weft_end(each, herd.ends_with);
}

static struct weft_slots some_slots(size_t count)
{
    return weft_slots(&herd.slots[0].op, sizeof(struct job), count);
}

static void run(size_t slots, size_t capacity)
{
    weft_settle(weft_root(&w.loop), &herd.settle, some_slots(slots), next_job, job_begin, store,
                herd.statuses, capacity, noted);
}

TEST(nothing_is_settled_too)
{
    up(0);
    run(2, 0);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.settle.count, 0);
    assert_int_equal(herd.settle.failed, 0);
}

TEST(all_outcomes_are_there_in_input_order_whatever_finishes_first)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        up(MANY);
        weft_loop_shuffle(&w.loop, seed);
        struct dice dice = {seed + 1};
        size_t failed = 0;
        for (size_t i = 0; i < MANY; i++) {
            herd.plan[i].ms = roll(&dice, 6);
            herd.plan[i].status = chance(&dice, 2) ? 0 : -1 - (int)roll(&dice, 50);
            failed += herd.plan[i].status != 0;
        }
        run(1 + seed % SLOTS, MANY);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(herd.settle.count, MANY);
        assert_int_equal(herd.settle.failed, failed);
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(herd.statuses[i], herd.plan[i].status);
            assert_int_equal(herd.stored[i], herd.plan[i].status == 0);
        }
    }
}

TEST(all_may_fail)
{
    up(5);
    for (size_t i = 0; i < 5; i++)
        herd.plan[i].status = UV_EIO;
    weft_settle(weft_root(&w.loop), &herd.settle, some_slots(2), next_job, job_begin, NULL,
                herd.statuses, MANY, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.settle.failed, 5);
    assert_int_equal(herd.statuses[5], UNTOUCHED);
}

TEST(store_may_be_null)
{
    up(5);
    weft_settle(weft_root(&w.loop), &herd.settle, some_slots(2), next_job, job_begin, NULL,
                herd.statuses, MANY, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.settle.count, 5);
    assert_int_equal(herd.settle.failed, 0);
}

TEST(as_many_items_as_there_is_room_for_are_no_error)
{
    up(3);
    run(2, 3);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.asked, 4);
    assert_int_equal(herd.settle.count, 3);
}

TEST(an_item_without_room_is_not_begun_and_ends_it)
{
    up(MANY);
    herd.plan[0] = (struct job){.ms = 2};
    herd.plan[1] = (struct job){.ms = 5, .linger_ms = 2};
    herd.plan[2] = (struct job){.ms = 1, .status = UV_EIO};
    run(2, 3);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_int_equal(jobs.begun, 3);
    assert_int_equal(herd.asked, 4);
    assert_int_equal(herd.statuses[0], 0);
    assert_int_equal(herd.statuses[1], UV_ECANCELED);
    assert_int_equal(herd.statuses[2], UV_EIO);
    assert_int_equal(herd.statuses[3], UNTOUCHED);
    assert_int_equal(herd.settle.count, 3);
    assert_int_equal(herd.settle.failed, 2);
    assert_int_equal(w.sim.now_, 3 + 2);
}

TEST(without_any_room_the_first_item_ends_it)
{
    up(MANY);
    run(SIZE_MAX, 0);
    world_down(&w);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_int_equal(jobs.begun, 0);
}

TEST(a_settle_that_is_cancelled_midway_says_how_each_went_that_was_begun)
{
    up(MANY);
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i] = (struct job){.ms = 4, .linger_ms = 3};
    herd.plan[1].status = UV_EIO;
    run(3, MANY);
    weft_sim_advance(&w.sim, 5);
    weft_cancel(&herd.settle.each.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(herd.settle.count, 6);
    assert_int_equal(herd.settle.failed, 4);
    assert_int_equal(herd.statuses[0], 0);
    assert_int_equal(herd.statuses[1], UV_EIO);
    for (size_t i = 3; i < 6; i++)
        assert_int_equal(herd.statuses[i], UV_ETIMEDOUT);
    assert_int_equal(herd.statuses[6], UNTOUCHED);
}

TEST(a_settle_under_a_cancelled_parent_begins_nothing)
{
    up(3);
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, NULL);
    weft_cancel(&parent, UV_EINTR);
    weft_settle(&parent, &herd.settle, some_slots(2), next_job, job_begin, store, herd.statuses,
                MANY, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(herd.settle.count, 0);
    assert_int_equal(herd.settle.failed, 0);
    assert_int_equal(herd.asked, 0);
}

TEST(a_store_may_end_it_early_and_well)
{
    up(MANY);
    herd.ends_at = 3;
    run(1, MANY);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.settle.count, 4);
    assert_int_equal(herd.statuses[3], 0);
    assert_int_equal(herd.statuses[4], UNTOUCHED);
}

TEST(a_store_may_end_it_with_an_error_and_the_first_stands)
{
    up(MANY);
    herd.ends_at = 0;
    herd.ends_with = UV_EACCES;
    herd.plan[1] = (struct job){.ms = 1, .status = UV_EIO};
    run(2, MANY);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EACCES);
}

TEST(wrong_arguments_are_refused)
{
    up(3);
    struct weft_op *root = weft_root(&w.loop);
    unsigned calls = 0;
    for (int wrong = 0; wrong < 4; wrong++) {
        herd.settle.count = 77;
        weft_settle(root, &herd.settle, some_slots(wrong == 0 ? 0 : 2),
                    wrong == 1 ? NULL : next_job, wrong == 2 ? NULL : job_begin, store,
                    wrong == 3 ? NULL : herd.statuses, MANY, noted);
        assert_int_equal(seen.calls, calls++);
        world_run(&w);
        assert_int_equal(seen.calls, calls);
        assert_int_equal(seen.status, UV_EINVAL);
        assert_int_equal(herd.settle.count, 0);
    }
    world_down(&w);
    assert_int_equal(herd.asked, 0);
}

TEST(a_settle_filled_in_by_hand_runs_in_a_queue_twice)
{
    up(5);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    herd.plan[2].status = UV_EIO;
    herd.settle.store = store;
    herd.settle.statuses = herd.statuses;
    herd.settle.capacity = 5;
    herd.settle.each.slots = some_slots(2);
    herd.settle.each.source.next = next_job;
    herd.settle.each.begin = job_begin;
    for (int round = 0; round < 2; round++) {
        seen.calls = 0;
        weft_queue_push(&queue, weft_root(&w.loop), &herd.settle.each.op, weft_settle_begin, noted);
        world_run(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(herd.settle.count, 5);
        assert_int_equal(herd.settle.failed, 1);
    }
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(what_was_a_settle_may_be_an_each_without_its_room)
{
    up(5);
    run(2, 2);
    world_run(&w);
    assert_int_equal(seen.status, UV_ENOBUFS);
    weft_each(weft_root(&w.loop), &herd.settle.each, some_slots(2), next_job, job_begin, NULL,
              noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

enum { LOTS = 1000000 };
static int lots[LOTS];

static bool next_of_lots(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    job_of(slot)->status = index % 2 == 0 ? 0 : UV_EIO;
    return index < LOTS;
}

static void settle_lots(void)
{
    up(0);
    weft_settle(weft_root(&w.loop), &herd.settle, some_slots(3), next_of_lots, job_begin, NULL,
                lots, LOTS, noted);
    world_down(&w);
}

TEST(a_million_synchronous_items_are_settled)
{
    on_a_small_stack(settle_lots);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.settle.failed, LOTS / 2);
}

TEST(the_site_of_a_settle_is_the_users_line)
{
    up(0);
    run(1, 1);
    assert_string_equal(herd.settle.each.op.site_->type, "settle");
    assert_string_equal(herd.settle.each.item_site_->type, "job_begin");
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_settle settle;
    int statuses[4];
    struct job slots[2];
    size_t items;
};

static bool next_provided(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    job_of(slot)->ms = 1;
    job_of(slot)->status = index == 1 ? UV_EIO : 0;
    return index < weft_owner(slot->parent, struct provided, settle.each.op)->items;
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->settle.statuses = provided->statuses;
    provided->settle.capacity = 4;
    provided->settle.each.slots = WEFT_SLOTS(provided->slots, op);
    provided->settle.each.source.next = next_provided;
    provided->settle.each.begin = job_begin;
    provided->items = 4;
}

static void bad(void *storage)
{
    good(storage);
    ((struct provided *)storage)->items = 5;
}

static void verify(void *storage)
{
    const struct provided *provided = storage;
    assert_int_equal(provided->settle.count, 4);
    assert_int_equal(provided->settle.failed, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(provided->statuses[i], i == 1 ? UV_EIO : 0);
}

static const struct weft_provider settle_provider = {
    .name = "settle",
    WEFT_PROVIDER_OP(struct provided, settle.each.op),
    .begin = weft_settle_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_ENOBUFS,
    .nothing_status = UV_EINVAL,
    .verify = verify,
};

TEST(a_settle_conforms)
{
    provider_check(&settle_provider);
}
