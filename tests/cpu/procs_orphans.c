/* Nothing is left behind if the process with the pool is killed: not workers that are idle, nor
 * busy, nor stopped. The pool is in a child of the test's; this process is the one that orphans are
 * given to, so that it sees of what they die.
 * ctest: timeout=120 */
#include "pool.h"
#include <sys/prctl.h>

enum { WORKERS = 3 };

static int told_to;
static unsigned started;
static struct weft_acquire holds[WORKERS];

static void told(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    int pid = weft_owner(op, struct weft_acquire, op)->pid;
    ssize_t done = write(told_to, &pid, sizeof pid);
    (void)done;
    started++;
}

static bool stopped_or_busy(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)kind;
    (void)data;
    if (job == &jobs[1])
        kill(job->pid, SIGSTOP);
    if (++started == WORKERS + 2) {
        int all = 0;
        ssize_t done = write(told_to, &all, sizeof all);
        (void)done;
    }
    return true;
}

/* The first worker is idle, the second is stopped in its job, the third computes. */
__attribute__((noreturn)) static void be_the_pool(int to)
{
    told_to = to;
    pool_init(WORKERS);
    pool_up();
    for (int i = 0; i < WORKERS; i++)
        weft_worker_acquire(root(), &holds[i], &procs, told);
    while (started < WORKERS)
        uv_run(&w.uv, UV_RUN_ONCE);
    for (int i = 1; i < WORKERS; i++) {
        jobs[i].held = &holds[i];
        jobs[i].input = "hang";
        jobs[i].input_size = 4;
        jobs[i].on_event = stopped_or_busy;
        weft_job(root(), &jobs[i], &procs, job_over);
    }
    weft_loop_run(&w.loop);
    _exit(1);
}

static void read_number(int from, int *number)
{
    assert_int_equal(read(from, number, sizeof *number), sizeof *number);
}

TEST(no_worker_outlives_a_pool_that_was_killed)
{
    int ends[2], pids[WORKERS], all, status, killed = 0;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t pool = fork();
    if (pool == 0) {
        close(ends[0]);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        be_the_pool(ends[1]);
    }
    close(ends[1]);
    for (int i = 0; i < WORKERS; i++)
        read_number(ends[0], &pids[i]);
    read_number(ends[0], &all);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(kill(pids[i], 0), 0);
    assert_int_equal(kill(pool, SIGKILL), 0);
    assert_int_equal(waitpid(pool, &status, 0), pool);
    assert_true(WIFSIGNALED(status));
    for (int i = 0; i < WORKERS; i++) { /* would hang if one lived on; the test has a limit */
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
    assert_true(killed >=
                WORKERS - 1); /* the idle one may have seen the end of its channel first */
    close(ends[0]);
    assert_true(is_childless());
}
