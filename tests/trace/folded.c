/* Folded stacks: who waited, what ran, and for how long.
 * ctest: needs=hooks */
#include "loop.h"
#include "scratch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/timer.h>
#include <weft/trace.h>
#include <weft/work.h>

static char path[SCRATCH_PATH];

static void start(void)
{
    static int count;
    char name[32];
    snprintf(name, sizeof name, "%d.folded", ++count);
    scratch_path(path, name);
    assert_int_equal(weft_trace_start(&(struct weft_trace_options){.path = path}), 0);
}

/* Microseconds of a stack; -1: it is not there. Every line is a stack and a number. */
static long of_stack(const char *stack)
{
    static char line[100000];
    long found = -1;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *space = strrchr(line, ' '), *end;
        assert_non_null(space);
        *space = '\0';
        long us = strtol(space + 1, &end, 10);
        assert_true(*end == '\n' && us > 0);
        if (strcmp(line, stack) == 0)
            found = us;
    }
    fclose(file);
    return found;
}

static void spin(uint64_t ms)
{
    uint64_t end = uv_hrtime() + ms * 1000000;
    while (uv_hrtime() < end)
        ;
}

static int spin_there(struct weft_work *work)
{
    (void)work;
    spin(8);
    return 0;
}

struct page {
    struct weft_op op;
    struct weft_sleep nap;
    struct weft_work work;
    struct weft_op other;
};

static void worked(struct weft_op *op, struct weft_op *work)
{
    weft_finish(op, work->status);
}

static void napped(struct weft_op *op, struct weft_op *nap)
{
    (void)nap;
    spin(5);
    weft_work(op, &weft_owner(op, struct page, op)->work, spin_there, worked);
}

static void page(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct page, op)->nap, 20, napped);
}

TEST(waiting_and_running_are_told_apart_and_once)
{
    struct world w;
    struct page p = {.nap = {.op = {0}}};
    start();
    world_up(&w);
    uv_update_time(w.loop.uv); /* what came before took a moment: not out of the nap */
    weft_run(weft_root(&w.loop), &p.op, page, noted);
    world_down(&w);
    assert_int_equal(weft_trace_stop(), 0);
    assert_in_range(of_stack("loop;page;sleep;[waiting]"), 19000, 1000000);
    assert_in_range(of_stack("loop;page;sleep;napped"), 5000, 1000000);
    assert_in_range(of_stack("loop;page;spin_there;spin_there"), 8000, 1000000);
    /* A page waits for what it has begun: that is told there. */
    assert_true(of_stack("loop;page;[waiting]") < 19000);
    assert_true(of_stack("loop;page;spin_there;[waiting]") <
                of_stack("loop;page;spin_there;spin_there") + 1000000);
    assert_int_equal(of_stack("loop;[waiting]"), -1); /* handles are there, and wait for nobody */
}

TEST(equal_chains_are_one_line)
{
    struct world w;
    struct weft_sleep naps[3] = {0};
    start();
    world_up(&w);
    for (int i = 0; i < 3; i++)
        weft_sleep(weft_root(&w.loop), &naps[i], 10, noted);
    world_down(&w);
    assert_int_equal(weft_trace_stop(), 0);
    assert_in_range(of_stack("loop;sleep;[waiting]"), 27000, 3000000);
}

TEST(a_name_cannot_break_a_line)
{
    static const struct weft_site odd = {"f.c", "f", "a;b\nc", 1, WEFT_USER};
    struct world w;
    struct weft_op op = {0};
    start();
    world_up(&w);
    weft_run_at(&odd, weft_root(&w.loop), &op, begin_counted, noted);
    spin(2);
    weft_finish(&op, 0);
    world_down(&w);
    assert_int_equal(weft_trace_stop(), 0);
    assert_in_range(of_stack("loop;a:b:c;[waiting]"), 2000, 1000000);
}

/* ---- deep chains ---------------------------------------------------------------------------- */

enum { DEEP = 3000 };
static struct weft_op deep[DEEP];

static void descend(struct weft_op *op)
{
    if (op == &deep[DEEP - 1]) {
        spin(2);
        weft_finish(op, 0);
        return;
    }
    weft_run(op, op + 1, descend, weft_pass);
}

TEST(a_chain_that_is_very_deep_is_cut)
{
    struct world w;
    memset(deep, 0, sizeof deep);
    start();
    world_up(&w);
    weft_run(weft_root(&w.loop), &deep[0], descend, noted);
    world_down(&w);
    assert_int_equal(weft_trace_stop(), 0);
    static char line[10000];
    int most = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        int frames = 1;
        assert_int_equal(strncmp(line, "loop;", 5), 0); /* it is cut at its deep end */
        for (const char *at = line; *at != '\0'; at++)
            frames += *at == ';';
        most = frames > most ? frames : most;
        assert_non_null(strchr(line, '\n'));
    }
    fclose(file);
    assert_in_range(most, 100, 103);
}
