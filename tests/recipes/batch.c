/* Batch: whoever asks for what is under way joins it, and all are told together.
 * ctest: labels=valgrind */
#include "batch_kit.h"
#include "recipes/flight.h"
#include <weft/hook.h>

/* ---- one load, however many ask --------------------------------------------------------------- */

TEST(all_who_ask_for_a_key_share_one_load)
{
    up();
    for (int i = 0; i < ASKS; i++)
        ask(i, "book");
    assert_int_equal(batch.running, 1);
    run_down();
    for (int i = 0; i < ASKS; i++)
        expect_answer(i, "book#1");
    assert_false(asks[0].it.joined);
    assert_true(asks[1].it.joined);
    assert_int_equal(batch.loads, 1);
    assert_int_equal(batch.joined, ASKS - 1);
    assert_int_equal(batch.errors, 0);
}

TEST(nothing_is_kept_when_it_is_over)
{
    up();
    ask(0, "book");
    run_on();
    ask(1, "book");
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "book#2");
    assert_false(asks[1].it.joined);
}

TEST(each_key_has_its_own_load)
{
    up();
    ask(0, "book");
    ask(1, "game");
    ask(2, "boo");
    assert_int_equal(batch.running, 3);
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "game#2");
    expect_answer(2, "boo#3");
}

TEST(keys_whose_hashes_are_the_same_are_two_keys)
{
    up();
    ask(0, "book");
    uint64_t hash = latest->flight.hash_;
    assert_ptr_equal(weft__flight_find(&batch, weft_text_of("book"), hash), &latest->flight);
    assert_null(weft__flight_find(&batch, weft_text_of("game"), hash));
    run_down();
}

TEST(those_who_wait_are_told_in_the_order_of_their_asks)
{
    up_in_order();
    for (int i = 0; i < 3; i++)
        ask(i, "book");
    while (asks[0].told == 0)
        assert_true(weft_sim_step(&w.sim));
    assert_int_equal(asks[1].told, 0);
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(asks[1].told, 1);
    assert_int_equal(asks[2].told, 0);
    run_down();
}

TEST(a_load_that_answers_in_its_begin_is_told_on_a_later_turn)
{
    up();
    batch.load = load_at_once;
    ask(0, "book");
    assert_int_equal(load_count, 1);
    assert_int_equal(asks[0].told, 0);
    ask(1, "book"); /* joins what is not told yet */
    assert_int_equal(asks[1].told, 0);
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "book#1");
}

static struct loading *first;

static void answer_twice(struct weft_op *op)
{
    first = load_counted(op);
    weft_flight_answer(&first->flight, "first", 5);
    weft_flight_answer(&first->flight, "second", 6);
}

TEST(the_first_answer_counts)
{
    up();
    batch.load = answer_twice;
    ask(0, "book");
    weft_flight_answer(&first->flight, "third", 5);
    run_down();
    expect_answer(0, "first");
}

static void answer_and_linger(struct weft_op *op)
{
    next_job.linger_ms = 5;
    load(op);
    answer(latest); /* decided; the job is cancelled and awaited */
    weft_flight_answer(&latest->flight, "second", 6);
}

TEST(a_load_that_has_answered_and_awaits_its_rest_is_joined)
{
    up();
    batch.load = answer_and_linger;
    ask(0, "book");
    weft_sim_advance(&w.sim, 1);
    ask(1, "book");
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "book#1");
}

static void set_twice_and_finish(struct weft_op *op)
{
    struct loading *loading = load_counted(op);
    assert_int_equal(weft_flight_set(&loading->flight, "early", 5), 0);
    assert_int_equal(weft_flight_set(&loading->flight, "late", 4), 0);
    weft_finish(op, 0);
}

TEST(an_answer_may_be_set_before_the_end)
{
    up();
    batch.load = set_twice_and_finish;
    ask(0, "book");
    run_down();
    expect_answer(0, "late");
}

static void set_and_fail(struct weft_op *op)
{
    assert_int_equal(weft_flight_set(&load_counted(op)->flight, "half", 4), 0);
    weft_finish(op, UV_EIO);
}

TEST(an_answer_of_a_load_that_fails_is_given_to_nobody)
{
    up();
    batch.load = set_and_fail;
    ask(0, "book");
    run_down();
    assert_int_equal(status_of(0), UV_EIO);
}

static void set_too_much(struct weft_op *op)
{
    struct loading *loading = load_counted(op);
    assert_int_equal(weft_flight_set(&loading->flight, "whole", 5), 0);
    assert_int_equal(weft_flight_set(&loading->flight, "", (size_t)UINT32_MAX + 1), UV_EFBIG);
    weft_finish(op, 0);
}

static void answer_too_much(struct weft_op *op)
{
    weft_flight_answer(&load_counted(op)->flight, "", (size_t)UINT32_MAX + 1);
}

TEST(an_answer_of_four_gigabytes_is_too_large)
{
    up();
    batch.load = set_too_much;
    ask(0, "book");
    run_on();
    expect_answer(0, "whole");
    batch.load = answer_too_much;
    ask(1, "book");
    run_down();
    assert_int_equal(status_of(1), UV_EFBIG);
}

static void load_with_ttl(struct weft_op *op)
{
    load(op);
    latest->flight.ttl_ms = 77;
}

TEST(who_asks_learns_how_long_the_load_wants_its_answer_kept)
{
    up();
    batch.load = load_with_ttl;
    ask(0, "book");
    ask(1, "book");
    run_on();
    assert_int_equal(asks[0].it.ttl_ms, 77);
    assert_int_equal(asks[1].it.ttl_ms, 77);
    batch.load = load;
    ask(0, "book");
    run_down();
    assert_int_equal(asks[0].it.ttl_ms, 0);
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(an_error_reaches_all_who_wait_and_nobody_after)
{
    up();
    next_job.status = UV_EIO;
    for (int i = 0; i < 4; i++)
        ask(i, "book");
    run_on();
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of(i), UV_EIO);
    assert_int_equal(batch.errors, 1);
    next_job.status = 0;
    ask(4, "book");
    run_down();
    expect_answer(4, "book#2");
}

static void fail_in_begin(struct weft_op *op)
{
    load_counted(op);
    weft_finish(op, UV_ENOENT);
}

TEST(a_load_may_fail_in_its_begin)
{
    up();
    batch.load = fail_in_begin;
    ask(0, "book");
    ask(1, "book");
    assert_int_equal(asks[0].told, 0);
    run_down();
    assert_int_equal(status_of(0), UV_ENOENT);
    assert_int_equal(status_of(1), UV_ENOENT);
    assert_int_equal(load_count, 1);
}

static int caught;

static void catch_it(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop;
    (void)op;
    (void)text;
    caught = err;
}

static void there_and_throw(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    weft_throw(UV_EPROTO, "a waiter that fails");
}

TEST(one_who_throws_starves_nobody)
{
    needs_hooks();
    up();
    caught = 0;
    w.loop.on_uncaught = catch_it;
    ask_under(root(), 0, "book", there_and_throw);
    for (int i = 1; i < 4; i++)
        ask(i, "book");
    run_down();
    assert_int_equal(caught, UV_EPROTO);
    for (int i = 0; i < 4; i++)
        expect_answer(i, "book#1");
}

static void there_and_end_parent(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    weft_end(parent, UV_EPROTO);
}

TEST(one_whose_then_ends_its_parent_starves_only_what_is_below_that)
{
    up_in_order();
    struct weft_op parent = {0};
    weft_run(root(), &parent, NULL, noted);
    ask_under(&parent, 0, "book", there_and_end_parent);
    ask_under(&parent, 1, "game", there); /* still under way then */
    ask(2, "book");
    weft_sim_advance(&w.sim, 4);
    weft_cancel(&asks[1].it.await.op, UV_EINTR);
    next_job.ms = 50;
    ask(3, "game");
    run_down();
    expect_answer(0, "book#1");
    assert_int_equal(status_of(1), UV_EINTR);
    expect_answer(2, "book#1");
    expect_answer(3, "game#3");
    assert_int_equal(seen.status, UV_EPROTO);
}

TEST(one_without_a_then_is_answered_by_its_parent)
{
    up();
    struct weft_op parent = {0};
    next_job.status = UV_EIO;
    weft_run(root(), &parent, NULL, noted);
    ask_under(&parent, 0, "book", NULL);
    ask(1, "book");
    weft_join(&parent);
    run_down();
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(status_of(1), UV_EIO);
}

TEST(one_without_a_then_may_be_the_only_one)
{
    up();
    ask_under(root(), 0, "book", NULL);
    run_down();
    assert_int_equal(load_count, 1);
}

TEST(one_without_a_then_is_cancelled_like_any_other)
{
    up();
    struct weft_op parent = {0};
    weft_run(root(), &parent, NULL, noted);
    ask_under(&parent, 0, "book", NULL);
    weft_join(&parent);
    weft_cancel(&parent, UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    run_down();
    assert_int_equal(seen.status, UV_EINTR);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static void echo(struct weft_op *op)
{
    struct weft_flight *flight = &load_counted(op)->flight;
    assert_int_equal(flight->key.data[flight->key.size], '\0');
    weft_flight_answer(flight, flight->key.data, flight->key.size);
}

static void same_bytes(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct ask *ask = ask_of(op);
    ask->told++;
    ask->status = op->status;
    assert_int_equal(op->status, 0);
    struct weft_text key = weft_cell_key(ask->it.cell), value = weft_cell_value(ask->it.cell);
    assert_true(weft_text_equal(key, value));
    assert_true(weft_text_equal(key, ask->it.key));
    assert_int_equal(key.data[key.size], '\0');
    assert_int_equal(value.data[value.size], '\0');
    assert_int_equal((uintptr_t)value.data % _Alignof(max_align_t), 0);
}

TEST(keys_and_values_are_any_bytes)
{
    up();
    batch.load = echo;
    static const struct weft_text keys[] = {{"a\0b", 3}, {"a\0c", 3}, {"a", 1}, {"\0", 1}, {"", 0}};
    for (int i = 0; i < 5; i++)
        weft_batch_ask(root(), &asks[i].it, &batch, keys[i], same_bytes);
    weft_batch_ask(root(), &asks[5].it, &batch, weft_text(NULL, 0), same_bytes);
    run_down();
    assert_int_equal(load_count, 5);
    assert_true(asks[5].it.joined);
    for (int i = 0; i < 6; i++)
        assert_int_equal(status_of(i), 0);
}

TEST(keys_of_every_length_up_to_the_longest)
{
    up();
    batch.load = echo;
    char *key = malloc(WEFT_KEY_MAX + 1);
    assert_non_null(key);
    memset(key, 'k', WEFT_KEY_MAX + 1);
    for (size_t size = 0; size <= 100; size++) {
        weft_batch_ask(root(), &asks[0].it, &batch, weft_text(key, size), same_bytes);
        run_on();
    }
    weft_batch_ask(root(), &asks[0].it, &batch, weft_text(key, WEFT_KEY_MAX), same_bytes);
    weft_batch_ask(root(), &asks[1].it, &batch, weft_text(key, WEFT_KEY_MAX + 1), there);
    run_down();
    assert_int_equal(asks[0].told, 102);
    assert_int_equal(status_of(1), UV_ENAMETOOLONG);
    free(key);
}

TEST(a_key_is_copied_before_the_ask_returns)
{
    up();
    char key[] = "book";
    ask(0, key);
    memset(key, 'x', 4);
    ask(1, "book");
    run_down();
    expect_answer(0, "book#1");
    assert_true(asks[1].it.joined);
}

static void answer_nothing(struct weft_op *op)
{
    weft_flight_answer(&load_counted(op)->flight, NULL, 0);
}

static void finish_with_nothing(struct weft_op *op)
{
    load_counted(op);
    weft_finish(op, 0);
}

TEST(an_empty_answer_is_an_answer)
{
    up();
    batch.load = answer_nothing;
    ask(0, "book");
    run_down();
    expect_answer(0, "");
    assert_int_equal(batch.errors, 0);
}

TEST(no_answer_is_an_error_for_all_who_wait)
{
    up();
    batch.load = finish_with_nothing;
    ask(0, "book");
    ask(1, "book");
    run_down();
    assert_int_equal(status_of(0), WEFT_ENOANSWER);
    assert_int_equal(status_of(1), WEFT_ENOANSWER);
    assert_int_equal(batch.errors, 1);
}

static void finish_whatever_happens(struct weft_op *op, struct weft_op *job)
{
    (void)job;
    weft_finish(op, 0);
}

static void load_and_give_nothing(struct weft_op *op)
{
    struct loading *loading = load_counted(op);
    loading->job.ms = 5;
    weft_run(op, &loading->job.op, job_begin, finish_whatever_happens);
}

TEST(no_answer_of_a_load_that_was_cancelled_is_the_reason)
{
    up();
    batch.load = load_and_give_nothing;
    batch.load_ms = 2;
    ask(0, "book");
    run_down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
}

static struct weft_cell *kept;

static void there_and_hold(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    kept = weft_cell_hold(ask_of(op)->it.cell);
}

TEST(who_holds_a_cell_has_the_bytes_for_longer)
{
    up();
    ask_under(root(), 0, "book", there_and_hold);
    ask_under(root(), 1, "book", there);
    run_down();
    assert_true(weft_text_is(weft_cell_key(kept), "book"));
    assert_true(weft_text_is(weft_cell_value(kept), "book#1"));
    weft_cell_drop(weft_cell_hold(kept));
    weft_cell_drop(kept);
    assert_null(weft_cell_hold(NULL));
    weft_cell_drop(NULL);
}

/* ---- open and close ------------------------------------------------------------------------- */

TEST(a_batch_that_is_not_filled_in_is_not_opened)
{
    up();
    const size_t most = (size_t)1024 * 1024;
    struct weft_batch bad = {.owner = root(), .load = load};
    bad.owner = NULL;
    assert_int_equal(weft_batch_open(&bad), UV_EINVAL);
    bad.owner = root();
    bad.load = NULL;
    assert_int_equal(weft_batch_open(&bad), UV_EINVAL);
    bad.load = load;
    bad.flight_size = sizeof(struct weft_flight) - 1;
    assert_int_equal(weft_batch_open(&bad), UV_EINVAL);
    bad.flight_size = most + 1;
    assert_int_equal(weft_batch_open(&bad), UV_EINVAL);
    assert_int_equal(weft_batch_open((struct weft_batch *)NULL), UV_EINVAL);
    assert_int_equal(weft_batch_open(&batch), UV_EINVAL); /* it is open */
    bad.flight_size = most;
    bad.limit = SIZE_MAX;
    assert_int_equal(weft_batch_open(&bad), 0);
    assert_int_equal(weft_batch_close(&bad), 0);
    run_down();
}

static void plain_load(struct weft_op *op)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    assert_ptr_equal(flight->batch, &batch);
    weft_flight_answer(flight, "plain", 5);
}

TEST(a_load_needs_no_struct_of_its_own)
{
    up();
    assert_int_equal(weft_batch_close(&batch), 0);
    batch.flight_size = 0;
    batch.load = plain_load;
    assert_int_equal(weft_batch_open(&batch), 0);
    ask(0, "book");
    run_down();
    expect_answer(0, "plain");
}

TEST(asking_one_that_is_not_open_is_an_error)
{
    up();
    struct weft_batch closed = {0};
    weft_batch_ask(root(), &asks[0].it, &closed, weft_text_of("book"), there);
    weft_batch_ask(root(), &asks[1].it, NULL, weft_text_of("book"), there);
    run_on();
    assert_int_equal(weft_batch_close(&batch), 0);
    ask(2, "book");
    run_on();
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(i), UV_EINVAL);
    world_down(&w);
}

static int closed_inside;

static void close_inside(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    closed_inside = weft_batch_close(&batch);
}

TEST(a_batch_is_busy_until_the_last_then_has_returned)
{
    up_in_order();
    ask_under(root(), 0, "book", close_inside);
    assert_int_equal(weft_batch_close(&batch), UV_EBUSY);
    while (batch.running != 0)
        assert_true(weft_sim_step(&w.sim));
    assert_int_equal(asks[0].told, 0);
    assert_int_equal(weft_batch_close(&batch), UV_EBUSY);
    run_on();
    assert_int_equal(closed_inside, UV_EBUSY);
    assert_int_equal(weft_batch_close(&batch), 0);
    assert_int_equal(weft_batch_close(&batch), 0);
    run_down();
}

TEST(a_batch_is_busy_while_a_forgotten_or_cancelled_load_is_under_way)
{
    up();
    next_job.linger_ms = 10;
    ask(0, "book");
    ask(1, "game");
    weft_batch_forget(&batch, weft_text_of("book"));
    leave_it(1);
    weft_sim_advance(&w.sim, 6);
    expect_answer(0, "book#1");
    assert_int_equal(weft_batch_close(&batch), UV_EBUSY); /* game lingers */
    run_down();
}

TEST(a_batch_is_opened_again_and_goes_on_counting)
{
    up();
    ask(0, "book");
    run_on();
    assert_int_equal(weft_batch_close(&batch), 0);
    assert_int_equal(weft_batch_open(&batch), 0);
    ask(1, "book");
    run_down();
    expect_answer(1, "book#2");
    assert_int_equal(batch.loads, 2);
}
