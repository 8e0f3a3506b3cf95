/* Promise and await: settled once, told to everybody, cancelled when nobody is left.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "core/op.h"
#include "fault.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

/* A promise whose work is one job. */
struct loading {
    struct weft_promise promise;
    struct job job;
    int result;
};

struct listener {
    struct weft_await await;
    int id;
    unsigned told;
};

static struct world w;
static struct loading loading;
static struct weft_promise *const promise = &loading.promise;
static struct listener a, b, c;

static void forget(void)
{
    loading = (struct loading){.job = {.ms = 5}};
    a = (struct listener){.id = 1};
    b = (struct listener){.id = 2};
    c = (struct listener){.id = 3};
}

static void up(void)
{
    model_up(&w);
    forget();
}

static void up_in_order(void)
{
    model_up_seeded(&w, 0);
    forget();
}

static struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static void loaded(struct weft_op *op, struct weft_op *job)
{
    weft_owner(op, struct loading, promise.op)->result = 42;
    weft_end(op, job->status);
}

static void load(struct weft_op *op)
{
    weft_run(op, &weft_owner(op, struct loading, promise.op)->job.op, job_begin, loaded);
}

static void start(void)
{
    weft_promise(root(), promise, load);
}

static struct listener *listener_of(struct weft_op *op)
{
    return weft_owner(op, struct listener, await.op);
}

static void heard(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct listener *listener = listener_of(op);
    listener->told++;
    leave("%d:%s", listener->id, op->status == 0 ? "ok" : weft_error_name(op->status));
}

static void listen_to(struct listener *listener)
{
    weft_await(root(), &listener->await, promise, heard);
}

static void close_it(void)
{
    assert_int_equal(weft_promise_close(promise), 0);
}

/* ---- it settles, and everybody is told ------------------------------------------------------ */

TEST(everybody_who_awaits_is_told_the_status_in_their_order)
{
    up_in_order();
    loading.job.status = UV_EIO;
    start();
    listen_to(&b);
    listen_to(&a);
    listen_to(&c);
    world_down(&w);
    assert_string_equal(trail, "2:EIO 1:EIO 3:EIO ");
    assert_true(promise->settled);
    close_it();
}

TEST(everybody_is_told_once_whatever_the_order)
{
    up();
    start();
    listen_to(&a);
    listen_to(&b);
    listen_to(&c);
    world_down(&w);
    assert_int_equal(a.told + b.told + c.told, 3);
    assert_int_equal(a.await.op.status, 0);
    assert_int_equal(loading.result, 42);
    assert_int_equal(jobs.begun, 1);
}

TEST(who_comes_late_is_told_too_and_not_synchronously)
{
    up();
    start();
    listen_to(&a);
    assert_int_equal(world_run(&w), 0);
    assert_true(promise->settled);
    listen_to(&b);
    assert_int_equal(b.told, 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(b.told, 1);
    listen_to(&c);
    world_down(&w);
    assert_string_equal(trail, "1:ok 2:ok 3:ok ");
}

static void load_at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

TEST(a_promise_that_succeeds_in_its_begin_settles_on_a_later_turn)
{
    up_in_order();
    weft_promise(root(), promise, load_at_once);
    assert_false(promise->settled);
    listen_to(&a);
    assert_int_equal(a.told, 0);
    world_down(&w);
    assert_string_equal(trail, "1:ok ");
}

static void listen_again(struct weft_op *parent, struct weft_op *op)
{
    heard(parent, op);
    if (listener_of(op)->told < 3)
        weft_await(parent, &listener_of(op)->await, promise, listen_again);
}

TEST(an_await_may_be_used_again_in_its_then)
{
    up();
    start();
    weft_await(root(), &a.await, promise, listen_again);
    world_down(&w);
    assert_string_equal(trail, "1:ok 1:ok 1:ok ");
    close_it();
}

TEST(the_order_of_the_awaits_holds_however_deep_the_stack_is)
{
    up_in_order();
    start();
    w.loop.depth_ = OP_DEPTH;
    listen_to(&a);
    w.loop.depth_ = 0;
    listen_to(&b);
    world_down(&w);
    assert_string_equal(trail, "1:ok 2:ok ");
}

static void begin_deep(struct weft_op *op)
{
    weft_await(op, &a.await, promise, NULL);
    weft_join(op);
}

TEST(an_await_without_a_then_ends_its_parent_with_the_error)
{
    up();
    struct weft_op parent = {0};
    loading.job.status = UV_EIO;
    start();
    weft_run(root(), &parent, begin_deep, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    close_it();
}

static void await_with_nobody(void)
{
    up_in_order();
    loading.job.status = UV_EIO;
    start();
    weft_await(root(), &a.await, promise, NULL);
    world_run(&w);
}

TEST(an_error_of_an_await_without_a_then_under_the_root_is_nobodys)
{
    dies(await_with_nobody, "rule 8", "EIO", "await");
}

TEST(the_sites_are_where_they_were_written)
{
    up();
    int line = __LINE__ + 1;
    weft_promise(root(), promise, load);
    weft_await(root(), &a.await, promise, heard);
    assert_string_equal(promise->op.site_->type, "load");
    assert_int_equal(promise->op.site_->line, line);
    assert_string_equal(a.await.op.site_->type, "await");
    assert_int_equal(a.await.op.site_->group, WEFT_PROMISE);
    world_down(&w);
}

/* ---- wrong arguments ------------------------------------------------------------------------ */

TEST(awaiting_nothing_or_one_that_was_never_started_is_invalid)
{
    up_in_order();
    listen_to(&a);
    weft_await(root(), &b.await, NULL, heard);
    assert_string_equal(trail, "");
    world_down(&w);
    assert_string_equal(trail, "1:EINVAL 2:EINVAL ");
    close_it();
}

TEST(a_closed_promise_cannot_be_awaited)
{
    up();
    start();
    assert_int_equal(world_run(&w), 0);
    close_it();
    close_it();
    listen_to(&a);
    world_down(&w);
    assert_string_equal(trail, "1:EINVAL ");
}

/* ---- by hand -------------------------------------------------------------------------------- */

TEST(a_promise_without_work_is_settled_by_hand_and_the_first_word_counts)
{
    up();
    weft_promise(root(), promise, NULL);
    listen_to(&a);
    weft_promise_settle(promise, UV_ENOENT);
    weft_promise_settle(promise, 0);
    assert_int_equal(world_run(&w), 0);
    weft_promise_settle(promise, 0); /* long after */
    listen_to(&b);
    world_down(&w);
    assert_string_equal(trail, "1:ENOENT 2:ENOENT ");
}

TEST(settling_by_hand_stops_the_work_and_awaits_it)
{
    up();
    loading.job = (struct job){.ms = 50, .linger_ms = 3};
    start();
    listen_to(&a);
    weft_promise_settle(promise, 0);
    weft_sim_advance(&w.sim, 2);
    assert_false(promise->settled);
    world_down(&w);
    assert_string_equal(trail, "1:ok ");
    assert_int_equal(w.sim.now_, 3);
}

TEST(settling_one_whose_last_listener_has_left_is_harmless)
{
    up();
    weft_promise(root(), promise, NULL);
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    weft_promise_settle(promise, 0);
    assert_int_equal(world_run(&w), 0);
    weft_promise_settle(promise, 0);
    world_down(&w);
    assert_string_equal(trail, "1:ETIMEDOUT ");
    assert_int_equal(promise->op.status, UV_ECANCELED);
    close_it();
}

static void settle_what_never_started(void)
{
    up_in_order();
    weft_promise_settle(promise, 0);
}

TEST(settling_what_was_never_started_breaks_rule_2)
{
    dies(settle_what_never_started, "rule 2");
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(a_cancelled_await_reports_its_reason_and_the_others_go_on)
{
    up();
    start();
    listen_to(&a);
    listen_to(&b);
    listen_to(&c);
    weft_sim_advance(&w.sim, 1);
    weft_cancel(&b.await.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 1);
    assert_string_equal(trail, "2:ETIMEDOUT ");
    world_down(&w);
    assert_int_equal(a.await.op.status, 0);
    assert_int_equal(c.await.op.status, 0);
    assert_int_equal(jobs.cancelled, 0);
}

TEST(when_the_last_one_leaves_the_work_is_cancelled)
{
    up();
    loading.job.linger_ms = 3;
    start();
    listen_to(&a);
    listen_to(&b);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    assert_int_equal(jobs.cancelled, 0);
    weft_cancel(&b.await.op, UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(a.told + b.told, 2); /* they do not wait for the work */
    assert_false(promise->settled);
    assert_int_equal(weft_promise_close(promise), UV_EBUSY);
    world_down(&w);
    assert_int_equal(promise->op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 3);
    close_it();
}

TEST(who_awaits_one_that_is_being_cancelled_gets_what_comes_of_it)
{
    up();
    loading.job.linger_ms = 3;
    start();
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 1);
    listen_to(&b);
    world_down(&w);
    assert_string_equal(trail, "1:ETIMEDOUT 2:ECANCELED ");
}

TEST(one_that_is_to_be_kept_goes_on_without_listeners)
{
    up();
    promise->keep = true;
    start();
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(jobs.cancelled, 0);
    listen_to(&b);
    world_down(&w);
    assert_string_equal(trail, "1:ETIMEDOUT 2:ok ");
}

TEST(without_any_listener_the_work_goes_on)
{
    up();
    start();
    world_down(&w);
    assert_int_equal(promise->op.status, 0);
    close_it();
}

TEST(a_cancel_of_the_last_one_that_comes_when_the_work_is_done_loses)
{
    up();
    weft_promise(root(), promise, load_at_once);
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_string_equal(trail, "1:ETIMEDOUT ");
    assert_true(promise->settled);
    assert_int_equal(promise->op.status, 0);
}

TEST(an_await_that_is_told_cannot_be_cancelled_any_more)
{
    up_in_order();
    weft_promise(root(), promise, load_at_once);
    listen_to(&a);
    assert_true(weft_sim_step(&w.sim)); /* it settles: the await is ready */
    assert_true(promise->settled);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_string_equal(trail, "1:ok ");
}

static void cancelled_listener(struct weft_op *op)
{
    weft_cancel(op, UV_EINTR);
    weft_await_begin(op);
}

TEST(an_await_cancelled_before_it_begins_has_never_been_a_listener)
{
    up();
    start();
    a.await.promise = promise;
    weft_run(root(), &a.await.op, cancelled_listener, heard);
    world_down(&w);
    assert_string_equal(trail, "1:EINTR ");
    assert_int_equal(jobs.cancelled, 0);
    assert_int_equal(promise->op.status, 0);
}

TEST(under_a_cancelled_parent_an_await_is_refused)
{
    up();
    struct weft_op parent = {0};
    start();
    weft_run(root(), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    weft_await(&parent, &a.await, promise, heard);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "1:EINTR ");
    assert_int_equal(jobs.cancelled, 0);
    close_it();
}

TEST(cancelling_the_promise_itself_tells_everybody_the_reason)
{
    up_in_order();
    start();
    listen_to(&a);
    listen_to(&b);
    weft_cancel(&promise->op, UV_ESHUTDOWN);
    world_down(&w);
    assert_string_equal(trail, "1:ESHUTDOWN 2:ESHUTDOWN ");
}

static struct weft_op owner;

TEST(a_cancelled_owner_settles_the_promise_with_the_reason)
{
    up_in_order();
    owner = (struct weft_op){0};
    loading.job.linger_ms = 4;
    weft_run(root(), &owner, NULL, noted);
    weft_promise(&owner, promise, load);
    listen_to(&a);
    listen_to(&b);
    weft_join(&owner);
    weft_cancel(&owner, UV_ETIMEDOUT);
    world_down(&w);
    assert_string_equal(trail, "1:ETIMEDOUT 2:ETIMEDOUT ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 4);
    close_it();
}

TEST(an_owner_that_ends_cancels_the_promise_and_awaits_it)
{
    up_in_order();
    owner = (struct weft_op){0};
    loading.job.linger_ms = 4;
    weft_run(root(), &owner, NULL, noted);
    weft_promise(&owner, promise, load);
    listen_to(&a);
    weft_end(&owner, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "1:ECANCELED ");
    close_it();
}

TEST(under_a_cancelled_owner_the_work_does_not_begin_and_everybody_is_told)
{
    up();
    owner = (struct weft_op){0};
    weft_run(root(), &owner, NULL, noted);
    weft_cancel(&owner, UV_EINTR);
    weft_promise(&owner, promise, load);
    listen_to(&a);
    weft_join(&owner);
    world_down(&w);
    assert_string_equal(trail, "1:EINTR ");
    assert_int_equal(jobs.begun, 0);
    close_it();
}

TEST(an_error_of_the_promise_is_not_the_owners)
{
    up();
    owner = (struct weft_op){0};
    loading.job.status = UV_EIO;
    weft_run(root(), &owner, NULL, noted);
    weft_promise(&owner, promise, load);
    listen_to(&a);
    weft_join(&owner);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    close_it();
}

/* ---- a chain of promises -------------------------------------------------------------------- */

enum { LINKS = 100000 };

static struct link {
    struct weft_promise promise;
    struct weft_await await;
} * chain;

/* Each link awaits the next one; the last one waits for nobody in particular. */
static void link_begin(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, promise.op);
    weft_await(op, &link->await, &link[1].promise, weft_pass);
}

static void start_chain(void)
{
    chain = calloc(LINKS, sizeof *chain);
    assert_non_null(chain);
    weft_promise(root(), &chain[LINKS - 1].promise, NULL);
    for (size_t i = LINKS - 1; i-- > 0;)
        weft_promise(root(), &chain[i].promise, link_begin);
    weft_await(root(), &a.await, &chain[0].promise, heard);
}

static void end_chain(int status)
{
    world_down(&w);
    for (size_t i = 0; i < LINKS; i++)
        assert_int_equal(chain[i].promise.op.status, status);
    free(chain);
}

static void cancel_chain(void)
{
    up();
    start_chain();
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    end_chain(UV_ECANCELED);
    assert_string_equal(trail, "1:ETIMEDOUT ");
}

TEST(a_cancel_goes_down_a_long_chain_of_promises_on_a_small_stack)
{
    on_a_small_stack(cancel_chain);
}

static void settle_chain(void)
{
    up();
    start_chain();
    weft_promise_settle(&chain[LINKS - 1].promise, UV_EIO);
    end_chain(UV_EIO);
    assert_string_equal(trail, "1:EIO ");
}

TEST(a_settlement_goes_up_a_long_chain_of_promises_on_a_small_stack)
{
    on_a_small_stack(settle_chain);
}

/* The work of one promise awaits another as its last one, and wants it again when it has left. */
static struct weft_promise wanted;

static void want_again(struct weft_op *op, int reason)
{
    assert_null(wanted.waiters_);
    weft_await(root(), &b.await, &wanted, heard);
    weft_cancel(&b.await.op, UV_EINTR);
    weft_await(root(), &c.await, &wanted, heard);
    weft_finish(op, reason);
}

static void wait_to_want(struct weft_op *op)
{
    weft_on_cancel(op, want_again);
}

static void want_begin(struct weft_op *op)
{
    static struct weft_op again;
    static struct weft_await own;
    weft_run(op, &again, wait_to_want, NULL);
    weft_await(op, &own, &wanted, NULL); /* the youngest child is cancelled first */
    weft_join(op);
}

static struct weft_await both[2];

static void await_both(struct weft_op *op)
{
    weft_await(op, &both[0], &wanted, NULL);
    weft_await(op, &both[1], promise, NULL);
}

TEST(one_that_is_wanted_again_while_the_cancel_goes_on_is_spared)
{
    up();
    wanted = (struct weft_promise){0};
    weft_promise(root(), &wanted, NULL);
    weft_promise(root(), promise, want_begin);
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ETIMEDOUT);
    weft_promise_settle(&wanted, 0);
    world_down(&w);
    assert_int_equal(wanted.op.status, 0);
    assert_int_equal(b.await.op.status, UV_EINTR);
    assert_int_equal(c.await.op.status, 0);
}

TEST(a_cancel_from_above_reaches_all_awaits_below)
{
    up();
    memset(both, 0, sizeof both);
    wanted = (struct weft_promise){0};
    owner = (struct weft_op){0};
    weft_promise(root(), &wanted, NULL);
    start();
    weft_run(root(), &owner, await_both, noted);
    weft_join(&owner);
    weft_cancel(&owner, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(wanted.op.status, UV_ECANCELED);
    assert_int_equal(promise->op.status, UV_ECANCELED);
}

/* ---- close, and again ----------------------------------------------------------------------- */

TEST(a_promise_cannot_be_closed_before_everybody_is_told)
{
    up_in_order();
    start();
    assert_int_equal(weft_promise_close(promise), UV_EBUSY);
    listen_to(&a);
    listen_to(&b);
    while (!promise->settled)
        assert_true(weft_sim_step(&w.sim));
    assert_int_equal(a.told, 0);
    assert_int_equal(weft_promise_close(promise), UV_EBUSY);
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(a.told, 1);
    assert_int_equal(weft_promise_close(promise), UV_EBUSY);
    world_down(&w);
    close_it();
}

static struct loading *on_the_heap;

static void free_it(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(listener_of(op)->await.promise->op.status, 0);
    assert_int_equal(on_the_heap->result, 42);
    assert_int_equal(weft_promise_close(&on_the_heap->promise), 0);
    free(on_the_heap);
    on_the_heap = NULL;
}

TEST(the_last_one_may_close_and_free_it_in_its_then)
{
    up();
    on_the_heap = calloc(1, sizeof *on_the_heap);
    assert_non_null(on_the_heap);
    on_the_heap->job.ms = 2;
    weft_promise(root(), &on_the_heap->promise, load);
    weft_await(root(), &a.await, &on_the_heap->promise, free_it);
    world_down(&w);
    assert_null(on_the_heap);
}

TEST(a_promise_is_started_again_in_the_same_storage)
{
    up();
    loading.job.status = UV_EIO;
    start();
    listen_to(&a);
    assert_int_equal(world_run(&w), 0);
    loading.job.status = 0;
    start();
    assert_false(promise->settled);
    listen_to(&a);
    assert_int_equal(world_run(&w), 0);
    close_it();
    start();
    listen_to(&b);
    world_down(&w);
    assert_string_equal(trail, "1:EIO 1:ok 2:ok ");
    assert_int_equal(jobs.begun, 3);
}

static void restart_pending(void)
{
    up_in_order();
    start();
    start();
}

static void restart_too_early(void)
{
    up_in_order();
    start();
    listen_to(&a);
    while (!promise->settled)
        weft_sim_step(&w.sim);
    start();
}

TEST(a_promise_that_somebody_awaits_cannot_be_started_again)
{
    dies(restart_pending, "rule 1", "begun while it still runs");
    dies(restart_too_early, "rule 1", "before everybody who awaits it was told");
}

static void fail_unheard(void)
{
    up_in_order();
    loading.job.status = UV_EIO;
    start();
    assert_int_equal(world_run(&w), 0);
}

static void close_unheard(void)
{
    fail_unheard();
    weft_promise_close(promise);
}

static void restart_unheard(void)
{
    fail_unheard();
    start();
}

static void restart_and_fail_unheard(void)
{
    up_in_order();
    start();
    listen_to(&a);
    assert_int_equal(world_run(&w), 0);
    loading.job.status = UV_EIO;
    start();
    assert_int_equal(world_run(&w), 0);
    weft_promise_close(promise);
}

static void close_settled_unheard(void)
{
    up_in_order();
    weft_promise(root(), promise, NULL);
    weft_promise_settle(promise, UV_EIO);
    assert_int_equal(world_run(&w), 0);
    weft_promise_close(promise);
}

TEST(an_error_of_one_that_was_awaited_by_somebody_who_left_is_not_lost)
{
    up();
    promise->keep = true;
    loading.job.status = UV_EIO;
    start();
    listen_to(&a);
    weft_cancel(&a.await.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(promise->op.status, UV_EIO);
    close_it();
}

TEST(an_error_that_nobody_ever_awaited_is_nobodys)
{
    dies(close_unheard, "rule 8", "EIO", "load", "begun at");
    dies(restart_unheard, "rule 8", "EIO");
    dies(restart_and_fail_unheard, "rule 8", "EIO"); /* awaited in an earlier life only */
    dies(close_settled_unheard, "rule 8", "EIO");
}

TEST(an_error_that_was_awaited_late_is_heard)
{
    up();
    loading.job.status = UV_EIO;
    start();
    assert_int_equal(world_run(&w), 0);
    listen_to(&a);
    world_down(&w);
    close_it();
}

TEST(the_cancel_of_a_promise_that_nobody_awaits_is_no_error)
{
    up();
    start();
    weft_cancel(&promise->op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(promise->op.status, UV_ETIMEDOUT);
    close_it();
}

/* ---- in other flows ------------------------------------------------------------------------- */

TEST(an_await_has_a_deadline_like_any_op)
{
    up();
    struct weft_timeout timeout = {0};
    loading.job.ms = 100;
    start();
    a.await.promise = promise;
    weft_timeout(root(), &timeout, &a.await.op, weft_await_begin, 10, noted);
    weft_sim_advance(&w.sim, 11);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(jobs.cancelled, 1);
    world_down(&w);
}

TEST(awaits_can_be_tasks_of_a_queue)
{
    up();
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    start();
    a.await.promise = b.await.promise = promise;
    weft_queue_push(&queue, root(), &a.await.op, weft_await_begin, heard);
    weft_queue_push(&queue, root(), &b.await.op, weft_await_begin, heard);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(a.told + b.told, 2);
    assert_int_equal(queue.stats.done, 2);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    close_it();
}

static unsigned attempts;

static void attempt(struct weft_op *op)
{
    if (attempts++ > 0)
        loading.job.status = 0;
    start();
    weft_await_begin(op);
}

TEST(an_await_is_tried_again)
{
    up();
    struct weft_retry retry = {0};
    attempts = 0;
    loading.job.status = UV_EIO;
    a.await.promise = promise;
    weft_retry(root(), &retry, &a.await.op, attempt, 3, 1, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(attempts, 2);
}

static struct weft_await runners[2];

static void race_of_awaits(struct weft_op *op)
{
    weft_await(op, &runners[0], &wanted, weft_race_first);
    weft_await(op, &runners[1], promise, weft_race_first);
}

TEST(awaits_can_race)
{
    up();
    struct weft_race race = {0};
    memset(runners, 0, sizeof runners);
    wanted = (struct weft_promise){0};
    weft_promise(root(), &wanted, NULL);
    start();
    weft_race(root(), &race, race_of_awaits, noted);
    world_down(&w);
    assert_ptr_equal(race.winner, &runners[1].op);
    assert_int_equal(wanted.op.status, UV_ECANCELED);
}

enum { MANY = 200000 };
static unsigned long told_count;

static void count_told(struct weft_op *parent, struct weft_op *op)
{
    if (++told_count < MANY)
        weft_await(parent, weft_owner(op, struct weft_await, op), promise, count_told);
}

static void await_many_times(void)
{
    up();
    told_count = 0;
    start();
    weft_await(root(), &a.await, promise, count_told);
    world_down(&w);
    assert_int_equal(told_count, MANY);
}

TEST(late_awaits_in_a_row_use_no_stack)
{
    on_a_small_stack(await_many_times);
}

TEST(nothing_is_allocated)
{
    up();
    weft_fault_install();
    start();
    listen_to(&a);
    listen_to(&b);
    weft_cancel(&b.await.op, UV_ECANCELED);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    fault_remove();
    world_down(&w);
}

/* ---- the conformance suite ------------------------------------------------------------------ */

enum { PROMISES = 64 };

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

static struct weft_promise *make_promise(void)
{
    assert_true(promises_made < PROMISES);
    return &promised[promises_made++];
}

static void good_await(void *storage)
{
    struct weft_promise *made = make_promise();
    weft_promise(weft_root(stage), made, NULL);
    ((struct weft_await *)storage)->promise = made;
}

static void bad_await(void *storage)
{
    good_await(storage);
    weft_promise_settle(((struct weft_await *)storage)->promise, UV_EIO);
}

static void nudge_await(void *storage)
{
    weft_promise_settle(((struct weft_await *)storage)->promise, 0);
}

static const struct weft_provider await_provider = {
    .name = "await",
    WEFT_PROVIDER_OP(struct weft_await, op),
    .begin = weft_await_begin,
    .up = promises_up,
    .down = promises_down,
    .good = good_await,
    .bad = bad_await,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .nudge = nudge_await,
};

TEST(await_conforms)
{
    provider_check(&await_provider);
}
