/* ctest: labels=valgrind shuffle=no */
/* URLs by example: what goes in, against which base, and what has to come out. The same ground as
 * the public suite (url_suite.c), for where that is not at hand. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <weft/url.h>

struct example {
    const char *input, *base, *href; /* href NULL: it is no URL */
};

/* From a block that is just as large, so that a sanitizer sees a read past its end. */
static int parse(struct weft_url *url, const char *input, const struct weft_url *base)
{
    struct weft_text text = weft_text_of(input);
    char *block = malloc(text.size > 0 ? text.size : 1);
    assert_non_null(block);
    memcpy(block, text.data, text.size);
    int err = weft_url_parse(url, weft_text(block, text.size), base);
    free(block);
    return err;
}

static void check_example(const struct example *e)
{
    struct weft_url base = {0}, url = {0}, again = {0};
    if (e->base != NULL)
        assert_int_equal(parse(&base, e->base, NULL), 0);
    int err = parse(&url, e->input, e->base != NULL ? &base : NULL);
    if ((err == 0) != (e->href != NULL) ||
        (err == 0 && (!weft_text_is(url.href, e->href) || url.href.data[url.href.size] != '\0')))
        fail_msg("'%s' against '%s' is '%.*s', not '%s'", e->input, e->base ? e->base : "",
                 err == 0 ? (int)url.href.size : 2, err == 0 ? url.href.data : "no",
                 e->href ? e->href : "an error");
    if (err == 0) {
        assert_int_equal(weft_url_parse(&again, url.href, NULL), 0);
        assert_true(weft_text_equal(again.href, url.href));
    } else {
        assert_int_equal(err, UV_EINVAL);
        assert_int_equal(url.href.size, 0);
    }
    weft_url_free(&base);
    weft_url_free(&url);
    weft_url_free(&again);
}

#define EXAMPLES(...)                                                                              \
    do {                                                                                           \
        static const struct example list[] = {__VA_ARGS__};                                        \
        for (size_t i = 0; i < sizeof list / sizeof *list; i++)                                    \
            check_example(&list[i]);                                                               \
    } while (0)

TEST(a_url_in_its_final_form_stays_as_it_is)
{
    EXAMPLES(
        {"http://example.org/", NULL, "http://example.org/"},
        {"https://example.org/a/b.html?c=d&e#f", NULL, "https://example.org/a/b.html?c=d&e#f"},
        {"https://example.org/a//b///", NULL, "https://example.org/a//b///"},
        {"https://example.org/%41%2f%zz%", NULL, "https://example.org/%41%2f%zz%"},
        {"https://user:secret@example.org:8080/", NULL, "https://user:secret@example.org:8080/"},
        {"https://[2001:db8::1]:81/", NULL, "https://[2001:db8::1]:81/"},
        {"mailto:somebody@example.org", NULL, "mailto:somebody@example.org"},
        {"data:text/plain,a b", NULL, "data:text/plain,a b"},
        {"file:///etc/passwd", NULL, "file:///etc/passwd"},
        {"urn:isbn:0?x#y", NULL, "urn:isbn:0?x#y"});
}

TEST(schemes_are_put_into_lower_case_and_have_to_be_well_formed)
{
    EXAMPLES({"HTTP://example.org/", NULL, "http://example.org/"},
             {"HtTpS:example.org", NULL, "https://example.org/"},
             {"Web+Demo.1-a:x", NULL, "web+demo.1-a:x"}, {"1http://example.org/", NULL, NULL},
             {"ht_tp://example.org/", NULL, NULL}, {"://example.org/", NULL, NULL},
             {"example.org", NULL, NULL}, {"", NULL, NULL}, {":", NULL, NULL}, {"http", NULL, NULL},
             {"https", NULL, NULL}, {"http:", NULL, NULL}, {"https:", NULL, NULL},
             {"httpx://A/", NULL, "httpx://A/"});
}

TEST(blanks_around_are_trimmed_and_tabs_and_line_ends_removed)
{
    EXAMPLES({"  \f\v http://example.org/ \x01\x1f ", NULL, "http://example.org/"},
             {"ht\ntp:\r//exa\tmple.org/a\n\n\tb", NULL, "http://example.org/ab"},
             {"\thttp://example.org/?a\nb#c\td\n", NULL, "http://example.org/?ab#cd"},
             {"http://example.org:8\n0\t8/", NULL, "http://example.org:808/"},
             {"\n", "http://a/b", "http://a/b"}, {"a\tb", "http://x/", "http://x/ab"},
             {"h\tttp://x y/", NULL, NULL});
}

TEST(slashes_behind_a_special_scheme_are_taken_as_they_come)
{
    EXAMPLES({"http:example.org", NULL, "http://example.org/"},
             {"http:/example.org", NULL, "http://example.org/"},
             {"http:////example.org", NULL, "http://example.org/"},
             {"http:\\\\example.org\\a\\b", NULL, "http://example.org/a/b"},
             {"http:/\\/example.org", NULL, "http://example.org/"},
             {"ws:\\example.org", NULL, "ws://example.org/"}, {"http://", NULL, NULL},
             {"http:///", NULL, NULL}, {"http://?", NULL, NULL}, {"http://#x", NULL, NULL},
             {"https://\\", NULL, NULL}, {"foo:\\\\bar", NULL, "foo:\\\\bar"});
}

TEST(a_base_with_the_same_scheme_helps_out)
{
    EXAMPLES({"http:b", "http://x/a/c", "http://x/a/b"}, {"http:/b", "http://x/a/c", "http://x/b"},
             {"http://y", "http://x/a/c", "http://y/"}, {"http:", "http://x/a?q#f", "http://x/a?q"},
             {"https:b", "http://x/a/c", "https://b/"},
             {"http:\\\\y\\z", "http://x/a", "http://y/z"},
             {"HTTP:?q", "http://x/a?r", "http://x/a?q"},
             {"foo:b", "foo://x/a/c", "foo:b"}); /* not where the scheme is not special */
}

TEST(dot_segments_are_resolved_however_they_are_written)
{
    EXAMPLES({"http://x/a/./b", NULL, "http://x/a/b"}, {"http://x/a/../b", NULL, "http://x/b"},
             {"http://x/a/b/..", NULL, "http://x/a/"}, {"http://x/a/b/.", NULL, "http://x/a/b/"},
             {"http://x/..", NULL, "http://x/"}, {"http://x/../../a", NULL, "http://x/a"},
             {"http://x/%2e/a/%2E%2e/b", NULL, "http://x/b"},
             {"http://x/a/.%2e/.%2E/b", NULL, "http://x/b"}, {"http://x/a/%2e.", NULL, "http://x/"},
             {"http://x/...", NULL, "http://x/..."},
             {"http://x/.a/..b/%2ea", NULL, "http://x/.a/..b/%2ea"},
             {"http://x/a/..;/b", NULL, "http://x/a/..;/b"},
             {"http://x/a\\..\\b", NULL, "http://x/b"}, {"http://x/a/..?q", NULL, "http://x/?q"},
             {"http://x/a//../b", NULL, "http://x/a/b"}, {"http://x/.#f", NULL, "http://x/#f"},
             {"foo://x/a/../b", NULL, "foo://x/b"}, {"foo:/a/../../b", NULL, "foo:/b"},
             {"foo://x/..\\b", NULL, "foo://x/..\\b"}, {"http://x/%2", NULL, "http://x/%2"},
             {"foo:a/../b", NULL, "foo:a/../b"});
}

/* Long paths are looked at in words of bytes: so at each place in them, before and behind any edge. */
static void check_dots_between(size_t before, const char *dots, size_t behind)
{
    static const char a[] = "aaaaaaaaaaaaaaaaaaaaaaaa", b[] = "bbbbbbbbbbbbbbbbbbbbbbbb";
    char input[128], href[128];
    bool one = strcmp(dots, ".") == 0 || strcmp(dots, "%2e") == 0;
    int kept = one ? (int)before : 0;
    const char *slash = before > 0 ? "/" : "";
    snprintf(input, sizeof input, "http://x/%.*s%s%s/%.*s", (int)before, a, slash, dots,
             (int)behind, b);
    snprintf(href, sizeof href, "http://x/%.*s%s%.*s", kept, a, kept > 0 ? slash : "", (int)behind,
             b);
    check_example(&(struct example){input, NULL, href});
    snprintf(input, sizeof input, "http://x/%.*s%s%s?%.*s", (int)before, a, slash, dots,
             (int)behind, b);
    snprintf(href, sizeof href, "http://x/%.*s%s?%.*s", kept, a, kept > 0 ? slash : "", (int)behind,
             b);
    check_example(&(struct example){input, NULL, href});
}

TEST(dot_segments_are_found_wherever_they_stand)
{
    static const char *dots[] = {".", "..", "%2e", ".%2e", "%2E.", "%2e%2E"};
    for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
        for (size_t before = 0; before <= 20; before++) {
            for (size_t behind = 0; behind <= 20; behind++)
                check_dots_between(before, dots[i], behind);
        }
    }
}

TEST(a_link_is_resolved_against_its_page)
{
    static const char page[] = "http://u:p@x:81/a/b?q#f";
    EXAMPLES(
        {"", page, "http://u:p@x:81/a/b?q"}, {"#g", page, "http://u:p@x:81/a/b?q#g"},
        {"?r", page, "http://u:p@x:81/a/b?r"}, {"?", page, "http://u:p@x:81/a/b?"},
        {"?r#g", page, "http://u:p@x:81/a/b?r#g"}, {"c", page, "http://u:p@x:81/a/c"},
        {"c/", page, "http://u:p@x:81/a/c/"}, {"/c", page, "http://u:p@x:81/c"},
        {"../c", page, "http://u:p@x:81/c"}, {"../../../c", page, "http://u:p@x:81/c"},
        {".", page, "http://u:p@x:81/a/"}, {"./", page, "http://u:p@x:81/a/"},
        {"..", page, "http://u:p@x:81/"}, {"//y/c", page, "http://y/c"},
        {"\\\\y\\c", page, "http://y/c"}, {"///y/c", page, "http://y/c"},
        {"\\c", page, "http://u:p@x:81/c"}, {"//y:82", page, "http://y:82/"}, {"c:d", page, "c:d"},
        {"./c:d", page, "http://u:p@x:81/a/c:d"}, {"c?d/../e", page, "http://u:p@x:81/a/c?d/../e"},
        {"c#d/../e", page, "http://u:p@x:81/a/c#d/../e"}, {"https://z", page, "https://z/"},
        {"//", page, NULL}, {"//:80/", page, NULL}, {"c d\"e", page, "http://u:p@x:81/a/c%20d%22e"},
        {"b", "http://x", "http://x/b"}, {"../b", "http://x", "http://x/b"});
}

TEST(a_link_is_resolved_where_the_scheme_is_not_special)
{
    EXAMPLES({"b", "foo://x/a", "foo://x/b"}, {"/b", "foo://x/a", "foo://x/b"},
             {"//y/b", "foo://x/a", "foo://y/b"}, {"b", "foo://x", "foo://x/b"},
             {"\\b", "foo://x/a", "foo://x/\\b"}, {"?q", "foo://x", "foo://x?q"},
             {"b", "foo:/a/c", "foo:/a/b"}, {"//y", "foo:/a", "foo://y"},
             {"..", "foo:/a/b/c", "foo:/a/"}, {"///y", "foo://x/a", "foo:///y"});
}

TEST(nothing_but_a_fragment_is_resolved_against_an_opaque_path)
{
    EXAMPLES({"#f", "mailto:a?b#c", "mailto:a?b#f"}, {"b", "mailto:a", NULL},
             {"", "mailto:a", NULL}, {"?q", "mailto:a", NULL}, {"/b", "mailto:a", NULL},
             {"//x/", "data:,", NULL}, {"http:b", "mailto:a", "http://b/"},
             {"urn:b", "urn:a", "urn:b"});
}

TEST(an_opaque_path_is_left_alone_but_for_controls)
{
    EXAMPLES({"foo:a b\\c<>`", NULL, "foo:a b\\c<>`"},
             {"foo:\x01\x7f\xc3\xa9", NULL, "foo:%01%7F%C3%A9"}, {"foo:a  ?q", NULL, "foo:a %20?q"},
             {"foo: #f", NULL, "foo:%20#f"}, {"foo:a  x#f", NULL, "foo:a  x#f"},
             {"foo:", NULL, "foo:"}, {"foo:?", NULL, "foo:?"}, {"foo:#", NULL, "foo:#"},
             {"javascript:alert('x')", NULL, "javascript:alert('x')"});
}

TEST(a_path_that_looks_like_a_host_is_kept_apart)
{
    EXAMPLES({"foo:/.//b", NULL, "foo:/.//b"}, {"foo:/a/..//b", NULL, "foo:/.//b"},
             {"foo:/..//b", NULL, "foo:/.//b"}, {"//b", "foo:/.//c", "foo://b"},
             {"b", "foo:/.//c", "foo:/.//b"}, {"/b", "foo:/.//c", "foo:/b"},
             {"/.//b", "foo:/a", "foo:/.//b"}, {"?q", "foo:/.//c", "foo:/.//c?q"},
             {"..", "foo:/.//c", "foo:/"}, {"foo:///b", NULL, "foo:///b"},
             {"foo:////b", NULL, "foo:////b"}, {"http://x//b", NULL, "http://x//b"});
}

TEST(users_and_passwords_are_told_apart_and_encoded)
{
    EXAMPLES(
        {"http://u@x/", NULL, "http://u@x/"}, {"http://u:@x/", NULL, "http://u@x/"},
        {"http://:p@x/", NULL, "http://:p@x/"}, {"http://:@x/", NULL, "http://x/"},
        {"http://@x/", NULL, "http://x/"}, {"http://a@b@x/", NULL, "http://a%40b@x/"},
        {"http://a:b:c@x/", NULL, "http://a:b%3Ac@x/"},
        {"http://a:b@c:d@x/", NULL, "http://a:b%40c%3Ad@x/"},
        {"http://a;=[]^|{}`<>\" @x/", NULL, "http://a%3B%3D%5B%5D%5E%7C%7B%7D%60%3C%3E%22%20@x/"},
        {"http://\xc3\xa9:%41@x/", NULL, "http://%C3%A9:%41@x/"}, {"http://u@/", NULL, NULL},
        {"http://u:p@?", NULL, NULL}, {"http://@:80", NULL, NULL}, {"foo://u@", NULL, NULL},
        {"foo://u:p@x", NULL, "foo://u:p@x"}, {"http://u@x@", NULL, NULL});
}

TEST(ports_are_numbers_and_usual_ones_are_left_out)
{
    EXAMPLES({"http://x:80/", NULL, "http://x/"}, {"https://x:443/", NULL, "https://x/"},
             {"ws://x:80/", NULL, "ws://x/"}, {"wss://x:443/", NULL, "wss://x/"},
             {"ftp://x:21/", NULL, "ftp://x/"}, {"http://x:443/", NULL, "http://x:443/"},
             {"http://x:/", NULL, "http://x/"}, {"http://x:00000081/", NULL, "http://x:81/"},
             {"http://x:0/", NULL, "http://x:0/"}, {"http://x:65535/", NULL, "http://x:65535/"},
             {"http://x:65536/", NULL, NULL}, {"http://x:99999999999999999999/", NULL, NULL},
             {"http://x:-1/", NULL, NULL}, {"http://x:8a/", NULL, NULL},
             {"http://x:8 /", NULL, NULL}, {"http://x:81:82/", NULL, NULL},
             {"http://:81/", NULL, NULL}, {"foo://x:80/", NULL, "foo://x:80/"},
             {"foo://x:0/", NULL, "foo://x:0/"}, {"foo://:80/", NULL, NULL},
             {"http://x:81?q", NULL, "http://x:81/?q"}, {"http://x:81#f", NULL, "http://x:81/#f"},
             {"http://x:81\\a", NULL, "http://x:81/a"}, {"http://[::1]:80", NULL, "http://[::1]/"});
}

TEST(domains_are_decoded_and_put_into_lower_case)
{
    EXAMPLES({"http://EXAMPLE.org/", NULL, "http://example.org/"},
             {"http://ex%61mple%2Eorg/", NULL, "http://example.org/"},
             {"http://a_b!$&'()*+,;=~\"`{}/", NULL, "http://a_b!$&'()*+,;=~\"`{}/"},
             {"http://-a-.b./", NULL, "http://-a-.b./"}, {"http://a..b/", NULL, "http://a..b/"},
             {"http://./", NULL, "http://./"}, {"http://../", NULL, "http://../"},
             {"http://a%00b/", NULL, NULL}, {"http://a%b/", NULL, NULL},
             {"http://a%25b/", NULL, NULL}, {"http://a%2fb/", NULL, NULL},
             {"http://a b/", NULL, NULL}, {"http://a<b/", NULL, NULL}, {"http://a^b/", NULL, NULL},
             {"http://a|b/", NULL, NULL}, {"http://a]b/", NULL, NULL}, {"http://a[b/", NULL, NULL},
             {"http://a%7fb/", NULL, NULL}, {"http://%20/", NULL, NULL},
             {"http://a%zz/", NULL, NULL}, {"http://a%4", NULL, NULL}, {"http://a%", NULL, NULL},
             {"http://%/", NULL, NULL});
}

TEST(domains_outside_ascii_become_punycode)
{
    EXAMPLES({"http://b\xc3\xbc"
              "cher.example/",
              NULL, "http://xn--bcher-kva.example/"},
             {"http://B%C3%9CCHER.example/", NULL, "http://xn--bcher-kva.example/"},
             {"http://fa\xc3\x9f.de/", NULL, "http://xn--fa-hia.de/"}, /* not transitional: no ss */
             {"http://\xef\xbd\x87\xef\xbd\x8f.com/", NULL, "http://go.com/"},
             {"http://a\xe3\x80\x82"
              "b/",
              NULL, "http://a.b/"}, /* another full stop */
             {"http://\xe2\x98\x83.net/", NULL, "http://xn--n3h.net/"},
             {"http://\xc2\xad/", NULL, NULL}, /* a soft hyphen: nothing is left */
             {"http://a\xc2\xad"
              "b/",
              NULL, "http://ab/"},
             {"http://\xef\xbf\xbd/", NULL, NULL}, {"http://a\x80/", NULL, NULL},
             {"http://%ff/", NULL, NULL}, {"http://\xef\xbc\x85\x34\x31.com/", NULL, NULL},
             {"http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1/", NULL, "http://127.0.0.1/"},
             {"http://\xc3\xbc-.-\xc3\xbc/", NULL, "http://xn----dha.xn----eha/"},
             {"http://xn--bcher-kva.example/", NULL, "http://xn--bcher-kva.example/"},
             {"http://XN--a/", NULL, "http://xn--a/"}, /* in ASCII: not looked into */
             {"http://xn--a.\xc3\xbc/", NULL, NULL},   /* but beside a label that is not, it is */
             {"http://a\xe2\x80\x8d"
              "b/",
              NULL, NULL}, /* a joiner that joins nothing */
             {"http://\xd7\x90"
              "a/",
              NULL, NULL}); /* both directions in one label */
}

TEST(hosts_of_other_schemes_are_only_encoded)
{
    EXAMPLES({"foo://EXAMPLE.org/", NULL, "foo://EXAMPLE.org/"},
             {"foo://\xc3\xa9\x01/", NULL, "foo://%C3%A9%01/"},
             {"foo://%41%/", NULL, "foo://%41%/"}, {"foo://1.2/", NULL, "foo://1.2/"},
             {"foo://a\"b`{}/", NULL, "foo://a\"b`{}/"}, {"foo:///", NULL, "foo:///"},
             {"foo://", NULL, "foo://"}, {"foo://a b/", NULL, NULL}, {"foo://a\\b/", NULL, NULL},
             {"foo://a^b", NULL, NULL}, {"foo://[::1]", NULL, "foo://[::1]"},
             {"foo://[x]", NULL, NULL}, {"foo://a?b", NULL, "foo://a?b"},
             {"foo://a#b", NULL, "foo://a#b"});
}

TEST(ipv4_addresses_are_read_in_all_their_forms)
{
    EXAMPLES({"http://127.0.0.1/", NULL, "http://127.0.0.1/"},
             {"http://127.1/", NULL, "http://127.0.0.1/"},
             {"http://127.0.1/", NULL, "http://127.0.0.1/"},
             {"http://2130706433/", NULL, "http://127.0.0.1/"},
             {"http://0x7F.1/", NULL, "http://127.0.0.1/"},
             {"http://0177.1/", NULL, "http://127.0.0.1/"}, {"http://0x/", NULL, "http://0.0.0.0/"},
             {"http://0/", NULL, "http://0.0.0.0/"}, {"http://1.2.3.4./", NULL, "http://1.2.3.4/"},
             {"http://256/", NULL, "http://0.0.1.0/"}, {"http://1.256/", NULL, "http://1.0.1.0/"},
             {"http://4294967295/", NULL, "http://255.255.255.255/"},
             {"http://0xffffffff/", NULL, "http://255.255.255.255/"},
             {"http://1.2.65535/", NULL, "http://1.2.255.255/"},
             {"http://%31%2e2/", NULL, "http://1.0.0.2/"}, {"http://4294967296/", NULL, NULL},
             {"http://1.2.3.256/", NULL, NULL}, {"http://256.1/", NULL, NULL},
             {"http://1.2.65536/", NULL, NULL}, {"http://1.16777216/", NULL, NULL},
             {"http://1.2.3.4.5/", NULL, NULL}, {"http://1..2/", NULL, NULL},
             {"http://.1/", NULL, NULL}, {"http://a.1/", NULL, NULL}, {"http://1.09/", NULL, NULL},
             {"http://1.0xg/", NULL, "http://1.0xg/"}, {"http://a.0x/", NULL, NULL},
             {"http://99999999999999999999/", NULL, NULL},
             {"http://0x10000000000000000/", NULL, NULL}, {"http://1.a/", NULL, "http://1.a/"},
             {"http://1../", NULL, "http://1../"}, {"http://a.1e/", NULL, "http://a.1e/"},
             {"http://1.2.3.08/", NULL, NULL});
}

TEST(ipv6_addresses_are_read_in_all_their_forms_and_written_in_the_shortest)
{
    EXAMPLES({"http://[::]/", NULL, "http://[::]/"}, {"http://[::1]/", NULL, "http://[::1]/"},
             {"http://[1::]/", NULL, "http://[1::]/"},
             {"http://[1:2:3:4:5:6:7:8]/", NULL, "http://[1:2:3:4:5:6:7:8]/"},
             {"http://[0:0:0:0:0:0:0:0]/", NULL, "http://[::]/"},
             {"http://[2001:DB8:0:0:1:0:0:1]/", NULL, "http://[2001:db8::1:0:0:1]/"},
             {"http://[1:0:0:2:0:0:0:3]/", NULL, "http://[1:0:0:2::3]/"},
             {"http://[1:0:2:3:4:5:6:7]/", NULL, "http://[1:0:2:3:4:5:6:7]/"},
             {"http://[0001:02::003]/", NULL, "http://[1:2::3]/"},
             {"http://[::127.0.0.1]/", NULL, "http://[::7f00:1]/"},
             {"http://[1:2:3:4:5:6:1.2.3.4]/", NULL, "http://[1:2:3:4:5:6:102:304]/"},
             {"http://[1:2:3:4:5:6:7::]/", NULL, "http://[1:2:3:4:5:6:7:0]/"},
             {"http://[::2:3:4:5:6:7:8]/", NULL, "http://[0:2:3:4:5:6:7:8]/"},
             {"http://[0:0:1:2:3:4:5:6]/", NULL, "http://[::1:2:3:4:5:6]/"},
             {"http://[1:2:3:4:5:6:0:0]/", NULL, "http://[1:2:3:4:5:6::]/"});
}

TEST(what_is_no_ipv6_address_is_no_host)
{
    EXAMPLES({"http://[]/", NULL, NULL}, {"http://[:]/", NULL, NULL}, {"http://[:::]/", NULL, NULL},
             {"http://[::1/", NULL, NULL}, {"http://[::1]x/", NULL, NULL},
             {"http://x[::1]/", NULL, NULL}, {"http://[1:2]/", NULL, NULL},
             {"http://[1::2::3]/", NULL, NULL}, {"http://[:1]/", NULL, NULL},
             {"http://[1:]/", NULL, NULL}, {"http://[1::2:]/", NULL, NULL},
             {"http://[1:2:3:4:5:6:7:8:9]/", NULL, NULL},
             {"http://[1:2:3:4:5:6:7:8::]/", NULL, NULL},
             {"http://[1::2:3:4:5:6:7:8]/", NULL, NULL}, {"http://[12345::]/", NULL, NULL},
             {"http://[g::]/", NULL, NULL}, {"http://[::%31]/", NULL, NULL},
             {"http://[fe80::1%25eth0]/", NULL, NULL}, {"http://[::1.2.3]/", NULL, NULL},
             {"http://[::1.2.3.4.5]/", NULL, NULL}, {"http://[::1.2.3.]/", NULL, NULL},
             {"http://[::.1.2.3]/", NULL, NULL}, {"http://[::01.2.3.4]/", NULL, NULL},
             {"http://[::256.2.3.4]/", NULL, NULL}, {"http://[::1.2.3.4:5]/", NULL, NULL},
             {"http://[::a.2.3.4]/", NULL, NULL}, {"http://[1.2.3.4]/", NULL, NULL},
             {"http://[1:2:3:4:5:6:7:1.2.3.4]/", NULL, NULL},
             {"http://[1:2:3:4:5::6:1.2.3.4]/", NULL, NULL});
}

TEST(files_have_hosts_and_drives)
{
    EXAMPLES({"file:", NULL, "file:///"}, {"file:a", NULL, "file:///a"},
             {"file:/a", NULL, "file:///a"}, {"file://x/a", NULL, "file://x/a"},
             {"file://LOCALHOST/a", NULL, "file:///a"}, {"file:///a", NULL, "file:///a"},
             {"file:////a", NULL, "file:////a"}, {"file:\\\\x\\a", NULL, "file://x/a"},
             {"file:?q", NULL, "file:///?q"}, {"file:#f", NULL, "file:///#f"},
             {"file:c:/a", NULL, "file:///c:/a"}, {"file:///C|/a", NULL, "file:///C:/a"},
             {"file:///C|/abcdefghijkl", NULL, "file:///C:/abcdefghijkl"},
             {"file://C:/a", NULL, "file:///C:/a"}, {"file://C|", NULL, "file:///C:"},
             {"file:///C:/..", NULL, "file:///C:/"}, {"file:///C:/../../a", NULL, "file:///C:/a"},
             {"file:///C:a/..", NULL, "file:///"}, {"file:///a/C|/..", NULL, "file:///a/"},
             {"file:///a/C|", NULL, "file:///a/C|"}, {"file://x:80/", NULL, NULL},
             {"file://u@x/", NULL, NULL}, {"file://a b/", NULL, NULL},
             {"file://1.2/", NULL, "file://1.0.0.2/"}, {"file://[::1]/", NULL, "file://[::1]/"},
             {"file://%43%7C", NULL, NULL}, {"file:///a|/", NULL, "file:///a:/"});
}

TEST(files_are_resolved_against_files)
{
    EXAMPLES({"b", "file://x/a/c", "file://x/a/b"}, {"/b", "file://x/a/c", "file://x/b"},
             {"//y/b", "file://x/a/c", "file://y/b"}, {"//", "file://x/a", "file:///"},
             {"", "file://x/a?q#f", "file://x/a?q"}, {"?r", "file://x/a?q", "file://x/a?r"},
             {"#g", "file://x/a?q", "file://x/a?q#g"}, {"/b", "file:///C:/a/c", "file:///C:/b"},
             {"/D:/b", "file:///C:/a", "file:///D:/b"}, {"D|/b", "file:///C:/a", "file:///D:/b"},
             {"..", "file:///C:/", "file:///C:/"}, {"../..", "file:///C:/a/b", "file:///C:/"},
             {"b", "file:///C:", "file:///C:/b"}, {"file:b", "file://x/a/c", "file://x/a/b"},
             {"file:b", "http://x/a/c", "file:///b"}, {"file:/b", "http://x/", "file:///b"},
             {"D|x", "file:///a/c", "file:///a/D|x"}, {"/b", "file://x/C:/a", "file://x/C:/b"},
             {"\\b", "file:///a/c", "file:///b"}, {"//C|/b", "file://x/a", "file:///C:/b"});
}

TEST(bytes_that_are_not_utf8_are_replaced)
{
    EXAMPLES({"http://x/\xff", NULL, "http://x/%EF%BF%BD"},
             {"http://x/\xc3", NULL, "http://x/%EF%BF%BD"},
             {"http://x/\xc3(", NULL, "http://x/%EF%BF%BD("},
             {"http://x/\xe2\x98", NULL, "http://x/%EF%BF%BD"}, /* one for what could have begun */
             {"http://x/\xe2\x98z", NULL, "http://x/%EF%BF%BDz"},
             {"http://x/\xf0\x9f\x98", NULL, "http://x/%EF%BF%BD"},
             {"http://x/\xf0\x9f\x98\x80", NULL, "http://x/%F0%9F%98%80"},
             {"http://x/\xed\xa0\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
             {"http://x/\xc0\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD"},
             {"http://x/\xe0\x80\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
             {"http://x/\xf4\x90\x80\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
             {"http://x/\xf5\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD"},
             {"http://x/\xf0\x80\x80", NULL, "http://x/%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
             {"http://x/?\x80#\xbf", NULL, "http://x/?%EF%BF%BD#%EF%BF%BD"},
             {"http://\xff@x/", NULL, "http://%EF%BF%BD@x/"},
             {"foo://\xff/", NULL, "foo://%EF%BF%BD/"}, {"foo:\xff", NULL, "foo:%EF%BF%BD"},
             {"\xef\xbb\xbfhttp://x/", NULL, NULL},
             {"\xef\xbb\xbf", "http://x/", "http://x/%EF%BB%BF"});
}
