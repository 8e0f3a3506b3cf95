/* The hop: one visit to the thread pool.
 *
 *     begin ──► make ──► go ═══► thread: work ═══► back ──► give ──► finish ──► drop
 *                         │                         │
 *                         │ cancel, detaching:      └ op gone: drop
 *                         └ op finishes at once, the block goes on alone
 *
 * The pool's thread touches the block, and the block is on the heap: that is what lets an op end
 * before its thread does. uv_cancel takes back what no thread has begun; what one has begun cannot
 * be stopped, so a cancel has two forms.
 *   - A hop that only looks is detached: the op finishes at once with the reason, its storage is the
 *     caller's again, and the block counts in loop->detached_ until it comes back and frees itself
 *     and its results. The loop does not close before.
 *   - A hop that changes something is awaited: nobody may be told "cancelled" of a file that is
 *     written all the same. It is marked, so that long work can stop where it has a good place to,
 *     and the op ends when the thread is done, with what has really become of it.
 *
 * Who owns the block: the hop itself, from go to the end of back. The op points at it only to be
 * able to cancel it; hop_ is NULL whenever there is none. The paths are part of the same block. */
#include "hop.h"
#include "trace/brackets.h"
#include "weft/alloc.h"
#include <string.h>

static struct hopper *hopper_of(struct weft_op *op)
{
    return weft_owner(op, struct hopper, op);
}

static void free_hop(struct weft_hop *hop)
{
    if (hop->kind->drop != NULL)
        hop->kind->drop(hop);
    weft_free(hop);
}

static bool usable(const char *path)
{
    return path != NULL && path[0] != '\0';
}

struct weft_hop *weft__hop_make(struct weft_op *op, const struct hop_kind *kind, const char *path,
                                const char *second)
{
    hopper_of(op)->hop_ = NULL;
    if (weft_cancelled(op) != 0) {
        weft_finish(op, weft_cancelled(op));
        return NULL;
    }
    if (!usable(path) || (kind->paths == 2 && !usable(second))) {
        weft_finish(op, UV_EINVAL);
        return NULL;
    }
    size_t length = strlen(path) + 1;
    size_t second_length = kind->paths == 2 ? strlen(second) + 1 : 0;
    struct weft_hop *hop = weft_calloc(1, kind->size + length + second_length);
    if (hop == NULL) {
        weft_finish(op, UV_ENOMEM);
        return NULL;
    }
    char *paths = (char *)hop + kind->size;
    hop->path = memcpy(paths, path, length);
    if (kind->paths == 2)
        hop->second = memcpy(paths + length, second, second_length);
    hop->kind = kind;
    hop->loop = op->loop_;
    hop->op = op;
    hop->id = op->flags_ & OP_NAMED ? op->id_ : 0;
    return hop;
}

static void there(uv_work_t *request)
{
    struct weft_hop *hop = weft_owner(request, struct weft_hop, request);
    if (likely(!trace_on() || hop->id == 0)) {
        hop->status = hop->kind->work(hop);
        return;
    }
    weft__trace_work(hop->id, (weft_entry_fn *)hop->kind->work);
    hop->status = hop->kind->work(hop);
    weft__trace_worked(hop->id);
}

static void back(uv_work_t *request, int err)
{
    struct weft_hop *hop = weft_owner(request, struct weft_hop, request);
    struct weft_op *op = hop->op;
    if (op == NULL) {
        hop->loop->detached_--;
        free_hop(hop);
        return;
    }
    int status = err != 0 ? err : hop->status;
    if (status == UV_ECANCELED && weft_cancelled(op) != 0)
        status = weft_cancelled(op);
    if (status == 0 && hop->kind->give != NULL)
        hop->kind->give(hop, op);
    hopper_of(op)->hop_ = NULL;
    free_hop(hop);
    weft_finish(op, status);
}

static void hop_cancel(struct weft_op *op, int reason)
{
    struct weft_hop *hop = hopper_of(op)->hop_;
    atomic_store_explicit(&hop->stop, true, memory_order_relaxed);
    uv_cancel((uv_req_t *)&hop->request); /* back comes later in either case */
    if (hop->kind->awaited)
        return;
    hopper_of(op)->hop_ = NULL;
    hop->op = NULL;
    hop->loop->detached_++;
    weft_finish(op, reason);
}

void weft__hop_go(struct weft_hop *hop)
{
    struct weft_op *op = hop->op;
    int err = uv_queue_work(hop->loop->uv, &hop->request, there, back);
    if (err != 0) {
        free_hop(hop);
        weft_finish(op, err);
        return;
    }
    hopper_of(op)->hop_ = hop;
    weft_on_cancel(op, hop_cancel);
}
