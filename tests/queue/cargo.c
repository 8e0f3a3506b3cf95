/* Cargo: items that come together travel together.
 * ctest: labels=valgrind-long */
#include "model.h"
#include "core/op.h"
#include "provider.h"
#include <stdlib.h>
#include <string.h>
#include <weft/cargo.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { ITEMS = 40, LOADS = 3, MANY = 100000 };

static struct world w;
static struct weft_cargo cargo;
static struct weft_op owner;

/* A worker that leaves "[0 1 2]" in the trail and ends as the test says. */
static struct worker {
    struct weft_load load;
    struct weft_op beside; /* not a load, though it lies among them */
    struct job job;
    unsigned begun;
} workers[LOADS];

static struct parcel {
    struct weft_item item;
    int id;
    unsigned told;
} items[ITEMS];

static struct works {
    uint64_t ms, linger_ms;
    int status;
} works;

static struct worker *worker_of(struct weft_op *op)
{
    return weft_owner(op, struct worker, load.op);
}

static struct parcel *parcel_of(struct weft_item *item)
{
    return weft_owner(item, struct parcel, item);
}

static void worked(struct weft_op *op, struct weft_op *job)
{
    weft_finish(op, job->status);
}

static void leave_items(const struct weft_load *load)
{
    char text[256] = "";
    size_t count = 0;
    for (struct weft_item *item = load->first; item != NULL; item = weft_item_next(item)) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, count > 0 ? " %d" : "%d",
                 parcel_of(item)->id);
        count++;
    }
    assert_int_equal(count, load->count);
    leave("[%s]", text);
}

static void carry(struct weft_op *op)
{
    struct worker *worker = worker_of(op);
    worker->begun++;
    leave_items(&worker->load);
    worker->job =
        (struct job){.ms = works.ms, .linger_ms = works.linger_ms, .status = works.status};
    weft_run(op, &worker->job.op, job_begin, worked);
}

static void up_with(size_t loads, size_t most, weft_begin_fn *begin)
{
    model_up(&w);
    works = (struct works){.ms = 10};
    owner = (struct weft_op){0};
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < ITEMS; i++)
        items[i] = (struct parcel){.id = i};
    weft_run(weft_root(&w.loop), &owner, NULL, noted);
    struct weft_slots slots = weft_slots(&workers[0].load.op, sizeof workers[0], loads);
    assert_int_equal(weft_cargo_init(&cargo, &owner, slots, most, begin), 0);
}

static void up(size_t loads, size_t most)
{
    up_with(loads, most, carry);
}

static void let_pass(uint64_t ms)
{
    weft_sim_advance(&w.sim, ms);
}

/* Everything runs to its end and closes. */
static void down(void)
{
    let_pass(100000);
    assert_int_equal(cargo.waiting, 0);
    assert_int_equal(cargo.running, 0);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    weft_join(&owner);
    world_down(&w);
    assert_ptr_equal(seen.op, &owner);
    assert_int_equal(jobs.running, 0);
}

static void item_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    parcel_of(weft_owner(op, struct weft_item, op))->told++;
}

static bool put(int id)
{
    return weft_cargo_push(&cargo, weft_root(&w.loop), &items[id].item, item_over);
}

static void put_some(int from, int to)
{
    for (int id = from; id <= to; id++)
        put(id);
}

static void cancel(int id, int reason)
{
    weft_cancel(&items[id].item.op, reason);
}

static int status_of(int id)
{
    assert_int_equal(items[id].told, 1);
    return items[id].item.op.status;
}

/* ---- loads ---------------------------------------------------------------------------------- */

TEST(what_is_pushed_in_a_row_travels_together)
{
    up(1, 10);
    put_some(0, 2);
    assert_int_equal(cargo.waiting, 3);
    assert_string_equal(trail, ""); /* nothing begins inside a push */
    let_pass(0);
    assert_string_equal(trail, "[0 1 2] ");
    assert_int_equal(cargo.waiting, 0);
    assert_int_equal(cargo.running, 1);
    down();
    for (int id = 0; id < 3; id++)
        assert_int_equal(status_of(id), 0);
}

TEST(a_load_carries_no_more_than_most_items)
{
    up(1, 3);
    put_some(0, 6);
    down();
    assert_string_equal(trail, "[0 1 2] [3 4 5] [6] ");
}

TEST(what_comes_while_a_load_is_under_way_waits_for_the_next)
{
    up(1, 10);
    put(0);
    let_pass(1);
    put_some(1, 2);
    let_pass(5);
    put(3);
    assert_int_equal(cargo.waiting, 3);
    down();
    assert_string_equal(trail, "[0] [1 2 3] ");
}

TEST(several_workers_are_a_cargo_queue)
{
    up(3, 2);
    put_some(0, 8);
    let_pass(1);
    assert_string_equal(trail, "[0 1] [2 3] [4 5] ");
    assert_int_equal(cargo.running, 3);
    assert_int_equal(cargo.waiting, 3);
    down();
    assert_string_equal(trail, "[0 1] [2 3] [4 5] [6 7] [8] ");
    assert_int_equal(jobs.most, 3);
}

TEST(one_load_takes_what_it_can_before_another_begins)
{
    up(3, 10);
    put_some(0, 5);
    let_pass(1);
    assert_string_equal(trail, "[0 1 2 3 4 5] ");
    assert_int_equal(cargo.running, 1);
    down();
}

TEST(every_item_gets_the_status_of_its_load)
{
    up(1, 2);
    works.status = UV_EIO;
    put_some(0, 1);
    let_pass(1);
    works.status = 0;
    put(2);
    down();
    assert_int_equal(status_of(0), UV_EIO);
    assert_int_equal(status_of(1), UV_EIO);
    assert_int_equal(status_of(2), 0); /* an error stops nothing */
}

TEST(an_item_that_nobody_answers_for_ends_its_parent_with_the_error)
{
    static struct weft_op parent;
    up(1, 2);
    works.status = UV_EIO;
    parent = (struct weft_op){0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cargo_push(&cargo, &parent, &items[0].item, NULL);
    weft_join(&parent);
    let_pass(20);
    assert_ptr_equal(seen.op, &parent);
    assert_int_equal(seen.status, UV_EIO);
    down();
}

static size_t left;

static void again(struct weft_op *parent, struct weft_op *op)
{
    item_over(parent, op);
    if (left == 0)
        return;
    left--;
    weft_cargo_push(&cargo, parent, weft_owner(op, struct weft_item, op), again);
}

TEST(items_that_are_pushed_again_in_their_thens_travel_together)
{
    up(1, 10);
    weft_loop_shuffle(&w.loop, 0); /* in any order they still get there, but not in one load */
    left = 6;
    for (int id = 0; id < 3; id++)
        weft_cargo_push(&cargo, weft_root(&w.loop), &items[id].item, again);
    down();
    assert_string_equal(trail, "[0 1 2] [0 1 2] [0 1 2] ");
}

static void push_one_more(struct weft_op *op)
{
    if (items[1].item.op.state_ == OP_IDLE && items[1].told == 0)
        put(1);
    carry(op);
}

TEST(what_a_worker_pushes_in_its_begin_travels_later)
{
    up_with(3, 10, push_one_more);
    put(0);
    down();
    assert_string_equal(trail, "[0] [1] ");
}

TEST(a_worker_is_begun_where_the_cargo_was_made)
{
    up(1, 1);
    put(0);
    let_pass(1);
    const struct weft_op *load = &workers[0].load.op;
    assert_ptr_equal(load->parent, &owner);
    assert_string_equal(load->site_->file, __FILE__);
    assert_string_equal(items[0].item.op.site_->type, "cargo item");
    assert_int_equal(items[0].item.op.site_->group, WEFT_QUEUE);
    down();
}

/* ---- answers -------------------------------------------------------------------------------- */

static void answer_each(struct weft_op *op)
{
    struct weft_load *load = &worker_of(op)->load;
    for (struct weft_item *item = load->first, *next; item != NULL; item = next) {
        next = weft_item_next(item);
        if (parcel_of(item)->id % 3 != 2)
            weft_item_answer(item, parcel_of(item)->id % 3 == 0 ? 0 : UV_ENOENT);
    }
    weft_finish(op, UV_EIO);
}

TEST(a_worker_may_answer_items_one_by_one)
{
    up_with(1, 10, answer_each);
    put_some(0, 5);
    down();
    static const int expected[] = {0, UV_ENOENT, UV_EIO, 0, UV_ENOENT, UV_EIO};
    for (int id = 0; id < 6; id++)
        assert_int_equal(status_of(id), expected[id]);
}

static void answer_and_work(struct weft_op *op)
{
    struct weft_load *load = &worker_of(op)->load;
    carry(op);
    while (load->first != NULL)
        weft_item_answer(load->first, 0);
}

TEST(an_answered_item_is_told_before_its_load_is_over)
{
    up_with(1, 10, answer_and_work);
    put_some(0, 1);
    let_pass(1);
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_int_equal(cargo.running, 1);
    assert_int_equal(workers[0].load.count, 2);
    works.status = UV_EIO;
    down();
}

TEST(an_answered_item_may_come_again_while_its_old_load_is_under_way)
{
    up_with(2, 10, answer_and_work);
    put(0);
    let_pass(1);
    assert_int_equal(status_of(0), 0);
    items[0].told = 0;
    put(0);
    let_pass(1);
    assert_int_equal(status_of(0), 0);
    assert_int_equal(cargo.running, 2);
    down();
}

TEST(an_item_that_has_travelled_before_is_taken_off_while_it_waits_again)
{
    up(1, 1);
    put(0);
    let_pass(20);
    items[0].told = 0;
    put(0);
    cancel(0, UV_EINTR);
    assert_int_equal(cargo.waiting, 0);
    let_pass(0);
    assert_int_equal(status_of(0), UV_EINTR);
    down();
    assert_string_equal(trail, "[0] ");
}

/* ---- cancels -------------------------------------------------------------------------------- */

TEST(a_cancelled_item_that_waits_is_taken_off_at_once)
{
    up(1, 10);
    put_some(0, 4);
    cancel(0, UV_ECANCELED);
    cancel(2, UV_ETIMEDOUT);
    cancel(4, UV_EINTR);
    assert_int_equal(cargo.waiting, 2);
    put(5);
    down();
    assert_string_equal(trail, "[1 3 5] ");
    assert_int_equal(status_of(0), UV_ECANCELED);
    assert_int_equal(status_of(2), UV_ETIMEDOUT);
    assert_int_equal(status_of(4), UV_EINTR);
}

TEST(items_that_were_all_cancelled_begin_no_load)
{
    up(1, 10);
    put_some(0, 2);
    for (int id = 0; id < 3; id++)
        cancel(id, UV_ECANCELED);
    assert_int_equal(cargo.waiting, 0);
    let_pass(1);
    put(3);
    down();
    assert_string_equal(trail, "[3] ");
}

TEST(a_cancelled_item_that_travels_is_told_when_its_load_is_over)
{
    up(1, 10);
    put_some(0, 2);
    let_pass(1);
    cancel(1, UV_EINTR);
    let_pass(8);
    assert_int_equal(items[1].told, 0);
    assert_non_null(workers[0].load.first->next_->next_); /* the worker still finds all three */
    let_pass(1);
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), UV_EINTR);
    assert_int_equal(status_of(2), 0);
    assert_int_equal(jobs.cancelled, 0);
    down();
}

TEST(when_every_item_was_cancelled_so_is_the_worker)
{
    up(1, 10);
    put_some(0, 2);
    let_pass(1);
    works.status = 0;
    cancel(0, UV_EINTR);
    cancel(0, UV_EIO); /* twice is once */
    cancel(2, UV_EACCES);
    assert_int_equal(jobs.cancelled, 0);
    cancel(1, UV_ETIMEDOUT);
    assert_int_equal(jobs.cancelled, 1);
    assert_int_equal(workers[0].load.op.reason_, UV_ETIMEDOUT);
    put(3);
    down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(status_of(1), UV_ETIMEDOUT);
    assert_int_equal(status_of(2), UV_EACCES);
    assert_int_equal(status_of(3), 0);
    assert_string_equal(trail, "[0 1 2] [3] ");
}

TEST(a_worker_that_takes_its_time_to_stop_is_awaited)
{
    up(1, 10);
    works.linger_ms = 5;
    put(0);
    let_pass(1);
    cancel(0, UV_EINTR);
    let_pass(4);
    assert_int_equal(items[0].told, 0);
    let_pass(1);
    assert_int_equal(status_of(0), UV_EINTR);
    down();
}

static void answer_the_first(struct weft_op *op)
{
    carry(op);
    weft_item_answer(worker_of(op)->load.first, 0);
}

TEST(a_worker_with_nobody_left_but_cancelled_items_is_cancelled)
{
    up_with(1, 10, answer_the_first);
    put_some(0, 1);
    let_pass(1);
    cancel(1, UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), UV_EINTR);
}

static void wait_for_the_test(struct weft_op *op)
{
    (void)op;
}

TEST(an_answer_to_a_cancelled_item_tells_it_the_reason)
{
    up_with(1, 10, wait_for_the_test);
    put_some(0, 1);
    let_pass(1);
    cancel(0, UV_EINTR);
    weft_item_answer(&items[0].item, 0);
    let_pass(0);
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(weft_cancelled(&workers[0].load.op), 0); /* 1 is still wanted */
    cancel(1, UV_EACCES);
    assert_int_equal(weft_cancelled(&workers[0].load.op), UV_EACCES);
    weft_finish(&workers[0].load.op, 0);
    down();
    assert_int_equal(status_of(1), UV_EACCES);
}

TEST(a_cancel_between_the_end_of_a_load_and_its_report_is_heard)
{
    up_with(1, 10, wait_for_the_test);
    put(0);
    let_pass(1);
    weft_finish(&workers[0].load.op, 0);
    cancel(0, UV_EINTR);
    down();
    assert_int_equal(status_of(0), UV_EINTR);
}

TEST(deadlines_hold_for_items_that_wait_and_for_those_that_travel)
{
    static struct weft_deadline deadlines[3];
    up(1, 2);
    put_some(0, 2);
    weft_deadline(&items[0].item.op, &deadlines[0], 5);
    weft_deadline(&items[2].item.op, &deadlines[2], 5);
    let_pass(6);
    assert_int_equal(items[0].told, 0);
    assert_int_equal(status_of(2), UV_ETIMEDOUT);
    down();
    assert_int_equal(status_of(0), UV_ETIMEDOUT);
    assert_int_equal(status_of(1), 0);
    assert_string_equal(trail, "[0 1] ");
}

TEST(weft_end_decides_the_status_of_an_item)
{
    up(1, 1);
    put_some(0, 1);
    let_pass(1);
    weft_end(&items[0].item.op, 0); /* the only one on its load: the worker is stopped */
    weft_end(&items[1].item.op, UV_ENOENT);
    down();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), UV_ENOENT);
    assert_int_equal(jobs.cancelled, 1);
}

TEST(an_item_under_a_cancelled_parent_is_refused)
{
    static struct weft_op parent;
    up(1, 1);
    parent = (struct weft_op){0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    assert_true(weft_cargo_push(&cargo, &parent, &items[0].item, item_over));
    assert_int_equal(cargo.waiting, 0);
    weft_join(&parent);
    down();
    assert_int_equal(status_of(0), UV_EINTR);
    assert_string_equal(trail, "");
}

/* ---- the owner ------------------------------------------------------------------------------ */

TEST(when_the_owner_is_cancelled_every_item_gets_the_reason)
{
    up(2, 2);
    put_some(0, 9);
    let_pass(1);
    assert_int_equal(cargo.waiting, 6);
    weft_cancel(&owner, UV_EINTR);
    put(10);
    down();
    assert_string_equal(trail, "[0 1] [2 3] ");
    for (int id = 0; id <= 10; id++)
        assert_int_equal(status_of(id), UV_EINTR);
    assert_int_equal(seen.status, UV_EINTR);
}

TEST(an_owner_that_was_cancelled_before_refuses_items)
{
    up(2, 1);
    weft_cancel(&owner, UV_EINTR);
    put_some(0, 5);
    down();
    assert_string_equal(trail, "");
    for (int id = 0; id < 6; id++)
        assert_int_equal(status_of(id), UV_EINTR);
}

/* ---- high water ----------------------------------------------------------------------------- */

TEST(at_first_a_cargo_is_never_full)
{
    up(1, 1);
    assert_int_equal(cargo.high_water, SIZE_MAX);
    for (int id = 0; id < ITEMS; id++)
        assert_true(put(id));
    down();
}

TEST(push_says_full_from_the_item_on_that_reaches_the_high_water_mark)
{
    up(1, 2);
    cargo.high_water = 2;
    assert_true(put(0));
    assert_false(put(1));
    assert_false(put(2)); /* taken all the same */
    let_pass(1);
    assert_int_equal(cargo.waiting, 1);
    assert_false(put(3));
    down();
    assert_string_equal(trail, "[0 1] [2 3] ");
}

/* ---- init and close ------------------------------------------------------------------------- */

TEST(wrong_arguments_are_refused)
{
    static struct weft_cargo other;
    up(1, 1);
    struct weft_slots slots = WEFT_SLOTS(workers, load.op), none = slots, nowhere = slots;
    none.count = 0;
    nowhere.first = NULL;
    assert_int_equal(weft_cargo_init(NULL, &owner, slots, 1, carry), UV_EINVAL);
    assert_int_equal(weft_cargo_init(&other, NULL, slots, 1, carry), UV_EINVAL);
    assert_int_equal(weft_cargo_init(&other, &owner, none, 1, carry), UV_EINVAL);
    assert_int_equal(weft_cargo_init(&other, &owner, nowhere, 1, carry), UV_EINVAL);
    assert_int_equal(weft_cargo_init(&other, &owner, slots, 0, carry), UV_EINVAL);
    assert_int_equal(weft_cargo_init(&other, &owner, slots, 1, NULL), UV_EINVAL);
    assert_int_equal(weft_cargo_close(&other), 0); /* what was never made is closed */
    down();
}

TEST(it_closes_when_nothing_waits_and_nothing_travels)
{
    up(1, 1);
    put(0);
    assert_int_equal(weft_cargo_close(&cargo), UV_EBUSY);
    let_pass(1);
    assert_int_equal(weft_cargo_close(&cargo), UV_EBUSY);
    let_pass(20);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    put(1);
    weft_cargo_push(NULL, weft_root(&w.loop), &items[2].item, item_over);
    down();
    assert_int_equal(status_of(1), UV_EINVAL);
    assert_int_equal(status_of(2), UV_EINVAL);
}

TEST(it_closes_although_a_turn_was_to_come)
{
    up(1, 1);
    put(0);
    cancel(0, UV_ECANCELED);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    memset(&cargo, 0xa5, sizeof cargo); /* it is ours */
    let_pass(1);
    assert_int_equal(status_of(0), UV_ECANCELED);
    cargo = (struct weft_cargo){0};
    down();
}

static void close_it(struct weft_op *parent, struct weft_op *op)
{
    item_over(parent, op);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    memset(&cargo, 0, sizeof cargo);
    memset(workers, 0, sizeof workers);
}

TEST(the_then_of_the_last_item_may_close_it)
{
    up(2, 4);
    weft_cargo_push(&cargo, weft_root(&w.loop), &items[0].item, close_it);
    down();
    assert_int_equal(status_of(0), 0);
}

TEST(it_can_be_made_again_in_the_same_storage)
{
    up(1, 1);
    put(0);
    let_pass(20);
    assert_int_equal(weft_cargo_close(&cargo), 0);
    assert_int_equal(weft_cargo_init(&cargo, &owner, WEFT_SLOTS(workers, load.op), 2, carry), 0);
    put_some(1, 2);
    down();
    assert_string_equal(trail, "[0] [1 2] ");
}

static void free_item(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    seen.calls++;
    free(weft_owner(op, struct parcel, item.op));
}

TEST(an_item_is_the_callers_again_when_its_then_starts)
{
    up(2, 3);
    unsigned before = seen.calls;
    for (int i = 0; i < 30; i++) {
        struct parcel *parcel = calloc(1, sizeof *parcel);
        assert_non_null(parcel);
        weft_cargo_push(&cargo, weft_root(&w.loop), &parcel->item, free_item);
        if (i % 4 == 3)
            weft_cancel(&parcel->item.op, UV_ECANCELED);
    }
    let_pass(1000);
    assert_int_equal(seen.calls - before, 30);
    down();
}

/* ---- in company ----------------------------------------------------------------------------- */

static struct weft_queue queue;

static void push_from_a_task(struct weft_op *op)
{
    struct job *task = job_of(op);
    weft_cargo_push(&cargo, op, &items[task->id].item, NULL);
    weft_join(op);
}

TEST(tasks_of_a_queue_wait_for_their_items)
{
    static struct job tasks[8];
    up(1, 4);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 4), 0);
    for (int id = 0; id < 8; id++) {
        tasks[id] = (struct job){.id = id};
        weft_queue_push(&queue, weft_root(&w.loop), &tasks[id].op, push_from_a_task, job_over);
    }
    let_pass(100);
    assert_int_equal(jobs.reported, 8);
    assert_int_equal(queue.stats.done, 8);
    assert_int_equal(weft_queue_close(&queue), 0);
    down();
}

TEST(an_item_is_retried_and_travels_again)
{
    static struct weft_retry retry;
    up(1, 4);
    works.status = UV_EIO;
    retry = (struct weft_retry){0};
    items[0].item.cargo = &cargo;
    weft_retry(weft_root(&w.loop), &retry, &items[0].item.op, weft_item_begin, 3, 0, noted);
    let_pass(15);
    works.status = 0;
    let_pass(100);
    assert_int_equal(seen.status, 0);
    assert_string_equal(trail, "[0] [0] [0] ");
    down();
}

TEST(what_lies_beside_a_load_is_not_the_load)
{
    up(3, 1);
    struct weft_op *beside = &workers[1].beside;
    weft_run(weft_root(&w.loop), beside, NULL, noted);
    weft_cargo_push(&cargo, beside, &items[0].item, item_over);
    weft_join(beside);
    down();
    assert_int_equal(status_of(0), 0);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct provided {
    struct weft_item item;
    bool fails;
};

static struct carrier {
    struct weft_load load;
    struct weft_op wait;
} carriers[2];

/* Bad items travel with bad ones. */
static void carried(struct weft_op *op, struct weft_op *wait)
{
    struct weft_item *first = weft_owner(op, struct weft_load, op)->first;
    weft_finish(op, weft_owner(first, struct provided, item)->fails ? UV_EIO : wait->status);
}

static void carry_later(struct weft_op *op)
{
    weft_immediate(op, &weft_owner(op, struct carrier, load.op)->wait, carried);
}

static void provide_cargo(struct weft_loop *loop)
{
    memset(carriers, 0, sizeof carriers);
    assert_int_equal(
        weft_cargo_init(&cargo, weft_root(loop), WEFT_SLOTS(carriers, load.op), 2, carry_later), 0);
}

static void close_cargo(struct weft_loop *loop)
{
    (void)loop;
    assert_int_equal(weft_cargo_close(&cargo), 0);
}

static void good_item(void *storage)
{
    struct provided *provided = storage;
    provided->item.cargo = &cargo;
    provided->fails = false;
}

static void bad_item(void *storage)
{
    good_item(storage);
    ((struct provided *)storage)->fails = true;
}

static const struct weft_provider provider = {
    .name = "cargo item",
    WEFT_PROVIDER_OP(struct provided, item.op),
    .begin = weft_item_begin,
    .up = provide_cargo,
    .down = close_cargo,
    .good = good_item,
    .bad = bad_item,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
};

TEST(an_item_conforms)
{
    provider_check(&provider);
}

/* ---- a hundred thousand --------------------------------------------------------------------- */

static size_t carried_items;

static void carry_at_once(struct weft_op *op)
{
    carried_items += worker_of(op)->load.count;
    weft_finish(op, 0);
}

static size_t over_count;

static void count_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    over_count++;
}

/* Looking through what waits would take minutes here. */
TEST(a_hundred_thousand_items_travel_and_half_of_them_leave_before)
{
    struct weft_item *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    for (size_t most = 1; most <= MANY; most *= 100) {
        up_with(2, most, carry_at_once);
        carried_items = over_count = 0;
        for (int i = 0; i < MANY; i++)
            weft_cargo_push(&cargo, weft_root(&w.loop), &many[i], count_over);
        for (int i = MANY - 1; i >= 0; i -= 2)
            weft_cancel(&many[i].op, UV_ECANCELED);
        assert_int_equal(cargo.waiting, MANY / 2);
        down();
        assert_int_equal(over_count, MANY);
        assert_int_equal(carried_items, MANY / 2);
    }
    free(many);
}

/* An op may not be refused so often: the load must not be begun for each of them. */
TEST(a_cancelled_owner_lets_a_hundred_thousand_items_go)
{
    struct weft_item *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    up_with(1, 1, carry_at_once);
    over_count = 0;
    for (int i = 0; i < MANY; i++)
        weft_cargo_push(&cargo, weft_root(&w.loop), &many[i], count_over);
    weft_cancel(&owner, UV_EINTR);
    down();
    assert_int_equal(over_count, MANY);
    free(many);
}

/* ---- broken rules --------------------------------------------------------------------------- */

static void answer_twice(struct weft_op *op)
{
    struct weft_item *item = worker_of(op)->load.first;
    weft_item_answer(item, 0);
    weft_item_answer(item, 0);
}

static void one_is_answered_twice(void)
{
    up_with(1, 1, answer_twice);
    put(0);
    let_pass(1);
}

static void one_is_answered_that_waits(void)
{
    up(1, 1);
    put(0);
    weft_item_answer(&items[0].item, 0);
}

static void push_under_the_load(struct weft_op *op)
{
    weft_cargo_push(&cargo, op, &items[1].item, NULL);
    weft_join(op);
}

static void a_load_waits_for_its_own_cargo(void)
{
    up_with(2, 1, push_under_the_load);
    put(0);
    let_pass(1);
}

static void one_is_pushed_twice(void)
{
    up(1, 1);
    put(0);
    put(0);
}

static struct world elsewhere;

static void one_comes_from_another_loop(void)
{
    up(1, 1);
    world_up(&elsewhere);
    weft_cargo_push(&cargo, weft_root(&elsewhere.loop), &items[0].item, NULL);
}

static void the_owner_is_gone(void)
{
    up(1, 1);
    weft_finish(&owner, 0);
    let_pass(1);
    put(0);
    let_pass(1);
}

TEST(the_rules_of_items_hold)
{
    dies(one_is_answered_twice, "rule 2", "on no load was answered");
    dies(one_is_answered_that_waits, "rule 2", "on no load was answered");
    dies(a_load_waits_for_its_own_cargo, "rule 2", "its own cargo", "begun at");
    dies(one_is_pushed_twice, "rule 1", "still runs");
    dies(one_comes_from_another_loop, "rule 1", "another loop's cargo");
    dies(the_owner_is_gone, "rule 2", "not running");
}
