/* A hop: one visit of an operation to libuv's thread pool and back. See hop.c. */
#ifndef WEFT_IO_HOP_H
#define WEFT_IO_HOP_H

#include "core/op.h"
#include <stdatomic.h>

struct weft_hop;

/* What hops of one kind do. Static storage. */
struct hop_kind {
    size_t size;  /* of the block that begins with a struct weft_hop */
    int paths;    /* how many it needs: 1 or 2 */
    bool awaited; /* changes something: a cancel waits for the thread */
    /* On a pool thread: do it and return the status. Touches nothing but the hop and, if awaited,
     * what the op's inputs point to. */
    int (*work)(struct weft_hop *hop);
    /* On the loop's thread, if the status is 0: move the results into op. NULL: there are none. */
    void (*give)(struct weft_hop *hop, struct weft_op *op);
    /* On the loop's thread, last of all: free what was not given. NULL: there is nothing. */
    void (*drop)(struct weft_hop *hop);
};

/* Every struct that hops begins with these two. */
struct hopper {
    struct weft_op op;
    struct weft_hop *hop_;
};
#define HOPPER(type)                                                                               \
    _Static_assert(offsetof(struct type, op) == 0 &&                                               \
                       offsetof(struct type, hop_) == offsetof(struct hopper, hop_),               \
                   #type " must begin with an op and its hop")

struct weft_hop {
    uv_work_t request;
    const struct hop_kind *kind;
    struct weft_loop *loop;
    struct weft_op *op; /* NULL: detached, nobody wants the result any more */
    uint64_t id;        /* op's, if it has one: for the recorder */
    int status;         /* what work returned */
    atomic_bool stop;   /* work may look at it and give up with UV_ECANCELED */
    const char *path, *second;
};

/* A block for op's hop, with copies of the paths behind it. NULL: op has been finished with the
 * reason, because it was cancelled already, with UV_EINVAL, because a path is missing, or with
 * UV_ENOMEM. */
struct weft_hop *weft__hop_make(struct weft_op *op, const struct hop_kind *kind, const char *path,
                                const char *second);
/* Send it off. From here on it sees to it that op finishes. */
void weft__hop_go(struct weft_hop *hop);

/* For work that takes long: has a cancel come? */
static inline bool hop_stopped(struct weft_hop *hop)
{
    return atomic_load_explicit(&hop->stop, memory_order_relaxed);
}

#endif
