/* Lazy: what those who are begun from the line may do meanwhile; closing; the owner.
 * ctest: labels=valgrind-long */
#include "lazy.h"
#include "fault.h"
#include <stdlib.h>

/* ---- begins that act ------------------------------------------------------------------------ */

static void call_more(struct call *call)
{
    make_call(call->job.id + 3);
}

TEST(a_call_made_by_one_that_is_being_begun_goes_to_the_end_of_the_line)
{
    up();
    for (int i = 0; i < 3; i++) {
        calls[i].act = call_more;
        calls[i].job.ms = calls[i + 3].job.ms = 10;
        make_call(i);
    }
    weft_sim_advance(&w.sim, 5);
    left("0 1 2 3 4 5 ");
    down();
}

static void call_last(struct call *call)
{
    (void)call;
    make_call(5);
    leave("made");
}

TEST(the_last_one_of_the_line_has_a_line_behind_it_too)
{
    up();
    calls[0].act = call_last;
    calls[0].job.ms = calls[5].job.ms = 10;
    make_call(0);
    weft_sim_advance(&w.sim, 5);
    left("0 made 5 ");
    make_call(1);
    calls[1].act = call_last; /* it has begun: there is no line any more */
    assert_int_equal(db.lazy.waiting, 0);
    down();
}

static void cancel_others(struct call *call)
{
    (void)call;
    for (int i = 1; i < 4; i++)
        weft_cancel(&calls[i].job.op, UV_EINTR);
    leave("waiting:%zu", db.lazy.waiting);
}

TEST(one_that_is_being_begun_may_cancel_those_behind_it)
{
    up();
    calls[0].act = cancel_others;
    for (int i = 0; i < 4; i++)
        make_call(i);
    world_run(&w);
    assert_true(strncmp(trail, "0 waiting:0 ", 12) == 0);
    assert_int_equal(jobs.reported, 4);
    assert_int_equal(calls[1].job.begun + calls[2].job.begun + calls[3].job.begun, 0);
    make_call(4); /* and the gate is open, though nobody was left to open it */
    assert_int_equal(calls[4].job.begun, 1);
    down();
}

static void cancel_itself(struct call *call)
{
    weft_cancel(&call->job.op, UV_EINTR);
}

TEST(one_that_is_being_begun_may_be_cancelled_there)
{
    up();
    calls[0].act = cancel_itself;
    calls[0].job.ms = 10;
    make_call(0);
    make_call(1);
    world_run(&w);
    assert_true(strncmp(trail, "0 1 ", 4) == 0);
    assert_non_null(strstr(trail, "0:EINTR"));
    assert_non_null(strstr(trail, "1:ok"));
    down();
}

static void close_it(struct call *call)
{
    (void)call;
    leave("close:%s", weft_error_name(weft_lazy_close(&db.lazy)));
    leave("open:%s", weft_error_name(weft_lazy_open(&db.lazy)));
    make_call(5);
}

TEST(one_that_is_being_begun_may_close_the_lazy)
{
    up();
    calls[0].act = close_it;
    calls[0].job.ms = 3;
    for (int i = 0; i < 3; i++)
        make_call(i);
    weft_sim_advance(&w.sim, 5);
    assert_true(strncmp(trail, "0 close:EBUSY open:EINVAL ", 26) == 0);
    assert_non_null(strstr(trail, "1:ESTOPPED"));
    assert_non_null(strstr(trail, "2:ESTOPPED"));
    assert_non_null(strstr(trail, "5:ESTOPPED"));
    make_call(4);
    world_run(&w);
    assert_non_null(strstr(trail, "0:ok"));
    assert_non_null(strstr(trail, "4:ESTOPPED"));
    assert_true(db.lazy.initialized);
    down();
}

static void ask_too(struct call *call)
{
    (void)call;
    ask(1);
}

TEST(one_that_is_being_begun_may_ask_whether_it_is_ready)
{
    up();
    calls[0].act = ask_too;
    ask(0);
    make_call(0);
    make_call(1);
    world_run(&w);
    assert_true(strncmp(trail, "0 1 ", 4) == 0);
    assert_non_null(strstr(trail, "init1:ok"));
    assert_int_equal(db.begun, 1);
    down();
}

/* ---- the begin of the initialisation -------------------------------------------------------- */

static struct weft_lazy odd;
static int odd_answer;

static void close_at_once(struct weft_op *op)
{
    odd_answer = weft_lazy_close(&odd);
    weft_finish(op, weft_cancelled(op));
}

TEST(the_initialisation_may_close_its_lazy_as_its_first_act)
{
    up();
    odd = (struct weft_lazy){.owner = root(), .begin = close_at_once};
    assert_int_equal(weft_lazy_open(&odd), 0);
    weft_lazy_run(root(), &calls[0].job.op, &odd, call_begin, call_over);
    assert_int_equal(odd_answer, UV_EBUSY);
    world_run(&w);
    left("0:ESTOPPED ");
    assert_int_equal(weft_lazy_close(&odd), 0);
    down();
}

static void cancel_who_asks(struct weft_op *op)
{
    weft_cancel(&inits[0].await.op, UV_EINTR);
    weft_cancel(&calls[0].job.op, UV_EINTR);
    weft_finish(op, 0);
}

TEST(the_initialisation_may_cancel_who_has_started_it)
{
    up();
    odd = (struct weft_lazy){.owner = root(), .begin = cancel_who_asks};
    assert_int_equal(weft_lazy_open(&odd), 0);
    weft_lazy_init(root(), &inits[0], &odd, told_of_init);
    world_run(&w);
    left("init0:EINTR ");
    assert_true(odd.initialized);
    assert_int_equal(weft_lazy_close(&odd), 0);
    assert_int_equal(weft_lazy_open(&odd), 0);
    weft_lazy_run(root(), &calls[0].job.op, &odd, call_begin, call_over);
    world_run(&w);
    left("init0:EINTR 0:EINTR ");
    assert_int_equal(weft_lazy_close(&odd), 0);
    down();
}

static void end_who_asks(struct weft_op *op)
{
    weft_end(&inits[0].await.op, UV_ENOENT);
    weft_finish(op, 0);
}

TEST(the_initialisation_may_end_who_has_started_it)
{
    up();
    odd = (struct weft_lazy){.owner = root(), .begin = end_who_asks};
    assert_int_equal(weft_lazy_open(&odd), 0);
    weft_lazy_init(root(), &inits[0], &odd, told_of_init);
    world_run(&w);
    left("init0:ENOENT ");
    assert_int_equal(weft_lazy_close(&odd), 0);
    down();
}

/* ---- close ---------------------------------------------------------------------------------- */

TEST(closing_turns_everybody_away_and_cancels_the_initialisation)
{
    up();
    db.job.linger_ms = 2;
    ask(0);
    make_call(0);
    make_call(1);
    assert_int_equal(weft_lazy_close(&db.lazy), UV_EBUSY);
    assert_int_equal(db.lazy.waiting, 0);
    assert_int_equal(jobs.cancelled, 1);
    weft_sim_advance(&w.sim, 1);
    assert_non_null(strstr(trail, "0:ESTOPPED"));
    assert_non_null(strstr(trail, "1:ESTOPPED"));
    assert_null(strstr(trail, "init0"));
    assert_int_equal(weft_lazy_close(&db.lazy), UV_EBUSY);
    world_run(&w);
    assert_non_null(strstr(trail, "init0:ESTOPPED"));
    assert_false(db.lazy.initialized);
    assert_int_equal(calls[0].job.begun, 0);
    down();
}

static int closed_there;

static void close_there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    closed_there = weft_lazy_close(&db.lazy);
    memset(&db.lazy, 0xa5, sizeof db.lazy); /* it is ours */
}

TEST(the_last_one_who_is_told_may_close_it)
{
    up();
    closed_there = 1;
    weft_lazy_init(root(), &inits[0], &db.lazy, close_there);
    assert_int_equal(weft_lazy_close(&db.lazy), UV_EBUSY);
    world_run(&w);
    assert_int_equal(closed_there, 0);
    world_down(&w);
}

TEST(it_is_not_closed_before_everybody_who_asked_is_told)
{
    up_with(0, 0);
    ask(0);
    while (!db.lazy.initialized)
        assert_true(weft_sim_step(&w.sim));
    left("");
    assert_int_equal(weft_lazy_close(&db.lazy), UV_EBUSY);
    world_run(&w);
    left("init0:ok ");
    down();
}

TEST(a_closed_lazy_turns_calls_away)
{
    up();
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    make_call(0);
    world_run(&w);
    ask(0);
    world_run(&w);
    left("0:ESTOPPED init0:ESTOPPED ");
    assert_int_equal(db.begun, 0);
    down();
}

TEST(a_ready_lazy_that_is_closed_turns_calls_away)
{
    up();
    make_call(0);
    world_run(&w);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    assert_true(db.lazy.initialized);
    make_call(1);
    world_run(&w);
    left("0 0:ok 1:ESTOPPED ");
    down();
}

TEST(a_call_on_a_closed_lazy_under_a_cancelled_parent_gets_the_parents_reason)
{
    up();
    struct weft_op parent = {0};
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    weft_run(root(), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    weft_lazy_run(&parent, &calls[0].job.op, &db.lazy, call_begin, call_over);
    weft_join(&parent);
    world_run(&w);
    left("0:EINTR ");
    down();
}

TEST(a_closed_lazy_may_be_opened_again)
{
    up();
    make_call(0);
    world_run(&w);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    assert_int_equal(weft_lazy_open(&db.lazy), 0);
    assert_false(db.lazy.initialized);
    make_call(1);
    assert_int_equal(db.lazy.waiting, 1);
    world_run(&w);
    left("0 0:ok 1 1:ok ");
    assert_int_equal(db.begun, 2);
    down();
}

TEST(what_was_never_opened_may_be_closed)
{
    struct weft_lazy never = {.owner = NULL};
    assert_int_equal(weft_lazy_close(&never), 0);
}

static struct weft_op *stubborn;

static void stubborn_begin(struct weft_op *op)
{
    stubborn = op;
}

TEST(an_initialisation_that_succeeds_all_the_same_says_so)
{
    up();
    odd = (struct weft_lazy){.owner = root(), .begin = stubborn_begin};
    assert_int_equal(weft_lazy_open(&odd), 0);
    weft_lazy_run(root(), &calls[0].job.op, &odd, call_begin, call_over);
    assert_int_equal(weft_lazy_close(&odd), UV_EBUSY);
    weft_finish(stubborn, 0);
    world_run(&w);
    left("0:ESTOPPED ");
    assert_true(odd.initialized); /* there is something to undo */
    assert_int_equal(weft_lazy_close(&odd), 0);
    down();
}

/* ---- the owner ------------------------------------------------------------------------------ */

static struct weft_op owner;

static void up_with_owner(void)
{
    up();
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    memset(&owner, 0, sizeof owner);
    weft_run(root(), &owner, NULL, noted);
    db.lazy.owner = &owner;
    assert_int_equal(weft_lazy_open(&db.lazy), 0);
}

TEST(a_cancelled_owner_takes_the_initialisation_with_it)
{
    up_with_owner();
    make_call(0);
    ask(0);
    weft_cancel(&owner, UV_EINTR);
    world_run(&w);
    assert_non_null(strstr(trail, "init0:EINTR"));
    assert_non_null(strstr(trail, "0:EINTR"));
    assert_false(db.lazy.initialized);
    weft_finish(&owner, UV_EINTR);
    down();
}

TEST(under_a_cancelled_owner_nothing_is_initialised)
{
    up_with_owner();
    weft_cancel(&owner, UV_EINTR);
    for (int i = 0; i < 20000; i++) { /* more often than one op may be refused */
        weft_lazy_run(root(), &calls[0].job.op, &db.lazy, call_begin, job_over);
        world_run(&w);
        assert_int_equal(calls[0].job.op.status, UV_EINTR);
        weft_lazy_init(root(), &inits[0], &db.lazy, noted);
        world_run(&w);
        assert_int_equal(seen.status, UV_EINTR);
    }
    assert_int_equal(seen.calls, 20000);
    assert_int_equal(db.begun, 0);
    weft_finish(&owner, UV_EINTR);
    down();
}

TEST(by_hand_nobody_waits_for_what_a_cancelled_owner_will_never_initialise)
{
    for (int by_init = 0; by_init < 2; by_init++) {
        up_with_owner();
        db.lazy.by_hand = true;
        make_call(0);
        weft_cancel(&owner, UV_EINTR);
        if (by_init)
            ask(0);
        else
            make_call(1);
        assert_int_equal(db.lazy.waiting, 0);
        assert_int_equal(world_run(&w), WEFT_ESTUCK); /* the owner is left, and nobody else */
        assert_non_null(strstr(trail, "0:EINTR"));
        assert_non_null(strstr(trail, by_init ? "init0:EINTR" : "1:EINTR"));
        weft_finish(&owner, UV_EINTR);
        down();
    }
}

TEST(a_cancelled_owner_does_not_stop_calls_to_what_is_ready)
{
    up_with_owner();
    make_call(0);
    world_run(&w);
    weft_cancel(&owner, UV_EINTR);
    make_call(1);
    ask(0);
    world_run(&w);
    assert_non_null(strstr(trail, "1:ok"));
    assert_non_null(strstr(trail, "init0:ok"));
    weft_finish(&owner, UV_EINTR);
    down();
}

/* ---- broken rules --------------------------------------------------------------------------- */

static void call_below(struct weft_op *op)
{
    weft_lazy_run(op, &calls[1].job.op, &odd, call_begin, call_over);
}

static void init_below(struct weft_op *op)
{
    weft_lazy_init(op, &inits[1], &odd, told_of_init);
}

static void wait_for_oneself(weft_begin_fn *begin)
{
    up();
    odd = (struct weft_lazy){.owner = root(), .begin = begin};
    weft_lazy_open(&odd);
    weft_lazy_run(root(), &calls[0].job.op, &odd, call_begin, call_over);
}

static void call_oneself(void)
{
    wait_for_oneself(call_below);
}

static void await_oneself(void)
{
    wait_for_oneself(init_below);
}

static void finish_one_that_waits(void)
{
    up();
    make_call(0);
    weft_finish(&calls[0].job.op, 0);
}

static void begin_below_one_that_waits(void)
{
    up();
    make_call(0);
    weft_run(&calls[0].job.op, &calls[1].job.op, call_begin, call_over);
}

static void call_twice(void)
{
    up();
    make_call(0);
    make_call(0);
}

static void call_from_another_loop(void)
{
    up();
    struct world other;
    world_up(&other);
    weft_lazy_run(weft_root(&other.loop), &calls[0].job.op, &db.lazy, call_begin, call_over);
}

TEST(an_initialisation_cannot_wait_for_itself)
{
    dies(call_oneself, "rule 2", "wait for itself", "lazy start");
    dies(await_oneself, "rule 2", "wait for itself");
}

TEST(a_call_that_waits_does_not_run)
{
    dies(finish_one_that_waits, "rule 2", "not running");
    dies(begin_below_one_that_waits, "rule 2", "not running", "too early", "being initialised");
    dies(call_twice, "rule 1", "still runs");
}

TEST(a_call_cannot_wait_for_another_loops_component)
{
    dies(call_from_another_loop, "rule 1", "another loop");
}

/* ---- cost ----------------------------------------------------------------------------------- */

TEST(nothing_is_allocated)
{
    weft_fault_install();
    up();
    db.lazy.wait_ms = 100;
    weft_fault_fail_at(0); /* counts from here */
    ask(0);
    for (int i = 0; i < 4; i++)
        make_call(i);
    weft_cancel(&calls[2].job.op, UV_EINTR);
    world_run(&w);
    make_call(4);
    world_run(&w);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    world_down(&w);
    fault_remove();
}

enum { MANY = 100000 };
static struct weft_op *many;
static size_t next_one;

static void count_order(struct weft_op *op)
{
    assert_ptr_equal(op, &many[next_one]);
    next_one++;
    weft_finish(op, 0);
}

TEST(a_long_line_is_begun_in_its_order)
{
    up();
    db.lazy.limit = MANY;
    db.lazy.wait_ms = 1000;
    many = calloc(MANY, sizeof *many);
    next_one = 0;
    for (size_t i = 0; i < MANY; i++)
        weft_lazy_run(root(), &many[i], &db.lazy, count_order, weft_ignore);
    world_run(&w);
    assert_int_equal(next_one, MANY);
    free(many);
    down();
}

TEST(a_long_line_is_cancelled_in_any_order)
{
    up();
    db.lazy.limit = MANY;
    db.lazy.wait_ms = 1000;
    many = calloc(MANY, sizeof *many);
    next_one = 0;
    for (size_t i = 0; i < MANY; i++)
        weft_lazy_run(root(), &many[i], &db.lazy, count_order, weft_ignore);
    for (size_t i = 1; i < MANY; i++)
        weft_cancel(&many[i * 7919 % MANY], UV_ECANCELED); /* a prime: each but the first, once */
    assert_int_equal(db.lazy.waiting, 1);
    world_run(&w);
    assert_int_equal(next_one, 1);
    free(many);
    down();
}

static void call_the_next(struct weft_op *op)
{
    if (++next_one < MANY)
        weft_lazy_run(root(), &many[next_one], &db.lazy, call_the_next, weft_ignore);
    weft_finish(op, 0);
}

static void chain(void)
{
    next_one = 0;
    weft_lazy_run(root(), &many[0], &db.lazy, call_the_next, weft_ignore);
    world_run(&w);
    assert_int_equal(next_one, MANY);
}

static void call_in_long_chains(void)
{
    up();
    chain(); /* by the line */
    chain(); /* straight */
    down();
}

TEST(a_long_chain_of_calls_from_begins_needs_no_stack)
{
    many = calloc(MANY, sizeof *many);
    on_a_small_stack(call_in_long_chains);
    free(many);
}

static void open_too_early(void)
{
    up();
    struct weft_op not_run = {0};
    struct weft_lazy early = {.owner = &not_run, .begin = db_begin};
    (void)weft_lazy_open(&early);
}

static void call_when_the_owner_is_over(void)
{
    up();
    owner = (struct weft_op){0};
    struct weft_lazy late = {.owner = &owner, .begin = db_begin};
    weft_run(root(), &owner, NULL, noted);
    assert_int_equal(weft_lazy_open(&late), 0);
    weft_finish(&owner, 0);
    world_run(&w);
    weft_lazy_run(root(), &calls[0].job.op, &late, call_begin, call_over);
}

TEST(the_owner_of_a_lazy_runs)
{
    dies(open_too_early, "rule 2", "the owner of the lazy of ", "open_too_early() is not running");
    dies(call_when_the_owner_is_over, "rule 2", "the owner of the lazy of ", "is not running",
         "call_begin");
}

static void call_what_is_not_open(void)
{
    up();
    struct weft_lazy closed = {.owner = root(), .begin = db_begin};
    weft_lazy_run(root(), &calls[0].job.op, &closed, call_begin, call_over);
}

TEST(a_lazy_that_is_called_was_opened)
{
    dies(call_what_is_not_open, "rule 1", "a lazy that was not opened", "call_what_is_not_open()");
}

static int closed;

static void owner_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    closed = weft_lazy_close(&db.lazy);
}

TEST(in_the_then_of_an_owner_above_all_who_call_a_lazy_can_be_closed)
{
    up();
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    owner = (struct weft_op){0};
    closed = 1;
    weft_run(root(), &owner, NULL, owner_over);
    db.lazy.owner = &owner;
    db.job.linger_ms = 3;
    assert_int_equal(weft_lazy_open(&db.lazy), 0);
    weft_lazy_run(&owner, &calls[0].job.op, &db.lazy, call_begin, call_over);
    weft_lazy_init(&owner, &inits[0], &db.lazy, told_of_init);
    weft_sim_advance(&w.sim, 1);
    weft_cancel(&owner, UV_ESHUTDOWN);
    weft_join(&owner);
    world_run(&w);
    assert_int_equal(closed, 0);
    down();
}
