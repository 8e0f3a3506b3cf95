/* Queues and cargos as hooks see them.
 * ctest: labels=valgrind needs=hooks */
#include "hook_log.h"
#include <string.h>
#include <weft/cargo.h>
#include <weft/promise.h>
#include <weft/queue.h>

static struct world w;
static struct hook_log log_;
static struct weft_queue queue;

static struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

static void up(void)
{
    world_up_sim(&w, 0);
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&w.loop, &log_.hook), 0);
}

static void down(void)
{
    world_down(&w);
    hook_log_check_over(&log_);
}

TEST(a_queue_is_a_handle_from_its_init_to_its_close)
{
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    told(&log_, "init:queue<loop ");
    const struct hook_log_resource *it = hook_log_find(&log_, "queue");
    assert_ptr_equal(it->resource, &queue);
    assert_int_equal(it->site->group, WEFT_QUEUE | WEFT_HANDLE);
    assert_non_null(strstr(it->site->file, "tests/queue/seen.c"));
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    told(&log_, "init:queue<loop destroy:queue ");
    down();
}

TEST(a_queue_that_could_not_be_made_is_not_seen)
{
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 0), UV_EINVAL);
    told(&log_, "");
    down();
}

static void make_a_queue(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
}

TEST(the_parent_of_a_queue_is_what_ran_when_it_was_made)
{
    up();
    struct weft_op tick = {0};
    weft_tick(root(), &tick, make_a_queue);
    assert_int_equal(world_run(&w), 0);
    told(&log_, "init:tick<loop pre:tick init:queue<tick post:tick destroy:tick ");
    assert_int_equal(weft_queue_close(&queue), 0);
    down();
}

/* ---- events --------------------------------------------------------------------------------- */

static uint64_t heard_in;
static unsigned heard;

static void hear(struct weft_listener *listener, void *about)
{
    (void)listener;
    (void)about;
    heard_in = weft_current_id();
    heard++;
}

TEST(what_listens_to_a_queue_runs_in_a_callback_of_the_queue)
{
    up();
    struct weft_listener listener = {0};
    struct weft_op task = {0};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, hear);
    heard = 0;
    weft_queue_push(&queue, root(), &task, fail_at_once, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(heard, 1);
    assert_int_equal(heard_in, hook_log_find(&log_, "queue")->id);
    assert_int_equal(hook_log_find(&log_, "queue")->pairs, 1); /* nobody hears the other events */
    assert_non_null(strstr(log_.text, "pre:fail_at_once pre:queue post:queue "));
    assert_int_equal(weft_queue_close(&queue), 0);
    down();
}

static void close_it(struct weft_listener *listener, void *about)
{
    (void)listener;
    assert_int_equal(weft_queue_close(about), 0);
    memset(about, 0xdd, sizeof queue);
}

TEST(a_listener_that_closes_its_queue_is_its_last_callback)
{
    up();
    struct weft_listener listener = {0};
    struct weft_op task = {0};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_on(&queue.events, WEFT_QUEUE_EMPTY, &listener, close_it);
    weft_queue_push(&queue, root(), &task, finish_at_once, noted);
    assert_int_equal(world_run(&w), 0);
    assert_non_null(strstr(log_.text, "pre:queue post:queue destroy:queue "));
    down();
}

TEST(a_task_that_is_refused_is_a_request_like_any_other)
{
    up();
    struct weft_op task = {0};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_stop(&queue);
    hook_log_forget(&log_);
    weft_queue_push(&queue, root(), &task, finish_at_once, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.status, WEFT_ESTOPPED);
    told(&log_, "init:finish_at_once<loop pre:finish_at_once post:finish_at_once "
                "destroy:finish_at_once ");
    assert_int_equal(weft_queue_close(&queue), 0);
    down();
}

/* ---- cargo ---------------------------------------------------------------------------------- */

TEST(a_cargo_is_a_handle_below_its_owner)
{
    up();
    struct weft_op owner = {0};
    struct weft_load load = {0};
    struct weft_item item = {0};
    struct weft_cargo cargo;
    weft_run(root(), &owner, NULL, noted);
    hook_log_forget(&log_);
    assert_int_equal(
        weft_cargo_init(&cargo, &owner, weft_slots(&load.op, sizeof load, 1), 2, finish_at_once),
        0);
    told(&log_, "init:cargo<NULL ");
    weft_cargo_push(&cargo, root(), &item, noted);
    w.loop.stuck_to = NULL; /* the owner waits for the test */
    world_run(&w);
    hook_log_forget(&log_);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    told(&log_, "destroy:cargo ");
    weft_finish(&owner, 0);
    down();
}

/* ---- promises ------------------------------------------------------------------------------- */

TEST(the_entry_of_an_await_is_the_users_then)
{
    up();
    struct weft_promise promise = {0};
    struct weft_await await = {0};
    weft_promise(root(), &promise, finish_at_once);
    weft_await(root(), &await, &promise, noted);
    assert_int_equal(world_run(&w), 0);
    assert_true(log_.entry == (weft_entry_fn *)noted);
    const struct hook_log_resource *it = hook_log_find(&log_, "finish_at_once");
    assert_int_equal(it->site->group, WEFT_PROMISE | WEFT_HANDLE);
    assert_int_equal(weft_promise_close(&promise), 0);
    down();
}
