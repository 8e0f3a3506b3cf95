/* Flights: loads that are under way, one for each key.
 *
 *     begin ──► under way ──promise settles──► over: the cache stores it, those who wait are told
 *                   │                            │
 *                   │ in the table: who asks     │ the last one who waited has looked: freed
 *                   │ finds it and joins
 *                   └── forgotten, or cancelled because nobody waits any more: out of the table
 *
 * A flight is a promise in a block of its own, with the key behind it. Those who wait are awaits of the
 * promise, so the last one to leave cancels the load, and all of them are told on a later turn; but an
 * await lets go when its then starts, and that then looks at the answer: so a flight counts those who
 * may still look, and is freed when it is over and there are none. */
#include "flight.h"
#include "flow/owner.h"
#include "flow/promise.h"
#include "hash.h"
#include "weft/alloc.h"

/* ---- the table ------------------------------------------------------------------------------ */

static void enlist(struct weft_batch *batch, struct weft_flight *flight)
{
    struct weft_flight **bucket = &batch->table_[flight->hash_ & batch->mask_];
    flight->next_ = *bucket;
    flight->link_ = bucket;
    if (flight->next_ != NULL)
        flight->next_->link_ = &flight->next_;
    *bucket = flight;
}

static void delist(struct weft_flight *flight)
{
    if (flight->link_ == NULL)
        return;
    *flight->link_ = flight->next_;
    if (flight->next_ != NULL)
        flight->next_->link_ = flight->link_;
    flight->link_ = NULL;
}

/* One that was cancelled is on its way out: nobody gets somebody else's cancel. */
struct weft_flight *weft__flight_find(const struct weft_batch *batch, struct weft_text key,
                                      uint64_t hash)
{
    struct weft_flight *flight = batch->table_[hash & batch->mask_];
    for (; flight != NULL; flight = flight->next_) {
        if (flight->hash_ == hash && weft_text_equal(flight->key, key) &&
            !promise_cancelled(&flight->promise))
            return flight;
    }
    return NULL;
}

void weft__flight_forget(struct weft_flight *flight)
{
    flight->forgotten_ = true;
    delist(flight);
}

void weft__flight_forget_key(const struct weft_batch *batch, struct weft_text key, uint64_t hash)
{
    struct weft_flight *flight = batch->table_[hash & batch->mask_], *next;
    for (; flight != NULL; flight = next) {
        next = flight->next_;
        if (flight->hash_ == hash && weft_text_equal(flight->key, key))
            weft__flight_forget(flight);
    }
}

/* ---- its block ------------------------------------------------------------------------------ */

/* A load that believes its struct to be larger than flight_size, or to begin before the flight, writes
 * beside it: into these, on both sides. They are not zero, so an op that is begun there is seen at once. */
static const char guard[] = "beside the struct weft_flight !";

static void check_guards(const struct weft_flight *flight)
{
    RULE(1,
         memcmp((const char *)flight - sizeof guard, guard, sizeof guard) == 0 &&
             memcmp(flight->key.data - sizeof guard, guard, sizeof guard) == 0,
         &flight->promise.op,
         "a load has written beside its flight; is flight_size WEFT_FLIGHT of its struct?");
}

/* guard, flight and what is around it, guard, key, NUL */
static struct weft_flight *make(const struct weft_batch *batch, struct weft_text key)
{
    _Static_assert(sizeof guard % 16 == 0, "the flight is aligned as the block is");
    size_t size = batch->flight_size != 0 ? batch->flight_size : sizeof(struct weft_flight);
    char *block = weft_calloc(1, sizeof guard + size + sizeof guard + key.size + 1);
    if (block == NULL)
        return NULL;
    struct weft_flight *flight = (struct weft_flight *)(void *)(block + sizeof guard);
    char *copy = block + sizeof guard + size + sizeof guard;
    memcpy(block, guard, sizeof guard);
    memcpy(copy - sizeof guard, guard, sizeof guard);
    if (key.size > 0)
        memcpy(copy, key.data, key.size);
    flight->key = weft_text(copy, key.size);
    return flight;
}

static void unmake(struct weft_flight *flight)
{
    weft_free((char *)flight - sizeof guard);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void free_if_done(struct weft_flight *flight)
{
    if (!flight->over_ || flight->holders_ != 0)
        return;
    flight->batch->alive_--;
    weft_cell_drop(flight->cell);
    unmake(flight);
}

static void over(struct weft_op *owner, struct weft_op *op)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    struct weft_batch *batch = flight->batch;
    check_guards(flight);
    delist(flight);
    bool cancelled = promise_cancelled(&flight->promise);
    if (op->status == 0 && flight->cell == NULL)
        op->status = cancelled ? op->reason_ : WEFT_ENOANSWER;
    if (op->status == 0 && cancelled)
        flight->forgotten_ = true; /* another one may have been begun since */
    batch->running--;
    batch->errors += op->status != 0;
    if (batch->over_ != NULL)
        batch->over_(batch, flight);
    flight->over_ = true;
    weft__promise_settled(owner, op);
    free_if_done(flight);
}

struct weft_flight *weft__flight_of(const struct weft_op *op)
{
    return op->then_ == over
               ? weft_owner((struct weft_op *)(uintptr_t)op, struct weft_flight, promise.op)
               : NULL;
}

/* ---- the begin ------------------------------------------------------------------------------ */

static int may_begin(const struct weft_batch *batch)
{
    if (batch->owner->flags_ & OP_REFUSE)
        return batch->owner->reason_;
    return batch->running < batch->limit ? 0 : UV_ENOBUFS;
}

struct weft_flight *weft__flight_begin(struct weft_batch *batch, struct weft_text key,
                                       uint64_t hash, const struct weft_op *asker, bool keep,
                                       int *err)
{
    *err = may_begin(batch);
    struct weft_flight *flight = *err == 0 ? make(batch, key) : NULL;
    if (flight == NULL) {
        *err = *err != 0 ? *err : UV_ENOMEM;
        return NULL;
    }
    check_owner(batch->owner, batch->site_, asker);
    flight->batch = batch;
    flight->hash_ = hash;
    flight->starter_ = asker;
    flight->promise.keep = keep;
    batch->alive_++;
    batch->running++;
    batch->loads++;
    enlist(batch, flight);
    weft__promise_start_for(asker, batch->site_, batch->owner, &flight->promise, batch->load, over);
    if (batch->load_ms != 0)
        weft_deadline(&flight->promise.op, &flight->deadline_, batch->load_ms);
    return flight;
}

/* ---- those who wait ------------------------------------------------------------------------- */

/* Then perhaps nobody waits. Of others than the one who started it that is not to be said: they may have
 * come from inside the load's begin, and the starter joins after that. */
static int refuse(struct weft_flight *flight, struct weft_op *op, int err)
{
    if (op->state_ == OP_RUNNING)
        weft_finish(op, err);
    if (op == flight->starter_ && flight->promise.waiters_ == NULL && !flight->promise.keep)
        weft_cancel(&flight->promise.op, UV_ECANCELED);
    return err;
}

int weft__flight_join(struct weft_flight *flight, struct weft_await *await, weft_then_fn *answered,
                      weft_then_fn **then)
{
    struct weft_op *op = &await->op;
    if (op->state_ != OP_RUNNING || op->reason_ != 0)
        return refuse(flight, op, op->reason_ != 0 ? op->reason_ : UV_ECANCELED);
    if (weft__flight_ring(flight, op))
        return refuse(flight, op, WEFT_ECYCLE);
    await->promise = &flight->promise;
    if (op->then_ != NULL) {
        *then = op->then_;
        op->then_ = answered;
        flight->holders_++;
    }
    weft_await_begin(op);
    return 0;
}

void weft__flight_leave(struct weft_flight *flight)
{
    flight->holders_--;
    free_if_done(flight);
}

/* ---- for the load --------------------------------------------------------------------------- */

int weft_flight_set(struct weft_flight *flight, const void *data, size_t size)
{
    RULE_THREAD(flight->promise.op.loop_, &flight->promise.op);
    check_guards(flight);
    if (size > UINT32_MAX)
        return UV_EFBIG;
    struct weft_cell *cell = weft__cell_make(flight->key, flight->hash_, data, size);
    if (cell == NULL)
        return UV_ENOMEM;
    weft_cell_drop(flight->cell);
    flight->cell = cell;
    return 0;
}

void weft_flight_answer(struct weft_flight *flight, const void *data, size_t size)
{
    struct weft_op *op = &flight->promise.op;
    if (op->state_ == OP_RUNNING && !(op->flags_ & OP_DECIDED))
        weft_end(op, weft_flight_set(flight, data, size));
}
