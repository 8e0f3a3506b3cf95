/* Each: a collection through slots.
 * ctest: labels=valgrind */
#include "model.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>

enum { MANY = 20 };

static struct world w;
static struct herd {
    struct weft_each each;
    struct job slots[4];
    struct job plan[MANY]; /* what the items are: copied into the slot */
    size_t count;          /* of items; SIZE_MAX: endless */
    size_t asked;          /* how often next was called */
    size_t done[MANY + 10], done_count;
    size_t stop_at; /* next or done stops there */
    int stop_with;
} herd;

static void up(size_t count)
{
    model_up(&w);
    memset(&herd, 0, sizeof herd);
    herd.count = count;
    herd.stop_at = SIZE_MAX;
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i] = (struct job){.id = (int)i};
}

static bool next_job(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &herd.each.op);
    assert_int_equal(index, herd.asked);
    herd.asked++;
    if (index >= herd.count)
        return false;
    job_follow(job_of(slot), &herd.plan[index % MANY], index);
    return true;
}

static void item_done(struct weft_op *each, struct weft_op *slot)
{
    assert_ptr_equal(each, &herd.each.op);
    assert_int_equal(weft_index(slot), job_of(slot)->id);
    if (herd.done_count < MANY + 10)
        herd.done[herd.done_count] = weft_index(slot);
    herd.done_count++;
    if (slot->status != 0)
        leave("%zu:%s", weft_index(slot), weft_error_name(slot->status));
    if (weft_index(slot) == herd.stop_at)
        weft_end(each, herd.stop_with);
}

static void run(size_t slots, weft_then_fn *done)
{
    weft_each(weft_root(&w.loop), &herd.each,
              weft_slots(&herd.slots[0].op, sizeof(struct job), slots), next_job, job_begin, done,
              noted);
}

/* Every item of count was done exactly once. */
static void assert_all_done(size_t count)
{
    bool seen_before[MANY + 10] = {false};
    assert_int_equal(herd.done_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(herd.done[i] < count);
        assert_false(seen_before[herd.done[i]]);
        seen_before[herd.done[i]] = true;
    }
}

TEST(an_each_of_nothing_finishes_with_0_on_a_later_turn)
{
    up(0);
    run(4, item_done);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(herd.asked, 1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 0);
}

TEST(an_each_of_one_item_runs_it)
{
    up(1);
    run(4, item_done);
    world_down(&w);
    assert_all_done(1);
    assert_int_equal(seen.status, 0);
}

TEST(synchronous_items_are_all_run_once)
{
    up(MANY);
    run(3, item_done);
    world_down(&w);
    assert_all_done(MANY);
    assert_int_equal(jobs.begun, MANY);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(asynchronous_items_are_all_run_once)
{
    up(MANY);
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i].ms = 1 + i * 7 % 5;
    run(3, item_done);
    world_down(&w);
    assert_all_done(MANY);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(no_more_items_run_at_once_than_there_are_slots)
{
    for (size_t slots = 1; slots <= 4; slots++) {
        up(MANY);
        for (size_t i = 0; i < MANY; i++)
            herd.plan[i].ms = 1 + i % 3;
        run(slots, item_done);
        world_down(&w);
        assert_int_equal(jobs.most, slots);
        assert_all_done(MANY);
    }
}

TEST(one_slot_is_a_series)
{
    up(5);
    for (size_t i = 0; i < 5; i++)
        herd.plan[i].ms = 5 - i;
    run(1, item_done);
    world_down(&w);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(herd.done[i], i);
    assert_int_equal(jobs.most, 1);
}

TEST(the_source_is_asked_only_when_a_slot_is_free)
{
    up(SIZE_MAX);
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i].ms = 10;
    run(3, item_done);
    assert_int_equal(herd.asked, 3);
    weft_sim_advance(&w.sim, 9);
    assert_int_equal(herd.asked, 3);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(herd.asked, 6);
    weft_cancel(&herd.each.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(herd.asked, 6);
}

TEST(the_source_is_not_asked_again_once_it_was_dry)
{
    up(2);
    herd.plan[0].ms = 1;
    herd.plan[1].ms = 2;
    run(4, item_done);
    assert_int_equal(herd.asked, 3);
    world_down(&w);
    assert_int_equal(herd.asked, 3);
    assert_all_done(2);
}

TEST(done_runs_for_a_failed_item_too_and_the_rest_goes_on)
{
    up(5);
    herd.plan[1].status = UV_EIO;
    herd.plan[4].status = UV_ENOENT;
    for (size_t i = 0; i < 5; i++)
        herd.plan[i].ms = i + 1;
    run(2, item_done);
    world_down(&w);
    assert_string_equal(trail, "1:EIO 4:ENOENT ");
    assert_all_done(5);
    assert_int_equal(seen.status, 0);
}

static void first_error(size_t failing, size_t begun)
{
    up(6);
    for (size_t i = 0; i < 6; i++)
        herd.plan[i] = (struct job){.ms = 10 * (i + 1), .linger_ms = 3};
    herd.plan[failing] = (struct job){.ms = 10 * failing + 5, .status = UV_EIO};
    run(2, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(jobs.begun, begun);
    assert_int_equal(jobs.running, 0);
}

TEST(without_done_an_error_of_the_first_item_ends_it)
{
    first_error(0, 2);
    assert_int_equal(jobs.cancelled, 1);
    assert_int_equal(w.sim.now_, 5 + 3); /* the other slot was awaited */
}

TEST(without_done_an_error_in_the_middle_ends_it)
{
    first_error(2, 4);
    assert_true(jobs.begun < 6);
}

TEST(without_done_an_error_of_the_last_item_ends_it)
{
    first_error(5, 6);
}

TEST(without_done_two_errors_are_reported_once)
{
    up(4);
    herd.plan[0] = (struct job){.ms = 2, .status = UV_EIO};
    herd.plan[1] = (struct job){.ms = 2, .status = UV_EIO};
    herd.plan[2] = (struct job){.ms = 9, .status = UV_ENOENT};
    run(3, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(herd.asked, 3);
}

TEST(an_early_exit_from_an_endless_source_is_a_success_and_reads_no_further)
{
    up(SIZE_MAX);
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i] = (struct job){.ms = 1, .linger_ms = 4};
    herd.stop_at = 13;
    run(3, item_done);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.running, 0);
    assert_int_equal(herd.asked, jobs.begun);
    assert_true(jobs.begun < 13 + 2 * 3); /* all slots may have gone round before 13 reports */
    assert_int_equal(herd.done_count, jobs.begun); /* done ran for those that were cancelled too */
}

TEST(an_early_exit_from_an_endless_synchronous_source_works_too)
{
    up(SIZE_MAX);
    herd.stop_at = 100000;
    run(1, item_done);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 100001);
}

TEST(done_may_end_it_with_an_error_of_its_own)
{
    up(MANY);
    herd.stop_at = 4;
    herd.stop_with = UV_EACCES;
    run(1, item_done);
    world_down(&w);
    assert_int_equal(seen.status, UV_EACCES);
    assert_int_equal(jobs.begun, 5);
}

static bool next_fails(struct weft_op *slot)
{
    if (weft_index(slot) == herd.stop_at) {
        weft_end(slot->parent, herd.stop_with);
        return false;
    }
    return next_job(slot);
}

static bool next_fails_and_goes_on(struct weft_op *slot)
{
    next_fails(slot);
    return true;
}

static void run_source(weft_next_fn *next, size_t slots)
{
    weft_each(weft_root(&w.loop), &herd.each,
              weft_slots(&herd.slots[0].op, sizeof(struct job), slots), next, job_begin, item_done,
              noted);
}

TEST(a_source_may_end_it_with_an_error)
{
    for (size_t at = 0; at < 5; at++) {
        up(MANY);
        for (size_t i = 0; i < MANY; i++)
            herd.plan[i] = (struct job){.ms = 2 + i, .linger_ms = 1};
        herd.stop_at = at;
        herd.stop_with = UV_EBADF;
        run_source(next_fails, 3);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, UV_EBADF);
        assert_int_equal(jobs.begun, at);
        assert_int_equal(herd.done_count, at);
    }
}

TEST(a_source_that_ends_it_and_returns_true_starts_nothing_more)
{
    for (size_t at = 0; at < 5; at++) {
        up(MANY);
        for (size_t i = 0; i < MANY; i++)
            herd.plan[i].ms = 1;
        herd.stop_at = at;
        run_source(next_fails_and_goes_on, 3);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(jobs.begun, at);
    }
}

TEST(an_each_without_slots_is_invalid)
{
    up(3);
    weft_each(weft_root(&w.loop), &herd.each, weft_slots(NULL, sizeof(struct job), 4), next_job,
              job_begin, item_done, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(an_each_with_a_count_of_no_slots_is_invalid)
{
    up(3);
    run(0, item_done);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(herd.asked, 0);
}

TEST(an_each_without_a_source_is_invalid)
{
    up(3);
    weft_each(weft_root(&w.loop), &herd.each, WEFT_SLOTS(herd.slots, op), (weft_next_fn *)NULL,
              job_begin, item_done, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(an_each_without_a_begin_is_invalid)
{
    up(3);
    weft_each(weft_root(&w.loop), &herd.each, WEFT_SLOTS(herd.slots, op), next_job, NULL, item_done,
              noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(herd.asked, 0);
}

TEST(slots_that_are_not_needed_are_not_touched)
{
    up(3);
    for (size_t i = 0; i < 3; i++)
        herd.plan[i].ms = 5;
    run(SIZE_MAX, item_done); /* there are four */
    world_down(&w);
    assert_all_done(3);
    assert_int_equal(jobs.most, 3);
}

static void two_slots_in_one_place(void)
{
    up(3);
    herd.plan[0].ms = 5;
    weft_each(weft_root(&w.loop), &herd.each, weft_slots(&herd.slots[0].op, 0, 2), next_job,
              job_begin, item_done, noted);
}

TEST(slots_on_top_of_each_other_break_rule_1)
{
    dies(two_slots_in_one_place, "rule 1", "still runs", "job_begin");
}

TEST(slots_are_the_elements_of_an_array)
{
    struct weft_slots slots = WEFT_SLOTS(herd.slots, op);
    assert_ptr_equal(slots.first, &herd.slots[0].op);
    assert_int_equal(slots.count, 4);
    assert_int_equal(slots.stride, sizeof(struct job));
}

TEST(an_each_under_a_cancelled_parent_asks_for_nothing)
{
    up(3);
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ETIMEDOUT);
    weft_each(&parent, &herd.each, WEFT_SLOTS(herd.slots, op), next_job, job_begin, NULL, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(herd.asked, 0);
    assert_int_equal(herd.each.op.status, UV_ETIMEDOUT);
}

TEST(a_cancel_midway_stops_the_slots_and_fills_none_again)
{
    up(SIZE_MAX);
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i] = (struct job){.ms = 4, .linger_ms = 6};
    run(3, item_done);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&herd.each.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 5);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(jobs.begun, 9);
    assert_int_equal(jobs.cancelled, 3);
    assert_int_equal(herd.done_count, 9);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(an_each_cancelled_when_its_last_items_are_ready_reports_the_reason)
{
    up(2);
    run(2, item_done);
    weft_cancel(&herd.each.op, UV_ECANCELED);
    world_down(&w);
    assert_string_equal(trail, ""); /* the items themselves succeeded */
    assert_int_equal(herd.done_count, 2);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(a_cancel_of_an_each_that_has_finished_has_no_effect)
{
    up(0);
    run(2, item_done);
    weft_cancel(&herd.each.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

static void cancel_at_the_third(struct weft_op *each, struct weft_op *slot)
{
    item_done(each, slot);
    if (herd.done_count == 3)
        weft_cancel(each, UV_ECANCELED);
}

TEST(done_may_cancel_the_each)
{
    up(SIZE_MAX);
    run(1, cancel_at_the_third);
    world_down(&w);
    assert_int_equal(jobs.begun, 3);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(the_site_of_a_slot_names_the_line_and_the_begin_of_the_user)
{
    up(1);
    herd.plan[0].ms = BY_HAND;
    struct weft_op *root = weft_root(&w.loop);
    struct weft_slots slots = WEFT_SLOTS(herd.slots, op);
    int line = __LINE__ + 1;
    weft_each(root, &herd.each, slots, next_job, job_begin, NULL, noted);
    const struct weft_site *slot = herd.slots[0].op.site_, *each = herd.each.op.site_;
    assert_string_equal(slot->type, "job_begin");
    assert_string_equal(slot->file, __FILE__);
    assert_string_equal(slot->func, __func__);
    assert_int_equal(slot->line, line);
    assert_int_equal(slot->group, WEFT_USER);
    assert_string_equal(each->type, "each");
    assert_int_equal(each->line, line);
    assert_int_equal(each->group, WEFT_FLOW);
    weft_cancel(&herd.each.op, UV_ECANCELED);
    world_down(&w);
}

TEST(a_slot_begun_by_hand_through_each_begin_has_the_site_of_the_each)
{
    up(1);
    herd.plan[0].ms = BY_HAND;
    herd.each = (struct weft_each){
        .slots = WEFT_SLOTS(herd.slots, op), .source.next = next_job, .begin = job_begin};
    weft_run(weft_root(&w.loop), &herd.each.op, weft_each_begin, noted);
    assert_ptr_equal(herd.slots[0].op.site_, herd.each.op.site_);
    assert_string_equal(herd.slots[0].op.site_->type, "weft_each_begin");
    weft_cancel(&herd.each.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
}

static unsigned rounds;

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    assert_all_done(7);
    herd.done_count = herd.asked = 0;
    if (++rounds < 3)
        weft_each(parent, &herd.each, WEFT_SLOTS(herd.slots, op), next_job, job_begin, item_done,
                  once_more);
}

TEST(an_each_can_be_begun_again_in_its_own_then)
{
    up(7);
    rounds = 0;
    herd.plan[3].ms = 5;
    weft_each(weft_root(&w.loop), &herd.each, WEFT_SLOTS(herd.slots, op), next_job, job_begin,
              item_done, once_more);
    world_down(&w);
    assert_int_equal(rounds, 3);
}

struct heap_herd {
    struct weft_each each;
    struct job slots[2];
};

static bool next_lingering(struct weft_op *slot)
{
    job_of(slot)->ms = 100;
    job_of(slot)->linger_ms = 3;
    return true;
}

static void free_herd(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    free(weft_owner(op, struct heap_herd, each.op));
}

TEST(an_each_and_its_slots_are_the_callers_again_when_its_then_starts)
{
    up(0);
    struct heap_herd *heap = calloc(1, sizeof *heap);
    weft_each(weft_root(&w.loop), &heap->each, WEFT_SLOTS(heap->slots, op), next_lingering,
              job_begin, NULL, free_herd);
    weft_sim_advance(&w.sim, 250);
    weft_cancel(&heap->each.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}
