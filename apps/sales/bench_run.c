/* One line of the table: a server is started, asked, asked what it did, and ended.
 *
 *     begin ─► server says where it is ─► load ─► figures ─► server ends ─► over
 *
 * Whatever goes wrong ends the run, and that ends the server: its process is a child of the run, and
 * the run is not over before it is reaped. */
#include "sales/bench.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <weft/alloc.h>

enum { PATIENCE_MS = 60000 };

static struct bench_run *run_of(struct weft_op *op)
{
    return weft_owner(op, struct bench_run, op);
}

/* The first reason stands; that something ends because the run does is none. */
__attribute__((format(printf, 3, 4))) static void fail(struct bench_run *run, int status,
                                                       const char *format, ...)
{
    if (!run->decided && weft_cancelled(&run->op) == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(run->why, sizeof run->why, format, arguments);
        va_end(arguments);
    }
    run->decided = true;
    weft_end(&run->op, status);
}

static void succeed(struct bench_run *run)
{
    run->decided = true;
    weft_end(&run->op, 0);
}

/* ---- what the server did --------------------------------------------------------------------- */

/* The sum of all lines "NAME VALUE" and "NAME{LABELS} VALUE". What is not there is 0: a plain server
 * has no cache. */
static uint64_t figure(struct weft_text text, const char *name)
{
    uint64_t sum = 0;
    while (text.data != NULL) {
        struct weft_text value = weft_text_cut(&text, '\n');
        struct weft_text labels = weft_text_cut(&value, ' ');
        if (weft_text_is(weft_text_cut(&labels, '{'), name) && value.size > 0)
            sum += strtoull(value.data, NULL, 10);
    }
    return sum;
}

static bool figures_came(struct bench_client *client)
{
    struct bench_run *run = weft_owner(client, struct bench_run, asks);
    run->figures.scans = figure(client->body, "weft_sales_scans_total");
    run->figures.joined = figure(client->body, "weft_sales_joined_total");
    run->figures.hits = figure(client->body, "weft_sales_hits_total");
    return false;
}

static void figures_over(struct weft_op *op, struct weft_op *client)
{
    struct bench_run *run = run_of(op);
    if (client->status != 0)
        fail(run, client->status, "/metrics: %s", weft_strerror(client->status));
    else if (run->asks.status != 200)
        fail(run, WEFT_ESTATUS, "/metrics: the answer is %d", run->asks.status);
    else
        succeed(run);
}

static void ask_figures(struct bench_run *run)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    run->answer = weft_alloc(BENCH_FIGURES_MAX);
    if (run->answer == NULL) {
        fail(run, UV_ENOMEM, "%s", weft_strerror(UV_ENOMEM));
        return;
    }
    run->asks.server = &run->server.address;
    run->asks.request = weft_text_of(request);
    run->asks.buffer = run->answer;
    /* One byte is left for the NUL where the last number ends. */
    run->asks.capacity = BENCH_FIGURES_MAX - 1;
    memset(run->answer, 0, BENCH_FIGURES_MAX);
    run->asks.answered = figures_came;
    bench_client(&run->op, &run->asks, figures_over);
    weft_deadline(&run->asks.op, &run->deadline, PATIENCE_MS);
}

/* ---- the load -------------------------------------------------------------------------------- */

static void load_over(struct weft_op *op, struct weft_op *load)
{
    struct bench_run *run = run_of(op);
    bench_load_free(&run->load);
    if (load->status == UV_ETIMEDOUT)
        fail(run, load->status, "no answer for %" PRIu64 " seconds", run->load.patience_ms / 1000);
    else if (load->status != 0)
        fail(run, load->status, "%s", weft_strerror(load->status));
    else if (run->load.failed > 0)
        fail(run, WEFT_ESTATUS, "%" PRIu64 " of %" PRIu64 " answers are not 200 but %d: %s",
             run->load.failed, run->load.failed + run->load.requests, run->load.status,
             run->load.answer);
    else
        ask_figures(run);
}

static void begin_load(struct bench_run *run)
{
    const struct bench *bench = run->bench;
    struct bench_load *load = &run->load;
    load->server = &run->server.address;
    load->request = bench->request;
    load->patience_ms = PATIENCE_MS + bench->scan_delay_ms;
    if (run->test == BENCH_PACED) {
        load->clients = bench->requests;
        load->every_ms = bench->every_ms;
    } else {
        load->clients = bench->clients;
        load->for_ms = bench->for_ms;
    }
    bench_load(&run->op, load, load_over);
}

/* ---- the server ------------------------------------------------------------------------------ */

static void server_ready(struct bench_server *server)
{
    begin_load(weft_owner(server, struct bench_run, server));
}

static void server_over(struct weft_op *op, struct weft_op *server)
{
    struct bench_run *run = run_of(op);
    fail(run, server->status, "%s", run->server.why);
}

void bench_run_begin(struct weft_op *op)
{
    struct bench_run *run = run_of(op);
    const struct bench *bench = run->bench;
    const char *const options[] = {"--quiet",      "--host",   "127.0.0.1",
                                   "--port",       "0",        "--db",
                                   bench->db,      "--mode",   totals_mode_names[run->mode],
                                   "--scan-delay", run->delay, NULL};
    snprintf(run->delay, sizeof run->delay, "%" PRIu64, bench->scan_delay_ms);
    bench_words(&run->server.words, bench->command, "sales", BENCH_SERVER, options);
    run->server.ready = server_ready;
    bench_server(op, &run->server, server_over);
}
