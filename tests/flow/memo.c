/* Memo: work that is done once for each key.
 * ctest: labels=valgrind */
#include "model.h"
#include "fault.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/context.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { ENTRIES = 3, ASKS = 6 };

struct person {
    struct weft_promise promise;
    struct job job;
    int id, answer;
    bool full; /* between take and drop */
};

static struct world w;
static struct person people[ENTRIES];
static struct weft_memo memo;
static struct ask {
    struct weft_memoize memoize;
    int id; /* what it asked for */
    unsigned told;
} asks[ASKS];
static struct job next_job; /* how the next work goes */
static unsigned loads[10], drops;

static struct person *person_of(const struct weft_op *op)
{
    return weft_owner((struct weft_op *)(uintptr_t)op, struct person, promise.op);
}

static void person_loaded(struct weft_op *op, struct weft_op *job)
{
    person_of(op)->answer = person_of(op)->id * 100;
    weft_end(op, job->status);
}

static void person_begin(struct weft_op *op)
{
    struct person *person = person_of(op);
    loads[person->id]++;
    person->job.ms = next_job.ms;
    person->job.linger_ms = next_job.linger_ms;
    person->job.status = next_job.status;
    weft_run(op, &person->job.op, job_begin, person_loaded);
}

static bool person_is(const struct weft_op *entry, const void *key)
{
    assert_true(person_of(entry)->full);
    return person_of(entry)->id == *(const int *)key;
}

static void person_take(struct weft_op *entry, const void *key)
{
    assert_false(person_of(entry)->full);
    person_of(entry)->full = true;
    person_of(entry)->id = *(const int *)key;
}

static void person_drop(struct weft_op *entry)
{
    assert_true(person_of(entry)->full);
    person_of(entry)->full = false;
    person_of(entry)->answer = -1;
    drops++;
}

static struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static void forget_all(void)
{
    memset(people, 0, sizeof people);
    memset(asks, 0, sizeof asks);
    memset(loads, 0, sizeof loads);
    drops = 0;
    next_job = (struct job){.ms = 5};
    memo = (struct weft_memo){.entries = WEFT_SLOTS(people, promise.op),
                              .owner = root(),
                              .begin = person_begin,
                              .is = person_is,
                              .take = person_take,
                              .drop = person_drop};
}

static void up(void)
{
    model_up(&w);
    forget_all();
}

static void up_in_order(void)
{
    model_up_seeded(&w, 0);
    forget_all();
}

static struct ask *ask_of(struct weft_op *op)
{
    return weft_owner(op, struct ask, memoize.await.op);
}

static void there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct ask *ask = ask_of(op);
    ask->told++;
    if (op->status != 0) {
        assert_null(ask->memoize.entry);
        return;
    }
    assert_int_equal(person_of(ask->memoize.entry)->id, ask->id);
    assert_int_equal(person_of(ask->memoize.entry)->answer, ask->id * 100);
}

static void ask_then(int which, int id, weft_then_fn *then)
{
    asks[which].id = id;
    weft_memoize(root(), &asks[which].memoize, &memo, &id, then);
}

static void ask(int which, int id)
{
    ask_then(which, id, there);
}

static int status_of(int which)
{
    assert_int_equal(asks[which].told, 1);
    return asks[which].memoize.await.op.status;
}

static void run_on(void)
{
    assert_int_equal(world_run(&w), 0);
}

/* Everything that was taken is dropped. */
static void run_down(void)
{
    world_down(&w);
    assert_int_equal(weft_memo_close(&memo), 0);
    for (int i = 0; i < ENTRIES; i++)
        assert_false(people[i].full);
}

/* ---- once for each key ---------------------------------------------------------------------- */

TEST(who_asks_while_it_is_under_way_gets_the_same)
{
    up();
    ask(0, 7);
    ask(1, 7);
    ask(2, 7);
    assert_int_equal(asks[0].told, 0);
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(2), 0);
    assert_int_equal(loads[7], 1);
    assert_int_equal(memo.hits, 2);
    assert_int_equal(memo.misses, 1);
}

TEST(who_asks_later_gets_it_without_work)
{
    up();
    ask(0, 7);
    run_on();
    ask(1, 7);
    assert_int_equal(asks[1].told, 0);
    run_down();
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[7], 1);
    assert_int_equal(memo.hits, 1);
}

TEST(each_key_has_its_own_entry)
{
    up();
    ask(0, 1);
    ask(1, 2);
    ask(2, 3);
    ask(3, 1);
    run_down();
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of(i), 0);
    assert_int_equal(loads[1] + loads[2] + loads[3], 3);
    assert_int_equal(drops, 3);
}

TEST(the_key_is_only_looked_at_before_it_returns)
{
    up_in_order();
    int id = 4;
    asks[0].id = 4;
    w.loop.depth_ = 1000; /* however deep the stack is */
    weft_memoize(root(), &asks[0].memoize, &memo, &id, there);
    w.loop.depth_ = 0;
    id = 5;
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(loads[4], 1);
}

TEST(work_that_is_done_at_once_is_told_on_a_later_turn)
{
    up();
    next_job.ms = 0;
    ask(0, 4);
    ask(1, 4);
    assert_int_equal(asks[0].told, 0);
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[4], 1);
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(an_error_reaches_everybody_and_is_not_kept)
{
    up();
    next_job.status = UV_EIO;
    ask(0, 7);
    ask(1, 7);
    run_on();
    assert_int_equal(status_of(0), UV_EIO);
    assert_int_equal(status_of(1), UV_EIO);
    next_job.status = 0;
    ask(2, 7);
    run_down();
    assert_int_equal(status_of(2), 0);
    assert_int_equal(loads[7], 2);
    assert_int_equal(memo.misses, 2);
    assert_int_equal(drops, 2);
}

static void ask_again(struct weft_op *parent, struct weft_op *op)
{
    struct ask *ask = ask_of(op);
    there(parent, op);
    if (op->status != 0) {
        next_job.status = 0;
        weft_memoize(parent, &ask->memoize, &memo, &ask->id, ask_again);
    }
}

TEST(who_is_told_of_an_error_may_ask_again_there_and_then_even_if_there_is_one_entry)
{
    up();
    memo.entries.count = 1;
    next_job.status = UV_EIO;
    ask_then(0, 7, ask_again);
    ask_then(1, 7, ask_again);
    ask_then(2, 7, ask_again);
    run_down();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(asks[i].told, 2);
        assert_int_equal(asks[i].memoize.await.op.status, 0);
    }
    assert_int_equal(loads[7], 2);
}

TEST(an_error_without_a_then_ends_the_parent)
{
    up();
    struct weft_op parent = {0};
    int id = 7;
    next_job.status = UV_EIO;
    weft_run(root(), &parent, NULL, noted);
    weft_memoize(&parent, &asks[0].memoize, &memo, &id, NULL);
    weft_join(&parent);
    run_down();
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_success_without_a_then_needs_no_answer)
{
    up();
    int id = 7;
    weft_memoize(root(), &asks[0].memoize, &memo, &id, NULL);
    run_on();
    assert_ptr_equal(asks[0].memoize.entry, &people[0].promise.op);
    run_down();
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(when_the_last_one_to_ask_is_cancelled_so_is_the_work)
{
    up();
    ask(0, 7);
    ask(1, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_ETIMEDOUT);
    assert_int_equal(jobs.cancelled, 0);
    weft_cancel(&asks[1].memoize.await.op, UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    run_down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    assert_int_equal(status_of(1), UV_EINTR);
}

TEST(nobody_gets_somebody_elses_cancel)
{
    up();
    next_job.linger_ms = 10;
    ask(0, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_ETIMEDOUT);
    ask(1, 7);
    ask(2, 7);
    run_down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(status_of(2), 0);
    assert_int_equal(loads[7], 2);
    assert_int_equal(memo.hits, 1);
    assert_int_equal(memo.misses, 2);
}

static struct weft_op *stubborn;

static void stubborn_cancel(struct weft_op *op, int reason)
{
    (void)reason;
    stubborn = op; /* it will succeed all the same */
}

static void stubborn_begin(struct weft_op *op)
{
    loads[person_of(op)->id]++;
    weft_on_cancel(op, stubborn_cancel);
}

TEST(work_that_succeeds_although_it_was_cancelled_is_not_found)
{
    up();
    memo.begin = stubborn_begin;
    ask(0, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_ETIMEDOUT);
    assert_non_null(stubborn);
    memo.begin = person_begin;
    ask(1, 7);
    weft_sim_advance(&w.sim, 10);
    weft_finish(stubborn, 0);
    run_on();
    ask(2, 7);
    run_down();
    assert_ptr_equal(asks[2].memoize.entry, asks[1].memoize.entry);
    assert_int_equal(loads[7], 2);
    assert_int_equal(memo.hits, 1);
}

static void ended_begin(struct weft_op *op)
{
    person_begin(op);
    person_of(op)->answer = person_of(op)->id * 100;
    weft_end(op, 0); /* decided; the job is cancelled and awaited */
}

TEST(work_that_has_ended_itself_and_awaits_its_rest_is_found)
{
    up();
    memo.begin = ended_begin;
    next_job.linger_ms = 5;
    ask(0, 7);
    ask(1, 7);
    run_down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[7], 1);
}

TEST(an_entry_to_be_kept_goes_on_without_anybody_who_asks)
{
    up();
    people[0].promise.keep = true;
    ask(0, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_ETIMEDOUT);
    run_on();
    ask(1, 7);
    run_down();
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[7], 1);
}

TEST(the_error_of_an_entry_that_was_kept_for_nobody_is_not_kept)
{
    up();
    memo.entries.count = 1;
    people[0].promise.keep = true;
    next_job.status = UV_EIO;
    ask(0, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_ETIMEDOUT);
    run_on();
    next_job.status = 0;
    ask(1, 7);
    run_down();
    assert_int_equal(status_of(1), 0);
}

TEST(a_cancelled_owner_ends_it_for_everybody)
{
    up();
    struct weft_op owner = {0};
    memo.owner = &owner;
    weft_run(root(), &owner, NULL, noted);
    ask(0, 7);
    ask(1, 8);
    weft_join(&owner);
    weft_cancel(&owner, UV_ESHUTDOWN);
    ask(2, 7); /* is refused, like everything under a cancelled owner */
    run_down();
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(i), UV_ESHUTDOWN);
    assert_int_equal(jobs.begun, 2);
}

static void ask_very_often(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, UV_ESHUTDOWN);
    if (++ask_of(op)->told < 20000)
        ask_then(0, 7, ask_very_often);
}

TEST(a_cancelled_owner_is_asked_as_often_as_anybody_likes)
{
    up();
    struct weft_op owner = {0};
    memo.owner = &owner;
    w.loop.stuck_to = NULL;
    weft_run(root(), &owner, NULL, noted);
    weft_cancel(&owner, UV_ESHUTDOWN);
    ask_then(0, 7, ask_very_often);
    assert_int_equal(world_run(&w), WEFT_ESTUCK); /* owner waits for us */
    weft_join(&owner);
    run_down();
    assert_int_equal(asks[0].told, 20000);
    assert_int_equal(memo.misses, 0);
}

static void end_who_asked(struct weft_op *op)
{
    weft_end(&asks[0].memoize.await.op, UV_EPIPE);
    person_begin(op);
}

TEST(the_work_may_end_who_asks_for_it)
{
    up();
    memo.begin = end_who_asked;
    ask(0, 7);
    run_down();
    assert_int_equal(status_of(0), UV_EPIPE);
    assert_int_equal(jobs.begun, 1);
    assert_int_equal(jobs.running, 0);
    assert_int_equal(people[0].promise.op.status, UV_ECANCELED); /* it goes on for nobody */
}

static void cancel_who_asked(struct weft_op *op)
{
    weft_cancel(&asks[0].memoize.await.op, UV_EPIPE);
    person_begin(op);
}

TEST(work_that_cancels_who_asks_for_it_is_cancelled)
{
    up();
    memo.begin = cancel_who_asked;
    ask(0, 7);
    run_down();
    assert_int_equal(status_of(0), UV_EPIPE);
    assert_int_equal(people[0].promise.op.status, UV_ECANCELED);
}

static void keep_and_cancel_who_asked(struct weft_op *op)
{
    person_of(op)->promise.keep = true;
    cancel_who_asked(op);
}

TEST(work_that_cancels_who_asks_for_it_goes_on_if_it_is_to_be_kept)
{
    up();
    memo.begin = keep_and_cancel_who_asked;
    ask(0, 7);
    run_down();
    assert_int_equal(status_of(0), UV_EPIPE);
    assert_int_equal(people[0].promise.op.status, 0);
}

static void let_another_come_and_cancel_who_asked(struct weft_op *op)
{
    ask(1, 7);
    cancel_who_asked(op);
}

TEST(work_that_cancels_who_asks_for_it_goes_on_for_others)
{
    up();
    memo.begin = let_another_come_and_cancel_who_asked;
    ask(0, 7);
    run_down();
    assert_int_equal(status_of(0), UV_EPIPE);
    assert_int_equal(status_of(1), 0);
}

TEST(under_a_cancelled_parent_nothing_is_asked)
{
    up();
    struct weft_op parent = {0};
    int id = 7;
    asks[0].memoize.entry = &parent; /* garbage of an earlier life */
    weft_run(root(), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    weft_memoize(&parent, &asks[0].memoize, &memo, &id, there);
    weft_join(&parent);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(memo.misses, 0);
}

static void begin_cancelled(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    weft_memoize_begin(op);
}

TEST(who_is_cancelled_before_it_begins_asks_for_nothing)
{
    up();
    struct weft_memoize *memoize = &asks[0].memoize;
    *memoize = (struct weft_memoize){.memo = &memo, .key = &asks[0].id, .entry = root()};
    weft_run(root(), &memoize->await.op, begin_cancelled, there);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(memo.misses, 0);
}

/* ---- room ----------------------------------------------------------------------------------- */

TEST(when_all_entries_are_under_way_there_is_no_room)
{
    up();
    ask(0, 1);
    ask(1, 2);
    ask(2, 3);
    ask(3, 4);
    ask(4, 2);
    run_down();
    assert_int_equal(status_of(3), UV_ENOBUFS);
    assert_int_equal(status_of(4), 0);
    assert_int_equal(memo.misses, 3);
}

TEST(entries_give_way_in_turn_but_one_that_was_found_is_spared_once)
{
    up_in_order();
    for (int id = 1; id <= 3; id++) {
        ask(0, id);
        run_on();
    }
    ask(0, 2); /* found: spared */
    run_on();
    static const int ids[] = {4, 5, 6, 7}, gives_way[] = {0, 2, 0, 1};
    for (int i = 0; i < 4; i++) {
        ask(0, ids[i]);
        run_on();
        assert_int_equal(people[gives_way[i]].id, ids[i]);
    }
    run_down();
}

TEST(if_all_were_found_the_first_in_turn_gives_way)
{
    up_in_order();
    for (int round = 0; round < 2; round++) {
        for (int id = 1; id <= 3; id++) {
            ask(0, id);
            run_on();
        }
    }
    ask(0, 4);
    run_on();
    assert_int_equal(people[0].id, 4);
    run_down();
}

TEST(a_failed_entry_gives_way_before_one_that_is_of_use)
{
    up_in_order();
    ask(0, 1);
    ask(1, 2);
    run_on();
    next_job.status = UV_EIO;
    ask(2, 3);
    run_on();
    next_job.status = 0;
    ask(3, 4);
    run_on();
    assert_int_equal(people[2].id, 4);
    run_down();
}

/* Its then asks for others, and looks at its own entry after that. */
static void ask_for_more(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    ask(5, 9);
    there(parent, op); /* still what it was */
}

TEST(an_entry_is_not_taken_before_the_thens_of_those_who_asked_have_returned)
{
    up();
    memo.entries.count = 1;
    ask_then(0, 1, ask_for_more);
    ask_then(1, 1, there);
    run_down();
    assert_int_equal(asks[0].told, 2);
    assert_int_equal(asks[0].memoize.await.op.status, 0);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(status_of(5), UV_ENOBUFS);
}

static void ask_with_the_same_storage(struct weft_op *parent, struct weft_op *op)
{
    struct ask *again = ask_of(op);
    there(parent, op);
    if (again->id < 9) {
        again->id++;
        weft_memoize(parent, &again->memoize, &memo, &again->id, ask_with_the_same_storage);
    }
}

TEST(an_ask_may_be_used_again_in_its_then)
{
    up();
    memo.entries.count = 2; /* the one it has, and the one it gets */
    ask_then(0, 1, ask_with_the_same_storage);
    run_down();
    assert_int_equal(asks[0].told, 9);
    assert_int_equal(asks[0].memoize.await.op.status, 0);
    for (int id = 1; id <= 9; id++)
        assert_int_equal(loads[id], 1);
}

/* ---- forget and close ----------------------------------------------------------------------- */

TEST(what_is_forgotten_is_started_again)
{
    up();
    ask(0, 7);
    run_on();
    int id = 7;
    weft_memo_forget(&memo, &id);
    weft_memo_forget(&memo, &id);
    ask(1, 7);
    run_down();
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[7], 2);
}

TEST(what_is_forgotten_under_way_is_still_got_by_those_who_asked)
{
    up();
    ask(0, 7);
    int id = 7;
    weft_memo_forget(&memo, &id);
    next_job.ms = 1;
    ask(1, 7);
    run_on();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_true(asks[0].memoize.entry != asks[1].memoize.entry);
    assert_int_equal(loads[7], 2);
    ask(2, 7);
    run_down();
    assert_ptr_equal(asks[2].memoize.entry, asks[1].memoize.entry);
}

TEST(what_was_never_there_may_be_forgotten)
{
    up();
    int id = 7;
    weft_memo_forget(&memo, &id);
    weft_memo_forget(&(struct weft_memo){0}, &id);
    run_down();
    assert_int_equal(drops, 0);
}

TEST(a_memo_cannot_be_closed_while_somebody_asks)
{
    up_in_order();
    ask(0, 7);
    assert_int_equal(weft_memo_close(&memo), UV_EBUSY);
    while (!people[0].promise.settled)
        assert_true(weft_sim_step(&w.sim));
    assert_int_equal(weft_memo_close(&memo), UV_EBUSY); /* not told yet */
    assert_int_equal(drops, 0);
    run_down();
    assert_int_equal(drops, 1);
}

static int closed;

static void close_inside(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    closed = weft_memo_close(&memo);
}

TEST(a_memo_cannot_be_closed_in_a_then_that_was_given_an_entry)
{
    up();
    ask_then(0, 7, close_inside);
    run_on();
    assert_int_equal(closed, UV_EBUSY);
    next_job.status = UV_EIO;
    ask_then(1, 8, close_inside);
    run_down();
    assert_int_equal(closed, 0);
}

TEST(a_memo_may_be_used_on_after_a_close_and_closed_twice)
{
    up();
    ask(0, 7);
    run_on();
    assert_int_equal(weft_memo_close(&memo), 0);
    assert_int_equal(weft_memo_close(&memo), 0);
    assert_int_equal(drops, 1);
    ask(1, 7);
    run_down();
    assert_int_equal(status_of(1), 0);
    assert_int_equal(loads[7], 2);
}

TEST(a_memo_needs_no_drop)
{
    up();
    memo.drop = NULL;
    ask(0, 7);
    world_down(&w);
    assert_int_equal(weft_memo_close(&memo), 0);
    assert_int_equal(drops, 0);
}

TEST(a_memo_that_is_not_filled_in_is_invalid)
{
    for (int missing = 0; missing < 7; missing++) {
        up();
        struct weft_memo whole = memo;
        memo.entries.count = missing == 0 ? 0 : whole.entries.count;
        memo.entries.first = missing == 1 ? NULL : whole.entries.first;
        memo.owner = missing == 2 ? NULL : whole.owner;
        memo.begin = missing == 3 ? NULL : whole.begin;
        memo.is = missing == 4 ? NULL : whole.is;
        memo.take = missing == 5 ? NULL : whole.take;
        int id = 7;
        weft_memoize(root(), &asks[0].memoize, missing == 6 ? NULL : &memo, &id, there);
        world_down(&w);
        assert_int_equal(status_of(0), UV_EINVAL);
        assert_int_equal(jobs.begun, 0);
    }
}

/* ---- in other flows ------------------------------------------------------------------------- */

static bool next_id(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    static const int ids[] = {1, 2, 1, 2, 1, 1, 3};
    struct ask *ask = ask_of(slot);
    if (index == sizeof ids / sizeof *ids)
        return false;
    ask->id = ids[index];
    ask->memoize.memo = &memo;
    ask->memoize.key = &ask->id;
    return true;
}

static void id_done(struct weft_op *each, struct weft_op *slot)
{
    there(each, slot);
    leave("%d", ask_of(slot)->id);
}

TEST(asks_can_be_the_slots_of_an_each)
{
    up_in_order();
    struct weft_each each = {0};
    weft_each(root(), &each, weft_slots(&asks[0].memoize.await.op, sizeof *asks, 1), next_id,
              weft_memoize_begin, id_done, noted);
    run_down();
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "1 2 1 2 1 1 3 ");
    assert_int_equal(memo.misses, 3);
    assert_int_equal(memo.hits, 4);
}

TEST(an_ask_has_a_deadline_like_any_op)
{
    up();
    struct weft_timeout timeout = {0};
    next_job.ms = 100;
    asks[0] = (struct ask){.id = 7, .memoize = {.memo = &memo, .key = &asks[0].id}};
    weft_timeout(root(), &timeout, &asks[0].memoize.await.op, weft_memoize_begin, 10, noted);
    run_down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(jobs.cancelled, 1);
}

TEST(nothing_is_allocated)
{
    up();
    weft_fault_install();
    for (int i = 0; i < 4; i++)
        ask(i, i);
    run_on();
    ask(5, 9);
    run_on();
    assert_int_equal(weft_fault_allocations(), 0);
    fault_remove();
    run_down();
}

/* ---- the conformance suite ------------------------------------------------------------------ */

enum { ROWS = 64 };

static struct row {
    struct weft_promise promise;
    int key;
} rows[ROWS];
static struct weft_memo table;
static int keys[ROWS];
static int next_key;

static bool row_is(const struct weft_op *entry, const void *key)
{
    return ((const struct row *)(const void *)entry)->key == *(const int *)key;
}

static void row_take(struct weft_op *entry, const void *key)
{
    weft_owner(entry, struct row, promise.op)->key = *(const int *)key;
}

/* Odd keys fail. */
static void row_begin(struct weft_op *op)
{
    if (weft_owner(op, struct row, promise.op)->key % 2 != 0)
        weft_finish(op, UV_EIO);
    else
        weft_immediate_begin(op);
}

static void table_up(struct weft_loop *loop)
{
    memset(rows, 0, sizeof rows);
    next_key = 0;
    table = (struct weft_memo){.entries = WEFT_SLOTS(rows, promise.op),
                               .owner = weft_root(loop),
                               .begin = row_begin,
                               .is = row_is,
                               .take = row_take};
}

static void ask_for_row(void *storage, int odd)
{
    struct weft_memoize *ask_it = storage;
    assert_true(next_key < ROWS);
    keys[next_key] = 2 * next_key + odd;
    ask_it->memo = &table;
    ask_it->key = &keys[next_key++];
}

static void good_ask(void *storage)
{
    ask_for_row(storage, 0);
}

static void bad_ask(void *storage)
{
    ask_for_row(storage, 1);
}

static void verify_ask(void *storage)
{
    struct weft_memoize *ask_it = storage;
    assert_int_equal(weft_owner(ask_it->entry, struct row, promise.op)->key,
                     *(const int *)ask_it->key);
}

static const struct weft_provider memoize_provider = {
    .name = "memoize",
    WEFT_PROVIDER_OP(struct weft_memoize, await.op),
    .begin = weft_memoize_begin,
    .up = table_up,
    .good = good_ask,
    .bad = bad_ask,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify_ask,
};

TEST(memoize_conforms)
{
    provider_check(&memoize_provider);
}

static void ask_without_an_owner(void)
{
    up();
    static struct weft_op not_run;
    memo.owner = &not_run;
    ask(0, 7);
}

TEST(the_owner_of_a_memo_runs)
{
    dies(ask_without_an_owner, "rule 2", "a memo's owner is not running", "memoize", "ask_then()");
}

/* ---- context -------------------------------------------------------------------------------- */

static unsigned released;

static void count_release(void *value)
{
    (void)value;
    released++;
}

static struct weft_key context_key = {.name = "memo", .release = count_release};
static struct weft_op request;
static int of_request, of_owner;
static void *in_work;

static void look_and_begin(struct weft_op *op)
{
    in_work = weft_context_get(op, &context_key);
    person_begin(op);
}

static void up_with_context(void)
{
    up();
    released = 0;
    in_work = NULL;
    memo.begin = look_and_begin;
    request = (struct weft_op){0};
    weft_run(root(), &request, NULL, noted);
    assert_int_equal(weft_context_set(root(), &context_key, &of_owner), 0);
    assert_int_equal(weft_context_set(&request, &context_key, &of_request), 0);
}

static void request_asks(int which, int id)
{
    asks[which].id = id;
    weft_memoize(&request, &asks[which].memoize, &memo, &id, there);
}

TEST(work_has_the_context_of_the_one_who_started_it_and_keeps_it)
{
    up_with_context();
    request_asks(0, 7);
    assert_ptr_equal(in_work, &of_request);
    ask(1, 7);
    weft_cancel(&asks[0].memoize.await.op, UV_EINTR);
    weft_sim_advance(&w.sim, 1);
    weft_finish(&request, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(released, 0); /* the work has it */
    weft_sim_advance(&w.sim, 10);
    assert_int_equal(released, 1);
    assert_int_equal(status_of(1), 0);
    run_down();
}

TEST(a_promise_of_a_memo_has_the_owners_context)
{
    up_with_context();
    int id = 7;
    assert_non_null(weft_memo_promise(&memo, &id, NULL));
    assert_ptr_equal(in_work, &of_owner);
    weft_finish(&request, 0);
    run_down();
}

static void ask_deep_down_and_leave(struct weft_op *op)
{
    static struct weft_op deep[40];
    static int depth;
    depth = op == &request ? 0 : depth + 1;
    if (depth < 31) {
        deep[depth] = (struct weft_op){0};
        weft_run(op, &deep[depth], ask_deep_down_and_leave, noted);
        weft_join(op);
        return;
    }
    request_asks(0, 7);
    assert_int_equal(loads[7], 0); /* not begun yet */
    weft_cancel(&asks[0].memoize.await.op, UV_EINTR);
    weft_finish(op, 0);
}

TEST(work_that_is_never_begun_lets_go_of_the_context)
{
    up_with_context();
    ask_deep_down_and_leave(&request);
    run_down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(loads[7], 0);
    assert_int_equal(released, 2); /* the root's, too */
}
