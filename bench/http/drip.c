/* Slow clients (slowloris): each sends the head of a request a byte at a time, and never ends it.
 *
 *     drip PORT COUNT EVERY_MS
 *
 * Opens COUNT connections and prints "ready"; then each sends a byte every EVERY_MS, spread evenly
 * over that time, until the standard input ends. A connection that the server gives up is opened
 * again, as an attacker would. At the end it prints how many bytes were sent and how many
 * connections were given up. */
#include "client.h"
#include <poll.h>
#include <stdbool.h>

enum { MOST = 20000, EACH_ADDRESS = 5000 };

struct slow {
    int fd;
    size_t sent;
};

static struct slow clients[MOST];
static unsigned port;
static unsigned long bytes, given_up;

static void enter(size_t which)
{
    clients[which].fd = client_connect(port, 1 + (unsigned)(which / EACH_ADDRESS));
    clients[which].sent = 0;
}

/* The beginning of a request, then a field that goes on and on. */
static char next_byte(size_t at)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
    return at < sizeof head - 1 ? head[at] : 'a';
}

/* A server that has had enough closes; the next byte but one is refused then. */
static void drip(size_t which)
{
    struct slow *slow = &clients[which];
    char byte = next_byte(slow->sent++);
    if (send(slow->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
        bytes++;
        return;
    }
    given_up++;
    close(slow->fd);
    enter(which);
}

static bool input_ended(int wait_ms)
{
    struct pollfd look = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&look, 1, wait_ms) > 0;
}

int main(int argc, char **argv)
{
    bench_check(argc == 4, "usage: drip PORT COUNT EVERY_MS");
    port = (unsigned)client_number(argv[1], 1, 65535);
    size_t count = client_number(argv[2], 1, MOST);
    uint64_t every_ns = client_number(argv[3], 1, 60000) * 1000000;
    for (size_t i = 0; i < count; i++)
        enter(i);
    puts("ready");
    fflush(stdout);
    uint64_t begun = uv_hrtime(), done = 0;
    while (!input_ended(1)) {
        uint64_t due = (uv_hrtime() - begun) * count / every_ns;
        for (; done < due; done++)
            drip(done % count);
    }
    printf("bytes=%lu given_up=%lu\n", bytes, given_up);
    return 0;
}
