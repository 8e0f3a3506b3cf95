/* open: what is open, what it waits for, and what was never finished.
 *
 * A kitchen with two cooks and four orders. One cook goes home and says nothing: nobody finishes
 * the soup, and so the kitchen never closes. No status and no callback tells, because nothing
 * happens any more. The loop knows: weft_dump shows the tree of all that is open, for how long, and
 * where it was begun; weft_leaks counts it by place.
 *
 * In a program that is running already no line has to be added: WEFT_DUMP=USR2 in its environment
 * and that signal do the first, WEFT_LEAKS=1 the second when it ends. The clock is a virtual one
 * here, so that the ages are always the same. */
#include <weft.h>
#include <weft/dump.h>
#include <weft/sim.h>

enum { ORDERS = 4, SOUP = 1, LOOK_MS = 150 };

static struct order {
    struct weft_op op;
    struct weft_sleep cooking;
} orders[ORDERS];
static struct weft_queue cooks;
static struct weft_op kitchen;
static struct weft_sleep until_we_look;

static void go_home(struct weft_op *order, struct weft_op *cooking)
{
    (void)order, (void)cooking; /* weft_finish(order, 0) was forgotten */
}

static void cook(struct weft_op *op)
{
    struct order *order = weft_owner(op, struct order, op);
    weft_sleep(op, &order->cooking, 100, order == &orders[SOUP] ? go_home : weft_pass);
}

static void look(struct weft_op *op, struct weft_op *sleep)
{
    (void)sleep;
    printf("after %d ms\n", LOOK_MS);
    weft_dump(weft_loop_of(op), stdout);
}

static void open_kitchen(struct weft_op *op)
{
    weft_queue_init(&cooks, weft_loop_of(op), 2);
    for (int i = 0; i < ORDERS; i++)
        weft_queue_push(&cooks, op, &orders[i].op, cook, NULL);
    weft_sleep(op, &until_we_look, LOOK_MS, look);
    weft_join(op);
}

int main(void)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    if (uv_loop_init(&uv) != 0 || weft_loop_init(&loop, &uv) != 0)
        return 1;
    weft_sim_init(&sim, &loop, 0);
    weft_leaks_watch(&loop);
    loop.stuck_to = stdout;
    weft_run(weft_root(&loop), &kitchen, open_kitchen, NULL);

    printf("\nit ends: %s\n", weft_strerror(weft_loop_run(&loop)));
    weft_leaks(stdout);

    weft_finish(&orders[SOUP].op, 0); /* now somebody does */
    int status = weft_loop_run(&loop);
    weft_sim_close(&sim);
    weft_loop_close(&loop);
    printf("\nand now: %s, %d left over\n", weft_strerror(status), (int)weft_leaks(stdout));
    uv_run(&uv, UV_RUN_DEFAULT);
    return uv_loop_close(&uv) != 0;
}
