/* The inside of the client: what the files client*.c and fetch*.c share. client.c tells how the
 * parts fit together. */
#ifndef WEFT_HTTP_CLIENT_INSIDE_H
#define WEFT_HTTP_CLIENT_INSIDE_H

#include "curl.h"
#include "weft/http_client.h"

enum { NAME_BUCKETS = 256, NAME_PORTS = 4, HOST_TEXT = 256, DIRECT_BUCKETS = 256 };

/* ---- lists: circular; links that are zero are in none --------------------------------------- */

static inline void links_init(struct weft_http_chain *list)
{
    list->next_ = list->prev_ = list;
}

static inline bool links_empty(const struct weft_http_chain *list)
{
    return list->next_ == list;
}

static inline void links_append(struct weft_http_chain *list, struct weft_http_chain *links)
{
    links->next_ = list;
    links->prev_ = list->prev_;
    list->prev_->next_ = links;
    list->prev_ = links;
}

/* Safe on what is in no list. */
static inline void links_remove(struct weft_http_chain *links)
{
    if (links->next_ == NULL)
        return;
    links->next_->prev_ = links->prev_;
    links->prev_->next_ = links->next_;
    links->next_ = links->prev_ = NULL;
}

struct direct_host;
struct direct_connection;
struct direct_buffer;
struct direct_unpack;

/* A socket of curl's: open from opensocket to closesocket, watched when curl asks for it. Or one
 * of a connection of our own. */
struct http_socket {
    struct weft_http_engine *engine;
    struct direct_connection *connection; /* NULL: curl's */
    struct http_socket *next;             /* among the spare ones */
    int fd;
    int events;  /* what libuv watches */
    bool wanted; /* by curl; otherwise the connection is idle, and only still watched */
    struct weft_handle handle;
    uv_poll_t poll;
};

struct http_slot {
    struct http_socket *socket; /* NULL: not ours */
};

/* A host, and its addresses or the lookup that will bring them. */
struct weft_http_name {
    struct weft_http_name *next; /* in its bucket */
    struct weft_http_chain age;  /* among all, the oldest first */
    struct weft_http_engine *engine;
    struct weft_http_resolve *resolve; /* NULL: it is over */
    struct weft_http_chain waiters;
    char *addresses;           /* as curl wants them: "127.0.0.1,[::1]"; NULL: none yet */
    struct weft_address *list; /* the same, for connections of our own; in addresses' block */
    size_t count;
    uint64_t due; /* when they are too old */
    uint64_t ns;  /* when the lookup began */
    unsigned generation;
    unsigned port_count;
    unsigned ports[NAME_PORTS]; /* for which curl knows these addresses */
    char host[];
};

/* A pooled easy handle. */
struct weft_http_handle {
    struct weft_http_handle *next; /* among the free ones */
    struct weft_http_handle *all;  /* among all of them */
    struct weft_http_engine *engine;
    struct weft_http_fetch *fetch;
    CURL *easy;
    CURLU *url;
    struct curl_slist *fields, *resolve;
    bool added;   /* curl works on it */
    bool special; /* options beyond those of a plain GET are set: reset it before the next */
    bool piped, proxied, encoded; /* these are set, and are no reason to reset it */
    bool literal;                 /* the host is an address: curl may "resolve" it */
    unsigned generation;          /* of the name whose addresses it carries */
    unsigned port;
    char host[HOST_TEXT];
    char error[CURL_ERROR_SIZE];
};

struct weft_http_engine {
    struct weft_http_client *client;
    struct weft_loop *loop;
    CURLM *multi; /* NULL: nobody has needed curl yet, or it is shut */
    CURLSH *share;
    unsigned cookies; /* that came since curl was asked how many it has, and those */

    struct weft_http_chain fetches; /* all that run */
    struct weft_http_chain line;    /* they wait for a handle */
    struct weft_http_chain todo;    /* to be started or stopped when nobody is inside curl */
    struct weft_http_chain resumes; /* to be resumed by the next tick */
    struct weft_http_handle *handles, *free_handles;
    unsigned active; /* curl works on so many */
    unsigned placed; /* so many have a place: see max_handles */

    struct direct_host *hosts[DIRECT_BUCKETS];
    struct weft_http_chain hungry; /* hosts with fetches that wait for a connection */
    struct weft_http_chain idle;   /* connections that are kept, the oldest first */
    unsigned idle_count, direct_connections, free_buffer_count;
    struct weft_http_direct *free_directs;
    struct direct_buffer *free_buffers;
    struct direct_unpack *free_unpacks;

    struct http_slot *sockets; /* by descriptor */
    size_t socket_room;
    struct http_socket *spare;
    unsigned open_polls;

    struct weft_http_name *buckets[NAME_BUCKETS];
    struct weft_http_chain names; /* the oldest first */
    unsigned name_count, generations, lookups;
    struct curl_slist *forget; /* names that curl is to forget, told with the next transfer */
    char proxy_host[HOST_TEXT];
    unsigned proxy_port;

    struct weft_timer timer;
    struct weft_op tick;
    unsigned inside; /* how deep we are in curl, or in what follows it */
    bool ticking, due, closing, shut;
    int reason;
};

/* ---- client_drive.c: when curl works --------------------------------------------------------- */

/* Start it, or stop it if stopped_ is set, as soon as nobody is inside curl. */
void weft__http_todo(struct weft_http_fetch *fetch);
/* Around everything that calls curl. The last to leave does what was put off, and then engine may
 * be gone. */
void weft__http_enter(struct weft_http_engine *engine);
void weft__http_leave(struct weft_http_engine *engine);
/* Call curl from the ready queue. */
void weft__http_tick(struct weft_http_engine *engine);
/* The callbacks of a multi handle. */
int weft__http_timer_set(CURLM *multi, long ms, void *data);
void weft__http_acted(struct weft_http_engine *engine, int fd, int events);

/* ---- client.c ------------------------------------------------------------------------------- */

/* Finish the client's op if it is closing and all has let go. engine is gone after that. */
void weft__http_settle(struct weft_http_engine *engine);
void weft__http_shut(struct weft_http_engine *engine);
/* Have curl ready for this engine: 0, or what weft__http_curl_load said. */
int weft__http_curl_open(struct weft_http_engine *engine, char why[CURL_WHY]);

/* ---- client_cookies.c ----------------------------------------------------------------------- */

/* A head is complete: count the cookies in it. */
void weft__http_cookies_came(const struct weft_http_fetch *fetch);
/* Have no more of them than is good. While nobody is inside curl. */
void weft__http_cookies_thin_out(struct weft_http_engine *engine);

/* ---- client_proxy.c ------------------------------------------------------------------------- */

/* Take the proxy's URL apart; 0, UV_EINVAL or UV_ENOMEM. */
int weft__http_proxy_read(struct weft_http_engine *engine);
/* Is this host reached through it? */
bool weft__http_proxy_used(const struct weft_http_engine *engine, const char *host);

/* ---- curl.c --------------------------------------------------------------------------------- */

/* Did curl lack memory on this thread, since this was asked last? */
bool weft__http_starved(void);

/* ---- client_socket.c ------------------------------------------------------------------------ */

int weft__http_socket_set(CURL *easy, curl_socket_t fd, int what, void *engine, void *unused);
curl_socket_t weft__http_socket_open(void *data, curlsocktype purpose, struct curl_sockaddr *to);
int weft__http_socket_close(void *engine, curl_socket_t fd);
/* The socket at fd is ours from now on, a connection that fetch has asked for: watched for nothing
 * yet. NULL: no memory. */
struct http_socket *weft__http_socket_adopt(struct weft_http_fetch *fetch, int fd);
/* Does the client's allow_address say yes, or is there none? */
bool weft__http_allowed(struct weft_http_client *client, const struct weft_address *address);
/* Have it watched for these events of libuv; does it keep the loop alive? */
void weft__http_socket_watch(struct http_socket *sock, int events);
void weft__http_socket_want(struct http_socket *sock, bool wanted);
/* Let go of all, when curl is closed. */
void weft__http_sockets_retire(struct weft_http_engine *engine);
void weft__http_sockets_free(struct weft_http_engine *engine);

/* ---- client_name.c -------------------------------------------------------------------------- */

/* The addresses of host: *name, until the next call. 0: they are there; 1: the fetch waits, and is
 * told by weft__http_todo; or an error. */
int weft__http_name_want(struct weft_http_fetch *fetch, const char *host,
                         struct weft_http_name **name);
/* Give handle the addresses of its host. As above. */
int weft__http_name_load(struct weft_http_handle *handle);
/* The fetch does not wait any more. */
void weft__http_name_leave(struct weft_http_fetch *fetch);
/* curl has taken over the addresses that handle carried. */
void weft__http_name_loaded(struct weft_http_handle *handle);
void weft__http_names_free(struct weft_http_engine *engine);

/* ---- client_handle.c ------------------------------------------------------------------------ */

/* A handle that is ready for a request; NULL: there is no memory. */
struct weft_http_handle *weft__http_handle_take(struct weft_http_engine *engine);
/* The same one for another request of the same fetch; false: no memory. */
bool weft__http_handle_renew(struct weft_http_handle *handle);
/* Let go of what the last request needed. */
void weft__http_handle_clear(struct weft_http_handle *handle);
void weft__http_handle_give(struct weft_http_handle *handle);
void weft__http_handles_free(struct weft_http_engine *engine);

/* ---- fetch.c -------------------------------------------------------------------------------- */

/* How far it is. */
enum { PHASE_LINE, PHASE_RESOLVE, PHASE_CURL, PHASE_CONNECT, PHASE_ASKED, PHASE_ANSWER };

void weft__http_fetch_start(struct weft_http_fetch *fetch);
/* Take it out of curl and everything else, and finish it. */
void weft__http_fetch_over(struct weft_http_fetch *fetch, int status,
                           enum weft_http_fetch_failure failure,
                           enum weft_http_fetch_detail detail);
/* The whole answer is there, and no engine works on it any more: follow the redirect, or finish. */
void weft__http_fetch_answered(struct weft_http_fetch *fetch);
/* curl is done with it. */
void weft__http_fetch_done(struct weft_http_fetch *fetch, CURLcode code);
/* Decide how it ends, between enter and leave: it is stopped when nobody is inside curl any more.
 * The first decision counts. */
void weft__http_fetch_decide(struct weft_http_fetch *fetch, int status,
                             enum weft_http_fetch_failure failure,
                             enum weft_http_fetch_detail detail);
/* Stop it as was decided. */
void weft__http_fetch_stop(struct weft_http_fetch *fetch);
void weft__http_fetch_unpause(struct weft_http_fetch *fetch);

/* Around every call of a function of the fetch's: fetch_enter(&frame, …), call it, weft_leave. */
static inline void fetch_enter(struct weft_frame *frame, struct weft_http_fetch *fetch,
                               weft_entry_fn *entry)
{
    weft_handle_enter(frame, &fetch->parser_, entry);
}

/* ---- fetch_request.c ------------------------------------------------------------------------ */

/* Check the fetch's inputs, and tell its handle what to ask for. 0 or an error. */
int weft__http_request_set(struct weft_http_fetch *fetch);
/* Can these be sent? The fields are not looked at. */
bool weft__http_inputs_ok(const struct weft_http_fetch *fetch);
/* Take a field of the caller's apart. 0; 1: it is left out after a redirect; UV_EINVAL. */
int weft__http_field_read(const struct weft_http_fetch *fetch, const char *field,
                          struct weft_text *name, struct weft_text *value);

/* ---- fetch_heads.c -------------------------------------------------------------------------- */

/* All of it for fetches with keep_heads; for others nothing happens. */
void weft__http_heads_begin(struct weft_http_fetch *fetch);
void weft__http_heads_free(struct weft_http_fetch *fetch);
/* A piece of a request's head, a line of an answer's (the first one of it?). 0 or UV_ENOMEM. */
int weft__http_heads_sent(struct weft_http_fetch *fetch, struct weft_text text);
int weft__http_heads_came(struct weft_http_fetch *fetch, struct weft_text line, bool first);
/* Have curl tell what it sends. */
CURLcode weft__http_heads_ask(struct weft_http_handle *handle);

/* ---- fetch_lines.c -------------------------------------------------------------------------- */

enum { HEAD_GOES_ON, HEAD_BEGUN, HEAD_ENDED };

/* Read one line of a head, with its end, into what fetch has of the answer; of all lines together
 * at most so many bytes. HEAD_BEGUN: status and version are known; HEAD_ENDED: and the fields, it
 * is no informational one; HEAD_GOES_ON: anything else; UV_EFBIG, UV_ENOMEM, WEFT_EHTTP. */
int weft__http_head_read(struct weft_http_fetch *fetch, struct weft_text line, size_t most);
/* Forget the head that was read. */
void weft__http_head_reset(struct weft_http_fetch *fetch);

/* ---- fetch_head.c, fetch_body.c ------------------------------------------------------------- */

/* A line of a head has come, with its end. Look at stopped_ after that. */
void weft__http_head_came(struct weft_http_fetch *fetch, struct weft_text line);
/* Some of the body has come. BODY_NO_MORE: nothing more is wanted, see stopped_ and follows_. */
enum { BODY_TAKEN, BODY_PAUSED, BODY_NO_MORE };
int weft__http_body_came(struct weft_http_fetch *fetch, const char *data, size_t size);
/* The same for curl. */
size_t weft__http_head_line(char *data, size_t size, size_t count, void *p);
/* The answer is the final one: tell the caller, if that was put off. false: stop. */
bool weft__http_head_final(struct weft_http_fetch *fetch);
/* Does only_ok make an error of the answer whose head was read? */
bool weft__http_is_unwanted(const struct weft_http_fetch *fetch);
size_t weft__http_body_take(char *data, size_t size, size_t count, void *p);
size_t weft__http_body_give(char *buffer, size_t size, size_t count, void *p);
int weft__http_body_rewind(void *p, curl_off_t offset, int origin);
/* Ask the caller to begin the body anew; false: that cannot be done. */
bool weft__http_rewound(struct weft_http_fetch *fetch);
/* The collected body is complete: its NUL. 0 or UV_ENOMEM. */
int weft__http_body_end(struct weft_http_fetch *fetch);

/* ---- fetch_location.c ----------------------------------------------------------------------- */

/* location, seen from base. 1: *absolute is it, weft_free it; 0: ask curl; UV_ENOMEM. */
int weft__http_location(const char *base, const char *location, char **absolute);
/* Have these two the same origin? false: ask curl. */
bool weft__http_origins(const char *one, const char *other, bool *same);

/* ---- fetch_redirect.c ----------------------------------------------------------------------- */

bool weft__http_is_redirect(int status);
/* Where the answer leads to: sets fetch->location, if it leads anywhere. 0, UV_ENOMEM, UV_ENOSYS. */
int weft__http_redirect_find(struct weft_http_fetch *fetch);
bool weft__http_is_web(const char *url);
/* Make the fetch ask there. 0, or UV_ESPIPE: its body cannot be sent again. */
int weft__http_redirect_take(struct weft_http_fetch *fetch);

/* ---- fetch_deadline.c ----------------------------------------------------------------------- */

void weft__http_deadlines_begin(struct weft_http_fetch *fetch);
void weft__http_deadlines_phase(struct weft_http_fetch *fetch, unsigned phase);
void weft__http_deadlines_end(struct weft_http_fetch *fetch);

/* ---- fetch_failure.c ------------------------------------------------------------------------ */

struct http_failure {
    int status;
    enum weft_http_fetch_failure failure;
    enum weft_http_fetch_detail detail;
};

/* What curl's code means; while the handle still knows. */
struct http_failure weft__http_failure_of(struct weft_http_fetch *fetch, CURLcode code);

#endif
