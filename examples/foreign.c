/* foreign: a callback API of somebody else's becomes an operation.
 *
 * uv_random fills a buffer on the thread pool and calls back. Two functions, fourteen lines, make it
 * an op: begin starts it, the callback finishes it. Seven lines more, entropy_cancel, let a cancel
 * stop it; without them a cancel waits for the callback. That is all: it can be raced, retried,
 * queued, given a deadline. And because a promise is only worth what was tested, the conformance
 * suite that weft's own operations pass is run on it. */
#include <weft.h>
#include <weft/provider.h>

struct entropy {
    struct weft_op op;
    uv_random_t request;
    unsigned char bytes[16];
};

static void entropy_there(uv_random_t *request, int status, void *bytes, size_t size)
{
    struct weft_op *op = &weft_owner(request, struct entropy, request)->op;
    (void)bytes, (void)size;
    weft_finish(op, status == UV_ECANCELED ? weft_cancelled(op) : status);
}

static void entropy_cancel(struct weft_op *op, int reason)
{
    (void)reason; /* it comes back through the callback, which is called in any case */
    uv_cancel((uv_req_t *)&weft_owner(op, struct entropy, op)->request);
}

static void entropy_begin(struct weft_op *op)
{
    struct entropy *it = weft_owner(op, struct entropy, op);
    int err = uv_random(weft_loop_of(op)->uv, &it->request, it->bytes, sizeof it->bytes, 0,
                        entropy_there);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_on_cancel(op, entropy_cancel);
}

/* ---- tested --------------------------------------------------------------------------------- */

static void good(void *storage)
{
    (void)storage; /* it needs no inputs */
}

static const struct weft_provider provider = {
    .name = "entropy",
    WEFT_PROVIDER_OP(struct entropy, op),
    .begin = entropy_begin,
    .good = good,
    .flags = WEFT_PROVIDER_AWAITS, /* a cancel may come too late: then it simply succeeds */
};

int main(void)
{
    struct entropy entropy = {0};
    int status = weft_go(&entropy.op, entropy_begin);
    static const unsigned char zeroes[sizeof entropy.bytes];
    bool random = memcmp(entropy.bytes, zeroes, sizeof zeroes) != 0;
    printf("16 bytes: %s, %s\n", weft_strerror(status), random ? "random" : "all 0");
    bool conforms = weft_provider_check(&provider, stderr) == 0;
    printf("the conformance suite: %s\n", conforms ? "passed" : "failed");
    return status != 0 || !conforms;
}
