/* Work on the loop in slices: turns, cancels, pauses, progress.
 * ctest: labels=valgrind */
#include "core/op.h"
#include "hook_log.h"
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/steps.h>

struct work {
    struct weft_steps steps;
    char name;
    unsigned count, wanted;
    int status; /* of the last step */
};

static struct work *work_of(struct weft_steps *steps)
{
    return weft_owner(steps, struct work, steps);
}

static int count_on(struct weft_steps *steps)
{
    struct work *work = work_of(steps);
    if (work->name != '\0')
        leave("%c%u", work->name, work->count);
    steps->done = ++work->count;
    return work->count < work->wanted ? WEFT_MORE : work->status;
}

static void begin(struct world *w, struct work *work)
{
    weft_steps(weft_root(&w->loop), &work->steps, count_on, noted);
}

static void trail_is(const char *expected)
{
    assert_string_equal(trail, expected);
}

/* ---- the contract --------------------------------------------------------------------------- */

static void good(void *storage)
{
    struct work *work = storage;
    *work =
        (struct work){.steps = {.op = work->steps.op, .step = count_on, .every = 3}, .wanted = 20};
}

static void bad(void *storage)
{
    good(storage);
    ((struct work *)storage)->status = UV_ERANGE;
}

static void is_complete(void *storage)
{
    const struct work *work = storage;
    assert_int_equal(work->count, work->wanted);
    assert_int_equal(work->steps.steps, 20);
    assert_int_equal(work->steps.slices, 7);
}

TEST(steps_conform)
{
    static const struct weft_provider steps = {
        .name = "steps",
        WEFT_PROVIDER_OP(struct work, steps.op),
        .begin = weft_steps_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_ERANGE,
        .nothing_status = UV_EINVAL,
        .verify = is_complete,
        .flags = WEFT_PROVIDER_HANDLE,
    };
    provider_check(&steps);
}

/* ---- slices --------------------------------------------------------------------------------- */

TEST(a_slice_ends_after_so_many_steps)
{
    struct world w;
    struct work work = {.steps.every = 4, .wanted = 10};
    world_up(&w);
    begin(&w, &work);
    assert_int_equal(work.count, 0); /* not before the loop runs */
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(work.count, 10);
    assert_int_equal(work.steps.steps, 10);
    assert_int_equal(work.steps.slices, 3);
}

static int take_a_while(struct weft_steps *steps)
{
    struct work *work = work_of(steps);
    for (uint64_t end = uv_hrtime() + 20000; uv_hrtime() < end;)
        continue;
    return ++work->count < work->wanted ? WEFT_MORE : 0;
}

/* Real time, since the clock is what is tested: 4 ms. */
TEST(a_slice_ends_when_its_time_is_up)
{
    struct world w;
    struct work work = {.steps.budget_us = 400, .wanted = 200};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, take_a_while, noted);
    world_down(&w);
    assert_int_equal(work.count, 200);
    /* 200 steps of 20 µs or more, at most 20 of them and one more fit into a slice */
    assert_true(work.steps.slices >= 200 / 21);
    assert_true(work.steps.longest_us >= 400);
}

/* Real time: 4 ms. */
TEST(a_number_of_steps_alone_knows_no_time_and_with_a_budget_the_first_of_both_counts)
{
    struct world w;
    struct work counted = {.steps.every = 100, .wanted = 100};
    struct work both = {.steps = {.every = 100, .budget_us = 100}, .wanted = 100};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &counted.steps, take_a_while, noted);
    weft_steps(weft_root(&w.loop), &both.steps, take_a_while, noted);
    world_down(&w);
    assert_int_equal(counted.steps.slices, 1);
    assert_true(both.steps.slices >= 100 / 6);
}

static int sum_on(struct weft_steps *steps)
{
    struct work *work = work_of(steps);
    return ++work->count < work->wanted ? WEFT_MORE : 0;
}

TEST(the_clock_is_looked_at_seldom_when_steps_are_short)
{
    struct world w;
    struct work work = {.steps.budget_us = 1000000, .wanted = 200000};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, sum_on, noted);
    world_down(&w);
    assert_int_equal(work.count, 200000);
    assert_true(work.steps.stride_ >= 4); /* valgrind's are slow */
    assert_true(work.steps.stride_ <= 1024);
}

TEST(in_a_simulation_a_slice_has_a_fixed_number_of_steps)
{
    struct world w;
    struct work work = {.wanted = 2 * WEFT_STEPS_SIMULATED + 1};
    world_up_sim(&w, 0);
    begin(&w, &work);
    world_down(&w);
    assert_int_equal(work.steps.slices, 3);
}

static void slice_over(struct weft_steps *steps)
{
    leave("(%u of %u)", (unsigned)steps->done, (unsigned)steps->total);
}

TEST(whoever_wants_to_know_is_told_of_the_progress_after_each_slice)
{
    struct world w;
    struct work work = {
        .steps = {.every = 2, .on_slice = slice_over, .total = 5}, .name = 'a', .wanted = 5};
    model_up_seeded(&w, 0);
    begin(&w, &work);
    world_down(&w);
    trail_is("a0 a1 (2 of 5) a2 a3 (4 of 5) a4 (5 of 5) ");
}

/* ---- turns ---------------------------------------------------------------------------------- */

TEST(all_of_a_loop_take_turns)
{
    struct world w;
    struct work works[3] = {{.steps.every = 2, .name = 'a', .wanted = 4},
                            {.steps.every = 1, .name = 'b', .wanted = 3},
                            {.steps.every = 2, .name = 'c', .wanted = 2}};
    model_up(&w); /* also when ready ops are shuffled: the line is none of them */
    for (int i = 0; i < 3; i++)
        begin(&w, &works[i]);
    world_down(&w);
    trail_is("a0 a1 b0 c0 c1 a2 a3 b1 b2 ");
}

static void leave_tick(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    leave("tick");
}

static void leave_immediate(struct weft_op *root, struct weft_op *op)
{
    leave("immediate");
    weft_tick(root, op, leave_tick);
}

static int begin_others(struct weft_steps *steps)
{
    static struct weft_op op;
    struct work *work = work_of(steps);
    leave("%c", work->name);
    if (work->name == 'a')
        weft_immediate(steps->op.parent, &op, leave_immediate);
    return 0;
}

/* On the real loop; a simulation has no iterations. */
TEST(what_is_ready_comes_before_the_next_slice)
{
    struct world w;
    struct work works[2] = {{.name = 'a'}, {.name = 'b'}};
    world_up_in_order(&w);
    trail[0] = '\0';
    for (int i = 0; i < 2; i++)
        weft_steps(weft_root(&w.loop), &works[i].steps, begin_others, noted);
    world_down(&w);
    trail_is("a immediate tick b ");
}

static unsigned iterations;

static void count_iteration(uv_check_t *check)
{
    (void)check;
    iterations++;
}

static int note_iteration(struct weft_steps *steps)
{
    static unsigned last;
    struct work *work = work_of(steps);
    assert_true(iterations != last); /* one slice in each, whoever does it */
    last = iterations;
    return ++work->count < work->wanted ? WEFT_MORE : 0;
}

TEST(an_iteration_of_the_loop_has_one_slice_however_many_compute)
{
    struct world w;
    struct work works[4];
    uv_check_t check;
    world_up(&w);
    uv_check_init(&w.uv, &check);
    uv_check_start(&check, count_iteration);
    uv_unref((uv_handle_t *)&check);
    iterations = 1;
    for (int i = 0; i < 4; i++) {
        works[i] = (struct work){.steps.every = 1, .wanted = 25};
        weft_steps(weft_root(&w.loop), &works[i].steps, note_iteration, noted);
    }
    assert_int_equal(world_run(&w), 0);
    assert_true(iterations >= 100);
    uv_close((uv_handle_t *)&check, NULL);
    world_close(&w);
}

static struct work endless[4];

struct stopper {
    struct weft_timer timer;
    struct weft_loop *loop;
    unsigned calls;
};

static void stop_them(struct weft_timer *timer)
{
    struct stopper *stopper = weft_owner(timer, struct stopper, timer);
    stopper->calls++;
    for (int i = 0; i < 4; i++) {
        if (endless[i].count == 0 || stopper->calls < 3) {
            weft_timer_start(stopper->loop, timer, 1, stop_them); /* not yet */
            return;
        }
    }
    for (int i = 0; i < 4; i++)
        weft_cancel(&endless[i].steps.op, UV_ETIMEDOUT);
}

/* Real time: three milliseconds. */
TEST(a_timer_comes_while_four_compute_without_end)
{
    struct world w;
    struct stopper stopper = {.loop = &w.loop};
    world_up(&w);
    for (int i = 0; i < 4; i++) {
        endless[i] = (struct work){.steps.budget_us = 100, .wanted = UINT32_MAX};
        begin(&w, &endless[i]);
    }
    weft_timer_start(&w.loop, &stopper.timer, 1, stop_them);
    world_down(&w);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(stopper.calls >= 3);
}

TEST(virtual_time_stands_still_while_somebody_computes)
{
    struct world w;
    struct work work = {.wanted = 1000};
    struct weft_sleep nap = {0};
    model_up(&w);
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    begin(&w, &work);
    assert_int_equal(world_run(&w), 0);
    assert_ptr_equal(seen.op, &nap.op); /* the last one */
    world_close(&w);
}

/* ---- ends ----------------------------------------------------------------------------------- */

TEST(a_step_that_fails_is_the_last_one)
{
    struct world w;
    struct work work = {.wanted = 7, .status = UV_EIO};
    world_up(&w);
    begin(&w, &work);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(work.count, 7);
}

TEST(one_that_waits_for_its_slice_is_cancelled_at_once)
{
    struct world w;
    struct work works[2] = {{.steps.every = 1, .wanted = 100}, {.steps.every = 1, .wanted = 3}};
    model_up(&w);
    begin(&w, &works[0]);
    begin(&w, &works[1]);
    while (works[0].count < 2)
        weft_sim_step(&w.sim);
    weft_cancel(&works[0].steps.op, UV_ETIMEDOUT);
    assert_int_equal(works[0].steps.op.state_, OP_READY);
    world_down(&w);
    assert_int_equal(works[0].steps.op.status, UV_ETIMEDOUT);
    assert_int_equal(works[0].count, 2);
    assert_int_equal(works[1].count, 3);
}

static int cancel_itself(struct weft_steps *steps)
{
    struct work *work = work_of(steps);
    if (++work->count == 3)
        weft_cancel(&steps->op, UV_ETIMEDOUT);
    return work->status != 0 ? work->status : WEFT_MORE;
}

TEST(one_that_is_cancelled_in_its_slice_takes_no_further_step)
{
    struct world w;
    struct work work = {0};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, cancel_itself, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(work.count, 3);
}

static int cancel_and_succeed(struct weft_steps *steps)
{
    weft_cancel(&steps->op, UV_ETIMEDOUT);
    return 0;
}

static int cancel_and_fail(struct weft_steps *steps)
{
    weft_cancel(&steps->op, UV_ETIMEDOUT);
    return UV_EIO;
}

TEST(the_last_step_of_one_that_was_cancelled_cannot_make_it_a_success)
{
    struct world w;
    struct work works[2] = {0};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &works[0].steps, cancel_and_succeed, noted);
    weft_steps(weft_root(&w.loop), &works[1].steps, cancel_and_fail, noted);
    world_down(&w);
    assert_int_equal(works[0].steps.op.status, UV_ETIMEDOUT);
    assert_int_equal(works[1].steps.op.status, UV_EIO); /* an error is told as it is */
}

static int end_itself(struct weft_steps *steps)
{
    weft_end(&steps->op, 0);
    assert_int_equal(++work_of(steps)->count, 1);
    return WEFT_MORE;
}

static void end_after_slice(struct weft_steps *steps)
{
    weft_end(&steps->op, UV_EPIPE);
}

TEST(a_step_or_who_is_told_of_the_slice_may_end_it)
{
    struct world w;
    struct work work = {0},
                other = {.steps = {.every = 2, .on_slice = end_after_slice}, .wanted = 9};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, end_itself, noted);
    begin(&w, &other);
    world_down(&w);
    assert_int_equal(work.steps.op.status, 0);
    assert_int_equal(other.steps.op.status, UV_EPIPE);
    assert_int_equal(other.count, 2);
}

TEST(weft_end_from_outside_ends_it_well)
{
    struct world w;
    struct work work = {.wanted = 100};
    world_up(&w);
    begin(&w, &work);
    weft_end(&work.steps.op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(work.count, 0);
}

struct parent_of_naps {
    struct weft_steps steps;
    struct weft_sleep nap;
    int result;
};

static int begin_a_nap(struct weft_steps *steps)
{
    struct parent_of_naps *it = weft_owner(steps, struct parent_of_naps, steps);
    weft_sleep(&steps->op, &it->nap, 1000, noted);
    return it->result;
}

TEST(what_a_step_has_begun_is_awaited_and_cancelled_by_an_error)
{
    struct world w;
    struct parent_of_naps fine = {0}, broken = {.result = UV_EIO};
    model_up(&w);
    weft_steps(weft_root(&w.loop), &fine.steps, begin_a_nap, noted);
    weft_steps(weft_root(&w.loop), &broken.steps, begin_a_nap, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_now(&w.loop), 1000);
    assert_int_equal(fine.steps.op.status, 0);
    assert_int_equal(fine.nap.op.status, 0);
    assert_int_equal(broken.steps.op.status, UV_EIO);
    assert_int_equal(broken.nap.op.status, UV_ECANCELED);
    world_close(&w);
}

static int return_nonsense(struct weft_steps *steps)
{
    (void)steps;
    return 17;
}

static void step_returns_nonsense(void)
{
    struct world w;
    struct work work = {0};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, return_nonsense, noted);
    world_run(&w);
}

static int run_the_loop(struct weft_steps *steps)
{
    return weft_loop_run(steps->op.loop_);
}

static void step_runs_the_loop(void)
{
    struct world w;
    struct work work = {0};
    world_up(&w);
    weft_steps(weft_root(&w.loop), &work.steps, run_the_loop, noted);
    world_run(&w);
}

TEST(a_step_that_breaks_a_rule_is_caught)
{
    dies(step_returns_nonsense, "rule 2", "WEFT_PAUSE");
    dies(step_runs_the_loop, "rule 3", "from inside");
}

/* ---- pauses --------------------------------------------------------------------------------- */

struct waiter {
    struct weft_steps steps;
    struct weft_sleep nap;
    unsigned pauses;
};

static void woken(struct weft_op *root, struct weft_op *nap)
{
    (void)root;
    weft_steps_resume(&weft_owner(nap, struct waiter, nap.op)->steps);
}

static int wait_thrice(struct weft_steps *steps)
{
    struct waiter *waiter = weft_owner(steps, struct waiter, steps);
    if (waiter->pauses == 3)
        return 0;
    waiter->pauses++;
    weft_sleep(steps->op.parent, &waiter->nap, 10, woken);
    weft_steps_resume(steps); /* it is not paused yet */
    return WEFT_PAUSE;
}

TEST(one_that_pauses_goes_on_when_it_is_told_to)
{
    struct world w;
    struct waiter waiter = {0};
    model_up(&w);
    weft_steps(weft_root(&w.loop), &waiter.steps, wait_thrice, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_now(&w.loop), 30);
    assert_int_equal(waiter.steps.slices, 4);
    weft_steps_resume(&waiter.steps); /* and it is over */
    world_close(&w);
}

static int pause_for_ever(struct weft_steps *steps)
{
    (void)steps;
    return WEFT_PAUSE;
}

TEST(one_that_is_paused_does_not_keep_the_loop_alive_and_can_be_cancelled)
{
    struct world w;
    struct work work = {0};
    world_up(&w);
    w.loop.stuck_to = NULL;
    weft_steps(weft_root(&w.loop), &work.steps, pause_for_ever, noted);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    weft_cancel(&work.steps.op, UV_ETIMEDOUT);
    weft_steps_resume(&work.steps); /* too late */
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

/* ---- being seen ----------------------------------------------------------------------------- */

TEST(a_slice_is_a_callback_of_a_handle)
{
    needs_hooks();
    struct world w;
    static struct hook_log log;
    struct work work = {.steps.every = 2, .wanted = 3};
    world_up(&w);
    hook_log_init(&log);
    assert_int_equal(weft_hook_enable(&w.loop, &log.hook), 0);
    begin(&w, &work);
    world_down(&w);
    told(&log, "init:steps<loop pre:steps post:steps pre:steps post:steps pre:steps post:steps "
               "destroy:steps ");
    hook_log_check_over(&log);
}

TEST(a_dump_says_who_computes)
{
    struct world w;
    struct work work = {.wanted = 3};
    world_up(&w);
    begin(&w, &work);
    FILE *to = tmpfile();
    weft_dump(&w.loop, to);
    char *text = text_of(to);
    assert_non_null(strstr(text, "1 operation that computes"));
    free(text);
    fclose(to);
    world_down(&w);
}
