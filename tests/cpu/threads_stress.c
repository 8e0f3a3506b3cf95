/* A pool under everything at once, drawn from a seed.
 * ctest: labels=threads,stress timeout=120 shuffle=no
 *
 * Jobs of all ranks send and are paused, resumed, cancelled in line, at work and back; some are pushed
 * again in their then; in some rounds the pool is closed or cancelled in the middle. Whatever happens:
 * each job reports once, with a status that fits; its results come in order, none after a cancel, all
 * before a success; no more than max are at work; and when the pool is over, nothing is left. */
#include "threads_kit.h"
#include <weft/timer.h>

enum { JOBS = 60, PUSHES = 400 };

struct stressed {
    struct weft_thread_job job;
    struct weft_sleep nap;
    unsigned wanted, taken;
    int status;
    bool cancelled, pauses, napping, under_way;
    atomic_bool at_work;
};

static struct run {
    struct world w;
    uint64_t seed;
    struct weft_threads pool;
    struct stressed jobs[JOBS];
    struct weft_ticker ticker;
    unsigned pushes, reports, refused;
    bool ending;
} run;

static unsigned draw(unsigned limit)
{
    run.seed = run.seed * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)((run.seed >> 33) % limit);
}

static struct stressed *stressed_of(struct weft_thread_job *job)
{
    return weft_owner(job, struct stressed, job);
}

/* ---- on the thread --------------------------------------------------------------------------- */

static int send_all(struct weft_thread_job *job)
{
    struct stressed *it = stressed_of(job);
    count_in();
    assert_false(atomic_exchange(&it->at_work, true)); /* one thread at a time has it */
    int err = 0;
    for (unsigned i = 0; i < it->wanted && err == 0; i++)
        err = weft_thread_send(job, &i, sizeof i);
    if (err == 0 && it->wanted % 3 == 0)
        sched_yield();
    atomic_store(&it->at_work, false);
    atomic_fetch_sub(&at_work, 1);
    return err != 0 ? err : it->status;
}

/* ---- on the loop ---------------------------------------------------------------------------- */

static void push_one(struct stressed *it);

static void cancel_one(struct stressed *it)
{
    if (!it->under_way)
        return;
    weft_cancel(&it->job.op, UV_ETIMEDOUT);
    it->cancelled = true;
}

static void nap_over(struct weft_op *root, struct weft_op *nap)
{
    (void)root;
    struct stressed *it = weft_owner(nap, struct stressed, nap.op);
    it->napping = false;
    weft_thread_resume(&it->job);
}

static bool heard(struct weft_thread_job *job, struct weft_text result)
{
    struct stressed *it = stressed_of(job);
    unsigned number;
    memcpy(&number, result.data, sizeof number);
    assert_int_equal(number, it->taken);
    assert_false(it->cancelled);
    it->taken++;
    if (draw(200) == 0)
        cancel_one(&run.jobs[draw(JOBS)]);
    if (!it->pauses || draw(10) != 0 || it->napping)
        return true;
    it->napping = true;
    weft_sleep(weft_root(&run.w.loop), &it->nap, draw(2), nap_over);
    return false;
}

static bool is_fine(const struct stressed *it, int status)
{
    if (status == UV_ENOBUFS || status == WEFT_ESTOPPED)
        return it->taken == 0;
    if (status == UV_EINVAL) /* it was pushed when the pool had reported already */
        return it->taken == 0 && run.pool.op.state_ == OP_IDLE;
    if (status == UV_ETIMEDOUT)
        return it->cancelled;
    if (status == UV_EINTR)
        return run.ending;
    if (status != it->status)
        return false;
    return it->taken == it->wanted || (status != 0 && (it->cancelled || run.ending));
}

static void job_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    struct stressed *it = stressed_of(weft_owner(op, struct weft_thread_job, op));
    assert_true(it->under_way);
    assert_false(atomic_load(&it->at_work));
    if (!is_fine(it, op->status))
        fail_msg("seed: status %s, %u of %u results, cancelled: %d", weft_error_name(op->status),
                 it->taken, it->wanted, it->cancelled);
    it->under_way = false;
    run.reports++;
    run.refused += op->status == UV_ENOBUFS;
    if (op->status != WEFT_ESTOPPED && op->status != UV_EINVAL && !it->napping)
        push_one(it);
}

static void push_one(struct stressed *it)
{
    if (run.pushes == PUSHES || run.ending)
        return;
    run.pushes++;
    it->job.rank = draw(WEFT_THREADS_RANKS);
    it->job.buffer = draw(2) != 0 ? 1 + draw(200) : 0;
    it->job.on_result = heard;
    it->wanted = draw(3) != 0 ? draw(40) : 0;
    it->status = draw(6) == 0 ? UV_EIO : 0;
    it->pauses = draw(3) == 0;
    it->taken = 0;
    it->cancelled = false;
    it->under_way = true;
    weft_thread_job(weft_root(&run.w.loop), &it->job, &run.pool, send_all, job_over);
    if (draw(12) == 0)
        cancel_one(it);
}

static void meddle(struct weft_op *op)
{
    for (unsigned i = draw(4); i > 0; i--)
        cancel_one(&run.jobs[draw(JOBS)]);
    for (unsigned i = draw(6); i > 0; i--) {
        struct stressed *it = &run.jobs[draw(JOBS)];
        if (!it->under_way && !it->napping)
            push_one(it);
    }
    if (run.pushes < PUSHES && draw(60) != 0)
        return;
    run.ending = draw(2) == 0;
    if (run.ending)
        weft_cancel(&run.pool.op, UV_EINTR);
    else
        weft_threads_close(&run.pool);
    weft_end(op, 0);
}

static void one_run(uint64_t seed)
{
    run = (struct run){.seed = seed};
    if (draw(2) == 0)
        world_up(&run.w);
    else
        world_up_sim(&run.w, seed);
    kit_up(NULL, NULL);
    run.pool.max = 1 + draw(4);
    run.pool.min = draw(run.pool.max + 1);
    run.pool.limit = 1 + draw(JOBS);
    run.pool.idle_ms = 1;
    weft_threads_open(weft_root(&run.w.loop), &run.pool, weft_ignore);
    for (int i = 0; i < JOBS; i++)
        push_one(&run.jobs[i]);
    weft_ticker(weft_root(&run.w.loop), &run.ticker, 1, meddle, weft_ignore);
    world_down(&run.w);
    assert_int_equal(run.reports, run.pushes);
    assert_true(atomic_load(&most_at_work) <= (int)run.pool.max);
    assert_int_equal(atomic_load(&at_work), 0);
    assert_int_equal(run.pool.op.status, run.ending ? UV_EINTR : 0);
}

TEST(whatever_happens_each_job_reports_once_and_nothing_is_left)
{
    uint64_t first = check_seed();
    unsigned long rounds = check_scale(150);
    for (unsigned long i = 0; i < rounds; i++) {
        if (i == 0 || getenv("WEFT_VERBOSE") != NULL)
            fprintf(stderr, "seed %lu\n", (unsigned long)(first + i));
        one_run(first + i);
    }
}
