/* Only an answer that says yes: what only_ok makes an error of, and what it does not.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"
#include <weft/retry.h>

static struct scene scene;
static char streamed[64];
static int head_status;

static void say_status(struct peer *peer, const char *status, const char *body)
{
    char text[512];
    snprintf(text, sizeof text,
             "HTTP/1.1 %s\r\nX-Said: so\r\nLocation: /200\r\nContent-Length: %zu\r\n\r\n%s", status,
             strlen(body), body);
    say_text(peer, text);
}

/* /NNN is answered with that status. */
static void as_asked(struct peer *peer)
{
    char status[4];
    snprintf(status, sizeof status, "%.3s", peer->request + strlen("GET /"));
    say_status(peer, status, atoi(status) == 304 ? "" : "some words");
}

static int note_head(struct weft_http_fetch *fetch)
{
    head_status = fetch->status;
    return 0;
}

static int note_body(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    (void)fetch;
    strncat(streamed, data, size);
    return WEFT_FETCH_TAKEN;
}

static void expect(struct weft_http_fetch fetch, const char *path, int status, int http_status,
                   const char *body)
{
    fetch.only_ok = true;
    streamed[0] = '\0';
    get_and_wait(&scene, &fetch, path);
    assert_int_equal(fetch.op.status, status);
    assert_int_equal(fetch.failure, status != 0 ? WEFT_FETCH_FAILED_STATUS : WEFT_FETCH_NO_FAILURE);
    assert_int_equal(fetch.detail, WEFT_FETCH_NO_DETAIL);
    assert_int_equal(fetch.status, http_status);
    text_is(weft_http_fetch_get(&fetch, "X-Said"), "so");
    if (body != NULL)
        assert_string_equal(fetch.body, body);
    else
        assert_null(fetch.body);
    weft_http_fetch_free(&fetch);
}

TEST(an_answer_that_says_no_is_an_error_and_there_all_the_same)
{
    struct weft_http_fetch plain = {0};
    scene_up(&scene, as_asked);
    expect(plain, "/200", 0, 200, "some words");
    expect(plain, "/299", 0, 299, "some words");
    expect(plain, "/300", WEFT_ESTATUS, 300, "some words");
    expect(plain, "/304", WEFT_ESTATUS, 304, "");
    expect(plain, "/404", WEFT_ESTATUS, 404, "some words");
    expect(plain, "/503", WEFT_ESTATUS, 503, "some words");
    assert_int_equal(scene.server.connections, 1);
    scene_down(&scene);
}

TEST(without_it_every_answer_is_one)
{
    struct weft_http_fetch fetch = {0};
    scene_up(&scene, as_asked);
    get_and_wait(&scene, &fetch, "/404");
    assert_int_equal(fetch.op.status, 0);
    assert_int_equal(fetch.failure, WEFT_FETCH_NO_FAILURE);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_redirect_that_is_followed_is_no_answer)
{
    struct weft_http_fetch curious = {.max_redirects = 1};
    scene_up(&scene, as_asked);
    expect(curious, "/302", 0, 200, "some words");
    expect((struct weft_http_fetch){0}, "/302", WEFT_ESTATUS, 302, "some words");
    scene_down(&scene);
}

TEST(on_head_is_called_and_on_body_gets_only_what_was_asked_for)
{
    struct weft_http_fetch stream = {.on_head = note_head, .on_body = note_body};
    scene_up(&scene, as_asked);
    expect(stream, "/404", WEFT_ESTATUS, 404, "some words");
    assert_int_equal(head_status, 404);
    assert_string_equal(streamed, "");
    expect(stream, "/200", 0, 200, NULL);
    assert_int_equal(head_status, 200);
    assert_string_equal(streamed, "some words");
    scene_down(&scene);
}

TEST(a_large_no_is_a_no)
{
    struct weft_http_fetch small = {.body_max = 5}, stream = {.on_body = note_body};
    scene_up(&scene, as_asked);
    expect(small, "/404", WEFT_ESTATUS, 404, NULL);
    scene.client.body_max = 5;
    expect(stream, "/404", WEFT_ESTATUS, 404, NULL);
    expect(stream, "/200", 0, 200, NULL);
    scene_down(&scene);
}

static void broken_off(struct peer *peer)
{
    say_text(peer, "HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nfive.");
    hang_up(peer);
}

TEST(a_no_that_breaks_off_is_told_as_that)
{
    struct weft_http_fetch fetch = {.only_ok = true};
    scene_up(&scene, broken_off);
    get_and_wait(&scene, &fetch, "/");
    failed_with(&fetch, WEFT_EHTTP, WEFT_FETCH_FAILED_PROTOCOL, WEFT_FETCH_CUT_SHORT, "short");
    assert_int_equal(fetch.status, 404);
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

static void explained(const char *url, int status, const char *words)
{
    struct weft_http_fetch fetch = {.failure = WEFT_FETCH_FAILED_STATUS, .status = status};
    char text[WEFT_FETCH_EXPLAIN];
    fetch.url = url;
    assert_string_equal(weft_http_fetch_explain(&fetch, text, sizeof text), words);
}

TEST(an_explanation_says_what_the_server_said)
{
    explained("http://h/a/b", 404, "404 Not Found from h");
    explained("https://me:secret@h:81/a?key=1#b", 503, "503 Service Unavailable from h:81");
    explained("http://h", 599, "599 from h");
    explained(NULL, 404, "404 Not Found from the host");
}

/* ---- a retry -------------------------------------------------------------------------------- */

static void busy_twice(struct peer *peer)
{
    if (peer->server->requests <= 2)
        say_status(peer, "503 Busy", "busy");
    else
        say_status(peer, "200 OK", "at last");
}

static void discard(struct weft_op *op)
{
    weft_http_fetch_free(weft_owner(op, struct weft_http_fetch, op));
}

TEST(a_server_that_is_busy_is_asked_again)
{
    struct weft_http_fetch fetch = {.only_ok = true};
    struct weft_retry retry = {.discard = discard};
    scene_up(&scene, busy_twice);
    fetch.client = &scene.client;
    fetch.url = url_at(scene.server.base, "/");
    weft_retry(scene_root(&scene), &retry, &fetch.op, weft_http_fetch_begin, 5, 1, noted);
    await(&scene.w, &retry.op);
    assert_int_equal(retry.op.status, 0);
    assert_int_equal(retry.tries, 3);
    assert_int_equal(fetch.status, 200);
    assert_string_equal(fetch.body, "at last");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}

TEST(a_server_that_stays_busy_is_told)
{
    struct weft_http_fetch fetch = {.only_ok = true};
    struct weft_retry retry = {.discard = discard};
    scene_up(&scene, busy_twice);
    fetch.client = &scene.client;
    fetch.url = url_at(scene.server.base, "/");
    weft_retry(scene_root(&scene), &retry, &fetch.op, weft_http_fetch_begin, 2, 1, noted);
    await(&scene.w, &retry.op);
    assert_int_equal(retry.op.status, WEFT_ESTATUS);
    failed_with(&fetch, WEFT_ESTATUS, WEFT_FETCH_FAILED_STATUS, WEFT_FETCH_NO_DETAIL,
                "503 Service Unavailable from 127.0.0.1:");
    weft_http_fetch_free(&fetch);
    scene_down(&scene);
}
