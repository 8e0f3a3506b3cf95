/* The server: a listener, one connection that waits to be made, and those that are open.
 *
 * There is always one connection ahead (spare_), with its stream open and its accept waiting. When
 * it is made the next one takes its place. Three things keep the place empty for a while: too many
 * who are being told 503, no memory, no descriptors. The first is over when one of those leaves,
 * the others get a pause. Meanwhile clients wait in the kernel's backlog; nothing is lost.
 *
 * The op has joined from the start: after weft_http_drain it is over when the listener and the last
 * connection are. */
#include "server.h"
#include "weft/http_message.h"
#include <stdio.h>

static void accept_next(struct weft_http_server *server);

static struct weft_http_server *server_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_http_server, op);
}

static bool is_stopping(const struct weft_http_server *server)
{
    return server->draining_ || weft_cancelled(&server->op) != 0;
}

/* ---- accepting ------------------------------------------------------------------------------ */

static void paused(struct weft_op *op, struct weft_op *sleep)
{
    struct weft_http_server *server = server_of(op);
    (void)sleep;
    server->paused_ = false;
    accept_next(server);
}

static void pause_accepting(struct weft_http_server *server)
{
    if (server->paused_ || is_stopping(server))
        return;
    server->paused_ = true;
    weft_sleep(&server->op, &server->pause_, PAUSE_MS, paused);
}

static void accept_next(struct weft_http_server *server)
{
    if (server->spare_ != NULL || server->paused_ || server->refusing_ >= REFUSING_MAX ||
        is_stopping(server))
        return;
    struct weft_http_connection *c = weft__http_take_connection(server->pool_);
    if (c == NULL) {
        pause_accepting(server);
        return;
    }
    server->spare_ = c;
    weft__http_pool_hold(server->pool_);
    weft__http_connection_open(server, c);
}

static void enlist(struct weft_http_server *server, struct weft_http_connection *c)
{
    c->next = server->open_;
    c->link = &server->open_;
    if (c->next != NULL)
        c->next->link = &c->next;
    server->open_ = c;
    c->counted = true;
    server->accepted++;
    server->connections++;
}

static void delist(struct weft_http_server *server, struct weft_http_connection *c)
{
    *c->link = c->next;
    if (c->next != NULL)
        c->next->link = c->link;
    server->connections--;
    if (c->over_limit)
        server->refusing_--;
}

void weft__http_accepted(struct weft_http_connection *c, int status)
{
    struct weft_http_server *server = c->server;
    if (server->spare_ == c)
        server->spare_ = NULL;
    if (status != 0) {
        weft_end(&c->op, status);
        pause_accepting(server);
        return;
    }
    enlist(server, c);
    if (server->connections - server->refusing_ > server->connections_max) {
        c->over_limit = true;
        server->refusing_++;
        server->refused++;
    }
    weft__http_connection_serve(c);
    accept_next(server);
}

/* The listener or a connection is over. With the last of them the server is, too. */
static void let_go(struct weft_http_server *server)
{
    if (weft__http_pool_drop(server->pool_))
        weft_timer_stop(weft_loop_of(&server->op), &server->drain_);
}

void weft__http_connection_over(struct weft_http_connection *c)
{
    struct weft_http_server *server = c->server;
    if (server->spare_ == c)
        server->spare_ = NULL;
    if (c->counted)
        delist(server, c);
    weft__http_put_connection(server->pool_, c);
    accept_next(server);
    let_go(server);
}

/* ---- settings ------------------------------------------------------------------------------- */

#define DEFAULT(field, value)                                                                      \
    do {                                                                                           \
        if (server->field == 0)                                                                    \
            server->field = (value);                                                               \
    } while (0)

static void fill_in_defaults(struct weft_http_server *server)
{
    DEFAULT(request_size, sizeof(struct weft_http_request));
    DEFAULT(head_max, WEFT_HTTP_HEAD_MAX);
    DEFAULT(line_max,
            server->head_max < WEFT_HTTP_LINE_MAX ? server->head_max : WEFT_HTTP_LINE_MAX);
    DEFAULT(fields_max, WEFT_HTTP_FIELDS_MAX);
    DEFAULT(body_max, WEFT_HTTP_BODY_MAX);
    DEFAULT(answer_head_max, WEFT_HTTP_ANSWER_HEAD_MAX);
    DEFAULT(connections_max, WEFT_HTTP_CONNECTIONS_MAX);
    DEFAULT(requests_max, WEFT_HTTP_REQUESTS_MAX);
    DEFAULT(head_ms, WEFT_HTTP_HEAD_MS);
    DEFAULT(idle_ms, WEFT_HTTP_IDLE_MS);
    DEFAULT(body_ms, WEFT_HTTP_BODY_MS);
    DEFAULT(write_ms, WEFT_HTTP_WRITE_MS);
    DEFAULT(request_ms, WEFT_HTTP_REQUEST_MS);
}

enum {
    HEAD_MAX_MOST = 1024 * 1024,
    FIELDS_MAX_MOST = 10000,
    REQUEST_SIZE_MOST = 1024 * 1024,
    ANSWER_HEAD_MAX_LEAST = SMALL_OUT, /* the server's own fields need room, too */
    NAME_MOST = 256
};

static bool is_name(const char *name)
{
    struct weft_text text = weft_text_of(name);
    return text.size <= NAME_MOST && weft_http_value_ok(text);
}

static bool make_sense(const struct weft_http_server *server)
{
    return server->handler != NULL && is_name(server->name) &&
           server->request_size >= sizeof(struct weft_http_request) &&
           server->request_size <= REQUEST_SIZE_MOST && server->head_max <= HEAD_MAX_MOST &&
           server->line_max <= server->head_max && server->fields_max <= FIELDS_MAX_MOST &&
           server->answer_head_max >= ANSWER_HEAD_MAX_LEAST &&
           server->answer_head_max <= HEAD_MAX_MOST;
}

/* ---- the op --------------------------------------------------------------------------------- */

static void listen_over(struct weft_op *op, struct weft_op *listen)
{
    struct weft_http_server *server = server_of(op);
    if (listen->status != 0)
        weft_end(op, listen->status);
    let_go(server);
}

void weft_http_serve_begin(struct weft_op *op)
{
    struct weft_http_server *server = server_of(op);
    fill_in_defaults(server);
    server->open_ = server->spare_ = NULL;
    server->connections = server->running = server->refusing_ = 0;
    server->accepted = server->refused = server->requests = 0;
    server->draining_ = server->paused_ = false;
    server->date_s_ = -1;
    if (!make_sense(server)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    server->pool_ = weft__http_pool_new(server);
    if (server->pool_ == NULL) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    server->listen_.reuse_port = server->reuse_port;
    weft_listen(op, &server->listen_, &server->address, listen_over);
    weft_join(op);
    server->address = server->listen_.address;
    accept_next(server);
}

void weft_http_serve_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_http_server *server, const struct weft_address *address,
                        weft_then_fn *then)
{
    if (address != NULL)
        server->address = *address;
    else
        server->address.size = 0;
    weft_run_now_at(site, parent, &server->op, weft_http_serve_begin, then);
}

/* Whoever has no answer to wait for is no reason to call the drain a failure. */
static void drain_late(struct weft_timer *timer)
{
    struct weft_http_server *server = weft_owner(timer, struct weft_http_server, drain_);
    if (server->running > 0)
        weft_cancel(&server->op, UV_ETIMEDOUT);
    else
        weft_end(&server->op, 0);
}

void weft_http_drain(struct weft_http_server *server, uint64_t ms)
{
    if (weft_running(&server->op) == 0 || weft_cancelled(&server->op) != 0)
        return;
    weft_timer_start(weft_loop_of(&server->op), &server->drain_, ms, drain_late);
    if (server->draining_)
        return;
    server->draining_ = true;
    weft_listen_close(&server->listen_); /* and with it the accept that waits */
    if (server->paused_)
        weft_end(&server->pause_.op, 0);
    for (struct weft_http_connection *c = server->open_; c != NULL; c = c->next)
        weft__http_connection_drain(c);
}

int weft_http_peer(const struct weft_http_request *request, struct weft_address *address)
{
    struct weft_http_connection *c = request->inner_->connection;
    if (address == NULL)
        return UV_EINVAL;
    int err = c->peer.size == 0 ? weft_stream_peer(&c->stream, &c->peer) : 0;
    *address = c->peer;
    return err;
}

int weft_http_url(const struct weft_http_server *server, char *text, size_t size)
{
    char address[128];
    struct weft_address at = server->address;
    if (at.to.any.sa_family == AF_INET && at.to.ip4.sin_addr.s_addr == htonl(INADDR_ANY))
        at.to.ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (at.to.any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&at.to.ip6.sin6_addr))
        at.to.ip6.sin6_addr = in6addr_loopback;
    int err = weft_address_format(&at, address, sizeof address);
    if (err != 0)
        return err;
    int need = at.to.any.sa_family == AF_UNIX ? snprintf(text, size, "%s", address)
                                              : snprintf(text, size, "http://%s/", address);
    return need >= 0 && (size_t)need < size ? 0 : UV_ENOBUFS;
}
