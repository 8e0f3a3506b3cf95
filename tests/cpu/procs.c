/* A pool of processes: what it does when all goes well, and what it says when it does not.
 * ctest: labels=valgrind-long timeout=120 */
#include "pool.h"

TEST(a_job_is_done_by_another_process)
{
    pool_init(1);
    pool_up();
    struct weft_job *echo = ask("echo hello"), *pid = ask("pid");
    pool_down();
    assert_int_equal(pool_status, 0);
    assert_result(echo, "hello");
    assert_int_equal(pid->op.status, 0);
    assert_int_not_equal(atoi(pid->result.data), getpid());
    assert_int_equal(procs.started, 1);
    assert_int_equal(procs.done, 2);
    assert_int_equal(procs.died, 0);
    results_free();
}

TEST(a_worker_that_says_it_failed_is_believed)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("fail no such thing\x1b[m"), *next = ask("echo next");
    pool_down();
    assert_int_equal(job->op.status, WEFT_EJOB);
    assert_string_equal(job->why, "no such thing?[m");
    assert_result(next, "next");
    assert_int_equal(procs.started, 1);
}

static unsigned events;
static bool in_order;
static uint32_t last_kind;

static bool count_event(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    char text[32];
    (void)job;
    snprintf(text, sizeof text, "%u", events);
    in_order &= weft_text_starts(data, text);
    last_kind = kind;
    events++;
    return true;
}

static struct weft_job *ask_for_events(const char *what)
{
    events = 0;
    in_order = true;
    jobs[over + open_jobs].on_event = count_event;
    return ask(what);
}

TEST(events_come_one_by_one_and_before_the_end)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask_for_events("events 1000");
    pool_down();
    assert_result(job, "emitted");
    assert_int_equal(events, 1000);
    assert_true(in_order);
    assert_int_equal(last_kind, 7);
}

TEST(events_that_nobody_wants_are_thrown_away)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("events 1000");
    pool_down();
    assert_result(job, "emitted");
}

/* ---- large things ----------------------------------------------------------------------------- */

static void check_pattern(struct weft_text data, size_t size)
{
    assert_int_equal(data.size, size);
    for (size_t i = 0; i < size; i++) {
        if (data.data[i] != (char)(i * 31))
            fail_msg("byte %zu is wrong", i);
    }
}

TEST(results_of_every_size_arrive_whole)
{
    static const struct {
        const char *what;
        size_t size;
    } cases[] = {{"large 1", 1},
                 {"large 64", 64},
                 {"large 65", 65},
                 {"large 65440", 65440},
                 {"large 65536", 65536},
                 {"large 65537", 65537},
                 {"large 3000000", 3000000}};
    pool_init(2);
    procs.ahead = 3;
    pool_up();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ask(cases[i].what);
    pool_down();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(jobs[i].op.status, 0);
        check_pattern(jobs[i].result, cases[i].size);
    }
    results_free();
}

TEST(inputs_of_every_size_arrive_whole)
{
    static const size_t sizes[] = {256, 65535, 65536, 65537, 1000003, 65537, 300};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    static unsigned char bytes[1000003];
    unsigned long sums[COUNT];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    pool_init(1);
    procs.ahead = 4;
    pool_up();
    for (int i = 0; i < COUNT; i++) {
        struct weft_job *job = &jobs[open_jobs++];
        sums[i] = 0;
        for (size_t k = 0; k < sizes[i]; k++)
            sums[i] += bytes[k];
        job->input = bytes;
        job->input_size = sizes[i];
        weft_job(root(), job, &procs, job_over);
    }
    pool_down();
    for (int i = 0; i < COUNT; i++) {
        char text[32];
        snprintf(text, sizeof text, "%lu", sums[i]);
        assert_result(&jobs[i], text);
    }
}

TEST(a_payload_is_built_in_place_and_used_again)
{
    struct weft_payload payload;
    char text[32];
    assert_int_equal(weft_payload_open(&payload, 1 << 20), 0);
    for (int round = 1; round <= 2; round++) {
        memset(payload.data, round, payload.size);
        pool_init(1);
        pool_up();
        jobs[0].payload = &payload;
        jobs[1].payload = &payload;
        jobs[1].input_size = 1000;
        for (int i = 0; i < 2; i++, open_jobs++)
            weft_job(root(), &jobs[i], &procs, job_over);
        pool_down();
        snprintf(text, sizeof text, "%d", round << 20);
        assert_result(&jobs[0], text);
        snprintf(text, sizeof text, "%d", round * 1000);
        assert_result(&jobs[1], text);
    }
    weft_payload_close(&payload);
    weft_payload_close(&payload);
    assert_null(payload.data);
}

TEST(a_payload_of_no_size_or_too_large_is_refused)
{
    struct weft_payload payload;
    assert_int_equal(weft_payload_open(&payload, 0), UV_EINVAL);
    assert_int_equal(weft_payload_open(&payload, (size_t)WEFT_PAYLOAD_MAX + 1), UV_EINVAL);
    assert_null(payload.data);
}

TEST(large_events_are_there_until_the_callback_returns)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask_for_events("blocks 20");
    pool_down();
    assert_result(job, "emitted");
    assert_int_equal(events, 20);
    assert_true(in_order);
}

TEST(large_events_that_nobody_wants_are_let_go)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("blocks 20");
    pool_down(); /* counts descriptors */
    assert_result(job, "emitted");
}

/* ---- backpressure ----------------------------------------------------------------------------- */

static struct weft_sleep pause_over;
static unsigned pauses;
static struct weft_job *paused_job;

static void resume_job(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_job_resume(paused_job);
}

static long resident_pages(void)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages;
}

/* Every third event is too much for now. */
static bool slow_consumer(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    count_event(job, kind, data);
    if (events % 3 != 0)
        return true;
    pauses++;
    paused_job = job;
    weft_sleep(root(), &pause_over, 1, resume_job);
    return false;
}

TEST(a_slow_consumer_holds_its_worker_up_and_needs_no_memory)
{
    pool_init(1);
    pool_up();
    events = pauses = 0;
    in_order = true;
    jobs[0].on_event = slow_consumer;
    long before = resident_pages();
    struct weft_job *job = ask("flood 300"); /* 10 MB in all */
    pool_down();
    assert_result(job, "emitted");
    assert_int_equal(events, 300);
    assert_int_equal(pauses, 100);
    assert_true(in_order);
#ifndef __SANITIZE_ADDRESS__
    assert_true(resident_pages() - before < (8 << 20) / 4096);
#else
    (void)before;
#endif
}

static struct weft_sleep look_later;
static unsigned events_then;

static void look_at_paused(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    events_then = events;
    weft_cancel(&jobs[0].op, UV_ECANCELED);
}

static bool never_again(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    count_event(job, kind, data);
    weft_sleep(root(), &look_later, 30, look_at_paused);
    return false;
}

/* A real pause of some milliseconds: nothing may come in that time. */
TEST(a_paused_job_gets_no_more_events_and_can_be_cancelled)
{
    pool_init(1);
    pool_up();
    events = 0;
    in_order = true;
    jobs[0].on_event = never_again;
    struct weft_job *job = ask("flood 1000");
    struct weft_job *next = ask("echo next");
    pool_down();
    assert_int_equal(events_then, 1);
    assert_int_equal(events, 1);
    assert_int_equal(job->op.status, UV_ECANCELED);
    assert_result(next, "next");
}

static void resume_the_dead(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    assert_int_equal(jobs[0].op.state_ != 0, true); /* it still runs, for us */
    weft_job_resume(&jobs[0]);
}

static bool pause_at_first(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)job;
    (void)kind;
    (void)data;
    weft_sleep(root(), &look_later, 30, resume_the_dead);
    return events++ > 0;
}

/* In real time: the worker dies meanwhile. */
TEST(a_worker_that_dies_while_its_job_is_paused_is_told_after_the_pause)
{
    pool_init(1);
    pool_up();
    events = 0;
    jobs[0].on_event = pause_at_first;
    struct weft_job *job = ask("event-then");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 3);
    assert_int_equal(events, 1);
}

/* ---- a conversation --------------------------------------------------------------------------- */

static bool answer(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    assert_int_equal(kind, events + 1);
    assert_true(weft_text_is(data, "ping"));
    events++;
    assert_int_equal(weft_job_send(job, events < 20 ? events + 1 : 0, "ping", 4), 0);
    return true;
}

TEST(a_job_can_be_talked_to)
{
    pool_init(1);
    pool_up();
    events = 0;
    jobs[0].on_event = answer;
    assert_int_equal(weft_job_send(&jobs[0], 1, "ping", 4), UV_ENOTCONN);
    struct weft_job *job = ask("talk");
    assert_int_equal(weft_job_send(job, 1, "ping", 4), UV_ENOTCONN); /* no worker has it yet */
    while (weft_job_send(job, 1, "ping", 4) == UV_ENOTCONN)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_int_equal(weft_job_send(job, 1, "ping", 100000), UV_EINVAL);
    assert_int_equal(weft_job_send(job, 1, NULL, 1), UV_EINVAL);
    pool_down();
    assert_result(job, "bye");
    assert_int_equal(events, 20);
}

/* ---- what a worker starts with ----------------------------------------------------------------- */

TEST(a_worker_has_five_descriptors_and_no_others)
{
    int mine[20];
    for (int i = 0; i < 20; i++)
        mine[i] = open("/dev/null", O_RDONLY); /* without close-on-exec */
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("look descriptors");
    pool_down();
    for (int i = 0; i < 20; i++)
        close(mine[i]);
    /* C workers close the page's, once they have mapped it. */
    assert_result(job, "0 1 2 3 ");
}

TEST(a_worker_has_a_clean_environment)
{
    static const char *const env[] = {"COLOUR=blue", "SHAPE", "HOME=/nowhere", NULL};
    setenv("SECRET", "xyzzy", 1);
    setenv("SHAPE", "round", 1);
    setenv("LC_TIME", "C", 1);
    pool_init(1);
    procs.env = env;
    pool_up();
    struct weft_job *job = ask("look environment");
    pool_down();
    assert_int_equal(job->op.status, 0);
    char text[4096];
    snprintf(text, sizeof text, "%.*s", WEFT_TEXT_ARGS(job->result));
    assert_null(strstr(text, "SECRET"));
    assert_non_null(strstr(text, "COLOUR=blue\n"));
    assert_non_null(strstr(text, "SHAPE=round\n"));
    assert_non_null(strstr(text, "HOME=/nowhere\n"));
    assert_non_null(strstr(text, "LC_TIME=C\n"));
    assert_non_null(strstr(text, "PATH="));
    assert_null(strstr(text, "WEFT_")); /* that is between the library and itself */
    unsetenv("LC_TIME");
    results_free();
}

TEST(a_worker_has_all_signals_as_by_default)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    void (*was)(int) = signal(SIGUSR2, SIG_IGN);
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("look signals");
    pool_down();
    signal(SIGUSR2, was);
    sigset_t now;
    sigprocmask(SIG_SETMASK, &before, &now);
    assert_int_equal(sigismember(&now, SIGUSR1), 1);
    assert_int_equal(sigismember(&now, SIGTERM), 0);
    assert_result(job, "all as by default");
}

/* ---- one after the other ---------------------------------------------------------------------- */

TEST(two_workers_take_two_jobs_and_the_third_waits)
{
    pool_init(2);
    procs.min = 2;
    pool_up();
    assert_int_equal(procs.workers, 2); /* those that start count */
    assert_int_equal(procs.starting, 2);
    while (procs.idle < 2)
        uv_run(&w.uv, UV_RUN_ONCE);
    ask("spin 20");
    ask("spin 20");
    ask("pid");
    assert_int_equal(procs.running, 2);
    assert_int_equal(procs.waiting, 1);
    pool_down();
    assert_int_equal(procs.started, 2);
    assert_result(&jobs[0], "spun");
    assert_result(&jobs[1], "spun");
    assert_int_equal(jobs[2].op.status, 0);
    assert_int_not_equal(jobs[0].pid, jobs[1].pid);
}

static unsigned most_workers;

static void look_at_workers(unsigned index)
{
    (void)index;
    most_workers = procs.workers > most_workers ? procs.workers : most_workers;
}

/* A regression: the pool of the documents starts a worker for each of a burst. */
TEST(a_burst_does_not_overshoot_the_maximum)
{
    pool_init(2);
    most_workers = 0;
    pool_up();
    job_told = look_at_workers;
    for (int i = 0; i < 40; i++) {
        ask("echo x");
        assert_true(procs.workers <= 2);
    }
    pool_down();
    assert_int_equal(over, 40);
    assert_int_equal(procs.started, 2);
    assert_true(most_workers <= 2);
}

TEST(no_more_wait_than_the_limit_and_the_rest_is_told_at_once)
{
    pool_init(1);
    procs.limit = 3;
    pool_up();
    for (int i = 0; i < 6; i++)
        ask("echo x");
    pool_down();
    assert_int_equal(over, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(jobs[i].op.status, i < 3 ? 0 : UV_ENOBUFS);
    assert_true(order[0] >= 3); /* before anything was done */
    assert_int_equal(procs.refused, 3);
}

TEST(a_smaller_rank_is_first)
{
    static const unsigned ranks[] = {5, 7, 0, 5, 1};
    pool_init(1);
    pool_up();
    for (int i = 0; i < 5; i++) {
        jobs[i].rank = ranks[i];
        ask("echo x");
    }
    pool_down();
    static const unsigned expected[] = {2, 4, 0, 3, 1};
    for (int i = 0; i < 5; i++)
        assert_int_equal(order[i], expected[i]);
}

static unsigned rank_zeros;

static void ask_another_zero(unsigned index)
{
    if (index == 0 || jobs[0].op.state_ == 0)
        return;
    rank_zeros++;
    assert_true(rank_zeros < 100000);
    over = 1; /* the same place again */
    open_jobs = 1;
    ask("echo x");
    over = 0;
}

/* In real time, with a rank that is worth a millisecond. */
TEST(nobody_waits_for_ever)
{
    pool_init(1);
    procs.age_ms = 1;
    pool_up();
    rank_zeros = 0;
    jobs[0].rank = 7;
    ask("echo old");
    job_told = ask_another_zero;
    ask("echo new");
    pool_down();
    assert_result(&jobs[0], "old");
}

TEST(workers_are_reused_and_given_up_after_so_many_jobs)
{
    pool_init(1);
    procs.max_jobs = 3;
    pool_up();
    for (int i = 0; i < 7; i++)
        ask("pid");
    pool_down();
    assert_int_equal(procs.started, 3);
    assert_int_equal(jobs[0].pid, jobs[2].pid);
    assert_int_not_equal(jobs[2].pid, jobs[3].pid);
    assert_int_equal(procs.died, 0);
}

TEST(with_jobs_ahead_nobody_gets_more_than_so_many_either)
{
    pool_init(1);
    procs.max_jobs = 3;
    procs.ahead = 10;
    pool_up();
    for (int i = 0; i < 7; i++)
        ask("pid");
    pool_down();
    assert_int_equal(procs.started, 3);
    assert_int_equal(jobs[0].pid, jobs[2].pid);
    assert_int_not_equal(jobs[2].pid, jobs[3].pid);
}

TEST(a_worker_that_has_grown_too_large_is_replaced)
{
    pool_init(1);
    procs.max_rss = 200 << 20;
    pool_up();
    ask("echo x");
    ask("grow 300");
    ask("echo y");
    pool_down();
    assert_int_equal(jobs[0].pid, jobs[1].pid);
    assert_int_not_equal(jobs[1].pid, jobs[2].pid);
    assert_int_equal(procs.started, 2);
}

static void wait_for_workers(unsigned count)
{
    while (procs.workers != count || procs.starting != 0)
        uv_run(&w.uv, UV_RUN_ONCE);
}

/* In real time: processes come and go. */
TEST(idle_workers_end_down_to_the_minimum)
{
    pool_init(3);
    procs.min = 1;
    procs.idle_ms = 5;
    pool_up();
    open_jobs = 1; /* keep it open */
    wait_for_workers(1);
    for (int i = 0; i < 3; i++)
        ask("spin 10");
    assert_int_equal(procs.workers, 3);
    while (over < 3)
        uv_run(&w.uv, UV_RUN_ONCE);
    wait_for_workers(1);
    assert_int_equal(procs.idle, 1);
    weft_procs_close(&procs);
    pool_down();
    assert_int_equal(procs.died, 0);
    assert_int_equal(procs.killed, 0);
}

TEST(an_old_worker_is_replaced)
{
    pool_init(1);
    procs.min = 1;
    procs.max_age_ms = 20;
    pool_up();
    open_jobs = 1;
    while (procs.started < 3)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_procs_close(&procs);
    pool_down();
    assert_int_equal(procs.died, 0);
}

/* ---- its end ---------------------------------------------------------------------------------- */

TEST(a_close_lets_all_jobs_end_and_takes_no_more)
{
    pool_init(1);
    pool_up();
    for (int i = 0; i < 5; i++)
        ask("echo x");
    weft_procs_close(&procs);
    ask("echo too late");
    pool_down();
    for (int i = 0; i < 5; i++)
        assert_int_equal(jobs[i].op.status, 0);
    assert_int_equal(jobs[5].op.status, WEFT_ESTOPPED);
    assert_int_equal(pool_status, 0);
    assert_int_equal(procs.killed, 0);
}

TEST(a_cancel_kills_all_and_jobs_end_with_its_reason)
{
    pool_init(2);
    pool_up();
    for (int i = 0; i < 5; i++)
        ask_for_events("hang");
    while (events < 2)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_cancel(&procs.op, UV_EINTR);
    pool_down();
    assert_int_equal(pool_status, UV_EINTR);
    assert_int_equal(over, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(jobs[i].op.status, UV_EINTR);
}

TEST(a_worker_that_does_not_end_is_killed_after_its_grace)
{
    pool_init(1);
    procs.grace_ms = 10;
    pool_up();
    ask("orphan"); /* its exit is seen although something holds its channel */
    ask_for_events("hang");
    while (events == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_procs_close(&procs);
    weft_cancel(&jobs[1].op, UV_ECANCELED);
    pool_down();
    assert_int_equal(jobs[0].op.status, WEFT_ECRASHED);
    assert_int_equal(jobs[0].exit_code, 7);
    assert_int_equal(jobs[1].op.status, UV_ECANCELED);
    assert_int_equal(procs.killed, 1);
}

TEST(nonsense_is_refused)
{
    static const char *const none[] = {NULL}, *const empty[] = {"", NULL};
    struct {
        const char *const *args;
        unsigned min, max, ahead;
        const char *why;
    } cases[] = {{NULL, 0, 1, 0, "there is no program to run"},
                 {none, 0, 1, 0, "there is no program to run"},
                 {empty, 0, 1, 0, "there is no program to run"},
                 {self(), 0, 0, 0, "max is 0 or too large"},
                 {self(), 0, WEFT_PROCS_MAX + 1, 0, "max is 0 or too large"},
                 {self(), 2, 1, 0, "min is larger than max"},
                 {self(), 0, 1, WEFT_PROCS_AHEAD + 1, "ahead is too large"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pool_init(cases[i].max);
        procs.args = cases[i].args;
        procs.min = cases[i].min;
        procs.ahead = cases[i].ahead;
        pool_up();
        struct weft_job *job = ask("echo x");
        pool_down();
        assert_int_equal(pool_status, UV_EINVAL);
        assert_string_equal(procs.why, cases[i].why);
        assert_int_equal(job->op.status, WEFT_ESTOPPED);
    }
}

TEST(jobs_that_make_no_sense_are_refused)
{
    struct weft_payload payload;
    assert_int_equal(weft_payload_open(&payload, 100), 0);
    pool_init(1);
    pool_up();
    jobs[0].rank = WEFT_PROCS_RANKS;
    ask("x");
    jobs[1].payload = &payload;
    ask("input and payload");
    open_jobs += 4;
    jobs[2].payload = &payload;
    jobs[2].input_size = 101;
    weft_job(root(), &jobs[2], &procs, job_over);
    jobs[3].input = "x";
    jobs[3].input_size = (size_t)WEFT_PAYLOAD_MAX + 1;
    weft_job(root(), &jobs[3], &procs, job_over);
    jobs[4].input_size = 3;
    weft_job(root(), &jobs[4], &procs, job_over);
    weft_job(root(), &jobs[5], NULL, job_over);
    pool_down();
    static const int expected[] = {UV_EINVAL, UV_EINVAL, UV_E2BIG, UV_E2BIG, UV_EINVAL, UV_EINVAL};
    for (int i = 0; i < 6; i++)
        assert_int_equal(jobs[i].op.status, expected[i]);
    weft_payload_close(&payload);
}

TEST(an_empty_input_is_one_too)
{
    pool_init(1);
    pool_up();
    struct weft_job *job = ask("");
    pool_down();
    assert_result(job, "");
}

TEST(a_worker_program_by_hand_says_that_nobody_has_started_it)
{
    assert_int_equal(weft_worker_run(serve_words, NULL), UV_ENOTCONN);
    assert_int_equal(weft_worker_run(NULL, NULL), UV_EINVAL);
}
