/* apps/serving/serving.h: what all servers of ours share: where they listen, their threads, the
 * access log, figures, signals, and how they end.
 *
 *     struct serving serving = {SERVING_DEFAULTS, .routes = routes, .routes_count = 2};
 *     const struct option options[] = {SERVING_OPTIONS(&serving), {.name = NULL}};
 *     ... options_read ...
 *     return serving_run("sales", &serving, "total sales");
 *
 * There is one loop a thread, with a server, a log and ears for signals of its own; they share the
 * port (SO_REUSEPORT), and of the memory only what nobody changes, and the figures. */
#ifndef WEFT_APPS_SERVING_H
#define WEFT_APPS_SERVING_H

#include "command.h"
#include "options.h"
#include <stdatomic.h>
#include <weft.h>
#include <weft/http_log.h>
#include <weft/http_metrics.h>
#include <weft/http_router.h>

enum {
    SERVING_PORT = 8080,      /* where to look for a free port, and how far, */
    SERVING_PORT_LAST = 8099, /* if none was asked for */
    SERVING_ANY_PORT = 65536, /* none was asked for */
    SERVING_THREADS = WEFT_HTTP_METRICS_SERVERS,
    SERVING_CONNECTIONS = 1000 * 1000, /* the most that can be asked for */
    SERVING_DRAIN_S = 10,
    SERVING_DRAIN_S_MOST = 24 * 60 * 60,
    SERVING_ROUTES = 16, /* the most that a command has */
    SERVING_SIGNALS = 4
};

#define SERVING_METRICS "/-/metrics"
#define SERVING_HEALTHZ "/-/healthz"

struct serving_worker;

struct serving {
    /* Of the command. */
    const struct weft_http_route *routes;
    size_t routes_count;
    /* Called on each loop before its server listens, to change the server's settings; a handler of
     * its own ends in serving_route. NULL: nothing to change. */
    void (*set_up)(struct weft_http_server *server);
    /* Called on each loop before its server listens, to open what the requests need. What is begun
     * below op is cancelled when the server is over. An exit status; what is wrong was said. NULL:
     * nothing to open. */
    int (*open)(struct serving *serving, struct weft_op *op);
    /* Called on each loop when everything below op is over, also after an open that failed. NULL:
     * nothing to close. */
    void (*close)(struct serving *serving);
    bool counting; /* the command shows the figures itself */

    /* Of the command line. */
    const char *host;
    uint64_t port, threads, connections_max, drain_s;
    const char *log; /* a file, "-" for the standard output; NULL: the standard error */
    unsigned log_format;
    bool metrics, quiet;

    /* The rest is serving's own. */
    const char *command, *what;
    struct weft_address address; /* with the port, as soon as the first server has it */
    struct weft_http_metrics figures;
    struct weft_http_route table[SERVING_ROUTES + 2];
    size_t table_count;
    struct serving_worker *workers;
    uv_sem_t ready, go;
    bool failed; /* set before go: not all have started */
    atomic_flag told;
};

/* One loop. */
struct serving_worker {
    struct serving *serving;
    void (*listening)(struct serving_worker *worker); /* called when it does */
    struct weft_http_server server;

    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_op op, started;
    struct weft_http_log log;
    struct weft_signal signals[SERVING_SIGNALS];
    struct weft_ticker ticker;
    struct weft_deadline log_deadline;
    bool logging, draining, served;
    int result; /* the exit status that follows from it */

    uv_thread_t thread;
    bool threaded; /* it runs on thread, which has to be joined */
    bool reported; /* the first worker knows that it listens */
};

#define SERVING_DEFAULTS                                                                           \
    .host = "127.0.0.1", .port = SERVING_ANY_PORT, .threads = 1, .drain_s = SERVING_DRAIN_S,       \
    .told = ATOMIC_FLAG_INIT

/* clang-format off */
/* For a server that has one loop, and paths of its own for the figures. */
#define SERVING_OPTIONS_ONE(serving)                                                               \
    {.name = "host", .text = &(serving)->host},                                                    \
    {.name = "port", .letter = 'p', .number = &(serving)->port, .most = 65535},                    \
    {.name = "max-connections", .number = &(serving)->connections_max, .least = 1,                 \
     .most = SERVING_CONNECTIONS},                                                                 \
    {.name = "drain-seconds", .number = &(serving)->drain_s, .most = SERVING_DRAIN_S_MOST},        \
    {.name = "log", .text = &(serving)->log},                                                      \
    {.name = "log-format", .words = serving_log_formats, .word = &(serving)->log_format},          \
    {.name = "quiet", .letter = 'q', .flag = &(serving)->quiet}
#define SERVING_OPTIONS(serving)                                                                   \
    SERVING_OPTIONS_ONE(serving),                                                                  \
    {.name = "threads", .letter = 't', .number = &(serving)->threads, .most = SERVING_THREADS},    \
    {.name = "metrics", .flag = &(serving)->metrics}
/* clang-format on */

/* What the usage of every server says of them. */
#define SERVING_USAGE_WHERE                                                                        \
    "      --host ADDRESS        listen there: 127.0.0.1 (the default), 0.0.0.0, ::1, ::\n"        \
    "  -p, --port PORT           0: any that is free; otherwise the first from 8080 to 8099\n"
#define SERVING_USAGE_END                                                                          \
    "      --drain-seconds S     what is under way when it is stopped may take that long\n"        \
    "                            (default 10)\n"                                                   \
    "      --log FILE            the access log; - is the standard output\n"                       \
    "                            (default: the standard error)\n"                                  \
    "      --log-format FORMAT   common (the default), combined or json\n"
#define SERVING_USAGE_QUIET                                                                        \
    "  -q, --quiet               no log on the standard error, and no remarks\n"
#define SERVING_USAGE_ONE                                                                          \
    SERVING_USAGE_WHERE                                                                            \
    "      --max-connections N   at a time; more get 503 (default 1024)\n" SERVING_USAGE_END       \
        SERVING_USAGE_QUIET
#define SERVING_USAGE                                                                              \
    SERVING_USAGE_WHERE                                                                            \
    "  -t, --threads N           so many loops, a thread each; 0: one for each core\n"             \
    "      --max-connections N   at a time, for each thread; more get 503 (default "               \
    "1024)\n" SERVING_USAGE_END "      --metrics             answer " SERVING_METRICS              \
    " and " SERVING_HEALTHZ "\n" SERVING_USAGE_QUIET

/* serving.c */
extern const char *const serving_log_formats[];

/* Serve until a signal ends it, and return the exit status. Prints "WHAT at URL" when it is
 * ready. */
int serving_run(const char *command, struct serving *serving, const char *what);

/* worker.c */

/* Run a loop on this thread until its server is over. */
void serving_work(struct serving_worker *worker);

/* What serves this request. */
struct serving *serving_of(const struct weft_http_request *request);

/* The handler of all servers that have no other: to the command's routes and those of --metrics. */
void serving_route(struct weft_op *op);

/* address.c: find serving->address from host and port. An exit status; what is wrong was said. */
int serving_find_address(struct serving *serving);
/* Can only this machine reach it? */
bool serving_is_loopback(const struct weft_address *address);

#endif
