/* What a job sends to the loop while it runs: order, backpressure, pauses, cancels.
 * ctest: labels=threads,valgrind-long */
#include "threads_kit.h"
#include "fault.h"
#include "hook_log.h"
#include "provider.h"
#include <weft/timer.h>

/* Sends the numbers from 0 on, and the loop expects them in that order. */
struct counting {
    struct weft_thread_job job;
    unsigned wanted;         /* how many to send */
    int status;              /* that function returns after that */
    atomic_uint sent, taken; /* so far */
    unsigned ahead;          /* the most that were sent and not taken */
    int send_status;         /* of the send that failed */
    unsigned pause_every;    /* 0: never */
    unsigned cancel_at;      /* in on_result; 0: never */
    struct weft_sleep nap;
    bool naps; /* a pause ends by itself, after a millisecond */
};

static struct counting *counting_of(struct weft_thread_job *job)
{
    return weft_owner(job, struct counting, job);
}

static int count_up(struct weft_thread_job *job)
{
    struct counting *it = counting_of(job);
    sem_post(&begun);
    for (unsigned i = 0; i < it->wanted; i++) {
        it->send_status = weft_thread_send(job, &i, sizeof i);
        if (it->send_status != 0)
            return it->send_status;
        atomic_fetch_add(&it->sent, 1);
    }
    return it->status;
}

static void woken(struct weft_op *root, struct weft_op *nap)
{
    (void)root;
    if (nap->status == 0)
        weft_thread_resume(&weft_owner(nap, struct counting, nap.op)->job);
}

static bool expect_next(struct weft_thread_job *job, struct weft_text result)
{
    struct counting *it = counting_of(job);
    unsigned number, taken = atomic_load(&it->taken);
    assert_int_equal(result.size, sizeof number);
    memcpy(&number, result.data, sizeof number);
    assert_int_equal(number, taken);
    unsigned ahead = atomic_load(&it->sent) - taken; /* at least: it may be in the middle of one */
    if (atomic_load(&it->sent) >= taken && ahead > it->ahead)
        it->ahead = ahead;
    atomic_store(&it->taken, ++taken);
    if (it->cancel_at == taken)
        weft_cancel(&job->op, UV_ETIMEDOUT);
    bool pauses = it->pause_every != 0 && taken % it->pause_every == 0;
    if (pauses && it->naps)
        weft_sleep(weft_root(job->op.loop_), &it->nap, 1, woken);
    return !pauses;
}

static void begin(struct world *w, struct weft_threads *pool, struct counting *it)
{
    it->job.on_result = expect_next;
    weft_thread_job(weft_root(&w->loop), &it->job, pool, count_up, noted);
}

/* ---- the contract --------------------------------------------------------------------------- */

static struct weft_threads stage_pool;

static void pool_up(struct weft_loop *loop)
{
    stage_pool = (struct weft_threads){.max = 2};
    kit_up(NULL, NULL);
    weft_threads_open(weft_root(loop), &stage_pool, weft_ignore);
}

static void pool_down(struct weft_loop *loop)
{
    (void)loop;
    weft_threads_close(&stage_pool);
}

static void good(void *storage)
{
    struct counting *it = storage;
    struct weft_op op = it->job.op;
    memset(it, 0, sizeof *it);
    it->job.op = op;
    it->job.threads = &stage_pool;
    it->job.function = count_up;
    it->job.on_result = expect_next;
    it->job.buffer = 100;
    it->wanted = 40;
}

static void bad(void *storage)
{
    good(storage);
    ((struct counting *)storage)->status = UV_ERANGE;
}

/* A retry begins the same storage again. */
static void begin_anew(struct weft_op *op)
{
    struct counting *it = counting_of(weft_owner(op, struct weft_thread_job, op));
    atomic_store(&it->sent, 0);
    atomic_store(&it->taken, 0);
    weft_thread_job_begin(op);
}

static void all_were_taken(void *storage)
{
    assert_int_equal(atomic_load(&((struct counting *)storage)->taken), 40);
}

TEST(a_job_that_sends_results_conforms)
{
    static const struct weft_provider sending = {
        .name = "thread_job with results",
        WEFT_PROVIDER_OP(struct counting, job.op),
        .begin = begin_anew,
        .up = pool_up,
        .down = pool_down,
        .good = good,
        .bad = bad,
        .bad_status = UV_ERANGE,
        .nothing_status = UV_EINVAL,
        .verify = all_were_taken,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&sending);
}

/* ---- order ---------------------------------------------------------------------------------- */

TEST(results_come_in_their_order_and_all_before_then)
{
    struct world w;
    struct weft_threads pool = {.max = 2};
    static struct counting a, b;
    kit_up(&w, &pool);
    a = (struct counting){.wanted = 10000};
    b = (struct counting){.wanted = 10000, .job.buffer = 1};
    begin(&w, &pool, &a);
    begin(&w, &pool, &b);
    await_op(&w, &a.job.op);
    assert_int_equal(atomic_load(&a.taken), 10000);
    await_op(&w, &b.job.op);
    assert_int_equal(atomic_load(&b.taken), 10000);
    kit_down(&w, &pool);
}

TEST(results_of_a_job_that_fails_are_heard_too)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 5, .status = UV_EIO};
    begin(&w, &pool, &it);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(atomic_load(&it.taken), 5);
}

static int send_odd_sizes(struct weft_thread_job *job)
{
    static char large[300000];
    memset(large, 'x', sizeof large);
    assert_int_equal(weft_thread_send(job, NULL, 1), UV_EINVAL);
    assert_int_equal(weft_thread_send(job, large, SIZE_MAX), UV_ENOMEM);
    assert_int_equal(weft_thread_send(job, NULL, 0), 0);
    assert_int_equal(weft_thread_send(job, large, sizeof large), 0); /* more than the buffer */
    return weft_thread_send(job, "end", 3);
}

static size_t sizes[4], size_count;

static bool note_size(struct weft_thread_job *job, struct weft_text result)
{
    (void)job;
    sizes[size_count++] = result.size;
    return true;
}

TEST(a_result_may_be_empty_or_larger_than_the_buffer)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    size_count = 0;
    task.job.on_result = note_size;
    task.job.buffer = 1000;
    push(&w, &pool, &task, send_odd_sizes);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, 0);
    assert_int_equal(size_count, 3);
    assert_int_equal(sizes[0], 0);
    assert_int_equal(sizes[1], 300000);
    assert_int_equal(sizes[2], 3);
}

static int send_to_nobody(struct weft_thread_job *job)
{
    return weft_thread_send(job, "x", 1);
}

TEST(a_job_without_on_result_cannot_send)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    push(&w, &pool, &task, send_to_nobody);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_EINVAL);
}

/* ---- backpressure ---------------------------------------------------------------------------- */

enum { EACH = sizeof(unsigned) + WEFT_THREADS_RESULT_OVERHEAD, FIT = 10 };

/* The loop does not look at all: the job comes to a stop when its buffer is full. */
TEST(a_sender_waits_when_its_buffer_is_full)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 1000, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    while (atomic_load(&it.sent) < FIT)
        sched_yield();
    uv_sleep(2); /* it would go on, if it did */
    assert_int_equal(atomic_load(&it.sent), FIT);
    kit_down(&w, &pool);
    assert_int_equal(atomic_load(&it.taken), 1000);
    assert_true(it.ahead <= FIT + 1);
}

TEST(a_consumer_that_pauses_holds_the_producer)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    it = (struct counting){.wanted = 100, .pause_every = 25, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    for (unsigned pauses = 1; pauses <= 4; pauses++) {
        assert_int_equal(world_run(&w),
                         WEFT_ESTUCK); /* it waits for us, and nothing else can happen */
        assert_int_equal(atomic_load(&it.taken), 25 * pauses);
        assert_true(atomic_load(&it.sent) <= 25 * pauses + FIT);
        assert_true(pauses == 4 || atomic_load(&it.sent) < 100); /* it is held */
        assert_int_equal(seen.calls, 0); /* nor does then come after the last one */
        weft_thread_resume(&it.job);
        weft_thread_resume(&it.job); /* it is not paused any more */
    }
    await_op(&w, &it.job.op);
    assert_int_equal(seen.status, 0);
    weft_thread_resume(&it.job); /* nor now */
    kit_down(&w, &pool);
}

static unsigned heard;

static int send_meanwhile(struct weft_thread_job *job)
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weft_thread_send(job, "x", 1), 0);
        if (i == 0)
            pass_the_gate(job); /* which is opened in on_result */
        atomic_fetch_add(&worked, 1);
    }
    return 0;
}

static bool pause_after_more_came(struct weft_thread_job *job, struct weft_text result)
{
    (void)job;
    (void)result;
    if (heard++ > 0)
        return true;
    open_gate(1);
    while (atomic_load(&worked) < 3)
        sched_yield();
    return false;
}

TEST(a_pause_holds_also_if_more_was_sent_meanwhile)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct task task;
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    heard = 0;
    task.job.on_result = pause_after_more_came;
    push(&w, &pool, &task, send_meanwhile);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(heard, 1);
    assert_int_equal(seen.calls, 0);
    weft_thread_resume(&task.job);
    kit_down(&w, &pool);
    assert_int_equal(heard, 3);
}

TEST(memory_stays_bounded_while_the_consumer_is_slow)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    weft_fault_install();
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    it = (struct counting){.wanted = 100000, .pause_every = 1, .job.buffer = 50 * EACH};
    begin(&w, &pool, &it);
    unsigned long before = 0;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(world_run(&w), WEFT_ESTUCK);
        if (i == 0)
            before = weft_fault_live_bytes(); /* the buffer is full already */
        assert_true(weft_fault_live_bytes() <= before + 2 * EACH);
        weft_thread_resume(&it.job);
    }
    weft_cancel(&it.job.op, UV_ECANCELED);
    kit_down(&w, &pool);
    fault_remove();
}

/* A job that waits for the loop does not hold virtual time, one that goes on does: so the naps pass. */
TEST(a_pause_may_end_by_a_timer_in_a_simulation)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    world_up_sim(&w, check_seed());
    kit_up(NULL, NULL);
    weft_threads_open(weft_root(&w.loop), &pool, weft_ignore);
    it =
        (struct counting){.wanted = 200, .pause_every = 10, .naps = true, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    await_op(&w, &it.job.op);
    assert_int_equal(weft_now(&w.loop), 20);
    kit_down(&w, &pool);
}

/* All threads are held by consumers that pause: what waits in line cannot go on either. */
TEST(jobs_behind_paused_ones_do_not_keep_the_loop_alive)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    static struct task task;
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    it = (struct counting){.wanted = 100, .pause_every = 50, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    push(&w, &pool, &task, work_at_once);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(task.job.op.state_, OP_RUNNING);
    weft_thread_resume(&it.job);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(task.job.op.state_, OP_IDLE); /* the other one is back: it has sent all */
    weft_thread_resume(&it.job);
    kit_down(&w, &pool);
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(a_sender_that_waits_is_freed_by_a_cancel)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    it = (struct counting){.wanted = 1000, .pause_every = 5, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    weft_cancel(&it.job.op, UV_ETIMEDOUT);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(it.send_status, UV_ETIMEDOUT);
    assert_int_equal(atomic_load(&it.taken), 5); /* nothing is heard after it */
}

TEST(a_sender_that_waits_and_was_not_heard_at_all_is_freed_by_a_cancel)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 1000, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    while (atomic_load(&it.sent) < FIT)
        sched_yield();
    weft_cancel(&it.job.op, UV_ETIMEDOUT);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(atomic_load(&it.taken), 0);
}

TEST(on_result_may_cancel_its_job)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 100000, .cancel_at = 7, .job.buffer = FIT * EACH};
    begin(&w, &pool, &it);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(atomic_load(&it.taken), 7);
}

/* The function is over, and was a success; but nobody has seen what it found. */
TEST(results_that_are_lost_by_a_cancel_do_not_look_like_a_success)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it, none;
    kit_up(&w, &pool);
    w.loop.stuck_to = NULL;
    it = (struct counting){.wanted = 8, .pause_every = 5};
    none = (struct counting){.wanted = 5, .pause_every = 5};
    begin(&w, &pool, &it);
    begin(&w, &pool, &none);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(weft_threads_stats(&pool).running, 0);
    weft_cancel(&it.job.op, UV_ETIMEDOUT);
    assert_int_equal(it.job.op.state_, OP_READY); /* at once: no thread has it */
    weft_cancel(&none.job.op, UV_ETIMEDOUT);
    kit_down(&w, &pool);
    assert_int_equal(it.job.op.status, UV_ETIMEDOUT);
    assert_int_equal(none.job.op.status, 0); /* that was all there is */
}

static bool enough(struct weft_thread_job *job, struct weft_text result)
{
    (void)result;
    weft_end(&job->op, 0);
    return true;
}

TEST(on_result_may_say_that_it_is_enough)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 100000};
    it.job.on_result = enough;
    weft_thread_job(weft_root(&w.loop), &it.job, &pool, count_up, noted);
    kit_down(&w, &pool);
    assert_int_equal(seen.status, 0);
}

static bool cancel_the_pool(struct weft_thread_job *job, struct weft_text result)
{
    (void)result;
    weft_cancel(&job->threads->op, UV_EINTR);
    return true;
}

TEST(on_result_may_cancel_the_pool)
{
    struct world w;
    struct weft_threads pool = {.max = 2};
    static struct counting it[4];
    kit_up(&w, &pool);
    for (int i = 0; i < 4; i++) {
        it[i] = (struct counting){.wanted = 1000, .job.buffer = FIT * EACH};
        it[i].job.on_result = cancel_the_pool;
        weft_thread_job(weft_root(&w.loop), &it[i].job, &pool, count_up, noted);
    }
    world_down(&w);
    assert_int_equal(pool.op.status, UV_EINTR);
    for (int i = 0; i < 4; i++)
        assert_int_equal(it[i].job.op.status, UV_EINTR);
}

/* ---- fair, and few wake-ups ------------------------------------------------------------------- */

TEST(many_results_share_a_wakeup)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 100};
    begin(&w, &pool, &it);
    while (weft_threads_stats(&pool).running > 0 || atomic_load(&it.sent) < 100)
        sched_yield();
    assert_int_equal(weft_threads_stats(&pool).wakeups, 0);
    await_op(&w, &it.job.op);
    assert_int_equal(weft_threads_stats(&pool).wakeups, 1);
    kit_down(&w, &pool);
}

static unsigned turns;

static void count_turn(struct weft_op *root, struct weft_op *op)
{
    turns++;
    if (seen.calls == 0)
        weft_immediate(root, op, count_turn);
}

/* What was sent before the loop looks for the first time takes several of its iterations. */
TEST(a_fast_sender_leaves_others_their_turn)
{
    struct world w;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    struct weft_op turn = {0};
    kit_up(&w, &pool);
    it = (struct counting){.wanted = 10240, .job.buffer = 10240 * EACH};
    begin(&w, &pool, &it);
    while (weft_threads_stats(&pool).running > 0 || atomic_load(&it.sent) < 10240)
        sched_yield();
    turns = 0;
    weft_immediate(weft_root(&w.loop), &turn, count_turn);
    await_op(&w, &it.job.op);
    assert_true(turns >= 10);
    kit_down(&w, &pool);
}

TEST(results_are_seen_as_callbacks_of_a_handle)
{
    needs_hooks();
    struct world w;
    static struct hook_log log;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    kit_up(&w, &pool);
    hook_log_init(&log);
    assert_int_equal(weft_hook_enable(&w.loop, &log.hook), 0);
    it = (struct counting){.wanted = 2};
    begin(&w, &pool, &it);
    await_op(&w, &it.job.op);
    told(&log, "init:count_up<loop init:thread_results<count_up pre:thread_results "
               "post:thread_results pre:thread_results post:thread_results destroy:thread_results "
               "pre:count_up post:count_up destroy:count_up ");
    hook_log_check_over(&log);
    kit_down(&w, &pool);
}

/* ---- starved -------------------------------------------------------------------------------- */

static void send_some(unsigned long n)
{
    (void)n;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_threads pool = {.max = 1};
    static struct counting it;
    it = (struct counting){.wanted = 5, .job.on_result = expect_next};
    kit_up(NULL, NULL);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        weft_threads_open(weft_root(&loop), &pool, weft_ignore);
        weft_thread_job(weft_root(&loop), &it.job, &pool, count_up, weft_ignore);
        weft_threads_close(&pool);
        assert_int_equal(weft_loop_run(&loop), 0);
        int status = it.job.op.status;
        assert_true(status == UV_ENOMEM || pool.op.status == UV_ENOMEM ||
                    (status == 0 && atomic_load(&it.taken) == 5));
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(sending_survives_running_out_of_memory)
{
    fault_ladder(send_some);
    assert_true(fault_ladder_height() >= 7);
}
