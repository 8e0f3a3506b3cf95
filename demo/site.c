/* site: a generated web site with every kind of link, on loopback: what `make run` crawls and what
 * tests of crawlers are made with. See site/site.h, and `site --help`.
 *
 * It prints `listening on URL` when it takes connections, and serves until SIGTERM or SIGINT, which
 * end it at once and well. A SIGINT that was ignored when it began stays so: Ctrl-C is then meant
 * for the crawler beside it.
 *
 * A drop (--drop-after) is the server cancelled: its listener is closed and its connections are
 * cut. After --down-ms it listens on the same port again. The site itself goes on meanwhile, with
 * its counts. */
#include "site/site.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static struct site *site_at(struct weft_op *op)
{
    return weft_owner(op, struct site, op);
}

__attribute__((format(printf, 2, 3))) static void remark(const struct site *site,
                                                         const char *format, ...)
{
    va_list arguments;
    if (site->options.quiet)
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

/* ---- serving -------------------------------------------------------------------------------- */

static void server_over(struct weft_op *op, struct weft_op *server);

static void serve(struct site *site)
{
    struct weft_address address = site->server.address;
    site->server = (struct weft_http_server){
        .handler = visit_begin,
        .request_size = sizeof(struct visit),
        .done = visit_done,
        .name = "weft-demo-site",
        .request_ms = WEFT_HTTP_NEVER,
    };
    weft_http_serve(&site->op, &site->server, &address, server_over);
}

static void back_again(struct weft_op *op, struct weft_op *down)
{
    struct site *site = site_at(op);
    if (down->status == 0 && !site->stopping)
        serve(site);
}

static void server_over(struct weft_op *op, struct weft_op *server)
{
    struct site *site = site_at(op);
    site->connections += site->server.accepted;
    site->server.accepted = 0;
    if (site->stopping)
        return;
    if (server->status != UV_ECANCELED) {
        fprintf(stderr, "site: cannot listen on %s: %s\n", site->options.address,
                weft_strerror(server->status));
        site->err = server->status;
        weft_end(op, 0);
    } else if (site->options.down_ms > 0) {
        weft_sleep(op, &site->down, site->options.down_ms, back_again);
    }
}

void site_drop(struct site *site)
{
    remark(site, "site: refusing connections from now on\n");
    site->dropped = true;
    weft_cancel(&site->server.op, UV_ECANCELED);
}

/* ---- begin and end -------------------------------------------------------------------------- */

static void signal_arrived(struct weft_op *op)
{
    struct site *site = site_at(op->parent);
    site->stopping = true;
    weft_end(&site->op, 0);
}

static void started(struct weft_op *op, struct weft_op *immediate)
{
    struct site *site = site_at(op);
    char url[WEFT_ADDRESS_TEXT] = "";
    if (immediate->status != 0 || site->err != 0)
        return;
    weft_http_url(&site->server, url, sizeof url);
    printf("listening on %s\n", url);
    fflush(stdout);
}

static bool is_ignored(int signum)
{
    struct sigaction action;
    return sigaction(signum, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* If the server could not listen it has said so before the immediate is over. */
static void begin(struct weft_op *op)
{
    static const int signums[] = {SIGTERM, SIGINT};
    struct site *site = site_at(op);
    site->began_ms = weft_now(weft_loop_of(op));
    for (size_t i = 0; i < 2; i++) {
        if (is_ignored(signums[i]))
            continue;
        site->signals[i].arrived = signal_arrived;
        weft_signal(op, &site->signals[i], signums[i], NULL);
    }
    serve(site);
    weft_immediate(op, &site->started, started);
}

static int find_address(struct site *site)
{
    const struct options *options = &site->options;
    char text[WEFT_ADDRESS_TEXT];
    bool is6 = strchr(options->address, ':') != NULL;
    snprintf(text, sizeof text, is6 ? "[%s]:%u" : "%s:%u", options->address,
             (unsigned)options->port);
    int err = weft_address_parse(&site->server.address, text);
    if (err != 0)
        fprintf(stderr, "site: --address takes one such as 127.0.0.1, not '%s'\n",
                options->address);
    return err;
}

static int run(struct site *site)
{
    const char *log = site->options.log;
    int err = log != NULL ? log_open(&site->log, log) : 0;
    if (err != 0) {
        fprintf(stderr, "site: cannot write %s: %s\n", log, weft_strerror(err));
        return 1;
    }
    err = weft_go(&site->op, begin);
    if (err != 0 && site->err == 0)
        fprintf(stderr, "site: %s\n", weft_strerror(err));
    remark(site, "site: %llu requests, at most %llu at one time\n", (unsigned long long)site->total,
           (unsigned long long)site->most_running);
    if (site->log >= 0)
        close(site->log);
    counts_free(&site->counts);
    return err != 0 || site->err != 0;
}

int main(int argc, char **argv)
{
    static struct site site = {.log = -1};
    int status = options_read(&site.options, argc, argv);
    if (status >= 0)
        return status;
    return find_address(&site) != 0 ? 2 : run(&site);
}
