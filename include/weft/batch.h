/* weft/batch.h: requests that ask for the same thing at the same time share one load.
 *
 * The first one to ask for a key starts a load; whoever asks for the same key while that is under way
 * joins it, and all are told together. Nothing is kept afterwards: see weft/cache.h for that. The
 * faster the load, the fewer will join it.
 *
 *     struct total { struct weft_flight flight; … what the scan needs … };
 *
 *     static void total_begin(struct weft_op *op)         // once, however many ask
 *     {
 *         struct total *total = weft_owner(op, struct total, flight.promise.op);
 *         … scan for total->flight.key …
 *     }
 *     static void scanned(struct weft_op *op, struct weft_op *scan)
 *     {
 *         …
 *         weft_flight_answer(&total->flight, &sum, sizeof sum);
 *     }
 *     …
 *     struct weft_batch batch = {.owner = app, .load = total_begin,
 *                                .flight_size = WEFT_FLIGHT(struct total, flight)};
 *     weft_batch_open(&batch);
 *     weft_batch_ask(op, &request->ask, &batch, key, total_there);    // ask.value
 *
 * A load runs under the owner, with the context (weft/context.h) of the one that started it, or if that
 * has none, the owner's. When the last one who waits for it is cancelled, so is the load, and who asks
 * after that starts another; others are not disturbed by one who leaves. A load may ask for other keys,
 * also of the same batch. Keys and values are bytes, of any kind. All of it belongs to the loop's thread:
 * a load that works on another one (weft/work.h) answers in the work's then. */
#ifndef WEFT_BATCH_H
#define WEFT_BATCH_H

#include "hook.h"
#include "promise.h"
#include "text.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a value -------------------------------------------------------------------------------- */

/* An answer: bytes that do not change, shared and counted. Where a struct has a cell it is lent; to
 * have the bytes for longer hold it, and drop it when they are not needed any more. On the loop's
 * thread. Holding and dropping NULL is allowed. */
struct weft_cell;
WEFT_API struct weft_cell *weft_cell_hold(struct weft_cell *cell);
WEFT_API void weft_cell_drop(struct weft_cell *cell);
WEFT_API struct weft_text weft_cell_key(const struct weft_cell *cell);
/* Aligned as memory from malloc is. Both have a NUL behind that their size does not count. */
WEFT_API struct weft_text weft_cell_value(const struct weft_cell *cell);

/* ---- a load --------------------------------------------------------------------------------- */

struct weft_batch;

enum { WEFT_BATCH_LIMIT = 1024, WEFT_KEY_MAX = 64 * 1024 };

/* One load that is under way. To have more for each, embed it as the first member of a struct of your
 * own and set flight_size to WEFT_FLIGHT of that: it is zeroed for each load. It is the library's, and
 * gone when the load is over and the then of the last one who waited has returned. What was written
 * beside it, for flight_size is less, is seen when it answers or is over: rule 1. */
struct weft_flight {
    struct weft_promise promise; /* promise.op is what your load begins and ends */
    struct weft_text key;        /* a copy, with a NUL behind */
    struct weft_batch *batch;
    struct weft_cell *cell; /* read only: the answer, once there is one */
    uint64_t ttl_ms; /* set by your load: how long a cache keeps this answer; 0: as it does */
    struct weft_deadline deadline_;
    struct weft_flight *next_, **link_, *to_search_;
    const struct weft_op *starter_;
    uint64_t hash_, searched_;
    unsigned holders_;
    bool forgotten_, over_, nested_, rescued_;
};

/* The flight_size for a struct with this member of type struct weft_flight: its size, and the compiler
 * checks that the member is the first one. */
#ifdef __cplusplus
#define WEFT_FLIGHT(type, member)                                                                  \
    (1 ? sizeof(type) : sizeof(char[offsetof(type, member) == 0 ? 1 : -1]))
#else
#define WEFT_FLIGHT(type, member)                                                                  \
    (1 ? sizeof(type) : sizeof(struct {                                                            \
        _Static_assert(offsetof(type, member) == 0, "the flight is not the first member");         \
        _Static_assert(_Generic(((type *)0)->member, struct weft_flight : 1, default : 0),         \
                       "the member is no struct weft_flight");                                     \
        char one_;                                                                                 \
    }))
#endif

/* Was the key forgotten since this load began? Then its answer is for those who wait, and old. When the
 * load is over also: was it cancelled, and has an answer all the same? There may be a newer one. */
static inline bool weft_flight_forgotten(const struct weft_flight *flight)
{
    return flight->forgotten_;
}

/* The answer, copied; data may be NULL if size is 0. Ends the load with 0, or with UV_ENOMEM or UV_EFBIG
 * (4 GiB); for a load that found nothing wrong, also if the answer is empty. The first one counts: when
 * the load has ended or was decided before, nothing happens. One that failed ends by weft_finish or
 * weft_end with its error. One that ends with 0 and no answer has failed, too, with WEFT_ENOANSWER, or if
 * it was cancelled, with the reason. */
WEFT_API void weft_flight_answer(struct weft_flight *flight, const void *data, size_t size);
/* The same without the end: the answer is kept until the op ends by itself, or is set again. 0 or those
 * errors, which leave what was set before. */
WEFT_API int weft_flight_set(struct weft_flight *flight, const void *data, size_t size);

/* ---- a batch -------------------------------------------------------------------------------- */

/* Filled in by you; zero what is not named here, and open it. */
struct weft_batch {
    struct weft_op *owner; /* the loads' parent; runs when this is opened, until it is closed */
    weft_begin_fn *load;   /* the begin of flight->promise.op; may answer at once */
    size_t flight_size;    /* of the struct around weft_flight: WEFT_FLIGHT; 0: there is none */
    size_t limit;          /* so many loads at a time; 0: WEFT_BATCH_LIMIT, which open puts here */
    uint64_t load_ms;      /* a load that takes longer is cancelled with UV_ETIMEDOUT; 0: none is */

    size_t running; /* read only: loads under way, also those that were cancelled and linger */
    /* read only, not reset by open: loads begun; asks that joined one; loads that failed, or were
     * cancelled */
    uint64_t loads, joined, errors;

    /* For weft/cache.h: told when a load is over, before anybody who waits. */
    void (*over_)(struct weft_batch *batch, struct weft_flight *flight);
    struct weft_flight **table_;
    size_t mask_, alive_;
    uint64_t seed_;
    struct weft_handle handle_;
    const struct weft_site *site_;
};

/* UV_EINVAL: batch is NULL, there is no owner or no load, flight_size is too small or above 1 MiB, or it
 * is open. UV_ENOMEM. Rule 2: the owner does not run. To hooks a batch is a handle. */
#define weft_batch_open(batch)                                                                     \
    weft_batch_open_at(WEFT_HERE("batch", WEFT_CACHE | WEFT_HANDLE),                               \
                       WEFT_HERE("batch load", WEFT_CACHE), batch)
WEFT_API int weft_batch_open_at(const struct weft_site *site, const struct weft_site *load_site,
                                struct weft_batch *batch);
/* UV_EBUSY: loads are under way, or somebody who waits for one was not told yet, which lasts until that
 * then has returned. Otherwise 0, and the storage is yours. Closing twice is allowed.
 * How to close: let all who ask run below the owner, too. When that is over, so are they and the loads,
 * and this is 0: in the owner's then, or after weft_go. Cancel the owner to get there. */
WEFT_API WEFT_MUST_USE int weft_batch_close(struct weft_batch *batch);

/* Ask for key, which is copied before this returns; weft_batch_ask_begin copies ask->key. then runs on a
 * later turn, always, and may use the storage again. On success value and cell are there until it
 * returns (see weft_cell_hold), otherwise they are empty and NULL. An error reaches all who wait.
 * UV_ENOBUFS: limit loads are under way and this would be another one. UV_EINVAL: the batch is NULL or
 * not open. UV_ENAMETOOLONG: a key of more than WEFT_KEY_MAX bytes. UV_ENOMEM. When the owner was
 * cancelled, its reason. WEFT_ECYCLE: the load of key asks for key, itself or through the loads of other
 * keys that it waits for; it would wait for itself for ever. (That is seen as far as asks are children
 * of the loads they are for; through a promise between them it is not: see load_ms.) */
struct weft_batch_ask {
    struct weft_await await;
    struct weft_batch *batch;
    struct weft_text key;
    struct weft_text value; /* read only, like all below */
    struct weft_cell *cell;
    uint64_t ttl_ms; /* what the load has set; 0: nothing */
    bool joined;     /* it found a load under way */
    weft_then_fn *then_;
};
#define weft_batch_ask(parent, ask, batch, key, then)                                              \
    weft_batch_ask_at(WEFT_HERE("batch_ask", WEFT_CACHE), parent, ask, batch, key, then)
WEFT_API void weft_batch_ask_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_batch_ask *ask, struct weft_batch *batch,
                                struct weft_text key, weft_then_fn *then);
WEFT_API void weft_batch_ask_begin(struct weft_op *op);

/* Who asks for this key from now on starts a new load; who waits already is told by the old one. Nothing
 * happens if there is none, or the batch is not open. */
WEFT_API void weft_batch_forget(struct weft_batch *batch, struct weft_text key);
/* The same for all keys that begin with these bytes; the empty prefix: for all. */
WEFT_API void weft_batch_forget_prefix(struct weft_batch *batch, struct weft_text prefix);

#ifdef __cplusplus
}
#endif
#endif
