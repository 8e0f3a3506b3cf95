/* One loop: a server, its log, and ears for signals.
 *
 *     begin ──► listening ──(signal)──► draining ──► log closing ──► over
 *                   │                       └──(second signal)──► cut ──► over
 *                   └──(cannot listen, cannot log)──► over
 *
 * Each loop hears the signals itself, so that no thread has to tell another one: weft_signal sees
 * to it that all of them get each signal. They are heard until the end, for a second one may be
 * meant to cut short what the first one has begun. From the second one on they are not: a third one
 * kills, whatever it is that still hangs. */
#include "serving.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOG_CLOSE_MS = 2000, FIGURES_MS = 1000 };

static struct serving_worker *worker_of(struct weft_op *op)
{
    return weft_owner(op, struct serving_worker, op);
}

static bool has_log_file(const struct serving *serving)
{
    return serving->log != NULL && strcmp(serving->log, "-") != 0;
}

/* Say what is wrong, if nothing was before, and stop the worker. */
__attribute__((format(printf, 2, 3))) static void fail(struct serving_worker *worker,
                                                       const char *format, ...)
{
    if (worker->result == EXIT_OK) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        complain("%s", text);
        worker->result = EXIT_FAILED;
    }
    weft_end(&worker->op, UV_ECANCELED);
}

/* ---- requests ------------------------------------------------------------------------------- */

static struct serving_worker *worker_at(const struct weft_http_request *request)
{
    return weft_owner(request->server, struct serving_worker, server);
}

struct serving *serving_of(const struct weft_http_request *request)
{
    return worker_at(request)->serving;
}

void serving_route(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    const struct serving *serving = serving_of(request);
    weft_http_route(request, serving->table, serving->table_count);
}

static void request_done(struct weft_http_request *request)
{
    struct serving_worker *worker = worker_at(request);
    if (worker->serving->counting)
        weft_http_metrics_done(&worker->serving->figures, request);
    weft_http_log_request(&worker->log, request);
}

static void update_figures(struct weft_op *op)
{
    struct serving_worker *worker = weft_owner(op, struct serving_worker, ticker.op);
    weft_http_metrics_update(&worker->serving->figures, &worker->server);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* A log may wait for the reader of a pipe, but not for ever; nor at all if somebody is
 * impatient. */
static void close_log(struct serving_worker *worker)
{
    if (!worker->logging || worker->result != EXIT_OK) {
        weft_end(&worker->op, 0);
        return;
    }
    weft_deadline(&worker->log.op, &worker->log_deadline, LOG_CLOSE_MS);
    weft_http_log_close(&worker->log);
}

static void log_over(struct weft_op *op, struct weft_op *log)
{
    struct serving_worker *worker = worker_of(op);
    worker->logging = false;
    if (worker->log.dropped > 0)
        complain("%llu lines of the access log are lost", (unsigned long long)worker->log.dropped);
    if (worker->served)
        weft_end(op, 0);
    else
        fail(worker, "cannot write the log: %s", weft_strerror(log->status));
}

static void server_over(struct weft_op *op, struct weft_op *server)
{
    struct serving_worker *worker = worker_of(op);
    const struct serving *serving = worker->serving;
    worker->served = true;
    if (serving->counting)
        weft_http_metrics_update(&worker->serving->figures, &worker->server);
    if (!worker->draining)
        fail(worker, "cannot listen on %s: %s", serving->host, weft_strerror(server->status));
    else if (server->status == UV_ETIMEDOUT && serving->drain_s > 0)
        fail(worker, "some requests took longer than %llu s and were cut off",
             (unsigned long long)serving->drain_s);
    else
        close_log(worker);
}

/* ---- signals -------------------------------------------------------------------------------- */

static void drain(struct serving_worker *worker)
{
    struct serving *serving = worker->serving;
    worker->draining = true;
    if (worker->server.running > 0 && !serving->quiet && !atomic_flag_test_and_set(&serving->told))
        complain("finishing what is under way; once more to end at once");
    weft_http_drain(&worker->server, serving->drain_s * 1000);
}

static void cut(struct serving_worker *worker, int signum)
{
    worker->result = 128 + signum;
    for (size_t i = 0; i < SERVING_SIGNALS; i++)
        weft_cancel(&worker->signals[i].op, UV_ECANCELED);
    if (worker->served)
        weft_end(&worker->op, UV_ECANCELED);
    else
        weft_cancel(&worker->server.op, UV_ECANCELED);
}

static void signal_arrived(struct weft_op *op)
{
    struct serving_worker *worker = worker_of(op->parent);
    int signum = weft_owner(op, struct weft_signal, op)->signum;
    if (signum == SIGUSR1 || (signum == SIGHUP && has_log_file(worker->serving)))
        weft_http_log_reopen(&worker->log);
    else if (worker->draining)
        cut(worker, signum);
    else
        drain(worker);
}

static void signal_over(struct weft_op *op, struct weft_op *signal)
{
    if (signal->status != 0 && signal->status != UV_ECANCELED)
        fail(worker_of(op), "cannot wait for signals: %s", weft_strerror(signal->status));
}

/* Under nohup a hangup means nothing. */
static bool is_ignored(int signum)
{
    struct sigaction action;
    return signum == SIGHUP && sigaction(signum, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static void hear_signals(struct serving_worker *worker)
{
    static const int signums[SERVING_SIGNALS] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP};
    for (size_t i = 0; i < SERVING_SIGNALS; i++) {
        if (is_ignored(signums[i]))
            continue;
        worker->signals[i].arrived = signal_arrived;
        weft_signal(&worker->op, &worker->signals[i], signums[i], signal_over);
    }
}

/* ---- the begin ------------------------------------------------------------------------------ */

static void open_log(struct serving_worker *worker)
{
    const struct serving *serving = worker->serving;
    enum weft_http_log_format format = (enum weft_http_log_format)(serving->log_format + 1);
    worker->logging = serving->log != NULL || !serving->quiet;
    if (serving->log != NULL)
        weft_http_log_open(&worker->op, &worker->log, serving->log, format, log_over);
    else if (worker->logging)
        weft_http_log_open_fd(&worker->op, &worker->log, STDERR_FILENO, format, log_over);
}

static void listening(struct weft_op *op, struct weft_op *immediate)
{
    struct serving_worker *worker = worker_of(op);
    if (immediate->status == 0 && worker->result == EXIT_OK)
        worker->listening(worker);
}

/* If the server could not listen it has said so before the immediate is over. */
static void worker_begin(struct weft_op *op)
{
    struct serving_worker *worker = worker_of(op);
    struct serving *serving = worker->serving;
    worker->server = (struct weft_http_server){
        .handler = serving_route,
        .done = request_done,
        .name = "weft/" WEFT_VERSION_STRING,
        .reuse_port = serving->threads > 1,
        .connections_max = (unsigned)serving->connections_max,
    };
    if (serving->set_up != NULL)
        serving->set_up(&worker->server);
    if (serving->open != NULL)
        worker->result = serving->open(serving, op);
    if (worker->result != EXIT_OK) {
        weft_end(op, UV_ECANCELED);
        return;
    }
    hear_signals(worker);
    open_log(worker);
    if (serving->counting)
        weft_ticker(op, &worker->ticker, FIGURES_MS, update_figures, NULL);
    weft_http_serve(op, &worker->server, &serving->address, server_over);
    weft_immediate(op, &worker->started, listening);
}

static void worker_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    struct serving_worker *worker = worker_of(op);
    if (worker->serving->close != NULL)
        worker->serving->close(worker->serving);
    if (op->status != 0 && worker->result == EXIT_OK) {
        complain("cannot serve: %s", weft_strerror(op->status));
        worker->result = EXIT_FAILED;
    }
}

/* What is stuck after a run was told by it. */
static int run_loop(struct serving_worker *worker)
{
    int err = weft_loop_init(&worker->loop, &worker->uv);
    if (err != 0)
        return err;
    weft_run(weft_root(&worker->loop), &worker->op, worker_begin, worker_over);
    err = weft_loop_run(&worker->loop);
    if (err == 0)
        err = weft_loop_close(&worker->loop);
    return err;
}

void serving_work(struct serving_worker *worker)
{
    int err = uv_loop_init(&worker->uv);
    if (err == 0) {
        err = run_loop(worker);
        uv_run(&worker->uv, UV_RUN_DEFAULT); /* let go of what was closed */
        uv_loop_close(&worker->uv);
    }
    if (err != 0) {
        complain("cannot run a loop: %s", weft_strerror(err));
        worker->result = EXIT_FAILED;
    }
}
