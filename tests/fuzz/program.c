/* Bytes are a program: pairs of what to do and to which op. It runs on a simulated loop, also from
 * inside begins, thens, cancel functions and timers, each of which takes its next pair. Whatever
 * the program does, every op that is begun reports exactly once and with the status it has to have,
 * the loop is in order after each event, and in the end everything closes. */
#include "../lib/invariant.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/queue.h>
#include <weft/sim.h>
#include <weft/timer.h>

enum { SLOTS = 48, TIMERS = 4, LANES = 2, DEPTH = 100 };

enum act {
    RUN,
    PUSH,
    CANCEL,
    CANCEL_ROOT,
    END,
    JOIN,
    FINISH,
    DEADLINE,
    DEADLINE_CLEAR,
    TIMER_START,
    TIMER_STOP,
    QUEUE,
    STEP,
    ADVANCE,
    ACTS
};

enum kind {
    AT_ONCE,
    FAILS,
    SLEEPS,
    SLEEPS_ALONE,
    TICKS,
    IMMEDIATE,
    OBEYS,
    LINGERS,
    BY_HAND,
    JOINS,
    RUNS_MORE,
    KINDS
};

struct slot {
    struct weft_op op, step;
    struct weft_sleep nap;
    struct weft_timer letting_go;
    struct weft_deadline deadline;
    enum kind kind;
    bool busy, pushed, begun, settled, decided, loose;
    int expected;
};

static struct {
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    struct weft_queue queue;
    struct weft_lane lanes[LANES];
    struct weft_timer timers[TIMERS];
    struct slot slots[SLOTS];
    unsigned long begun, reported;
    unsigned depth; /* of acts inside acts */
    const uint8_t *at, *end;
} p;

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds))                                                                              \
            fail(__LINE__, #holds);                                                                \
    } while (0)

_Noreturn static void fail(int line, const char *what)
{
    fprintf(stderr, "program.c:%d: %s\n", line, what);
    weft_dump(&p.loop, stderr);
    abort();
}

static void check_everything(struct weft_sim *sim)
{
    const char *wrong = invariant_broken(sim->loop);
    if (wrong != NULL)
        fail(__LINE__, wrong);
}

static uint8_t next_byte(void)
{
    return p.at < p.end ? *p.at++ : 0;
}

static void act(void);

/* ---- an op's way ---------------------------------------------------------------------------- */

static struct slot *slot_of(struct weft_op *op)
{
    return weft_owner(op, struct slot, op);
}

static void settle(struct slot *s, int status)
{
    if (s->op.state_ != OP_RUNNING)
        return;
    if (weft_running(&s->op) != 0) {
        weft_join(&s->op);
        return;
    }
    if (!s->decided) {
        s->settled = true;
        s->expected = status;
    }
    weft_finish(&s->op, status);
}

static void end(struct slot *s, int status)
{
    if (s->op.state_ != OP_READY && !s->decided) {
        s->decided = true;
        s->expected = status != 0 ? status : weft_cancelled(&s->op);
    }
    weft_end(&s->op, status);
}

static void over(struct weft_op *parent, struct weft_op *op)
{
    struct slot *s = slot_of(op);
    int reason = weft_cancelled(op);
    (void)parent;
    CHECK(s->busy);
    if (!s->loose) {
        CHECK(op->status == (s->decided || s->settled ? s->expected : reason));
        CHECK(s->begun || s->decided || reason != 0);
    }
    p.reported++;
    memset(s, 0, sizeof *s);
    act();
}

static void obey(struct weft_op *op, int reason)
{
    act();
    settle(slot_of(op), reason);
}

static void let_go(struct weft_timer *timer)
{
    struct slot *s = weft_owner(timer, struct slot, letting_go);
    weft_on_cancel(&s->op, NULL);
    settle(s, weft_cancelled(&s->op));
}

static void linger(struct weft_op *op, int reason)
{
    (void)reason;
    weft_timer_start(&p.loop, &slot_of(op)->letting_go, 2, let_go);
}

static void step_over(struct weft_op *op, struct weft_op *step)
{
    act();
    if (next_byte() & 1)
        end(slot_of(op), step->status);
    else if (op->state_ == OP_RUNNING)
        weft_join(op);
}

static void begin(struct weft_op *op)
{
    struct slot *s = slot_of(op);
    CHECK(s->busy && !s->begun && weft_cancelled(op->parent) == 0);
    s->begun = true;
    switch (s->kind) {
    case AT_ONCE:
        settle(s, 0);
        break;
    case FAILS:
        settle(s, UV_EIO);
        break;
    case SLEEPS:
        weft_sleep(op, &s->nap, 3, step_over);
        break;
    case SLEEPS_ALONE:
        s->loose = true; /* an error of the nap ends it */
        weft_sleep(op, &s->nap, 3, NULL);
        weft_join(op);
        break;
    case TICKS:
        weft_tick(op, &s->step, step_over);
        break;
    case IMMEDIATE:
        weft_immediate(op, &s->step, step_over);
        break;
    case OBEYS:
        weft_on_cancel(op, obey);
        break;
    case LINGERS:
        weft_on_cancel(op, linger);
        break;
    case JOINS:
        weft_join(op);
        break;
    default:
        act();
    }
    act();
    if (s->kind == RUNS_MORE && op->state_ == OP_RUNNING && s->busy)
        weft_join(op);
}

static struct slot *free_slot(void)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!p.slots[i].busy)
            return &p.slots[i];
    }
    return NULL;
}

static void start(uint8_t which, bool through_the_queue)
{
    struct slot *s = free_slot();
    struct weft_op *parent = &p.slots[which % SLOTS].op;
    if (s == NULL)
        return;
    if (parent->state_ != OP_RUNNING)
        parent = weft_root(&p.loop);
    for (const struct weft_op *op = parent; op->parent != NULL; op = op->parent) {
        if (weft_owner(op, const struct slot, op)->pushed)
            through_the_queue = false; /* a task may not wait for its own queue */
    }
    s->busy = true;
    s->kind = next_byte() % KINDS;
    s->pushed = through_the_queue;
    p.begun++;
    if (through_the_queue)
        weft_lane_push(&p.lanes[which % LANES], parent, &s->op, begin, over);
    else
        weft_run(parent, &s->op, begin, over);
}

/* ---- the program ---------------------------------------------------------------------------- */

static void timer_fired(struct weft_timer *timer)
{
    (void)timer;
    act();
}

static void change_the_queue(uint8_t how)
{
    struct weft_lane *lane = &p.lanes[how / 8 % LANES];
    switch (how % 6) {
    case 0:
        weft_queue_pause(&p.queue);
        break;
    case 1:
        weft_queue_resume(&p.queue);
        break;
    case 2:
        weft_lane_pause(lane);
        break;
    case 3:
        weft_lane_resume(lane);
        break;
    case 4:
        weft_queue_limit(&p.queue, 1 + how / 64);
        break;
    default:
        weft_lane_limit(lane, 1 + how / 64);
    }
}

static void act_on(struct slot *s, enum act what, uint8_t how)
{
    bool by_hand = s->begun && s->op.state_ == OP_RUNNING && !(s->op.flags_ & OP_WORKS);
    switch (what) {
    case CANCEL:
        weft_cancel(&s->op, how & 0x80 ? UV_ETIMEDOUT : UV_ECANCELED);
        break;
    case END:
        if (s->busy)
            end(s, how & 0x80 ? 0 : UV_EPIPE);
        break;
    case JOIN:
        if (by_hand)
            weft_join(&s->op);
        break;
    case FINISH:
        if (by_hand)
            settle(s, how & 0x80 ? 0 : UV_ENOENT);
        break;
    case DEADLINE:
        if (s->busy)
            weft_deadline(&s->op, &s->deadline, how / 32);
        break;
    default:
        weft_deadline_clear(&s->deadline);
    }
}

/* One pair of bytes. */
static void act(void)
{
    if (p.at == p.end || p.depth >= DEPTH)
        return;
    enum act what = next_byte() % ACTS;
    uint8_t how = next_byte();
    bool outside = p.depth++ == 0 && !p.loop.draining_ && !p.loop.firing_;
    switch (what) {
    case RUN:
    case PUSH:
        start(how, what == PUSH);
        break;
    case CANCEL_ROOT:
        if (how == 0x77) /* seldom: nothing begins after it */
            weft_cancel(weft_root(&p.loop), UV_ECANCELED);
        break;
    case TIMER_START:
        weft_timer_start(&p.loop, &p.timers[how % TIMERS], how / 32, timer_fired);
        break;
    case TIMER_STOP:
        weft_timer_stop(&p.loop, &p.timers[how % TIMERS]);
        break;
    case QUEUE:
        change_the_queue(how);
        break;
    case STEP:
        if (outside)
            weft_sim_step(&p.sim);
        break;
    case ADVANCE:
        if (outside)
            weft_sim_advance(&p.sim, how % 16);
        break;
    default:
        act_on(&p.slots[how % SLOTS], what, how);
    }
    p.depth--;
}

static void up(uint8_t seed)
{
    memset(&p, 0, sizeof p);
    CHECK(uv_loop_init(&p.uv) == 0);
    CHECK(weft_loop_init(&p.loop, &p.uv) == 0);
    CHECK(weft_sim_init(&p.sim, &p.loop, seed) == 0);
    p.loop.stuck_to = NULL;
    p.sim.invariant = check_everything;
    CHECK(weft_queue_init(&p.queue, &p.loop, 2) == 0);
    for (int i = 0; i < LANES; i++)
        CHECK(weft_lane_init(&p.lanes[i], &p.queue, 2, WEFT_RANK_NORMAL) == 0);
}

/* Let everything through that the program has held back, until nothing is left. */
static void down(void)
{
    for (int round = 0; p.begun != p.reported; round++) {
        CHECK(round < 2 * SLOTS + 2);
        weft_queue_resume(&p.queue);
        for (int i = 0; i < LANES; i++)
            weft_lane_resume(&p.lanes[i]);
        for (int i = 0; i < SLOTS; i++) {
            if (p.slots[i].op.flags_ & OP_WORKS)
                weft_cancel(&p.slots[i].op, UV_ECANCELED);
            else
                settle(&p.slots[i], 0);
        }
        weft_sim_run(&p.sim);
    }
    for (int i = 0; i < TIMERS; i++)
        weft_timer_stop(&p.loop, &p.timers[i]);
    CHECK(weft_sim_run(&p.sim) == 0);
    CHECK(weft_queue_close(&p.queue) == 0);
    CHECK(weft_sim_close(&p.sim) == 0);
    CHECK(weft_loop_close(&p.loop) == 0);
    uv_run(&p.uv, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&p.uv) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    up(size > 0 ? data[0] : 0);
    p.at = size > 0 ? data + 1 : data;
    p.end = data + size;
    while (p.at < p.end)
        act();
    down();
    return 0;
}
