/* What the tests of the batch share: loads that are jobs and answer "key#number of the load", and people
 * who ask and remember what they were told. */
#ifndef TESTS_RECIPES_BATCH_KIT_H
#define TESTS_RECIPES_BATCH_KIT_H

#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <weft/batch.h>
#include <weft/flow.h>

enum { ASKS = 12, VALUE_SIZE = 64 };

struct loading {
    struct weft_flight flight;
    struct job job;
    unsigned number; /* from 1 */
};

static struct world w;
static struct weft_batch batch;
static struct weft_op owner;
static struct job next_job; /* how the next load goes */
static unsigned load_count;
static struct loading *latest; /* load; gone when that is over */

static struct ask {
    struct weft_batch_ask it;
    unsigned told;
    int status;
    char value[VALUE_SIZE];
} asks[ASKS];

static inline struct weft_op *root(void)
{
    return weft_root(&w.loop);
}

/* ---- loads ---------------------------------------------------------------------------------- */

static inline struct loading *loading_of(struct weft_op *op)
{
    return weft_owner(op, struct loading, flight.promise.op);
}

static inline void answer(struct loading *loading)
{
    char text[VALUE_SIZE];
    int size = snprintf(text, sizeof text, "%.*s#%u", WEFT_TEXT_ARGS(loading->flight.key),
                        loading->number);
    weft_flight_answer(&loading->flight, text, (size_t)size);
}

static inline void loaded(struct weft_op *op, struct weft_op *job)
{
    if (job->status != 0)
        weft_end(op, job->status);
    else
        answer(loading_of(op));
}

static inline struct loading *load_counted(struct weft_op *op)
{
    latest = loading_of(op);
    latest->number = ++load_count;
    return latest;
}

static inline void load(struct weft_op *op)
{
    struct loading *loading = load_counted(op);
    loading->job.ms = next_job.ms;
    loading->job.linger_ms = next_job.linger_ms;
    loading->job.status = next_job.status;
    weft_run(op, &loading->job.op, job_begin, loaded);
}

static inline void load_at_once(struct weft_op *op)
{
    answer(load_counted(op));
}

/* ---- up and down ---------------------------------------------------------------------------- */

static inline void open_under(struct weft_op *parent)
{
    batch = (struct weft_batch){
        .owner = parent, .load = load, .flight_size = WEFT_FLIGHT(struct loading, flight)};
    assert_int_equal(weft_batch_open(&batch), 0);
}

static inline void forget_all(void)
{
    memset(asks, 0, sizeof asks);
    owner = (struct weft_op){0};
    next_job = (struct job){.ms = 5};
    load_count = 0;
    latest = NULL;
}

static inline void up(void)
{
    model_up(&w);
    forget_all();
    open_under(root());
}

static inline void up_in_order(void)
{
    model_up_seeded(&w, 0);
    forget_all();
    open_under(root());
}

/* With an owner that the test cancels or ends. */
static inline void up_owned(void)
{
    model_up(&w);
    forget_all();
    weft_run(root(), &owner, NULL, noted);
    open_under(&owner);
}

static inline void run_on(void)
{
    assert_int_equal(world_run(&w), 0);
}

static inline void run_down(void)
{
    run_on();
    assert_int_equal(batch.running, 0);
    assert_int_equal(weft_batch_close(&batch), 0);
    world_down(&w);
    assert_int_equal(jobs.running, 0);
}

/* ---- those who ask -------------------------------------------------------------------------- */

static inline struct ask *ask_of(struct weft_op *op)
{
    return weft_owner(op, struct ask, it.await.op);
}

static inline void there(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct ask *ask = ask_of(op);
    ask->told++;
    ask->status = op->status;
    if (op->status == 0) {
        assert_non_null(ask->it.cell);
        assert_ptr_equal(ask->it.value.data, weft_cell_value(ask->it.cell).data);
        assert_true(ask->it.value.size < sizeof ask->value);
        memcpy(ask->value, ask->it.value.data, ask->it.value.size + 1);
    } else {
        assert_null(ask->it.cell);
        assert_int_equal(ask->it.value.size, 0);
    }
}

static inline void ask_under(struct weft_op *parent, int which, const char *key, weft_then_fn *then)
{
    weft_batch_ask(parent, &asks[which].it, &batch, weft_text_of(key), then);
}

static inline void ask(int which, const char *key)
{
    ask_under(root(), which, key, there);
}

static inline void leave_it(int which)
{
    weft_cancel(&asks[which].it.await.op, UV_EINTR);
}

static inline int status_of(int which)
{
    assert_int_equal(asks[which].told, 1);
    return asks[which].status;
}

static inline void expect_answer(int which, const char *value)
{
    assert_int_equal(status_of(which), 0);
    assert_string_equal(asks[which].value, value);
}

#endif
