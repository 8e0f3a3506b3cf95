/* A pool of processes whose workers mean it harm, or whose owner is busy at the worst moment. Each of these
 * once killed the pool's process, ended a job twice, or never, or with less than all of its events.
 * Real processes and real time, in milliseconds.
 * ctest: timeout=120 shuffle=no */
#define _GNU_SOURCE
struct weft_worker_job;
static void serve_badly(struct weft_worker_job *job, void *context);
#define WORKER_SERVE serve_badly
#include "pool.h"

enum { LARGE = 70000, FRAMES = 2000 };

/* ---- the workers ------------------------------------------------------------------------------ */

static int page_descriptor;
static char large[300000];

/* It reads nothing, and has the ends of all jobs there will ever be in its page. */
static void fill_page(void)
{
    struct page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
    char bytes[4096];
    for (unsigned i = 0; i < FRAMES; i++)
        weft__frame_write(page->frames + FRAME_HEAD * i,
                          &(struct frame){.type = FRAME_END, .job = i + 1, .attempt = 1});
    put_frame((struct frame){.type = FRAME_READY, .job = 1, .kind = FRAME_VERSION});
    nap(100);
    __atomic_store_n(&page->gathered, FRAMES * FRAME_HEAD, __ATOMIC_RELEASE);
    nap(200);
    while (recv(3, bytes, sizeof bytes, 0) > 0)
        continue;
    _exit(0);
}

/* Before pool.h's, which serves jobs. */
__attribute__((constructor(101))) static void prepare_harm(void)
{
    const char *how = getenv("HARM");
    if (getenv("WEFT_WORKER_FD") == NULL)
        return;
    if (how != NULL)
        fill_page();
    page_descriptor = dup(4);
}

static void emit_some(struct weft_worker_job *job, long count, size_t size, long pause_ms)
{
    for (long i = 0; i < count; i++) {
        nap(pause_ms);
        weft_worker_emit(job, 1, large, size);
    }
}

/* The first byte says whose it is. */
static void tell_first_byte(struct weft_worker_job *job)
{
    const unsigned char *bytes = job->data;
    char text[16];
    for (int i = 0; i < (bytes[0] == 0 ? 200 : 4); i++) {
        weft_worker_stopped(job); /* takes in what comes meanwhile */
        nap(1);
    }
    snprintf(text, sizeof text, "%d", bytes[0]);
    end_text(job, text);
}

static void serve_badly(struct weft_worker_job *job, void *context)
{
    char text[64];
    if (job->size == LARGE) {
        tell_first_byte(job);
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)job->size, (const char *)job->data);
    if (strcmp(text, "cut") == 0) {
        int refused = ftruncate(page_descriptor, 0);
        _exit(refused != 0 ? 7 : 8);
    } else if (strcmp(text, "event later") == 0) {
        emit_some(job, 1, 1, 100);
        nap(60000);
    } else if (strcmp(text, "one event") == 0) {
        emit_some(job, 1, 1, 0);
        end_text(job, "one");
    } else if (strcmp(text, "close") == 0) {
        emit_some(job, 1, 1, 0);
        close(3);
        nap(60000);
    } else if (strcmp(text, "leave") == 0) {
        emit_some(job, 2, 1, 0);
        end_text(job, "left");
        nap(10);
        weft_worker_stopped(job);
        close(3);
        nap(50);
        _exit(0);
    } else if (strcmp(text, "ticks") == 0) {
        emit_some(job, 20, 1, 1);
        end_text(job, "ticked");
    } else if (strcmp(text, "too large") == 0) {
        emit_some(job, 1, 200000, 50);
        end_text(job, "told all");
    } else if (strcmp(text, "last words") == 0) {
        int size = 1 << 20;
        setsockopt(3, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        emit_some(job, 400, LARGE, 0);
        end_text(job, "said");
        nap(10);
        weft_worker_stopped(job);
        _exit(0);
    } else {
        serve_words(job, context);
    }
}

/* ---- the owner -------------------------------------------------------------------------------- */

static unsigned events;

static bool count_event(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    (void)job;
    (void)kind;
    (void)data;
    events++;
    return true;
}

static bool count_slowly(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    nap(5);
    return count_event(job, kind, data);
}

static bool pause_at_first(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    count_event(job, kind, data);
    return events > 1;
}

static bool cancel_it(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    weft_cancel(&job->op, UV_ECANCELED);
    return count_event(job, kind, data);
}

static struct weft_job *ask_for(const char *what, uint64_t timeout_ms,
                                bool (*on_event)(struct weft_job *, uint32_t, struct weft_text))
{
    jobs[over + open_jobs].timeout_ms = timeout_ms;
    jobs[over + open_jobs].on_event = on_event;
    return ask(what);
}

static struct weft_sleep sleeps[4];
static unsigned slept;

static void after(uint64_t ms, weft_then_fn *then)
{
    weft_sleep(root(), &sleeps[slept++], ms, then);
}

/* A pool with one worker that has been started, and a job that is over. */
static void up(unsigned max, unsigned ahead)
{
    pool_init(max);
    events = slept = 0;
    procs.ahead = ahead;
    procs.backoff_ms = 1;
    procs.grace_ms = 200;
}

static void (*when_warm)(void);
static void warmed(unsigned index)
{
    if (index == 0)
        when_warm();
}

static void play(void (*scene)(void))
{
    pool_up();
    when_warm = scene;
    job_told = warmed;
    ask("echo warm");
    pool_down();
}

static void cancel_the_pool(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_cancel(&procs.op, UV_ECANCELED);
}

/* ---- the page --------------------------------------------------------------------------------- */

TEST(a_worker_cannot_cut_off_the_page)
{
    up(1, 1);
    pool_up();
    struct weft_job *job = ask("cut");
    pool_down();
    assert_int_equal(job->op.status, WEFT_ECRASHED);
    assert_int_equal(job->exit_code, 7);
}

/* Descriptors of inputs that were never sent are not lost: pool_down counts. */
TEST(ends_of_jobs_that_were_not_sent_do_not_count)
{
    static const char *const env[] = {"HARM=page", NULL};
    static char inputs[60][LARGE];
    up(1, 1);
    procs.env = env;
    procs.grace_ms = 2000;
    pool_up();
    for (int i = 0; i < 60; i++) {
        jobs[i].input = inputs[i];
        jobs[i].input_size = i < 20 ? 60000 : LARGE;
        open_jobs++;
        weft_job(root(), &jobs[i], &procs, job_over);
    }
    after(800, cancel_the_pool); /* most of them wait for what it does not say */
    pool_down();
    assert_int_equal(over, 60);
    results_free();
}

/* ---- events ----------------------------------------------------------------------------------- */

static void ask_for_ticks(void)
{
    ask_for("ticks", 0, count_slowly);
    ask("sleep 400");
}

TEST(an_end_in_the_page_does_not_overtake_its_events)
{
    up(1, 1);
    play(ask_for_ticks);
    assert_result(&jobs[1], "ticked");
    assert_int_equal(events, 20);
    assert_result(&jobs[2], "slept");
    results_free();
}

static void be_busy(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    nap(150);
}

static void ask_for_too_much(void)
{
    ask_for("too large", 0, count_event);
    ask("sleep 400");
    after(20, be_busy);
}

TEST(a_job_of_which_an_event_was_refused_has_not_ended_well)
{
    up(1, 1);
    procs.result_max = 100000;
    play(ask_for_too_much);
    assert_int_equal(jobs[1].op.status, WEFT_ECRASHED);
    assert_int_equal(events, 0);
    results_free();
}

static void resume(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_job_resume(&jobs[1]);
}

static void send_something(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_job_send(&jobs[1], 1, "a", 1);
}

static void ask_one_that_leaves(void)
{
    ask_for("leave", 0, pause_at_first);
    after(50, send_something);
    after(500, resume);
}

TEST(what_a_worker_said_before_it_left_is_heard_also_late)
{
    up(1, 0);
    play(ask_one_that_leaves);
    assert_result(&jobs[1], "left");
    assert_int_equal(events, 2);
    results_free();
}

static void ask_for_last_words(void)
{
    ask_for("last words", 0, pause_at_first);
    after(500, resume);
}

TEST(all_last_words_are_heard)
{
    up(1, 0);
    play(ask_for_last_words);
    assert_result(&jobs[1], "said");
    assert_int_equal(events, 400);
    results_free();
}

/* ---- ends ------------------------------------------------------------------------------------- */

static void block_the_loop(unsigned index)
{
    if (index == 2)
        nap(150);
}

static void ask_for_an_event_too_late(void)
{
    job_told = block_the_loop;
    ask_for("event later", 150, cancel_it);
    ask("sleep 20");
}

/* The time is over, an event is there that was not read, and its owner cancels the job for it. */
TEST(a_job_that_is_cancelled_by_its_last_event_ends_once)
{
    up(2, 0);
    procs.min = 2;
    play(ask_for_an_event_too_late);
    assert_int_equal(over, 3);
    assert_true(jobs[1].op.status == UV_ECANCELED || jobs[1].op.status == UV_ETIMEDOUT);
    results_free();
}

static void ask_one_that_is_paused(void)
{
    ask_for("one event", 100, pause_at_first);
    ask("sleep 300");
}

/* Its end lies behind an event that nobody wants, and its worker is at the next job. */
TEST(the_time_of_a_job_that_is_paused_ends_no_other)
{
    up(1, 1);
    play(ask_one_that_is_paused);
    assert_int_equal(jobs[1].op.status, UV_ETIMEDOUT);
    assert_result(&jobs[2], "slept");
    assert_int_equal(procs.started, 1);
    results_free();
}

static void cancel_the_job(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_cancel(&jobs[1].op, UV_ECANCELED);
}

static void ask_one_that_closes(void)
{
    ask_for("close", 0, pause_at_first);
    after(50, send_something);
    after(500, cancel_the_job);
}

TEST(a_worker_that_died_while_its_owner_paused_is_buried_when_that_leaves)
{
    up(1, 0);
    play(ask_one_that_closes);
    assert_int_equal(jobs[1].op.status, UV_ECANCELED);
    assert_int_equal(pool_status, 0);
    results_free();
}

static void ask_one_that_closes_for_the_pool(void)
{
    ask_for("close", 0, pause_at_first);
    after(50, send_something);
    after(500, cancel_the_pool);
}

TEST(a_pool_can_be_cancelled_in_that_state_too)
{
    up(1, 0);
    play(ask_one_that_closes_for_the_pool);
    assert_int_equal(jobs[1].op.status, UV_ECANCELED);
    assert_int_equal(pool_status, UV_ECANCELED);
    results_free();
}

/* ---- descriptors ------------------------------------------------------------------------------ */

/* With few descriptors some of the inputs do not reach it: never those of others. */
TEST(a_worker_without_descriptors_takes_no_input_for_another)
{
    static char inputs[JOBS][LARGE];
    up(1, 40);
    procs.limits.files = 12;
    procs.breaker = 1000;
    pool_up();
    for (int i = 0; i < JOBS; i++) {
        memset(inputs[i], i, LARGE);
        jobs[i].input = inputs[i];
        jobs[i].input_size = LARGE;
        open_jobs++;
        weft_job(root(), &jobs[i], &procs, job_over);
    }
    pool_down();
    unsigned well = 0;
    for (int i = 0; i < JOBS; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        if (jobs[i].op.status == 0)
            assert_result(&jobs[i], text);
        well += jobs[i].op.status == 0;
    }
    assert_true(well > 0);
    results_free();
}

/* ---- the breaker ------------------------------------------------------------------------------ */

static struct weft_acquire held;
static struct weft_deadline patience;

/* The first place is the acquire's, which holds its worker until the last job is over. */
enum { CRASHES = 3 };
static void crash_again(unsigned index)
{
    if (index < CRASHES) {
        ask("exit 3");
    } else if (index > CRASHES) {
        weft_worker_release(&held);
        open_jobs--;
    }
}

static void try_now(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    assert_int_equal(procs.broken, false);
    weft_deadline(&ask("echo well")->op, &patience, 3000);
}

static void acquired(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    ask("exit 3");
    after(600, try_now);
}

TEST(a_broken_pool_is_tried_also_while_somebody_holds_a_worker)
{
    up(3, 0);
    procs.breaker = CRASHES;
    procs.breaker_ms = 100;
    procs.backoff_ms = 5;
    pool_up();
    job_told = crash_again;
    memset(&held, 0, sizeof held);
    weft_worker_acquire(root(), &held, &procs, acquired);
    open_jobs = 1;
    pool_down();
    assert_int_equal(over, CRASHES + 1);
    assert_result(&jobs[CRASHES + 1], "well");
    results_free();
}
