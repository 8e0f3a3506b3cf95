/* Ctrl-C: a task that a signal cancels.
 * ctest: labels=valgrind */
#include "model.h"
#include "provider.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/signal.h>

/* Longer than what is told twice, with some to spare. */
enum { LATER_MS = 400, PATIENCE_S = 30 };

static struct world w;
static struct app {
    struct weft_signal before; /* libuv tells the one that lies first in memory first */
    struct weft_interruptible interruptible;
    struct job job;
    struct weft_signal keeper;
} app;

static void begin(struct job job)
{
    jobs = (struct jobs){0};
    memset(&app, 0, sizeof app);
    app.job = job;
    weft_interruptible(weft_root(&w.loop), &app.interruptible, &app.job.op, job_begin, noted);
}

static void up(struct job job)
{
    world_up(&w);
    begin(job);
}

TEST(without_a_signal_the_status_is_the_tasks)
{
    up((struct job){.ms = 1});
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(app.interruptible.caught, 0);
    up((struct job){.ms = 1, .status = UV_EIO});
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
}

static void interrupt_by(int signum)
{
    up((struct job){.ms = 3600 * 1000, .linger_ms = 5});
    uv_run(&w.uv, UV_RUN_NOWAIT);
    raise(signum);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(app.interruptible.caught, signum);
    assert_int_equal(jobs.cancelled, 1);
}

TEST(a_signal_cancels_the_task_and_is_told)
{
    interrupt_by(SIGINT);
    interrupt_by(SIGTERM);
    interrupt_by(SIGHUP);
}

TEST(a_signal_that_is_ignored_stays_so)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGHUP, &ignore, &before);
    up((struct job){.ms = 5});
    uv_run(&w.uv, UV_RUN_NOWAIT);
    raise(SIGHUP);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(app.interruptible.caught, 0);
    sigaction(SIGHUP, &before, NULL);
}

static void no_news(struct weft_op *op)
{
    (void)op;
}

/* Time is virtual, signals are real. libuv looks for them only as long as something keeps its loop alive, and
 * virtual timers do not. */
static void up_sim(struct job job)
{
    world_up_sim(&w, 0);
    begin(job);
    app.keeper.arrived = no_news;
    weft_signal(weft_root(&w.loop), &app.keeper, SIGUSR1, weft_ignore);
    weft_sim_advance(&w.sim, 1);
}

static void turn(void)
{
    weft_sim_advance(&w.sim, 1);
}

/* The status of a child that does it, and then exits with 0. */
static int in_a_child(void (*what)(void))
{
    static const struct rlimit no_core;
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        alarm(PATIENCE_S);
        what();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static bool ends_by(int signum, void (*what)(void))
{
    int status = in_a_child(what);
    return WIFSIGNALED(status) && WTERMSIG(status) == signum;
}

static bool outlives(void (*what)(void))
{
    int status = in_a_child(what);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void tell_twice(void)
{
    up_sim((struct job){.ms = 3600 * 1000, .linger_ms = 5});
    raise(SIGTERM);
    turn();
    raise(SIGTERM); /* the loop turns, */
    turn();
    raise(SIGHUP); /* and does not turn */
    raise(SIGINT);
    turn();
    weft_cancel(&app.keeper.op, UV_ECANCELED);
    world_down(&w);
    bool once = seen.calls == 1 && jobs.cancelled == 1;
    _exit(!once || seen.status != UV_EINTR || app.interruptible.caught != SIGTERM);
}

TEST(the_same_request_told_twice_has_no_effect)
{
    assert_true(outlives(tell_twice));
}

/* The task takes its time to let go, and the second signal does not wait for it. */
static void interrupt_one_that_lingers(void)
{
    up_sim((struct job){.ms = 3600 * 1000, .linger_ms = 3600 * 1000});
    raise(SIGINT);
    turn();
}

static void interrupt_twice(void)
{
    interrupt_one_that_lingers();
    weft_sim_advance(&w.sim, LATER_MS);
    raise(SIGTERM);
}

TEST(a_second_signal_ends_the_process)
{
    assert_true(ends_by(SIGTERM, interrupt_twice));
}

static void wait_also(weft_begin_fn *arrived)
{
    app.before.arrived = arrived;
    weft_signal(weft_root(&w.loop), &app.before, SIGINT, weft_ignore);
}

static void share_signals(void)
{
    interrupt_one_that_lingers();
    wait_also(no_news);
    raise(SIGINT);
    turn();
    weft_sim_advance(&w.sim, LATER_MS);
    raise(SIGINT);
    turn();
    raise(SIGINT);
    turn();
    _exit(app.before.count != 3);
}

TEST(who_waits_for_the_same_signal_hears_of_each_and_keeps_its_effect_off)
{
    assert_true(outlives(share_signals));
}

static void finish_job(struct weft_op *op)
{
    weft_finish(&app.job.op, 0);
    weft_end(op, 0);
}

TEST(a_task_that_is_over_when_the_signal_is_heard_keeps_its_status)
{
    up((struct job){.ms = BY_HAND});
    wait_also(finish_job);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    raise(SIGINT);
    world_down(&w);
    assert_int_equal(app.interruptible.caught, SIGINT);
    assert_int_equal(jobs.cancelled, 0);
    assert_int_equal(app.interruptible.op.status, 0);
}

TEST(a_task_that_is_stuck_is_told_although_a_signal_could_come)
{
    up((struct job){.ms = BY_HAND});
    w.loop.stuck_to = NULL;
    assert_int_equal(weft_loop_run(&w.loop), WEFT_ESTUCK);
    weft_cancel(&app.interruptible.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
}

static void good(void *storage)
{
    struct app *its = storage;
    its->job = (struct job){.ms = 1};
    its->interruptible.task = &its->job.op;
    its->interruptible.begin = job_begin;
}

static void bad(void *storage)
{
    good(storage);
    ((struct app *)storage)->job.status = UV_EIO;
}

static const struct weft_provider interruptible = {
    .name = "interruptible",
    WEFT_PROVIDER_OP(struct app, interruptible.op),
    .begin = weft_interruptible_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .flags = WEFT_PROVIDER_AWAITS, /* its end is decided a turn before the signals are closed */
};

TEST(interruptible_conforms)
{
    provider_check(&interruptible);
}
