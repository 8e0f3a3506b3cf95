/* Apply each: the same value for many functions.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

static struct world w;
static struct weft_apply_each apply;
static struct job slots[3];
static int value = 7;
static size_t fails_at, stored[3];
static uint64_t linger_ms;

static void up(void)
{
    model_up(&w);
    memset(&apply, 0, sizeof apply);
    memset(slots, 0, sizeof slots);
    memset(stored, 0, sizeof stored);
    fails_at = SIZE_MAX;
    linger_ms = 0;
}

static void run_job(struct weft_op *op, const void *given, uint64_t ms)
{
    assert_ptr_equal(given, &value);
    struct job *job = job_of(op);
    job->ms = ms;
    job->linger_ms = linger_ms;
    job->status = weft_index(op) == fails_at ? UV_EIO : 0;
    job->id = (int)(weft_index(op) + 1) * *(const int *)given;
    job_begin(op);
}

static void first(struct weft_op *op, void *given)
{
    assert_int_equal(weft_index(op), 0);
    run_job(op, given, 3);
}

static void second(struct weft_op *op, void *given)
{
    assert_int_equal(weft_index(op), 1);
    run_job(op, given, 2);
}

static void third(struct weft_op *op, void *given)
{
    assert_int_equal(weft_index(op), 2);
    run_job(op, given, 0);
}

static void store(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &apply.each.op);
    stored[index] = (size_t)job_of(slot)->id;
    leave("%zu", index);
}

static struct weft_slots some_slots(size_t count)
{
    return weft_slots(&slots[0].op, sizeof(struct job), count);
}

static void run(size_t count)
{
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(count), &value, store, noted, first,
                    second, third);
}

TEST(each_function_gets_the_value_and_results_land_under_its_number)
{
    for (size_t count = 1; count <= 3; count++) {
        up();
        run(count);
        assert_int_equal(seen.calls, 0);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(jobs.begun, 3);
        assert_int_equal(jobs.most, count);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(stored[i], 7 * (i + 1));
    }
}

TEST(with_a_slot_for_each_they_run_all_at_once)
{
    up();
    run(3);
    world_down(&w);
    assert_string_equal(trail, "2 1 0 ");
    assert_int_equal(w.sim.now_, 3);
}

TEST(store_may_be_null)
{
    up();
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(2), &value, NULL, noted, first, second,
                    third);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 3);
}

TEST(no_functions_finish_too)
{
    up();
    struct weft_functions none = {NULL, 0};
    weft_apply_each_at(WEFT_HERE("apply_each", WEFT_FLOW), WEFT_HERE("function", WEFT_USER),
                       weft_root(&w.loop), &apply, some_slots(2), &value, none, store, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 0);
}

TEST(the_first_error_ends_it_and_what_follows_is_not_called)
{
    up();
    fails_at = 0;
    linger_ms = 4;
    run(1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(jobs.begun, 1);
}

TEST(what_runs_is_cancelled_and_awaited_after_an_error)
{
    up();
    fails_at = 1;
    linger_ms = 4;
    run(2);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(jobs.cancelled, 1);
    assert_int_equal(w.sim.now_, 2 + 4);
    assert_string_equal(trail, "");
}

static void fail_with_first(struct weft_op *op, void *given)
{
    (void)given;
    weft_finish(op, UV_EACCES);
}

TEST(two_errors_are_reported_once)
{
    up();
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(2), &value, store, noted,
                    fail_with_first, fail_with_first);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EACCES);
}

TEST(a_cancel_midway_stops_those_that_run_and_calls_no_other)
{
    up();
    linger_ms = 5;
    run(2);
    weft_sim_advance(&w.sim, 1);
    weft_cancel(&apply.each.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(jobs.begun, 2);
    assert_int_equal(w.sim.now_, 1 + 5);
}

static void end_early(struct weft_op *slot)
{
    store(slot);
    weft_end(slot->parent, 0);
}

TEST(a_store_may_end_it_early_and_well)
{
    up();
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(1), &value, end_early, noted, first,
                    second, third);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 1);
}

TEST(no_slots_or_a_function_that_is_null_are_refused_and_none_is_called)
{
    up();
    struct weft_op *root = weft_root(&w.loop);
    run(0);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_apply_each(root, &apply, some_slots(2), &value, store, noted, first, NULL);
    world_run(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, UV_EINVAL);
    apply.functions = (struct weft_functions){NULL, 2};
    weft_run(root, &apply.each.op, weft_apply_each_begin, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(jobs.begun, 0);
}

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    if (seen.calls < 3)
        weft_apply_each(parent, &apply, some_slots(2), &value, store, once_more, first, second);
}

TEST(it_can_be_begun_again_in_its_own_then)
{
    up();
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(2), &value, store, once_more, first,
                    second, third);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(jobs.begun, 7);
}

TEST(filled_in_by_hand_it_runs_in_a_queue_and_in_order_if_it_is_told_to)
{
    up();
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    apply.each.slots = some_slots(3);
    apply.each.store = store;
    apply.each.order = WEFT_IN_ORDER;
    apply.functions = WEFT_FUNCTIONS(first, second, third);
    apply.value = &value;
    weft_queue_push(&queue, weft_root(&w.loop), &apply.each.op, weft_apply_each_begin, noted);
    world_run(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "0 1 2 ");
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(the_sites_are_the_users_line)
{
    up();
    int line = __LINE__ + 1;
    weft_apply_each(weft_root(&w.loop), &apply, some_slots(1), &value, NULL, noted, first);
    assert_string_equal(apply.each.op.site_->type, "apply_each");
    assert_int_equal(apply.each.op.site_->line, line);
    assert_string_equal(slots[0].op.site_->type, "function");
    assert_int_equal(slots[0].op.site_->line, line);
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_apply_each apply;
    struct job slots[2];
    int status;
};

static void provided_function(struct weft_op *op, void *given)
{
    job_of(op)->ms = 1;
    job_of(op)->status = *(int *)given;
    job_begin(op);
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->apply.functions =
        WEFT_FUNCTIONS(provided_function, provided_function, provided_function);
    provided->apply.value = &provided->status;
    provided->apply.each.slots = WEFT_SLOTS(provided->slots, op);
    provided->status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct provided *)storage)->status = UV_EIO;
}

static const struct weft_provider apply_provider = {
    .name = "apply_each",
    WEFT_PROVIDER_OP(struct provided, apply.each.op),
    .begin = weft_apply_each_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
};

TEST(an_apply_each_conforms)
{
    provider_check(&apply_provider);
}
