/* weft/address.h: where a stream listens or connects to: an address of IPv4, IPv6 or a Unix socket.
 *
 * A plain value: copy it, compare it with weft_address_equal. Nothing here looks up names;
 * weft_connect and weft_lookup do. */
#ifndef WEFT_ADDRESS_H
#define WEFT_ADDRESS_H

#include "version.h"
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the text of any address, with its NUL. */
enum { WEFT_ADDRESS_TEXT = 128 };

/* What the socket calls take: &address->to.any and address->size. size 0: no address. */
struct weft_address {
    socklen_t size;
    union weft_sockaddr {
        struct sockaddr any;
        struct sockaddr_in ip4;
        struct sockaddr_in6 ip6;
        struct sockaddr_un local;
    } to;
};

/* Read an address from text, strictly: the whole text and nothing else, no spaces, no names.
 *     127.0.0.1:80          IPv4; the port is 0 to 65535 and never left out
 *     [::1]:80              IPv6; [fe80::1%2]:80 with the number of the interface
 *     unix:/run/weft.sock   a Unix socket in the file system, absolute or relative
 *     unix:@weft            a Unix socket with an abstract name (Linux); unix:./@weft is a file
 * Port 0 lets the kernel choose one: see weft_listen. UV_EINVAL: it is none of these, or an
 * argument is NULL. UV_ENAMETOOLONG: the path does not fit a Unix address. On an error *address
 * has size 0. */
WEFT_API int weft_address_parse(struct weft_address *address, const char *text);

/* The text of an address, in the form above; what weft_address_parse has read comes out so that
 * it reads as the same again. A Unix socket without a name is "unix:"; a byte 0 in an abstract name
 * shows as '@'. UV_ENOBUFS: text does not fit in size bytes. UV_EINVAL: it is not an address, or
 * an argument is NULL. On an error text is "", if size is not 0. */
WEFT_API int weft_address_format(const struct weft_address *address, char *text, size_t size);

/* The port of an IPv4 or IPv6 address in the host's order; 0 for others. */
WEFT_API unsigned weft_address_port(const struct weft_address *address);
/* Change it: a host that was looked up once is tried on many ports. UV_EINVAL: port is over 65535,
 * or address has no port (a Unix socket, no address, NULL); then it is as it was. */
WEFT_API int weft_address_set_port(struct weft_address *address, unsigned port);

/* Do both lead to the same place? The family, the address and the port are the same, the interface
 * of an IPv6 address too; the name, for Unix sockets. Padding and an IPv6 flow label do not count.
 * 192.0.2.1 and ::ffff:192.0.2.1 are two addresses. What is no address (size 0, NULL) equals
 * nothing, not even itself. */
WEFT_API bool weft_address_equal(const struct weft_address *a, const struct weft_address *b);

/* Is it an address for everybody, on the open network? Not one of this machine, of a private network
 * or of a link, no multicast, and none that is reserved (RFC 6890); an IPv6 address that carries one
 * of IPv4 (::ffff:0:0/96, 64:ff9b::/96, 2002::/16) is what that one is. A Unix socket, and what is no
 * address, is not public. For client.allow_address of weft/http_client.h, and the like: only there,
 * at the connection, it is known where a name leads. */
WEFT_API bool weft_address_is_public(const struct weft_address *address);

#ifdef __cplusplus
}
#endif
#endif
