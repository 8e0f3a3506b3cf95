/* Await several promises: the awaits are children, and what each kind is lies in their then. To
 * decide is weft_end: it cancels the other awaits. Otherwise the join is the end. */
#include "promise.h"

/* Once it is decided or cancelled, what still comes in does not count. */
static bool is_open(const struct weft_op *op)
{
    return !(op->flags_ & (OP_REFUSE | OP_DECIDED));
}

static void decide(struct weft_await_many *many, struct weft_op *await)
{
    many->which = (size_t)(weft_owner(await, struct weft_await, op) - many->awaits);
    weft_end(&many->op, await->status);
}

static void one_settled(struct weft_op *op, struct weft_op *await)
{
    struct weft_await_many *many = weft_owner(op, struct weft_await_many, op);
    bool failed = await->status != 0;
    if (!is_open(op) || many->kind == WEFT_SETTLED)
        return;
    if (many->kind == WEFT_FIRST || failed == (many->kind == WEFT_ALL))
        decide(many, await);
    else if (failed && op->running_ == 0) /* the last one of an any */
        weft_end(op, await->status);
}

static bool is_valid(const struct weft_await_many *many)
{
    if (many->count == 0)
        return many->kind == WEFT_ALL || many->kind == WEFT_SETTLED;
    if (many->awaits == NULL || (unsigned)many->kind > WEFT_SETTLED)
        return false;
    for (size_t i = 0; i < many->count; i++) {
        if (many->awaits[i].promise == NULL)
            return false;
    }
    return true;
}

void weft_await_many_begin(struct weft_op *op)
{
    struct weft_await_many *many = weft_owner(op, struct weft_await_many, op);
    many->which = WEFT_NONE;
    if (!is_valid(many)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    for (size_t i = 0; i < many->count; i++)
        weft_run_now_at(op->site_, op, &many->awaits[i].op, weft_await_begin, one_settled);
    weft_join(op);
}

void weft_await_many_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_await_many *many, enum weft_await_kind kind,
                        struct weft_await *awaits, size_t count, weft_then_fn *then)
{
    op_check_start(parent, &many->op);
    many->kind = kind;
    many->awaits = awaits;
    many->count = count;
    many->which = WEFT_NONE; /* under a cancelled parent nothing begins */
    weft_run_now_at(site, parent, &many->op, weft_await_many_begin, then);
}
