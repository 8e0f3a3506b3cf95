/* million: a million tasks that are done at once, with a stack of a few kilobytes.
 *
 * Each task finishes in the call that begins it. Where callbacks call callbacks that is a million
 * frames, or a loop that nothing gets into. Here `then` always comes from the loop: the stack stays
 * where it is, and the clock beside it goes on ticking. */
#include <weft.h>

enum { TASKS = 1000 * 1000 };

static struct weft_op app;
static struct weft_each each;
static struct weft_ticker clock_beside;
static struct { /* one slot: the tasks come one after the other */
    struct weft_op op;
} slot[1];
static char *lowest, *highest;

static void task(struct weft_op *op)
{
    char *here = __builtin_frame_address(0);
    if (lowest == NULL || here < lowest)
        lowest = here;
    if (here > highest)
        highest = here;
    weft_finish(op, 0);
}

static void tick(struct weft_op *op)
{
    (void)op;
}

static void begin(struct weft_op *op)
{
    weft_ticker(op, &clock_beside, 1, tick, NULL);
    weft_times(op, &each, WEFT_SLOTS(slot, op), TASKS, task, NULL, weft_pass);
}

int main(void)
{
    int status = weft_go(&app, begin);
    printf("a million tasks: %s\n", weft_strerror(status));
    printf("stack: %s\n", highest - lowest < 4096 ? "less than 4 kB" : "it has grown");
    printf("the clock: %s\n", clock_beside.ticks > 0 ? "it ticked meanwhile" : "it was held up");
    return status != 0;
}
