/* Repeat: whilst, until, do_whilst, do_until, forever.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>
#include <weft/work.h>

static struct world w;
static struct weft_repeat repeat;
static struct job a, b;
static unsigned asked, wanted;

static void up(void)
{
    model_up(&w);
    memset(&repeat, 0, sizeof repeat);
    repeat.rounds = 99; /* garbage of an earlier life */
    a = b = (struct job){0};
    asked = 0;
    wanted = 3;
}

static bool are_left(struct weft_op *op)
{
    assert_ptr_equal(op, &repeat.op);
    assert_int_equal(weft_running(op), 0);
    leave("?");
    return asked++ < wanted;
}

static bool are_none_left(struct weft_op *op)
{
    return !are_left(op);
}

static void nothing(struct weft_op *op)
{
    (void)op;
    leave("nothing");
}

static void start_a(struct weft_op *op)
{
    leave("a");
    weft_run(op, &a.op, job_begin, NULL);
}

static void start_both(struct weft_op *op)
{
    leave("both");
    weft_run(op, &a.op, job_begin, NULL);
    weft_run(op, &b.op, job_begin, NULL);
}

static void end_it_in_the_third(struct weft_op *op)
{
    leave("%u", (unsigned)repeat.rounds);
    if (repeat.rounds == 3)
        weft_end(op, 0);
}

static void down(void)
{
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

/* ---- which rounds --------------------------------------------------------------------------- */

TEST(whilst_asks_before_each_round)
{
    up();
    a.ms = 5;
    wanted = 2;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, start_a, noted);
    down();
    assert_string_equal(trail, "? a ? a ? ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(repeat.rounds, 2);
    assert_int_equal(w.sim.now_, 10);
}

TEST(whilst_may_have_no_round_at_all)
{
    up();
    wanted = 0;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, start_a, noted);
    down();
    assert_string_equal(trail, "? ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(repeat.rounds, 0);
}

TEST(until_goes_on_as_long_as_the_test_is_false)
{
    up();
    wanted = 2;
    weft_until(weft_root(&w.loop), &repeat, are_none_left, nothing, noted);
    down();
    assert_string_equal(trail, "? nothing ? nothing ? ");
    assert_int_equal(seen.status, 0);
}

TEST(do_whilst_does_not_ask_before_the_first_round)
{
    up();
    wanted = 0;
    weft_do_whilst(weft_root(&w.loop), &repeat, start_a, are_left, noted);
    down();
    assert_string_equal(trail, "a ? ");
    assert_int_equal(seen.status, 0);
}

TEST(do_until_does_not_ask_before_the_first_round)
{
    up();
    wanted = 1;
    weft_do_until(weft_root(&w.loop), &repeat, nothing, are_none_left, noted);
    down();
    assert_string_equal(trail, "nothing ? nothing ? ");
    assert_int_equal(repeat.rounds, 2);
}

TEST(forever_goes_on_until_it_is_ended)
{
    up();
    weft_forever(weft_root(&w.loop), &repeat, end_it_in_the_third, noted);
    down();
    assert_string_equal(trail, "1 2 3 ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(repeat.rounds, 3);
}

TEST(a_round_is_over_when_everything_it_started_is_over)
{
    up();
    a.ms = 2;
    b.ms = 9;
    wanted = 2;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, start_both, noted);
    weft_sim_advance(&w.sim, 8);
    assert_string_equal(trail, "? both ");
    weft_sim_advance(&w.sim, 1);
    assert_string_equal(trail, "? both ? both ");
    down();
    assert_int_equal(w.sim.now_, 18);
}

TEST(an_empty_round_is_followed_by_the_next_on_a_later_turn)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, are_left, nothing, noted);
    assert_string_equal(trail, "? nothing ");
    weft_sim_step(&w.sim);
    assert_string_equal(trail, "? nothing ? nothing ");
    down();
}

/* ---- what ends it --------------------------------------------------------------------------- */

TEST(without_a_body_it_is_invalid)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, are_left, NULL, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
    assert_string_equal(trail, "");
    assert_int_equal(repeat.rounds, 0);
}

TEST(without_a_test_it_is_invalid)
{
    for (unsigned how = WEFT_WHILST; how < WEFT_FOREVER; how++) {
        up();
        weft_repeat_at(WEFT_HERE("repeat", WEFT_FLOW), weft_root(&w.loop), &repeat, how, NULL,
                       start_a, noted);
        down();
        assert_int_equal(seen.status, UV_EINVAL);
        assert_string_equal(trail, "");
    }
}

TEST(a_childs_error_ends_it)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    weft_forever(weft_root(&w.loop), &repeat, start_a, noted);
    down();
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(repeat.rounds, 1);
}

TEST(the_first_error_stands_and_the_other_is_awaited)
{
    up();
    a = (struct job){.ms = 1, .status = UV_EIO};
    b = (struct job){.ms = 2, .linger_ms = 5, .status = UV_ENOENT};
    weft_forever(weft_root(&w.loop), &repeat, start_both, noted);
    down();
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(b.cancelled, 1);
    assert_int_equal(w.sim.now_, 6);
}

static bool end_in_test(struct weft_op *op)
{
    leave("?");
    weft_end(op, UV_EACCES);
    return true;
}

static bool end_well_in_test(struct weft_op *op)
{
    leave("?");
    weft_end(op, 0);
    return false;
}

TEST(the_test_may_end_it_whatever_it_says)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, end_in_test, start_a, noted);
    down();
    assert_string_equal(trail, "? ");
    assert_int_equal(seen.status, UV_EACCES);
    up();
    weft_do_whilst(weft_root(&w.loop), &repeat, start_a, end_well_in_test, noted);
    down();
    assert_string_equal(trail, "a ? ");
    assert_int_equal(seen.status, 0);
}

static bool cancel_in_test(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    return true;
}

TEST(the_test_may_cancel_it_and_no_round_follows)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, cancel_in_test, start_a, noted);
    down();
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(repeat.rounds, 0);
}

static void cancel_in_body(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
}

TEST(the_body_may_cancel_it_and_no_round_follows)
{
    up();
    weft_forever(weft_root(&w.loop), &repeat, cancel_in_body, noted);
    down();
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(repeat.rounds, 1);
}

static bool start_in_test(struct weft_op *op)
{
    weft_run(op, &b.op, job_begin, NULL);
    return false;
}

TEST(what_the_test_started_is_awaited)
{
    up();
    b.ms = 4;
    weft_whilst(weft_root(&w.loop), &repeat, start_in_test, start_a, noted);
    down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 4);
}

TEST(a_cancel_midway_stops_the_round_and_begins_no_other)
{
    up();
    a = (struct job){.ms = 10, .linger_ms = 3};
    weft_forever(weft_root(&w.loop), &repeat, start_a, noted);
    weft_sim_advance(&w.sim, 25);
    weft_cancel(&repeat.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 2);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(repeat.rounds, 3);
}

TEST(a_cancel_between_two_empty_rounds_begins_no_other)
{
    up();
    weft_forever(weft_root(&w.loop), &repeat, nothing, noted);
    weft_sim_step(&w.sim);
    weft_cancel(&repeat.op, UV_ETIMEDOUT);
    down();
    assert_string_equal(trail, "nothing nothing ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

static void start_a_and_forgive(struct weft_op *op)
{
    leave("a");
    weft_run(op, &a.op, job_begin, job_over);
}

TEST(after_a_cancel_the_test_is_not_asked)
{
    up();
    a.ms = 10;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, start_a_and_forgive, noted);
    weft_sim_advance(&w.sim, 5);
    weft_cancel(&repeat.op, UV_ETIMEDOUT);
    down();
    assert_string_equal(trail, "? a ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(under_a_cancelled_parent_there_is_no_round)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_forever(&parent, &repeat, start_a, noted);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(repeat.op.status, UV_EACCES);
}

TEST(a_deadline_ends_it)
{
    up();
    static struct weft_deadline deadline;
    a.ms = 4;
    weft_forever(weft_root(&w.loop), &repeat, start_a, noted);
    weft_deadline(&repeat.op, &deadline, 10);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 10);
    assert_int_equal(repeat.rounds, 3);
}

/* ---- begun again, nested -------------------------------------------------------------------- */

static unsigned runs;

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    asked = 0;
    if (++runs < 3)
        weft_whilst(parent, &repeat, are_left, start_a, once_more);
}

TEST(it_can_be_begun_again_in_its_own_then)
{
    up();
    runs = 0;
    wanted = 1;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, start_a, once_more);
    world_down(&w);
    assert_int_equal(runs, 3);
    assert_int_equal(repeat.rounds, 1);
    assert_string_equal(trail, "? a ? ? a ? ? a ? ");
}

static struct weft_repeat inner;
static unsigned inner_rounds;

static void inner_body(struct weft_op *op)
{
    inner_rounds++;
    if (inner.rounds == 4)
        weft_end(op, 0);
}

static void outer_body(struct weft_op *op)
{
    if (repeat.rounds == 3)
        weft_end(op, 0);
    else
        weft_forever(op, &inner, inner_body, NULL);
}

TEST(one_in_another)
{
    up();
    memset(&inner, 0, sizeof inner);
    inner_rounds = 0;
    weft_forever(weft_root(&w.loop), &repeat, outer_body, noted);
    down();
    assert_int_equal(inner_rounds, 8);
    assert_int_equal(seen.status, 0);
}

TEST(it_waits_for_its_place_in_a_queue)
{
    up();
    struct weft_queue queue;
    a.ms = 5;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    repeat.how = WEFT_FOREVER;
    repeat.body = end_it_in_the_third;
    weft_queue_push(&queue, weft_root(&w.loop), &a.op, job_begin, job_over);
    weft_queue_push(&queue, weft_root(&w.loop), &repeat.op, weft_repeat_begin, noted);
    assert_string_equal(trail, "");
    world_run(&w);
    weft_queue_close(&queue);
    world_down(&w);
    assert_string_equal(trail, "1 2 3 ");
    assert_int_equal(seen.status, 0);
}

TEST(the_sites_name_what_was_written)
{
    up();
    wanted = 0;
    int line = __LINE__ + 1;
    weft_whilst(weft_root(&w.loop), &repeat, are_left, nothing, noted);
    assert_string_equal(repeat.op.site_->type, "whilst");
    assert_int_equal(repeat.op.site_->line, line);
    assert_int_equal(repeat.op.site_->group, WEFT_FLOW);
    down();
}

/* ---- a million, and nobody starves ---------------------------------------------------------- */

enum { MILLION = 1000000 };

static bool below_a_million(struct weft_op *op)
{
    return weft_owner(op, struct weft_repeat, op)->rounds < MILLION;
}

static void silent(struct weft_op *op)
{
    (void)op;
}

static void finish_a_child(struct weft_op *op)
{
    weft_run(op, &a.op, finish_at_once, NULL);
}

static void million_rounds(void)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, below_a_million, silent, noted);
    world_down(&w);
}

static void million_children(void)
{
    up();
    weft_whilst(weft_root(&w.loop), &repeat, below_a_million, finish_a_child, noted);
    world_down(&w);
}

TEST(a_million_empty_rounds_use_the_stack_of_one)
{
    on_a_small_stack(million_rounds);
    assert_int_equal(repeat.rounds, MILLION);
    assert_int_equal(seen.status, 0);
}

TEST(a_million_synchronous_rounds_use_the_stack_of_one)
{
    on_a_small_stack(million_children);
    assert_int_equal(repeat.rounds, MILLION);
    assert_int_equal(seen.status, 0);
}

/* On the real loop: a timer, and an answer that only a poll brings in. */
static struct weft_ticker ticker;
static struct weft_work errand;
static bool answered;

static void end_when_both_came(void)
{
    if (ticker.ticks >= 3 && answered) {
        weft_end(&repeat.op, 0);
        weft_end(&ticker.op, 0);
    }
}

static void tick(struct weft_op *op)
{
    (void)op;
    end_when_both_came();
}

static int work_a_little(struct weft_work *work)
{
    (void)work;
    return 0;
}

static void work_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    answered = true;
    end_when_both_came();
}

static void starve(weft_begin_fn *body)
{
    world_up(&w);
    memset(&repeat, 0, sizeof repeat);
    memset(&ticker, 0, sizeof ticker);
    memset(&errand, 0, sizeof errand);
    a = (struct job){0};
    answered = false;
    weft_forever(weft_root(&w.loop), &repeat, body, noted);
    weft_ticker(weft_root(&w.loop), &ticker, 1, tick, NULL);
    weft_work(weft_root(&w.loop), &errand, work_a_little, work_over);
    world_down(&w);
    assert_true(answered);
    assert_int_equal(seen.status, 0);
    assert_true(repeat.rounds > 3);
}

TEST(empty_rounds_for_ever_starve_neither_timers_nor_io)
{
    starve(silent);
}

TEST(synchronous_rounds_for_ever_starve_neither_timers_nor_io)
{
    starve(finish_a_child);
}

/* ---- the contract --------------------------------------------------------------------------- */

struct chore {
    struct weft_repeat repeat;
    struct job job;
};

static void every_other_empty(struct weft_op *op)
{
    struct chore *chore = weft_owner(op, struct chore, repeat.op);
    if (chore->repeat.rounds % 2 == 0)
        weft_run(op, &chore->job.op, job_begin, NULL);
}

static bool fewer_than_five(struct weft_op *op)
{
    return weft_owner(op, struct weft_repeat, op)->rounds < 5;
}

static void good(void *storage)
{
    struct chore *chore = storage;
    chore->repeat.test = fewer_than_five;
    chore->repeat.body = every_other_empty;
    chore->job.ms = 1;
    chore->job.status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct chore *)storage)->job.status = UV_EIO;
}

static void verify(void *storage)
{
    assert_int_equal(((struct chore *)storage)->repeat.rounds, 5);
}

TEST(a_repeat_conforms)
{
    static const struct weft_provider provider = {
        .name = "repeat",
        WEFT_PROVIDER_OP(struct chore, repeat.op),
        .begin = weft_repeat_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EIO,
        .nothing_status = UV_EINVAL,
        .verify = verify,
    };
    provider_check(&provider);
}
