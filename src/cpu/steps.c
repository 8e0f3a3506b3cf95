/* Steps: work on the loop in slices.
 *
 *     begin ──► line ──turn──► slice: step, step, … ──MORE──► line (at its end)
 *                │                 │  │
 *                │                 │  └─PAUSE──► paused ──resume──► line
 *                └ cancel: join    └ 0: join; an error: end          └ cancel: join
 *
 * The line is the loop's: steps_, linked by wait_ as all lists of ops. The loop gives one turn in each
 * iteration, after it has looked for I/O and delivered what was ready, and a simulation when nothing
 * else is to be done at this moment of its time. So the number of those in line has no influence on
 * how long I/O waits.
 *
 * In a slice the op is on no list and has no cancel function: there is nothing that a cancel could
 * stop, and a step may end or join its own op. Whatever happens to the op in there is looked at when
 * the step returns.
 *
 * Looking at the clock costs as much as ten small steps. stride_ is how many steps lie between two
 * looks: it grows and shrinks so that they take about LOOK_NS, of which a look is one hundredth. It
 * does not depend on the budget, because it is also what a slice can be too long by when the steps
 * become longer. */
#include "weft/steps.h"
#include "core/observe.h"
#include "core/steps.h"
#include "weft/hook.h"

enum { LOOK_NS = 4000, STRIDE_MOST = 1024 };

static struct weft_steps *steps_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_steps, op);
}

/* ---- the line ------------------------------------------------------------------------------- */

static void steps_cancel(struct weft_op *op, int reason)
{
    (void)reason;
    if (!steps_of(op)->paused_)
        wait_unlink(op, &op->loop_->steps_tail_);
    weft_join(op); /* what a step has begun is told by the same cancel, and awaited */
}

static void line_up(struct weft_op *op)
{
    struct weft_loop *loop = op->loop_;
    wait_append(op, &loop->steps_tail_);
    if (!loop->awake_)
        weft__wake(loop);
}

/* ---- a slice -------------------------------------------------------------------------------- */

/* Has a step ended its op, or has somebody cancelled it? */
static bool is_decided(const struct weft_op *op)
{
    return op->state_ != OP_RUNNING || op->flags_ & (OP_REFUSE | OP_JOIN);
}

/* At most count of them. */
static int take_steps(struct weft_steps *steps, uint64_t *count)
{
    int said = WEFT_MORE;
    uint64_t left = *count;
    while (left > 0 && said == WEFT_MORE) {
        said = steps->step(steps);
        left--;
        if (unlikely(is_decided(&steps->op)))
            break;
    }
    *count -= left;
    return said;
}

/* More or fewer steps before the next look; at most twice as many, so that one quick stretch is not
 * believed at once. */
static unsigned next_stride(unsigned stride, uint64_t took_ns)
{
    uint64_t fitting = took_ns > 0 ? stride * (uint64_t)LOOK_NS / took_ns : STRIDE_MOST;
    if (fitting > 2 * (uint64_t)stride)
        fitting = 2 * (uint64_t)stride;
    if (fitting > STRIDE_MOST)
        fitting = STRIDE_MOST;
    return fitting > 0 ? (unsigned)fitting : 1;
}

static uint64_t budget_ns(const struct weft_steps *steps)
{
    uint64_t us = steps->budget_us;
    if (us == 0)
        us = steps->every != 0 ? UINT64_MAX : WEFT_STEPS_BUDGET_US;
    return us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX;
}

static int take_slice(struct weft_steps *steps)
{
    bool simulated = steps->op.loop_->sim_ != NULL;
    uint64_t left = steps->every != 0 ? steps->every
                    : simulated       ? WEFT_STEPS_SIMULATED
                                      : UINT64_MAX;
    uint64_t budget = budget_ns(steps);
    uint64_t begun = uv_hrtime(), looked = begun, taken = 0;
    int said = WEFT_MORE;
    while (left > 0 && said == WEFT_MORE && !is_decided(&steps->op)) {
        uint64_t count = !simulated && steps->stride_ < left ? steps->stride_ : left;
        bool whole = count == steps->stride_;
        said = take_steps(steps, &count);
        taken += count;
        left -= count;
        uint64_t now = uv_hrtime();
        if (whole)
            steps->stride_ = next_stride(steps->stride_, now - looked);
        looked = now;
        if (!simulated && now - begun >= budget)
            break;
    }
    steps->steps += taken;
    steps->slices++;
    if ((looked - begun) / 1000 > steps->longest_us)
        steps->longest_us = (looked - begun) / 1000;
    return said;
}

/* What the last step said, unless its op has been decided about. */
static void go_on(struct weft_steps *steps, int said)
{
    struct weft_op *op = &steps->op;
    if (op->state_ != OP_RUNNING || op->flags_ & OP_JOIN)
        return;
    if (said < 0) {
        weft_end(op, said);
    } else if (said == 0 || op->flags_ & OP_REFUSE) {
        weft_join(op);
    } else {
        steps->paused_ = said == WEFT_PAUSE;
        if (!steps->paused_)
            line_up(op);
        weft_on_cancel(op, steps_cancel);
    }
}

static void slice(struct weft_op *op)
{
    struct weft_steps *steps = steps_of(op);
    struct weft_frame frame;
    weft_on_cancel(op, NULL);
    weft_enter(&frame, op, (weft_entry_fn *)steps->step);
    int said = take_slice(steps);
    RULE(2, said <= WEFT_PAUSE, op, "a step returns WEFT_MORE, WEFT_PAUSE, 0 or an error");
    if (steps->on_slice != NULL)
        steps->on_slice(steps);
    weft_leave(&frame);
    go_on(steps, said);
}

void weft__steps_turn(struct weft_loop *loop)
{
    struct weft_op *op = loop->steps_;
    wait_unlink(op, &loop->steps_tail_);
    loop->draining_ = true;
    struct weft_loop *outer = loop_enter(loop);
    slice(op);
    loop_leave(loop, outer);
    loop->draining_ = false;
}

/* ---- the op --------------------------------------------------------------------------------- */

void weft_steps_begin(struct weft_op *op)
{
    struct weft_steps *steps = steps_of(op);
    steps->steps = steps->slices = steps->longest_us = 0;
    steps->stride_ = 1;
    steps->paused_ = false;
    if (steps->step == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    line_up(op);
    weft_on_cancel(op, steps_cancel);
}

void weft_steps_at(const struct weft_site *site, struct weft_op *parent, struct weft_steps *steps,
                   weft_step_fn *step, weft_then_fn *then)
{
    op_check_start(parent, &steps->op);
    steps->step = step;
    weft_run_at(site, parent, &steps->op, weft_steps_begin, then);
}

void weft_steps_resume(struct weft_steps *steps)
{
    struct weft_op *op = &steps->op;
    if (op->state_ != OP_RUNNING || !steps->paused_ || op->flags_ & OP_REFUSE)
        return;
    RULE_THREAD(op->loop_, op);
    steps->paused_ = false;
    line_up(op);
}
