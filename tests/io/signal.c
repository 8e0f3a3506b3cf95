/* Signals.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/signal.h>
#include <weft/timer.h>

static struct world w;

TEST(a_signal_that_arrives_finishes_the_op)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    weft_signal(weft_root(&w.loop), &wait, SIGUSR1, noted);
    for (int i = 0; i < 3; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, 0);
    raise(SIGUSR1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(wait.count, 1);
}

TEST(waiting_for_a_signal_keeps_the_loop_alive)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    assert_false(uv_loop_alive(&w.uv));
    weft_signal(weft_root(&w.loop), &wait, SIGUSR1, noted);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_true(uv_loop_alive(&w.uv));
    weft_cancel(&wait.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
}

TEST(all_who_wait_for_it_get_it_and_no_others)
{
    struct weft_signal waits[5];
    memset(waits, 0, sizeof waits);
    world_up(&w);
    for (int i = 0; i < 4; i++)
        weft_signal(weft_root(&w.loop), &waits[i], SIGUSR1, noted);
    weft_signal(weft_root(&w.loop), &waits[4], SIGUSR2, noted);
    weft_cancel(&waits[0].op, UV_EINTR);
    raise(SIGUSR1);
    while (seen.calls < 4)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_int_equal(waits[0].op.status, UV_EINTR);
    for (int i = 1; i < 4; i++)
        assert_int_equal(waits[i].op.status, 0);
    raise(SIGUSR2);
    world_down(&w);
    assert_int_equal(seen.calls, 5);
    assert_int_equal(waits[4].op.status, 0);
}

TEST(two_loops_get_the_same_signal)
{
    struct world other;
    struct weft_signal here = {.signum = 0}, there = {.signum = 0};
    world_up(&other);
    weft_signal(weft_root(&other.loop), &there, SIGUSR1, noted);
    world_up(&w);
    weft_signal(weft_root(&w.loop), &here, SIGUSR1, noted);
    raise(SIGUSR1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    world_down(&other);
    assert_int_equal(seen.calls, 2);
}

TEST(what_cannot_be_waited_for_is_refused)
{
    static const int wrong[] = {0, -1, SIGKILL, SIGSTOP, 65, 1000000, -2147483647 - 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct weft_signal wait = {.signum = 0};
        world_up(&w);
        weft_signal(weft_root(&w.loop), &wait, wrong[i], noted);
        assert_int_equal(seen.calls, 0);
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, UV_EINVAL);
    }
}

TEST(a_refused_signal_that_is_cancelled_too_ends_once)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    weft_signal(weft_root(&w.loop), &wait, 1000000, noted);
    weft_cancel(&wait.op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_true(seen.status < 0);
}

static unsigned arrivals;

static void count_to_three(struct weft_op *op)
{
    struct weft_signal *signal = weft_owner(op, struct weft_signal, op);
    assert_int_equal(signal->count, ++arrivals);
    if (arrivals == 3)
        weft_end(op, 0);
    else
        raise(SIGUSR1); /* while this one is told: must not be lost */
}

TEST(a_signal_is_told_each_time_until_the_op_is_ended)
{
    struct weft_signal signal = {.arrived = count_to_three};
    arrivals = 0;
    world_up(&w);
    weft_signal(weft_root(&w.loop), &signal, SIGUSR1, noted);
    raise(SIGUSR1);
    world_down(&w);
    assert_int_equal(arrivals, 3);
    assert_int_equal(signal.count, 3);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

/* Each arrival starts a child; the op ends while one of them still runs. */
static struct weft_sleep naps[2];

static void start_a_nap(struct weft_op *op)
{
    weft_sleep(op, &naps[arrivals++], 1, NULL);
    if (arrivals == 2)
        weft_cancel(op, UV_ETIMEDOUT);
    else
        raise(SIGUSR1);
}

TEST(what_an_arrival_has_started_is_cancelled_with_the_op_and_awaited)
{
    struct weft_signal signal = {.arrived = start_a_nap};
    memset(naps, 0, sizeof naps);
    arrivals = 0;
    world_up(&w);
    weft_signal(weft_root(&w.loop), &signal, SIGUSR1, noted);
    raise(SIGUSR1);
    world_down(&w);
    assert_int_equal(arrivals, 2);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

/* A child that takes its time to obey. */
static struct weft_op slow;

static void start_something_slow(struct weft_op *op)
{
    weft_run(op, &slow, NULL, NULL);
    weft_end(op, 0);
}

TEST(a_child_that_outlasts_the_handle_is_awaited)
{
    struct weft_signal signal = {.arrived = start_something_slow};
    memset(&slow, 0, sizeof slow);
    world_up(&w);
    w.loop.stuck_to = NULL;
    weft_signal(weft_root(&w.loop), &signal, SIGUSR1, noted);
    raise(SIGUSR1);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(seen.calls, 0);
    weft_finish(&slow, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

static void fail_in_a_child(struct weft_op *op)
{
    static struct weft_op child;
    memset(&child, 0, sizeof child);
    weft_run(op, &child, fail_at_once, NULL);
}

TEST(an_error_of_a_child_that_nobody_hears_ends_the_op)
{
    struct weft_signal signal = {.arrived = fail_in_a_child};
    world_up(&w);
    weft_signal(weft_root(&w.loop), &signal, SIGUSR1, noted);
    raise(SIGUSR1);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EIO);
}

/* The usual effect is off while somebody waits, and on again afterwards. */
static void wait_and_then_be_killed(void)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    weft_signal(weft_root(&w.loop), &wait, SIGTERM, noted);
    raise(SIGTERM);
    world_down(&w);
    if (seen.calls != 1 || seen.status != 0)
        _exit(1);
    raise(SIGTERM);
}

TEST(between_two_waits_a_signal_has_its_usual_effect)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_DFL);
        wait_and_then_be_killed();
        _exit(2);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

TEST(a_signal_from_another_process_is_a_signal)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    weft_signal(weft_root(&w.loop), &wait, SIGUSR2, noted);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        kill(getppid(), SIGUSR2);
        _exit(0);
    }
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(storage_waits_again_in_a_row)
{
    struct weft_signal wait = {.signum = 0};
    world_up(&w);
    for (unsigned i = 1; i <= 50; i++) {
        weft_signal(weft_root(&w.loop), &wait, SIGUSR1, noted);
        if (i % 2 == 0)
            raise(SIGUSR1);
        else
            weft_cancel(&wait.op, UV_EINTR);
        world_run(&w);
        assert_int_equal(seen.calls, i);
        assert_int_equal(seen.status, i % 2 == 0 ? 0 : UV_EINTR);
        assert_int_equal(wait.count, i % 2 == 0 ? 1 : 0);
    }
    world_down(&w);
}
