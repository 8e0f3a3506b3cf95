/* What the tests of the server share: a server on a virtual clock, and clients that are bare sockets
 * in the test's own hand. Time stands still unless a test lets it pass; what has to go over a socket
 * is waited for, up to ten real seconds.
 *
 *     struct site s;
 *     struct client c;
 *     site_up(&s, handler);
 *     dial(&s, &c);
 *     say(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
 *     assert_int_equal(hear(&s, &c), 200);
 *     assert_string_equal(c.body, "hello\n");
 *     hang_up(&c);
 *     site_down(&s);
 */
#ifndef TESTS_HTTP_CLIENT_H
#define TESTS_HTTP_CLIENT_H

#include "check.h"
#include "core/op.h"
#include "loop.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <weft/http_server.h>

#define GET_ROOT "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_ROOT_AND_CLOSE "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

enum { PATIENCE_S = 10, EARS = 256 * 1024 };

/* ---- the server ----------------------------------------------------------------------------- */

struct site {
    struct world w;
    struct weft_http_server server;
    int status; /* how it ended; 1: it runs */
};

/* For tests that try many orders: added to WEFT_SHUFFLE. */
static uint64_t site_seed;

/* What server.done was told, all of it together; emptied by site_up. */
struct told {
    unsigned calls;
    int answered; /* of the last one */
    uint64_t sent, received;
    struct weft_address peer;
    int peer_status;
};
static struct told told;

static inline void tell(struct weft_http_request *request)
{
    told.calls++;
    told.answered = request->answered;
    told.sent = request->sent;
    told.received = request->received;
    told.peer_status = weft_http_peer(request, &told.peer);
}

static inline struct weft_http_request *request_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_http_request, op);
}

static inline void site_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    weft_owner(op, struct site, server.op)->status = op->status;
}

static inline struct weft_address address_of(const char *text)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, text), 0);
    return address;
}

/* A loop, and a server that is not started: set its limits, then site_start. */
static inline void site_prepare_on(struct site *s, bool simulated, weft_begin_fn *handler)
{
    const char *seed = getenv("WEFT_SHUFFLE");
    memset(s, 0, sizeof *s);
    memset(&told, 0, sizeof told);
    if (simulated)
        world_up_sim(&s->w, site_seed + (seed != NULL ? strtoull(seed, NULL, 0) : 0));
    else
        world_up(&s->w);
    s->server.handler = handler;
    s->server.done = tell;
    s->status = 1;
}

static inline void site_prepare(struct site *s, weft_begin_fn *handler)
{
    site_prepare_on(s, true, handler);
}

static inline void site_start(struct site *s)
{
    struct weft_address address = address_of("127.0.0.1:0");
    weft_http_serve(weft_root(&s->w.loop), &s->server, &address, site_over);
}

static inline void site_up(struct site *s, weft_begin_fn *handler)
{
    site_prepare(s, handler);
    site_start(s);
}

/* Everything that can happen now. */
static inline void turn(struct site *s)
{
    if (s->w.simulated)
        weft_sim_advance(&s->w.sim, 0);
    else
        uv_run(&s->w.uv, UV_RUN_NOWAIT);
}

/* A look around, for what is not to happen. */
static inline void turns(struct site *s)
{
    for (int i = 0; i < 5; i++)
        turn(s);
}

static inline void pass(struct site *s, uint64_t ms)
{
    turns(s);
    weft_sim_advance(&s->w.sim, ms);
    turns(s);
}

/* Until condition holds. */
#define until(s, condition)                                                                        \
    do {                                                                                           \
        time_t until_ = time(NULL) + PATIENCE_S;                                                   \
        while (!(condition)) {                                                                     \
            turn(s);                                                                               \
            if (time(NULL) > until_)                                                               \
                fail_msg("it never came to: %s", #condition);                                      \
        }                                                                                          \
    } while (0)

/* It is over, or is made to be; nothing is left. */
static inline void site_down(struct site *s)
{
    if (s->status == 1)
        weft_cancel(&s->server.op, UV_ECANCELED);
    until(s, s->status != 1);
    assert_int_equal(s->server.connections, 0);
    assert_int_equal(s->server.running, 0);
    world_down(&s->w);
}

/* ---- a client ------------------------------------------------------------------------------- */

struct client {
    int fd;
    char bytes[EARS]; /* heard, and not yet taken */
    size_t size;
    bool ended; /* the server has closed its side */
    int error;  /* or broken it: errno */
    int status; /* of the answer that was taken last; its head and body */
    char head[EARS], body[EARS];
    size_t body_size;
};

static inline void dial_address(struct client *c, const struct weft_address *address)
{
    c->size = 0;
    c->ended = false;
    c->error = 0;
    c->fd = socket(address->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->fd >= 0);
    assert_int_equal(connect(c->fd, &address->to.any, address->size), 0);
    if (address->to.any.sa_family != AF_UNIX) /* what is said is there when the server looks */
        assert_int_equal(setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
    assert_int_equal(fcntl(c->fd, F_SETFL, O_NONBLOCK), 0);
}

static inline void dial(struct site *s, struct client *c)
{
    dial_address(c, &s->server.address);
}

static inline void say_bytes(struct client *c, const void *bytes, size_t size)
{
    assert_int_equal(send(c->fd, bytes, size, MSG_NOSIGNAL), size);
}

static inline void say(struct client *c, const char *text)
{
    say_bytes(c, text, strlen(text));
}

/* The client ends its side. */
static inline void fall_silent(struct client *c)
{
    assert_int_equal(shutdown(c->fd, SHUT_WR), 0);
}

static inline void hang_up(struct client *c)
{
    close(c->fd);
    c->fd = -1;
}

/* The same, in anger: a reset. */
static inline void slam(struct client *c)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
    hang_up(c);
}

/* Take in what is there. */
static inline void listen_once(struct client *c)
{
    while (!c->ended && c->error == 0 && c->size < sizeof c->bytes - 1) {
        ssize_t got = recv(c->fd, c->bytes + c->size, sizeof c->bytes - c->size - 1, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got < 0)
            c->error = errno;
        else if (got == 0)
            c->ended = true;
        else
            c->size += (size_t)got;
    }
    c->bytes[c->size] = '\0';
}

static inline bool heard_end(struct client *c)
{
    listen_once(c);
    return c->ended || c->error != 0;
}

/* The server closes its side, and has said no more before. */
static inline void hear_end(struct site *s, struct client *c)
{
    until(s, heard_end(c));
    assert_int_equal(c->error, 0);
    assert_int_equal(c->size, 0);
}

/* The server breaks the connection off. */
static inline void hear_reset(struct site *s, struct client *c)
{
    until(s, heard_end(c));
    assert_int_equal(c->error, ECONNRESET);
}

static inline void hear_nothing(struct site *s, struct client *c)
{
    turns(s);
    listen_once(c);
    assert_int_equal(c->size, 0);
    assert_false(c->ended);
    assert_int_equal(c->error, 0);
}

static inline bool heard(struct client *c, const char *text)
{
    listen_once(c);
    return strstr(c->bytes, text) != NULL;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* The value of a field of the answer that was taken last; NULL: there is none. */
static inline const char *field(const struct client *c, const char *name)
{
    static char value[8192];
    size_t size = strlen(name);
    for (const char *line = c->head; (line = strstr(line, "\r\n")) != NULL;) {
        line += 2;
        if (strncasecmp(line, name, size) != 0 || strncmp(line + size, ": ", 2) != 0)
            continue;
        const char *end = strstr(line, "\r\n");
        snprintf(value, sizeof value, "%.*s", (int)(end - line) - (int)size - 2, line + size + 2);
        return value;
    }
    return NULL;
}

static inline void expect_field(const struct client *c, const char *name, const char *value)
{
    const char *is = field(c, name);
    if (value == NULL)
        assert_null(is);
    else {
        assert_non_null(is);
        assert_string_equal(is, value);
    }
}

static inline void drop_bytes(struct client *c, size_t size)
{
    c->size -= size;
    memmove(c->bytes, c->bytes + size, c->size + 1);
}

/* Chunks at bytes into body; how many bytes they are with their frames, or 0: not all are here. */
static inline size_t take_chunks(struct client *c, const char *bytes)
{
    const char *at = bytes;
    c->body_size = 0;
    for (;;) {
        const char *line = strstr(at, "\r\n");
        if (line == NULL)
            return 0;
        size_t size = strtoull(at, NULL, 16);
        at = line + 2;
        if ((size_t)(at - c->bytes) + size + 2 > c->size)
            return 0;
        memcpy(c->body + c->body_size, at, size);
        c->body_size += size;
        assert_memory_equal(at + size, "\r\n", 2);
        at += size + 2;
        if (size == 0)
            return (size_t)(at - bytes);
    }
}

/* Take one answer off the bytes, if it is complete. */
static inline bool take_answer(struct client *c, bool has_body)
{
    listen_once(c);
    const char *end = strstr(c->bytes, "\r\n\r\n");
    if (end == NULL)
        return false;
    size_t head = (size_t)(end + 4 - c->bytes), body = 0;
    snprintf(c->head, sizeof c->head, "%.*s", (int)head, c->bytes);
    assert_int_equal(sscanf(c->head, "HTTP/1.1 %d", &c->status), 1);
    c->body_size = 0;
    const char *length = field(c, "Content-Length"), *encoding = field(c, "Transfer-Encoding");
    if (!has_body || c->status == 204 || c->status == 304 || c->status < 200) {
        body = 0;
    } else if (encoding != NULL) {
        body = take_chunks(c, end + 4);
        if (body == 0)
            return false;
    } else {
        if (length == NULL && !c->ended)
            return false;
        body = length != NULL ? strtoull(field(c, "Content-Length"), NULL, 10) : c->size - head;
        if (c->size - head < body)
            return false;
        memcpy(c->body, end + 4, body);
        c->body_size = body;
    }
    c->body[c->body_size] = '\0';
    drop_bytes(c, head + body);
    return true;
}

/* The next answer: its status. */
static inline int hear(struct site *s, struct client *c)
{
    until(s, take_answer(c, true));
    return c->status;
}

/* The same, of a HEAD. */
static inline int hear_head(struct site *s, struct client *c)
{
    until(s, take_answer(c, false));
    return c->status;
}

/* A whole conversation: the status of the answer to text. */
static inline int ask(struct site *s, const char *text)
{
    static struct client c;
    dial(s, &c);
    say(&c, text);
    int status = hear(s, &c);
    hang_up(&c);
    return status;
}

/* A fresh connection is served as ever: whatever came before has harmed nobody. */
static inline void serves_on(struct site *s)
{
    assert_int_equal(ask(s, GET_ROOT), 200);
    until(s, s->server.connections == 0 && s->server.running == 0);
}

#endif
