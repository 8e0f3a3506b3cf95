/* What recording costs: ops that finish at once, one after the other, recorded and not. An op is four
 * events: init, pre, post, destroy.
 *
 *     record best off|on COUNT     nanoseconds for one op: the best of many short rounds, since others
 *                                  leave those alone more often than long ones
 *     record once off|on COUNT     only does it: for counting instructions
 *     record write COUNT           seconds to write the trace of so many ops */
#include "../bench.h"
#include <string.h>
#include <unistd.h>
#include <weft.h>
#include <weft/trace.h>

struct chain {
    struct weft_op op;
    size_t left;
};

static void finish_at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void next(struct weft_op *root, struct weft_op *op)
{
    struct chain *chain = weft_owner(op, struct chain, op);
    if (--chain->left > 0)
        weft_run(root, op, finish_at_once, next);
}

static uint64_t run(size_t count)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct chain chain = {.left = count};
    bench_check(uv_loop_init(&uv) == 0 && weft_loop_init(&loop, &uv) == 0, "no loop");
    uint64_t begin = uv_hrtime();
    weft_run(weft_root(&loop), &chain.op, finish_at_once, next);
    weft_loop_run(&loop);
    uint64_t end = uv_hrtime();
    bench_check(chain.left == 0, "not all of them ran");
    weft_loop_close(&loop);
    uv_run(&uv, UV_RUN_DEFAULT);
    uv_loop_close(&uv);
    return end - begin;
}

static double best(size_t count)
{
    enum { ROUND = 5000 };
    double least = 0;
    for (size_t done = 0; done < count; done += ROUND)
        bench_keep_best(&least, run(ROUND), ROUND);
    return least;
}

static void start(size_t events)
{
    struct weft_trace_options options = {.path = "/tmp/weft-bench-%p.json", .events = events};
    bench_check(weft_trace_start(&options) == 0, "nothing is recorded");
}

static void stop(void)
{
    char path[64];
    bench_check(weft_trace_stop() == 0, "nothing was written");
    snprintf(path, sizeof path, "/tmp/weft-bench-%d.json", (int)getpid());
    unlink(path);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[argc - 1], NULL, 10) : 0;
    bench_check(count > 0, "usage: record best|once off|on COUNT, record write COUNT");
    if (strcmp(argv[1], "write") == 0) {
        start(4 * count + 2);
        run(count);
        uint64_t begin = uv_hrtime();
        stop();
        printf("%.3f\n", (double)(uv_hrtime() - begin) / 1e9);
        return 0;
    }
    bool on = argc > 2 && strcmp(argv[2], "on") == 0;
    if (on)
        start(1 << 12); /* small: what is measured is the recording, not the cache */
    if (strcmp(argv[1], "best") == 0)
        printf("%.1f\n", best(count));
    else
        run(count);
    if (on)
        stop();
    return 0;
}
