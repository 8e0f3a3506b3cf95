/* Which way it goes, and how long it may take. */
#include "subsetsum/finding.h"
#include <string.h>

const char *const finding_mode_names[] = {"sync", "steps", "threads", "procs", "redis", NULL};

static const struct finding_way *const ways[FINDING_MODES] = {
    [FINDING_SYNC] = &finding_sync,       [FINDING_STEPS] = &finding_steps,
    [FINDING_THREADS] = &finding_threads, [FINDING_PROCS] = &finding_procs,
    [FINDING_REDIS] = &finding_redis,
};

int finders_open(struct finders *finders, struct weft_op *op)
{
    const struct finding_way *way = ways[finders->mode];
    return way->open != NULL ? way->open(finders, op) : 0;
}

void finding_begin(struct weft_op *op)
{
    struct finding *finding = weft_owner(op, struct finding, op);
    finding->why[0] = '\0';
    memset(&finding->by_, 0, sizeof finding->by_);
    weft_deadline(op, &finding->deadline_, finding->finders->time_ms);
    ways[finding->finders->mode]->begin(finding);
}

bool finding_enters_loop(struct finding *finding)
{
    if (finding->finders->on_loop >= finding->finders->waiting)
        return false;
    finding->finders->on_loop++;
    return true;
}

void finding_leaves_loop(struct finding *finding)
{
    finding->finders->on_loop--;
}

void finding_resume(struct finding *finding)
{
    ways[finding->finders->mode]->resume(finding);
}
