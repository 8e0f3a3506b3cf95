/* A provider that is cancelled: at every moment of its life, by everybody who can. */
#include "stage.h"
#include "weft/timer.h"

enum { MANY_STEPS = 1000000 };

static void begins_under_a_cancelled_parent(void)
{
    open_stage("begun under a cancelled parent");
    struct weft_op group = {0};
    weft_run(&at.loop.root, &group, NULL, group_over);
    weft_cancel(&group, UV_EINTR);
    expect(UV_EINTR);
    run_good(&group);
    weft_join(&group);
    drive(2);
    require(at.begun == 0, "begin was called");
    shut_stage();
}

static void begin_cancelled(struct weft_op *op)
{
    at.calling++;
    weft_cancel(op, UV_ECANCELED);
    at.provider->begin(op);
    at.calling--;
    at.begun++;
}

static void is_cancelled_inside_begin(void)
{
    open_stage("cancelled inside begin");
    expect_cancel(UV_ECANCELED);
    if (at.synchronous)
        or_expect(0);
    run(&at.loop.root, storage_make(at.provider->good), begin_cancelled);
    drive(1);
    shut_stage();
}

static void is_cancelled_after_begin(bool nudging)
{
    open_stage(nudging ? "cancelled right after begin and nudge" : "cancelled right after begin");
    at.nudging = nudging;
    cancel_and_expect(run_good(&at.loop.root), UV_ECANCELED);
    drive(1);
    shut_stage();
}

/* false: it was over before the cancel. */
static bool is_cancelled_at_step(unsigned long number)
{
    open_stage("cancelled in flight");
    at.step_number = number;
    struct weft_op *op = run_good(&at.loop.root);
    for (unsigned long i = 0; i < number && at.over == 0; i++)
        step();
    bool in_time = at.over == 0;
    if (in_time)
        cancel_and_expect(op, UV_ETIMEDOUT);
    drive(1);
    shut_stage();
    return in_time;
}

/* On a real loop a step is one look at what has happened, and there may be thousands of those
 * while a thread works: so the strides grow. */
static void is_cancelled_at_every_step(void)
{
    for (unsigned long round = at.provider->rounds != 0 ? at.provider->rounds : 1; round > 0;
         round--) {
        unsigned long number = 1;
        while (number < MANY_STEPS && is_cancelled_at_step(number))
            number += number < 8 ? 1 : number / 3;
        require(number < MANY_STEPS, "it does not come to its end");
    }
    at.step_number = 0;
}

/* Only a simulation stops between the finish and the then. */
static void is_cancelled_after_finish(void)
{
    if (!at.simulated)
        return;
    open_stage("cancelled after its finish and before its then");
    struct weft_op *op = run_good(&at.loop.root);
    while (op->state_ == OP_RUNNING)
        require(step(), "the loop is dry and the op has not ended");
    require(at.over == 0, "it ended and reported in one step");
    require(!cancel(op, UV_ECANCELED), "it runs again");
    drive(1);
    shut_stage();
}

static void is_cancelled_twice(void)
{
    open_stage("cancelled twice");
    at.nudging = false;
    struct weft_op *op = run_good(&at.loop.root);
    cancel_and_expect(op, UV_EINTR);
    cancel(op, UV_EIO);
    step();
    if (at.over == 0)
        cancel(op, UV_EPERM);
    drive(1);
    shut_stage();
}

static void has_a_deadline_of_nothing(void)
{
    open_stage("a deadline of 0 ms");
    at.nudging = false;
    struct weft_deadline deadline = {0};
    struct weft_op *op = run_good(&at.loop.root);
    expect(UV_ETIMEDOUT);
    if (at.provider->nudge == NULL)
        or_expect(0);
    weft_deadline(op, &deadline, 0);
    drive(1);
    shut_stage();
}

static void has_a_parent_that_is_cancelled(void)
{
    open_stage("its parent is cancelled");
    at.nudging = false;
    struct weft_op group = {0};
    weft_run(&at.loop.root, &group, NULL, group_over);
    struct weft_op *op = run_good(&group);
    weft_join(&group);
    if (op->state_ == OP_RUNNING)
        expect_cancel(UV_EINTR);
    cancel(&group, UV_EINTR);
    drive(2);
    require(at.status == UV_EINTR, "incomplete work of the parent looks complete");
    shut_stage();
}

static void has_its_root_cancelled(void)
{
    open_stage("the root is cancelled");
    at.nudging = false;
    struct weft_op *op = run_good(&at.loop.root);
    if (op->state_ == OP_RUNNING)
        expect_cancel(UV_ECANCELED);
    cancel(&at.loop.root, UV_ECANCELED);
    drive(1);
    shut_stage();
}

void weft__test_cancelled(void)
{
    begins_under_a_cancelled_parent();
    is_cancelled_inside_begin();
    is_cancelled_after_begin(false);
    is_cancelled_after_begin(true);
    is_cancelled_at_every_step();
    is_cancelled_after_finish();
    is_cancelled_twice();
    has_a_deadline_of_nothing();
    has_a_parent_that_is_cancelled();
    has_its_root_cancelled();
}
