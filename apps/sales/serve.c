/* weft sales serve: totals by HTTP.
 *
 * One loop: a ledger belongs to one, and what makes the server quick, that those who ask for the
 * same share a scan and its result, would be halved by a second one. The scans themselves are done
 * by the thread pool, on all processors. Who wants more starts more processes on the same ledger,
 * and has them share what they know through Redis. */
#include "sales/serve.h"
#include "sales/sales.h"
#include "units.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <weft/http_message.h>

#define TTL_MS UINT64_C(30000)
#define DELAY_MS_MOST UINT64_C(3600000)
#define TTL_MS_MOST (UINT64_C(10) * 365 * 24 * 60 * 60 * 1000)

struct sales_server *server_of(const struct visit *visit)
{
    return weft_owner(serving_of(&visit->request), struct sales_server, serving);
}

/* ---- answers -------------------------------------------------------------------------------- */

void visit_choose_form(struct visit *visit)
{
    static const char *const types[FORM_NONE] = {"text/plain", "application/json", "text/html"};
    visit->form = (enum form)weft_http_accept_best(&visit->request.head, types, FORM_NONE);
}

/* Totals are kept here, and nowhere else: what a browser or a proxy kept would not be forgotten
 * when a sale is added. So there is no need to say on what an answer depends (Vary) either. */
bool visit_set_fields(struct visit *visit)
{
    struct weft_http_request *request = &visit->request;
    int err = weft_http_set(request, "Cache-Control", "no-store");
    if (err == 0)
        err = weft_http_set(request, "X-Content-Type-Options", "nosniff");
    if (err != 0)
        weft_end(&request->op, err);
    return err == 0;
}

void visit_refuse(struct visit *visit, int status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!visit_set_fields(visit))
        return;
    if (visit->form != FORM_JSON) {
        weft_http_answerf(&visit->request, status, "text/plain; charset=utf-8", "%s\n", text);
        return;
    }
    struct out out = {0};
    out_string(&out, "{\"error\":");
    out_json_text(&out, weft_text_of(text));
    out_string(&out, "}\n");
    if (out.failed)
        weft_end(&visit->request.op, UV_ENOMEM);
    else
        weft_http_answer_copy(&visit->request, status, "application/json", out.data, out.size);
    out_free(&out);
}

void visit_fail(struct visit *visit, const char *what, int err)
{
    int status = weft_http_status_of(err);
    if (status < 500) /* what is too large here is not what the client sent */
        status = 500;
    if (status == 503)
        weft_http_set(&visit->request, "Retry-After", "1");
    visit_refuse(visit, status, "%s: %s", what, weft_strerror(err));
}

void visit_answer(struct visit *visit, const char *type, struct out *out)
{
    if (out->failed)
        visit_fail(visit, "there is no answer", UV_ENOMEM);
    else if (visit_set_fields(visit))
        weft_http_answer_copy(&visit->request, 200, type, out->data, out->size);
    out_free(out);
}

/* ---- open and close ------------------------------------------------------------------------- */

/* Servers of one ledger share what they keep, those of two must not. Its folder is known by its
 * number, whatever path leads to it, and by its birth: numbers are the same on machines that are
 * copies. */
static int make_prefix(struct sales_server *server)
{
    uv_fs_t request;
    int err = uv_fs_stat(NULL, &request, server->db, NULL);
    const uv_stat_t *folder = &request.statbuf;
    if (err == 0)
        snprintf(server->prefix, sizeof server->prefix,
                 "weft-sales:%" PRIx64 "-%" PRIx64 "-%lx.%lx:", folder->st_dev, folder->st_ino,
                 (unsigned long)folder->st_birthtim.tv_sec,
                 (unsigned long)folder->st_birthtim.tv_nsec);
    uv_fs_req_cleanup(&request);
    server->totals.prefix = server->prefix;
    return err;
}

/* One that it may not write to is served all the same, but for new sales. */
static bool open_ledger(struct sales_server *server)
{
    const char *why;
    int err = ledger_open(&server->ledger, server->db, LEDGER_WRITE, &why);
    server->read_only = err == UV_EACCES || err == UV_EROFS || err == UV_EPERM;
    int first = err;
    if (server->read_only)
        err = ledger_open(&server->ledger, server->db, LEDGER_READ, &why);
    if (server->read_only && err == UV_ENOENT) /* none was there, and none could be made */
        complain("%s: %s", server->db, weft_strerror(first));
    else if (err != 0)
        complain("%s", why);
    else if (server->read_only && !server->serving.quiet)
        complain("%s can only be read: no sales are taken", server->db);
    return err == 0;
}

static int open_server(struct serving *serving, struct weft_op *op)
{
    struct sales_server *server = weft_owner(serving, struct sales_server, serving);
    if (!open_ledger(server))
        return EXIT_FAILED;
    server->totals.ledger = &server->ledger;
    int err = make_prefix(server);
    if (err == 0)
        err = totals_open(&server->totals, op);
    if (err == 0 && server->totals.redis != NULL && !serving->quiet)
        redis_watch(op, &server->redis, &server->totals.shared.redis, "nothing is shared");
    if (err == 0)
        return EXIT_OK;
    complain("cannot serve: %s", weft_strerror(err));
    return EXIT_FAILED;
}

static void close_server(struct serving *serving)
{
    struct sales_server *server = weft_owner(serving, struct sales_server, serving);
    totals_close(&server->totals);
    ledger_close(&server->ledger);
}

static void set_up(struct weft_http_server *server)
{
    server->request_size = sizeof(struct visit);
    server->body_max = 4096;              /* a sale is shorter, however it is written */
    server->request_ms = WEFT_HTTP_NEVER; /* --scan-delay may be an hour; who leaves is seen */
}

/* ---- the command line ----------------------------------------------------------------------- */

/* 0 would stand for ever in a cache, and for never to people. */
static bool read_ttl(const char *text, uint64_t *ms)
{
    uint64_t number;
    if (!units_duration(text, &number) || number == 0 || number > TTL_MS_MOST)
        return false;
    *ms = number;
    return true;
}

static int check_redis(const struct sales_server *server)
{
    char why[WEFT_REDIS_WHY];
    if (server->totals.redis == NULL)
        return EXIT_OK;
    if (server->mode != TOTALS_CACHE)
        return misused("sales", "--redis is for --mode cache: only what that keeps can be shared");
    if (weft_redis_url_check(server->totals.redis, why) != 0) {
        const char *host = strrchr(server->totals.redis, '@'); /* a password is not for logs */
        return misused("sales", "--redis '%s%s': %s", host != NULL ? "..." : "",
                       host != NULL ? host : server->totals.redis, why);
    }
    return EXIT_OK;
}

static int read_command_line(struct sales_server *server, int argc, char **argv)
{
    const struct option options[] = {
        SERVING_OPTIONS_ONE(&server->serving),
        {.name = "mode", .words = totals_mode_names, .word = &server->mode},
        {.name = "db", .text = &server->db},
        {.name = "redis", .text = &server->totals.redis},
        {.name = "ttl",
         .number = &server->totals.ttl_ms,
         .parse = read_ttl,
         .example = "30, 0.5 or 500ms"},
        {.name = "scan-delay", .number = &server->totals.delay_ms, .most = DELAY_MS_MOST},
        {.name = NULL},
    };
    int status = options_read("sales", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("sales", "serve takes options only, not '%s'", argv[1]);
    return check_redis(server);
}

int sales_serve_run(int argc, char **argv)
{
    static const struct weft_http_route routes[] = {
        {WEFT_HTTP_GET, "/", serve_total},
        {WEFT_HTTP_POST, "/sales", serve_sale},
        {WEFT_HTTP_GET, "/stats.json", serve_stats},
        {WEFT_HTTP_GET, "/metrics", serve_metrics},
        {WEFT_HTTP_GET, "/healthz", weft_http_healthz},
    };
    struct sales_server server = {
        .serving = {SERVING_DEFAULTS, .routes = routes,
                    .routes_count = sizeof routes / sizeof routes[0], .set_up = set_up,
                    .open = open_server, .close = close_server, .counting = true},
        .db = SALES_DB,
        .mode = TOTALS_CACHE,
        .totals = {.ttl_ms = TTL_MS},
        .opened_ms = uv_hrtime() / 1000000,
    };
    int status = read_command_line(&server, argc, argv);
    return status == EXIT_OK ? serving_run("sales", &server.serving, "total sales") : status;
}
