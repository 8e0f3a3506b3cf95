/* A provider whose storage is used again at once. */
#include "stage.h"

enum { REUSES = 6 };

/* Good, cancelled, good, cancelled: what a cancelled run has left behind must not reach the next
 * one in the same storage. */
static void reuse(struct weft_op *root, struct weft_op *op)
{
    look_at(op);
    if (at.over == REUSES) {
        storage_drop(storage_of(op));
        return;
    }
    at.provider->good(storage_of(op));
    expect(0);
    at.calling++;
    weft_run(root, op, begin_watched, reuse);
    at.calling--;
    if (at.over % 2 == 1)
        cancel_and_expect(op, UV_EINTR);
}

void weft__test_storage(void)
{
    open_stage("used again in its own then");
    void *storage = storage_make(at.provider->good);
    at.calling++;
    weft_run(&at.loop.root, op_of(storage), begin_watched, reuse);
    at.calling--;
    drive(REUSES);
    shut_stage();
}
