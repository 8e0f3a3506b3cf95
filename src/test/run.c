/* A run of the provider's op, watched. */
#include "stage.h"
#include <stdlib.h>
#include <string.h>

struct weft_op *op_of(void *storage)
{
    return (struct weft_op *)(void *)((char *)storage + at.provider->op_at);
}

void *storage_of(struct weft_op *op)
{
    return (char *)op - at.provider->op_at;
}

/* Exactly as large as it has to be, so that a step beyond it is seen. */
void *storage_make(void (*fill)(void *storage))
{
    void *storage = calloc(1, at.provider->size);
    require(storage != NULL, "no memory for the suite itself");
    if (fill != NULL)
        fill(storage);
    return storage;
}

void storage_drop(void *storage)
{
    memset(storage, 0xdd, at.provider->size);
    free(storage);
}

void begin_watched(struct weft_op *op)
{
    at.begun++;
    told_begun(op);
    at.calling++;
    at.provider->begin(op);
    if (at.nudging && at.provider->nudge != NULL && op->state_ == OP_RUNNING && !weft_cancelled(op))
        at.provider->nudge(storage_of(op));
    at.calling--;
}

/* What is true at the end of every run. */
void look_at(struct weft_op *op)
{
    require(at.calling == 0, "then was called synchronously");
    told_then();
    at.over++;
    at.status = op->status;
    require_status(op->status);
    if (op->status == 0 && at.provider->verify != NULL)
        at.provider->verify(storage_of(op));
    if (at.provider->release != NULL)
        at.provider->release(storage_of(op));
}

void run_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    look_at(op);
    if (!at.keep)
        storage_drop(storage_of(op));
}

struct weft_op *run(struct weft_op *parent, void *storage, weft_begin_fn *begin)
{
    struct weft_op *op = op_of(storage);
    unsigned over = at.over;
    at.calling++;
    weft_run(parent, op, begin, run_over);
    at.calling--;
    require(at.over == over, "then was called synchronously");
    return op;
}

struct weft_op *run_good(struct weft_op *parent)
{
    return run(parent, storage_make(at.provider->good), begin_watched);
}

/* true: op was running, so the cancel had something to stop. */
bool cancel(struct weft_op *op, int reason)
{
    bool running = op->state_ == OP_RUNNING;
    at.calling++;
    weft_cancel(op, reason);
    at.calling--;
    return running;
}

/* What a cancel in the middle of a good run leads to: if it was over already, 0. */
void cancel_and_expect(struct weft_op *op, int reason)
{
    if (op->state_ != OP_RUNNING)
        expect(0);
    else
        expect_cancel(reason);
    cancel(op, reason);
}

void group_over(struct weft_op *root, struct weft_op *group)
{
    (void)root;
    at.over++;
    at.status = group->status;
}

void discard(struct weft_op *task)
{
    if (at.provider->release != NULL)
        at.provider->release(storage_of(task));
}
