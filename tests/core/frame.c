/* Who is current: weft_current, weft_current_id and weft_trigger_id, with hooks and without.
 * ctest: labels=valgrind,threads needs=hooks */
#include "hook_world.h"
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/series.h>
#include <weft/timer.h>

/* Each body runs twice: nobody watches, and a hook does. */
static bool watched;
static void up_watched(bool is)
{
    up();
    watched = is;
    if (is)
        enable(&one);
}
#define BOTH(body)                                                                                 \
    do {                                                                                           \
        body(false);                                                                               \
        body(true);                                                                                \
    } while (0)

static unsigned looked;

TEST(outside_nothing_is_current)
{
    assert_null(weft_current());
    assert_int_equal(weft_current_id(), 0);
    assert_int_equal(weft_trigger_id(), 0);
    up();
    assert_null(weft_current());
    weft_tick(root(), &ops[0], noted);
    assert_null(weft_current());
    world_down(&w);
    assert_null(weft_current());
    assert_int_equal(weft_current_id(), 0);
}

/* ---- begin ---------------------------------------------------------------------------------- */

static void look_in_begin(struct weft_op *op)
{
    looked++;
    assert_ptr_equal(weft_current(), op);
    if (op == &ops[0])
        weft_run(op, &ops[1], look_in_begin, NULL);
    if (op == &ops[1]) /* under another parent than the one that runs */
        weft_run(root(), &ops[2], look_in_begin, NULL);
    assert_ptr_equal(weft_current(), op);
    weft_join(op);
}

static void begins(bool is)
{
    up_watched(is);
    looked = 0;
    weft_run(root(), &ops[0], look_in_begin, NULL);
    assert_int_equal(looked, 3);
    assert_null(weft_current());
    world_down(&w);
}

TEST(in_a_begin_its_op_is_current)
{
    BOTH(begins);
}

static void begin_unwatched(struct weft_op *op)
{
    assert_int_equal(weft_current_id(), weft_id(op));
    assert_int_equal(weft_trigger_id(), weft_id(op->parent));
    assert_int_not_equal(weft_id(op), 0);
    weft_finish(op, 0);
}
static void run_unwatched(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &ops[2], begin_unwatched, noted);
}

TEST(in_a_begin_that_nobody_watches_the_id_is_that_of_its_op)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], run_unwatched);
    world_run(&w);
    assert_int_equal(seen.calls, 1);
    finish(&ops[0]);
    world_down(&w);
}

/* ---- then ----------------------------------------------------------------------------------- */

static uint64_t id_of_child;
static void look_in_then(struct weft_op *parent, struct weft_op *op)
{
    looked++;
    assert_ptr_equal(weft_current(), parent);
    if (watched) {
        assert_int_equal(weft_current_id(), id_of_child);
        assert_int_equal(weft_trigger_id(), weft_id(parent));
    } else {
        assert_int_equal(weft_current_id(), weft_id(parent));
        assert_int_equal(weft_trigger_id(), weft_id(root()));
    }
    assert_int_equal(weft_id(op), 0); /* it does not run any more */
    weft_run(parent, &ops[2], a, NULL);
    assert_ptr_equal(weft_current(), parent);
    weft_finish(&ops[2], 0);
}

static void thens(bool is)
{
    up_watched(is);
    looked = 0;
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], look_in_then);
    if (is)
        id_of_child = weft_id(&ops[1]);
    world_run(&w);
    assert_int_equal(looked, 1);
    finish(&ops[0]);
    world_down(&w);
}

TEST(in_a_then_the_parent_is_current_and_the_id_is_that_of_what_has_ended)
{
    BOTH(thens);
}

static void look_at_parent(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    looked++;
    assert_ptr_equal(weft_current(), parent);
}
static void task(struct weft_op *op)
{
    assert_ptr_equal(weft_current(), op);
    weft_finish(op, 0);
}

static void tasks(bool is)
{
    struct weft_queue queue;
    up_watched(is);
    looked = 0;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_run(root(), &ops[0], a, noted);
    weft_queue_push(&queue, &ops[0], &ops[1], task, look_at_parent);
    weft_queue_push(&queue, root(), &ops[2], task, look_at_parent);
    weft_queue_push(&queue, &ops[0], &ops[3], task, look_at_parent);
    world_run(&w);
    assert_int_equal(looked, 3);
    finish(&ops[0]);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(in_the_then_of_a_task_whose_place_went_to_another_its_own_parent_is_current)
{
    BOTH(tasks);
}

static struct weft_series series;
static void step(struct weft_op *op)
{
    looked++;
    assert_ptr_equal(weft_current(), op);
    weft_tick(op, &ops[looked], look_at_parent);
}

static void steps(bool is)
{
    up_watched(is);
    looked = 0;
    weft_series(root(), &series, look_at_parent, step, step);
    world_down(&w);
    assert_int_equal(looked, 5);
}

TEST(in_a_step_the_series_is_current)
{
    BOTH(steps);
}

/* ---- handles -------------------------------------------------------------------------------- */

static void look_in_tick(struct weft_op *op)
{
    looked++;
    assert_ptr_equal(weft_current(), op);
    assert_int_equal(weft_current_id(), weft_id(op));
    assert_int_equal(weft_trigger_id(), weft_id(op->parent));
    if (looked == 2)
        weft_end(op, 0);
}

static void tickers(bool is)
{
    struct weft_ticker ticker = {.ms = 0};
    up_watched(is);
    looked = 0;
    weft_run(root(), &ops[0], a, noted);
    weft_ticker(&ops[0], &ticker, 1, look_in_tick, look_at_parent);
    world_run(&w);
    assert_int_equal(looked, 3);
    finish(&ops[0]);
    world_down(&w);
}

TEST(in_a_tick_the_ticker_is_current)
{
    BOTH(tickers);
}

static void look_in_fire(struct weft_timer *timer)
{
    (void)timer;
    looked++;
    assert_ptr_equal(weft_current(), root());
    if (watched) {
        assert_int_equal(weft_current_id(), hook_log_find(&one, "timer")->id);
        assert_int_equal(weft_trigger_id(), weft_id(&ops[0]));
    } else {
        assert_int_equal(weft_current_id(), weft_id(root()));
        assert_int_equal(weft_trigger_id(), 0);
    }
}
static struct weft_timer timer;
static void start_timer(struct weft_op *op)
{
    weft_timer_start(weft_loop_of(op), &timer, 1, look_in_fire);
}

static void timers(bool is)
{
    up_watched(is);
    looked = 0;
    weft_run(root(), &ops[0], start_timer, noted);
    world_run(&w);
    assert_int_equal(looked, 1);
    finish(&ops[0]);
    world_down(&w);
}

TEST(in_a_timer_the_root_is_current_and_its_parent_is_who_started_it)
{
    BOTH(timers);
}

static void look_in_post(struct weft_post *post)
{
    (void)post;
    looked++;
    assert_ptr_equal(weft_current(), root());
    assert_int_not_equal(weft_current_id(), 0);
    if (watched)
        assert_int_equal(weft_current_id(), hook_log_find(&one, "post")->id);
}

static void posts(bool is)
{
    struct weft_post post = {0};
    up_watched(is);
    looked = 0;
    weft_post_init(&w.loop, &post, look_in_post);
    weft_post(&post);
    world_down(&w);
    assert_int_equal(looked, 1);
}

TEST(in_a_post_the_root_is_current)
{
    BOTH(posts);
}

static void run_b(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &ops[2], b, noted);
}

TEST(in_init_the_current_id_is_that_of_the_callback_that_begins_it)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    assert_int_equal(one.current_id, 0); /* outside */
    weft_tick(&ops[0], &ops[1], run_b);
    uint64_t tick = weft_id(&ops[1]);
    world_run(&w);
    assert_int_equal(hook_log_find(&one, "b")->parent, weft_id(&ops[0]));
    assert_int_equal(one.current_id, tick);
    assert_int_equal(one.trigger_id, weft_id(&ops[0]));
    finish(&ops[2]);
    finish(&ops[0]);
    world_down(&w);
}

/* ---- several loops -------------------------------------------------------------------------- */

static struct world inner;
static struct weft_op inner_ops[2];
static void look_at_inner(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    looked++;
    assert_ptr_equal(parent, weft_root(&inner.loop));
    assert_ptr_equal(weft_current(), parent);
    assert_ptr_equal(weft_loop_of(weft_current()), &inner.loop);
}
static void inner_begin(struct weft_op *op)
{
    looked++;
    assert_ptr_equal(weft_current(), op);
    weft_finish(op, 0);
}
static void run_inner(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    uint64_t id = weft_current_id();
    world_up_sim(&inner, 0);
    if (watched)
        assert_int_equal(weft_hook_enable(&inner.loop, &other.hook), 0);
    weft_tick(weft_root(&inner.loop), &inner_ops[0], look_at_inner);
    weft_run(weft_root(&inner.loop), &inner_ops[1], inner_begin, look_at_inner);
    assert_ptr_equal(weft_current(), parent);
    world_down(&inner);
    assert_ptr_equal(weft_current(), parent);
    assert_int_equal(weft_current_id(), id);
}

static void nested(bool is)
{
    up_watched(is);
    looked = 0;
    memset(inner_ops, 0, sizeof inner_ops);
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], run_inner);
    world_run(&w);
    assert_int_equal(looked, 3);
    finish(&ops[0]);
    world_down(&w);
    assert_null(weft_current());
}

TEST(a_loop_that_runs_in_a_callback_of_another_has_its_own_current)
{
    BOTH(nested);
}

static void thread_body(void *context)
{
    struct hook_log *log = context;
    struct weft_loop loop;
    struct weft_op op = {0};
    uv_loop_t uv;
    assert_null(weft_current());
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&loop, &uv), 0);
    assert_int_equal(weft_hook_enable(&loop, &log->hook), 0);
    for (unsigned i = 1; i <= 1000; i++) {
        log->count = 0;
        hook_log_forget(log);
        weft_tick(&loop.root, &op, weft_ignore);
        assert_int_equal(weft_loop_run(&loop), 0);
        told(log, "init:tick<loop pre:tick post:tick destroy:tick ");
    }
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(two_threads_have_their_own_loops_hooks_and_ids)
{
    uv_thread_t threads[2];
    hook_log_init(&one);
    hook_log_init(&other);
    assert_int_equal(uv_thread_create(&threads[0], thread_body, &one), 0);
    assert_int_equal(uv_thread_create(&threads[1], thread_body, &other), 0);
    uv_thread_join(&threads[0]);
    uv_thread_join(&threads[1]);
}
