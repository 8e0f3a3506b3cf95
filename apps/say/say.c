/* weft say: a server whose module is not ready when the first requests come.
 *
 *     GET /say ──► teller ──► 200 "I say Current time is: …"
 *                     └─ not initialised: 500 "Error: I don't have anything to say right now"
 *
 * With --wrapped the same call goes through a lazy (weft/lazy.h): who comes too early waits until the
 * module is up, as part of his request, so that one who leaves is let go; the line has an end, and
 * beyond it the answer is 503. That is all the difference there is between the two.
 *
 * There is one loop: one module, one line. */
#include "say/teller.h"
#include "serving/serving.h"
#include "units.h"
#include <stdio.h>

struct say {
    struct serving serving;
    struct teller teller;
    struct teller_init start;
    struct weft_lazy lazy;
    struct weft_lazy_init init;
    uint64_t delay_ms, waiting_max;
    bool wrapped;
};

struct page {
    struct weft_http_request request;
    struct tell tell;
};

enum {
    DELAY_MS = 10 * 1000,
    WAITING_MOST = SERVING_CONNECTIONS,
    ANY_METHOD = WEFT_HTTP_GET | WEFT_HTTP_POST | WEFT_HTTP_PUT | WEFT_HTTP_DELETE | WEFT_HTTP_PATCH
};

const char say_usage[] =
    "say serve [OPTION...]\n"
    "\n"
    "Answers GET /say with the time, by a module that takes its time to initialise: until then\n"
    "the answer is an error, or, with --wrapped, waits for it. Prints where it serves, and a line\n"
    "when the module is initialised.\n"
    "\n"
    "      --delay TIME          what the module takes to initialise: 10s (the default), 500ms, 0\n"
    "      --wrapped             requests that come too early wait instead of failing\n"
    "      --waiting N           at most so many of them; others get 503 (default 1024)\n"
    "\n" SERVING_USAGE_ONE "      --metrics             answer " SERVING_METRICS
    " and " SERVING_HEALTHZ "\n";

/* ---- requests ------------------------------------------------------------------------------- */

static struct say *say_of(const struct weft_http_request *request)
{
    return weft_owner(serving_of(request), struct say, serving);
}

static void told(struct weft_op *op, struct weft_op *child)
{
    struct page *page = weft_owner(op, struct page, request.op);
    const char *text = page->tell.text;
    if (child->status == 0) {
        weft_http_answerf(&page->request, 200, "text/plain", "I say %s\n", text);
    } else if (child->status == UV_ENOBUFS) {
        weft_http_answerf(&page->request, 503, "text/plain", "Error: too many are waiting\n");
    } else {
        if (text[0] == '\0')
            text = weft_strerror(child->status);
        weft_http_answerf(&page->request, 500, "text/plain", "Error: %s\n", text);
    }
}

static void answer_say(struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, request.op);
    struct say *say = say_of(&page->request);
    page->tell.teller = &say->teller;
    if (say->wrapped)
        weft_lazy_run(op, &page->tell.op, &say->lazy, tell_begin, told);
    else
        weft_run(op, &page->tell.op, tell_begin, told);
}

static void answer_not_found(struct weft_op *op)
{
    static const char text[] = "Not found\n";
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 404, "text/plain", text,
                     sizeof text - 1);
}

/* ---- the module ----------------------------------------------------------------------------- */

static void start_module(struct weft_op *op)
{
    struct say *say = weft_owner(op, struct say, lazy.promise.op);
    say->start = (struct teller_init){.teller = &say->teller, .delay_ms = say->delay_ms};
    weft_run(op, &say->start.op, teller_init_begin, weft_pass);
}

static void module_up(struct weft_op *op, struct weft_op *init)
{
    (void)op;
    if (init->status == 0) {
        puts("Async module initialized");
        fflush(stdout); /* main() says what is wrong with it */
    }
}

/* Also without --wrapped: then nobody calls through the lazy, it is only what initialises. */
static int open_module(struct serving *serving, struct weft_op *op)
{
    struct say *say = weft_owner(serving, struct say, serving);
    say->lazy = (struct weft_lazy){
        .owner = op, .begin = start_module, .limit = (size_t)say->waiting_max, .by_hand = true};
    weft_lazy_open(&say->lazy);
    weft_lazy_init(op, &say->init, &say->lazy, module_up);
    return EXIT_OK;
}

static void close_module(struct serving *serving)
{
    if (weft_lazy_close(&weft_owner(serving, struct say, serving)->lazy) != 0)
        complain("the module is still in use");
}

/* A request may wait for as long as the module takes. */
static void set_up(struct weft_http_server *server)
{
    server->request_size = sizeof(struct page);
    server->request_ms = WEFT_HTTP_NEVER;
}

/* ---- the command line ----------------------------------------------------------------------- */

static int read_command_line(struct say *say, int argc, char **argv)
{
    const struct option options[] = {
        SERVING_OPTIONS_ONE(&say->serving),
        {.name = "metrics", .flag = &say->serving.metrics},
        {.name = "delay",
         .number = &say->delay_ms,
         .parse = units_duration,
         .example = "10s, 500ms or 0"},
        {.name = "wrapped", .flag = &say->wrapped},
        {.name = "waiting", .number = &say->waiting_max, .least = 1, .most = WAITING_MOST},
        {.name = NULL},
    };
    int status = options_read("say", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("say", "unexpected '%s'", argv[1]);
    return EXIT_OK;
}

static int serve(int argc, char **argv)
{
    static const struct weft_http_route routes[] = {
        {WEFT_HTTP_GET, "/say", answer_say},
        {ANY_METHOD, "/*", answer_not_found},
    };
    struct say say = {
        .serving = {SERVING_DEFAULTS, .routes = routes,
                    .routes_count = sizeof routes / sizeof routes[0], .set_up = set_up,
                    .open = open_module, .close = close_module},
        .delay_ms = DELAY_MS,
        .waiting_max = WEFT_LAZY_LIMIT,
    };
    int status = read_command_line(&say, argc, argv);
    return status == EXIT_OK ? serving_run("say", &say.serving, "saying the time") : status;
}

int say_run(int argc, char **argv)
{
    static const struct command_part parts[] = {{"serve", serve}, {NULL, NULL}};
    return parts_run("say", parts, argc, argv);
}
