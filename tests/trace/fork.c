/* Ends of processes: fork(), where the parent's recording stays the parent's, and exit.
 * ctest: needs=hooks */
#include "loop.h"
#include "scratch.h"
#include "valid.h"
#include <sys/wait.h>
#include <unistd.h>
#include <weft/hook.h>
#include <weft/trace.h>

static char path[SCRATCH_PATH];

static void run_one(struct world *w)
{
    struct weft_op op = {0};
    weft_run(weft_root(&w->loop), &op, finish_at_once, noted);
    assert_int_equal(world_run(w), 0);
}

/* Run body in a child that ends by exit, as programs do; its exit status. */
static int in_a_child(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void start(void)
{
    scratch_new_path(path, "trace.json");
    assert_int_equal(weft_trace_start(&(struct weft_trace_options){.path = path}), 0);
}

static struct world w;

static void go_on_with_the_parents_loop(void)
{
    if (weft_trace_recording())
        exit(3);
    static struct weft_op op;
    weft_run(weft_root(&w.loop), &op, fail_at_once, weft_ignore);
    struct world another;
    uv_loop_init(&another.uv);
    if (weft_loop_init(&another.loop, &another.uv) != 0)
        exit(4);
    if (weft_trace_recording())
        exit(5);
    weft_loop_close(&another.loop);
    uv_run(&another.uv, UV_RUN_DEFAULT);
    uv_loop_close(&another.uv);
}

TEST(a_child_does_not_go_on_with_its_parents_recording)
{
    start();
    world_up(&w);
    assert_int_equal(in_a_child(go_on_with_the_parents_loop), 0);
    assert_false(scratch_exists(path));
    run_one(&w);
    world_close(&w);
    assert_int_equal(weft_trace_stop(), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->begins, 2);
    assert_null(valid_find(valid, "b", "fail_at_once"));
    valid_free(valid);
}

static void record_a_loop_of_its_own(void)
{
    if (weft_trace_start(&(struct weft_trace_options){.path = path}) != 0)
        exit(3);
    struct world own;
    struct weft_op op = {0};
    uv_loop_init(&own.uv);
    weft_loop_init(&own.loop, &own.uv);
    weft_run(weft_root(&own.loop), &op, fail_at_once, weft_ignore);
    weft_loop_run(&own.loop);
    weft_loop_close(&own.loop);
    uv_run(&own.uv, UV_RUN_DEFAULT);
    uv_loop_close(&own.uv);
}

TEST(a_child_may_begin_one_of_its_own_and_its_exit_writes_it)
{
    start();
    world_up(&w);
    char parents[SCRATCH_PATH];
    strcpy(parents, path);
    scratch_new_path(path, "child.json");
    assert_int_equal(in_a_child(record_a_loop_of_its_own), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->begins, 2);
    assert_non_null(valid_find(valid, "b", "fail_at_once"));
    valid_free(valid);
    world_close(&w);
    assert_int_equal(weft_trace_stop(), 0);
    valid_free(valid_trace(parents));
}

static void make_a_loop_with_the_environment_set(void)
{
    setenv("WEFT_TRACE", path, 1);
    struct world own;
    uv_loop_init(&own.uv);
    weft_loop_init(&own.loop, &own.uv);
    if (!weft_trace_recording())
        exit(3);
    weft_loop_close(&own.loop);
    uv_run(&own.uv, UV_RUN_DEFAULT);
    uv_loop_close(&own.uv);
}

TEST(a_loop_that_a_child_makes_is_recorded_if_the_environment_says_so)
{
    char parents[SCRATCH_PATH];
    start();
    world_up(&w);
    strcpy(parents, path);
    scratch_new_path(path, "child.json");
    assert_int_equal(in_a_child(make_a_loop_with_the_environment_set), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->begins, 1);
    valid_free(valid);
    assert_false(scratch_exists(parents));
    world_close(&w);
    assert_int_equal(weft_trace_stop(), 0);
}

/* ---- exit ----------------------------------------------------------------------------------- */

static void say_nothing(const char *text)
{
    (void)text;
}

static void throwing(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    weft_throw(UV_EIO, "on purpose");
}

static void die_of_an_error(void)
{
    static struct weft_op op;
    static struct world own;
    weft_on_fatal(say_nothing);
    if (weft_trace_start(&(struct weft_trace_options){.path = path}) != 0)
        exit(3);
    uv_loop_init(&own.uv);
    weft_loop_init(&own.loop, &own.uv);
    weft_run(weft_root(&own.loop), &op, finish_at_once, throwing);
    weft_loop_run(&own.loop);
    exit(4);
}

TEST(an_error_that_nobody_catches_ends_the_process_and_the_trace_is_written)
{
    scratch_new_path(path, "thrown.json");
    assert_int_equal(in_a_child(die_of_an_error), EXIT_FAILURE);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->calls, 1); /* it ran to the end of the recording */
    assert_int_equal(valid->unfinished, 2);
    valid_free(valid);
}

/* Its frame is gone, and something else has been where it was, when the process exits. A copy of what
 * libuv has there is kept, for those who look for leaks. */
__attribute__((noinline)) static void leave_a_loop_on_the_stack(void)
{
    static uv_loop_t kept;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_op op = {0};
    uv_loop_init(&uv);
    if (weft_loop_init(&loop, &uv) != 0)
        exit(3);
    weft_run(weft_root(&loop), &op, finish_at_once, weft_ignore);
    weft_loop_run(&loop);
    memcpy(&kept, &uv, sizeof kept);
}

__attribute__((noinline)) static void write_over_the_stack(void)
{
    char bytes[1 << 14];
    memset(bytes, 0xab, sizeof bytes);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static void return_without_closing(void)
{
    if (weft_trace_start(&(struct weft_trace_options){.path = path}) != 0)
        exit(4);
    leave_a_loop_on_the_stack();
    write_over_the_stack();
}

TEST(a_program_may_return_from_main_without_closing_its_loop)
{
    scratch_new_path(path, "unclosed.json");
    assert_int_equal(in_a_child(return_without_closing), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->begins, 2);
    assert_int_equal(valid->unfinished, 1);
    valid_free(valid);
}
