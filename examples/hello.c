/* hello: one operation.
 *
 * The smallest program: an operation is begun, waits a moment, and finishes. Its struct is ours,
 * the op is a member of it, and weft_owner leads from the one to the other. */
#include <weft.h>

struct greeting {
    struct weft_op op;
    struct weft_sleep pause;
    const char *name;
};

static void pause_over(struct weft_op *op, struct weft_op *pause)
{
    printf("hello, %s\n", weft_owner(op, struct greeting, op)->name);
    weft_finish(op, pause->status);
}

static void greet(struct weft_op *op)
{
    struct greeting *greeting = weft_owner(op, struct greeting, op);
    weft_sleep(op, &greeting->pause, 10, pause_over);
    printf("one moment ...\n"); /* pause_over never runs before this: then comes on a later turn */
}

int main(void)
{
    struct greeting greeting = {.name = "world"};
    return weft_go(&greeting.op, greet) != 0;
}
