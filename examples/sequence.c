/* sequence: three tasks that take time, all at once and in sequence.
 *
 * Called like ordinary functions the three steps all begin, and the quickest is done first: that is
 * weft_parallel, and right when the order does not matter. In a weft_series each begins when the
 * one before it is over. The steps are the same: they know nothing of what comes next.
 * (weft_sim_go is weft_go on a virtual clock, where sleeping takes no time.) */
#include <weft.h>
#include <weft/sim.h>

static struct weft_sleep work[3];

static void completed(struct weft_op *op, struct weft_op *step)
{
    (void)op;
    printf("    completed: step %td\n", weft_owner(step, struct weft_sleep, op) - work + 1);
}

static void step_one(struct weft_op *op)
{
    printf("executing: step 1\n");
    weft_sleep(op, &work[0], 500, completed);
}

static void step_two(struct weft_op *op)
{
    printf("executing: step 2\n");
    weft_sleep(op, &work[1], 100, completed);
}

static void step_three(struct weft_op *op)
{
    printf("executing: step 3\n");
    weft_sleep(op, &work[2], 200, completed);
}

int main(void)
{
    struct weft_parallel all = {.steps = WEFT_STEPS(step_one, step_two, step_three)};
    struct weft_series sequence = {.steps = WEFT_STEPS(step_one, step_two, step_three)};
    printf("all at once:\n");
    int status = weft_sim_go(&all.op, weft_parallel_begin, 0);
    printf("in sequence:\n");
    return status != 0 || weft_sim_go(&sequence.op, weft_series_begin, 0) != 0;
}
