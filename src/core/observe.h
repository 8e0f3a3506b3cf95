/* The inside of hooks and context, shared by the files about them.
 *
 *     register.c   ids, and who has which
 *     hook.c       which hooks are on a loop; telling them
 *     observe.c    what an op's begin and end mean to them
 *     frame.c      the callbacks that run now: who is current, what was thrown
 *     handle.c     resources that are no ops
 *     context.c    values that follow the work */
#ifndef WEFT_CORE_OBSERVE_H
#define WEFT_CORE_OBSERVE_H

#include "op.h"
#include "weft/hook.h"
#include <stdatomic.h>

/* Bits of loop->watch_ beside those of the hooks that are enabled (OP_SEEN). */
enum {
    WATCH_TIME = 1 << 0,  /* note when each callback began */
    WATCH_HIDING = 1 << 1 /* no hook is enabled, but what is begun now is to be cut off */
};

struct weft_chunk;
struct weft_slot;

/* Of a loop: lives with its handles. Sets of hooks are in the bits of OP_SEEN. */
struct weft_observers {
    struct weft_hook *hooks[WEFT_HOOKS];
    uint32_t scoped; /* enabled for this callback only */
    uint32_t hidden; /* not told of what is begun now; TELLING: a hook's function runs */
    uint32_t told;   /* were told of the loop itself */
    bool catching;   /* on_uncaught runs */
    uint32_t loose;  /* so many slots are */
    struct weft_slot *free;
    struct weft_chunk *chunks;
};
#define TELLING 1U

/* What the loop is called; its root has no site. */
extern const struct weft_site weft__loop_site;
static inline const struct weft_site *site_of(const struct weft_op *op)
{
    return op->site_ != NULL ? op->site_ : &weft__loop_site;
}

/* ---- register.c ----------------------------------------------------------------------------- */

/* Who has an id. On the loop's thread slots are used directly; others see them as register.c tells,
 * so what they may read is atomic. */
struct weft_slot {
    _Atomic uint64_t id; /* 0: free, or changing */
    _Atomic uint64_t parent;
    _Atomic(const struct weft_site *) site;
    _Atomic(void *) resource;
    _Atomic uint32_t since_ms, state;
    uint32_t number;
    bool loose;          /* a timer, a post, a queue: it ends without a look at its op */
    uint32_t hooks;      /* that see it, unless it is an op, which has that in its flags */
    uint64_t branch;     /* of a loose one: the id of that op */
    uint32_t *seen;      /* where its set of hooks is: there, here, or in a frame */
    uint64_t generation; /* of its next use */
    struct weft_slot *next_free;
};
enum { SLOT_BITS = 24, CHUNK_BITS = 8, CHUNK_SLOTS = 1 << CHUNK_BITS };
enum { CHUNKS = 1 << (SLOT_BITS - CHUNK_BITS) };
#define LAST_GENERATION (((uint64_t)1 << (64 - SLOT_BITS)) - 1)

struct weft_chunk {
    struct weft_loop *loop;
    struct weft_chunk *next;
    struct weft_slot slots[CHUNK_SLOTS];
};
extern struct weft_chunk *weft__chunks[CHUNKS];
/* More free slots for loop: the first of them, still in the list. NULL: no memory, or no ids. */
struct weft_slot *weft__add_slots(struct weft_loop *loop);

#define SLOT_SET(field, value) atomic_store_explicit(&(field), value, memory_order_release)
#define SLOT_GET(field) atomic_load_explicit(&(field), memory_order_acquire)

/* Give a resource an id that was never used, and make it known under that. seen: where an op keeps
 * its set of hooks; NULL: in the slot. NULL: there is no memory for it. */
static inline struct weft_slot *slot_take(struct weft_loop *loop, const struct weft_site *site,
                                          uint64_t parent, void *resource, uint32_t *seen)
{
    struct weft_slot *slot = loop->observers_->free;
    if (unlikely(slot == NULL) && (slot = weft__add_slots(loop)) == NULL)
        return NULL;
    loop->observers_->free = slot->next_free;
    slot->seen = seen != NULL ? seen : &slot->hooks;
    slot->loose = false;
    SLOT_SET(slot->parent, parent);
    SLOT_SET(slot->site, site);
    SLOT_SET(slot->resource, resource);
    SLOT_SET(slot->since_ms, loop->now_ms_);
    SLOT_SET(slot->state, WEFT_INCOMPLETE);
    SLOT_SET(slot->id, slot->generation++ << SLOT_BITS | slot->number);
    return slot;
}

static inline void slot_give_back(struct weft_loop *loop, struct weft_slot *slot)
{
    SLOT_SET(slot->id, 0);
    slot->seen = NULL;
    if (unlikely(slot->generation > LAST_GENERATION))
        return;
    slot->next_free = loop->observers_->free;
    loop->observers_->free = slot;
}

/* The slot of an id that is in use on this thread's loop. */
static inline struct weft_slot *slot_of(uint64_t id)
{
    uint32_t number = (uint32_t)id & ((1U << SLOT_BITS) - 1);
    return &weft__chunks[number >> CHUNK_BITS]->slots[number & (CHUNK_SLOTS - 1)];
}

/* The slot of an id that may be of a loop that is gone: NULL. loop: whose it is. */
struct weft_slot *weft__slot_find(uint64_t id, struct weft_loop **loop);
/* Take hooks out of the sets of all there are. */
void weft__register_clear(struct weft_observers *observers, uint32_t hooks);
/* slot ends without a look at the op that it belongs to: a cut of that must find it. */
static inline void slot_loose(struct weft_loop *loop, struct weft_slot *slot, uint64_t branch)
{
    slot->loose = true;
    slot->branch = branch;
    loop->observers_->loose++;
}
/* Take a hook out of the loose ones of each op that is cut off from it. */
void weft__register_cut(const struct weft_observers *observers, uint32_t hook);
/* The loop ends, and with it the queues on it, which need not be closed. */
void weft__register_end_queues(struct weft_loop *loop);
void weft__register_close(struct weft_loop *loop);

/* ---- hook.c --------------------------------------------------------------------------------- */

/* The hooks that capture what is begun now under an op with these flags. */
static inline uint32_t hooks_capturing(const struct weft_loop *loop, uint32_t flags)
{
    uint32_t hidden = loop->observers_->hidden | (flags & OP_CUT) >> OP_CUT_SHIFT;
    return ((loop->watch_ | flags) & OP_SEEN) & ~hidden;
}
/* Change loop->watch_ (op.c). */
void weft__watch(struct weft_loop *loop, uint32_t watch);

/* From here on no hook sees what is begun; returns what hide_end needs. telling: TELLING, or 0. */
static inline uint32_t hide_begin(struct weft_loop *loop, uint32_t telling)
{
    uint32_t hidden = loop->observers_->hidden;
    loop->observers_->hidden = OP_SEEN | telling;
    if (unlikely(loop->watch_ == 0))
        weft__watch(loop, WATCH_HIDING);
    return hidden;
}
static inline void hide_end(struct weft_loop *loop, uint32_t hidden)
{
    loop->observers_->hidden = hidden;
    if (unlikely(loop->watch_ & WATCH_HIDING) && hidden == 0)
        weft__watch(loop, loop->watch_ & ~(uint32_t)WATCH_HIDING);
}
/* A callback is over, or a new one begins: what was scoped to the last one ends. */
void weft__scope_end(struct weft_loop *loop);
static inline void scope_end(struct weft_loop *loop)
{
    if (unlikely(loop->observers_->scoped != 0))
        weft__scope_end(loop);
}
/* The loop is closed: tell of its end, let go of the hooks. */
void weft__hooks_close(struct weft_loop *loop);

/* ---- handle.c: what is no op and has no room for a struct weft_handle -------------------------- */

/* It is begun by what runs now on loop. */
void weft__compact_open_seen(struct weft_loop *loop, const struct weft_site *site, uint64_t *id,
                             void *resource);
static inline void compact_open(struct weft_loop *loop, const struct weft_site *site, uint64_t *id,
                                void *resource)
{
    const struct weft_op *current = current_op(loop);
    uint32_t flags = current != NULL ? current->flags_ : 0;
    *id = 0;
    if (unlikely((loop_observed(loop) | flags) & OP_SEEN))
        weft__compact_open_seen(loop, site, id, resource);
}
/* Its one callback begins; it is over when that is left. */
void weft__compact_enter(struct weft_frame *frame, struct weft_loop *loop, uint64_t *id,
                         weft_entry_fn *entry);
/* It ends without. */
void weft__compact_close(struct weft_loop *loop, uint64_t *id);

/* ---- frame.c -------------------------------------------------------------------------------- */

/* The loop begins to call: what it returns is given back to loop_leave. */
static inline struct weft_loop *loop_enter(struct weft_loop *loop)
{
    struct weft_loop *outer = weft__loop;
    RULE(2, loop->frame_ == NULL, &loop->root,
         "a callback was entered and never left (weft_leave)");
    weft__loop = loop;
    scope_end(loop);
    return outer;
}
static inline void loop_leave(struct weft_loop *loop, struct weft_loop *outer)
{
    scope_end(loop);
    current_set(loop, NULL);
    weft__loop = outer;
}

/* A callback of the resource in slot (NULL: nobody watches it) begins on loop, which is running, on
 * behalf of current. flags: OP_SEEN counts. entry: the function; NULL: nobody knows. */
static inline void frame_push(struct weft_frame *frame, struct weft_loop *loop,
                              struct weft_op *current, struct weft_slot *slot, uint32_t flags,
                              const struct weft_site *site, weft_entry_fn *entry)
{
    frame->outer_ = loop->frame_;
    frame->loop_ = loop;
    frame->acting_ = current;
    frame->op_ = NULL;
    frame->outer_current_ = current_op(loop);
    frame->site_ = site;
    frame->slot_ = slot;
    frame->entry_ = entry;
    frame->id_ = slot != NULL ? atomic_load_explicit(&slot->id, memory_order_relaxed) : 0;
    frame->seen_ = flags & OP_SEEN;
    frame->status_ = 0;
    frame->thrown_ = 0;
    frame->over_ = false;
    if (unlikely(loop->watch_ & WATCH_TIME))
        frame->since_ns_ = uv_hrtime();
    current_set(loop, current);
    atomic_signal_fence(memory_order_release); /* a signal's handler may look */
    loop->frame_ = frame;
}

static inline void frame_pop(struct weft_frame *frame, struct weft_loop *loop)
{
    loop->frame_ = frame->outer_;
    atomic_signal_fence(memory_order_release);
    current_set(loop, frame->outer_current_);
}

/* A resource ends: now, or if a callback of it runs, after that. */
void weft__resource_over(struct weft_loop *loop, struct weft_slot *slot, uint32_t seen);
/* An error has escaped: true if the loop's on_uncaught took it. Not in a hook, nor in itself. */
bool weft__caught(struct weft_loop *loop, struct weft_op *op, int err, const char *text);
/* An error that was thrown and not caught: the end (report.c). */
__attribute__((noreturn, cold)) void weft__thrown(const struct weft_site *site,
                                                  const struct weft_op *op, int err,
                                                  const char *text);

/* ---- context.c ------------------------------------------------------------------------------ */

void weft__context_inherit(struct weft_op *op, const struct weft_op *parent);
/* op's, as it is now, for one that is no op: it does not change until that drops it. NULL: none. */
void *weft__context_hold(const struct weft_op *op);
/* op has this one, held before, from now on. */
void weft__context_give(struct weft_op *op, void *held);
void weft__context_drop(void *held);
/* On a thread that is no loop's: the work that runs there, with its context. */
struct weft_visit {
    struct weft_op *op;
    uint64_t id; /* 0: it has none */
    void *context;
};
extern _Thread_local struct weft_visit weft__visit __attribute__((tls_model("initial-exec")));

#endif
