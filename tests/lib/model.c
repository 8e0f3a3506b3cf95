/* Jobs, trail, dice and schedules. */
#include "model.h"
#include "core/sim.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct jobs jobs;
char trail[4096];

void model_up_seeded(struct world *w, uint64_t seed)
{
    world_up_sim(w, seed);
    jobs = (struct jobs){0};
    trail[0] = '\0';
}

void model_up(struct world *w)
{
    const char *seed = getenv("WEFT_SHUFFLE");
    model_up_seeded(w, seed != NULL ? strtoull(seed, NULL, 0) : 0);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

struct job *job_of(struct weft_op *op)
{
    return weft_owner(op, struct job, op);
}

static void end_job(struct job *job, int status)
{
    jobs.running--;
    weft_finish(&job->op, status);
}

static void job_due(struct weft_timer *timer)
{
    struct job *job = weft_owner(timer, struct job, timer_);
    end_job(job, job->status);
}

static void job_let_go(struct weft_timer *timer)
{
    struct job *job = weft_owner(timer, struct job, timer_);
    end_job(job, weft_cancelled(&job->op));
}

static void job_cancel(struct weft_op *op, int reason)
{
    struct job *job = job_of(op);
    struct weft_loop *loop = weft_loop_of(op);
    job->cancelled++;
    jobs.cancelled++;
    weft_timer_stop(loop, &job->timer_);
    if (job->linger_ms != 0)
        weft_timer_start(loop, &job->timer_, job->linger_ms, job_let_go);
    else
        end_job(job, reason);
}

void job_begin(struct weft_op *op)
{
    struct job *job = job_of(op);
    job->begun++;
    jobs.begun++;
    if (++jobs.running > jobs.most)
        jobs.most = jobs.running;
    if (job->ms == 0) {
        end_job(job, job->status);
        return;
    }
    if (job->ms != BY_HAND)
        weft_timer_start(weft_loop_of(op), &job->timer_, job->ms, job_due);
    weft_on_cancel(op, job_cancel);
}

void job_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    job_of(op)->reported++;
    jobs.reported++;
}

/* ---- trail and dice ------------------------------------------------------------------------- */

void leave(const char *format, ...)
{
    size_t length = strlen(trail);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trail + length, sizeof trail - length, format, arguments);
    va_end(arguments);
    length = strlen(trail);
    assert_true(length + 2 < sizeof trail);
    strcpy(trail + length, " ");
}

uint64_t roll(struct dice *dice, uint64_t limit)
{
    uint64_t number = weft__random(&dice->state);
    return limit != 0 ? number % limit : 0;
}

bool chance(struct dice *dice, unsigned one_in)
{
    return roll(dice, one_in) == 0;
}

int64_t between(struct dice *dice, int64_t low, int64_t high)
{
    return low + (int64_t)roll(dice, (uint64_t)(high - low + 1));
}

/* ---- schedules ------------------------------------------------------------------------------ */

struct schedule schedule;

/* Small seeds are spread, so that neighbours (a torture's) do not repeat each other's schedules. */
uint64_t model_first_seed(void)
{
    uint64_t seed = check_seed();
    return seed < UINT64_C(1) << 32 ? seed << 32 : seed;
}

void model_begin(const char *model, uint64_t seed)
{
    schedule = (struct schedule){.model = model, .seed = seed};
}

void model_disagrees(const char *condition, const char *file, int line)
{
    print_error("the %s and its model disagree after %" PRIu64 " steps of WEFT_SEED=%" PRIu64
                ": %s\n",
                schedule.model, schedule.steps, schedule.seed, condition);
    _fail(file, line);
}
