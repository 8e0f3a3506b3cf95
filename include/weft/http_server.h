/* weft/http_server.h: an HTTP/1.1 server whose request handlers are operations.
 *
 *     static void hello(struct weft_op *op)
 *     {
 *         struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
 *         weft_http_answerf(request, 200, "text/plain", "hello %.*s\n",
 *                           WEFT_TEXT_ARGS(request->head.path));
 *     }
 *     ...
 *     struct weft_http_server server = {.handler = hello};
 *     weft_http_serve(op, &server, &address, stopped);
 *
 * A handler is the begin of request->op. It may answer at once, or start what it likes under op and
 * answer later. When the client leaves before the answer is complete, op is cancelled, and with it
 * everything below: no work is done for nobody. The op ends by itself when the answer is with the
 * kernel; what still runs below it is cancelled then.
 *
 * A handler that fails has answered too: if op ends with an error before an answer was begun, the
 * client gets the status that fits (weft_http_status_of). Ended by 0 without an answer is 500. After
 * the answer was begun the connection is cut, so that what is incomplete never looks complete.
 *
 * Requests on one connection are handled one after the other: pipelined ones are answered in order.
 * What does not follow RFC 9112 to the letter is refused before a handler sees it. */
#ifndef WEFT_HTTP_SERVER_H
#define WEFT_HTTP_SERVER_H

#include "http_head.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_http_server;
struct weft_http_request;
struct weft_http_connection;
struct weft_http_exchange;
struct weft_http_pool;
struct weft_cell;

/* ---- a request ------------------------------------------------------------------------------ */

enum { WEFT_HTTP_PARAMS = 8 };

/* What the handler gets. To have more per request, embed it as the first member of a struct of your
 * own and set server.request_size: it is zeroed for each request, and weft_owner leads to it. It is
 * valid until op's end, and so is everything in it. */
struct weft_http_request {
    struct weft_op op;
    struct weft_http_head head;
    struct weft_http_server *server;
    struct weft_text params[WEFT_HTTP_PARAMS]; /* of the route: see http_router.h */
    uint64_t body_max; /* server.body_max; may be changed before the body is first read */
    bool close;        /* set it before the answer: the connection is closed after it */

    int answered;      /* read only: the status that was answered with; 0: none yet */
    uint64_t sent;     /* read only: how many bytes of the answer's body were given to be sent */
    uint64_t received; /* read only: how many bytes of the request's body were read */
    uint64_t began_ns; /* read only: when its head was complete, by uv_hrtime; 0 without done */
    struct weft_http_exchange *inner_;
};

/* Where it came from. The kernel is asked once a connection; in server.done it is known also if the
 * client has left. UV_EINVAL: address is NULL. The errors of weft_stream_peer. */
WEFT_API int weft_http_peer(const struct weft_http_request *request, struct weft_address *address);

/* ---- the answer ----------------------------------------------------------------------------- */

/* Add a field to the answer, before it is begun; both are copied. UV_EINVAL: name is no token,
 * value has a line end, NUL or another control character in it, or the field is one that the server
 * itself writes (Content-Length, Transfer-Encoding, Connection, Date). UV_ENOBUFS: the head would
 * be larger than server.answer_head_max, or a value made by weft_http_setf is longer than 1,023
 * bytes. UV_EALREADY: the answer has begun. UV_ENOMEM. After an error the answer is as before. */
WEFT_API int weft_http_set(struct weft_http_request *request, const char *name, const char *value);
WEFT_API int weft_http_set_text(struct weft_http_request *request, struct weft_text name,
                                struct weft_text value);
__attribute__((format(printf, 3, 4))) WEFT_API int weft_http_setf(struct weft_http_request *request,
                                                                  const char *name,
                                                                  const char *format, ...);

/* Answer, completely. type becomes the Content-Type; NULL: none. data must stay until op is over,
 * which then is soon. For HEAD the body is left out, for 204 and 304 too. An answer that was begun
 * before stands: this one is ignored. A status outside 200 to 599, or a type that is not a legal
 * value, ends op with UV_EINVAL; an op that was cancelled ends with the reason. */
WEFT_API void weft_http_answer(struct weft_http_request *request, int status, const char *type,
                               const void *data, size_t size);
/* The same with a body that is copied; or as by printf. Without the memory for it op ends with
 * UV_ENOMEM. */
WEFT_API void weft_http_answer_copy(struct weft_http_request *request, int status, const char *type,
                                    const void *data, size_t size);
__attribute__((format(printf, 4, 5))) WEFT_API void weft_http_answerf(
    struct weft_http_request *request, int status, const char *type, const char *format, ...);

/* The same with the value of a cell (weft/batch.h), as a cache or a batch has it: nothing is copied, and
 * the cell is held until the request is over, however it ends. So it may be called in the then of a get,
 * whatever becomes of the entry and of the cache after that. UV_EINVAL ends op also if cell is NULL. */
WEFT_API void weft_http_answer_cell(struct weft_http_request *request, int status, const char *type,
                                    struct weft_cell *cell);

/* The status for a handler's error, for those who answer it by themselves:
 *     413   UV_EFBIG
 *     400   WEFT_EHTTP
 *     503   what will pass: UV_ENOMEM, UV_EMFILE, UV_ENFILE, UV_EAGAIN, UV_EBUSY; UV_ENOBUFS and
 *           WEFT_ESTOPPED of a queue, a batch or a lazy; UV_ENOTCONN
 *     504   UV_ETIMEDOUT
 *     500   everything else, 0 too
 * The server adds "Retry-After: 1" to its 503. It takes a UV_ENOBUFS for 500 if the answer's head was
 * what had no room: it would be too large the next time as well. */
WEFT_API int weft_http_status_of(int error);

/* Answer piece by piece: begin, write, write, …, end. length is that of the whole body, or
 * WEFT_HTTP_UNKNOWN: then it goes in chunks (to a client of HTTP/1.0: until the connection closes).
 * Nothing is sent yet: the head goes out with the first piece, or the end. UV_EALREADY: the answer
 * has begun. UV_EINVAL, UV_ENOBUFS, UV_ENOMEM as above; the reason if op was cancelled. */
#define WEFT_HTTP_UNKNOWN UINT64_MAX
WEFT_API int weft_http_start(struct weft_http_request *request, int status, const char *type,
                             uint64_t length);

/* One piece: an op of its own below request->op; over when the bytes are with the kernel, so a
 * client that reads slowly slows the writer. They stay yours and must stay until then. Several may
 * be under way; they go out in the order of their begin. A size of 0 sends the head, if it has not
 * gone out, and nothing else. For HEAD, 204 and 304 it succeeds and sends nothing else. After a
 * piece that failed or was cancelled the answer cannot become whole: later ones and weft_http_end
 * fail like it. UV_EINVAL: no weft_http_start, or this is more than the length, or data is NULL
 * with a size. UV_EALREADY: after weft_http_end. The errors of weft_write, except UV_ENOBUFS. */
struct weft_http_write {
    struct weft_op op;
    struct weft_http_request *request;
    const void *data;
    size_t size;
    struct weft_write write_;
    char frame_[24];
};
#define weft_http_write(parent, write, request, data, size, then)                                  \
    weft_http_write_at(WEFT_HERE("http_write", WEFT_HTTP), parent, write, request, data, size, then)
WEFT_API void weft_http_write_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_http_write *write, struct weft_http_request *request,
                                 const void *data, size_t size, weft_then_fn *then);
WEFT_API void weft_http_write_begin(struct weft_op *op);

/* The answer is complete: request->op ends when all of it is with the kernel. If fewer bytes were
 * written than the length said it ends with UV_EINVAL, and the connection is cut unless nothing of
 * the answer has gone out. Once; a second call and one without weft_http_start do nothing. */
WEFT_API void weft_http_end(struct weft_http_request *request);

/* ---- the request's body --------------------------------------------------------------------- */

/* Read a piece of the body into buffer: read->size bytes, at least 1. UV_EOF: that was all. It is
 * an op below request->op. A cancel may lose: with status 0 the bytes are there. The first read
 * lets a client go on that expects "100 Continue". A handler need not read: what is left is thrown
 * away after the answer if it is short and its length known, otherwise the connection is closed,
 * and the answer says so. After an error every later read fails with the same. UV_EFBIG: the body
 * is larger than request->body_max. WEFT_EHTTP: its chunks are malformed, or the client has ended
 * its side in the middle of it, with server.half_close; without, it has left. UV_EBUSY: another
 * read is under way. UV_EINVAL: request or buffer is NULL, capacity is 0. The errors of
 * weft_read. */
struct weft_http_read {
    struct weft_op op;
    struct weft_http_request *request;
    void *buffer;
    size_t capacity;
    size_t size;
    struct weft_read read_;
    struct weft_write continue_;
};
#define weft_http_read(parent, read, request, buffer, capacity, then)                              \
    weft_http_read_at(WEFT_HERE("http_read", WEFT_HTTP), parent, read, request, buffer, capacity,  \
                      then)
WEFT_API void weft_http_read_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_http_read *read, struct weft_http_request *request,
                                void *buffer, size_t capacity, weft_then_fn *then);
WEFT_API void weft_http_read_begin(struct weft_op *op);

/* Read all of it: data is followed by a NUL that size does not count; free it with
 * weft_http_read_all_free. No body is size 0. The errors of weft_http_read, and UV_ENOMEM; after an
 * error there is no data. */
struct weft_http_read_all {
    struct weft_op op;
    struct weft_http_request *request;
    char *data;
    size_t size;
    size_t room_;
    struct weft_http_read read_;
};
#define weft_http_read_all(parent, all, request, then)                                             \
    weft_http_read_all_at(WEFT_HERE("http_read_all", WEFT_HTTP), parent, all, request, then)
WEFT_API void weft_http_read_all_at(const struct weft_site *site, struct weft_op *parent,
                                    struct weft_http_read_all *all,
                                    struct weft_http_request *request, weft_then_fn *then);
WEFT_API void weft_http_read_all_begin(struct weft_op *op);
/* Safe on one that failed, and a second time. */
WEFT_API void weft_http_read_all_free(struct weft_http_read_all *all);

/* ---- the server ----------------------------------------------------------------------------- */

/* Told when a request is over: answered, refused or left. For logs and figures; request->answered
 * is 0 if nobody was there to be answered. */
typedef void weft_http_done_fn(struct weft_http_request *request);

enum {
    WEFT_HTTP_LINE_MAX = 8 * 1024,
    WEFT_HTTP_HEAD_MAX = 16 * 1024,
    WEFT_HTTP_FIELDS_MAX = 100,
    WEFT_HTTP_BODY_MAX = 1024 * 1024,
    WEFT_HTTP_ANSWER_HEAD_MAX = 8 * 1024,
    WEFT_HTTP_CONNECTIONS_MAX = 1024,
    WEFT_HTTP_REQUESTS_MAX = 10000,
    WEFT_HTTP_HEAD_MS = 10 * 1000,
    WEFT_HTTP_IDLE_MS = 60 * 1000,
    WEFT_HTTP_BODY_MS = 30 * 1000,
    WEFT_HTTP_WRITE_MS = 30 * 1000,
    WEFT_HTTP_REQUEST_MS = 300 * 1000
};
#define WEFT_HTTP_NEVER UINT64_MAX /* for any of the times below */

struct weft_http_server {
    struct weft_op op;

    /* Set before weft_http_serve; 0 and NULL are the defaults above. */
    weft_begin_fn *handler;  /* of every request; required */
    size_t request_size;     /* of the struct around weft_http_request */
    weft_http_done_fn *done; /* NULL: nobody is told */
    const char *name;        /* of the field Server; NULL: there is none */
    bool reuse_port;         /* several servers share the port, a loop each */
    bool half_close;         /* a client that ends its side still gets its answer: see below */
    size_t line_max;         /* bytes of the request line; more: 414 */
    size_t head_max;         /* bytes of the whole head; more: 431 */
    size_t fields_max;       /* more: 431 */
    uint64_t body_max;       /* bytes; more: 413 */
    size_t answer_head_max;
    unsigned connections_max; /* more: 503 and Retry-After */
    unsigned requests_max;    /* on one connection; it is closed after them */
    uint64_t head_ms;         /* for a whole head to come, from its first byte on: 408 */
    uint64_t idle_ms;         /* between two requests */
    uint64_t body_ms;         /* for more of a body that is waited for: 408 */
    uint64_t write_ms;        /* for a client to take something of what is written */
    uint64_t request_ms;      /* for a whole request, from its head to the end of its answer */

    /* Read only. */
    struct weft_address address; /* where it listens; the port too if it was 0 */
    unsigned connections;        /* open ones */
    unsigned running;            /* requests whose handler runs */
    uint64_t accepted, refused;  /* connections, and those among them that met connections_max */
    uint64_t requests;           /* that a handler got */

    struct weft_listen listen_;
    struct weft_http_connection *open_, *spare_;
    struct weft_http_pool *pool_;
    struct weft_sleep pause_;
    struct weft_timer drain_;
    unsigned refusing_;
    bool draining_, paused_;
    int64_t date_s_;
    char date_[32];
};

/* Half-closing. A client that only ends its side looks the same as one that leaves, and by default
 * is taken for that: what can be answered at once is, the rest is cancelled. With half_close it is
 * answered all the same; then one that has left altogether is seen only when it is written to.
 *
 * Listen on address and serve until stopped; it is bound when this returns: server->address. then
 * gets 0 after weft_http_drain, UV_ETIMEDOUT if a request was cut by it, the reason of a cancel,
 * which cuts all connections at once, or the error of listening: those of weft_listen, UV_ENOMEM,
 * and UV_EINVAL if there is no handler, request_size is too small or above 1 MiB, name is not a
 * legal value or longer than 256 bytes, or a limit makes no sense (head_max or answer_head_max
 * above 1 MiB, the latter below 1 KiB, line_max above head_max, fields_max above 10,000). Running
 * out of descriptors or memory does not stop it: it takes no new connections for a moment. */
#define weft_http_serve(parent, server, address, then)                                             \
    weft_http_serve_at(WEFT_HERE("http_server", WEFT_HTTP | WEFT_HANDLE), parent, server, address, \
                       then)
WEFT_API void weft_http_serve_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_http_server *server,
                                 const struct weft_address *address, weft_then_fn *then);
WEFT_API void weft_http_serve_begin(struct weft_op *op);

/* Stop gracefully: no new connections, idle ones are closed, requests under way are finished (their
 * answers say "Connection: close"). What is not over in ms is cut. Again: the time is moved. No
 * effect on a server that does not run. */
WEFT_API void weft_http_drain(struct weft_http_server *server, uint64_t ms);

/* Is it being stopped? Then only requests under way are left; whoever comes is refused by the
 * kernel. */
static inline bool weft_http_draining(const struct weft_http_server *server)
{
    return server->draining_;
}

/* "http://127.0.0.1:8080/" into text: where server can be reached; for [::] and 0.0.0.0 by
 * loopback. UV_ENOBUFS, UV_EINVAL as weft_address_format. */
WEFT_API int weft_http_url(const struct weft_http_server *server, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
