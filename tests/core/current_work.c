/* Who is current on a thread of the pool: in the function of a weft_work, and in a loop inside it.
 * ctest: labels=threads needs=hooks */
#include "hook_world.h"
#include <weft/work.h>

static struct weft_work work;
static uint64_t current, trigger;

static int look(struct weft_work *it)
{
    (void)it;
    current = weft_current_id();
    trigger = weft_trigger_id();
    return 0;
}

static void start_work(struct weft_op *op)
{
    weft_work(op, &work, look, weft_pass);
}

TEST(work_that_a_hook_sees_is_current_and_its_parent_the_trigger)
{
    up_real();
    enable(&one);
    weft_run(root(), &ops[0], start_work, noted);
    assert_int_equal(world_run(&w), 0);
    assert_true(current != 0);
    assert_int_equal(current, hook_log_find(&one, "look")->id);
    assert_int_equal(trigger, hook_log_find(&one, "start_work")->id);
    world_close(&w);
}

TEST(work_that_nobody_sees_has_no_id_to_tell)
{
    up_real();
    current = trigger = 1;
    weft_run(root(), &ops[0], start_work, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(current, 0);
    assert_int_equal(trigger, 0);
    world_close(&w);
}

static void look_inside(struct weft_op *op)
{
    assert_true(weft_current() == op);
    assert_int_equal(weft_current_id(), weft_id(op));
    assert_int_equal(weft_trigger_id(), weft_id(op->parent));
    assert_true(weft_trigger_id() != 0);
    weft_finish(op, 0);
}

static int run_a_loop(struct weft_work *it)
{
    struct weft_op op = {0};
    int status = weft_go(&op, look_inside);
    return look(it) != 0 ? UV_EINVAL : status;
}

static void start_a_loop(struct weft_op *op)
{
    weft_work(op, &work, run_a_loop, weft_pass);
}

TEST(a_loop_inside_of_work_is_as_any_loop_and_after_it_the_work_is_current_again)
{
    for (int watched = 0; watched < 2; watched++) {
        up_real();
        if (watched)
            enable(&one);
        weft_run(root(), &ops[0], start_a_loop, noted);
        assert_int_equal(world_run(&w), 0);
        assert_int_equal(current != 0, watched);
        assert_int_equal(trigger != 0, watched);
        world_close(&w);
    }
}
