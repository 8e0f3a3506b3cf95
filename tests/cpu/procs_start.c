/* What a worker starts with, and what becomes of one that cannot be started. Not under valgrind:
 * there a clone is a fork, so an error of the child's is only seen by its exit; and its own
 * descriptors are above any limit.
 * ctest: timeout=120 shuffle=no */
#include "pool.h"

TEST(limits_niceness_processors_and_folder_are_the_workers_own)
{
    pool_init(1);
    procs.limits = (struct weft_procs_limits){.cpu_s = 100, .files = 50};
    procs.nice = 3;
    procs.affinity = 1;
    procs.cwd = "/usr";
    pool_up();
    struct weft_job *job = ask("look limits");
    pool_down();
    assert_int_equal(job->op.status, 0);
    char text[256];
    snprintf(text, sizeof text, "%.*s", WEFT_TEXT_ARGS(job->result));
    assert_non_null(strstr(text, "cpu 100 "));
    assert_non_null(strstr(text, "files 50 core 0 nice"));
    assert_non_null(strstr(text, "processors 1 in /usr"));
    char nice_text[32];
    snprintf(nice_text, sizeof nice_text, " nice %d ", getpriority(PRIO_PROCESS, 0) + 3);
    assert_non_null(strstr(text, nice_text)); /* and ours is as it was */
    results_free();
}

TEST(a_program_that_is_not_there_breaks_the_pool_and_says_so)
{
    static const char *const here[] = {"/no/such/program", NULL}, *const there[] = {"no-such-weft",
                                                                                    NULL};
    static const char *const *const cases[] = {here, there};
    for (int i = 0; i < 2; i++) {
        pool_init(1);
        procs.backoff_ms = 1;
        procs.args = cases[i];
        procs.breaker = 3;
        pool_up();
        struct weft_job *job = ask("echo x");
        pool_down();
        assert_int_equal(job->op.status, WEFT_EBROKEN);
        assert_string_equal(job->why, "no such file or directory");
        assert_int_equal(procs.status, UV_ENOENT);
        assert_int_equal(procs.started, 0);
    }
}

TEST(a_folder_that_is_not_there_is_an_error_of_the_start)
{
    pool_init(1);
    procs.backoff_ms = 1;
    procs.cwd = "/no/such/folder";
    procs.breaker = 1;
    pool_up();
    struct weft_job *job = ask("echo x");
    pool_down();
    assert_int_equal(job->op.status, WEFT_EBROKEN);
    assert_int_equal(procs.status, UV_ENOENT);
}

TEST(a_program_without_a_slash_is_looked_for_in_the_path_of_its_environment)
{
    static const char *const args[] = {"sh", "-c", "exit 9", NULL};
    static const char *const env[] = {"PATH=/nowhere:/usr/bin:/bin", NULL};
    pool_init(1);
    procs.args = args;
    procs.env = env;
    procs.breaker = 1;
    pool_up();
    struct weft_job *job = ask("echo x");
    pool_down();
    assert_int_equal(job->op.status, WEFT_EBROKEN);
    assert_string_equal(job->why, "exit code 9");
}

/* The output of a worker, and its errors, where they are wanted: also if both are the numbers that
 * the child needs for something else. */
TEST(output_and_errors_go_where_they_are_wanted)
{
    static const char *const args[] = {"sh", "-c", "echo out; echo err >&2; exit 9", NULL};
    int out[2], err[2];
    char text[16] = "";
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pool_init(1);
    procs.args = args;
    procs.breaker = 1;
    procs.out = out[1];
    procs.err = err[1];
    pool_up();
    ask("echo x");
    pool_down();
    assert_int_equal(read(out[0], text, sizeof text), 4);
    assert_memory_equal(text, "out\n", 4);
    assert_int_equal(read(err[0], text, sizeof text), 4);
    assert_memory_equal(text, "err\n", 4);
    for (int i = 0; i < 2; i++) {
        close(out[i]);
        close(err[i]);
    }
}

/* A second of real computing: nothing less is counted. */
TEST(a_worker_that_computes_for_too_long_is_ended_by_the_kernel)
{
    pool_init(1);
    procs.limits.cpu_s = 1;
    procs.backoff_ms = 1;
    pool_up();
    struct weft_job *job = ask("burn");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_true(job->term_signal == SIGXCPU || job->term_signal == SIGKILL);
}

/* ---- in virtual time: nothing can be started, so nothing real happens ------------------------------- */

static uint64_t broken_at;

static void note_when(unsigned index)
{
    (void)index;
    broken_at = weft_now(&w.loop);
}

static void up_in_virtual_time(void)
{
    static const char *const args[] = {"/no/such/program", NULL};
    pool_init(2);
    procs.args = args;
    job_told = note_when;
    world_up_sim(&w, 0);
    weft_procs(root(), &procs, pool_over);
}

TEST(pauses_double_until_the_pool_is_broken)
{
    up_in_virtual_time();
    procs.backoff_ms = 100;
    struct weft_job *job = ask("x");
    world_down(&w);
    assert_int_equal(job->op.status, WEFT_EBROKEN);
    assert_int_equal(broken_at, 100 + 200 + 400); /* before the third, fourth and fifth try */
}

TEST(pauses_do_not_grow_beyond_their_maximum)
{
    up_in_virtual_time();
    procs.backoff_ms = 100;
    procs.backoff_max_ms = 150;
    procs.breaker = 6;
    struct weft_job *job = ask("x");
    world_down(&w);
    assert_int_equal(job->op.status, WEFT_EBROKEN);
    assert_int_equal(broken_at, 100 + 150 + 150 + 150);
}

TEST(a_broken_pool_refuses_at_once_and_tries_again_after_its_time)
{
    up_in_virtual_time();
    procs.breaker = 1;
    procs.breaker_ms = 5000;
    open_jobs = 1; /* keep it open */
    ask("x");
    weft_sim_advance(&w.sim, 100);
    assert_int_equal(over, 1);
    assert_true(procs.broken);
    open_jobs = 2;
    jobs[2].input = "x";
    weft_job(root(), &jobs[2], &procs, job_over);
    assert_int_equal(jobs[2].op.status, WEFT_EBROKEN); /* decided, without waiting */
    assert_string_equal(jobs[2].why, "no such file or directory");
    weft_sim_advance(&w.sim, 5000);
    assert_false(procs.broken); /* the next one is tried */
    open_jobs = 1;
    jobs[3].input = "x";
    weft_job(root(), &jobs[3], &procs, job_over);
    assert_int_equal(jobs[3].op.status, WEFT_EBROKEN); /* and in vain */
    assert_true(procs.broken);
    world_down(&w);
    assert_int_equal(procs.refused, 3);
}
