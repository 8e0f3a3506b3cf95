/* ctest: labels=valgrind-long timeout=120 */
/* Child processes, with real children: sh, cat, true. */
#include "../lib/check.h"
#include "../lib/fault.h"
#include "../lib/loop.h"
#include "../lib/provider.h"
#include "../lib/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft.h>

/* A child with its output read to the end: what most tests need. */
struct run {
    struct weft_op op;
    struct weft_process process;
    struct weft_stream out;
    struct weft_read_all all;
    void (*ready)(struct run *run); /* the first line of output has come */
    struct weft_read first;
    char byte;
    int status;
};

static void part_over(struct weft_op *op, struct weft_op *part)
{
    struct run *run = weft_owner(op, struct run, op);
    if (part == &run->process.op)
        run->status = part->status;
    if (weft_running(op) == 1 && run->out.op.state_ != 0)
        weft_stream_close(&run->out); /* both the child and its output have ended */
}

static void first_byte(struct weft_op *op, struct weft_op *read)
{
    struct run *run = weft_owner(op, struct run, op);
    assert_int_equal(read->status, 0);
    run->ready(run);
    weft_read_all(op, &run->all, &run->out, 1 << 20, part_over);
}

static void stream_over(struct weft_op *op, struct weft_op *stream)
{
    (void)op;
    (void)stream;
}

static void run_begin(struct weft_op *op)
{
    struct run *run = weft_owner(op, struct run, op);
    weft_stream_open(op, &run->out, stream_over);
    run->process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &run->out};
    weft_run(op, &run->process.op, weft_process_begin, part_over);
    if (run->ready != NULL)
        weft_read(op, &run->first, &run->out, &run->byte, 1, first_byte);
    else
        weft_read_all(op, &run->all, &run->out, 1 << 20, part_over);
    weft_join(op);
}

/* Runs to its end; the output is in run->all. */
static void run_child(struct run *run)
{
    struct world w;
    world_up(&w);
    weft_run(weft_root(&w.loop), &run->op, run_begin, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left, not even a zombie */
    assert_int_equal(errno, ECHILD);
}

static void run_shell(struct run *run, const char *script)
{
    const char *args[] = {"sh", "-c", script, NULL};
    run->process.args = args;
    run_child(run);
}

TEST(a_child_that_exits_with_0_succeeds)
{
    struct run run = {0};
    run_shell(&run, "echo hello");
    assert_int_equal(run.status, 0);
    assert_int_equal(run.process.exit_code, 0);
    assert_int_equal(run.process.term_signal, 0);
    assert_string_equal(run.all.data, "hello\n");
    weft_read_all_free(&run.all);
}

TEST(another_exit_code_is_an_error_that_tells_it)
{
    struct run run = {0};
    run_shell(&run, "exit 3");
    assert_int_equal(run.status, WEFT_EEXIT);
    assert_int_equal(run.process.exit_code, 3);
    weft_read_all_free(&run.all);
}

TEST(a_child_killed_by_a_signal_tells_which)
{
    struct run run = {0};
    run_shell(&run, "kill -9 $$");
    assert_int_equal(run.status, WEFT_EEXIT);
    assert_int_equal(run.process.exit_code, -1);
    assert_int_equal(run.process.term_signal, SIGKILL);
    weft_read_all_free(&run.all);
}

TEST(a_program_that_does_not_exist_is_enoent_and_its_pipe_ends)
{
    struct run run = {0};
    const char *args[] = {"/no/such/program", NULL};
    run.process.args = args;
    run_child(&run);
    assert_int_equal(run.status, UV_ENOENT);
    assert_int_equal(run.all.op.status, 0);
    assert_int_equal(run.all.size, 0);
    weft_read_all_free(&run.all);
}

TEST(environment_and_working_directory_are_the_childs_own)
{
    struct run run = {0};
    const char *env[] = {"COLOUR=blue", "PATH=/usr/bin:/bin", NULL};
    run.process.env = env;
    run.process.cwd = "/usr";
    run_shell(&run, "echo $COLOUR $HOME; pwd");
    assert_string_equal(run.all.data, "blue\n/usr\n");
    weft_read_all_free(&run.all);
}

TEST(a_working_directory_that_does_not_exist_is_an_error)
{
    struct run run = {0};
    run.process.cwd = "/no/such/folder";
    run_shell(&run, "true");
    assert_int_equal(run.status, UV_ENOENT);
    weft_read_all_free(&run.all);
}

TEST(what_is_not_said_is_dev_null)
{
    struct run run = {0};
    run_shell(&run, "wc -c; readlink /proc/self/fd/2");
    assert_string_equal(run.all.data, "0\n/dev/null\n");
    weft_read_all_free(&run.all);
}

TEST(the_child_has_no_descriptors_but_its_three)
{
    struct run run = {0};
    run_shell(&run, "for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && echo $fd; done");
    assert_string_equal(run.all.data, "0\n1\n2\n");
    weft_read_all_free(&run.all);
}

TEST(a_descriptor_can_be_given_and_stays_ours)
{
    char path[SCRATCH_PATH];
    int fd = open(scratch_path(path, "errors"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    struct run run = {0};
    run.process.err = (struct weft_stdio){.kind = WEFT_STDIO_FD, .fd = fd};
    run_shell(&run, "echo to the file >&2");
    assert_int_equal(close(fd), 0); /* still open: it is ours to close */
    scratch_equals(path, "to the file\n");
    weft_read_all_free(&run.all);
}

/* ---- errors where the output goes ----------------------------------------------------------- */

static const char in_turn[] = "echo 1; echo 2 >&2; echo 3; echo 4 >&2";

TEST(errors_can_go_into_the_outputs_pipe_in_order)
{
    struct run run = {0};
    run.process.err = (struct weft_stdio){.kind = WEFT_STDIO_OUT};
    run_shell(&run, in_turn);
    assert_string_equal(run.all.data, "1\n2\n3\n4\n");
    weft_read_all_free(&run.all);
}

static void run_plain_shell(struct weft_process *process, const char *script)
{
    struct world w;
    const char *args[] = {"sh", "-c", script, NULL};
    world_up(&w);
    weft_process(weft_root(&w.loop), process, args, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(errors_can_go_into_the_outputs_file_in_order)
{
    char path[SCRATCH_PATH];
    int fd = open(scratch_path(path, "both"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    struct weft_process process = {.out = {.kind = WEFT_STDIO_FD, .fd = fd},
                                   .err = {.kind = WEFT_STDIO_OUT}};
    run_plain_shell(&process, in_turn);
    assert_int_equal(close(fd), 0);
    scratch_equals(path, "1\n2\n3\n4\n");
}

TEST(errors_can_go_to_the_parents_own_output)
{
    char path[SCRATCH_PATH];
    int fd = open(scratch_path(path, "own"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fflush(stdout);
    int saved = fcntl(1, F_DUPFD_CLOEXEC, 3);
    assert_true(fd >= 0 && saved >= 0);
    dup2(fd, 1);
    struct weft_process process = {.out = {.kind = WEFT_STDIO_INHERIT},
                                   .err = {.kind = WEFT_STDIO_OUT}};
    run_plain_shell(&process, in_turn);
    dup2(saved, 1);
    close(saved);
    close(fd);
    scratch_equals(path, "1\n2\n3\n4\n");
}

TEST(errors_go_to_dev_null_with_the_output)
{
    struct weft_process process = {.err = {.kind = WEFT_STDIO_OUT}};
    run_plain_shell(&process, "[ $(readlink /proc/$$/fd/2) = /dev/null ]");
}

/* ---- what it starts with -------------------------------------------------------------------- */

TEST(the_child_ignores_and_blocks_no_signal_though_the_parent_does)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    void (*was)(int) = signal(SIGPIPE, SIG_IGN);
    struct run run = {0};
    run_shell(&run, "grep -E '^Sig(Blk|Ign)' /proc/self/status");
    signal(SIGPIPE, was);
    sigprocmask(SIG_SETMASK, &before, NULL);
    unsigned long blocked = 0, ignored = 0;
    int found = sscanf(run.all.data, "SigBlk: %lx SigIgn: %lx", &blocked, &ignored);
    weft_read_all_free(&run.all);
    assert_int_equal(found, 2);
    /* From 32 on they are the C library's own: nobody can change what they were. */
    assert_int_equal(blocked & 0x7fffffff, 0);
    assert_int_equal(ignored & 0x7fffffff, 0);
}

TEST(a_descriptor_that_is_given_is_made_blocking)
{
    uv_file ends[2];
    assert_int_equal(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), 0);
    struct weft_process process = {.out = {.kind = WEFT_STDIO_FD, .fd = ends[1]}};
    run_plain_shell(&process, "true");
    assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(the_program_is_looked_for_in_the_path_of_its_own_environment)
{
    struct run run = {0};
    const char *env[] = {"PATH=/no/such/folder", NULL};
    run.process.env = env;
    run_shell(&run, "true");
    assert_int_equal(run.status, UV_ENOENT);
    weft_read_all_free(&run.all);
}

struct deep {
    struct weft_op ops[32];
    struct weft_process process;
    struct weft_stream out;
};

static void deeper(struct weft_op *op)
{
    static int level;
    struct deep *deep = weft_owner(op - level, struct deep, ops[0]);
    if (++level < 32) {
        weft_run(op, op + 1, deeper, NULL);
        weft_join(op);
        return;
    }
    char script[] = "exit 3";
    const char *args[] = {"sh", "-c", script, NULL};
    weft_stream_open(op, &deep->out, NULL);
    deep->process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &deep->out};
    weft_process(op, &deep->process, args, noted);
    assert_true(deep->process.pid > 0);
    assert_true(weft_stream_connected(&deep->out));
    weft_stream_close(&deep->out);
    memset(script, 'x', sizeof script - 1); /* may go */
    args[0] = args[1] = args[2] = NULL;
    weft_join(op);
}

/* 32 begins are on the stack: what weft_run begins then comes later. */
TEST(it_has_begun_when_the_call_returns_however_deep_the_stack)
{
    static struct deep deep;
    struct world w;
    world_up(&w);
    weft_run(weft_root(&w.loop), &deep.ops[0], deeper, stream_over);
    world_down(&w);
    assert_int_equal(deep.process.exit_code, 3);
}

/* ---- how it ended --------------------------------------------------------------------------- */

static int pid_in_then;

static void pid_noted(struct weft_op *root, struct weft_op *op)
{
    pid_in_then = weft_owner(op, struct weft_process, op)->pid;
    noted(root, op);
}

TEST(pid_is_kept_until_the_next_begin)
{
    struct world w;
    struct weft_process process = {0};
    const char *args[] = {"true", NULL}, *missing[] = {"/no/such/program", NULL};
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, pid_noted);
    int pid = process.pid;
    assert_true(pid > 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(pid_in_then, pid);
    assert_int_equal(process.pid, pid);
    assert_int_equal(weft_process_kill(&process, SIGKILL), UV_ESRCH);
    weft_process(weft_root(&w.loop), &process, missing, pid_noted);
    assert_int_equal(process.pid, 0);
    world_down(&w);
    assert_int_equal(pid_in_then, 0);
}

static void explains(const char *script, unsigned patience_ms, const char *expected)
{
    struct world w;
    struct weft_process process = {.group = true};
    struct weft_deadline deadline = {0};
    const char *args[] = {"sh", "-c", script, NULL};
    char text[128];
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    assert_string_equal(weft_process_explain(&process, text, sizeof text), "not over yet");
    weft_deadline(&process.op, &deadline, patience_ms);
    world_down(&w);
    assert_string_equal(weft_process_explain(&process, text, sizeof text), expected);
}

TEST(how_it_ended_is_told_in_words)
{
    explains("exit 0", 60000, "exit code 0");
    explains("exit 3", 60000, "exit code 3");
    explains("kill -9 $$", 60000, "killed by signal 9 (Killed)");
    explains("exec sleep 1000", 20, "timed out: killed by signal 15 (Terminated)");
}

TEST(one_that_could_not_be_started_says_why)
{
    struct world w;
    struct weft_process process = {0};
    const char *args[] = {"/no/such/program", NULL};
    char text[128], cut[12];
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    assert_int_equal(weft_process_kill(&process, 0), UV_ESRCH); /* not to pid 0: that is us */
    world_down(&w);
    assert_string_equal(weft_process_explain(&process, text, sizeof text),
                        "not started: no such file or directory");
    assert_string_equal(weft_process_explain(&process, cut, sizeof cut), "not started");
}

TEST(one_that_was_refused_knows_nothing_of_the_run_before)
{
    struct world w;
    struct weft_op parent = {0};
    struct weft_process process = {0};
    const char *args[] = {"true", NULL};
    char text[128];
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    assert_int_equal(world_run(&w), 0);
    assert_string_equal(weft_process_explain(&process, text, sizeof text), "exit code 0");
    weft_run(weft_root(&w.loop), &parent, NULL, stream_over);
    weft_cancel(&parent, UV_ECANCELED);
    weft_process(&parent, &process, args, noted);
    assert_int_equal(process.pid, 0);
    assert_int_equal(process.exit_code, -1);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(weft_process_explain(&process, text, sizeof text),
                        "not started: operation canceled");
}

/* ---- input ---------------------------------------------------------------------------------- */

struct cat {
    struct run run;
    struct weft_stream in;
    struct weft_write write;
    struct weft_stream_wait end;
};

static void input_ended(struct weft_op *op, struct weft_op *end)
{
    (void)op;
    struct cat *cat = weft_owner(end, struct cat, end.op);
    assert_int_equal(end->status, 0);
    weft_stream_close(&cat->in);
}

static void input_written(struct weft_op *op, struct weft_op *write)
{
    struct cat *cat = weft_owner(write, struct cat, write.op);
    assert_int_equal(write->status, 0);
    weft_shutdown(op, &cat->end, &cat->in, input_ended);
}

static char megabyte[1 << 20];

static void cat_begin(struct weft_op *op)
{
    struct cat *cat = weft_owner(op, struct cat, run.op);
    weft_stream_open(op, &cat->in, stream_over);
    cat->run.process.in = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &cat->in};
    run_begin(op);
    weft_write(op, &cat->write, &cat->in, megabyte, sizeof megabyte, input_written);
}

TEST(a_megabyte_goes_through_cat_unharmed)
{
    static struct cat cat;
    struct world w;
    const char *args[] = {"cat", NULL};
    for (size_t i = 0; i < sizeof megabyte; i++)
        megabyte[i] = (char)(i * 7 + i / 251);
    cat.run.process.args = args;
    world_up(&w);
    weft_run(weft_root(&w.loop), &cat.run.op, cat_begin, noted);
    world_down(&w);
    assert_int_equal(cat.run.status, 0);
    assert_int_equal(cat.run.all.op.status, 0);
    assert_int_equal(cat.run.all.size, sizeof megabyte);
    assert_memory_equal(cat.run.all.data, megabyte, sizeof megabyte);
    weft_read_all_free(&cat.run.all);
}

/* ---- ending it ------------------------------------------------------------------------------ */

static void cancel_it(struct run *run)
{
    weft_cancel(&run->process.op, UV_ECANCELED);
}

TEST(a_cancelled_child_is_asked_to_go_and_the_reason_is_reported)
{
    struct run run = {.ready = cancel_it};
    run_shell(&run, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done");
    assert_int_equal(run.status, UV_ECANCELED);
    assert_int_equal(run.process.exit_code, 0);
    weft_read_all_free(&run.all);
}

TEST(a_child_that_does_not_go_is_killed_after_the_grace)
{
    struct run run = {.ready = cancel_it};
    run.process.grace_ms = 20;
    run_shell(&run, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
    assert_int_equal(run.status, UV_ECANCELED);
    assert_int_equal(run.process.term_signal, SIGKILL);
    weft_read_all_free(&run.all);
}

TEST(a_deadline_ends_a_child)
{
    struct world w;
    struct weft_process process = {0};
    struct weft_deadline deadline = {0};
    const char *args[] = {"sleep", "1000", NULL};
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    weft_deadline(&process.op, &deadline, 20);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(process.term_signal, SIGTERM);
}

TEST(ending_a_child_from_outside_keeps_the_decided_status)
{
    struct world w;
    struct weft_process process = {0};
    const char *args[] = {"sleep", "1000", NULL};
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    weft_end(&process.op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(process.term_signal, SIGTERM);
}

/* The grandchild holds the pipe: if it lived on, the output would never end. */
TEST(with_group_what_the_child_leaves_behind_is_killed)
{
    struct run run = {0};
    run.process.group = true;
    run_shell(&run, "sleep 1000 & echo left one");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.all.data, "left one\n");
    weft_read_all_free(&run.all);
}

TEST(with_group_a_cancel_reaches_the_whole_group)
{
    struct run run = {.ready = cancel_it};
    run.process.group = true;
    run_shell(&run, "sleep 1000 & sleep 1000 & echo ready; wait");
    assert_int_equal(run.status, UV_ECANCELED);
    weft_read_all_free(&run.all);
}

static void send_usr1(struct run *run)
{
    assert_int_equal(weft_process_kill(&run->process, SIGUSR1), 0);
}

TEST(a_signal_can_be_sent_while_it_runs_and_not_after)
{
    struct run run = {.ready = send_usr1};
    run_shell(&run, "trap 'echo got it; exit 0' USR1; echo ready; while :; do sleep 0.01; done");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.all.data, "got it\n"));
    assert_int_equal(weft_process_kill(&run.process, SIGUSR1), UV_ESRCH);
    weft_read_all_free(&run.all);
}

TEST(many_children_at_once_all_end)
{
    enum { CHILDREN = 40 };
    static struct weft_process processes[CHILDREN];
    struct world w;
    const char *args[] = {"true", NULL};
    world_up(&w);
    for (int i = 0; i < CHILDREN; i++) {
        weft_process(weft_root(&w.loop), &processes[i], args, noted);
        if (i % 4 == 0)
            weft_cancel(&processes[i].op, UV_ECANCELED);
    }
    world_down(&w);
    assert_int_equal(seen.calls, CHILDREN);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    for (int i = 0; i < CHILDREN; i++)
        assert_int_equal(processes[i].op.status, i % 4 == 0 ? UV_ECANCELED : 0);
}

/* ---- bad input and the contract ------------------------------------------------------------- */

static int status_of(struct weft_process *process)
{
    struct world w;
    world_up(&w);
    weft_run(weft_root(&w.loop), &process->op, weft_process_begin, noted);
    world_down(&w);
    return seen.status;
}

TEST(bad_input_is_einval)
{
    const char *none[] = {NULL}, *empty[] = {"", NULL}, *fine[] = {"true", NULL};
    struct weft_process process = {0};
    assert_int_equal(status_of(&process), UV_EINVAL);
    process.args = none;
    assert_int_equal(status_of(&process), UV_EINVAL);
    process.args = empty;
    assert_int_equal(status_of(&process), UV_EINVAL);
    process.args = fine;
    process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM};
    assert_int_equal(status_of(&process), UV_EINVAL);
    process.out = (struct weft_stdio){.kind = WEFT_STDIO_FD, .fd = -1};
    assert_int_equal(status_of(&process), UV_EINVAL);
    process.out = (struct weft_stdio){.kind = (enum weft_stdio_kind)77};
    assert_int_equal(status_of(&process), UV_EINVAL);
}

/* Two open streams, and a process that shall not touch them. */
static int refused_with(struct weft_stdio in, struct weft_stdio out, struct weft_stdio err,
                        struct weft_stream *one, struct weft_stream *other)
{
    struct world w;
    struct weft_process process = {.in = in, .out = out, .err = err};
    const char *args[] = {"true", NULL};
    world_up(&w);
    weft_stream_open(weft_root(&w.loop), one, stream_over);
    weft_stream_open(weft_root(&w.loop), other, stream_over);
    weft_process(weft_root(&w.loop), &process, args, noted);
    assert_int_equal(process.pid, 0);
    assert_false(weft_stream_connected(one));
    assert_false(weft_stream_connected(other));
    weft_stream_close(one);
    weft_stream_close(other);
    world_down(&w);
    return seen.status;
}

TEST(a_stream_or_descriptor_without_its_kind_is_refused)
{
    struct weft_stream one = {0}, other = {0};
    struct weft_stdio null = {0}, fine = {.kind = WEFT_STDIO_STREAM, .stream = &one};
    struct weft_stdio forgot = {.stream = &other}, forgot_fd = {.fd = 2};
    struct weft_stdio both = {.kind = WEFT_STDIO_FD, .fd = 2, .stream = &other};
    struct weft_stdio and_fd = {.kind = WEFT_STDIO_STREAM, .fd = 2, .stream = &other};
    assert_int_equal(refused_with(forgot, null, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(null, forgot, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, null, forgot, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, null, forgot_fd, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, both, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, and_fd, null, &one, &other), UV_EINVAL);
}

TEST(one_stream_for_two_descriptors_is_refused)
{
    struct weft_stream one = {0}, other = {0};
    struct weft_stdio null = {0}, it = {.kind = WEFT_STDIO_STREAM, .stream = &one};
    struct weft_stdio another = {.kind = WEFT_STDIO_STREAM, .stream = &other};
    assert_int_equal(refused_with(null, it, it, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(it, it, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(it, another, it, &one, &other), UV_EINVAL);
}

TEST(only_err_can_be_what_out_is)
{
    struct weft_stream one = {0}, other = {0};
    struct weft_stdio null = {0}, same = {.kind = WEFT_STDIO_OUT};
    struct weft_stdio fine = {.kind = WEFT_STDIO_STREAM, .stream = &one};
    assert_int_equal(refused_with(same, fine, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, same, null, &one, &other), UV_EINVAL);
    assert_int_equal(refused_with(fine, same, same, &one, &other), UV_EINVAL);
}

TEST(a_stream_that_is_connected_is_eisconn_and_the_other_is_not_touched)
{
    struct world w;
    struct weft_stream in = {0}, out = {0}, peer = {0};
    const char *args[] = {"true", NULL};
    world_up(&w);
    weft_stream_open(weft_root(&w.loop), &in, stream_over);
    weft_stream_open(weft_root(&w.loop), &out, stream_over);
    weft_stream_open(weft_root(&w.loop), &peer, stream_over);
    assert_int_equal(weft_stream_pair(&out, &peer), 0);
    struct weft_process process = {.in = {.kind = WEFT_STDIO_STREAM, .stream = &in},
                                   .out = {.kind = WEFT_STDIO_STREAM, .stream = &out}};
    weft_process(weft_root(&w.loop), &process, args, noted);
    assert_false(weft_stream_connected(&in));
    assert_true(weft_stream_connected(&out));
    weft_stream_close(&in);
    weft_stream_close(&out);
    weft_stream_close(&peer);
    world_down(&w);
    assert_int_equal(seen.status, UV_EISCONN);
}

TEST(a_stream_that_is_not_open_is_refused_and_no_descriptor_is_left)
{
    struct weft_stream closed = {0};
    struct weft_process process = {.args = (const char *const[]){"true", NULL}};
    process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &closed};
    int before = dup(0);
    close(before);
    assert_int_equal(status_of(&process), UV_EINVAL);
    int after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

/* The child inherits what is said to be the parent's own: here its input, a file. */
TEST(a_childs_input_can_be_the_parents_own)
{
    int saved = dup(0);
    int poem = open("/proc/version", O_RDONLY | O_CLOEXEC);
    assert_true(saved >= 0 && poem >= 0);
    dup2(poem, 0);
    close(poem);
    struct run run = {0};
    run.process.in = (struct weft_stdio){.kind = WEFT_STDIO_INHERIT};
    run_shell(&run, "cat");
    dup2(saved, 0);
    close(saved);
    assert_int_equal(run.status, 0);
    assert_int_equal(strncmp(run.all.data, "Linux", 5), 0);
    weft_read_all_free(&run.all);
}

/* Whatever step the descriptors run out at, it is an error, and none is kept. */
TEST(running_out_of_descriptors_is_an_error_at_every_step)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct world w;
    world_up(&w);
    struct weft_stream in = {0}, out = {0};
    const char *args[] = {"true", NULL};
    int status = UV_EMFILE;
    for (int spare = 0; spare < 20 && status != 0; spare++) {
        int next = dup(0);
        close(next);
        struct rlimit low = {(rlim_t)(next + spare), limit.rlim_max};
        weft_stream_open(weft_root(&w.loop), &in, stream_over);
        weft_stream_open(weft_root(&w.loop), &out, stream_over);
        struct weft_process process = {
            .in = {.kind = WEFT_STDIO_STREAM, .stream = &in},
            .out = {.kind = WEFT_STDIO_STREAM, .stream = &out},
        };
        setrlimit(RLIMIT_NOFILE, &low);
        weft_process(weft_root(&w.loop), &process, args, noted);
        setrlimit(RLIMIT_NOFILE, &limit);
        world_run(&w);
        weft_stream_close(&in);
        weft_stream_close(&out);
        assert_int_equal(world_run(&w), 0);
        status = process.op.status;
        assert_true(status == 0 || status == UV_EMFILE);
        int after = dup(0);
        close(after);
        assert_int_equal(after, next);
    }
    assert_int_equal(status, 0);
    world_down(&w);
}

TEST(a_cancel_after_the_child_has_gone_reports_the_reason)
{
    struct world w;
    struct weft_process process = {0};
    const char *args[] = {"/no/such/program", NULL};
    world_up(&w);
    weft_process(weft_root(&w.loop), &process, args, noted);
    weft_cancel(&process.op, UV_EINTR); /* it could not be started: its handle is being closed */
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
}

static const char *const true_args[] = {"true", NULL};
static const char *const missing_args[] = {"/no/such/program", NULL};

static void good(void *storage)
{
    ((struct weft_process *)storage)->args = true_args;
}

static void bad(void *storage)
{
    ((struct weft_process *)storage)->args = missing_args;
}

TEST(the_process_provider_conforms)
{
    static const struct weft_provider provider = {
        .name = "process",
        WEFT_PROVIDER_OP(struct weft_process, op),
        .begin = weft_process_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_ENOENT,
        .nothing_status = UV_EINVAL,
    };
    provider_check(&provider);
}
