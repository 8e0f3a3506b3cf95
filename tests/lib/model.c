/* Jobs and the trail. */
#include "model.h"
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
    model_tell("job %d ends with %d", job->id, status);
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
    model_tell("job %d is cancelled with %d", job->id, reason);
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
    model_tell("job %d begins", job->id);
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

void job_follow(struct job *job, const struct job *plan, size_t number)
{
    job->ms = plan->ms;
    job->linger_ms = plan->linger_ms;
    job->status = plan->status;
    job->id = (int)number;
}

void job_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    job_of(op)->reported++;
    jobs.reported++;
}

/* ---- the trail ------------------------------------------------------------------------------ */

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
