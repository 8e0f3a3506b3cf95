/* Deadlines: a cancel with UV_ETIMEDOUT, set for later, on an op in whatever state.
 * ctest: labels=valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct family {
    struct weft_op op;
    struct weft_sleep a, b;
    struct weft_deadline deadline, of_a;
};

static void family_begin(struct weft_op *op)
{
    struct family *f = weft_owner(op, struct family, op);
    weft_sleep(op, &f->a, 1, NULL);
    weft_sleep(op, &f->b, 100000, NULL);
    weft_deadline(&f->a.op, &f->of_a, 50000);
    weft_deadline(op, &f->deadline, 5);
    weft_join(op);
}

static void forget_family(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    struct family *f = weft_owner(op, struct family, op);
    memset(f, 0xa5, sizeof *f);
    free(f);
}

TEST(a_deadline_cancels_the_op_and_its_children)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family *f = calloc(1, sizeof *f);
    weft_run(weft_root(&w.loop), &f->op, family_begin, forget_family);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 5);
}

TEST(a_deadline_that_is_not_needed_is_disarmed_before_then)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    weft_deadline(&nap.op, &deadline, 100000);
    assert_true(weft_sim_step(&w.sim)); /* the sleep is over, and not reported yet */
    assert_int_equal(seen.calls, 0);
    assert_null(w.loop.timers_);
    memset(&deadline, 0xa5, sizeof deadline);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 1);
}

TEST(a_deadline_is_no_child_that_counts)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_deadline(&op, &deadline, 10);
    assert_int_equal(weft_running(&op), 0);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 0);
}

/* Due at the same time: whoever was started first wins. */
TEST(a_deadline_in_the_same_tick_as_the_end_loses_if_it_came_later)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 10, noted);
    weft_deadline(&nap.op, &deadline, 10);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_deadline_in_the_same_tick_as_the_end_wins_if_it_came_first)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_deadline(&op, &deadline, 10);
    weft_sleep(&op, &nap, 10, NULL);
    weft_join(&op);
    world_down(&w);
    assert_int_equal(nap.op.status, UV_ETIMEDOUT);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

/* Both are long due when the loop looks: the earlier one counts, in real time as well. */
TEST(a_loop_that_looks_late_still_fires_in_order)
{
    for (unsigned first = 0; first < 2; first++) {
        struct world w;
        world_up(&w);
        struct weft_sleep nap = {.ms = 0};
        struct weft_deadline deadline = {.op_ = {0}};
        weft_sleep(weft_root(&w.loop), &nap, first ? 2 : 1, noted);
        weft_deadline(&nap.op, &deadline, first ? 1 : 2);
        uint64_t begun = uv_now(&w.uv);
        while (uv_now(&w.uv) < begun + 3)
            uv_update_time(&w.uv);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, first ? UV_ETIMEDOUT : 0);
    }
}

TEST(a_deadline_of_0_ms_is_due_at_once)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 1000, noted);
    weft_deadline(&nap.op, &deadline, 0);
    assert_int_equal(weft_cancelled(&nap.op), 0);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_deadline_for_ever_does_not_matter)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 1000, noted);
    weft_deadline(&nap.op, &deadline, UINT64_MAX);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_deadline_of_an_op_that_has_finished_does_nothing)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    weft_deadline(&op, &deadline, 1);
    assert_null(w.loop.timers_);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_deadline_of_an_op_that_is_over_does_nothing)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_deadline(&op, &deadline, 1);
    assert_null(w.loop.timers_);
    world_down(&w);
}

TEST(a_deadline_may_be_cleared)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_deadline_clear(&deadline); /* safe on one that is not armed */
    weft_sleep(weft_root(&w.loop), &nap, 100, noted);
    weft_deadline(&nap.op, &deadline, 10);
    weft_deadline_clear(&deadline);
    memset(&deadline, 0xa5, sizeof deadline);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(arming_a_deadline_again_moves_it)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 100, noted);
    weft_deadline(&nap.op, &deadline, 10);
    weft_deadline(&nap.op, &deadline, 50);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 50);
}

TEST(a_deadline_may_move_to_another_op)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep naps[2] = {{.ms = 0}, {.ms = 0}};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &naps[0], 100, noted);
    weft_sleep(weft_root(&w.loop), &naps[1], 100, noted);
    weft_deadline(&naps[0].op, &deadline, 10);
    weft_deadline(&naps[1].op, &deadline, 10);
    world_down(&w);
    assert_int_equal(naps[0].op.status, 0);
    assert_int_equal(naps[1].op.status, UV_ETIMEDOUT);
}

TEST(of_two_deadlines_the_first_counts)
{
    for (int i = 0; i < 2; i++) {
        struct world w;
        world_up_sim(&w, 0);
        struct weft_sleep nap = {.ms = 0};
        struct weft_deadline deadlines[2] = {{.op_ = {0}}, {.op_ = {0}}};
        weft_sleep(weft_root(&w.loop), &nap, 100, noted);
        weft_deadline(&nap.op, &deadlines[i], 50);
        weft_deadline(&nap.op, &deadlines[1 - i], 10);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, UV_ETIMEDOUT);
        assert_int_equal(w.sim.now_, 10);
    }
}

TEST(a_cancel_before_the_deadline_counts)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_sleep(weft_root(&w.loop), &nap, 100, noted);
    weft_deadline(&nap.op, &deadline, 10);
    weft_cancel(&nap.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 0);
}

TEST(a_deadline_of_an_op_that_does_not_obey_fires_once)
{
    struct world w;
    world_up_sim(&w, 0);
    w.loop.stuck_to = NULL;
    struct weft_op op = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_deadline(&op, &deadline, 10);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(weft_cancelled(&op), UV_ETIMEDOUT);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_deadline_counts_the_time_in_a_queue)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct weft_sleep first = {.ms = 20};
    struct weft_op second = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_queue_push(&queue, weft_root(&w.loop), &first.op, weft_sleep_begin, noted);
    weft_queue_push(&queue, weft_root(&w.loop), &second, begin_counted, noted);
    weft_deadline(&second, &deadline, 5);
    weft_sim_advance(&w.sim, 10);
    assert_int_equal(second.status, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(weft_queue_close(&queue), 0);
}

TEST(a_deadline_goes_on_when_a_queued_op_begins)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct weft_sleep naps[2] = {{.ms = 20}, {.ms = 20}};
    struct weft_deadline deadline = {.op_ = {0}};
    for (int i = 0; i < 2; i++)
        weft_queue_push(&queue, weft_root(&w.loop), &naps[i].op, weft_sleep_begin, noted);
    weft_deadline(&naps[1].op, &deadline, 30);
    world_down(&w);
    assert_int_equal(naps[0].op.status, 0);
    assert_int_equal(naps[1].op.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 30);
    assert_int_equal(weft_queue_close(&queue), 0);
}

struct link {
    struct weft_op op;
    struct link *next;
    struct weft_deadline deadline;
};

static void nest(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL)
        weft_run(op, &link->next->op, nest, noted);
    else
        seen.begun++;
    weft_join(op);
}

TEST(a_deadline_on_an_op_that_is_about_to_start_is_kept)
{
    struct world w;
    world_up_sim(&w, 0);
    static struct link links[33];
    memset(links, 0, sizeof links);
    for (int i = 0; i < 32; i++)
        links[i].next = &links[i + 1];
    weft_run(weft_root(&w.loop), &links[0].op, nest, noted);
    weft_deadline(&links[32].op, &links[32].deadline, 10);
    weft_cancel(&links[32].op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(links[32].op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 0);
}

static void rearm(struct weft_op *root, struct weft_op *op)
{
    struct family *f = weft_owner(op, struct family, a.op);
    if (++seen.calls < 3) {
        weft_sleep(root, &f->a, 10, rearm);
        weft_deadline(&f->a.op, &f->deadline, 20);
    }
}

TEST(the_storage_may_be_used_again_in_then)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {.op = {0}};
    weft_sleep(weft_root(&w.loop), &f.a, 10, rearm);
    weft_deadline(&f.a.op, &f.deadline, 20);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(f.a.op.status, 0);
    assert_int_equal(w.sim.now_, 30);
}

static void clear_the_neighbour(struct weft_op *op, int reason)
{
    struct family *f = weft_owner(op, struct family, a.op);
    weft_deadline_clear(&f->deadline);
    weft_finish(op, reason);
}

static void wait_to_clear(struct weft_op *op)
{
    weft_on_cancel(op, clear_the_neighbour);
}

/* The deadline is the walk's next sibling when the cancel function takes it away. */
TEST(a_cancel_function_may_clear_a_deadline_of_the_parent)
{
    struct world w;
    world_up_sim(&w, 0);
    struct family f = {.op = {0}};
    weft_run(weft_root(&w.loop), &f.op, NULL, noted);
    weft_sleep(&f.op, &f.b, 100, noted);
    weft_deadline(&f.op, &f.deadline, 50);
    weft_run(&f.op, &f.a.op, wait_to_clear, noted);
    weft_join(&f.op);
    weft_cancel(&f.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(f.b.op.status, UV_ECANCELED);
    assert_int_equal(w.sim.now_, 0);
}
