/* Batch: those who leave, loads that take too long, too many of them, and those that are forgotten.
 * ctest: labels=valgrind-long */
#include "batch_kit.h"

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(one_who_leaves_disturbs_nobody)
{
    up();
    for (int i = 0; i < 3; i++)
        ask(i, "book");
    leave_it(0); /* the one who started it */
    assert_int_equal(asks[0].told, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(jobs.cancelled, 0);
    run_down();
    expect_answer(1, "book#1");
    expect_answer(2, "book#1");
}

TEST(when_the_last_one_leaves_the_load_is_cancelled)
{
    up();
    ask(0, "book");
    ask(1, "book");
    leave_it(0);
    leave_it(1);
    assert_int_equal(jobs.cancelled, 1);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(status_of(1), UV_EINTR);
    assert_int_equal(batch.errors, 1);
}

TEST(who_asks_after_that_gets_a_load_of_his_own)
{
    up();
    next_job.linger_ms = 20;
    ask(0, "book");
    leave_it(0);
    ask(1, "book");
    assert_false(asks[1].it.joined);
    assert_int_equal(batch.running, 2); /* the old one lingers */
    ask(2, "book");
    assert_true(asks[2].it.joined);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    expect_answer(1, "book#2");
    expect_answer(2, "book#2");
}

static struct weft_op *stubborn;
static bool was_forgotten;

static void stubborn_cancel(struct weft_op *op, int reason)
{
    (void)reason;
    stubborn = op; /* it will succeed all the same */
}

static void stubborn_load(struct weft_op *op)
{
    assert_int_equal(weft_flight_set(&load_counted(op)->flight, "old", 3), 0);
    weft_on_cancel(op, stubborn_cancel);
}

static void stubborn_over(struct weft_batch *of, struct weft_flight *flight)
{
    (void)of;
    was_forgotten = weft_flight_forgotten(flight);
}

TEST(a_load_that_succeeds_although_it_was_cancelled_is_old)
{
    up();
    batch.load = stubborn_load;
    ask(0, "book");
    leave_it(0);
    batch.load = load;
    ask(1, "book");
    weft_sim_advance(&w.sim, 10);
    batch.over_ = stubborn_over;
    was_forgotten = false;
    weft_finish(stubborn, 0);
    run_down();
    assert_true(was_forgotten); /* a cache would overwrite the newer answer with it */
    expect_answer(1, "book#2");
}

TEST(a_cancel_that_comes_when_the_answer_is_there_is_too_late)
{
    up_in_order();
    ask(0, "book");
    ask(1, "book");
    while (asks[0].told == 0)
        assert_true(weft_sim_step(&w.sim));
    leave_it(1);
    run_down();
    expect_answer(1, "book#1");
}

TEST(a_cancelled_owner_ends_it_for_everybody)
{
    up_owned();
    ask(0, "book");
    ask(1, "book");
    ask(2, "game");
    weft_cancel(&owner, UV_ESHUTDOWN);
    ask(3, "book"); /* is refused, like everything under a cancelled owner */
    weft_sim_advance(&w.sim, 10);
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of(i), UV_ESHUTDOWN);
    assert_int_equal(load_count, 2);
    assert_int_equal(weft_batch_close(&batch), 0);
    weft_join(&owner);
    world_down(&w);
}

TEST(under_a_cancelled_parent_nothing_is_asked)
{
    up();
    struct weft_op parent = {0};
    asks[0].it.value = weft_text("garbage of an earlier life", 7);
    asks[0].it.joined = true;
    weft_run(root(), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    ask_under(&parent, 0, "book", there);
    weft_join(&parent);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_false(asks[0].it.joined);
    assert_int_equal(load_count, 0);
}

static void begin_cancelled(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    weft_batch_ask_begin(op);
}

TEST(who_is_cancelled_before_it_begins_asks_for_nothing)
{
    up();
    asks[0].it.batch = &batch;
    weft_run(root(), &asks[0].it.await.op, begin_cancelled, there);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(load_count, 0);
}

static void cancel_who_asked(struct weft_op *op)
{
    leave_it(0);
    load(op);
}

TEST(the_begin_of_a_load_may_cancel_who_asked)
{
    up();
    batch.load = cancel_who_asked;
    ask(0, "book");
    assert_int_equal(jobs.cancelled, 1); /* nobody waits */
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
}

static void end_who_asked(struct weft_op *op)
{
    weft_end(&asks[0].it.await.op, UV_EPIPE);
    load(op);
}

TEST(the_begin_of_a_load_may_end_who_asked)
{
    up();
    batch.load = end_who_asked;
    ask(0, "book");
    assert_int_equal(jobs.cancelled, 1);
    run_down();
    assert_int_equal(status_of(0), UV_EPIPE);
}

static void cancel_who_asked_and_let_another_join(struct weft_op *op)
{
    leave_it(0);
    load(op);
    ask(1, "book");
}

TEST(the_begin_of_a_load_may_cancel_who_asked_while_somebody_else_waits)
{
    up();
    batch.load = cancel_who_asked_and_let_another_join;
    ask(0, "book");
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    expect_answer(1, "book#1");
    assert_int_equal(jobs.cancelled, 0);
}

static void let_another_come_and_leave(struct weft_op *op)
{
    load(op);
    ask(1, "book");
    leave_it(1);
}

TEST(one_who_comes_and_leaves_inside_the_begin_of_a_load_is_not_the_last_one)
{
    up();
    batch.load = let_another_come_and_leave;
    ask(0, "book");
    run_down();
    expect_answer(0, "book#1");
    assert_int_equal(status_of(1), UV_EINTR);
}

/* ---- time ----------------------------------------------------------------------------------- */

TEST(a_load_that_never_answers_ends_after_load_ms)
{
    up();
    batch.load_ms = 30;
    next_job.ms = BY_HAND;
    ask(0, "book");
    weft_sim_advance(&w.sim, 29);
    ask(1, "book");
    assert_int_equal(asks[0].told, 0);
    weft_sim_advance(&w.sim, 1);
    run_down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    assert_int_equal(status_of(1), UV_ETIMEDOUT); /* the load's time, not his own */
    assert_int_equal(w.sim.now_, 30);
}

TEST(who_asks_while_a_load_lingers_after_its_time_gets_another)
{
    up();
    batch.load_ms = 10;
    next_job = (struct job){.ms = BY_HAND, .linger_ms = 10};
    ask(0, "book");
    weft_sim_advance(&w.sim, 11);
    next_job = (struct job){.ms = 5};
    ask(1, "book");
    run_down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    expect_answer(1, "book#2");
}

TEST(a_load_that_is_in_time_is_not_cancelled)
{
    up();
    batch.load_ms = 30;
    ask(0, "book");
    run_on();
    batch.load = load_at_once;
    ask(1, "game");
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "game#2");
    assert_int_equal(w.sim.now_, 5);
}

TEST(an_ask_has_a_deadline_like_any_op)
{
    up();
    struct weft_deadline deadline = {0};
    next_job.ms = 100;
    ask(0, "book");
    ask(1, "book");
    weft_deadline(&asks[0].it.await.op, &deadline, 10);
    weft_sim_advance(&w.sim, 11);
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    run_down();
    expect_answer(1, "book#1");
}

/* ---- the limit ------------------------------------------------------------------------------ */

TEST(so_many_loads_at_a_time_and_no_more)
{
    up();
    batch.limit = 2;
    ask(0, "book");
    ask(1, "game");
    ask(2, "song"); /* would be the third */
    ask(3, "book"); /* joins */
    run_on();
    assert_int_equal(status_of(2), UV_ENOBUFS);
    expect_answer(3, "book#1");
    ask(4, "song");
    run_down();
    expect_answer(4, "song#3");
}

TEST(a_load_that_lingers_counts)
{
    up();
    batch.limit = 1;
    next_job.linger_ms = 10;
    ask(0, "book");
    leave_it(0);
    ask(1, "book");
    run_on();
    assert_int_equal(status_of(1), UV_ENOBUFS);
    ask(2, "book");
    run_down();
    expect_answer(2, "book#2");
}

TEST(the_limit_has_a_default)
{
    up();
    assert_int_equal(batch.limit, WEFT_BATCH_LIMIT);
    run_down();
}

enum { MANY = 6000 };
static struct weft_batch_ask many[MANY];
static unsigned many_told;

static void many_there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    many_told++;
}

TEST(thousands_of_loads_find_their_places)
{
    up();
    assert_int_equal(weft_batch_close(&batch), 0);
    batch.limit = MANY / 2;
    assert_int_equal(weft_batch_open(&batch), 0);
    memset(many, 0, sizeof many);
    many_told = 0;
    for (int i = 0; i < MANY; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i / 2);
        weft_batch_ask(root(), &many[i], &batch, weft_text_of(key), many_there);
    }
    run_down();
    assert_int_equal(many_told, MANY);
    assert_int_equal(load_count, MANY / 2);
}

/* ---- forget --------------------------------------------------------------------------------- */

TEST(who_asks_after_a_forget_starts_a_new_load_and_who_waits_gets_the_old_one)
{
    up();
    next_job.ms = 10;
    ask(0, "book");
    struct weft_flight *old = &latest->flight;
    assert_false(weft_flight_forgotten(old));
    weft_batch_forget(&batch, weft_text_of("book"));
    assert_true(weft_flight_forgotten(old));
    next_job.ms = 3;
    ask(1, "book");
    ask(2, "book");
    run_down();
    expect_answer(0, "book#1");
    expect_answer(1, "book#2");
    expect_answer(2, "book#2");
    assert_int_equal(batch.joined, 1);
}

TEST(a_load_that_was_cancelled_and_lingers_knows_that_its_key_was_forgotten)
{
    up();
    batch.load = stubborn_load;
    ask(0, "book");
    leave_it(0);
    assert_false(weft_flight_forgotten(&loading_of(stubborn)->flight));
    weft_batch_forget(&batch, weft_text_of("book"));
    assert_true(weft_flight_forgotten(&loading_of(stubborn)->flight));
    weft_finish(stubborn, 0);
    run_down();
}

TEST(the_last_one_who_leaves_a_forgotten_load_cancels_that_one)
{
    up();
    ask(0, "book");
    weft_batch_forget(&batch, weft_text_of("book"));
    ask(1, "book");
    leave_it(0);
    assert_int_equal(jobs.cancelled, 1);
    run_down();
    expect_answer(1, "book#2");
}

TEST(forget_is_for_one_key_and_may_be_called_twice)
{
    up();
    ask(0, "book");
    ask(1, "books");
    weft_batch_forget(&batch, weft_text_of("book"));
    weft_batch_forget(&batch, weft_text_of("book"));
    weft_batch_forget(&batch, weft_text_of("nobody asks for this"));
    ask(2, "books");
    run_down();
    assert_true(asks[2].it.joined);
}

TEST(all_keys_with_a_prefix_are_forgotten)
{
    up();
    static const char *const keys[] = {"a/1", "a/2", "a", "b/1", "ab"};
    for (int i = 0; i < 5; i++)
        ask(i, keys[i]);
    weft_batch_forget_prefix(&batch, weft_text_of("a/"));
    for (int i = 0; i < 5; i++)
        ask(5 + i, keys[i]);
    run_down();
    static const bool joined[] = {false, false, true, true, true};
    for (int i = 0; i < 5; i++)
        assert_int_equal(asks[5 + i].it.joined, joined[i]);
}

TEST(the_empty_prefix_is_for_all)
{
    up();
    ask(0, "book");
    ask(1, "");
    weft_batch_forget_prefix(&batch, weft_text(NULL, 0));
    ask(2, "book");
    ask(3, "");
    run_down();
    assert_int_equal(load_count, 4);
}

static void answer_here(void *unused)
{
    (void)unused;
    weft_flight_set(&latest->flight, "1", 1);
}

static void forget_here(void *unused)
{
    (void)unused;
    weft_batch_forget(&batch, weft_text_of("book"));
}

static void from_another_thread(uv_thread_cb work)
{
    uv_thread_t thread;
    up();
    ask(0, "book");
    assert_int_equal(uv_thread_create(&thread, work, NULL), 0);
    uv_thread_join(&thread);
}

static void answer_elsewhere(void)
{
    from_another_thread(answer_here);
}

static void forget_elsewhere(void)
{
    from_another_thread(forget_here);
}

TEST(a_batch_belongs_to_its_loops_thread)
{
    dies(answer_elsewhere, "rule 7");
    dies(forget_elsewhere, "rule 7");
}

TEST(one_that_is_not_open_may_be_told_to_forget)
{
    struct weft_batch closed = {0};
    weft_batch_forget(&closed, weft_text_of("book"));
    weft_batch_forget_prefix(&closed, weft_text_of("book"));
}

/* ---- an owner that does not run ------------------------------------------------------------- */

static void open_too_early(void)
{
    model_up(&w);
    forget_all();
    open_under(&owner);
}

static void ask_when_the_owner_is_over(void)
{
    up_owned();
    weft_finish(&owner, 0);
    run_on();
    ask(0, "book");
}

TEST(the_owner_of_a_batch_runs)
{
    dies(open_too_early, "rule 2", "the owner of the batch of ", "open_under() is not running");
    dies(ask_when_the_owner_is_over, "rule 2", "the owner of the batch load of ",
         "open_under() is not running", "batch_ask", "ask_under()");
}

/* ---- a struct that is not as large as it is said to be --------------------------------------- */

struct large {
    struct weft_flight flight;
    int more[4];
};

static void write_behind(struct weft_op *op)
{
    volatile struct large *large = weft_owner(op, struct large, flight.promise.op);
    large->more[0] = 1;
}

static void answer_from_behind(struct weft_op *op)
{
    write_behind(op);
    weft_flight_answer(weft_owner(op, struct weft_flight, promise.op), "1", 1);
}

static void fail_from_behind(struct weft_op *op)
{
    write_behind(op);
    weft_finish(op, UV_EIO);
}

struct late {
    int before;
    struct weft_flight flight;
};

static void answer_from_before(struct weft_op *op)
{
    struct late *late = weft_owner(op, struct late, flight.promise.op);
    ((volatile struct late *)late)->before = 1;
    weft_flight_answer(&late->flight, "1", 1);
}

struct steps {
    struct weft_flight flight;
    struct weft_op step;
};

static void begin_behind(struct weft_op *op)
{
    weft_run(op, &weft_owner(op, struct steps, flight.promise.op)->step, NULL, noted);
}

static void ask_wrongly(weft_begin_fn *begin)
{
    up();
    assert_int_equal(weft_batch_close(&batch), 0);
    batch.flight_size = 0;
    batch.load = begin;
    assert_int_equal(weft_batch_open(&batch), 0);
    ask(0, "");
    run_on();
}

static void answer_too_large(void)
{
    ask_wrongly(answer_from_behind);
}

static void fail_too_large(void)
{
    ask_wrongly(fail_from_behind);
}

static void answer_too_late(void)
{
    ask_wrongly(answer_from_before);
}

static void begin_too_large(void)
{
    ask_wrongly(begin_behind);
}

TEST(what_is_written_beside_a_flight_is_seen)
{
    dies(answer_too_large, "rule 1", "written beside its flight", "batch load");
    dies(fail_too_large, "rule 1", "written beside its flight");
    dies(answer_too_late, "rule 1", "written beside its flight");
    dies(begin_too_large, "rule 1", "not zeroed", "batch load");
}

/* ---- how to close --------------------------------------------------------------------------- */

static int closed;

static void owner_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    closed = weft_batch_close(&batch);
}

TEST(in_the_then_of_an_owner_above_all_who_ask_a_batch_can_be_closed)
{
    model_up(&w);
    forget_all();
    closed = 1;
    weft_run(root(), &owner, NULL, owner_over);
    open_under(&owner);
    next_job.linger_ms = 3;
    ask_under(&owner, 0, "book", there);
    ask_under(&owner, 1, "book", there);
    ask_under(&owner, 2, "game", there);
    weft_sim_advance(&w.sim, 1);
    weft_cancel(&owner, UV_ESHUTDOWN);
    weft_join(&owner);
    run_on();
    assert_int_equal(closed, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(i), UV_ESHUTDOWN);
    run_down();
}
