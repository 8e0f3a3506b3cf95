/* Requests over connections of our own, beside curl.
 *
 *     direct.c             the way of a request: set, start, ask, read, done
 *     direct_request.c     which ones are ours, and what they look like
 *     direct_pool.c        hosts, kept connections, limits, who waits
 *     direct_connection.c  sockets and addresses, buffers
 *     direct_answer.c      where heads and bodies end
 *     direct_unpack.c      gzip and deflate
 *
 * curl can do everything, and for a small page on a kept connection most of what it does is asking
 * itself what it has to do. Plain GET and HEAD need little of it: they go from here, with a tenth
 * of the work. What the caller sees is the same, because the same functions make it: the head is
 * read by fetch_lines.c, told by fetch_head.c, the body taken by fetch_body.c, redirects made by
 * fetch_redirect.c, names looked up by client_name.c, the time watched by fetch_deadline.c; and
 * everything stands between enter and leave (client_drive.c), so that a callback that cancels,
 * closes or starts something is only noted down until nobody is inside.
 *
 *     set ──► start ──► (name) ──► pool: kept ──────────────► ask ──► read … ──► done
 *                                        new: dial ──────────►         │
 *                                        none: wait ──► start          └► stale: start, once
 *
 * A fetch has a direct_ from set until it is over, or until its answer is complete: then the
 * connection is let go first, so that whoever asks next finds it. */
#include "direct.h"
#include "weft/alloc.h"
#include "weft/error.h"
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { READS_AT_ONCE = 8 };

/* ---- beginning ------------------------------------------------------------------------------ */

static struct weft_http_direct *take(struct weft_http_engine *engine)
{
    struct weft_http_direct *direct = engine->free_directs;
    if (direct != NULL) {
        engine->free_directs = direct->next;
        return direct;
    }
    direct = weft_calloc(1, sizeof *direct);
    if (direct == NULL)
        return NULL;
    direct->engine = engine;
    links_init(&direct->dials);
    return direct;
}

static void forget_last_time(struct weft_http_direct *direct)
{
    direct->connection = NULL;
    direct->address_count = 0;
    direct->sent = 0;
    direct->broken = 0;
    direct->frame = FRAME_HEAD;
    direct->packed = direct->plain = weft_text(NULL, 0);
    direct->keep = direct->came = direct->reused = direct->fresh = direct->slot = false;
    direct->done = false;
    direct->wire = direct->body = 0;
    direct->begun_ns = direct->connected_ns = direct->first_ns = 0;
}

int weft__http_direct_set(struct weft_http_fetch *fetch)
{
    struct weft_http_engine *engine = fetch->engine_;
    struct direct_url url;
    if (!weft__http_direct_fits(fetch, &url))
        return 0;
    struct weft_http_direct *direct = take(engine);
    struct direct_host *host =
        direct != NULL ? weft__http_host_join(engine, url.host, url.port) : NULL;
    if (host == NULL) {
        if (direct != NULL) {
            direct->next = engine->free_directs;
            engine->free_directs = direct;
        }
        return UV_ENOMEM;
    }
    forget_last_time(direct);
    direct->fetch = fetch;
    direct->host = host;
    direct->number = url.number;
    direct->is_head =
        !fetch->as_get_ && fetch->method != NULL && strcmp(fetch->method, "HEAD") == 0;
    direct->old = fetch->version == WEFT_FETCH_1_0;
    fetch->direct_ = direct;
    int err = weft__http_direct_write(direct, &url);
    return err == 0 ? weft__http_heads_sent(fetch, weft_text(direct->request, direct->request_size))
                    : err;
}

/* ---- where to ------------------------------------------------------------------------------- */

static void add_address(struct weft_http_direct *direct, const struct weft_address *address)
{
    struct weft_address *to = &direct->addresses[direct->address_count++];
    *to = *address;
    if (to->to.any.sa_family == AF_INET)
        to->to.ip4.sin_port = htons((uint16_t)direct->host->port);
    else
        to->to.ip6.sin6_port = htons((uint16_t)direct->host->port);
}

/* The next of one family, or of the other; from *at on. */
static bool add_next(struct weft_http_direct *direct, const struct weft_http_name *name, size_t *at,
                     bool same)
{
    while (*at < name->count) {
        const struct weft_address *address = &name->list[(*at)++];
        if ((address->to.any.sa_family == name->list[0].to.any.sa_family) == same) {
            add_address(direct, address);
            return true;
        }
    }
    return false;
}

/* Both families in turn, that of the first one first. */
static void add_addresses(struct weft_http_direct *direct, const struct weft_http_name *name)
{
    size_t same = 0, other = 0;
    bool more = true;
    direct->address_count = 0;
    while (more) {
        more = add_next(direct, name, &same, true);
        more |= add_next(direct, name, &other, false);
    }
}

static void add_number(struct weft_http_direct *direct)
{
    struct weft_address address = {.size = sizeof address.to.ip4};
    address.to.ip4.sin_family = AF_INET;
    inet_pton(AF_INET, direct->host->name, &address.to.ip4.sin_addr);
    direct->address_count = 0;
    add_address(direct, &address);
}

static int find_addresses(struct weft_http_direct *direct)
{
    struct weft_http_name *name = NULL;
    if (direct->number) {
        add_number(direct);
        return 0;
    }
    int err = weft__http_name_want(direct->fetch, direct->host->name, &name);
    if (err == 0)
        add_addresses(direct, name);
    return err;
}

int weft__http_direct_start(struct weft_http_fetch *fetch)
{
    struct weft_http_direct *direct = fetch->direct_;
    if (fetch->phase_ < PHASE_CURL) {
        int err = find_addresses(direct);
        if (err != 0)
            return err;
        weft__http_deadlines_phase(fetch, PHASE_CURL);
        direct->begun_ns = uv_hrtime();
    }
    return weft__http_pool_take(direct);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* An error is not told yet: there may be an answer all the same. */
static void send_some(struct weft_http_direct *direct)
{
    struct http_socket *sock = direct->connection->sock;
    size_t left = direct->request_size - direct->sent;
    if (left > 0) {
        ssize_t sent = send(sock->fd, direct->request + direct->sent, left, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            direct->broken = uv_translate_sys_error(errno);
            sent = (ssize_t)left;
        }
        direct->sent += sent > 0 ? (size_t)sent : 0;
    }
    weft__http_socket_watch(sock, direct->sent < direct->request_size ? UV_READABLE | UV_WRITABLE
                                                                      : UV_READABLE);
}

void weft__http_direct_ask(struct weft_http_direct *direct)
{
    struct weft_http_fetch *fetch = direct->fetch;
    struct weft_http_client *client = direct->engine->client;
    if (!weft__http_allowed(client, &direct->connection->peer))
        weft__http_fetch_decide(fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED,
                                WEFT_FETCH_NO_DETAIL);
    if (direct_ends(direct))
        return;
    weft__http_deadlines_phase(fetch, PHASE_ASKED);
    send_some(direct);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* One read; true: there may be more. */
static bool read_once(struct weft_http_direct *direct)
{
    struct direct_connection *connection = direct->connection;
    int err = weft__http_buffer_room(connection);
    if (err != 0) {
        weft__http_fetch_decide(direct->fetch, err, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
        return false;
    }
    size_t room = connection->buffer->room - connection->end;
    ssize_t got = recv(connection->sock->fd, connection->buffer->data + connection->end, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0) {
        weft__http_answer_end(direct, got < 0 ? uv_translate_sys_error(errno) : 0);
        return false;
    }
    if (!direct->came)
        direct->first_ns = uv_hrtime();
    direct->came = true;
    connection->end += (size_t)got;
    return weft__http_answer_work(direct) && (size_t)got == room;
}

static void read_some(struct weft_http_direct *direct)
{
    for (int i = 0; i < READS_AT_ONCE && read_once(direct); i++)
        ;
}

/* libuv does not watch on after an error; and what there is to read may be more than we took. */
static void watch_on(struct direct_connection *connection)
{
    struct weft_http_direct *direct = connection->user;
    if (connection->sock == NULL || direct == NULL || direct->fetch->paused_)
        return;
    if (direct->connection != connection)
        weft__http_socket_watch(connection->sock, UV_WRITABLE);
    else if (connection->sock->events == 0)
        weft__http_socket_watch(connection->sock, UV_READABLE);
}

static void polled(struct direct_connection *connection, int events)
{
    struct weft_http_direct *direct = connection->user;
    if (direct == NULL) {
        weft__http_connection_close(connection); /* it was idle: a goodbye, or what nobody asked */
        return;
    }
    if (direct->connection != connection) {
        weft__http_dial_polled(connection);
        return;
    }
    if (direct->fetch->paused_) {
        weft__http_socket_watch(connection->sock, 0);
        return;
    }
    if (events & UV_WRITABLE)
        send_some(direct);
    if (events == 0 || (events & UV_READABLE))
        read_some(direct);
}

void weft__http_direct_polled(struct direct_connection *connection, int events)
{
    struct weft_http_engine *engine = connection->host->engine;
    weft__http_enter(engine);
    polled(connection, events);
    watch_on(connection);
    weft__http_leave(engine);
}

void weft__http_direct_resume(struct weft_http_fetch *fetch)
{
    struct weft_http_direct *direct = fetch->direct_;
    struct direct_connection *connection = direct->connection;
    weft__http_socket_want(connection->sock, true);
    if (weft__http_answer_work(direct))
        watch_on(connection);
}

uint64_t weft__http_direct_moved(const struct weft_http_direct *direct)
{
    return direct->body;
}

/* ---- ending --------------------------------------------------------------------------------- */

static uint64_t since_begin(const struct weft_http_direct *direct, uint64_t ns)
{
    return ns > direct->begun_ns ? (ns - direct->begun_ns) / 1000 : 0;
}

static void note_facts(struct weft_http_direct *direct)
{
    struct weft_http_fetch *fetch = direct->fetch;
    if (direct->connection != NULL)
        fetch->peer = direct->connection->peer;
    fetch->reused = direct->reused;
    fetch->wire_received += direct->wire;
    fetch->times.resolve = fetch->resolve_ns_ / 1000;
    fetch->times.connect = since_begin(direct, direct->connected_ns);
    fetch->times.tls = 0;
    fetch->times.first_byte = since_begin(direct, direct->first_ns);
}

static void let_go(struct weft_http_direct *direct)
{
    struct direct_connection *connection = direct->connection;
    direct->connection = NULL;
    if (connection == NULL)
        return;
    if (direct->done && direct->keep && connection->start == connection->end &&
        direct->broken == 0 && direct->sent == direct->request_size)
        weft__http_pool_keep(connection);
    else
        weft__http_connection_close(connection);
}

void weft__http_direct_leave(struct weft_http_fetch *fetch)
{
    struct weft_http_direct *direct = fetch->direct_;
    if (direct == NULL)
        return;
    struct weft_http_engine *engine = direct->engine;
    note_facts(direct);
    fetch->direct_ = NULL;
    weft__http_unpack_give(engine, direct->unpack);
    direct->unpack = NULL;
    weft__http_dial_stop(direct);
    let_go(direct);
    weft__http_pool_serve(direct->host);
    weft__http_host_leave(direct->host);
    direct->next = engine->free_directs;
    engine->free_directs = direct;
}

void weft__http_direct_done(struct weft_http_direct *direct)
{
    struct weft_http_fetch *fetch = direct->fetch;
    direct->done = true;
    weft__http_direct_leave(fetch);
    weft__http_fetch_answered(fetch);
}

/* ---- closing -------------------------------------------------------------------------------- */

void weft__http_direct_shut(struct weft_http_engine *engine)
{
    while (!links_empty(&engine->idle))
        weft__http_connection_close(weft_owner(engine->idle.next_, struct direct_connection, age));
}

void weft__http_direct_free(struct weft_http_engine *engine)
{
    weft__http_unpacks_free(engine);
    while (engine->free_directs != NULL) {
        struct weft_http_direct *direct = engine->free_directs;
        engine->free_directs = direct->next;
        weft_free(direct->request);
        weft_free(direct);
    }
    while (engine->free_buffers != NULL) {
        struct direct_buffer *buffer = engine->free_buffers;
        engine->free_buffers = buffer->next;
        weft_free(buffer);
    }
}
