/* Where to listen.
 *
 * A port is tried by binding a socket without SO_REUSEPORT. With it, as several threads need it, a
 * second server of the same user would silently share the port of the first, and each would get
 * half of the requests. */
#include "serving.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_address(struct weft_address *address, const char *host, unsigned port)
{
    char text[WEFT_ADDRESS_TEXT];
    bool bare6 = strchr(host, ':') != NULL && host[0] != '[';
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    int length = snprintf(text, sizeof text, bare6 ? "[%s]:%u" : "%s:%u", host, port);
    return length < (int)sizeof text ? weft_address_parse(address, text) : UV_EINVAL;
}

bool serving_is_loopback(const struct weft_address *address)
{
    const struct in6_addr *ip6 = &address->to.ip6.sin6_addr;
    if (address->to.any.sa_family == AF_INET)
        return ntohl(address->to.ip4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(ip6) || (IN6_IS_ADDR_V4MAPPED(ip6) && ip6->s6_addr[12] == 127);
}

/* 0, UV_EADDRINUSE and other errors of bind. */
static int try_address(const struct weft_address *address)
{
    int yes = 1, no = 0, err = 0;
    int fd = socket(address->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        (address->to.any.sa_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0) ||
        bind(fd, &address->to.any, address->size) != 0 || listen(fd, 1) != 0)
        err = uv_translate_sys_error(errno);
    close(fd);
    return err;
}

static int cannot_listen(const struct serving *serving, unsigned first, unsigned port, int err)
{
    if (err != UV_EADDRINUSE)
        complain("cannot listen on port %u of %s: %s", port, serving->host, weft_strerror(err));
    else if (first != port)
        complain("ports %u to %u of %s are in use; --port 0 takes any that is free", first, port,
                 serving->host);
    else
        complain("port %u of %s is in use; --port 0 takes any that is free", port, serving->host);
    return EXIT_FAILED;
}

int serving_find_address(struct serving *serving)
{
    bool asked = serving->port != SERVING_ANY_PORT;
    unsigned first = asked ? (unsigned)serving->port : SERVING_PORT, port = first;
    int err = read_address(&serving->address, serving->host, port);
    if (err != 0)
        return misused(serving->command,
                       "--host takes an address such as 127.0.0.1 or ::, not '%s'", serving->host);
    while ((err = try_address(&serving->address)) == UV_EADDRINUSE && !asked &&
           port < SERVING_PORT_LAST)
        read_address(&serving->address, serving->host, ++port);
    if (err != 0)
        return cannot_listen(serving, first, port, err);
    if (port != first && !serving->quiet)
        complain("port %u is in use; taking %u", first, port);
    if (!serving_is_loopback(&serving->address) && !serving->quiet)
        complain("listening on %s: whoever can reach this machine can connect", serving->host);
    return EXIT_OK;
}
