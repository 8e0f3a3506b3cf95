/* Errors that escape from a callback: weft_throw, and an error under the root that nobody takes.
 *
 * A program that dies of one ends as programs do: with exit code 1, after its atexit functions. So
 * these deaths are looked at from a parent process.
 * ctest: needs=hooks */
#include "hook_world.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/post.h>
#include <weft/series.h>
#include <weft/timer.h>
#include <weft/work.h>

/* ---- caught --------------------------------------------------------------------------------- */

static struct caught {
    unsigned times;
    struct weft_loop *loop;
    struct weft_op *op;
    int err;
    const char *text;
} caught;

static void catch (struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    caught = (struct caught){caught.times + 1, loop, op, err, text};
}

static void up_catching(void)
{
    up();
    caught = (struct caught){.times = 0};
    w.loop.on_uncaught = catch;
    enable(&one);
}

static void throw_in_then(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_throw(UV_EIO, "the text");
}

TEST(a_handler_gets_what_is_thrown_and_post_says_so)
{
    up_catching();
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], throw_in_then);
    world_run(&w);
    assert_int_equal(caught.times, 1);
    assert_ptr_equal(caught.loop, &w.loop);
    assert_ptr_equal(caught.op, &ops[0]);
    assert_int_equal(caught.err, UV_EIO);
    assert_string_equal(caught.text, "the text");
    told(&one, "init:a<loop init:tick<a pre:tick post:tick=EIO destroy:tick ");
    finish(&ops[0]);
    world_down(&w);
}

static void throw_twice(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_throw(UV_EIO, NULL);
    weft_throw(UV_EPERM, NULL);
}

TEST(the_first_error_of_a_callback_is_its_outcome_and_the_handler_gets_all)
{
    up_catching();
    weft_tick(root(), &ops[0], throw_twice);
    world_run(&w);
    assert_int_equal(caught.times, 2);
    assert_int_equal(caught.err, UV_EPERM);
    assert_null(caught.text);
    told(&one, "init:tick<loop pre:tick post:tick=EIO destroy:tick ");
    weft_tick(root(), &ops[0], noted);
    world_down(&w);
    assert_int_equal(one.outcome, 0);
}

static void throw_in_begin(struct weft_op *op)
{
    weft_throw(UV_EIO, NULL);
    weft_finish(op, 0);
}
static void run_throwing(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_run(parent, &ops[1], throw_in_begin, noted);
}

TEST(what_a_begin_throws_is_the_outcome_of_the_callback_it_runs_in)
{
    up_catching();
    weft_tick(root(), &ops[0], run_throwing);
    world_down(&w);
    assert_int_equal(caught.times, 1);
    assert_ptr_equal(caught.op, &ops[1]);
    told(&one, "init:tick<loop pre:tick init:throw_in_begin<loop post:tick=EIO destroy:tick "
               "pre:throw_in_begin post:throw_in_begin destroy:throw_in_begin ");
}

TEST(what_a_begin_outside_of_the_loop_throws_is_caught_too)
{
    up_catching();
    weft_run(root(), &ops[0], throw_in_begin, noted);
    assert_int_equal(caught.times, 1);
    assert_ptr_equal(caught.op, &ops[0]);
    world_down(&w);
    told(&one, "init:throw_in_begin<loop pre:throw_in_begin post:throw_in_begin "
               "destroy:throw_in_begin ");
}

static struct weft_series series;
static void good_step(struct weft_op *op)
{
    weft_tick(op, &ops[0], NULL);
}
static void throwing_step(struct weft_op *op)
{
    (void)op;
    weft_throw(UV_EIO, NULL);
}

TEST(what_a_step_throws_is_the_outcome_of_what_ended_the_one_before)
{
    up_catching();
    weft_series(root(), &series, noted, good_step, throwing_step);
    world_down(&w);
    assert_ptr_equal(caught.op, &series.op);
    told(&one, "init:series<loop init:tick<series pre:tick post:tick=EIO destroy:tick pre:series "
               "post:series destroy:series ");
}

static void throwing_tick(struct weft_op *op)
{
    weft_throw(UV_EIO, NULL);
    weft_end(op, 0);
}

TEST(a_tick_may_throw)
{
    struct weft_ticker ticker = {.ms = 0};
    up_catching();
    weft_ticker(root(), &ticker, 1, throwing_tick, noted);
    world_down(&w);
    assert_ptr_equal(caught.op, &ticker.op);
    told(&one, "init:ticker<loop pre:ticker post:ticker=EIO pre:ticker post:ticker "
               "destroy:ticker ");
}

static void throwing_fire(struct weft_timer *timer)
{
    (void)timer;
    weft_throw(UV_EIO, NULL);
}

TEST(a_timer_may_throw)
{
    struct weft_timer timer = {0};
    up_catching();
    weft_timer_start(&w.loop, &timer, 1, throwing_fire);
    world_down(&w);
    assert_int_equal(caught.times, 1);
    told(&one, "init:timer<loop pre:timer post:timer=EIO destroy:timer ");
}

static void throwing_post(struct weft_post *post)
{
    (void)post;
    weft_throw(UV_EIO, NULL);
}

TEST(a_post_may_throw)
{
    struct weft_post post = {0};
    up_catching();
    weft_post_init(&w.loop, &post, throwing_post);
    weft_post(&post);
    world_down(&w);
    assert_int_equal(caught.times, 1);
    told(&one, "init:post<loop pre:post post:post=EIO destroy:post ");
}

TEST(an_error_under_the_root_without_a_then_is_caught_and_is_the_outcome)
{
    up_catching();
    weft_run(root(), &ops[0], fail_at_once, NULL);
    world_down(&w);
    assert_int_equal(caught.times, 1);
    assert_ptr_equal(caught.op, &ops[0]);
    assert_int_equal(caught.err, UV_EIO);
    told(&one, "init:fail_at_once<loop pre:fail_at_once post:fail_at_once=EIO "
               "destroy:fail_at_once ");
}

TEST(errors_are_caught_without_a_hook_too)
{
    up();
    caught = (struct caught){.times = 0};
    w.loop.on_uncaught = catch;
    weft_run(root(), &ops[2], a, noted);
    weft_tick(&ops[2], &ops[0], throw_in_then);
    weft_run(root(), &ops[1], fail_at_once, NULL);
    world_run(&w);
    assert_int_equal(caught.times, 2);
    finish(&ops[2]);
    world_down(&w);
}

TEST(a_callback_that_has_thrown_goes_on_and_its_hook_may_be_gone)
{
    up_catching();
    weft_hook_remove(&one.hook);
    weft_tick(root(), &ops[0], throw_twice);
    world_down(&w);
    assert_int_equal(caught.times, 2);
}

/* ---- not caught ----------------------------------------------------------------------------- */

/* What became of a child process: what it wrote, to stderr, and how it ended. */
static struct end {
    int status;
    char text[8192];
} end;

static void end_of(void (*function)(void))
{
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        alarm(30);
        dup2(fileno(capture), STDERR_FILENO);
        function();
        _exit(77);
    }
    assert_int_equal(waitpid(pid, &end.status, 0), pid);
    rewind(capture);
    end.text[fread(end.text, 1, sizeof end.text - 1, capture)] = '\0';
    fclose(capture);
}

static void wrote(const char *text)
{
    if (strstr(end.text, text) == NULL) {
        print_error("it did not write \"%s\" but:\n%s\n", text, end.text);
        fail();
    }
}

static void wrote_not(const char *text)
{
    if (strstr(end.text, text) != NULL) {
        print_error("it wrote \"%s\":\n%s\n", text, end.text);
        fail();
    }
}

static void exited_with_1(void)
{
    if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != EXIT_FAILURE)
        print_error("status %x:\n%s\n", (unsigned)end.status, end.text);
    assert_true(WIFEXITED(end.status));
    assert_int_equal(WEXITSTATUS(end.status), EXIT_FAILURE);
}

static void say_goodbye(void)
{
    fputs("at exit\n", stderr);
    _exit(EXIT_FAILURE); /* before what only the parent process is to do at its exit */
}

static void say_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
    fputs("post was told\n", stderr);
}

static void die_in_a_then(void)
{
    up();
    atexit(say_goodbye);
    one.hook.post = say_post;
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    weft_tick(&ops[0], &ops[1], throw_in_then);
    world_run(&w);
}

TEST(an_error_that_nobody_catches_ends_the_process_with_the_place_and_the_chain)
{
    end_of(die_in_a_then);
    exited_with_1();
    wrote("the text");
    wrote("EIO");
    wrote("throw_in_then()");
    wrote("throw.c:");
    wrote("a [");
    wrote("begun at");
    wrote("at exit");
    wrote_not("post was told");
}

static void die_for_a_core(void)
{
    setenv("WEFT_ABORT", "1", 1);
    die_in_a_then();
}

TEST(with_weft_abort_in_the_environment_it_aborts)
{
    end_of(die_for_a_core);
    assert_true(WIFSIGNALED(end.status));
    assert_int_equal(WTERMSIG(end.status), SIGABRT);
    wrote("throw_in_then()");
    wrote_not("post was told");
}

static void mine(const char *text)
{
    fprintf(stderr, "mine: %s", text);
}
static void die_with_a_function(void)
{
    weft_on_fatal(mine);
    die_in_a_then();
}

TEST(the_function_for_fatal_errors_gets_the_text)
{
    end_of(die_with_a_function);
    exited_with_1();
    wrote("mine: weft: ");
    wrote("throw_in_then()");
}

static void die_outside(void)
{
    weft_throw(UV_EIO, NULL);
}

TEST(outside_of_any_loop_an_error_ends_the_process)
{
    end_of(die_outside);
    exited_with_1();
    wrote("die_outside()");
    wrote("EIO");
}

static int throw_there(struct weft_work *work)
{
    (void)work;
    weft_throw(UV_EIO, "there");
    return 0;
}
static void die_on_the_pool(void)
{
    static struct weft_work work;
    up_catching();
    weft_work(root(), &work, throw_there, noted);
    world_run(&w);
}

TEST(an_error_on_a_thread_of_the_pool_ends_the_process_whoever_would_catch_it)
{
    end_of(die_on_the_pool);
    assert_true(WIFSIGNALED(end.status));
    wrote("throw_there()");
    wrote("there: i/o error");
}

static void *throw_on_a_thread(void *unused)
{
    weft_throw(UV_EIO, "on a thread of its own");
    return unused;
}

static void die_on_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, throw_on_a_thread, NULL);
    pthread_join(thread, NULL);
}

TEST(an_error_on_any_other_thread_without_a_loop_ends_the_process_as_programs_end)
{
    end_of(die_on_a_thread);
    exited_with_1();
    wrote("on a thread of its own: i/o error");
}

static void throw_as_a_bell(void)
{
    struct weft_frame frame;
    struct weft_handle bell = {0};
    up();
    weft_run(root(), &ops[0], a, noted);
    weft_handle_open(&ops[0], &bell, 0, "bell", WEFT_USER, &bell);
    weft_handle_enter(&frame, &bell, (weft_entry_fn *)throw_as_a_bell);
    weft_throw(UV_EIO, "ding");
}

TEST(the_text_names_the_handle_whose_callback_it_was)
{
    end_of(throw_as_a_bell);
    exited_with_1();
    wrote("in a callback of bell begun at");
    wrote("throw.c:");
}

static void die_in_a_begin(void)
{
    up();
    weft_run(root(), &ops[0], throw_in_begin, noted);
}

TEST(an_error_in_a_begin_ends_the_process_with_its_op)
{
    end_of(die_in_a_begin);
    exited_with_1();
    wrote("throw_in_begin()");
    wrote("throw_in_begin [");
}

/* In a hook's function nobody can catch it. */
static void bad_init(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                     uint64_t parent, void *resource)
{
    (void)hook, (void)id, (void)site, (void)parent, (void)resource;
    weft_throw(UV_EIO, "in init");
}
static void bad_pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id, (void)entry;
    weft_throw(UV_EIO, "in pre");
}
static void bad_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
    weft_throw(UV_EIO, "in post");
}
static void bad_destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook, (void)id;
    weft_throw(UV_EIO, "in destroy");
}
static void say_caught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop, (void)op, (void)err, (void)text;
    fputs("caught\n", stderr);
}

static struct weft_hook bad;
static void tick_with_the_bad_hook(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    bad.groups = WEFT_USER;
    assert_int_equal(weft_hook_enable(&w.loop, &bad), 0);
    weft_tick(parent, &ops[1], noted);
}
static void die_in_a_hook(void)
{
    up();
    atexit(say_goodbye);
    w.loop.on_uncaught = say_caught;
    weft_tick(root(), &ops[0], tick_with_the_bad_hook);
    world_run(&w);
}

TEST(an_error_in_a_hooks_function_ends_the_process_whoever_would_catch_it)
{
    static const struct weft_hook hooks[] = {
        {.init = bad_init}, {.pre = bad_pre}, {.post = bad_post}, {.destroy = bad_destroy}};
    static const char *const texts[] = {"in init", "in pre", "in post", "in destroy"};
    for (int i = 0; i < 4; i++) {
        bad = hooks[i];
        end_of(die_in_a_hook);
        exited_with_1();
        wrote(texts[i]);
        wrote("a hook has thrown an error");
        wrote("at exit");
        wrote_not("caught\n");
    }
}

/* A hook of one loop, while a callback of another runs, which would catch it. */
static struct world second;
static void begin_on_the_second(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_tick(weft_root(&second.loop), &ops[1], noted);
}
static void die_in_a_hook_of_another_loop(void)
{
    up();
    world_up_sim(&second, 0);
    w.loop.on_uncaught = say_caught;
    bad = (struct weft_hook){.init = bad_init, .groups = WEFT_USER};
    assert_int_equal(weft_hook_enable(&second.loop, &bad), 0);
    weft_tick(root(), &ops[0], begin_on_the_second);
    world_run(&w);
}

/* So are the ends of what is no op, and the loop itself. */
static struct weft_deadline deadline;
static void clear_on_the_second(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_deadline_clear(&deadline);
}
static void die_in_a_destroy_of_another_loop(void)
{
    up();
    world_up_sim(&second, 0);
    w.loop.on_uncaught = say_caught;
    bad = (struct weft_hook){.destroy = bad_destroy, .groups = WEFT_TIMER};
    assert_int_equal(weft_hook_enable(&second.loop, &bad), 0);
    weft_run(weft_root(&second.loop), &ops[1], a, noted);
    weft_deadline(&ops[1], &deadline, 10);
    weft_tick(root(), &ops[0], clear_on_the_second);
    world_run(&w);
}

static void hook_the_second(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    bad = (struct weft_hook){.init = bad_init};
    weft_hook_enable(&second.loop, &bad);
}
static void die_when_told_of_another_loop(void)
{
    up();
    world_up_sim(&second, 0);
    w.loop.on_uncaught = say_caught;
    weft_tick(root(), &ops[0], hook_the_second);
    world_run(&w);
}

TEST(an_error_in_a_hook_of_another_loop_ends_the_process_too)
{
    end_of(die_in_a_hook_of_another_loop);
    exited_with_1();
    wrote("in init");
    wrote_not("caught\n");
    end_of(die_in_a_destroy_of_another_loop);
    exited_with_1();
    wrote("in destroy");
    wrote_not("caught\n");
    end_of(die_when_told_of_another_loop);
    exited_with_1();
    wrote("in init");
    wrote_not("caught\n");
}
