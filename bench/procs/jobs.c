/* Tiny jobs a second: a number goes to one of two worker processes and comes back.
 *
 *     jobs ahead count      ahead: how many further jobs may lie in a worker's socket; 0: none
 *
 * As many jobs are under way as two workers can have, and as many again wait. The start of the
 * workers is not counted. */
#include "../bench.h"
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { WORKERS = 2 };

struct slot {
    struct weft_job job;
    uint64_t number;
};

static struct weft_procs procs;
static struct slot *slots;
static size_t slot_count, begun, ended, count;
static uint64_t sum, from, took;

static void serve(struct weft_worker_job *job, void *context)
{
    uint64_t number;
    (void)context;
    memcpy(&number, job->data, sizeof number);
    number++;
    weft_worker_end(job, &number, sizeof number);
}

static void slot_over(struct weft_op *op, struct weft_op *child);

static void begin_one(struct weft_op *op, struct slot *slot)
{
    slot->number = begun++;
    slot->job.input = &slot->number;
    slot->job.input_size = sizeof slot->number;
    weft_job(op, &slot->job, &procs, slot_over);
}

static void slot_over(struct weft_op *op, struct weft_op *child)
{
    struct slot *slot = weft_owner(child, struct slot, job.op);
    uint64_t answer;
    bench_check(child->status == 0 && slot->job.result.size == sizeof answer, "a job failed");
    memcpy(&answer, slot->job.result.data, sizeof answer);
    bench_check(answer == slot->number + 1, "a wrong answer");
    sum += answer;
    if (begun < count)
        begin_one(op, slot);
    if (++ended < count)
        return;
    took = uv_hrtime() - from;
    weft_procs_close(&procs);
}

/* Both are up: now it counts. */
static struct weft_acquire holds[WORKERS];
static unsigned held;

static void worker_up(struct weft_op *op, struct weft_op *child)
{
    bench_check(child->status == 0, "no worker");
    if (++held < WORKERS)
        return;
    for (int i = 0; i < WORKERS; i++)
        weft_worker_release(&holds[i]);
    from = uv_hrtime();
    for (size_t i = 0; i < slot_count && begun < count; i++)
        begin_one(op, &slots[i]);
}

static void bench_begin(struct weft_op *op)
{
    weft_procs(op, &procs, NULL);
    for (int i = 0; i < WORKERS; i++)
        weft_worker_acquire(op, &holds[i], &procs, worker_up);
    weft_join(op);
}

int main(int argc, char **argv)
{
    static const char *args[] = {"/proc/self/exe", NULL};
    struct weft_op op = {0};
    if (weft_worker_run(serve, NULL) != UV_ENOTCONN)
        return 0;
    bench_check(argc == 3, "usage: jobs ahead count");
    procs.args = args;
    procs.max = WORKERS;
    procs.ahead = (unsigned)atoi(argv[1]);
    count = strtoul(argv[2], NULL, 10);
    slot_count = ((size_t)procs.ahead + 1) * 2 * WORKERS;
    slots = calloc(slot_count, sizeof *slots);
    bench_check(slots != NULL, "no memory");
    bench_check(weft_go(&op, bench_begin) == 0 && ended == count, "it failed");
    bench_check(sum == (uint64_t)count * (count + 1) / 2, "not all were done");
    printf("%.0f\n", (double)count * 1e9 / (double)took);
    return 0;
}
