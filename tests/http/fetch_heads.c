/* Heads that are kept word for word.
 * ctest: labels=valgrind-long timeout=120 also=WEFT_TEST_NO_DIRECT */
#include "outside.h"

static struct scene scene;
static const char *reply;
static char asked[REQUEST_MAX];

static void say_reply(struct peer *peer)
{
    snprintf(asked, sizeof asked, "%s", peer->request);
    say_text(peer, asked_for(peer, "GET /there") ? "HTTP/1.1 200 There\r\nContent-Length: 0\r\n\r\n"
                                                 : reply);
}

static void ask(struct weft_http_fetch *fetch, const char *text)
{
    reply = text;
    scene_up(&scene, say_reply);
    get_and_wait(&scene, fetch, "/");
}

static void end(struct weft_http_fetch *fetch)
{
    weft_http_fetch_free(fetch);
    assert_null(fetch->request_head.data);
    assert_null(fetch->answer_head.data);
    scene_down(&scene);
}

TEST(both_heads_are_kept_word_for_word)
{
    static const char *const fields[] = {"X-Mine:   yes"};
    static const char head[] = "HTTP/1.1 404   Not  there\r\nx-A:  b \r\nFolded: one\r\n  two\r\n"
                               "Content-Length: 2\r\n\r\n";
    char whole[256];
    struct weft_http_fetch fetch = {
        .keep_heads = true, .fields = fields, .fields_count = 1, .accept_encoding = "identity"};
    snprintf(whole, sizeof whole, "%sno", head);
    ask(&fetch, whole);
    assert_int_equal(fetch.op.status, 0);
    text_is(fetch.answer_head, head);
    text_is(fetch.request_head, asked);
    assert_non_null(strstr(asked, "X-Mine: yes\r\n"));
    assert_non_null(strstr(asked, "Accept-Encoding: identity\r\n"));
    end(&fetch);
}

TEST(nothing_is_kept_for_who_does_not_ask)
{
    struct weft_http_fetch fetch = {0};
    ask(&fetch, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    assert_int_equal(fetch.op.status, 0);
    assert_null(fetch.request_head.data);
    assert_null(fetch.answer_head.data);
    assert_null(fetch.sent_.data);
    assert_null(fetch.came_.data);
    end(&fetch);
}

TEST(an_informational_head_is_not_the_answers)
{
    struct weft_http_fetch fetch = {.keep_heads = true};
    ask(&fetch, "HTTP/1.1 103 Early Hints\r\nX: early\r\n\r\n"
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    text_is(fetch.answer_head, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    end(&fetch);
}

TEST(a_trailer_is_not_part_of_the_head)
{
    struct weft_http_fetch fetch = {.keep_heads = true};
    ask(&fetch, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                "3\r\nabc\r\n0\r\nTrailer: 1\r\n\r\n");
    assert_int_equal(fetch.op.status, 0);
    text_is(fetch.answer_head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    end(&fetch);
}

TEST(after_a_redirect_they_are_those_of_the_last_request)
{
    struct weft_http_fetch fetch = {.keep_heads = true, .max_redirects = 3};
    ask(&fetch, "HTTP/1.1 302 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(fetch.redirects, 1);
    text_is(fetch.answer_head, "HTTP/1.1 200 There\r\nContent-Length: 0\r\n\r\n");
    assert_true(weft_text_starts(fetch.request_head, "GET /there HTTP/1.1\r\n"));
    text_is(fetch.request_head, asked);
    end(&fetch);
}

TEST(half_a_head_is_none)
{
    struct weft_http_fetch fetch = {.keep_heads = true};
    ask(&fetch, "nothing of the kind\r\n\r\n");
    assert_int_not_equal(fetch.op.status, 0);
    assert_null(fetch.answer_head.data);
    end(&fetch);
}
