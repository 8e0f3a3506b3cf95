/* The pool, a job and an acquire through the conformance suite; memory that runs out; what hooks
 * see.
 * ctest: timeout=300 */
#include "pool.h"
#include "../lib/fault.h"
#include "../lib/hook_log.h"
#include "../lib/provider.h"

/* ---- the pool ---------------------------------------------------------------------------------- */

static void good_pool(void *storage)
{
    struct weft_procs *pool = storage;
    pool->args = self();
    pool->max = 2;
    pool->min = 1;
}

static void bad_pool(void *storage)
{
    good_pool(storage);
    ((struct weft_procs *)storage)->max = 0;
}

static void close_pool(void *storage)
{
    weft_procs_close(storage);
}

TEST(a_pool_conforms)
{
    static const struct weft_provider provider = {
        .name = "procs",
        WEFT_PROVIDER_OP(struct weft_procs, op),
        .begin = weft_procs_begin,
        .good = good_pool,
        .bad = bad_pool,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .nudge = close_pool,
        .flags = WEFT_PROVIDER_HANDLE,
    };
    provider_check(&provider);
}

/* ---- a job ------------------------------------------------------------------------------------- */

static void up_pool(struct weft_loop *loop)
{
    memset(&procs, 0, sizeof procs);
    procs.args = self();
    procs.max = 2;
    procs.ahead = 1;
    procs.backoff_ms = 1;
    weft_procs(weft_root(loop), &procs, weft_ignore);
}

static void down_pool(struct weft_loop *loop)
{
    (void)loop;
    weft_procs_close(&procs);
}

static bool look(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)job;
    (void)kind;
    (void)data;
    return true;
}

static void good_job(void *storage)
{
    struct weft_job *job = storage;
    job->procs = &procs;
    job->input = "events 3";
    job->input_size = 8;
    job->on_event = look;
}

static void bad_job(void *storage)
{
    struct weft_job *job = storage;
    job->procs = &procs;
    job->input = "fail x";
    job->input_size = 6;
}

static void verify_job(void *storage)
{
    assert_true(result_is(storage, "emitted"));
}

static void free_job(void *storage)
{
    weft_job_free(storage);
}

TEST(a_job_conforms)
{
    static const struct weft_provider provider = {
        .name = "job",
        WEFT_PROVIDER_OP(struct weft_job, op),
        .begin = weft_job_begin,
        .up = up_pool,
        .down = down_pool,
        .good = good_job,
        .bad = bad_job,
        .bad_status = WEFT_EJOB,
        .nothing_status = UV_EINVAL,
        .verify = verify_job,
        .release = free_job,
        .flags = WEFT_PROVIDER_HANDLE,
    };
    provider_check(&provider);
}

/* ---- an acquire -------------------------------------------------------------------------------- */

static void good_acquire(void *storage)
{
    ((struct weft_acquire *)storage)->procs = &procs;
}

static void bad_acquire(void *storage)
{
    ((struct weft_acquire *)storage)->procs = &procs;
    ((struct weft_acquire *)storage)->rank = 8;
}

static void free_acquire(void *storage)
{
    weft_worker_release(storage);
}

TEST(an_acquire_conforms)
{
    static const struct weft_provider provider = {
        .name = "worker_acquire",
        WEFT_PROVIDER_OP(struct weft_acquire, op),
        .begin = weft_worker_acquire_begin,
        .up = up_pool,
        .down = down_pool,
        .good = good_acquire,
        .bad = bad_acquire,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .release = free_acquire,
    };
    provider_check(&provider);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static unsigned over_in_ladder;

static void over_anyhow(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct weft_job *job = weft_owner(op, struct weft_job, op);
    int status = op->status;
    if (status != 0 && status != UV_ENOMEM && status != WEFT_EBROKEN && status != WEFT_ESTOPPED)
        fail_msg("ended with %s: %s", weft_error_name(status), job->why);
    weft_job_free(job);
    if (++over_in_ladder == 3)
        weft_procs_close(&procs);
}

static void run_three(unsigned long n)
{
    static char large[100000];
    (void)n;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_job three[3] = {{.input = "large 1000", .input_size = 10},
                                {.input = "blocks 2", .input_size = 8, .on_event = look},
                                {.input = large, .input_size = sizeof large}};
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        memset(&procs, 0, sizeof procs);
        over_in_ladder = 0;
        procs.args = self();
        procs.max = 1;
        procs.ahead = 2;
        procs.backoff_ms = 1;
        weft_procs(weft_root(&loop), &procs, weft_ignore);
        for (int i = 0; i < 3; i++)
            weft_job(weft_root(&loop), &three[i], &procs, over_anyhow);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_int_equal(over_in_ladder, 3);
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    assert_true(is_childless());
}

TEST(a_pool_survives_running_out_of_memory)
{
    fault_ladder(run_three);
    assert_true(fault_ladder_height() > 5);
}

/* ---- hooks ------------------------------------------------------------------------------------- */

static struct weft_op group;
static struct weft_key who = {.name = "who"};
static const char *who_asks;

static bool look_at_context(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)kind;
    (void)data;
    assert_ptr_equal(weft_current(), &job->op);
    who_asks = weft_context_get(weft_current(), &who);
    return true;
}

static void close_after(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_procs_close(&procs);
    weft_finish(parent, 0);
}

TEST(jobs_workers_and_their_events_are_seen_and_have_the_context_of_who_asked)
{
    needs_hooks();
    static struct hook_log log;
    static char me[] = "me";
    pool_init(1);
    hook_log_init(&log);
    world_up(&w);
    assert_int_equal(weft_hook_enable(&w.loop, &log.hook), 0);
    weft_procs(root(), &procs, pool_over);
    group = (struct weft_op){0};
    weft_run(root(), &group, NULL, weft_ignore);
    assert_int_equal(weft_context_set(&group, &who, me), 0);
    jobs[0].input = "events 3";
    jobs[0].input_size = 8;
    jobs[0].on_event = look_at_context;
    who_asks = NULL;
    weft_job(&group, &jobs[0], &procs, close_after);
    assert_int_equal(world_run(&w), 0);
    assert_ptr_equal(who_asks, me);
    const struct hook_log_resource *job = hook_log_find(&log, "job");
    assert_int_equal(job->pairs, 4); /* three events and its then */
    const struct hook_log_resource *worker = hook_log_find(&log, "worker");
    assert_int_equal(worker->site->group, WEFT_PROCESS | WEFT_HANDLE);
    world_close(&w);
    hook_log_check_over(&log);
}
