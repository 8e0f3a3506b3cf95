/* The parts of a URL, and what may be done with it. */
/* ctest: labels=valgrind shuffle=no */
#include "check.h"
#include <uv.h>
#include <weft/url.h>

static void given(struct weft_url *url, const char *text)
{
    assert_int_equal(weft_url_parse(url, weft_text_of(text), NULL), 0);
}

static void is(struct weft_text got, const char *want)
{
    if (!weft_text_is(got, want))
        fail_msg("'%.*s', not '%s'", WEFT_TEXT_ARGS(got), want);
}

static void origin_is(const char *text, const char *want)
{
    struct weft_url url = {0};
    struct weft_text origin;
    char buffer[64];
    given(&url, text);
    assert_int_equal(weft_url_origin(&url, buffer, sizeof buffer, &origin), 0);
    is(origin, want);
    assert_string_equal(buffer, want);
    weft_url_free(&url);
}

TEST(every_part_is_found)
{
    struct weft_url url = {0};
    given(&url, "https://user:secret@example.org:8080/a/b?c#d");
    is(weft_url_protocol(&url), "https:");
    is(weft_url_scheme(&url), "https");
    is(weft_url_username(&url), "user");
    is(weft_url_password(&url), "secret");
    is(weft_url_host(&url), "example.org:8080");
    is(weft_url_hostname(&url), "example.org");
    is(weft_url_port(&url), "8080");
    is(weft_url_pathname(&url), "/a/b");
    is(weft_url_search(&url), "?c");
    is(weft_url_query(&url), "c");
    is(weft_url_target(&url), "/a/b?c");
    is(weft_url_hash(&url), "#d");
    assert_int_equal(url.port, 8080);
    assert_int_equal(url.kind, WEFT_URL_HTTPS);
    assert_true(url.has_host && !url.opaque);
    weft_url_free(&url);
}

TEST(parts_that_are_not_there_are_empty)
{
    struct weft_url url = {0};
    given(&url, "http://x");
    is(weft_url_username(&url), "");
    is(weft_url_password(&url), "");
    is(weft_url_port(&url), "");
    is(weft_url_search(&url), "");
    is(weft_url_hash(&url), "");
    is(weft_url_host(&url), "x");
    is(weft_url_target(&url), "/");
    assert_null(weft_url_query(&url).data);
    assert_int_equal(url.port, -1);
    weft_url_free(&url);
}

TEST(a_user_or_a_password_may_stand_alone)
{
    struct weft_url url = {0};
    given(&url, "http://u@x/");
    is(weft_url_username(&url), "u");
    is(weft_url_password(&url), "");
    given(&url, "http://:p@x/");
    is(weft_url_username(&url), "");
    is(weft_url_password(&url), "p");
    is(weft_url_hostname(&url), "x");
    weft_url_free(&url);
}

TEST(a_bare_question_mark_is_no_search_but_an_empty_query)
{
    struct weft_url url = {0};
    given(&url, "http://x/?#");
    is(url.href, "http://x/?#");
    is(weft_url_search(&url), "");
    is(weft_url_hash(&url), "");
    assert_non_null(weft_url_query(&url).data);
    is(weft_url_query(&url), "");
    is(weft_url_target(&url), "/?");
    weft_url_free(&url);
}

TEST(a_path_without_a_host_has_no_host)
{
    struct weft_url url = {0};
    given(&url, "foo:/.//a/b?q");
    assert_false(url.has_host);
    is(weft_url_host(&url), "");
    is(weft_url_hostname(&url), "");
    is(weft_url_port(&url), "");
    is(weft_url_pathname(&url), "//a/b");
    is(weft_url_search(&url), "?q");
    given(&url, "mailto:a@b");
    assert_true(url.opaque);
    is(weft_url_pathname(&url), "a@b");
    is(weft_url_username(&url), "");
    given(&url, "file:///a");
    assert_true(url.has_host);
    is(weft_url_host(&url), "");
    weft_url_free(&url);
}

TEST(an_empty_url_has_empty_parts)
{
    struct weft_url url = {0};
    assert_int_equal(weft_url_parse(&url, weft_text_of("no"), NULL), UV_EINVAL);
    for (int round = 0; round < 2; round++) {
        is(weft_url_protocol(&url), "");
        is(weft_url_scheme(&url), "");
        is(weft_url_username(&url), "");
        is(weft_url_password(&url), "");
        is(weft_url_host(&url), "");
        is(weft_url_hostname(&url), "");
        is(weft_url_port(&url), "");
        is(weft_url_pathname(&url), "");
        is(weft_url_search(&url), "");
        is(weft_url_query(&url), "");
        is(weft_url_target(&url), "");
        is(weft_url_hash(&url), "");
        assert_int_equal(weft_url_port_number(&url), 0);
        assert_false(weft_url_is_http(&url));
        weft_url_drop_fragment(&url);
        weft_url_drop_credentials(&url);
        weft_url_free(&url);
        weft_url_free(NULL);
    }
}

TEST(a_failed_parse_leaves_nothing_of_what_it_had_read)
{
    struct weft_url url = {0};
    assert_int_equal(weft_url_parse(&url, weft_text_of("http://u@x:81x/"), NULL), UV_EINVAL);
    assert_false(weft_url_is_http(&url));
    assert_false(url.has_host);
    assert_int_equal(url.user_begin, 0);
    assert_int_equal(weft_url_port_number(&url), 0);
    weft_url_free(&url);
}

TEST(what_comes_from_the_base_is_known_as_what_it_is)
{
    struct weft_url base = {0}, url = {0};
    given(&base, "http://u:p@x:81/a");
    assert_int_equal(weft_url_parse(&url, weft_text_of("b"), &base), 0);
    assert_int_equal(weft_url_port_number(&url), 81);
    is(weft_url_password(&url), "p");
    assert_int_equal(weft_url_parse(&url, weft_text_of("//y/"), &base), 0);
    assert_int_equal(weft_url_port_number(&url), 80);
    is(weft_url_username(&url), "");
    given(&base, "mailto:a");
    assert_int_equal(weft_url_parse(&url, weft_text_of("#b"), &base), 0);
    assert_true(url.opaque);
    weft_url_free(&base);
    weft_url_free(&url);
}

TEST(an_empty_base_is_none)
{
    struct weft_url url = {0}, base = {0};
    assert_int_equal(weft_url_parse(&url, weft_text_of("a"), &base), UV_EINVAL);
    assert_int_equal(weft_url_parse(&url, weft_text_of("http://x/"), &base), 0);
    assert_int_equal(weft_url_parse(&url, weft_text(NULL, 0), &base), UV_EINVAL);
    weft_url_free(&url);
}

TEST(a_url_is_not_its_own_base)
{
    struct weft_url url = {0};
    given(&url, "http://x/a");
    assert_int_equal(weft_url_parse(&url, weft_text_of("b"), &url), UV_EINVAL);
    is(url.href, "http://x/a");
    weft_url_free(&url);
}

TEST(the_port_is_the_one_written_or_the_usual_one)
{
    static const struct {
        const char *text;
        int port;
    } list[] = {{"http://x/", 80},         {"https://x/", 443},   {"ws://x/", 80},
                {"wss://x/", 443},         {"ftp://x/", 21},      {"file:///x", 0},
                {"foo://x/", 0},           {"foo://x:7/", 7},     {"http://x:65535/", 65535},
                {"http://x:00443/", 443},  {"https://x:80/", 80}, {"mailto:x", 0},
                {"http://[::1]:443/", 443}};
    struct weft_url url = {0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        given(&url, list[i].text);
        assert_int_equal(weft_url_port_number(&url), list[i].port);
    }
    weft_url_free(&url);
}

TEST(http_is_told_from_the_rest)
{
    struct weft_url url = {0};
    given(&url, "HTTP://x");
    assert_true(weft_url_is_http(&url));
    given(&url, "https:x");
    assert_true(weft_url_is_http(&url));
    given(&url, "ws://x");
    assert_false(weft_url_is_http(&url));
    given(&url, "httpx:x");
    assert_false(weft_url_is_http(&url));
    weft_url_free(&url);
}

TEST(the_origin_is_scheme_host_and_port)
{
    origin_is("https://u:p@example.org:8080/a?b#c", "https://example.org:8080");
    origin_is("http://example.org:80/", "http://example.org");
    origin_is("ftp://x/", "ftp://x");
    origin_is("wss://[::1]/", "wss://[::1]");
    origin_is("file:///a", "null");
    origin_is("data:,a", "null");
    origin_is("foo://x/", "null");
}

TEST(a_blob_has_the_origin_of_the_page_that_made_it)
{
    origin_is("blob:https://x:81/6c2e", "https://x:81");
    origin_is("blob:http://u@x/", "http://x");
    origin_is("blob:ftp://x/", "null");
    origin_is("blob:blob:http://x/", "null");
    origin_is("blob:", "null");
    origin_is("blob:no", "null");
}

TEST(an_origin_that_does_not_fit_is_refused)
{
    struct weft_url url = {0};
    struct weft_text origin;
    char buffer[9];
    given(&url, "http://x/");
    assert_int_equal(weft_url_origin(&url, buffer, 8, &origin), UV_ENOBUFS);
    assert_string_equal(buffer, "");
    assert_int_equal(origin.size, 0);
    assert_int_equal(weft_url_origin(&url, buffer, 9, NULL), 0);
    assert_string_equal(buffer, "http://x");
    assert_int_equal(weft_url_origin(&url, NULL, 0, &origin), UV_ENOBUFS);
    weft_url_free(&url);
}

TEST(a_fragment_is_dropped)
{
    struct weft_url url = {0};
    given(&url, "http://x/a?b#c");
    weft_url_drop_fragment(&url);
    assert_string_equal(url.href.data, "http://x/a?b");
    is(weft_url_hash(&url), "");
    is(weft_url_search(&url), "?b");
    weft_url_drop_fragment(&url);
    is(url.href, "http://x/a?b");
    given(&url, "http://x/#");
    weft_url_drop_fragment(&url);
    is(url.href, "http://x/");
    weft_url_free(&url);
}

TEST(credentials_are_dropped)
{
    struct weft_url url = {0}, link = {0};
    given(&url, "http://user:secret@x:81/a?b#c");
    weft_url_drop_credentials(&url);
    assert_string_equal(url.href.data, "http://x:81/a?b#c");
    is(weft_url_username(&url), "");
    is(weft_url_password(&url), "");
    is(weft_url_host(&url), "x:81");
    is(weft_url_port(&url), "81");
    is(weft_url_pathname(&url), "/a");
    is(weft_url_query(&url), "b");
    is(weft_url_hash(&url), "#c");
    assert_int_equal(weft_url_parse(&link, weft_text_of("d"), &url), 0);
    is(link.href, "http://x:81/d");
    weft_url_drop_credentials(&url);
    is(url.href, "http://x:81/a?b#c");
    weft_url_free(&url);
    weft_url_free(&link);
}

TEST(a_copy_is_the_same_and_its_own)
{
    struct weft_url from = {0}, to = {0}, empty = {0}, link = {0};
    given(&from, "http://user@x:81/a?b#c");
    given(&to, "http://y/");
    assert_int_equal(weft_url_copy(&to, &from), 0);
    assert_int_equal(weft_url_copy(&to, &to), 0);
    weft_url_free(&from);
    assert_string_equal(to.href.data, "http://user@x:81/a?b#c");
    is(weft_url_username(&to), "user");
    is(weft_url_hash(&to), "#c");
    assert_int_equal(weft_url_parse(&link, weft_text_of("d"), &to), 0);
    is(link.href, "http://user@x:81/d");
    assert_int_equal(weft_url_copy(&to, &empty), 0);
    assert_int_equal(to.href.size, 0);
    is(weft_url_host(&to), "");
    weft_url_free(&to);
    weft_url_free(&link);
}

TEST(the_input_may_lie_in_the_base)
{
    struct weft_url base = {0}, url = {0};
    given(&base, "http://x/a?b/c");
    assert_int_equal(weft_url_parse(&url, weft_url_query(&base), &base), 0);
    is(url.href, "http://x/b/c");
    weft_url_free(&base);
    weft_url_free(&url);
}
