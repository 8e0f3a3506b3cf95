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
    bool connected, gone; /* gone: the client has left, and the server has seen it */
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
    bool heads;     /* call it with the head, before the body */
    char base[64];  /* "http://127.0.0.1:port" */
    char named[64]; /* "http://server.test:port" */
};

static inline void peer_wait(struct outside *server);

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
    while (size > 0 && !over_(&peer->stream.op)) {
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

#endif
