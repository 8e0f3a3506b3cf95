/* weft subsetsum serve: GET /subsetSum?data=[1,2,-3]&sum=0 answers with a line for each match, as they
 * are found; every other path says that the server is alive, which is what to look at while it searches.
 *
 *     request ──► finding ── lines ──► a copy ── write ──► the client
 *                    ▲                              │
 *                    └────────── resume ◄───────────┘
 *
 * One bunch of lines is under way at a time: a client that reads slowly slows its search down, and one
 * that leaves cancels it. The answer begins with the first bunch; what goes wrong before that has a
 * status of its own, what goes wrong later cuts the connection, so that half an answer never looks
 * whole. */
#include "serving/redis.h"
#include "serving/serving.h"
#include "subsetsum/finding.h"
#include "subsetsum/subsetsum.h"
#include "units.h"
#include <stdio.h>
#include <string.h>
#include <weft/http_message.h>

enum {
    WORKERS_MOST = 1024,
    WAITING_MOST = 1000 * 1000,
    WAITING = 64,
    NUMBERS = 44, /* some seconds of searching, at most */
    TIME_MS = 60 * 1000,
    TIME_MS_MOST = 7 * 24 * 60 * 60 * 1000,
    DATA_MAX = 4096,
    SUM_MAX = 64,
    ANY_METHOD = WEFT_HTTP_GET | WEFT_HTTP_POST | WEFT_HTTP_PUT | WEFT_HTTP_DELETE | WEFT_HTTP_PATCH
};

struct server {
    struct serving serving;
    struct finders finders;
    struct redis_watch watch;
    uint64_t numbers;
};

struct visit {
    struct weft_http_request request;
    struct finding finding;
    struct weft_http_write write;
    bool begun; /* the answer has */
    char text[SCRIBE_TEXT];
};

static struct server *server_of(const struct visit *visit)
{
    return weft_owner(serving_of(&visit->request), struct server, serving);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void written(struct weft_op *op, struct weft_op *write)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    if (write->status == 0)
        finding_resume(&visit->finding);
    else
        weft_end(op, write->status);
}

static bool start(struct visit *visit)
{
    int err = visit->begun ? 0
                           : weft_http_start(&visit->request, 200, "text/plain; charset=utf-8",
                                             WEFT_HTTP_UNKNOWN);
    visit->begun = true;
    if (err != 0)
        weft_end(&visit->request.op, err);
    return err == 0;
}

/* More than the buffer has room for comes from nobody but a stranger in Redis. */
static bool lines_found(struct finding *finding, struct weft_text lines)
{
    struct visit *visit = weft_owner(finding, struct visit, finding);
    if (lines.size > sizeof visit->text) {
        weft_end(&visit->request.op, WEFT_EDAMAGED);
        return false;
    }
    memcpy(visit->text, lines.data, lines.size);
    if (start(visit))
        weft_http_write(&visit->request.op, &visit->write, &visit->request, visit->text, lines.size,
                        written);
    return false;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void refuse(struct visit *visit, int status, const char *text)
{
    weft_http_answerf(&visit->request, status, "text/plain; charset=utf-8", "%s\n", text);
}

/* What the workers said is for who runs the server; the client gets it too, since it has no secrets. */
static void fail(struct visit *visit, int err)
{
    char text[256];
    const char *why = visit->finding.why;
    int status = err == WEFT_EBROKEN ? 503 : weft_http_status_of(err);
    if (status < 500)
        status = 500;
    if (status == 503)
        weft_http_set(&visit->request, "Retry-After", "1");
    snprintf(text, sizeof text, "Error: %s%s%s", weft_strerror(err), why[0] != '\0' ? ": " : "",
             why);
    refuse(visit, status, text);
}

static void all_found(struct weft_op *op, struct weft_op *finding)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    if (finding->status == 0) {
        if (start(visit))
            weft_http_end(&visit->request);
    } else if (visit->begun || weft_cancelled(op) != 0) {
        weft_end(op, finding->status);
    } else {
        fail(visit, finding->status);
    }
}

/* ---- the question --------------------------------------------------------------------------- */

/* The one value of a name, decoded. False: it was refused. */
static bool read_parameter(struct visit *visit, const char *wanted, char *buffer, size_t size,
                           struct weft_text *decoded)
{
    char text[SUBSET_WHY];
    struct weft_text query = visit->request.head.query, name, value, found = {NULL, 0};
    unsigned count = 0;
    while (weft_http_form_next(&query, &name, &value) == 1) {
        if (weft_http_form_is(name, wanted) && count++ == 0)
            found = value;
    }
    if (count != 1) {
        snprintf(text, sizeof text, "%s: %s", wanted,
                 count == 0 ? "the parameter is missing" : "the parameter is there more than once");
        refuse(visit, 400, text);
        return false;
    }
    int err = weft_http_form_decode(found, buffer, size, decoded);
    if (err == 0)
        return true;
    snprintf(text, sizeof text, "%s: %s", wanted,
             err == UV_ENOBUFS  ? "it is too long"
             : err == UV_EILSEQ ? "there is a byte 0 in it"
                                : "there is a % without two hex digits");
    refuse(visit, 400, text);
    return false;
}

static bool refuse_parameter(struct visit *visit, const char *name, const char *why)
{
    char text[SUBSET_WHY + 16];
    snprintf(text, sizeof text, "%s: %s", name, why);
    refuse(visit, 400, text);
    return false;
}

static bool read_problem(struct visit *visit, struct subset_problem *problem)
{
    char data[DATA_MAX], sum[SUM_MAX], why[SUBSET_WHY];
    struct weft_text text;
    if (!read_parameter(visit, "data", data, sizeof data, &text))
        return false;
    if (subset_parse_values(problem, text, why) != 0)
        return refuse_parameter(visit, "data", why);
    if (problem->count > server_of(visit)->numbers) {
        snprintf(why, sizeof why, "there are more than %u integers, which this server refuses",
                 (unsigned)server_of(visit)->numbers);
        return refuse_parameter(visit, "data", why);
    }
    if (!read_parameter(visit, "sum", sum, sizeof sum, &text))
        return false;
    return subset_parse_sum(problem, text, why) == 0 || refuse_parameter(visit, "sum", why);
}

static void answer_matches(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    visit->begun = false;
    visit->finding.finders = &server_of(visit)->finders;
    visit->finding.on_lines = lines_found;
    if (read_problem(visit, &visit->finding.problem))
        finding(op, &visit->finding, all_found);
}

static void answer_alive(struct weft_op *op)
{
    static const char text[] = "I'm alive!\n";
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 200, "text/plain", text,
                     sizeof text - 1);
}

/* ---- the command line ----------------------------------------------------------------------- */

static int open_server(struct serving *serving, struct weft_op *op)
{
    struct server *server = weft_owner(serving, struct server, serving);
    int err = finders_open(&server->finders, op);
    if (err == 0 && server->finders.mode == FINDING_REDIS && !serving->quiet)
        redis_watch(op, &server->watch, &server->finders.jobs.redis, "nothing is found");
    if (err == 0)
        return EXIT_OK;
    complain("cannot serve: %s", weft_strerror(err));
    return EXIT_FAILED;
}

/* A line of numbers fits into a head; how long a finding takes is limited elsewhere. */
static void set_up(struct weft_http_server *server)
{
    server->request_size = sizeof(struct visit);
    server->request_ms = WEFT_HTTP_NEVER;
}

/* What was not given is 0 or NULL yet. */
static int check_mode(struct finders *finders)
{
    bool pool = finders->mode == FINDING_THREADS || finders->mode == FINDING_PROCS;
    if (!pool && finders->workers != 0)
        return misused("subsetsum", "--workers is for --mode threads and --mode procs");
    if (finders->mode == FINDING_REDIS && finders->redis == NULL)
        return misused("subsetsum", "--mode redis needs --redis URL");
    if (finders->mode != FINDING_REDIS &&
        (finders->redis != NULL || finders->queue != NULL || finders->parts != 0))
        return misused("subsetsum", "--redis, --queue and --parts are for --mode redis");
    if (finders->mode == FINDING_REDIS) {
        int status = subsetsum_check_line(finders->redis, finders->queue);
        if (status != EXIT_OK)
            return status;
    }
    if (finders->workers == 0)
        finders->workers = uv_available_parallelism();
    if (finders->parts == 0)
        finders->parts = FINDING_PARTS;
    if (finders->queue == NULL)
        finders->queue = FINDING_QUEUE;
    return EXIT_OK;
}

static int read_command_line(struct server *server, int argc, char **argv)
{
    struct finders *finders = &server->finders;
    unsigned mode = FINDING_PROCS;
    const struct option options[] = {
        SERVING_OPTIONS_ONE(&server->serving),
        {.name = "metrics", .flag = &server->serving.metrics},
        {.name = "mode", .words = finding_mode_names, .word = &mode},
        {.name = "workers", .number = &finders->workers, .least = 1, .most = WORKERS_MOST},
        {.name = "waiting", .number = &finders->waiting, .least = 1, .most = WAITING_MOST},
        {.name = "numbers", .number = &server->numbers, .least = 1, .most = SUBSET_MAX},
        {.name = "time",
         .number = &finders->time_ms,
         .parse = units_duration,
         .example = "60s, 500ms or 5m"},
        {.name = "redis", .text = &finders->redis},
        {.name = "queue", .text = &finders->queue},
        {.name = "parts", .number = &finders->parts, .least = 1, .most = SUBSET_PARTS_MAX},
        {.name = NULL},
    };
    int status = options_read("subsetsum", options, &argc, argv);
    finders->mode = (enum finding_mode)mode;
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("subsetsum", "serve takes options only, not '%s'", argv[1]);
    if (finders->time_ms == 0 || finders->time_ms > TIME_MS_MOST)
        return misused("subsetsum", "--time is more than 0, and a week at most");
    return check_mode(finders);
}

int subsetsum_serve_run(int argc, char **argv)
{
    static const struct weft_http_route routes[] = {
        {WEFT_HTTP_GET, "/subsetSum", answer_matches},
        {ANY_METHOD, "/*", answer_alive},
    };
    struct server server = {
        .serving = {SERVING_DEFAULTS, .routes = routes,
                    .routes_count = sizeof routes / sizeof routes[0], .set_up = set_up,
                    .open = open_server},
        .finders = {.waiting = WAITING, .time_ms = TIME_MS},
        .numbers = NUMBERS,
    };
    int status = read_command_line(&server, argc, argv);
    return status == EXIT_OK ? serving_run("subsetsum", &server.serving, "subset sums") : status;
}
