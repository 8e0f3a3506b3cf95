/* In parts, by workers that are anywhere (worker.c): Redis has the line. A part that a worker did not
 * bring to its end is begun by another one, behind the lines that are recorded already. */
#include "subsetsum/finding.h"
#include <stdio.h>

static struct finding *finding_of(struct weft_jobs_run *run)
{
    return weft_owner(run, struct finding, by_.parts.run);
}

static int write_part(struct weft_jobs_run *run, size_t part, struct weft_text *payload)
{
    struct finding *finding = finding_of(run);
    char *text = finding->by_.parts.text;
    finding->by_.parts.errand.part = (unsigned)part;
    *payload = weft_text(text, errand_write(&finding->by_.parts.errand, text));
    return 0;
}

static bool found(struct weft_jobs_run *run, size_t part, struct weft_text lines)
{
    (void)part;
    return finding_of(run)->on_lines(finding_of(run), lines);
}

static void over(struct weft_op *op, struct weft_op *run)
{
    struct finding *finding = weft_owner(op, struct finding, op);
    snprintf(finding->why, sizeof finding->why, "%s", finding->by_.parts.run.why);
    weft_finish(op, run->status);
}

static void begin(struct finding *finding)
{
    struct weft_jobs_run *run = &finding->by_.parts.run;
    unsigned parts = (unsigned)finding->finders->parts;
    finding->by_.parts.errand = (struct errand){.problem = finding->problem, .parts = parts};
    run->jobs = &finding->finders->jobs;
    run->parts = parts;
    run->payload = write_part;
    run->on_result = found;
    weft_jobs_run(&finding->op, run, over);
}

static void resume(struct finding *finding)
{
    weft_jobs_resume(&finding->by_.parts.run);
}

static int open_line(struct finders *finders, struct weft_op *op)
{
    finders->jobs = (struct weft_jobs){.queue = finders->queue, .limit = (size_t)finders->waiting};
    finders->jobs.redis.url = finders->redis;
    weft_jobs(op, &finders->jobs, NULL);
    return 0;
}

const struct finding_way finding_redis = {.open = open_line, .begin = begin, .resume = resume};
