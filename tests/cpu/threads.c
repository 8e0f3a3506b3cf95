/* A pool of threads: how many there are, who goes first, who is refused, how it ends.
 * ctest: labels=threads,valgrind */
#include "cpu/threads.h" /* first: a name of tests/lib/loop.h is one of its parameters */
#include "threads_kit.h"
#include "fault.h"
#include "hook_log.h"
#include "provider.h"
#include <pthread.h>
#include <sys/resource.h>
#include <weft/context.h>
#include <weft/flow.h>
#include <weft/timer.h>

/* ---- the contract --------------------------------------------------------------------------- */

static struct weft_threads stage_pool;

static void pool_up(struct weft_loop *loop)
{
    stage_pool = (struct weft_threads){.max = 2};
    kit_up(NULL, NULL);
    weft_threads_open(weft_root(loop), &stage_pool, weft_ignore);
}

static void pool_down(struct weft_loop *loop)
{
    (void)loop;
    weft_threads_close(&stage_pool);
}

static void good_job(void *storage)
{
    struct task *task = storage;
    task->job.threads = &stage_pool;
    task->job.function = work_at_once;
    task->job.rank = 3;
    task->status = 0;
}

static void bad_job(void *storage)
{
    good_job(storage);
    ((struct task *)storage)->status = UV_ERANGE;
}

TEST(a_job_conforms)
{
    static const struct weft_provider job = {
        .name = "thread_job",
        WEFT_PROVIDER_OP(struct task, job.op),
        .begin = weft_thread_job_begin,
        .up = pool_up,
        .down = pool_down,
        .good = good_job,
        .bad = bad_job,
        .bad_status = UV_ERANGE,
        .nothing_status = UV_EINVAL,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&job);
}

/* Given nothing a pool is just open: only a run that is meant to be one begins. */
struct pool_run {
    struct weft_threads threads;
    bool meant;
};

static void pool_begin(struct weft_op *op)
{
    if (weft_owner(op, struct pool_run, threads.op)->meant)
        weft_threads_begin(op);
    else
        weft_finish(op, UV_EINVAL);
}

static void good_pool(void *storage)
{
    struct pool_run *run = storage;
    run->meant = true;
    run->threads.min = 1;
    run->threads.max = 2;
}

static void bad_pool(void *storage)
{
    good_pool(storage);
    ((struct pool_run *)storage)->threads.min = 3;
}

static void close_pool(void *storage)
{
    weft_threads_close(&((struct pool_run *)storage)->threads);
}

TEST(a_pool_conforms)
{
    static const struct weft_provider pool = {
        .name = "threads",
        WEFT_PROVIDER_OP(struct pool_run, threads.op),
        .begin = pool_begin,
        .good = good_pool,
        .bad = bad_pool,
        .bad_status = UV_EINVAL,
        .nudge = close_pool,
        .nothing_status = UV_EINVAL,
        .flags = WEFT_PROVIDER_HANDLE,
    };
    provider_check(&pool);
}

static void full_pool_up(struct weft_loop *loop)
{
    stage_pool = (struct weft_threads){.max = 1, .limit = 1};
    static struct task tasks[2];
    kit_up(NULL, NULL);
    weft_threads_open(weft_root(loop), &stage_pool, weft_ignore);
    memset(tasks, 0, sizeof tasks);
    for (int i = 0; i < 2; i++)
        weft_thread_job(weft_root(loop), &tasks[i].job, &stage_pool, pass_the_gate, weft_ignore);
}

static void full_pool_down(struct weft_loop *loop)
{
    open_gate(2);
    pool_down(loop);
}

static void good_room(void *storage)
{
    ((struct weft_threads_room *)storage)->threads = &stage_pool;
}

static void bad_room(void *storage)
{
    static struct weft_threads closed;
    ((struct weft_threads_room *)storage)->threads = &closed;
}

static void make_room(void *storage)
{
    (void)storage;
    open_gate(1);
}

TEST(waiting_for_room_conforms)
{
    static const struct weft_provider room = {
        .name = "threads_room",
        WEFT_PROVIDER_OP(struct weft_threads_room, op),
        .begin = weft_threads_room_begin,
        .up = full_pool_up,
        .down = full_pool_down,
        .good = good_room,
        .bad = bad_room,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .nudge = make_room,
    };
    provider_check(&room);
}

/* ---- how many ------------------------------------------------------------------------------- */

TEST(threads_are_started_when_they_are_needed_and_never_more_than_max)
{
    struct world w;
    struct weft_threads pool = {.max = 3};
    static struct task tasks[12];
    kit_up(&w, &pool);
    assert_int_equal(weft_threads_stats(&pool).threads, 0);
    for (int i = 0; i < 12; i++) {
        push(&w, &pool, &tasks[i], pass_the_gate);
        assert_int_equal(weft_threads_stats(&pool).threads, i < 3 ? i + 1 : 3);
    }
    await_begun(3);
    struct weft_threads_stats stats = weft_threads_stats(&pool);
    assert_int_equal(stats.running, 3);
    assert_int_equal(stats.waiting, 9);
    open_gate(12);
    assert_int_equal(world_run(&w), WEFT_ESTUCK); /* the pool is open, and nothing keeps it */
    assert_int_equal(seen.calls, 12);
    stats = weft_threads_stats(&pool);
    assert_int_equal(stats.running, 0);
    assert_int_equal(stats.begun, 12);
    assert_int_equal(stats.most, 3);
    assert_int_equal(stats.started, 3);
    assert_int_equal(atomic_load(&most_at_work), 3);
    kit_down(&w, &pool);
    stats = weft_threads_stats(&pool);
    assert_int_equal(stats.threads + stats.begun, 0);
}

TEST(the_minimum_is_there_from_the_beginning)
{
    struct world w;
    struct weft_threads pool = {.min = 2, .max = 5};
    kit_up(&w, &pool);
    assert_int_equal(weft_threads_stats(&pool).threads, 2);
    kit_down(&w, &pool);
}

TEST(without_a_maximum_there_are_as_many_as_processors_or_the_minimum)
{
    struct world w;
    unsigned processors = uv_available_parallelism();
    struct weft_threads pool = {.limit = 200}, large = {.min = processors + 2};
    static struct task tasks[100];
    kit_up(&w, &pool);
    weft_threads_open(weft_root(&w.loop), &large, weft_ignore);
    assert_int_equal(weft_threads_stats(&large).threads, processors + 2);
    for (int i = 0; i < 100; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    assert_int_equal(weft_threads_stats(&pool).threads, processors < 100 ? processors : 100);
    open_gate(100);
    weft_threads_close(&large);
    kit_down(&w, &pool);
}

/* A thread tells of its job a moment before it is free. */
static void await_free_thread(struct weft_threads *threads)
{
    struct weft_pool *pool = threads->pool_;
    for (bool idle = false; !idle; sched_yield()) {
        uv_mutex_lock(&pool->lock);
        idle = pool->idle != NULL;
        uv_mutex_unlock(&pool->lock);
    }
}

TEST(a_free_thread_is_taken_before_another_one_is_started)
{
    struct world w;
    struct weft_threads pool = {.max = 4};
    static struct task task;
    kit_up(&w, &pool);
    for (int i = 0; i < 20; i++) {
        push(&w, &pool, &task, work_at_once);
        await_op(&w, &task.job.op);
        await_free_thread(&pool);
    }
    assert_int_equal(weft_threads_stats(&pool).started, 1);
    kit_down(&w, &pool);
}

/* Real time, since the threads' clock is the kernel's: some milliseconds. */
TEST(a_thread_that_is_idle_for_long_ends_but_for_the_minimum)
{
    struct world w;
    struct weft_threads pool = {.min = 1, .max = 4, .idle_ms = 2};
    static struct task tasks[4];
    kit_up(&w, &pool);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            push(&w, &pool, &tasks[i], pass_the_gate);
        await_begun(4);
        assert_int_equal(weft_threads_stats(&pool).threads, 4);
        open_gate(4);
        for (int i = 0; i < 4; i++)
            await_op(&w, &tasks[i].job.op);
        while (weft_threads_stats(&pool).threads > 1)
            uv_sleep(1);
    }
    assert_int_equal(weft_threads_stats(&pool).started, 1 + 3 * 3);
    assert_int_equal(weft_threads_stats(&pool).most, 4);
    uv_sleep(5);
    assert_int_equal(weft_threads_stats(&pool).threads, 1);
    kit_down(&w, &pool);
}

TEST(without_a_minimum_the_last_thread_ends_too_and_the_next_job_gets_a_new_one)
{
    struct world w;
    struct weft_threads pool = {.max = 1, .idle_ms = 1};
    static struct task task;
    kit_up(&w, &pool);
    for (int round = 0; round < 3; round++) {
        push(&w, &pool, &task, work_at_once);
        await_op(&w, &task.job.op);
        while (weft_threads_stats(&pool).threads > 0)
            uv_sleep(1);
    }
    assert_int_equal(weft_threads_stats(&pool).started, 3);
    kit_down(&w, &pool);
}

/* ---- when there are no threads --------------------------------------------------------------- */

enum { MORE_THAN_THERE_IS = 46 };

TEST(a_job_for_which_no_thread_can_be_started_gets_the_error)
{
    struct world w;
    struct weft_threads pool = {.max = 2, .stack_size = (size_t)1 << MORE_THAN_THERE_IS};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, work_at_once);
    await_op(&w, &task.job.op);
    assert_true(seen.status < 0); /* EAGAIN; another one under valgrind */
    assert_int_equal(weft_threads_stats(&pool).threads, 0);
    pool.stack_size = 0; /* now there can */
    push(&w, &pool, &task, work_at_once);
    await_op(&w, &task.job.op);
    assert_int_equal(seen.status, 0);
    kit_down(&w, &pool);
}

TEST(with_one_thread_there_the_jobs_wait_for_it_if_no_other_can_be_started)
{
    struct world w;
    struct weft_threads pool = {.min = 1, .max = 3};
    static struct task tasks[5];
    kit_up(&w, &pool);
    pool.stack_size = (size_t)1 << MORE_THAN_THERE_IS;
    for (int i = 0; i < 5; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    assert_int_equal(weft_threads_stats(&pool).threads, 1);
    open_gate(5);
    kit_down(&w, &pool);
    assert_int_equal(seen.calls, 5);
    assert_int_equal(atomic_load(&worked), 5);
    assert_int_equal(atomic_load(&most_at_work), 1);
}

/* ---- limits --------------------------------------------------------------------------------- */

TEST(a_job_too_many_is_refused_at_once)
{
    struct world w;
    struct weft_threads pool = {.max = 1, .limit = 2};
    static struct task tasks[4];
    kit_up(&w, &pool);
    for (int i = 0; i < 4; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    assert_int_equal(tasks[3].job.op.state_, OP_READY);
    await_op(&w, &tasks[3].job.op);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ENOBUFS);
    assert_int_equal(weft_threads_stats(&pool).refused, 1);
    open_gate(3);
    await_op(&w, &tasks[0].job.op);
    push(&w, &pool, &tasks[3], work_at_once);
    await_op(&w, &tasks[3].job.op);
    assert_int_equal(tasks[3].job.op.status, 0);
    kit_down(&w, &pool);
}

static unsigned rooms;

static void room_found(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    rooms += op->status == 0;
}

TEST(who_waits_for_room_is_let_go_one_for_each_job_that_is_over)
{
    struct world w;
    struct weft_threads pool = {.max = 1, .limit = 1};
    static struct task tasks[2];
    struct weft_threads_room room[3] = {0};
    kit_up(&w, &pool);
    rooms = 0;
    weft_threads_room(weft_root(&w.loop), &room[0], &pool, room_found);
    await_op(&w, &room[0].op);
    assert_int_equal(rooms, 1); /* at once */
    for (int i = 0; i < 2; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    for (int i = 0; i < 3; i++)
        weft_threads_room(weft_root(&w.loop), &room[i], &pool, room_found);
    open_gate(1);
    await_op(&w, &tasks[0].job.op);
    await_op(&w, &room[0].op);
    assert_int_equal(rooms, 2);
    push(&w, &pool, &tasks[0], pass_the_gate);
    assert_int_equal(tasks[0].job.op.state_, OP_RUNNING); /* there was room indeed */
    assert_int_equal(room[1].op.state_, OP_RUNNING);
    open_gate(2);
    await_op(&w, &room[2].op);
    assert_int_equal(rooms, 4);
    kit_down(&w, &pool);
}

TEST(closing_tells_those_who_wait_for_room)
{
    struct world w;
    struct weft_threads pool = {.max = 1, .limit = 1};
    static struct task tasks[2];
    struct weft_threads_room room = {0}, late = {0};
    kit_up(&w, &pool);
    for (int i = 0; i < 2; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    weft_threads_room(weft_root(&w.loop), &room, &pool, noted);
    weft_threads_close(&pool);
    weft_threads_room(weft_root(&w.loop), &late, &pool, noted);
    open_gate(2);
    kit_down(&w, &pool);
    assert_int_equal(room.op.status, WEFT_ESTOPPED);
    assert_int_equal(late.op.status, WEFT_ESTOPPED);
}

/* ---- order ---------------------------------------------------------------------------------- */

TEST(jobs_of_one_rank_run_in_their_order_and_smaller_ranks_first)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task first, tasks[6];
    static const unsigned ranks[] = {4, 7, 4, 0, 7, 0};
    kit_up(&w, &pool);
    first.number = -1;
    push(&w, &pool, &first, pass_the_gate);
    await_begun(1);
    for (int i = 0; i < 6; i++) {
        tasks[i] = (struct task){.job.rank = ranks[i], .number = i};
        push(&w, &pool, &tasks[i], work_at_once);
    }
    open_gate(1);
    kit_down(&w, &pool);
    static const int expected[] = {-1, 3, 5, 0, 2, 1, 4};
    for (int i = 0; i < 7; i++)
        assert_int_equal(atomic_load(&order[i]), expected[i]);
}

enum { CROWD = 300 };

/* One of rank 7 among those of rank 0 that come later: 223 go first, and then it. */
TEST(a_job_is_not_overtaken_for_ever)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task first, last, crowd[CROWD];
    kit_up(&w, &pool);
    first = (struct task){.number = -1};
    push(&w, &pool, &first, pass_the_gate);
    await_begun(1);
    last = (struct task){.job.rank = 7, .number = 1000};
    push(&w, &pool, &last, work_at_once);
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = (struct task){.number = i};
        push(&w, &pool, &crowd[i], work_at_once);
    }
    open_gate(1);
    kit_down(&w, &pool);
    int before = 0;
    while (atomic_load(&order[1 + before]) != 1000)
        before++;
    assert_int_equal(before, 7 * WEFT_THREADS_AGE - 1);
}

/* The rule itself, for ranks and numbers from a seed. */
TEST(the_order_is_that_of_the_rule_for_any_ranks)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task first, tasks[CROWD];
    uint64_t seed = check_seed();
    kit_up(&w, &pool);
    first = (struct task){.number = -1};
    push(&w, &pool, &first, pass_the_gate);
    await_begun(1);
    for (int i = 0; i < CROWD; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        tasks[i] = (struct task){.job.rank = (unsigned)(seed >> 61), .number = i};
        push(&w, &pool, &tasks[i], work_at_once);
    }
    open_gate(1);
    kit_down(&w, &pool);
    for (int k = 1; k < CROWD; k++) {
        const struct task *a = &tasks[atomic_load(&order[k])];
        const struct task *b = &tasks[atomic_load(&order[k + 1])];
        int64_t one = a->number + (int64_t)a->job.rank * WEFT_THREADS_AGE;
        int64_t other = b->number + (int64_t)b->job.rank * WEFT_THREADS_AGE;
        assert_true(one < other || (one == other && a->number < b->number));
    }
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(a_job_in_line_is_taken_out_at_once_by_its_cancel)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task tasks[3];
    kit_up(&w, &pool);
    for (int i = 0; i < 3; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    await_begun(1);
    weft_cancel(&tasks[1].job.op, UV_ETIMEDOUT);
    assert_int_equal(tasks[1].job.op.state_, OP_READY);
    assert_int_equal(weft_threads_stats(&pool).waiting, 1);
    assert_int_equal(weft_threads_stats(&pool).left, 1);
    open_gate(2);
    kit_down(&w, &pool);
    assert_int_equal(tasks[1].job.op.status, UV_ETIMEDOUT);
    assert_int_equal(atomic_load(&worked), 2);
}

TEST(a_job_that_runs_is_told_and_awaited)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, work_until_stopped);
    await_begun(1);
    assert_false(weft_thread_stopped(&task.job));
    weft_cancel(&task.job.op, UV_ETIMEDOUT);
    assert_true(weft_thread_stopped(&task.job));
    assert_int_equal(task.job.op.state_, OP_RUNNING);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(a_job_that_does_not_look_keeps_its_status)
{
    struct world w;
    struct weft_threads pool = {.max = 2};
    static struct task fine, broken;
    broken.status = UV_ERANGE;
    kit_up(&w, &pool);
    push(&w, &pool, &fine, pass_the_gate);
    push(&w, &pool, &broken, pass_the_gate);
    await_begun(2);
    weft_cancel(&fine.job.op, UV_ETIMEDOUT);
    weft_cancel(&broken.job.op, UV_ETIMEDOUT);
    open_gate(2);
    kit_down(&w, &pool);
    assert_int_equal(fine.job.op.status, 0);
    assert_int_equal(broken.job.op.status, UV_ERANGE);
}

TEST(a_cancel_after_the_work_and_before_its_then_changes_nothing)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, work_at_once);
    while (weft_threads_stats(&pool).running > 0 || atomic_load(&worked) == 0)
        sched_yield();
    weft_cancel(&task.job.op, UV_ETIMEDOUT); /* it is back, and the loop has not looked */
    kit_down(&w, &pool);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(weft_end_decides_how_a_job_ends)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, work_until_stopped);
    await_begun(1);
    weft_end(&task.job.op, 0);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, 0);
}

TEST(a_deadline_stops_a_job)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    struct weft_deadline deadline = {0};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, work_until_stopped);
    weft_deadline(&task.job.op, &deadline, 1);
    await_op(&w, &task.job.op);
    kit_down(&w, &pool);
    assert_int_equal(task.job.op.status, UV_ETIMEDOUT);
}

/* ---- the end of a pool ----------------------------------------------------------------------- */

TEST(closing_runs_what_waits_and_refuses_what_comes)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task tasks[4], late;
    kit_up(&w, &pool);
    for (int i = 0; i < 4; i++)
        push(&w, &pool, &tasks[i], pass_the_gate);
    weft_threads_close(&pool);
    weft_threads_close(&pool);
    push(&w, &pool, &late, work_at_once);
    await_op(&w, &late.job.op);
    assert_int_equal(late.job.op.status, WEFT_ESTOPPED);
    assert_int_equal(pool.op.state_, OP_RUNNING);
    open_gate(4);
    kit_down(&w, &pool);
    assert_int_equal(atomic_load(&worked), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tasks[i].job.op.status, 0);
}

static struct task late_task;

static void push_late(struct weft_op *root, struct weft_op *op)
{
    struct weft_threads *pool = weft_owner(op, struct weft_thread_job, op)->threads;
    assert_int_equal(pool->op.state_, OP_READY); /* it is over, and has not reported */
    weft_thread_job(root, &late_task.job, pool, work_at_once, noted);
}

TEST(a_pool_is_closed_also_when_it_is_over_and_has_not_reported_yet)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    weft_loop_shuffle(&w.loop, 0);
    weft_thread_job(weft_root(&w.loop), &task.job, &pool, work_at_once, push_late);
    kit_down(&w, &pool);
    assert_int_equal(late_task.job.op.status, WEFT_ESTOPPED);
}

TEST(a_cancel_of_the_pool_reaches_all_of_its_jobs)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task running, waiting[3];
    struct weft_threads_room room = {0};
    kit_up(&w, NULL);
    pool.limit = 3;
    weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
    push(&w, &pool, &running, work_until_stopped);
    await_begun(1);
    for (int i = 0; i < 3; i++)
        push(&w, &pool, &waiting[i], work_at_once);
    weft_threads_room(weft_root(&w.loop), &room, &pool, noted);
    weft_cancel(&pool.op, UV_EINTR);
    assert_int_equal(waiting[0].job.op.state_, OP_READY);
    assert_int_equal(running.job.op.state_, OP_RUNNING);
    world_down(&w);
    assert_int_equal(pool.op.status, UV_EINTR);
    assert_int_equal(running.job.op.status, UV_EINTR);
    assert_int_equal(room.op.status, UV_EINTR);
    for (int i = 0; i < 3; i++)
        assert_int_equal(waiting[i].job.op.status, UV_EINTR);
    assert_int_equal(atomic_load(&worked), 0);
}

TEST(a_pool_that_is_closed_may_still_be_cancelled)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task running, waiting;
    kit_up(&w, &pool);
    push(&w, &pool, &running, work_until_stopped);
    push(&w, &pool, &waiting, work_at_once);
    weft_threads_close(&pool);
    await_begun(1);
    weft_cancel(&pool.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(pool.op.status, UV_ETIMEDOUT);
    assert_int_equal(waiting.job.op.status, UV_ETIMEDOUT);
}

TEST(jobs_may_be_begun_under_the_pool_itself)
{
    struct world w;
    struct weft_threads pool = {.max = 2};
    static struct task tasks[3];
    kit_up(&w, &pool);
    for (int i = 0; i < 3; i++)
        weft_thread_job(&pool.op, &tasks[i].job, &pool, work_at_once, noted);
    kit_down(&w, &pool);
    assert_int_equal(seen.calls, 3);
}

TEST(a_pool_may_be_opened_again)
{
    struct world w;
    struct weft_threads pool = {.max = 2};
    static struct task task;
    kit_up(&w, NULL);
    for (int i = 0; i < 3; i++) {
        weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
        push(&w, &pool, &task, work_at_once);
        weft_threads_close(&pool);
        assert_int_equal(world_run(&w), 0);
        assert_int_equal(task.job.op.status, 0);
    }
    world_down(&w);
    assert_int_equal(atomic_load(&worked), 3);
}

TEST(what_makes_no_sense_is_refused)
{
    struct world w;
    struct weft_threads pool = {.max = 1}, closed = {0}, huge = {.max = WEFT_THREADS_MOST + 1};
    static struct task task;
    kit_up(&w, &pool);
    weft_threads_open(weft_root(&w.loop), &huge, noted);
    await_op(&w, &huge.op);
    assert_int_equal(seen.status, UV_EINVAL);
    push(&w, &pool, &task, NULL);
    await_op(&w, &task.job.op);
    assert_int_equal(seen.status, UV_EINVAL);
    push(&w, NULL, &task, work_at_once);
    await_op(&w, &task.job.op);
    assert_int_equal(seen.status, UV_EINVAL);
    push(&w, &closed, &task, work_at_once);
    await_op(&w, &task.job.op);
    assert_int_equal(seen.status, UV_EINVAL);
    task.job.rank = WEFT_THREADS_RANKS;
    push(&w, &pool, &task, work_at_once);
    await_op(&w, &task.job.op);
    assert_int_equal(seen.status, UV_EINVAL);
    weft_threads_close(&closed);
    kit_down(&w, &pool);
}

TEST(a_pool_takes_no_jobs_of_another_loop)
{
    struct world w, other;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    struct weft_threads_room room = {0};
    world_up(&other);
    kit_up(&w, &pool);
    push(&other, &pool, &task, work_at_once);
    weft_threads_room(weft_root(&other.loop), &room, &pool, noted);
    world_down(&other);
    assert_int_equal(task.job.op.status, UV_EINVAL);
    assert_int_equal(room.op.status, UV_EINVAL);
    kit_down(&w, &pool);
}

/* ---- on the thread --------------------------------------------------------------------------- */

static char names[4][16];

static int note_name(struct weft_thread_job *job)
{
    int number = weft_owner(job, struct task, job)->number;
    pthread_getname_np(pthread_self(), names[number], sizeof names[number]);
    return pass_the_gate(job);
}

static int by_text(const void *one, const void *other)
{
    return strcmp(one, other);
}

static void check_names(const char *name, const char *first, const char *second)
{
    struct world w;
    struct weft_threads pool = {.max = 2, .name = name};
    static struct task tasks[2];
    kit_up(&w, &pool);
    for (int i = 0; i < 2; i++) {
        tasks[i].number = i;
        push(&w, &pool, &tasks[i], note_name);
    }
    await_begun(2);
    open_gate(2);
    kit_down(&w, &pool);
    qsort(names, 2, sizeof names[0], by_text);
    assert_string_equal(names[0], first);
    assert_string_equal(names[1], second);
}

TEST(threads_have_names)
{
    check_names(NULL, "weft-1", "weft-2");
    check_names("search", "search-1", "search-2");
    check_names("a name that is too long", "a name that i-1", "a name that i-2");
}

#ifdef __linux__
static int niceness;

static int note_niceness(struct weft_thread_job *job)
{
    (void)job;
    niceness = getpriority(PRIO_PROCESS, 0);
    return 0;
}

/* A niceness can be given up, but not be had back without a right to: so nobody else's may change. */
TEST(threads_are_as_nice_as_they_are_told_and_the_loop_is_not)
{
    int own = getpriority(PRIO_PROCESS, 0), more[] = {0, 3, 100};
    for (int i = 0; i < 3; i++) {
        struct world w;
        struct weft_threads pool = {.max = 1, .nice = more[i]};
        static struct task task;
        kit_up(&w, &pool);
        push(&w, &pool, &task, note_niceness);
        kit_down(&w, &pool);
        assert_int_equal(niceness, own + more[i] < 19 ? own + more[i] : 19);
        assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
    }
}
#endif

static struct weft_key key = {.name = "who"};

static int ask_for_context(struct weft_thread_job *job)
{
    assert_ptr_equal(weft_context_get(&job->op, &key), (void *)"alice");
    assert_ptr_equal(weft_context_get(weft_current(), &key), (void *)"alice");
    return pass_the_gate(job);
}

static struct task *context_task;
static struct weft_threads *context_pool;

static void begin_with_context(struct weft_op *op)
{
    assert_int_equal(weft_context_set(op, &key, "alice"), 0);
    weft_thread_job(op, &context_task->job, context_pool, ask_for_context, NULL);
    assert_int_equal(weft_context_set(op, &key, "bob"), 0);
    weft_context_set(&context_task->job.op, &key, "eve"); /* too late for the thread */
    open_gate(1);
    weft_join(op);
}

TEST(the_context_of_its_begin_is_there_in_a_jobs_function)
{
    needs_hooks();
    struct world w;
    struct weft_threads pool = {.max = 1};
    struct weft_op op = {0};
    static struct task task;
    kit_up(&w, &pool);
    context_task = &task;
    context_pool = &pool;
    weft_run(weft_root(&w.loop), &op, begin_with_context, noted);
    await_op(&w, &op);
    assert_int_equal(seen.status, 0);
    kit_down(&w, &pool);
}

TEST(a_job_is_seen_as_a_request_of_its_parent)
{
    needs_hooks();
    struct world w;
    static struct hook_log log;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, NULL);
    hook_log_init(&log);
    assert_int_equal(weft_hook_enable(&w.loop, &log.hook), 0);
    weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
    weft_thread_job(weft_root(&w.loop), &task.job, &pool, work_at_once, noted);
    await_op(&w, &task.job.op);
    kit_down(&w, &pool);
    told(&log, "init:threads<loop init:work_at_once<loop pre:work_at_once post:work_at_once "
               "destroy:work_at_once pre:threads post:threads destroy:threads ");
    hook_log_check_over(&log);
}

/* ---- simulated, starved ---------------------------------------------------------------------- */

TEST(virtual_time_stands_still_while_a_job_is_away)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    struct weft_sleep nap = {0};
    static struct task task;
    world_up_sim(&w, 0);
    kit_up(NULL, NULL);
    weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    push(&w, &pool, &task, pass_the_gate);
    await_begun(1);
    open_gate(1);
    await_op(&w, &task.job.op);
    assert_int_equal(weft_now(&w.loop), 0);
    kit_down(&w, &pool);
}

static void run_some_jobs(unsigned long n)
{
    (void)n;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_threads pool = {.min = 1, .max = 2};
    static struct task tasks[3];
    memset(tasks, 0, sizeof tasks);
    kit_up(NULL, NULL);
    assert_int_equal(uv_loop_init(&uv), 0);
    int err = weft_loop_init(&loop, &uv);
    if (err == 0) {
        weft_threads_open(weft_root(&loop), &pool, weft_ignore);
        for (int i = 0; i < 3; i++)
            weft_thread_job(weft_root(&loop), &tasks[i].job, &pool, work_at_once, weft_ignore);
        weft_threads_close(&pool);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_true(pool.op.status == 0 || pool.op.status == UV_ENOMEM);
        for (int i = 0; i < 3; i++) {
            int status = tasks[i].job.op.status;
            assert_true(status == 0 || status == UV_ENOMEM ||
                        (status == WEFT_ESTOPPED && pool.op.status == UV_ENOMEM));
        }
        assert_int_equal(weft_loop_close(&loop), 0);
    } else {
        assert_int_equal(err, UV_ENOMEM);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(a_pool_survives_running_out_of_memory)
{
    fault_ladder(run_some_jobs);
    assert_true(fault_ladder_height() >= 3);
}
