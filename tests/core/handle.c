/* Handles that are no ops: what an embedder makes visible with weft_handle_open, and the frames around
 * the calls it makes.
 * ctest: labels=valgrind needs=hooks */
#include "fault.h"
#include "hook_world.h"
#include <stdlib.h>
#include <weft/cargo.h>
#include <weft/context.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct thing {
    struct weft_handle handle;
    int value;
};
static struct thing things[4];

static void handles_up(void)
{
    up();
    memset(things, 0, sizeof things);
    enable(&one);
}

static void open_thing(struct thing *thing, struct weft_op *branch, uint64_t parent)
{
    weft_handle_open(branch, &thing->handle, parent, "thing", WEFT_CACHE, thing);
}

static void callback(struct thing *thing, void (*body)(struct thing *thing))
{
    struct weft_frame frame;
    weft_handle_enter(&frame, &thing->handle, (weft_entry_fn *)body);
    body(thing);
    weft_leave(&frame);
}

static void nothing(struct thing *thing)
{
    thing->value++;
}

TEST(a_handle_is_told_from_open_to_close_with_any_number_of_callbacks)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], nothing);
    callback(&things[0], nothing);
    assert_true(one.entry == (weft_entry_fn *)nothing);
    weft_handle_close(&things[0].handle);
    weft_handle_close(&things[0].handle);
    told(&one, "init:thing<loop pre:thing post:thing pre:thing post:thing destroy:thing ");
    assert_ptr_equal(hook_log_find(&one, "thing")->resource, &things[0]);
    world_down(&w);
}

TEST(a_handle_that_is_opened_and_closed_has_no_callback)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    weft_handle_close(&things[0].handle);
    told(&one, "init:thing<loop destroy:thing ");
    world_down(&w);
}

TEST(a_handle_that_was_never_opened_may_be_closed)
{
    handles_up();
    weft_handle_close(&things[0].handle);
    world_down(&w);
    told(&one, "");
}

TEST(a_handle_that_is_opened_while_nobody_looks_costs_nothing_and_is_not_seen)
{
    up();
    memset(things, 0, sizeof things);
    open_thing(&things[0], root(), 0);
    enable(&one);
    callback(&things[0], nothing);
    weft_handle_close(&things[0].handle);
    world_down(&w);
    told(&one, "");
    assert_int_equal(things[0].value, 1);
}

/* A server, its client, and the client's callback: the client is current, its parent the server. */
static uint64_t server_id;
static void look_at_client(struct thing *client)
{
    (void)client;
    assert_int_equal(weft_current_id(), hook_log_find(&one, "thing2")->id);
    assert_int_equal(weft_trigger_id(), server_id);
    assert_ptr_equal(weft_current(), &ops[0]);
}

TEST(the_parent_of_a_handle_is_its_originator)
{
    handles_up();
    weft_run(root(), &ops[0], a, noted);
    open_thing(&things[0], root(), 0);
    server_id = hook_log_find(&one, "thing")->id;
    open_thing(&things[1], &ops[0], server_id);
    callback(&things[1], look_at_client);
    weft_handle_close(&things[1].handle);
    weft_handle_close(&things[0].handle);
    finish(&ops[0]);
    told(&one, "init:a<loop init:thing<loop init:thing2<thing pre:thing2 post:thing2 "
               "destroy:thing2 destroy:thing pre:a post:a destroy:a ");
    world_down(&w);
}

TEST(a_handle_may_be_closed_after_its_loop)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    world_down(&w);
    weft_handle_close(&things[0].handle);
    assert_false(weft_handle_seen(&things[0].handle));
    told(&one, "init:thing<loop ");
}

static void release_thing(void *thing)
{
    weft_handle_close(&((struct thing *)thing)->handle);
}
static struct weft_key thing_key = {.name = "thing", .release = release_thing};

TEST(a_handle_may_be_closed_by_the_release_of_what_its_loop_held)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    assert_int_equal(weft_context_set(root(), &thing_key, &things[0]), 0);
    world_down(&w);
    assert_false(weft_handle_seen(&things[0].handle));
}

static void close_it(struct thing *thing)
{
    weft_handle_close(&thing->handle);
}

TEST(a_handle_that_is_closed_in_its_own_callback_ends_after_it)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], close_it);
    told(&one, "init:thing<loop pre:thing post:thing destroy:thing ");
    world_down(&w);
}

static void reopen(struct thing *thing)
{
    weft_handle_close(&thing->handle);
    open_thing(thing, root(), 0);
}

/* The pooled parser: it goes back into the pool and comes out again, as another. */
TEST(a_pooled_thing_has_a_new_id_each_time_it_comes_out)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], reopen);
    told(&one, "init:thing<loop pre:thing init:thing2<loop post:thing destroy:thing ");
    callback(&things[0], close_it);
    told(&one, "init:thing<loop pre:thing init:thing2<loop post:thing destroy:thing pre:thing2 "
               "post:thing2 destroy:thing2 ");
    world_down(&w);
}

static void free_thing(struct thing *thing)
{
    weft_handle_close(&thing->handle);
    free(thing);
}

TEST(a_handle_may_be_freed_in_its_own_callback)
{
    handles_up();
    struct thing *thing = calloc(1, sizeof *thing);
    assert_non_null(thing);
    open_thing(thing, root(), 0);
    callback(thing, free_thing);
    told(&one, "init:thing<loop pre:thing post:thing destroy:thing ");
    world_down(&w);
}

static void inner_callback(struct thing *thing)
{
    callback(thing + 1, nothing);
    callback(thing, nothing); /* itself again */
}

TEST(callbacks_of_handles_nest)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    open_thing(&things[1], root(), 0);
    callback(&things[0], inner_callback);
    told(&one, "init:thing<loop init:thing2<loop pre:thing pre:thing2 post:thing2 pre:thing "
               "post:thing post:thing ");
    weft_handle_close(&things[0].handle);
    weft_handle_close(&things[1].handle);
    world_down(&w);
}

static void close_and_go_on(struct thing *thing)
{
    callback(thing, close_it);
    hook_log_forget(&one);
}

TEST(a_handle_that_is_closed_in_an_inner_callback_of_it_ends_after_the_outer_one)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], close_and_go_on);
    told(&one, "post:thing destroy:thing ");
    world_down(&w);
}

/* ---- branches ------------------------------------------------------------------------------- */

TEST(a_handle_belongs_to_the_branch_of_its_op)
{
    handles_up();
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    open_thing(&things[0], &ops[0], 0);
    open_thing(&things[1], root(), 0);
    callback(&things[0], nothing);
    callback(&things[1], nothing);
    weft_handle_close(&things[0].handle);
    weft_handle_close(&things[1].handle);
    told(&one, "init:a<loop init:thing<a pre:thing post:thing destroy:thing ");
    finish(&ops[0]);
    world_down(&w);
}

TEST(a_handle_is_cut_with_its_branch)
{
    handles_up();
    weft_run(root(), &ops[0], a, noted);
    open_thing(&things[0], &ops[0], 0);
    open_thing(&things[1], root(), 0);
    weft_hook_cut(&one.hook, &ops[0]);
    callback(&things[0], nothing);
    callback(&things[1], nothing);
    open_thing(&things[2], &ops[0], 0);
    weft_handle_close(&things[0].handle);
    weft_handle_close(&things[1].handle);
    weft_handle_close(&things[2].handle);
    finish(&ops[0]);
    told(&one, "init:a<loop init:thing<a init:thing2<loop pre:thing2 post:thing2 "
               "destroy:thing2 ");
    world_down(&w);
}

static void cut_it(struct thing *thing)
{
    (void)thing;
    weft_hook_cut(&one.hook, &ops[0]);
}

TEST(a_handle_whose_branch_is_cut_in_its_callback_is_told_no_post)
{
    handles_up();
    weft_run(root(), &ops[0], a, noted);
    open_thing(&things[0], &ops[0], 0);
    callback(&things[0], cut_it);
    weft_handle_close(&things[0].handle);
    told(&one, "init:a<loop init:thing<a pre:thing ");
    finish(&ops[0]);
    world_down(&w);
}

static void begin_below(struct thing *thing)
{
    (void)thing;
    weft_tick(weft_current(), &ops[1], noted);
}

TEST(what_a_callback_begins_under_the_branch_is_captured)
{
    handles_up();
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    open_thing(&things[0], &ops[0], 0);
    callback(&things[0], begin_below);
    world_run(&w);
    weft_handle_close(&things[0].handle);
    finish(&ops[0]);
    told(&one, "init:a<loop init:thing<a pre:thing init:tick<a post:thing pre:tick post:tick "
               "destroy:tick destroy:thing pre:a post:a destroy:a ");
    world_down(&w);
}

TEST(a_handle_survives_its_hook_and_is_not_told_to_the_next)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    weft_hook_remove(&one.hook);
    enable(&other);
    callback(&things[0], nothing);
    weft_handle_close(&things[0].handle);
    world_down(&w);
    told(&one, "init:thing<loop ");
    told(&other, "");
}

static void remove_hook(struct thing *thing)
{
    (void)thing;
    weft_hook_remove(&one.hook);
    enable(&other);
}

TEST(a_hook_may_be_removed_in_the_callback_of_a_handle)
{
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], remove_hook);
    callback(&things[0], close_it);
    told(&one, "init:thing<loop pre:thing ");
    told(&other, "");
    world_down(&w);
}

static void overwrite_and_remove(struct thing *thing)
{
    weft_handle_close(&thing->handle);
    memset(thing, 0xff, sizeof *thing);
    weft_hook_remove(&one.hook);
}

TEST(a_hook_may_be_removed_when_the_handle_whose_callback_runs_is_gone)
{
    struct thing left;
    handles_up();
    open_thing(&things[0], root(), 0);
    callback(&things[0], overwrite_and_remove);
    memset(&left, 0xff, sizeof left);
    assert_memory_equal(&things[0], &left, sizeof left); /* nobody has written into it */
    told(&one, "init:thing<loop pre:thing ");
    world_down(&w);
}

TEST(a_handle_is_found_by_its_id_while_it_is_open)
{
    struct weft_resource found;
    handles_up();
    open_thing(&things[0], root(), 0);
    uint64_t id = hook_log_find(&one, "thing")->id;
    assert_int_equal(weft_resource_by_id(id, &found), 0);
    assert_int_equal(found.state, WEFT_OPEN);
    assert_ptr_equal(found.resource, &things[0]);
    assert_int_equal(found.site->group, WEFT_CACHE | WEFT_HANDLE);
    weft_handle_close(&things[0].handle);
    assert_int_equal(weft_resource_by_id(id, &found), UV_ENOENT);
    world_down(&w);
}

/* ---- an embedder's op ----------------------------------------------------------------------- */

/* A foreign library that calls back from libuv, at no moment of the loop's own. */
static uv_timer_t foreign;
static struct weft_op foreign_op;
static unsigned foreign_calls;
static void user_function(struct weft_op *op)
{
    foreign_calls++;
    assert_ptr_equal(weft_current(), op);
    if (foreign_calls == 1)
        scope(&other); /* ends with this call */
    weft_run(root(), &ops[foreign_calls], finish_at_once, noted);
}
static void foreign_fired(uv_timer_t *timer)
{
    struct weft_frame frame;
    weft_enter(&frame, &foreign_op, (weft_entry_fn *)user_function);
    user_function(&foreign_op);
    weft_leave(&frame);
    assert_null(weft_current());
    weft_run(root(), &ops[4 + foreign_calls], finish_at_once, noted);
    if (foreign_calls == 2) {
        uv_close((uv_handle_t *)timer, NULL);
        weft_finish(&foreign_op, 0);
    }
}

TEST(an_op_of_an_embedders_is_seen_when_it_calls_back)
{
    world_up_in_order(&w);
    fresh();
    foreign_calls = 0;
    memset(&foreign_op, 0, sizeof foreign_op);
    enable(&one);
    one.hook.groups = WEFT_NET;
    other.hook.groups = WEFT_USER;
    weft_run_at(WEFT_HERE("foreign", WEFT_NET | WEFT_HANDLE), root(), &foreign_op, NULL, noted);
    uv_timer_init(&w.uv, &foreign);
    uv_timer_start(&foreign, foreign_fired, 1, 1);
    world_down(&w);
    told(&one, "init:foreign<loop pre:foreign post:foreign pre:foreign post:foreign pre:foreign "
               "post:foreign destroy:foreign ");
    told(&other, "init:finish_at_once<loop pre:finish_at_once post:finish_at_once "
                 "destroy:finish_at_once ");
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void forget_to_leave(void)
{
    struct weft_frame frame;
    handles_up();
    open_thing(&things[0], root(), 0);
    weft_handle_enter(&frame, &things[0].handle, (weft_entry_fn *)nothing);
    weft_tick(root(), &ops[0], noted);
    world_run(&w);
}

static void leave_in_the_wrong_order(void)
{
    struct weft_frame outer, inner;
    handles_up();
    open_thing(&things[0], root(), 0);
    weft_handle_enter(&outer, &things[0].handle, (weft_entry_fn *)nothing);
    weft_enter(&inner, root(), (weft_entry_fn *)nothing);
    weft_leave(&outer);
}

static void enter_what_is_not_open(void)
{
    handles_up();
    callback(&things[1], nothing);
}

TEST(a_callback_that_is_not_left_or_left_in_the_wrong_order_breaks_a_rule)
{
    dies(forget_to_leave, "rule 2", "entered and never left");
    dies(leave_in_the_wrong_order, "rule 2", "entered last");
    dies(enter_what_is_not_open, "rule 1", "never opened");
}

/* ---- after the loop ------------------------------------------------------------------------- */

static struct weft_queue queue;

static void enable_and_make_a_queue(struct weft_op *op)
{
    weft_hook_enable(weft_loop_of(op), &one.hook);
    weft_queue_init(&queue, weft_loop_of(op), 1);
    weft_queue_push(&queue, op, &ops[0], weft_tick_begin, NULL);
    weft_join(op);
}

TEST(a_queue_that_was_seen_may_be_closed_when_its_loop_is_gone)
{
    struct weft_op app = {0};
    hook_log_init(&one);
    memset(ops, 0, sizeof ops);
    assert_int_equal(weft_go(&app, enable_and_make_a_queue), 0);
    assert_true(hook_log_find(&one, "queue")->over);
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
}

/* Queues and cargos need not be closed: then the loop's end is theirs. */
TEST(a_queue_that_was_cut_with_the_root_is_not_told_at_the_loops_end)
{
    handles_up();
    weft_queue_init(&queue, &w.loop, 1);
    weft_hook_cut(&one.hook, root());
    world_down(&w);
    told(&one, "init:queue<loop ");
}

static void carry(struct weft_op *op)
{
    weft_finish(op, 0);
}

TEST(a_cargo_that_was_cut_with_its_owner_is_not_told_at_the_loops_end)
{
    static struct weft_cargo cargos[2];
    static struct weft_load loads[2];
    handles_up();
    for (int i = 0; i < 2; i++) {
        weft_run(root(), &ops[i], a, noted);
        struct weft_slots slots = weft_slots(&loads[i].op, sizeof loads[i], 1);
        assert_int_equal(weft_cargo_init(&cargos[i], &ops[i], slots, 1, carry), 0);
    }
    weft_queue_init(&queue, &w.loop, 1);
    weft_hook_cut(&one.hook, &ops[0]);
    finish(&ops[0]);
    finish(&ops[1]);
    hook_log_forget(&one);
    world_down(&w);
    assert_null(strstr(one.text, "destroy:cargo "));
    assert_non_null(strstr(one.text, "destroy:cargo2 "));
    assert_non_null(strstr(one.text, "destroy:queue "));
}

/* ---- no memory ------------------------------------------------------------------------------ */

static void open_use_close(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct thing thing = {.value = 0};
    (void)n;
    hook_log_init(&one);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        assert_int_equal(weft_hook_enable(&loop, &one.hook), 0);
        weft_handle_open(&loop.root, &thing.handle, 0, "thing", WEFT_CACHE, &thing);
        callback(&thing, nothing);
        weft_handle_close(&thing.handle);
        assert_int_equal(weft_loop_close(&loop), 0);
        assert_true(one.pres == one.inits && one.posts == one.inits && one.destroys == one.inits);
        assert_true(weft_fault_hit() || one.inits == 1);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(without_memory_a_handle_works_and_is_not_seen)
{
    fault_ladder(open_use_close);
}
