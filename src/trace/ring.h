/* The recorder's memory, shared by those who fill it (ring.c, record.c) and who read it (story.c). */
#ifndef WEFT_TRACE_RING_H
#define WEFT_TRACE_RING_H

#include "brackets.h"

enum event_kind {
    EVENT_INIT,
    EVENT_PRE,
    EVENT_POST,
    EVENT_DESTROY,
    EVENT_WORK,
    EVENT_WORKED,
    EVENT_UNQUEUED,
    EVENT_AWAITS
};

/* All pointers in it are to what never goes: sites and functions. */
struct event {
    uint64_t time_ns, id;
    union {
        const struct weft_site *site; /* of an init */
        weft_entry_fn *entry;         /* of a pre, of work */
    } what;
    union {
        uint64_t parent; /* of an init */
        uint64_t other;  /* of an unqueued: the queue; of an awaits: the promise */
        int64_t status;  /* of a pre: how the op ended; of a post: what was thrown */
    } more;
    uint32_t thread;
    uint32_t kind;
};
_Static_assert(sizeof(struct event) <= 40, "an event is small");

/* Belongs to one loop, or to one thread of the pool, or to nobody. */
struct weft_ring {
    struct weft_hook hook;  /* of the loop */
    struct weft_loop *loop; /* NULL: a pool thread's, or nobody's */
    const char *owner;      /* the thread that writes; NULL: nobody's */
    uint64_t recording;     /* which one the owner writes for */
    struct event *events;   /* NULL: there was no memory */
    size_t size, next;      /* of events; where the next one goes */
    uint64_t count;         /* of all that were put in, also the forgotten ones */
    uint32_t thread;        /* the owner, as the system numbers it */
    atomic_bool writing;    /* the owner is in an event now */
} __attribute__((aligned(128)));

/* What is the same for all rings of a recording. Changed under the lock. */
struct weft_recording {
    struct weft_ring *rings; /* WEFT_TRACE_RINGS of them */
    size_t size;             /* of a ring, in events */
    struct event *spare;     /* for the first ring that needs one */
    uint64_t began_ns, ended_ns;
    _Atomic uint64_t lost; /* events of threads that have no ring */
    uint32_t unrecorded;   /* loops that have none */
    uint32_t pid;
};
extern struct weft_recording weft__tape;

void weft__trace_lock(void);
void weft__trace_unlock(void);

/* ---- ring.c: with the lock held --------------------------------------------------------------- */

/* Memory for a ring of so many events; NULL: there is none. */
struct event *weft__ring_events(size_t size);
/* A ring for loop, and its hook on it. may_lose: without memory, too; what it would hold is lost. */
int weft__ring_attach(struct weft_loop *loop, bool may_lose);
/* The ring of a loop; NULL: it has none. */
struct weft_ring *weft__ring_of(const struct weft_loop *loop);
/* Nobody's from now on. Its events stay until the recording ends. */
void weft__ring_release(struct weft_ring *ring);
/* After weft__recording is 0: until no thread is inside an event. */
void weft__rings_settle(void);
/* Free what rings hold. No loop is looked at: one that nobody has closed may be gone. */
void weft__rings_empty(void);
/* Take the hooks off the loops of this thread, which are all there. */
void weft__rings_detach(void);
/* In a forked child: the other threads are not here. */
void weft__rings_forked(void);

/* How many events of a ring are there, how many were forgotten, and the one after i others. */
static inline uint64_t ring_lost(const struct weft_ring *ring)
{
    return ring->events == NULL ? ring->count
                                : (ring->count > ring->size ? ring->count - ring->size : 0);
}
static inline size_t ring_kept(const struct weft_ring *ring)
{
    return (size_t)(ring->count - ring_lost(ring));
}
static inline const struct event *ring_at(const struct weft_ring *ring, size_t i)
{
    size_t oldest = ring->count > ring->size ? ring->next : 0;
    size_t at = oldest + i;
    return &ring->events[at < ring->size ? at : at - ring->size];
}

#endif
