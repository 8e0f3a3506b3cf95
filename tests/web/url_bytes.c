/* Every byte in every part of a URL. What has to be done with it is written down here a second
 * time, as the standard lists it, and not taken from the parser's table. */
/* ctest: shuffle=no */
#include "check.h"
#include <stdio.h>
#include <string.h>
#include <uv.h>
#include <weft/url.h>

/* What a part encodes besides controls and what lies outside ASCII; what ends it, so that it is
 * tested elsewhere; what makes the URL invalid. */
struct part {
    const char *name, *before, *behind, *encoded, *ends, *invalid;
    bool is_domain;
};

#define QUERY " \"#<>"
#define PATH QUERY "?^`{}"
#define USER PATH "/:;=@[\\]|"
#define NO_HOST " #/:<>?@[\\]^|"

static const struct part parts[] = {
    {"user", "http://a", "b@x/", USER, "/\\?#:", "", false},
    {"password", "http://u:a", "b@x/", USER, "/\\?#", "", false},
    {"domain", "http://a", "b/", "", "/\\?#@:", NO_HOST "%", true},
    {"host", "foo://a", "b/", "", "/?#@:", NO_HOST, false},
    {"path", "http://x/a", "b", PATH, "/\\?#", "", false},
    {"other path", "foo://x/a", "b", PATH, "?#", "", false},
    {"opaque path", "foo:a", "b", "", "?#", "", false},
    {"query", "http://x/?a", "b", QUERY "'", "#", "", false},
    {"other query", "foo://x/?a", "b", QUERY, "#", "", false},
    {"fragment", "http://x/#a", "b", " \"<>`", "", "", false},
};

static bool in(const char *list, int c)
{
    return c != '\0' && strchr(list, c) != NULL;
}

static bool is_control(int c)
{
    return c < ' ' || c == 0x7f;
}

/* What the byte has to look like; NULL: it makes the URL invalid. */
static const char *expected(const struct part *part, int c, char text[12])
{
    if (c == '\t' || c == '\n' || c == '\r')
        return "";
    bool host = part->invalid[0] != '\0';
    if (in(part->invalid, c) || (c == '\0' && host))
        return NULL;
    if (part->is_domain && (is_control(c) || c >= 0x80))
        return NULL; /* a lone byte is U+FFFD */
    if (c >= 0x80)
        return "%EF%BF%BD";
    if (is_control(c) || in(part->encoded, c))
        snprintf(text, 12, "%%%02X", c);
    else
        snprintf(text, 12, "%c", part->is_domain ? weft_text_lower((char)c) : c);
    return text;
}

static void check_byte(const struct part *part, int c)
{
    char input[64], want[64] = "", text[12];
    struct weft_text before = weft_text_of(part->before), behind = weft_text_of(part->behind);
    memcpy(input, before.data, before.size);
    input[before.size] = (char)c;
    memcpy(input + before.size + 1, behind.data, behind.size);
    const char *middle = expected(part, c, text);
    if (middle != NULL)
        snprintf(want, sizeof want, "%s%s%s", part->before, middle, part->behind);

    struct weft_url url = {0};
    struct weft_text whole = {input, before.size + 1 + behind.size};
    int err = weft_url_parse(&url, whole, NULL);
    if (err != (middle != NULL ? 0 : UV_EINVAL) || !weft_text_is(url.href, want))
        fail_msg("byte %02x in a %s: '%.*s' (%d), not '%s'", c, part->name,
                 WEFT_TEXT_ARGS(url.href), err, want);
    weft_url_free(&url);
}

TEST(every_byte_in_every_part_is_kept_encoded_or_refused_as_the_standard_has_it)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (int c = 0; c < 256; c++) {
            if (!in(parts[i].ends, c))
                check_byte(&parts[i], c);
        }
    }
}

static bool may_be_in_scheme(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           in("+-.", c);
}

TEST(every_byte_in_a_scheme_belongs_there_or_ends_it)
{
    for (int c = 0; c < 256; c++) {
        char input[] = "a?b:x", want[] = "a?b:x";
        struct weft_url url = {0};
        input[1] = (char)c;
        want[1] = weft_text_lower((char)c);
        int err = weft_url_parse(&url, weft_text(input, 5), NULL);
        if (c == '\t' || c == '\n' || c == '\r')
            assert_true(weft_text_is(url.href, "ab:x"));
        else if (c == ':')
            assert_true(weft_text_is(url.href, "a:b:x"));
        else if (may_be_in_scheme(c))
            assert_true(weft_text_is(url.href, want));
        else
            assert_int_equal(err, UV_EINVAL);
        weft_url_free(&url);
    }
}

TEST(every_byte_in_a_port_is_a_digit_or_refused)
{
    for (int c = 0; c < 256; c++) {
        char input[] = "http://x:1?2/";
        struct weft_url url = {0};
        input[10] = (char)c;
        int err = weft_url_parse(&url, weft_text(input, 13), NULL);
        if (c >= '0' && c <= '9')
            assert_int_equal(url.port, 102 + 10 * (c - '0'));
        else if (c == '\t' || c == '\n' || c == '\r')
            assert_int_equal(url.port, 12);
        else if (in("/\\?#", c))
            assert_int_equal(url.port, 1);
        else if (c == '@') /* what came before was a user and his password */
            assert_true(weft_text_is(url.href, "http://x:1@0.0.0.2/"));
        else
            assert_int_equal(err, UV_EINVAL);
        weft_url_free(&url);
    }
}

TEST(every_byte_around_a_url_is_trimmed_or_kept)
{
    for (int c = 0; c < 256; c++) {
        char input[] = "?http://x/?";
        struct weft_url url = {0};
        input[0] = input[10] = (char)c;
        int err = weft_url_parse(&url, weft_text(input, 11), NULL);
        if (c <= ' ')
            assert_true(weft_text_is(url.href, "http://x/"));
        else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            assert_int_equal(err, 0); /* another scheme */
        else
            assert_int_equal(err, UV_EINVAL);
        weft_url_free(&url);
    }
}

static bool could_be_ipv6(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ||
           in(":\t\n\r", c);
}

TEST(every_byte_in_an_ipv6_address_belongs_there_or_is_refused)
{
    for (int c = 0; c < 256; c++) {
        char input[] = "http://[1?2::]/";
        struct weft_url url = {0};
        input[9] = (char)c;
        int err = weft_url_parse(&url, weft_text(input, 15), NULL);
        assert_int_equal(err, could_be_ipv6(c) ? 0 : UV_EINVAL);
        weft_url_free(&url);
    }
}
