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
        weft_loop_run(&go.loop);
        RULE(2, go.loop.root.running_ == 0, &go.loop.root, "ops were begun that nothing finishes");
    }
    RULE(2, weft_loop_close(&go.loop) == 0, &go.loop.root, "something outlives the last op");
    uv_run(&go.uv, UV_RUN_DEFAULT);
    err = uv_loop_close(&go.uv);
    return go.status != 0 ? go.status : err;
}
