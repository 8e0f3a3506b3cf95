#ifndef WEFT_IO_ADDRESS_H
#define WEFT_IO_ADDRESS_H

#include "weft/address.h"

/* The address of a numeric host ("127.0.0.1", "::1", "fe80::1%2") and port. UV_EINVAL: it is none,
 * which may mean that host or service is a name. */
int weft__address_numeric(struct weft_address *address, const char *host, const char *service);

#endif
