/* What a call through a lazy costs.
 *
 *     lazy                   nanoseconds a call, beside a direct one
 *     lazy once MODE COUNT   a single run, for counting its instructions: direct, ready, waited
 *
 * The op does nothing, as in bench/core: it is begun, finished at once and reported, and its then
 * begins the next one.
 *     direct   by weft_run
 *     ready    by weft_lazy_run, when the component is ready: one indirect call more
 *     waited   by weft_lazy_run, 1,000 at a time, before it is: they wait in line, the initialisation
 *              ends, they are begun; opening and closing the lazy is part of it */
#include "../bench.h"
#include <string.h>
#include <weft/lazy.h>

enum { LINE = 1000 };

static struct weft_loop loop;
static struct weft_lazy lazy;
static struct weft_op single, line[LINE];
static size_t count, reported;

static void noop(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void open_lazy(void)
{
    lazy = (struct weft_lazy){.owner = weft_root(&loop), .begin = noop};
    bench_check(weft_lazy_open(&lazy) == 0, "no lazy");
}

static void run_loop(void)
{
    bench_check(weft_loop_run(&loop) == 0, "the loop is stuck");
}

/* ---- one after the other -------------------------------------------------------------------- */

static void direct_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_run(root, op, noop, direct_over);
}

static void ready_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_lazy_run(root, op, &lazy, noop, ready_over);
}

static uint64_t measure(weft_then_fn *over, size_t items)
{
    count = items;
    reported = 0;
    uint64_t begun = uv_hrtime();
    weft_run(weft_root(&loop), &single, noop, over);
    run_loop();
    uint64_t took = uv_hrtime() - begun;
    bench_check(reported == items, "not every call was done");
    return took;
}

static uint64_t direct(size_t items)
{
    return measure(direct_over, items);
}

static uint64_t ready(size_t items)
{
    open_lazy();
    weft_lazy_run(weft_root(&loop), &single, &lazy, noop, weft_ignore);
    run_loop();
    bench_check(lazy.initialized, "it is not initialised");
    uint64_t took = measure(ready_over, items);
    bench_check(weft_lazy_close(&lazy) == 0, "the lazy is busy");
    return took;
}

/* ---- through the line ----------------------------------------------------------------------- */

static void waited_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    reported++;
}

static uint64_t waited(size_t items)
{
    size_t rounds = items / LINE;
    reported = 0;
    uint64_t begun = uv_hrtime();
    for (size_t i = 0; i < rounds; i++) {
        open_lazy();
        for (size_t k = 0; k < LINE; k++)
            weft_lazy_run(weft_root(&loop), &line[k], &lazy, noop, waited_over);
        run_loop();
        bench_check(weft_lazy_close(&lazy) == 0, "the lazy is busy");
    }
    uint64_t took = uv_hrtime() - begun;
    bench_check(reported == rounds * LINE, "not every call was done");
    return took;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bench_fn *find_mode(const char *name)
{
    if (strcmp(name, "direct") == 0)
        return direct;
    if (strcmp(name, "ready") == 0)
        return ready;
    return strcmp(name, "waited") == 0 ? waited : NULL;
}

int main(int argc, char **argv)
{
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    if (argc == 1) {
        bench_compare("recipes/lazy", "direct", ready, direct, 1000000);
        bench_compare("recipes/lazy-waited", "direct", waited, direct, 1000000);
        return 0;
    }
    bench_fn *mode = argc == 4 && strcmp(argv[1], "once") == 0 ? find_mode(argv[2]) : NULL;
    size_t items = mode != NULL ? strtoull(argv[3], NULL, 10) : 0;
    if (items == 0) {
        fprintf(stderr, "usage: lazy | lazy once direct|ready|waited COUNT\n");
        return 2;
    }
    mode(items);
    return 0;
}
