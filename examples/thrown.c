/* thrown: an error that escapes, and who hears of it.
 *
 * A callback may fail in a way that it has nobody to tell of: there is no status to return, no
 * then to call. It throws. The loop's on_uncaught hears of it, with the operation that it
 * happened to, and the hooks are told how the callback ended. Without an on_uncaught the process
 * would end there, with the place and the chain of operations above it: an error is never lost in
 * silence. */
#include <weft.h>
#include <weft/hook.h>
#include <weft/sim.h>

static struct weft_ticker ticker;

static void tick(struct weft_op *op)
{
    printf("tick %d\n", (int)ticker.ticks);
    if (ticker.ticks == 2)
        weft_throw(UV_EIO, "the disk is on fire"); /* goes on: there is no jump */
    if (ticker.ticks == 3)
        weft_end(op, 0);
}

static void uncaught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop;
    printf("  uncaught: %s (%s), in a callback of the %s\n", text, weft_strerror(err),
           op == &ticker.op ? "ticker" : "unknown");
}

static void post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook;
    if (id == weft_id(&ticker.op))
        printf("  post: %s\n", outcome == 0 ? "fine" : weft_strerror(outcome));
}

static struct weft_hook hook = {.post = post};

static void begin(struct weft_op *op)
{
    weft_loop_of(op)->on_uncaught = uncaught;
    weft_hook_enable(weft_loop_of(op), &hook);
    weft_ticker(op, &ticker, 10, tick, weft_pass);
}

int main(void)
{
    struct weft_op app = {0};
    return weft_sim_go(&app, begin, 0) != 0;
}
