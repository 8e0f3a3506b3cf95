/* weft_run beside the least that could do in its place: a hand-written list of callbacks that a
 * prepare handle calls, with an idle handle so that the poll does not wait.
 *
 * Both keep one piece of work going: it is queued, called from the loop on a fresh stack, and
 * queues itself again, with a look at I/O after every 1024. Ours has a parent, a status, a begin
 * and a then, a place in the source, rules that are checked, and can be cancelled at any time; the
 * list has none of that. The ratio is what those things cost. */
#include "../bench.h"
#include <weft/loop.h>

static size_t wanted, done;

/* ---- ours ----------------------------------------------------------------------------------- */

static struct weft_loop loop;

static void noop(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void over(struct weft_op *root, struct weft_op *op)
{
    if (++done < wanted)
        weft_run(root, op, noop, over);
}

static uint64_t ours(size_t count)
{
    struct weft_op op = {0};
    wanted = count;
    done = 0;
    uint64_t begun = uv_hrtime();
    weft_run(weft_root(&loop), &op, noop, over);
    int err = weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(err == 0 && done == count, "not every op was run");
    return took;
}

/* ---- theirs --------------------------------------------------------------------------------- */

struct callback {
    struct callback *next;
    void (*fn)(struct callback *callback);
};

static uv_loop_t uv;
static uv_prepare_t prepare;
static uv_idle_t idle;
static struct callback *first, **tail = &first;

static void stay_awake(uv_idle_t *handle)
{
    (void)handle;
}

static void defer(struct callback *callback, void (*fn)(struct callback *callback))
{
    callback->fn = fn;
    callback->next = NULL;
    *tail = callback;
    tail = &callback->next;
}

static void again(struct callback *callback)
{
    if (++done < wanted)
        defer(callback, again);
}

static void drain(uv_prepare_t *handle)
{
    (void)handle;
    for (int left = 1024; left > 0 && first != NULL; left--) {
        struct callback *callback = first;
        first = callback->next;
        if (first == NULL)
            tail = &first;
        callback->fn(callback);
    }
    if (first == NULL)
        uv_idle_stop(&idle);
}

static uint64_t theirs(size_t count)
{
    struct callback callback;
    wanted = count;
    done = 0;
    uint64_t begun = uv_hrtime();
    uv_idle_start(&idle, stay_awake);
    defer(&callback, again);
    uv_run(&uv, UV_RUN_DEFAULT);
    uint64_t took = uv_hrtime() - begun;
    bench_check(done == count, "not every callback was called");
    return took;
}

int main(void)
{
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0 && uv_loop_init(&uv) == 0, "no loop");
    uv_idle_init(&uv, &idle);
    uv_prepare_init(&uv, &prepare);
    uv_prepare_start(&prepare, drain);
    uv_unref((uv_handle_t *)&prepare);
    bench_compare("core/run", "callback-list", ours, theirs, 1000000);
    return 0;
}
