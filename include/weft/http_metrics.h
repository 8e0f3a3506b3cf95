/* weft/http_metrics.h: figures of one or more servers, in the text format of Prometheus.
 *
 *     static struct weft_http_metrics metrics;                       // zeroed; shared by all threads
 *     static void done(struct weft_http_request *request)            // server.done
 *     {
 *         weft_http_metrics_done(&metrics, request);
 *     }
 *     static void show(struct weft_op *op)                           // the handler of GET /metrics
 *     {
 *         weft_http_metrics_answer(&metrics, weft_owner(op, struct weft_http_request, op));
 *     }
 *
 *     weft_http_requests_total{code="200"}          requests by status; 499: the client had left
 *     weft_http_requests_by_class_total{class="2xx"}
 *     weft_http_request_duration_seconds            a histogram, from 100 µs to 10 s
 *     weft_http_request_body_bytes_total            bodies of requests, as far as they were read
 *     weft_http_response_body_bytes_total           bodies of answers
 *     weft_http_connections_accepted_total
 *     weft_http_connections_refused_total           of those: because there were too many
 *     weft_http_connections                         open now
 *     weft_http_requests_in_flight                  handlers that run now; this one among them
 *
 * Threads. Everything here may be called on several threads at once: all figures are changed and
 * read by atomic instructions. A server's own counts belong to its thread; they are copied into
 * the metrics there, by each weft_http_metrics_done and by weft_http_metrics_update. So what a
 * server says of its connections is as old as the last of these; a server that is asked for the
 * figures brings its own up to date first. For servers on other loops that may be idle for long,
 * call weft_http_metrics_update in a ticker on their loop.
 *
 * A scrape is not a snapshot: figures that are read later may have moved on. The histogram is
 * consistent in itself: its count is that of its last bucket. */
#ifndef WEFT_HTTP_METRICS_H
#define WEFT_HTTP_METRICS_H

#include "cache.h"
#include "http_server.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_HTTP_METRICS_BUCKETS = 16,
    WEFT_HTTP_METRICS_SERVERS = 64,     /* the connections of more are not counted */
    WEFT_HTTP_METRICS_TEXT = 40 * 1024, /* room for the text, with its NUL, whatever it counts */
    WEFT_HTTP_METRICS_CACHE_TEXT = 8 * 1024 /* the same for a cache: see below */
};

/* For the library: what one server said last; alone on its cache line. */
struct weft_http_metrics_server {
    const struct weft_http_server *server_;
    uint64_t connections_, running_, accepted_, refused_;
    uint64_t unused_[3];
};

/* Zero it before its first use; {0} will do. It outlives the servers that use it. */
struct weft_http_metrics {
    uint64_t status_[600];
    uint64_t bucket_[WEFT_HTTP_METRICS_BUCKETS + 1];
    uint64_t duration_ns_, received_, sent_;
    struct weft_http_metrics_server servers_[WEFT_HTTP_METRICS_SERVERS];
};

/* Count a request that is over; meant for server.done. Copies its server's counts too. */
WEFT_API void weft_http_metrics_done(struct weft_http_metrics *metrics,
                                     const struct weft_http_request *request);

/* Copy server's counts, on its thread. Call it in the server's then as well, so that a server that
 * is gone is not seen with the connections it had. */
WEFT_API void weft_http_metrics_update(struct weft_http_metrics *metrics,
                                       const struct weft_http_server *server);

/* Write the figures into text, with a NUL behind; returns how many bytes they are. UV_ENOBUFS: they
 * do not fit, and text is "": WEFT_HTTP_METRICS_TEXT always is enough. */
WEFT_API int weft_http_metrics_format(const struct weft_http_metrics *metrics, char *text,
                                      size_t size);

/* Answer request with the figures: 200, text/plain; version=0.0.4. Without the memory for it
 * request->op ends with UV_ENOMEM. */
WEFT_API void weft_http_metrics_answer(struct weft_http_metrics *metrics,
                                       struct weft_http_request *request);

/* ---- caches --------------------------------------------------------------------------------- */

/* The figures of caches (weft/cache.h; that of a weft_shared is its .cache) in the same format, to be put
 * behind those of the servers: every figure of struct weft_cache_stats as a counter, entries and bytes as
 * gauges. With the prefix "shop" and a cache named "totals":
 *
 *     shop_cache_hits_total{cache="totals"} 7
 *     shop_cache_misses_total{cache="totals"} 2
 *     …
 *     shop_cache_bytes{cache="totals"} 1312
 *
 * All caches of one prefix go into one call: the format wants the lines of a name together. */
struct weft_http_metrics_cache {
    const char *name; /* its label, any UTF-8; NULL: it has none, and is the only one */
    const struct weft_cache *cache;
};

/* Write them into text, with a NUL behind, on the thread of the caches' loop; returns how many bytes they
 * are. UV_ENOBUFS: they do not fit; WEFT_HTTP_METRICS_CACHE_TEXT bytes for each cache and once more are
 * always enough if neither the prefix nor a name is longer than 64 bytes. UV_EINVAL: the prefix has other
 * bytes than letters, digits, '_' and ':', begins with a digit or is empty; a cache is NULL, or one of
 * several has no name. After an error text is "". */
WEFT_API int weft_http_metrics_caches_format(const char *prefix,
                                             const struct weft_http_metrics_cache *caches,
                                             size_t count, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
