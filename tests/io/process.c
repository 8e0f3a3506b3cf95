/* ctest: labels=valgrind timeout=120 */
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
