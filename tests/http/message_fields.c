/* Fields: names and values, lists, parameters, content types, links, directives, codings, hosts. */
/* ctest: labels=valgrind-long shuffle=no */
#include "check.h"
#include "message_heads.h"
#include <stdio.h>
#include <uv.h>
#include <weft/http_message.h>

#define T weft_text_of

static void check_text(struct weft_text text, const char *expected)
{
    char got[256];
    snprintf(got, sizeof got, "%.*s", WEFT_TEXT_ARGS(text));
    assert_string_equal(got, expected);
}

/* ---- status, names, values ------------------------------------------------------------------ */

TEST(a_status_has_a_name_or_none)
{
    assert_string_equal(weft_http_reason(200), "OK");
    assert_string_equal(weft_http_reason(404), "Not Found");
    assert_string_equal(weft_http_reason(431), "Request Header Fields Too Large");
    static const int unknown[] = {0, -1, 99, 299, 418, 600, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_string_equal(weft_http_reason(unknown[i]), "");
}

TEST(every_name_of_a_status_is_its_own_and_fits_a_status_line)
{
    const char *names[100];
    size_t count = 0;
    for (int status = 0; status < 1000; status++) {
        const char *name = weft_http_reason(status);
        if (name[0] == '\0')
            continue;
        assert_true(status >= 100 && status < 600);
        assert_true(strlen(name) <= 40 && weft_http_value_ok(weft_text_of(name)));
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(names[i], name);
        names[count++] = name;
    }
    assert_int_equal(count, 60);
}

TEST(the_name_of_a_field_is_a_token)
{
    assert_true(weft_http_name_ok(T("X-Weft_1!#$%&'*+.^`|~")));
    assert_true(weft_http_name_ok(T("a")));
    static const char *const bad[] = {"",      "a b",      "a:",  " a",  "a ",    "a\r",
                                      "a\nb",  "a\tb",     "(a)", "a,b", "\"a\"", "\x7f",
                                      "a\x01", "\xc3\xa4", "a;",  "a=b", "a/b",   "@"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (weft_http_name_ok(T(bad[i])))
            fail_msg("'%s' was taken", bad[i]);
    }
    assert_false(weft_http_name_ok(weft_text("a\0b", 3)));
    assert_false(weft_http_name_ok(weft_text(NULL, 0)));
}

TEST(a_value_has_no_control_characters_but_the_tab)
{
    assert_true(weft_http_value_ok(T("")));
    assert_true(weft_http_value_ok(weft_text(NULL, 0)));
    assert_true(weft_http_value_ok(T(" a\tb; \"c\" \xc3\xa4 \xff ")));
    for (int c = 0; c < 256; c++) {
        char value[3] = {'a', (char)c, 'b'};
        bool expected = c == '\t' || (c >= ' ' && c != 0x7f);
        assert_int_equal(weft_http_value_ok(weft_text(value, 3)), expected);
    }
    assert_false(weft_http_value_ok(T("x\r\nSet-Cookie: a=b")));
}

/* ---- lists and parameters ------------------------------------------------------------------- */

/* All elements with '|' between them. */
static const char *elements(const char *list)
{
    static char joined[256];
    struct weft_text rest = T(list), element;
    joined[0] = '\0';
    while (weft_http_list_next(&rest, &element) == 1) {
        assert_true(element.size > 0);
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%.*s|", WEFT_TEXT_ARGS(element));
    }
    assert_int_equal(weft_http_list_next(&rest, &element), 0);
    assert_int_equal(element.size, 0);
    return joined;
}

TEST(a_list_is_cut_at_commas_outside_of_quotes)
{
    assert_string_equal(elements(""), "");
    assert_string_equal(elements("a"), "a|");
    assert_string_equal(elements("a,b"), "a|b|");
    assert_string_equal(elements(" , a ,, \tb\t, "), "a|b|");
    assert_string_equal(elements("\"a,b\",c"), "\"a,b\"|c|");
    assert_string_equal(elements("x=\"a\\\",b\",c"), "x=\"a\\\",b\"|c|");
    assert_string_equal(elements("\"a,b"), "\"a,b|");
    assert_string_equal(elements("\"a\\"), "\"a\\|");
}

/* name[=value] with '|' behind; '!' for a malformed one. */
static const char *parameters(const char *text,
                              int (*next)(struct weft_text *, struct weft_http_parameter *))
{
    static char joined[256];
    struct weft_text rest = T(text);
    struct weft_http_parameter parameter;
    int found;
    joined[0] = '\0';
    while ((found = next(&rest, &parameter)) != 0) {
        size_t used = strlen(joined);
        if (found == UV_EINVAL) {
            assert_null(parameter.name.data);
            snprintf(joined + used, sizeof joined - used, "!|");
            continue;
        }
        assert_int_equal(found, 1);
        snprintf(joined + used, sizeof joined - used, "%.*s%s%.*s%s%s|",
                 WEFT_TEXT_ARGS(parameter.name), parameter.value.data != NULL ? "=" : "",
                 WEFT_TEXT_ARGS(parameter.value), parameter.quoted ? "Q" : "",
                 parameter.escaped ? "E" : "");
    }
    return joined;
}

TEST(parameters_are_names_with_or_without_values)
{
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", ""},
        {";", ""},
        {" ; ;; ", ""},
        {"a=b", "a=b|"},
        {";a=b;c=d", "a=b|c=d|"},
        {" ; a = b ; c ", "a=b|c|"},
        {"a=\"b;c\"; d=\"\"", "a=b;cQ|d=Q|"},
        {"a=\"b\\\"c\\\\\"", "a=b\\\"c\\\\QE|"},
        {"a=", "a=|"},
        {"a=;b=c", "a=|b=c|"},
        {"type=text/html", "type=text/html|"},
        {"title*=UTF-8''x%20y", "title*=UTF-8''x%20y|"},
        {"=b;c=d", "!|c=d|"},
        {"a b;c=d", "!|c=d|"},
        {"a=b c;d", "!|d|"},
        {"a=\"b\"c;d", "!|d|"},
        {"a=\"b", "!|"},
        {"a=\"b\\", "!|"},
        {"a=\"b\\\"", "!|"},
        {"a=\"b\x01\";c", "!|c|"},
        {"a=b\"c;d\";e", "!|e|"},
        {"a=b,c=d", "!|"},
        {"\"a\"=b;c", "!|c|"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *got = parameters(table[i].text, weft_http_parameter_next);
        if (strcmp(got, table[i].expected) != 0)
            fail_msg("'%s' is %s", table[i].text, got);
    }
}

TEST(directives_are_parameters_with_commas)
{
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", ""},
        {"no-store", "no-store|"},
        {"public, max-age=60 ,,s-maxage=\"10\"", "public|max-age=60|s-maxage=10Q|"},
        {"private=\"set-cookie, x\", no-cache", "private=set-cookie, xQ|no-cache|"},
        {"max-age=60 private, a", "!|a|"},
        {"a;b, c", "!|c|"},
        {"=1, a", "!|a|"},
        {"a=\"b, c", "!|"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *got = parameters(table[i].text, weft_http_directive_next);
        if (strcmp(got, table[i].expected) != 0)
            fail_msg("'%s' is %s", table[i].text, got);
    }
}

static struct weft_http_parameter parameter_of(const char *text)
{
    struct weft_text rest = T(text);
    struct weft_http_parameter parameter;
    assert_int_equal(weft_http_parameter_next(&rest, &parameter), 1);
    return parameter;
}

TEST(escapes_are_taken_out_into_a_buffer)
{
    struct weft_http_parameter parameter = parameter_of("a=\"\\b\\\\c\\\"\"");
    struct weft_text plain;
    char buffer[5];
    assert_int_equal(weft_http_unescape(&parameter, buffer, sizeof buffer, &plain), 0);
    assert_string_equal(buffer, "b\\c\"");
    assert_int_equal(plain.size, 4);
    assert_int_equal(weft_http_unescape(&parameter, buffer, 4, &plain), UV_ENOBUFS);
    assert_string_equal(buffer, "");
    assert_int_equal(plain.size, 0);
    buffer[0] = 'x';
    assert_int_equal(weft_http_unescape(&parameter, buffer, 1, NULL), UV_ENOBUFS);
    assert_string_equal(buffer, "");
    assert_int_equal(weft_http_unescape(&parameter, NULL, 0, NULL), UV_ENOBUFS);
}

TEST(outside_of_quotes_there_are_no_escapes)
{
    struct weft_http_parameter parameter = parameter_of("a=b\\c");
    char buffer[8];
    assert_false(parameter.escaped);
    assert_int_equal(weft_http_unescape(&parameter, buffer, sizeof buffer, NULL), 0);
    assert_string_equal(buffer, "b\\c");
    parameter = parameter_of("a");
    assert_int_equal(weft_http_unescape(&parameter, buffer, sizeof buffer, NULL), 0);
    assert_string_equal(buffer, "");
}

/* ---- content types -------------------------------------------------------------------------- */

TEST(a_content_type_is_taken_apart)
{
    struct weft_http_content_type type;
    assert_int_equal(
        weft_http_content_type_parse(T("Text/HTML;Charset=\"utf-8\"; charset=x; a=b"), &type), 0);
    check_text(type.type, "Text");
    check_text(type.subtype, "HTML");
    check_text(type.charset, "utf-8");
    assert_null(type.boundary.data);
    check_text(type.parameters, ";Charset=\"utf-8\"; charset=x; a=b");
    assert_true(weft_http_content_type_is(&type, "text/html"));
    assert_false(weft_http_content_type_is(&type, "text/htm"));
    assert_false(weft_http_content_type_is(&type, "text"));
    assert_int_equal(
        weft_http_content_type_parse(T(" multipart/form-data ; boundary=\"a b\" "), &type), 0);
    check_text(type.boundary, "a b");
    assert_int_equal(weft_http_content_type_parse(T("image/svg+xml"), &type), 0);
    check_text(type.subtype, "svg+xml");
    assert_int_equal(type.parameters.size, 0);
}

TEST(parameters_of_a_content_type_that_are_malformed_are_passed_over)
{
    struct weft_http_content_type type;
    assert_int_equal(
        weft_http_content_type_parse(T("text/html; =; charset; a b; charset=x"), &type), 0);
    check_text(type.charset, "x");
    assert_int_equal(weft_http_content_type_parse(T("text/html; charset=\"a\\b\""), &type), 0);
    assert_null(type.charset.data);
    assert_int_equal(weft_http_content_type_parse(T("text/html; charset=\"a"), &type), 0);
    assert_null(type.charset.data);
}

TEST(what_has_no_type_is_no_content_type)
{
    static const char *const bad[] = {"",           "text",       "text/",       "/html",
                                      "text /html", "text/ html", "text/html x", "text/html,",
                                      "te(xt/html", "text//html", "*",           "text/html/x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weft_http_content_type type;
        memset(&type, 1, sizeof type);
        if (weft_http_content_type_parse(T(bad[i]), &type) != UV_EINVAL)
            fail_msg("'%s' was taken", bad[i]);
        assert_true(type.type.size == 0 && type.subtype.size == 0 && type.parameters.size == 0);
        assert_false(weft_http_content_type_is(&type, ""));
        assert_false(weft_http_content_type_is(&type, "/"));
    }
}

/* ---- links ---------------------------------------------------------------------------------- */

/* target(rel) with '|' behind; '!' for a malformed one. */
static const char *links(const char *text)
{
    static char joined[256];
    struct weft_text rest = T(text);
    struct weft_http_link link;
    int found;
    joined[0] = '\0';
    while ((found = weft_http_link_next(&rest, &link)) != 0) {
        size_t used = strlen(joined);
        if (found == 1)
            snprintf(joined + used, sizeof joined - used, "%.*s(%.*s)|",
                     WEFT_TEXT_ARGS(link.target), WEFT_TEXT_ARGS(link.rel));
        else
            snprintf(joined + used, sizeof joined - used, "!|");
    }
    return joined;
}

TEST(links_have_targets_and_relations)
{
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", ""},
        {" , ,", ""},
        {"<a>", "a()|"},
        {"<>; rel=self", "(self)|"},
        {"<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
         "http://example.com/TheBook/chapter2(previous)|"},
        {"</>; rel=\"http://example.net/foo\"", "/(http://example.net/foo)|"},
        {"</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
         "</TheBook/chapter4>; rel=\"next\"",
         "/TheBook/chapter2(previous)|/TheBook/chapter4(next)|"},
        {"<a,b;c>;rel=x;title=\"<y>, z\",<d>", "a,b;c(x)|d()|"},
        {"<a>; REL=first; rel=second", "a(first)|"},
        {"<a>;rel=next;crossorigin,<b>", "a(next)|b()|"},
        {"< a >;rel=x", "a(x)|"},
        {"junk, <b>;rel=x", "!|b(x)|"},
        {";rel=x, <b>", "!|b()|"},
        {"<a, <b>;rel=x", "a, <b(x)|"},
        {"<a>junk, <b>", "!|b()|"},
        {"<a> rel=x, <b>", "!|b()|"},
        {"<a>; =x, <b>", "!|b()|"},
        {"<a>; rel=\"x, <b>", "!|"},
        {"<a", "!|"},
        {"<", "!|"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *got = links(table[i].text);
        if (strcmp(got, table[i].expected) != 0)
            fail_msg("'%s' is %s", table[i].text, got);
    }
}

TEST(a_link_may_have_several_relations)
{
    struct weft_text rest = T("<a>; rel=\"start  Http://example.net/relation/other\"");
    struct weft_http_link link;
    assert_int_equal(weft_http_link_next(&rest, &link), 1);
    assert_true(weft_http_link_is(&link, "START"));
    assert_true(weft_http_link_is(&link, "http://example.net/relation/other"));
    assert_false(weft_http_link_is(&link, "star"));
    assert_false(weft_http_link_is(&link, ""));
    assert_false(weft_http_link_is(&(struct weft_http_link){.rel = {NULL, 0}}, ""));
}

/* ---- Accept-Encoding ------------------------------------------------------------------------ */

TEST(codings_are_liked_as_the_client_says)
{
    static const struct {
        const char *value;
        unsigned gzip, br, identity;
    } table[] = {
        {"", 0, 0, 1},
        {"*", 1000, 1000, 1000},
        {"compress, gzip", 1000, 0, 1},
        {"compress;q=0.5, gzip;q=1.0", 1000, 0, 1},
        {"gzip;q=1.0, identity; q=0.5, *;q=0", 1000, 0, 500},
        {"GZIP", 1000, 0, 1},
        {"x-gzip", 1000, 0, 1},
        {"gzip;q=0", 0, 0, 1},
        {"gzip;q=0.000", 0, 0, 1},
        {"gzip;q=0.001", 1, 0, 1},
        {"gzip;q=0.05, br;q=.5", 50, 0, 1},
        {"gzip ; Q=0.8 , br", 800, 1000, 1},
        {"*;q=0", 0, 0, 0},
        {"identity;q=0", 0, 0, 0},
        {"*;q=0, identity", 0, 0, 1000},
        {"*;q=0.5, *;q=0.2, *", 200, 200, 200},
        {"*;q=0.5", 500, 500, 500},
        {"gzip, *;q=0", 1000, 0, 0},
        {"gzip;q=2", 0, 0, 1},
        {"gzip;q=1.001", 0, 0, 1},
        {"gzip;q=0.1234", 0, 0, 1},
        {"gzip;q=-1", 0, 0, 1},
        {"gzip;q=", 0, 0, 1},
        {"gzip;q", 0, 0, 1},
        {"gzip;q=1.", 1000, 0, 1},
        {"gzip;q=01", 0, 0, 1},
        {"gzip;q=\"1", 0, 0, 1},
        {"gzip junk, br", 0, 1000, 1},
        {"gzipp, ggzip", 0, 0, 1},
        {"gzip, gzip;q=0", 0, 0, 1},
        {";q=1", 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Accept-Encoding", table[i].value);
        unsigned gzip = weft_http_encoding_quality(&head, "gzip");
        unsigned br = weft_http_encoding_quality(&head, "br");
        unsigned identity = weft_http_encoding_quality(&head, "identity");
        if (gzip != table[i].gzip || br != table[i].br || identity != table[i].identity)
            fail_msg("'%s': gzip %u, br %u, identity %u", table[i].value, gzip, br, identity);
        assert_int_equal(weft_http_accepts_encoding(&head, "gzip"), gzip > 0);
    }
}

TEST(without_a_word_about_codings_only_plain_bytes_are_sent)
{
    struct weft_http_head head = HEAD(WEFT_HTTP_GET, "Host", "x");
    assert_false(weft_http_accepts_encoding(&head, "gzip"));
    assert_int_equal(weft_http_encoding_quality(&head, "identity"), 1000);
}

TEST(several_accept_encodings_are_one_list)
{
    struct weft_http_head head =
        HEAD(WEFT_HTTP_GET, "Accept-Encoding", "gzip;q=0.5", "accept-encoding", "br");
    assert_int_equal(weft_http_encoding_quality(&head, "gzip"), 500);
    assert_int_equal(weft_http_encoding_quality(&head, "br"), 1000);
}

/* ---- hosts ---------------------------------------------------------------------------------- */

TEST(a_host_is_split_from_its_port)
{
    static const struct {
        const char *text, *host;
        int port;
    } table[] = {
        {"example.org", "example.org", -1},
        {"example.org:8080", "example.org", 8080},
        {"example.org:", "example.org", -1},
        {"localhost:0", "localhost", 0},
        {"127.0.0.1:65535", "127.0.0.1", 65535},
        {"[::1]", "::1", -1},
        {"[::1]:80", "::1", 80},
        {"[2001:db8::192.0.2.1]:00080", "2001:db8::192.0.2.1", 80},
        {"a_b~c.d%20e", "a_b~c.d%20e", -1},
        {"a%0f%f0", "a%0f%f0", -1},
        {"a", "a", -1},
        {"xn--bcher-kva.example", "xn--bcher-kva.example", -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weft_text host;
        int port = 7;
        assert_int_equal(weft_http_host_split(T(table[i].text), &host, &port), 0);
        check_text(host, table[i].host);
        assert_int_equal(port, table[i].port);
    }
}

TEST(what_is_no_host_is_refused)
{
    static const char *const bad[] = {
        "",           ":",           ":80",
        "a:65536",    "a:-1",        "a:8 0",
        "a: 80",      "a:80:80",     "a b",
        "user@a",     "a/b",         "a?b",
        "a#b",        "::1",         "[::1",
        "[]",         "[::1]x",      "[::1]80",
        "[1.2.3.4]",  "[a]",         "[::1%25eth0]",
        "[::1%1]",    "[::1]:x",     "a%2",
        "a%zz",       "[[::1]]",     "a\\b",
        "<a>",        "a:80\r",      "%zz.a",
        "a%0g.b",     "a%g0.b",      "[0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0::]",
        "[v1.fe:80]", "\xc3\xa4.de", "[::1]:80:",
        "a]",         "a[::1]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weft_text host;
        int port = 7;
        if (weft_http_host_split(T(bad[i]), &host, &port) != UV_EINVAL)
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(host.size, 0);
        assert_int_equal(port, -1);
    }
    struct weft_text host;
    int port;
    assert_int_equal(weft_http_host_split(weft_text("[::1\0]", 6), &host, &port), UV_EINVAL);
}
