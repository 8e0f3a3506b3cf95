/* Any table and any path: the router says what a simple recursive model says. The first line is the
 * path; each other one is a byte whose bits are methods, and a pattern. In a table that was found
 * good the order does not matter. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/http_router.h>

enum {
    ROUTES_MAX = 16,
    LINE_MAX_SIZE = 200,
    METHODS = WEFT_HTTP_GET | WEFT_HTTP_HEAD | WEFT_HTTP_POST
};

static void nothing(struct weft_op *op)
{
    (void)op;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* How a pattern matches: a letter for each segment, c better than b better than a. */
struct found {
    char kinds[256];
    struct weft_text params[WEFT_HTTP_PARAMS];
    size_t count;
};

static void keep(struct found *found, size_t segment, char kind, struct weft_text param)
{
    if (segment + 1 < sizeof found->kinds) {
        found->kinds[segment] = kind;
        found->kinds[segment + 1] = '\0';
    }
    if (kind != 'c' && found->count < WEFT_HTTP_PARAMS)
        found->params[found->count++] = param;
}

/* Both begin with a '/', or do not match. */
static bool model_match(struct weft_text pattern, struct weft_text path, size_t segment,
                        struct found *found)
{
    if (pattern.size == 0 || path.size == 0)
        return pattern.size == 0 && path.size == 0 && segment > 0;
    if (pattern.data[0] != '/' || path.data[0] != '/')
        return false;
    struct weft_text pattern_rest = weft_text(pattern.data + 1, pattern.size - 1);
    struct weft_text path_rest = weft_text(path.data + 1, path.size - 1);
    if (pattern_rest.size > 0 && pattern_rest.data[0] == '*') {
        keep(found, segment, 'a', path_rest);
        return true;
    }
    struct weft_text want = weft_text_cut(&pattern_rest, '/'),
                     have = weft_text_cut(&path_rest, '/');
    if (want.size > 0 && want.data[0] == ':') {
        if (have.size == 0)
            return false;
        keep(found, segment, 'b', have);
    } else {
        if (!weft_text_equal(want, have))
            return false;
        keep(found, segment, 'c', have);
    }
    /* Back to the slash, if there was one. */
    pattern_rest = pattern_rest.data != NULL
                       ? weft_text(pattern_rest.data - 1, pattern_rest.size + 1)
                       : weft_text(NULL, 0);
    path_rest = path_rest.data != NULL ? weft_text(path_rest.data - 1, path_rest.size + 1)
                                       : weft_text(NULL, 0);
    return model_match(pattern_rest, path_rest, segment + 1, found);
}

static const struct weft_http_route *model(const struct weft_http_route *routes, size_t count,
                                           unsigned method, struct weft_text path,
                                           struct found *best, unsigned *allow)
{
    const struct weft_http_route *route = NULL;
    int best_takes = 0;
    *allow = 0;
    memset(best, 0, sizeof *best);
    for (size_t i = 0; i < count; i++) {
        struct found found;
        memset(&found, 0, sizeof found);
        if (!model_match(weft_text_of(routes[i].pattern), path, 0, &found))
            continue;
        *allow |= routes[i].methods;
        int takes = routes[i].methods & method                                      ? 2
                    : method == WEFT_HTTP_HEAD && routes[i].methods & WEFT_HTTP_GET ? 1
                                                                                    : 0;
        int order = route == NULL ? 1 : strcmp(found.kinds, best->kinds);
        if (takes != 0 && (order > 0 || (order == 0 && takes > best_takes))) {
            *best = found;
            best_takes = takes;
            route = &routes[i];
        }
    }
    if (*allow & WEFT_HTTP_GET)
        *allow |= WEFT_HTTP_HEAD;
    return route;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void compare(struct weft_http_route *routes, size_t count, unsigned method,
                    struct weft_text path, bool good)
{
    struct weft_text params[WEFT_HTTP_PARAMS];
    struct found best;
    unsigned allow, model_allow;
    const struct weft_http_route *route =
        weft_http_match(routes, count, (enum weft_http_method)method, path, params, &allow);
    require(route == model(routes, count, method, path, &best, &model_allow));
    require(allow == model_allow);
    for (size_t i = 0; i < WEFT_HTTP_PARAMS; i++) {
        require((params[i].data != NULL) == (route != NULL && i < best.count));
        if (params[i].data != NULL)
            require(params[i].data == best.params[i].data && params[i].size == best.params[i].size);
    }
    if (!good || count == 0)
        return;
    struct weft_http_route turned[ROUTES_MAX];
    for (size_t i = 0; i < count; i++)
        turned[i] = routes[count - 1 - i];
    const struct weft_http_route *other =
        weft_http_match(turned, count, (enum weft_http_method)method, path, params, &allow);
    require((route == NULL) == (other == NULL));
    require(route == NULL || other == &turned[count - 1 - (size_t)(route - routes)]);
}

static size_t read_table(char *text, struct weft_text rest, struct weft_http_route *routes)
{
    size_t count = 0;
    while (rest.data != NULL && count < ROUTES_MAX) {
        struct weft_text line = weft_text_cut(&rest, '\n');
        if (line.size == 0 || line.size > LINE_MAX_SIZE)
            continue;
        unsigned methods = (unsigned char)line.data[0] & METHODS;
        text[(size_t)(line.data - text) + line.size] = '\0';
        routes[count++] = (struct weft_http_route){methods != 0 ? methods : WEFT_HTTP_OTHER,
                                                   line.data + 1, nothing};
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned methods[] = {WEFT_HTTP_GET, WEFT_HTTP_HEAD, WEFT_HTTP_POST,
                                       WEFT_HTTP_OTHER};
    struct weft_http_route routes[ROUTES_MAX];
    char message[64], *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(data[i] != '\0' ? data[i] : '/');
    text[size] = '\0';
    struct weft_text rest = weft_text(text, size);
    struct weft_text path = weft_text_cut(&rest, '\n');
    path.size = path.size <= LINE_MAX_SIZE ? path.size : LINE_MAX_SIZE;
    size_t count = read_table(text, rest, routes);
    bool good = weft_http_routes_check(routes, count, message, sizeof message) == 0;
    require(memchr(message, '\0', sizeof message) != NULL);
    require(good == (message[0] == '\0'));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        compare(routes, count, methods[i], path, good);
    free(text);
    return 0;
}
