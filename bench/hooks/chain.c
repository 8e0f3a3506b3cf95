/* What hooks and context add to an operation.
 *
 *     chain best SHAPE WHAT COUNT   nanoseconds an op: the best of several runs over COUNT of them
 *     chain once SHAPE WHAT COUNT   a single run, for counting its instructions
 *
 * 64 chains side by side: an op is begun, ends, is reported, and its then begins it again. SHAPE
 * says how it ends:
 *     run         in its begin; its then comes from the ready queue
 *     immediate   after the loop has looked for I/O: 64 ops a look
 *     queue       as run, but it was pushed into a queue with 64 places
 * and WHAT what there is besides:
 *     plain       nothing
 *     hooks       a hook of four empty functions is enabled
 *     context     there is a value above it, and its then asks for it
 *     set         it sets a value of its own in its begin, and asks for it
 *     beside      there is a context, but of another op */
#include "../bench.h"
#include <string.h>
#include <weft/context.h>
#include <weft/hook.h>
#include <weft/queue.h>

static struct weft_loop loop;
static struct weft_queue queue;
enum { CHAINS = 64 };
static struct weft_op above, beside, chains[CHAINS];
static size_t count, begun, reported;

/* ---- what there is besides ------------------------------------------------------------------ */

static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource)
{
    (void)hook, (void)id, (void)site, (void)parent, (void)resource;
}
static void pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id, (void)entry;
}
static void post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
}
static void destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook, (void)id;
}

static struct weft_hook hook = {.init = init, .pre = pre, .post = post, .destroy = destroy};
static struct weft_key key = {.name = "value"};
static int value;
static bool asks;
static void *volatile answer; /* so that nobody leaves the question out */

static bool prepare(const char *what)
{
    weft_run(weft_root(&loop), &above, NULL, weft_ignore);
    weft_run(weft_root(&loop), &beside, NULL, weft_ignore);
    asks = strcmp(what, "context") == 0;
    if (strcmp(what, "hooks") == 0)
        bench_check(weft_hook_enable(&loop, &hook) == 0, "no hook");
    else if (strcmp(what, "context") == 0)
        bench_check(weft_context_set(&above, &key, &value) == 0, "no context");
    else if (strcmp(what, "beside") == 0)
        bench_check(weft_context_set(&beside, &key, &value) == 0, "no context");
    else
        return strcmp(what, "plain") == 0 || strcmp(what, "set") == 0;
    return true;
}

/* ---- the chains ----------------------------------------------------------------------------- */

static weft_begin_fn *begin, *begin_after_set;
static bool queued;
static weft_then_fn over;

static void next(struct weft_op *op)
{
    begun++;
    if (queued)
        weft_queue_push(&queue, &above, op, begin, over);
    else
        weft_run(&above, op, begin, over);
}

static void over(struct weft_op *parent, struct weft_op *op)
{
    if (asks)
        answer = weft_context_get(parent, &key);
    reported++;
    if (begun < count)
        next(op);
}

static void noop(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void set(struct weft_op *op)
{
    bench_check(weft_context_set(op, &key, &value) == 0, "no memory");
    answer = weft_context_get(op, &key);
    begin_after_set(op);
}

static bool choose(const char *shape, const char *what)
{
    queued = strcmp(shape, "queue") == 0;
    begin = strcmp(shape, "immediate") == 0 ? weft_immediate_begin : noop;
    if (begin == noop && !queued && strcmp(shape, "run") != 0)
        return false;
    if (strcmp(what, "set") == 0) {
        begin_after_set = begin;
        begin = set;
    }
    return true;
}

static uint64_t work(size_t items)
{
    count = items;
    begun = reported = 0;
    loop.stuck_to = NULL; /* above and beside wait for us */
    uint64_t since = uv_hrtime();
    for (int i = 0; i < CHAINS && begun < count; i++)
        next(&chains[i]);
    weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - since;
    bench_check(reported == items, "not every op was done");
    return took;
}

int main(int argc, char **argv)
{
    bench_check(argc == 5, "usage: chain best|once SHAPE WHAT COUNT");
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    bench_check(weft_queue_init(&queue, &loop, CHAINS) == 0, "no queue");
    size_t items = strtoull(argv[4], NULL, 10);
    bench_check(choose(argv[2], argv[3]) && prepare(argv[3]) && items > 0, "no such chain");
    if (strcmp(argv[1], "once") == 0)
        work(items);
    else
        printf("%.2f\n", bench_best(work, items));
    return 0;
}
