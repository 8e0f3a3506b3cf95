/* weft/dns.h: names to addresses. */
#ifndef WEFT_DNS_H
#define WEFT_DNS_H

#include "address.h"
#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_resolving;

/* Look a host up, as the system does it (hosts file, DNS and whatever else it is told to ask), on
 * the thread pool. Each address stands once, in the order in which they should be tried, as
 * weft_connect_address takes it: the port is in it, that of service (see weft_address_set_port).
 *
 * host and service are copied when the op begins. A cancel is answered at once; the question itself
 * may go on in a pool thread, and until it is over weft_loop_close says UV_EBUSY.
 *
 * UV_EINVAL: both are NULL, or family is none that has addresses. UV_EAI_NONAME: there is no such
 * host, UV_EAI_AGAIN: nobody could be asked now, UV_EAI_SERVICE and the other UV_EAI_… of
 * getaddrinfo; UV_ENOMEM; UV_EINVAL or UV_ENAMETOOLONG: host is no host name. */
struct weft_lookup {
    struct weft_op op;
    struct weft_resolving *resolving_;
    const char *host;    /* a name, or an address as text; NULL: this machine */
    const char *service; /* "http", or a number as text; NULL: port 0 */
    int family;          /* AF_INET or AF_INET6; 0: both */
    int flags;           /* of getaddrinfo: AI_PASSIVE to listen, AI_NUMERICHOST …; 0: none */
    struct weft_address *addresses; /* NULL unless the status is 0 */
    size_t count;                   /* at least 1 if the status is 0 */
};
#define weft_lookup(parent, lookup, host, service, then)                                           \
    weft_lookup_at(WEFT_HERE("lookup", WEFT_DNS), parent, lookup, host, service, then)
WEFT_API void weft_lookup_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_lookup *lookup, const char *host, const char *service,
                             weft_then_fn *then);
WEFT_API void weft_lookup_begin(struct weft_op *op);
/* Free the addresses. Safe after any outcome, and twice. */
WEFT_API void weft_lookup_free(struct weft_lookup *lookup);

#ifdef __cplusplus
}
#endif
#endif
