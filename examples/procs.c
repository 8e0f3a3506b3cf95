/* procs: work for processes of their own, two at a time; the third job waits.
 *
 * The program is its own worker: started again by the pool it finds a channel, and serves jobs. A
 * job is a range of numbers; the primes in it come back as events, while they are found, and their
 * count at the end. One of the jobs kills its worker. That is an error of this job and of no other:
 * the pool starts another worker, and the job that waited gets it. A job for which a second try
 * does no harm says so. */
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static bool is_prime(long number)
{
    long factor = 2;
    while (factor * factor <= number && number % factor != 0)
        factor++;
    return factor * factor > number && number > 1;
}

static void serve(struct weft_worker_job *job, void *context) /* in the worker */
{
    long range[2], count = 0;
    (void)context;
    memcpy(range, job->data, sizeof range);
    if (range[0] > range[1] && job->attempt == 1)
        abort();
    for (long i = range[0]; i < range[1] && !weft_worker_stopped(job); i++) {
        if (is_prime(i)) {
            weft_worker_emit(job, 0, &i, sizeof i);
            count++;
        }
    }
    weft_worker_end(job, &count, sizeof count);
}

enum { JOBS = 5, TEXT = 256 };
struct search {
    struct weft_job job;
    long range[2];
    char found[TEXT];
};
static struct search searches[JOBS] = {{.range = {0, 20}},
                                       {.range = {20, 40}},
                                       {.range = {2, 1}},
                                       {.range = {3, 2}, .job.retries = 1},
                                       {.range = {1000000, 1000060}}};
static struct weft_procs procs;
static unsigned left = JOBS;

static bool found(struct weft_job *job, uint32_t kind, struct weft_text data)
{
    struct search *search = weft_owner(job, struct search, job);
    size_t length = strlen(search->found);
    long number;
    (void)kind;
    memcpy(&number, data.data, sizeof number);
    snprintf(search->found + length, TEXT - length, " %ld", number);
    return true; /* false would hold the worker up until weft_job_resume */
}

static void searched(struct weft_op *op, struct weft_op *job)
{
    (void)op;
    (void)job;
    if (--left == 0)
        weft_procs_close(&procs);
}

static void search_all(struct weft_op *op)
{
    static const char *const args[] = {"/proc/self/exe", NULL};
    procs.args = args;
    procs.max = 2;
    weft_procs(op, &procs, NULL);
    for (int i = 0; i < JOBS; i++) {
        struct weft_job *job = &searches[i].job;
        job->input = searches[i].range;
        job->input_size = sizeof searches[i].range;
        job->on_event = found;
        weft_job(op, job, &procs, searched);
    }
    weft_join(op);
}

int main(void)
{
    struct weft_op op = {0};
    if (weft_worker_run(serve, NULL) != UV_ENOTCONN)
        return 0; /* this was a worker, and is not needed any more */
    int status = weft_go(&op, search_all);
    for (int i = 0; i < JOBS; i++) {
        const struct weft_job *job = &searches[i].job;
        printf("%ld to %ld:%s\n  %s, attempt %u%s%s\n", searches[i].range[0], searches[i].range[1],
               searches[i].found, weft_strerror(job->op.status), job->attempt,
               job->why[0] != '\0' ? ": " : "", job->why);
    }
    printf("workers that died: %d\n", (int)procs.died);
    return status != 0;
}
