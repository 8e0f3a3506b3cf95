/* Deferral: "next tick" and "immediate".
 *
 * A tick is an op with nothing to do: what is finished at once reports on the ready queue's next
 * turn. An immediate waits on a list of its own that the loop moves over after each poll, so that
 * a chain of them takes one loop iteration a link. */
#include "handles.h"
#include "op.h"

void weft_tick_begin(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void immediate_cancel(struct weft_op *op, int reason)
{
    wait_unlink(op, &op->loop_->later_tail_);
    weft_finish(op, reason);
}

void weft_immediate_begin(struct weft_op *op)
{
    struct weft_loop *loop = op->loop_;
    wait_append(op, &loop->later_tail_);
    if (!loop->awake_)
        weft__wake(loop);
    weft_on_cancel(op, immediate_cancel);
}

/* A finish calls nobody, so none is added meanwhile. */
void weft__immediates_in(struct weft_loop *loop)
{
    while (loop->later_ != NULL) {
        struct weft_op *op = loop->later_;
        wait_unlink(op, &loop->later_tail_);
        weft_finish(op, 0);
    }
}
