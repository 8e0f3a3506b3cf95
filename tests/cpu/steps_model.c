/* The line of those that compute against a model of it, under seeded schedules.
 * ctest: labels=model timeout=120 shuffle=no
 *
 * The model is an array in the order of the line. A schedule draws works, how many steps each has in a
 * slice and in all, and what happens between two events: others begin, some are cancelled or resumed.
 * Steps themselves pause, cancel and end themselves and each other. At each slice the model is asked
 * whose turn it is, and after each event whether all have the state that it says. */
#include "model.h"
#include "core/op.h"
#include "invariant.h"
#include <weft/steps.h>

enum { WORKS = 8, SCHEDULES = 4000 };

enum state { UNUSED, IN_LINE, IN_SLICE, PAUSED, ENDED, OVER };

struct work {
    struct weft_steps steps;
    enum state state;
    unsigned every, left; /* steps in a slice, and before its end */
    unsigned taken;       /* steps in this slice */
    int last, expected;   /* what its last step says, and how it ends */
    int said;             /* what its step has said */
    unsigned reports;
};

static struct world w;
static struct model {
    struct dice dice;
    struct work works[WORKS];
    int line[WORKS], length;
    int running; /* in its slice; -1: nobody */
} m;

static int number_of(const struct work *work)
{
    return (int)(work - m.works);
}

static void leave_line(int number)
{
    int to = 0;
    for (int from = 0; from < m.length; from++) {
        if (m.line[from] != number)
            m.line[to++] = m.line[from];
    }
    m.length = to;
}

/* The model's side of a cancel. */
static void model_cancels(int number, int reason)
{
    struct work *work = &m.works[number];
    if (work->state != IN_LINE && work->state != IN_SLICE && work->state != PAUSED)
        return;
    if (work->expected == 1)
        work->expected = reason;
    if (work->state == IN_SLICE)
        return; /* when its step has returned */
    leave_line(number);
    work->state = ENDED;
}

static void cancel(int number)
{
    int reason = chance(&m.dice, 2) ? UV_ETIMEDOUT : UV_ECANCELED;
    model_tell("cancel %d", number);
    if (m.works[number].state == UNUSED)
        return;
    model_cancels(number, reason);
    weft_cancel(&m.works[number].steps.op, reason);
}

static void resume(int number)
{
    struct work *work = &m.works[number];
    model_tell("resume %d", number);
    if (work->state == PAUSED) {
        work->state = IN_LINE;
        m.line[m.length++] = number;
    }
    weft_steps_resume(&work->steps);
}

/* ---- slices --------------------------------------------------------------------------------- */

static int step(struct weft_steps *steps)
{
    struct work *work = weft_owner(steps, struct work, steps);
    int number = number_of(work);
    if (m.running < 0) {
        agree(m.length > 0 && m.line[0] == number); /* its turn */
        leave_line(number);
        m.running = number;
        work->state = IN_SLICE;
        work->taken = 0;
    }
    agree(m.running == number);
    agree(work->expected == 1); /* not after a cancel */
    agree(work->taken < work->every);
    work->taken++;
    work->left--;
    schedule.steps++;
    if (chance(&m.dice, 12))
        cancel((int)roll(&m.dice, WORKS));
    if (chance(&m.dice, 12))
        resume((int)roll(&m.dice, WORKS));
    if (work->left == 0)
        work->said = work->last;
    else
        work->said = chance(&m.dice, 8) ? WEFT_PAUSE : WEFT_MORE;
    return work->said;
}

/* What becomes of it is decided when its slice is over: this is called right before. */
static void slice_over(struct weft_steps *steps)
{
    struct work *work = weft_owner(steps, struct work, steps);
    agree(m.running == number_of(work));
    m.running = -1;
    if (chance(&m.dice, 10))
        cancel(number_of(work));
}

/* The slice is over; the real one has decided, and the model follows by its own knowledge. */
static void settle_slice(int number)
{
    struct work *work = &m.works[number];
    if (work->state != IN_SLICE)
        return;
    if (work->left == 0 && (work->last < 0 || work->expected == 1)) {
        work->expected = work->last;
        work->state = ENDED;
    } else if (work->expected != 1) {
        work->state = ENDED;
    } else if (work->said == WEFT_PAUSE) {
        work->state = PAUSED;
    } else {
        agree(work->taken == work->every);
        work->state = IN_LINE;
        m.line[m.length++] = number;
    }
}

static void over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    struct work *work = weft_owner(weft_owner(op, struct weft_steps, op), struct work, steps);
    agree(work->state == ENDED);
    agree(op->status == work->expected);
    work->reports++;
    work->state = OVER;
}

static void begin_one(int number)
{
    struct work *work = &m.works[number];
    if (work->state != UNUSED && work->state != OVER)
        return;
    model_tell("begin %d", number);
    work->every = (unsigned)between(&m.dice, 1, 4);
    work->left = (unsigned)between(&m.dice, 1, 20);
    work->last = chance(&m.dice, 4) ? UV_EIO : 0;
    work->expected = 1; /* not known */
    work->state = IN_LINE;
    work->steps.every = work->every;
    work->steps.on_slice = slice_over;
    m.line[m.length++] = number;
    weft_steps(weft_root(&w.loop), &work->steps, step, over);
}

/* ---- a schedule ------------------------------------------------------------------------------ */

static void compare(void)
{
    const char *wrong = invariant_broken(&w.loop);
    if (wrong != NULL)
        model_disagrees(wrong, __FILE__, __LINE__);
    const struct weft_op *at = w.loop.steps_;
    for (int i = 0; i < m.length; i++, at = at->wait_)
        agree(at == &m.works[m.line[i]].steps.op);
    agree(at == NULL);
    for (int i = 0; i < WORKS; i++) {
        const struct work *work = &m.works[i];
        bool runs = work->state == IN_LINE || work->state == PAUSED;
        agree(runs == (work->steps.op.state_ == OP_RUNNING));
        agree((work->state == ENDED) == (work->steps.op.state_ == OP_READY));
    }
}

static void one_event(void)
{
    model_tell_next(&w);
    weft_sim_step(&w.sim);
    for (int i = 0; i < WORKS; i++)
        settle_slice(i);
    compare();
}

static void one_schedule(uint64_t seed)
{
    model_begin("steps", seed);
    m = (struct model){.dice = {seed}, .running = -1};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, seed), 0);
    w.loop.stuck_to = NULL;
    int events = (int)between(&m.dice, 5, 120);
    for (int i = 0; i < events; i++) {
        if (chance(&m.dice, 3))
            begin_one((int)roll(&m.dice, WORKS));
        if (chance(&m.dice, 10))
            cancel((int)roll(&m.dice, WORKS));
        if (chance(&m.dice, 5))
            resume((int)roll(&m.dice, WORKS));
        compare();
        one_event();
    }
    for (bool left = true; left;) {
        left = false;
        for (int i = 0; i < WORKS; i++) {
            resume(i);
            left |= m.works[i].state != UNUSED && m.works[i].state != OVER;
        }
        one_event();
    }
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(whoever_computes_has_the_turns_that_the_model_says)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
