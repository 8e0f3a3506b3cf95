/* What the server has done, for Prometheus (/metrics) and for the page (/stats.json).
 *
 * Both tell the same figures, but for those of the cache itself and of the HTTP server, which only
 * Prometheus gets. Scans and records are those that requests for totals have caused:
 * what the page's own overview reads is told apart. */
#include "sales/serve.h"
#include <inttypes.h>
#include <weft/alloc.h>

/* Times are told in steps: what took less than 1 µs, 2 µs, …, 2^24 µs, and all others. */
enum { STEPS = 25 };

/* ---- the figures ---------------------------------------------------------------------------- */

/* One figure of many: its name behind "weft_sales_" and its mode, if it has one. */
struct figure {
    const char *name, *help, *mode;
    bool gauge;
    uint64_t value;
};

enum { FIGURES_MAX = 64 };
struct figures {
    struct figure all[FIGURES_MAX];
    size_t count;
};

static void put(struct figures *figures, const char *name, const char *help, uint64_t value)
{
    figures->all[figures->count++] = (struct figure){.name = name, .help = help, .value = value};
}

static void put_gauge(struct figures *figures, const char *name, const char *help, uint64_t value)
{
    put(figures, name, help, value);
    figures->all[figures->count - 1].gauge = true;
}

static void put_mode(struct figures *figures, const char *name, const char *help,
                     enum totals_mode mode, uint64_t value)
{
    put(figures, name, help, value);
    figures->all[figures->count - 1].mode = totals_mode_names[mode];
}

static void put_ways(struct figures *figures, const struct totals *totals)
{
    const struct weft_cache_stats *cache = &totals->cache->stats;
    static const char requests[] = "requests for a total", joined[] = "that joined a scan",
                      hits[] = "that were answered by what was kept",
                      misses[] = "that began a scan";
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        put_mode(figures, "requests_total", requests, mode, totals->asked[mode]);
    put_mode(figures, "joined_total", joined, TOTALS_BATCH, totals->batch.joined);
    put_mode(figures, "joined_total", joined, TOTALS_CACHE, cache->joined);
    put_mode(figures, "joined_total", joined, TOTALS_PROMISE, totals->promise_joined);
    put_mode(figures, "hits_total", hits, TOTALS_CACHE, cache->hits);
    put_mode(figures, "hits_total", hits, TOTALS_PROMISE,
             totals->memo.hits - totals->promise_joined);
    put_mode(figures, "misses_total", misses, TOTALS_BATCH, totals->batch.loads);
    put_mode(figures, "misses_total", misses, TOTALS_CACHE, cache->misses);
    put_mode(figures, "misses_total", misses, TOTALS_PROMISE, totals->memo.misses);
}

static void put_redis(struct figures *figures, const struct totals *totals)
{
    const struct weft_shared_stats *stats = &totals->shared.stats;
    put_gauge(figures, "redis_connected", "whether Redis is there", totals->shared.redis.connected);
    put_gauge(figures, "redis_listening", "whether messages come in", totals->shared.listening);
    put(figures, "redis_hits_total", "totals that were found there", stats->remote_hits);
    put(figures, "redis_misses_total", "totals that were not", stats->remote_misses);
    put(figures, "redis_errors_total", "what failed there", stats->remote_errors);
    put(figures, "redis_garbage_total", "what was there and was not ours", stats->garbage);
    put(figures, "redis_leases_total", "leases that were got", stats->leases);
    put(figures, "redis_waits_total", "leases that others had", stats->waits);
    put(figures, "redis_gave_up_total", "waits that were too long", stats->gave_up);
    put(figures, "redis_sets_total", "totals that were put there", stats->sets);
    put(figures, "redis_refused_sets_total", "totals that were too old to be put there",
        stats->refused_sets);
    put(figures, "redis_forgets_total", "messages of others", stats->forgets);
    put(figures, "redis_flushes_total", "how often all was forgotten", stats->flushes);
    put(figures, "redis_untold_total", "changes that it did not confirm", totals->untold);
}

static void collect(struct figures *figures, const struct sales_server *server)
{
    const struct totals *totals = &server->totals;
    const struct ledger *ledger = &server->ledger;
    figures->count = 0;
    put_ways(figures, totals);
    put(figures, "scans_total", "scans for totals", ledger->scans - totals->overview_scans);
    put(figures, "records_scanned_total", "records that these have read",
        ledger->scanned - totals->overview_scanned);
    put(figures, "overview_scans_total", "scans for the page", totals->overview_scans);
    put(figures, "added_total", "sales that were added", ledger->added);
    put(figures, "commits_total", "transactions that these took", ledger->commits);
    if (totals->redis != NULL)
        put_redis(figures, totals);
}

/* ---- /metrics ------------------------------------------------------------------------------- */

static void write_figure(struct out *out, const struct figure *figure, bool first)
{
    if (first)
        out_format(out, "# HELP weft_sales_%s %s\n# TYPE weft_sales_%s %s\n", figure->name,
                   figure->help, figure->name, figure->gauge ? "gauge" : "counter");
    if (figure->mode != NULL)
        out_format(out, "weft_sales_%s{mode=\"%s\"} %" PRIu64 "\n", figure->name, figure->mode,
                   figure->value);
    else
        out_format(out, "weft_sales_%s %" PRIu64 "\n", figure->name, figure->value);
}

static void write_latency(struct out *out, const struct latency *latency, const char *mode)
{
    static const char name[] = "weft_sales_request_duration_seconds";
    for (unsigned i = 0; i < STEPS; i++)
        out_format(out, "%s_bucket{mode=\"%s\",le=\"%.6f\"} %" PRIu64 "\n", name, mode,
                   (double)(1u << i) / 1e6, latency_below(latency, i));
    out_format(out, "%s_bucket{mode=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, mode, latency->count);
    out_format(out, "%s_sum{mode=\"%s\"} %.9f\n", name, mode, (double)latency->sum_ns / 1e9);
    out_format(out, "%s_count{mode=\"%s\"} %" PRIu64 "\n", name, mode, latency->count);
}

/* Of the cache and of the server, as libweft-http has them. */
static void write_server_figures(struct out *out, struct sales_server *server,
                                 const struct weft_http_request *request)
{
    char *text = weft_alloc(WEFT_HTTP_METRICS_TEXT);
    if (text == NULL) {
        out->failed = true;
        return;
    }
    const struct weft_http_metrics_cache cache = {NULL, server->totals.cache};
    weft_http_metrics_caches_format("weft_sales", &cache, 1, text, WEFT_HTTP_METRICS_TEXT);
    out_string(out, text);
    weft_http_metrics_update(&server->serving.figures, request->server);
    weft_http_metrics_format(&server->serving.figures, text, WEFT_HTTP_METRICS_TEXT);
    out_string(out, text);
    weft_free(text);
}

void serve_metrics(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    struct sales_server *server = server_of(visit);
    struct out out = {0};
    struct figures figures;
    collect(&figures, server);
    for (size_t i = 0; i < figures.count; i++)
        write_figure(&out, &figures.all[i],
                     i == 0 || strcmp(figures.all[i].name, figures.all[i - 1].name) != 0);
    out_string(&out, "# HELP weft_sales_request_duration_seconds from the head of a request to its "
                     "answer\n# TYPE weft_sales_request_duration_seconds histogram\n");
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        write_latency(&out, &server->latencies[mode], totals_mode_names[mode]);
    write_server_figures(&out, server, &visit->request);
    visit_answer(visit, "text/plain; version=0.0.4", &out);
}

/* ---- /stats.json ---------------------------------------------------------------------------- */

/* Those of several modes become an object: {"requests_total":{"plain":1,…},…}. */
static void write_json_figures(struct out *out, const struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->all[i], *next = figure + 1;
        bool first = i == 0 || strcmp(figure->name, figure[-1].name) != 0;
        if (first)
            out_json_name(out, figure->name);
        if (first && figure->mode != NULL)
            out_string(out, "{");
        if (figure->mode != NULL)
            out_json_name(out, figure->mode);
        out_format(out, "%" PRIu64, figure->value);
        if (figure->mode != NULL &&
            (i + 1 == figures->count || strcmp(figure->name, next->name) != 0))
            out_string(out, "}");
    }
}

static void write_json_latency(struct out *out, const struct latency *latency, const char *mode)
{
    uint64_t before = 0;
    out_json_name(out, mode);
    out_format(out, "{\"count\":%" PRIu64 ",\"sum_us\":%" PRIu64 ",", latency->count,
               latency->sum_ns / 1000);
    out_format(out, "\"p50_us\":%.3f,\"p95_us\":%.3f,\"buckets\":[",
               (double)latency_at(latency, 500) / 1e3, (double)latency_at(latency, 950) / 1e3);
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t below = latency_below(latency, i);
        out_format(out, "%" PRIu64 ",", below - before);
        before = below;
    }
    out_format(out, "%" PRIu64 "]}", latency->count - before);
}

/* As a number, and as a text for those whose numbers are not exact beyond 2^53: the page's are not. */
static void write_json_sum(struct out *out, const char *name, const char *text_name, int64_t sum)
{
    out_json_number(out, name, sum);
    out_json_name(out, text_name);
    out_format(out, "\"%" PRId64 "\"", sum);
}

static void write_json_overview(struct out *out, const struct totals_overview *overview)
{
    write_json_sum(out, "total", "total_text", overview->sum);
    out_json_number(out, "sales", (int64_t)overview->sales);
    out_json_name(out, "items");
    out_string(out, "[");
    for (size_t i = 0; i < overview->count; i++) {
        const struct ledger_item *item = &overview->items[i];
        out_json_comma(out);
        out_string(out, "{\"item\":");
        show_json(out, weft_text(item->name, item->size));
        write_json_sum(out, "total", "total_text", item->sum);
        out_json_number(out, "sales", (int64_t)item->sales);
        out_string(out, "}");
    }
    out_string(out, "]");
    write_json_sum(out, "other_total", "other_total_text", overview->other_sum);
    out_json_number(out, "other_sales", (int64_t)overview->other_sales);
}

void figures_write_stats(struct out *out, const struct sales_server *server,
                         const struct totals_overview *overview)
{
    struct figures figures;
    collect(&figures, server);
    out_string(out, "{");
    out_json_member(out, "mode", weft_text_of(totals_mode_names[server->mode]));
    out_json_number(out, "ttl_ms", (int64_t)server->totals.ttl_ms);
    out_json_number(out, "scan_delay_ms", (int64_t)server->totals.delay_ms);
    out_json_number(out, "uptime_ms", (int64_t)(uv_hrtime() / 1000000 - server->opened_ms));
    out_json_flag(out, "redis", server->totals.redis != NULL);
    write_json_overview(out, overview);
    out_json_name(out, "figures");
    out_string(out, "{");
    write_json_figures(out, &figures);
    out_string(out, "}");
    out_json_name(out, "latency");
    out_string(out, "{");
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        write_json_latency(out, &server->latencies[mode], totals_mode_names[mode]);
    out_string(out, "}}");
}

static void overview_there(struct weft_op *op, struct weft_op *get)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    const void *overview = visit->by.overview.value.data;
    struct out out = {0};
    if (get->status != 0) {
        visit_fail(visit, "the totals cannot be found", get->status);
        return;
    }
    figures_write_stats(&out, server_of(visit), overview);
    out_string(&out, "\n");
    visit_answer(visit, "application/json", &out);
}

void serve_stats(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    visit->form = FORM_JSON;
    weft_cache_get(op, &visit->by.overview, &server_of(visit)->totals.overview, weft_text(NULL, 0),
                   overview_there);
}
