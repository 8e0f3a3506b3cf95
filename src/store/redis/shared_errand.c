/* Errands: calls of a script that go on by themselves. Nobody waits for a value to be stored, and who asks
 * to forget something may leave; Redis is told all the same. Each is a block of its own below the shared
 * cache's op, gone when it is over.
 *
 * What Redis could not be told is owed: then a "forget all" follows as soon as it can be reached, and now and
 * then while it can be reached but refuses; until that is confirmed no load looks at what Redis has. */
#include "shared.h"
#include "weft/alloc.h"
#include <inttypes.h>
#include <stdio.h>

enum { NUMBER = 24, PAY_AGAIN_MS = 250 };

struct weft_shared_errand {
    struct shared_call call;
    struct weft_cell *cell;            /* what is stored; held */
    struct weft_shared_forget *forget; /* who waits for it, if anybody does */
    struct weft_shared_errand *next;   /* of those that are late */
    struct shared_lease lease;
    char number[NUMBER], life[SHARED_LIFE + 1];
    uint64_t covers; /* what is made up for when all is forgotten */
    bool pays;       /* it was sent for that */
    size_t message_size;
    char message[]; /* for those that tell something */
};

static struct weft_shared_errand *errand_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_shared_errand, call.op);
}

static void errand_free(struct weft_shared_errand *errand)
{
    weft__shared_call_free(&errand->call);
    weft_cell_drop(errand->cell);
    weft_free(errand);
}

static struct weft_shared_errand *errand_new(struct weft_shared_engine *engine,
                                             enum shared_script script, struct weft_text key,
                                             size_t message_size)
{
    struct weft_shared_errand *errand = weft_calloc(1, sizeof *errand + message_size);
    if (errand == NULL)
        return NULL;
    errand->message_size = message_size;
    if (weft__shared_call_init(&errand->call, engine, script, key) == 0)
        return errand;
    weft_free(errand);
    return NULL;
}

static void errand_over(struct weft_shared_errand *errand)
{
    struct weft_shared_engine *engine = errand->call.engine;
    errand_free(errand);
    engine->errands--;
    weft__shared_leave(engine);
}

/* Now, however deep the stack is: who asks after a forget is not to be answered from before it. */
static void errand_run(struct weft_shared_errand *errand, weft_then_fn *then)
{
    errand->call.engine->errands++;
    weft_run_now_at(WEFT_HERE("shared errand", WEFT_CACHE), &errand->call.engine->shared->op,
                    &errand->call.op, weft__shared_call_begin, then);
}

/* ---- storing -------------------------------------------------------------------------------- */

/* A call that was given a number for an answer. */
static bool said(const struct weft_shared_errand *errand, int64_t number)
{
    const struct weft_redis_reply *reply = errand->call.command.reply;
    return reply->type == WEFT_REDIS_INTEGER && reply->integer == number;
}

static void settled(struct weft_op *shared_op, struct weft_op *op)
{
    struct weft_shared_errand *errand = errand_of(op);
    struct weft_shared_stats *stats = &weft_owner(shared_op, struct weft_shared, op)->stats;
    if (op->status != 0)
        stats->remote_errors++;
    else if (errand->cell != NULL && said(errand, 1))
        stats->sets++;
    else if (errand->cell != NULL)
        stats->refused_sets++;
    errand_over(errand);
}

/* A value that nobody could read back is not stored: it would cost each of them its connection. */
static bool fits(const struct weft_shared_engine *engine, size_t size)
{
    size_t max = engine->shared->redis.reply_max;
    max = max != 0 ? max : WEFT_REDIS_REPLY_MAX;
    return size < max / 2 && size < WEFT_REDIS_REQUEST_MAX / 2;
}

void weft__shared_settle(struct weft_shared_engine *engine, struct weft_text key,
                         const struct shared_lease *lease, struct weft_cell *cell,
                         const struct shared_time *time)
{
    struct weft_shared_errand *errand = errand_new(engine, SHARED_SETTLE, key, 0);
    if (errand == NULL) { /* the lease ends by itself */
        engine->shared->stats.remote_errors++;
        return;
    }
    struct shared_call *call = &errand->call;
    errand->lease = *lease;
    weft__shared_call_arg(call, errand->lease.token, SHARED_TOKEN);
    if (!engine->shared->redis.connected) {
        engine->shared->stats.remote_errors += cell != NULL;
        errand->next = engine->late;
        engine->late = errand;
        return;
    }
    if (cell != NULL && !fits(engine, weft_cell_value(cell).size)) {
        engine->shared->stats.refused_sets++;
        cell = NULL;
    }
    if (cell != NULL) {
        struct weft_text value = weft_cell_value(cell);
        errand->cell = weft_cell_hold(cell);
        snprintf(errand->number, sizeof errand->number, "%" PRIu64,
                 time->ttl_ms < SHARED_MS_MAX ? time->ttl_ms : 0);
        weft__shared_life(errand->life, time);
        weft__shared_call_arg(call, errand->lease.generation, SHARED_TOKEN);
        weft__shared_call_arg(call, SHARED_VERSION, strlen(SHARED_VERSION));
        weft__shared_call_arg(call, value.data, value.size);
        weft__shared_call_arg(call, errand->number, strlen(errand->number));
        weft__shared_call_arg(call, errand->life, SHARED_LIFE);
    }
    errand_run(errand, settled);
}

static struct weft_shared_errand *next_late(struct weft_shared_engine *engine)
{
    struct weft_shared_errand *errand = engine->late;
    if (errand != NULL)
        engine->late = errand->next;
    return errand;
}

/* There are no more of them than loads were under way when the connection was lost. */
void weft__shared_settle_late(struct weft_shared_engine *engine)
{
    struct weft_shared_errand *errand;
    while ((errand = next_late(engine)) != NULL)
        errand_run(errand, settled);
}

void weft__shared_late_free(struct weft_shared_engine *engine)
{
    struct weft_shared_errand *errand;
    while ((errand = next_late(engine)) != NULL)
        errand_free(errand);
}

/* ---- telling -------------------------------------------------------------------------------- */

static void pay_again(struct weft_timer *timer)
{
    weft__shared_pay(weft_owner(timer, struct weft_shared_engine, payer));
}

static void owe(struct weft_shared_engine *engine)
{
    struct weft_shared *shared = engine->shared;
    engine->owed++;
    if (shared->engine_ != NULL)
        weft_timer_start(weft_loop_of(&shared->op), &engine->payer, PAY_AGAIN_MS, pay_again);
}

static void told(struct weft_op *shared_op, struct weft_op *op)
{
    struct weft_shared_errand *errand = errand_of(op);
    struct weft_shared_engine *engine = errand->call.engine;
    struct weft_shared_forget *forget = errand->forget;
    int status = op->status;
    (void)shared_op;
    if (errand->pays)
        engine->paying = false;
    if (status != 0) {
        engine->shared->stats.remote_errors++;
        owe(engine);
    } else if (errand->covers > engine->paid) {
        engine->paid = errand->covers;
    }
    if (forget != NULL) {
        forget->errand_ = NULL;
        weft_finish(&forget->op, status);
    }
    errand_over(errand);
}

int weft__shared_tell(struct weft_shared_engine *engine, struct weft_text key, bool all,
                      struct weft_shared_forget *forget)
{
    size_t size = SHARED_MESSAGE_HEAD + key.size;
    struct weft_shared_errand *errand = errand_new(engine, SHARED_FORGET, key, size);
    if (errand == NULL) {
        owe(engine);
        return UV_ENOMEM;
    }
    struct shared_call *call = &errand->call;
    weft__shared_message_head(errand->message, engine->id, all);
    if (key.size > 0)
        memcpy(errand->message + SHARED_MESSAGE_HEAD, key.data, key.size);
    weft__shared_call_arg(call, engine->channel.data, engine->channel.size);
    weft__shared_call_arg(call, errand->message, errand->message_size);
    if (all) {
        weft__shared_call_arg(call, "all", 3);
        errand->covers = engine->owed;
    }
    errand->forget = forget;
    if (forget != NULL)
        forget->errand_ = errand;
    errand->pays = engine->paying && forget == NULL;
    errand_run(errand, told);
    return 0;
}

void weft__shared_pay(struct weft_shared_engine *engine)
{
    if (!shared_owes(engine) || engine->paying || engine->leaving ||
        !engine->shared->redis.connected)
        return;
    engine->paying = true;
    if (weft__shared_tell(engine, weft_text(NULL, 0), true, NULL) != 0)
        engine->paying = false;
}

/* ---- the op --------------------------------------------------------------------------------- */

static void forget_cancel(struct weft_op *op, int reason)
{
    struct weft_shared_forget *forget = weft_owner(op, struct weft_shared_forget, op);
    forget->errand_->forget = NULL;
    forget->errand_ = NULL;
    weft_finish(op, reason);
}

void weft_shared_forget_begin(struct weft_op *op)
{
    struct weft_shared_forget *forget = weft_owner(op, struct weft_shared_forget, op);
    struct weft_shared *shared = forget->shared;
    forget->errand_ = NULL;
    if (shared == NULL || shared->engine_ == NULL || shared->engine_->leaving ||
        weft_loop_of(&shared->op) != weft_loop_of(op) ||
        (forget->key.data == NULL && forget->key.size > 0)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    if (forget->key.size > WEFT_KEY_MAX) {
        weft_finish(op, UV_ENAMETOOLONG);
        return;
    }
    struct weft_text key = forget->all ? weft_text(NULL, 0) : forget->key;
    if (forget->all)
        weft__shared_flush(shared->engine_);
    else
        weft__shared_forget_here(shared->engine_, key);
    int status = weft__shared_tell(shared->engine_, key, forget->all, forget);
    if (status != 0)
        weft_finish(op, status);
    else
        weft_on_cancel(op, forget_cancel);
}

void weft_shared_forget_soon(struct weft_shared *shared)
{
    struct weft_shared_engine *engine = shared->engine_;
    if (engine == NULL)
        return;
    weft__shared_flush(engine);
    owe(engine);
    weft__shared_pay(engine);
}

/* Now, however deep the stack is: here it is forgotten when this returns. */
void weft_shared_forget_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_shared_forget *forget, struct weft_shared *shared,
                           struct weft_text key, bool all, weft_then_fn *then)
{
    forget->shared = shared;
    forget->key = key;
    forget->all = all;
    weft_run_now_at(site, parent, &forget->op, weft_shared_forget_begin, then);
}
