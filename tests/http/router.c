/* The router: which route takes a path, what is answered where none does, which tables are good.
 * ctest: labels=valgrind */
#include "ask.h"
#include "fault.h"
#include <stdio.h>
#include <stdlib.h>
#include <weft/http_router.h>

enum { GET = WEFT_HTTP_GET, POST = WEFT_HTTP_POST, HEAD = WEFT_HTTP_HEAD };

static void nothing(struct weft_op *op)
{
    (void)op;
}

/* ---- matching ------------------------------------------------------------------------------- */

static struct weft_text params[WEFT_HTTP_PARAMS];
static unsigned allow;

/* The pattern that takes a path, or "none". */
static const char *match(const struct weft_http_route *routes, size_t count, unsigned method,
                         const char *path)
{
    const struct weft_http_route *route = weft_http_match(
        routes, count, (enum weft_http_method)method, weft_text_of(path), params, &allow);
    return route != NULL ? route->pattern : "none";
}

static bool single(const char *pattern, const char *path)
{
    struct weft_http_route route = {GET, pattern, nothing};
    return strcmp(match(&route, 1, GET, path), pattern) == 0;
}

static void assert_param(size_t index, const char *text)
{
    assert_true(params[index].data != NULL);
    if (!weft_text_is(params[index], text))
        fail_msg("%.*s is not %s", WEFT_TEXT_ARGS(params[index]), text);
}

TEST(a_literal_takes_exactly_its_path)
{
    assert_true(single("/", "/"));
    assert_true(single("/a/b", "/a/b"));
    assert_true(single("/a/", "/a/"));
    const char *others[] = {"",    "/",     "/a",    "/a/",    "/a/b/", "/a/bc", "/a/c", "/A/b",
                            "a/b", "//a/b", "/a//b", "/a/b/c", "*",     "/a/b?", "/ab",  "/a/."};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(single("/a/b", others[i]));
    assert_false(single("/a", "/a/"));
    assert_false(single("/a/", "/a"));
    assert_false(single("/", "//"));
}

TEST(a_parameter_takes_one_segment_that_is_not_empty)
{
    assert_true(single("/users/:id", "/users/7"));
    assert_param(0, "7");
    assert_null(params[1].data);
    assert_true(single("/users/:id", "/users/a%2Fb:*"));
    assert_param(0, "a%2Fb:*");
    assert_false(single("/users/:id", "/users/"));
    assert_false(single("/users/:id", "/users"));
    assert_false(single("/users/:id", "/users/7/"));
    assert_false(single("/users/:id", "/users/7/8"));
    assert_true(single("/users/:id/", "/users/7/"));
    assert_true(single("/:a/x/:b", "/1/x/2"));
    assert_param(0, "1");
    assert_param(1, "2");
    assert_false(single("/:a/x/:b", "//x/2"));
}

TEST(a_rest_takes_all_that_is_left_even_nothing)
{
    assert_true(single("/files/*rest", "/files/a/b//c/"));
    assert_param(0, "a/b//c/");
    assert_true(single("/files/*rest", "/files/"));
    assert_param(0, "");
    assert_false(single("/files/*rest", "/files"));
    assert_true(single("/*", "/"));
    assert_true(single("/*", "/a/b"));
    assert_true(single("/:a/*b", "/x/y/z"));
    assert_param(0, "x");
    assert_param(1, "y/z");
    assert_false(single("/*", "*"));
    assert_false(single("/*", ""));
}

TEST(marks_inside_of_a_segment_are_part_of_a_literal)
{
    assert_true(single("/a:b/c*", "/a:b/c*"));
    assert_false(single("/a:b/c*", "/a:x/cd"));
}

TEST(paths_are_compared_as_they_were_sent)
{
    assert_true(single("/caf%C3%A9", "/caf%C3%A9"));
    assert_false(single("/caf%C3%A9", "/caf%c3%a9"));
    assert_false(single("/users", "/%75sers"));
    assert_false(single("/a/b", "/a%2Fb"));
    assert_true(single("/:x", "/a%2Fb"));
}

TEST(a_path_without_bytes_matches_nothing)
{
    struct weft_http_route route = {GET, "/*", nothing};
    assert_null(weft_http_match(&route, 1, WEFT_HTTP_GET, weft_text(NULL, 0), params, &allow));
    assert_int_equal(allow, 0);
    assert_null(weft_http_match(NULL, 0, WEFT_HTTP_GET, weft_text_of("/"), params, &allow));
}

/* Every order of the table gives the same. */
static void permute(struct weft_http_route *routes, size_t count, size_t at, const char *path,
                    const char *expected)
{
    if (at == count) {
        assert_string_equal(match(routes, count, GET, path), expected);
        return;
    }
    for (size_t i = at; i < count; i++) {
        struct weft_http_route kept = routes[at];
        routes[at] = routes[i];
        routes[i] = kept;
        permute(routes, count, at + 1, path, expected);
        routes[i] = routes[at];
        routes[at] = kept;
    }
}

TEST(the_most_special_pattern_wins_in_any_order)
{
    struct weft_http_route routes[] = {
        {GET, "/*all", nothing}, {GET, "/a/*rest", nothing}, {GET, "/a/:x", nothing},
        {GET, "/a/b", nothing},  {GET, "/:x/b", nothing},    {GET, "/a/", nothing},
    };
    struct {
        const char *path, *expected;
    } cases[] = {{"/a/b", "/a/b"},       {"/a/c", "/a/:x"}, {"/a/", "/a/"},
                 {"/a/b/c", "/a/*rest"}, {"/x/b", "/:x/b"}, {"/x/c", "/*all"},
                 {"/", "/*all"},         {"/a", "/*all"},   {"/a/b/", "/a/*rest"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        permute(routes, sizeof routes / sizeof routes[0], 0, cases[i].path, cases[i].expected);
    /* From left to right: an earlier literal counts more than two later ones. */
    struct weft_http_route two[] = {{GET, "/:x/b/c", nothing}, {GET, "/a/*rest", nothing}};
    permute(two, 2, 0, "/a/b/c", "/a/*rest");
}

TEST(only_routes_that_take_the_method_are_looked_at)
{
    struct weft_http_route routes[] = {{POST, "/users/me", nothing}, {GET, "/users/:id", nothing}};
    assert_string_equal(match(routes, 2, GET, "/users/me"), "/users/:id");
    assert_param(0, "me");
    assert_int_equal(allow, GET | HEAD | POST);
    assert_string_equal(match(routes, 2, POST, "/users/me"), "/users/me");
    assert_null(params[0].data);
    assert_string_equal(match(routes, 2, POST, "/users/7"), "none");
    assert_int_equal(allow, GET | HEAD);
    assert_string_equal(match(routes, 2, GET, "/other"), "none");
    assert_int_equal(allow, 0);
}

TEST(head_goes_to_get_unless_a_route_of_the_same_shape_names_it)
{
    struct weft_http_route routes[] = {{GET, "/a/:x", nothing},
                                       {HEAD, "/a/:y", nothing},
                                       {HEAD, "/*all", nothing},
                                       {GET, "/b", nothing}};
    for (int round = 0; round < 2; round++) {
        assert_string_equal(match(routes, 4, HEAD, "/a/1"), "/a/:y");
        assert_string_equal(match(routes, 4, GET, "/a/1"), "/a/:x");
        assert_string_equal(match(routes, 4, HEAD, "/b"), "/b"); /* as special as the GET */
        struct weft_http_route first = routes[0];
        routes[0] = routes[1];
        routes[1] = first;
    }
}

TEST(surplus_parameters_of_an_unchecked_table_are_left_out)
{
    assert_true(single("/:a/:b/:c/:d/:e/:f/:g/:h/:i/*j", "/1/2/3/4/5/6/7/8/9/10"));
    assert_param(7, "8");
}

/* ---- tables --------------------------------------------------------------------------------- */

static void bad(const struct weft_http_route *routes, size_t count, const char *expected)
{
    char text[200];
    assert_int_equal(weft_http_routes_check(routes, count, text, sizeof text), UV_EINVAL);
    if (strstr(text, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, expected);
    char little[10];
    assert_int_equal(weft_http_routes_check(routes, count, little, sizeof little), UV_EINVAL);
    assert_int_equal(strncmp(little, text, 9), 0);
    assert_int_equal(little[9], '\0');
    assert_int_equal(weft_http_routes_check(routes, count, NULL, 0), UV_EINVAL);
}

static void bad_pattern(const char *pattern, const char *expected)
{
    struct weft_http_route routes[] = {{GET, "/good", nothing}, {GET, pattern, nothing}};
    bad(routes, 2, expected);
    bad(routes, 2, "routes[1] \"");
}

TEST(a_bad_pattern_is_told)
{
    bad_pattern(NULL, "no pattern");
    bad_pattern("", "begin with '/'");
    bad_pattern("a", "begin with '/'");
    bad_pattern("*", "begin with '/'");
    bad_pattern("//", "empty segment");
    bad_pattern("/a//b", "empty segment");
    bad_pattern("/a b", "escaped");
    bad_pattern("/a?b", "escaped");
    bad_pattern("/caf\xc3\xa9", "escaped");
    bad_pattern("/a%", "hex");
    bad_pattern("/a%4", "hex");
    bad_pattern("/a%4/b", "hex");
    bad_pattern("/a%zz", "hex");
    bad_pattern("/:", "no name");
    bad_pattern("/:/a", "no name");
    bad_pattern("/:1", "digit");
    bad_pattern("/:a-b", "letter");
    bad_pattern("/*a.b", "letter");
    bad_pattern("/*a/b", "follows the rest");
    bad_pattern("/*/", "follows the rest");
    bad_pattern("/:a/b/:a", "same name");
    bad_pattern("/:a/b/*a", "same name");
    bad_pattern("/:a/:b/:c/:d/:e/:f/:g/:h/*i", "too many");
}

TEST(a_route_that_makes_no_sense_is_told)
{
    bad(&(struct weft_http_route){0, "/", nothing}, 1, "no method");
    bad(&(struct weft_http_route){1u << 20, "/", nothing}, 1, "no such method");
    bad(&(struct weft_http_route){GET, "/", NULL}, 1, "no handler");
}

TEST(two_routes_that_take_the_same_requests_are_told)
{
    struct weft_http_route routes[] = {
        {GET, "/a/:x/c/*r", nothing}, {POST, "/a/:y/c/*s", nothing}, {GET, "/a/:z/c/*", nothing}};
    assert_int_equal(weft_http_routes_check(routes, 2, NULL, 0), 0);
    bad(routes, 3, "routes[2] \"/a/:z/c/*\": takes the same requests as routes[0]");
    struct weft_http_route twice[] = {{GET | POST, "/a", nothing}, {POST, "/a", nothing}};
    bad(twice, 2, "same requests");
}

TEST(a_good_table_is_good)
{
    char text[100] = "before";
    struct weft_http_route routes[] = {
        {GET | HEAD | POST | WEFT_HTTP_OTHER | WEFT_HTTP_CONNECT, "/", nothing},
        {GET, "/a", nothing},
        {GET, "/a/", nothing},
        {GET, "/a/b", nothing},
        {GET, "/a/:b", nothing},
        {GET, "/a/*", nothing},
        {GET, "/a/:b/", nothing},
        {GET, "/:a/:b_2", nothing},
        {GET, "/caf%C3%A9/~x;y=(1,2)'@!$&+", nothing},
        {GET, "/:a/:b/:c/:d/:e/:f/:g/*h", nothing}};
    assert_int_equal(
        weft_http_routes_check(routes, sizeof routes / sizeof routes[0], text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(weft_http_routes_check(NULL, 0, NULL, 0), 0);
}

/* ---- in a server ---------------------------------------------------------------------------- */

static void show_params(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    char first[100], second[100];
    int err = weft_http_param_decode(request, 0, first, sizeof first, NULL);
    int other = weft_http_param_decode(request, 1, second, sizeof second, NULL);
    weft_http_answerf(request, 200, "text/plain", "%s [%s] %s [%s]\n", first,
                      err != 0 ? weft_error_name(err) : "ok", second,
                      other != 0 ? weft_error_name(other) : "ok");
}

static void drained_meanwhile(struct weft_op *op)
{
    weft_http_drain(weft_owner(op, struct weft_http_request, op)->server, 5000);
    weft_http_healthz(op);
}

static const struct weft_http_route site[] = {
    {GET, "/users/:id", show_params},
    {WEFT_HTTP_PUT | WEFT_HTTP_DELETE, "/users/:id", show_params},
    {POST, "/users/:id/files/*path", show_params},
    {GET | WEFT_HTTP_OPTIONS, "/own", show_params},
    {GET, "/healthz", weft_http_healthz},
    {GET, "/drained", drained_meanwhile},
};
static const size_t site_size = sizeof site / sizeof site[0];

static void route_site(struct weft_op *op)
{
    weft_http_route(weft_owner(op, struct weft_http_request, op), site, site_size);
}

TEST(a_server_hands_requests_to_its_routes)
{
    struct world w;
    struct weft_http_server server = {.handler = route_site};
    assert_int_equal(weft_http_routes_check(site, site_size, NULL, 0), 0);
    world_up(&w);
    serve_up(&w, &server);
    assert_answer(ask_for(&w, &server, "GET /users/a%20b?c=d"), "200", "a b [ok]  [ENOENT]\n");
    assert_answer(ask_for(&w, &server, "DELETE /users/7"), "200", "7 [ok]");
    assert_answer(ask_for(&w, &server, "POST /users/7/files/x/y%zz"), "200", "7 [ok]  [EINVAL]\n");
    assert_answer(ask_for(&w, &server, "POST /users/7/files/"), "200", "7 [ok]  [ok]\n");
    const char *head = ask_for(&w, &server, "HEAD /users/7");
    assert_answer(head, "200", "Content-Length: ");
    assert_string_equal(body_of(head), "");
    serve_down(&w, &server);
}

TEST(what_no_route_takes_is_answered)
{
    struct world w;
    struct weft_http_server server = {.handler = route_site};
    world_up(&w);
    serve_up(&w, &server);
    const char *answer = ask_for(&w, &server, "GET /nothing");
    assert_answer(answer, "404", "X-Content-Type-Options: nosniff\r\n");
    assert_answer(answer, "404", "Content-Type: text/plain; charset=utf-8\r\n");
    assert_string_equal(body_of(answer), "not found\n");
    answer = ask_for(&w, &server, "POST /users/7");
    assert_answer(answer, "405", "Allow: GET, HEAD, PUT, DELETE, OPTIONS\r\n");
    assert_answer(answer, "405", "X-Content-Type-Options: nosniff\r\n");
    assert_string_equal(body_of(answer), "method not allowed\n");
    assert_answer(ask_for(&w, &server, "PATCH /users/7/files/"), "405", "Allow: POST, OPTIONS\r\n");
    assert_answer(ask_for(&w, &server, "BREW /users/7"), "501", "method not implemented\n");
    assert_answer(ask_for(&w, &server, "BREW /nothing"), "501", "method not implemented\n");
    serve_down(&w, &server);
}

TEST(options_is_answered_unless_a_route_takes_it)
{
    struct world w;
    struct weft_http_server server = {.handler = route_site};
    world_up(&w);
    serve_up(&w, &server);
    const char *answer = ask_for(&w, &server, "OPTIONS /users/7");
    assert_answer(answer, "204", "Allow: GET, HEAD, PUT, DELETE, OPTIONS\r\n");
    assert_string_equal(body_of(answer), "");
    assert_answer(ask_for(&w, &server, "OPTIONS *"), "204",
                  "Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n");
    assert_answer(ask_for(&w, &server, "OPTIONS /own"), "200", "[ENOENT]");
    assert_answer(ask_for(&w, &server, "OPTIONS /nothing"), "404", "not found");
    serve_down(&w, &server);
}

static void route_any_method(struct weft_op *op)
{
    static const struct weft_http_route any[] = {{WEFT_HTTP_OTHER, "/pot", show_params},
                                                 {GET, "/cup", show_params}};
    weft_http_route(weft_owner(op, struct weft_http_request, op), any, 2);
}

TEST(methods_without_a_name_can_be_taken)
{
    struct world w;
    struct weft_http_server server = {.handler = route_any_method};
    world_up(&w);
    serve_up(&w, &server);
    assert_answer(ask_for(&w, &server, "BREW /pot"), "200", "[ENOENT]");
    assert_answer(ask_for(&w, &server, "BREW /cup"), "405", "Allow: GET, HEAD, OPTIONS\r\n");
    assert_answer(ask_for(&w, &server, "BREW /nothing"), "404", "not found");
    assert_answer(ask_for(&w, &server, "GET /pot"), "405", "Allow: OPTIONS\r\n");
    serve_down(&w, &server);
}

TEST(a_server_is_well_until_it_drains)
{
    struct world w;
    struct weft_http_server server = {.handler = route_site};
    world_up(&w);
    serve_up(&w, &server);
    const char *answer = ask_for(&w, &server, "GET /healthz");
    assert_answer(answer, "200", "Cache-Control: no-store\r\n");
    assert_string_equal(body_of(answer), "ok\n");
    answer = ask_for(&w, &server, "GET /drained");
    assert_answer(answer, "503", "Cache-Control: no-store\r\n");
    assert_string_equal(body_of(answer), "draining\n");
    world_down(&w);
}

TEST(a_parameter_needs_room_to_be_decoded)
{
    struct weft_http_request request = {.params = {{"a%20b", 5}, {"%00", 3}}};
    struct weft_text text;
    char buffer[4];
    assert_int_equal(weft_http_param_decode(&request, 0, buffer, sizeof buffer, &text), 0);
    assert_true(weft_text_is(text, "a b"));
    assert_int_equal(weft_http_param_decode(&request, 0, buffer, 3, &text), UV_ENOBUFS);
    assert_int_equal(weft_http_param_decode(&request, 1, buffer, sizeof buffer, &text), UV_EILSEQ);
    assert_int_equal(weft_http_param_decode(&request, 2, buffer, sizeof buffer, &text), UV_ENOENT);
    assert_int_equal(text.size, 0);
    assert_string_equal(buffer, "");
    assert_int_equal(weft_http_param_decode(&request, WEFT_HTTP_PARAMS, NULL, 0, NULL), UV_ENOENT);
}

/* Whatever fails, the server goes on or says why it does not, and nobody gets half an answer. */
static void ask_all(unsigned long n)
{
    static const char *const requests[] = {"GET /nothing", "POST /users/7", "OPTIONS *",
                                           "GET /healthz"};
    static char answer[ASK_SIZE];
    struct world w = {0};
    struct weft_http_server server = {.handler = route_site};
    (void)n;
    if (!world_up_if_it_can(&w))
        return;
    serve_up(&w, &server);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    for (size_t i = 0; i < 4 && seen.calls == 0; i++) {
        char request[200];
        snprintf(request, sizeof request, "%s HTTP/1.0\r\n\r\n", requests[i]);
        ssize_t size = ask_end(&w, ask_begin(&server, request), answer);
        assert_true(size <= 0 || strstr(answer, "\r\n\r\n") != NULL);
    }
    if (seen.calls == 0)
        weft_http_drain(&server, 5000);
    else
        assert_int_equal(seen.status, UV_ENOMEM);
    world_down(&w);
}

TEST(answers_survive_running_out_of_memory)
{
    fault_ladder(ask_all);
}
