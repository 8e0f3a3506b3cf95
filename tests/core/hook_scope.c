/* Hooks: scope, which ends with the callback it was asked for in, and remove.
 * ctest: labels=valgrind needs=hooks */
#include "hook_world.h"
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/series.h>
#include <weft/timer.h>

/* ---- scope ---------------------------------------------------------------------------------- */

static void scope_and_begin(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    scope(&one);
    weft_run(parent, &ops[1], a, noted);
}

static void begin_b(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &ops[2], b, noted);
}

/* What a later callback begins is not told; what was captured in the scope goes on. */
static void check_scope_is_over(void)
{
    told(&one, "init:a<loop ");
    weft_tick(root(), &ops[3], begin_b);
    world_run(&w);
    told(&one, "init:a<loop ");
    weft_run(&ops[1], &ops[4], c, noted);
    finish(&ops[2]);
    finish(&ops[4]);
    finish(&ops[1]);
    told(&one, "init:a<loop init:c<a pre:c post:c destroy:c pre:a post:a destroy:a ");
}

TEST(a_scope_in_a_then_ends_with_it)
{
    up();
    weft_tick(root(), &ops[0], scope_and_begin);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

TEST(a_scope_in_a_then_ends_before_the_next_one_of_the_same_batch)
{
    up_real();
    weft_loop_shuffle(&w.loop, 0);
    weft_tick(root(), &ops[0], scope_and_begin);
    weft_tick(root(), &ops[5], begin_b);
    world_run(&w);
    told(&one, "init:a<loop ");
    finish(&ops[1]);
    finish(&ops[2]);
    world_down(&w);
    told(&one, "init:a<loop pre:a post:a destroy:a ");
}

static void scope_begin(struct weft_op *op)
{
    scope(&one);
    weft_run(weft_root(weft_loop_of(op)), &ops[1], a, noted);
}

static void run_scope_begin(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &ops[6], scope_begin, noted);
}

TEST(a_scope_in_a_begin_ends_with_the_callback_around_it)
{
    up();
    weft_tick(root(), &ops[0], run_scope_begin);
    world_run(&w);
    check_scope_is_over();
    finish(&ops[6]);
    world_down(&w);
}

static void scope_tick(struct weft_op *op)
{
    scope(&one);
    weft_run(root(), &ops[1], a, noted);
    weft_end(op, 0);
}

TEST(a_scope_in_a_tick_ends_with_it)
{
    struct weft_ticker ticker = {.ms = 0};
    up();
    weft_ticker(root(), &ticker, 3, scope_tick, noted);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

static void scope_fire(struct weft_timer *timer)
{
    (void)timer;
    scope(&one);
    weft_run(root(), &ops[1], a, noted);
}

static void fire_b(struct weft_timer *timer)
{
    (void)timer;
    weft_run(root(), &ops[5], b, noted);
}

TEST(a_scope_in_a_timer_ends_before_the_next_one_that_is_due)
{
    struct weft_timer timer = {0}, next = {0};
    up();
    weft_timer_start(&w.loop, &timer, 3, scope_fire);
    weft_timer_start(&w.loop, &next, 3, fire_b);
    world_run(&w);
    check_scope_is_over();
    finish(&ops[5]);
    world_down(&w);
}

static void scope_post(struct weft_post *post)
{
    (void)post;
    scope(&one);
    weft_run(root(), &ops[1], a, noted);
}

static void post_b(struct weft_post *post)
{
    (void)post;
    weft_run(root(), &ops[5], b, noted);
}

TEST(a_scope_in_a_post_ends_before_the_next_one)
{
    struct weft_post post = {0}, next = {0};
    up();
    weft_post_init(&w.loop, &post, scope_post);
    weft_post_init(&w.loop, &next, post_b);
    weft_post(&post);
    weft_post(&next);
    world_run(&w);
    check_scope_is_over();
    finish(&ops[5]);
    world_down(&w);
}

static struct weft_series series;
static void scope_step(struct weft_op *op)
{
    (void)op;
    scope(&one);
    weft_run(root(), &ops[1], a, noted);
}

TEST(a_scope_in_a_step_of_a_flow_ends_too)
{
    up();
    weft_series(root(), &series, noted, scope_step);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

TEST(a_scope_in_a_task_of_a_queue_ends_too)
{
    struct weft_queue queue;
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_push(&queue, root(), &ops[6], scope_begin, noted);
    world_run(&w);
    one.hook.groups = WEFT_USER;
    check_scope_is_over();
    finish(&ops[6]);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void enable_begin(struct weft_op *op)
{
    enable(&one);
    weft_finish(op, 0);
}

TEST(what_is_begun_in_a_then_after_the_next_task_enabled_a_hook_is_told)
{
    struct weft_queue queue;
    up();
    one.hook.groups = WEFT_USER;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_push(&queue, root(), &ops[0], finish_at_once, begin_b);
    weft_queue_push(&queue, root(), &ops[1], enable_begin, noted);
    world_run(&w);
    told(&one, "init:b<loop ");
    finish(&ops[2]);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void scope_only(struct weft_op *op)
{
    scope(&one);
    weft_finish(op, 0);
}

/* The next task begins in the same turn, a moment before the then: with anybody watching or not. */
TEST(a_scope_in_the_begin_of_the_next_task_lasts_through_the_then_before_it)
{
    struct weft_queue queue;
    for (int watched = 0; watched <= 1; watched++) {
        up();
        one.hook.groups = WEFT_USER;
        if (watched)
            enable(&other);
        assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
        weft_queue_push(&queue, root(), &ops[0], finish_at_once, begin_b);
        weft_queue_push(&queue, root(), &ops[1], scope_only, noted);
        world_run(&w);
        told(&one, "init:b<loop ");
        finish(&ops[2]);
        assert_int_equal(weft_queue_close(&queue), 0);
        world_down(&w);
    }
}

/* The whole stack of begins is on the ready queue here. */
static void dive(struct weft_op *op)
{
    static struct weft_op deep[40];
    static unsigned depth;
    if (op == &ops[7]) {
        depth = 0;
        memset(deep, 0, sizeof deep);
    }
    if (depth < 40)
        weft_run(op, &deep[depth++], dive, NULL);
    else
        scope_begin(op);
    weft_join(op);
}

TEST(a_scope_in_a_begin_from_the_ready_queue_ends_too)
{
    up();
    weft_run(root(), &ops[7], dive, noted);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

TEST(outside_of_the_loop_a_scope_lasts_until_that_runs)
{
    up();
    scope(&one);
    weft_run(root(), &ops[1], a, noted);
    weft_tick(root(), &ops[0], begin_b);
    told(&one, "init:a<loop init:tick<loop ");
    world_run(&w);
    told(&one, "init:a<loop init:tick<loop pre:tick post:tick destroy:tick ");
    finish(&ops[1]);
    finish(&ops[2]);
    world_down(&w);
}

TEST(in_real_time_a_scope_from_outside_ends_when_the_loop_runs)
{
    up_real();
    weft_tick(root(), &ops[0], begin_b);
    scope(&one);
    world_run(&w);
    finish(&ops[2]);
    world_down(&w);
    told(&one, "");
}

TEST(a_scope_while_the_hook_is_enabled_leaves_it_enabled)
{
    up();
    enable(&one);
    scope(&one);
    weft_tick(root(), &ops[0], begin_b);
    world_run(&w);
    told(&one, "init:tick<loop pre:tick init:b<loop post:tick destroy:tick ");
    finish(&ops[2]);
    world_down(&w);
}

static void scope_twice(struct weft_op *parent, struct weft_op *op)
{
    scope(&one);
    scope_and_begin(parent, op);
}

TEST(a_scope_that_is_asked_for_twice_is_one)
{
    up();
    weft_tick(root(), &ops[0], scope_twice);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

static void scope_then_enable(struct weft_op *parent, struct weft_op *op)
{
    scope_and_begin(parent, op);
    enable(&one);
}

TEST(enabling_in_a_scope_outlasts_it)
{
    up();
    weft_tick(root(), &ops[0], scope_then_enable);
    world_run(&w);
    weft_tick(root(), &ops[3], begin_b);
    world_run(&w);
    told(&one, "init:a<loop init:tick<loop pre:tick init:b<loop post:tick destroy:tick ");
    finish(&ops[1]);
    finish(&ops[2]);
    world_down(&w);
}

static void scope_then_disable(struct weft_op *parent, struct weft_op *op)
{
    scope_and_begin(parent, op);
    weft_hook_disable(&one.hook);
    weft_run(parent, &ops[2], b, noted);
}

TEST(disabling_in_a_scope_ends_it)
{
    up();
    weft_tick(root(), &ops[0], scope_then_disable);
    world_run(&w);
    told(&one, "init:a<loop ");
    finish(&ops[1]);
    finish(&ops[2]);
    world_down(&w);
    told(&one, "init:a<loop pre:a post:a destroy:a ");
}

static void catch (struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop, (void)op, (void)err, (void)text;
}

static void scope_and_throw(struct weft_op *parent, struct weft_op *op)
{
    scope_and_begin(parent, op);
    weft_throw(UV_EIO, "in a scope");
}

TEST(a_scope_ends_with_a_callback_that_throws)
{
    up();
    w.loop.on_uncaught = catch;
    weft_tick(root(), &ops[0], scope_and_throw);
    world_run(&w);
    check_scope_is_over();
    world_down(&w);
}

/* The proposal's own: a function with several returns, from each of which the scope ends. */
static int data_is_bad;
static void read_done(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    scope(&one);
    weft_run(parent, &ops[1], a, noted);
    if (data_is_bad)
        return;
    weft_run(parent, &ops[2], b, noted);
}

TEST(a_scope_ends_at_every_return)
{
    for (data_is_bad = 0; data_is_bad <= 1; data_is_bad++) {
        up();
        weft_tick(root(), &ops[0], read_done);
        world_run(&w);
        weft_run(root(), &ops[3], c, noted);
        told(&one, data_is_bad ? "init:a<loop " : "init:a<loop init:b<loop ");
        for (int i = 1; i <= 3; i++) {
            if (i != 2 || !data_is_bad)
                finish(&ops[i]);
        }
        world_down(&w);
    }
}

/* ---- remove --------------------------------------------------------------------------------- */

TEST(a_hook_that_was_removed_is_told_nothing_any_more)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_hook_remove(&one.hook);
    memset(&one.hook, 0xff, sizeof one.hook); /* the storage is ours */
    weft_run(root(), &ops[2], c, noted);
    finish(&ops[2]);
    finish(&ops[1]);
    finish(&ops[0]);
    world_down(&w);
    told(&one, "init:a<loop init:b<a ");
}

TEST(a_hook_that_was_removed_and_enabled_again_starts_anew)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_run(root(), &ops[3], d, noted);
    weft_hook_cut(&one.hook, &ops[3]);
    weft_hook_remove(&one.hook);
    enable(&one);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_run(&ops[3], &ops[2], c, noted);
    finish(&ops[1]);
    finish(&ops[2]);
    finish(&ops[0]);
    finish(&ops[3]);
    world_down(&w);
    told(&one, "init:a<loop init:d<loop init:b<a init:c<d pre:b post:b destroy:b pre:c post:c "
               "destroy:c ");
}

TEST(a_hook_that_gets_the_number_of_a_removed_one_sees_nothing_of_its_chains)
{
    struct weft_timer timer = {0};
    struct weft_post post = {0};
    struct weft_queue queue;
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_pause(&queue);
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], noted);
    weft_queue_push(&queue, root(), &ops[2], finish_at_once, noted);
    weft_timer_start(&w.loop, &timer, 1, fire_b);
    weft_post_init(&w.loop, &post, post_b);
    weft_post(&post);
    weft_hook_remove(&one.hook);
    scope(&other); /* the number is taken, and nothing is enabled when the loop runs */
    weft_timer_stop(&w.loop, &timer);
    weft_queue_resume(&queue);
    world_run(&w);
    told(&other, "");
    finish(&ops[5]);
    finish(&ops[0]);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void remove_one(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_hook_remove(&one.hook);
    weft_run(parent, &ops[1], b, noted);
}

TEST(a_hook_may_be_removed_in_a_callback_that_it_has_captured)
{
    up();
    enable(&one);
    enable(&other);
    weft_tick(root(), &ops[0], remove_one);
    world_run(&w);
    told(&one, "init:tick<loop pre:tick ");
    told(&other, "init:tick<loop pre:tick init:b<loop post:tick destroy:tick ");
    finish(&ops[1]);
    world_down(&w);
}

static void swap(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_hook_remove(&one.hook);
    enable(&other);
    weft_run(parent, &ops[1], b, noted);
}

TEST(a_hook_that_gets_a_number_in_a_callback_is_not_told_how_that_ends)
{
    up();
    enable(&one);
    weft_tick(root(), &ops[0], swap);
    world_run(&w);
    told(&one, "init:tick<loop pre:tick ");
    told(&other, "init:b<loop ");
    finish(&ops[1]);
    world_down(&w);
}

TEST(a_hook_that_gets_the_number_of_a_removed_one_is_told_of_the_loop_anew)
{
    up();
    hook_log_of_loop(&one);
    hook_log_of_loop(&other);
    enable(&one);
    weft_hook_remove(&one.hook);
    enable(&other);
    world_down(&w);
    told(&one, "init:loop ");
    told(&other, "init:loop destroy:loop ");
}

static void overwrite_and_remove(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    memset(op, 0xff, sizeof *op);
    weft_hook_remove(&one.hook);
}

TEST(a_hook_may_be_removed_in_a_then_whose_op_is_gone)
{
    static const struct weft_op nothing;
    struct weft_op left;
    up();
    enable(&one);
    weft_tick(root(), &ops[0], overwrite_and_remove);
    world_run(&w);
    memset(&left, 0xff, sizeof left);
    assert_memory_equal(&ops[0], &left, sizeof left); /* nobody has written into it */
    ops[0] = nothing;
    world_down(&w);
    told(&one, "init:tick<loop pre:tick ");
}

TEST(removing_a_hook_that_was_never_enabled_does_nothing)
{
    up();
    weft_hook_remove(&one.hook);
    enable(&one);
    weft_hook_remove(&one.hook);
    weft_hook_remove(&one.hook);
    world_down(&w);
}

TEST(a_loop_that_is_closed_lets_go_of_its_hooks)
{
    up();
    enable(&one);
    world_down(&w);
    assert_null(one.hook.loop_);
    world_up_sim(&w, 0);
    enable(&one);
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
}
