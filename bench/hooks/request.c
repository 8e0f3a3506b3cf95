/* A server and a bare client in one thread, for counting the instructions of a request.
 *
 *     request COUNT
 *
 * COUNT small requests one after the other, on one connection that is kept. Nothing here depends on
 * time or on another process, so two runs differ by a few instructions a request at most. The
 * client's own are in it: two system calls a request. */
#include "../bench.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/http_server.h>

static struct weft_loop loop;

static void hello(struct weft_op *op)
{
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 200, "text/plain", "hello\n", 6);
}

static int dial(const struct weft_address *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_check(fd >= 0 && connect(fd, &address->to.any, address->size) == 0, "no connection");
    return fd;
}

/* The answer comes in one piece: it is one small write. */
static void ask(int fd)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char bytes[1024];
    bench_check(send(fd, request, sizeof request - 1, 0) == sizeof request - 1, "cannot ask");
    uv_run(loop.uv, UV_RUN_ONCE);
    ssize_t size = recv(fd, bytes, sizeof bytes, 0);
    bench_check(size > 12 && memcmp(bytes, "HTTP/1.1 200", 12) == 0, "not 200");
}

int main(int argc, char **argv)
{
    static struct weft_http_server server = {.handler = hello, .requests_max = 1000000000};
    struct weft_address address;
    bench_check(argc == 2, "usage: request COUNT");
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    weft_address_parse(&address, "127.0.0.1:0");
    weft_http_serve(weft_root(&loop), &server, &address, weft_ignore);
    int fd = dial(&server.address);
    while (server.connections == 0)
        uv_run(loop.uv, UV_RUN_ONCE);
    for (size_t left = strtoull(argv[1], NULL, 10); left > 0; left--)
        ask(fd);
    close(fd);
    weft_cancel(&server.op, UV_ECANCELED);
    bench_check(weft_loop_run(&loop) == 0, "not all is over");
    return 0;
}
