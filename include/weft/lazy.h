/* weft/lazy.h: a component that initialises asynchronously, used as if it were there already.
 *
 * A database has to be connected before it can be asked. Rather than have everybody check, or wait
 * for an event, calls go through a lazy: before the component is ready it keeps them, as commands, in
 * a line; when it is, they are begun in their order; from then on a call costs one indirect call and
 * goes straight through.
 *
 *     struct db { struct weft_lazy lazy; … };
 *
 *     db->lazy = (struct weft_lazy){.owner = app, .begin = db_connect};
 *     weft_lazy_open(&db->lazy);
 *     …
 *     weft_lazy_run(op, &query->op, &db->lazy, query_begin, found);   // used as weft_run is
 *
 *        not initialised ──init or a call──► initialising ──0──► ready: straight through
 *               ▲                                 │
 *               └──────── an error: all who wait get it ─────┘
 */
#ifndef WEFT_LAZY_H
#define WEFT_LAZY_H

#include "hook.h"
#include "promise.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_lazy;
typedef void weft_lazy_run_fn(const struct weft_site *site, struct weft_op *parent,
                              struct weft_op *op, weft_begin_fn *begin, weft_then_fn *then,
                              struct weft_lazy *lazy);

enum { WEFT_LAZY_LIMIT = 1024 };

/* Filled in by you; zero what is not named here, and open it. */
struct weft_lazy {
    struct weft_op *owner; /* the initialisation's parent; runs when this is opened, outlives it */
    weft_begin_fn *begin;  /* initialises the component: the begin of promise.op, so weft_owner(op,
                              struct db, lazy.promise.op) leads to yours */
    size_t limit;          /* so many calls may wait; 0: WEFT_LAZY_LIMIT */
    uint64_t wait_ms;      /* so long may each of them; 0, or more than 49 days: as it takes */
    bool by_hand;          /* a call does not start the initialisation: only weft_lazy_init does */

    bool initialized; /* read only: true from the moment it succeeded, before anybody is told */
    size_t waiting;   /* read only: calls in line */
    struct weft_promise promise;
    weft_lazy_run_fn *run_;
    struct weft_op *calls_, **calls_tail_;
    struct weft_timer timer_;
    struct weft_handle handle_;
    const struct weft_site *begin_site_;
    bool open_, inside_;
    bool was_opened_; /* to ask run_ is an instruction more */
};

/* UV_EINVAL: there is no owner or no begin, or it is open. Rule 2: the owner does not run. To hooks a
 * lazy is a handle. */
#define weft_lazy_open(lazy)                                                                       \
    weft_lazy_open_at(WEFT_HERE("lazy", WEFT_FLOW | WEFT_HANDLE),                                  \
                      WEFT_HERE("lazy start", WEFT_FLOW), lazy)
WEFT_API int weft_lazy_open_at(const struct weft_site *site, const struct weft_site *begin_site,
                               struct weft_lazy *lazy);

/* weft_run through the gate: see there for the arguments. Before the component is ready the call
 * waits, in line; its then gets what the initialisation ended with if that failed, UV_ENOBUFS if limit
 * calls wait already, UV_ETIMEDOUT if it has waited for wait_ms, WEFT_ESTOPPED if the lazy is closed.
 * begin was not called then. If the owner was cancelled and nobody has initialised it, its reason; also
 * those who wait for that by hand get it, when somebody calls or asks after the cancel.
 * Cancel and deadline take a call out of line at once. A call that is made while those who waited are
 * being begun goes to the end of their line. A call has the context (weft/context.h) of its parent, also
 * if it has waited; the initialisation has the owner's. Once it is ready nothing is counted and nobody
 * waits: the call is a weft_run. Rule 2: a call below the initialisation itself, which would wait for
 * itself. (Two components that wait for each other are not seen: see wait_ms.) Rule 1: the lazy was not
 * opened. */
#define weft_lazy_run(parent, op, lazy, begin, then)                                               \
    weft_lazy_run_at(WEFT_HERE(#begin, WEFT_USER), parent, op, lazy, begin, then)
WEFT_API void weft_lazy_not_open(const struct weft_site *site, const struct weft_op *parent)
    __attribute__((noreturn, cold));
static inline void weft_lazy_run_at(const struct weft_site *site, struct weft_op *parent,
                                    struct weft_op *op, struct weft_lazy *lazy,
                                    weft_begin_fn *begin, weft_then_fn *then)
{
    if (__builtin_expect(!lazy->was_opened_, 0))
        weft_lazy_not_open(site, parent);
    lazy->run_(site, parent, op, begin, then, lazy);
}

/* Initialise, and be told when that is over: 0, or its error. However many ask, it is done once; who
 * asks when it is ready gets 0; who asks after a failure starts it again. It goes on when those who ask
 * are cancelled: the owner is the one to cancel it, or weft_lazy_close. WEFT_ESTOPPED: the lazy is
 * closed. UV_EINVAL: it is NULL. */
struct weft_lazy_init {
    struct weft_await await;
    struct weft_lazy *lazy;
};
#define weft_lazy_init(parent, init, lazy, then)                                                   \
    weft_lazy_init_at(WEFT_HERE("lazy_init", WEFT_FLOW), parent, init, lazy, then)
WEFT_API void weft_lazy_init_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_lazy_init *init, struct weft_lazy *lazy,
                                weft_then_fn *then);
WEFT_API void weft_lazy_init_begin(struct weft_op *op);

/* No more calls: those who wait get WEFT_ESTOPPED, an initialisation under way is cancelled with it.
 * UV_EBUSY: that has not let go yet, or somebody who awaits it was not told yet, or this was called by
 * the begin of one who waited; close it again then. Otherwise 0, and the storage is yours; so is the
 * component: undo it yourself if `initialized` says that there is one (a cancel may lose). Closing
 * twice is allowed, and what was never opened.
 * How to close: let all who call or wait run below the owner, too. When that is over, so are they, and
 * this is 0: in the owner's then, or after weft_go. */
WEFT_API WEFT_MUST_USE int weft_lazy_close(struct weft_lazy *lazy);

#ifdef __cplusplus
}
#endif
#endif
