/* weft/worker.h: the other side of weft/procs.h, for workers in C.
 *
 * Blocking calls, no loop, one thread: a function that is given one job after the other.
 *
 *     static void serve(struct weft_worker_job *job, void *context)
 *     {
 *         for (uint64_t i = 0; i < n && !weft_worker_stopped(job); i++) {
 *             if (...)
 *                 weft_worker_emit(job, MATCH, text, size);
 *         }
 *         weft_worker_end(job, total, size);
 *     }
 *
 *     int main(void)
 *     {
 *         return weft_worker_run(serve, NULL) == 0 ? 0 : 1;
 *     }
 *
 * Replies to tiny jobs are gathered and sent together when no further job is there yet. They are
 * not lost if the worker dies before that: they lie in memory that the pool reads then.
 *
 * What a worker starts itself does not inherit the channel, nor the variables that name it.
 *
 * A worker may also be a program that is started by hand: without the variable WEFT_WORKER_FD in
 * its environment, weft_worker_run says so. */
#ifndef WEFT_WORKER_H
#define WEFT_WORKER_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_worker_line; /* the library's */

struct weft_worker_job {
    const void *data; /* the input, until the function returns; not to be written to */
    size_t size;
    uint64_t id;      /* read only */
    uint32_t attempt; /* read only: 1 for the first */
    struct weft_worker_line *line_;
    bool over_, mapped_;
};

/* Does the job. One that returns without end or fail has ended with an empty result. */
typedef void weft_worker_fn(struct weft_worker_job *job, void *context);

/* Say that this worker is ready, and serve jobs until the channel ends: because the pool wants so,
 * or because it is gone. 0. UV_EINVAL: serve is NULL; UV_ENOTCONN: this process was not started by
 * a pool; UV_EPROTO: what came is no frame; UV_ENOMEM and what else the system says. Once in a
 * process. */
WEFT_API int weft_worker_run(weft_worker_fn *serve, void *context);

/* Something found on the way; kind and data are yours. It blocks while the pool does not read.
 * false: nobody wants it any more (the job was cancelled and is over for the pool, or the pool is
 * gone). Data of more than 64 KiB is copied into a memory that the pool maps. */
WEFT_API bool weft_worker_emit(struct weft_worker_job *job, uint32_t kind, const void *data,
                               size_t size);
/* It is done, and this is the result. Only the first end or fail of a job counts. */
WEFT_API void weft_worker_end(struct weft_worker_job *job, const void *data, size_t size);
/* It failed, and this is why. */
WEFT_API void weft_worker_fail(struct weft_worker_job *job, const char *text);

/* Was the job cancelled, or is the pool gone? Then stop, and return soon. It also answers when the
 * pool asks whether this worker still lives. It looks at the channel every few milliseconds, and
 * costs nanoseconds otherwise: call it as often as you like. */
WEFT_API bool weft_worker_stopped(struct weft_worker_job *job);

/* Wait for what weft_job_send sends, in its order. data is there until the next call, or until the
 * function returns. false: the job was cancelled, or the pool is gone. */
WEFT_API bool weft_worker_receive(struct weft_worker_job *job, uint32_t *kind, const void **data,
                                  size_t *size);

#ifdef __cplusplus
}
#endif
#endif
