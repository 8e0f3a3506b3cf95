/* What one operation costs. In each kind of flow: see bench/flow.
 *
 *     op size              bytes in an op
 *     op best MODE COUNT   nanoseconds an op: the best of several runs over COUNT of them
 *     op once MODE COUNT   a single run, for counting its instructions
 *
 * The op does nothing: what is counted is the library and the smallest begin and then that a caller
 * can write. It is begun, finished at once, reported, and its then begins it again: by weft_run, or
 * by weft_tick. */
#include "../bench.h"
#include <string.h>
#include <weft/loop.h>

static struct weft_loop loop;
static size_t count, reported;
static struct weft_op single;

static void noop(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void run_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_run(root, op, noop, run_over);
}

static void start_run(struct weft_op *root)
{
    weft_run(root, &single, noop, run_over);
}

static void tick_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_tick(root, op, tick_over);
}

static void start_tick(struct weft_op *root)
{
    weft_tick(root, &single, tick_over);
}

static const struct mode {
    const char *name;
    void (*start)(struct weft_op *root);
} modes[] = {
    {"run", start_run},
    {"tick", start_tick},
};
enum { MODES = sizeof modes / sizeof modes[0] };
static const struct mode *mode;

static uint64_t work(size_t items)
{
    count = items;
    reported = 0;
    uint64_t begun = uv_hrtime();
    mode->start(weft_root(&loop));
    int err = weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(err == 0 && reported == items, "not every op was done");
    return took;
}

static int usage(void)
{
    fprintf(stderr, "usage: op size | op best|once MODE COUNT\nmodes:");
    for (size_t i = 0; i < MODES; i++)
        fprintf(stderr, " %s", modes[i].name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "size") == 0) {
        printf("%zu\n", sizeof(struct weft_op));
        return 0;
    }
    if (argc != 4)
        return usage();
    for (size_t i = 0; i < MODES; i++) {
        if (strcmp(argv[2], modes[i].name) == 0)
            mode = &modes[i];
    }
    size_t items = strtoull(argv[3], NULL, 10);
    if (mode == NULL || items == 0)
        return usage();
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    if (strcmp(argv[1], "once") == 0)
        work(items);
    else
        printf("%.1f\n", bench_best(work, items));
    return 0;
}
