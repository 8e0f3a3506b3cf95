/* Checking a table of routes, once, before anybody is served by it.
 *
 * Each pattern is read from left to right, segment by segment; the first thing that is wrong is
 * told. What is refused either cannot be meant (a name twice, something behind a rest) or could
 * never match (a blank, a '?'). Then every two routes are compared: the same shape, which is the
 * same literals at the same places and wildcards of the same kind elsewhere, may stand there twice
 * only for different methods. */
#include "http/message/chars.h"
#include "router.h"
#include <stdio.h>

enum { ALL_METHODS = (WEFT_HTTP_CONNECT << 1) - 1 };

/* A name is letters, digits and '_', no digit first; a rest needs none. */
static const char *check_name(const char *segment, const char *end)
{
    const char *name = segment + 1;
    if (name == end)
        return *segment == ':' ? "a parameter has no name" : NULL;
    if (http_char(*name, HTTP_DIGIT))
        return "a name begins with a digit";
    for (; name < end; name++) {
        char c = weft_text_lower(*name);
        if (!http_char(c, HTTP_DIGIT) && (c < 'a' || c > 'z') && c != '_')
            return "a name has a character that is no letter, digit or '_'";
    }
    return NULL;
}

/* Could a client send these bytes? */
static const char *check_literal(const char *segment, const char *end)
{
    for (; segment < end; segment++) {
        /* Neither the end of a segment nor that of the pattern is a hex digit. */
        if (*segment == '%' &&
            !(http_char(segment[1], HTTP_HEX) && http_char(segment[2], HTTP_HEX)))
            return "a '%' without two hex digits";
        if (*segment != '%' && !http_char(*segment, HTTP_PATH))
            return "a character that has to be escaped in a path";
    }
    return NULL;
}

/* Is this name taken already, left of segment? */
static bool name_is_double(const char *pattern, const char *segment, const char *end)
{
    struct weft_text name = weft_text(segment + 1, (size_t)(end - segment - 1));
    for (const char *left = pattern + 1; left < segment; left = route_end_of(left) + 1) {
        struct weft_text its = weft_text(left + 1, (size_t)(route_end_of(left) - left - 1));
        if (route_kind_of(left) == ROUTE_PARAMETER && weft_text_equal(its, name))
            return true;
    }
    return false;
}

static const char *check_segment(const char *pattern, const char *segment, const char *end)
{
    if (route_kind_of(segment) == ROUTE_LITERAL) {
        if (segment == end && *end == '/')
            return "an empty segment";
        return check_literal(segment, end);
    }
    if (route_kind_of(segment) == ROUTE_REST && *end == '/')
        return "something follows the rest";
    if (name_is_double(pattern, segment, end))
        return "two parameters have the same name";
    return check_name(segment, end);
}

static const char *check_pattern(const char *pattern)
{
    if (pattern == NULL)
        return "there is no pattern";
    if (*pattern != '/')
        return "the pattern does not begin with '/'";
    size_t params = 0;
    for (const char *at = pattern; *at != '\0';) {
        const char *segment = at + 1;
        at = route_end_of(segment);
        const char *wrong = check_segment(pattern, segment, at);
        if (wrong != NULL)
            return wrong;
        params += route_kind_of(segment) != ROUTE_LITERAL;
    }
    return params > WEFT_HTTP_PARAMS ? "too many parameters" : NULL;
}

/* Do two good patterns match the same paths? */
static bool same_shape(const char *one, const char *other)
{
    while (*one == '/' && *other == '/') {
        one++, other++;
        if (route_kind_of(one) != route_kind_of(other))
            return false;
        const char *one_end = route_end_of(one), *other_end = route_end_of(other);
        if (route_kind_of(one) == ROUTE_LITERAL &&
            !weft_text_equal(weft_text(one, (size_t)(one_end - one)),
                             weft_text(other, (size_t)(other_end - other))))
            return false;
        one = one_end;
        other = other_end;
    }
    return *one == *other;
}

static const char *check_route(const struct weft_http_route *route)
{
    if (route->methods == 0)
        return "there is no method";
    if (route->methods & ~(unsigned)ALL_METHODS)
        return "there is no such method";
    if (route->handler == NULL)
        return "there is no handler";
    return check_pattern(route->pattern);
}

int weft_http_routes_check(const struct weft_http_route *routes, size_t count, char *text,
                           size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const char *pattern = routes[i].pattern, *wrong = check_route(&routes[i]);
        if (wrong != NULL) {
            snprintf(text, size, "routes[%zu] \"%s\": %s", i, pattern != NULL ? pattern : "",
                     wrong);
            return UV_EINVAL;
        }
        for (size_t j = 0; j < i; j++) {
            if (!(routes[i].methods & routes[j].methods) || !same_shape(pattern, routes[j].pattern))
                continue;
            snprintf(text, size,
                     "routes[%zu] \"%s\": takes the same requests as routes[%zu] \"%s\"", i,
                     pattern, j, routes[j].pattern);
            return UV_EINVAL;
        }
    }
    if (size > 0)
        text[0] = '\0';
    return 0;
}
