/* A lazy against a model of it, under thousands of seeded schedules.
 *
 * The model is a line of numbers and a few flags. That the initialisation is over is seen on the
 * loop's ready queue before it is delivered; time is up when a step has moved the clock.
 * ctest: labels=model timeout=120 shuffle=no */
#include "invariant.h"
#include "model.h"
#include <string.h>
#include <weft/lazy.h>

enum { SCHEDULES = 10000, ACTIONS = 60, CALLS = 8, INITS = 3, NOTHING = 1 };

static struct world w;
static struct dice dice;

static struct db {
    struct weft_lazy lazy;
    struct job job;
} db;

static struct call {
    struct job job;
    bool open, begun, cancelled;
    int expected; /* NOTHING: not known yet */
    uint64_t since_ms;
} calls[CALLS];

static struct asker {
    struct weft_lazy_init init;
    bool open, waits, holds;
    int expected;
} askers[INITS];

static struct {
    bool open, closing, ready, pending, in_replay;
    size_t line[CALLS], waiting, limit;
    unsigned starts, held;
} is;
static unsigned starts;

/* ---- the model ------------------------------------------------------------------------------ */

static size_t number_of(const struct call *call)
{
    return (size_t)(call - calls);
}

static bool leave_model(const struct call *call)
{
    for (size_t i = 0; i < is.waiting; i++) {
        if (is.line[i] != number_of(call))
            continue;
        is.waiting--;
        memmove(&is.line[i], &is.line[i + 1], (is.waiting - i) * sizeof is.line[0]);
        return true;
    }
    return false;
}

static void all_leave(int status)
{
    while (is.waiting > 0) {
        calls[is.line[0]].expected = status;
        leave_model(&calls[is.line[0]]);
    }
}

static void starts_if_needed(void)
{
    if (is.ready || is.pending)
        return;
    is.pending = true;
    is.starts++;
}

static void time_passed(void)
{
    while (db.lazy.wait_ms != 0 && is.waiting > 0) {
        struct call *first = &calls[is.line[0]];
        if (weft_now(&w.loop) - first->since_ms < db.lazy.wait_ms)
            return;
        first->expected = UV_ETIMEDOUT;
        leave_model(first);
    }
}

static void compare(void)
{
    time_passed();
    agree(db.lazy.initialized == is.ready);
    agree(db.lazy.waiting == is.waiting);
    agree((db.lazy.promise.op.state_ != OP_IDLE) == is.pending);
    agree(starts == is.starts);
    agree((db.lazy.timer_.fire_ != NULL) == (is.waiting > 0 && db.lazy.wait_ms != 0));
    const struct weft_op *call = db.lazy.calls_;
    for (size_t i = 0; i < is.waiting; i++, call = call->wait_)
        agree(call == &calls[is.line[i]].job.op && call->state_ == OP_EARLY);
    agree(call == NULL);
    agree(invariant_broken(&w.loop) == NULL);
}

/* ---- what is done --------------------------------------------------------------------------- */

static void act(unsigned depth);

static void db_up(struct weft_op *op, struct weft_op *job)
{
    weft_end(op, job->status);
}

static void db_begin(struct weft_op *op)
{
    static const int statuses[] = {0, 0, 0, UV_EIO, UV_ENOENT};
    starts++;
    db.job.ms = chance(&dice, 3) ? 0 : roll(&dice, 8);
    db.job.linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    db.job.status = statuses[roll(&dice, 5)];
    weft_run(op, &db.job.op, job_begin, db_up);
}

static void call_begin(struct weft_op *op)
{
    struct call *call = weft_owner(op, struct call, job.op);
    agree(is.ready && call->open && !call->begun);
    call->begun = true;
    if (is.in_replay && is.waiting > 0 && is.line[0] == number_of(call))
        leave_model(call);
    else
        agree(is.waiting == 0 && !is.in_replay); /* straight: nobody is passed by */
    if (chance(&dice, 3))
        act(1);
    job_begin(op);
}

static void call_over(struct weft_op *parent, struct weft_op *op)
{
    struct call *call = weft_owner(op, struct call, job.op);
    (void)parent;
    agree(call->open);
    if (call->begun)
        agree(op->status == call->job.status || (call->cancelled && op->status == UV_EINTR));
    else
        agree(op->status == call->expected);
    call->open = false;
    if (chance(&dice, 4))
        act(0);
}

static void make_call(struct call *call)
{
    if (call->open)
        return;
    *call = (struct call){.job = {.ms = chance(&dice, 2) ? 0 : roll(&dice, 5)},
                          .open = true,
                          .expected = NOTHING,
                          .since_ms = weft_now(&w.loop)};
    call->job.status = chance(&dice, 5) ? UV_EIO : 0;
    bool straight = is.ready && !is.in_replay && !is.closing;
    if (is.closing) {
        call->expected = WEFT_ESTOPPED;
    } else if (!straight && is.waiting >= is.limit) {
        call->expected = UV_ENOBUFS;
    } else if (!straight) {
        is.line[is.waiting++] = number_of(call);
        if (!db.lazy.by_hand)
            starts_if_needed();
    }
    weft_lazy_run(weft_root(&w.loop), &call->job.op, &db.lazy, call_begin, call_over);
    agree(call->begun == straight);
}

static void cancel_call(struct call *call)
{
    if (!call->open)
        return;
    if (leave_model(call))
        call->expected = UV_EINTR;
    call->cancelled = true;
    weft_cancel(&call->job.op, UV_EINTR);
}

static void asker_told(struct weft_op *parent, struct weft_op *op)
{
    struct asker *asker = weft_owner(op, struct asker, init.await.op);
    (void)parent;
    agree(asker->open && !asker->waits && op->status == asker->expected);
    asker->open = false;
    is.held -= asker->holds;
    if (chance(&dice, 4))
        act(0);
}

static void ask(struct asker *asker)
{
    if (asker->open)
        return;
    *asker = (struct asker){.open = true};
    if (is.closing) {
        asker->expected = WEFT_ESTOPPED;
    } else {
        asker->holds = true;
        is.held++;
        asker->waits = !is.ready;
        starts_if_needed();
    }
    weft_lazy_init(weft_root(&w.loop), &asker->init, &db.lazy, asker_told);
}

static void cancel_asker(struct asker *asker)
{
    if (asker->waits) {
        asker->waits = false;
        asker->expected = UV_EINTR;
    }
    weft_cancel(&asker->init.await.op, UV_EINTR);
}

static void close_or_open(void)
{
    if (!is.open) {
        db.lazy.limit = is.limit = 1 + roll(&dice, 4);
        db.lazy.wait_ms = chance(&dice, 2) ? 0 : 1 + roll(&dice, 8);
        db.lazy.by_hand = chance(&dice, 3);
        agree(weft_lazy_open(&db.lazy) == 0);
        is.open = true;
        is.closing = is.ready = false;
        return;
    }
    all_leave(WEFT_ESTOPPED);
    is.closing = true;
    bool busy = is.pending || is.held != 0 || is.in_replay;
    agree(weft_lazy_close(&db.lazy) == (busy ? UV_EBUSY : 0));
    is.open = busy;
}

static void act(unsigned depth)
{
    switch (roll(&dice, 16)) {
    case 0:
        close_or_open();
        break;
    case 1:
    case 2:
        ask(&askers[roll(&dice, INITS)]);
        break;
    case 3:
        cancel_asker(&askers[roll(&dice, INITS)]);
        break;
    case 4:
    case 5:
    case 6:
        cancel_call(&calls[roll(&dice, CALLS)]);
        break;
    default:
        if (depth == 0 || chance(&dice, 2))
            make_call(&calls[roll(&dice, CALLS)]);
    }
}

/* ---- a schedule ----------------------------------------------------------------------------- */

/* The initialisation is about to be delivered. */
static void before_over(int status)
{
    agree(is.pending);
    if (!is.closing)
        agree(status == db.job.status);
    is.pending = false;
    is.ready = status == 0;
    is.in_replay = is.ready;
    if (status != 0)
        all_leave(status);
    for (int i = 0; i < INITS; i++) {
        if (askers[i].waits)
            askers[i].expected = status;
        askers[i].waits = false;
    }
}

static bool step(void)
{
    const struct weft_op *next = w.loop.ready_;
    if (next == &db.lazy.promise.op && next->state_ == OP_READY)
        before_over(next->status);
    model_tell_next(&w);
    if (!weft_sim_step(&w.sim))
        return false;
    if (is.in_replay) {
        agree(is.waiting == 0);
        is.in_replay = false;
    }
    schedule.steps++;
    compare();
    agree(schedule.steps < 100000);
    return true;
}

static void one_lazy(uint64_t seed)
{
    model_begin("lazy", seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    memset(&db, 0, sizeof db);
    memset(&is, 0, sizeof is);
    memset(calls, 0, sizeof calls);
    memset(askers, 0, sizeof askers);
    starts = 0;
    db.lazy.owner = weft_root(&w.loop);
    db.lazy.begin = db_begin;
    close_or_open();
    for (int i = 0; i < ACTIONS; i++) {
        if (chance(&dice, 2)) {
            step();
        } else {
            act(0);
            compare();
        }
    }
    do { /* a then may have opened it again */
        if (is.open)
            close_or_open();
        while (step())
            ;
    } while (is.open);
    for (int i = 0; i < CALLS; i++)
        agree(!calls[i].open);
    agree(jobs.running == 0 && w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(the_lazy_agrees_with_its_model)
{
    model_schedules(&w, one_lazy, SCHEDULES);
}
