/* Context by itself: who sees what was set where, and when it is released.
 * ctest: labels=valgrind-long */
#include "fault.h"
#include "loop.h"
#include <string.h>
#include <weft/alloc.h>
#include <weft/context.h>
#include <weft/hook.h>
#include <weft/queue.h>
#include <weft/timer.h>

static struct world w;
static struct weft_op parent, child, other;

/* A value that counts its releases. */
struct value {
    unsigned released;
};
static struct value one, two, three;

static void count_release(void *value)
{
    ((struct value *)value)->released++;
}

static struct weft_key key = {.name = "key", .release = count_release};
static struct weft_key second_key = {.name = "second key", .release = count_release};
static struct weft_key plain_key = {.name = "plain key"};

static void up(void)
{
    world_up(&w);
    w.loop.stuck_to = NULL; /* these tests run a loop whose ops wait for them */
    one = two = three = (struct value){0};
    memset(&parent, 0, sizeof parent);
    memset(&child, 0, sizeof child);
    memset(&other, 0, sizeof other);
}

/* An op that runs until it is told to finish. */
static void open_op(struct weft_op *above, struct weft_op *op)
{
    weft_run(above, op, NULL, noted);
}

static void open_under_root(struct weft_op *op)
{
    open_op(weft_root(&w.loop), op);
}

static void close_op(struct weft_op *op)
{
    weft_finish(op, 0);
    weft_loop_run(&w.loop);
}

static void set(struct weft_op *op, struct value *value)
{
    assert_int_equal(weft_context_set(op, &key, value), 0);
}

#define assert_has(op, value) assert_ptr_equal(weft_context_get(op, &key), value)

/* ---- who sees what -------------------------------------------------------------------------- */

TEST(what_was_never_set_is_nothing)
{
    static struct weft_key never = {.name = "never"};
    up();
    assert_null(weft_context_get(NULL, &never));
    assert_null(weft_context_get(weft_root(&w.loop), &never));
    open_under_root(&parent);
    set(&parent, &one);
    assert_null(weft_context_get(&parent, &never));
    assert_null(weft_context_get(NULL, &key));
    weft_finish(&parent, 0);
    world_down(&w);
}

TEST(a_value_is_there_for_its_op_and_for_what_is_begun_under_it)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    open_op(&parent, &child);
    open_op(&child, &other);
    assert_has(&parent, &one);
    assert_has(&child, &one);
    assert_has(&other, &one);
    assert_has(weft_root(&w.loop), NULL);
    close_op(&other);
    close_op(&child);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
}

TEST(children_that_run_already_keep_what_they_have)
{
    up();
    open_under_root(&parent);
    open_op(&parent, &child);
    set(&parent, &one);
    assert_has(&child, NULL);
    open_op(&parent, &other);
    set(&parent, &two);
    assert_has(&child, NULL);
    assert_has(&other, &one);
    assert_has(&parent, &two);
    assert_int_equal(one.released, 0);
    close_op(&other);
    assert_int_equal(one.released, 1);
    close_op(&child);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(two.released, 1);
}

TEST(a_child_that_sets_a_value_changes_it_for_itself_and_its_own)
{
    struct weft_op grandchild = {0};
    up();
    open_under_root(&parent);
    set(&parent, &one);
    open_op(&parent, &child);
    open_op(&parent, &other);
    set(&child, &two);
    open_op(&child, &grandchild);
    assert_has(&parent, &one);
    assert_has(&other, &one);
    assert_has(&child, &two);
    assert_has(&grandchild, &two);
    weft_finish(&grandchild, 0);
    close_op(&other);
    close_op(&child);
    assert_int_equal(two.released, 1);
    assert_int_equal(one.released, 0);
    assert_has(&parent, &one);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
}

TEST(setting_what_is_there_already_changes_nothing)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    set(&parent, &one);
    open_op(&parent, &child);
    set(&child, &one); /* inherited is there, too */
    assert_int_equal(one.released, 0);
    close_op(&child);
    assert_int_equal(one.released, 0);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
}

TEST(null_takes_a_value_away_from_here_on)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    open_op(&parent, &child);
    set(&parent, NULL);
    open_op(&parent, &other);
    assert_has(&parent, NULL);
    assert_has(&child, &one);
    assert_has(&other, NULL);
    close_op(&child);
    assert_int_equal(one.released, 1);
    set(&other, NULL); /* what is not there can be taken away too */
    close_op(&other);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
}

TEST(keys_do_not_meet)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    assert_int_equal(weft_context_set(&parent, &plain_key, &three), 0);
    open_op(&parent, &child);
    assert_int_equal(weft_context_set(&child, &second_key, &two), 0);
    assert_has(&child, &one);
    assert_ptr_equal(weft_context_get(&child, &second_key), &two);
    assert_ptr_equal(weft_context_get(&child, &plain_key), &three);
    assert_null(weft_context_get(&parent, &second_key));
    assert_int_equal(weft_context_set(&child, &plain_key, NULL), 0);
    assert_has(&child, &one);
    assert_ptr_equal(weft_context_get(&parent, &plain_key), &three);
    close_op(&child);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
    assert_int_equal(three.released, 0); /* there is nothing to release */
}

TEST(what_makes_no_sense_is_refused_and_the_value_stays_yours)
{
    up();
    assert_int_equal(weft_context_set(NULL, &key, &one), UV_EINVAL);
    assert_int_equal(weft_context_set(weft_root(&w.loop), NULL, &one), UV_EINVAL);
    assert_int_equal(weft_context_set(&parent, &key, &one), UV_EINVAL); /* it does not run */
    world_down(&w);
    assert_int_equal(one.released, 0);
}

/* ---- the op that code runs for -------------------------------------------------------------- */

static void inner_begin(struct weft_op *op)
{
    assert_ptr_equal(weft_current(), op);
    assert_has(weft_current(), &two);
    weft_finish(op, 0);
}

static void inner_over(struct weft_op *above, struct weft_op *op)
{
    (void)op;
    assert_ptr_equal(weft_current(), above);
    assert_has(weft_current(), &two);
    weft_finish(above, 0);
}

static void outer_begin(struct weft_op *op)
{
    assert_has(weft_current(), &one);
    set(op, &two);
    assert_has(weft_current(), &two);
    weft_run(op, &child, inner_begin, inner_over);
    assert_ptr_equal(weft_current(), op); /* again */
}

static void begin_outer(struct weft_op *root, struct weft_op *tick)
{
    (void)tick;
    assert_ptr_equal(weft_current(), root);
    weft_run(root, &parent, outer_begin, noted);
}

TEST(the_current_op_leads_to_the_context_where_no_op_is_at_hand)
{
    needs_hooks();
    up();
    assert_null(weft_current());
    assert_has(weft_current(), NULL);
    set(weft_root(&w.loop), &one);
    weft_tick(weft_root(&w.loop), &other, begin_outer);
    assert_int_equal(world_run(&w), 0);
    assert_null(weft_current());
    assert_int_equal(two.released, 1);
    weft_run(weft_root(&w.loop), &parent, outer_begin, noted); /* from outside of the loop */
    assert_null(weft_current());
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 2);
}

#ifdef WEFT_NO_HOOKS
static void nobody_is_current(struct weft_op *above, struct weft_op *op)
{
    (void)above, (void)op;
    assert_null(weft_current());
}

TEST(without_hooks_nobody_is_current)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    weft_run(&parent, &child, finish_at_once, nobody_is_current);
    weft_tick(weft_root(&w.loop), &other, nobody_is_current);
    weft_loop_run(&w.loop);
    close_op(&parent);
    world_down(&w);
}
#endif

/* ---- released once, with the last holder ---------------------------------------------------- */

TEST(the_root_has_a_value_until_the_loop_is_closed)
{
    up();
    set(weft_root(&w.loop), &one);
    open_under_root(&parent);
    assert_has(&parent, &one);
    close_op(&parent);
    assert_int_equal(one.released, 0);
    set(weft_root(&w.loop), &two);
    assert_int_equal(one.released, 1);
    world_down(&w);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
}

TEST(another_value_releases_the_one_before_at_once_if_nobody_else_has_it)
{
    up();
    open_under_root(&parent);
    set(&parent, &one);
    set(&parent, &two);
    assert_int_equal(one.released, 1);
    set(&parent, NULL);
    assert_int_equal(two.released, 1);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
}

enum { HOLDERS = 4, ORDERS = 24 };

/* The n-th order of HOLDERS things. */
static void order_of(unsigned n, unsigned order[HOLDERS])
{
    unsigned left[HOLDERS], count = HOLDERS;
    for (unsigned i = 0; i < HOLDERS; i++)
        left[i] = i;
    for (unsigned i = 0; i < HOLDERS; i++, count--) {
        unsigned at = n % count;
        n /= count;
        order[i] = left[at];
        left[at] = left[count - 1];
    }
}

TEST(the_last_holder_releases_it_in_whatever_order_they_end)
{
    static struct weft_op holders[HOLDERS];
    for (unsigned n = 0; n < ORDERS; n++) {
        unsigned order[HOLDERS];
        up();
        order_of(n, order);
        open_under_root(&parent);
        set(&parent, &one);
        for (int i = 0; i < HOLDERS; i++)
            open_op(&parent, &holders[i]);
        set(&parent, &two); /* the children alone have it now */
        for (int i = 0; i < HOLDERS; i++) {
            assert_int_equal(one.released, 0);
            close_op(&holders[order[i]]);
        }
        assert_int_equal(one.released, 1);
        weft_finish(&parent, 0);
        world_down(&w);
        assert_int_equal(one.released, 1);
        assert_int_equal(two.released, 1);
    }
}

static void still_held(struct weft_op *above, struct weft_op *op)
{
    assert_int_equal(one.released, 0);
    assert_has(op, NULL); /* it is over: ask for the parent's */
    noted(above, op);
}

TEST(a_value_is_held_until_the_then_has_returned)
{
    up();
    weft_run(weft_root(&w.loop), &parent, NULL, still_held);
    set(&parent, &one);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(one.released, 1);
}

static void begun_again(struct weft_op *above, struct weft_op *op)
{
    noted(above, op);
    if (seen.calls > 2)
        return;
    weft_run(above, op, NULL, begun_again); /* the same storage, and no value */
    assert_has(op, NULL);
    if (seen.calls == 1)
        set(op, &two);
    weft_finish(op, 0);
}

TEST(an_op_that_is_begun_again_begins_without)
{
    up();
    weft_run(weft_root(&w.loop), &parent, NULL, begun_again);
    set(&parent, &one);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
}

TEST(what_is_cancelled_or_refused_lets_go_too)
{
    up();
    weft_run(weft_root(&w.loop), &parent, join_at_once, noted);
    weft_run(weft_root(&w.loop), &other, wait_for_cancel, noted);
    set(&other, &one);
    weft_run(&other, &child, wait_for_cancel, noted);
    weft_cancel(&child, UV_ECANCELED);
    weft_loop_run(&w.loop);
    weft_cancel(&other, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(one.released, 1);

    up();
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    set(&parent, &one);
    weft_cancel(&parent, UV_ECANCELED);
    weft_run(&parent, &child, finish_at_once, noted); /* refused: its begin is not called */
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(one.released, 1);
}

TEST(a_deadline_holds_it_no_longer_than_the_op_it_watches)
{
    struct weft_deadline deadline = {{0}, {0}};
    up();
    open_under_root(&parent);
    set(&parent, &one);
    weft_deadline(&parent, &deadline, 1000);
    close_op(&parent);
    assert_int_equal(one.released, 1);
    world_down(&w);
}

TEST(a_task_that_is_taken_out_of_a_line_lets_go)
{
    struct weft_queue queue;
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_queue_pause(&queue);
    open_under_root(&parent);
    set(&parent, &one);
    weft_queue_push(&queue, &parent, &child, finish_at_once, noted);
    set(&parent, NULL);
    assert_int_equal(one.released, 0);
    weft_queue_kill(&queue, UV_ECANCELED);
    weft_loop_run(&w.loop);
    assert_int_equal(one.released, 1);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(weft_queue_close(&queue), 0);
}

static void look_and_set(struct weft_listener *listener, void *task)
{
    (void)listener;
    assert_has(task, &one);
    assert_int_equal(weft_context_set(task, &key, &two), UV_EINVAL); /* it has finished */
}

static void end_badly(struct weft_op *op)
{
    weft_finish(op, UV_EIO);
}

TEST(a_task_that_has_failed_has_its_value_while_the_queues_listeners_are_told)
{
    struct weft_queue queue;
    struct weft_listener listener = {.fn_ = NULL};
    up();
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, look_and_set);
    open_under_root(&parent);
    set(&parent, &one);
    weft_queue_push(&queue, &parent, &child, end_badly, weft_ignore);
    weft_loop_run(&w.loop);
    assert_int_equal(child.status, UV_EIO);
    assert_int_equal(two.released, 0);
    close_op(&parent);
    assert_int_equal(one.released, 1);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

/* A release may look around, and set something itself. */
static struct weft_key nosy_key;
static unsigned nosy;

static void nosy_release(void *value)
{
    (void)value;
    nosy++;
    assert_has(&parent, &one);
    assert_int_equal(weft_context_set(&parent, &second_key, &two), 0);
}

TEST(a_release_may_set_a_value_itself)
{
    up();
    nosy = 0;
    nosy_key =
        (struct weft_key){.name = "nosy", .release = nosy_release, .number_ = nosy_key.number_};
    open_under_root(&parent);
    set(&parent, &one);
    assert_int_equal(weft_context_set(&parent, &nosy_key, &three), 0);
    assert_int_equal(weft_context_set(&parent, &nosy_key, NULL), 0);
    assert_int_equal(nosy, 1);
    assert_ptr_equal(weft_context_get(&parent, &second_key), &two);
    weft_finish(&parent, 0);
    world_down(&w);
    assert_int_equal(two.released, 1);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* A round leaves one set on the parent, in a context that nobody shares. */
static void set_and_share(int round)
{
    open_op(&parent, &other); /* so that the next set has to make a context of its own */
    set(&parent, round % 2 == 0 ? &two : NULL);
    close_op(&other);
    set(&parent, &one);
}

TEST(many_sets_on_one_op_do_not_add_up)
{
    enum { SETS = 20000 };
    weft_fault_install();
    up();
    open_under_root(&parent);
    assert_int_equal(weft_context_set(&parent, &second_key, &three), 0);
    open_op(&parent, &child);
    set_and_share(0);
    unsigned long before = weft_fault_live_bytes(), blocks = weft_fault_live();
    for (int i = 0; i < SETS; i++) {
        set_and_share(i);
        assert_int_equal(weft_fault_live(), blocks);
        assert_int_equal(weft_fault_live_bytes(), before);
    }
    close_op(&child);
    weft_finish(&parent, 0);
    world_down(&w);
    fault_remove();
}

static void set_as_memory_allows(struct weft_op *op, struct value *value, unsigned *held)
{
    void *before = weft_context_get(op, &key);
    int err = weft_context_set(op, &key, value);
    if (err == 0) {
        assert_has(op, value);
        *held += value != NULL;
        return;
    }
    assert_int_equal(err, UV_ENOMEM);
    assert_has(op, before); /* nothing has changed, and value is still ours */
}

static void set_until_it_fails(unsigned long n)
{
    unsigned held = 0;
    (void)n;
    one = two = three = (struct value){0};
    memset(&parent, 0, sizeof parent);
    memset(&child, 0, sizeof child);
    if (uv_loop_init(&w.uv) != 0)
        return;
    if (weft_loop_init(&w.loop, &w.uv) == 0) {
        w.loop.stuck_to = NULL;
        open_under_root(&parent);
        set_as_memory_allows(&parent, &one, &held);
        open_op(&parent, &child);
        set_as_memory_allows(&child, &two, &held);
        set_as_memory_allows(&parent, &three, &held);
        set_as_memory_allows(&child, NULL, &held);
        weft_finish(&child, 0);
        weft_loop_run(&w.loop);
        weft_finish(&parent, 0);
        assert_int_equal(weft_loop_run(&w.loop), 0);
        assert_int_equal(weft_loop_close(&w.loop), 0);
    }
    uv_run(&w.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w.uv), 0);
    assert_int_equal(one.released + two.released + three.released, held);
}

TEST(without_memory_nothing_has_changed)
{
    fault_ladder(set_until_it_fails);
    assert_true(fault_ladder_height() >= 5); /* the loop's own, and those of the sets */
}
