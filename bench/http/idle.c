/* Many connections that do nothing: what does a server need to keep them?
 *
 *     idle PORT COUNT
 *
 * Opens COUNT connections, makes one request on each and prints "ready" when all are answered. Then
 * it holds them until its standard input ends, and fails unless all of them are still there: a
 * server that closes what is idle would look small for nothing. */
#include "client.h"
#include <poll.h>

enum { MOST = 100000, EACH_ADDRESS = 5000 };

static int connections[MOST];

/* Still open, nothing to read; and a few of them are used again. */
static void check(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pollfd look = {.fd = connections[i], .events = POLLIN};
        bench_check(poll(&look, 1, 0) == 0, "a connection was closed while it was idle");
        if (i % 100 == 0)
            client_ask(connections[i]);
    }
}

int main(int argc, char **argv)
{
    bench_check(argc == 3, "usage: idle PORT COUNT");
    unsigned port = (unsigned)client_number(argv[1], 1, 65535);
    size_t count = client_number(argv[2], 1, MOST);
    char byte;
    for (size_t i = 0; i < count; i++) {
        connections[i] = client_connect(port, 1 + (unsigned)(i / EACH_ADDRESS));
        client_ask(connections[i]);
    }
    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    check(count);
    return 0;
}
