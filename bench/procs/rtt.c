/* The round trip of a tiny job: from weft_job to its then, one at a time, with one worker. Beside
 * it: two processes that pass the same 32 bytes to and fro over a socketpair, with blocking
 * calls. */
#include "../bench.h"
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft.h>

static void serve(struct weft_worker_job *job, void *context)
{
    (void)context;
    weft_worker_end(job, job->data, job->size);
}

/* ---- ours ------------------------------------------------------------------------------------- */

static struct weft_procs procs;
static struct weft_job job;
static struct weft_acquire hold;
static size_t left;
static uint64_t number, from, took;

static void job_over(struct weft_op *op, struct weft_op *child)
{
    bench_check(child->status == 0 && job.result.size == sizeof number &&
                    memcmp(job.result.data, &number, sizeof number) == 0,
                "a job failed");
    if (--left == 0) {
        took = uv_hrtime() - from;
        weft_procs_close(&procs);
        return;
    }
    number++;
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
    static const char *const args[] = {"/proc/self/exe", NULL};
    struct weft_op op = {0};
    procs = (struct weft_procs){.args = args, .max = 1};
    job = (struct weft_job){.input = &number, .input_size = sizeof number};
    hold = (struct weft_acquire){0};
    left = count;
    bench_check(weft_go(&op, ours_begin) == 0, "it failed");
    return took;
}

/* ---- theirs ----------------------------------------------------------------------------------- */

enum { BYTES = 32 };

static void whole(int fd, char *data, ssize_t (*pass)(int, void *, size_t))
{
    for (size_t at = 0; at < BYTES;) {
        ssize_t done = pass(fd, data + at, BYTES - at);
        if (done <= 0)
            exit(0);
        at += (size_t)done;
    }
}

static ssize_t send_it(int fd, void *data, size_t size)
{
    return send(fd, data, size, MSG_NOSIGNAL);
}

static ssize_t receive_it(int fd, void *data, size_t size)
{
    return recv(fd, data, size, 0);
}

static uint64_t theirs(size_t count)
{
    int ends[2];
    char data[BYTES] = "ping";
    bench_check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no sockets");
    pid_t other = fork();
    if (other == 0) {
        close(ends[0]);
        for (;;) {
            whole(ends[1], data, receive_it);
            whole(ends[1], data, send_it);
        }
    }
    close(ends[1]);
    whole(ends[0], data, send_it);
    whole(ends[0], data, receive_it);
    uint64_t begin = uv_hrtime();
    for (size_t i = 0; i < count; i++) {
        whole(ends[0], data, send_it);
        whole(ends[0], data, receive_it);
    }
    uint64_t time = uv_hrtime() - begin;
    close(ends[0]);
    waitpid(other, NULL, 0);
    return time;
}

int main(void)
{
    if (weft_worker_run(serve, NULL) != UV_ENOTCONN)
        return 0;
    bench_compare("procs/rtt", "socketpair", ours, theirs, 20000);
    return 0;
}
