/* Small jobs on a pool of threads: jobs a second.
 *
 *     jobs weft|uv COUNT       each job pushed in the then of another, 64 under way
 *     jobs results|posts COUNT     numbers from a thread to the loop, COUNT of them
 *
 * weft: weft_thread_job on a pool of four threads. uv: uv_queue_work on libuv's four. The function adds
 * one number to another. results: a job sends numbers of 8 bytes with weft_thread_send. posts: a thread
 * of its own sends the same with uv_async_send and a list under a mutex, which is what one would write
 * on bare libuv, and without a limit. */
#include "../bench.h"
#include <string.h>
#include <weft.h>

enum { UNDER_WAY = 64, THREADS = 4 };

static uv_loop_t uv;
static struct weft_loop loop;
static size_t wanted, begun, done;
static uint64_t sum;

/* ---- jobs ----------------------------------------------------------------------------------- */

struct small {
    struct weft_thread_job job;
    uv_work_t request;
    uint64_t number;
};

static struct small small[UNDER_WAY];
static struct weft_threads pool = {.max = THREADS, .min = THREADS};

static int add(struct weft_thread_job *job)
{
    struct small *it = weft_owner(job, struct small, job);
    it->number += 3;
    return 0;
}

static void added(struct weft_op *root, struct weft_op *op)
{
    struct weft_thread_job *job = weft_owner(op, struct weft_thread_job, op);
    bench_check(op->status == 0, weft_strerror(op->status));
    done++;
    if (begun++ < wanted)
        weft_thread_job(root, job, &pool, add, added);
    else if (done == wanted)
        weft_threads_close(&pool);
}

static void jobs_by_weft(void)
{
    bench_check(weft_loop_init(&loop, &uv) == 0, "no loop");
    weft_threads_open(weft_root(&loop), &pool, NULL);
    for (begun = 0; begun < UNDER_WAY; begun++)
        weft_thread_job(weft_root(&loop), &small[begun].job, &pool, add, added);
    bench_check(weft_loop_run(&loop) == 0, "something is stuck");
}

static void add_there(uv_work_t *request)
{
    struct small *it = request->data;
    it->number += 3;
}

static void added_there(uv_work_t *request, int err)
{
    bench_check(err == 0, "a work failed");
    done++;
    if (begun++ < wanted)
        uv_queue_work(&uv, request, add_there, added_there);
}

static void jobs_by_uv(void)
{
    for (begun = 0; begun < UNDER_WAY; begun++) {
        small[begun].request.data = &small[begun];
        uv_queue_work(&uv, &small[begun].request, add_there, added_there);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
}

/* ---- results -------------------------------------------------------------------------------- */

static int send_numbers(struct weft_thread_job *job)
{
    int err = 0;
    for (uint64_t i = 0; i < wanted && err == 0; i++)
        err = weft_thread_send(job, &i, sizeof i);
    return err;
}

static bool take_number(struct weft_thread_job *job, struct weft_text result)
{
    uint64_t number;
    (void)job;
    memcpy(&number, result.data, sizeof number);
    sum += number;
    done++;
    return true;
}

static void results_by_weft(void)
{
    bench_check(weft_loop_init(&loop, &uv) == 0, "no loop");
    weft_threads_open(weft_root(&loop), &pool, NULL);
    small[0].job.on_result = take_number;
    weft_thread_job(weft_root(&loop), &small[0].job, &pool, send_numbers, NULL);
    weft_threads_close(&pool);
    bench_check(weft_loop_run(&loop) == 0, "something is stuck");
}

struct posted {
    struct posted *next;
    uint64_t number;
};

static uv_async_t async;
static uv_mutex_t lock;
static struct posted *first, **last = &first;

static void post_numbers(void *data)
{
    (void)data;
    for (uint64_t i = 0; i < wanted; i++) {
        struct posted *it = malloc(sizeof *it);
        bench_check(it != NULL, "no memory");
        *it = (struct posted){NULL, i};
        uv_mutex_lock(&lock);
        *last = it;
        last = &it->next;
        uv_mutex_unlock(&lock);
        uv_async_send(&async);
    }
}

static void take_posted(uv_async_t *handle)
{
    uv_mutex_lock(&lock);
    struct posted *it = first;
    first = NULL;
    last = &first;
    uv_mutex_unlock(&lock);
    while (it != NULL) {
        struct posted *next = it->next;
        sum += it->number;
        done++;
        free(it);
        it = next;
    }
    if (done == wanted)
        uv_close((uv_handle_t *)handle, NULL);
}

static void results_by_posts(void)
{
    uv_thread_t thread;
    uv_mutex_init(&lock);
    uv_async_init(&uv, &async, take_posted);
    bench_check(uv_thread_create(&thread, post_numbers, NULL) == 0, "no thread");
    uv_run(&uv, UV_RUN_DEFAULT);
    uv_thread_join(&thread);
}

int main(int argc, char **argv)
{
    bench_check(argc == 3, "usage: jobs weft|uv|results|posts COUNT");
    wanted = strtoul(argv[2], NULL, 10);
    bench_check(wanted >= UNDER_WAY, "a larger count");
    bench_check(uv_loop_init(&uv) == 0, "no loop");
    bool results = argv[1][0] == 'r' || argv[1][0] == 'p';
    uint64_t at = uv_hrtime();
    switch (argv[1][0]) {
    case 'w':
        jobs_by_weft();
        break;
    case 'u':
        jobs_by_uv();
        break;
    case 'r':
        results_by_weft();
        break;
    default:
        results_by_posts();
    }
    uint64_t took = uv_hrtime() - at;
    bench_check(done == wanted, "not all of them were done");
    bench_check(!results || sum == wanted * (wanted - 1) / 2, "the results are wrong");
    printf("%.0f\n", (double)done * 1e9 / (double)took);
    return 0;
}
