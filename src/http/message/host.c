/* host:port. An address of IPv6 stands in brackets, so the colons in it are not taken for the
 * port's. There is no user before an '@' here: whoever sends one wants a reader to mistake it for
 * the host. */
#include "scan.h"
#include <sys/socket.h>

/* reg-name of RFC 3986; percent signs are looked at apart. */
static bool is_host(char c)
{
    return c == '%' || http_char(c, HTTP_HOST);
}

static bool escapes_ok(struct weft_text host)
{
    for (size_t i = 0; i < host.size; i++) {
        if (host.data[i] == '%' && (host.size - i < 3 || hex_value(host.data[i + 1]) < 0 ||
                                    hex_value(host.data[i + 2]) < 0))
            return false;
    }
    return true;
}

static bool is_ip6(struct weft_text host)
{
    char text[46];
    struct in6_addr address;
    if (host.size >= sizeof text || memchr(host.data, '%', host.size) != NULL)
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    return strlen(text) == host.size && uv_inet_pton(AF_INET6, text, &address) == 0;
}

static bool scan_host(struct weft_text *rest, struct weft_text *host)
{
    if (!scan_char(rest, '[')) {
        *host = scan_while(rest, is_host);
        return host->size > 0 && escapes_ok(*host);
    }
    struct weft_text behind = *rest;
    *host = weft_text_cut(&behind, ']');
    *rest = behind;
    return behind.data != NULL && host->size > 0 && is_ip6(*host);
}

int weft_http_host_split(struct weft_text authority, struct weft_text *host, int *port)
{
    uint64_t number = 0;
    *port = -1;
    bool ok = scan_host(&authority, host);
    bool colon = ok && scan_char(&authority, ':');
    if (colon && authority.size > 0) {
        ok = number_parse(authority, UINT16_MAX, &number) == 0;
        *port = ok ? (int)number : -1;
    } else {
        ok = ok && authority.size == 0;
    }
    if (!ok)
        *host = weft_text(NULL, 0);
    return ok ? 0 : UV_EINVAL;
}
