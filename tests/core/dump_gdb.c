/* A program to be looked at by a debugger: tests/self/gdb.sh runs it with WEFT_WAIT_FOR_GDB set.
 * ctest: shuffle=no */
#include "loop.h"
#include <stdlib.h>
#include <unistd.h>
#include <weft/queue.h>
#include <weft/timer.h>

struct shop {
    struct weft_op op, sales[6], asked, obeys, tasks[2];
    struct weft_queue queue;
    struct weft_sleep nap, long_nap;
};

static void wait_to_be_looked_at(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
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

static void shop_begin(struct weft_op *op)
{
    struct shop *shop = weft_owner(op, struct shop, op);
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
    static uv_timer_t timer;
    alarm(100);
    world_up(&w);
    uv_timer_init(&w.uv, &timer);
    uv_unref((uv_handle_t *)&timer);
    weft_run(weft_root(&w.loop), &shop.op, shop_begin, NULL);
    weft_loop_run(&w.loop);
}
