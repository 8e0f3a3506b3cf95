/* What the conformance suite's hook finds: providers that hooks would be told wrong things of.
 * ctest: shuffle=no needs=hooks */
#include "provider.h"
#include <weft/hook.h>
#include <weft/timer.h>

/* A sleep with a callback half way, and a handle of its own. */
enum fault { NO_FAULT, CALLS_TWICE, LEAVES_A_HANDLE_OPEN, OPENS_UNDER_A_STRANGER };

struct nap {
    struct weft_op op;
    bool given;
    struct weft_handle handle;
    struct weft_timer timer;
};

static enum fault fault;

static void end(struct nap *nap, int status)
{
    if (fault != LEAVES_A_HANDLE_OPEN)
        weft_handle_close(&nap->handle);
    weft_finish(&nap->op, status);
}

static void call(struct nap *nap)
{
    struct weft_frame frame;
    weft_enter(&frame, &nap->op, NULL);
    weft_leave(&frame);
}

static void due(struct weft_timer *timer)
{
    struct nap *nap = weft_owner(timer, struct nap, timer);
    struct weft_frame frame;
    weft_handle_enter(&frame, &nap->handle, NULL);
    weft_leave(&frame);
    if (fault == CALLS_TWICE)
        call(nap);
    end(nap, 0);
}

static void cancelled(struct weft_op *op, int reason)
{
    struct nap *nap = weft_owner(op, struct nap, op);
    weft_timer_stop(weft_loop_of(op), &nap->timer);
    end(nap, reason);
}

static void begin(struct weft_op *op)
{
    struct nap *nap = weft_owner(op, struct nap, op);
    if (!nap->given) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    weft_handle_open(op, &nap->handle, fault == OPENS_UNDER_A_STRANGER ? 77 : 0, "half", WEFT_USER,
                     nap);
    weft_timer_start(weft_loop_of(op), &nap->timer, 1, due);
    weft_on_cancel(op, cancelled);
}

static void good(void *storage)
{
    ((struct nap *)storage)->given = true;
}

static struct weft_provider provider = {
    .name = "nap",
    WEFT_PROVIDER_OP(struct nap, op),
    .begin = begin,
    .good = good,
    .nothing_status = UV_EINVAL,
};

static void check_it(void)
{
    provider_check(&provider);
}

static void found(enum fault chosen, const char *words)
{
    fault = chosen;
    provider.flags = 0;
    dies(check_it, "provider nap", "loop with a hook", words);
}

TEST(a_provider_with_a_handle_of_its_own_passes)
{
    fault = NO_FAULT;
    provider.flags = 0;
    provider_check(&provider);
}

TEST(a_request_that_has_two_callbacks_is_found)
{
    found(CALLS_TWICE, "a request has a second callback");
}

TEST(an_op_that_says_that_it_is_a_handle_may_have_several)
{
    fault = CALLS_TWICE;
    provider.flags = WEFT_PROVIDER_HANDLE;
    provider_check(&provider);
}

TEST(a_handle_that_is_not_closed_is_found)
{
    found(LEAVES_A_HANDLE_OPEN, "it was never destroyed");
}

TEST(a_parent_that_is_none_is_found)
{
    found(OPENS_UNDER_A_STRANGER, "its parent is not open");
}
