/* Torture: a thousand jobs (twenty times as many under `make torture`) for workers that are killed,
 * stopped, exit, and send garbage and oversized frames, at every boundary between two frames.
 * ctest: labels=stress timeout=240
 * Whatever happens:
 *   - every job ends exactly once, with a status that fits what it was;
 *   - a job that was not begun is not lost, and one that was begun is not begun again unless it
 *     asked for it;
 *   - never are two jobs in one worker, nor more than max workers: the workers themselves look;
 *   - nothing is left: no child, no zombie, no descriptor, no memory.
 * Workers write into a table that all of them share. In real time: the workers are real. */
#define WORKER_SERVE serve_torture
struct weft_worker_job;
static void serve_torture(struct weft_worker_job *job, void *context);
#include "pool.h"
#include "../lib/fault.h"
#include "../lib/scratch.h"

enum {
    SLOTS = 24,        /* jobs at once */
    NUMBERS = 1 << 16, /* jobs in all, at most */
    MAX = 3,
    EVENTS = 3
};

/* What a worker does at a boundary. */
enum deed { NOTHING, KILLED, STOPPED, EXITS, GARBAGE, OVERSIZED, CUT, FAILS, DEEDS };

/* Shared by all: how often each job was begun. */
struct table {
    unsigned begun[NUMBERS];
    unsigned doubled; /* a worker that was in two jobs at once */
};
static struct table *table;

/* A job: its number, the boundary (0: before the first event, …, EVENTS: before its end, EVENTS +
 * 1: after it), and what happens there. */
struct order {
    uint32_t number, boundary, deed;
};

static struct table *map_table(const char *path)
{
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *at =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* ---- the worker --------------------------------------------------------------------------------- */

static void do_it(struct weft_worker_job *job, uint32_t deed)
{
    struct frame end = {.type = FRAME_END, .job = job->id, .attempt = job->attempt};
    if (deed == KILLED)
        kill(getpid(), SIGKILL);
    if (deed == STOPPED)
        kill(getpid(), SIGSTOP);
    if (deed == EXITS)
        _exit((int)(job->id % 3));
    if (deed == GARBAGE)
        put_garbage();
    end.size = UINT32_MAX;
    if (deed == OVERSIZED)
        put_frame(end);
    if (deed == CUT)
        put_bytes("\x01\0\0\0\x11\0", 6);
    if (deed == GARBAGE || deed == OVERSIZED)
        nap(60000);
    if (deed == CUT)
        _exit(1);
}

static void serve_torture(struct weft_worker_job *job, void *context)
{
    static int inside;
    struct order todo;
    (void)context;
    if (table == NULL)
        table = map_table(getenv("TABLE"));
    memcpy(&todo, job->data, sizeof todo);
    if (inside++ != 0 || table == NULL)
        __atomic_add_fetch(&table->doubled, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&table->begun[todo.number], 1, __ATOMIC_RELAXED);
    for (uint32_t boundary = 0; boundary <= EVENTS; boundary++) {
        if (boundary == todo.boundary && todo.deed == FAILS)
            weft_worker_fail(job, "as asked");
        else if (boundary == todo.boundary)
            do_it(job, todo.deed);
        if (boundary < EVENTS)
            weft_worker_emit(job, boundary, "event", 5);
    }
    weft_worker_end(job, &todo.number, sizeof todo.number);
    if (todo.boundary > EVENTS)
        do_it(job, todo.deed);
    inside--;
}

/* ---- the pool ----------------------------------------------------------------------------------- */

struct slot {
    struct weft_job job;
    struct order order;
    unsigned events, ends;
    bool cancelled;
};
static struct slot slots[SLOTS];
static unsigned long begun_jobs, all_jobs, ended;
static uint64_t dice;
static const char *trouble;

static uint32_t roll(uint32_t sides)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)(dice >> 33) % sides;
}

static void wrong(const char *what, const struct slot *slot)
{
    static char text[256];
    snprintf(text, sizeof text, "%s: job %u, deed %u at %u, %s %s, begun %u", what,
             slot->order.number, slot->order.deed, slot->order.boundary,
             weft_error_name(slot->job.op.status), slot->job.why, table->begun[slot->order.number]);
    if (trouble == NULL)
        trouble = text;
}

/* As the kernel sees it: also those that were not reaped yet. */
static int count_children(void)
{
    int count = 0, pid;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    while (file != NULL && fscanf(file, "%d", &pid) == 1)
        count++;
    if (file != NULL)
        fclose(file);
    return count;
}

static bool look(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    struct slot *slot = weft_owner(job, struct slot, job);
    if (slot->ends != 0 || kind >= EVENTS || !weft_text_is(data, "event"))
        wrong("a strange event", slot);
    slot->events++;
    if (roll(40) == 0) {
        slot->cancelled = true;
        weft_cancel(&job->op, UV_EINTR);
    }
    if (procs.workers > MAX || count_children() > MAX)
        wrong("too many workers", slot);
    return true;
}

/* What may become of it? */
static bool fits(const struct slot *slot)
{
    int status = slot->job.op.status;
    bool deadly =
        slot->order.deed != NOTHING && slot->order.deed != FAILS && slot->order.boundary <= EVENTS;
    if (status == UV_EINTR)
        return slot->cancelled;
    if (status == UV_ETIMEDOUT)
        return slot->order.deed == STOPPED;
    if (status == WEFT_EJOB)
        return slot->order.deed == FAILS && slot->order.boundary <= EVENTS;
    if (status == WEFT_ECRASHED)
        return deadly;
    if (status != 0)
        return false;
    uint32_t number;
    if (slot->job.result.size != sizeof number)
        return false;
    memcpy(&number, slot->job.result.data, sizeof number);
    return number == slot->order.number && !deadly && slot->events == EVENTS;
}

static void begin_next(struct slot *slot);

static void slot_over(struct weft_op *parent, struct weft_op *op)
{
    struct slot *slot = weft_owner(op, struct slot, job.op);
    (void)parent;
    ended++;
    if (++slot->ends != 1)
        wrong("ended twice", slot);
    if (!fits(slot))
        wrong("ended in a way that does not fit", slot);
    if (__atomic_load_n(&table->begun[slot->order.number], __ATOMIC_RELAXED) >
        1 + slot->job.retries)
        wrong("begun too often", slot);
    weft_job_free(&slot->job);
    begin_next(slot);
}

static struct weft_sleep cancels;

static void cancel_some(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    struct slot *slot = &slots[roll(SLOTS)];
    if (ended == all_jobs)
        return;
    if (slot->job.op.state_ != 0) {
        slot->cancelled = true;
        weft_cancel(&slot->job.op, UV_EINTR);
    }
    weft_sleep(parent, &cancels, 2 + roll(20), cancel_some);
}

static void begin_next(struct slot *slot)
{
    if (begun_jobs == all_jobs) {
        if (ended == all_jobs)
            weft_procs_close(&procs);
        return;
    }
    memset(slot, 0, sizeof *slot);
    slot->order = (struct order){(uint32_t)begun_jobs++, roll(EVENTS + 2),
                                 roll(4) == 0 ? 1 + roll(DEEDS - 1) : NOTHING};
    slot->job.input = &slot->order;
    slot->job.input_size = sizeof slot->order;
    slot->job.on_event = look;
    slot->job.rank = roll(8);
    slot->job.retries = roll(3) == 0 ? 1 : 0;
    slot->job.timeout_ms = slot->order.deed == STOPPED ? 15 : 0;
    weft_job(root(), &slot->job, &procs, slot_over);
}

static void torture(unsigned ahead, unsigned long count)
{
    char path[SCRATCH_PATH], setting[SCRATCH_PATH + 16];
    static const char *env[2];
    scratch_path(path, "table");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && ftruncate(fd, sizeof *table) == 0);
    close(fd);
    table = map_table(path);
    assert_non_null(table);
    snprintf(setting, sizeof setting, "TABLE=%s", path);
    env[0] = setting;

    dice = 88172645463325252U + check_seed() + ahead;
    begun_jobs = ended = 0;
    all_jobs = count < NUMBERS ? count : NUMBERS;
    trouble = NULL;
    memset(slots, 0, sizeof slots);
    weft_fault_install();
    pool_init(MAX);
    procs.env = env;
    procs.ahead = ahead;
    procs.breaker = 1000000;
    procs.backoff_ms = procs.backoff_max_ms = 1;
    procs.grace_ms = 10;
    procs.beat_ms = 1000; /* one that was stopped after its job */
    pool_up();
    for (int i = 0; i < SLOTS; i++)
        begin_next(&slots[i]);
    cancels = (struct weft_sleep){0};
    weft_sleep(root(), &cancels, 5, cancel_some);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    if (trouble != NULL)
        fail_msg("%s (seed %llu)", trouble, (unsigned long long)check_seed());
    assert_int_equal(ended, all_jobs);
    assert_int_equal(pool_status, 0);
    assert_int_equal(table->doubled, 0);
    pool_down();
    assert_int_equal(weft_fault_live(), 0);
    fault_remove();
    assert_int_equal(procs.done + procs.failed, all_jobs);
    munmap(table, sizeof *table);
    table = NULL;
}

/* Half of the thousand each; a fifth of that when the order is shuffled as well. */
static unsigned long jobs_in_all(void)
{
    return check_scale(getenv("WEFT_SHUFFLE") != NULL ? 100 : 500);
}

TEST(jobs_survive_torture_one_at_a_time)
{
    torture(0, jobs_in_all());
}

TEST(jobs_survive_torture_with_jobs_ahead)
{
    torture(4, jobs_in_all());
}
