/* Hooks: several of them, groups, and what a hook's own functions may do.
 * ctest: labels=valgrind needs=hooks */
#include "hook_world.h"
#include <weft/each.h>
#include <weft/queue.h>
#include <weft/series.h>
#include <weft/timer.h>

/* ---- groups --------------------------------------------------------------------------------- */

TEST(a_hook_is_told_only_of_the_groups_it_asked_for)
{
    struct weft_sleep sleep = {.ms = 0};
    up();
    one.hook.groups = WEFT_TIMER;
    enable(&one);
    weft_tick(root(), &ops[0], noted);
    weft_sleep(root(), &sleep, 1, noted);
    world_down(&w);
    told(&one, "init:sleep<loop pre:sleep post:sleep destroy:sleep ");
}

TEST(capture_passes_through_what_is_filtered_out)
{
    struct weft_sleep sleep = {.ms = 0};
    up();
    one.hook.groups = WEFT_TIMER;
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_sleep(&ops[1], &sleep, 1, noted);
    world_run(&w);
    told(&one, "init:sleep<b pre:sleep post:sleep destroy:sleep ");
    finish(&ops[1]);
    finish(&ops[0]);
    world_down(&w);
}

TEST(no_groups_are_all_groups)
{
    struct weft_sleep sleep = {.ms = 0};
    up();
    hook_log_of_loop(&one);
    enable(&one);
    weft_sleep(root(), &sleep, 1, noted);
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    assert_int_equal(one.inits, 3);
    assert_int_equal(one.destroys, 3);
}

TEST(a_group_has_a_name)
{
    assert_string_equal(weft_group_name(WEFT_USER), "user");
    assert_string_equal(weft_group_name(WEFT_NET | WEFT_HANDLE), "net");
    assert_string_equal(weft_group_name(WEFT_DNS | WEFT_NET), "dns");
    assert_string_equal(weft_group_name(WEFT_LOOP), "loop");
    assert_non_null(weft_group_name(0));
    assert_non_null(weft_group_name(~0U));
}

/* ---- several -------------------------------------------------------------------------------- */

static char order[64];
static void note_order(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                       uint64_t parent, void *resource)
{
    (void)id, (void)site, (void)parent, (void)resource;
    strcat(order, hook->context);
}

TEST(eight_hooks_are_told_in_the_order_of_their_numbers_and_a_ninth_has_no_room)
{
    static char names[9][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    struct weft_hook hooks[9];
    up();
    memset(hooks, 0, sizeof hooks);
    for (int i = 0; i < 9; i++) {
        hooks[i].init = note_order;
        hooks[i].context = names[i];
        hooks[i].groups = WEFT_USER;
        assert_int_equal(weft_hook_enable(&w.loop, &hooks[i]), i < WEFT_HOOKS ? 0 : UV_ENOSPC);
    }
    order[0] = '\0';
    weft_tick(root(), &ops[0], noted);
    assert_string_equal(order, "01234567");
    assert_int_equal(weft_hook_scope(&w.loop, &hooks[8]), UV_ENOSPC);
    weft_hook_remove(&hooks[3]);
    assert_int_equal(weft_hook_enable(&w.loop, &hooks[8]), 0);
    weft_hook_disable(&hooks[0]);
    weft_hook_disable(&hooks[7]);
    order[0] = '\0';
    weft_tick(root(), &ops[1], noted);
    assert_string_equal(order, "128456");
    world_down(&w);
}

TEST(a_hook_is_on_one_loop_at_a_time)
{
    struct world second;
    up();
    enable(&one);
    world_up_sim(&second, 0);
    assert_int_equal(weft_hook_enable(&second.loop, &one.hook), UV_EBUSY);
    assert_int_equal(weft_hook_scope(&second.loop, &one.hook), UV_EBUSY);
    weft_hook_remove(&one.hook);
    assert_int_equal(weft_hook_enable(&second.loop, &one.hook), 0);
    weft_tick(root(), &ops[0], noted);
    weft_tick(weft_root(&second.loop), &ops[1], noted);
    world_down(&w);
    world_down(&second);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
}

TEST(nothing_and_a_closed_loop_cannot_be_hooked)
{
    up();
    assert_int_equal(weft_hook_enable(NULL, &one.hook), UV_EINVAL);
    assert_int_equal(weft_hook_enable(&w.loop, NULL), UV_EINVAL);
    assert_int_equal(weft_hook_scope(NULL, &one.hook), UV_EINVAL);
    assert_int_equal(weft_hook_scope(&w.loop, NULL), UV_EINVAL);
    world_down(&w);
    assert_int_equal(weft_hook_enable(&w.loop, &one.hook), UV_EINVAL);
    assert_int_equal(weft_hook_scope(&w.loop, &one.hook), UV_EINVAL);
}

TEST(each_of_a_hooks_functions_may_be_missing)
{
    for (int only = 0; only < 5; only++) {
        up();
        struct weft_hook *hook = &one.hook;
        if (only != 0)
            hook->init = NULL;
        hook->pre = NULL;
        hook->post = NULL;
        if (only == 1)
            hook->destroy = NULL;
        enable(&one);
        one.hook.destroy = NULL;
        weft_tick(root(), &ops[0], noted);
        world_down(&w);
        told(&one, only == 0 ? "init:tick<loop " : "");
    }
}

/* ---- inside a hook's function --------------------------------------------------------------- */

/* A hook that does something once, the first time that the wanted function of it is called. */
enum moment { IN_INIT, IN_PRE, IN_POST, IN_DESTROY, MOMENTS };
static struct meddler {
    struct weft_hook hook;
    enum moment when;
    unsigned times;
    void (*what)(void);
} meddler;

static void meddle(enum moment now)
{
    if (meddler.when == now && meddler.times++ == 0)
        meddler.what();
}
static void in_init(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                    uint64_t parent, void *resource)
{
    (void)hook, (void)id, (void)site, (void)parent, (void)resource;
    meddle(IN_INIT);
}
static void in_pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id, (void)entry;
    meddle(IN_PRE);
}
static void in_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
    meddle(IN_POST);
}
static void in_destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook, (void)id;
    meddle(IN_DESTROY);
}

static void meddler_up(enum moment when, void (*what)(void))
{
    up();
    meddler = (struct meddler){.hook = {.init = in_init,
                                        .pre = in_pre,
                                        .post = in_post,
                                        .destroy = in_destroy,
                                        .groups = WEFT_USER},
                               .when = when,
                               .what = what};
    assert_int_equal(weft_hook_enable(&w.loop, &meddler.hook), 0);
}

static void two_ticks(void)
{
    weft_tick(root(), &ops[0], noted);
    world_run(&w);
    weft_tick(root(), &ops[1], noted);
    world_run(&w);
}

static int closed;
static void close_loop(void)
{
    closed = weft_loop_close(&w.loop);
}

TEST(the_loop_is_not_closed_in_a_hooks_function_also_not_when_nothing_runs)
{
    for (int when = IN_INIT; when < MOMENTS; when += IN_DESTROY) {
        up_real();
        closed = 0;
        meddler = (struct meddler){.hook = {.init = in_init, .destroy = in_destroy},
                                   .when = (enum moment)when,
                                   .what = close_loop};
        assert_int_equal(weft_hook_enable(&w.loop, &meddler.hook), 0); /* told of the loop, */
        world_down(&w);                                                /* and of its end */
        assert_int_equal(closed, UV_EBUSY);
        assert_null(meddler.hook.loop_);
    }
}

static void enable_one(void)
{
    enable(&one);
}

TEST(another_hook_may_be_enabled_in_a_hooks_function_and_is_told_from_the_next_event_on)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, enable_one);
        two_ticks();
        world_down(&w);
        told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
    }
}

static void disable_one(void)
{
    weft_hook_disable(&one.hook);
}

TEST(a_hook_may_be_disabled_in_a_hooks_function_and_the_chain_goes_on)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, disable_one);
        enable(&one);
        two_ticks();
        world_down(&w);
        told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
    }
}

static void remove_one(void)
{
    weft_hook_remove(&one.hook);
}

TEST(a_hook_that_is_removed_in_anothers_function_is_told_nothing_more)
{
    static const char *const so_far[] = {"", "init:tick<loop ", "init:tick<loop pre:tick ",
                                         "init:tick<loop pre:tick post:tick "};
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, remove_one);
        enable(&one);
        two_ticks();
        world_down(&w);
        told(&one, so_far[when]);
    }
}

static void swap_one_for_other(void)
{
    weft_hook_remove(&one.hook);
    enable(&other);
}

TEST(a_hook_that_gets_the_number_of_one_while_that_is_about_to_be_told_is_not_told_in_its_place)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, swap_one_for_other);
        enable(&one);
        two_ticks();
        world_down(&w);
        told(&other, "init:tick<loop pre:tick post:tick destroy:tick ");
    }
}

static void remove_itself(void)
{
    weft_hook_remove(&meddler.hook);
}

TEST(a_hook_may_remove_itself_in_each_of_its_functions)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, remove_itself);
        enable(&one);
        two_ticks();
        assert_int_equal(meddler.times, 1);
        world_down(&w);
        assert_int_equal(one.destroys, 2);
    }
}

static void start_anew(void)
{
    weft_hook_remove(&one.hook);
    enable(&one);
}

TEST(a_hook_that_is_started_anew_in_anothers_function_is_told_from_the_next_op_on)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, start_anew);
        enable(&one);
        weft_tick(root(), &ops[0], noted);
        world_run(&w);
        one.depth = 0;
        hook_log_forget(&one);
        unsigned before = one.inits;
        weft_tick(root(), &ops[1], noted);
        world_down(&w);
        assert_int_equal(one.inits, before + 1);
        assert_int_equal(one.count, before + 1);
        assert_true(one.resources[before].over);
        assert_true(before == 0 || !one.resources[0].over);
    }
}

/* ---- ops that hooks begin ------------------------------------------------------------------- */

static struct weft_op hooks_own[4];
static unsigned own_thens;
static void own_second(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    own_thens++;
}
static void own_first(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    own_thens++;
    weft_tick(parent, &hooks_own[1], own_second); /* a new root, of the hook's all the same */
}
static void begin_own(void)
{
    memset(hooks_own, 0, sizeof hooks_own);
    own_thens = 0;
    weft_tick(root(), &hooks_own[0], own_first);
}

TEST(what_a_hook_begins_is_seen_by_no_hook_nor_what_follows_from_it)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, begin_own);
        enable(&one);
        two_ticks();
        world_down(&w);
        assert_int_equal(own_thens, 2);
        assert_int_equal(one.inits, 2);
        assert_int_equal(one.destroys, 2);
    }
}

static void own_begin(struct weft_op *op)
{
    weft_tick(root(), &hooks_own[1], own_second);
    weft_tick(op, &hooks_own[2], own_second);
    weft_join(op);
}
static void begin_own_with_children(void)
{
    memset(hooks_own, 0, sizeof hooks_own);
    own_thens = 0;
    weft_run(root(), &hooks_own[0], own_begin, own_second);
}

TEST(what_the_begin_of_a_hooks_op_begins_is_not_seen_either)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, begin_own_with_children);
        enable(&one);
        two_ticks();
        world_down(&w);
        assert_int_equal(own_thens, 3);
        assert_int_equal(one.inits, 2);
        assert_int_equal(one.destroys, 2);
    }
}

static void own_third(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_tick(root(), &hooks_own[3], own_second);
}
static void own_begin_late(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_tick(&hooks_own[0], &hooks_own[2], own_third);
}
static void begin_own_chain(void)
{
    memset(hooks_own, 0, sizeof hooks_own);
    own_thens = 0;
    weft_run(root(), &hooks_own[0], a, own_second);
}

TEST(a_new_root_from_a_child_of_a_hooks_op_is_not_seen_either)
{
    meddler_up(IN_INIT, begin_own_chain);
    enable(&one);
    one.hook.groups = WEFT_USER;
    weft_tick(root(), &ops[0], own_begin_late); /* it is ours, and begins under the hook's op */
    world_run(&w);
    assert_int_equal(own_thens, 1);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
    finish(&hooks_own[0]);
    world_down(&w);
}

static void wait_below_own(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &hooks_own[1], a, own_second);
}
static void begin_long_own(void)
{
    memset(hooks_own, 0, sizeof hooks_own);
    weft_run(root(), &hooks_own[0], a, own_second);
    weft_tick(&hooks_own[0], &hooks_own[2], wait_below_own);
}

TEST(what_a_hook_has_begun_is_not_seen_by_one_that_comes_later_in_another_ones_place)
{
    meddler_up(IN_INIT, begin_long_own);
    enable(&one);
    weft_tick(root(), &ops[0], noted);
    weft_hook_remove(&one.hook);
    enable(&other);
    world_run(&w);
    weft_tick(&hooks_own[1], &hooks_own[3], own_second);
    world_run(&w);
    weft_tick(&hooks_own[0], &hooks_own[3],
              own_second); /* it was there when the number was freed */
    world_run(&w);
    told(&other, "");
    finish(&hooks_own[1]);
    finish(&hooks_own[0]);
    world_down(&w);
    told(&other, "");
}

TEST(what_a_hook_begins_after_it_was_disabled_is_not_seen_either)
{
    for (int when = IN_PRE; when < MOMENTS; when++) {
        meddler_up((enum moment)when, begin_long_own);
        weft_tick(root(), &ops[0], noted);
        weft_hook_disable(&meddler.hook);
        world_run(&w);
        enable(&one);
        weft_tick(&hooks_own[0], &hooks_own[3], own_second);
        world_run(&w);
        told(&one, "");
        finish(&hooks_own[1]);
        finish(&hooks_own[0]);
        world_down(&w);
    }
}

static void disable_and_begin(void)
{
    weft_hook_disable(&meddler.hook);
    begin_long_own();
}

TEST(what_a_hook_begins_when_it_has_just_disabled_itself_is_not_seen)
{
    for (int when = IN_INIT; when < MOMENTS; when++) {
        meddler_up((enum moment)when, disable_and_begin);
        weft_tick(root(), &ops[0], noted);
        world_run(&w);
        enable(&one);
        weft_tick(&hooks_own[0], &hooks_own[3], own_second);
        world_run(&w);
        told(&one, "");
        finish(&hooks_own[1]);
        finish(&hooks_own[0]);
        world_down(&w);
    }
}

static struct weft_queue queue;
static struct weft_op hooks_task, child;
static void push_own(void)
{
    weft_queue_push(&queue, root(), &hooks_task, finish_at_once, own_second);
}
static void task_with_a_child(struct weft_op *op)
{
    weft_run(op, &child, finish_at_once, weft_pass);
}

TEST(a_task_that_a_hook_pushes_hides_nothing_of_the_tasks_of_others)
{
    memset(&hooks_task, 0, sizeof hooks_task);
    memset(&child, 0, sizeof child);
    meddler_up(IN_INIT, push_own);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 2), 0);
    other.hook.groups = WEFT_USER;
    enable(&other);
    weft_queue_push(&queue, root(), &ops[0], task_with_a_child, noted);
    assert_int_equal(world_run(&w), 0);
    told(&other, "init:task_with_a_child<loop init:finish_at_once<task_with_a_child "
                 "pre:finish_at_once post:finish_at_once destroy:finish_at_once "
                 "pre:task_with_a_child post:task_with_a_child destroy:task_with_a_child ");
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(a_task_of_a_hooks_that_ends_hides_nothing_of_the_next_one)
{
    memset(&hooks_task, 0, sizeof hooks_task);
    memset(&child, 0, sizeof child);
    meddler_up(IN_INIT, push_own);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    other.hook.groups = WEFT_USER;
    weft_tick(root(), &ops[1], noted); /* the hook's task is the first */
    enable(&other);
    weft_queue_push(&queue, root(), &ops[0], task_with_a_child, noted);
    assert_int_equal(world_run(&w), 0);
    told(&other, "init:task_with_a_child<loop init:finish_at_once<task_with_a_child "
                 "pre:finish_at_once post:finish_at_once destroy:finish_at_once "
                 "pre:task_with_a_child post:task_with_a_child destroy:task_with_a_child ");
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

/* The document's example: look at the whole resource on the next tick. */
static struct weft_op looks[4];
static uint64_t looked_for[4];
static unsigned looked, looking;
static void look_again(struct weft_op *parent, struct weft_op *op)
{
    struct weft_resource found;
    (void)parent;
    assert_int_equal(weft_resource_by_id(looked_for[op - looks], &found), 0);
    assert_int_equal(found.state, WEFT_OPEN);
    assert_ptr_equal(found.resource, &ops[0]);
    looked++;
}
static void look_on_the_next_tick(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                                  uint64_t parent, void *resource)
{
    struct weft_resource found;
    (void)site, (void)parent, (void)resource;
    assert_int_equal(weft_resource_by_id(id, &found), 0);
    assert_int_equal(found.state, WEFT_INCOMPLETE);
    looked_for[looking] = id;
    weft_tick(weft_root(hook->context), &looks[looking++], look_again);
}

TEST(a_resource_is_incomplete_in_init_and_whole_on_the_next_tick)
{
    struct weft_hook hook = {
        .init = look_on_the_next_tick, .groups = WEFT_USER, .context = &w.loop};
    up();
    memset(looks, 0, sizeof looks);
    looked = looking = 0;
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    weft_run(root(), &ops[0], a, noted);
    world_run(&w);
    assert_int_equal(looked, 1);
    assert_int_equal(looking, 1);
    finish(&ops[0]);
    struct weft_resource found;
    assert_int_equal(weft_resource_by_id(looked_for[0], &found), UV_ENOENT);
    world_down(&w);
}
