/* Batch: loads that ask. For other keys they may; one that would wait for itself is told so.
 * ctest: labels=valgrind-long */
#include "batch_kit.h"

enum { NESTED = 8 };

/* Each key is one letter; its load asks for those that stand in wants, and answers when all are there.
 * Keys that want nothing are jobs. */
static const char *wants[128];
struct asking {
    struct loading loading;
    struct weft_batch_ask asks[NESTED];
};
static int errors[128]; /* that a load got from what it asked for, by its key */

static struct asking *asking_of(struct weft_op *op)
{
    return weft_owner(op, struct asking, loading.flight.promise.op);
}

static void got_one(struct weft_op *op, struct weft_op *ask)
{
    struct asking *asking = asking_of(op);
    if (ask->status != 0) {
        errors[(int)asking->loading.flight.key.data[0]] = ask->status;
        weft_end(op, ask->status);
    } else if (weft_running(op) == 0) {
        answer(&asking->loading);
    }
}

static void ask_on(struct weft_op *op)
{
    struct asking *asking = asking_of(op);
    const char *wanted = wants[(int)asking->loading.flight.key.data[0]];
    if (wanted == NULL) {
        load(op);
        return;
    }
    load_counted(op);
    for (int i = 0; wanted[i] != '\0'; i++)
        weft_batch_ask(op, &asking->asks[i], &batch, weft_text(&wanted[i], 1), got_one);
}

/* With a tick in between, so that who asked has joined already. */
static void ask_later(struct weft_op *op, struct weft_op *tick)
{
    (void)tick;
    ask_on(op);
}

static void ask_on_later(struct weft_op *op)
{
    struct asking *asking = asking_of(op);
    weft_tick(op, &asking->asks[NESTED - 1].await.op, ask_later);
}

static void up_nested(void)
{
    up();
    assert_int_equal(weft_batch_close(&batch), 0);
    batch.flight_size = WEFT_FLIGHT(struct asking, loading.flight);
    batch.load = ask_on;
    assert_int_equal(weft_batch_open(&batch), 0);
    memset(wants, 0, sizeof wants);
    memset(errors, 0, sizeof errors);
}

TEST(a_load_may_ask_the_same_batch_for_other_keys)
{
    up_nested();
    wants['a'] = "bc";
    wants['b'] = "c";
    ask(0, "a");
    ask(1, "c");
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(load_count, 3);
    assert_int_equal(batch.joined, 2); /* c is loaded once */
}

TEST(a_load_that_asks_for_its_own_key_is_told_that_it_would_wait_for_itself)
{
    up_nested();
    wants['a'] = "a";
    ask(0, "a");
    ask(1, "a");
    run_down();
    assert_int_equal(errors['a'], WEFT_ECYCLE);
    assert_int_equal(status_of(0), WEFT_ECYCLE); /* what that load made of it */
    assert_int_equal(status_of(1), WEFT_ECYCLE);
    assert_int_equal(load_count, 1);
    assert_int_equal(batch.joined, 1);
}

static void ignore_own_key(struct weft_op *op, struct weft_op *ask)
{
    assert_int_equal(ask->status, WEFT_ECYCLE);
    assert_false(weft_owner(ask, struct weft_batch_ask, await.op)->cell);
    answer(&asking_of(op)->loading);
}

static void ask_for_own_key(struct weft_op *op)
{
    struct asking *asking = asking_of(op);
    load_counted(op);
    weft_batch_ask(op, &asking->asks[0], &batch, asking->loading.flight.key, ignore_own_key);
}

TEST(being_told_so_does_not_end_the_load)
{
    up_nested();
    batch.load = ask_for_own_key;
    ask(0, "a");
    run_down();
    expect_answer(0, "a#1");
}

static void check_ring(weft_begin_fn *load_as)
{
    up_nested();
    batch.load = load_as;
    wants['a'] = "b";
    wants['b'] = "c";
    wants['c'] = "a";
    ask(0, "a");
    ask(1, "b");
    run_down();
    assert_int_equal(status_of(0), WEFT_ECYCLE);
    assert_int_equal(status_of(1), WEFT_ECYCLE);
}

TEST(a_ring_of_loads_is_seen_when_all_ask_in_their_begin)
{
    check_ring(ask_on);
}

TEST(a_ring_of_loads_is_seen_when_they_ask_later)
{
    check_ring(ask_on_later);
}

TEST(a_ring_that_two_requests_close_is_seen)
{
    up_nested();
    batch.load = ask_on_later;
    wants['a'] = "b";
    wants['b'] = "a";
    ask(0, "a");
    ask(1, "b");
    run_down();
    assert_int_equal(status_of(0), WEFT_ECYCLE);
    assert_int_equal(status_of(1), WEFT_ECYCLE);
    assert_int_equal(load_count, 2);
}

TEST(a_key_that_many_loads_ask_for_is_no_ring)
{
    up_nested();
    batch.load = ask_on_later;
    wants['a'] = "bcd";
    wants['b'] = "e";
    wants['c'] = "e";
    wants['d'] = "ebc";
    wants['e'] = "f";
    ask(0, "a");
    ask(1, "e");
    ask(2, "d");
    run_down();
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(i), 0);
}

TEST(a_ring_is_seen_through_two_batches)
{
    up_nested();
    static struct weft_batch other;
    static struct weft_batch_ask in_other;
    other = batch; /* the same functions: its loads ask `batch` */
    other.table_ = NULL;
    assert_int_equal(weft_batch_open(&other), 0);
    wants['a'] = "b";
    wants['b'] = "a";
    in_other = (struct weft_batch_ask){0};
    weft_batch_ask(root(), &in_other, &other, weft_text_of("a"), noted);
    run_on();
    assert_int_equal(seen.status, WEFT_ECYCLE);
    assert_int_equal(weft_batch_close(&other), 0);
    run_down();
}

static void let_another_ask(struct weft_op *op)
{
    load(op);
    ask(1, "a"); /* under the root: this load does not wait for it */
}

TEST(what_is_asked_for_under_somebody_else_is_no_ring)
{
    up_nested();
    batch.load = let_another_ask;
    ask(0, "a");
    run_down();
    expect_answer(0, "a#1");
    expect_answer(1, "a#1");
}

/* ---- deep ----------------------------------------------------------------------------------- */

enum { DEEP = 1000 };

static void deep_there(struct weft_op *op, struct weft_op *ask)
{
    if (ask->status != 0)
        weft_end(op, ask->status);
    else
        answer(&asking_of(op)->loading);
}

/* The load of n asks for n - 1. */
static void load_deep(struct weft_op *op)
{
    struct asking *asking = asking_of(op);
    load_counted(op);
    int number = atoi(asking->loading.flight.key.data);
    char key[16];
    snprintf(key, sizeof key, "%d", number - 1);
    if (number == 0)
        answer(&asking->loading);
    else
        weft_batch_ask(op, &asking->asks[0], &batch, weft_text_of(key), deep_there);
}

static void dive(void)
{
    up_nested();
    batch.load = load_deep;
    ask(0, "1000");
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(load_count, DEEP + 1);
}

TEST(a_long_chain_of_loads_uses_little_stack)
{
    on_a_small_stack(dive);
}

static void dive_and_leave(void)
{
    up_nested();
    batch.load = load_deep;
    ask(0, "1000");
    leave_it(0);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_true(load_count < DEEP);
}

TEST(a_cancel_goes_down_a_long_chain_of_loads)
{
    on_a_small_stack(dive_and_leave);
}

TEST(a_chain_that_is_longer_than_the_limit_ends_with_an_error)
{
    up_nested();
    batch.load = load_deep;
    ask(0, "5000");
    run_down();
    assert_int_equal(status_of(0), UV_ENOBUFS);
}
