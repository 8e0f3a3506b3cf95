/* No-op tasks through a queue with four places: tasks a second.
 *
 *     noop at-once COUNT      a task is finished by its begin
 *     noop immediate COUNT    a task is finished after the loop has looked for I/O
 *
 * 64 ops are pushed; the then of each pushes it again until COUNT were pushed. A task is one push,
 * one begin, one finish and one then, with the statistics that a queue always keeps; the clock runs
 * from the first push to the last then. The peers do the same in the same shape: four at once, 64
 * in the queue, each finished task makes room for the next, after the same warm-up. */
#include "../bench.h"
#include <string.h>
#include <weft/queue.h>

enum { PLACES = 4, POOL = 64, WARM_UP = 100000 };

static struct weft_loop loop;
static struct weft_queue queue;
static struct weft_op tasks[POOL], laters[POOL];
static weft_begin_fn *begin;
static size_t wanted, pushed, done;

static void finish_at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void polled(struct weft_op *op, struct weft_op *later)
{
    weft_finish(op, later->status);
}

static void finish_later(struct weft_op *op)
{
    weft_immediate(op, &laters[op - tasks], polled);
}

static void over(struct weft_op *root, struct weft_op *op)
{
    done++;
    if (pushed == wanted)
        return;
    pushed++;
    weft_queue_push(&queue, root, op, begin, over);
}

static uint64_t work(size_t count)
{
    uint64_t before = queue.stats.done;
    wanted = count;
    done = 0;
    uint64_t begun = uv_hrtime();
    for (pushed = 0; pushed < POOL; pushed++)
        weft_queue_push(&queue, weft_root(&loop), &tasks[pushed], begin, over);
    int err = weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(err == 0 && done == count, "not every task was done");
    bench_check(queue.stats.done - before == count, "the statistics miss some");
    return took;
}

int main(int argc, char **argv)
{
    size_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (count < POOL) {
        fprintf(stderr, "usage: noop at-once|immediate COUNT; COUNT is %d or more\n", POOL);
        return 2;
    }
    begin = strcmp(argv[1], "immediate") == 0 ? finish_later : finish_at_once;
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    bench_check(weft_queue_init(&queue, &loop, PLACES) == 0, "no queue");
    work(WARM_UP); /* as the peers do, whose compilers need it */
    printf("%.0f\n", (double)count * 1e9 / (double)work(count));
    return 0;
}
