/* Batch: who asks for what is under way joins it. The work is done by flights; this is the asking. */
#include "flight.h"
#include "flow/owner.h"
#include "hash.h"
#include "weft/alloc.h"

enum { BUCKETS_MOST = 4096, FLIGHT_SIZE_MOST = 1024 * 1024 };

/* ---- open and close ------------------------------------------------------------------------- */

static size_t buckets_for(size_t limit)
{
    size_t count = 16;
    while (count < limit && count < BUCKETS_MOST)
        count *= 2;
    return count;
}

static bool is_valid(const struct weft_batch *batch)
{
    return batch != NULL && batch->table_ == NULL && batch->owner != NULL && batch->load != NULL &&
           (batch->flight_size == 0 || batch->flight_size >= sizeof(struct weft_flight)) &&
           batch->flight_size <= FLIGHT_SIZE_MOST;
}

int weft__batch_open(const struct weft_site *load_site, struct weft_batch *batch)
{
    if (!is_valid(batch))
        return UV_EINVAL;
    size_t limit = batch->limit != 0 ? batch->limit : WEFT_BATCH_LIMIT;
    size_t count = buckets_for(limit);
    batch->table_ = weft_calloc(count, sizeof(struct weft_flight *));
    if (batch->table_ == NULL)
        return UV_ENOMEM;
    batch->limit = limit;
    batch->mask_ = count - 1;
    batch->seed_ = weft__hash_seed();
    batch->site_ = load_site;
    return 0;
}

int weft_batch_open_at(const struct weft_site *site, const struct weft_site *load_site,
                       struct weft_batch *batch)
{
    int err = weft__batch_open(load_site, batch);
    if (err != 0)
        return err;
    check_owner(batch->owner, site, batch->owner);
    weft_handle_open_at(site, batch->owner, &batch->handle_, 0, batch);
    return 0;
}

int weft_batch_close(struct weft_batch *batch)
{
    if (batch->table_ == NULL)
        return 0;
    if (batch->alive_ != 0)
        return UV_EBUSY;
    weft_handle_close(&batch->handle_);
    weft_free(batch->table_);
    batch->table_ = NULL;
    return 0;
}

/* ---- ask ------------------------------------------------------------------------------------ */

static struct weft_batch_ask *ask_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_batch_ask, await.op);
}

/* The then may use ask's storage again. */
static void answered(struct weft_op *parent, struct weft_op *op)
{
    struct weft_batch_ask *ask = ask_of(op);
    struct weft_flight *flight = weft_owner(ask->await.promise, struct weft_flight, promise);
    if (op->status == 0) {
        ask->cell = flight->cell;
        ask->value = weft_cell_value(flight->cell);
        ask->ttl_ms = flight->ttl_ms;
    }
    ask->then_(parent, op);
    weft__flight_leave(flight);
}

static int check(const struct weft_batch_ask *ask)
{
    if (weft_cancelled(&ask->await.op) != 0)
        return weft_cancelled(&ask->await.op);
    if (ask->batch == NULL || ask->batch->table_ == NULL)
        return UV_EINVAL;
    return ask->key.size <= WEFT_KEY_MAX ? 0 : UV_ENAMETOOLONG;
}

static void no_answer(struct weft_batch_ask *ask)
{
    ask->value = weft_text(NULL, 0);
    ask->cell = NULL;
    ask->ttl_ms = 0;
    ask->joined = false;
}

void weft_batch_ask_begin(struct weft_op *op)
{
    struct weft_batch_ask *ask = ask_of(op);
    no_answer(ask);
    int err = check(ask);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_batch *batch = ask->batch;
    uint64_t hash = hash_key(ask->key, batch->seed_);
    struct weft_flight *flight = weft__flight_find(batch, ask->key, hash);
    ask->joined = flight != NULL;
    if (flight == NULL)
        flight = weft__flight_begin(batch, ask->key, hash, op, false, &err);
    if (flight == NULL)
        weft_finish(op, err);
    else if (weft__flight_join(flight, &ask->await, answered, &ask->then_) == 0)
        batch->joined += ask->joined;
}

/* Now, so that the key is looked at before this returns. The load's own begin is run with care for the
 * stack. */
void weft_batch_ask_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_batch_ask *ask, struct weft_batch *batch, struct weft_text key,
                       weft_then_fn *then)
{
    op_check_start(parent, &ask->await.op);
    ask->batch = batch;
    ask->key = key;
    no_answer(ask); /* it may be refused without a begin */
    weft_run_now_at(site, parent, &ask->await.op, weft_batch_ask_begin, then);
    if (ask->await.op.then_ != then)
        op_wraps(&ask->await.op, then);
}

/* ---- forget --------------------------------------------------------------------------------- */

void weft_batch_forget(struct weft_batch *batch, struct weft_text key)
{
    if (batch->table_ == NULL)
        return;
    RULE_THREAD(batch->owner->loop_, batch->owner);
    weft__flight_forget_key(batch, key, hash_key(key, batch->seed_));
}

void weft_batch_forget_prefix(struct weft_batch *batch, struct weft_text prefix)
{
    if (batch->table_ == NULL)
        return;
    RULE_THREAD(batch->owner->loop_, batch->owner);
    for (size_t i = 0; i <= batch->mask_; i++) {
        struct weft_flight *flight = batch->table_[i], *next;
        for (; flight != NULL; flight = next) {
            next = flight->next_;
            if (key_begins_with(flight->key, prefix))
                weft__flight_forget(flight);
        }
    }
}
