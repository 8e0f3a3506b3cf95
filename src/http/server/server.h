/* The inside of the server, shared by its files. connection.c tells the whole. */
#ifndef WEFT_HTTP_INSIDE_H
#define WEFT_HTTP_INSIDE_H

#include "http/message/parse.h"
#include "weft/http_server.h"

enum {
    SMALL_IN = 1024,               /* what every connection has to read into; most heads fit */
    SMALL_OUT = 1024,              /* the same for the head of an answer */
    BODY_ROOM = 4096,              /* behind the head in a large buffer, for chunks */
    STATUS_LINE = 64,              /* room for it in front of the fields */
    DISCARD_MAX = 64 * 1024,       /* what is thrown away of a body that nobody read */
    LINGER_MAX = 16 * 1024 * 1024, /* and after the last answer */
    LINGER_MS = 2000,
    REFUSED_MS = 200,  /* the same for who was one too many */
    HURRY_MS = 1000,   /* and for who keeps the server from draining */
    PAUSE_MS = 100,    /* without descriptors or memory nothing is accepted so long */
    REFUSING_MAX = 64, /* connections that are being told 503 */
    SPARE_MAX = 64     /* of each kind: what is kept for the next who needs it */
};

enum http_phase {
    PHASE_IDLE,    /* between two requests: no byte of the next one is here */
    PHASE_HEAD,    /* a head is coming in */
    PHASE_REQUEST, /* a handler, or a refusal, runs */
    PHASE_DISCARD, /* what the handler left of the body is thrown away */
    PHASE_LINGER   /* the last answer is out, and the client gets time to read it */
};

enum http_body { BODY_OVER, BODY_LENGTH, BODY_CHUNKED };

/* ---- a request and its answer --------------------------------------------------------------- */

/* One block with the caller's request struct and the parser's fields behind it. Only a connection
 * with a request under way has one. */
struct weft_http_exchange {
    struct weft_http_request *request;
    struct weft_http_connection *connection;
    struct weft_handle handle; /* a resource as long as it is out of the pool */
    struct http_parser parser;

    enum http_body body; /* of the request: what is still to come */
    uint64_t body_left;
    int body_error; /* what every later read says */
    struct http_chunked chunks;
    struct weft_http_read *reader;
    bool continued; /* "100 Continue" was sent, or is not expected */

    char *out; /* STATUS_LINE free bytes, then the fields up to out_end */
    size_t out_end, out_room, out_begin;
    char *copy;             /* a body of ours */
    struct weft_cell *cell; /* the body is its value: held until the request is over */
    uint64_t length, written;
    bool started;   /* the head is made */
    bool head_out;  /* it was given to be written */
    bool complete;  /* so was everything: the client's leaving changes nothing any more */
    bool typed;     /* a Content-Type was set */
    bool head_full; /* a field did not fit into it */
    bool bodyless, chunked_out;
    int failed;  /* a piece was not written: what follows cannot make it whole again */
    int refusal; /* the answer is the server's own */
    bool late;   /* the client was too slow with its head or body */
    struct weft_write write;
    char small_out[SMALL_OUT];
};

/* ---- a connection --------------------------------------------------------------------------- */

struct weft_http_connection {
    struct weft_op op;
    struct weft_http_server *server;
    struct weft_http_connection *next, **link; /* in server->open_ */
    struct weft_stream stream;
    struct weft_stream_wait gone;
    struct weft_read read;
    union {
        struct weft_accept accept;
        struct weft_stream_wait shutdown; /* long after the accept */
    } first_or_last;

    struct weft_address peer; /* size 0: not asked for yet */
    struct weft_http_exchange *exchange;
    char *in; /* small, or a large one of the pool */
    size_t in_room, start, end, body_at;
    uint64_t lingered;
    unsigned requests;
    enum http_phase phase;
    bool counted, over_limit, left;

    struct weft_timer timer;
    uint64_t due, request_due, armed;
    uint64_t given, taken; /* bytes to write; those the client had when it was last looked at */
    char small[SMALL_IN];
};

/* ---- server.c ------------------------------------------------------------------------------- */

/* A connection was made, or broke before it was. */
void weft__http_accepted(struct weft_http_connection *c, int status);
/* It is over, and its storage with it. */
void weft__http_connection_over(struct weft_http_connection *c);

/* ---- connection.c --------------------------------------------------------------------------- */

/* Wait for a connection in c, fresh from the pool. */
void weft__http_connection_open(struct weft_http_server *server, struct weft_http_connection *c);
/* Serve it; with over_limit only to say no. */
void weft__http_connection_serve(struct weft_http_connection *c);
/* The server drains: a connection without a request ends. */
void weft__http_connection_drain(struct weft_http_connection *c);
/* Refuse the request of c with an HTTP status; what is not begun yet is not handled. */
void weft__http_refuse(struct weft_http_connection *c, int status);
/* The request's answer is out, the body read or thrown away: go on. */
void weft__http_connection_next(struct weft_http_connection *c);
/* Break it off so that the client cannot take it for a normal end. */
void weft__http_connection_cut(struct weft_http_connection *c, int status);

/* ---- deadline.c ----------------------------------------------------------------------------- */

/* What c waits for now has ms; WEFT_HTTP_NEVER: it may take for ever. */
void weft__http_due(struct weft_http_connection *c, uint64_t ms);
/* The whole request has so much. */
void weft__http_request_due(struct weft_http_connection *c, uint64_t ms);
/* size bytes were given to be written: watch that the client takes them. */
void weft__http_given(struct weft_http_connection *c, size_t size);
/* size of them will not be written after all. */
void weft__http_taken_back(struct weft_http_connection *c, size_t size);

/* ---- body.c --------------------------------------------------------------------------------- */

void weft__http_body_begin(struct weft_http_exchange *x);
/* Can what is left of it be thrown away, so that the connection goes on? It is short, and certain
 * to come: a client that was not told to continue may send it or not. */
bool weft__http_body_skippable(const struct weft_http_exchange *x);
/* Throw away what is left of it, then go on with weft__http_connection_next. */
void weft__http_body_discard(struct weft_http_connection *c);

/* ---- answer.c ------------------------------------------------------------------------------- */

void weft__http_answer_begin(struct weft_http_exchange *x);
/* Forget all that was said of an answer that has not gone out. */
void weft__http_answer_reset(struct weft_http_exchange *x);
/* The head, as one part to write; it counts as sent. */
uv_buf_t weft__http_answer_head(struct weft_http_exchange *x);

/* uv_buf_init takes no size above 4 GB. */
static inline uv_buf_t http_part(const void *data, size_t size)
{
    uv_buf_t part = {.base = (char *)data, .len = size};
    return part;
}

/* ---- pool.c --------------------------------------------------------------------------------- */

/* What requests and connections need, kept for the next. NULL: no memory. */
struct weft_http_pool *weft__http_pool_new(const struct weft_http_server *server);
/* One more, one fewer who uses the pool; the last one frees it: true. */
void weft__http_pool_hold(struct weft_http_pool *pool);
bool weft__http_pool_drop(struct weft_http_pool *pool);

struct weft_http_connection *weft__http_take_connection(struct weft_http_pool *pool);
void weft__http_put_connection(struct weft_http_pool *pool, struct weft_http_connection *c);
struct weft_http_exchange *weft__http_take_exchange(struct weft_http_pool *pool);
void weft__http_put_exchange(struct weft_http_pool *pool, struct weft_http_exchange *x);
size_t weft__http_buffer_size(const struct weft_http_pool *pool);
char *weft__http_take_buffer(struct weft_http_pool *pool);
void weft__http_put_buffer(struct weft_http_pool *pool, char *buffer);

#endif
