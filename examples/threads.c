/* threads: a pool of one's own, and what its jobs find while they are still searching.
 *
 * Two threads count the primes in four ranges; the loop has the counts when all are back. Then one job
 * searches without end for twin primes and sends each pair to the loop, which prints it, and says when it
 * has seen enough: the thread hears of it and stops. */
#include <weft.h>

enum { RANGES = 4, RANGE = 100000, PAIRS = 5 };

struct range {
    struct weft_thread_job job;
    unsigned from, count;
};
static struct weft_op app, counting;
static struct weft_threads pool = {.max = 2, .name = "primes"};
static struct range ranges[RANGES], twins = {.from = 1000000};
static int pairs;

static bool is_prime(unsigned number)
{
    for (unsigned i = 2; i * i <= number; i++) {
        if (number % i == 0)
            return false;
    }
    return number > 1;
}

/* ---- on a thread: nothing here belongs to the loop ---- */

static int count_primes(struct weft_thread_job *job)
{
    struct range *range = weft_owner(job, struct range, job);
    for (unsigned i = range->from; i < range->from + RANGE && !weft_thread_stopped(job); i++)
        range->count += is_prime(i);
    return weft_thread_stopped(job) ? UV_ECANCELED : 0;
}

static int find_twins(struct weft_thread_job *job)
{
    int err = 0;
    for (unsigned i = weft_owner(job, struct range, job)->from; err == 0; i++) {
        if (is_prime(i) && is_prime(i + 2))
            err = weft_thread_send(job, &i, sizeof i); /* waits if the loop is slower */
    }
    return err; /* somebody has had enough */
}

/* ---- on the loop ---- */

static bool print_pair(struct weft_thread_job *job, struct weft_text result)
{
    unsigned first;
    memcpy(&first, result.data, sizeof first);
    printf("twins: %u and %u\n", first, first + 2);
    if (++pairs == PAIRS)
        weft_end(&job->op, 0);
    return true;
}

static void counted(struct weft_op *op, struct weft_op *all)
{
    for (int i = 0; all->status == 0 && i < RANGES; i++)
        printf("%u primes from %u on\n", ranges[i].count, ranges[i].from);
    twins.job.on_result = print_pair;
    weft_thread_job(op, &twins.job, &pool, find_twins, NULL);
    weft_threads_close(&pool); /* when the jobs are over, so is the pool, and with it the program */
}

static void count(struct weft_op *all)
{
    for (unsigned i = 0; i < RANGES; i++) {
        ranges[i].from = i * RANGE;
        weft_thread_job(all, &ranges[i].job, &pool, count_primes, NULL);
    }
    weft_join(all);
}

static void begin(struct weft_op *op)
{
    weft_threads_open(op, &pool, NULL);
    weft_run(op, &counting, count, counted);
    weft_join(op);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
