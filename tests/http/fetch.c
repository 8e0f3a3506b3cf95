/* Fetching: requests as they go out, answers as they come in.
 * ctest: labels=valgrind timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;

static void echo(struct peer *peer)
{
    answer(peer, "%s", peer->request);
}

static void hello(struct peer *peer)
{
    answer(peer, "hello");
}

TEST(a_fetch_gets_status_fields_and_body)
{
    struct weft_http_fetch fetch = {0};
    char text[WEFT_ADDRESS_TEXT];
    scene_up(&scene, hello);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 200);
    assert_int_equal(fetch.http_version, 11);
    assert_string_equal(fetch.body, "hello");
    assert_int_equal(fetch.body_size, 5);
    assert_int_equal(fetch.received, 5);
    assert_int_equal(fetch.wire_received,
                     strlen("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
    text_is(weft_http_fetch_get(&fetch, "content-LENGTH"), "5");
    assert_null(weft_http_fetch_get(&fetch, "Nothing").data);
    assert_int_equal(weft_address_format(&fetch.peer, text, sizeof text), 0);
    assert_string_equal(text, scene.server.base + strlen("http://"));
    assert_false(fetch.reused);
    assert_true(fetch.times.total >= fetch.times.first_byte && fetch.times.first_byte > 0);
    assert_int_equal(fetch.failure, WEFT_FETCH_NO_FAILURE);
    assert_string_equal(fetch.effective_url, fetch.url);
    weft_http_fetch_free(&fetch);
    weft_http_fetch_free(&fetch);
    assert_null(fetch.body);
    scene_down(&scene);
}

TEST(a_connection_is_used_again)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    for (int i = 0; i < 5; i++) {
        get_and_wait(&scene, &fetch, "/");
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.reused, i > 0);
        weft_http_fetch_free(&fetch);
    }
    assert_int_equal(scene.server.connections, 1);
    assert_int_equal(scene.client.connections, 1);
    assert_int_equal(scene.client.fetches, 5);
    scene_down(&scene);
}

/* What went out, as the server has read it. */
static void asked(struct weft_http_fetch *fetch, const char *part, const char *not_part)
{
    await(&scene.w, &fetch->op);
    assert_int_equal(fetch->op.status, 0);
    if (strstr(fetch->body, part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, fetch->body);
    if (not_part != NULL && strcasestr(fetch->body, not_part) != NULL)
        fail_msg("\"%s\" is in:\n%s", not_part, fetch->body);
    weft_http_fetch_free(fetch);
}

TEST(a_plain_request_has_nothing_it_need_not_have)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, echo);
    get(&scene, &fetch, "/a%20b?c=d#e");
    asked(&fetch, "GET /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:", "user-agent");
    get(&scene, &fetch, "/");
    asked(&fetch, "\r\n\r\n", "accept-encoding");
    scene_down(&scene);
}

/* In a path it would be a slash to some; in a query it is a letter like any other. */
TEST(a_backslash_goes_out_in_a_query)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, echo);
    get(&scene, &fetch, "/a?b\\c");
    asked(&fetch, "GET /a?b\\c HTTP/1.1\r\n", NULL);
    scene_down(&scene);
}

TEST(fields_methods_and_bodies_go_out)
{
    static const char *const fields[] = {"X-One: 1", "X-Empty:", "Accept:  text/plain ",
                                         "Content-Type: text/x"};
    struct weft_http_fetch fetch = {.fields = fields, .fields_count = 4};
    scene_up(&scene, echo);
    get(&scene, &fetch, "/");
    asked(&fetch, "X-One: 1\r\nX-Empty:\r\nAccept: text/plain\r\nContent-Type: text/x\r\n", "*/*");
    fetch = (struct weft_http_fetch){.data = "a=b\0c", .data_size = 5};
    get(&scene, &fetch, "/");
    asked(&fetch, "POST / HTTP/1.1", "content-type");
    fetch = (struct weft_http_fetch){.data = "patch", .data_size = 5, .method = "PATCH"};
    get(&scene, &fetch, "/");
    asked(&fetch, "Content-Length: 5\r\n\r\npatch", "expect");
    fetch = (struct weft_http_fetch){.method = "PUT"};
    get(&scene, &fetch, "/");
    asked(&fetch, "Content-Length: 0\r\n", NULL);
    fetch = (struct weft_http_fetch){.method = "DELETE"};
    get(&scene, &fetch, "/");
    asked(&fetch, "DELETE / HTTP/1.1", "content-length");
    fetch = (struct weft_http_fetch){.referer = "http://a/", .range = "0-4"};
    get(&scene, &fetch, "/");
    asked(&fetch, "Range: bytes=0-4\r\n", NULL);
    scene_down(&scene);
}

TEST(nothing_of_a_request_is_left_in_the_next)
{
    static const char *const fields[] = {"X-Secret: 1"};
    struct weft_http_fetch fetch = {.fields = fields,
                                    .fields_count = 1,
                                    .user = "me",
                                    .password = "secret",
                                    .data = "body",
                                    .data_size = 4,
                                    .method = "PUT",
                                    .referer = "http://secret/",
                                    .accept_encoding = "gzip",
                                    .range = "1-2"};
    scene_up(&scene, echo);
    scene.client.max_handles = 1;
    get(&scene, &fetch, "/");
    asked(&fetch, "Authorization: Basic bWU6c2VjcmV0", NULL);
    fetch = (struct weft_http_fetch){.accept_encoding = ""};
    get(&scene, &fetch, "/");
    asked(&fetch, "Accept-Encoding: deflate, gzip", "secret");
    memset(&fetch, 0, sizeof fetch);
    get(&scene, &fetch, "/");
    asked(&fetch, "GET / HTTP/1.1\r\n", "accept-encoding");
    get(&scene, &fetch, "/");
    asked(&fetch, "GET / HTTP/1.1\r\n", "authorization");
    scene_down(&scene);
}

TEST(passwords_go_out_as_they_should)
{
    struct weft_http_fetch fetch = {.password = "abc.def", .auth = WEFT_FETCH_AUTH_BEARER};
    char url[URL_MAX];
    scene_up(&scene, echo);
    get(&scene, &fetch, "/");
    asked(&fetch, "Authorization: Bearer abc.def\r\n", NULL);
    snprintf(url, sizeof url, "http://me:secret@127.0.0.1:%u/",
             weft_address_port(&scene.server.listen.address));
    memset(&fetch, 0, sizeof fetch);
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    asked(&fetch, "Authorization: Basic bWU6c2VjcmV0\r\n", NULL);
    scene_down(&scene);
}

static void head_only(struct peer *peer)
{
    assert_true(asked_for(peer, "HEAD / "));
    say_text(peer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
}

TEST(a_head_request_has_no_body)
{
    struct weft_http_fetch fetch = {.method = "HEAD"};
    scene_up(&scene, head_only);
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    text_is(weft_http_fetch_get(&fetch, "Content-Length"), "5");
    assert_int_equal(fetch.body_size, 0);
    assert_string_equal(fetch.body, "");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

/* ---- bad inputs ----------------------------------------------------------------------------- */

static void refused(struct weft_http_fetch fetch, const char *url)
{
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, url, noted);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_EINVAL);
    assert_int_equal(fetch.failure, WEFT_FETCH_FAILED_INPUT);
    assert_null(fetch.body);
    weft_http_fetch_free(&fetch);
}

TEST(what_cannot_be_sent_is_refused)
{
    static const char *const bad[] = {"X: a\r\nInjected: b",       "X y: a",    "X",       ": a",
                                      "Content-Length: 5",         "X\r\nY: a", "X: a\nb", "X : a",
                                      "Transfer-Encoding: chunked"};
    static const char *const urls[] = {"",
                                       "nothing",
                                       "/path",
                                       "ftp://127.0.0.1/",
                                       "file:///etc/passwd",
                                       "http://",
                                       "http:///path",
                                       "http:/path",
                                       "http://127.0.0.1:99999/",
                                       "http://127.0.0.1/\r\nX: y",
                                       "http://127.0.0.1/a b",
                                       "http://127.0.0.1\\@example.org/",
                                       "http://127.0.0.1/a\\b",
                                       "http:\\\\127.0.0.1/",
                                       "gopher://127.0.0.1:1/"};
    char url[URL_MAX];
    scene_up(&scene, hello);
    snprintf(url, sizeof url, "%s/", scene.server.base);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused((struct weft_http_fetch){.fields = &bad[i], .fields_count = 1}, url);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        refused((struct weft_http_fetch){0}, urls[i]);
    refused((struct weft_http_fetch){0}, NULL);
    refused((struct weft_http_fetch){.method = "GET / HTTP/1.1\r\nX: y"}, url);
    refused((struct weft_http_fetch){.method = ""}, url);
    refused((struct weft_http_fetch){.method = "CONNECT"}, url);
    refused((struct weft_http_fetch){.method = "HEAD", .data = "x", .data_size = 1}, url);
    refused((struct weft_http_fetch){.data_size = 1}, url);
    refused((struct weft_http_fetch){.fields_count = 1}, url);
    refused((struct weft_http_fetch){.referer = "a\r\nb"}, url);
    refused((struct weft_http_fetch){.range = "0-1\r\nX: y"}, url);
    refused((struct weft_http_fetch){.accept_encoding = "gzip\n"}, url);
    refused((struct weft_http_fetch){.user = "a\n"}, url);
    refused((struct weft_http_fetch){.auth = WEFT_FETCH_AUTH_BEARER, .user = "x"}, url);
    assert_int_equal(scene.server.requests, 0);
    assert_int_equal(scene.server.connections, 0);
    scene_down(&scene);
}

static void explained(const char *url, const char *words)
{
    struct weft_http_fetch fetch = {.failure = WEFT_FETCH_FAILED_CONNECT,
                                    .detail = WEFT_FETCH_PROXY};
    char text[WEFT_FETCH_EXPLAIN], expected[WEFT_FETCH_EXPLAIN];
    fetch.url = url;
    snprintf(expected, sizeof expected, "the proxy does not let us through to %s", words);
    assert_string_equal(weft_http_fetch_explain(&fetch, text, sizeof text), expected);
}

TEST(an_explanation_has_no_holes)
{
    explained("http://me:secret@h:80/x", "h:80");
    explained("http://h:/", "h");
    explained("http://[::1]:", "[::1]");
    explained("http:///x?token=y", "http:///x");
    explained("http://:80/x", "http://:80/x");
    explained("http://", "http://");
    explained("http://me:secret@/x", "the host");
    explained("http://me:secret@:80/x", "the host");
    explained("", "the host");
    explained(NULL, "the host");
}

TEST(a_fetch_needs_an_open_client_of_its_loop)
{
    struct weft_http_client closed = {0};
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, hello);
    weft_http_fetch(scene_root(&scene), &fetch, NULL, "http://127.0.0.1/", noted);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_EINVAL);
    weft_http_fetch(scene_root(&scene), &fetch, &closed, "http://127.0.0.1/", noted);
    await(&scene.w, &fetch.op);
    assert_int_equal(fetch.op.status, UV_EINVAL);
    scene_down(&scene);
}
