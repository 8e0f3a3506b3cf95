/* What the tests of context share: requests that each set a value of their own and then do the same
 * things at the same time, on the same queues and promises. Wherever a function of one runs it
 * looks: is the value there, by its op and by weft_current(), and is it its own? */
#ifndef TESTS_CORE_CONTEXT_KIT_H
#define TESTS_CORE_CONTEXT_KIT_H

#include "model.h"
#include <string.h>
#include <weft/context.h>
#include <weft/hook.h>

enum { REQUESTS = 3 };

/* At the beginning of a struct of the test's own. */
struct request {
    struct weft_op op;
    unsigned looks, released;
    int status;
};

static void request_released(void *value)
{
    ((struct request *)value)->released++;
}

static struct weft_key request_key = {.name = "request", .release = request_released};

static inline struct request *asked_by(const struct weft_op *op)
{
    return weft_context_get(op, &request_key);
}

/* Here runs a function of request's, with op at hand. */
static inline void look(struct request *request, const struct weft_op *op)
{
    assert_ptr_equal(asked_by(op), request);
    assert_ptr_equal(asked_by(weft_current()), request);
    assert_int_equal(request->released, 0);
    request->looks++;
}

/* ---- requests that run together ------------------------------------------------------------- */

static struct world w;
static weft_begin_fn *request_body;

static inline void request_over(struct weft_op *root, struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    request->status = op->status;
    assert_int_equal(request->released, 0); /* it is held until this returns */
    assert_null(asked_by(root));
    assert_null(asked_by(weft_current()));
}

static inline void request_begin(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    request->status = 1;
    assert_int_equal(weft_context_set(op, &request_key, request), 0);
    look(request, op);
    request_body(op);
}

/* The structs, REQUESTS of them, with a struct request at the beginning of each. */
static struct {
    void *first;
    size_t stride;
} requests;

static inline struct request *request_at(int number)
{
    return (struct request *)(void *)((char *)requests.first + (size_t)number * requests.stride);
}

static inline void requests_begin(struct weft_op *root, struct weft_op *start)
{
    (void)start;
    for (int i = 0; i < REQUESTS; i++)
        weft_run(root, &request_at(i)->op, request_begin, request_over);
}

/* The world is up. All of them do body together. */
static inline void requests_start(void *first, size_t stride, weft_begin_fn *body)
{
    static struct weft_op start;
    request_body = body;
    requests.first = first;
    requests.stride = stride;
    memset(first, 0, REQUESTS * stride);
    weft_tick(weft_root(&w.loop), &start, requests_begin);
}

/* All have ended well, and were seen by so many looks each; the one at the begin is not counted. */
static inline void requests_check(unsigned looks)
{
    for (int i = 0; i < REQUESTS; i++) {
        assert_int_equal(request_at(i)->status, 0);
        assert_int_equal(request_at(i)->looks, looks + 1);
        assert_int_equal(request_at(i)->released, 1);
    }
}

static inline void requests_run(void *first, size_t stride, weft_begin_fn *body, unsigned looks)
{
    requests_start(first, stride, body);
    assert_int_equal(world_run(&w), 0);
    requests_check(looks);
}

#endif
