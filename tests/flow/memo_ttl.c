/* Memo: a cache of promises: entries that grow old, and the promise for a key.
 * ctest: labels=valgrind */
#include "model.h"
#include <string.h>
#include <weft/flow.h>
#include <weft/memo.h>

enum { ENTRIES = 3, ASKS = 6 };
#define TTL ((uint64_t)30)

struct total {
    struct weft_promise promise;
    struct job job;
    int id;
    unsigned number; /* of the load, from 1 */
    bool full;       /* between take and drop */
};

static struct world w;
static struct total totals[ENTRIES];
static struct weft_memo memo;
static struct job next_job; /* how the next work goes */
static unsigned load_count, drops;

static struct ask {
    struct weft_memoize it;
    unsigned told, number;
    int status;
} asks[ASKS];

static struct listener {
    struct weft_await it;
    unsigned told, number;
    int status;
} listeners[ASKS];

static struct total *total_of(const struct weft_op *op)
{
    return weft_owner((struct weft_op *)(uintptr_t)op, struct total, promise.op);
}

static void total_loaded(struct weft_op *op, struct weft_op *job)
{
    weft_end(op, job->status);
}

static void total_begin(struct weft_op *op)
{
    struct total *total = total_of(op);
    total->number = ++load_count;
    total->job.ms = next_job.ms;
    total->job.status = next_job.status;
    weft_run(op, &total->job.op, job_begin, total_loaded);
}

static bool total_is(const struct weft_op *entry, const void *key)
{
    assert_true(total_of(entry)->full);
    return total_of(entry)->id == *(const int *)key;
}

static void total_take(struct weft_op *entry, const void *key)
{
    assert_false(total_of(entry)->full);
    total_of(entry)->full = true;
    total_of(entry)->id = *(const int *)key;
}

static void total_drop(struct weft_op *entry)
{
    assert_true(total_of(entry)->full);
    total_of(entry)->full = false;
    drops++;
}

static struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static void up(void)
{
    model_up(&w);
    memset(totals, 0, sizeof totals);
    memset(asks, 0, sizeof asks);
    memset(listeners, 0, sizeof listeners);
    load_count = drops = 0;
    next_job = (struct job){.ms = 5};
    memo = (struct weft_memo){.entries = WEFT_SLOTS(totals, promise.op),
                              .owner = root(),
                              .begin = total_begin,
                              .is = total_is,
                              .take = total_take,
                              .drop = total_drop,
                              .ttl_ms = TTL};
}

static void there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct ask *ask = weft_owner(op, struct ask, it.await.op);
    ask->told++;
    ask->status = op->status;
    ask->number = op->status == 0 ? total_of(ask->it.entry)->number : 0;
}

static void ask(int which, int id)
{
    weft_memoize(root(), &asks[which].it, &memo, &id, there);
}

static struct weft_promise *promise_of(int id)
{
    return weft_memo_promise(&memo, &id, NULL);
}

static void heard(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct listener *listener = weft_owner(op, struct listener, it.op);
    listener->told++;
    listener->status = op->status;
    listener->number = total_of(&listener->it.promise->op)->number;
}

static void listen_to(int which, struct weft_promise *promise)
{
    weft_await(root(), &listeners[which].it, promise, heard);
}

static void got(int which, unsigned number)
{
    assert_int_equal(asks[which].told, 1);
    assert_int_equal(asks[which].status, 0);
    assert_int_equal(asks[which].number, number);
}

static void heard_of(int which, unsigned number)
{
    assert_int_equal(listeners[which].told, 1);
    assert_int_equal(listeners[which].status, 0);
    assert_int_equal(listeners[which].number, number);
}

static void run_on(void)
{
    assert_int_equal(world_run(&w), 0);
}

static void run_down(void)
{
    world_down(&w);
    assert_int_equal(weft_memo_close(&memo), 0);
    for (int i = 0; i < ENTRIES; i++)
        assert_false(totals[i].full);
}

/* ---- old ------------------------------------------------------------------------------------ */

TEST(an_entry_answers_for_so_long_after_it_has_settled)
{
    up();
    ask(0, 7);
    run_on(); /* settles at 5 */
    weft_sim_advance(&w.sim, TTL - 1);
    ask(1, 7);
    run_on();
    got(1, 1);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(w.sim.now_, 5 + TTL);
    ask(2, 7);
    run_down();
    got(2, 2);
    assert_int_equal(memo.hits, 1);
    assert_int_equal(memo.misses, 2);
}

TEST(the_time_it_takes_does_not_count)
{
    up();
    next_job.ms = 10 * TTL;
    ask(0, 7);
    weft_sim_advance(&w.sim, 10 * TTL - 1);
    ask(1, 7); /* joins what is under way for long */
    run_on();
    ask(2, 7);
    run_down();
    got(1, 1);
    got(2, 1);
}

TEST(to_be_asked_for_does_not_make_it_younger)
{
    up();
    ask(0, 7);
    run_on();
    for (uint64_t i = 0; i < TTL - 1; i++) {
        weft_sim_advance(&w.sim, 1);
        asks[1].told = 0;
        ask(1, 7);
        run_on();
        got(1, 1);
    }
    weft_sim_advance(&w.sim, 1);
    ask(2, 7);
    run_down();
    got(2, 2);
}

TEST(without_a_ttl_it_answers_for_ever)
{
    up();
    memo.ttl_ms = 0;
    ask(0, 7);
    run_on();
    weft_sim_advance(&w.sim, UINT64_C(1) << 40);
    ask(1, 7);
    run_down();
    got(1, 1);
}

TEST(a_ttl_may_be_as_long_as_anybody_likes)
{
    up();
    memo.ttl_ms = UINT64_MAX;
    ask(0, 7);
    run_on();
    weft_sim_advance(&w.sim, UINT64_C(1) << 40);
    ask(1, 7);
    run_down();
    got(1, 1);
}

TEST(the_end_of_an_old_entry_does_not_touch_a_newer_one)
{
    up();
    ask(0, 7);
    run_on(); /* settles at 5, is old at 35 */
    weft_sim_advance(&w.sim, 20);
    int id = 7;
    weft_memo_forget(&memo, &id);
    ask(1, 7);
    run_on(); /* settles at 30, is old at 60 */
    weft_sim_advance(&w.sim, 59 - w.sim.now_);
    ask(2, 7);
    run_down();
    got(2, 2);
    assert_int_equal(load_count, 2);
}

TEST(an_old_entry_is_taken_before_one_that_is_of_use)
{
    up();
    ask(0, 1);
    run_on();
    weft_sim_advance(&w.sim, TTL - 5);
    ask(1, 2);
    ask(2, 3);
    run_on(); /* 1 is old now, the others are not */
    ask(3, 4);
    run_on();
    got(3, 4);
    assert_int_equal(drops, 1);
    ask(4, 2);
    ask(5, 3);
    run_down();
    got(4, 2);
    got(5, 3);
}

static int id_again;

/* Its entry grows old while its then has it. */
static void there_and_wait(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    struct total *mine = total_of(weft_owner(op, struct ask, it.await.op)->it.entry);
    memo.ttl_ms = 1;
    w.sim.now_ += 2;
    ask(1, id_again);
    assert_true(mine->full);
    assert_int_equal(mine->number, 1);
}

static void hold_an_old_one(size_t entries)
{
    up();
    id_again = 7;
    memo.entries.count = entries;
    weft_memoize(root(), &asks[0].it, &memo, &id_again, there_and_wait);
    run_down();
    got(0, 1);
}

TEST(an_old_entry_that_somebody_has_stays_and_another_is_taken)
{
    hold_an_old_one(2);
    got(1, 2);
}

TEST(if_there_is_no_other_there_is_no_room)
{
    hold_an_old_one(1);
    assert_int_equal(asks[1].status, UV_ENOBUFS);
}

TEST(an_error_is_gone_at_once_and_not_when_its_time_is_over)
{
    up();
    next_job.status = UV_EIO;
    ask(0, 7);
    ask(1, 7);
    run_on();
    assert_int_equal(asks[0].status, UV_EIO);
    assert_int_equal(asks[1].status, UV_EIO);
    next_job.status = 0;
    ask(2, 7);
    run_down();
    got(2, 2);
}

TEST(what_is_old_may_be_forgotten_and_closed)
{
    up();
    ask(0, 7);
    run_on();
    weft_sim_advance(&w.sim, TTL);
    int id = 7;
    weft_memo_forget(&memo, &id);
    run_down();
    assert_int_equal(drops, 1);
}

/* ---- the promise for a key ------------------------------------------------------------------ */

TEST(the_promise_for_a_key_is_started_once_and_heard_by_all)
{
    up();
    struct weft_promise *promise = promise_of(7);
    assert_ptr_equal(promise_of(7), promise);
    listen_to(0, promise);
    listen_to(1, promise);
    assert_int_equal(listeners[0].told, 0);
    run_on();
    heard_of(0, 1);
    heard_of(1, 1);
    listen_to(2, promise_of(7)); /* late */
    assert_int_equal(listeners[2].told, 0);
    run_down();
    heard_of(2, 1);
    assert_int_equal(memo.misses, 1);
    assert_int_equal(memo.hits, 2);
}

TEST(those_who_ask_and_those_who_await_share_it)
{
    up();
    ask(0, 7);
    listen_to(0, promise_of(7));
    ask(1, 7);
    run_down();
    got(1, 1);
    heard_of(0, 1);
}

TEST(a_promise_that_is_too_old_is_started_again)
{
    up();
    listen_to(0, promise_of(7));
    run_on();
    weft_sim_advance(&w.sim, TTL);
    listen_to(1, promise_of(7));
    run_down();
    heard_of(0, 1);
    heard_of(1, 2);
}

TEST(a_promise_that_is_rejected_reaches_all_and_is_cleared)
{
    up();
    next_job.status = UV_EIO;
    listen_to(0, promise_of(7));
    listen_to(1, promise_of(7));
    run_on();
    assert_int_equal(listeners[0].status, UV_EIO);
    assert_int_equal(listeners[1].status, UV_EIO);
    next_job.status = 0;
    listen_to(2, promise_of(7));
    run_down();
    heard_of(2, 2);
}

TEST(a_promise_that_nobody_awaits_yet_goes_on)
{
    up();
    assert_non_null(promise_of(7));
    run_on();
    assert_int_equal(jobs.cancelled, 0);
    listen_to(0, promise_of(7));
    run_down();
    heard_of(0, 1);
}

TEST(when_all_have_left_the_next_promise_is_another)
{
    up();
    listen_to(0, promise_of(7));
    weft_cancel(&listeners[0].it.op, UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    listen_to(1, promise_of(7));
    run_down();
    assert_int_equal(listeners[0].status, UV_EINTR);
    heard_of(1, 2);
}

TEST(there_is_no_promise_when_no_entry_can_be_taken)
{
    up();
    for (int id = 1; id <= ENTRIES; id++)
        assert_non_null(promise_of(id));
    assert_null(promise_of(9));
    run_on();
    listen_to(0, promise_of(9)); /* they have settled, and nobody holds them */
    run_down();
    heard_of(0, ENTRIES + 1);
}

TEST(a_promise_that_somebody_awaits_is_not_taken_for_another_key)
{
    up();
    memo.entries.count = 1;
    struct weft_promise *promise = promise_of(7);
    run_on();
    listen_to(0, promise);
    int id = 9, err = 0;
    assert_null(weft_memo_promise(&memo, &id, &err));
    assert_int_equal(err, UV_ENOBUFS);
    run_on();
    heard_of(0, 1);
    assert_ptr_equal(promise_of(9), promise); /* that was all it was held for */
    run_down();
}

TEST(there_is_no_promise_without_a_memo_or_under_a_cancelled_owner)
{
    up();
    int id = 7, err = 0;
    assert_null(weft_memo_promise((struct weft_memo *)NULL, &id, &err));
    assert_int_equal(err, UV_EINVAL);
    err = 0;
    assert_null(weft_memo_promise(&(struct weft_memo){0}, &id, &err));
    assert_int_equal(err, UV_EINVAL);
    struct weft_op owner = {0};
    memo.owner = &owner;
    weft_run(root(), &owner, NULL, noted);
    assert_non_null(weft_memo_promise(&memo, &id, &err));
    assert_int_equal(err, 0);
    weft_cancel(&owner, UV_ESHUTDOWN);
    id = 8;
    assert_null(weft_memo_promise(&memo, &id, &err));
    assert_int_equal(err, UV_ESHUTDOWN);
    assert_null(promise_of(8)); /* who does not want to know why */
    weft_join(&owner);
    run_down();
    assert_int_equal(load_count, 1);
}

static void fail_for_nobody(void)
{
    up();
    next_job.status = UV_EIO;
    promise_of(7);
    run_on();
}

static void fail_for_nobody_and_close(void)
{
    fail_for_nobody();
    assert_int_equal(weft_memo_close(&memo), 0);
}

static void fail_for_nobody_and_go_on(void)
{
    fail_for_nobody();
    memo.entries.count = 1;
    promise_of(8);
}

TEST(an_error_that_nobody_awaits_is_nobodys)
{
    dies(fail_for_nobody_and_close, "rule 8", "EIO");
    dies(fail_for_nobody_and_go_on, "rule 8", "EIO");
}

static void end_who_asked(struct weft_op *op)
{
    weft_end(&asks[0].it.await.op, UV_EPIPE);
    total_begin(op);
}

TEST(an_error_of_work_that_has_ended_who_asked_is_not_lost)
{
    up();
    memo.begin = end_who_asked;
    next_job.status = UV_EIO;
    ask(0, 7);
    run_down();
    assert_int_equal(asks[0].status, UV_EPIPE);
}

static void let_another_come_and_leave(struct weft_op *op)
{
    total_begin(op);
    ask(1, 7);
    weft_cancel(&asks[1].it.await.op, UV_EINTR);
}

TEST(one_who_comes_and_leaves_inside_the_begin_is_not_the_last_one)
{
    up();
    memo.begin = let_another_come_and_leave;
    ask(0, 7);
    run_down();
    got(0, 1);
    assert_int_equal(asks[1].status, UV_EINTR);
}

/* ---- a model -------------------------------------------------------------------------------- */

/* Asks at random times: an answer is never older than the ttl, one that is younger is always found, and
 * there is one load at a time. */
enum { KEYS = 2, STEPS = 20000 };

TEST(no_answer_is_older_than_the_ttl_and_none_is_loaded_before)
{
    up();
    struct dice dice = {check_seed()};
    uint64_t settled_at[KEYS] = {0};
    unsigned newest[KEYS] = {0};
    for (int i = 0; i < STEPS; i++) {
        weft_sim_advance(&w.sim, roll(&dice, 2 * TTL / 3));
        int id = (int)roll(&dice, KEYS);
        next_job.ms = roll(&dice, 4);
        bool fresh = newest[id] != 0 && w.sim.now_ - settled_at[id] < TTL;
        unsigned before = load_count;
        asks[0].told = 0;
        ask(0, id);
        assert_int_equal(load_count, before + !fresh);
        run_on();
        if (!fresh) {
            newest[id] = load_count;
            settled_at[id] = w.sim.now_;
        }
        got(0, newest[id]);
    }
    run_down();
}
