/* Times: a number of items without a source.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>

enum { MANY = 30, SLOTS = 3 };

static struct world w;
static struct weft_each each;
static struct job slots[SLOTS];
static unsigned begun[MANY], stored[MANY];
static size_t failing;

static void up(void)
{
    model_up(&w);
    memset(&each, 0, sizeof each);
    memset(slots, 0, sizeof slots);
    memset(begun, 0, sizeof begun);
    memset(stored, 0, sizeof stored);
    failing = SIZE_MAX;
}

static void item_begin(struct weft_op *op)
{
    size_t index = weft_index(op);
    begun[index]++;
    job_of(op)->ms = index % 4;
    job_of(op)->status = index == failing ? UV_EIO : 0;
    job_begin(op);
}

static void store(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    assert_ptr_equal(slot->parent, &each.op);
    assert_int_equal(index, weft_index(slot));
    stored[index]++;
}

static void run(size_t count, weft_store_fn *store_fn)
{
    weft_times(weft_root(&w.loop), &each, WEFT_SLOTS(slots, op), count, item_begin, store_fn,
               noted);
}

TEST(times_begins_each_number_once)
{
    up();
    run(MANY, store);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.most, SLOTS);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(begun[i], 1);
        assert_int_equal(stored[i], 1);
    }
}

TEST(no_times_finish_too)
{
    up();
    run(0, store);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.begun, 0);
}

TEST(fewer_times_than_slots_leave_slots_alone)
{
    up();
    run(2, NULL);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(slots[2].begun, 0);
}

TEST(the_first_error_ends_times_also_without_store)
{
    up();
    failing = 5;
    run(MANY, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
    assert_true(jobs.begun < MANY);
}

TEST(times_that_are_cancelled_midway_begin_nothing_more)
{
    up();
    run(MANY, store);
    weft_sim_advance(&w.sim, 4);
    unsigned before = jobs.begun;
    weft_cancel(&each.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_true(before > 0 && before < MANY);
    assert_int_equal(jobs.begun, before);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(times_without_slots_or_a_begin_are_refused)
{
    up();
    weft_times(weft_root(&w.loop), &each, weft_slots(NULL, 0, 0), 3, item_begin, NULL, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_times(weft_root(&w.loop), &each, WEFT_SLOTS(slots, op), 3, NULL, NULL, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(a_negative_number_of_times_is_refused)
{
    up();
    int error = UV_ENOENT;
    weft_times(weft_root(&w.loop), &each, WEFT_SLOTS(slots, op), (size_t)error, item_begin, NULL,
               noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(jobs.begun, 0);
}

static void at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void million(void)
{
    up();
    weft_times(weft_root(&w.loop), &each, WEFT_SLOTS(slots, op), 1000000, at_once, NULL, noted);
    world_down(&w);
}

TEST(a_million_synchronous_times)
{
    on_a_small_stack(million);
    assert_int_equal(seen.status, 0);
    assert_int_equal(each.handed_over_, 1000000);
}

TEST(the_site_of_times_is_the_users_line)
{
    up();
    int line = __LINE__ + 1;
    weft_times(weft_root(&w.loop), &each, WEFT_SLOTS(slots, op), 1, item_begin, NULL, noted);
    assert_string_equal(each.op.site_->type, "times");
    assert_int_equal(each.op.site_->line, line);
    assert_string_equal(slots[0].op.site_->type, "item_begin");
    world_down(&w);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_each each;
    struct job slots[2];
    int status;
};

static void provided_begin(struct weft_op *op)
{
    const struct provided *provided = weft_owner(op->parent, struct provided, each.op);
    job_of(op)->ms = 1;
    job_of(op)->status = weft_index(op) == 2 ? provided->status : 0;
    job_begin(op);
}

static void good(void *storage)
{
    struct provided *provided = storage;
    provided->each.slots = WEFT_SLOTS(provided->slots, op);
    provided->each.begin = provided_begin;
    provided->each.source.count = 3;
    provided->status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct provided *)storage)->status = UV_EIO;
}

static const struct weft_provider times_provider = {
    .name = "times",
    WEFT_PROVIDER_OP(struct provided, each.op),
    .begin = weft_each_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
};

TEST(times_conform)
{
    provider_check(&times_provider);
}
