/* main() in one line: one operation on a loop of its own, to its end. */
#include "op.h"
#include "weft/sim.h"

struct go {
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    bool simulated;
    int status;
};

static int run(struct go *go)
{
    return go->simulated ? weft_sim_run(&go->sim) : weft_loop_run(&go->loop);
}

static void op_over(struct weft_op *root, struct weft_op *op)
{
    weft_owner(root, struct go, loop.root)->status = op->status;
}

/* A leaf that nothing but its own begin keeps open; NULL: there is none. blame: any leaf. */
static struct weft_op *find_leaf(struct weft_op *root, struct weft_op **blame)
{
    for (struct weft_op *op = root; (op = op_walk(op, root, true)) != NULL;) {
        if (op->running_ != 0 || op->flags_ & OP_ATTENDANT)
            continue;
        *blame = op;
        if (!(op->flags_ & OP_WORKS))
            return op;
    }
    return NULL;
}

/* Everything was cancelled, and still something runs. An op that is finished by hand has nobody
 * left who would: it is finished here, from the leaves up. Work that has not let go keeps its
 * storage; if there is only such, nothing will ever change that: then going on would be a lie. */
static void give_up(struct go *go)
{
    go->loop.stuck_to = NULL; /* it was told */
    while (run(go) != 0) {
        struct weft_op *blame = &go->loop.root, *op = find_leaf(&go->loop.root, &blame);
        RULE(2, op != NULL, blame, "an op was begun that nothing finishes");
        weft_finish(op, WEFT_ESTUCK);
    }
}

/* The loops are there: run op to its end, and close them. */
static int go_on(struct go *go, const struct weft_site *site, struct weft_op *op,
                 weft_begin_fn *begin)
{
    uv_update_time(&go->uv); /* making the loop took a moment: not out of op's first sleep */
    weft_run_at(site, &go->loop.root, op, begin, op_over);
    if (run(go) != 0) {
        weft_cancel(&go->loop.root, WEFT_ESTUCK);
        give_up(go);
        go->status = WEFT_ESTUCK; /* whatever op made of it */
    }
    if (go->simulated)
        weft_sim_close(&go->sim);
    RULE(2, weft_loop_close(&go->loop) == 0, &go->loop.root, "something outlives the last op");
    uv_run(&go->uv, UV_RUN_DEFAULT);
    int err = uv_loop_close(&go->uv);
    return go->status != 0 ? go->status : err;
}

static int make_loops(struct go *go)
{
    int err = uv_loop_init(&go->uv);
    if (err != 0)
        return err;
    err = weft_loop_init(&go->loop, &go->uv);
    if (err != 0)
        uv_loop_close(&go->uv);
    return err;
}

int weft_go_at(const struct weft_site *site, struct weft_op *op, weft_begin_fn *begin)
{
    struct go go = {.status = WEFT_ESTUCK};
    if (op == NULL || begin == NULL)
        return UV_EINVAL;
    int err = make_loops(&go);
    return err != 0 ? err : go_on(&go, site, op, begin);
}

int weft_sim_go_at(const struct weft_site *site, struct weft_op *op, weft_begin_fn *begin,
                   uint64_t seed)
{
    struct go go = {.status = WEFT_ESTUCK, .simulated = true};
    if (op == NULL || begin == NULL)
        return UV_EINVAL;
    int err = make_loops(&go);
    if (err != 0)
        return err;
    weft_sim_init(&go.sim, &go.loop, seed);
    return go_on(&go, site, op, begin);
}
