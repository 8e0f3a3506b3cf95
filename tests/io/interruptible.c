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

static struct world w;
static struct app {
    struct weft_interruptible interruptible;
    struct job job;
} app;

static void up(struct job job)
{
    world_up(&w);
    jobs = (struct jobs){0};
    memset(&app, 0, sizeof app);
    app.job = job;
    weft_interruptible(weft_root(&w.loop), &app.interruptible, &app.job.op, job_begin, noted);
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

/* In a child: the task takes its time to let go, and the second signal does not wait for it. */
static void interrupt_twice(void)
{
    static const struct rlimit no_core;
    setrlimit(RLIMIT_CORE, &no_core);
    up((struct job){.ms = 3600 * 1000, .linger_ms = 3600 * 1000});
    uv_run(&w.uv, UV_RUN_NOWAIT);
    raise(SIGINT);
    for (int i = 0; i < 10; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    raise(SIGINT);
    _exit(0);
}

TEST(a_second_signal_ends_the_process)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        interrupt_twice();
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
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
