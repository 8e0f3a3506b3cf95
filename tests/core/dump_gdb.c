/* A program to be looked at by a debugger: tests/self/gdb.sh runs it with WEFT_WAIT_FOR_GDB set. It
 * has something of all that a dump tells, dumps itself, and stops there.
 * ctest: shuffle=no */
#include "loop.h"
#include <stdlib.h>
#include <unistd.h>
#include <weft/batch.h>
#include <weft/dns.h>
#include <weft/hook.h>
#include <weft/lazy.h>
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct shop {
    struct weft_op op, sales[6], asked, stopped, obeys, tasks[2], calls[2], parents[7], children[7];
    struct weft_queue queue;
    struct weft_lane lane;
    struct weft_sleep nap, long_nap, opening;
    struct weft_lazy lazy, by_hand;
    struct weft_batch batch;
    struct weft_batch_ask ask, other;
    struct weft_handle bells[3];
    struct weft_lookup lookup;
    struct weft_timer timer;
    struct weft_post post;
};

static void never(struct weft_timer *timer)
{
    (void)timer;
}

static void nor_this(struct weft_post *post)
{
    (void)post;
}

/* In one go: the request that the cancel leaves behind would come back on the next turn. */
static void wait_to_be_looked_at(struct weft_op *parent, struct weft_op *op)
{
    struct shop *shop = weft_owner(parent, struct shop, op);
    (void)op;
    weft_lookup(parent, &shop->lookup, "localhost", NULL, weft_ignore);
    weft_cancel(&shop->lookup.op, UV_ECANCELED);
    weft_dump(weft_loop_of(parent), stdout);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

static void sell(struct weft_op *op)
{
    (void)op; /* finished by hand */
}

static void obey(struct weft_op *op)
{
    weft_on_cancel(op, weft_finish);
}

static void open_shop(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct shop, lazy.promise.op)->opening, 100000, weft_pass);
}

static void have_a_child(struct weft_op *op)
{
    struct shop *shop = weft_owner(op->parent, struct shop, op);
    weft_run(op, &shop->children[op - shop->parents], sell, NULL);
}

static void begin_recipes(struct shop *shop)
{
    shop->lazy = (struct weft_lazy){.owner = &shop->op, .begin = open_shop};
    shop->by_hand = (struct weft_lazy){.owner = &shop->op, .begin = open_shop, .by_hand = true};
    shop->batch = (struct weft_batch){.owner = &shop->op, .load = sell};
    assert_int_equal(weft_lazy_open(&shop->lazy), 0);
    assert_int_equal(weft_lazy_open(&shop->by_hand), 0);
    assert_int_equal(weft_batch_open(&shop->batch), 0);
    weft_lazy_run(&shop->op, &shop->calls[0], &shop->lazy, sell, NULL);
    weft_lazy_run(&shop->op, &shop->calls[1], &shop->by_hand, sell, NULL);
    weft_batch_ask(&shop->op, &shop->ask, &shop->batch, weft_text_of("books\n and more"), NULL);
    weft_batch_ask(&shop->op, &shop->other, &shop->batch,
                   weft_text_of("a key that is longer than what is shown of one in a dump"), NULL);
}

static void begin_what_is_no_op(struct shop *shop)
{
    struct weft_loop *loop = weft_loop_of(&shop->op);
    for (int i = 0; i < 3; i++)
        weft_handle_open(&shop->op, &shop->bells[i], 0, "bell", WEFT_USER, &shop->bells[i]);
    weft_timer_start(loop, &shop->timer, 100000, never);
    weft_post_init(loop, &shop->post, nor_this);
}

static void shop_begin(struct weft_op *op)
{
    struct shop *shop = weft_owner(op, struct shop, op);
    begin_recipes(shop);
    begin_what_is_no_op(shop);
    for (int i = 0; i < 7; i++)
        weft_run(op, &shop->parents[i], have_a_child, NULL);
    weft_run(op, &shop->stopped, NULL, NULL);
    weft_cancel(&shop->stopped, WEFT_ESTOPPED);
    weft_queue_init(&shop->queue, weft_loop_of(op), 1);
    for (int i = 0; i < 2; i++)
        weft_queue_push(&shop->queue, op, &shop->tasks[i], sell, NULL);
    weft_run(op, &shop->obeys, obey, NULL);
    for (int i = 0; i < 6; i++)
        weft_run(op, &shop->sales[i], sell, NULL);
    weft_run(op, &shop->asked, NULL, NULL);
    weft_cancel(&shop->asked, UV_ETIMEDOUT);
    weft_sleep(op, &shop->long_nap, 100000, NULL);
    weft_sleep(op, &shop->nap, 1, wait_to_be_looked_at);
}

TEST(waits_for_a_debugger_when_asked_to)
{
    if (getenv("WEFT_WAIT_FOR_GDB") == NULL)
        return;
    static struct world w;
    static struct shop shop;
    static struct weft_hook looks;
    static uv_timer_t timer;
    static uv_pipe_t pipe;
    static uv_async_t closing;
    alarm(100);
    world_up(&w);
    weft_hook_enable(&w.loop, &looks);
    uv_timer_init(&w.uv, &timer);
    uv_unref((uv_handle_t *)&timer);
    uv_pipe_init(&w.uv, &pipe, 0);
    uv_pipe_open(&pipe, STDIN_FILENO);
    uv_async_init(&w.uv, &closing, NULL);
    weft_run(weft_root(&w.loop), &shop.op, shop_begin, NULL);
    weft_loop_run(&w.loop);
}
