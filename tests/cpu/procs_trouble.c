/* A pool of processes in trouble: workers that die, hang, lie or do not start. Real processes and
 * real time, in milliseconds: what is tested is that nobody waits for ever.
 * ctest: labels=valgrind-long timeout=120 */
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

static struct weft_job *ask_for_events(const char *what)
{
    jobs[over + open_jobs].on_event = count_event;
    return ask(what);
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

/* ---- crashes ---------------------------------------------------------------------------------- */

TEST(a_worker_that_exits_fails_its_job_with_the_code)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("exit 5"), *next = ask("echo next");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 5);
    assert_int_equal(job->term_signal, 0);
    assert_string_equal(job->why, "exit code 5");
    assert_result(next, "next");
    assert_int_equal(procs.started, 2);
    assert_int_equal(procs.died, 1);
}

TEST(a_worker_that_is_killed_fails_its_job_with_the_signal)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("kill 9"), *next = ask("echo next");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, -1);
    assert_int_equal(job->term_signal, SIGKILL);
    assert_string_equal(job->why, "killed by signal 9 (Killed)");
    assert_result(next, "next");
}

/* Also with exit code 0: it did not do its job. */
TEST(an_exit_with_0_is_a_crash_if_there_was_a_job)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("exit 0");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 0);
}

TEST(a_retry_is_begun_in_another_worker_if_nothing_was_delivered)
{
    up(1, 0);
    pool_up();
    jobs[0].retries = 2;
    struct weft_job *job = ask("attempt 3");
    jobs[1].retries = 5;
    struct weft_job *delivered = ask_for_events("event-then");
    jobs[2].retries = 1;
    struct weft_job *too_often = ask("attempt 3");
    pool_down();
    assert_result(job, "at last");
    assert_int_equal(job->attempt, 3);
    assert_int_equal(delivered->op.status, WEFT_ECRASHED);
    assert_int_equal(delivered->attempt, 1);
    assert_int_equal(too_often->op.status, WEFT_ECRASHED);
    assert_int_equal(too_often->attempt, 2);
}

TEST(without_retries_a_job_is_begun_once)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("attempt 2");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->attempt, 1);
}

/* What lies in the socket of a worker that dies was not begun, and is not lost. */
TEST(jobs_ahead_survive_the_death_of_their_worker)
{
    static const char *const deaths[] = {"exit 1", "kill 9", "garbage 1000", "huge 1000", "half"};
    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++) {
        up(1, 4);
        pool_up();
        ask("echo before");
        ask(deaths[i]);
        for (int k = 0; k < 6; k++)
            ask("echo after");
        pool_down();
        assert_result(&jobs[0],
                      "before"); /* its reply was gathered, and not sent, when the worker died */
        assert_int_equal(jobs[1].op.status, WEFT_ECRASHED);
        for (int k = 2; k < 8; k++)
            assert_result(&jobs[k], "after");
        assert_int_equal(procs.started, 2);
    }
}

/* A regression: in the documents' pool a crashed worker's place is lost, and who waits waits for ever. */
TEST(a_dead_worker_wakes_a_waiter)
{
    up(1, 0);
    pool_up();
    ask("kill 9");
    struct weft_job *waits = ask("echo at last");
    assert_int_equal(procs.waiting, 2);
    pool_down();
    assert_result(waits, "at last");
}

TEST(a_worker_that_dies_while_it_is_idle_harms_nobody)
{
    up(1, 0);
    pool_up();
    open_jobs = 1;
    ask("pid");
    while (over == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    kill(jobs[1].pid, SIGKILL);
    open_jobs = 0;
    over = 2;
    struct weft_job *job = ask("echo alive"); /* perhaps it is given to the dead one */
    pool_down();
    assert_result(job, "alive");
    assert_int_equal(procs.started, 2);
}

/* ---- nonsense --------------------------------------------------------------------------------- */

TEST(a_worker_that_sends_nonsense_is_killed)
{
    static const struct {
        const char *what, *why;
    } cases[] = {
        {"garbage 5000", "what it sent is no frame"},
        {"huge 5000", "it sent a frame that is too large"},
        {"ready 5000", "it became ready twice"},
        {"nomemory 5000", "it sent a memory that is missing, of another size or not sealed"},
        {"unsealed", "it sent a memory that is missing, of another size or not sealed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        up(1, 0);
        pool_up();
        struct weft_job *job = ask(cases[i].what), *next = ask("echo next");
        pool_down();
        assert_int_equal(job->op.status, WEFT_ECRASHED);
        assert_string_equal(job->why, cases[i].why);
        assert_int_equal(job->term_signal, SIGKILL);
        assert_result(next, "next");
        assert_int_equal(procs.killed, 1);
    }
}

TEST(frames_of_jobs_that_are_over_or_unknown_are_dropped)
{
    static const char *const cases[] = {"twice", "late", "stranger"};
    for (unsigned ahead = 0; ahead < 4; ahead += 3) {
        up(1, ahead);
        pool_up();
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            ask_for_events(cases[i]);
            ask("echo next");
        }
        pool_down();
        for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i += 2) {
            assert_int_equal(jobs[i].op.status, 0);
            assert_result(&jobs[i + 1], "next");
        }
        assert_int_equal(events, 3);
        assert_int_equal(procs.started, 1);
    }
}

TEST(nonsense_in_the_page_of_a_dead_worker_harms_nobody)
{
    static const char *const cases[] = {"scribble 24", "scribble 65472", "scribble 65473",
                                        "scribble -1"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        up(1, 2);
        pool_up();
        struct weft_job *job = ask(cases[i]), *next = ask("echo next");
        pool_down();
        assert_int_equal(job->op.status,
                         WEFT_ECRASHED); /* it may also have been looked at, and killed */
        assert_result(next, "next");
    }
}

/* More than a socket holds: some of the jobs are still here when their ends come. */
TEST(a_reply_to_a_job_that_was_not_sent_is_nonsense)
{
    static char large[60000];
    up(1, 20);
    pool_up();
    ask("clairvoyant 21");
    for (int i = 1; i <= 20; i++) {
        jobs[i].input = large;
        jobs[i].input_size = sizeof large;
        open_jobs++;
        weft_job(root(), &jobs[i], &procs, job_over);
    }
    pool_down();
    for (int i = 0; i <= 20; i++)
        assert_int_equal(jobs[i].op.status, 0);
    assert_string_equal(procs.why, "it answered a job that it does not have yet");
    assert_int_equal(procs.killed, 1);
    assert_result(&jobs[20], "0"); /* the next worker has really added up its zeros */
}

TEST(half_a_frame_is_no_frame)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("half");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 5);
}

TEST(a_channel_that_ends_without_its_worker_has_a_grace)
{
    up(1, 0);
    procs.grace_ms = 10000;
    pool_up();
    struct weft_job *soon = ask("close 1");
    pool_down();
    assert_int_equal(soon->op.status, WEFT_ECRASHED);
    assert_int_equal(soon->exit_code, 6); /* it was awaited */
    up(1, 0);
    pool_up();
    struct weft_job *late = ask("close 10000"), *next = ask("echo next");
    pool_down();
    assert_int_equal(late->op.status, WEFT_ECRASHED);
    assert_int_equal(late->term_signal, SIGKILL); /* it was killed */
    assert_string_equal(late->why, "it closed its channel and did not end");
    assert_result(next, "next");
}

/* What was not sent was not begun: EPIPE costs nobody a job. */
TEST(a_worker_that_does_not_read_any_more_harms_nobody)
{
    for (unsigned ahead = 0; ahead < 3; ahead += 2) {
        up(1, ahead);
        pool_up();
        open_jobs = 1;
        ask("unread");
        while (over == 0)
            uv_run(&w.uv, UV_RUN_ONCE);
        open_jobs = 0;
        over = 2;
        struct weft_job *job = ask("echo heard"), *next = ask("echo too");
        pool_down();
        assert_int_equal(jobs[1].op.status, 0);
        assert_result(job, "heard");
        assert_result(next, "too");
        assert_int_equal(procs.started, 2);
        assert_int_equal(procs.killed, 1);
    }
}

static int orphan;

static bool note_orphan(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)job;
    (void)kind;
    char text[32];
    snprintf(text, sizeof text, "%.*s", WEFT_TEXT_ARGS(data));
    orphan = atoi(text);
    return true;
}

static bool is_gone(int pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d %*s %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state == 'Z' || state == 'X'; /* nobody may be there to reap it */
}

TEST(an_exit_is_seen_although_a_grandchild_holds_the_channel_and_that_is_killed_too)
{
    up(1, 0);
    pool_up();
    jobs[0].on_event = note_orphan;
    struct weft_job *job = ask("orphan"), *next = ask("echo next");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 7);
    assert_result(next, "next");
    for (int i = 0; i < 1000 && !is_gone(orphan); i++)
        nap(1);
    assert_true(is_gone(orphan));
}

TEST(a_grandchild_that_left_the_group_cannot_keep_the_job_either)
{
    up(1, 0);
    pool_up();
    jobs[0].on_event = note_orphan;
    struct weft_job *job = ask("daemon");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 7);
    kill(orphan, SIGKILL);
}

/* ---- time ------------------------------------------------------------------------------------- */

TEST(a_job_that_takes_too_long_is_killed_and_told)
{
    static const char *const cases[] = {"hang", "stop", "spin 100000"};
    for (unsigned ahead = 0; ahead < 3; ahead += 2) {
        up(1, ahead);
        pool_up();
        for (int i = 0; i < 3; i++) {
            jobs[(size_t)i * 2].timeout_ms = 10;
            ask(cases[i]);
            ask("echo next");
        }
        pool_down();
        for (int i = 0; i < 6; i += 2) {
            assert_int_equal(jobs[i].op.status, UV_ETIMEDOUT);
            assert_string_equal(jobs[i].why, "not over after 10 ms");
            assert_result(&jobs[i + 1], "next");
        }
        assert_int_equal(procs.killed, 3);
    }
}

TEST(a_late_grace_never_hits_the_next_job)
{
    for (unsigned ahead = 0; ahead < 3; ahead += 2) {
        up(1, ahead);
        procs.grace_ms = 5;
        pool_up();
        struct weft_job *first = ask_for_events("hang 0"), *second;
        (void)first;
        jobs[1].on_event = count_event;
        second = ask("spin 10");
        wait_for_events(1);
        weft_cancel(&jobs[0].op, UV_ECANCELED); /* kills the first worker after 5 ms */
        pool_down();
        assert_result(second, "spun");
        assert_int_equal(procs.killed, 1);
    }
}

TEST(a_long_job_does_not_hold_back_the_replies_before_it)
{
    up(1, 3);
    pool_up();
    struct weft_job *tiny = ask("echo tiny");
    struct weft_job *lengthy = ask("sleep 10000"); /* without a look at its channel */
    while (tiny->op.state_ != 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_int_equal(over, 1);
    assert_true(lengthy->op.state_ != 0);
    weft_cancel(&lengthy->op, UV_ECANCELED);
    pool_down();
    assert_result(tiny, "tiny");
    assert_int_equal(lengthy->op.status, UV_ECANCELED);
}

TEST(a_cancelled_job_is_over_at_once_and_its_worker_is_free_when_it_has_let_go)
{
    up(1, 0);
    procs.grace_ms = 5000;
    pool_up();
    struct weft_job *spins = ask("spin 100000"), *next = ask("pid");
    while (spins->attempt == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_cancel(&spins->op, UV_EINTR);
    pool_down();
    assert_int_equal(spins->op.status, UV_EINTR);
    assert_int_equal(order[0], 0);
    assert_int_equal(next->op.status, 0);
    assert_int_equal(next->pid, spins->pid); /* the same worker, which was not killed */
    assert_int_equal(procs.killed, 0);
    assert_int_equal(procs.started, 1);
}

TEST(a_cancelled_job_that_is_not_let_go_of_costs_its_worker)
{
    for (unsigned ahead = 0; ahead < 3; ahead += 2) {
        up(1, ahead);
        procs.grace_ms = 20;
        pool_up();
        struct weft_job *hangs = ask_for_events("hang"), *next = ask("pid");
        wait_for_events(1);
        weft_cancel(&hangs->op, UV_EINTR);
        pool_down();
        assert_int_equal(hangs->op.status, UV_EINTR);
        assert_int_equal(next->op.status, 0);
        assert_int_not_equal(next->pid, hangs->pid);
        assert_int_equal(procs.killed, 1);
    }
}

TEST(jobs_can_be_cancelled_wherever_they_are)
{
    up(1, 2);
    pool_up();
    struct weft_job *first = ask_for_events("hang");
    for (int i = 0; i < 5; i++)
        ask("echo x");
    wait_for_events(1);
    weft_cancel(&jobs[2].op, UV_EINTR); /* ahead */
    weft_cancel(&jobs[5].op, UV_EINTR); /* waiting */
    weft_cancel(&first->op, UV_EINTR);
    pool_down();
    static const int expected[] = {UV_EINTR, 0, UV_EINTR, 0, 0, UV_EINTR};
    for (int i = 0; i < 6; i++)
        assert_int_equal(jobs[i].op.status, expected[i]);
}

static struct weft_deadline deadline;

TEST(a_deadline_on_a_job_is_a_cancel)
{
    up(1, 0);
    pool_up();
    struct weft_job *job = ask("hang");
    weft_deadline(&job->op, &deadline, 10);
    pool_down();
    assert_int_equal(job->op.status, UV_ETIMEDOUT);
}

/* ---- beginning badly ---------------------------------------------------------------------------- */

static void begin_as(const char *how, const char *why, int status, uint64_t ready_ms)
{
    const char *const env[] = {how, NULL};
    up(2, 0);
    procs.env = env;
    procs.ready_ms = ready_ms;
    procs.breaker = 3;
    procs.breaker_ms = 20;
    procs.grace_ms = 10000; /* one that exits is seen to do so */
    pool_up();
    struct weft_job *one = ask("echo x"), *other = ask("echo x");
    pool_down();
    assert_int_equal(one->op.status, WEFT_EBROKEN);
    assert_int_equal(other->op.status, WEFT_EBROKEN);
    assert_string_equal(one->why, why);
    assert_string_equal(procs.why, why);
    assert_int_equal(procs.status, status);
    assert_true(procs.started >= 3 && procs.started <= 4);
    assert_int_equal(procs.refused, 2);
}

TEST(workers_that_do_not_get_ready_break_the_pool)
{
    begin_as("WORKER=mute", "it did not become ready in time", UV_ETIMEDOUT, 30);
    begin_as("WORKER=exit", "exit code 3", WEFT_ECRASHED, 0);
    begin_as("WORKER=garbage", "what it sent is no frame", WEFT_ECRASHED, 0);
    begin_as("WORKER=version", "it speaks another version of the protocol", WEFT_ECRASHED, 0);
    begin_as("WORKER=early", "it spoke before it was ready", WEFT_ECRASHED, 0);
}

static unsigned tries;

static void ask_until_it_works(unsigned index)
{
    if (jobs[index].op.status == 0)
        return;
    tries++;
    over = 0;
    ask(tries < 40 || procs.broken ? "exit 1" : "echo works");
}

/* Jobs crash until the breaker opens; it refuses while it is open; the one try decides. */
TEST(a_broken_pool_refuses_then_tries_and_recovers)
{
    up(1, 0);
    procs.breaker = 3;
    procs.breaker_ms = 5;
    pool_up();
    tries = 0;
    job_told = ask_until_it_works;
    ask("exit 1");
    pool_down();
    assert_result(&jobs[0], "works");
    assert_true(procs.refused > 0);
    assert_false(procs.broken);
    assert_true(procs.started >= 4);
}

TEST(a_job_that_is_done_forgives_crashes)
{
    up(1, 0);
    procs.breaker = 3;
    pool_up();
    for (int i = 0; i < 5; i++) {
        ask("exit 1");
        ask("exit 1");
        ask("echo fine");
    }
    pool_down();
    assert_int_equal(procs.refused, 0);
    for (int i = 2; i < 15; i += 3)
        assert_result(&jobs[i], "fine");
}

TEST(a_worker_without_a_page_gets_one_job_at_a_time)
{
    static const char *const env[] = {"WORKER=blind", NULL};
    up(1, 4);
    procs.env = env;
    pool_up();
    ask("echo one");
    ask("exit 1");
    ask("echo two");
    assert_int_equal(procs.waiting, 3);
    pool_down();
    assert_result(&jobs[0], "one");
    assert_int_equal(jobs[1].op.status, WEFT_ECRASHED);
    assert_result(&jobs[2], "two");
}

/* ---- a worker of one's own ---------------------------------------------------------------------- */

static struct weft_acquire holds[4];
static unsigned granted;

static void hold_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    granted++;
}

static void hold(unsigned index)
{
    holds[index] = (struct weft_acquire){0};
    weft_worker_acquire(root(), &holds[index], &procs, hold_over);
}

static void wait_for_grants(unsigned count)
{
    while (granted < count)
        uv_run(&w.uv, UV_RUN_ONCE);
}

TEST(a_held_worker_is_the_holders_alone)
{
    up(2, 0);
    granted = 0;
    pool_up();
    hold(0);
    wait_for_grants(1);
    assert_true(holds[0].alive);
    assert_int_equal(procs.idle, 0);
    jobs[0].held = &holds[0];
    struct weft_job *mine = ask("pid");
    jobs[1].held = &holds[0];
    struct weft_job *too_many = ask("pid");
    struct weft_job *other = ask("pid");
    while (over < 3)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_worker_release(&holds[0]);
    pool_down();
    assert_int_equal(mine->op.status, 0);
    assert_int_equal(mine->pid, holds[0].pid);
    assert_int_equal(too_many->op.status, UV_EBUSY);
    assert_int_equal(other->op.status, 0);
    assert_int_not_equal(other->pid, holds[0].pid);
    assert_int_equal(procs.started, 2);
}

/* A regression: the pool of the documents gives a released worker to the first who waits, and puts
 * it back among the idle as well. */
TEST(a_released_worker_is_given_once)
{
    up(1, 0);
    granted = 0;
    pool_up();
    hold(0);
    wait_for_grants(1);
    hold(1);
    hold(2);
    weft_worker_release(&holds[0]);
    weft_worker_release(&holds[0]); /* twice: no effect */
    for (int i = 0; i < 10; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(granted, 2);
    assert_int_equal(procs.idle, 0);
    assert_true(holds[1].alive);
    assert_int_equal(holds[1].pid, holds[0].pid);
    assert_false(holds[2].alive);
    weft_worker_release(&holds[0]); /* it is another's now */
    assert_true(holds[1].alive);
    weft_worker_release(&holds[2]); /* which has none */
    assert_int_equal(granted, 2);
    weft_worker_release(&holds[1]);
    wait_for_grants(3);
    weft_worker_release(&holds[2]);
    assert_int_equal(procs.idle, 1);
    weft_procs_close(&procs);
    pool_down();
    assert_int_equal(procs.started, 1);
}

TEST(a_burst_of_acquires_does_not_overshoot)
{
    up(2, 0);
    granted = 0;
    pool_up();
    for (unsigned i = 0; i < 4; i++)
        hold(i);
    assert_int_equal(procs.workers, 2);
    wait_for_grants(2);
    for (int i = 0; i < 10; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(granted, 2);
    assert_int_equal(procs.workers, 2);
    weft_worker_release(&holds[0]);
    weft_worker_release(&holds[1]);
    wait_for_grants(4);
    assert_int_equal(procs.workers, 2);
    weft_worker_release(&holds[2]);
    weft_worker_release(&holds[3]);
    weft_procs_close(&procs);
    pool_down();
    assert_int_equal(procs.started, 2);
}

TEST(a_held_worker_that_dies_gives_its_place_to_others)
{
    up(1, 0);
    granted = 0;
    pool_up();
    open_jobs = 1;
    hold(0);
    wait_for_grants(1);
    kill(holds[0].pid, SIGKILL);
    open_jobs = 0;
    struct weft_job *waits = ask("echo served");
    while (waits->op.state_ != 0 && holds[0].alive)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_false(holds[0].alive);
    jobs[1].held = &holds[0];
    struct weft_job *mine = ask("echo mine");
    pool_down();
    assert_result(waits, "served");
    assert_int_equal(mine->op.status, WEFT_ECRASHED);
    assert_string_equal(mine->why, "its worker is gone");
    weft_worker_release(&holds[0]);
}

TEST(a_close_waits_for_workers_that_are_held_and_a_cancel_does_not)
{
    for (int round = 0; round < 2; round++) {
        up(1, 0);
        granted = 0;
        pool_up();
        hold(0);
        wait_for_grants(1);
        weft_procs_close(&procs);
        for (int i = 0; i < 10; i++)
            uv_run(&w.uv, UV_RUN_NOWAIT);
        assert_int_equal(pool_status, 1);
        assert_true(holds[0].alive);
        if (round == 0)
            weft_worker_release(&holds[0]);
        else
            weft_cancel(&procs.op, UV_EINTR);
        pool_down();
        assert_int_equal(pool_status, round == 0 ? 0 : UV_EINTR);
        assert_false(holds[0].alive);
        weft_worker_release(&holds[0]);
    }
}

TEST(a_job_on_a_released_worker_still_ends_and_nobody_else_gets_it_before)
{
    up(1, 0);
    granted = 0;
    pool_up();
    hold(0);
    wait_for_grants(1);
    jobs[0].held = &holds[0];
    struct weft_job *mine = ask("spin 10");
    weft_worker_release(&holds[0]);
    struct weft_job *next = ask("echo next");
    pool_down();
    assert_result(mine, "spun");
    assert_result(next, "next");
    assert_int_equal(order[0], 0);
    assert_int_equal(procs.started, 1);
}
