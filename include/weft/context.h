/* weft/context.h: values that follow the work.
 *
 * What every function below a request wants to know and nobody wants to pass: who asked, a request's
 * number for the log, a deadline for all of it. A value is set on an op and is there in everything
 * that is begun under it from then on: through queues, promises, timers, thread hops and handlers.
 *
 *     static struct weft_key request_id = {.name = "request id"};
 *
 *     weft_context_set(op, &request_id, id);                  // in the handler
 *     const char *id = weft_context_get(op, &request_id);     // anywhere below
 *
 * Context goes down the tree, never up or sideways: a child that sets a value changes it for itself
 * and its own children. What waits in a queue has the context of the op it was pushed under; a
 * promise's work that of its owner, and who awaits it keeps his own. The exception: what a batch, a
 * cache or a memo does for those who ask has the context of the one it was begun for, if that has one.
 * In a library that has no op at hand, ask for weft_current() (weft/hook.h).
 *
 * A bare timer and a post (weft_timer_start, weft_post_init: for those who make ops) are begun under a
 * loop, not under an op. They inherit nothing: in their callbacks the root is current, and has what was
 * set on it. Begin a weft_sleep or a weft_work under an op instead, or let the callback act for the op
 * that it belongs to (weft_enter, weft/hook.h); what it finishes has its own context in any case.
 *
 * Begin and get take the same time however many keys there are; the first set on an op copies as
 * many pointers as there are keys. */
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_KEYS = 64 /* at most so many in a process */ };

/* Static storage, for the whole process. It is numbered when it is first set. */
struct weft_key {
    const char *name;
    void (*release)(void *value); /* NULL: there is nothing to release */
    unsigned number_;
};

/* Set value for op, which runs (the root does), and for what is begun under it from now on. Children
 * that run already keep what they have. The value is held until the last op that inherited it is
 * over (its then has returned) or has set another, and then released once, on the loop's thread.
 * NULL takes the value away; setting what op has already changes nothing.
 * UV_ENOMEM, UV_ENOSPC (too many keys), UV_EINVAL (op does not run, or has
 * finished): nothing has changed, and value is still yours. */
WEFT_API int weft_context_set(struct weft_op *op, struct weft_key *key, void *value);

/* What was set on op, or above it when op was begun; NULL: nothing. op runs, or is NULL; of one that
 * is over (in its then, that is) nothing is known: ask for its parent's. Also on another thread, for
 * the op of a weft_work or a weft_thread_job from inside its function: what that had when it was begun,
 * which is held until it is back. */
WEFT_API void *weft_context_get(const struct weft_op *op, const struct weft_key *key);

#ifdef __cplusplus
}
#endif
#endif
