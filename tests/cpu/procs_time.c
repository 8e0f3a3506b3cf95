/* A pool and real time: what takes some tenths of a second, since less would be noise on a busy
 * machine.
 * ctest: timeout=120 shuffle=no */
#include "pool.h"

static unsigned events;

static bool count_event(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)job;
    (void)kind;
    (void)data;
    events++;
    return true;
}

static void wait_for_events(unsigned count)
{
    while (events < count)
        uv_run(&w.uv, UV_RUN_ONCE);
}

static void up(unsigned max, unsigned ahead)
{
    pool_init(max);
    events = 0;
    procs.ahead = ahead;
    procs.backoff_ms = 1;
    procs.grace_ms = 300; /* an exit that is under way is awaited, also on a busy machine */
}

TEST(the_time_of_a_job_begins_when_it_is_the_first_in_its_worker)
{
    up(1, 5);
    pool_up();
    for (int i = 0; i < 6; i++) {
        jobs[i].timeout_ms = 600; /* all of them together take longer than one of them may */
        ask("sleep 150");
    }
    pool_down();
    for (int i = 0; i < 6; i++)
        assert_result(&jobs[i], "slept");
    assert_int_equal(procs.started, 1);
}

/* A regression: the kill for one job must not hit the next. Here the first job is over in its
 * worker, which has begun the second, but the pool did not look in time: its loop was busy. */
TEST(a_late_kill_never_hits_the_next_job)
{
    for (unsigned round = 0; round < 2; round++) {
        up(1, 2);
        pool_up();
        jobs[0].timeout_ms = 200;
        jobs[0].on_event = count_event;
        struct weft_job *first = ask("events 1"), *second = ask("sleep 300");
        wait_for_events(1);
        nap(210); /* the end of the first one has come meanwhile, and its time is up as well */
        pool_down();
        assert_result(first, "emitted");
        assert_result(second, "slept");
        assert_int_equal(procs.started, 1);
        assert_int_equal(procs.killed, 0);
    }
}

/* The same as a race: jobs that take as long as they may. Each of them is in time or too late, and
 * when one is killed the next may just have begun; but no job ever dies of another one's kill. */
TEST(a_kill_at_the_last_moment_hits_whom_it_is_meant_for)
{
    unsigned late = 0, done = 0;
    for (unsigned round = 0; round < check_scale(3); round++) {
        up(1, 4);
        pool_up();
        for (int i = 0; i < 50; i++) {
            jobs[i].timeout_ms = 2;
            ask("sleep 2");
        }
        pool_down();
        for (int i = 0; i < 50; i++) {
            int status = jobs[i].op.status;
            if (status != 0 && status != UV_ETIMEDOUT)
                fail_msg("%s: %s", weft_error_name(status), jobs[i].why);
            late += status != 0;
            done += status == 0;
        }
        assert_int_equal(procs.killed, procs.failed);
    }
    assert_true(late + done > 0);
}

/* The gate says who was begun; a worker that lies about it harms itself and nobody else. */
TEST(a_worker_that_began_a_job_too_soon_is_broken)
{
    up(1, 2);
    pool_up();
    jobs[0].timeout_ms = 50;
    struct weft_job *liar = ask("liar"), *begun = ask("echo begun"), *waits = ask("echo waits");
    pool_down();
    assert_int_equal(liar->op.status, WEFT_ECRASHED);
    assert_string_equal(liar->why, "it began a job without a reply to the last one");
    assert_int_equal(begun->op.status, WEFT_ECRASHED); /* so it says */
    assert_result(waits, "waits");
}

/* ---- signs of life ------------------------------------------------------------------------------ */

TEST(a_worker_that_hangs_is_killed_and_replaced)
{
    static const char *const cases[] = {"stop", "hang"};
    for (int i = 0; i < 2; i++) {
        up(1, 0);
        procs.beat_ms = 200;
        pool_up();
        struct weft_job *job = ask(cases[i]), *next = ask("spin 600");
        pool_down();
        assert_int_equal(job->op.status, WEFT_ECRASHED);
        assert_string_equal(job->why, "it hangs: no sign of life");
        assert_result(next, "spun"); /* it answers while it works, three times */
        assert_int_equal(procs.killed, 1);
    }
}

TEST(an_idle_worker_that_was_stopped_is_replaced_too)
{
    up(1, 0);
    procs.beat_ms = 100;
    procs.min = 1;
    pool_up();
    open_jobs = 1;
    while (procs.idle == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    ask("pid");
    while (over == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    kill(jobs[1].pid, SIGSTOP);
    while (procs.started < 2 || procs.idle == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    open_jobs = 0;
    over = 2;
    struct weft_job *job = ask("echo back");
    pool_down();
    assert_result(job, "back");
    assert_int_equal(procs.killed, 1);
    assert_int_equal(procs.status, UV_ETIMEDOUT);
}
