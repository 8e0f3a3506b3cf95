/* The least that a server can do: what does the kernel alone cost?
 *
 *     floor
 *
 * One epoll loop; what is read is not looked at, and the same bytes go out each time. No server is
 * faster on one loop, so it shows how much of a figure is ours and how much is the machine's. It
 * listens on a free port of 127.0.0.1, prints that, and serves until it is killed. */
#include "../bench.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 1024 };

static int epoll;

static void watch(int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    bench_check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "no epoll");
}

static int listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bench_check(bind(fd, (struct sockaddr *)&address, size) == 0, "no port");
    bench_check(listen(fd, 511) == 0, "no listener");
    getsockname(fd, (struct sockaddr *)&address, &size);
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

static void enter(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), on = 1;
    bench_check(fd >= 0, "no connection");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(fd);
}

static void answer(int fd)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nServer: floor\r\n"
                               "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                               "Content-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n";
    char request[4096];
    if (recv(fd, request, sizeof request, 0) <= 0)
        close(fd);
    else
        send(fd, text, sizeof text - 1, MSG_NOSIGNAL);
}

int main(void)
{
    static struct epoll_event events[EVENTS];
    epoll = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_anywhere();
    watch(listener);
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == listener)
                enter(listener);
            else
                answer(events[i].data.fd);
        }
    }
}
