/* Reduce, reduce_right, concat and transform: results that are taken in input order, or not.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>

enum { MANY = 20, SLOTS = 4 };

static struct world w;
static struct herd {
    struct weft_each each;
    struct job slots[SLOTS];
    struct job plan[MANY]; /* what the items are: copied into the slot */
    size_t count, asked;
    size_t folded[MANY], folded_count;
    size_t sum, sum_in_begin[MANY];
    size_t stop_at; /* the fold stops there */
    int stop_with;
} herd;

static void up(size_t count)
{
    model_up(&w);
    memset(&herd, 0, sizeof herd);
    herd.count = count;
    herd.stop_at = SIZE_MAX;
}

static bool next_job(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &herd.each.op);
    herd.asked++;
    if (index >= herd.count)
        return false;
    job_follow(job_of(slot), &herd.plan[index % MANY], index);
    return true;
}

static void item_begin(struct weft_op *slot)
{
    herd.sum_in_begin[weft_index(slot) % MANY] = herd.sum;
    job_begin(slot);
}

/* For a number of items: nobody has filled the slot. */
static void filled_begin(struct weft_op *slot)
{
    assert_true(next_job(slot));
    item_begin(slot);
}

static void fold(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    assert_ptr_equal(each, &herd.each.op);
    assert_int_equal(index, job_of(slot)->id);
    assert_int_equal(slot->status, 0);
    herd.folded[herd.folded_count++ % MANY] = index;
    herd.sum += index;
    if (index == herd.stop_at)
        weft_end(each, herd.stop_with);
}

static struct weft_slots some_slots(size_t count)
{
    return weft_slots(&herd.slots[0].op, sizeof(struct job), count);
}

static void reduce(size_t slots)
{
    weft_reduce(weft_root(&w.loop), &herd.each, some_slots(slots), next_job, item_begin, fold,
                noted);
}

static void reduce_right(size_t slots, size_t count)
{
    weft_reduce_right(weft_root(&w.loop), &herd.each, some_slots(slots), count, filled_begin, fold,
                      noted);
}

/* What was folded, as a text. */
static const char *folded(void)
{
    trail[0] = '\0';
    for (size_t i = 0; i < herd.folded_count; i++)
        leave("%zu", herd.folded[i]);
    return trail;
}

static void draw_plan(uint64_t seed)
{
    struct dice dice = {seed + 1};
    for (size_t i = 0; i < MANY; i++)
        herd.plan[i].ms = roll(&dice, 6);
}

/* ---- the order ------------------------------------------------------------------------------ */

TEST(a_reduce_of_nothing_finishes_with_0_on_a_later_turn)
{
    up(0);
    reduce(3);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.asked, 1);
    assert_int_equal(herd.folded_count, 0);
}

TEST(a_reduce_folds_in_input_order_whatever_finishes_first)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        for (size_t slots = 1; slots <= SLOTS; slots++) {
            up(MANY);
            weft_loop_shuffle(&w.loop, seed);
            draw_plan(seed);
            reduce(slots);
            world_down(&w);
            assert_int_equal(seen.status, 0);
            assert_int_equal(herd.folded_count, MANY);
            for (size_t i = 0; i < MANY; i++)
                assert_int_equal(herd.folded[i], i);
            assert_true(jobs.most <= slots);
        }
    }
}

TEST(a_reduce_right_folds_from_the_last_to_the_first)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        up(MANY);
        weft_loop_shuffle(&w.loop, seed);
        draw_plan(seed);
        reduce_right(1 + seed % SLOTS, MANY);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_int_equal(herd.asked, MANY);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(herd.folded[i], MANY - 1 - i);
    }
}

TEST(a_reduce_right_of_nothing_asks_for_nothing)
{
    up(0);
    reduce_right(2, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(herd.asked, 0);
}

TEST(a_concat_appends_in_input_order)
{
    up(5);
    for (size_t i = 0; i < 5; i++)
        herd.plan[i].ms = 10 - i;
    weft_concat(weft_root(&w.loop), &herd.each, some_slots(3), next_job, item_begin, fold, noted);
    world_down(&w);
    assert_string_equal(folded(), "0 1 2 3 4 ");
}

TEST(a_transform_folds_as_they_come)
{
    up(4);
    for (size_t i = 0; i < 4; i++)
        herd.plan[i].ms = 10 - i;
    weft_transform(weft_root(&w.loop), &herd.each, some_slots(4), next_job, item_begin, fold,
                   noted);
    world_down(&w);
    assert_string_equal(folded(), "3 2 1 0 ");
}

TEST(with_one_slot_each_item_sees_what_was_folded_before)
{
    up(6);
    for (size_t i = 0; i < 6; i++)
        herd.plan[i].ms = i % 2;
    reduce(1);
    world_down(&w);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(herd.sum_in_begin[i], i * (i - 1) / 2);
}

TEST(items_run_ahead_of_the_folding_no_further_than_there_are_slots)
{
    up(MANY);
    herd.plan[0].ms = 10; /* all others are over at once */
    reduce(3);
    weft_sim_advance(&w.sim, 9);
    assert_int_equal(herd.asked, 3);
    assert_int_equal(herd.folded_count, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(herd.folded_count, MANY);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_slot_whose_item_was_folded_is_filled_while_the_next_one_runs)
{
    up(6);
    herd.plan[1].ms = 10;
    reduce(3);
    weft_sim_advance(&w.sim, 5);
    assert_string_equal(folded(), "0 ");
    assert_int_equal(jobs.begun, 4); /* 3 runs in the slot of 0; 2 waits in its own */
    world_down(&w);
    assert_string_equal(folded(), "0 1 2 3 4 5 ");
}

/* ---- errors and early exits ----------------------------------------------------------------- */

TEST(an_error_does_not_wait_for_its_turn_and_what_succeeded_is_still_folded)
{
    up(MANY);
    herd.plan[0] = (struct job){.ms = 10, .linger_ms = 2};
    herd.plan[2] = (struct job){.ms = 3, .status = UV_EIO};
    reduce(4);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(w.sim.now_, 3 + 2);
    assert_string_equal(folded(), "1 3 ");
    assert_int_equal(jobs.begun, 4);
    assert_int_equal(jobs.cancelled, 1);
}

TEST(an_error_of_the_last_that_runs_is_followed_by_what_waited)
{
    up(3);
    herd.plan[0] = (struct job){.ms = 5, .status = UV_EIO};
    reduce(3);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_string_equal(folded(), "1 2 ");
}

TEST(a_second_error_is_not_reported)
{
    up(MANY);
    herd.plan[0] = (struct job){.ms = 5, .status = UV_ENOENT};
    herd.plan[1] = (struct job){.ms = 2, .status = UV_EIO};
    herd.plan[2] = (struct job){.ms = 2, .status = UV_EIO};
    reduce(3);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(herd.folded_count, 0);
    assert_int_equal(jobs.begun, 3);
}

TEST(a_fold_may_end_it_well_and_is_called_for_what_was_over)
{
    up(MANY);
    herd.plan[1].ms = 5;
    herd.plan[3] = (struct job){.ms = 20, .linger_ms = 1};
    herd.stop_at = 1;
    reduce(3);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_string_equal(folded(), "0 1 2 ");
    assert_int_equal(jobs.begun, 4);
    assert_int_equal(w.sim.now_, 5 + 1);
}

TEST(a_fold_may_end_it_when_nothing_runs_and_something_waits)
{
    up(3);
    herd.plan[0].ms = 5;
    herd.stop_at = 0;
    herd.stop_with = UV_EACCES;
    reduce(3);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EACCES);
    assert_string_equal(folded(), "0 1 2 ");
}

static bool end_at_two(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    if (index < 2)
        return next_job(slot);
    weft_end(each, herd.stop_with);
    return herd.stop_with == 0;
}

TEST(a_source_may_end_a_reduce)
{
    for (int status = UV_EBADF; status <= 0; status -= UV_EBADF) {
        up(MANY);
        herd.stop_with = status;
        weft_reduce(weft_root(&w.loop), &herd.each, some_slots(4), end_at_two, item_begin, fold,
                    noted);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, status);
        assert_string_equal(folded(), "0 1 "); /* they were over */
    }
}

static bool end_at_once(struct weft_op *slot)
{
    assert_int_equal(weft_index(slot), 0);
    weft_end(slot->parent, UV_EBADF);
    return false;
}

TEST(a_source_that_ends_it_is_not_asked_for_each_of_countless_slots)
{
    up(0);
    weft_reduce(weft_root(&w.loop), &herd.each, some_slots(SIZE_MAX), end_at_once, item_begin, fold,
                noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EBADF);
}

TEST(a_cancel_midway_folds_only_what_succeeded_and_begins_nothing_more)
{
    up(MANY);
    herd.plan[0] = (struct job){.ms = 10, .linger_ms = 3};
    herd.plan[2] = (struct job){.ms = 10};
    reduce(4);
    weft_sim_advance(&w.sim, 5);
    weft_cancel(&herd.each.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 2);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_string_equal(folded(), "1 3 ");
    assert_int_equal(jobs.begun, 4);
    assert_int_equal(jobs.cancelled, 2);
}

TEST(a_deadline_ends_a_reduce)
{
    up(MANY);
    static struct weft_deadline deadline;
    memset(&deadline, 0, sizeof deadline);
    herd.plan[3].ms = 100;
    reduce(2);
    weft_deadline(&herd.each.op, &deadline, 10);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_string_equal(folded(), "0 1 2 4 ");
}

TEST(a_reduce_under_a_cancelled_parent_asks_for_nothing)
{
    up(3);
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    weft_reduce(&parent, &herd.each, some_slots(2), next_job, item_begin, fold, noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(herd.asked, 0);
    assert_int_equal(herd.each.op.status, UV_EINTR);
}

TEST(wrong_arguments_are_refused)
{
    up(3);
    struct weft_op *root = weft_root(&w.loop);
    unsigned calls = 0;
    for (int wrong = 0; wrong < 5; wrong++) {
        memset(&herd.each, 0, sizeof herd.each);
        herd.each.slots = some_slots(wrong == 0 ? 0 : 2);
        herd.each.source = weft_source_from(wrong == 1 ? NULL : next_job);
        herd.each.begin = wrong == 2 ? NULL : item_begin;
        herd.each.order = wrong == 3 ? WEFT_BACKWARDS : WEFT_IN_ORDER;
        if (wrong == 4)
            herd.each.slots.first = NULL;
        weft_run(root, &herd.each.op, weft_each_begin, noted);
        assert_int_equal(seen.calls, calls++);
        world_run(&w);
        assert_int_equal(seen.calls, calls);
        assert_int_equal(seen.status, UV_EINVAL);
    }
    world_down(&w);
    assert_int_equal(herd.asked, 0);
}

/* ---- begun in other ways -------------------------------------------------------------------- */

static void done_in_order(struct weft_op *each, struct weft_op *slot)
{
    assert_ptr_equal(each, &herd.each.op);
    leave("%zu:%s", weft_index(slot), weft_error_name(slot->status));
}

TEST(done_is_called_in_order_too_and_an_error_then_ends_nothing)
{
    up(4);
    herd.plan[0].ms = 5;
    herd.plan[1].status = UV_EIO;
    herd.plan[3].status = UV_ENOENT;
    herd.each = (struct weft_each){.slots = some_slots(3),
                                   .source.next = next_job,
                                   .begin = item_begin,
                                   .done = done_in_order,
                                   .order = WEFT_IN_ORDER};
    weft_run(weft_root(&w.loop), &herd.each.op, weft_each_begin, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "0:OK 1:EIO 2:OK 3:ENOENT ");
}

static unsigned rounds;

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    assert_string_equal(folded(), "0 1 2 3 4 ");
    herd.folded_count = 0;
    if (++rounds < 3)
        weft_reduce(parent, &herd.each, some_slots(3), next_job, item_begin, fold, once_more);
}

TEST(a_reduce_can_be_begun_again_in_its_own_then)
{
    up(5);
    rounds = 0;
    herd.plan[0].ms = 5;
    weft_reduce(weft_root(&w.loop), &herd.each, some_slots(3), next_job, item_begin, fold,
                once_more);
    world_down(&w);
    assert_int_equal(rounds, 3);
}

TEST(a_struct_that_was_a_reduce_right_is_a_plain_map_now)
{
    up(3);
    reduce_right(2, 3);
    world_run(&w);
    herd.folded_count = 0;
    for (size_t i = 0; i < 3; i++)
        herd.plan[i].ms = 3 - i;
    weft_map(weft_root(&w.loop), &herd.each, some_slots(3), next_job, item_begin, fold, noted);
    world_down(&w);
    assert_string_equal(folded(), "2 1 0 ");
}

static void count_item(struct weft_op *op)
{
    weft_finish(op, 0);
}

static bool next_of_a_million(struct weft_op *slot)
{
    return weft_index(slot) < 1000000;
}

static void fold_number(struct weft_op *slot)
{
    assert_int_equal(weft_index(slot), herd.folded_count++);
}

static void million(void)
{
    up(0);
    weft_reduce(weft_root(&w.loop), &herd.each, some_slots(3), next_of_a_million, count_item,
                fold_number, noted);
    world_down(&w);
}

TEST(a_million_synchronous_items_of_a_reduce)
{
    on_a_small_stack(million);
    assert_int_equal(herd.folded_count, 1000000);
    assert_int_equal(seen.status, 0);
}

TEST(the_sites_are_the_users_line)
{
    up(0);
    struct weft_op *root = weft_root(&w.loop);
    weft_reduce(root, &herd.each, some_slots(1), next_job, item_begin, fold, noted);
    assert_string_equal(herd.each.op.site_->type, "reduce");
    assert_int_equal(herd.each.op.site_->group, WEFT_FLOW);
    assert_string_equal(herd.each.item_site_->type, "item_begin");
    world_run(&w);
    weft_concat(root, &herd.each, some_slots(1), next_job, item_begin, fold, noted);
    assert_string_equal(herd.each.op.site_->type, "concat");
    world_run(&w);
    weft_transform(root, &herd.each, some_slots(1), next_job, item_begin, fold, noted);
    assert_string_equal(herd.each.op.site_->type, "transform");
    world_run(&w);
    weft_reduce_right(root, &herd.each, some_slots(1), 0, item_begin, fold, noted);
    assert_string_equal(herd.each.op.site_->type, "reduce_right");
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_each each;
    struct job slots[2];
    size_t folded;
    int status;
};

static bool next_provided(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    struct provided *provided = weft_owner(each, struct provided, each.op);
    if (index == 0)
        provided->folded = 0; /* a retry begins it again */
    job_of(slot)->ms = index == 0 ? 2 : 1;
    job_of(slot)->status = index == 2 ? provided->status : 0;
    return index < 4;
}

static void fold_provided(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    struct provided *provided = weft_owner(each, struct provided, each.op);
    if (each->status == 0 && weft_cancelled(each) == 0)
        assert_int_equal(weft_index(slot), provided->folded);
    provided->folded++;
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->each.slots = WEFT_SLOTS(provided->slots, op);
    provided->each.source.next = next_provided;
    provided->each.begin = job_begin;
    provided->each.store = fold_provided;
    provided->each.order = WEFT_IN_ORDER;
    provided->status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct provided *)storage)->status = UV_EIO;
}

static void verify(void *storage)
{
    assert_int_equal(((struct provided *)storage)->folded, 4);
}

static const struct weft_provider reduce_provider = {
    .name = "reduce",
    WEFT_PROVIDER_OP(struct provided, each.op),
    .begin = weft_each_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify,
};

TEST(a_reduce_conforms)
{
    provider_check(&reduce_provider);
}

static void note_in_order(struct weft_op *each, struct weft_op *slot)
{
    assert_ptr_equal(each, &herd.each.op);
    leave("%zu%s", weft_index(slot), slot->status != 0 ? "!" : "");
}

TEST(an_each_in_order_hears_of_failures_too_and_goes_on)
{
    up(6);
    for (size_t i = 0; i < 6; i++)
        herd.plan[i] = (struct job){.ms = 6 - i, .status = i % 3 == 1 ? UV_EIO : 0};
    weft_each_in_order(weft_root(&w.loop), &herd.each, WEFT_SLOTS_OF(herd.slots, op, 3), next_job,
                       item_begin, note_in_order, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "0 1! 2 3 4! 5 ");
}
