/* rate: no more than two requests a second, and a stop that lets the line finish.
 *
 * Two limits that have nothing to do with each other: how many run at once (here as many as like)
 * and how many begin in a time. After weft_queue_stop nobody is let in any more, but who stood in
 * line is served. The seconds are virtual: see weft_sim_go. */
#include <weft.h>
#include <weft/sim.h>

enum { REQUESTS = 7 };

struct request {
    struct weft_op op;
    struct weft_sleep work;
    int number;
};
static struct weft_op app;
static struct weft_queue queue;
static struct request requests[REQUESTS], late;

static void serve(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    double seconds = (double)weft_now(weft_loop_of(op)) / 1000;
    printf("%.1f s: request %d\n", seconds, request->number);
    weft_sleep(op, &request->work, 5000, weft_pass);
}

static void late_over(struct weft_op *op, struct weft_op *request)
{
    (void)op;
    printf("the late one: %s\n", weft_strerror(request->status));
}

static void begin(struct weft_op *op)
{
    weft_queue_init(&queue, weft_loop_of(op), UINT_MAX);
    weft_queue_rate(&queue, 2, 1000, 3); /* two a second, three of them at once if it was quiet */
    for (int i = 0; i < REQUESTS; i++) {
        requests[i].number = i + 1;
        weft_queue_push(&queue, op, &requests[i].op, serve, NULL);
    }
    weft_queue_stop(&queue);
    weft_queue_push(&queue, op, &late.op, serve, late_over);
    weft_join(op);
}

int main(void)
{
    return weft_sim_go(&app, begin, 0) != 0;
}
