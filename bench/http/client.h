/* bench/http/client.h: the little of a client that the measuring programs share: a blocking socket
 * to a server on this machine, one request, its whole answer. */
#ifndef WEFT_BENCH_CLIENT_H
#define WEFT_BENCH_CLIENT_H

#include "../bench.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection to 127.0.0.1:port, from 127.0.0.from: each such address has ports of its own, so
 * that ten thousand connections find enough of them. */
static inline int client_connect(unsigned port, unsigned from)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in own = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from);
    bench_check(fd >= 0, "no socket: is `ulimit -n` large enough?");
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bench_check(bind(fd, (struct sockaddr *)&own, sizeof own) == 0, "no address to connect from");
    bench_check(connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "nobody listens");
    return fd;
}

/* How long the answer at the beginning of text is, or 0 if more of it must come. */
static inline size_t client_answer_size(const char *text, size_t size)
{
    const char *end = memmem(text, size, "\r\n\r\n", 4);
    const char *length = end == NULL ? NULL : strcasestr(text, "\r\nContent-Length:");
    if (end == NULL)
        return 0;
    bench_check(strncmp(text, "HTTP/1.1 200 ", 13) == 0, "the answer is not 200");
    bench_check(length != NULL && length < end, "the answer does not tell its length");
    size_t whole = (size_t)(end - text) + 4 + strtoul(length + 17, NULL, 10);
    return whole <= size ? whole : 0;
}

/* Ask for / and wait for all of the answer. */
static inline void client_ask(int fd)
{
    static const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char answer[4096] = "";
    size_t size = 0;
    bench_check(write(fd, ask, sizeof ask - 1) == sizeof ask - 1, "the request was not taken");
    do {
        ssize_t got = read(fd, answer + size, sizeof answer - 1 - size);
        bench_check(got > 0, "the connection was closed");
        size += (size_t)got;
        answer[size] = '\0';
    } while (client_answer_size(answer, size) == 0);
    bench_check(client_answer_size(answer, size) == size, "there is more than one answer");
}

static inline unsigned long client_number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bench_check(end != text && *end == '\0' && number >= least && number <= most, "a bad number");
    return number;
}

#endif
