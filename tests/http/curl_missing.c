/* libcurl on demand: what does not need it works without it, what does says that it is missing, and
 * once it is there everything goes on.
 * ctest: labels=valgrind-long */
#include "http/client/curl.h"
#include "outside.h"

static struct scene scene;
static const char *its_name;
static const char *location;

static void lead(struct peer *peer)
{
    char text[URL_MAX + 100];
    if (!asked_for(peer, "GET /go")) {
        answer(peer, "arrived");
        return;
    }
    snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
             location);
    say_text(peer, text);
}

static void up_without_curl(void)
{
    its_name = weft__http_curl_name;
    weft__http_curl_name = "libcurl-that-is-not-there.so";
    scene_up(&scene, lead);
}

static void down(struct weft_http_fetch *fetch)
{
    weft_http_fetch_free(fetch);
    scene_down(&scene);
    weft__http_curl_name = its_name;
}

/* It is loaded once for the process: these have to run before anything has loaded it. */
static void lacks_curl(const struct weft_http_fetch *fetch)
{
    failed_with(fetch, UV_ENOSYS, WEFT_FETCH_FAILED_LIBRARY, WEFT_FETCH_NO_DETAIL,
                "needs libcurl, which cannot be loaded (libcurl-that-is-not-there.so");
}

TEST(a_plain_request_needs_no_curl)
{
    struct weft_http_fetch fetch = {0};
    up_without_curl();
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "arrived");
    down(&fetch);
}

TEST(a_plain_redirect_needs_no_curl)
{
    struct weft_http_fetch fetch = {.max_redirects = 1};
    up_without_curl();
    location = "/there?a=b#c";
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.effective_url, url_at(scene.server.base, "/there?a=b#c"));
    assert_string_equal(fetch.body, "arrived");
    down(&fetch);
}

TEST(without_curl_there_is_no_tls)
{
    struct weft_http_fetch fetch = {0};
    up_without_curl();
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, "https://server.test/", noted);
    await(&scene.w, &fetch.op);
    lacks_curl(&fetch);
    down(&fetch);
}

TEST(without_curl_no_redirect_to_tls_is_followed)
{
    struct weft_http_fetch fetch = {.max_redirects = 1};
    up_without_curl();
    location = "https://server.test/";
    get_and_wait(&scene, &fetch, "/go");
    lacks_curl(&fetch);
    assert_string_equal(fetch.effective_url, "https://server.test/");
    down(&fetch);
}

TEST(without_curl_an_odd_redirect_is_not_understood)
{
    struct weft_http_fetch fetch = {0};
    up_without_curl();
    location = "/odd/../there";
    get_and_wait(&scene, &fetch, "/go");
    lacks_curl(&fetch);
    down(&fetch);
}

/* The client does not open. */
static void does_not_open(struct weft_http_client *client)
{
    struct world w;
    its_name = weft__http_curl_name;
    weft__http_curl_name = "libcurl-that-is-not-there.so";
    world_up(&w);
    weft_http_client_open(weft_root(&w.loop), client, noted);
    await(&w, &client->op);
    assert_int_equal(client->op.status, UV_ENOSYS);
    world_down(&w);
    weft__http_curl_name = its_name;
}

TEST(without_curl_there_is_no_client_with_a_proxy)
{
    struct weft_http_client client = {.proxy = "http://127.0.0.1:1"};
    does_not_open(&client);
}

TEST(without_curl_there_is_no_client_with_cookies)
{
    struct weft_http_client client = {.cookies = true};
    does_not_open(&client);
}

TEST(what_is_no_library_of_curl_is_not_used)
{
    struct weft_http_fetch fetch = {0};
    up_without_curl();
    weft__http_curl_name = "libuv.so.1";
    weft_http_fetch(scene_root(&scene), &fetch, &scene.client, "https://server.test/", noted);
    await(&scene.w, &fetch.op);
    failed_with(&fetch, UV_ENOSYS, WEFT_FETCH_FAILED_LIBRARY, WEFT_FETCH_NO_DETAIL,
                "undefined symbol: curl_");
    down(&fetch);
}

/* The last one: from here on it is loaded. */
TEST(when_it_can_be_loaded_again_the_same_client_goes_on)
{
    struct weft_http_fetch fetch = {0};
    up_without_curl();
    location = "/odd/../there";
    get_and_wait(&scene, &fetch, "/go");
    lacks_curl(&fetch);
    weft_http_fetch_free(&fetch);
    weft__http_curl_name = its_name;
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.location, url_at(scene.server.base, "/there"));
    weft_http_fetch_free(&fetch);
    fetch.data = "a body"; /* what only curl sends */
    fetch.data_size = 6;
    get_and_wait(&scene, &fetch, "/");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "arrived");
    down(&fetch);
}
