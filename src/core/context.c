/* Context: what was set above, one pointer away.
 *
 *     op ─► context ─► value (of key 0)         op's children share its context until one of them
 *           holders    value (of key 1)         sets something: then that gets a copy of its own
 *                      …                        with the one value changed
 *
 * A key has a number, and a context is an array by number: get is one load however many there are. A
 * context is counted by the ops that have it, a value by the contexts that have it; the last one to
 * go releases it. All of that happens on the loop's thread, so the counts are plain. Keys belong to
 * the process and are numbered under a lock, once. */
#include "locks.h"
#include "observe.h"
#include "weft/alloc.h"
#include "weft/context.h"
#include <string.h>

struct value {
    void *pointer;
    void (*release)(void *value);
    uint32_t holders;
};

struct context {
    uint32_t holders, count;
    struct value *values[];
};

/* ---- keys ----------------------------------------------------------------------------------- */

static unsigned keys;

/* From 1; 0: not numbered, too many. */
static unsigned number_now(struct weft_key *key)
{
    weft__lock(LOCK_KEYS);
    unsigned known = __atomic_load_n(&key->number_, __ATOMIC_RELAXED);
    if (known == 0 && keys < WEFT_KEYS) {
        known = ++keys;
        __atomic_store_n(&key->number_, known, __ATOMIC_RELAXED);
    }
    weft__unlock(LOCK_KEYS);
    return known;
}

static unsigned number(struct weft_key *key)
{
    unsigned known = __atomic_load_n(&key->number_, __ATOMIC_RELAXED);
    return known != 0 ? known : number_now(key);
}

/* ---- holding -------------------------------------------------------------------------------- */

static void value_drop(struct value *value)
{
    if (value == NULL || --value->holders > 0)
        return;
    if (value->release != NULL)
        value->release(value->pointer);
    weft_free(value);
}

void weft__context_drop(void *held)
{
    struct context *context = held;
    if (--context->holders > 0)
        return;
    for (uint32_t i = 0; i < context->count; i++)
        value_drop(context->values[i]);
    weft_free(context);
}

void weft__context_inherit(struct weft_op *op, const struct weft_op *parent)
{
    struct context *context = parent->context_;
    context->holders++;
    op->context_ = context;
    op->flags_ |= OP_CONTEXT;
}

static struct context *context_of(const struct weft_op *op)
{
    return op->flags_ & OP_CONTEXT ? op->context_ : NULL;
}

void *weft__context_hold(const struct weft_op *op)
{
    struct context *context = context_of(op);
    if (context != NULL)
        context->holders++;
    return context;
}

void weft__context_give(struct weft_op *op, void *held)
{
    if (op->flags_ & OP_CONTEXT)
        weft__context_drop(op->context_);
    op->context_ = held;
    op->flags_ |= OP_CONTEXT;
}

/* ---- set and get ---------------------------------------------------------------------------- */

/* A context for op alone, with room for count values. NULL: no memory. */
static struct context *own_context(struct weft_op *op, uint32_t count)
{
    struct context *old = context_of(op);
    if (old != NULL && old->holders == 1 && old->count >= count)
        return old;
    if (old != NULL && old->count > count)
        count = old->count;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    struct context *own = weft_calloc(1, sizeof *own + count * sizeof own->values[0]);
    if (own == NULL)
        return NULL;
    own->holders = 1;
    own->count = count;
    for (uint32_t i = 0; old != NULL && i < old->count; i++) {
        own->values[i] = old->values[i];
        if (own->values[i] != NULL)
            own->values[i]->holders++;
    }
    if (old != NULL)
        weft__context_drop(old);
    op->context_ = own;
    op->flags_ |= OP_CONTEXT;
    return own;
}

static struct value *make_value(const struct weft_key *key, void *pointer)
{
    struct value *value = weft_alloc(sizeof *value);
    if (value != NULL)
        *value = (struct value){pointer, key->release, 1};
    return value;
}

int weft_context_set(struct weft_op *op, struct weft_key *key, void *pointer)
{
    if (op == NULL || key == NULL || op->state_ == OP_IDLE || op->state_ == OP_READY)
        return UV_EINVAL;
    op_check_known(op);
    RULE_THREAD(op->loop_, op);
    uint32_t count = number(key);
    if (count == 0)
        return UV_ENOSPC;
    if (pointer == weft_context_get(op, key))
        return 0;
    struct value *value = pointer != NULL ? make_value(key, pointer) : NULL;
    if (pointer != NULL && value == NULL)
        return UV_ENOMEM;
    struct context *context = own_context(op, count);
    if (context == NULL) {
        weft_free(value);
        return UV_ENOMEM;
    }
    struct value *before = context->values[count - 1];
    context->values[count - 1] = value;
    value_drop(before);
    return 0;
}

void *weft_context_get(const struct weft_op *op, const struct weft_key *key)
{
    if (op == NULL)
        return NULL;
    bool here = op->loop_->thread_ == &weft__thread;
    const struct context *context = here ? context_of(op) : weft__visit.context;
    unsigned at = __atomic_load_n(&key->number_, __ATOMIC_RELAXED);
    if (context == NULL || at == 0 || at > context->count || context->values[at - 1] == NULL)
        return NULL;
    return context->values[at - 1]->pointer;
}
