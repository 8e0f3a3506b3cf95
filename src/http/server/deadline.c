/* The times of a connection, on one timer that is almost never touched.
 *
 * A connection waits for one thing at a time (due), and its request as a whole has a time too
 * (request_due). A request that is answered at once changes due with every turn, but only as a
 * number: the timer stays armed for an earlier moment, wakes, finds that there is time, and goes to
 * sleep until the moment that counts now. It is started anew only for a moment that lies before the
 * one it is armed for. So thousands of requests a second cost a timer a minute. */
#include "server.h"
#include <sys/ioctl.h>

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static weft_fire_fn fired;

static void arm(struct weft_http_connection *c, uint64_t at)
{
    struct weft_loop *loop = weft_loop_of(&c->op);
    uint64_t now = weft_now(loop);
    c->armed = at;
    weft_timer_start(loop, &c->timer, at > now ? at - now : 0, fired);
}

static uint64_t moment(const struct weft_http_connection *c, uint64_t ms)
{
    uint64_t now = weft_now(weft_loop_of(&c->op));
    return ms < WEFT_HTTP_NEVER - now ? now + ms : WEFT_HTTP_NEVER;
}

void weft__http_due(struct weft_http_connection *c, uint64_t ms)
{
    c->due = ms != WEFT_HTTP_NEVER ? moment(c, ms) : WEFT_HTTP_NEVER;
    if (c->due < c->armed)
        arm(c, c->due);
}

void weft__http_request_due(struct weft_http_connection *c, uint64_t ms)
{
    c->request_due = ms != WEFT_HTTP_NEVER ? moment(c, ms) : WEFT_HTTP_NEVER;
    if (c->request_due < c->armed)
        arm(c, c->request_due);
}

/* How many bytes the client has taken in all. What waits in the kernel is not with the client yet,
 * where the kernel can be asked; and without asking a slow one that reads would look like one that
 * does not, for the kernel wants more only when a good part of its buffer is free. */
static uint64_t taken(const struct weft_http_connection *c)
{
    int waiting = 0;
    if (ioctl(weft_stream_fd(&c->stream), TIOCOUTQ, &waiting) != 0)
        waiting = 0;
    return c->given - c->stream.waiting - (uint64_t)waiting;
}

void weft__http_taken_back(struct weft_http_connection *c, size_t size)
{
    c->given -= size;
}

void weft__http_given(struct weft_http_connection *c, size_t size)
{
    c->given += size;
    if (c->stream.waiting == 0 || c->due != WEFT_HTTP_NEVER)
        return;
    c->taken = taken(c);
    weft__http_due(c, c->server->write_ms);
}

/* The client has not taken anything for a while, or it has and gets another while. */
static void look_at_writes(struct weft_http_connection *c)
{
    uint64_t before = c->taken;
    c->taken = taken(c);
    if (c->stream.waiting > 0 && c->taken == before)
        weft__http_connection_cut(c, UV_ETIMEDOUT);
    else if (c->stream.waiting > 0)
        weft__http_due(c, c->server->write_ms);
}

static void late_in_request(struct weft_http_connection *c, uint64_t now)
{
    struct weft_http_exchange *x = c->exchange;
    if (now >= c->request_due) {
        c->request_due = WEFT_HTTP_NEVER;
        weft_cancel(&x->request->op, UV_ETIMEDOUT);
    } else if (x->reader != NULL) {
        x->late = true;
        weft_cancel(&x->request->op, UV_ETIMEDOUT);
    } else {
        look_at_writes(c);
    }
}

/* While a request is awaited its read is cancelled, and what is to be done is done in the then of
 * that: bytes may have come in this very moment. */
static void late(struct weft_http_connection *c, uint64_t now)
{
    switch (c->phase) {
    case PHASE_HEAD:
        c->exchange->late = true; /* also if the read has won: 408 */
        weft_cancel(&c->read.op, UV_ETIMEDOUT);
        break;
    case PHASE_IDLE:
        weft_cancel(&c->read.op, UV_ETIMEDOUT);
        break;
    case PHASE_REQUEST:
        late_in_request(c, now);
        break;
    case PHASE_DISCARD:
    case PHASE_LINGER:
        weft_end(&c->op, UV_ETIMEDOUT);
        break;
    }
}

static void fired(struct weft_timer *timer)
{
    struct weft_http_connection *c = weft_owner(timer, struct weft_http_connection, timer);
    uint64_t now = weft_now(weft_loop_of(&c->op)), at = earlier(c->due, c->request_due);
    c->armed = WEFT_HTTP_NEVER;
    if (now >= at) {
        c->due = now >= c->due ? WEFT_HTTP_NEVER : c->due;
        late(c, now);
        at = earlier(c->due, c->request_due);
    }
    if (at < c->armed)
        arm(c, at);
}
