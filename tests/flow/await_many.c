/* Several promises at once: all, any, first, settled.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "fault.h"
#include "provider.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { COUNT = 3 };

static struct world w;
static struct weft_await_many many;
static struct weft_await awaits[COUNT];
static struct loading {
    struct weft_promise promise;
    struct job job;
} loadings[COUNT];

static struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static void load(struct weft_op *op)
{
    weft_run(op, &weft_owner(op, struct loading, promise.op)->job.op, job_begin, weft_pass);
}

static void forget(void)
{
    memset(&many, 0, sizeof many);
    memset(awaits, 0, sizeof awaits);
    memset(loadings, 0, sizeof loadings);
    many.which = 7; /* garbage of an earlier life */
    for (int i = 0; i < COUNT; i++)
        awaits[i].promise = &loadings[i].promise;
}

static void up(void)
{
    model_up(&w);
    forget();
}

/* Three promises: how long each takes, and how it ends. */
static void promise_three(struct job a, struct job b, struct job c)
{
    const struct job three[COUNT] = {a, b, c};
    for (int i = 0; i < COUNT; i++) {
        loadings[i].job = three[i];
        weft_promise(root(), &loadings[i].promise, load);
    }
}

static void begin(enum weft_await_kind kind)
{
    weft_await_many_at(WEFT_HERE("await_many", WEFT_PROMISE), root(), &many, kind, awaits, COUNT,
                       noted);
    assert_int_equal(seen.calls, 0);
}

static void run_down(void)
{
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(weft_promise_close(&loadings[i].promise), 0);
}

static void run(enum weft_await_kind kind)
{
    begin(kind);
    run_down();
}

static struct job after(uint64_t ms)
{
    return (struct job){.ms = ms};
}

static struct job fails(uint64_t ms, int status)
{
    return (struct job){.ms = ms, .status = status};
}

/* ---- all ------------------------------------------------------------------------------------ */

TEST(all_succeed_when_the_last_one_has)
{
    up();
    promise_three(after(3), after(9), after(1));
    run(WEFT_ALL);
    assert_int_equal(seen.status, 0);
    assert_true(many.which == WEFT_NONE);
    assert_int_equal(w.sim.now_, 9);
}

TEST(the_first_error_of_all_ends_it_and_the_others_are_cancelled)
{
    up();
    promise_three(after(3), fails(5, UV_EIO), fails(7, UV_ENOENT));
    run(WEFT_ALL);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(many.which, 1);
    assert_int_equal(awaits[0].op.status, 0);
    assert_int_equal(awaits[2].op.status, UV_ECANCELED);
    assert_int_equal(loadings[2].promise.op.status, UV_ECANCELED);
}

TEST(a_promise_that_somebody_else_awaits_goes_on)
{
    up();
    struct weft_await other = {0};
    promise_three(after(3), fails(5, UV_EIO), after(7));
    weft_await(root(), &other, &loadings[2].promise, noted);
    weft_await_all(root(), &many, awaits, COUNT, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(many.op.status, UV_EIO);
    assert_int_equal(other.op.status, 0);
}

TEST(when_several_fail_together_one_counts_and_it_is_told_once)
{
    up();
    promise_three(fails(0, UV_EIO), fails(0, UV_ENOENT), fails(0, UV_EPIPE));
    run(WEFT_ALL);
    assert_true(many.which < COUNT);
    assert_int_equal(seen.status, loadings[many.which].promise.op.status);
}

/* ---- any ------------------------------------------------------------------------------------ */

TEST(any_takes_the_first_success)
{
    up();
    promise_three(fails(1, UV_EIO), after(9), after(4));
    run(WEFT_ANY);
    assert_int_equal(seen.status, 0);
    assert_int_equal(many.which, 2);
    assert_int_equal(awaits[1].op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 4);
}

TEST(if_all_fail_any_has_the_last_error)
{
    up();
    promise_three(fails(1, UV_EIO), fails(9, UV_ENOENT), fails(4, UV_EPIPE));
    run(WEFT_ANY);
    assert_int_equal(seen.status, UV_ENOENT);
    assert_true(many.which == WEFT_NONE);
}

/* ---- first ---------------------------------------------------------------------------------- */

TEST(first_takes_the_first_to_settle)
{
    up();
    promise_three(after(7), after(2), fails(9, UV_EIO));
    run(WEFT_FIRST);
    assert_int_equal(seen.status, 0);
    assert_int_equal(many.which, 1);
    assert_int_equal(w.sim.now_, 2);
}

TEST(first_takes_it_also_with_an_error)
{
    up();
    promise_three(after(7), after(8), fails(2, UV_EIO));
    run(WEFT_FIRST);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(many.which, 2);
}

/* ---- settled -------------------------------------------------------------------------------- */

TEST(settled_waits_for_all_of_them_and_says_how_each_went)
{
    up();
    promise_three(fails(9, UV_EIO), after(2), fails(1, UV_ENOENT));
    run(WEFT_SETTLED);
    assert_int_equal(seen.status, 0);
    assert_true(many.which == WEFT_NONE);
    assert_int_equal(awaits[0].op.status, UV_EIO);
    assert_int_equal(awaits[1].op.status, 0);
    assert_int_equal(awaits[2].op.status, UV_ENOENT);
    assert_int_equal(w.sim.now_, 9);
}

/* ---- all kinds ------------------------------------------------------------------------------ */

TEST(those_that_have_settled_before_are_as_good)
{
    static const int expected[] = {UV_EIO, 0, 1, 0};
    for (int kind = WEFT_ALL; kind <= (int)WEFT_SETTLED; kind++) {
        up();
        promise_three(after(1), fails(2, UV_EIO), after(3));
        assert_int_equal(world_run(&w), 0);
        run((enum weft_await_kind)kind);
        if (kind != WEFT_FIRST)
            assert_int_equal(seen.status, expected[kind]);
    }
}

TEST(no_promises_are_all_and_settled_but_not_any_or_first)
{
    static const int expected[] = {0, UV_EINVAL, UV_EINVAL, 0};
    for (int kind = WEFT_ALL; kind <= (int)WEFT_SETTLED; kind++) {
        up();
        weft_await_many_at(WEFT_HERE("await_many", WEFT_PROMISE), root(), &many,
                           (enum weft_await_kind)kind, NULL, 0, noted);
        run_down();
        assert_int_equal(seen.status, expected[kind]);
        assert_true(many.which == WEFT_NONE);
    }
}

TEST(wrong_arguments_are_invalid_and_nothing_is_awaited)
{
    up();
    promise_three(after(1), after(1), after(1));
    awaits[2].promise = NULL;
    begin(WEFT_ALL);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_false(loadings[0].promise.awaited_);
    weft_await_all(root(), &many, NULL, COUNT, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_await_many_at(many.op.site_, root(), &many, (enum weft_await_kind)99, awaits, 2, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(seen.calls, 3);
}

TEST(one_that_was_never_started_is_an_error_like_any_other)
{
    up();
    loadings[0].job = after(1);
    weft_promise(root(), &loadings[0].promise, load);
    weft_await_settled(root(), &many, awaits, 2, noted);
    run_down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(awaits[0].op.status, 0);
    assert_int_equal(awaits[1].op.status, UV_EINVAL);
}

TEST(cancelled_midway_every_kind_reports_the_reason)
{
    for (int kind = WEFT_ALL; kind <= (int)WEFT_SETTLED; kind++) {
        up();
        promise_three(after(50), after(50), after(50));
        loadings[1].job.linger_ms = 5;
        begin((enum weft_await_kind)kind);
        weft_sim_advance(&w.sim, 10);
        weft_cancel(&many.op, UV_ETIMEDOUT);
        run_down();
        assert_int_equal(seen.status, UV_ETIMEDOUT);
        assert_true(many.which == WEFT_NONE);
        assert_int_equal(jobs.cancelled, COUNT);
    }
}

TEST(cancelled_when_all_are_ready_every_kind_reports_the_reason)
{
    for (int kind = WEFT_ALL; kind <= (int)WEFT_SETTLED; kind++) {
        up();
        promise_three(after(0), fails(0, UV_EIO), after(0));
        assert_int_equal(world_run(&w), 0);
        begin((enum weft_await_kind)kind);
        weft_cancel(&many.op, UV_ETIMEDOUT);
        run_down();
        assert_int_equal(seen.status, UV_ETIMEDOUT);
        assert_true(many.which == WEFT_NONE);
    }
}

static void begin_cancelled(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    weft_await_many_begin(op);
}

TEST(cancelled_before_it_begins_it_is_no_listener)
{
    up();
    promise_three(after(1), after(1), after(1));
    many = (struct weft_await_many){.awaits = awaits, .count = COUNT};
    weft_run(root(), &many.op, begin_cancelled, noted);
    run_down();
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(jobs.cancelled, 0);
}

TEST(it_may_be_ended_early_without_an_error)
{
    up();
    promise_three(after(5), after(5), after(5));
    begin(WEFT_ALL);
    weft_end(&many.op, 0);
    run_down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(jobs.cancelled, COUNT);
}

TEST(the_same_promise_may_be_awaited_twice)
{
    up();
    promise_three(after(5), after(2), after(2));
    awaits[1].promise = &loadings[0].promise;
    run(WEFT_ALL);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 5);
}

static void again(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    if (seen.calls < 4)
        weft_await_many_at(op->site_, parent, &many, (enum weft_await_kind)seen.calls, awaits,
                           COUNT, again);
}

TEST(it_may_be_used_again_in_its_then)
{
    up();
    promise_three(after(1), after(2), after(3));
    weft_await_all(root(), &many, awaits, COUNT, again);
    world_down(&w);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.status, 0);
}

TEST(it_has_a_deadline_like_any_op)
{
    up();
    struct weft_timeout timeout = {0};
    promise_three(after(50), after(1), after(50));
    many = (struct weft_await_many){.awaits = awaits, .count = COUNT, .kind = WEFT_SETTLED};
    weft_timeout(root(), &timeout, &many.op, weft_await_many_begin, 10, noted);
    run_down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(awaits[1].op.status, 0);
    assert_int_equal(w.sim.now_, 10);
}

TEST(it_can_be_a_task_of_a_queue)
{
    up();
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    promise_three(after(5), after(1), after(5));
    many = (struct weft_await_many){.awaits = awaits, .count = COUNT, .kind = WEFT_ANY};
    weft_queue_push(&queue, root(), &many.op, weft_await_many_begin, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    run_down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(many.which, 1);
}

TEST(the_sites_say_which_kind_it_is)
{
    up();
    weft_await_any(root(), &many, awaits, 0, noted);
    assert_string_equal(many.op.site_->type, "await_any");
    assert_int_equal(world_run(&w), 0);
    weft_await_first(root(), &many, awaits, 0, noted);
    assert_string_equal(many.op.site_->type, "await_first");
    assert_int_equal(many.op.site_->group, WEFT_PROMISE);
    world_down(&w);
}

TEST(nothing_is_allocated)
{
    up();
    weft_fault_install();
    promise_three(after(5), fails(1, UV_EIO), after(5));
    begin(WEFT_ALL);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    fault_remove();
    run_down();
}

/* ---- the conformance suite ------------------------------------------------------------------ */

/* Two promises each, one of which has settled. */
enum { PROMISES = 128 };

struct run {
    struct weft_await_many many;
    struct weft_await awaits[2];
};

static struct weft_promise promised[PROMISES];
static unsigned promises_made;
static struct weft_loop *stage;

static void promises_up(struct weft_loop *loop)
{
    memset(promised, 0, sizeof promised);
    promises_made = 0;
    stage = loop;
}

static void promises_down(struct weft_loop *loop)
{
    (void)loop;
    for (unsigned i = 0; i < promises_made; i++)
        weft_promise_settle(&promised[i], 0);
}

static void good_run(void *storage)
{
    struct run *run = storage;
    run->many.awaits = run->awaits;
    run->many.count = 2;
    for (int i = 0; i < 2; i++) {
        assert_true(promises_made < PROMISES);
        run->awaits[i].promise = &promised[promises_made++];
        weft_promise(weft_root(stage), run->awaits[i].promise, NULL);
    }
    weft_promise_settle(run->awaits[0].promise, 0);
}

static void bad_run(void *storage)
{
    good_run(storage);
    weft_promise_settle(((struct run *)storage)->awaits[1].promise, UV_EIO);
}

static void nudge_run(void *storage)
{
    weft_promise_settle(((struct run *)storage)->awaits[1].promise, 0);
}

static const struct weft_provider await_many_provider = {
    .name = "await_many",
    WEFT_PROVIDER_OP(struct run, many.op),
    .begin = weft_await_many_begin,
    .up = promises_up,
    .down = promises_down,
    .good = good_run,
    .bad = bad_run,
    .bad_status = UV_EIO,
    .nothing_status = 0,
    .nudge = nudge_run,
};

TEST(await_many_conforms)
{
    provider_check(&await_many_provider);
}
