/* The public suite for URLs (web-platform-tests, url/resources/urltestdata.json): every case, every
 * part of the URL, and its score. */
/* ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "json.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <weft/url.h>

/* Scripts have strings of UTF-16, and give half a surrogate pair to the parser as U+FFFD. In the
 * three bytes that the reader made of it: ED A0..BF 80..BF. */
static struct weft_text scalar_values(struct weft_text text, char *buffer, size_t size)
{
    static const char replacement[] = {'\xef', '\xbf', '\xbd'};
    assert_true(text.size <= size);
    for (size_t i = 0; i < text.size; i++)
        buffer[i] = text.data[i];
    for (size_t i = 0; i + 2 < text.size; i++) {
        if (buffer[i] == '\xed' && (unsigned char)buffer[i + 1] >= 0xa0)
            memcpy(buffer + i, replacement, sizeof replacement);
    }
    return weft_text(buffer, text.size);
}

static bool has(const struct json *test, const char *name, struct weft_text got)
{
    const struct json *want = json_get(test, name);
    if (want == NULL || weft_text_equal(want->text, got))
        return true;
    fprintf(stderr, "%s: '%.*s', not '%.*s'\n", name, WEFT_TEXT_ARGS(got),
            WEFT_TEXT_ARGS(want->text));
    return false;
}

static bool has_all(const struct json *test, const struct weft_url *url)
{
    char buffer[4096];
    struct weft_text origin;
    assert_int_equal(weft_url_origin(url, buffer, sizeof buffer, &origin), 0);
    return has(test, "href", url->href) && has(test, "origin", origin) &&
           has(test, "protocol", weft_url_protocol(url)) &&
           has(test, "username", weft_url_username(url)) &&
           has(test, "password", weft_url_password(url)) && has(test, "host", weft_url_host(url)) &&
           has(test, "hostname", weft_url_hostname(url)) && has(test, "port", weft_url_port(url)) &&
           has(test, "pathname", weft_url_pathname(url)) &&
           has(test, "search", weft_url_search(url)) && has(test, "hash", weft_url_hash(url));
}

/* Parsing what came out changes nothing. */
static bool is_settled(const struct weft_url *url)
{
    struct weft_url again = {0};
    bool settled =
        weft_url_parse(&again, url->href, NULL) == 0 && weft_text_equal(again.href, url->href);
    weft_url_free(&again);
    return settled;
}

static bool holds(const struct json *test, struct weft_url *url, struct weft_url *base)
{
    char buffer[4096];
    struct weft_text base_text = json_text(test, "base");
    bool has_base = base_text.data != NULL;
    bool must_fail = json_get(test, "failure") != NULL;
    if (has_base && weft_url_parse(base, base_text, NULL) != 0)
        return must_fail;
    int err = weft_url_parse(url, scalar_values(json_text(test, "input"), buffer, sizeof buffer),
                             has_base ? base : NULL);
    if (err != 0 || must_fail)
        return must_fail && err == UV_EINVAL && url->href.size == 0;
    return has_all(test, url) && is_settled(url);
}

TEST(every_case_of_the_public_suite_holds)
{
    struct json *all = json_conformance("url/urltestdata.json");
    if (all == NULL) {
        skip();
        return;
    }
    struct weft_url url = {0}, base = {0};
    int passed = 0, cases = 0;
    for (const struct json *test = all->first; test != NULL; test = test->next) {
        if (test->kind != JSON_OBJECT)
            continue; /* a comment */
        cases++;
        if (holds(test, &url, &base)) {
            passed++;
            continue;
        }
        struct weft_text input = json_text(test, "input"), against = json_text(test, "base");
        fprintf(stderr, "fails: '%.*s' against '%.*s'\n", WEFT_TEXT_ARGS(input),
                WEFT_TEXT_ARGS(against));
    }
    printf("url: %d of %d\n", passed, cases);
    weft_url_free(&url);
    weft_url_free(&base);
    json_free(all);
    assert_true(cases > 0);
    assert_int_equal(passed, cases);
}
