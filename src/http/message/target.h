/* The target of a request, taken apart; the syntax of a host. */
#ifndef WEFT_HTTP_TARGET_H
#define WEFT_HTTP_TARGET_H

#include "weft/http_head.h"

/* Fill in path, query and, if the target names one, host; method and target are there. False: it
 * is no target that this method may have. */
bool weft__http_target(struct weft_http_head *head);

/* Is it what a Host field may say: a host that is not empty, and perhaps a port? It stands in a
 * line of a head: behind it there is a byte, and one that is no part of a host. */
bool weft__http_host(struct weft_text host);

/* What path points to if an absolute target has none: "/", and not in the bytes that came. */
extern const char weft__http_root[];

#endif
