/* weft/hook.h: see asynchronous work as it happens.
 *
 * Everything asynchronous is a resource. A request is one task with one callback: an op. A handle is
 * a long-lived thing that calls back any number of times or never: a loop, a listener, a stream and
 * its connection, a queue, a ticker, a promise, a parser. Each has an id that never repeats in the
 * process, a type and a group (struct weft_site), and a parent. A hook is told of its life:
 *
 *     init ───► pre ─► its callback ─► post ───► destroy
 *               └── requests: once ────┘
 *               └── handles: 0 to N ───┘
 *
 *     static void begun(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
 *                       uint64_t parent, void *resource)
 *     {
 *         printf("%s under %" PRIu64 "\n", site->type, parent);
 *     }
 *     struct weft_hook hook = {.init = begun, .groups = WEFT_NET | WEFT_DNS};
 *     weft_hook_enable(loop, &hook);
 *
 * The parent of an op is the op it was begun under; that of a connection is its listener; that of
 * anything else is whatever was running. Which callback began it is another question: in init,
 * weft_current_id() answers it.
 *
 * Branches. What is begun while a hook is enabled is captured by it, and so is all that is begun
 * under something captured, also after the hook was disabled. A branch can be cut off.
 *
 * Costs. Nothing is allocated for an event. With no hook enabled on a loop two tests an op remain.
 * A library built with WEFT_NO_HOOKS has none: enabling answers UV_ENOTSUP, and weft_current() is
 * NULL.
 *
 * In a hook's function. Look, do not touch: the resource is half made or half gone. Ops may be begun
 * there under the loop's root; no hook sees them, nor what is begun under them or in their then, and
 * so on. (A bare timer or a post is not seen either, but what its callback begins is.) An error raised
 * there (weft_throw) ends the process at once, with a stack; functions given to atexit run. With
 * WEFT_ABORT in the environment it ends by abort() instead and leaves a core file. */
#ifndef WEFT_HOOK_H
#define WEFT_HOOK_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_HOOKS = 8 /* at most so many on one loop */ };

/* A function as pre gets it: to be compared, or to be looked up; not to be called. */
typedef void weft_entry_fn(void);

/* Write function's name into name, which has room for size bytes, with a NUL, cut if need be; returns
 * name. As the linker knows it, also of a static function; of one without a name (a stripped program)
 * module+0xoffset, which addr2line takes, or its address. NULL: "none". size 0: nothing is written.
 * From any thread, also in a hook's function, not in a signal handler. It reads the symbol table anew
 * each time, ten microseconds in a small program: ask once for a function. */
WEFT_API const char *weft_function_name(weft_entry_fn *function, char *name, size_t size);

struct weft_hook {
    /* Each may be NULL.
     * init: resource is the struct weft_op of an op, or whatever its maker gave for another handle.
     *     Its fields are not all set yet. */
    void (*init)(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource);
    /* entry: the function about to run. NULL: an op with no then; the library answers for it. */
    void (*pre)(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry);
    /* outcome: 0, or the error that escaped from the callback and went to the loop's on_uncaught. */
    void (*post)(struct weft_hook *hook, uint64_t id, int outcome);
    /* The last one for this id. */
    void (*destroy)(struct weft_hook *hook, uint64_t id);
    unsigned groups; /* which it is told of: a mask of enum weft_group; 0: all */
    void *context;   /* yours */
    struct weft_loop *loop_;
    uint32_t bit_;
};

/* Capture what is begun on loop from now on, and tell of loop itself, once. A hook is on one loop at
 * a time; its storage is borrowed until weft_hook_remove or weft_loop_close. UV_EBUSY: it is on
 * another loop. UV_ENOSPC: WEFT_HOOKS others are. UV_ENOTSUP: the library has no hooks. */
WEFT_API int weft_hook_enable(struct weft_loop *loop, struct weft_hook *hook);
/* The same until the current callback returns to the loop, however it does; called outside of the
 * loop, until that runs. What it has captured stays captured. Of loop itself it does not tell. */
WEFT_API int weft_hook_scope(struct weft_loop *loop, struct weft_hook *hook);
/* Capture no new roots. What is captured goes on, and what that begins is captured too. */
WEFT_API void weft_hook_disable(struct weft_hook *hook);
/* No more of this branch: nothing is told any more of op and all below it, neither of what runs now
 * nor of what is begun later, whether the hook is enabled or not. A bare timer or a post belongs to the
 * op that started it as long as that runs. There is no destroy of them either: forget what you keep by
 * their ids. */
WEFT_API void weft_hook_cut(struct weft_hook *hook, struct weft_op *op);
/* Nothing is told any more, and the storage is yours. Enabled again, it starts anew: what it had
 * captured before is not. Safe on one that was never enabled. */
WEFT_API void weft_hook_remove(struct weft_hook *hook);

/* ---- who is who ----------------------------------------------------------------------------- */

/* op's id. It is given now if it has none: what was begun while no hook was enabled has no id until
 * somebody asks, or something that is seen is begun under it. 0: op is not running (one that has
 * finished keeps the id it has, and gets none), or there is no memory for one. */
WEFT_API uint64_t weft_id(struct weft_op *op);

/* The resource whose callback runs now on this thread, and its parent. In a connection's callback
 * that is the connection, and its parent the listener. Of a callback that nobody watches, the op
 * it runs for: weft_id(weft_current()). In the function of a weft_work, on a thread of the pool: the
 * work, if it had an id when it was begun (a hook sees it, or somebody has asked), and the op it was
 * begun under; otherwise 0, since no thread but the loop's can give ids. In a loop that runs inside
 * such a function: as in any loop. 0: none runs. */
WEFT_API uint64_t weft_current_id(void);
WEFT_API uint64_t weft_trigger_id(void);

/* The op on whose behalf code runs now on this thread: in a begin its op, in a then the parent, on a
 * thread of a pool that of the weft_work or weft_thread_job, to ask for its context and nothing else.
 * NULL: no callback of a loop is running, or the library has no hooks. */
WEFT_API struct weft_op *weft_current(void);

enum weft_resource_state {
    WEFT_INCOMPLETE, /* being made or being taken down: in an init or a destroy */
    WEFT_OPEN
};

struct weft_resource {
    uint64_t id, parent;
    const struct weft_site *site; /* its type, its group, where it was begun */
    enum weft_resource_state state;
    uint32_t age_ms;
    /* As in init, borrowed. NULL: on another thread than its loop's, or an op whose then runs. */
    void *resource;
};

/* Look a resource up by its id, on any thread and at any time, also when it is long gone: ids are
 * not used twice. 0, or UV_ENOENT: it is over, or never had that id. In init it is incomplete: ask
 * on the next tick to see the whole. What was begun while no hook was enabled is found once it has
 * an id (weft_id). */
WEFT_API int weft_resource_by_id(uint64_t id, struct weft_resource *found);

/* The name of the lowest group in a mask: "net". Static storage. */
WEFT_API const char *weft_group_name(unsigned groups);

/* The types of resource that the libraries make, with the group of each, for filters and help texts.
 * An op that is begun with weft_run and its like has the name of its begin for a type, and is in the
 * group WEFT_USER. */
struct weft_subsystem {
    const char *type;
    unsigned group; /* with WEFT_HANDLE if it is a handle */
};
WEFT_API const struct weft_subsystem *weft_subsystems(size_t *count);

/* ---- for those who make resources ----------------------------------------------------------- */

/* An op is a resource by itself. If it is a long-lived thing, say so in its site (WEFT_HANDLE), and
 * put these around the calls it makes to functions of the user's, other than its then:
 *
 *     struct weft_frame frame;
 *     weft_enter(&frame, &ticker->op, (weft_entry_fn *)ticker->tick);
 *     ticker->tick(&ticker->op);
 *     weft_leave(&frame);
 *
 * frame is on the stack. The op may be over and its storage gone when it is left. */
struct weft_slot;
struct weft_frame {
    struct weft_frame *outer_;
    struct weft_loop *loop_, *outer_loop_;
    struct weft_op *op_, *acting_, *outer_current_;
    const struct weft_site *site_;
    struct weft_slot *slot_;
    weft_entry_fn *entry_;
    uint64_t id_, since_ns_;
    uint32_t seen_;
    int status_, thrown_;
    bool over_;
};
WEFT_API void weft_enter(struct weft_frame *frame, struct weft_op *op, weft_entry_fn *entry);
WEFT_API void weft_leave(struct weft_frame *frame);

/* A handle that is no op: put one into your struct, zeroed. It costs one test while no hook is
 * enabled, and is seen if it is opened while one is. A pooled thing is closed when it goes back into
 * the pool and opened again, with a new id, when it comes out. */
struct weft_handle {
    uint64_t id_;
    struct weft_op *branch_;
    const struct weft_site *site_;
};
/* Is somebody looking, so that what is opened or begun now in op's branch may be seen? For those who
 * would have to do more than open a handle. */
static inline bool weft_watched(const struct weft_op *op)
{
    return ((op->loop_->watch_ | op->flags_) & 0x00ff0000U) != 0;
}
/* Is handle seen? If not there is no need to enter it. */
static inline bool weft_handle_seen(const struct weft_handle *handle)
{
    return handle->id_ != 0;
}
/* branch: a running op that outlives the handle, to whose branch it belongs. parent: the id of its
 * originator; 0: branch. resource: what hooks and weft_resource_by_id show. */
#define weft_handle_open(branch, handle, parent, type, group, resource)                            \
    weft_handle_open_at(WEFT_HERE(type, (group) | WEFT_HANDLE), branch, handle, parent, resource)
WEFT_API void weft_handle_open_seen(const struct weft_site *site, struct weft_op *branch,
                                    struct weft_handle *handle, uint64_t parent, void *resource);
static inline void weft_handle_open_at(const struct weft_site *site, struct weft_op *branch,
                                       struct weft_handle *handle, uint64_t parent, void *resource)
{
    handle->id_ = 0;
    handle->branch_ = branch;
    handle->site_ = site;
    if (weft_watched(branch))
        weft_handle_open_seen(site, branch, handle, parent, resource);
}
/* Safe on one that is not open. */
WEFT_API void weft_handle_close(struct weft_handle *handle);
WEFT_API void weft_handle_enter(struct weft_frame *frame, struct weft_handle *handle,
                                weft_entry_fn *entry);

/* ---- errors that escape --------------------------------------------------------------------- */

/* The callback that runs now has failed in a way that it has nobody to tell of: no status, no then.
 * If the loop has an on_uncaught, that is called at once, and post will get err (the first one of a
 * callback); the callback goes on and should return soon. Otherwise, or if on_uncaught throws itself,
 * the process ends here: weft_on_fatal's function gets the text with the place of the throw and the
 * chain of ops, and exit(EXIT_FAILURE) follows; or abort(), if WEFT_ABORT is in the environment. post
 * is not told. On a thread where no loop runs it is always the end: by exit(EXIT_FAILURE) there, too, but
 * in the function of a weft_work (which has a status for this) by abort(), since exit waits for the
 * threads of the pool. err is negative; text may be NULL, and is not copied. */
#define weft_throw(err, text) weft_throw_at(WEFT_HERE("throw", WEFT_USER), err, text)
WEFT_API void weft_throw_at(const struct weft_site *site, int err, const char *text);

#ifdef __cplusplus
}
#endif
#endif
