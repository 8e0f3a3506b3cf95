/* Running out of memory anywhere between start and stop: a clear error, and nothing is left.
 * ctest: labels=valgrind needs=hooks */
#include "fault.h"
#include "loop.h"
#include "scratch.h"
#include "valid.h"
#include <weft/trace.h>
#include <weft/timer.h>

static const char *form;

struct ladder {
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_op ops[40];
    struct weft_sleep nap;
};

static void napped(struct weft_op *op, struct weft_op *nap)
{
    weft_finish(op, nap->status);
}

static void nap(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct ladder, ops[0])->nap, 1, napped);
}

/* A second loop, so that there is a second ring. */
static void run_another(void)
{
    uv_loop_t uv;
    struct weft_loop loop;
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0)
        assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

static void run_some(struct ladder *ladder)
{
    run_another();
    weft_run(&ladder->loop.root, &ladder->ops[0], nap, weft_ignore);
    for (int i = 1; i < 40; i++)
        weft_run(&ladder->loop.root, &ladder->ops[i], finish_at_once, weft_ignore);
    assert_int_equal(weft_loop_run(&ladder->loop), 0);
    assert_int_equal(weft_loop_close(&ladder->loop), 0);
    uv_run(&ladder->uv, UV_RUN_DEFAULT);
}

static void record(unsigned long n)
{
    (void)n;
    static struct ladder ladder;
    char path[SCRATCH_PATH];
    memset(&ladder, 0, sizeof ladder);
    scratch_path(path, form);
    remove(path);
    int started = weft_trace_start(&(struct weft_trace_options){.path = path, .events = 1000});
    assert_true(started == 0 || started == UV_ENOMEM);
    assert_int_equal(uv_loop_init(&ladder.uv), 0);
    int made = weft_loop_init(&ladder.loop, &ladder.uv);
    assert_true(made == 0 || made == UV_ENOMEM);
    if (made == 0)
        run_some(&ladder);
    uv_loop_close(&ladder.uv);
    int stopped = started == 0 ? weft_trace_stop() : UV_EINVAL;
    assert_true(stopped == 0 || stopped == UV_ENOMEM || started != 0);
    assert_int_equal(scratch_exists(path), stopped == 0);
    assert_int_equal(weft_trace_stop(), UV_EINVAL);
    if (stopped == 0 && strstr(form, ".json") != NULL)
        valid_free(valid_trace(path));
}

TEST(a_trace_survives_running_out_of_memory)
{
    form = "trace.json";
    fault_ladder(record);
    assert_true(fault_ladder_height() > 5);
}

TEST(folded_stacks_survive_running_out_of_memory)
{
    form = "trace.folded";
    fault_ladder(record);
    assert_true(fault_ladder_height() > 5);
}
