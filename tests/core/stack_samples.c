/* C stacks of where ops were begun: taken now and then, shown with the op.
 * ctest: labels=valgrind needs=hooks */
#include "core/symbols.h"
#include "fault.h"
#include "loop.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <weft/dump.h>
#include <weft/hook.h>
#include <weft/timer.h>

static struct world w;

/* What the compiler may not leave out: a frame of its own, with something left to do. */
#define A_FRAME_OF_ITS_OWN __attribute__((noinline))
#define NOT_THE_LAST_CALL() __asm__ volatile("")

A_FRAME_OF_ITS_OWN static void begin_it_here(struct weft_op *op)
{
    weft_run(weft_root(&w.loop), op, NULL, noted);
    NOT_THE_LAST_CALL();
}

A_FRAME_OF_ITS_OWN static void by_way_of_this(struct weft_op *op)
{
    begin_it_here(op);
    NOT_THE_LAST_CALL();
}

static char *stack_of(const struct weft_op *op)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_stack(op, file);
    char *text = text_of(file);
    fclose(file);
    return text;
}

static bool is_sampled(const struct weft_op *op)
{
    char *text = stack_of(op);
    bool sampled = strstr(text, "      in ") != NULL;
    free(text);
    return sampled;
}

TEST(a_sampled_op_shows_the_functions_that_led_to_its_begin)
{
    struct weft_op op = {0};
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), 0);
    by_way_of_this(&op);
    char *text = stack_of(&op);
    assert_non_null(strstr(text,
                           "begin_it_here()\n      in begin_it_here\n      in by_way_of_this\n"
                           "      in a_sampled_op_shows_the_functions"));
    free(text);
    FILE *file = tmpfile();
    weft_dump(&w.loop, file);
    text = text_of(file);
    assert_non_null(strstr(text, "begin_it_here()\n      in begin_it_here\n"));
    free(text);
    fclose(file);
    weft_finish(&op, 0);
    world_down(&w);
}

A_FRAME_OF_ITS_OWN static void start_a_timer(struct weft_timer *timer,
                                             void (*fire)(struct weft_timer *))
{
    weft_timer_start(&w.loop, timer, 1000, fire);
    NOT_THE_LAST_CALL();
}

static void never(struct weft_timer *timer)
{
    (void)timer;
}

A_FRAME_OF_ITS_OWN static void open_a_till(struct weft_handle *till)
{
    weft_handle_open(weft_root(&w.loop), till, 0, "till", WEFT_USER, NULL);
    NOT_THE_LAST_CALL();
}

TEST(other_resources_are_sampled_as_well_and_the_loop_is_not)
{
    struct weft_handle till;
    struct weft_timer timer;
    memset(&timer, 0, sizeof timer);
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), 0);
    start_a_timer(&timer, never);
    open_a_till(&till);
    FILE *file = tmpfile();
    weft_dump(&w.loop, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "start_a_timer()\n      in start_a_timer"));
    assert_non_null(strstr(text, "open_a_till()\n      in open_a_till\n"));
    free(text);
    fclose(file);
    assert_false(is_sampled(weft_root(&w.loop)));
    weft_timer_stop(&w.loop, &timer);
    weft_handle_close(&till);
    world_down(&w);
}

TEST(names_are_found_when_a_library_that_was_there_before_is_gone)
{
    struct symbols symbols = {.count = 0};
    void *library = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL); /* of glibc's, and rarely used */
    if (library == NULL) {
        fputs("skipped: there is no libanl.so.1 to load\n", stderr);
        skip();
    }
    assert_string_equal(weft__symbol(&symbols, (weft_entry_fn *)never), "never");
    assert_int_equal(dlclose(library), 0);
    assert_string_equal(weft__symbol(&symbols, (weft_entry_fn *)(uintptr_t)16), "0x10");
    weft__symbols_free(&symbols);
}

TEST(a_function_that_a_hook_is_told_of_has_a_name)
{
    char name[64] = "x";
    assert_ptr_equal(weft_function_name((weft_entry_fn *)never, name, sizeof name), name);
    assert_string_equal(name, "never");
    assert_string_equal(weft_function_name((weft_entry_fn *)weft_pass, name, sizeof name),
                        "weft_pass");
    assert_string_equal(weft_function_name(NULL, name, sizeof name), "none");
    assert_string_equal(weft_function_name((weft_entry_fn *)(uintptr_t)16, name, 4), "0x1");
    weft_function_name((weft_entry_fn *)never, name, 0);
    assert_string_equal(name, "0x1");
}

TEST(every_third_is_sampled_if_that_is_asked_for)
{
    struct weft_op ops[9] = {{0}};
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 3), 0);
    for (int i = 0; i < 9; i++)
        by_way_of_this(&ops[i]);
    for (int i = 0; i < 9; i++)
        assert_int_equal(is_sampled(&ops[i]), i % 3 == 2);
    for (int i = 0; i < 9; i++)
        weft_finish(&ops[i], 0);
    world_down(&w);
}

TEST(the_last_256_are_kept)
{
    enum { MANY = 300, KEPT = 256 };
    static struct weft_op ops[MANY];
    memset(ops, 0, sizeof ops);
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), 0);
    for (int i = 0; i < MANY; i++)
        begin_it_here(&ops[i]);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(is_sampled(&ops[i]), i >= MANY - KEPT);
    for (int i = 0; i < MANY; i++)
        weft_finish(&ops[i], 0);
    world_down(&w);
}

TEST(zero_ends_it_and_forgets)
{
    struct weft_op first = {0}, second = {0};
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 0), 0);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), 0);
    begin_it_here(&first);
    assert_int_equal(weft_stacks_sample(&w.loop, 0), 0);
    begin_it_here(&second);
    assert_false(is_sampled(&first));
    assert_false(is_sampled(&second));
    weft_finish(&first, 0);
    weft_finish(&second, 0);
    world_down(&w);
}

TEST(storage_that_is_used_again_does_not_show_the_stack_of_before)
{
    struct weft_op op = {0};
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 2), 0);
    by_way_of_this(&op);
    weft_finish(&op, 0);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    by_way_of_this(&op);
    assert_true(is_sampled(&op));
    weft_finish(&op, 0);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    by_way_of_this(&op);
    assert_false(is_sampled(&op));
    weft_finish(&op, 0);
    world_down(&w);
}

static void break_a_rule(void)
{
    static struct weft_op op;
    world_up(&w);
    weft_stacks_sample(&w.loop, 1);
    by_way_of_this(&op);
    weft_finish(&op, 1);
}

TEST(a_broken_rule_shows_it_too)
{
    dies(break_a_rule, "rule 2", "\n      in begin_it_here\n      in by_way_of_this\n");
}

/* ---- code that cannot be walked ------------------------------------------------------------- */

#ifdef __x86_64__
static struct weft_op *walked;

static void begin_walked(void)
{
    begin_it_here(walked);
    NOT_THE_LAST_CALL();
}

/* A function that no table describes, with a frame pointer that leads nowhere. */
static const unsigned char no_tables[] = {
    0x55,                         /* push %rbp */
    0x48, 0xc7, 0xc5, 1, 0, 0, 0, /* mov $1, %rbp */
    0xff, 0xd7,                   /* call *%rdi */
    0x5d,                         /* pop %rbp */
    0xc3,                         /* ret */
};

TEST(code_without_tables_or_frame_pointers_ends_the_stack)
{
    struct weft_op op = {0};
    void (*call)(void (*function)(void));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    memcpy(code, no_tables, sizeof no_tables);
    if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) {
        fputs("no memory may be executed here\n", stderr);
        munmap(code, 4096);
        skip();
    }
    memcpy(&call, &code, sizeof call);
    world_up(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), 0);
    walked = &op;
    call(begin_walked);
    char *text = stack_of(&op);
    assert_non_null(strstr(text, "      in begin_it_here\n      in begin_walked\n      in 0x"));
    assert_null(strstr(text, "code_without_tables"));
    free(text);
    weft_finish(&op, 0);
    world_down(&w);
    munmap(code, 4096);
}
#endif

/* ---- the environment, bad input, no memory -------------------------------------------------- */

TEST(the_environment_may_ask_for_it)
{
    struct weft_op ops[2] = {{0}};
    setenv("WEFT_STACKS", "2", 1);
    world_up(&w);
    unsetenv("WEFT_STACKS");
    for (int i = 0; i < 2; i++)
        begin_it_here(&ops[i]);
    assert_false(is_sampled(&ops[0]));
    assert_true(is_sampled(&ops[1]));
    for (int i = 0; i < 2; i++)
        weft_finish(&ops[i], 0);
    world_down(&w);
}

static void ask_for_nonsense(void)
{
    static const char *const bad[] = {"often", "-1", "10x", "99999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("WEFT_STACKS", bad[i], 1);
        world_up(&w);
        assert_int_equal(w.loop.watch_, 0);
        world_down(&w);
    }
    setenv("WEFT_STACKS", "0", 1);
    world_up(&w);
    assert_int_equal(w.loop.watch_, 0);
    abort();
}

TEST(nonsense_in_the_environment_is_told_and_ignored)
{
    dies(ask_for_nonsense, "weft: WEFT_STACKS=often makes no sense here: a number",
         "WEFT_STACKS=-1 ", "WEFT_STACKS=10x ", "WEFT_STACKS=99999999999 ");
}

TEST(bad_input_is_refused)
{
    struct weft_hook hooks[WEFT_HOOKS];
    memset(hooks, 0, sizeof hooks);
    assert_int_equal(weft_stacks_sample(NULL, 1), UV_EINVAL);
    world_up(&w);
    for (int i = 0; i < WEFT_HOOKS; i++)
        assert_int_equal(weft_hook_enable(&w.loop, &hooks[i]), 0);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), UV_ENOSPC);
    assert_int_equal(weft_stacks_sample(&w.loop, 0), 0);
    world_down(&w);
    assert_int_equal(weft_stacks_sample(&w.loop, 1), UV_EINVAL);
}

static void sample_without_memory(unsigned long n)
{
    (void)n;
    struct weft_op op = {0};
    assert_int_equal(uv_loop_init(&w.uv), 0);
    if (weft_loop_init(&w.loop, &w.uv) == 0) {
        int err = weft_stacks_sample(&w.loop, 1);
        assert_true(err == 0 || err == UV_ENOMEM);
        begin_it_here(&op);
        free(stack_of(&op));
        weft_finish(&op, 0);
        assert_int_equal(weft_loop_run(&w.loop), 0);
        assert_int_equal(weft_loop_close(&w.loop), 0);
    }
    uv_run(&w.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w.uv), 0);
}

TEST(sampling_survives_running_out_of_memory)
{
    fault_ladder(sample_without_memory);
    assert_true(fault_ladder_height() >= 3);
}
