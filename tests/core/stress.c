/* Random programs. Whatever is begun, pushed, cancelled, ended, timed out, joined and paused, in
 * whatever order: every op reports exactly once, with the status it has to have; storage is
 * overwritten and freed in its then; and the loop is in order after every single event.
 * ctest: labels=model,stress timeout=300 shuffle=no */
#include "core/op.h"
#include "invariant.h"
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/queue.h>
#include <weft/timer.h>

enum { NODES = 64, TIMERS = 8, LANES = 3, OPS = 3000 };

/* An op of the program, and what is known about how it has to end. */
struct node {
    struct weft_op op;
    struct weft_op step; /* a tick, an immediate or nothing, below op */
    struct weft_sleep nap;
    struct weft_timer letting_go;
    struct weft_deadline deadlines[2];
    unsigned place, depth;
    bool pushed;  /* through the queue */
    bool begun;   /* its begin was called */
    bool settled; /* finished by hand, with expected */
    bool decided; /* ended, with expected */
    bool loose;   /* something else may end it: any status will do */
    int expected;
};

static struct program {
    struct world w;
    struct weft_queue queue;
    struct weft_lane lanes[LANES];
    struct weft_timer timers[TIMERS];
    struct node *nodes[NODES];
    unsigned alive;
    unsigned digging; /* so many begins are still to nest, to get below what runs at once */
    unsigned long begun, reported, budget;
    uint64_t seed;
} p;

static unsigned dice(unsigned sides)
{
    return (unsigned)weft_sim_random(&p.w.sim, sides);
}

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds))                                                                              \
            fail_msg("WEFT_SEED=%llu, step %llu: %s", (unsigned long long)p.seed,                  \
                     (unsigned long long)p.w.sim.steps, #holds);                                   \
    } while (0)

static void tell_the_seed(const char *text)
{
    print_error("WEFT_SEED=%llu, step %llu: %s", (unsigned long long)p.seed,
                (unsigned long long)p.w.sim.steps, text);
}

static void check_everything(struct weft_sim *sim)
{
    const char *wrong = invariant_broken(sim->loop);
    if (wrong != NULL)
        fail_msg("WEFT_SEED=%llu, step %llu: %s", (unsigned long long)p.seed,
                 (unsigned long long)sim->steps, wrong);
    CHECK(p.begun - p.reported == p.alive);
    size_t waiting = 0, running = 0;
    for (const struct weft_lane *lane = p.queue.lanes_; lane != NULL; lane = lane->all_next_) {
        waiting += lane->waiting;
        running += lane->running;
    }
    CHECK(waiting == p.queue.waiting);
    CHECK(running == p.queue.running);
}

/* ---- what happens to a node ----------------------------------------------------------------- */

static void chaos(void);
static void spawn(struct weft_op *parent, unsigned depth);

static struct node *node_of(struct weft_op *op)
{
    return weft_owner(op, struct node, op);
}

static void check_status(const struct node *n)
{
    int reason = weft_cancelled(&n->op);
    if (n->loose)
        return;
    if (n->decided || n->settled)
        CHECK(n->op.status == n->expected);
    else /* joined, or never begun */
        CHECK(n->op.status == reason);
    CHECK(n->begun || n->decided || reason != 0);
}

static void node_over(struct weft_op *parent, struct weft_op *op)
{
    struct node *n = node_of(op);
    int status = op->status;
    check_status(n);
    p.reported++;
    p.nodes[n->place] = p.nodes[--p.alive];
    p.nodes[n->place]->place = n->place;
    memset(n, 0xa5, sizeof *n);
    free(n);
    if (parent != weft_root(&p.w.loop) && dice(6) == 0) {
        struct node *above = node_of(parent);
        if (parent->state_ == OP_RUNNING && !above->decided) {
            above->decided = true;
            above->expected = status != 0 ? status : weft_cancelled(parent);
        }
        weft_end(parent, status);
    }
    chaos();
}

/* By hand, if it can be: an op with children joins them. */
static void settle(struct node *n, int status)
{
    if (n->op.state_ != OP_RUNNING)
        return;
    if (weft_running(&n->op) != 0) {
        weft_join(&n->op);
        return;
    }
    if (!n->decided) {
        n->settled = true;
        n->expected = status;
    }
    weft_finish(&n->op, status);
}

static void end(struct node *n, int status)
{
    if (n->op.state_ != OP_READY && !n->decided) {
        n->decided = true;
        n->expected = status != 0 ? status : weft_cancelled(&n->op);
    }
    weft_end(&n->op, status);
}

static void obey(struct weft_op *op, int reason)
{
    chaos();
    settle(node_of(op), reason);
}

static void let_go(struct weft_timer *timer)
{
    struct node *n = weft_owner(timer, struct node, letting_go);
    weft_on_cancel(&n->op, NULL);
    settle(n, weft_cancelled(&n->op));
}

static void linger(struct weft_op *op, int reason)
{
    struct node *n = node_of(op);
    (void)reason; /* its work lets go some time later */
    weft_timer_start(weft_loop_of(op), &n->letting_go, dice(3), let_go);
}

static void step_over(struct weft_op *op, struct weft_op *step)
{
    chaos();
    if (dice(2))
        end(node_of(op), step->status);
    else if (op->state_ == OP_RUNNING)
        weft_join(op);
}

static void dig(struct node *n)
{
    p.digging--;
    spawn(&n->op, n->depth + 1);
    chaos();
    if (n->op.state_ == OP_RUNNING)
        weft_join(&n->op);
}

static void begin_children(struct node *n)
{
    for (unsigned k = dice(4); n->depth < 40 && k > 0; k--) {
        spawn(&n->op, n->depth + 1);
        chaos();
    }
    if (n->op.state_ == OP_RUNNING)
        weft_join(&n->op);
}

static void node_begin(struct weft_op *op)
{
    struct node *n = node_of(op);
    CHECK(!n->begun);
    CHECK(weft_cancelled(op->parent) == 0);
    n->begun = true;
    if (p.digging == 0 && p.alive < NODES / 4 && dice(40) == 0)
        p.digging = OP_DEPTH + dice(8);
    if (p.digging > 0) {
        dig(n);
        return;
    }
    switch (dice(9)) {
    case 0:
        settle(n, dice(2) ? 0 : UV_EIO);
        return;
    case 1:
        weft_sleep(op, &n->nap, dice(4), step_over);
        break;
    case 2:
        n->loose = true; /* an error of the nap ends it */
        weft_sleep(op, &n->nap, dice(4), NULL);
        weft_join(op);
        break;
    case 3:
        weft_tick(op, &n->step, step_over);
        break;
    case 4:
        weft_immediate(op, &n->step, step_over);
        break;
    case 5:
        weft_on_cancel(op, obey);
        break;
    case 6:
        weft_on_cancel(op, linger);
        break;
    case 7:
        break; /* by hand */
    default:
        begin_children(n);
    }
    chaos();
}

static void spawn(struct weft_op *parent, unsigned depth)
{
    if (p.alive == NODES || p.budget == 0) {
        p.digging = 0;
        return;
    }
    p.budget--;
    struct node *n = calloc(1, sizeof *n);
    n->depth = depth;
    n->place = p.alive;
    p.nodes[p.alive++] = n;
    p.begun++;
    bool inside = false; /* a task may not wait for its own queue */
    for (const struct weft_op *op = parent; op->parent != NULL; op = op->parent)
        inside = inside || weft_owner(op, const struct node, op)->pushed;
    n->pushed = !inside && p.digging == 0 && dice(2);
    if (n->pushed)
        weft_lane_push(&p.lanes[dice(LANES)], parent, &n->op, node_begin, node_over);
    else
        weft_run(parent, &n->op, node_begin, node_over);
    if (dice(4) == 0)
        weft_deadline(&n->op, &n->deadlines[dice(2)], dice(6));
}

/* ---- the program ---------------------------------------------------------------------------- */

static void timer_fired(struct weft_timer *timer)
{
    (void)timer;
    chaos();
}

static void change_the_queue(void)
{
    struct weft_lane *lane = &p.lanes[dice(LANES)];
    switch (dice(6)) {
    case 0:
        weft_lane_pause(lane);
        break;
    case 1:
        weft_lane_resume(lane);
        break;
    case 2:
        weft_queue_limit(&p.queue, 1 + dice(8));
        break;
    case 3:
        weft_lane_limit(lane, 1 + dice(4));
        break;
    case 4:
        weft_queue_pause(&p.queue);
        break;
    default:
        weft_queue_resume(&p.queue);
    }
}

/* Something happens to a node that is somewhere on its way. */
static void meddle(struct node *n)
{
    switch (dice(8)) {
    case 0:
        weft_cancel(&n->op, dice(2) ? UV_ECANCELED : UV_ETIMEDOUT);
        break;
    case 1:
        end(n, dice(2) ? 0 : UV_EPIPE);
        break;
    case 2:
        weft_deadline(&n->op, &n->deadlines[dice(2)], dice(6));
        break;
    case 3:
        weft_deadline_clear(&n->deadlines[dice(2)]);
        break;
    case 4: /* work of its own is finished by that work */
        if (n->begun && !(n->op.flags_ & OP_WORKS))
            settle(n, dice(2) ? 0 : UV_ENOENT);
        break;
    case 5:
        if (n->begun && n->op.state_ == OP_RUNNING && !(n->op.flags_ & OP_WORKS))
            weft_join(&n->op);
        break;
    default:
        if (n->op.state_ == OP_RUNNING && n->depth < 40)
            spawn(&n->op, n->depth + 1);
    }
}

static void chaos(void)
{
    struct weft_timer *timer = &p.timers[dice(TIMERS)];
    switch (dice(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
        if (p.alive > 0)
            meddle(p.nodes[dice(p.alive)]);
        break;
    case 4:
        weft_timer_start(&p.w.loop, timer, dice(10), timer_fired);
        break;
    case 5:
        weft_timer_stop(&p.w.loop, timer);
        break;
    case 6:
        change_the_queue();
        break;
    default:
        break;
    }
}

static void program_up(uint64_t seed)
{
    memset(&p, 0, sizeof p);
    p.seed = seed;
    p.budget = OPS;
    world_up_sim(&p.w, seed);
    p.w.sim.invariant = check_everything;
    CHECK(weft_queue_init(&p.queue, &p.w.loop, 1 + dice(8)) == 0);
    for (int i = 0; i < LANES; i++)
        CHECK(weft_lane_init(&p.lanes[i], &p.queue, 1 + dice(4), dice(WEFT_RANKS)) == 0);
}

/* Let everything through that a meddler has held back, until nothing is left. */
static void program_down(void)
{
    p.budget = 0;
    while (p.alive > 0) {
        weft_queue_resume(&p.queue);
        for (int i = 0; i < LANES; i++)
            weft_lane_resume(&p.lanes[i]);
        for (unsigned i = 0; i < p.alive; i++) {
            struct node *n = p.nodes[i];
            if (n->op.flags_ & OP_WORKS)
                weft_cancel(&n->op, UV_ECANCELED);
            else
                settle(n, 0);
        }
        while (weft_sim_step(&p.w.sim))
            continue;
    }
    for (int i = 0; i < TIMERS; i++)
        weft_timer_stop(&p.w.loop, &p.timers[i]);
    while (weft_sim_step(&p.w.sim))
        continue;
    CHECK(p.begun == p.reported);
    CHECK(weft_queue_close(&p.queue) == 0);
    world_down(&p.w);
}

static void run_program(uint64_t seed, bool with_the_end_of_the_root)
{
    program_up(seed);
    while (p.budget > 0) {
        spawn(weft_root(&p.w.loop), 0);
        for (unsigned n = dice(4); n > 0; n--)
            chaos();
        for (unsigned n = dice(8); n > 0; n--)
            weft_sim_step(&p.w.sim);
        if (p.alive == NODES) /* somebody has to finish what is finished by hand */
            for (unsigned n = 0; n < NODES / 2 && p.alive > 0; n++)
                meddle(p.nodes[dice(p.alive)]);
        if (with_the_end_of_the_root && p.budget < OPS / 2) {
            weft_cancel(weft_root(&p.w.loop), UV_ECANCELED);
            break;
        }
    }
    program_down();
}

TEST(every_op_of_a_random_program_reports_exactly_once)
{
    weft_on_fatal(tell_the_seed);
    unsigned long ops = 0;
    uint64_t first = check_seed(), seeds = check_scale(200);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run_program(seed, false);
        ops += p.reported;
    }
    weft_on_fatal(NULL);
    assert_int_equal(ops, seeds * OPS);
}

TEST(a_random_program_ends_when_the_root_is_cancelled)
{
    weft_on_fatal(tell_the_seed);
    uint64_t first = check_seed(), seeds = check_scale(50);
    for (uint64_t seed = first; seed < first + seeds; seed++)
        run_program(seed, true);
    weft_on_fatal(NULL);
}
