/* Patterns, shared by matching (router.c) and checking (router_check.c). A segment is what follows
 * a '/', up to the next one or the end. */
#ifndef WEFT_HTTP_ROUTER_INSIDE_H
#define WEFT_HTTP_ROUTER_INSIDE_H

#include "weft/http_router.h"

/* The kind of a segment, by how special it is. */
enum route_kind { ROUTE_REST, ROUTE_PARAMETER, ROUTE_LITERAL };

static inline enum route_kind route_kind_of(const char *segment)
{
    return *segment == '*' ? ROUTE_REST : *segment == ':' ? ROUTE_PARAMETER : ROUTE_LITERAL;
}

static inline const char *route_end_of(const char *segment)
{
    while (*segment != '/' && *segment != '\0')
        segment++;
    return segment;
}

#endif
