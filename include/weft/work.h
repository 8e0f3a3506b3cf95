/* weft/work.h: a function of yours on libuv's thread pool, as an operation.
 *
 *     struct packing {
 *         struct weft_work work;
 *         ... what goes in, what comes out ...
 *     };
 *
 *     static int pack(struct weft_work *work)           // on a thread of the pool
 *     {
 *         struct packing *packing = weft_owner(work, struct packing, work);
 *         ...
 *         return 0;
 *     }
 *     ...
 *     weft_work(op, &packing->work, pack, packed);
 *
 * For calls that block: a library without an asynchronous form, several system calls in one go. The
 * pool has few threads (four, unless UV_THREADPOOL_SIZE in the environment says more when the first
 * of them is needed), and files and names need them too: while all of them compute, no file is read.
 * What computes for long belongs on threads of its own: weft/threads.h.
 * A system call's error is returned as uv_translate_sys_error(errno). */
#ifndef WEFT_WORK_H
#define WEFT_WORK_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_work;
/* Runs on another thread. Between begin and then the struct around work is its own, but for what
 * the two threads agree on; it may start no op. Returns 0 or a negative status: that of the op. */
typedef int weft_work_fn(struct weft_work *work);

/* Works of one loop that share their visits to the pool. To wake a thread and to be woken by it costs
 * more than writing a small file: works of a crew that are begun while another one is there wait,
 * and go together, in their order, up to eight. A visit begins when there is none, or when eight wait;
 * at most four are under way: so few works are done by one thread, which leaves the others alone;
 * where there is much to do, or the disk is slow, several do it.
 * Zero it before its first use; it lives until the last of its works has reported. */
enum { WEFT_CREW_VISITS = 4, WEFT_CREW_WORKS = 8 };
struct weft_crew {
    unsigned visits; /* read only: under way */
    size_t waiting;  /* read only: works that wait for one */
    struct weft_work *first_, **tail_;
    struct weft_op tick_;
    bool ticking_;
};

/* A cancel is awaited. If no thread had begun it, function is not called and then gets the reason;
 * otherwise the status is the true one, and may be 0. Work that takes long looks at
 * weft_work_stopped now and then and returns UV_ECANCELED, which becomes the reason of the cancel.
 * UV_EINVAL: function is NULL. */
struct weft_work {
    struct weft_op op;
    weft_work_fn *function;
    struct weft_crew *crew; /* set it before the start; NULL: a visit of its own */
    uv_work_t request_;
    struct weft_work *next_, **link_; /* of those that wait, or that go together */
    void *context_;
    int status_;
    int stop_;
};
#define weft_work(parent, work, function, then)                                                    \
    weft_work_at(WEFT_HERE(#function, WEFT_THREAD), parent, work, function, then)
WEFT_API void weft_work_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_work *work, weft_work_fn *function, weft_then_fn *then);
WEFT_API void weft_work_begin(struct weft_op *op);

/* From function: has a cancel come? */
WEFT_API bool weft_work_stopped(const struct weft_work *work);

#ifdef __cplusplus
}
#endif
#endif
