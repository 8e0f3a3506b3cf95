/* 64 MB to a worker, which reads all of it (it adds up its words), and its answer back; beside a
 * memcpy of 64 MB within one process, to memory that is there already, whose copy is read in the
 * same way. Both ways the bytes lie in memory before the time begins to count, and have been read
 * by whoever wants them when it ends.
 *
 *   procs/payload          they were built in place, in a weft_payload: nothing is copied
 *   procs/payload-copied   they lie somewhere else, and have to be copied into a memory first
 *
 * The reading is the same work on both sides; procs/payload-touched has it only touch each page,
 * against a memcpy alone. */
#include "../bench.h"
#include <string.h>
#include <weft.h>

enum { SIZE = 64 << 20, PAGE = 4096, TOUCH = 1 };

static uint64_t add_up(const void *data, size_t size)
{
    const uint64_t *words = data;
    uint64_t sum = 0;
    for (size_t i = 0; i < size / sizeof *words; i++)
        sum += words[i];
    return sum;
}

static uint64_t touch(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i += PAGE)
        sum += *(const volatile unsigned char *)(bytes + i);
    return sum;
}

static void serve(struct weft_worker_job *job, void *context)
{
    (void)context;
    uint64_t sum =
        getenv("TOUCH") != NULL ? touch(job->data, job->size) : add_up(job->data, job->size);
    weft_worker_end(job, &sum, sizeof sum);
}

/* ---- ours ------------------------------------------------------------------------------------- */

static struct weft_procs procs;
static struct weft_payload payload;
static struct weft_job job;
static struct weft_acquire hold;
static size_t left;
static uint64_t expected, from, took;
static bool copied, touched;
static char *source, *target;

static void job_over(struct weft_op *op, struct weft_op *child)
{
    uint64_t sum = 0;
    bench_check(child->status == 0 && job.result.size == sizeof sum, "a job failed");
    memcpy(&sum, job.result.data, sizeof sum);
    bench_check(sum == expected, "a wrong sum");
    if (--left == 0) {
        took = uv_hrtime() - from;
        weft_procs_close(&procs);
        return;
    }
    weft_job(op, &job, &procs, job_over);
}

static void worker_up(struct weft_op *op, struct weft_op *child)
{
    bench_check(child->status == 0, "no worker");
    weft_worker_release(&hold);
    from = uv_hrtime();
    weft_job(op, &job, &procs, job_over);
}

static void ours_begin(struct weft_op *op)
{
    weft_procs(op, &procs, NULL);
    weft_worker_acquire(op, &hold, &procs, worker_up);
    weft_join(op);
}

static uint64_t ours(size_t count)
{
    static const char *const args[] = {"/proc/self/exe", NULL}, *const env[] = {"TOUCH=1", NULL};
    struct weft_op op = {0};
    procs = (struct weft_procs){.args = args, .max = 1, .env = touched ? env : NULL};
    job = (struct weft_job){
        .payload = copied ? NULL : &payload, .input = copied ? source : NULL, .input_size = SIZE};
    hold = (struct weft_acquire){0};
    expected = touched ? touch(source, SIZE) : add_up(source, SIZE);
    left = count;
    bench_check(weft_go(&op, ours_begin) == 0, "it failed");
    return took;
}

/* ---- theirs ----------------------------------------------------------------------------------- */

static uint64_t theirs(size_t count)
{
    uint64_t begin = uv_hrtime();
    for (size_t i = 0; i < count; i++) {
        memcpy(target, source, SIZE);
        __asm__ volatile("" : : "r"(target) : "memory");
        if (!touched)
            bench_check(add_up(target, SIZE) == expected, "a wrong sum");
    }
    return uv_hrtime() - begin;
}

int main(void)
{
    if (weft_worker_run(serve, NULL) != UV_ENOTCONN)
        return 0;
    source = malloc(SIZE);
    target = malloc(SIZE);
    bench_check(source != NULL && target != NULL && weft_payload_open(&payload, SIZE) == 0,
                "no memory");
    for (size_t i = 0; i < SIZE; i++)
        source[i] = (char)(i * 31 + i / PAGE);
    memcpy(target, source, SIZE);
    memcpy(payload.data, source, SIZE);
    bench_compare("procs/payload", "memcpy", ours, theirs, 10);
    touched = true;
    bench_compare("procs/payload-touched", "memcpy", ours, theirs, 10);
    touched = false;
    copied = true;
    bench_compare("procs/payload-copied", "memcpy", ours, theirs, 5);
    return 0;
}
