/* Connecting: a lookup, then a race of attempts with a staggered start (RFC 8305).
 *
 *     connect ──► lookup ──► attempts_: one block on the heap ──► the winner's descriptor goes to
 *        │                     attempt 0 ──┐                       the stream, the block is freed
 *        └── numeric ────────► attempt 1   ├─ first to succeed wins, the others are cancelled
 *                              …         ──┘
 *
 * Each attempt is a child of the connect, with a socket and a handle of its own. The next one
 * starts when stagger_ms have passed since the last start, or at once when one has failed. The
 * connect ends in one place, conclude, when no child is left; until then it has a claim on the
 * stream, which waits for it before it ends. So cancelling the connect, or closing the stream, at
 * any point comes down to cancelling the children.
 *
 * Invariants: while attempts_ is set an attempt is running; the timer runs only while attempts_ is
 * set; the stream is touched only in conclude, and only if the connect was not cancelled. */
#include "address.h"
#include "stream.h"
#include "weft/alloc.h"
#include <errno.h>
#include <unistd.h>

struct attempt {
    struct weft_op op;
    struct weft_address address;
    int fd; /* connected, if it has succeeded */
    int result;
    struct weft_watch watch;
};

struct weft_attempts {
    struct weft_connect *connect;
    struct weft_timer timer;
    struct attempt *winner;
    size_t count, next;
    int error;
    struct attempt list[];
};

/* ---- one attempt ---------------------------------------------------------------------------- */

static void attempt_closed(uv_handle_t *handle)
{
    struct attempt *a = weft_owner((uv_poll_t *)handle, struct attempt, watch.poll_);
    weft_finish(&a->op, a->result);
}

/* Its outcome is known; it finishes when libuv has let go of the handle. */
static void settle(struct attempt *a, int result)
{
    weft_on_cancel(&a->op, NULL);
    a->result = result;
    a->fd = a->watch.fd_;
    weft__watch_close(&a->watch, result == 0, attempt_closed);
}

static void attempt_cancel(struct weft_op *op, int reason)
{
    settle(weft_owner(op, struct attempt, op), reason);
}

static void attempt_polled(uv_poll_t *poll, int status, int events)
{
    struct attempt *a = weft_owner(poll, struct attempt, watch.poll_);
    (void)events;
    int err = weft__socket_error(a->watch.fd_);
    settle(a, err != 0 ? err : status);
}

/* 0: connected. 1: under way. Otherwise why not. */
static int start(struct attempt *a, int fd)
{
    const struct weft_connect *c = weft_owner(a->op.parent, struct weft_connect, op);
    int err = 0;
    if (a->address.to.any.sa_family != AF_UNIX)
        err = weft__socket_options(fd, &c->tcp);
    if (err != 0)
        return err;
    if (connect(fd, &a->address.to.any, a->address.size) == 0)
        return 0;
    if (errno != EINPROGRESS && errno != EINTR)
        return uv_translate_sys_error(errno);
    err = weft__watch_open(&a->watch, a->op.loop_->uv, fd);
    return err != 0 ? err : 1;
}

static void attempt_begin(struct weft_op *op)
{
    struct attempt *a = weft_owner(op, struct attempt, op);
    int fd = weft__socket(a->address.to.any.sa_family);
    int status = fd >= 0 ? start(a, fd) : fd;
    if (status <= 0) {
        a->fd = fd;
        if (status < 0 && fd >= 0)
            close(fd);
        weft_finish(op, status);
        return;
    }
    watch_set(&a->watch, UV_WRITABLE, true, attempt_polled);
    weft_on_cancel(op, attempt_cancel);
}

/* ---- the race ------------------------------------------------------------------------------- */

static void attempt_over(struct weft_op *op, struct weft_op *child);

/* No child is left. status: how it failed, if nobody has won. */
static void conclude(struct weft_connect *c, int status)
{
    struct weft_attempts *attempts = c->attempts_;
    struct attempt *winner = attempts != NULL ? attempts->winner : NULL;
    if (weft_cancelled(&c->op))
        status = weft_cancelled(&c->op);
    else if (winner != NULL)
        status = weft__stream_attach(c->stream, winner->fd, true, &c->op);
    if (winner != NULL && status != 0)
        close(winner->fd);
    if (winner != NULL && status == 0)
        c->address = winner->address;
    if (attempts != NULL)
        weft_timer_stop(c->op.loop_, &attempts->timer);
    weft_free(attempts);
    c->attempts_ = NULL;
    weft__stream_unclaim(c->stream);
    weft_end(&c->op, status);
}

static bool undecided(const struct weft_connect *c)
{
    return c->attempts_->winner == NULL && !weft_cancelled(&c->op);
}

static void stagger_over(struct weft_timer *timer);

static void start_next(struct weft_connect *c)
{
    static const struct weft_site site = {__FILE__, __func__, "connect_attempt", __LINE__,
                                          WEFT_NET};
    struct weft_attempts *attempts = c->attempts_;
    struct attempt *a = &attempts->list[attempts->next++];
    if (attempts->next < attempts->count)
        weft__timer_start(c->op.loop_, &attempts->timer,
                          c->stagger_ms != 0 ? c->stagger_ms : WEFT_CONNECT_STAGGER_MS,
                          stagger_over);
    else
        weft_timer_stop(c->op.loop_, &attempts->timer);
    weft_run_at(&site, &c->op, &a->op, attempt_begin, attempt_over);
}

static void stagger_over(struct weft_timer *timer)
{
    struct weft_connect *c = weft_owner(timer, struct weft_attempts, timer)->connect;
    if (undecided(c))
        start_next(c);
}

static void win(struct weft_attempts *attempts, struct attempt *winner)
{
    attempts->winner = winner;
    for (size_t i = 0; i < attempts->next; i++)
        weft_cancel(&attempts->list[i].op, UV_ECANCELED);
}

/* A host that answers, even with a refusal, tells more than a way that does not exist. */
static bool no_way(int status)
{
    return status == UV_ENETUNREACH || status == UV_EHOSTUNREACH || status == UV_EADDRNOTAVAIL ||
           status == UV_EAFNOSUPPORT;
}

static void attempt_over(struct weft_op *op, struct weft_op *child)
{
    struct weft_connect *c = weft_owner(op, struct weft_connect, op);
    struct attempt *a = weft_owner(child, struct attempt, op);
    struct weft_attempts *attempts = c->attempts_;
    if (child->status == 0 && undecided(c))
        win(attempts, a);
    else if (child->status == 0)
        close(a->fd); /* it has lost, or nobody wants it any more */
    else if (attempts->error == 0 || !no_way(child->status) || no_way(attempts->error))
        attempts->error = child->status;
    if (undecided(c) && attempts->next < attempts->count)
        start_next(c);
    if (op->running_ == 0)
        conclude(c, attempts->error);
}

void weft__connect_try(struct weft_connect *c, const struct weft_address *list, size_t count)
{
    struct weft_attempts *attempts =
        weft_calloc(1, sizeof *attempts + count * sizeof attempts->list[0]);
    if (attempts == NULL) {
        conclude(c, UV_ENOMEM);
        return;
    }
    attempts->connect = c;
    attempts->count = count;
    for (size_t i = 0; i < count; i++)
        attempts->list[i].address = list[i];
    c->attempts_ = attempts;
    start_next(c);
}

/* ---- the lookup ----------------------------------------------------------------------------- */

/* The order of the lookup within each family, the families in turn, that of the first one first. */
static size_t interleave(const struct weft_lookup *lookup, struct weft_address *list, size_t room)
{
    size_t at[2] = {0, 0}, count = 0;
    int first = lookup->addresses[0].to.any.sa_family;
    for (int turn = 0; count < room && (at[0] < lookup->count || at[1] < lookup->count);
         turn = !turn) {
        while (at[turn] < lookup->count &&
               (lookup->addresses[at[turn]].to.any.sa_family == first) == (turn == 1))
            at[turn]++;
        if (at[turn] < lookup->count)
            list[count++] = lookup->addresses[at[turn]++];
    }
    return count;
}

static void looked_up(struct weft_op *op, struct weft_op *lookup_op)
{
    struct weft_connect *c = weft_owner(op, struct weft_connect, op);
    struct weft_address list[WEFT_CONNECT_ADDRESSES];
    size_t count = 0;
    if (lookup_op->status == 0 && !weft_cancelled(op))
        count = interleave(&c->lookup_, list, WEFT_CONNECT_ADDRESSES);
    weft_lookup_free(&c->lookup_);
    if (count > 0)
        weft__connect_try(c, list, count);
    else
        conclude(c, lookup_op->status);
}

/* ---- the op --------------------------------------------------------------------------------- */

static int check(const struct weft_connect *c)
{
    if (c->host != NULL ? c->service == NULL : c->address.size == 0)
        return UV_EINVAL;
    return weft__stream_check_idle(c->stream, &c->op);
}

void weft_connect_begin(struct weft_op *op)
{
    struct weft_connect *c = weft_owner(op, struct weft_connect, op);
    struct weft_address address = c->address;
    c->attempts_ = NULL;
    int status = check(c);
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    c->stream->connector_ = op;
    if (c->host == NULL || weft__address_numeric(&address, c->host, c->service) == 0) {
        weft__connect_try(c, &address, 1);
        return;
    }
    c->lookup_.family = c->lookup_.flags = 0;
    weft_lookup(op, &c->lookup_, c->host, c->service, looked_up);
}

void weft_connect_at(const struct weft_site *site, struct weft_op *parent, struct weft_connect *c,
                     struct weft_stream *stream, const char *host, const char *service,
                     weft_then_fn *then)
{
    op_check_start(parent, &c->op);
    c->stream = stream;
    c->host = host;
    c->service = service;
    c->address.size = 0;
    weft_run_at(site, parent, &c->op, weft_connect_begin, then);
}

void weft_connect_address_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_connect *c, struct weft_stream *stream,
                             const struct weft_address *address, weft_then_fn *then)
{
    op_check_start(parent, &c->op);
    c->stream = stream;
    c->host = c->service = NULL;
    if (address != NULL)
        c->address = *address;
    else
        c->address.size = 0;
    weft_run_at(site, parent, &c->op, weft_connect_begin, then);
}
