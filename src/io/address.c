/* Addresses as text, both ways; their ports, and whether two are the same. The reading is strict
 * because what is lenient here (leading zeros, missing ports, trailing text) means something else
 * elsewhere. */
#include "address.h"
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

/* A decimal number up to most: digits only, no leading zero. */
static bool read_number(const char *text, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    if (*text == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > most)
            return false;
    }
    *number = (uint32_t)value;
    return true;
}

static bool read_ip4(struct weft_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in *to = &address->to.ip4;
    if (inet_pton(AF_INET, host, &to->sin_addr) != 1)
        return false;
    to->sin_family = AF_INET;
    to->sin_port = htons(port);
    address->size = sizeof *to;
    return true;
}

/* host may end in '%' and the number of an interface. */
static bool read_ip6(struct weft_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in6 *to = &address->to.ip6;
    char digits[INET6_ADDRSTRLEN];
    const char *zone = strchr(host, '%');
    size_t length = zone != NULL ? (size_t)(zone - host) : strlen(host);
    if (length >= sizeof digits)
        return false;
    memcpy(digits, host, length);
    digits[length] = '\0';
    uint32_t interface = 0;
    if (zone != NULL && (!read_number(zone + 1, UINT32_MAX, &interface) || interface == 0))
        return false;
    if (inet_pton(AF_INET6, digits, &to->sin6_addr) != 1)
        return false;
    to->sin6_family = AF_INET6;
    to->sin6_port = htons(port);
    to->sin6_scope_id = interface;
    address->size = sizeof *to;
    return true;
}

int weft__address_numeric(struct weft_address *address, const char *host, const char *service)
{
    uint32_t port;
    memset(address, 0, sizeof *address);
    if (!read_number(service, UINT16_MAX, &port))
        return UV_EINVAL;
    if (!read_ip4(address, host, (uint16_t)port) && !read_ip6(address, host, (uint16_t)port))
        return UV_EINVAL;
    return 0;
}

static int read_local(struct weft_address *address, const char *path)
{
    struct sockaddr_un *to = &address->to.local;
    size_t length = strlen(path), head = offsetof(struct sockaddr_un, sun_path);
    bool abstract = path[0] == '@';
    if (length == 0 || (abstract && length == 1))
        return UV_EINVAL;
    if (length >= sizeof to->sun_path)
        return UV_ENAMETOOLONG;
    memcpy(to->sun_path, path, length);
    if (abstract)
        to->sun_path[0] = '\0';
    to->sun_family = AF_UNIX;
    address->size = (socklen_t)(head + length + (abstract ? 0 : 1)); /* a path counts its NUL */
    return 0;
}

/* host:port or [host]:port. Brackets and IPv6 go together. */
static int read_ip(struct weft_address *address, const char *text)
{
    char host[INET6_ADDRSTRLEN + sizeof "%4294967295"];
    bool brackets = text[0] == '[';
    const char *end = strchr(text, brackets ? ']' : ':');
    const char *begin = brackets ? text + 1 : text;
    if (end == NULL || (brackets && end[1] != ':') || (size_t)(end - begin) >= sizeof host)
        return UV_EINVAL;
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    int err = weft__address_numeric(address, host, brackets ? end + 2 : end + 1);
    if (err == 0 && brackets != (address->to.any.sa_family == AF_INET6))
        err = UV_EINVAL;
    return err;
}

int weft_address_parse(struct weft_address *address, const char *text)
{
    if (address == NULL)
        return UV_EINVAL;
    memset(address, 0, sizeof *address);
    if (text == NULL)
        return UV_EINVAL;
    int err =
        strncmp(text, "unix:", 5) == 0 ? read_local(address, text + 5) : read_ip(address, text);
    if (err != 0)
        address->size = 0;
    return err;
}

/* ---- as text -------------------------------------------------------------------------------- */

static int print_ip4(const struct sockaddr_in *to, char *text, size_t size)
{
    char host[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &to->sin_addr, host, sizeof host);
    return snprintf(text, size, "%s:%u", host, ntohs(to->sin_port));
}

static int print_ip6(const struct sockaddr_in6 *to, char *text, size_t size)
{
    char host[INET6_ADDRSTRLEN], zone[sizeof "%4294967295"] = "";
    inet_ntop(AF_INET6, &to->sin6_addr, host, sizeof host);
    if (to->sin6_scope_id != 0)
        snprintf(zone, sizeof zone, "%%%u", (unsigned)to->sin6_scope_id);
    return snprintf(text, size, "[%s%s]:%u", host, zone, ntohs(to->sin6_port));
}

/* The name of a Unix socket is as long as size says, and ends at a NUL only if it is a path. */
static size_t local_length(const struct weft_address *address)
{
    const char *name = address->to.local.sun_path;
    size_t length = address->size - offsetof(struct sockaddr_un, sun_path);
    if (length > sizeof address->to.local.sun_path)
        length = sizeof address->to.local.sun_path;
    return length > 0 && name[0] != '\0' ? strnlen(name, length) : length;
}

static int print_local(const struct weft_address *address, char *text, size_t size)
{
    char name[sizeof address->to.local.sun_path + 1] = "";
    size_t length = local_length(address);
    memcpy(name, address->to.local.sun_path, length);
    bool abstract = length > 0 && name[0] == '\0';
    for (size_t i = 0; abstract && i < length; i++) {
        if (name[i] == '\0')
            name[i] = '@';
    }
    return snprintf(text, size, "unix:%s", name);
}

/* The family, if address is a whole one of a family known here, else AF_UNSPEC. */
static int family_of(const struct weft_address *address)
{
    static const size_t path = offsetof(struct sockaddr_un, sun_path);
    if (address == NULL || address->size < sizeof address->to.any.sa_family)
        return AF_UNSPEC;
    int family = address->to.any.sa_family;
    bool whole = (family == AF_INET && address->size >= sizeof address->to.ip4) ||
                 (family == AF_INET6 && address->size >= sizeof address->to.ip6) ||
                 (family == AF_UNIX && address->size >= path);
    return whole ? family : AF_UNSPEC;
}

int weft_address_format(const struct weft_address *address, char *text, size_t size)
{
    if (text == NULL)
        return UV_EINVAL;
    if (size > 0)
        text[0] = '\0';
    int length = -1, family = family_of(address);
    if (family == AF_INET)
        length = print_ip4(&address->to.ip4, text, size);
    else if (family == AF_INET6)
        length = print_ip6(&address->to.ip6, text, size);
    else if (family == AF_UNIX)
        length = print_local(address, text, size);
    if (length < 0)
        return UV_EINVAL;
    if ((size_t)length < size)
        return 0;
    if (size > 0)
        text[0] = '\0';
    return UV_ENOBUFS;
}

/* ---- ports, and whether two are the same ---------------------------------------------------- */

unsigned weft_address_port(const struct weft_address *address)
{
    int family = family_of(address);
    if (family == AF_INET)
        return ntohs(address->to.ip4.sin_port);
    return family == AF_INET6 ? ntohs(address->to.ip6.sin6_port) : 0;
}

int weft_address_set_port(struct weft_address *address, unsigned port)
{
    int family = family_of(address);
    if (port > UINT16_MAX || (family != AF_INET && family != AF_INET6))
        return UV_EINVAL;
    if (family == AF_INET)
        address->to.ip4.sin_port = htons((uint16_t)port);
    else
        address->to.ip6.sin6_port = htons((uint16_t)port);
    return 0;
}

static bool same_ip6(const struct sockaddr_in6 *a, const struct sockaddr_in6 *b)
{
    return memcmp(&a->sin6_addr, &b->sin6_addr, sizeof a->sin6_addr) == 0 &&
           a->sin6_port == b->sin6_port && a->sin6_scope_id == b->sin6_scope_id;
}

static bool same_local(const struct weft_address *a, const struct weft_address *b)
{
    size_t length = local_length(a);
    return length == local_length(b) &&
           memcmp(a->to.local.sun_path, b->to.local.sun_path, length) == 0;
}

bool weft_address_equal(const struct weft_address *a, const struct weft_address *b)
{
    int family = family_of(a);
    if (family == AF_UNSPEC || family != family_of(b))
        return false;
    if (family == AF_INET)
        return a->to.ip4.sin_addr.s_addr == b->to.ip4.sin_addr.s_addr &&
               a->to.ip4.sin_port == b->to.ip4.sin_port;
    return family == AF_INET6 ? same_ip6(&a->to.ip6, &b->to.ip6) : same_local(a, b);
}
