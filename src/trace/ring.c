/* Rings: events as they happen.
 *
 * One thread writes into a ring: the one whose loop it belongs to, or a thread of the pool. It is
 * read when the recording ends, perhaps by another thread, perhaps while the first one is in the
 * middle of an event. The two agree as follows, without a lock:
 *
 *     the owner                              who ends the recording
 *     writing = true                         weft__recording = 0
 *     weft__recording is not ours? out       until writing is false: wait
 *     ... the event ...                      read, free
 *     writing = false
 *
 * Both sides write first and look then, in one order that both see: so the owner finds that it is
 * over, or the other one waits for it, which takes some nanoseconds.
 *
 * Only its owner sets `writing`, so a ring stays the owner's for as long as that might: a loop's
 * until it is closed, a pool thread's until that ends (libuv's never do). A recording that ends takes the events away, and the
 * hooks off the loops of its own thread; those on other threads' loops see that they write for a
 * recording that is over, and do nothing. A ring that a closed loop has left goes to the next one
 * that asks, with what is in it: so threads that come and go need no more memory than those that are
 * there at the same time. That is why an event knows its thread. */
#include "ring.h"
#include "core/observe.h"
#include "weft/alloc.h"
#include "weft/trace.h"
#include <sched.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Atomic uint64_t weft__recording;

static struct weft_ring rings[WEFT_TRACE_RINGS];
struct weft_recording weft__tape = {.rings = rings};

/* ---- an event ------------------------------------------------------------------------------- */

static inline bool enter(struct weft_ring *ring)
{
    atomic_exchange_explicit(&ring->writing, true, memory_order_seq_cst);
    if (likely(atomic_load_explicit(&weft__recording, memory_order_seq_cst) == ring->recording))
        return true;
    atomic_store_explicit(&ring->writing, false, memory_order_release);
    return false;
}

static inline void leave(struct weft_ring *ring)
{
    atomic_store_explicit(&ring->writing, false, memory_order_release);
}

/* When an event happens. Reading the clock is most of what an event costs; a destroy that follows
 * its resource's post at once has the same time. */
static inline uint64_t time_of(const struct weft_ring *ring, const struct event *event)
{
    if (event->kind == EVENT_DESTROY) {
        size_t at = ring->next != 0 ? ring->next - 1 : ring->size - 1;
        const struct event *last = &ring->events[at]; /* if there was none: see weft__ring_events */
        if (last->kind == EVENT_POST && last->id == event->id)
            return last->time_ns;
    }
    return uv_hrtime();
}

static inline void put(struct weft_ring *ring, struct event event)
{
    if (unlikely(!enter(ring)))
        return;
    ring->count++;
    if (likely(ring->events != NULL)) {
        event.time_ns = time_of(ring, &event);
        event.thread = ring->thread;
        ring->events[ring->next] = event;
        if (unlikely(++ring->next == ring->size))
            ring->next = 0;
    }
    leave(ring);
}

/* ---- of a loop ------------------------------------------------------------------------------ */

static void on_init(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                    uint64_t parent, void *resource)
{
    (void)resource;
    put(weft_owner(hook, struct weft_ring, hook),
        (struct event){.id = id, .what.site = site, .more.parent = parent, .kind = EVENT_INIT});
}

static void on_pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    int status = hook->loop_->frame_->status_;
    put(weft_owner(hook, struct weft_ring, hook),
        (struct event){.id = id, .what.entry = entry, .more.status = status, .kind = EVENT_PRE});
}

static void on_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    put(weft_owner(hook, struct weft_ring, hook),
        (struct event){.id = id, .more.status = outcome, .kind = EVENT_POST});
}

static void on_destroy(struct weft_hook *hook, uint64_t id)
{
    put(weft_owner(hook, struct weft_ring, hook), (struct event){.id = id, .kind = EVENT_DESTROY});
}

/* The ring is where its hook is: nobody has to be asked for it. */
static void put_of_loop(struct weft_loop *loop, struct event event)
{
    for (size_t i = 0; i < WEFT_HOOKS; i++) {
        struct weft_hook *hook = loop->observers_->hooks[i];
        if (hook != NULL && hook->init == on_init)
            put(weft_owner(hook, struct weft_ring, hook), event);
    }
}

void weft__trace_unqueued(struct weft_loop *loop, uint64_t id, uint64_t queue)
{
    put_of_loop(loop, (struct event){.id = id, .more.other = queue, .kind = EVENT_UNQUEUED});
}

void weft__trace_awaits(struct weft_loop *loop, uint64_t id, uint64_t promise)
{
    put_of_loop(loop, (struct event){.id = id, .more.other = promise, .kind = EVENT_AWAITS});
}

/* ---- who has which --------------------------------------------------------------------------- */

static uint32_t number_of_this_thread(void)
{
#ifdef __linux__
    return (uint32_t)syscall(SYS_gettid);
#else
    static atomic_uint threads;
    static _Thread_local uint32_t number;
    if (number == 0)
        number = atomic_fetch_add(&threads, 1) + 1;
    return number;
#endif
}

/* Nobody's, rather one that has its memory already; NULL: there is none. */
static struct weft_ring *find_free(void)
{
    struct weft_ring *found = NULL;
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        if (rings[i].owner == NULL && (found == NULL || rings[i].events != NULL))
            found = &rings[i];
        if (found != NULL && found->events != NULL)
            break;
    }
    return found;
}

/* Not zeroed: most programs fill a small part of a ring, and the system gives a page when it is written
 * to. Only the place before the first one is looked at before something was put there. */
struct event *weft__ring_events(size_t size)
{
    struct event *events = weft_alloc(size * sizeof *events);
    if (events != NULL)
        events[size - 1] = (struct event){.kind = EVENT_INIT};
    return events;
}

static bool get_memory(struct weft_ring *ring)
{
    ring->size = weft__tape.size;
    if (ring->events == NULL) {
        ring->events = weft__tape.spare;
        weft__tape.spare = NULL;
    }
    if (ring->events == NULL)
        ring->events = weft__ring_events(ring->size);
    return ring->events != NULL;
}

/* The calling thread's, for the recording that runs. */
static int own(struct weft_ring *ring, bool may_lose)
{
    if (!get_memory(ring) && !may_lose)
        return UV_ENOMEM;
    ring->recording = atomic_load(&weft__recording);
    ring->owner = &weft__thread;
    ring->thread = number_of_this_thread();
    return 0;
}

struct weft_ring *weft__ring_of(const struct weft_loop *loop)
{
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        if (rings[i].loop == loop)
            return &rings[i];
    }
    return NULL;
}

void weft__ring_release(struct weft_ring *ring)
{
    ring->hook = (struct weft_hook){0};
    ring->loop = NULL;
    ring->owner = NULL;
}

int weft__ring_attach(struct weft_loop *loop, bool may_lose)
{
    struct weft_ring *ring = weft__ring_of(loop);
    if (ring == NULL)
        ring = find_free();
    else if (ring->recording == atomic_load(&weft__recording))
        return 0;
    if (ring == NULL)
        return UV_ENOSPC;
    weft_hook_remove(&ring->hook); /* if it is there from an earlier recording */
    ring->hook =
        (struct weft_hook){.init = on_init, .pre = on_pre, .post = on_post, .destroy = on_destroy};
    ring->loop = loop;
    int err = own(ring, may_lose);
    if (err == 0)
        err = weft_hook_enable(loop, &ring->hook);
    if (err != 0)
        weft__ring_release(ring);
    return err;
}

/* ---- of a pool thread ----------------------------------------------------------------------- */

static _Thread_local struct weft_ring *pool_ring;

/* NULL: there is none left. */
static struct weft_ring *ring_of_this_thread(uint64_t recording)
{
    if (likely(pool_ring != NULL && pool_ring->recording == recording))
        return pool_ring;
    weft__trace_lock();
    if (atomic_load(&weft__recording) == recording) {
        if (pool_ring == NULL)
            pool_ring = find_free();
        if (pool_ring != NULL)
            own(pool_ring, true);
    }
    weft__trace_unlock();
    return pool_ring;
}

static void put_of_pool(struct event event)
{
    uint64_t recording = atomic_load(&weft__recording);
    if (recording == 0)
        return;
    struct weft_ring *ring = ring_of_this_thread(recording);
    if (ring != NULL)
        put(ring, event);
    else
        atomic_fetch_add_explicit(&weft__tape.lost, 1, memory_order_relaxed);
}

void weft__trace_work(uint64_t id, weft_entry_fn *entry)
{
    put_of_pool((struct event){.id = id, .what.entry = entry, .kind = EVENT_WORK});
}

void weft__trace_worked(uint64_t id)
{
    put_of_pool((struct event){.id = id, .kind = EVENT_WORKED});
}

void weft__trace_thread_over(void)
{
    if (likely(pool_ring == NULL))
        return;
    weft__trace_lock();
    pool_ring->owner = NULL; /* as a closed loop's: what is in it stays */
    weft__trace_unlock();
    pool_ring = NULL;
}

/* ---- the end of a recording ------------------------------------------------------------------ */

/* A thread that is here itself is in no event of its own, unless a signal came in the middle of one
 * and its handler ends the process. */
void weft__rings_settle(void)
{
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        while (rings[i].owner != &weft__thread &&
               atomic_load_explicit(&rings[i].writing, memory_order_seq_cst))
            sched_yield();
    }
}

void weft__rings_empty(void)
{
    weft_free(weft__tape.spare);
    weft__tape.spare = NULL;
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        struct weft_ring *ring = &rings[i];
        weft_free(ring->events);
        ring->events = NULL;
        ring->count = 0;
        ring->next = 0;
    }
}

void weft__rings_detach(void)
{
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        struct weft_ring *ring = &rings[i];
        if (ring->loop != NULL && ring->owner == &weft__thread) {
            weft_hook_remove(&ring->hook);
            weft__ring_release(ring);
        }
    }
}

/* Only this thread is here, and it is no longer one of the pool. What other threads had is nobody's,
 * and their loops are not looked at. The memory is freed when another recording begins. */
void weft__rings_forked(void)
{
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        if (rings[i].owner != &weft__thread || rings[i].loop == NULL)
            weft__ring_release(&rings[i]);
        atomic_store(&rings[i].writing, false);
    }
    pool_ring = NULL;
}
