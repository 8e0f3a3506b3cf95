/* Filter, reject, sort_by and group_by: which items, and in which order.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "flow/sort.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { MANY = 40, SLOTS = 4 };

static struct world w;
static struct herd {
    struct weft_pick pick;
    struct weft_picked list[MANY];
    struct job slots[SLOTS];
    struct job plan[MANY];
    bool passes[MANY];
    int64_t keys[MANY];
    size_t count, asked;
    unsigned tested[MANY];
    size_t ends_at; /* the test ends it there, with ends_with */
    int ends_with;
} herd;

static void up(size_t count)
{
    model_up(&w);
    memset(&herd, 0, sizeof herd);
    herd.count = count;
    herd.ends_at = SIZE_MAX;
    herd.pick.count = 77; /* what an earlier run has left */
}

static bool next_job(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &herd.pick.each.op);
    herd.asked++;
    if (index >= herd.count)
        return false;
    job_follow(job_of(slot), &herd.plan[index], index);
    return true;
}

static bool test(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &herd.pick.each.op);
    assert_int_equal(slot->status, 0);
    assert_int_equal(index, job_of(slot)->id);
    herd.tested[index]++;
    if (index == herd.ends_at)
        weft_end(slot->parent, herd.ends_with);
    return herd.passes[index];
}

static int64_t key(struct weft_op *slot)
{
    herd.tested[weft_index(slot)]++;
    return herd.keys[weft_index(slot)];
}

static struct weft_slots some_slots(size_t count)
{
    return weft_slots(&herd.slots[0].op, sizeof(struct job), count);
}

static void filter(size_t slots, size_t capacity)
{
    weft_filter(weft_root(&w.loop), &herd.pick, some_slots(slots), next_job, job_begin, test,
                weft_picks(herd.list, capacity), noted);
}

static void sort_by(size_t slots)
{
    weft_sort_by(weft_root(&w.loop), &herd.pick, some_slots(slots), next_job, job_begin, key,
                 WEFT_PICKS(herd.list), noted);
}

static const char *picked(void)
{
    trail[0] = '\0';
    for (size_t i = 0; i < herd.pick.count; i++)
        leave("%zu", herd.pick.picks.list[i].index);
    return trail;
}

static void draw_plan(uint64_t seed)
{
    struct dice dice = {seed + 1};
    for (size_t i = 0; i < MANY; i++) {
        herd.plan[i].ms = roll(&dice, 6);
        herd.passes[i] = chance(&dice, 2);
        herd.keys[i] = between(&dice, -4, 4);
    }
}

/* ---- filter and reject ---------------------------------------------------------------------- */

TEST(a_filter_of_nothing_picks_nothing)
{
    up(0);
    filter(2, MANY);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.pick.count, 0);
}

static void filter_or_reject(bool reject)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        up(MANY);
        weft_loop_shuffle(&w.loop, seed);
        draw_plan(seed);
        if (reject)
            weft_reject(weft_root(&w.loop), &herd.pick, some_slots(1 + seed % SLOTS), next_job,
                        job_begin, test, WEFT_PICKS(herd.list), noted);
        else
            filter(1 + seed % SLOTS, MANY);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        size_t at = 0;
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(herd.tested[i], 1);
            if (herd.passes[i] == reject)
                continue;
            assert_int_equal(herd.list[at].index, i);
            assert_int_equal(herd.list[at++].key, 0);
        }
        assert_int_equal(herd.pick.count, at);
    }
}

TEST(a_filter_picks_what_passes_in_input_order_whatever_finishes_first)
{
    filter_or_reject(false);
}

TEST(a_reject_picks_what_does_not_pass_in_input_order)
{
    filter_or_reject(true);
}

TEST(picks_that_fill_the_list_are_no_error)
{
    up(5);
    herd.passes[1] = herd.passes[3] = herd.passes[4] = true;
    filter(2, 3);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(picked(), "1 3 4 ");
}

TEST(more_picks_than_there_is_room_for_end_it)
{
    up(MANY);
    memset(herd.passes, true, sizeof herd.passes);
    herd.list[3].index = 99;
    filter(1, 3);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_string_equal(picked(), "0 1 2 ");
    assert_int_equal(herd.list[3].index, 99);
    assert_int_equal(jobs.begun, 4);
}

static bool pass_and_end(struct weft_op *slot)
{
    if (weft_index(slot) == 1)
        weft_end(slot->parent, 0);
    return true;
}

TEST(an_item_that_ends_it_and_finds_no_room_is_no_success)
{
    up(3);
    weft_filter(weft_root(&w.loop), &herd.pick, some_slots(1), 3, finish_at_once, pass_and_end,
                weft_picks(herd.list, 1), noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_int_equal(herd.pick.count, 1);
}

TEST(no_room_at_all_is_no_error_as_long_as_nothing_is_picked)
{
    for (int passing = 0; passing < 2; passing++) {
        up(5);
        herd.passes[2] = passing;
        weft_filter(weft_root(&w.loop), &herd.pick, some_slots(2), next_job, job_begin, test,
                    weft_picks(NULL, 0), noted);
        world_down(&w);
        assert_int_equal(seen.status, passing ? UV_ENOBUFS : 0);
        assert_int_equal(herd.pick.count, 0);
    }
}

/* ---- sort_by and group_by ------------------------------------------------------------------- */

TEST(sort_by_puts_the_smallest_key_first_and_equal_keys_in_input_order)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        up(MANY);
        weft_loop_shuffle(&w.loop, seed);
        draw_plan(seed);
        sort_by(1 + seed % SLOTS);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_int_equal(herd.pick.count, MANY);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(herd.list[i].key, herd.keys[herd.list[i].index]);
        for (size_t i = 1; i < MANY; i++) {
            const struct weft_picked *a = &herd.list[i - 1], *b = &herd.list[i];
            assert_true(a->key < b->key || (a->key == b->key && a->index < b->index));
        }
    }
}

TEST(keys_may_be_as_small_and_as_large_as_they_get)
{
    up(5);
    herd.keys[0] = INT64_MAX;
    herd.keys[1] = INT64_MIN;
    herd.keys[2] = 0;
    herd.keys[3] = INT64_MIN;
    herd.keys[4] = -1;
    sort_by(2);
    world_down(&w);
    assert_string_equal(picked(), "1 3 4 2 0 ");
}

TEST(groups_lie_one_after_the_other)
{
    up(7);
    static const int64_t keys[7] = {2, 1, 2, -5, 1, 2, 2};
    memcpy(herd.keys, keys, sizeof keys);
    weft_group_by(weft_root(&w.loop), &herd.pick, some_slots(3), next_job, job_begin, key,
                  WEFT_PICKS(herd.list), noted);
    world_down(&w);
    for (size_t from = 0, to; from < herd.pick.count; from = to) {
        to = weft_group_end(&herd.pick, from);
        leave("%d:", (int)herd.list[from].key);
        for (size_t i = from; i < to; i++)
            leave("%zu", herd.list[i].index);
    }
    assert_string_equal(trail, "-5: 3 1: 1 4 2: 0 2 5 6 ");
    assert_int_equal(weft_group_end(&herd.pick, 7), 7);
    assert_int_equal(weft_group_end(&herd.pick, 70), 70);
}

TEST(by_hand_a_test_and_a_key_filter_and_sort_in_a_queue_twice)
{
    up(5);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    for (size_t i = 0; i < 5; i++) {
        herd.keys[i] = -(int64_t)i;
        herd.passes[i] = i != 2;
    }
    herd.pick.test = test;
    herd.pick.key = key;
    herd.pick.picks = WEFT_PICKS(herd.list);
    herd.pick.each.slots = some_slots(2);
    herd.pick.each.source.next = next_job;
    herd.pick.each.begin = job_begin;
    for (int round = 0; round < 2; round++) {
        seen.calls = 0;
        weft_queue_push(&queue, weft_root(&w.loop), &herd.pick.each.op, weft_pick_begin, noted);
        world_run(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_string_equal(picked(), "4 3 1 0 ");
        assert_int_equal(herd.tested[2], 1 + (unsigned)round); /* its key was of no interest */
    }
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

/* ---- errors, cancels, early exits ----------------------------------------------------------- */

TEST(after_an_error_the_picks_are_those_until_then_in_order)
{
    up(MANY);
    memset(herd.passes, true, sizeof herd.passes);
    herd.plan[0].ms = 2;
    herd.plan[1].ms = 1;
    herd.plan[2] = (struct job){.ms = 4, .status = UV_EIO};
    herd.plan[3] = (struct job){.ms = 5, .status = UV_ENOENT}; /* would begin at 1 */
    herd.plan[4] = (struct job){.ms = 9, .linger_ms = 3};
    filter(3, MANY);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_string_equal(picked(), "0 1 ");
    assert_int_equal(jobs.begun, 5);
    assert_int_equal(w.sim.now_, 4 + 3);
}

TEST(an_item_that_succeeds_after_the_outcome_is_tested_but_not_picked)
{
    up(2);
    weft_loop_shuffle(&w.loop, 0); /* the one that fails comes first */
    memset(herd.passes, true, sizeof herd.passes);
    herd.plan[0].status = UV_EIO;
    filter(2, MANY);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(herd.tested[1], 1);
    assert_int_equal(herd.pick.count, 0);
}

TEST(a_test_may_end_it_early_and_its_item_is_the_last_that_is_picked)
{
    for (size_t slots = 1; slots <= SLOTS; slots++) {
        up(MANY);
        memset(herd.passes, true, sizeof herd.passes);
        for (size_t i = 0; i < MANY; i++)
            herd.plan[i].ms = 1 + i; /* one after the other */
        herd.ends_at = 2;
        filter(slots, MANY);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_string_equal(picked(), "0 1 2 ");
    }
}

TEST(a_pick_that_is_cancelled_midway_keeps_what_it_has_in_order)
{
    up(MANY);
    for (size_t i = 0; i < MANY; i++) {
        herd.plan[i] = (struct job){.ms = 4 - i % 4, .linger_ms = 2};
        herd.keys[i] = (int64_t)(i % 3);
    }
    sort_by(4);
    weft_sim_advance(&w.sim, 5);
    unsigned begun = jobs.begun;
    weft_cancel(&herd.pick.each.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(jobs.begun, begun);
    assert_true(herd.pick.count > 2);
    for (size_t i = 1; i < herd.pick.count; i++)
        assert_true(herd.list[i - 1].key <= herd.list[i].key);
}

TEST(a_pick_under_a_cancelled_parent_has_picked_nothing)
{
    up(3);
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, NULL);
    weft_cancel(&parent, UV_EINTR);
    weft_filter(&parent, &herd.pick, some_slots(2), next_job, job_begin, test,
                WEFT_PICKS(herd.list), noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(herd.pick.count, 0);
    assert_int_equal(herd.asked, 0);
}

TEST(wrong_arguments_are_refused_and_nothing_is_picked)
{
    up(3);
    struct weft_op *root = weft_root(&w.loop);
    unsigned calls = 0;
    for (int wrong = 0; wrong < 5; wrong++) {
        herd.pick.count = 77;
        struct weft_picks picks = weft_picks(wrong == 0 ? NULL : herd.list, MANY);
        weft_filter(root, &herd.pick, some_slots(wrong == 1 ? 0 : 2), wrong == 2 ? NULL : next_job,
                    wrong == 3 ? NULL : job_begin, wrong == 4 ? NULL : test, picks, noted);
        assert_int_equal(seen.calls, calls++);
        world_run(&w);
        assert_int_equal(seen.calls, calls);
        assert_int_equal(seen.status, UV_EINVAL);
        assert_int_equal(herd.pick.count, 0);
    }
    world_down(&w);
    assert_int_equal(herd.asked, 0);
}

static struct job extra;

static int64_t key_and_more(struct weft_op *slot)
{
    if (weft_index(slot) == 2)
        weft_run(slot->parent, &extra.op, job_begin, NULL);
    return -(int64_t)weft_index(slot);
}

TEST(a_key_may_start_something_under_the_pick_which_is_awaited_and_the_picks_are_sorted)
{
    up(3);
    extra = (struct job){.ms = 9};
    weft_sort_by(weft_root(&w.loop), &herd.pick, some_slots(1), next_job, job_begin, key_and_more,
                 WEFT_PICKS(herd.list), noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 9);
    assert_string_equal(picked(), "2 1 0 ");
}

/* ---- many ----------------------------------------------------------------------------------- */

enum { LOTS = 300000 };
static struct weft_picked lots[LOTS];

static bool next_of_lots(struct weft_op *slot)
{
    return weft_index(slot) < LOTS;
}

static int64_t scattered(struct weft_op *slot)
{
    return (int64_t)(weft_index(slot) * UINT64_C(0x9e3779b97f4a7c15));
}

static void sort_lots(void)
{
    up(0);
    weft_sort_by(weft_root(&w.loop), &herd.pick, some_slots(3), next_of_lots, job_begin, scattered,
                 WEFT_PICKS(lots), noted);
    world_down(&w);
}

TEST(many_synchronous_items_are_sorted_on_a_small_stack)
{
    on_a_small_stack(sort_lots);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.pick.count, LOTS);
    for (size_t i = 1; i < LOTS; i++)
        assert_true(lots[i - 1].key < lots[i].key);
}

TEST(the_sort_agrees_with_a_simple_one)
{
    struct dice dice = {7};
    for (int round = 0; round < 2000; round++) {
        struct weft_picked list[33], simple[33];
        size_t count = roll(&dice, 34);
        int64_t range = between(&dice, 0, 20);
        for (size_t i = 0; i < count; i++) {
            /* Indices are different from each other and in no order. */
            list[i] = (struct weft_picked){i * 17 % 34, between(&dice, -range, range)};
            size_t at = i;
            for (; at > 0 &&
                   (simple[at - 1].key > list[i].key ||
                    (simple[at - 1].key == list[i].key && simple[at - 1].index > list[i].index));
                 at--)
                simple[at] = simple[at - 1];
            simple[at] = list[i];
        }
        weft__picks_sort(list, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(list[i].key, simple[i].key);
            assert_int_equal(list[i].index, simple[i].index);
        }
    }
}

TEST(the_sites_of_picks_are_the_users_line)
{
    up(0);
    struct weft_op *root = weft_root(&w.loop);
    filter(1, 1);
    assert_string_equal(herd.pick.each.op.site_->type, "filter");
    assert_string_equal(herd.pick.each.item_site_->type, "job_begin");
    world_run(&w);
    weft_reject(root, &herd.pick, some_slots(1), next_job, job_begin, test, WEFT_PICKS(herd.list),
                noted);
    assert_string_equal(herd.pick.each.op.site_->type, "reject");
    world_run(&w);
    sort_by(1);
    assert_string_equal(herd.pick.each.op.site_->type, "sort_by");
    world_run(&w);
    weft_group_by(root, &herd.pick, some_slots(1), next_job, job_begin, key, WEFT_PICKS(herd.list),
                  noted);
    assert_string_equal(herd.pick.each.op.site_->type, "group_by");
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_pick pick;
    struct weft_picked list[4];
    struct job slots[2];
    int status;
};

static bool next_provided(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    const struct provided *provided = weft_owner(slot->parent, struct provided, pick.each.op);
    job_of(slot)->ms = 1;
    job_of(slot)->status = index == 1 ? provided->status : 0;
    return index < 4;
}

static int64_t falling(struct weft_op *slot)
{
    return -(int64_t)weft_index(slot);
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->pick.key = falling;
    provided->pick.picks = WEFT_PICKS(provided->list);
    provided->pick.each.slots = WEFT_SLOTS(provided->slots, op);
    provided->pick.each.source.next = next_provided;
    provided->pick.each.begin = job_begin;
    provided->status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct provided *)storage)->status = UV_EIO;
}

static void verify(void *storage)
{
    const struct provided *provided = storage;
    assert_int_equal(provided->pick.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(provided->list[i].index, 3 - i);
}

static const struct weft_provider pick_provider = {
    .name = "pick",
    WEFT_PROVIDER_OP(struct provided, pick.each.op),
    .begin = weft_pick_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify,
};

TEST(a_pick_conforms)
{
    provider_check(&pick_provider);
}
