/* The socket calls, each with its flags and fall-backs in one place. */
#include "stream.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <unistd.h>

#ifndef SOCK_CLOEXEC
/* Where a socket cannot be born that way, a moment remains in which a fork would inherit it. */
static int quiet(int fd)
{
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
    return fd;
}
#endif

int weft__socket(int family)
{
#ifdef SOCK_CLOEXEC
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
#else
    int fd = quiet(socket(family, SOCK_STREAM, 0));
#endif
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

int weft__socket_accept(int listener)
{
#ifdef SOCK_CLOEXEC
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int fd = quiet(accept(listener, NULL, NULL));
#endif
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

static int set(int fd, int level, int option, int value)
{
    if (setsockopt(fd, level, option, &value, sizeof value) == 0)
        return 0;
    return uv_translate_sys_error(errno);
}

int weft__socket_options(int fd, const struct weft_tcp_options *options)
{
    int err = options->nagle ? 0 : set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (err != 0 || options->keepalive_s == 0)
        return err;
    err = set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    enum { MOST_S = 32767, PROBE_S = 1, PROBES = 10 }; /* what Linux takes, and libuv's own pace */
    if (err == 0)
        err = set(fd, IPPROTO_TCP, TCP_KEEPIDLE,
                  options->keepalive_s < MOST_S ? (int)options->keepalive_s : MOST_S);
    if (err == 0)
        err = set(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S);
    if (err == 0)
        err = set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
#endif
    return err;
}

int weft__socket_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    return uv_translate_sys_error(error);
}

void weft__socket_reset_on_close(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}
