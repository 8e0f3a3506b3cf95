/* The operation: begin, finish, join, end, and who owns the storage when.
 * ctest: labels=valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>
#include <weft/timer.h>

/* A parent with children inside it, as most composites look. */
struct family {
    struct weft_op op;
    struct weft_op kids[4];
    unsigned added;
};

static struct family *family_of(struct weft_op *op)
{
    return weft_owner(op, struct family, op);
}

/* ---- begin and then ------------------------------------------------------------------------- */

TEST(an_op_is_two_cache_lines)
{
    assert_int_equal(sizeof(struct weft_op), 128);
}

TEST(then_is_not_called_from_inside_weft_run)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(then_is_not_called_from_inside_weft_finish)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_finish(&op, UV_ENOENT);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENOENT);
}

TEST(then_is_told_the_op_and_its_parent)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    world_down(&w);
    assert_ptr_equal(seen.op, &op);
    assert_ptr_equal(seen.parent, weft_root(&w.loop));
}

TEST(a_begin_that_fails_at_once_reports_in_then)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, fail_at_once, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(an_op_without_a_begin_is_finished_by_hand)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(ready_ops_report_in_the_order_in_which_they_finished)
{
    struct world w;
    world_up_in_order(&w);
    struct weft_op ops[3] = {0};
    for (int i = 0; i < 3; i++)
        weft_run(weft_root(&w.loop), &ops[i], NULL, noted);
    weft_finish(&ops[1], 0);
    weft_finish(&ops[2], 0);
    weft_finish(&ops[0], 0);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_ptr_equal(seen.op, &ops[0]);
}

TEST(an_op_knows_its_loop_its_parent_and_how_many_children_run)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    assert_ptr_equal(weft_loop_of(&f.op), &w.loop);
    assert_ptr_equal(f.op.parent, weft_root(&w.loop));
    assert_int_equal(weft_running(&f.op), 0);
    assert_int_equal(weft_running(weft_root(&w.loop)), 1);
    weft_run(&f.op, &f.kids[0], NULL, noted);
    weft_run(&f.op, &f.kids[1], finish_at_once, noted);
    assert_ptr_equal(f.kids[0].parent, &f.op);
    assert_int_equal(weft_running(&f.op), 2); /* one has finished, but not reported */
    weft_finish(&f.kids[0], 0);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(weft_running(weft_root(&w.loop)), 0);
}

TEST(owner_finds_the_struct_around_a_nested_member)
{
    struct deeper {
        int before;
        struct weft_sleep naps[2];
    } d;
    struct weft_op *op = &d.naps[1].op;
    assert_ptr_equal(weft_owner(op, struct deeper, naps[1].op), &d);
}

struct slot {
    struct weft_op op;
    size_t item;
};

struct collection {
    struct weft_each each;
    struct slot slots[2];
    unsigned right;
};

static bool five(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    weft_owner(slot, struct slot, op)->item = index;
    return index < 5;
}

static void index_is_right(struct weft_op *each, struct weft_op *slot)
{
    struct collection *c = weft_owner(each, struct collection, each.op);
    c->right += weft_index(slot) == weft_owner(slot, struct slot, op)->item;
}

TEST(a_slot_knows_which_item_it_holds)
{
    struct world w;
    world_up(&w);
    struct collection c = {.right = 0};
    weft_each(weft_root(&w.loop), &c.each, WEFT_SLOTS(c.slots, op), five, finish_at_once,
              index_is_right, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(c.right, 5);
}

/* ---- how deep begin goes -------------------------------------------------------------------- */

struct link {
    struct weft_op op;
    struct link *next;
};

static unsigned on_the_stack, most_on_the_stack, links_begun;

static void link_begin(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    links_begun++;
    if (++on_the_stack > most_on_the_stack)
        most_on_the_stack = on_the_stack;
    if (link->next != NULL)
        weft_run(op, &link->next->op, link_begin, NULL);
    on_the_stack--;
    weft_join(op);
}

static void make_chain(struct link *links, size_t count)
{
    on_the_stack = most_on_the_stack = links_begun = 0;
    memset(links, 0, count * sizeof *links);
    for (size_t i = 0; i + 1 < count; i++)
        links[i].next = &links[i + 1];
}

TEST(begin_runs_at_once_up_to_32_deep)
{
    struct world w;
    world_up(&w);
    struct link links[32];
    make_chain(links, 32);
    weft_run(weft_root(&w.loop), &links[0].op, link_begin, noted);
    assert_int_equal(links_begun, 32);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(deeper_begins_come_from_the_ready_queue)
{
    struct world w;
    world_up(&w);
    struct link links[200];
    make_chain(links, 200);
    weft_run(weft_root(&w.loop), &links[0].op, link_begin, noted);
    assert_int_equal(links_begun, 32);
    world_down(&w);
    assert_int_equal(links_begun, 200);
    assert_int_equal(most_on_the_stack, 32);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

/* At the end of a chain of begins that is as deep as it gets. */
struct bottom {
    struct link links[32];
    struct weft_op by_hand;
};

static void bottom_begin(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL) {
        weft_run(op, &link->next->op, bottom_begin, NULL);
    } else {
        struct bottom *b = weft_owner(link, struct bottom, links[31]);
        weft_run(op, &b->by_hand, NULL, noted);
        weft_finish(&b->by_hand, UV_EAGAIN);
    }
    weft_join(op);
}

TEST(an_op_without_a_begin_runs_at_once_at_any_depth)
{
    struct world w;
    world_up(&w);
    struct bottom b = {.by_hand = {0}};
    make_chain(b.links, 32);
    weft_run(weft_root(&w.loop), &b.links[0].op, bottom_begin, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EAGAIN);
}

static void end_the_deep_one_begin(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL) {
        weft_run(op, &link->next->op, end_the_deep_one_begin, NULL);
    } else {
        struct bottom *b = weft_owner(link, struct bottom, links[31]);
        weft_run(op, &b->by_hand, begin_counted, noted);
        weft_end(&b->by_hand, UV_EAGAIN);
    }
    weft_join(op);
}

TEST(an_op_that_is_ended_before_its_late_begin_is_not_begun)
{
    struct world w;
    world_up(&w);
    struct bottom b = {.by_hand = {0}};
    make_chain(b.links, 32);
    weft_run(weft_root(&w.loop), &b.links[0].op, end_the_deep_one_begin, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.status, UV_EAGAIN);
}

/* ---- no then -------------------------------------------------------------------------------- */

TEST(without_a_then_success_needs_no_answer)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(op.status, 0);
}

TEST(without_a_then_success_does_not_end_the_parent)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, NULL);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&f.op, 0);
    world_down(&w);
}

TEST(without_a_then_an_error_ends_the_parent)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], fail_at_once, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

static void hear_error(struct weft_listener *listener, void *task)
{
    (void)listener;
    noted(NULL, task);
}

TEST(without_a_then_an_error_that_a_queue_has_told_does_not_end_the_parent)
{
    struct world w;
    world_up(&w);
    struct weft_queue queue;
    struct weft_listener listener = {.fn_ = NULL};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &listener, hear_error);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_queue_push(&queue, &f.op, &f.kids[0], fail_at_once, NULL);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(f.kids[0].status, UV_EIO);
    assert_int_equal(f.op.status, 0);
    weft_off(&listener);
    assert_int_equal(weft_queue_close(&queue), 0);
}

TEST(without_a_then_an_error_cancels_the_siblings)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, NULL);
    weft_run(&f.op, &f.kids[1], fail_at_once, NULL);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(f.kids[0].status, UV_ECANCELED);
}

TEST(an_error_climbs_through_parents_that_have_no_then)
{
    struct world w;
    world_up(&w);
    struct weft_op a = {0}, b = {0}, c = {0};
    weft_run(weft_root(&w.loop), &a, NULL, noted);
    weft_run(&a, &b, NULL, NULL);
    weft_run(&b, &c, fail_at_once, NULL);
    world_down(&w);
    assert_int_equal(b.status, UV_EIO);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_cancelled_op_without_a_then_below_the_root_is_no_loss)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_for_cancel, NULL);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(op.status, UV_ECANCELED);
}

static void fail_otherwise(struct weft_op *op, int reason)
{
    (void)reason;
    weft_finish(op, UV_EPIPE);
}

static void wait_and_fail_otherwise(struct weft_op *op)
{
    weft_on_cancel(op, fail_otherwise);
}

TEST(a_cancelled_op_that_fails_otherwise_is_no_loss_either)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_and_fail_otherwise, NULL);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(op.status, UV_EPIPE);
}

/* ---- join ----------------------------------------------------------------------------------- */

TEST(join_without_children_finishes_now_and_reports_later)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, join_at_once, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(join_waits_for_its_one_child)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], NULL, NULL);
    weft_join(&f.op);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&f.kids[0], 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(join_waits_for_the_last_of_many)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    for (int i = 0; i < 4; i++)
        weft_run(&f.op, &f.kids[i], NULL, NULL);
    weft_join(&f.op);
    for (int i = 3; i > 0; i--)
        weft_finish(&f.kids[i], 0);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&f.kids[0], 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static void add_another(struct weft_op *op, struct weft_op *kid)
{
    (void)kid;
    struct family *f = family_of(op);
    if (f->added < 4)
        weft_run(op, &f->kids[f->added++], finish_at_once, add_another);
}

TEST(children_may_be_added_after_join)
{
    struct world w;
    world_up(&w);
    struct family f = {.added = 1};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, add_another);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(f.added, 4);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(join_twice_is_join_once)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, NULL);
    weft_join(&f.op);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(join_says_nothing_of_errors_that_a_then_has_taken)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], fail_at_once, noted);
    weft_join(&f.op);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(f.op.status, 0);
}

TEST(join_reports_the_reason_even_if_every_child_succeeded)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], finish_at_once, NULL);
    weft_join(&f.op);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(f.kids[0].status, 0);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

/* ---- end ------------------------------------------------------------------------------------ */

TEST(end_without_children_finishes)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_end(&op, UV_EIO);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(end_cancels_the_children_and_awaits_them)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, NULL);
    weft_run(&f.op, &f.kids[1], NULL, NULL);
    weft_end(&f.op, UV_EIO);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(f.kids[0].status, UV_ECANCELED);
    assert_int_equal(weft_cancelled(&f.kids[1]), UV_ECANCELED);
    assert_int_equal(seen.calls, 0);
    weft_finish(&f.kids[1], 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(end_with_0_is_an_early_exit)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, NULL);
    weft_end(&f.op, 0);
    world_down(&w);
    assert_int_equal(f.kids[0].status, UV_ECANCELED);
    assert_int_equal(seen.status, 0);
}

TEST(the_first_end_stands)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_end(&f.op, UV_ENOENT);
    weft_end(&f.op, UV_EIO);
    weft_end(&f.op, 0);
    world_down(&w);
    assert_int_equal(f.op.status, UV_ENOENT);
}

TEST(an_error_of_a_child_that_was_cancelled_by_end_does_not_change_the_outcome)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_and_fail_otherwise, NULL);
    weft_end(&f.op, 0);
    world_down(&w);
    assert_int_equal(f.kids[0].status, UV_EPIPE);
    assert_int_equal(seen.status, 0);
}

TEST(end_of_an_op_that_has_finished_is_ignored)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    weft_end(&op, UV_EIO);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(nothing_starts_below_an_op_that_has_ended)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, NULL);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, NULL);
    weft_end(&f.op, 0);
    weft_run(&f.op, &f.kids[1], begin_counted, noted);
    world_down(&w);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(end_with_0_after_a_cancel_reports_the_reason)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    weft_end(&f.op, 0);
    world_down(&w);
    assert_int_equal(f.op.status, UV_ETIMEDOUT);
}

TEST(end_with_an_error_after_a_cancel_reports_the_error)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    weft_end(&f.op, UV_EIO);
    world_down(&w);
    assert_int_equal(f.op.status, UV_EIO);
}

TEST(a_cancel_after_the_end_changes_nothing)
{
    struct world w;
    world_up(&w);
    struct family f = {0};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_run(&f.op, &f.kids[0], wait_for_cancel, noted);
    weft_end(&f.op, 0);
    weft_cancel(&f.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(f.op.status, 0);
}

TEST(end_stops_work_of_its_own_and_keeps_the_decided_status)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 100000, noted);
    weft_end(&nap.op, 0);
    world_down(&w);
    assert_int_equal(w.sim.now_, 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static int told_reason;

static void remember_reason(struct weft_op *op, int reason)
{
    (void)op;
    told_reason = reason;
}

static void wait_with_memory(struct weft_op *op)
{
    weft_on_cancel(op, remember_reason);
}

TEST(end_of_work_that_lets_go_later_waits_for_it)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct weft_op op = {0};
    told_reason = 0;
    weft_run(weft_root(&w.loop), &op, wait_with_memory, noted);
    weft_end(&op, UV_ENOENT);
    assert_int_equal(told_reason, UV_ECANCELED);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&op, 0); /* the work has let go: what it says comes too late */
    world_down(&w);
    assert_int_equal(seen.status, UV_ENOENT);
}

TEST(a_join_after_the_end_is_ignored)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_end(&op, UV_EIO);
    weft_join(&op);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

/* ---- storage -------------------------------------------------------------------------------- */

static void run_again(struct weft_op *parent, struct weft_op *op)
{
    if (++seen.calls < 5)
        weft_run(parent, op, finish_at_once, run_again);
}

TEST(an_op_may_be_used_again_in_its_own_then)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, run_again);
    world_down(&w);
    assert_int_equal(seen.calls, 5);
}

static void overwrite_and_free(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    memset(op, 0xa5, sizeof *op);
    free(op);
}

TEST(an_op_may_be_freed_in_its_then)
{
    struct world w;
    world_up(&w);
    struct weft_op *op = calloc(1, sizeof *op);
    weft_run(weft_root(&w.loop), op, fail_at_once, overwrite_and_free);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

static void family_frees_itself(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    struct family *f = family_of(op);
    memset(f, 0xa5, sizeof *f);
    free(f);
}

TEST(a_parent_may_be_freed_with_its_children_in_its_then)
{
    struct world w;
    world_up(&w);
    struct family *f = calloc(1, sizeof *f);
    weft_run(weft_root(&w.loop), &f->op, NULL, family_frees_itself);
    for (int i = 0; i < 4; i++)
        weft_run(&f->op, &f->kids[i], i == 2 ? fail_at_once : wait_for_cancel, NULL);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
}

static void finish_the_parent(struct weft_op *parent, struct weft_op *op)
{
    weft_finish(parent, op->status);
}

TEST(a_parent_may_finish_in_the_then_of_its_last_child)
{
    struct world w;
    world_up(&w);
    struct family *f = calloc(1, sizeof *f);
    weft_run(weft_root(&w.loop), &f->op, NULL, family_frees_itself);
    weft_run(&f->op, &f->kids[0], fail_at_once, finish_the_parent);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_status_of_the_run_before_is_forgotten)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, wait_for_cancel, noted);
    weft_cancel(&op, UV_ECANCELED);
    assert_int_equal(world_run(&w), 0);
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    assert_int_equal(op.status, 0);
    assert_int_equal(weft_cancelled(&op), 0);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}
