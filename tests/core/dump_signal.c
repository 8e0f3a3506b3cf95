/* A dump on a signal: of a loop that waits, of one that spins, on any thread.
 * ctest: labels=threads needs=hooks */
#include "fault.h"
#include "loop.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdatomic.h>
#include <weft/dump.h>
#include <weft/hook.h>
#include <weft/timer.h>

/* ---- a child process that is asked ---------------------------------------------------------- */

struct child {
    pid_t pid;
    int from; /* its stderr */
    char text[16384];
    size_t length;
};

/* For the child: say that it is time to ask. */
static void ready(void)
{
    fputs("ready\n", stderr);
}

static void child_start(struct child *c, void (*body)(void))
{
    int ends[2];
    memset(c, 0, sizeof *c);
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    c->pid = fork();
    assert_true(c->pid >= 0);
    if (c->pid == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        alarm(30);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        setvbuf(stderr, NULL, _IONBF, 0);
        body();
        _exit(0);
    }
    close(ends[1]);
    c->from = ends[0];
}

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* Wait until it has said part, so many times; false: it did not within ms. */
static bool child_says(struct child *c, const char *part, int times, uint64_t ms)
{
    uint64_t end = now_ms() + ms;
    for (;;) {
        int said = 0;
        for (const char *at = c->text; (at = strstr(at, part)) != NULL; at += strlen(part))
            said++;
        if (said >= times)
            return true;
        struct pollfd poll_from = {.fd = c->from, .events = POLLIN};
        uint64_t now = now_ms();
        if (now >= end || poll(&poll_from, 1, (int)(end - now)) <= 0)
            return false;
        ssize_t got = read(c->from, c->text + c->length, sizeof c->text - 1 - c->length);
        if (got <= 0)
            return false;
        c->length += (size_t)got;
    }
}

#define says_times(c, part, times)                                                                 \
    do {                                                                                           \
        if (!child_says(c, part, times, 10000))                                                    \
            fail_msg("it does not say: %s\n%s", part, (c)->text);                                  \
    } while (0)
#define says(c, part) says_times(c, part, 1)

static void child_end(struct child *c)
{
    kill(c->pid, SIGKILL);
    assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
    close(c->from);
}

/* One turn: a loop that nothing keeps alive would not look. */
static void turn(struct weft_loop *loop)
{
    struct weft_op op = {0};
    weft_immediate(weft_root(loop), &op, weft_ignore);
    assert_int_equal(weft_loop_run(loop), 0);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static struct world w;
static struct weft_sleep nap;

static void say_ready(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    ready();
}

static void sleep_long(void)
{
    static struct weft_op tick;
    weft_sleep(weft_root(&w.loop), &nap, 100000, noted);
    weft_immediate(weft_root(&w.loop), &tick, say_ready);
    weft_loop_run(&w.loop);
}

static void wait_in_the_kernel(void)
{
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    sleep_long();
}

TEST(a_loop_that_waits_is_dumped_at_once)
{
    struct child c;
    child_start(&c, wait_in_the_kernel);
    says(&c, "ready");
    kill(c.pid, SIGUSR2);
    says(&c, "the loop stays alive for:\n  1 timer, due in ");
    says(&c, ": what loop 0x");
    says(&c, "open: 1 operation, 1 under the root\n  sleep [waiting, ");
    size_t so_far = c.length;
    kill(c.pid, SIGUSR2); /* again: by now no callback runs, not even the one that was ready */
    says_times(&c, "\n  1 timer, due in ", 2);
    assert_null(strstr(c.text + so_far, "a callback"));
    child_end(&c);
}

static void spin(void)
{
    ready();
    for (;;)
        uv_hrtime();
}

static void spin_in_then(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    spin();
}

static void shop_begin(struct weft_op *op)
{
    weft_sleep(op, &nap, 1, spin_in_then);
}

static void spin_in_a_then(void)
{
    static struct weft_op shop;
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    weft_run(weft_root(&w.loop), &shop, shop_begin, noted);
    weft_loop_run(&w.loop);
}

TEST(a_callback_that_spins_is_named_within_a_second)
{
    struct child c;
    child_start(&c, spin_in_a_then);
    says(&c, "ready");
    uint64_t asked = now_ms();
    kill(c.pid, SIGUSR2);
    says(&c, "loop [waiting for its children]\n");
    assert_true(now_ms() - asked < 1000);
    says(&c, ": a callback has been running for ");
    says(&c, " ms: of sleep begun at ");
    says(&c, "dump_signal.c:");
    says(&c, " shop_begin(), in dump_signal+0x");
    says(&c, "\n  shop_begin [running, ");
    child_end(&c);
}

static void spin_a_while(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    raise(SIGUSR2);
    weft_finish(parent, 0);
}

static void shop_with_a_while(struct weft_op *op)
{
    weft_sleep(op, &nap, 1, spin_a_while);
}

static void spin_for_a_while(void)
{
    static struct weft_op shop;
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    weft_run(weft_root(&w.loop), &shop, shop_with_a_while, noted);
    weft_loop_run(&w.loop);
    raise(SIGUSR2);
    turn(&w.loop);
}

TEST(the_function_that_ran_is_named_on_the_loops_next_turn)
{
    struct child c;
    child_start(&c, spin_for_a_while);
    says(&c, ": what ran was spin_a_while()\nweft: signal ");
    says_times(&c, ": what loop 0x", 2);
    assert_false(child_says(&c, "what ran was", 2, 0)); /* of the second nothing ran */
    child_end(&c);
}

static void spin_in_fire(struct weft_timer *timer)
{
    (void)timer;
    spin();
}

static void spin_in_a_timer(void)
{
    static struct weft_timer timer;
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    weft_timer_start(&w.loop, &timer, 0, spin_in_fire);
    weft_loop_run(&w.loop);
}

TEST(a_callback_that_is_nobodys_is_told_by_how_long_the_loop_stands_still)
{
    struct child c;
    child_start(&c, spin_in_a_timer);
    says(&c, "ready");
    kill(c.pid, SIGUSR2);
    says(&c, ": a callback is running; the loop turned last ");
    says(&c, " ago\n  loop [running]\n");
    child_end(&c);
}

static void asked_while_it_runs(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    uv_sleep(20);
    raise(SIGUSR2);
}

static void watch_in_a_callback(void)
{
    static struct weft_hook hook;
    world_up(&w);
    weft_hook_enable(&w.loop, &hook);
    weft_sleep(weft_root(&w.loop), &nap, 0, asked_while_it_runs);
    weft_loop_run(&w.loop);
}

TEST(a_callback_that_ran_before_it_was_asked_for_is_timed_from_there)
{
    struct child c;
    child_start(&c, watch_in_a_callback);
    says(&c, ": a callback has been running for ");
    long ms = strtol(strstr(c.text, "running for ") + strlen("running for "), NULL, 10);
    assert_in_range(ms, 20, 9999);
    says(&c, "what loop");
    child_end(&c);
}

/* ---- the environment ------------------------------------------------------------------------ */

static void ask_by_environment(void)
{
    setenv("WEFT_DUMP", "SIGUSR1", 1);
    world_up(&w);
    sleep_long();
}

TEST(the_environment_asks_for_any_program)
{
    struct child c;
    child_start(&c, ask_by_environment);
    says(&c, "ready");
    kill(c.pid, SIGUSR1);
    says(&c, "sleep [waiting");
    child_end(&c);
}

static void (*handler_of(int signum))(int)
{
    struct sigaction now;
    assert_int_equal(sigaction(signum, NULL, &now), 0);
    return now.sa_handler;
}

static void ask_in_all_ways(void)
{
    static const struct {
        const char *value;
        int signum;
    } ways[] = {{"1", SIGUSR2},     {"USR2", SIGUSR2}, {"SIGQUIT", SIGQUIT},
                {"HUP", SIGHUP},    {"0", 0},          {"", 0},
                {"SIGNONSENSE", 0}, {"SIG", 0},        {"10", SIGUSR1},
                {"12", SIGUSR2},    {"9", 0},          {"99999999999999999999", 0},
                {"12x", 0},         {"-12", 0},        {"SIG12", 0}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        setenv("WEFT_DUMP", ways[i].value, 1);
        world_up(&w);
        bool taken = ways[i].signum != 0 && handler_of(ways[i].signum) != SIG_DFL;
        fprintf(stderr, "'%s' %s\n", ways[i].value, taken ? "taken" : "not taken");
        world_down(&w);
    }
    fputs("done\n", stderr);
}

TEST(signals_are_known_by_name_and_nonsense_is_told)
{
    struct child c;
    child_start(&c, ask_in_all_ways);
    says(&c, "done");
    says(&c,
         "'1' taken\n'USR2' taken\n'SIGQUIT' taken\n'HUP' taken\n'0' not taken\n'' not taken\n");
    says(&c, "weft: WEFT_DUMP=SIGNONSENSE makes no sense here: a signal by name or number");
    says(&c, "weft: WEFT_DUMP=SIG makes");
    says(&c, "'10' taken\n'12' taken\nweft: WEFT_DUMP=9 makes no sense here: a signal by name or "
             "number, SIGUSR2 for instance; 1 stands for SIGUSR2\n");
    says(&c, "weft: WEFT_DUMP=99999999999999999999 makes");
    says(&c, "weft: WEFT_DUMP=12x makes");
    says(&c, "weft: WEFT_DUMP=-12 makes");
    says(&c, "weft: WEFT_DUMP=SIG12 makes");
    child_end(&c);
}

/* ---- threads -------------------------------------------------------------------------------- */

static void *loop_of_a_thread(void *unused)
{
    (void)unused;
    static uv_loop_t uv;
    static struct weft_loop loop;
    static struct weft_sleep nap_there;
    static struct weft_op tick;
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&loop, &uv), 0);
    assert_int_equal(weft_dump_on_signal(&loop, SIGUSR2, stderr), 0);
    weft_sleep(weft_root(&loop), &nap_there, 100000, weft_ignore);
    weft_immediate(weft_root(&loop), &tick, say_ready);
    weft_loop_run(&loop);
    return NULL;
}

static void loops_on_two_threads(void)
{
    pthread_t thread;
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    assert_int_equal(pthread_create(&thread, NULL, loop_of_a_thread, NULL), 0);
    sleep_long();
}

TEST(loops_on_other_threads_answer_too)
{
    struct child c;
    child_start(&c, loops_on_two_threads);
    says_times(&c, "ready", 2);
    for (int i = 1; i <= 20; i++) {
        kill(c.pid, SIGUSR2);
        says_times(&c, ": what loop 0x", 2 * i);
        says_times(&c, "1 timer, due in ", 2 * i);
    }
    child_end(&c);
}

static void *spin_on_a_thread(void *unused)
{
    (void)unused;
    spin_in_a_then();
    return NULL;
}

static void spin_elsewhere(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, spin_on_a_thread, NULL), 0);
    for (;;)
        pause();
}

TEST(a_callback_that_spins_on_another_thread_is_named)
{
    struct child c;
    child_start(&c, spin_elsewhere);
    says(&c, "ready");
    kill(c.pid, SIGUSR2); /* the main thread gets it */
    says(&c, ": a callback has been running for ");
    says(&c, "\n  shop_begin [running, ");
    child_end(&c);
}

static void two_loops_of_one_thread(void)
{
    static struct world second;
    world_up(&w);
    world_up(&second);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    assert_int_equal(weft_dump_on_signal(&second.loop, SIGUSR2, stderr), 0);
    raise(SIGUSR2);
    turn(&w.loop);
    turn(&second.loop);
    world_down(&second);
    raise(SIGUSR2); /* the first is still there */
    turn(&w.loop);
    world_down(&w);
    fputs("done\n", stderr);
}

TEST(two_loops_of_one_thread_answer_as_long_as_each_is_open)
{
    struct child c;
    child_start(&c, two_loops_of_one_thread);
    says(&c, "done");
    says_times(&c, ": what loop 0x", 3);
    assert_false(child_says(&c, ": what loop 0x", 4, 0));
    child_end(&c);
}

static atomic_bool enough;

static void *open_and_close(void *unused)
{
    (void)unused;
    while (!atomic_load(&enough)) {
        uv_loop_t uv; /* a struct world is for one thread */
        struct weft_loop loop;
        assert_int_equal(uv_loop_init(&uv), 0);
        assert_int_equal(weft_loop_init(&loop, &uv), 0);
        assert_int_equal(weft_dump_on_signal(&loop, SIGUSR2, stderr), 0);
        turn(&loop);
        assert_int_equal(weft_loop_close(&loop), 0);
        uv_run(&uv, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&uv), 0);
    }
    return NULL;
}

static void open_and_close_under_fire(void)
{
    pthread_t threads[2];
    fclose(stderr);
    stderr = fopen("/dev/null", "w");
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
    for (int i = 0; i < 500; i++)
        kill(getpid(), SIGUSR2);
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    world_down(&w);
}

TEST(loops_may_come_and_go_while_signals_arrive)
{
    struct child c;
    int status = 0;
    child_start(&c, open_and_close_under_fire);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_int_equal(status, 0);
    close(c.from);
}

static atomic_uint changes;

/* One for each change: who gets them without a pause does nothing else. */
static void *send_signals(void *unused)
{
    for (unsigned sent = 0; !atomic_load(&enough);) {
        unsigned now = atomic_load(&changes);
        if (sent != now)
            kill(getpid(), SIGUSR2);
        else
            sched_yield();
        sent = now;
    }
    return unused;
}

/* In another process: by default the signal ends it. */
static void change_under_fire(void)
{
    pthread_t thread;
    fclose(stderr);
    stderr = fopen("/dev/null", "w");
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
    assert_int_equal(pthread_create(&thread, NULL, send_signals, NULL), 0);
    uint64_t end = now_ms() + 500; /* where a signal takes long, fewer will do */
    for (int i = 0; i < 20000 && now_ms() < end; i++) {
        atomic_fetch_add(&changes, 1);
        assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, stderr), 0);
        if (i % 50 == 0)
            uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    world_down(&w);
}

TEST(it_may_be_changed_while_signals_arrive)
{
    struct child c;
    int status = 0;
    child_start(&c, change_under_fire);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_int_equal(status, 0);
    close(c.from);
}

/* ---- the handler of before ------------------------------------------------------------------ */

static volatile sig_atomic_t heard;

static void hear(int signum)
{
    errno = EIO; /* as handlers do that do not know better */
    heard += signum == SIGUSR2;
}

static void hear_more(int signum, siginfo_t *info, void *context)
{
    (void)context;
    heard += signum == SIGUSR2 && info != NULL;
}

TEST(the_handler_of_before_is_called_and_comes_back)
{
    for (int more = 0; more < 2; more++) {
        struct sigaction mine, before, after;
        FILE *file = tmpfile();
        memset(&mine, 0, sizeof mine);
        mine.sa_handler = hear;
        if (more) {
            mine.sa_sigaction = hear_more;
            mine.sa_flags = SA_SIGINFO;
        }
        assert_int_equal(sigaction(SIGUSR2, &mine, &before), 0);
        world_up(&w);
        assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), 0);
        heard = 0;
        errno = 77;
        raise(SIGUSR2);
        assert_int_equal(errno, 77);
        assert_int_equal(heard, 1);
        turn(&w.loop);
        char *text = text_of(file);
        assert_non_null(strstr(text, "open: 1 operation"));
        free(text);
        world_down(&w);
        raise(SIGUSR2);
        assert_int_equal(heard, 2);
        assert_int_equal(sigaction(SIGUSR2, &before, &after), 0);
        assert_ptr_equal(after.sa_handler, mine.sa_handler);
        fclose(file);
    }
}

static struct sigaction below;

static void pass_on(int signum, siginfo_t *info, void *context)
{
    heard++;
    below.sa_sigaction(signum, info, context);
}

TEST(a_handler_on_top_stays_and_may_call_ours_after_the_close)
{
    struct sigaction top, before;
    FILE *file = tmpfile();
    assert_int_equal(sigaction(SIGUSR2, NULL, &before), 0);
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), 0);
    memset(&top, 0, sizeof top);
    top.sa_sigaction = pass_on;
    top.sa_flags = SA_SIGINFO;
    assert_int_equal(sigaction(SIGUSR2, &top, &below), 0);
    heard = 0;
    raise(SIGUSR2);
    turn(&w.loop);
    char *text = text_of(file);
    assert_non_null(strstr(text, "what loop"));
    free(text);
    world_down(&w);
    raise(SIGUSR2);
    assert_int_equal(heard, 2);
    /* ours is the one below still: a new loop does not chain it to itself */
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), 0);
    raise(SIGUSR2);
    assert_int_equal(heard, 3);
    assert_int_equal(sigaction(SIGUSR2, &below, NULL), 0);
    world_down(&w);
    assert_int_equal(sigaction(SIGUSR2, NULL, &top), 0);
    assert_ptr_equal(top.sa_handler, before.sa_handler);
    fclose(file);
}

/* ---- on and off ----------------------------------------------------------------------------- */

TEST(it_can_be_changed_and_taken_back_and_keeps_no_loop_alive)
{
    FILE *file = tmpfile();
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR1, file), 0);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), 0);
    assert_true(handler_of(SIGUSR1) == SIG_DFL);
    assert_true(handler_of(SIGUSR2) != SIG_DFL);
    assert_int_equal(weft_dump_on_signal(&w.loop, 0, NULL), 0);
    assert_true(handler_of(SIGUSR2) == SIG_DFL);
    assert_int_equal(weft_dump_on_signal(&w.loop, 0, NULL), 0);
    assert_int_equal(w.loop.watch_, 0);
    world_down(&w);
    fclose(file);
}

TEST(a_change_that_fails_leaves_it_as_it_was)
{
    FILE *file = tmpfile();
    world_up(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), 0);
    assert_int_equal(weft_dump_on_signal(&w.loop, 32 /* the C library's own */, file), UV_EINVAL);
    assert_true(handler_of(SIGUSR2) != SIG_DFL);
    assert_true(w.loop.watch_ != 0);
    raise(SIGUSR2);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_true(ftell(file) > 0);
    assert_int_equal(weft_dump_on_signal(&w.loop, 0, NULL), 0);
    assert_true(handler_of(SIGUSR2) == SIG_DFL);
    world_down(&w);
    fclose(file);
}

TEST(bad_input_is_refused)
{
    FILE *file = tmpfile();
    assert_int_equal(weft_dump_on_signal(NULL, SIGUSR2, file), UV_EINVAL);
    world_up(&w);
    static const int bad[] = {SIGKILL, SIGSTOP, -1, 65, 1000000, 32 /* the C library's own */};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(weft_dump_on_signal(&w.loop, bad[i], file), UV_EINVAL);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, NULL), UV_EINVAL);
    assert_true(handler_of(SIGUSR2) == SIG_DFL);
    world_down(&w);
    assert_int_equal(weft_dump_on_signal(&w.loop, SIGUSR2, file), UV_EINVAL);
    fclose(file);
}

static void ask_without_memory(unsigned long n)
{
    (void)n;
    struct world mine;
    memset(&mine, 0, sizeof mine);
    assert_int_equal(uv_loop_init(&mine.uv), 0);
    if (weft_loop_init(&mine.loop, &mine.uv) == 0) {
        int err = weft_dump_on_signal(&mine.loop, SIGUSR2, stderr);
        assert_true(err == 0 || err == UV_ENOMEM);
        assert_int_equal(handler_of(SIGUSR2) == SIG_DFL, err != 0);
        assert_int_equal(weft_loop_close(&mine.loop), 0);
    }
    uv_run(&mine.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&mine.uv), 0);
}

TEST(asking_survives_running_out_of_memory)
{
    fault_ladder(ask_without_memory);
    assert_true(fault_ladder_height() >= 2);
}
