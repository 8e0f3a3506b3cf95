/* Hooks: which events a hook is told of: enable, disable, cut.
 * ctest: labels=valgrind needs=hooks */
#include "hook_world.h"
#include <weft/queue.h>
#include <weft/series.h>
#include <weft/timer.h>

/* ---- enable --------------------------------------------------------------------------------- */

TEST(a_hook_is_told_the_life_of_an_op)
{
    up();
    enable(&one);
    weft_tick(root(), &ops[0], noted);
    told(&one, "init:tick<loop ");
    world_run(&w);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
    assert_true(one.entry == (weft_entry_fn *)noted);
    assert_ptr_equal(hook_log_find(&one, "tick")->resource, &ops[0]);
    world_down(&w);
}

TEST(a_hook_that_is_not_enabled_is_told_nothing)
{
    up();
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    told(&one, "");
}

TEST(a_hook_is_told_of_its_loop_once_and_of_its_end)
{
    up();
    hook_log_of_loop(&one);
    enable(&one);
    told(&one, "init:loop ");
    assert_ptr_equal(hook_log_find(&one, "loop")->resource, root());
    assert_int_equal(hook_log_find(&one, "loop")->id, weft_id(root()));
    enable(&one);
    weft_hook_disable(&one.hook);
    enable(&one);
    world_down(&w);
    told(&one, "init:loop destroy:loop ");
}

TEST(what_is_begun_below_what_is_captured_is_told_with_its_parent)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_run(&ops[1], &ops[2], c, noted);
    told(&one, "init:a<loop init:b<a init:c<b ");
    finish(&ops[2]);
    finish(&ops[1]);
    weft_finish(&ops[0], UV_EIO);
    world_down(&w);
    told(&one, "init:a<loop init:b<a init:c<b pre:c post:c destroy:c pre:b post:b destroy:b "
               "pre:a post:a destroy:a ");
}

TEST(what_was_begun_before_a_hook_was_enabled_is_not_told)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    enable(&one);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "");
}

TEST(what_is_begun_below_an_older_op_is_a_new_root_whose_parent_has_an_id)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    enable(&one);
    weft_run(&ops[0], &ops[1], b, noted);
    told(&one, "init:b<a ");
    assert_int_equal(hook_log_find(&one, "b")->parent, weft_id(&ops[0]));
    finish(&ops[1]);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:b<a pre:b post:b destroy:b ");
}

/* ---- disable -------------------------------------------------------------------------------- */

TEST(after_disable_captured_chains_go_on_and_new_roots_are_not_told)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_run(root(), &ops[2], c, noted);
    weft_run(&ops[2], &ops[3], d, noted);
    weft_finish(&ops[3], 0);
    finish(&ops[1]);
    finish(&ops[2]);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:a<loop init:b<a pre:b post:b destroy:b pre:a post:a destroy:a ");
}

static void begin_the_next(struct weft_op *parent, struct weft_op *op)
{
    static int left;
    if (op == &ops[1])
        left = 3;
    if (left-- > 0)
        weft_tick(parent, &ops[2 + left], begin_the_next);
    else
        weft_finish(parent, 0);
}

TEST(after_disable_a_chain_of_callbacks_is_told_to_its_end)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    weft_tick(&ops[0], &ops[1], begin_the_next);
    world_down(&w);
    assert_int_equal(one.inits, 5);
    assert_int_equal(one.pres, 5);
    assert_int_equal(one.posts, 5);
    assert_int_equal(one.destroys, 5);
}

TEST(disabling_twice_and_a_hook_that_is_on_no_loop_does_nothing)
{
    up();
    weft_hook_disable(&one.hook);
    enable(&one);
    weft_hook_disable(&one.hook);
    weft_hook_disable(&one.hook);
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    told(&one, "");
}

/* ---- cut ------------------------------------------------------------------------------------ */

TEST(of_a_branch_that_is_cut_nothing_more_is_told)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_run(root(), &ops[2], c, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    weft_run(&ops[1], &ops[3], d, noted);
    weft_finish(&ops[3], 0);
    finish(&ops[2]);
    finish(&ops[1]);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:a<loop init:b<a init:c<loop pre:c post:c destroy:c ");
}

TEST(a_cut_goes_for_what_is_begun_after_the_hook_was_disabled_and_enabled_again)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    weft_hook_disable(&one.hook);
    enable(&one);
    weft_tick(&ops[0], &ops[1], noted);
    world_run(&w);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:a<loop ");
}

TEST(a_branch_can_be_cut_before_it_is_captured)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    enable(&one);
    weft_hook_disable(&one.hook);
    weft_hook_cut(&one.hook, &ops[0]);
    enable(&one);
    weft_run(&ops[0], &ops[1], b, noted);
    finish(&ops[1]);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "");
}

TEST(a_cut_is_one_hooks_and_not_anothers)
{
    up();
    enable(&one);
    enable(&other);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    weft_tick(&ops[0], &ops[1], noted);
    world_run(&w);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:a<loop ");
    told(&other, "init:a<loop init:tick<a pre:tick post:tick destroy:tick pre:a post:a destroy:a ");
}

static void begin_under_parent(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_tick(parent, &ops[5], noted);
}

TEST(what_is_begun_beside_a_cut_op_in_its_then_is_told)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_run(&ops[0], &ops[1], b, begin_under_parent);
    weft_hook_cut(&one.hook, &ops[1]);
    finish(&ops[1]);
    told(&one, "init:a<loop init:b<a init:tick<a pre:tick post:tick destroy:tick ");
    weft_finish(&ops[0], 0);
    world_down(&w);
}

static struct weft_series series;
static void first_step(struct weft_op *op)
{
    weft_tick(op, &ops[0], noted);
    weft_hook_cut(&one.hook, &ops[0]);
}
static void second_step(struct weft_op *op)
{
    weft_tick(op, &ops[1], noted);
}

TEST(the_step_after_one_that_was_cut_is_told)
{
    up();
    enable(&one);
    weft_series(root(), &series, noted, first_step, second_step);
    world_down(&w);
    told(&one, "init:series<loop init:tick<series init:tick2<series pre:tick2 post:tick2 "
               "destroy:tick2 pre:series post:series destroy:series ");
}

static void task_with_a_child(struct weft_op *op)
{
    weft_tick(op, &ops[2], weft_pass);
}
static void pause_begin(struct weft_op *op)
{
    weft_tick(op, &ops[3], weft_pass);
}

TEST(the_task_that_gets_the_place_of_a_cut_one_is_told_with_its_children)
{
    struct weft_queue queue;
    up();
    enable(&one);
    one.hook.groups = WEFT_USER;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_push(&queue, root(), &ops[0], pause_begin, noted);
    weft_queue_push(&queue, root(), &ops[1], task_with_a_child, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    assert_int_equal(world_run(&w), 0);
    told(&one, "init:pause_begin<loop init:task_with_a_child<loop init:tick<task_with_a_child "
               "pre:tick post:tick destroy:tick pre:task_with_a_child post:task_with_a_child "
               "destroy:task_with_a_child ");
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void cut_the_one_before(struct weft_op *op)
{
    weft_hook_cut(&one.hook, &ops[0]);
    weft_finish(op, 0);
}

TEST(a_task_that_is_cut_by_the_next_one_while_it_ends_is_told_no_more)
{
    struct weft_queue queue;
    up();
    enable(&one);
    one.hook.groups = WEFT_USER;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_push(&queue, root(), &ops[0], finish_at_once, noted);
    weft_queue_push(&queue, root(), &ops[1], cut_the_one_before, noted);
    assert_int_equal(world_run(&w), 0);
    told(&one, "init:finish_at_once<loop init:cut_the_one_before<loop pre:finish_at_once "
               "pre:cut_the_one_before post:cut_the_one_before destroy:cut_the_one_before ");
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void cut_parent(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_hook_cut(&one.hook, parent);
}

TEST(a_branch_that_is_cut_in_a_callback_of_it_is_told_no_post)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], cut_parent);
    world_run(&w);
    told(&one, "init:a<loop init:tick<a pre:tick ");
    one.depth = 0;
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:a<loop init:tick<a pre:tick ");
}

static void cut_and_end(struct weft_op *op)
{
    weft_hook_cut(&one.hook, op);
    weft_end(op, 0);
}

TEST(a_ticker_that_is_cut_in_its_tick_is_told_no_post)
{
    struct weft_ticker ticker = {.ms = 0};
    up();
    enable(&one);
    weft_ticker(root(), &ticker, 1, cut_and_end, noted);
    world_down(&w);
    told(&one, "init:ticker<loop pre:ticker ");
}

static void fire(struct weft_timer *timer)
{
    (void)timer;
}
static struct weft_timer timer_below;
static void start_a_timer(struct weft_op *op)
{
    weft_timer_start(weft_loop_of(op), &timer_below, 5, fire);
}

TEST(a_timer_of_a_branch_that_is_cut_is_told_no_more)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], start_a_timer, noted);
    told(&one, "init:start_a_timer<loop init:timer<start_a_timer ");
    weft_hook_cut(&one.hook, &ops[0]);
    world_run(&w);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:start_a_timer<loop init:timer<start_a_timer ");
}

TEST(a_timer_of_a_branch_that_is_cut_is_told_no_more_when_its_op_is_over)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], start_a_timer, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    weft_finish(&ops[0], 0);
    world_down(&w);
    told(&one, "init:start_a_timer<loop init:timer<start_a_timer ");
}

static void cut_starter(struct weft_timer *timer)
{
    (void)timer;
    weft_hook_cut(&one.hook, &ops[0]);
}
static void start_a_cutting_timer(struct weft_op *op)
{
    weft_timer_start(weft_loop_of(op), &timer_below, 5, cut_starter);
}

TEST(a_timer_whose_op_is_cut_while_it_fires_is_told_no_post)
{
    up();
    enable(&one);
    weft_run(root(), &ops[0], start_a_cutting_timer, noted);
    world_run(&w);
    finish(&ops[0]);
    world_down(&w);
    told(&one, "init:start_a_cutting_timer<loop init:timer<start_a_cutting_timer pre:timer ");
}

TEST(when_the_root_is_cut_nothing_is_told_any_more)
{
    up();
    hook_log_of_loop(&one);
    enable(&one);
    weft_tick(root(), &ops[0], noted);
    weft_hook_cut(&one.hook, root());
    weft_tick(root(), &ops[1], noted);
    enable(&one);
    world_down(&w);
    told(&one, "init:loop init:tick<loop ");
}

TEST(a_cut_of_an_op_that_does_not_run_and_of_a_hook_on_no_loop_does_nothing)
{
    struct weft_op idle = {0};
    up();
    weft_hook_cut(&one.hook, root());
    enable(&one);
    weft_hook_cut(&one.hook, &idle);
    weft_hook_cut(&one.hook, NULL);
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
}
