/* curl's sockets on the loop: a uv_poll_t each, changed as seldom as possible.
 *
 * A socket is made in opensocket, ours. So everything that can fail fails there, where curl can
 * take it as a connection that could not be made; what curl asks to be watched later needs no
 * memory. It is closed in closesocket, ours too, but only if it ever was connected: one that was
 * not, curl closes itself, after it was told to be watched no more, or without a word if it never
 * was. So a socket that is waited for to be writable, as all are that are not connected, is never
 * left in the kernel's set, and what is found in its place when its number comes again is let go
 * (retire).
 *
 * Each change of what is watched costs two calls to the kernel. When a request is over curl does
 * not want its connection watched any more, and with the next one it does again. So a connection
 * that is only read from stays in the kernel's set: it does not keep the loop alive (wanted is
 * false), and if something comes (mostly the server's goodbye) it is taken out then; curl finds
 * that out by itself before it uses the connection again. */
#include "client.h"
#include "direct.h"
#include "weft/alloc.h"
#include "weft/dump.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static void act(struct http_socket *sock, int status, int events)
{
    int flags = 0;
    if (status != 0)
        sock->events = 0; /* libuv has stopped */
    if (sock->connection != NULL) {
        weft__http_direct_polled(sock->connection, events);
        return;
    }
    if (!sock->wanted) {
        if (sock->events != 0)
            uv_poll_stop(&sock->poll);
        sock->events = 0;
        return;
    }
    if (status != 0)
        flags = CURL_CSELECT_ERR;
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    weft__http_acted(sock->engine, sock->fd, flags);
}

/* What is brought about by it is the connection's doing. */
static void socket_polled(uv_poll_t *poll, int status, int events)
{
    struct http_socket *sock = weft_owner(poll, struct http_socket, poll);
    struct weft_frame frame;
    bool seen = weft_handle_seen(&sock->handle);
    if (seen)
        weft_handle_enter(&frame, &sock->handle, (weft_entry_fn *)socket_polled);
    act(sock, status, events);
    if (seen)
        weft_leave(&frame);
}

static struct http_socket *socket_of(const struct weft_http_engine *engine, curl_socket_t fd)
{
    return fd >= 0 && (size_t)fd < engine->socket_room ? engine->sockets[fd].socket : NULL;
}

void weft__http_socket_want(struct http_socket *sock, bool wanted)
{
    if (sock->wanted == wanted)
        return;
    sock->wanted = wanted;
    if (wanted)
        uv_ref((uv_handle_t *)&sock->poll);
    else
        uv_unref((uv_handle_t *)&sock->poll);
}

void weft__http_socket_watch(struct http_socket *sock, int events)
{
    if (sock->events == events)
        return;
    sock->events = events;
    if (events != 0)
        uv_poll_start(&sock->poll, events, socket_polled);
    else
        uv_poll_stop(&sock->poll);
}

int weft__http_socket_set(CURL *easy, curl_socket_t fd, int what, void *engine, void *unused)
{
    struct http_socket *sock = socket_of(engine, fd);
    (void)easy;
    (void)unused;
    if (sock == NULL)
        return 0;
    int events = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        events |= UV_READABLE;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        events |= UV_WRITABLE;
    if (events != 0)
        weft__http_socket_watch(sock, events);
    else if (sock->events & UV_WRITABLE)
        weft__http_socket_watch(
            sock, 0); /* it would be announced for ever; or it was being connected, see above */
    weft__http_socket_want(sock, events != 0);
    return 0;
}

/* ---- closing -------------------------------------------------------------------------------- */

static void poll_closed(uv_handle_t *poll)
{
    struct http_socket *sock = weft_owner((uv_poll_t *)poll, struct http_socket, poll);
    struct weft_http_engine *engine = sock->engine;
    weft_free(sock->connection);
    sock->next = engine->spare;
    engine->spare = sock;
    engine->open_polls--;
    weft__http_settle(engine);
}

/* Let go of what is known of a descriptor. */
static void retire(struct weft_http_engine *engine, curl_socket_t fd)
{
    struct http_socket *sock = socket_of(engine, fd);
    if (sock == NULL)
        return;
    engine->sockets[fd].socket = NULL;
    weft_handle_close(&sock->handle);
    uv_close((uv_handle_t *)&sock->poll, poll_closed);
}

int weft__http_socket_close(void *engine, curl_socket_t fd)
{
    retire(engine, fd);
    return close(fd);
}

void weft__http_sockets_retire(struct weft_http_engine *engine)
{
    for (size_t i = 0; i < engine->socket_room; i++)
        retire(engine, (curl_socket_t)i);
}

void weft__http_sockets_free(struct weft_http_engine *engine)
{
    while (engine->spare != NULL) {
        struct http_socket *sock = engine->spare;
        engine->spare = sock->next;
        weft_free(sock);
    }
    weft_free(engine->sockets);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Room for a socket at fd. */
static bool make_room(struct weft_http_engine *engine, int fd)
{
    size_t room = engine->socket_room != 0 ? engine->socket_room : 64;
    while (room <= (size_t)fd)
        room *= 2;
    if (room == engine->socket_room)
        return true;
    struct http_slot *grown = weft_realloc(engine->sockets, room * sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + engine->socket_room, 0, (room - engine->socket_room) * sizeof *grown);
    engine->sockets = grown;
    engine->socket_room = room;
    return true;
}

static void show(struct http_socket *sock, struct weft_http_fetch *fetch)
{
    struct weft_op *client = &sock->engine->client->op;
    uint64_t parent = weft_watched(client) ? weft_id(&fetch->op) : 0;
    weft_handle_open(client, &sock->handle, parent, "connection", WEFT_NET, sock);
}

struct http_socket *weft__http_socket_adopt(struct weft_http_fetch *fetch, int fd)
{
    struct weft_http_engine *engine = fetch->engine_;
    retire(engine, fd);
    struct http_socket *sock = engine->spare;
    if (!make_room(engine, fd))
        return NULL;
    if (sock != NULL)
        engine->spare = sock->next;
    else
        sock = weft_alloc(sizeof *sock);
    if (sock == NULL)
        return NULL;
    memset(sock, 0, sizeof *sock);
    sock->engine = engine;
    sock->fd = fd;
    if (uv_poll_init(engine->loop->uv, &sock->poll, fd) != 0) {
        weft_free(sock);
        return NULL;
    }
    weft_dump_belongs((uv_handle_t *)&sock->poll);
    uv_unref((uv_handle_t *)&sock->poll);
    engine->open_polls++;
    engine->sockets[fd].socket = sock;
    show(sock, fetch);
    return sock;
}

bool weft__http_allowed(struct weft_http_client *client, const struct weft_address *address)
{
    struct weft_frame frame;
    if (client->allow_address == NULL)
        return true;
    weft_enter(&frame, &client->op, (weft_entry_fn *)client->allow_address);
    bool yes = client->allow_address(client, address);
    weft_leave(&frame);
    return yes;
}

static bool allowed(struct weft_http_client *client, const struct curl_sockaddr *to)
{
    struct weft_address address = {0};
    if (to->addrlen > sizeof address.to)
        return false;
    address.size = (socklen_t)to->addrlen;
    memcpy(&address.to, &to->addr, to->addrlen);
    return weft__http_allowed(client, &address);
}

curl_socket_t weft__http_socket_open(void *data, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct weft_http_handle *handle = data;
    struct weft_http_engine *engine = handle->engine;
    struct weft_http_fetch *fetch = handle->fetch;
    (void)purpose;
    if (fetch->stopped_ || fetch->told_) /* told: see about_to_send */
        return CURL_SOCKET_BAD;
    if (!allowed(engine->client, to)) {
        fetch->refused_ = true;
        return CURL_SOCKET_BAD;
    }
    if (fetch->stopped_) /* allow_address may have done that */
        return CURL_SOCKET_BAD;
    int fd = socket(to->family, to->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->protocol);
    if (fd < 0) {
        weft__http_fetch_decide(fetch, uv_translate_sys_error(errno), WEFT_FETCH_FAILED_CONNECT,
                                WEFT_FETCH_NO_DETAIL);
        return CURL_SOCKET_BAD;
    }
    if (weft__http_socket_adopt(fetch, fd) == NULL) {
        close(fd);
        weft__http_fetch_decide(fetch, UV_ENOMEM, WEFT_FETCH_FAILED_MEMORY, WEFT_FETCH_NO_DETAIL);
        return CURL_SOCKET_BAD;
    }
    engine->client->connections++;
    weft__http_deadlines_phase(fetch, PHASE_CONNECT);
    return fd;
}
