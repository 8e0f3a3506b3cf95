/* The figures of servers, for Prometheus.
 *
 * One struct for all threads, and no lock: every figure is a number of its own that is added to or
 * stored by a relaxed atomic instruction. Nothing is concluded from the order of two of them. The
 * builtins are used instead of C11's types so that C++ can include the header.
 *
 * The servers' own counts are plain numbers that only their thread may look at. So each server has
 * a place here that its thread copies them to, taken at the first call (by compare and exchange,
 * the pointer is only a name and never followed), and whoever is asked adds the places up.
 *
 * Buckets count only their own share; the sums that the format wants are made when it is written,
 * and the histogram's count is the last of these: they fit each other at any moment. */
#include "metrics_text.h"
#include "weft/alloc.h"
#include "weft/http_metrics.h"
#include <inttypes.h>

enum { CLIENT_LEFT = 499, STATUSES = 600, CLASSES = 6 };

static const struct bucket {
    uint64_t most_ns;
    const char *le; /* the same in seconds */
} buckets[WEFT_HTTP_METRICS_BUCKETS + 1] = {
    {100000, "0.0001"},  {250000, "0.00025"}, {500000, "0.0005"},  {1000000, "0.001"},
    {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},  {25000000, "0.025"},
    {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"}, {500000000, "0.5"},
    {1000000000, "1"},   {2500000000, "2.5"}, {5000000000, "5"},   {10000000000, "10"},
    {UINT64_MAX, "+Inf"}};

#define ADD(figure, number) __atomic_fetch_add(&(figure), number, __ATOMIC_RELAXED)
#define STORE(figure, number) __atomic_store_n(&(figure), number, __ATOMIC_RELAXED)

static uint64_t load(const uint64_t *figure)
{
    return __atomic_load_n(figure, __ATOMIC_RELAXED);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* NULL: all places are taken. */
static struct weft_http_metrics_server *place_of(struct weft_http_metrics *metrics,
                                                 const struct weft_http_server *server)
{
    for (size_t i = 0; i < WEFT_HTTP_METRICS_SERVERS; i++) {
        struct weft_http_metrics_server *place = &metrics->servers_[i];
        const struct weft_http_server *its = __atomic_load_n(&place->server_, __ATOMIC_RELAXED);
        if (its == NULL)
            __atomic_compare_exchange_n(&place->server_, &its, server, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
        if (its == server || its == NULL)
            return place;
    }
    return NULL;
}

void weft_http_metrics_update(struct weft_http_metrics *metrics,
                              const struct weft_http_server *server)
{
    struct weft_http_metrics_server *place = place_of(metrics, server);
    if (place == NULL)
        return;
    STORE(place->connections_, server->connections);
    STORE(place->running_, server->running);
    STORE(place->accepted_, server->accepted);
    STORE(place->refused_, server->refused);
}

static void observe(struct weft_http_metrics *metrics, uint64_t duration_ns)
{
    size_t i = 0;
    while (duration_ns > buckets[i].most_ns)
        i++;
    ADD(metrics->bucket_[i], 1);
    ADD(metrics->duration_ns_, duration_ns);
}

void weft_http_metrics_done(struct weft_http_metrics *metrics,
                            const struct weft_http_request *request)
{
    int status = request->answered != 0 ? request->answered : CLIENT_LEFT;
    ADD(metrics->status_[status % STATUSES], 1);
    if (request->began_ns != 0)
        observe(metrics, uv_hrtime() - request->began_ns);
    if (request->received != 0)
        ADD(metrics->received_, request->received);
    if (request->sent != 0)
        ADD(metrics->sent_, request->sent);
    weft_http_metrics_update(metrics, request->server);
}

/* ---- the text ------------------------------------------------------------------------------- */

static void put_head(struct metrics_text *to, const char *name, const char *type, const char *help)
{
    metrics_put(to, "# HELP weft_http_%s %s\n# TYPE weft_http_%s %s\n", name, help, name, type);
}

static void put_single(struct metrics_text *to, const char *name, const char *type,
                       const char *help, uint64_t number)
{
    put_head(to, name, type, help);
    metrics_put(to, "weft_http_%s %" PRIu64 "\n", name, number);
}

static void put_statuses(struct metrics_text *to, const struct weft_http_metrics *metrics)
{
    uint64_t classes[CLASSES] = {0};
    put_head(to, "requests_total", "counter",
             "Requests that are over, by the status of the answer; 499: the client had left.");
    for (unsigned status = 100; status < STATUSES; status++) {
        uint64_t count = load(&metrics->status_[status]);
        classes[status / 100] += count;
        if (count > 0)
            metrics_put(to, "weft_http_requests_total{code=\"%u\"} %" PRIu64 "\n", status, count);
    }
    put_head(to, "requests_by_class_total", "counter",
             "Requests that are over, by the class of the answer's status.");
    for (unsigned class = 1; class < CLASSES; class ++)
        metrics_put(to, "weft_http_requests_by_class_total{class=\"%uxx\"} %" PRIu64 "\n", class,
                    classes[class]);
}

static void put_histogram(struct metrics_text *to, const struct weft_http_metrics *metrics)
{
    uint64_t count = 0, sum_ns = load(&metrics->duration_ns_);
    put_head(to, "request_duration_seconds", "histogram",
             "Time from the head of a request to the end of its answer.");
    for (size_t i = 0; i <= WEFT_HTTP_METRICS_BUCKETS; i++) {
        count += load(&metrics->bucket_[i]);
        metrics_put(to, "weft_http_request_duration_seconds_bucket{le=\"%s\"} %" PRIu64 "\n",
                    buckets[i].le, count);
    }
    metrics_put(to, "weft_http_request_duration_seconds_sum %" PRIu64 ".%09" PRIu64 "\n",
                sum_ns / 1000000000, sum_ns % 1000000000);
    metrics_put(to, "weft_http_request_duration_seconds_count %" PRIu64 "\n", count);
}

static void put_servers(struct metrics_text *to, const struct weft_http_metrics *metrics)
{
    uint64_t connections = 0, running = 0, accepted = 0, refused = 0;
    for (size_t i = 0; i < WEFT_HTTP_METRICS_SERVERS; i++) {
        const struct weft_http_metrics_server *place = &metrics->servers_[i];
        connections += load(&place->connections_);
        running += load(&place->running_);
        accepted += load(&place->accepted_);
        refused += load(&place->refused_);
    }
    put_single(to, "connections_accepted_total", "counter", "Connections that were accepted.",
               accepted);
    put_single(to, "connections_refused_total", "counter",
               "Connections that were refused because there were too many.", refused);
    put_single(to, "connections", "gauge", "Connections that are open.", connections);
    put_single(to, "requests_in_flight", "gauge", "Requests whose handler runs.", running);
}

int weft_http_metrics_format(const struct weft_http_metrics *metrics, char *text, size_t size)
{
    struct metrics_text to = {text, size, 0};
    put_statuses(&to, metrics);
    put_histogram(&to, metrics);
    put_single(&to, "request_body_bytes_total", "counter",
               "Bytes of the bodies of requests, as far as they were read.",
               load(&metrics->received_));
    put_single(&to, "response_body_bytes_total", "counter", "Bytes of the bodies of answers.",
               load(&metrics->sent_));
    put_servers(&to, metrics);
    return metrics_end(&to, text);
}

void weft_http_metrics_answer(struct weft_http_metrics *metrics, struct weft_http_request *request)
{
    char *text = weft_alloc(WEFT_HTTP_METRICS_TEXT);
    if (text == NULL) {
        weft_end(&request->op, UV_ENOMEM);
        return;
    }
    weft_http_metrics_update(metrics, request->server);
    weft_http_metrics_format(metrics, text, WEFT_HTTP_METRICS_TEXT);
    weft_http_answerf(request, 200, "text/plain; version=0.0.4; charset=utf-8", "%s", text);
    weft_free(text);
}
