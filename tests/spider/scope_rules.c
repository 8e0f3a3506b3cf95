/* The scope: hosts, folders, filters, their reasons and their text. */
#include "check.h"
#include "fault.h"
#include "spider/scope.h"
#include "spider/scope_inside.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>
#include <weft/alloc.h>
#include <weft/url.h>

static void parse(struct weft_url *url, const char *text)
{
    *url = (struct weft_url){0};
    if (weft_url_parse(url, weft_text_of(text), NULL) != 0)
        fail_msg("'%s' is no URL", text);
}

static void init(struct scope *scope, struct scope_rules rules)
{
    char message[SCOPE_MESSAGE_MAX];
    if (scope_init(scope, &rules, message) != 0)
        fail_msg("%s", message);
    assert_string_equal(message, "");
}

static void add(struct scope *scope, const char *text)
{
    struct weft_url url;
    parse(&url, text);
    assert_int_equal(scope_add_start(scope, &url), 0);
    weft_url_free(&url);
}

static void begin(struct scope *scope, struct scope_rules rules, const char *start)
{
    init(scope, rules);
    add(scope, start);
}

static enum scope_verdict check_as(const struct scope *scope, const char *text, bool requisite)
{
    struct weft_url url;
    parse(&url, text);
    enum scope_verdict verdict = scope_check(scope, &url, requisite);
    weft_url_free(&url);
    return verdict;
}

static enum scope_verdict check(const struct scope *scope, const char *text)
{
    return check_as(scope, text, false);
}

static bool host(const struct scope *scope, const char *text)
{
    struct weft_url url;
    parse(&url, text);
    bool in = scope_host(scope, &url);
    weft_url_free(&url);
    return in;
}

#define LIST(...)                                                                                  \
    &(const struct option_list)                                                                    \
    {                                                                                              \
        .items = {__VA_ARGS__},                                                                    \
        .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)                 \
    }

/* ---- hosts ---------------------------------------------------------------------------------- */

TEST(by_default_only_the_start_host_is_in)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){0}, "http://a.org/x/y.html");
    assert_int_equal(check(&scope, "http://a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://A.ORG/z?q"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://b.org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://www.a.org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://a.or/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://xa.org/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(http_and_https_are_one_scope)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){0}, "http://a.org/");
    assert_int_equal(check(&scope, "https://a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://a.org:443/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org:80/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org:443/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "https://a.org:80/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(another_port_is_another_host)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){0}, "http://a.org:8080/");
    assert_int_equal(check(&scope, "http://a.org:8080/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://a.org:8080/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/x"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://a.org:8081/x"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://a.org:8336/x"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(other_schemes_are_out)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.page_requisites = true}, "http://a.org/");
    assert_int_equal(check(&scope, "ftp://a.org/"), SCOPE_OTHER_SCHEME);
    assert_int_equal(check(&scope, "mailto:me@a.org"), SCOPE_OTHER_SCHEME);
    assert_int_equal(check_as(&scope, "data:image/png,x", true), SCOPE_OTHER_SCHEME);
    assert_false(host(&scope, "ftp://a.org/"));
    struct weft_url url;
    parse(&url, "ftp://b.org/");
    assert_int_equal(scope_add_start(&scope, &url), UV_EINVAL);
    weft_url_free(&url);
    scope_free(&scope);
}

TEST(every_start_adds_its_host_also_one_that_was_redirected_to)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){0}, "http://a.org/");
    assert_int_equal(check(&scope, "https://www.a.org/"), SCOPE_OTHER_HOST);
    add(&scope, "https://www.a.org/welcome");
    add(&scope, "https://www.a.org/welcome");
    assert_int_equal(check(&scope, "https://www.a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/"), SCOPE_IN);
    scope_free(&scope);
}

TEST(without_a_start_nothing_is_in)
{
    struct scope scope;
    init(&scope, (struct scope_rules){0});
    assert_int_equal(check(&scope, "http://a.org/"), SCOPE_OTHER_HOST);
    assert_false(host(&scope, "http://a.org/"));
    scope_free(&scope);
}

TEST(the_domain_is_the_host_without_www_and_all_below)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_DOMAIN}, "http://www.a.org/x");
    assert_int_equal(check(&scope, "http://a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://www.a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://x.y.z.a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://ba.org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://a.org.evil.com/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://x.a.org:8080/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(a_domain_never_becomes_a_whole_top_level)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_DOMAIN}, "http://www.com/");
    assert_int_equal(check(&scope, "http://www.com/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://x.www.com/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.com/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(addresses_are_hosts_too)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_DOMAIN}, "http://127.0.0.1:8080/");
    add(&scope, "http://[::1]/");
    assert_int_equal(check(&scope, "http://127.1:8080/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://[0:0::1]/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://127.0.0.2:8080/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(a_list_of_hosts_is_added_to_those_of_the_start_urls)
{
    struct scope scope;
    begin(&scope,
          (struct scope_rules){.kind = SCOPE_HOSTS,
                               .hosts = LIST("B.org", "*.c.org", "d.org:8080", "m\xc3\xbcller.de",
                                             "[0::1]:99", "e.org:443")},
          "http://a.org/");
    assert_int_equal(check(&scope, "http://a.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://b.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://x.y.c.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://d.org:8080/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://xn--mller-kva.de/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://[::1]:99/"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://e.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://c.org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://x.b.org/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://b.org:8080/"), SCOPE_OTHER_HOST);
    assert_int_equal(check(&scope, "http://d.org/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(a_host_and_all_below_it_can_both_be_listed)
{
    struct scope scope;
    init(&scope, (struct scope_rules){.kind = SCOPE_HOSTS, .hosts = LIST("*.c.org", "c.org")});
    assert_int_equal(check(&scope, "http://c.org/"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://x.c.org/"), SCOPE_IN);
    scope_free(&scope);
}

TEST(the_list_of_hosts_is_only_for_its_kind)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.hosts = LIST("b.org")}, "http://a.org/");
    assert_int_equal(check(&scope, "http://b.org/"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(what_is_no_host_is_refused_with_a_message)
{
    static const char *const bad[] = {
        "",    "*",    "*.",      "a/b",       "http://a.org", "user@a.org",
        "a b", "a:b",  "a:99999", "*.*.org",   "a*.org",       "a.org?",
        "a#b", "[::1", "a\\b",    "1.2.3.4.5", ":80",          "a.org:80:1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct scope scope;
        char message[SCOPE_MESSAGE_MAX] = "";
        struct scope_rules rules = {.kind = SCOPE_HOSTS, .hosts = LIST("a.org", bad[i])};
        if (scope_init(&scope, &rules, message) != UV_EINVAL)
            fail_msg("'%s' is no host", bad[i]);
        assert_non_null(strstr(message, "is no host"));
        assert_non_null(strstr(message, bad[i]));
    }
}

TEST(a_host_that_is_too_long_is_refused)
{
    struct scope_place place;
    char text[1000];
    for (size_t size = 250; size < sizeof text; size += 10) {
        memset(text, 'a', size);
        text[size] = '\0';
        assert_int_equal(scope_place_read(&place, text), size < sizeof place.name ? 0 : UV_EINVAL);
    }
}

TEST(many_hosts_are_all_found)
{
    enum { HOSTS = 2000 };
    struct scope scope;
    char text[64];
    init(&scope, (struct scope_rules){0});
    for (int i = 0; i < HOSTS; i++) {
        snprintf(text, sizeof text, "http://h%d.org:%d/", i / 2, 1000 + i);
        add(&scope, text);
    }
    for (int i = 0; i < HOSTS; i++) {
        snprintf(text, sizeof text, "http://h%d.org:%d/", i / 2, 1000 + i);
        assert_int_equal(check(&scope, text), SCOPE_IN);
        snprintf(text, sizeof text, "http://h%d.org:%d/", i / 2, 1002 + i);
        assert_int_equal(check(&scope, text), SCOPE_OTHER_HOST);
    }
    scope_free(&scope);
}

/* ---- folders -------------------------------------------------------------------------------- */

TEST(with_a_path_only_what_is_below_the_folder_is_in)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_PATH},
          "http://a.org/docs/en/intro.html?x=/y/");
    assert_int_equal(check(&scope, "http://a.org/docs/en/"), SCOPE_IN);
    assert_int_equal(check(&scope, "https://a.org/docs/en/a/b"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/docs/en"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://a.org/docs/english"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://a.org/docs/"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://a.org/x?/docs/en/"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://a.org/docs/en/../x"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://b.org/docs/en/"), SCOPE_OTHER_HOST);
    assert_true(host(&scope, "http://a.org/x"));
    scope_free(&scope);
}

TEST(several_folders_of_a_host_are_several_scopes)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_PATH}, "http://a.org/one/");
    add(&scope, "http://a.org/two/");
    add(&scope, "http://b.org/");
    assert_int_equal(check(&scope, "http://a.org/one/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/two/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/three/x"), SCOPE_OTHER_PATH);
    assert_int_equal(check(&scope, "http://b.org/three/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org:8080/one/x"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(a_start_without_a_folder_is_for_the_whole_host)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_PATH}, "http://a.org");
    assert_int_equal(check(&scope, "http://a.org/x/y"), SCOPE_IN);
    scope_free(&scope);
}

/* ---- requisites ----------------------------------------------------------------------------- */

TEST(requisites_may_lie_anywhere_on_the_host)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_PATH}, "http://a.org/docs/");
    assert_int_equal(check_as(&scope, "http://a.org/style.css", true), SCOPE_IN);
    assert_int_equal(check_as(&scope, "http://b.org/style.css", true), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(requisites_of_other_hosts_are_in_if_they_are_wanted)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.page_requisites = true, .exclude = LIST("*.gif")},
          "http://a.org/");
    assert_int_equal(check_as(&scope, "http://b.org/style.css", true), SCOPE_IN);
    assert_int_equal(check_as(&scope, "http://b.org/x.gif", true), SCOPE_EXCLUDED);
    assert_int_equal(check(&scope, "http://b.org/style.css"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(requisites_need_no_include)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.include = LIST("*.html")}, "http://a.org/");
    assert_int_equal(check_as(&scope, "http://a.org/style.css", true), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/style.css"), SCOPE_NOT_INCLUDED);
    scope_free(&scope);
}

/* ---- filters -------------------------------------------------------------------------------- */

TEST(with_includes_one_of_them_has_to_match)
{
    struct scope scope;
    begin(&scope,
          (struct scope_rules){.include = LIST("/a/", "*.html"), .include_regex = LIST("[?&]p=9$")},
          "http://a.org/");
    assert_int_equal(check(&scope, "http://a.org/a/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/b/x.html"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/b?p=9"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/b?p=99"), SCOPE_NOT_INCLUDED);
    assert_int_equal(check(&scope, "http://a.org/b"), SCOPE_NOT_INCLUDED);
    assert_int_equal(check(&scope, "http://b.org/a/x"), SCOPE_OTHER_HOST);
    scope_free(&scope);
}

TEST(a_regular_expression_alone_is_an_include_too)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.include_regex = LIST("/(one|two)/")}, "http://a.org/");
    assert_int_equal(check(&scope, "http://a.org/two/x"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/three/x"), SCOPE_NOT_INCLUDED);
    scope_free(&scope);
}

TEST(excludes_win)
{
    struct scope scope;
    begin(&scope,
          (struct scope_rules){.include = LIST("/a/"),
                               .exclude = LIST("logout", "*.zip"),
                               .exclude_regex = LIST("^https?://[^/]+/a/[0-9]{4}/", "x=y")},
          "http://a.org/");
    assert_int_equal(check(&scope, "http://a.org/a/b"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/a/logout"), SCOPE_EXCLUDED);
    assert_int_equal(check(&scope, "http://a.org/a/b.zip?1"), SCOPE_EXCLUDED);
    assert_int_equal(check(&scope, "http://a.org/a/2024/b"), SCOPE_EXCLUDED);
    assert_int_equal(check(&scope, "http://a.org/a/20245/b"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/a/?x=y"), SCOPE_EXCLUDED);
    assert_int_equal(check(&scope, "http://a.org/b.zip"), SCOPE_EXCLUDED);
    scope_free(&scope);
}

TEST(filters_do_not_see_the_fragment)
{
    struct scope scope;
    begin(&scope,
          (struct scope_rules){.include = LIST("*.html"),
                               .include_regex = LIST("\\.txt$"),
                               .exclude = LIST("*secret*"),
                               .exclude_regex = LIST("hidden")},
          "http://a.org/");
    assert_int_equal(check(&scope, "http://a.org/x.html#secret-hidden"), SCOPE_IN);
    assert_int_equal(check(&scope, "http://a.org/x.txt#y"), SCOPE_IN);
    scope_free(&scope);
}

TEST(a_bad_regular_expression_is_refused_with_a_message)
{
    struct scope scope;
    char message[SCOPE_MESSAGE_MAX] = "";
    struct scope_rules rules = {.exclude_regex = LIST("fine", "a(b")};
    assert_int_equal(scope_init(&scope, &rules, message), UV_EINVAL);
    assert_non_null(strstr(message, "'a(b' is no regular expression: "));
    rules = (struct scope_rules){.include_regex = LIST("[z")};
    assert_int_equal(scope_init(&scope, &rules, message), UV_EINVAL);
    assert_non_null(strstr(message, "'[z' is no regular expression: "));
    scope_free(&scope); /* there is nothing, and that is fine */
}

TEST(an_empty_filter_and_one_with_control_characters_are_refused)
{
    static const char *const bad[] = {"", "a\nb", "\x7f", "\t"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct option_list *list = LIST("x", bad[i]);
        const struct scope_rules rules[] = {
            {.include = list}, {.exclude = list}, {.include_regex = list}, {.exclude_regex = list}};
        for (size_t j = 0; j < sizeof rules / sizeof rules[0]; j++) {
            struct scope scope;
            char message[SCOPE_MESSAGE_MAX] = "";
            assert_int_equal(scope_init(&scope, &rules[j], message), UV_EINVAL);
            assert_non_null(strstr(message, j < 2 ? "is no pattern" : "is no regular expression"));
        }
    }
}

TEST(a_message_about_a_long_filter_fits)
{
    struct scope scope;
    char message[SCOPE_MESSAGE_MAX], filter[2000];
    memset(filter, '(', sizeof filter - 1);
    filter[sizeof filter - 1] = '\0';
    struct scope_rules rules = {.exclude_regex = LIST(filter)};
    assert_int_equal(scope_init(&scope, &rules, message), UV_EINVAL);
    assert_in_range(strlen(message), 100, SCOPE_MESSAGE_MAX - 1);
}

TEST(every_verdict_has_words_of_its_own)
{
    for (int i = SCOPE_IN; i <= SCOPE_NOT_INCLUDED; i++) {
        assert_string_not_equal(scope_reason((enum scope_verdict)i), "unknown");
        for (int j = SCOPE_IN; j < i; j++)
            assert_string_not_equal(scope_reason((enum scope_verdict)i),
                                    scope_reason((enum scope_verdict)j));
    }
    assert_string_equal(scope_reason((enum scope_verdict)99), "unknown");
}

/* ---- the text ------------------------------------------------------------------------------- */

static void text_is(struct scope_rules rules, const char *expected)
{
    struct scope scope;
    init(&scope, rules);
    char *text = scope_text(&scope);
    assert_non_null(text);
    assert_string_equal(text, expected);
    weft_free(text);
    scope_free(&scope);
}

TEST(the_text_says_all_rules)
{
    text_is((struct scope_rules){0}, "scope host\n");
    text_is((struct scope_rules){.kind = SCOPE_DOMAIN}, "scope domain\n");
    text_is((struct scope_rules){.kind = SCOPE_PATH, .page_requisites = true},
            "requisites everywhere\nscope path\n");
    text_is((struct scope_rules){.kind = SCOPE_HOSTS,
                                 .hosts = LIST("b.org:8080", "*.A.org"),
                                 .include = LIST("*.html"),
                                 .exclude = LIST("/x y/"),
                                 .include_regex = LIST("^h"),
                                 .exclude_regex = LIST("z$")},
            "exclude /x y/\nexclude-regex z$\nhost *.a.org\nhost b.org:8080\n"
            "include *.html\ninclude-regex ^h\nscope hosts\n");
}

TEST(the_text_does_not_depend_on_how_the_rules_were_said)
{
    text_is((struct scope_rules){.exclude = LIST("b", "a", "b")},
            "exclude a\nexclude b\nscope host\n");
    text_is((struct scope_rules){.kind = SCOPE_HOSTS, .hosts = LIST("a.org", "A.org:80")},
            "host a.org\nscope hosts\n");
    text_is((struct scope_rules){.hosts = LIST("a.org")}, "scope host\n");
}

TEST(the_text_does_not_change_with_the_start_urls)
{
    struct scope scope;
    begin(&scope, (struct scope_rules){.kind = SCOPE_PATH}, "http://a.org/x/");
    char *text = scope_text(&scope);
    assert_string_equal(text, "scope path\n");
    weft_free(text);
    scope_free(&scope);
}

/* ---- memory and time ------------------------------------------------------------------------ */

static void use_all(unsigned long n)
{
    (void)n;
    struct scope scope = {0};
    struct weft_url start = {0}, link = {0};
    char message[SCOPE_MESSAGE_MAX], href[64], *text = NULL;
    struct scope_rules rules = {.kind = SCOPE_HOSTS,
                                .hosts = LIST("b.org", "*.c.org"),
                                .include = LIST("*.html"),
                                .exclude_regex = LIST("x", "y")};
    int err = scope_init(&scope, &rules, message);
    if (err != 0)
        assert_string_equal(message, "out of memory");
    for (int i = 0; err == 0 && i < 20; i++) {
        snprintf(href, sizeof href, "http://h%d.org/", i);
        err = weft_url_parse(&start, weft_text_of(href), NULL);
        if (err == 0)
            err = scope_add_start(&scope, &start);
    }
    if (err == 0)
        err = weft_url_parse(&link, weft_text_of("http://h7.org/a.html"), NULL);
    if (err == 0)
        assert_int_equal(scope_check(&scope, &link, false), SCOPE_IN);
    if (err == 0 && (text = scope_text(&scope)) == NULL)
        err = UV_ENOMEM;
    assert_int_equal(err, weft_fault_hit() ? UV_ENOMEM : 0);
    weft_free(text);
    weft_url_free(&start);
    weft_url_free(&link);
    scope_free(&scope);
}

TEST(the_scope_survives_running_out_of_memory)
{
    fault_ladder(use_all);
    assert_true(fault_ladder_height() > 30);
}

TEST(a_start_that_found_no_memory_changes_nothing)
{
    struct scope scope;
    struct weft_url url;
    weft_fault_install();
    begin(&scope, (struct scope_rules){0}, "http://a.org/");
    parse(&url, "http://b.org/");
    weft_fault_fail_at(1);
    assert_int_equal(scope_add_start(&scope, &url), UV_ENOMEM);
    weft_fault_fail_at(0);
    assert_false(scope_host(&scope, &url));
    assert_true(host(&scope, "http://a.org/"));
    assert_int_equal(scope_add_start(&scope, &url), 0);
    assert_true(scope_host(&scope, &url));
    weft_url_free(&url);
    scope_free(&scope);
    fault_remove();
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(a_link_with_thousands_of_labels_and_folders_is_checked_quickly)
{
    enum { SIZE = 60 * 1000 };
    struct scope domain, path;
    struct weft_url url = {0};
    char *text = malloc(SIZE);
    assert_non_null(text);
    begin(&domain, (struct scope_rules){.kind = SCOPE_DOMAIN}, "http://a.org/");
    begin(&path, (struct scope_rules){.kind = SCOPE_PATH}, "http://a.org/x/");
    for (size_t i = 0; i < SIZE; i++)
        text[i] = i % 2 == 0 ? 'a' : '.';
    memcpy(text, "http://", 7);
    assert_int_equal(weft_url_parse(&url, weft_text(text, SIZE), NULL), 0);
    double began = seconds();
    for (int i = 0; i < 20; i++)
        assert_int_equal(scope_check(&domain, &url, false), SCOPE_OTHER_HOST);
    memset(text, '/', SIZE);
    memcpy(text, "http://a.org", 12);
    assert_int_equal(weft_url_parse(&url, weft_text(text, SIZE), NULL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(scope_check(&path, &url, false), SCOPE_OTHER_PATH);
    assert_true(seconds() - began < 1);
    weft_url_free(&url);
    free(text);
    scope_free(&domain);
    scope_free(&path);
}
