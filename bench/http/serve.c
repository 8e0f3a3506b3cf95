/* Our server for the measurements, on one loop.
 *
 *     serve FOLDER [COUNT]
 *
 * "/" is answered with a small text, and what is below /files/ with the files of FOLDER. It listens
 * on a free port of 127.0.0.1 and prints that. It drains on SIGTERM, or when COUNT requests are
 * answered: so that the instructions of exactly so many can be counted.
 *
 * Only limits that would end a measurement early are raised, as they are for the peers; the times
 * and the sizes are the defaults. */
#include "../bench.h"
#include <string.h>
#include <weft/http_files.h>
#include <weft/http_router.h>
#include <weft/signal.h>

enum { CONNECTIONS_MAX = 16000, REQUESTS_MAX = 1000000000, DRAIN_MS = 2000 };

struct program {
    struct weft_op op;
    struct weft_http_server server;
    struct weft_signal terminate;
    uint64_t count, answered;
};

struct request {
    struct weft_http_request http;
    struct weft_http_file file;
};

static struct weft_http_files files;

static void hello(struct weft_op *op)
{
    static const char text[] = "hello\n";
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    weft_http_answer(request, 200, "text/plain", text, sizeof text - 1);
}

/* The slash before the rest belongs to the path that files are looked for with. */
static void file(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, http.op);
    struct weft_text rest = request->http.params[0];
    weft_http_file(op, &request->file, &files, &request->http,
                   weft_text(rest.data - 1, rest.size + 1), NULL);
}

/* As many as nginx has locations. */
static void answer(struct weft_op *op)
{
    static const struct weft_http_route routes[] = {{WEFT_HTTP_GET, "/", hello},
                                                    {WEFT_HTTP_GET, "/files/*rest", file}};
    weft_http_route(weft_owner(op, struct weft_http_request, op), routes, 2);
}

static void counted(struct weft_http_request *request)
{
    struct program *program = weft_owner(request->server, struct program, server);
    if (++program->answered == program->count)
        weft_http_drain(request->server, DRAIN_MS);
}

static void asked_to_stop(struct weft_op *op, struct weft_op *signal)
{
    (void)signal;
    weft_http_drain(&weft_owner(op, struct program, op)->server, DRAIN_MS);
}

static void stopped(struct weft_op *op, struct weft_op *server)
{
    weft_end(op, server->status);
}

static void program_begin(struct weft_op *op)
{
    struct program *program = weft_owner(op, struct program, op);
    struct weft_address address;
    weft_address_parse(&address, "127.0.0.1:0");
    weft_http_serve(op, &program->server, &address, stopped);
    weft_signal(op, &program->terminate, SIGTERM, asked_to_stop);
    printf("%u\n", weft_address_port(&program->server.address));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct program program = {.server = {.handler = answer,
                                                .request_size = sizeof(struct request),
                                                .name = "weft",
                                                .connections_max = CONNECTIONS_MAX,
                                                .requests_max = REQUESTS_MAX}};
    bench_check(argc == 2 || argc == 3, "usage: serve FOLDER [COUNT]");
    bench_check(weft_http_files_open(&files, argv[1]) == 0, "no such folder");
    if (argc == 3) {
        program.count = strtoull(argv[2], NULL, 10);
        program.server.done = counted;
    }
    int status = weft_go(&program.op, program_begin);
    bench_check(status == 0, weft_strerror(status));
    return 0;
}
