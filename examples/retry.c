/* retry: a server that is down for a while, asked again and again with growing pauses.
 *
 * The task knows nothing of being repeated. `again` says what is worth another try: a server that
 * is down may come back, a password that is wrong stays wrong. weft_sim_go is weft_go on a virtual
 * clock, as tests have it: half a minute of pauses takes no time at all. */
#include <weft.h>
#include <weft/sim.h>

struct call {
    struct weft_op op;
    struct weft_retry retry;
    struct weft_op task;
    int failures, failure; /* how often it fails, and how */
};

static void ask_server(struct weft_op *op)
{
    struct call *call = weft_owner(op, struct call, task);
    int status = call->failures-- > 0 ? call->failure : 0;
    printf("%6.1f s: %s\n", (double)weft_now(weft_loop_of(op)) / 1000, weft_strerror(status));
    weft_finish(op, status);
}

static bool is_worth_a_try(const struct weft_op *task)
{
    return task->status == UV_ECONNREFUSED;
}

static void call_begin(struct weft_op *op)
{
    struct call *call = weft_owner(op, struct call, op);
    call->retry.again = is_worth_a_try;
    call->retry.max_ms = 3000;
    weft_retry(op, &call->retry, &call->task, ask_server, 6, 500, weft_pass);
}

static void try_it(struct call call)
{
    int status = weft_sim_go(&call.op, call_begin, 0);
    printf("tries: %u, in the end: %s\n", call.retry.tries, weft_strerror(status));
}

int main(void)
{
    try_it((struct call){.failures = 4, .failure = UV_ECONNREFUSED});
    try_it((struct call){.failures = 100, .failure = UV_ECONNREFUSED});
    try_it((struct call){.failures = 100, .failure = UV_EACCES});
    return 0;
}
