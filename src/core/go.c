/* main() in one line: one operation on a loop of its own, to its end. */
#include "op.h"
#include "weft/timer.h"

struct go {
    uv_loop_t uv;
    struct weft_loop loop;
    int status;
};

static void op_over(struct weft_op *root, struct weft_op *op)
{
    weft_owner(root, struct go, loop.root)->status = op->status;
}

/* Everything was cancelled, and still something runs. An op that is finished by hand has nobody
 * left who would: it is finished here, from the leaves up. Work that has not let go keeps its
 * storage, and nothing will ever change that: then going on would be a lie. */
static void give_up(struct weft_loop *loop)
{
    loop->stuck_to = NULL; /* it was told */
    while (weft_loop_run(loop) != 0) {
        struct weft_op *op = &loop->root;
        while (op->running_ != 0)
            op = op->child_;
        RULE(2, !(op->flags_ & OP_WORKS), op, "an op was begun that nothing finishes");
        weft_finish(op, WEFT_ESTUCK);
    }
}

int weft_go_at(const struct weft_site *site, struct weft_op *op, weft_begin_fn *begin)
{
    struct go go = {.status = WEFT_ESTUCK};
    if (op == NULL || begin == NULL)
        return UV_EINVAL;
    int err = uv_loop_init(&go.uv);
    if (err != 0)
        return err;
    err = weft_loop_init(&go.loop, &go.uv);
    if (err != 0) {
        uv_loop_close(&go.uv);
        return err;
    }
    weft_run_at(site, &go.loop.root, op, begin, op_over);
    if (weft_loop_run(&go.loop) != 0) {
        weft_cancel(&go.loop.root, WEFT_ESTUCK);
        give_up(&go.loop);
        go.status = WEFT_ESTUCK; /* whatever op made of it */
    }
    RULE(2, weft_loop_close(&go.loop) == 0, &go.loop.root, "something outlives the last op");
    uv_run(&go.uv, UV_RUN_DEFAULT);
    err = uv_loop_close(&go.uv);
    return go.status != 0 ? go.status : err;
}
