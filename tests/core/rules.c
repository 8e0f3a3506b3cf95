/* Broken rules: each ends the process, and its text names the rule, the op, where that was begun
 * and the chain above it.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/emitter.h>
#include <weft/post.h>
#include <weft/timer.h>

/* All of it happens in a child process that dies: one world will do, and nothing is closed. */
static struct world w;
static struct weft_op market, sale, other;

static const struct weft_site at_market = {"market.c", "open", "market", 7, WEFT_USER};
static const struct weft_site at_sale = {"shop.c", "sell", "sale", 42, WEFT_USER};

/* A sale on a market: two ops that are finished by hand. */
static void open_market_in(void (*up)(struct world *w))
{
    up(&w);
    weft_run_at(&at_market, weft_root(&w.loop), &market, NULL, noted);
    weft_run_at(&at_sale, &market, &sale, NULL, noted);
}

static void open_market(void)
{
    open_market_in(world_up);
}

/* Where no time passes. */
static void world_up_still(struct world *still)
{
    world_up_sim(still, 0);
}

/* What every text about the sale says. */
#define SALE "sale [", "begun at shop.c:42 sell()"
#define MARKET "market [", "begun at market.c:7 open()"
#define ROOT "  loop ["

/* ---- rule 1: storage ------------------------------------------------------------------------ */

static void begin_a_running_op(void)
{
    open_market();
    weft_run(weft_root(&w.loop), &sale, NULL, noted);
}

TEST(an_op_that_runs_may_not_be_begun)
{
    dies(begin_a_running_op, "rule 1 (storage) broken: an op was begun while it still runs",
         "sale [waits for somebody's weft_finish", "begun at shop.c:42 sell()",
         "market [waiting for its children", MARKET, ROOT);
}

static void begin_a_finished_op(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_run(weft_root(&w.loop), &sale, NULL, noted);
}

TEST(an_op_that_has_not_reported_yet_may_not_be_begun)
{
    dies(begin_a_finished_op, "rule 1 (storage)", "sale [finished, not reported yet", SALE, MARKET);
}

static void begin_a_running_sleep(void)
{
    static struct weft_sleep nap;
    world_up(&w);
    weft_sleep(weft_root(&w.loop), &nap, 10, noted);
    weft_sleep(weft_root(&w.loop), &nap, 20, noted);
}

TEST(a_sleep_that_runs_may_not_be_begun)
{
    dies(begin_a_running_sleep, "rule 1 (storage) broken: an op was begun while it still runs",
         "sleep [waiting", "rules.c");
}

static struct weft_op *garbage(void)
{
    static struct weft_op op;
    memset(&op, 0xa5, sizeof op);
    return &op;
}

static void begin_garbage(void)
{
    open_market();
    weft_run(&sale, garbage(), finish_at_once, noted);
}

TEST(storage_that_was_not_zeroed_may_not_be_begun)
{
    dies(begin_garbage, "rule 1 (storage) broken: a child's storage was not zeroed", SALE, MARKET,
         ROOT);
}

static void cancel_garbage(void)
{
    weft_cancel(garbage(), UV_ECANCELED);
}

static void deadline_of_garbage(void)
{
    static struct weft_deadline deadline;
    weft_deadline(garbage(), &deadline, 1);
}

static void garbage_for_a_deadline(void)
{
    static struct weft_deadline deadline;
    open_market();
    memset(&deadline, 0xa5, sizeof deadline);
    weft_deadline(&sale, &deadline, 1);
}

TEST(garbage_is_told_from_an_op)
{
    dies(cancel_garbage, "rule 1 (storage) broken: an op's storage was not zeroed");
    dies(deadline_of_garbage, "rule 1 (storage) broken: an op's storage was not zeroed");
    dies(garbage_for_a_deadline, "rule 1 (storage) broken: an op's storage was not zeroed");
}

static void finish_garbage(void)
{
    weft_finish(garbage(), 0);
}

static void join_garbage(void)
{
    weft_join(garbage());
}

static void end_garbage(void)
{
    weft_end(garbage(), 0);
}

static void begin_below_garbage(void)
{
    weft_run(garbage(), &sale, NULL, noted);
}

static void on_cancel_of_garbage(void)
{
    weft_on_cancel(garbage(), NULL);
}

TEST(a_text_about_garbage_does_not_follow_its_pointers)
{
    dies(finish_garbage, "rule 2 (once)", "? [garbage]");
    dies(join_garbage, "rule 2 (once)", "? [garbage]");
    dies(end_garbage, "rule 2 (once)", "? [garbage]");
    dies(begin_below_garbage, "rule 2 (once)", "? [garbage]");
    dies(on_cancel_of_garbage, "rule 5 (cancel)", "? [garbage]");
}

/* ---- rule 2: once --------------------------------------------------------------------------- */

static void finish_twice(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_finish(&sale, 0);
}

TEST(an_op_may_not_finish_twice)
{
    dies(finish_twice, "rule 2 (once) broken: an op that is not running was finished (twice?)",
         "sale [finished, not reported yet", SALE, MARKET, ROOT);
}

static void finish_what_is_over(void)
{
    open_market();
    weft_finish(&sale, 0);
    w.loop.stuck_to = NULL;
    world_run(&w);
    weft_finish(&sale, 0);
}

TEST(an_op_that_is_over_may_not_finish)
{
    dies(finish_what_is_over, "rule 2 (once)", "sale [over]", "begun at shop.c:42 sell()");
}

static void finish_what_was_never_begun(void)
{
    weft_finish(&other, 0);
}

TEST(an_op_that_was_never_begun_may_not_finish)
{
    dies(finish_what_was_never_begun, "rule 2 (once)", "? [over]");
}

static void finish_above_a_child(void)
{
    open_market();
    weft_finish(&market, 0);
}

TEST(an_op_may_not_finish_while_a_child_runs)
{
    dies(finish_above_a_child,
         "rule 2 (once) broken: finished while a child runs; use weft_join or weft_end",
         "below it: ", SALE, "market [waiting for its children", MARKET, ROOT);
}

static void finish_above_a_child_that_has_not_reported(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_finish(&market, 0);
}

TEST(a_child_that_has_not_reported_still_counts)
{
    dies(finish_above_a_child_that_has_not_reported, "rule 2 (once)",
         "finished while a child runs");
}

static void finish_with_a_positive_status(void)
{
    open_market();
    weft_finish(&sale, 1);
}

static void end_with_a_positive_status(void)
{
    open_market();
    weft_end(&sale, INT32_MAX);
}

TEST(a_status_is_never_positive)
{
    dies(finish_with_a_positive_status, "rule 2 (once) broken: a status must be 0 or negative",
         SALE, MARKET);
    dies(end_with_a_positive_status, "rule 2 (once) broken: a status must be 0 or negative", SALE,
         MARKET);
}

static void begin_below_a_finished_op(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_run(&sale, &other, NULL, noted);
}

static void begin_below_an_op_that_is_over(void)
{
    weft_run(&other, &sale, NULL, noted);
}

static void push_nothing_below_a_sleep_that_is_over(void)
{
    static struct weft_sleep nap;
    weft_sleep(&other, &nap, 1, noted);
}

TEST(a_child_needs_a_parent_that_runs)
{
    dies(begin_below_a_finished_op,
         "rule 2 (once) broken: a child was begun under an op that is not running",
         "sale [finished, not reported yet", SALE, MARKET, ROOT);
    dies(begin_below_an_op_that_is_over,
         "rule 2 (once) broken: a child was begun under an op that is not running");
    dies(push_nothing_below_a_sleep_that_is_over,
         "rule 2 (once) broken: a child was begun under an op that is not running");
}

static void finish_the_root(void)
{
    world_up(&w);
    weft_finish(weft_root(&w.loop), 0);
}

static void end_the_root(void)
{
    open_market();
    weft_end(weft_root(&w.loop), UV_EIO);
}

static void join_the_root(void)
{
    world_up(&w);
    weft_join(weft_root(&w.loop));
}

static void deadline_of_the_root(void)
{
    static struct weft_deadline deadline;
    world_up(&w);
    weft_deadline(weft_root(&w.loop), &deadline, 10);
}

TEST(the_root_does_not_end)
{
    const char *text = "rule 2 (once) broken: the root does not end; cancel it instead";
    dies(finish_the_root, text, "loop [waiting]");
    dies(end_the_root, text, "loop [waiting for its children]");
    dies(join_the_root, text);
    dies(deadline_of_the_root, "rule 2 (once) broken: the root has no deadline", "loop [waiting]");
}

static void join_what_is_over(void)
{
    open_market();
    weft_finish(&sale, 0);
    w.loop.stuck_to = NULL;
    world_run(&w);
    weft_join(&sale);
}

static void join_what_has_finished(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_join(&sale);
}

static void end_what_is_over(void)
{
    weft_end(&other, 0);
}

TEST(join_and_end_are_for_ops_that_run)
{
    dies(join_what_is_over, "rule 2 (once) broken: join of an op that is not running",
         "sale [over]");
    dies(join_what_has_finished, "rule 2 (once) broken: join of an op that is not running", SALE,
         MARKET);
    dies(end_what_is_over, "rule 2 (once) broken: end of an op that is not running; weft_cancel");
}

/* ---- rule 3: fresh stack -------------------------------------------------------------------- */

static void run_the_loop(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_loop_run(&w.loop);
}

static void run_uv(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    uv_run(&w.uv, UV_RUN_NOWAIT);
}

static void step_the_simulation(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    weft_run(weft_root(&w.loop), op, finish_at_once, noted);
    weft_sim_step(&w.sim);
}

static void begin_running_the_loop(struct weft_op *op)
{
    run_the_loop(NULL, op);
}

static void begin_running_uv(struct weft_op *op)
{
    weft_finish(op, 0); /* there is something to run */
    run_uv(NULL, op);
}

static void begin_stepping(struct weft_op *op)
{
    weft_finish(op, 0);
    weft_sim_step(&w.sim);
}

static void nested_in_then(weft_then_fn *then)
{
    open_market();
    weft_run(weft_root(&w.loop), &other, finish_at_once, then);
    world_run(&w);
}

static void run_the_loop_in_then(void)
{
    nested_in_then(run_the_loop);
}

static void run_uv_in_then(void)
{
    nested_in_then(run_uv);
}

static void step_in_then(void)
{
    world_up_sim(&w, 0);
    weft_run(weft_root(&w.loop), &other, finish_at_once, step_the_simulation);
    world_run(&w);
}

static void run_the_loop_in_begin(void)
{
    world_up(&w);
    weft_run(weft_root(&w.loop), &other, begin_running_the_loop, noted);
}

static void run_uv_in_begin(void)
{
    world_up(&w);
    weft_run(weft_root(&w.loop), &other, begin_running_uv, noted);
}

static void step_in_begin(void)
{
    world_up_sim(&w, 0);
    weft_run(weft_root(&w.loop), &other, begin_stepping, noted);
}

static void begin_from_then(struct weft_op *parent, struct weft_op *op)
{
    weft_run(parent, op, begin_running_the_loop, noted);
}

static void run_the_loop_in_a_begin_of_a_then(void)
{
    nested_in_then(begin_from_then);
}

static void fire_and_run(struct weft_timer *timer)
{
    (void)timer;
    world_run(&w);
}

static void run_the_loop_in_a_timer(void)
{
    static struct weft_timer timer;
    world_up(&w);
    weft_timer_start(&w.loop, &timer, 0, fire_and_run);
    world_run(&w);
}

static void finish_and_step(struct weft_timer *timer)
{
    (void)timer;
    weft_finish(&other, 0);
    weft_sim_step(&w.sim);
}

static void step_in_a_timer(void)
{
    static struct weft_timer timer;
    world_up_sim(&w, 0);
    weft_run(weft_root(&w.loop), &other, NULL, noted);
    weft_timer_start(&w.loop, &timer, 0, finish_and_step);
    world_run(&w);
}

TEST(the_loop_may_not_be_run_from_inside_itself)
{
    const char *text =
        "rule 3 (fresh stack) broken: the loop was run from inside a begin, a then or a timer";
    dies(run_the_loop_in_then, text, ROOT);
    dies(run_uv_in_then, text, ROOT);
    dies(step_in_then, text, ROOT);
    dies(run_the_loop_in_a_begin_of_a_then, text, ROOT);
    dies(run_the_loop_in_begin, text, ROOT);
    dies(run_uv_in_begin, text, ROOT);
    dies(step_in_begin, text, ROOT);
    dies(run_the_loop_in_a_timer, text, ROOT);
    dies(step_in_a_timer, text, ROOT);
}

/* ---- rule 4: one path ----------------------------------------------------------------------- */

static void start_a_timer_with_nothing_to_fire(void)
{
    static struct weft_timer timer;
    world_up(&w);
    weft_timer_start(&w.loop, &timer, 1, NULL);
}

static void prepare_a_post_with_nothing_to_call(void)
{
    static struct weft_post post;
    world_up(&w);
    weft_post_init(&w.loop, &post, NULL);
}

static void listen_with_nothing_to_call(void)
{
    static struct weft_emitter emitter;
    static struct weft_listener listener;
    weft_emitter_init(&emitter, "shop");
    weft_on(&emitter, 1, &listener, NULL);
}

TEST(what_is_called_later_is_not_nothing)
{
    dies(start_a_timer_with_nothing_to_fire,
         "rule 4 (one path) broken: a timer was started with nothing to fire");
    dies(prepare_a_post_with_nothing_to_call,
         "rule 4 (one path) broken: a post was prepared with nothing to call");
    dies(listen_with_nothing_to_call, "rule 4 (one path) broken: a listener has nothing to call");
}

/* ---- rule 5: cancel ------------------------------------------------------------------------- */

static void cancel_with_0(void)
{
    open_market();
    weft_cancel(&sale, 0);
}

static void cancel_with_1(void)
{
    open_market();
    weft_cancel(&sale, 1);
}

TEST(a_reason_is_negative)
{
    const char *text = "rule 5 (cancel) broken: the reason of a cancel must be negative";
    dies(cancel_with_0, text, SALE, MARKET, ROOT);
    dies(cancel_with_1, text, SALE, MARKET, ROOT);
}

static void on_cancel_of_what_has_finished(void)
{
    open_market();
    weft_finish(&sale, 0);
    weft_on_cancel(&sale, NULL);
}

TEST(a_cancel_function_is_for_an_op_that_runs)
{
    dies(on_cancel_of_what_has_finished,
         "rule 5 (cancel) broken: weft_on_cancel of an op that is not running", SALE, MARKET);
}

static unsigned refusals;

static void never_look(struct weft_op *parent, struct weft_op *op)
{
    if (op->status != 0)
        fprintf(stderr, "%s", ++refusals == 10000 ? "refused 10000 times\n" : "");
    weft_run(parent, op, finish_at_once, never_look);
}

static void go_on_although_cancelled(void)
{
    open_market();
    weft_run(&market, &other, finish_at_once, never_look);
    weft_finish(&sale, 0);
    weft_cancel(&market, UV_ECANCELED);
    world_run(&w);
}

TEST(a_loop_that_ignores_a_cancel_is_called_by_its_name)
{
    dies(go_on_although_cancelled, "refused 10000 times\n",
         "rule 5 (cancel) broken: an op goes on starting children although it was cancelled",
         "cancelled (ECANCELED)", MARKET, ROOT);
}

/* ---- rule 7: one thread --------------------------------------------------------------------- */

static void in_another_thread(uv_thread_cb work)
{
    uv_thread_t thread;
    assert_int_equal(uv_thread_create(&thread, work, NULL), 0);
    uv_thread_join(&thread);
}

static void finish_the_sale(void *unused)
{
    (void)unused;
    weft_finish(&sale, 0);
}

static void cancel_the_sale(void *unused)
{
    (void)unused;
    weft_cancel(&sale, UV_ECANCELED);
}

static void run_below_the_sale(void *unused)
{
    (void)unused;
    weft_run(&sale, &other, NULL, noted);
}

static void run_the_whole_loop(void *unused)
{
    (void)unused;
    weft_loop_run(&w.loop);
}

static void start_a_timer(void *unused)
{
    static struct weft_timer timer;
    (void)unused;
    weft_timer_start(&w.loop, &timer, 1, (weft_fire_fn *)abort);
}

static struct weft_timer armed;

static void stop_the_timer(void *unused)
{
    (void)unused;
    weft_timer_stop(&w.loop, &armed);
}

static void prepare_a_post(void *unused)
{
    static struct weft_post post;
    (void)unused;
    weft_post_init(&w.loop, &post, (weft_post_fn *)abort);
}

static void set_a_deadline(void *unused)
{
    static struct weft_deadline deadline;
    (void)unused;
    weft_deadline(&sale, &deadline, 1);
}

static void finish_from_another_thread(void)
{
    open_market();
    in_another_thread(finish_the_sale);
}

static void cancel_from_another_thread(void)
{
    open_market();
    in_another_thread(cancel_the_sale);
}

static void begin_from_another_thread(void)
{
    open_market();
    in_another_thread(run_below_the_sale);
}

static void run_from_another_thread(void)
{
    open_market();
    in_another_thread(run_the_whole_loop);
}

static void start_a_timer_from_another_thread(void)
{
    open_market();
    in_another_thread(start_a_timer);
}

static void stop_a_timer_from_another_thread(void)
{
    open_market();
    weft_timer_start(&w.loop, &armed, 1000, (weft_fire_fn *)abort);
    in_another_thread(stop_the_timer);
}

static void prepare_a_post_from_another_thread(void)
{
    open_market();
    in_another_thread(prepare_a_post);
}

static void set_a_deadline_from_another_thread(void)
{
    open_market();
    in_another_thread(set_a_deadline);
}

TEST(a_loop_belongs_to_one_thread)
{
    const char *text = "rule 7 (one thread) broken: a loop was used from another thread";
    dies(finish_from_another_thread, text, SALE, MARKET, ROOT);
    dies(cancel_from_another_thread, text, SALE, MARKET, ROOT);
    dies(begin_from_another_thread, text, SALE, MARKET, ROOT);
    dies(run_from_another_thread, text, ROOT);
    dies(start_a_timer_from_another_thread, text, ROOT);
    dies(stop_a_timer_from_another_thread, text, ROOT);
    dies(prepare_a_post_from_another_thread, text, ROOT);
    dies(set_a_deadline_from_another_thread, text, SALE, MARKET, ROOT);
}

static void ignore_post(struct weft_post *post)
{
    (void)post;
}

static void send_twice(void)
{
    static struct weft_post post;
    world_up(&w);
    weft_post_init(&w.loop, &post, ignore_post);
    weft_post(&post);
    weft_post(&post);
}

static void send_what_was_not_prepared(void)
{
    static struct weft_post post;
    weft_post(&post);
}

TEST(a_post_is_sent_once_for_each_init)
{
    const char *text =
        "rule 7 (one thread) broken: a post was sent twice, or before weft_post_init";
    dies(send_twice, text);
    dies(send_what_was_not_prepared, text);
}

/* ---- rule 8: no silent loss ----------------------------------------------------------------- */

static void lose_an_error(void)
{
    world_up(&w);
    weft_run_at(&at_sale, weft_root(&w.loop), &sale, fail_at_once, NULL);
    world_run(&w);
}

TEST(an_error_that_nobody_takes_below_the_root_is_not_lost)
{
    dies(lose_an_error, "rule 8 (no silent loss) broken: nobody handled an error: i/o error (EIO)",
         SALE);
}

/* The market's other child is cancelled on the way: that does not make the error expected. */
static void lose_an_error_from_below(void)
{
    world_up(&w);
    weft_run_at(&at_market, weft_root(&w.loop), &market, NULL, NULL);
    weft_run(&market, &other, wait_for_cancel, NULL);
    weft_run_at(&at_sale, &market, &sale, fail_at_once, NULL);
    world_run(&w);
}

TEST(an_error_that_climbed_to_the_root_is_not_lost)
{
    dies(lose_an_error_from_below,
         "rule 8 (no silent loss) broken: nobody handled an error: i/o error (EIO)", MARKET);
}

static void emit_an_error_that_nobody_hears(void)
{
    static struct weft_emitter emitter;
    weft_emitter_init(&emitter, "the shop's till");
    weft_emit(&emitter, WEFT_ERROR, NULL);
}

TEST(an_error_event_that_nobody_hears_is_not_lost)
{
    dies(emit_an_error_that_nobody_hears,
         "rule 8 (no silent loss) broken: the shop's till emitted an error and nobody listens");
}

/* ---- what a broken rule does ---------------------------------------------------------------- */

static void write_it_down(const char *text)
{
    static const char expected[] =
        "weft: rule 2 (once) broken: an op that is not running was finished (twice?)\n"
        "  sale [finished, not reported yet, cancelled (ETIMEDOUT), 0 ms] begun at shop.c:42 "
        "sell()\n"
        "  market [waiting for its children, cancelled (ETIMEDOUT), 0 ms] begun at market.c:7 "
        "open()\n"
        "  loop [waiting for its children]\n";
    fprintf(stderr, "%s\nwritten down: %s\n", text,
            strcmp(text, expected) == 0 ? "as expected" : "otherwise");
}

static void break_a_rule_with_a_function_set(void)
{
    open_market_in(world_up_still);
    weft_on_fatal(write_it_down);
    weft_cancel(&market, UV_ETIMEDOUT);
    weft_finish(&sale, 0);
    weft_finish(&sale, 0);
}

TEST(a_function_of_yours_gets_the_whole_text_and_abort_follows)
{
    dies(break_a_rule_with_a_function_set, "written down: as expected");
}

static void ignore_text(const char *text)
{
    (void)text;
}

TEST(the_function_before_is_given_back)
{
    assert_null(weft_on_fatal(write_it_down));
    assert_ptr_equal(weft_on_fatal(ignore_text), write_it_down);
    assert_ptr_equal(weft_on_fatal(NULL), ignore_text);
    assert_null(weft_on_fatal(NULL));
}

struct link {
    struct weft_op op;
    struct link *next;
};

static void nest(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL)
        weft_run(op, &link->next->op, nest, NULL);
    else
        weft_finish(op, 1);
}

static void break_a_rule_a_thousand_deep(void)
{
    static struct link links[1000];
    for (int i = 0; i < 999; i++)
        links[i].next = &links[i + 1];
    world_up(&w);
    weft_run(weft_root(&w.loop), &links[0].op, nest, NULL);
    world_run(&w);
}

TEST(a_chain_that_is_too_long_to_tell_simply_ends)
{
    needs_hooks(); /* to know which one is running */
    dies(break_a_rule_a_thousand_deep, "rule 2 (once)", "nest [running", "nest [waiting");
}

static void join_a_sleep(void)
{
    struct weft_sleep nap = {0};
    world_up(&w);
    weft_sleep(weft_root(&w.loop), &nap, 1000, noted);
    weft_join(&nap.op);
}

TEST(joining_an_op_that_has_work_of_its_own_breaks_rule_2)
{
    dies(join_a_sleep, "rule 2 (once)", "work of its own", "sleep", "rules.c");
}
