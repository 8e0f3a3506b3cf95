/* What was never finished or closed, by the place where it was begun.
 * ctest: labels=threads needs=hooks */
#include "fault.h"
#include "loop.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/dump.h>
#include <weft/cargo.h>
#include <weft/hook.h>
#include <weft/queue.h>
#include <weft/timer.h>

static const struct weft_site at_shop = {"shop.c", "open", "shop", 3, WEFT_USER};
static const struct weft_site at_sale = {"shop.c", "sell", "sale", 42, WEFT_USER};

static struct world w;

static char *leaks(size_t wanted)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(weft_leaks(file), wanted);
    char *text = text_of(file);
    fclose(file);
    return text;
}

#define leaks_are(count, wanted)                                                                   \
    do {                                                                                           \
        char *text_ = leaks(count);                                                                \
        assert_string_equal(text_, wanted);                                                        \
        free(text_);                                                                               \
    } while (0)

TEST(what_is_open_is_counted_by_place_most_first)
{
    struct weft_op shop = {0}, sales[3] = {{0}};
    world_up(&w);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    for (int i = 0; i < 3; i++)
        weft_run_at(&at_sale, &shop, &sales[i], NULL, noted);
    char *text = leaks(5);
    assert_ptr_equal(strstr(text, "weft: never finished or closed:\n"
                                  "  3 sale begun at shop.c:42 sell()\n"),
                     text);
    assert_non_null(strstr(text, "\n  1 shop begun at shop.c:3 open()\n"));
    assert_non_null(strstr(text, "\n  1 loop\n"));
    free(text);
    for (int i = 0; i < 3; i++)
        weft_finish(&sales[i], 0);
    weft_join(&shop);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    leaks_are(1, "weft: never finished or closed:\n  1 loop\n");
    world_down(&w);
    leaks_are(0, "");
}

TEST(of_equally_many_those_come_first_whose_place_does)
{
    static const struct weft_site places[] = {{"b.c", "f", "fourth", 1, WEFT_USER},
                                              {"a.c", "f", "third", 10, WEFT_USER},
                                              {"a.c", "f", "second", 9, WEFT_USER},
                                              {"a.c", "f", "first", 9, WEFT_USER}};
    struct weft_op ops[4] = {{0}};
    world_up(&w);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    for (int i = 0; i < 4; i++)
        weft_run_at(&places[i], weft_root(&w.loop), &ops[i], NULL, noted);
    leaks_are(5, "weft: never finished or closed:\n"
                 "  1 loop\n"
                 "  1 first begun at a.c:9 f()\n"
                 "  1 second begun at a.c:9 f()\n"
                 "  1 third begun at a.c:10 f()\n"
                 "  1 fourth begun at b.c:1 f()\n");
    for (int i = 0; i < 4; i++)
        weft_finish(&ops[i], 0);
    world_down(&w);
}

TEST(handles_that_are_no_ops_count_too)
{
    struct weft_handle till;
    world_up(&w);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    weft_handle_open(weft_root(&w.loop), &till, 0, "till", WEFT_USER, NULL);
    char *text = leaks(2);
    assert_non_null(strstr(text, "  1 till begun at "));
    free(text);
    weft_handle_close(&till);
    leaks_are(1, "weft: never finished or closed:\n  1 loop\n");
    world_down(&w);
}

TEST(what_began_before_is_not_counted_and_neither_is_its_end)
{
    struct weft_op before = {0}, after = {0};
    world_up(&w);
    weft_run_at(&at_sale, weft_root(&w.loop), &before, NULL, noted);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    weft_run_at(&at_sale, weft_root(&w.loop), &after, NULL, noted);
    weft_finish(&before, 0);
    assert_int_equal(weft_loop_run(&w.loop), WEFT_ESTUCK);
    char *text = leaks(2);
    assert_non_null(strstr(text, "\n  1 sale "));
    free(text);
    weft_finish(&after, 0);
    world_down(&w);
}

/* ---- at exit -------------------------------------------------------------------------------- */

/* What body, which ends its process by exit, writes to stderr. */
static char *stderr_of(void (*body)(void))
{
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(30);
        dup2(fileno(capture), STDERR_FILENO);
        body();
        exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fseek(capture, 0, SEEK_END);
    char *text = text_of(capture);
    fclose(capture);
    return text;
}

__attribute__((noinline)) static void write_over_the_stack(void)
{
    volatile char there[16384];
    for (size_t i = 0; i < sizeof there; i++)
        there[i] = (char)0xa5;
}

/* As a main that forgets: its loop, and an op, are gone when the process exits. */
__attribute__((noinline)) static void forget_a_loop(void)
{
    struct weft_op op = {0};
    uv_loop_t *uv = calloc(1, sizeof *uv); /* libuv's own is not looked at, but kept */
    struct weft_loop loop;
    uv_loop_init(uv);
    weft_loop_init(&loop, uv);
    weft_run_at(&at_sale, weft_root(&loop), &op, NULL, noted);
}

static void leave_without_closing(void)
{
    setenv("WEFT_LEAKS", "1", 1);
    forget_a_loop();
    write_over_the_stack();
}

TEST(at_exit_what_was_forgotten_is_told)
{
    char *text = stderr_of(leave_without_closing);
    assert_non_null(strstr(text, "weft: never finished or closed:\n"));
    assert_non_null(strstr(text, "\n  1 sale begun at shop.c:42 sell()\n"));
    assert_non_null(strstr(text, "\n  1 loop\n"));
    free(text);
}

static void leave_in_order(void)
{
    setenv("WEFT_LEAKS", "1", 1);
    world_up(&w);
    world_down(&w);
}

static void leave_without_being_asked(void)
{
    setenv("WEFT_LEAKS", "0", 1);
    world_up(&w);
}

TEST(at_exit_nothing_is_told_if_nothing_is_open_or_nobody_asked)
{
    char *text = stderr_of(leave_in_order);
    assert_string_equal(text, "");
    free(text);
    text = stderr_of(leave_without_being_asked);
    assert_string_equal(text, "");
    free(text);
}

/* ---- loops that were closed ----------------------------------------------------------------- */

static struct weft_handle tills[2];
static const struct weft_site at_till = {"shop.c", "open", "till", 7, WEFT_USER | WEFT_HANDLE};

static void forget_two_tills(struct weft_op *op)
{
    for (int i = 0; i < 2; i++)
        weft_handle_open_at(&at_till, weft_root(weft_loop_of(op)), &tills[i], 0, NULL);
    weft_finish(op, 0);
}

static void go_and_forget(void)
{
    struct weft_op op = {0};
    setenv("WEFT_LEAKS", "1", 1);
    assert_int_equal(weft_go(&op, forget_two_tills), 0);
}

TEST(what_is_open_when_its_loop_is_closed_is_told_at_exit)
{
    char *text = stderr_of(go_and_forget);
    assert_string_equal(text, "weft: never finished or closed:\n"
                              "  2 till begun at shop.c:7 open()\n");
    free(text);
}

static void go_twice_and_leave_one_open(void)
{
    go_and_forget();
    go_and_forget();
    world_up(&w);
    weft_handle_open_at(&at_till, weft_root(&w.loop), &tills[0], 0, NULL);
}

TEST(loops_that_were_closed_and_loops_that_were_not_are_added_up)
{
    char *text = stderr_of(go_twice_and_leave_one_open);
    assert_string_equal(text, "weft: never finished or closed:\n"
                              "  5 till begun at shop.c:7 open()\n"
                              "  1 loop\n");
    free(text);
}

static void go_and_fork(void)
{
    int status = 1;
    go_and_forget();
    pid_t pid = fork();
    if (pid == 0)
        exit(0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(a_forked_child_does_not_tell_of_loops_that_its_parent_closed)
{
    char *text = stderr_of(go_and_fork), *told = strstr(text, "2 till");
    assert_non_null(told);
    assert_null(strstr(told + 1, "2 till"));
    free(text);
}

static void carry(struct weft_op *op)
{
    weft_finish(op, 0);
}

/* Both need not be closed if the loop has run to its end. */
static void leave_a_queue_and_a_cargo(struct weft_op *op)
{
    static struct weft_queue queue;
    static struct weft_cargo cargo;
    static struct weft_load loads[1];
    assert_int_equal(weft_queue_init(&queue, weft_loop_of(op), 1), 0);
    assert_int_equal(
        weft_cargo_init(&cargo, weft_root(weft_loop_of(op)), WEFT_SLOTS(loads, op), 1, carry), 0);
    weft_finish(op, 0);
}

static void go_and_leave_them(void)
{
    struct weft_op op = {0};
    setenv("WEFT_LEAKS", "1", 1);
    assert_int_equal(weft_go(&op, leave_a_queue_and_a_cargo), 0);
}

TEST(queues_and_cargos_need_not_be_closed_after_the_loops_end)
{
    char *text = stderr_of(go_and_leave_them);
    assert_string_equal(text, "");
    free(text);
}

/* ---- forks ---------------------------------------------------------------------------------- */

static void be_a_child(void)
{
}

TEST(a_forked_child_does_not_tell_of_its_parents_loops)
{
    setenv("WEFT_LEAKS", "1", 1);
    world_up(&w);
    unsetenv("WEFT_LEAKS");
    char *text = stderr_of(be_a_child);
    assert_string_equal(text, "");
    free(text);
    world_down(&w);
}

/* ---- threads, bad input, no memory ---------------------------------------------------------- */

static unsigned long times;

static void again(struct weft_op *root, struct weft_op *op)
{
    if (times++ < 20000)
        weft_run_at(&at_sale, root, op, finish_at_once, again);
}

static void *count_there(void *unused)
{
    (void)unused;
    struct weft_op op = {0};
    uv_loop_t uv; /* a struct world is for one thread */
    struct weft_loop loop;
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&loop, &uv), 0);
    assert_int_equal(weft_leaks_watch(&loop), 0);
    weft_run_at(&at_sale, weft_root(&loop), &op, finish_at_once, again);
    assert_int_equal(weft_loop_run(&loop), 0);
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    return NULL;
}

TEST(another_thread_may_look_while_a_loop_runs)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, count_there, NULL), 0);
    FILE *file = tmpfile();
    for (int i = 0; i < 200; i++)
        assert_true(weft_leaks(file) <= 3); /* the next one begins before the last has ended */
    assert_int_equal(pthread_join(thread, NULL), 0);
    fclose(file);
}

TEST(watching_twice_takes_one_hook)
{
    struct weft_hook hooks[WEFT_HOOKS - 1];
    memset(hooks, 0, sizeof hooks);
    world_up(&w);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    assert_int_equal(weft_leaks_watch(&w.loop), 0);
    for (int i = 0; i < WEFT_HOOKS - 1; i++)
        assert_int_equal(weft_hook_enable(&w.loop, &hooks[i]), 0);
    leaks_are(1, "weft: never finished or closed:\n  1 loop\n");
    world_down(&w);
}

TEST(bad_input_is_refused)
{
    struct weft_hook hooks[WEFT_HOOKS];
    memset(hooks, 0, sizeof hooks);
    assert_int_equal(weft_leaks_watch(NULL), UV_EINVAL);
    world_up(&w);
    for (int i = 0; i < WEFT_HOOKS; i++)
        assert_int_equal(weft_hook_enable(&w.loop, &hooks[i]), 0);
    assert_int_equal(weft_leaks_watch(&w.loop), UV_ENOSPC);
    world_down(&w);
    assert_int_equal(weft_leaks_watch(&w.loop), UV_EINVAL);
}

static void watch_without_memory(unsigned long n)
{
    (void)n;
    assert_int_equal(uv_loop_init(&w.uv), 0);
    if (weft_loop_init(&w.loop, &w.uv) == 0) {
        int err = weft_leaks_watch(&w.loop);
        assert_true(err == 0 || err == UV_ENOMEM);
        assert_int_equal(weft_loop_close(&w.loop), 0);
    }
    uv_run(&w.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w.uv), 0);
}

TEST(watching_survives_running_out_of_memory)
{
    fault_ladder(watch_without_memory);
    assert_true(fault_ladder_height() >= 2);
}
