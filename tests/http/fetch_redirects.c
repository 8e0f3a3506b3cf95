/* Redirects: returned, or followed one by one as the caller allows.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;
static struct outside other; /* another origin: another port */
static int code;
static char target[URL_MAX];
static char said[4096]; /* what was asked, request by request */
static const char *const *watched;

static void write_down(struct peer *peer)
{
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%.*s", (int)strcspn(peer->request, "\r"),
             peer->request);
    for (const char *const *name = watched; name != NULL && *name != NULL; name++) {
        if (strcasestr(peer->request, *name) != NULL)
            strcat(said, *name);
    }
    strcat(said, body_of(peer));
    strcat(said, "|");
}

/* /go leads to target with code; anything else is an answer. */
static void lead(struct peer *peer)
{
    char text[URL_MAX + 200];
    write_down(peer);
    if (strstr(peer->request, "/go") == NULL) {
        answer(peer, "arrived");
        return;
    }
    snprintf(text, sizeof text,
             "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved", code, target);
    say_text(peer, text);
}

static void up(int status, const char *to)
{
    scene_up(&scene, lead);
    outside_up(&scene.w.loop, &other, lead);
    code = status;
    snprintf(target, sizeof target, "%s", to);
    said[0] = '\0';
    watched = NULL;
}

static void down(struct weft_http_fetch *fetch)
{
    weft_http_fetch_free(fetch);
    outside_down(&other);
    scene_down(&scene);
}

TEST(a_redirect_is_the_answer_unless_asked_otherwise)
{
    struct weft_http_fetch fetch = {0};
    up(302, "../there?x=1#c");
    get_and_wait(&scene, &fetch, "/a/go/b");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 302);
    assert_string_equal(fetch.body, "moved");
    assert_string_equal(fetch.location, url_at(scene.server.base, "/a/there?x=1#c"));
    assert_int_equal(fetch.redirects, 0);
    assert_int_equal(scene.server.requests, 1);
    down(&fetch);
}

TEST(a_location_that_leads_nowhere_is_none)
{
    static const char *const nowhere[] = {"http://[broken/",
                                          "http://a b@127.0.0.1/",
                                          "http://a b/",
                                          "http:/plain",
                                          "http:plain",
                                          "HTTP:/plain",
                                          "https:///plain",
                                          "///plain",
                                          "http://127.0.0.1\\@plain/",
                                          "/\\plain",
                                          "\\there"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        struct weft_http_fetch fetch = {.max_redirects = 3};
        up(302, nowhere[i]);
        get_and_wait(&scene, &fetch, "/go");
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.status, 302);
        assert_null(fetch.location);
        down(&fetch);
    }
}

static void leads_to(const char *from, const char *to, const char *expected)
{
    struct weft_http_fetch fetch = {0};
    up(302, to);
    get_and_wait(&scene, &fetch, from);
    assert_int_equal(fetch.op.status, 0);
    assert_non_null(fetch.location);
    assert_string_equal(fetch.location, url_at(scene.server.base, expected));
    down(&fetch);
}

TEST(a_fragment_alone_leads_to_the_same_page)
{
    leads_to("/a/go", "#x", "/a/go#x");
    leads_to("/a/go?b=/c", "#x", "/a/go?b=/c#x");
    leads_to("/a/go?b=c#old", "#new", "/a/go?b=c#new");
    leads_to("/a/go#old", "#", "/a/go");
    leads_to("/a/go", "?x:/y", "/a/go?x:/y");
    leads_to("/a/go", "b/c:d", "/a/b/c:d");
}

TEST(only_the_web_is_followed)
{
    static const char *const elsewhere[] = {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://x/",
                                            "data:text/plain,x"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        struct weft_http_fetch fetch = {.max_redirects = 3};
        up(301, elsewhere[i]);
        get_and_wait(&scene, &fetch, "/go");
        assert_int_equal(fetch.op.status, 0);
        assert_int_equal(fetch.status, 301);
        assert_string_equal(fetch.body, "moved");
        assert_int_equal(scene.server.requests, 1);
        down(&fetch);
    }
}

TEST(redirects_are_followed_when_asked)
{
    struct weft_http_fetch fetch = {.max_redirects = 1};
    up(301, "/there");
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 200);
    assert_string_equal(fetch.body, "arrived");
    assert_string_equal(fetch.effective_url, url_at(scene.server.base, "/there"));
    assert_null(fetch.location);
    assert_int_equal(fetch.redirects, 1);
    assert_int_equal(scene.server.connections, 1);
    assert_string_equal(said, "GET /go HTTP/1.1|GET /there HTTP/1.1|");
    down(&fetch);
}

TEST(a_circle_of_redirects_ends)
{
    struct weft_http_fetch fetch = {.max_redirects = 4};
    up(307, "/go");
    get_and_wait(&scene, &fetch, "/go");
    failed_with(&fetch, UV_ELOOP, WEFT_FETCH_FAILED_REDIRECT, WEFT_FETCH_NO_DETAIL,
                "too many redirects");
    assert_int_equal(scene.server.requests, 5);
    down(&fetch);
}

/* ---- methods -------------------------------------------------------------------------------- */

static void methods(int status, const char *method, const char *data, const char *expected)
{
    struct weft_http_fetch fetch = {.max_redirects = 1, .method = method, .data = data};
    static const char *const names[] = {"content-type", NULL};
    static const char *const fields[] = {"Content-Type: text/x"};
    fetch.data_size = data != NULL ? strlen(data) : 0;
    fetch.fields = fields;
    fetch.fields_count = data != NULL;
    up(status, "/there");
    watched = names;
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(said, expected);
    down(&fetch);
}

TEST(methods_change_as_they_should)
{
    methods(301, "POST", "x", "POST /go HTTP/1.1content-typex|GET /there HTTP/1.1|");
    methods(302, "POST", "x", "POST /go HTTP/1.1content-typex|GET /there HTTP/1.1|");
    methods(303, "POST", "x", "POST /go HTTP/1.1content-typex|GET /there HTTP/1.1|");
    methods(303, "PUT", "x", "PUT /go HTTP/1.1content-typex|GET /there HTTP/1.1|");
    methods(302, "PUT", "x", "PUT /go HTTP/1.1content-typex|PUT /there HTTP/1.1content-typex|");
    methods(307, "POST", "x", "POST /go HTTP/1.1content-typex|POST /there HTTP/1.1content-typex|");
    methods(308, "POST", "x", "POST /go HTTP/1.1content-typex|POST /there HTTP/1.1content-typex|");
    methods(303, "DELETE", NULL, "DELETE /go HTTP/1.1|GET /there HTTP/1.1|");
    methods(307, "DELETE", NULL, "DELETE /go HTTP/1.1|DELETE /there HTTP/1.1|");
}

static unsigned pulls, rewinds;

static ssize_t pull_once(struct weft_http_fetch *fetch, char *buffer, size_t capacity)
{
    (void)fetch;
    assert_true(capacity >= 4);
    if (pulls++ > 0)
        return 0;
    memcpy(buffer, "body", 4);
    return 4;
}

static bool rewind_it(struct weft_http_fetch *fetch)
{
    (void)fetch;
    rewinds++;
    pulls = 0;
    return true;
}

TEST(a_body_that_comes_only_once_cannot_be_sent_again)
{
    struct weft_http_fetch fetch = {.max_redirects = 1, .pull = pull_once, .pull_size = 4};
    up(307, "/there");
    pulls = rewinds = 0;
    get_and_wait(&scene, &fetch, "/go");
    failed_with(&fetch, UV_ESPIPE, WEFT_FETCH_FAILED_CALLER, WEFT_FETCH_NO_DETAIL, "again");
    down(&fetch);
    fetch = (struct weft_http_fetch){
        .max_redirects = 1, .pull = pull_once, .pull_size = 4, .rewind = rewind_it};
    up(307, "/there");
    pulls = rewinds = 0;
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(rewinds, 1);
    assert_string_equal(said, "POST /go HTTP/1.1body|POST /there HTTP/1.1body|");
    down(&fetch);
}

/* ---- origins -------------------------------------------------------------------------------- */

static const char *const personal[] = {"authorization", "cookie", "x-mine", NULL};

static void origins(const char *to, const char *expected)
{
    static const char *const fields[] = {"Cookie: a=b", "X-Mine: 1"};
    struct weft_http_fetch fetch = {.max_redirects = 5,
                                    .fields = fields,
                                    .fields_count = 2,
                                    .user = "me",
                                    .password = "secret"};
    up(302, to);
    watched = personal;
    if (to[0] == '\0')
        snprintf(target, sizeof target, "%s/there", other.base);
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "arrived");
    assert_string_equal(said, expected);
    down(&fetch);
}

TEST(what_names_the_sender_stays_with_the_origin)
{
    origins("/there", "GET /go HTTP/1.1authorizationcookiex-mine|"
                      "GET /there HTTP/1.1authorizationcookiex-mine|");
    origins("", "GET /go HTTP/1.1authorizationcookiex-mine|GET /there HTTP/1.1x-mine|");
}

/* There and back again: what was left behind does not come back. */
static void lead_around(struct peer *peer)
{
    char text[400];
    write_down(peer);
    if (asked_for(peer, "GET /home")) {
        answer(peer, "arrived");
        return;
    }
    snprintf(text, sizeof text, "HTTP/1.1 302 Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
             asked_for(peer, "GET /go")       ? url_at(other.base, "/around")
             : asked_for(peer, "GET /around") ? url_at(other.base, "/further")
                                              : url_at(scene.server.base, "/home"));
    say_text(peer, text);
}

TEST(what_was_left_behind_does_not_come_back)
{
    struct weft_http_fetch fetch = {.max_redirects = 5, .user = "me", .password = "secret"};
    up(302, "");
    watched = personal;
    scene.server.on_request = other.on_request = lead_around;
    get_and_wait(&scene, &fetch, "/go");
    assert_string_equal(said, "GET /go HTTP/1.1authorization|GET /around HTTP/1.1|"
                              "GET /further HTTP/1.1|GET /home HTTP/1.1|");
    assert_int_equal(fetch.redirects, 3);
    down(&fetch);
}

/* ---- the policy ----------------------------------------------------------------------------- */

static char asked_url[URL_MAX];

static bool refuse(struct weft_http_fetch *fetch, const char *url)
{
    snprintf(asked_url, sizeof asked_url, "%d %s", fetch->status, url);
    return false;
}

TEST(each_redirect_can_be_refused_and_is_then_the_answer)
{
    struct weft_http_fetch fetch = {.max_redirects = 5, .follow = refuse};
    char expected[URL_MAX];
    up(303, "/there");
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.status, 303);
    assert_string_equal(fetch.body, "moved");
    snprintf(expected, sizeof expected, "303 %s", url_at(scene.server.base, "/there"));
    assert_string_equal(asked_url, expected);
    assert_int_equal(scene.server.requests, 1);
    down(&fetch);
}

static bool end_it(struct weft_http_fetch *fetch, const char *url)
{
    (void)url;
    weft_end(&fetch->op, WEFT_EREFUSED);
    return true;
}

TEST(the_policy_may_end_the_fetch)
{
    struct weft_http_fetch fetch = {.max_redirects = 5, .follow = end_it};
    up(303, "/there");
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, WEFT_EREFUSED);
    assert_int_equal(scene.server.requests, 1);
    down(&fetch);
}

/* ---- large bodies of redirects -------------------------------------------------------------- */

static struct weft_write large;
static char zeros[300000];

static void lead_with_a_large_body(struct peer *peer)
{
    if (!asked_for(peer, "GET /go")) {
        answer(peer, "arrived");
        return;
    }
    say_text(peer, "HTTP/1.1 302 Moved\r\nLocation: /there\r\nContent-Length: 300000\r\n\r\n");
    weft_write(scene_root(&scene), &large, &peer->stream, zeros, sizeof zeros, noted);
}

TEST(the_large_body_of_a_redirect_is_not_waited_for)
{
    struct weft_http_fetch fetch = {.max_redirects = 1};
    up(302, "");
    memset(&large, 0, sizeof large);
    scene.server.on_request = lead_with_a_large_body;
    get_and_wait(&scene, &fetch, "/go");
    assert_int_equal(fetch.op.status, 0);
    assert_string_equal(fetch.body, "arrived");
    assert_int_equal(scene.server.connections, 2);
    down(&fetch);
}
