/* A program that does a bit of everything: sockets, a name, files, a queue, a promise, timers, work
 * on the pool. One loop, everything under the root. */
#ifndef TESTS_TRACE_SCENARIO_H
#define TESTS_TRACE_SCENARIO_H

#include "loop.h"
#include <string.h>
#include <weft.h>
#include <weft/promise.h>

enum { SCENARIO_TASKS = 10 };

struct scenario {
    struct world w;
    struct weft_op all;
    struct weft_listen listen;
    struct weft_stream client, server;
    struct weft_accept accept;
    struct weft_connect connect;
    struct weft_read read;
    struct weft_write write;
    struct weft_lookup lookup;
    struct weft_file_save save;
    struct weft_file_read load;
    struct weft_queue queue;
    struct weft_op tasks[SCENARIO_TASKS];
    struct weft_promise promise;
    struct weft_await await;
    struct weft_sleep nap, promised;
    struct weft_ticker ticker;
    struct weft_timer timer;
    struct weft_work work;
    const char *file;
    char bytes[8];
    int left; /* until the sockets are closed */
};

static inline struct scenario *scenario_of(struct weft_op *all)
{
    return weft_owner(all, struct scenario, all);
}

static inline void scenario_step(struct weft_op *all)
{
    struct scenario *s = scenario_of(all);
    if (--s->left > 0)
        return;
    weft_stream_close(&s->client);
    weft_stream_close(&s->server);
    weft_listen_close(&s->listen);
}

static inline void scenario_read(struct weft_op *all, struct weft_op *read)
{
    (void)read;
    scenario_step(all);
}

static inline void scenario_accepted(struct weft_op *all, struct weft_op *accept)
{
    struct scenario *s = scenario_of(all);
    if (accept->status == 0)
        weft_read(all, &s->read, &s->server, s->bytes, sizeof s->bytes, scenario_read);
    else
        scenario_step(all);
}

static inline void scenario_connected(struct weft_op *all, struct weft_op *connect)
{
    struct scenario *s = scenario_of(all);
    if (connect->status == 0)
        weft_write(all, &s->write, &s->client, "hello", 5, weft_ignore);
    else
        weft_cancel(&s->accept.op, UV_ECANCELED);
    scenario_step(all);
}

static inline void scenario_saved(struct weft_op *all, struct weft_op *save)
{
    (void)save;
    struct scenario *s = scenario_of(all);
    weft_file_read(all, &s->load, s->file, weft_ignore);
}

static inline void scenario_promise(struct weft_op *op)
{
    struct scenario *s = weft_owner(op, struct scenario, promise.op);
    weft_sleep(op, &s->promised, 1, weft_pass);
}

static inline void scenario_tick(struct weft_op *ticker)
{
    weft_end(ticker, 0);
}

static inline void scenario_fired(struct weft_timer *timer)
{
    (void)timer;
}

static inline int scenario_work(struct weft_work *work)
{
    (void)work;
    return UV_ENOENT;
}

static inline void scenario_sockets(struct weft_op *all)
{
    struct scenario *s = scenario_of(all);
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_listen(all, &s->listen, &address, weft_ignore);
    weft_stream_open(all, &s->client, weft_ignore);
    weft_stream_open(all, &s->server, weft_ignore);
    s->left = 2;
    weft_accept(all, &s->accept, &s->listen, &s->server, scenario_accepted);
    weft_connect_address(all, &s->connect, &s->client, &s->listen.address, scenario_connected);
}

static inline void scenario_begin(struct weft_op *all)
{
    struct scenario *s = scenario_of(all);
    struct weft_loop *loop = weft_loop_of(all);
    scenario_sockets(all);
    s->lookup.flags = AI_NUMERICHOST;
    weft_lookup(all, &s->lookup, "127.0.0.1", NULL, weft_ignore);
    weft_file_save(all, &s->save, s->file, "text", 4, scenario_saved);
    for (size_t i = 0; i < SCENARIO_TASKS; i++)
        weft_queue_push(&s->queue, all, &s->tasks[i], finish_at_once, weft_ignore);
    weft_promise(all, &s->promise, scenario_promise);
    weft_await(all, &s->await, &s->promise, weft_ignore);
    weft_sleep(all, &s->nap, 2, weft_ignore);
    weft_ticker(all, &s->ticker, 1, scenario_tick, weft_ignore);
    weft_timer_start(loop, &s->timer, 1, scenario_fired);
    weft_work(all, &s->work, scenario_work, weft_ignore);
    weft_join(all);
}

/* On a loop of its own; file is written and read. */
static inline void scenario_run(struct scenario *s, const char *file)
{
    memset(s, 0, sizeof *s);
    s->file = file;
    world_up(&s->w);
    assert_int_equal(weft_queue_init(&s->queue, &s->w.loop, 3), 0);
    weft_run(weft_root(&s->w.loop), &s->all, scenario_begin, weft_ignore);
    assert_int_equal(world_run(&s->w), 0);
    weft_file_read_free(&s->load);
    weft_lookup_free(&s->lookup);
    assert_int_equal(weft_promise_close(&s->promise), 0);
    assert_int_equal(weft_queue_close(&s->queue), 0);
    world_close(&s->w);
}

#endif
