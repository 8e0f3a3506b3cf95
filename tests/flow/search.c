/* Detect, some and every: a search that stops where it has found.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { MANY = 20, SLOTS = 4 };

static struct world w;
static struct hunt {
    struct weft_search search;
    struct job slots[SLOTS];
    struct job plan[MANY];
    bool passes[MANY]; /* what the test says of an item */
    size_t count, asked;
    unsigned tested[MANY];
    size_t ends_at; /* the test ends it there, with ends_with */
    int ends_with;
} hunt;

static void up(size_t count)
{
    model_up(&w);
    memset(&hunt, 0, sizeof hunt);
    hunt.count = count;
    hunt.ends_at = SIZE_MAX;
    hunt.search.found = 77; /* what an earlier run has left */
    hunt.search.slot = &hunt.slots[1].op;
    hunt.search.yes = true;
}

static bool next_job(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &hunt.search.each.op);
    hunt.asked++;
    if (index >= hunt.count)
        return false;
    job_follow(job_of(slot), &hunt.plan[index % MANY], index);
    return true;
}

static bool test(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &hunt.search.each.op);
    assert_int_equal(slot->status, 0);
    assert_int_equal(index, job_of(slot)->id);
    hunt.tested[index % MANY]++;
    if (index == hunt.ends_at)
        weft_end(slot->parent, hunt.ends_with);
    return hunt.passes[index % MANY];
}

static struct weft_slots some_slots(size_t count)
{
    return weft_slots(&hunt.slots[0].op, sizeof(struct job), count);
}

static void detect(size_t slots)
{
    weft_detect(weft_root(&w.loop), &hunt.search, some_slots(slots), next_job, job_begin, test,
                noted);
}

static void every(size_t slots)
{
    weft_every(weft_root(&w.loop), &hunt.search, some_slots(slots), next_job, job_begin, test,
               noted);
}

static void assert_found(size_t index)
{
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(hunt.search.found, index);
    assert_non_null(hunt.search.slot);
    assert_int_equal(weft_index(hunt.search.slot), index);
    assert_int_equal(job_of(hunt.search.slot)->id, index);
    assert_int_equal(jobs.running, 0);
}

static void assert_none(int status)
{
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, status);
    assert_int_equal(hunt.search.found, WEFT_NONE);
    assert_null(hunt.search.slot);
    assert_int_equal(jobs.running, 0);
}

/* ---- detect and some ------------------------------------------------------------------------ */

TEST(nothing_is_found_where_there_is_nothing)
{
    up(0);
    detect(2);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_none(0);
    assert_false(hunt.search.yes);
}

TEST(nothing_is_found_if_no_item_passes)
{
    up(7);
    hunt.plan[3].ms = 5;
    detect(3);
    world_down(&w);
    assert_none(0);
    assert_false(hunt.search.yes);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(hunt.tested[i], 1);
}

TEST(one_slot_finds_the_first_in_input_order_and_reads_no_further)
{
    up(SIZE_MAX);
    hunt.passes[5] = hunt.passes[6] = true;
    detect(1);
    world_down(&w);
    assert_found(5);
    assert_int_equal(hunt.asked, 6);
    assert_true(hunt.search.yes);
}

TEST(with_several_slots_the_first_to_pass_counts_and_the_rest_is_cancelled_and_awaited)
{
    up(MANY);
    hunt.plan[0] = (struct job){.ms = 10, .linger_ms = 4};
    hunt.plan[1] = (struct job){.ms = 3};
    hunt.plan[2] = (struct job){.ms = 5};
    hunt.passes[0] = hunt.passes[1] = hunt.passes[2] = true;
    detect(3);
    world_down(&w);
    assert_found(1);
    assert_int_equal(jobs.begun, 3);
    assert_int_equal(jobs.cancelled, 2);
    assert_int_equal(w.sim.now_, 3 + 4);
}

TEST(an_item_that_passes_too_late_is_tested_but_not_found)
{
    up(4);
    hunt.passes[0] = hunt.passes[1] = hunt.passes[2] = hunt.passes[3] = true;
    detect(4); /* all are ready at once: any may be first */
    world_down(&w);
    assert_found(hunt.search.found);
    assert_true(hunt.search.found < 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(hunt.tested[i], 1);
}

TEST(ordered_by_hand_the_first_in_input_order_is_found_whatever_finishes_first)
{
    up(MANY);
    hunt.plan[2] = (struct job){.ms = 9};
    hunt.passes[2] = hunt.passes[3] = hunt.passes[4] = true;
    hunt.search.test = test;
    hunt.search.each.slots = some_slots(4);
    hunt.search.each.source.next = next_job;
    hunt.search.each.begin = job_begin;
    hunt.search.each.order = WEFT_IN_ORDER;
    weft_run(weft_root(&w.loop), &hunt.search.each.op, weft_search_begin, noted);
    world_down(&w);
    assert_found(2);
    assert_int_equal(hunt.tested[3], 1);
}

TEST(some_says_whether_an_item_passed)
{
    for (int there = 0; there < 2; there++) {
        up(6);
        hunt.passes[4] = there;
        weft_some(weft_root(&w.loop), &hunt.search, some_slots(2), next_job, job_begin, test,
                  noted);
        assert_false(hunt.search.yes);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_int_equal(hunt.search.yes, there);
    }
}

/* ---- every ---------------------------------------------------------------------------------- */

TEST(every_of_nothing_is_true)
{
    up(0);
    every(2);
    world_down(&w);
    assert_none(0);
    assert_true(hunt.search.yes);
}

TEST(every_is_true_if_all_pass)
{
    up(6);
    memset(hunt.passes, true, sizeof hunt.passes);
    hunt.plan[2].ms = 3;
    every(2);
    world_down(&w);
    assert_none(0);
    assert_true(hunt.search.yes);
    assert_int_equal(jobs.begun, 6);
}

TEST(every_stops_at_the_first_that_does_not_pass_and_names_it)
{
    up(SIZE_MAX);
    memset(hunt.passes, true, sizeof hunt.passes);
    hunt.passes[4] = false;
    every(1);
    world_down(&w);
    assert_found(4);
    assert_false(hunt.search.yes);
    assert_int_equal(jobs.begun, 5);
}

/* ---- errors, cancels, early exits ----------------------------------------------------------- */

static void first_error(bool of_every)
{
    up(MANY);
    memset(hunt.passes, of_every, sizeof hunt.passes);
    hunt.plan[1] = (struct job){.ms = 2, .status = UV_EIO};
    hunt.plan[2] = (struct job){.ms = 2, .status = UV_EIO};
    hunt.plan[3] = (struct job){.ms = 9, .linger_ms = 1};
    if (of_every)
        every(3);
    else
        detect(3);
    world_down(&w);
    assert_none(UV_EIO);
    assert_false(hunt.search.yes);
    assert_int_equal(w.sim.now_, 2 + 1);
}

TEST(the_first_error_ends_a_search_and_nothing_is_found)
{
    first_error(false);
}

TEST(every_is_not_true_after_an_error)
{
    first_error(true);
}

TEST(an_item_that_passes_after_the_error_is_not_found)
{
    up(2);
    hunt.plan[0].status = UV_EIO;
    hunt.plan[0].ms = hunt.plan[1].ms = 1;
    hunt.passes[1] = true;
    weft_loop_shuffle(&w.loop, 0); /* the one that fails comes first */
    detect(2);
    world_down(&w);
    assert_none(UV_EIO);
    assert_int_equal(hunt.tested[1], 1);
}

TEST(a_search_that_is_cancelled_midway_has_found_nothing)
{
    for (int of_every = 0; of_every < 2; of_every++) {
        up(MANY);
        memset(hunt.passes, of_every, sizeof hunt.passes);
        for (size_t i = 0; i < MANY; i++)
            hunt.plan[i] = (struct job){.ms = 2 + i % 2, .linger_ms = i % 3};
        if (of_every)
            every(3);
        else
            detect(3);
        weft_sim_advance(&w.sim, 5);
        unsigned begun = jobs.begun;
        weft_cancel(&hunt.search.each.op, UV_ETIMEDOUT);
        world_down(&w);
        assert_none(UV_ETIMEDOUT);
        assert_false(hunt.search.yes);
        assert_int_equal(jobs.begun, begun);
    }
}

TEST(an_item_that_was_ready_before_a_cancel_is_tested_but_not_found)
{
    for (int of_every = 0; of_every < 2; of_every++) {
        up(2);
        memset(hunt.passes, true, sizeof hunt.passes);
        if (of_every)
            every(2);
        else
            detect(2);
        weft_cancel(&hunt.search.each.op, UV_EINTR);
        world_down(&w);
        assert_none(UV_EINTR);
        assert_false(hunt.search.yes);
        assert_int_equal(hunt.tested[0] + hunt.tested[1], 2);
    }
}

TEST(a_search_under_a_cancelled_parent_has_found_nothing)
{
    up(3);
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, NULL);
    weft_cancel(&parent, UV_EINTR);
    weft_every(&parent, &hunt.search, some_slots(2), next_job, job_begin, test, noted);
    weft_join(&parent);
    world_down(&w);
    assert_none(UV_EINTR);
    assert_false(hunt.search.yes);
    assert_int_equal(hunt.asked, 0);
}

TEST(a_test_may_end_the_search_itself)
{
    for (int passes = 0; passes < 2; passes++) {
        up(MANY);
        hunt.ends_at = 3;
        hunt.ends_with = UV_EACCES;
        hunt.passes[3] = passes;
        detect(1);
        world_down(&w);
        assert_none(UV_EACCES);
        assert_int_equal(jobs.begun, 4);
    }
}

TEST(an_early_exit_from_every_says_nothing_of_the_items_behind_it)
{
    for (int passes = 0; passes < 2; passes++) {
        up(MANY);
        memset(hunt.passes, true, sizeof hunt.passes);
        hunt.ends_at = 3;
        hunt.passes[3] = passes;
        every(1);
        world_down(&w);
        assert_none(0);
        assert_false(hunt.search.yes);
    }
}

static bool fail_at_once_in_next(struct weft_op *slot)
{
    weft_end(slot->parent, UV_EBADF);
    return false;
}

TEST(every_is_not_true_if_the_source_fails_before_the_first_item)
{
    up(0);
    weft_every(weft_root(&w.loop), &hunt.search, some_slots(2), fail_at_once_in_next, job_begin,
               test, noted);
    world_down(&w);
    assert_none(UV_EBADF);
    assert_false(hunt.search.yes);
}

static struct job extra;

static bool test_and_start_more(struct weft_op *slot)
{
    if (weft_index(slot) == 2)
        weft_run(slot->parent, &extra.op, job_begin, NULL);
    return true;
}

TEST(a_test_may_start_something_under_the_search_which_is_awaited)
{
    up(3);
    extra = (struct job){.ms = 9};
    weft_every(weft_root(&w.loop), &hunt.search, some_slots(1), next_job, job_begin,
               test_and_start_more, noted);
    world_down(&w);
    assert_none(0);
    assert_true(hunt.search.yes);
    assert_int_equal(w.sim.now_, 9);
}

TEST(a_search_without_a_test_slots_a_source_or_a_begin_is_refused)
{
    up(3);
    struct weft_op *root = weft_root(&w.loop);
    weft_every(root, &hunt.search, some_slots(2), next_job, job_begin, NULL, noted);
    world_run(&w);
    assert_none(UV_EINVAL);
    assert_false(hunt.search.yes);
    weft_every(root, &hunt.search, some_slots(0), next_job, job_begin, test, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_every(root, &hunt.search, some_slots(2), (weft_next_fn *)NULL, job_begin, test, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_every(root, &hunt.search, some_slots(2), next_job, NULL, test, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_false(hunt.search.yes);
    assert_int_equal(hunt.search.found, WEFT_NONE);
    assert_int_equal(hunt.asked, 0);
}

/* ---- begun in other ways -------------------------------------------------------------------- */

TEST(a_search_filled_in_by_hand_runs_in_a_queue_twice)
{
    up(MANY);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    hunt.search.test = test;
    hunt.search.each.slots = some_slots(1);
    hunt.search.each.source.next = next_job;
    hunt.search.each.begin = job_begin;
    hunt.passes[4] = true;
    weft_queue_push(&queue, weft_root(&w.loop), &hunt.search.each.op, weft_search_begin, noted);
    world_run(&w);
    assert_found(4);
    hunt.passes[4] = false;
    hunt.passes[9] = true;
    seen.calls = 0;
    weft_queue_push(&queue, weft_root(&w.loop), &hunt.search.each.op, weft_search_begin, noted);
    world_run(&w);
    assert_found(9);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static bool never(struct weft_op *slot)
{
    (void)slot;
    return false;
}

static bool next_of_a_million(struct weft_op *slot)
{
    return weft_index(slot) < 1000000;
}

static void million(void)
{
    up(0);
    weft_detect(weft_root(&w.loop), &hunt.search, some_slots(3), next_of_a_million, job_begin,
                never, noted);
    world_down(&w);
}

TEST(a_million_synchronous_items_of_a_detect)
{
    on_a_small_stack(million);
    assert_none(0);
    assert_int_equal(jobs.begun, 1000000);
}

TEST(the_sites_of_searches_are_the_users_line)
{
    up(0);
    detect(1);
    assert_string_equal(hunt.search.each.op.site_->type, "detect");
    assert_string_equal(hunt.search.each.item_site_->type, "job_begin");
    world_run(&w);
    weft_some(weft_root(&w.loop), &hunt.search, some_slots(1), next_job, job_begin, test, noted);
    assert_string_equal(hunt.search.each.op.site_->type, "some");
    world_run(&w);
    every(1);
    assert_string_equal(hunt.search.each.op.site_->type, "every");
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_search search;
    struct job slots[2];
    int status;
};

static bool next_provided(struct weft_op *slot)
{
    const struct provided *provided = weft_owner(slot->parent, struct provided, search.each.op);
    job_of(slot)->ms = 1;
    job_of(slot)->status = weft_index(slot) == 1 ? provided->status : 0;
    return true;
}

static bool is_fourth(struct weft_op *slot)
{
    return weft_index(slot) == 4;
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->search.test = is_fourth;
    provided->search.each.slots = WEFT_SLOTS(provided->slots, op);
    provided->search.each.source.next = next_provided;
    provided->search.each.begin = job_begin;
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
    assert_int_equal(provided->search.found, 4);
    assert_true(provided->search.yes);
    assert_non_null(provided->search.slot);
}

static const struct weft_provider search_provider = {
    .name = "search",
    WEFT_PROVIDER_OP(struct provided, search.each.op),
    .begin = weft_search_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify,
    .flags = WEFT_PROVIDER_AWAITS, /* the one that was found stays so while the other is awaited */
};

TEST(a_search_conforms)
{
    provider_check(&search_provider);
}
