/* How long does a small request take?
 *
 *     latency PORT CONNECTIONS COUNT
 *
 * One request at a time, on the connections in turn, so that nothing queues behind ourselves and
 * the server is never saturated. Prints the microseconds that 99 of 100 stayed below. */
#include "client.h"

enum { MOST = 1024 };

static int by_size(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static int connections[MOST];
    bench_check(argc == 4, "usage: latency PORT CONNECTIONS COUNT");
    unsigned port = (unsigned)client_number(argv[1], 1, 65535);
    size_t open = client_number(argv[2], 1, MOST);
    size_t count = client_number(argv[3], 100, 10000000);
    uint64_t *took = calloc(count, sizeof *took);
    bench_check(took != NULL, "no memory");
    for (size_t i = 0; i < open; i++) {
        connections[i] = client_connect(port, 1);
        client_ask(connections[i]);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t begun = uv_hrtime();
        client_ask(connections[i % open]);
        took[i] = uv_hrtime() - begun;
    }
    qsort(took, count, sizeof *took, by_size);
    printf("%.1f\n", (double)took[count - count / 100 - 1] / 1e3);
    free(took);
    return 0;
}
