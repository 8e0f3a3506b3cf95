/* Retry against a model of it, under thousands of seeded schedules: attempts that fail, succeed and
 * linger, pauses that grow, are bounded and jittered, filters, cancels and early ends.
 *
 * What each attempt will do, and what again and discard will, is drawn before. The model knows what
 * has to happen next, and when: an attempt may begin at the end of a pause of the right length, and
 * at no other time. The outcome is what was decided first.
 * ctest: labels=model timeout=120 shuffle=no */
#include "model.h"
#include "core/op.h"
#include <string.h>
#include <weft/flow.h>

enum { TIMES = 6, SCHEDULES = 25000 };

static struct world w;
static struct dice dice;

/* What again and discard do to the retry itself. */
enum meddling { GO_ON, END_WELL, END_BADLY, CANCEL };

/* What an attempt does, and what is done about it. */
struct attempt {
    uint64_t ms, linger_ms;
    int status;
    bool worth; /* what again says */
    enum meddling asked, discarded;
};

static struct trial {
    struct weft_retry retry;
    struct job task;

    /* what is drawn */
    struct attempt attempts[TIMES];
    unsigned times;
    uint64_t cancel_at;

    /* what the model says */
    enum { ATTEMPT, ASK, DISCARD, PAUSE, NOTHING } next; /* what has to happen */
    unsigned begun;
    uint64_t paused_at;
    bool told, decided;
    int status, reason; /* reason: of the cancel that came before the decision */
} trial;

/* ---- the model ------------------------------------------------------------------------------ */

static bool is_open(void)
{
    return !trial.decided && trial.reason == 0;
}

/* The first word stands; a cancel before it makes a success incomplete. */
static void decide(int status)
{
    if (!trial.decided) {
        trial.decided = true;
        trial.status = status != 0 ? status : trial.reason;
    }
    trial.next = NOTHING;
}

static const struct attempt *latest(void)
{
    return &trial.attempts[trial.begun - 1];
}

static void cancel_it(int reason)
{
    if (is_open())
        trial.reason = reason;
    weft_cancel(&trial.retry.op, reason);
}

static uint64_t whole_pause(void)
{
    uint64_t growth = trial.retry.growth == 0 ? 2 : trial.retry.growth, ms = trial.retry.wait_ms;
    for (unsigned i = 1; i < trial.begun; i++)
        ms *= growth;
    return trial.retry.max_ms != 0 && ms > trial.retry.max_ms ? trial.retry.max_ms : ms;
}

/* The attempt is about to report. */
static void attempt_ends(void)
{
    bool last = trial.task.op.status == 0 || trial.begun == trial.times;
    if (last)
        decide(trial.task.op.status);
    else if (!is_open())
        decide(trial.reason);
    else if (trial.retry.again != NULL)
        trial.next = ASK;
    else
        trial.next = trial.retry.discard != NULL ? DISCARD : PAUSE;
}

static void meddle(enum meddling how)
{
    if (how == CANCEL) {
        cancel_it(UV_EINTR);
    } else if (how != GO_ON) {
        decide(how == END_WELL ? 0 : UV_EACCES);
        weft_end(&trial.retry.op, how == END_WELL ? 0 : UV_EACCES);
    }
}

/* ---- what the retry calls ------------------------------------------------------------------- */

static void task_begin(struct weft_op *op)
{
    uint64_t now = weft_now(&w.loop), pause = now - trial.paused_at, whole = whole_pause();
    agree(trial.next == ATTEMPT && is_open() && trial.begun < trial.times);
    if (trial.begun > 0)
        agree(trial.retry.jitter ? pause <= whole && 2 * pause >= whole : pause == whole);
    const struct attempt *attempt = &trial.attempts[trial.begun++];
    agree(trial.retry.tries == trial.begun);
    trial.next = NOTHING;
    trial.task.ms = attempt->ms;
    trial.task.linger_ms = attempt->linger_ms;
    trial.task.status = attempt->status;
    job_begin(op);
}

static bool is_worth_it(const struct weft_op *task)
{
    agree(task == &trial.task.op && trial.next == ASK && task->status != 0);
    meddle(latest()->asked);
    if (trial.next == ASK && (!latest()->worth || !is_open()))
        decide(task->status);
    else if (trial.next == ASK)
        trial.next = trial.retry.discard != NULL ? DISCARD : PAUSE;
    return latest()->worth;
}

static void discard(struct weft_op *task)
{
    agree(task == &trial.task.op && trial.next == DISCARD && task->status != 0);
    trial.next = PAUSE;
    meddle(latest()->discarded);
}

static void retry_over(struct weft_op *parent, struct weft_op *op)
{
    agree(parent == weft_root(&w.loop) && op == &trial.retry.op && !trial.told);
    trial.told = true;
    agree(jobs.running == 0 && trial.retry.tries == trial.begun);
    if (trial.times == 0)
        agree(op->status == UV_EINVAL && trial.begun == 0);
    else
        agree(trial.decided && op->status == trial.status);
}

/* ---- a schedule ----------------------------------------------------------------------------- */

static void look_ahead(void)
{
    const struct weft_op *next = w.loop.ready_;
    if (next == NULL || next->state_ != OP_READY || trial.told)
        return;
    if (next == &trial.task.op) {
        attempt_ends();
    } else if (next == &trial.retry.pause_.op) {
        agree(trial.next == NOTHING);
        trial.next = ATTEMPT;
        if (!is_open())
            decide(trial.reason);
    }
}

/* What had to happen has happened, in the step in which it had to. */
static void compare(void)
{
    if (trial.next == PAUSE) {
        agree(trial.retry.pause_.op.state_ != OP_IDLE);
        trial.paused_at = weft_now(&w.loop);
        trial.next = NOTHING;
    }
    agree(trial.next == NOTHING);
    agree(jobs.running <= 1 && jobs.begun == trial.begun);
}

static void run_to_the_end(void)
{
    struct weft_op *op = &trial.retry.op;
    for (;;) {
        if (schedule.steps == trial.cancel_at && op->state_ == OP_RUNNING)
            cancel_it(UV_ETIMEDOUT);
        look_ahead();
        model_tell_next(&w);
        if (!weft_sim_step(&w.sim))
            return;
        schedule.steps++;
        compare();
        agree(schedule.steps < 100000);
    }
}

static void draw_attempt(struct attempt *attempt)
{
    attempt->ms = chance(&dice, 3) ? 0 : roll(&dice, 6);
    attempt->linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    attempt->status = chance(&dice, 4) ? 0 : UV_EIO - (int)roll(&dice, 3);
    attempt->worth = !chance(&dice, 6);
    attempt->asked = chance(&dice, 15) ? (enum meddling)between(&dice, END_WELL, CANCEL) : GO_ON;
    attempt->discarded =
        chance(&dice, 15) ? (enum meddling)between(&dice, END_WELL, CANCEL) : GO_ON;
}

static void draw_trial(void)
{
    memset(&trial, 0, sizeof trial);
    trial.times = chance(&dice, 30) ? 0 : 1 + (unsigned)roll(&dice, TIMES);
    for (unsigned i = 0; i < trial.times; i++)
        draw_attempt(&trial.attempts[i]);
    trial.cancel_at = chance(&dice, 2) ? UINT64_MAX : roll(&dice, 4 * TIMES);
    trial.retry.growth = (unsigned)roll(&dice, 5);
    trial.retry.max_ms = chance(&dice, 2) ? 0 : 1 + roll(&dice, 50);
    trial.retry.jitter = chance(&dice, 2);
    trial.retry.again = chance(&dice, 2) ? is_worth_it : NULL;
    trial.retry.discard = chance(&dice, 2) ? discard : NULL;
    trial.next = ATTEMPT;
}

static void one_retry(uint64_t seed)
{
    model_begin("retry", seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    draw_trial();
    uint64_t wait_ms = chance(&dice, 4) ? 0 : roll(&dice, 20);
    weft_retry(weft_root(&w.loop), &trial.retry, &trial.task.op, task_begin, trial.times, wait_ms,
               retry_over);
    if (trial.times == 0)
        trial.next = NOTHING;
    run_to_the_end();
    agree(trial.told && w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(retry_agrees_with_its_model)
{
    model_schedules(&w, one_retry, SCHEDULES);
}
