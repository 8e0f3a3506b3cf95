/* weft/op.h: the operation, the one idea everything else is made of.
 *
 * Everything asynchronous is a struct weft_op, embedded in a struct of your own. It is begun under
 * a parent, it finishes exactly once with a status, and then its `then` runs. What it produced are
 * typed fields of the struct around it.
 *
 *     struct page { struct weft_op op; struct weft_file_read file; };
 *
 *     static void page_read(struct weft_op *op, struct weft_op *file)    // then of the read
 *     {
 *         weft_finish(op, file->status);
 *     }
 *     static void page_begin(struct weft_op *op)
 *     {
 *         weft_file_read(op, &weft_owner(op, struct page, op)->file, "index.html", page_read);
 *     }
 *
 * The contract. Each rule is checked in release builds too; one that is broken ends the process
 * with a text that names it, the operation, where that was begun and the chain above it.
 *
 *   1. Storage. The library borrows an op from weft_run until its `then` starts. Then it is yours
 *      again: reuse it or free it, there and then. It is zeroed before its first run.
 *   2. Once. An op finishes exactly once, and not while a child of it runs. A parent outlives its
 *      children. A status is 0 or negative.
 *   3. Fresh stack. `then` is never called from inside weft_run, weft_finish or anything else you
 *      call: it comes from the loop's ready queue. Any order of ready ops is legal.
 *   4. One path. Starting an op returns nothing: every failure arrives in `then`.
 *   5. Cancel is idempotent, sticky, reaches nested and waiting ops, and may lose. A time-out is a
 *      cancel with UV_ETIMEDOUT. Incomplete work never looks complete.
 *   6. No allocation in op, flow and queue.
 *   7. One thread. A loop and its ops belong to one thread; only weft_post crosses.
 *   8. No silent loss. An error that nobody handles, and a broken rule, end in weft_on_fatal's
 *      function; nothing else in the library prints or exits.
 *   9. Everything can be seen. Every op carries its parent and the place where it was begun. */
#ifndef WEFT_OP_H
#define WEFT_OP_H

#include "error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_op;
struct weft_loop;
struct weft_lane;
struct weft_lazy;

/* Starts op's work. It may finish op at once. */
typedef void weft_begin_fn(struct weft_op *op);
/* Told once that op, a child of parent, is over: op->status says how. Owns op's storage. */
typedef void weft_then_fn(struct weft_op *parent, struct weft_op *op);
/* Asked to stop op's own work: finishes op now, or later when that has let go of the storage. */
typedef void weft_cancel_fn(struct weft_op *op, int reason);

/* What an operation is part of; a bit mask, so that observers can choose. */
enum weft_group {
    WEFT_USER = 1 << 0,
    WEFT_FLOW = 1 << 1,
    WEFT_QUEUE = 1 << 2,
    WEFT_TIMER = 1 << 3,
    WEFT_FS = 1 << 4,
    WEFT_DNS = 1 << 5,
    WEFT_NET = 1 << 6,
    WEFT_PROCESS = 1 << 7,
    WEFT_SIGNAL = 1 << 8,
    WEFT_HTTP = 1 << 9,
    WEFT_PROMISE = 1 << 10,
    WEFT_THREAD = 1 << 11,
    WEFT_CACHE = 1 << 12,
    WEFT_LOOP = 1 << 13,
    WEFT_HANDLE = 1 << 30 /* no group: a long-lived thing, not a request; see weft/hook.h */
};

/* A place in the source where operations are begun, and what they are. Static storage. */
struct weft_site {
    const char *file, *func, *type;
    int line;
    unsigned group;
};

/* The place where this macro stands. type is a string literal. */
#define WEFT_HERE(type, group)                                                                     \
    (__extension__({                                                                               \
        static const struct weft_site weft_site_ = {__FILE__, __func__, type, __LINE__, group};    \
        &weft_site_;                                                                               \
    }))

/* 128 bytes: two cache lines. Zero it before its first run; {0} will do. */
struct weft_op {
    int status; /* read only: how it ended; valid from then on */
    int reason_;
    uint32_t flags_, running_, state_, since_ms_;
    struct weft_loop *loop_;
    struct weft_op *parent; /* read only: whose child it is; outlives this op */
    weft_then_fn *then_;
    union weft_op_entry {
        weft_begin_fn *begin, *idle;
        weft_cancel_fn *cancel;
    } entry_;
    struct weft_op *child_, *sibling_, **sibling_link_, *wait_, **wait_link_;
    union weft_op_place {
        struct weft_lane *lane;
        size_t index;
        weft_then_fn *then;
        struct weft_lazy *lazy;
    } place_;
    const struct weft_site *site_;
    uint64_t id_;   /* for weft/hook.h and weft/context.h; */
    void *context_; /* neither is touched while nobody uses them */
};

/* The struct around an embedded member. Nested members work: weft_owner(op, struct job, each.op).
 * The compiler checks that p has the member's type. */
#define weft_owner(p, type, member)                                                                \
    ((type *)(void *)((char *)(1 ? (p) : &((type *)0)->member) - offsetof(type, member)))

/* Begin op under parent, which is running.
 *   begin  does the work; its last act may be to call another begin for the same op. NULL: there is
 *          nothing to start, somebody calls weft_finish later.
 *   then   runs exactly once, whatever happens; it is also the place to free. NULL: success needs
 *          no answer, an error ends the parent (weft_end): start the children with no then, call
 *          weft_join, and the parent ends as they do. Under the root, where there is nothing to
 *          end, an error without a then is nobody's: rule 8, unless op was cancelled.
 * begin runs now, or from the ready queue when 32 begins are on the stack already. Under a parent
 * that was cancelled begin is not called, and then gets the reason. */
#define weft_run(parent, op, begin, then)                                                          \
    weft_run_at(WEFT_HERE(#begin, WEFT_USER), parent, op, begin, then)
WEFT_API void weft_run_at(const struct weft_site *site, struct weft_op *parent, struct weft_op *op,
                          weft_begin_fn *begin, weft_then_fn *then);

/* For providers: the same, but begin runs now however deep the stack is. What is begun in a row
 * (two writes to one stream) stays in that order, and what a starter promises holds when it returns
 * (a listener is bound). begin must call no function of the user's: that could nest without end. */
WEFT_API void weft_run_now_at(const struct weft_site *site, struct weft_op *parent,
                              struct weft_op *op, weft_begin_fn *begin, weft_then_fn *then);

/* Three ways to finish. */

/* A leaf is done. Rule 2 is broken if a child of op still runs. */
WEFT_API void weft_finish(struct weft_op *op, int status);

/* Finish when the last child has reported; with no child, now. The status is 0, or the reason if
 * op was cancelled. Children may still be added until then. Not for an op with work of its own
 * under way (see weft_on_cancel), nor in a step, a body or a starter for the op of its flow, which
 * goes on by itself when its children are over: rule 2. */
WEFT_API void weft_join(struct weft_op *op);

/* The outcome is decided: cancel, with UV_ECANCELED, what still runs (the children, and work of its
 * own), await it, finish with status. The first call stands; later ones are ignored, also when op
 * has finished but not reported yet; not once its then has run (rule 2), where weft_cancel still has
 * no effect. An op that was cancelled before and ends with 0 reports the cancel's reason
 * instead (rule 5). */
WEFT_API void weft_end(struct weft_op *op, int status);

/* A then for those who only pass on how it went: op was what parent is about, so parent ends with
 * its status. A parent that waits for more (it was joined, or it is a series and has steps to go on
 * with) is ended by an error only. Under the root it is the same as no then. */
WEFT_API void weft_pass(struct weft_op *parent, struct weft_op *op);
/* A then for what may end as it likes: nobody is told, also not of an error. */
WEFT_API void weft_ignore(struct weft_op *parent, struct weft_op *op);

/* Ask op and everything below it to stop, with a negative reason. It comes back in `then`, at the
 * earliest on the next turn. No effect on an op that has finished, was cancelled before, or is not
 * running. Walks without recursion: the tree may be a million deep. */
WEFT_API void weft_cancel(struct weft_op *op, int reason);

/* For an op with work of its own (a timer, a request, a thread): how to stop that work. fn is
 * called at most once, by a cancel or by weft_end, and at once when the cancel came before this
 * call. It sees to it that op finishes, now or later: by weft_finish, or by weft_join if children
 * may still run. NULL takes it back. An op that only waits for its children needs none: they are
 * reached anyway. One that waits for somebody's weft_finish has nothing to undo: weft_finish itself
 * is a fitting fn. */
WEFT_API void weft_on_cancel(struct weft_op *op, weft_cancel_fn *fn);

/* The reason op was cancelled with, or 0. A loop in a `then` must look: under a cancelled parent
 * every op is refused, and 10,000 refusals of the same storage break rule 5. */
static inline int weft_cancelled(const struct weft_op *op)
{
    return op->reason_;
}

/* How many children of op have not reported yet. */
static inline unsigned weft_running(const struct weft_op *op)
{
    return op->running_;
}

/* The loop op was begun on. */
static inline struct weft_loop *weft_loop_of(const struct weft_op *op)
{
    return op->loop_;
}

/* For an index: none. */
#define WEFT_NONE SIZE_MAX

/* Of a slot in a collection (weft/each.h): which item it holds, from 0. Also the number of a task in
 * a graph, of a way in a try_each, of a runner's place in a race. */
static inline size_t weft_index(const struct weft_op *slot)
{
    return slot->place_.index;
}

/* Deferral.
 *
 * weft_tick: then runs on the next turn of the ready queue, before the loop looks for I/O.
 * weft_immediate: then runs after the I/O that is pending now has been looked at. A chain of these
 * leaves I/O and timers their turn, one link a loop iteration. */
#define weft_tick(parent, op, then)                                                                \
    weft_run_at(WEFT_HERE("tick", WEFT_USER), parent, op, weft_tick_begin, then)
WEFT_API void weft_tick_begin(struct weft_op *op);

#define weft_immediate(parent, op, then)                                                           \
    weft_run_at(WEFT_HERE("immediate", WEFT_USER), parent, op, weft_immediate_begin, then)
WEFT_API void weft_immediate_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
