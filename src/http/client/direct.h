/* Requests over connections of our own: what the files direct*.c share. direct.c tells how the
 * parts fit together. */
#ifndef WEFT_HTTP_DIRECT_H
#define WEFT_HTTP_DIRECT_H

#include "../message/parse.h"
#include "client.h"

enum {
    DIRECT_BUFFER = 16 * 1024, /* what is read at once */
    DIRECT_SPARE = 32,         /* so many buffers are kept for later */
    DIRECT_STAGGER_MS = 200,   /* until the next address is tried beside the last */
    DIRECT_AGE_MS = 118000     /* a connection that was idle for longer is not trusted any more */
};

/* Bytes that came and were not read yet. */
struct direct_buffer {
    struct direct_buffer *next; /* among the spare ones */
    size_t room;
    char data[];
};

/* A host and a port, its connections, and who waits for one. */
struct direct_host {
    struct direct_host *next; /* in its bucket */
    struct weft_http_engine *engine;
    struct weft_http_chain idle;    /* connections, the latest last */
    struct weft_http_chain waiters; /* fetches, by wait_ */
    struct weft_http_chain hungry;  /* among the hosts that have waiters */
    unsigned connections;           /* made or being made */
    unsigned users;                 /* requests that refer to it */
    unsigned port;
    char name[];
};

/* One connection. It is freed when libuv has let go of its socket: until then sock is NULL. */
struct direct_connection {
    struct direct_host *host;
    struct http_socket *sock;
    struct weft_http_direct *user; /* NULL: it is idle */
    struct weft_http_chain beside; /* the host's idle ones, or the user's that are being made */
    struct weft_http_chain age;    /* the engine's idle ones */
    struct weft_address peer;
    uint64_t idle_since;
    struct direct_buffer *buffer; /* NULL while it is idle */
    size_t start, end;            /* what of it is not read yet */
    bool counted;                 /* among the host's connections */
};

enum direct_coding { CODING_NONE, CODING_GZIP, CODING_DEFLATE, CODING_UNKNOWN };
enum direct_frame { FRAME_HEAD, FRAME_LENGTH, FRAME_CHUNKS, FRAME_TO_THE_END };

/* What a fetch has while its request is on its way here. */
struct weft_http_direct {
    struct weft_http_direct *next; /* among the spare ones */
    struct weft_http_engine *engine;
    struct weft_http_fetch *fetch;
    struct direct_host *host;
    struct direct_connection *connection; /* the one that is used */
    struct weft_http_chain dials;         /* those that are being made */
    struct weft_timer stagger;
    struct weft_address addresses[WEFT_FETCH_ADDRESSES];
    size_t address_count, address_next;
    int error;   /* why the last one could not be reached */
    bool slot;   /* counted among the host's connections, while one is being made */
    bool number; /* the host is an address */

    char *request;
    size_t request_size, request_room, sent;
    int broken; /* sending failed with this */
    bool is_head, old;

    enum direct_frame frame;
    enum direct_coding coding;
    size_t lines;  /* of the head, but for those that go on with the one before */
    uint64_t left; /* of FRAME_LENGTH */
    struct http_chunked chunks;
    struct weft_text packed, plain; /* not unpacked yet; not taken yet */
    struct direct_unpack *unpack;
    bool done;   /* all of the answer is there */
    bool keep;   /* the connection may be used again */
    bool came;   /* some of the answer has */
    bool reused; /* over a kept connection */
    bool fresh;  /* asked again: not over a kept one */

    uint64_t wire, body; /* bytes of the answer; of its body, without its frames */
    uint64_t begun_ns, connected_ns, first_ns;
};

/* Is it decided how it ends, or is the client being closed? Then nothing more is done. */
static inline bool direct_ends(const struct weft_http_direct *direct)
{
    return direct->fetch->stopped_ || direct->engine->closing;
}

/* ---- direct.c ------------------------------------------------------------------------------- */

/* If this request can go over a connection of ours: direct_, ready to start. 0 or an error. */
int weft__http_direct_set(struct weft_http_fetch *fetch);
/* Go on: look the host up, take a connection. 0: under way; 1: it waits; or an error. */
int weft__http_direct_start(struct weft_http_fetch *fetch);
/* After a pause. */
void weft__http_direct_resume(struct weft_http_fetch *fetch);
/* It is over: close what is not done. Safe on a fetch that curl works for. */
void weft__http_direct_leave(struct weft_http_fetch *fetch);
uint64_t weft__http_direct_moved(const struct weft_http_direct *direct);
/* Something happened to a socket. */
void weft__http_direct_polled(struct direct_connection *connection, int events);
/* Close all; free what is kept. */
void weft__http_direct_shut(struct weft_http_engine *engine);
void weft__http_direct_free(struct weft_http_engine *engine);
/* The answer is complete, or nothing more of it is wanted: finish the fetch. */
void weft__http_direct_done(struct weft_http_direct *direct);
/* A connection is there: send the request over it. */
void weft__http_direct_ask(struct weft_http_direct *direct);

/* ---- direct_request.c ----------------------------------------------------------------------- */

struct direct_url {
    char host[HOST_TEXT]; /* lower case */
    unsigned port;
    bool number;
    struct weft_text target; /* without its '/', if that is missing */
};

/* Is it one of ours? In doubt it is not. */
bool weft__http_direct_fits(const struct weft_http_fetch *fetch, struct direct_url *url);
/* Read host and port, 80 if there is none; how long that is. 0: not one that we take. */
size_t weft__http_direct_place(const char *text, struct direct_url *url);
/* Is this part of a path nothing but dots, "%2e" too? */
bool weft__http_is_dots(const char *part);
/* Write the request. 0 or UV_ENOMEM. */
int weft__http_direct_write(struct weft_http_direct *direct, const struct direct_url *url);

/* ---- direct_pool.c -------------------------------------------------------------------------- */

/* NULL: no memory. Let go of it with host_leave. */
struct direct_host *weft__http_host_join(struct weft_http_engine *engine, const char *name,
                                         unsigned port);
void weft__http_host_leave(struct direct_host *host);
/* A connection for direct: a kept one, a new one, or a place among those who wait. 0 or 1. */
int weft__http_pool_take(struct weft_http_direct *direct);
/* It is not used any more: kept for later. */
void weft__http_pool_keep(struct direct_connection *connection);
/* One less is counted at host. */
void weft__http_pool_less(struct direct_host *host);
/* Somebody who waited may go on. */
void weft__http_pool_serve(struct direct_host *host);

/* ---- direct_connection.c -------------------------------------------------------------------- */

/* Connect to the addresses, one after the other. */
void weft__http_dial(struct weft_http_direct *direct);
/* Something happened to one that is being made. */
void weft__http_dial_polled(struct direct_connection *connection);
/* Give up those that are being made. */
void weft__http_dial_stop(struct weft_http_direct *direct);
/* Safe on one that is closed. */
void weft__http_connection_close(struct direct_connection *connection);
/* Has the server closed it, or said something that nobody asked for? */
bool weft__http_connection_stale(const struct direct_connection *connection);
/* Room in the buffer. 0, UV_ENOMEM. */
int weft__http_buffer_room(struct direct_connection *connection);
void weft__http_buffer_give(struct direct_connection *connection);

/* ---- direct_answer.c ------------------------------------------------------------------------ */

/* Read what is in the buffer. false: no more is wanted for now, or the fetch is over. */
bool weft__http_answer_work(struct weft_http_direct *direct);
/* The server has closed its side; or, with an error, the connection is broken. */
void weft__http_answer_end(struct weft_http_direct *direct, int error);

/* ---- direct_unpack.c ------------------------------------------------------------------------ */

struct direct_unpack *weft__http_unpack_take(struct weft_http_engine *engine,
                                             enum direct_coding coding);
void weft__http_unpack_give(struct weft_http_engine *engine, struct direct_unpack *unpack);
/* The next bytes of packed, unpacked: plain points to them, until the next call. Call it until
 * weft__http_unpack_idle. 0, or WEFT_EHTTP: it is not packed so; UV_ENOMEM. */
int weft__http_unpack(struct direct_unpack *unpack, struct weft_text *packed,
                      struct weft_text *plain);
/* Is there nothing more to come of what it was given? */
bool weft__http_unpack_idle(const struct direct_unpack *unpack, struct weft_text packed);
/* Was its end among what it was given? */
bool weft__http_unpack_ended(const struct direct_unpack *unpack);
void weft__http_unpacks_free(struct weft_http_engine *engine);

#endif
