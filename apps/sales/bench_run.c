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

enum { START_MS = 30000, PATIENCE_MS = 60000 };

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
    run->asks.server = &run->address;
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
    load->server = &run->address;
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

/* The line ends with " at http://127.0.0.1:PORT/". */
static bool find_address(struct bench_run *run)
{
    static const char before[] = " at http://";
    char *at = strstr(run->line, before);
    if (at == NULL)
        return false;
    at += sizeof before - 1;
    at[strcspn(at, "/\n")] = '\0';
    return weft_address_parse(&run->address, at) == 0;
}

static void line_came(struct weft_op *op, struct weft_op *read);

static void read_line(struct bench_run *run)
{
    weft_read(&run->op, &run->read, &run->out, run->line + run->line_size,
              sizeof run->line - 1 - run->line_size, line_came);
    weft_deadline(&run->read.op, &run->deadline, START_MS);
}

static void line_came(struct weft_op *op, struct weft_op *read)
{
    struct bench_run *run = run_of(op);
    run->line_size += run->read.size;
    if (read->status == UV_EOF)
        return; /* it has ended, or will: server_over says why */
    if (read->status == UV_ETIMEDOUT)
        fail(run, read->status, "the server does not start in %d seconds", START_MS / 1000);
    else if (read->status != 0)
        fail(run, read->status, "the server says nothing: %s", weft_strerror(read->status));
    else if (strchr(run->line, '\n') != NULL && find_address(run))
        begin_load(run);
    else if (run->line_size + 1 < sizeof run->line && strchr(run->line, '\n') == NULL)
        read_line(run);
    else
        fail(run, UV_EPROTO, "the server does not say where it is");
}

static void server_over(struct weft_op *op, struct weft_op *process)
{
    struct bench_run *run = run_of(op);
    char text[128];
    weft_process_explain(&run->process, text, sizeof text);
    fail(run, process->status != 0 ? process->status : WEFT_EEXIT, "the server has ended: %s",
         text);
}

void bench_run_begin(struct weft_op *op)
{
    struct bench_run *run = run_of(op);
    struct bench_server_args args;
    bench_server_args(&args, run);
    run->process.group = true; /* Ctrl-C is for us; we tell it */
    run->process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &run->out};
    run->process.err = (struct weft_stdio){.kind = WEFT_STDIO_INHERIT};
    weft_stream_open(op, &run->out, weft_ignore);
    weft_process(op, &run->process, args.words, server_over);
    read_line(run);
}
