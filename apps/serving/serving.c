/* All loops of a server: started one after the other, then let go together.
 *
 * The first one runs on the thread that called. When it listens, and the port is known, it starts
 * the others, each in turn, and waits until that one listens too, or has failed. Only then is it
 * said that the server is ready, and all take requests; until then clients wait in the backlog. If
 * one fails all end.
 *
 * Signals are blocked meanwhile: one that came when only some of the loops hear it would leave the
 * others running. */
#include "serving.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const serving_log_formats[] = {"common", "combined", "json", NULL};

/* ---- the process ---------------------------------------------------------------------------- */

static void mask_signals(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, NULL);
}

/* As many descriptors as we may have: each connection takes one, and another one for its file. */
static void raise_limits(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* The logs open it themselves, later; but now is the time to say that it cannot be done. Not so
 * with a pipe: its reader would take our closing for the end. */
static int check_log(const struct serving *serving)
{
    struct stat file;
    if (serving->log == NULL || strcmp(serving->log, "-") == 0 ||
        (stat(serving->log, &file) == 0 && !S_ISREG(file.st_mode)))
        return EXIT_OK;
    int fd = open(serving->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        complain("cannot write the log '%s': %s", serving->log, strerror(errno));
        return EXIT_FAILED;
    }
    close(fd);
    return EXIT_OK;
}

/* ---- the table of routes -------------------------------------------------------------------- */

static void show_figures(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    weft_http_metrics_answer(&serving_of(request)->figures, request);
}

static void make_table(struct serving *serving)
{
    struct weft_http_route *end = serving->table;
    for (size_t i = 0; i < serving->routes_count; i++)
        *end++ = serving->routes[i];
    if (serving->metrics) {
        *end++ = (struct weft_http_route){WEFT_HTTP_GET, SERVING_METRICS, show_figures};
        *end++ = (struct weft_http_route){WEFT_HTTP_GET, SERVING_HEALTHZ, weft_http_healthz};
    }
    serving->table_count = (size_t)(end - serving->table);
}

static int check_table(struct serving *serving)
{
    char wrong[200];
    if (serving->routes_count > SERVING_ROUTES) {
        complain("%s has too many routes", serving->command);
        return EXIT_FAILED;
    }
    make_table(serving);
    if (weft_http_routes_check(serving->table, serving->table_count, wrong, sizeof wrong) == 0)
        return EXIT_OK;
    complain("%s", wrong);
    return EXIT_FAILED;
}

/* ---- the other threads ---------------------------------------------------------------------- */

static void report(struct serving_worker *worker)
{
    worker->reported = true;
    uv_sem_post(&worker->serving->ready);
}

static void other_listens(struct serving_worker *worker)
{
    report(worker);
    uv_sem_wait(&worker->serving->go);
    if (worker->serving->failed) {
        worker->result = EXIT_FAILED; /* it was said why */
        weft_end(&worker->op, UV_ECANCELED);
    }
}

static void run_other(void *argument)
{
    struct serving_worker *worker = argument;
    serving_work(worker);
    if (!worker->reported)
        report(worker);
}

/* Does it listen? What is wrong was said. */
static bool start_other(struct serving_worker *worker)
{
    int err = uv_thread_create(&worker->thread, run_other, worker);
    if (err != 0) {
        complain("cannot start a thread: %s", weft_strerror(err));
        return false;
    }
    worker->threaded = true;
    uv_sem_wait(&worker->serving->ready);
    return worker->result == EXIT_OK;
}

/* ---- the first one -------------------------------------------------------------------------- */

static bool say_ready(const struct serving_worker *first)
{
    char url[WEFT_ADDRESS_TEXT + 16];
    weft_http_url(&first->server, url, sizeof url);
    printf("%s at %s\n", first->serving->what, url);
    return fflush(stdout) == 0; /* main() says what is wrong */
}

static void first_listens(struct serving_worker *first)
{
    struct serving *serving = first->serving;
    bool all = true;
    serving->address = first->server.address;
    for (uint64_t i = 1; all && i < serving->threads; i++)
        all = start_other(&serving->workers[i]);
    if (!all || !say_ready(first)) {
        serving->failed = true;
        first->result = EXIT_FAILED;
        weft_end(&first->op, UV_ECANCELED);
    }
    for (uint64_t i = 1; i < serving->threads; i++)
        uv_sem_post(&serving->go);
    mask_signals(SIG_UNBLOCK);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* An impatient signal counts more than a failure, and that more than success. */
static int join_all(const struct serving *serving)
{
    int result = EXIT_OK;
    for (uint64_t i = 0; i < serving->threads; i++) {
        struct serving_worker *worker = &serving->workers[i];
        if (worker->threaded)
            uv_thread_join(&worker->thread);
        if (worker->result > result)
            result = worker->result;
    }
    return result;
}

static int run_workers(struct serving *serving)
{
    serving->workers = weft_calloc((size_t)serving->threads, sizeof *serving->workers);
    if (serving->workers == NULL) {
        complain("%s", weft_strerror(UV_ENOMEM));
        return EXIT_FAILED;
    }
    for (uint64_t i = 0; i < serving->threads; i++) {
        serving->workers[i].serving = serving;
        serving->workers[i].listening = i == 0 ? first_listens : other_listens;
    }
    uv_sem_init(&serving->ready, 0);
    uv_sem_init(&serving->go, 0);
    mask_signals(SIG_BLOCK);
    serving_work(&serving->workers[0]);
    int result = join_all(serving);
    mask_signals(SIG_UNBLOCK);
    uv_sem_destroy(&serving->ready);
    uv_sem_destroy(&serving->go);
    weft_free(serving->workers);
    return result;
}

int serving_run(const char *command, struct serving *serving, const char *what)
{
    serving->command = command;
    serving->what = what;
    serving->counting |= serving->metrics;
    if (serving->threads == 0)
        serving->threads = uv_available_parallelism();
    if (serving->threads > SERVING_THREADS)
        serving->threads = SERVING_THREADS;
    signal(SIGPIPE, SIG_IGN); /* a log whose reader has gone is no reason to die */
    raise_limits();
    int status = check_table(serving);
    if (status == EXIT_OK)
        status = serving_find_address(serving);
    if (status == EXIT_OK)
        status = check_log(serving);
    return status == EXIT_OK ? run_workers(serving) : status;
}
