/* weft/http_router.h: from the method and path of a request to the handler that takes it.
 *
 *     static const struct weft_http_route routes[] = {
 *         {WEFT_HTTP_GET, "/", home},
 *         {WEFT_HTTP_GET | WEFT_HTTP_PUT, "/users/:id", user},
 *         {WEFT_HTTP_GET, "/files/" "*rest", file},
 *         {WEFT_HTTP_GET, "/healthz", weft_http_healthz},
 *     };
 *     static void handler(struct weft_op *op)
 *     {
 *         weft_http_route(weft_owner(op, struct weft_http_request, op), routes, 4);
 *     }
 *
 * A pattern is '/' and segments with '/' between them. A segment is a literal, a parameter ":name",
 * which takes one segment that is not empty, or, at the end, a rest "*name", which takes all that
 * is left, slashes included, and may be empty: "/files/" followed by "*rest" matches "/files/" and
 * "/files/a/b", not "/files". The name of a rest may be left out. A slash at the end counts: "/a"
 * and "/a/" are two paths. A ':' or '*' that does not begin a segment is part of a literal.
 *
 * Where several patterns match, the most special one wins, wherever it stands in the table: from
 * left to right, a literal before a parameter before a rest. Only routes that take the method are
 * looked at: with POST "/users/me" and GET "/users/:id", a GET of /users/me goes to the second.
 *
 * Paths are compared byte by byte, as they were sent: nothing is decoded. A literal that needs
 * escapes is written with them ("/caf%C3%A9"), and a client that escapes what needs no escape, or
 * writes %c3 for %C3, does not meet it. So no path can pass for another one, and "%2F" never is a
 * separator. Parameters are texts of the path, not decoded: see weft_http_param_decode. "." and
 * ".." are segments like others: a handler that opens files cleans the rest with
 * weft_http_path_clean.
 *
 * Nothing is allocated; the time is at most that of comparing the path with each pattern. */
#ifndef WEFT_HTTP_ROUTER_H
#define WEFT_HTTP_ROUTER_H

#include "http_server.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_http_route {
    unsigned methods;       /* those it takes: bits of enum weft_http_method. GET takes HEAD too */
    const char *pattern;    /* at most WEFT_HTTP_PARAMS parameters, the rest among them */
    weft_begin_fn *handler; /* the begin of request->op */
};

/* Is it a good table? Call it once at the start: the functions below do not look again. 0, or
 * UV_EINVAL, with a sentence in text, cut off at size: which route, and what is wrong with it. That
 * is: no method or one that does not exist, no pattern, no handler, a pattern that does not begin
 * with '/', has an empty segment before its end, a byte that no path has, a bad escape, a bad or
 * double name, a rest that is not the end, or too many parameters; or two routes that would take
 * the same requests. text may be NULL if size is 0, routes if count is 0. */
WEFT_API int weft_http_routes_check(const struct weft_http_route *routes, size_t count, char *text,
                                    size_t size);

/* The route for this method and path, and in params the parameters in the order of its pattern; the
 * others become empty, with data NULL. NULL: there is none. *allow: all methods that are taken for
 * this path, with HEAD where there is GET; 0: no pattern matches. HEAD goes to a route that names
 * it before one that takes GET, if their patterns are alike. */
WEFT_API const struct weft_http_route *weft_http_match(const struct weft_http_route *routes,
                                                       size_t count, enum weft_http_method method,
                                                       struct weft_text path,
                                                       struct weft_text params[WEFT_HTTP_PARAMS],
                                                       unsigned *allow);

/* Find the route, fill request->params, and call its handler with &request->op. Without one:
 *   OPTIONS   204 with Allow; for "*" with all methods of the table
 *   404       no pattern matches
 *   405       some do, but not for this method; with Allow
 *   501       a method that has no name (WEFT_HTTP_OTHER), if no route at all takes those
 * If there is no memory for the answer request->op ends with UV_ENOMEM. */
WEFT_API void weft_http_route(struct weft_http_request *request,
                              const struct weft_http_route *routes, size_t count);

/* request->params[index] with %XX decoded, into buffer, as weft_http_percent_decode has it;
 * *decoded may be NULL. UV_ENOENT: the route has no such parameter, and buffer is "". UV_EINVAL: a
 * bad escape. UV_EILSEQ: a byte 0. UV_ENOBUFS. */
WEFT_API int weft_http_param_decode(const struct weft_http_request *request, size_t index,
                                    char *buffer, size_t size, struct weft_text *decoded);

/* A handler for those who ask whether the server is well: 200 "ok", or 503 "draining" if
 * it was asked before weft_http_drain and is answered after it: from then on nobody new can ask,
 * and that they are refused tells a load balancer the same. Never cached. */
WEFT_API void weft_http_healthz(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
