/* weft/http_client.h: HTTP requests as operations: plain ones over connections of our own, all
 * others by libcurl, on the loop. libcurl is loaded by the first request that needs it, or by a
 * client with a proxy or cookies: programs are not linked to it.
 *
 * A client is an op that runs until it is closed. It owns what requests share: connections, names
 * and their addresses, cookies, a pool of handles. A fetch is one request and its answer:
 *
 *     struct page {
 *         struct weft_op op;
 *         struct weft_http_client client;
 *         struct weft_http_fetch fetch;
 *     };
 *
 *     static void page_got(struct weft_op *op, struct weft_op *child)
 *     {
 *         struct weft_http_fetch *fetch = weft_owner(child, struct weft_http_fetch, op);
 *         ... fetch->op.status, fetch->status, fetch->body, weft_http_fetch_get(fetch, "ETag") ...
 *         weft_http_fetch_free(fetch);
 *     }
 *     ...
 *     weft_http_client_open(op, &page->client, NULL);
 *     weft_http_fetch(op, &page->fetch, &page->client, "https://example.org/", page_got);
 *
 * The op's status is 0 when an answer came, whatever it says: 404 is an answer, unless only_ok makes
 * it an error. Otherwise it says why there is none, failure and detail tell the cases apart, and
 * weft_http_fetch_explain makes a sentence of them.
 *
 * What is safe by default: certificates are checked; only http and https; redirects are returned,
 * not followed; no proxy, cookie, netrc or other thing from the environment is used unless it is
 * set here; a body that is collected, the head and the time to connect and to answer have limits;
 * no name is looked up but by the client's resolver; what goes into the request line and the
 * fields is checked, so that nothing can be smuggled in.
 *
 * Only what somebody waits for keeps the loop alive: connections that are kept for later do not. */
#ifndef WEFT_HTTP_CLIENT_H
#define WEFT_HTTP_CLIENT_H

#include "address.h"
#include "dns.h"
#include "hook.h"
#include "http_head.h"
#include "timer.h"
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_FETCH_HANDLES = 256,               /* the default of client.max_handles */
    WEFT_FETCH_BODY_MAX = 16 * 1024 * 1024, /* the default of client.body_max */
    WEFT_FETCH_HEADER_MAX = 64 * 1024,      /* the default of client.header_max */
    WEFT_FETCH_CONNECT_MS = 15000,          /* the default of client.connect_ms */
    WEFT_FETCH_FIRST_BYTE_MS = 30000,       /* the default of client.first_byte_ms */
    WEFT_FETCH_DNS_TTL_MS = 60000,          /* the default of client.dns_ttl_ms */
    WEFT_FETCH_DNS_ENTRIES = 1024,          /* the default of client.dns_max */
    WEFT_FETCH_ADDRESSES = 16,              /* how many addresses of a host are used at most */
    WEFT_FETCH_COOKIES = 10000,             /* that a client keeps, at most */
    WEFT_FETCH_UNPACK_FREE = 128 * 1024,    /* see fetch.unpack_max */
    WEFT_FETCH_EXPLAIN = 512                /* room for any explanation, with its NUL */
};

/* For a deadline: none at all. */
#define WEFT_FETCH_NEVER UINT64_MAX

struct weft_http_client;
struct weft_http_fetch;
struct weft_http_engine; /* the library's */
struct weft_http_handle; /* the library's */
struct weft_http_direct; /* the library's */
struct weft_http_name;   /* the library's */
struct weft_http_chain {
    struct weft_http_chain *next_, *prev_;
};
struct weft_http_kept {
    char *data;
    size_t size, room;
};

/* ---- names ---------------------------------------------------------------------------------- */

/* A host that a fetch has to be sent to, on its way to addresses: the op below which the client's
 * resolver works. One that you supply fills in addresses and count, and finishes op: with 0, or
 * with the error that every fetch waiting for this host then gets. The ports in the addresses do
 * not matter. A client asks once for a host however many fetches wait for it; it is cancelled when
 * none of them waits any more. */
struct weft_http_resolve {
    struct weft_op op;
    const char *host; /* lower case, without brackets, as in DNS (xn--…); lives as long as op */
    struct weft_address addresses[WEFT_FETCH_ADDRESSES];
    size_t count; /* 0 with status 0 is UV_EAI_NODATA */
    struct weft_lookup lookup_;
};

/* The resolver that is used if client.resolve is NULL: weft_lookup. */
WEFT_API void weft_http_resolve_begin(struct weft_op *op);

/* ---- the client ----------------------------------------------------------------------------- */

/* May a connection go to this address? For every connection before it is made, and again for every
 * request that would go over a kept one. With a proxy it is the proxy's address. Called from inside
 * the library: it may cancel and start ops, not run the loop. */
typedef bool weft_http_allow_fn(struct weft_http_client *client,
                                const struct weft_address *address);

/* The settings are set before it is opened and not changed while it is open; texts stay until its
 * then. All zero is a good client. */
struct weft_http_client {
    struct weft_op op;

    unsigned max_connections;      /* at the same time; 0: no limit but that of max_handles */
    unsigned max_host_connections; /* the same to one host; 0: no limit */
    unsigned max_idle;             /* connections kept for later; 0: as many as max_handles */
    unsigned max_handles;          /* requests at the same time; 0: WEFT_FETCH_HANDLES. Others
                                      wait in line */
    bool no_http2;  /* HTTP/1.1 only; otherwise HTTP/2 where a TLS server offers it */
    bool no_direct; /* have curl do everything: also what would go over connections of our own,
                       which is GET and HEAD by http without a proxy, a password or cookies. The
                       limits above count the connections of each of the two apart */

    const char *user_agent; /* NULL: none is sent */
    const char *proxy;    /* "http://user:password@host:port", also https and socks5h; NULL: none */
    const char *no_proxy; /* hosts that are reached without it: "example.org,10.0.0.1" or "*" */
    const char *netrc_file;  /* user names and passwords by host; NULL: none */
    bool cookies;            /* keep cookies in memory and send them back. Of too many
                                (WEFT_FETCH_COOKIES) those that came first stay, 200 a domain */
    const char *cookie_file; /* read them from here when opened, write them when closed; both block.
                                Sets cookies. A file that is not there is empty */

    bool tls_no_verify;     /* accept any certificate: for tests */
    const char *ca_file;    /* whom to trust, PEM */
    const char *ca_path;    /* a folder of such files, hashed; both NULL: whom the system trusts */
    const char *pinned_key; /* "sha256//…" of the server's public key, several with ';' */
    const char *cert_file, *key_file; /* of the client, PEM */

    uint64_t connect_ms;    /* the default of every fetch; 0: WEFT_FETCH_CONNECT_MS */
    uint64_t first_byte_ms; /* 0: WEFT_FETCH_FIRST_BYTE_MS */
    uint64_t total_ms;      /* 0: never */
    size_t body_max;        /* 0: WEFT_FETCH_BODY_MAX */
    size_t header_max;      /* bytes of an answer's head; 0: WEFT_FETCH_HEADER_MAX */

    weft_begin_fn *resolve; /* begins a struct weft_http_resolve; NULL: weft_http_resolve_begin */
    uint64_t dns_ttl_ms;    /* how long addresses are kept; 0: WEFT_FETCH_DNS_TTL_MS */
    unsigned dns_max;       /* of how many hosts; 0: WEFT_FETCH_DNS_ENTRIES */
    weft_http_allow_fn *allow_address; /* NULL: all */

    uint64_t fetches;     /* read only: how many have begun */
    uint64_t connections; /* read only: how many connections were made */
    uint64_t lookups;     /* read only: how often the resolver was asked */

    struct weft_http_engine *engine_;
};

/* Open it: fetches may begin as soon as this returns. then runs when it is closed: 0 after
 * weft_http_client_close, otherwise the reason of the cancel; or why it could not be opened:
 * UV_ENOMEM, UV_EINVAL (a text cannot be sent, the proxy is no URL), UV_ENOSYS (a proxy and cookies
 * need libcurl, and that cannot be loaded). It runs when everything has
 * let go: all fetches on it have finished before, with the same reason (UV_ECANCELED for a close),
 * whatever their parents. */
#define weft_http_client_open(parent, client, then)                                                \
    weft_http_client_open_at(WEFT_HERE("http_client", WEFT_HTTP | WEFT_HANDLE), parent, client,    \
                             then)
WEFT_API void weft_http_client_open_at(const struct weft_site *site, struct weft_op *parent,
                                       struct weft_http_client *client, weft_then_fn *then);
WEFT_API void weft_http_client_begin(struct weft_op *op);

/* Close it and all of its connections. No effect on one that is not open. */
WEFT_API void weft_http_client_close(struct weft_http_client *client);

/* ---- how a fetch fails ---------------------------------------------------------------------- */

/* What went wrong, and the op's status with it. */
enum weft_http_fetch_failure {
    WEFT_FETCH_NO_FAILURE,
    WEFT_FETCH_FAILED_INPUT,    /* UV_EINVAL: the URL or another input cannot be used */
    WEFT_FETCH_FAILED_RESOLVE,  /* UV_EAI_…: the host has no address */
    WEFT_FETCH_FAILED_CONNECT,  /* UV_ECONNREFUSED and the like: nobody is there */
    WEFT_FETCH_FAILED_TLS,      /* WEFT_ETLS: see detail */
    WEFT_FETCH_FAILED_TIMEOUT,  /* UV_ETIMEDOUT: see detail */
    WEFT_FETCH_FAILED_SIZE,     /* UV_EFBIG: the head or the body is too large, see detail */
    WEFT_FETCH_FAILED_PROTOCOL, /* WEFT_EHTTP: the answer is not HTTP, or was cut short */
    WEFT_FETCH_FAILED_LOST,     /* UV_ECONNRESET, UV_EPIPE, UV_EOF: the connection broke */
    WEFT_FETCH_FAILED_REFUSED,  /* WEFT_EREFUSED: allow_address said no */
    WEFT_FETCH_FAILED_REDIRECT, /* UV_ELOOP: more redirects than max_redirects */
    WEFT_FETCH_FAILED_CALLER,   /* what on_head, on_body or pull said; or the body cannot be sent
                                  again (UV_ESPIPE) */
    WEFT_FETCH_FAILED_CANCEL,   /* the reason of the cancel */
    WEFT_FETCH_FAILED_MEMORY,   /* UV_ENOMEM */
    WEFT_FETCH_FAILED_LIBRARY,  /* UV_ENOSYS: it needs libcurl, and that cannot be loaded */
    WEFT_FETCH_FAILED_STATUS    /* WEFT_ESTATUS: only_ok, and the answer is not 200 to 299 */
};

/* Which one exactly. */
enum weft_http_fetch_detail {
    WEFT_FETCH_NO_DETAIL,
    WEFT_FETCH_TLS_HANDSHAKE,      /* the two do not come to terms */
    WEFT_FETCH_TLS_WRONG_HOST,     /* the certificate is another host's */
    WEFT_FETCH_TLS_EXPIRED,        /* it is over */
    WEFT_FETCH_TLS_NOT_YET,        /* it has not begun */
    WEFT_FETCH_TLS_SELF_SIGNED,    /* nobody vouches for it */
    WEFT_FETCH_TLS_UNKNOWN_ISSUER, /* somebody does whom we do not trust */
    WEFT_FETCH_TLS_REVOKED,
    WEFT_FETCH_TLS_BAD_CERTIFICATE, /* another fault in it */
    WEFT_FETCH_TLS_WRONG_KEY,       /* not the pinned one */
    WEFT_FETCH_TLS_OUR_FILES,       /* ca_file, cert_file or key_file cannot be used */
    WEFT_FETCH_LATE_CONNECT,        /* connect_ms */
    WEFT_FETCH_LATE_FIRST_BYTE,     /* first_byte_ms */
    WEFT_FETCH_LATE_TOTAL,          /* total_ms */
    WEFT_FETCH_LATE_RATE,           /* rate_min */
    WEFT_FETCH_LARGE_HEAD,          /* header_max */
    WEFT_FETCH_LARGE_BODY,          /* body_max */
    WEFT_FETCH_CUT_SHORT,           /* the answer ended before it was complete */
    WEFT_FETCH_BAD_ENCODING,        /* the body is not the gzip, br, … that it says it is */
    WEFT_FETCH_PROXY,               /* it was the proxy's answer */
    WEFT_FETCH_LARGE_UNPACKED       /* unpack_max */
};

/* ---- the fetch ------------------------------------------------------------------------------ */

/* The callbacks below are called from inside the library: they may cancel, end and start any op,
 * the fetch and the client too, but not run the loop. To hooks (weft/hook.h) they are callbacks of
 * the fetch's parser, a handle below it that comes and goes with each request it makes. */

/* The head of the final answer is there: status, fields, location. 0: go on; a negative status:
 * end the fetch with it. Not called for the answers that redirects are followed from. */
typedef int weft_http_fetch_head_fn(struct weft_http_fetch *fetch);

/* size bytes of the body, decoded; they are yours until this returns. WEFT_FETCH_TAKEN;
 * WEFT_FETCH_PAUSE: none of them was taken, they come again after weft_http_fetch_resume, and the
 * server has to wait; a negative status: end the fetch with it. */
typedef int weft_http_fetch_body_fn(struct weft_http_fetch *fetch, const char *data, size_t size);
enum { WEFT_FETCH_TAKEN = 0, WEFT_FETCH_PAUSE = 1 };

/* Give the next bytes to send, at most capacity: how many, 0 at the end. WEFT_FETCH_LATER: none
 * yet, call weft_http_fetch_resume when there are. A negative status: end the fetch with it. */
typedef ssize_t weft_http_fetch_pull_fn(struct weft_http_fetch *fetch, char *buffer,
                                        size_t capacity);
#define WEFT_FETCH_LATER ((ssize_t)1 << (sizeof(ssize_t) * 8 - 2))

/* The body has to be sent again from its first byte (the server closed a kept connection, asked for
 * a password, or redirected us). false: that cannot be done. */
typedef bool weft_http_fetch_rewind_fn(struct weft_http_fetch *fetch);

/* May this redirect be followed? url is absolute, http or https; fetch->status says which kind.
 * false: it is the answer. This is for what can be seen in a URL. The guard against forbidden hosts
 * is client.allow_address: a name may lead to any address, and only there it is known. */
typedef bool weft_http_fetch_follow_fn(struct weft_http_fetch *fetch, const char *url);

enum weft_http_fetch_version {
    WEFT_FETCH_ANY_VERSION, /* the client's choice */
    WEFT_FETCH_1_0,
    WEFT_FETCH_1_1,
    WEFT_FETCH_2,      /* by TLS where the server has it */
    WEFT_FETCH_2_ALONE /* also without TLS, and without asking first */
};

enum weft_http_fetch_auth {
    WEFT_FETCH_AUTH_BASIC,
    WEFT_FETCH_AUTH_DIGEST, /* asks first, then answers the server's question, twice at most: after
                               that 401 is the answer, without a body if it was a question too */
    WEFT_FETCH_AUTH_BEARER  /* password is the token */
};

/* Microseconds from the begin of the last request that was sent for this fetch; 0: did not happen
 * (nothing to look up, no connection to make). */
struct weft_http_fetch_times {
    uint64_t resolve, connect, tls, first_byte, total;
};

/* The request is set before it begins, and all it points to stays until its then. All zero is a
 * GET. */
struct weft_http_fetch {
    struct weft_op op;
    struct weft_http_client *client;
    const char *url; /* absolute, http or https, the host in ASCII (xn--…), no '\\' in it;
                        user:password@ in it is basic auth */

    /* -- the request -- */
    const char *method;        /* NULL: GET, or POST if there is a body */
    const char *const *fields; /* "Name: value" each; Host too, but no Content-Length and no
                                  Transfer-Encoding. With "Expect: 100-continue" the body waits
                                  for the server's word, a second at most */
    size_t fields_count;
    const char *data; /* the body from memory */
    size_t data_size;
    weft_http_fetch_pull_fn
        *pull;          /* or as it comes; for WEFT_FETCH_LATER see weft_http_fetch_resume */
    uint64_t pull_size; /* how much that will be; 0: not known */
    weft_http_fetch_rewind_fn *rewind; /* NULL: it comes only once */
    const char *user, *password;
    enum weft_http_fetch_auth auth;
    const char *referer, *range; /* range: "0-499", "-500" */
    const char *accept_encoding; /* "": all that can be decoded, which is gzip and deflate for what
                                    does not go by curl (no_direct); "gzip, br"; NULL: none. That a
                                    packed body ends too early is BAD_ENCODING; by curl it is only
                                    noticed if the answer itself does: curl does not look at the
                                    end of what it unpacks. A gzip body of several members is what
                                    they hold; by curl it is BAD_ENCODING */
    enum weft_http_fetch_version version;
    uint64_t connect_ms;    /* to look the host up, to connect, for TLS; 0: the client's */
    uint64_t first_byte_ms; /* from the request sent to the first byte of the answer */
    uint64_t total_ms;      /* from its begin, redirects and waiting in line included */
    uint64_t rate_min;   /* bytes a second, on average over rate_s seconds; 0: any. From the begin
                               of the answer on, or of sending, if there is a body to send. While
                               the fetch is paused it does not count */
    unsigned rate_s;     /* 0: 10 */
    size_t body_max;     /* decoded; 0: the client's for a body that is collected, none for one
                               that goes to on_body */
    unsigned unpack_max; /* how many times as large as it came a body may be once it is decoded,
                               as if WEFT_FETCH_UNPACK_FREE bytes more had come; 0: any */
    unsigned max_redirects; /* 0: they are the answer. Otherwise they are followed, each one a
                               request of its own: POST becomes GET except for 307 and 308; fields
                               and passwords that name the sender stay with the first origin */
    weft_http_fetch_follow_fn *follow; /* asked before each; NULL: yes */
    bool only_ok; /* an answer that is not 200 to 299 (304 too, and a redirect that is not followed)
                     ends the fetch with WEFT_ESTATUS; status, fields and body are there all the
                     same. on_head is called as always; on_body gets only what was asked for: the
                     body of such an answer is collected, and of one that is too large its
                     beginning */
    bool keep_heads; /* keep request_head and answer_head: for archives and the like */
    weft_http_fetch_head_fn *on_head;
    weft_http_fetch_body_fn *on_body; /* NULL: the body is collected; see only_ok */

    /* -- the answer; read only -- */
    int status;            /* 200, 404; 0: none came */
    unsigned http_version; /* 10, 11, 20 */
    const struct weft_http_field *answer;
    size_t answer_count; /* its fields, those of the final answer only */
    /* With keep_heads, of the last request and its answer, word for word, from the first line to the
     * empty one; data is NULL if there is none that is complete. The request has passwords and
     * cookies in it. Those of HTTP/2 are written as curl would write them for HTTP/1. */
    struct weft_text request_head, answer_head;
    char *body; /* collected: followed by a NUL that body_size does not count; what came
                            of it if the fetch failed, or NULL */
    size_t body_size;
    uint64_t received;         /* bytes of the body, decoded */
    uint64_t wire_received;    /* bytes of head and body as they came */
    uint64_t wire_sent;        /* bytes of the body as they went out */
    const char *effective_url; /* of the last request */
    const char *location;      /* where a redirect leads to, absolute; NULL: it is none, or
                                  readers would not agree where that is ("http:/x", a '\\') */
    unsigned redirects;        /* how many were followed */
    struct weft_address peer;  /* whom the answer came from, or the proxy; size 0: not known */
    bool reused;               /* over a connection that was there already */
    struct weft_http_fetch_times times;
    enum weft_http_fetch_failure failure;
    enum weft_http_fetch_detail detail;

    struct weft_http_chain all_, wait_, todo_, resume_;
    struct weft_http_engine *engine_;
    struct weft_http_handle *handle_;
    struct weft_http_direct *direct_;
    struct weft_http_name *name_;
    struct weft_timer timer_;
    struct weft_handle parser_;
    uint64_t armed_, connect_left_, connect_due_, answer_due_, total_due_, rate_due_, rate_seen_,
        sent_seen_, answer_ms_;
    uint64_t begun_ns_, resolve_ns_;
    char *head_, *target_, *moved_;
    struct weft_http_field *table_;
    size_t head_size_, head_room_, head_total_, body_room_, dropped_;
    struct weft_http_kept sent_, came_;
    int verdict_; /* what a callback decided: it counts more than what curl says */
    enum weft_http_fetch_failure verdict_failure_;
    enum weft_http_fetch_detail verdict_detail_;
    unsigned phase_, asks_;
    bool placed_, stopped_, rested_, paused_, starved_, head_open_, told_, follows_, stranger_,
        as_get_, refused_;
    char text_[128];
};

/* Begin it on an open client. The results belong to the fetch: free them with weft_http_fetch_free,
 * after any outcome and before the fetch begins again (in a weft_retry: by its discard).
 *
 * A cancel is answered at once and closes the connection, or resets the stream of HTTP/2: the
 * server sees that nobody waits any more. UV_EINVAL also: client is NULL, not open, or of another
 * loop. */
#define weft_http_fetch(parent, fetch, client, url, then)                                          \
    weft_http_fetch_at(WEFT_HERE("fetch", WEFT_HTTP), parent, fetch, client, url, then)
WEFT_API void weft_http_fetch_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_http_fetch *fetch, struct weft_http_client *client,
                                 const char *url, weft_then_fn *then);
WEFT_API void weft_http_fetch_begin(struct weft_op *op);

/* Go on after WEFT_FETCH_PAUSE or WEFT_FETCH_LATER, from the ready queue. No effect on one that is
 * not paused or has ended. */
WEFT_API void weft_http_fetch_resume(struct weft_http_fetch *fetch);

/* Free the results: body, answer, location and what else was kept. Safe after any outcome, and
 * twice; not while it runs. */
WEFT_API void weft_http_fetch_free(struct weft_http_fetch *fetch);

/* Take the collected body over: weft_free it. NULL if there is none. */
WEFT_API char *weft_http_fetch_take_body(struct weft_http_fetch *fetch);

/* The value of the answer's first field of this name, whatever the case of its letters; data is
 * NULL if there is none. */
WEFT_API struct weft_text weft_http_fetch_get(const struct weft_http_fetch *fetch,
                                              const char *name);

/* The next field of this name from *at on, and move *at behind it: begin with 0. NULL: no more. */
WEFT_API const struct weft_http_field *weft_http_fetch_next(const struct weft_http_fetch *fetch,
                                                            const char *name, size_t *at);

/* One sentence about how a fetch ended, for people: "cannot reach example.org:443: connection
 * refused". text is terminated, cut if it does not fit, and returned; size is at least 1. */
WEFT_API char *weft_http_fetch_explain(const struct weft_http_fetch *fetch, char *text,
                                       size_t size);

#ifdef __cplusplus
}
#endif
#endif
