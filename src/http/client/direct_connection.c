/* Connections: made, read into a buffer, closed.
 *
 * The addresses of a host are tried one after the other, those of the two families in turn; the
 * next one when the one before has failed, or when it has not answered for a while (stagger), and
 * then beside it. The first that answers is used, the others are closed. Each is shown to
 * allow_address before anything goes there. All of them together are one connection to those who
 * count (slot).
 *
 * A buffer is taken when something is to be read and given back when the connection is idle: ten
 * thousand idle ones cost no buffers. It only grows for a line that does not fit, and then is not
 * kept.
 *
 * A connection that is closed is freed later, when libuv has let go of its socket: whoever closes
 * it from inside one of its own events can still see that it is closed. */
#include "direct.h"
#include "weft/alloc.h"
#include "weft/error.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- buffers -------------------------------------------------------------------------------- */

static struct direct_buffer *buffer_take(struct weft_http_engine *engine)
{
    struct direct_buffer *buffer = engine->free_buffers;
    if (buffer != NULL) {
        engine->free_buffers = buffer->next;
        engine->free_buffer_count--;
        return buffer;
    }
    buffer = weft_alloc(sizeof *buffer + DIRECT_BUFFER);
    if (buffer != NULL)
        buffer->room = DIRECT_BUFFER;
    return buffer;
}

void weft__http_buffer_give(struct direct_connection *connection)
{
    struct weft_http_engine *engine = connection->host->engine;
    struct direct_buffer *buffer = connection->buffer;
    connection->buffer = NULL;
    connection->start = connection->end = 0;
    if (buffer == NULL)
        return;
    if (buffer->room > DIRECT_BUFFER || engine->free_buffer_count >= DIRECT_SPARE) {
        weft_free(buffer);
        return;
    }
    buffer->next = engine->free_buffers;
    engine->free_buffers = buffer;
    engine->free_buffer_count++;
}

int weft__http_buffer_room(struct direct_connection *connection)
{
    struct direct_buffer *buffer = connection->buffer;
    if (buffer == NULL) {
        connection->buffer = buffer_take(connection->host->engine);
        connection->start = connection->end = 0;
        return connection->buffer != NULL ? 0 : UV_ENOMEM;
    }
    size_t size = connection->end - connection->start;
    if (size > 0 && connection->start > 0 && connection->end == buffer->room)
        memmove(buffer->data, buffer->data + connection->start, size);
    else if (size > 0 && connection->end < buffer->room)
        return 0;
    connection->start = 0;
    connection->end = size;
    if (size < buffer->room)
        return 0;
    struct direct_buffer *grown = weft_realloc(buffer, sizeof *grown + 2 * buffer->room);
    if (grown == NULL)
        return UV_ENOMEM;
    grown->room *= 2;
    connection->buffer = grown;
    return 0;
}

/* ---- opening and closing -------------------------------------------------------------------- */

static struct direct_connection *connection_make(const struct weft_http_direct *direct, int fd)
{
    struct direct_connection *connection = weft_calloc(1, sizeof *connection);
    if (connection == NULL)
        return NULL;
    connection->host = direct->host;
    connection->sock = weft__http_socket_adopt(direct->fetch, fd);
    if (connection->sock == NULL) {
        weft_free(connection);
        return NULL;
    }
    connection->sock->connection = connection;
    return connection;
}

void weft__http_connection_close(struct direct_connection *connection)
{
    struct http_socket *sock = connection->sock;
    struct direct_host *host = connection->host;
    if (sock == NULL)
        return;
    if (connection->age.next_ != NULL)
        host->engine->idle_count--;
    links_remove(&connection->age);
    links_remove(&connection->beside);
    weft__http_buffer_give(connection);
    connection->sock = NULL;
    connection->user = NULL;
    weft__http_socket_close(host->engine, sock->fd);
    if (connection->counted)
        weft__http_pool_less(host);
}

bool weft__http_connection_stale(const struct direct_connection *connection)
{
    char byte;
    ssize_t got = recv(connection->sock->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* ---- dialing -------------------------------------------------------------------------------- */

static void dial_next(struct weft_http_direct *direct);

void weft__http_dial_stop(struct weft_http_direct *direct)
{
    weft_timer_stop(direct->engine->loop, &direct->stagger);
    while (!links_empty(&direct->dials))
        weft__http_connection_close(
            weft_owner(direct->dials.next_, struct direct_connection, beside));
    if (direct->slot) {
        direct->slot = false;
        weft__http_pool_less(direct->host);
    }
}

static void stagger_fired(struct weft_timer *timer)
{
    struct weft_http_direct *direct = weft_owner(timer, struct weft_http_direct, stagger);
    struct weft_http_engine *engine = direct->engine;
    weft__http_enter(engine);
    dial_next(direct);
    weft__http_leave(engine);
}

/* An answer tells more than a missing route. */
static void note_error(struct weft_http_direct *direct, int number)
{
    bool no_route = number == ENETUNREACH || number == EHOSTUNREACH || number == EAFNOSUPPORT;
    if (direct->error == 0 || !no_route)
        direct->error = uv_translate_sys_error(number);
}

/* false: there can be none at all, which is decided. */
static bool dial_one(struct weft_http_direct *direct, const struct weft_address *address)
{
    int fd = socket(address->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        weft__http_fetch_decide(direct->fetch, uv_translate_sys_error(errno),
                                WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_NO_DETAIL);
        return false;
    }
    struct direct_connection *connection = connection_make(direct, fd);
    if (connection == NULL) {
        close(fd);
        weft__http_fetch_decide(direct->fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY,
                                WEFT_FETCH_NO_DETAIL);
        return false;
    }
    direct->engine->client->connections++;
    connection->peer = *address;
    connection->user = direct;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(fd, &address->to.any, address->size) != 0 && errno != EINPROGRESS) {
        note_error(direct, errno);
        weft__http_connection_close(connection);
        return true;
    }
    links_append(&direct->dials, &connection->beside);
    weft__http_socket_want(connection->sock, true);
    weft__http_socket_watch(connection->sock, UV_WRITABLE);
    return true;
}

static void dial_failed(struct weft_http_direct *direct)
{
    struct weft_http_fetch *fetch = direct->fetch;
    if (fetch->refused_)
        weft__http_fetch_decide(fetch, WEFT_EREFUSED, WEFT_FETCH_FAILED_REFUSED,
                                WEFT_FETCH_NO_DETAIL);
    else
        weft__http_fetch_decide(fetch, direct->error != 0 ? direct->error : UV_ECONNREFUSED,
                                WEFT_FETCH_FAILED_CONNECT, WEFT_FETCH_NO_DETAIL);
}

/* One more try; nobody is there if none is under way after that. */
static void dial_next(struct weft_http_direct *direct)
{
    struct weft_http_chain *last = direct->dials.prev_;
    while (direct->address_next < direct->address_count && direct->dials.prev_ == last) {
        const struct weft_address *address = &direct->addresses[direct->address_next++];
        bool may = weft__http_allowed(direct->engine->client, address);
        if (direct_ends(direct)) /* allow_address did that */
            return;
        direct->fetch->refused_ |= !may;
        if (may && !dial_one(direct, address))
            return;
    }
    if (links_empty(&direct->dials))
        dial_failed(direct);
    else if (direct->address_next < direct->address_count)
        weft_timer_start(direct->engine->loop, &direct->stagger, DIRECT_STAGGER_MS, stagger_fired);
}

void weft__http_dial(struct weft_http_direct *direct)
{
    direct->address_next = 0;
    direct->error = 0;
    weft__http_deadlines_phase(direct->fetch, PHASE_CONNECT);
    dial_next(direct);
}

static void dialed(struct weft_http_direct *direct, struct direct_connection *connection)
{
    links_remove(&connection->beside);
    direct->connection = connection;
    direct->slot = false;
    connection->counted = true;
    weft__http_dial_stop(direct); /* the others */
    direct->connected_ns = uv_hrtime();
    weft__http_direct_ask(direct);
}

void weft__http_dial_polled(struct direct_connection *connection)
{
    struct weft_http_direct *direct = connection->user;
    int error = 0;
    socklen_t size = sizeof error;
    if (direct_ends(direct))
        return;
    if (getsockopt(connection->sock->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error == 0) {
        dialed(direct, connection);
        return;
    }
    note_error(direct, error);
    weft__http_connection_close(connection);
    dial_next(direct);
}
