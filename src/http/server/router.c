/* The router: a table is walked from its first route to its last, and the best match is kept.
 *
 * There is no tree and no compiled form. A pattern is compared with the path in one pass without a
 * step back, and mostly the first few bytes say no: some twenty routes take less time than one
 * system call, and the table stays what the caller wrote, constant and shared by all threads.
 *
 * What "best" means. All patterns that match one path cut it at the same slashes, so they can be
 * compared segment by segment: the first difference decides, literal before parameter before rest.
 * Two without a difference have the same shape, which weft_http_routes_check allows only for other
 * methods. So the order of the table never matters, except where nobody has checked it.
 *
 * Every method in Allow is really served for that path: routes are chosen among those that take the
 * method, and Allow is the sum of all that match. */
#include "router.h"
#include "weft/http_message.h"
#include <stdio.h>

enum { ALLOW_SIZE = 80 };

/* ---- matching ------------------------------------------------------------------------------- */

struct captured {
    struct weft_text *params; /* WEFT_HTTP_PARAMS of them; NULL: nobody wants to know */
    size_t count;
};

static void capture(struct captured *captured, const char *from, const char *to)
{
    if (captured->params != NULL && captured->count < WEFT_HTTP_PARAMS)
        captured->params[captured->count++] = weft_text(from, (size_t)(to - from));
}

static bool matches(const char *pattern, struct weft_text path, struct weft_text *params)
{
    struct captured captured = {params, 0};
    if (path.size == 0)
        return false;
    const char *at = path.data, *end = at + path.size;
    while (*pattern == '/' && at < end && *at == '/') {
        pattern++, at++;
        if (*pattern == '*') {
            capture(&captured, at, end);
            return true;
        }
        if (*pattern == ':') {
            const char *from = at;
            while (at < end && *at != '/')
                at++;
            if (at == from)
                return false;
            capture(&captured, from, at);
            pattern = route_end_of(pattern);
        } else {
            while (*pattern != '/' && *pattern != '\0') {
                if (at == end || *at != *pattern)
                    return false;
                pattern++, at++;
            }
        }
        if (*pattern == '\0')
            return at == end;
    }
    return false;
}

/* Above 0: one is more special than other. Both match the same path. */
static int compare(const char *one, const char *other)
{
    while (*one == '/' && *other == '/') {
        one++, other++;
        int difference = (int)route_kind_of(one) - (int)route_kind_of(other);
        if (difference != 0 || route_kind_of(one) == ROUTE_REST)
            return difference;
        one = route_end_of(one);
        other = route_end_of(other);
    }
    return 0;
}

/* Does route take the method: 0 no, 1 as a GET that takes HEAD too, 2 by its name? */
static int takes(const struct weft_http_route *route, enum weft_http_method method)
{
    if (route->methods & (unsigned)method)
        return 2;
    return method == WEFT_HTTP_HEAD && (route->methods & WEFT_HTTP_GET);
}

const struct weft_http_route *weft_http_match(const struct weft_http_route *routes, size_t count,
                                              enum weft_http_method method, struct weft_text path,
                                              struct weft_text params[WEFT_HTTP_PARAMS],
                                              unsigned *allow)
{
    const struct weft_http_route *best = NULL;
    int best_takes = 0;
    *allow = 0;
    for (size_t i = 0; i < count; i++) {
        const struct weft_http_route *route = &routes[i];
        if (!matches(route->pattern, path, NULL))
            continue;
        *allow |= route->methods;
        int its = takes(route, method);
        if (its == 0)
            continue;
        int better = best == NULL ? 1 : compare(route->pattern, best->pattern);
        if (better > 0 || (better == 0 && its > best_takes)) {
            best = route;
            best_takes = its;
        }
    }
    if (*allow & WEFT_HTTP_GET)
        *allow |= WEFT_HTTP_HEAD;
    for (size_t i = 0; i < WEFT_HTTP_PARAMS; i++)
        params[i] = weft_text(NULL, 0);
    if (best != NULL)
        matches(best->pattern, path, params);
    return best;
}

/* ---- answers of its own --------------------------------------------------------------------- */

static void answer(struct weft_http_request *request, int status, const char *text)
{
    int err = weft_http_set(request, "X-Content-Type-Options", "nosniff");
    if (err != 0)
        weft_end(&request->op, err);
    else
        weft_http_answer(request, status, "text/plain; charset=utf-8", text, strlen(text));
}

static int set_allow(struct weft_http_request *request, unsigned methods)
{
    static const char names[][8] = {"GET",     "HEAD",  "POST",  "PUT",    "DELETE",
                                    "OPTIONS", "PATCH", "TRACE", "CONNECT"};
    char text[ALLOW_SIZE] = "";
    size_t size = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (methods & ((unsigned)WEFT_HTTP_GET << i))
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", size > 0 ? ", " : "",
                                     names[i]);
    }
    return weft_http_set(request, "Allow", text);
}

/* The path is there, or "*" is meant; the router itself answers OPTIONS, so that is always
 * allowed. */
static void answer_methods(struct weft_http_request *request, unsigned methods)
{
    int err = set_allow(request, methods | WEFT_HTTP_OPTIONS);
    if (err != 0)
        weft_end(&request->op, err);
    else if (request->head.method == WEFT_HTTP_OPTIONS)
        weft_http_answer(request, 204, NULL, NULL, 0);
    else
        answer(request, 405, "method not allowed\n");
}

static unsigned methods_of(const struct weft_http_route *routes, size_t count)
{
    unsigned methods = 0;
    for (size_t i = 0; i < count; i++)
        methods |= routes[i].methods;
    return methods & WEFT_HTTP_GET ? methods | WEFT_HTTP_HEAD : methods;
}

void weft_http_route(struct weft_http_request *request, const struct weft_http_route *routes,
                     size_t count)
{
    enum weft_http_method method = request->head.method;
    unsigned allow;
    const struct weft_http_route *route =
        weft_http_match(routes, count, method, request->head.path, request->params, &allow);
    if (route != NULL)
        route->handler(&request->op);
    else if (method == WEFT_HTTP_OPTIONS && weft_text_is(request->head.path, "*"))
        answer_methods(request, methods_of(routes, count));
    else if (method == WEFT_HTTP_OTHER && !(methods_of(routes, count) & WEFT_HTTP_OTHER))
        answer(request, 501, "method not implemented\n");
    else if (allow != 0)
        answer_methods(request, allow);
    else
        answer(request, 404, "not found\n");
}

int weft_http_param_decode(const struct weft_http_request *request, size_t index, char *buffer,
                           size_t size, struct weft_text *decoded)
{
    if (index < WEFT_HTTP_PARAMS && request->params[index].data != NULL)
        return weft_http_percent_decode(request->params[index], buffer, size, decoded);
    if (size > 0)
        buffer[0] = '\0';
    if (decoded != NULL)
        *decoded = weft_text(buffer, 0);
    return UV_ENOENT;
}

void weft_http_healthz(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    bool draining = weft_http_draining(request->server);
    int err = weft_http_set(request, "Cache-Control", "no-store");
    if (err != 0)
        weft_end(op, err);
    else
        answer(request, draining ? 503 : 200, draining ? "draining\n" : "ok\n");
}
