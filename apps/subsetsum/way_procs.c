/* In a process of a pool: this program, once more, as `weft subsetsum worker` (worker.c). */
#include "subsetsum/finding.h"
#include <stdio.h>

static struct finding *finding_of(struct weft_job *job)
{
    return weft_owner(job, struct finding, by_.process.job);
}

static bool found(struct weft_job *job, uint32_t kind, struct weft_text lines)
{
    return kind != FINDING_LINES || finding_of(job)->on_lines(finding_of(job), lines);
}

static void over(struct weft_op *op, struct weft_op *child)
{
    struct finding *finding = weft_owner(op, struct finding, op);
    snprintf(finding->why, sizeof finding->why, "%s", finding->by_.process.job.why);
    weft_job_free(&finding->by_.process.job);
    weft_finish(op, child->status);
}

static void begin(struct finding *finding)
{
    struct weft_job *job = &finding->by_.process.job;
    const struct errand errand = {.problem = finding->problem, .part = 0, .parts = 1};
    job->input = finding->by_.process.text;
    job->input_size = errand_write(&errand, finding->by_.process.text);
    job->on_event = found;
    weft_job(&finding->op, job, &finding->finders->procs, over);
}

static void resume(struct finding *finding)
{
    weft_job_resume(&finding->by_.process.job);
}

static int open_pool(struct finders *finders, struct weft_op *op)
{
    static const char *const args[] = {"/proc/self/exe", "subsetsum", "worker", NULL};
    finders->procs = (struct weft_procs){.args = args,
                                         .max = (unsigned)finders->workers,
                                         .limit = (size_t)finders->waiting,
                                         .beat_ms = FINDING_BEAT_MS,
                                         .nice = FINDING_NICE};
    weft_procs(op, &finders->procs, NULL);
    return 0;
}

const struct finding_way finding_procs = {.open = open_pool, .begin = begin, .resume = resume};
