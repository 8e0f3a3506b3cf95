/* weft serve: the files of a folder by HTTP, for a quick look, or behind a proxy.
 *
 * The folder is opened once and shared by all threads; what a request needs is in its page. */
#include "serving/serving.h"
#include <stdio.h>
#include <string.h>
#include <weft/http_files.h>

struct serve {
    struct serving serving;
    struct weft_http_files files;
    const char *root;
    const char *index[2];
    bool no_listing, cors;
    unsigned links;
    uint64_t cache_s;
    char cache_control[32];
};

struct page {
    struct weft_http_request request;
    struct weft_http_file file;
};

enum { CACHE_S_MOST = 10 * 365 * 24 * 60 * 60 };

const char serve_usage[] =
    "serve [OPTION...] [FOLDER]\n"
    "\n"
    "Serves the files in FOLDER (default: the current one) by HTTP, and prints where.\n"
    "Ctrl-C or SIGTERM ends it when the requests under way are finished.\n"
    "\n" SERVING_USAGE "\n"
    "      --index NAME          the file that stands for a folder (default index.html)\n"
    "      --no-listing          a folder without such a file is not listed: 403\n"
    "      --hidden              serve and list names that begin with a dot, too\n"
    "      --links WHICH         follow links that stay inside the folder (the default),\n"
    "                            none, or all\n"
    "      --precompressed       send NAME.br or NAME.gz for NAME to clients that take it\n"
    "      --cache SECONDS       clients need not ask again for so long (default 0)\n"
    "      --cors                pages of any origin may read the files\n";

static struct serve *serve_of(const struct weft_http_request *request)
{
    return weft_owner(serving_of(request), struct serve, serving);
}

/* ---- requests ------------------------------------------------------------------------------- */

static void answer_file(struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, request.op);
    weft_http_file(op, &page->file, &serve_of(&page->request)->files, &page->request,
                   page->request.head.path, NULL);
}

/* A preflight (OPTIONS) is answered by the router; it asks which methods and fields are allowed. */
static int allow_any_origin(struct weft_http_request *request)
{
    int err = weft_http_set(request, "Access-Control-Allow-Origin", "*");
    if (err == 0 && request->head.method == WEFT_HTTP_OPTIONS)
        err = weft_http_set(request, "Access-Control-Allow-Methods", "GET, HEAD");
    if (err == 0 && request->head.method == WEFT_HTTP_OPTIONS)
        err = weft_http_set(request, "Access-Control-Allow-Headers", "*");
    return err;
}

static void handle(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    int err = serve_of(request)->cors ? allow_any_origin(request) : 0;
    if (err != 0)
        weft_end(op, err);
    else
        serving_route(op);
}

/* A download may take as long as it likes while the client takes something. */
static void set_up(struct weft_http_server *server)
{
    server->handler = handle;
    server->request_size = sizeof(struct page);
    server->half_close = true;
    server->request_ms = WEFT_HTTP_NEVER;
}

/* ---- the command line ----------------------------------------------------------------------- */

static const char *const links_words[] = {"inside", "none", "all", NULL};
static const enum weft_http_links links[] = {WEFT_HTTP_LINKS_INSIDE, WEFT_HTTP_LINKS_NONE,
                                             WEFT_HTTP_LINKS_ALL};

static int read_command_line(struct serve *serve, int argc, char **argv)
{
    const struct option options[] = {
        SERVING_OPTIONS(&serve->serving),
        {.name = "index", .text = &serve->index[0]},
        {.name = "no-listing", .flag = &serve->no_listing},
        {.name = "hidden", .flag = &serve->files.hidden},
        {.name = "links", .words = links_words, .word = &serve->links},
        {.name = "precompressed", .flag = &serve->files.precompressed},
        {.name = "cache", .number = &serve->cache_s, .most = CACHE_S_MOST},
        {.name = "cors", .flag = &serve->cors},
        {.name = NULL},
    };
    int status = options_read("serve", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 2)
        return misused("serve", "unexpected '%s': one folder can be served", argv[2]);
    if (strchr(serve->index[0], '/') != NULL)
        return misused("serve", "--index takes the name of a file, not '%s'", serve->index[0]);
    if (argc == 2)
        serve->root = argv[1];
    return EXIT_OK;
}

/* Without a time clients always ask whether theirs is still the current one: 304 costs little, and
 * who changes a file wants to see it. */
static int open_folder(struct serve *serve)
{
    if (serve->cache_s == 0)
        snprintf(serve->cache_control, sizeof serve->cache_control, "no-cache");
    else
        snprintf(serve->cache_control, sizeof serve->cache_control, "max-age=%llu",
                 (unsigned long long)serve->cache_s);
    serve->files.cache_control = serve->cache_control;
    serve->files.listing = !serve->no_listing;
    serve->files.links = links[serve->links];
    serve->files.index = serve->index;
    int err = weft_http_files_open(&serve->files, serve->root);
    if (err == 0)
        return EXIT_OK;
    complain("cannot serve '%s': %s", serve->root, weft_strerror(err));
    return EXIT_FAILED;
}

int serve_run(int argc, char **argv)
{
    static const struct weft_http_route routes[] = {{WEFT_HTTP_GET, "/*", answer_file}};
    struct serve serve = {
        .serving = {SERVING_DEFAULTS, .routes = routes, .routes_count = 1, .set_up = set_up},
        .root = ".",
        .index = {"index.html", NULL},
    };
    int status = read_command_line(&serve, argc, argv);
    if (status == EXIT_OK)
        status = open_folder(&serve);
    if (status != EXIT_OK)
        return status;
    char what[4200];
    snprintf(what, sizeof what, "serving %s", serve.root);
    status = serving_run("serve", &serve.serving, what);
    weft_http_files_close(&serve.files);
    return status;
}
