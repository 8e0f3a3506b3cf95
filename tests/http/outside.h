/* What the tests of the client share: a server of the test's own that answers as oddly as the test
 * wants, names that lead to it, and waiting for ops. nginx is in nginx.h. */
#ifndef TESTS_HTTP_OUTSIDE_H
#define TESTS_HTTP_OUTSIDE_H

#include "check.h"
#include "core/op.h"
#include "loop.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/http_client.h>
#include <weft/stream.h>

enum { PEERS = 64, REQUEST_MAX = 16384, URL_MAX = 256 };

/* ---- the server ----------------------------------------------------------------------------- */

struct outside;

/* One connection to it. */
struct peer {
    struct outside *server;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_read read;
    struct weft_write write;
    char request[REQUEST_MAX]; /* head and body of the one that is being answered; NUL at its end */
    size_t size, body_at;
    unsigned requests;
    bool gone; /* the client has left, and the server has seen it */
};

/* Called with each complete request, or with each byte that comes if raw is set. */
typedef void peer_fn(struct peer *peer);

struct outside {
    struct weft_op op;
    struct weft_listen listen;
    struct peer peers[PEERS];
    unsigned connections, requests, gone;
    peer_fn *on_request;
    bool raw;       /* call it as soon as anything came */
    bool deaf;      /* do not read on */
    bool heads;     /* call it with the head, before the body */
    char base[64];  /* "http://127.0.0.1:port" */
    char named[64]; /* "http://server.test:port" */
};

static inline void peer_wait(struct outside *server);

static inline bool over(const struct weft_op *op)
{
    return op->state_ == OP_IDLE;
}

static inline void nothing(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
}

/* Send text as it is, at once: it has to fit the kernel's buffer. */
static inline void say(struct peer *peer, const char *text, size_t size)
{
    int fd = weft_stream_fd(&peer->stream);
    if (fd >= 0)
        (void)!send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline void say_text(struct peer *peer, const char *text)
{
    say(peer, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static inline void answer(struct peer *peer,
                                                                const char *format, ...)
{
    char body[8192], text[9000];
    va_list args;
    va_start(args, format);
    vsnprintf(body, sizeof body, format, args);
    va_end(args);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body),
             body);
    say_text(peer, text);
}

static inline void hang_up(struct peer *peer)
{
    weft_stream_close(&peer->stream);
}

/* The client's body of the request. */
static inline const char *body_of(const struct peer *peer)
{
    return peer->request + peer->body_at;
}

static inline bool asked_for(const struct peer *peer, const char *start)
{
    return strncmp(peer->request, start, strlen(start)) == 0;
}

/* How long the whole request is; 0: it is not complete. */
static inline size_t request_size(struct peer *peer)
{
    char *end = strstr(peer->request, "\r\n\r\n");
    if (end == NULL)
        return 0;
    peer->body_at = (size_t)(end - peer->request) + 4;
    if (peer->server->heads)
        return peer->body_at;
    const char *length = strcasestr(peer->request, "\r\nContent-Length:");
    const char *chunked = strcasestr(peer->request, "\r\nTransfer-Encoding: chunked");
    if (chunked != NULL && chunked < end) {
        const char *last = strstr(end, "0\r\n\r\n");
        return last != NULL ? (size_t)(last - peer->request) + 5 : 0;
    }
    size_t size = peer->body_at;
    if (length != NULL && length < end)
        size += strtoul(length + 17, NULL, 10);
    return size <= peer->size ? size : 0;
}

static inline void take_requests(struct peer *peer)
{
    struct outside *server = peer->server;
    size_t size = server->raw ? peer->size : request_size(peer);
    while (size > 0 && weft_stream_connected(&peer->stream)) {
        char next = peer->request[size];
        peer->request[size] = '\0';
        peer->requests++;
        server->requests++;
        server->on_request(peer);
        peer->request[size] = next;
        peer->size -= size;
        memmove(peer->request, peer->request + size, peer->size + 1);
        size = server->raw ? peer->size : request_size(peer);
    }
}

static inline void peer_read(struct weft_op *server, struct weft_op *op);

static inline void peer_listen(struct peer *peer)
{
    if (weft_stream_connected(&peer->stream) && !peer->server->deaf)
        weft_read(&peer->server->op, &peer->read, &peer->stream, peer->request + peer->size,
                  sizeof peer->request - peer->size - 1, peer_read);
}

static inline void peer_read(struct weft_op *op, struct weft_op *child)
{
    struct peer *peer = weft_owner(child, struct peer, read.op);
    (void)op;
    if (child->status != 0) {
        peer->gone = child->status == UV_EOF || child->status == UV_ECONNRESET;
        peer->server->gone += peer->gone;
        hang_up(peer);
        return;
    }
    peer->size += peer->read.size;
    peer->request[peer->size] = '\0';
    take_requests(peer);
    peer_listen(peer);
}

static inline void peer_accepted(struct weft_op *op, struct weft_op *child)
{
    struct outside *server = weft_owner(op, struct outside, op);
    struct peer *peer = weft_owner(child, struct peer, accept.op);
    if (child->status != 0)
        return;
    server->connections++;
    peer_listen(peer);
    peer_wait(server);
}

/* Wait for the next connection. */
static inline void peer_wait(struct outside *server)
{
    struct peer *peer = NULL;
    for (size_t i = 0; i < PEERS && peer == NULL; i++) {
        if (over(&server->peers[i].stream.op) && over(&server->peers[i].read.op))
            peer = &server->peers[i];
    }
    assert_non_null(peer);
    memset(peer, 0, sizeof *peer);
    peer->server = server;
    weft_stream_open(&server->op, &peer->stream, nothing);
    weft_accept(&server->op, &peer->accept, &server->listen, &peer->stream, peer_accepted);
}

/* host: "127.0.0.1" or "[::1]". */
static inline void outside_up_at(struct weft_loop *loop, struct outside *server,
                                 peer_fn *on_request, const char *host)
{
    struct weft_address address;
    memset(server, 0, sizeof *server);
    server->on_request = on_request;
    snprintf(server->base, sizeof server->base, "%s:0", host);
    assert_int_equal(weft_address_parse(&address, server->base), 0);
    weft_run(weft_root(loop), &server->op, NULL, nothing);
    weft_listen(&server->op, &server->listen, &address, nothing);
    snprintf(server->base, sizeof server->base, "http://%s:%u", host,
             weft_address_port(&server->listen.address));
    snprintf(server->named, sizeof server->named, "http://server.test:%u",
             weft_address_port(&server->listen.address));
    peer_wait(server);
}

static inline void outside_up(struct weft_loop *loop, struct outside *server, peer_fn *on_request)
{
    outside_up_at(loop, server, on_request, "127.0.0.1");
}

static inline void outside_down(struct outside *server)
{
    if (!over(&server->op))
        weft_end(&server->op, 0);
}

/* A listener whose backlog is full: the kernel drops what comes. */
static inline int full_listener(struct sockaddr_in *name, int fill[4])
{
    socklen_t size = sizeof *name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (struct sockaddr *)name, size), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)name, &size), 0);
    for (int i = 0; i < 4; i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(fill[i], (struct sockaddr *)name, size);
    }
    return fd;
}

/* ---- which engine --------------------------------------------------------------------------- */

/* With WEFT_TEST_NO_DIRECT in the environment curl does everything. */
static inline bool is_direct(void)
{
    return getenv("WEFT_TEST_NO_DIRECT") == NULL;
}

#undef weft_http_client_open
#define weft_http_client_open(parent, client, then)                                                \
    ((client)->no_direct |= !is_direct(),                                                          \
     weft_http_client_open_at(WEFT_HERE("http_client", WEFT_HTTP | WEFT_HANDLE), parent, client,   \
                              then))

/* ---- names ---------------------------------------------------------------------------------- */

/* A resolver for which every host is this machine. */
static inline void resolve_to_loopback(struct weft_op *op)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 1;
    assert_int_equal(weft_address_parse(&resolve->addresses[0], "127.0.0.1:0"), 0);
    weft_finish(op, 0);
}

/* ---- a world with a client and a server ----------------------------------------------------- */

struct scene {
    struct world w;
    struct outside server;
    struct weft_http_client client;
};

static inline void scene_up(struct scene *scene, peer_fn *on_request)
{
    memset(scene, 0, sizeof *scene);
    world_up(&scene->w);
    outside_up(&scene->w.loop, &scene->server, on_request);
    scene->client.resolve = resolve_to_loopback;
    weft_http_client_open(weft_root(&scene->w.loop), &scene->client, noted);
}

/* On a virtual clock: deadlines take no time. */
static inline void scene_up_sim(struct scene *scene, peer_fn *on_request)
{
    memset(scene, 0, sizeof *scene);
    world_up_sim(&scene->w, 0);
    outside_up(&scene->w.loop, &scene->server, on_request);
    scene->client.resolve = resolve_to_loopback;
    weft_http_client_open(weft_root(&scene->w.loop), &scene->client, noted);
}

static inline void scene_down(struct scene *scene)
{
    weft_http_client_close(&scene->client);
    outside_down(&scene->server);
    world_down(&scene->w);
}

static inline struct weft_op *scene_root(struct scene *scene)
{
    return weft_root(&scene->w.loop);
}

/* <base><path>, in storage that the next eight calls leave alone. */
static inline const char *url_at(const char *base, const char *path)
{
    static char urls[8][URL_MAX];
    static unsigned next;
    char *url = urls[next++ % 8];
    snprintf(url, URL_MAX, "%s%s", base, path);
    return url;
}

/* Run the loop until op's then has run. */
static inline void await(struct world *w, const struct weft_op *op)
{
    while (!over(op)) {
        bool more = w->simulated ? weft_sim_step(&w->sim) : uv_run(&w->uv, UV_RUN_ONCE) != 0;
        if (!more && !over(op)) {
            weft_dump(&w->loop, stderr);
            fail_msg("the loop is dry and the op has not ended");
        }
    }
}

/* Run the loop until it is so. */
#define await_that(w, condition)                                                                   \
    while (!(condition)) {                                                                         \
        bool more_ =                                                                               \
            (w)->simulated ? weft_sim_step(&(w)->sim) : uv_run(&(w)->uv, UV_RUN_ONCE) != 0;        \
        if (!more_ && !(condition)) {                                                              \
            weft_dump(&(w)->loop, stderr);                                                         \
            fail_msg("the loop is dry and it is not so: %s", #condition);                          \
        }                                                                                          \
    }

/* Let the loop look around a few times, for what is not to happen. */
static inline void look_around(struct world *w)
{
    for (int i = 0; i < 20; i++) {
        struct weft_op turn = {0};
        weft_immediate(weft_root(&w->loop), &turn, NULL);
        await(w, &turn);
    }
}

static inline void get(struct scene *scene, struct weft_http_fetch *fetch, const char *path)
{
    weft_http_fetch(scene_root(scene), fetch, &scene->client, url_at(scene->server.base, path),
                    noted);
}

static inline void get_and_wait(struct scene *scene, struct weft_http_fetch *fetch,
                                const char *path)
{
    get(scene, fetch, path);
    await(&scene->w, &fetch->op);
}

static inline void text_is(struct weft_text text, const char *expected)
{
    if (!weft_text_is(text, expected))
        fail_msg("it is \"%.*s\" and not \"%s\"", WEFT_TEXT_ARGS(text), expected);
}

/* Ended like this, and can say so in a sentence that contains words. */
static inline void failed_with(const struct weft_http_fetch *fetch, int status,
                               enum weft_http_fetch_failure failure,
                               enum weft_http_fetch_detail detail, const char *words)
{
    char text[WEFT_FETCH_EXPLAIN];
    weft_http_fetch_explain(fetch, text, sizeof text);
    if (fetch->op.status != status || fetch->failure != failure || fetch->detail != detail ||
        strstr(text, words) == NULL)
        fail_msg("it ended with %s, failure %d, detail %d: %s", weft_error_name(fetch->op.status),
                 (int)fetch->failure, (int)fetch->detail, text);
}

#endif
