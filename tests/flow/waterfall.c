/* Waterfall, seq and compose: a series whose steps hand a value on.
 * ctest: labels=valgrind */
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

static struct world w;
static struct weft_waterfall fall;
static struct job a, b;
static int zero = 0, one = 1, two = 2, three = 3;

static void up(void)
{
    model_up(&w);
    memset(&fall, 0, sizeof fall);
    fall.result = &three; /* garbage of an earlier life */
    a = b = (struct job){0};
}

static const char *word(const void *value)
{
    static char number[20];
    if (value == NULL)
        return "null";
    snprintf(number, sizeof number, "%d", *(const int *)value);
    return number;
}

static void hand_one(struct weft_op *op, void *value)
{
    leave("one(%s)", word(value));
    weft_hand_on(op, &one);
}

static void hand_two(struct weft_op *op, void *value)
{
    leave("two(%s)", word(value));
    weft_hand_on(op, &two);
}

static void keep(struct weft_op *op, void *value)
{
    (void)op;
    leave("keep(%s)", word(value));
}

/* Starts a job; what follows gets three, handed on when that is over. */
static void hand_three(struct weft_op *op, struct weft_op *job)
{
    if (job->status == 0)
        weft_hand_on(op, &three);
    else
        weft_end(op, job->status);
}

static void later_three(struct weft_op *op, void *value)
{
    leave("three(%s)", word(value));
    weft_run(op, &a.op, job_begin, hand_three);
}

static void run_functions(struct weft_functions functions, void *value)
{
    weft_waterfall_at(WEFT_HERE("waterfall", WEFT_FLOW), weft_root(&w.loop), &fall, value,
                      functions, false, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

TEST(a_waterfall_without_steps_ends_with_its_value)
{
    up();
    run_functions((struct weft_functions){NULL, 0}, &zero);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(fall.result, &zero);
}

TEST(each_step_gets_what_the_one_before_handed_on)
{
    up();
    a.ms = 5;
    run_functions(WEFT_FUNCTIONS(hand_one, later_three, hand_two), &zero);
    assert_string_equal(trail, "one(0) three(1) two(3) ");
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(fall.result, &two);
    assert_ptr_equal(fall.value, &zero);
}

TEST(a_step_that_hands_nothing_on_hands_on_NULL)
{
    up();
    run_functions(WEFT_FUNCTIONS(hand_one, keep, keep), &zero);
    assert_string_equal(trail, "one(0) keep(1) keep(null) ");
    assert_null(fall.result);
}

TEST(a_waterfall_may_begin_with_nothing)
{
    up();
    run_functions(WEFT_FUNCTIONS(keep, hand_two), NULL);
    assert_string_equal(trail, "keep(null) two(null) ");
    assert_ptr_equal(fall.result, &two);
}

static void hand_one_after_all(struct weft_op *op, struct weft_op *job)
{
    assert_int_equal(job->status, 0);
    weft_hand_on(op, &one);
}

static void hand_on_twice(struct weft_op *op, void *value)
{
    (void)value;
    weft_hand_on(op, &two);
    weft_run(op, &b.op, job_begin, hand_one_after_all);
}

TEST(of_what_a_step_hands_on_the_last_counts)
{
    up();
    run_functions(WEFT_FUNCTIONS(hand_on_twice, keep), NULL);
    assert_string_equal(trail, "keep(1) ");
}

static void start_two(struct weft_op *op, void *value)
{
    leave("both(%s)", word(value));
    weft_run(op, &a.op, job_begin, hand_three);
    weft_run(op, &b.op, job_begin, NULL);
}

TEST(a_step_is_over_when_everything_it_started_is_over)
{
    up();
    a.ms = 2;
    b.ms = 9;
    weft_waterfall(weft_root(&w.loop), &fall, NULL, noted, start_two, keep);
    weft_sim_advance(&w.sim, 8);
    assert_string_equal(trail, "both(null) ");
    world_down(&w);
    assert_string_equal(trail, "both(null) keep(3) ");
}

TEST(seq_is_another_name_for_it)
{
    up();
    weft_seq(weft_root(&w.loop), &fall, &zero, noted, hand_one, keep);
    world_down(&w);
    assert_string_equal(trail, "one(0) keep(1) ");
}

TEST(compose_begins_with_the_last_step)
{
    up();
    weft_compose(weft_root(&w.loop), &fall, &zero, noted, keep, hand_two, later_three, hand_one);
    assert_string_equal(fall.op.site_->type, "compose");
    world_down(&w);
    assert_string_equal(trail, "one(0) three(1) two(3) keep(2) ");
    assert_int_equal(seen.status, 0);
}

TEST(a_step_that_is_NULL_is_invalid_and_none_is_called)
{
    up();
    run_functions(WEFT_FUNCTIONS(hand_one, NULL), &zero);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_string_equal(trail, "");
    assert_ptr_equal(fall.result, &zero);
}

TEST(steps_without_a_list_are_invalid)
{
    up();
    run_functions((struct weft_functions){NULL, 2}, &zero);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(an_error_ends_it_and_no_other_step_is_called)
{
    up();
    a = (struct job){.ms = 2, .status = UV_EIO};
    run_functions(WEFT_FUNCTIONS(hand_one, later_three, hand_two), &zero);
    assert_string_equal(trail, "one(0) three(1) ");
    assert_int_equal(seen.status, UV_EIO);
    assert_null(fall.result); /* three(1) has got it */
}

TEST(the_first_error_stands_and_the_other_is_awaited)
{
    up();
    a = (struct job){.ms = 2, .status = UV_EIO};
    b = (struct job){.ms = 9, .linger_ms = 4, .status = UV_ENOENT};
    run_functions(WEFT_FUNCTIONS(start_two, keep), &zero);
    assert_string_equal(trail, "both(0) ");
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(b.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 6);
}

static void end_well(struct weft_op *op, void *value)
{
    weft_hand_on(op, value);
    weft_end(op, 0);
}

TEST(a_step_may_end_it_early_and_well_with_a_result)
{
    up();
    run_functions(WEFT_FUNCTIONS(hand_one, end_well, hand_two), &zero);
    assert_string_equal(trail, "one(0) ");
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(fall.result, &one);
}

TEST(a_cancel_midway_stops_the_step_and_calls_no_other)
{
    up();
    a = (struct job){.ms = 100, .linger_ms = 3};
    weft_waterfall(weft_root(&w.loop), &fall, &zero, noted, hand_one, later_three, hand_two);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&fall.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 2);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_string_equal(trail, "one(0) three(1) ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(a.cancelled, 1);
}

TEST(what_was_handed_on_when_a_cancel_came_is_left_in_result)
{
    up();
    weft_waterfall(weft_root(&w.loop), &fall, &zero, noted, later_three, keep);
    weft_cancel(&fall.op, UV_ECANCELED); /* the job is ready: it hands on what nobody gets */
    world_down(&w);
    assert_string_equal(trail, "three(0) ");
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_ptr_equal(fall.result, &three);
}

TEST(under_a_cancelled_parent_no_step_is_called_and_the_value_is_left)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_waterfall(&parent, &fall, &zero, noted, hand_one);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(fall.op.status, UV_EACCES);
    assert_ptr_equal(fall.result, &zero);
}

static void cancel_it(struct weft_op *op, void *value)
{
    weft_hand_on(op, value);
    weft_cancel(op, UV_EINTR);
}

TEST(a_step_may_cancel_it)
{
    up();
    run_functions(WEFT_FUNCTIONS(cancel_it, hand_one), &zero);
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_EINTR);
    assert_ptr_equal(fall.result, &zero);
}

TEST(a_deadline_ends_a_waterfall)
{
    up();
    static struct weft_deadline deadline;
    a.ms = 100;
    weft_waterfall(weft_root(&w.loop), &fall, &zero, noted, later_three, keep);
    weft_deadline(&fall.op, &deadline, 10);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 10);
}

TEST(the_site_of_a_waterfall_is_where_it_was_written)
{
    up();
    int line = __LINE__ + 1;
    weft_waterfall(weft_root(&w.loop), &fall, NULL, noted, keep);
    assert_string_equal(fall.op.site_->type, "waterfall");
    assert_int_equal(fall.op.site_->line, line);
    assert_int_equal(fall.op.site_->group, WEFT_FLOW);
    world_down(&w);
}

/* ---- a function made of functions ----------------------------------------------------------- */

static unsigned attempts;

static void fail_twice(struct weft_op *op, void *value)
{
    leave("try(%s)", word(value));
    if (++attempts <= 2)
        weft_end(op, UV_EAGAIN);
    else
        weft_hand_on(op, value);
}

TEST(in_a_retry_each_attempt_begins_with_the_same_value)
{
    up();
    static struct weft_retry retry;
    memset(&retry, 0, sizeof retry);
    attempts = 0;
    fall.steps = WEFT_FUNCTIONS(hand_one, fail_twice, keep);
    fall.value = &zero;
    weft_retry(weft_root(&w.loop), &retry, &fall.op, weft_waterfall_begin, 5, 10, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "one(0) try(1) one(0) try(1) one(0) try(1) keep(1) ");
}

static int numbers[4] = {10, 20, 30, 40};

static void add_one(struct weft_op *op, void *value)
{
    ++*(int *)value;
    weft_hand_on(op, value);
}

static void double_it(struct weft_op *op, void *value)
{
    *(int *)value *= 2;
    weft_hand_on(op, value);
}

static bool next_number(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    struct weft_waterfall *function = weft_owner(slot, struct weft_waterfall, op);
    function->value = &numbers[index % 4];
    function->steps = WEFT_FUNCTIONS(double_it, add_one);
    function->backwards = true;
    return index < 4;
}

TEST(it_runs_in_the_slots_of_an_each)
{
    up();
    static struct weft_each each;
    static struct weft_waterfall slots[2];
    memset(&each, 0, sizeof each);
    memset(slots, 0, sizeof slots);
    weft_each(weft_root(&w.loop), &each, weft_slots(&slots[0].op, sizeof slots[0], 2), next_number,
              weft_waterfall_begin, NULL, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(numbers[0], 22);
    assert_int_equal(numbers[3], 82);
}

/* ---- many ----------------------------------------------------------------------------------- */

enum { MILLION = 1000000 };
static size_t counted;

static void count_step(struct weft_op *op, void *value)
{
    counted += value == &one;
    weft_hand_on(op, value);
}

static void million_steps(void)
{
    weft_value_fn **list = malloc(MILLION * sizeof *list);
    for (size_t i = 0; i < MILLION; i++)
        list[i] = count_step;
    counted = 0;
    up();
    run_functions((struct weft_functions){list, MILLION}, &one);
    free(list);
}

TEST(a_million_synchronous_steps_use_the_stack_of_one)
{
    on_a_small_stack(million_steps);
    assert_int_equal(counted, MILLION);
    assert_int_equal(seen.status, 0);
}

/* ---- the contract --------------------------------------------------------------------------- */

struct flight {
    struct weft_waterfall fall;
    struct job job;
    int landed;
};

static void land(struct weft_op *op, struct weft_op *job)
{
    if (job->status != 0)
        weft_end(op, job->status);
    else
        weft_hand_on(op, &weft_owner(op, struct flight, fall.op)->landed);
}

static void take_off(struct weft_op *op, void *value)
{
    assert_ptr_equal(value, &zero);
    weft_run(op, &weft_owner(op, struct flight, fall.op)->job.op, job_begin, land);
}

static void taxi(struct weft_op *op, void *value)
{
    *(int *)value = 7;
    weft_hand_on(op, value);
}

static void good(void *storage)
{
    struct flight *flight = storage;
    flight->fall.steps = WEFT_FUNCTIONS(take_off, taxi);
    flight->fall.value = &zero;
    flight->job.ms = 1;
    flight->job.status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct flight *)storage)->job.status = UV_EIO;
}

static void verify(void *storage)
{
    struct flight *flight = storage;
    assert_int_equal(flight->landed, 7);
    assert_ptr_equal(flight->fall.result, &flight->landed);
}

TEST(a_waterfall_conforms)
{
    static const struct weft_provider provider = {
        .name = "waterfall",
        WEFT_PROVIDER_OP(struct flight, fall.op),
        .begin = weft_waterfall_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EIO,
        .nothing_status = 0,
        .verify = verify,
    };
    provider_check(&provider);
}

static void hand_on_outside(void)
{
    up();
    weft_run(weft_root(&w.loop), &a.op, NULL, noted);
    weft_hand_on(&a.op, &one);
}

TEST(a_value_handed_on_in_an_op_that_is_no_waterfall_breaks_rule_2)
{
    dies(hand_on_outside, "rule 2", "no waterfall");
}
