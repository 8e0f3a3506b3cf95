/* The conformance suite.
 *
 * One scenario after the other, each between open_stage and shut_stage: a fresh loop, the counting
 * allocator below it, a watchdog beside it. What a scenario begins goes through begin_watched and
 * ends in run_over, which check what is true of every run (not synchronous, exactly once, the
 * status is one of those expected), then overwrite the storage and free it: whoever still holds a
 * pointer into it is caught by the sanitizers, or by the pattern.
 *
 * The stage is one static struct, because begin and then have no room for a context of ours: the
 * op they are given belongs to the provider. */
#include "provider.h"
#include "core/op.h"
#include "fault.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>
#include <weft/sim.h>

enum { WATCHDOG_MS = 30000, MANY_STEPS = 1000000, ANY = PROVIDER_ANY_ERROR, EXPECTED = 3 };

static struct stage {
    const struct provider *provider;
    const char *scenario;
    unsigned long step;
    bool simulated, opened;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    uv_timer_t watchdog;

    bool nudging;           /* nudge what does not end by itself */
    int calling;            /* inside a call into the library: no then may run */
    unsigned begun, over;   /* how often begin and then were called */
    int status;             /* of the run that was over last */
    int expected[EXPECTED]; /* a status has to be one of these; ANY: any error */
    bool synchronous;       /* a good run finishes inside begin: a cancel there may lose */
    bool keep;              /* run_over leaves storage alone: it is part of an array */
    int descriptors;        /* open ones before the first scenario */
} at;

/* ---- saying what is wrong ------------------------------------------------------------------- */

static void say_where(const char *what)
{
    print_error("provider %s, %s, step %lu, %s loop: %s\n", at.provider->name, at.scenario, at.step,
                at.simulated ? "simulated" : "real", what);
}

static void require_at(int line, bool holds, const char *what)
{
    if (holds)
        return;
    say_where(what);
    if (at.opened)
        weft_dump(&at.loop, stderr);
    _fail(__FILE__, line);
}
#define require(holds, what) require_at(__LINE__, holds, what)

static void require_status(int line, int status)
{
    for (int i = 0; i < EXPECTED; i++) {
        int expected = at.expected[i];
        if (status == expected || (expected == ANY && status < 0))
            return;
    }
    char text[200];
    int length = snprintf(text, sizeof text, "ended with %s, expected", weft_error_name(status));
    for (int i = 0; i < EXPECTED; i++) {
        if (i == 0 || at.expected[i] != at.expected[i - 1])
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%s %s", i > 0 ? " or" : "",
                         at.expected[i] == ANY ? "any error" : weft_error_name(at.expected[i]));
    }
    require_at(line, false, text);
}

static void expect(int status)
{
    for (int i = 0; i < EXPECTED; i++)
        at.expected[i] = status;
}

static void or_expect(int status)
{
    for (int i = EXPECTED - 1; i > 0; i--)
        at.expected[i] = at.expected[i - 1];
    at.expected[0] = status;
}

/* A run that is cancelled with reason while it runs. */
static void expect_cancel(int reason)
{
    expect(reason);
    if (at.provider->flags & PROVIDER_AWAITS)
        or_expect(0);
}

static void too_long(uv_timer_t *timer)
{
    (void)timer;
    require(false, "nothing has happened for half a minute");
}

/* -1 where it cannot be known. */
static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL)
        return -1;
    int count = 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

/* ---- the stage ------------------------------------------------------------------------------ */

static uint64_t shuffle_seed(void)
{
    const char *text = getenv("WEFT_SHUFFLE");
    return text != NULL ? strtoull(text, NULL, 0) : 0;
}

static void open_stage(const char *scenario)
{
    at.scenario = scenario;
    at.begun = at.over = 0;
    at.calling = 0;
    at.nudging = true;
    at.keep = false;
    expect(0);
    fault_install();
    assert_int_equal(uv_loop_init(&at.uv), 0);
    assert_int_equal(weft_loop_init(&at.loop, &at.uv), 0);
    at.opened = true;
    uv_timer_init(&at.uv, &at.watchdog);
    uv_timer_start(&at.watchdog, too_long, WATCHDOG_MS, 0);
    uv_unref((uv_handle_t *)&at.watchdog);
    if (at.simulated)
        assert_int_equal(weft_sim_init(&at.sim, &at.loop, shuffle_seed()), 0);
    if (at.provider->up != NULL)
        at.provider->up(&at.loop);
}

/* One step; false: there is nothing left to do. */
static bool step(void)
{
    if (at.simulated)
        return weft_sim_step(&at.sim);
    return uv_run(&at.uv, UV_RUN_NOWAIT) != 0;
}

/* Until count runs are over. */
static void drive(unsigned count)
{
    while (at.over < count) {
        bool more = at.simulated ? weft_sim_step(&at.sim) : uv_run(&at.uv, UV_RUN_ONCE) != 0;
        require(more || at.over >= count, "the loop is dry and the op has not ended");
    }
    require(at.over == count, "then was called more often than the op was begun");
}

static void shut_stage(void)
{
    if (at.provider->down != NULL)
        at.provider->down(&at.loop);
    unsigned over = at.over;
    int stuck = at.simulated ? weft_sim_run(&at.sim) : weft_loop_run(&at.loop);
    require(stuck == 0, "something is stuck");
    require(at.over == over, "then was called again later");
    require(at.loop.detached_ == 0, "a request is still detached");
    if (at.simulated)
        require(weft_sim_close(&at.sim) == 0, "a timer is still armed");
    require(weft_loop_close(&at.loop) == 0, "the loop does not close");
    at.opened = false;
    uv_close((uv_handle_t *)&at.watchdog, NULL);
    uv_run(&at.uv, UV_RUN_DEFAULT);
    require(uv_loop_close(&at.uv) == 0, "libuv's loop does not close");
    require(fault_live() == 0, "memory is left");
    fault_remove();
    require(at.descriptors < 0 || open_descriptors() <= at.descriptors,
            "a descriptor is left open");
}

/* ---- a run ---------------------------------------------------------------------------------- */

static struct weft_op *op_of(void *storage)
{
    return (struct weft_op *)(void *)((char *)storage + at.provider->op_at);
}

static void *storage_of(struct weft_op *op)
{
    return (char *)op - at.provider->op_at;
}

/* Exactly as large as it has to be, so that a step beyond it is seen. */
static void *storage_make(void (*fill)(void *storage))
{
    void *storage = calloc(1, at.provider->size);
    assert_non_null(storage);
    if (fill != NULL)
        fill(storage);
    return storage;
}

static void storage_drop(void *storage)
{
    memset(storage, 0xdd, at.provider->size);
    free(storage);
}

static void begin_watched(struct weft_op *op)
{
    at.begun++;
    at.calling++;
    at.provider->begin(op);
    if (at.nudging && at.provider->nudge != NULL && op->state_ == OP_RUNNING && !weft_cancelled(op))
        at.provider->nudge(storage_of(op));
    at.calling--;
}

static void begin_cancelled(struct weft_op *op)
{
    at.calling++;
    weft_cancel(op, UV_ECANCELED);
    at.provider->begin(op);
    at.calling--;
    at.begun++;
}

/* What is true at the end of every run. */
static void look_at(struct weft_op *op)
{
    require(at.calling == 0, "then was called synchronously");
    at.over++;
    at.status = op->status;
    require_status(__LINE__, op->status);
    if (op->status == 0 && at.provider->verify != NULL)
        at.provider->verify(storage_of(op));
    if (at.provider->release != NULL)
        at.provider->release(storage_of(op));
}

static void run_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    look_at(op);
    if (!at.keep)
        storage_drop(storage_of(op));
}

static struct weft_op *run(struct weft_op *parent, void *storage, weft_begin_fn *begin)
{
    struct weft_op *op = op_of(storage);
    unsigned over = at.over;
    at.calling++;
    weft_run(parent, op, begin, run_over);
    at.calling--;
    require(at.over == over, "then was called synchronously");
    return op;
}

static struct weft_op *run_good(struct weft_op *parent)
{
    return run(parent, storage_make(at.provider->good), begin_watched);
}

/* true: op was running, so the cancel had something to stop. */
static bool cancel(struct weft_op *op, int reason)
{
    bool running = op->state_ == OP_RUNNING;
    at.calling++;
    weft_cancel(op, reason);
    at.calling--;
    return running;
}

/* What a cancel in the middle of a good run leads to: if it was over already, 0. */
static void cancel_and_expect(struct weft_op *op, int reason)
{
    if (op->state_ != OP_RUNNING)
        expect(0);
    else
        expect_cancel(reason);
    cancel(op, reason);
}

/* ---- alone ---------------------------------------------------------------------------------- */

static void succeeds(void)
{
    open_stage("a good run");
    at.synchronous = run_good(&at.loop.root)->state_ == OP_READY;
    drive(1);
    require(at.begun == 1, "begin was not called once");
    shut_stage();
}

static void fails(void)
{
    if (at.provider->bad == NULL)
        return;
    open_stage("a bad run");
    at.nudging = false;
    expect(at.provider->bad_status);
    run(&at.loop.root, storage_make(at.provider->bad), begin_watched);
    drive(1);
    shut_stage();
}

static void group_over(struct weft_op *root, struct weft_op *group)
{
    (void)root;
    at.over++;
    at.status = group->status;
}

static void fails_and_nobody_listens(void)
{
    if (at.provider->bad == NULL)
        return;
    open_stage("a bad run whose then is NULL");
    at.nudging = false;
    expect(at.provider->bad_status);
    struct weft_op group = {0};
    void *storage = storage_make(at.provider->bad);
    weft_run(&at.loop.root, &group, NULL, group_over);
    weft_run(&group, op_of(storage), begin_watched, NULL);
    drive(1);
    require_status(__LINE__, at.status);
    if (at.provider->release != NULL)
        at.provider->release(storage);
    storage_drop(storage);
    shut_stage();
}

static void is_given_nothing(void)
{
    open_stage("a run that is given nothing");
    at.nudging = false;
    expect(at.provider->nothing_status);
    /* Inputs that are all zero are no good run even if it says 0: nothing to verify. */
    void *storage = storage_make(NULL);
    at.calling++;
    weft_run(&at.loop.root, op_of(storage), begin_watched, group_over);
    at.calling--;
    require(at.over == 0, "then was called synchronously");
    drive(1);
    require_status(__LINE__, at.status);
    if (at.provider->release != NULL)
        at.provider->release(storage);
    storage_drop(storage);
    shut_stage();
}

/* ---- cancelled ------------------------------------------------------------------------------ */

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
    at.step = number;
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
    for (unsigned long round = check_scale(1); round > 0; round--) {
        unsigned long number = 1;
        while (number < MANY_STEPS && is_cancelled_at_step(number))
            number += number < 8 ? 1 : number / 3;
        require(number < MANY_STEPS, "it does not come to its end");
    }
    at.step = 0;
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

/* ---- storage -------------------------------------------------------------------------------- */

enum { REUSES = 6 };

/* Good, cancelled, good, cancelled: what a cancelled run has left behind must not reach the next
 * one in the same storage. */
static void reuse(struct weft_op *root, struct weft_op *op)
{
    look_at(op);
    if (at.over == REUSES) {
        storage_drop(storage_of(op));
        return;
    }
    at.provider->good(storage_of(op));
    expect(0);
    at.calling++;
    weft_run(root, op, begin_watched, reuse);
    at.calling--;
    if (at.over % 2 == 1)
        cancel_and_expect(op, UV_EINTR);
}

static void is_used_again_in_its_then(void)
{
    open_stage("used again in its own then");
    void *storage = storage_make(at.provider->good);
    at.calling++;
    weft_run(&at.loop.root, op_of(storage), begin_watched, reuse);
    at.calling--;
    drive(REUSES);
    shut_stage();
}

/* ---- in company ----------------------------------------------------------------------------- */

enum { CROWD = 5 };

static bool alone(void)
{
    return at.provider->flags & PROVIDER_ALONE;
}

static void runs_in_a_queue(void)
{
    open_stage("in a queue");
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &at.loop, alone() ? 1 : 2), 0);
    for (int i = 0; i < (alone() ? 1 : CROWD); i++) {
        void *storage = storage_make(at.provider->good);
        weft_queue_push(&queue, &at.loop.root, op_of(storage), begin_watched, run_over);
    }
    require(at.begun == 0, "a push began it");
    drive(alone() ? 1 : CROWD);
    require(queue.stats.failed == 0, "the queue counts a failure");
    while (weft_queue_close(&queue) == UV_EBUSY)
        require(step(), "the queue does not close");
    shut_stage();
}

static bool next_item(struct weft_op *each, struct weft_op *slot, size_t index)
{
    (void)each;
    if (index == CROWD)
        return false;
    at.provider->good(storage_of(slot));
    return true;
}

static void runs_as_a_slot(void)
{
    open_stage("as a slot of an each");
    size_t count = alone() ? 1 : 2;
    char *slots = calloc(count, at.provider->size);
    assert_non_null(slots);
    struct weft_each each = {0};
    at.keep = true;
    weft_each(&at.loop.root, &each, weft_slots(op_of(slots), at.provider->size, count), next_item,
              begin_watched, run_over, group_over);
    drive(CROWD + 1);
    require(each.op.status == 0, "the each failed");
    free(slots);
    shut_stage();
}

static void runs_are_cancelled_as_slots(void)
{
    open_stage("as a slot of an each that is cancelled");
    at.nudging = false;
    size_t count = alone() ? 1 : 2;
    char *slots = calloc(count, at.provider->size);
    assert_non_null(slots);
    struct weft_each each = {0};
    at.keep = true;
    expect(UV_EINTR);
    or_expect(0);
    weft_each(&at.loop.root, &each, weft_slots(op_of(slots), at.provider->size, count), next_item,
              begin_watched, run_over, group_over);
    cancel(&each.op, UV_EINTR);
    drive((unsigned)count + 1);
    require(each.op.status == UV_EINTR, "the each was not cancelled");
    free(slots);
    shut_stage();
}

static void discard(struct weft_op *task)
{
    if (at.provider->release != NULL)
        at.provider->release(storage_of(task));
}

static void runs_in_a_retry(bool good)
{
    if (!good && at.provider->bad == NULL)
        return;
    open_stage(good ? "in a retry, good" : "in a retry, bad");
    at.nudging = good;
    expect(good ? 0 : at.provider->bad_status);
    void *storage = storage_make(good ? at.provider->good : at.provider->bad);
    struct weft_retry retry = {.discard = discard};
    weft_retry(&at.loop.root, &retry, op_of(storage), begin_watched, 3, 0, group_over);
    drive(1);
    require_status(__LINE__, at.status);
    require(retry.tries == (good ? 1 : 3), "the wrong number of attempts");
    discard(op_of(storage));
    storage_drop(storage);
    shut_stage();
}

static void *runners[2];

static void start_runners(struct weft_op *race)
{
    for (int i = 0; i < 2; i++)
        weft_run(race, op_of(runners[i]), begin_watched, weft_race_first);
}

static void runs_in_a_race(void)
{
    if (alone())
        return;
    open_stage("in a race with itself");
    for (int i = 0; i < 2; i++)
        runners[i] = storage_make(at.provider->good);
    struct weft_race race = {0};
    weft_race(&at.loop.root, &race, start_runners, group_over);
    drive(1);
    require(race.op.status == 0, "nobody has won");
    require(race.winner == op_of(runners[0]) || race.winner == op_of(runners[1]), "no winner");
    for (int i = 0; i < 2; i++) {
        discard(op_of(runners[i]));
        storage_drop(runners[i]);
    }
    shut_stage();
}

static void runs_within_a_timeout(void)
{
    open_stage("within a timeout");
    void *storage = storage_make(at.provider->good);
    struct weft_timeout timeout = {0};
    weft_timeout(&at.loop.root, &timeout, op_of(storage), begin_watched, 3600000, group_over);
    drive(1);
    require(timeout.op.status == 0, "it failed");
    discard(op_of(storage));
    storage_drop(storage);
    shut_stage();
}

/* ---- without memory ------------------------------------------------------------------------- */

/* false: there was no n-th allocation. */
static bool climb(unsigned long n, bool cancelled)
{
    open_stage(cancelled ? "without memory, and cancelled" : "without memory");
    at.step = n;
    void *storage = storage_make(at.provider->good);
    fault_fail_at(n);
    or_expect(UV_ENOMEM);
    struct weft_op *op = run(&at.loop.root, storage, begin_watched);
    if (cancelled) {
        or_expect(UV_EINTR);
        cancel(op, UV_EINTR);
    }
    drive(1);
    bool hit = fault_hit();
    require(hit || at.status != UV_ENOMEM, "it failed although there was memory");
    fault_fail_at(0);
    shut_stage();
    return hit;
}

static void runs_out_of_memory(void)
{
    unsigned long height = 0;
    while (climb(height + 1, false))
        height++;
    for (unsigned long n = 1; n <= height; n++)
        climb(n, true);
    at.step = 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void whole_suite(void)
{
    succeeds();
    fails();
    fails_and_nobody_listens();
    is_given_nothing();
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
    is_used_again_in_its_then();
    runs_in_a_queue();
    runs_as_a_slot();
    runs_are_cancelled_as_slots();
    runs_in_a_retry(true);
    runs_in_a_retry(false);
    runs_in_a_race();
    runs_within_a_timeout();
    runs_out_of_memory();
}

void provider_check(const struct provider *provider)
{
    at = (struct stage){.provider = provider, .descriptors = -1};
    succeeds(); /* opens what libuv and libc keep open from then on */
    at.descriptors = open_descriptors();
    whole_suite();
    at.simulated = true;
    whole_suite();
}
