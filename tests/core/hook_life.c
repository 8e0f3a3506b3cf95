/* Hooks: the life of each kind of thing: ops refused, queued, cancelled, deep, used again, freed; deadlines,
 * tickers, timers, posts, promises.
 * ctest: labels=valgrind needs=hooks */
#include "hook_world.h"
#include <stdlib.h>
#include <weft/alloc.h>
#include <weft/post.h>
#include <weft/promise.h>
#include <weft/queue.h>
#include <weft/race.h>
#include <weft/timer.h>

static void up_enabled(void)
{
    up();
    enable(&one);
}

/* ---- ops ------------------------------------------------------------------------------------ */

TEST(an_op_without_a_then_has_one_pair_with_no_entry)
{
    up_enabled();
    one.entry = (weft_entry_fn *)noted;
    weft_run(root(), &ops[0], finish_at_once, NULL);
    world_down(&w);
    told(&one, "init:finish_at_once<loop pre:finish_at_once post:finish_at_once "
               "destroy:finish_at_once ");
    assert_null(one.entry);
}

TEST(a_handle_without_a_then_has_no_pair)
{
    up_enabled();
    weft_run_at(WEFT_HERE("thing", WEFT_USER | WEFT_HANDLE), root(), &ops[0], finish_at_once, NULL);
    weft_run_at(WEFT_HERE("other", WEFT_USER | WEFT_HANDLE), root(), &ops[1], finish_at_once,
                noted);
    world_down(&w);
    told(&one, "init:thing<loop init:other<loop destroy:thing pre:other post:other "
               "destroy:other ");
}

TEST(an_op_that_is_refused_is_told_like_any_other)
{
    up_enabled();
    weft_run(root(), &ops[0], wait_for_cancel, noted);
    weft_run(&ops[0], &ops[1], a, noted);
    weft_on_cancel(&ops[1], weft_finish);
    weft_on_cancel(&ops[0], NULL);
    weft_cancel(&ops[0], UV_ECANCELED);
    weft_tick(&ops[0], &ops[2], noted);
    world_run(&w);
    assert_int_equal(ops[2].status, UV_ECANCELED);
    weft_join(&ops[0]);
    world_down(&w);
    told(&one, "init:wait_for_cancel<loop init:a<wait_for_cancel init:tick<wait_for_cancel pre:a "
               "post:a destroy:a pre:tick post:tick destroy:tick pre:wait_for_cancel "
               "post:wait_for_cancel destroy:wait_for_cancel ");
}

enum { DEEP = 100 };
static struct weft_op deep[DEEP];
static unsigned depth;
static void dive(struct weft_op *op)
{
    if (depth < DEEP)
        weft_run(op, &deep[depth++], dive, NULL);
    weft_join(op);
}

TEST(ops_that_are_begun_from_the_ready_queue_are_told_like_any_other)
{
    up_enabled();
    memset(deep, 0, sizeof deep);
    depth = 0;
    weft_run(root(), &ops[0], dive, noted);
    world_down(&w);
    hook_log_check_over(&one);
    assert_int_equal(one.inits, DEEP + 1);
    assert_int_equal(one.pres, DEEP + 1);
    for (unsigned i = 1; i <= DEEP; i++)
        assert_int_equal(one.resources[i].parent, one.resources[i - 1].id);
}

TEST(the_loop_is_told_as_the_one_who_begins_what_comes_from_the_ready_queue)
{
    up();
    hook_log_of_loop(&one);
    enable(&one);
    memset(deep, 0, sizeof deep);
    depth = 0;
    weft_run(root(), &ops[0], dive, noted);
    world_down(&w);
    hook_log_check_over(&one);
    assert_true(hook_log_find(&one, "loop")->pairs >= DEEP / 32);
    assert_true(hook_log_find(&one, "loop")->over);
}

TEST(an_op_that_waits_for_its_late_begin_may_be_cancelled)
{
    up_enabled();
    memset(deep, 0, sizeof deep);
    depth = 0;
    weft_run(root(), &ops[0], dive, weft_ignore);
    weft_cancel(&ops[0], UV_ECANCELED);
    world_down(&w);
    hook_log_check_over(&one);
    assert_int_equal(one.pres, one.inits);
}

static unsigned again;
static void begin_again(struct weft_op *parent, struct weft_op *op)
{
    if (again++ < 2)
        weft_tick(parent, op, begin_again);
}

TEST(an_op_that_is_begun_again_in_its_own_then_has_a_new_id_inside_the_old_pair)
{
    up_enabled();
    again = 0;
    weft_tick(root(), &ops[0], begin_again);
    world_down(&w);
    told(&one, "init:tick<loop pre:tick init:tick2<loop post:tick destroy:tick pre:tick2 "
               "init:tick3<loop post:tick2 destroy:tick2 pre:tick3 post:tick3 destroy:tick3 ");
    hook_log_check_over(&one);
}

static void free_it(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    memset(op, 0xee, sizeof *op);
    free(op);
}

TEST(an_op_may_be_freed_in_its_then)
{
    up_enabled();
    enable(&other);
    struct weft_op *op = calloc(1, sizeof *op);
    assert_non_null(op);
    weft_tick(root(), op, free_it);
    world_down(&w);
    told(&one, "init:tick<loop pre:tick post:tick destroy:tick ");
    told(&other, one.text);
}

static void free_parent(struct weft_op *parent, struct weft_op *op)
{
    weft_finish(parent, 0);
    free_it(parent, op);
}

TEST(an_op_and_its_parent_may_be_freed_in_their_thens)
{
    up_enabled();
    struct weft_op *parent = calloc(1, sizeof *parent), *op = calloc(1, sizeof *op);
    assert_true(parent != NULL && op != NULL);
    weft_run(root(), parent, a, free_it);
    weft_tick(parent, op, free_parent);
    weft_hook_disable(&one.hook);
    world_down(&w);
    told(&one, "init:a<loop init:tick<a pre:tick post:tick destroy:tick pre:a post:a destroy:a ");
}

static void start_runners(struct weft_op *op)
{
    weft_run(op, &ops[0], wait_for_cancel, weft_race_first);
    weft_run(op, &ops[1], finish_at_once, weft_race_first);
}

TEST(the_losers_of_a_race_have_their_pair_too)
{
    static struct weft_race race;
    up_enabled();
    memset(&race, 0, sizeof race);
    weft_race(root(), &race, start_runners, noted);
    world_down(&w);
    told(&one, "init:race<loop init:wait_for_cancel<race init:finish_at_once<race "
               "pre:finish_at_once post:finish_at_once destroy:finish_at_once "
               "pre:wait_for_cancel post:wait_for_cancel destroy:wait_for_cancel pre:race "
               "post:race destroy:race ");
}

/* ---- queues --------------------------------------------------------------------------------- */

static struct weft_queue queue;
static void queue_up(void)
{
    up();
    one.hook.groups = WEFT_USER;
    enable(&one);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
}
static void queue_down(void)
{
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
    hook_log_check_over(&one);
}

TEST(a_task_is_there_from_its_push_on)
{
    queue_up();
    weft_queue_push(&queue, root(), &ops[0], finish_at_once, noted);
    told(&one, "init:finish_at_once<loop ");
    queue_down();
    told(&one, "init:finish_at_once<loop pre:finish_at_once post:finish_at_once "
               "destroy:finish_at_once ");
}

static bool is_second(const struct weft_op *task, void *context)
{
    (void)context;
    return task == &ops[1];
}

TEST(tasks_that_never_begin_have_their_pair_and_their_end)
{
    queue_up();
    weft_queue_push(&queue, root(), &ops[0], a, weft_ignore);
    world_run(&w);
    weft_queue_push(&queue, root(), &ops[1], b, weft_ignore); /* removed */
    weft_queue_push(&queue, root(), &ops[2], c, weft_ignore); /* cancelled */
    assert_int_equal(weft_queue_remove(&queue, is_second, NULL), 1);
    weft_cancel(&ops[2], UV_EINTR);
    weft_queue_stop(&queue);
    weft_queue_push(&queue, root(), &ops[3], d, weft_ignore); /* refused */
    world_run(&w);
    told(&one, "init:a<loop init:b<loop init:c<loop init:d<loop pre:b post:b destroy:b pre:c "
               "post:c destroy:c pre:d post:d destroy:d ");
    assert_int_equal(ops[1].status, UV_ECANCELED);
    assert_int_equal(ops[2].status, UV_EINTR);
    assert_int_equal(ops[3].status, WEFT_ESTOPPED);
    weft_finish(&ops[0], 0);
    queue_down();
}

TEST(a_task_begins_inside_the_pair_of_the_one_whose_place_it_gets)
{
    queue_up();
    weft_queue_push(&queue, root(), &ops[0], a, noted);
    weft_queue_push(&queue, root(), &ops[1], b, noted);
    world_run(&w);
    weft_run(&ops[0], &ops[2], finish_at_once, weft_pass);
    world_run(&w);
    weft_finish(&ops[1], 0);
    queue_down();
    told(&one, "init:a<loop init:b<loop init:finish_at_once<a pre:finish_at_once "
               "post:finish_at_once destroy:finish_at_once pre:a post:a destroy:a pre:b post:b "
               "destroy:b ");
}

TEST(what_is_pushed_after_disable_under_what_is_captured_is_told)
{
    queue_up();
    weft_run(root(), &ops[0], a, noted);
    weft_hook_disable(&one.hook);
    weft_queue_push(&queue, &ops[0], &ops[1], finish_at_once, weft_pass);
    weft_queue_push(&queue, root(), &ops[2], finish_at_once, noted);
    queue_down();
    told(&one, "init:a<loop init:finish_at_once<a pre:finish_at_once post:finish_at_once "
               "destroy:finish_at_once pre:a post:a destroy:a ");
}

static uint64_t asked;
static void ask_for_its_id(struct weft_listener *listener, void *task)
{
    (void)listener;
    asked = weft_id(task);
}

static void end_badly(struct weft_op *op)
{
    weft_finish(op, UV_EIO);
}

/* A task that fails under `above`, whose id is asked for when it is over but for its then. */
static uint64_t id_of_a_failure(struct weft_op *above)
{
    struct weft_listener listener = {.fn_ = NULL};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, ask_for_its_id);
    asked = 1;
    weft_queue_push(&queue, above, &ops[1], end_badly, weft_ignore);
    world_run(&w);
    assert_int_equal(weft_queue_close(&queue), 0);
    return asked;
}

/* An id that nobody would take away again. */
TEST(a_task_that_has_failed_without_an_id_gets_none)
{
    struct weft_resource found;
    up();
    assert_int_equal(id_of_a_failure(root()), 0); /* nobody looks */
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_hook_cut(&one.hook, &ops[0]);
    assert_int_equal(id_of_a_failure(&ops[0]), 0); /* delivered the long way, and not seen */
    assert_int_not_equal(id_of_a_failure(root()), 0);
    assert_int_equal(weft_resource_by_id(asked, &found), UV_ENOENT);
    finish(&ops[0]);
    world_down(&w);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

TEST(a_deadline_that_is_not_needed_is_told_no_callback)
{
    struct weft_deadline deadline = {.op_ = {0}};
    up_enabled();
    weft_run(root(), &ops[0], a, noted);
    weft_deadline(&ops[0], &deadline, 10);
    weft_finish(&ops[0], 0);
    told(&one, "init:a<loop init:deadline<a destroy:deadline ");
    world_down(&w);
    told(&one, "init:a<loop init:deadline<a destroy:deadline pre:a post:a destroy:a ");
}

TEST(a_deadline_that_is_cleared_or_moved_ends)
{
    struct weft_deadline deadline = {.op_ = {0}};
    up_enabled();
    weft_run(root(), &ops[0], a, noted);
    weft_deadline(&ops[0], &deadline, 10);
    weft_deadline(&ops[0], &deadline, 20);
    weft_deadline_clear(&deadline);
    weft_deadline_clear(&deadline);
    told(&one, "init:a<loop init:deadline<a destroy:deadline init:deadline2<a destroy:deadline2 ");
    weft_finish(&ops[0], 0);
    world_down(&w);
}

TEST(a_deadline_that_passes_has_a_callback_in_which_it_ends)
{
    struct weft_deadline deadline = {.op_ = {0}};
    up_enabled();
    weft_run(root(), &ops[0], wait_for_cancel, noted);
    weft_deadline(&ops[0], &deadline, 10);
    world_down(&w);
    told(&one, "init:wait_for_cancel<loop init:deadline<wait_for_cancel pre:deadline post:deadline "
               "destroy:deadline pre:wait_for_cancel post:wait_for_cancel "
               "destroy:wait_for_cancel ");
    assert_int_equal(ops[0].status, UV_ETIMEDOUT);
}

static struct weft_deadline *freed;
static void free_deadline_and_end(struct weft_op *op, int reason)
{
    free(freed);
    assert_ptr_equal(weft_current(), op);
    weft_hook_cut(&one.hook, op); /* goes through all that runs */
    weft_on_cancel(op, NULL);
    weft_finish(op, reason);
}
static void wait_and_free_the_deadline(struct weft_op *op)
{
    weft_on_cancel(op, free_deadline_and_end);
}

TEST(what_a_deadline_cancels_is_current_and_the_deadline_may_be_freed)
{
    up_enabled();
    freed = calloc(1, sizeof *freed);
    weft_run(root(), &ops[0], wait_and_free_the_deadline, weft_ignore);
    weft_deadline(&ops[0], freed, 10);
    world_down(&w);
    assert_int_equal(ops[0].status, UV_ETIMEDOUT);
    told(&one, "init:wait_and_free_the_deadline<loop init:deadline<wait_and_free_the_deadline "
               "pre:deadline ");
}

TEST(a_deadline_below_an_older_op_may_be_seen_without_it)
{
    struct weft_deadline deadline = {.op_ = {0}};
    up();
    weft_run(root(), &ops[0], wait_for_cancel, noted);
    enable(&one);
    weft_deadline(&ops[0], &deadline, 10);
    weft_hook_disable(&one.hook);
    world_down(&w);
    told(&one, "init:deadline<wait_for_cancel pre:deadline post:deadline destroy:deadline ");
}

/* ---- tickers -------------------------------------------------------------------------------- */

static struct weft_ticker ticker;
static void third_time_ends(struct weft_op *op)
{
    if (ticker.ticks == 3)
        weft_end(op, 0);
}

TEST(a_ticker_has_a_pair_for_each_tick_and_one_for_its_end)
{
    up_enabled();
    memset(&ticker, 0, sizeof ticker);
    weft_ticker(root(), &ticker, 5, third_time_ends, noted);
    weft_hook_disable(&one.hook);
    world_down(&w);
    told(&one, "init:ticker<loop pre:ticker post:ticker pre:ticker post:ticker pre:ticker "
               "post:ticker pre:ticker post:ticker destroy:ticker ");
}

static void tick_begins(struct weft_op *op)
{
    assert_ptr_equal(weft_current(), op);
    weft_tick(op, &ops[ticker.ticks], NULL);
    if (ticker.ticks == 2)
        weft_join(op);
}

TEST(what_a_tick_begins_is_told_inside_its_pair)
{
    up_enabled();
    memset(&ticker, 0, sizeof ticker);
    weft_ticker(root(), &ticker, 5, tick_begins, noted);
    world_down(&w);
    told(&one, "init:ticker<loop pre:ticker init:tick<ticker post:ticker pre:tick post:tick "
               "destroy:tick pre:ticker init:tick2<ticker post:ticker pre:tick2 post:tick2 "
               "destroy:tick2 pre:ticker post:ticker destroy:ticker ");
}

/* ---- timers --------------------------------------------------------------------------------- */

static unsigned fired;
static void fire(struct weft_timer *timer)
{
    (void)timer;
    fired++;
}

TEST(a_timer_that_fires_has_one_pair)
{
    struct weft_timer timer = {0};
    up_enabled();
    weft_timer_start(&w.loop, &timer, 5, fire);
    told(&one, "init:timer<loop ");
    world_down(&w);
    told(&one, "init:timer<loop pre:timer post:timer destroy:timer ");
    assert_true(one.entry == (weft_entry_fn *)fire);
}

TEST(a_timer_that_is_stopped_is_told_no_callback)
{
    struct weft_timer timer = {0};
    up_enabled();
    weft_timer_start(&w.loop, &timer, 5, fire);
    weft_timer_stop(&w.loop, &timer);
    weft_timer_stop(&w.loop, &timer);
    world_down(&w);
    told(&one, "init:timer<loop destroy:timer ");
}

TEST(a_timer_that_is_started_again_is_another_resource)
{
    struct weft_timer timer = {0};
    up_enabled();
    weft_timer_start(&w.loop, &timer, 5, fire);
    weft_timer_start(&w.loop, &timer, 9, fire);
    world_down(&w);
    told(&one, "init:timer<loop destroy:timer init:timer2<loop pre:timer2 post:timer2 "
               "destroy:timer2 ");
}

static void fire_twice(struct weft_timer *timer)
{
    if (fired++ == 0)
        weft_timer_start(&w.loop, timer, 1, fire_twice);
    else
        weft_timer_stop(&w.loop, timer);
}

TEST(a_timer_that_is_started_again_while_it_fires_is_another_resource)
{
    struct weft_timer timer = {0};
    up_enabled();
    fired = 0;
    weft_timer_start(&w.loop, &timer, 5, fire_twice);
    world_down(&w);
    assert_int_equal(one.inits, 2);
    assert_int_equal(one.pres, 2);
    hook_log_check_over(&one);
    assert_string_equal(one.resources[1].name, "timer2");
}

static void fire_and_free(struct weft_timer *timer)
{
    memset(timer, 0xee, sizeof *timer);
    free(timer);
}

TEST(a_timer_may_be_freed_while_it_fires)
{
    up_enabled();
    struct weft_timer *timer = calloc(1, sizeof *timer);
    assert_non_null(timer);
    weft_timer_start(&w.loop, timer, 5, fire_and_free);
    world_down(&w);
    told(&one, "init:timer<loop pre:timer post:timer destroy:timer ");
}

static struct weft_timer outliving;
static void start_outliving(struct weft_op *op)
{
    weft_timer_start(weft_loop_of(op), &outliving, 5, fire);
    weft_finish(op, 0);
}
static void free_and_stop(struct weft_op *parent, struct weft_op *op)
{
    free_it(parent, op);
    weft_timer_stop(weft_loop_of(parent), &outliving);
}

TEST(a_timer_may_outlive_the_storage_of_the_op_that_started_it)
{
    up_enabled();
    struct weft_op *op = calloc(1, sizeof *op);
    assert_non_null(op);
    weft_run(root(), op, start_outliving, free_and_stop);
    world_down(&w);
    told(&one, "init:start_outliving<loop init:timer<start_outliving pre:start_outliving "
               "destroy:timer post:start_outliving destroy:start_outliving ");
}

static void free_and_cut(struct weft_op *parent, struct weft_op *op)
{
    free_it(parent, op);
    weft_hook_cut(&one.hook, &ops[0]);
}

TEST(a_branch_may_be_cut_when_the_op_that_started_a_timer_is_freed)
{
    up_enabled();
    struct weft_op *op = calloc(1, sizeof *op);
    assert_non_null(op);
    weft_run(root(), &ops[0], a, noted);
    weft_run(root(), op, start_outliving, free_and_cut);
    world_run(&w);
    finish(&ops[0]);
    world_down(&w);
    told(&one, "init:a<loop init:start_outliving<loop init:timer<start_outliving "
               "pre:start_outliving post:start_outliving destroy:start_outliving pre:timer "
               "post:timer destroy:timer ");
}

TEST(a_timer_of_before_is_not_told_until_it_is_started_again)
{
    struct weft_timer timer = {0};
    up();
    weft_timer_start(&w.loop, &timer, 5, fire);
    enable(&one);
    world_run(&w);
    told(&one, "");
    weft_timer_start(&w.loop, &timer, 5, fire);
    weft_hook_remove(&one.hook);
    weft_timer_start(&w.loop, &timer, 5, fire);
    world_down(&w);
    told(&one, "init:timer<loop ");
}

TEST(a_sleep_and_its_timer_are_one_resource)
{
    struct weft_sleep sleep = {.ms = 0};
    up_enabled();
    weft_sleep(root(), &sleep, 5, noted);
    world_down(&w);
    told(&one, "init:sleep<loop pre:sleep post:sleep destroy:sleep ");
}

/* ---- posts ---------------------------------------------------------------------------------- */

static struct weft_post post;
static unsigned arrived;
static void arrive(struct weft_post *it)
{
    if (arrived++ == 0) {
        weft_post_init(&w.loop, it, arrive);
        weft_post(it);
    }
}

TEST(a_post_is_there_from_its_init_to_its_callback)
{
    up_enabled();
    arrived = 0;
    weft_post_init(&w.loop, &post, arrive);
    told(&one, "init:post<loop ");
    weft_post(&post);
    world_down(&w);
    assert_int_equal(arrived, 2);
    assert_int_equal(one.pres, 2);
    hook_log_check_over(&one);
    assert_true(one.entry == (weft_entry_fn *)arrive);
}

static int close_status;
static void close_loop(struct weft_post *it)
{
    (void)it;
    close_status = weft_loop_close(&w.loop);
}

TEST(a_loop_is_busy_in_a_callback_of_its_own)
{
    for (int hooked = 0; hooked <= 1; hooked++) {
        up_real();
        if (hooked)
            enable(&one);
        weft_post_init(&w.loop, &post, close_loop);
        weft_post(&post);
        assert_int_equal(world_run(&w), 0);
        assert_int_equal(close_status, UV_EBUSY);
        world_down(&w);
    }
}

/* ---- promises ------------------------------------------------------------------------------- */

TEST(promises_and_those_who_await_them_are_seen)
{
    static struct weft_promise promise;
    static struct weft_await first, second;
    up_enabled();
    memset(&promise, 0, sizeof promise);
    weft_promise(root(), &promise, a);
    weft_await(root(), &first, &promise, noted);
    weft_await(root(), &second, &promise, noted);
    weft_promise_settle(&promise, 0);
    world_run(&w);
    assert_int_equal(weft_promise_close(&promise), 0);
    assert_int_equal(one.inits, 3);
    hook_log_check_over(&one);
    assert_int_equal(hook_log_find(&one, "a")->site->group & WEFT_PROMISE, WEFT_PROMISE);
    assert_int_equal(hook_log_find(&one, "await")->pairs, 1);
    assert_int_equal(hook_log_find(&one, "await2")->pairs, 1);
    world_down(&w);
}

TEST(who_awaits_and_is_cancelled_ends_and_so_does_the_promise)
{
    static struct weft_promise promise;
    static struct weft_await await;
    up_enabled();
    memset(&promise, 0, sizeof promise);
    weft_promise(root(), &promise, wait_for_cancel);
    weft_await(root(), &await, &promise, noted);
    weft_cancel(&await.op, UV_EINTR);
    world_run(&w);
    assert_int_equal(weft_promise_close(&promise), 0);
    assert_int_equal(one.inits, 2);
    assert_int_equal(one.pres, 2);
    hook_log_check_over(&one);
    world_down(&w);
}

/* ---- immediates ----------------------------------------------------------------------------- */

TEST(immediates_are_seen)
{
    up_enabled();
    weft_immediate(root(), &ops[0], noted);
    world_down(&w);
    told(&one, "init:immediate<loop pre:immediate post:immediate destroy:immediate ");
}
