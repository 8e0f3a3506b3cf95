/* robots.txt: groups, rules, patterns, escapes, and what is around it.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "dump.h"
#include "fault.h"
#include <time.h>
#include <uv.h>
#include <weft/error.h>
#include <weft/robots.h>

static bool may_as(const char *agent, const char *body, const char *path)
{
    struct weft_robots robots = {0};
    assert_int_equal(weft_robots_parse(&robots, weft_text_of(body), weft_text_of(agent)), 0);
    bool allowed = weft_robots_allows(&robots, weft_text_of(path));
    weft_robots_free(&robots);
    return allowed;
}

/* With rules that are for everybody. */
static void decides(const char *rules, const char *path, bool allowed)
{
    char body[1024];
    assert_true(snprintf(body, sizeof body, "User-agent: *\n%s", rules) < (int)sizeof body);
    if (may_as("weft", body, path) != allowed)
        fail_msg("%s should be %s by\n%s", path, allowed ? "allowed" : "disallowed", body);
}

static void allowed(const char *rules, const char *path)
{
    decides(rules, path, true);
}

static void disallowed(const char *rules, const char *path)
{
    decides(rules, path, false);
}

/* ---- rules ---------------------------------------------------------------------------------- */

TEST(a_rule_is_the_beginning_of_a_path)
{
    disallowed("Disallow: /fish", "/fish");
    disallowed("Disallow: /fish", "/fish.html?a");
    disallowed("Disallow: /fish", "/fishheads/x");
    allowed("Disallow: /fish", "/Fish");
    allowed("Disallow: /fish", "/catfish");
    allowed("Disallow: /fish/", "/fish");
    disallowed("Disallow: /a?b=c", "/a?b=cd");
    allowed("Disallow: fish", "/fish");
    disallowed("Disallow: /", "/");
    disallowed("Disallow: /", "");
    disallowed("Disallow: /", "/x#/robots.txt");
    disallowed("Disallow: /a$", "/a#b");
}

TEST(the_longest_rule_counts_and_of_equal_ones_the_allow)
{
    allowed("Disallow: /\nAllow: /p", "/page");
    allowed("Allow: /p\nDisallow: /", "/page");
    allowed("Allow: /folder\nDisallow: /folder", "/folder/page");
    allowed("Disallow: /folder\nAllow: /folder", "/folder/page");
    disallowed("Allow: /page\nDisallow: /*.htm", "/page.htm");
    allowed("Allow: /x/page.\nDisallow: /*.html", "/x/page.html");
    disallowed("Disallow: /x/page.html\nAllow: /x/", "/x/page.html");
    allowed("Allow: /$\nDisallow: /", "/");
    disallowed("Allow: /$\nDisallow: /", "/x");
}

TEST(an_empty_rule_says_nothing)
{
    allowed("Disallow:", "/x");
    allowed("Disallow:\nAllow:", "/x");
    allowed("Disallow: # all", "/x");
    disallowed("Disallow: /\nAllow:", "/x");
    allowed("", "/x");
}

TEST(a_star_is_anything)
{
    disallowed("Disallow: /*.php", "/a/b.php?c");
    disallowed("Disallow: *.php", "/b.php");
    allowed("Disallow: /*.php", "/b.PHP");
    allowed("Disallow: /*.php", "/php");
    disallowed("Disallow: /fish*", "/fish");
    disallowed("Disallow: /fish*.php", "/fishheads/catfish.php?x");
    disallowed("Disallow: /a*b*c", "/axxbxxbxxc");
    allowed("Disallow: /a*b*c", "/axxcxxb");
    disallowed("Disallow: /a**c", "/ac");
    disallowed("Disallow: *", "/");
    disallowed("Disallow: /*/", "/a/");
    allowed("Disallow: /*/", "/a");
    allowed("Disallow: /ab*ba", "/aba");
}

TEST(a_dollar_at_the_end_is_the_end)
{
    disallowed("Disallow: /*.php$", "/a.php");
    allowed("Disallow: /*.php$", "/a.php?b");
    disallowed("Disallow: /*.php$", "/a.php/b.php");
    disallowed("Disallow: /a$", "/a");
    allowed("Disallow: /a$", "/ab");
    disallowed("Disallow: /a*$", "/abc");
    allowed("Disallow: /ab*ba$", "/aba");
    disallowed("Disallow: /ab*ba$", "/abba");
    disallowed("Disallow: /a$b", "/a$b");
    allowed("Disallow: /a$b", "/ab");
    disallowed("Disallow: /a$$", "/a$");
}

TEST(a_star_or_dollar_itself_is_escaped)
{
    disallowed("Disallow: /a%2ab", "/a*b");
    disallowed("Disallow: /a%2Ab", "/a%2ab");
    allowed("Disallow: /a%2ab", "/axb");
    disallowed("Disallow: /a%24", "/a$b");
    disallowed("Disallow: /a*b", "/a*b");
}

TEST(escapes_are_compared_as_what_they_are)
{
    disallowed("Disallow: /\xe3\x83\x84", "/%E3%83%84");
    disallowed("Disallow: /%e3%83%84", "/%E3%83%84");
    disallowed("Disallow: /%E3%83%84", "/%e3%83%84");
    disallowed("Disallow: /%E3%83%84", "/\xe3\x83\x84");
    allowed("Disallow: /\nAllow: /\xe3\x83\x84", "/%e3%83%84");
    disallowed("Disallow: /a b", "/a%20b");
    allowed("Disallow: /\nAllow: /a b|c", "/a%20b%7Cc");
    allowed("Disallow: /a%2Fb", "/a/b");
    disallowed("Disallow: /a%2fb", "/a%2Fb");
    disallowed("Disallow: /%00", "/%00");
    allowed("Disallow: /%00", "/%x");
    allowed("Disallow: /%2C", "/%3C");
    allowed("Disallow: /%2C", "/2C");
    allowed("Disallow: /\nAllow: /a%10b", "/a%10b");
    disallowed("Disallow: /\nAllow: /\x80", "/\x80");
    disallowed("Disallow: /100%", "/100%");
    disallowed("Disallow: /100%zz", "/100%zz");
    allowed("Disallow: /%2561", "/a");
    allowed("Disallow: /%2561", "/%61");
}

TEST(an_escape_is_no_way_around_a_disallow_and_opens_nothing)
{
    disallowed("Disallow: /admin", "/%61dmin");
    disallowed("Disallow: /%61dmin", "/admin");
    disallowed("Disallow: /az09AZ-._~", "/%61%7a%30%39%41%5A%2d%2E%5f%7e");
    disallowed("Disallow: /\nAllow: /open", "/%6fpen");
    disallowed("Disallow: /\nAllow: /%6Fpen", "/open");
    allowed("Disallow: /\nAllow: /%6fpen", "/%6Fpen");
    /* How specific a rule is does not depend on how it is written. */
    disallowed("Allow: /%61\nDisallow: /%61b", "/%61b");
    allowed("Disallow: /%61%61\nAllow: /%61%61", "/%61%61");
}

TEST(an_allowed_index_page_allows_its_folder)
{
    allowed("Allow: /a/index.html\nDisallow: /", "/a/");
    allowed("Allow: /a/index.htm$\nDisallow: /", "/a/");
    disallowed("Allow: /a/index.html\nDisallow: /", "/a/index.htm");
    disallowed("Allow: /a/index.html\nDisallow: /", "/a/b");
    disallowed("Allow: /a/index.php\nDisallow: /", "/a/");
    disallowed("Allow: index.html\nDisallow: /", "/");
}

TEST(the_robots_txt_itself_is_always_allowed)
{
    allowed("Disallow: /", "/robots.txt");
    allowed("Disallow: /", "/robots.txt?x");
    disallowed("Disallow: /", "/robots.txt/x");
    disallowed("Disallow: /", "/a/robots.txt");
}

/* ---- groups --------------------------------------------------------------------------------- */

TEST(the_group_of_our_name_counts_or_else_that_of_everybody)
{
    const char *body = "User-agent: *\nDisallow: /x\nUser-agent: WEFT\nDisallow: /y\n";
    assert_true(may_as("weft", body, "/x"));
    assert_false(may_as("weft", body, "/y"));
    assert_false(may_as("other", body, "/x"));
    assert_true(may_as("other", body, "/y"));
    assert_false(may_as("", body, "/x"));
}

TEST(a_group_of_ours_without_rules_allows_all)
{
    assert_true(may_as("weft", "User-agent: *\nDisallow: /\n\nUser-agent: weft\n", "/x"));
    assert_true(may_as("weft", "User-agent: weft\nDisallow:\nUser-agent: *\nDisallow: /", "/x"));
}

TEST(groups_of_the_same_name_are_one)
{
    const char *body = "User-agent: weft\nDisallow: /a\nUser-agent: x\nDisallow: /b\n"
                       "User-agent: y\nUser-agent: Weft\n\n\nDisallow: /c\n";
    assert_false(may_as("weft", body, "/a"));
    assert_true(may_as("weft", body, "/b"));
    assert_false(may_as("weft", body, "/c"));
    assert_false(may_as("y", body, "/c"));
    assert_true(may_as("y", body, "/a"));
    assert_true(may_as("z", body, "/c"));
}

TEST(rules_outside_of_groups_are_ignored)
{
    assert_true(may_as("weft", "Disallow: /\nUser-agent: weft\nDisallow: /x\n", "/y"));
    assert_true(may_as("weft", "Disallow: /\n", "/y"));
}

TEST(other_lines_do_not_end_a_group)
{
    const char *body = "User-agent: weft\nSitemap: http://a/\nCrawl-delay: 1\nHost: b\n\n# c\n"
                       "User-agent: x\nDisallow: /\n";
    assert_false(may_as("weft", body, "/y"));
    assert_false(may_as("x", body, "/y"));
}

TEST(a_name_is_its_product_token)
{
    assert_false(may_as("weft", "User-agent: weft/1.0 (x)\nDisallow: /", "/"));
    assert_false(may_as("weft", "User-agent: WeFt bot\nDisallow: /", "/"));
    assert_false(may_as("a_w-z", "User-agent: A_W-Z\nDisallow: /", "/"));
    assert_true(may_as("weft", "User-agent: wefts\nDisallow: /", "/"));
    assert_true(may_as("weft", "User-agent: we\nDisallow: /", "/"));
    assert_true(may_as("weft bot", "User-agent: weft bot\nDisallow: /", "/"));
    assert_true(may_as("", "User-agent:\nDisallow: /", "/"));
    assert_true(may_as("", "User-agent: 1\nDisallow: /", "/"));
}

TEST(a_star_is_everybody_also_with_words_behind_it)
{
    assert_false(may_as("weft", "User-agent: * all\nDisallow: /", "/"));
    assert_true(may_as("weft", "User-agent: *weft\nDisallow: /", "/"));
    assert_false(may_as("weft", "User-agent: *\nUser-agent: x\nDisallow: /", "/"));
}

/* ---- lines ---------------------------------------------------------------------------------- */

TEST(lines_end_in_any_way)
{
    assert_false(may_as("weft", "User-agent: weft\rDisallow: /", "/"));
    assert_false(may_as("weft", "User-agent: weft\r\nDisallow: /\r\n", "/"));
    assert_false(may_as("weft", "\n\n\r\rUser-agent: weft\n\r\n\rDisallow: /\n", "/"));
}

TEST(blanks_and_comments_are_dropped)
{
    assert_false(may_as("weft", " \tUser-agent \t:\t weft # x\n\tDisallow:/ # y\n#\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\nDisallow: /a#b\n", "/a"));
    assert_true(may_as("weft", "# User-agent: weft\nDisallow: /\n", "/"));
}

TEST(a_byte_order_mark_is_passed_over_also_half_of_it)
{
    assert_false(may_as("weft", "\xef\xbb\xbfUser-agent: weft\nDisallow: /", "/"));
    assert_false(may_as("weft", "\xef\xbbUser-agent: weft\nDisallow: /", "/"));
    assert_false(may_as("weft", "\xefUser-agent: weft\nDisallow: /", "/"));
    assert_true(may_as("weft", "\xef\x11\xbfUser-agent: weft\nDisallow: /", "/"));
    assert_true(may_as("weft",
                       "User-agent: weft\n\xef\xbb\xbf"
                       "Disallow: /",
                       "/"));
}

TEST(slips_are_understood)
{
    assert_false(may_as("weft", "user-agent weft\ndisallow /\n", "/"));
    assert_false(may_as("weft", "useragent: weft\nDISALLOW: /\n", "/"));
    assert_false(may_as("weft", "User agent: weft\nDissallow: /\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\ndisalow: /\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\ndissalow: /\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\ndiasllow: /\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\ndisallaw: /\n", "/"));
    assert_false(may_as("weft", "User-agent: weft\ndisallow /a:b\n", "/a:b"));
    assert_true(may_as("weft", "User-agent: weft\ndisallow / x\n", "/"));
    assert_true(may_as("weft", "User-agent: weft\ndisallow\n", "/"));
    assert_true(may_as("weft", "foo: weft\nbar: /\n", "/"));
}

TEST(what_is_no_robots_txt_allows_all)
{
    struct weft_robots robots = {0};
    assert_true(may_as("weft", "<html><body>User-agent: *<br>Disallow: /</body></html>", "/"));
    assert_true(may_as("weft", "", "/"));
    assert_int_equal(
        weft_robots_parse(&robots, weft_text("\0\0:\0\n:\n::\n", 10), weft_text("", 0)), 0);
    assert_true(weft_robots_allows(&robots, weft_text(NULL, 0)));
    weft_robots_free(&robots);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* A body with a comment up to size, and a rule right behind. */
static bool ignores_beyond(size_t size, const char *rule)
{
    struct weft_robots robots = {0};
    struct dump body = {0};
    dump_print(&body, "User-agent: *\nDisallow: /a\n");
    while (body.size < size - 1)
        dump_bytes(&body, "#", 1);
    dump_print(&body, "\n%s", rule);
    assert_int_equal(
        weft_robots_parse(&robots, weft_text(body.text, body.size), weft_text_of("weft")), 0);
    assert_false(weft_robots_allows(&robots, weft_text_of("/a")));
    bool ignored = weft_robots_allows(&robots, weft_text_of("/b"));
    weft_robots_free(&robots);
    dump_free(&body);
    return ignored;
}

TEST(what_is_beyond_the_limit_is_ignored_at_a_line_end)
{
    size_t max = WEFT_ROBOTS_SIZE_MAX;
    assert_false(ignores_beyond(max - 13, "Disallow: /b\n"));
    assert_true(ignores_beyond(max, "Disallow: /b\n"));
    assert_true(ignores_beyond(max - 10, "Disallow: /b\n"));
    assert_false(ignores_beyond(max - 13, "Disallow: /b\rDisallow: /b/c"));
    /* Cut within a line, a shorter rule must not remain. */
    assert_true(ignores_beyond(max - strlen("Disallow: /b"), "Disallow: /b/c\n"));
}

/* Patterns that backtracking would need centuries for. */
TEST(many_stars_take_no_time)
{
    struct weft_robots robots = {0};
    struct dump body = {0}, path = {0};
    dump_print(&body, "User-agent: *\nDisallow: /");
    for (int i = 0; i < 100000; i++)
        dump_bytes(&body, "*a", 2);
    dump_print(&body, "b\nDisallow: /*a*a*a*a*a*a*a*a*a*a*a*a*b\n");
    dump_print(&path, "/");
    for (int i = 0; i < 20000; i++)
        dump_bytes(&path, "a", 1);
    clock_t begin = clock();
    assert_int_equal(
        weft_robots_parse(&robots, weft_text(body.text, body.size), weft_text_of("weft")), 0);
    for (int i = 0; i < 10; i++)
        assert_true(weft_robots_allows(&robots, weft_text(path.text, path.size)));
    assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
    weft_robots_free(&robots);
    dump_free(&body);
    dump_free(&path);
}

/* What cannot be decided in bounded time is not asked for; what needs no pattern is decided all the same. */
TEST(many_rules_with_stars_take_no_time)
{
    struct weft_robots robots = {0};
    struct dump body = {0}, path = {0};
    dump_print(&body, "User-agent: *\nDisallow: /private\n");
    for (int i = 0; i < 40000; i++)
        dump_print(&body, "Disallow: /*a*b\n");
    dump_print(&path, "/");
    for (int i = 0; i < 2000; i++)
        dump_bytes(&path, "a", 1);
    clock_t begin = clock();
    assert_int_equal(
        weft_robots_parse(&robots, weft_text(body.text, body.size), weft_text_of("weft")), 0);
    for (int i = 0; i < 50; i++)
        assert_false(weft_robots_allows(&robots, weft_text(path.text, path.size)));
    assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
    assert_true(weft_robots_allows(&robots, weft_text_of("/a")));
    assert_false(weft_robots_allows(&robots, weft_text_of("/ab")));
    assert_false(weft_robots_allows(&robots, weft_text_of("/private/a")));
    weft_robots_free(&robots);
    dump_free(&body);
    dump_free(&path);
}

/* ---- delays and sitemaps -------------------------------------------------------------------- */

static uint32_t delay_of(const char *agent, const char *body)
{
    struct weft_robots robots = {0};
    assert_int_equal(weft_robots_parse(&robots, weft_text_of(body), weft_text_of(agent)), 0);
    uint32_t delay = robots.crawl_delay_ms;
    weft_robots_free(&robots);
    return delay;
}

static uint32_t delay_read(const char *value)
{
    char body[256];
    snprintf(body, sizeof body, "User-agent: *\nCrawl-delay: %s\n", value);
    return delay_of("weft", body);
}

TEST(a_crawl_delay_is_in_seconds_with_decimals)
{
    assert_int_equal(delay_read("10"), 10000);
    assert_int_equal(delay_read("0.5 # half"), 500);
    assert_int_equal(delay_read(".25"), 250);
    assert_int_equal(delay_read("1.2345678901234567890123"), 1234);
    assert_int_equal(delay_read("2."), 2000);
    assert_int_equal(delay_read("0"), 0);
    assert_int_equal(delay_read("86399.999"), 86399999);
}

TEST(a_crawl_delay_has_a_cap)
{
    assert_int_equal(delay_read("86400"), WEFT_ROBOTS_DELAY_MAX_MS);
    assert_int_equal(delay_read("86400.5"), WEFT_ROBOTS_DELAY_MAX_MS);
    assert_int_equal(delay_read("99999999999999999999999999999999999999"),
                     WEFT_ROBOTS_DELAY_MAX_MS);
}

TEST(what_is_no_number_is_no_delay)
{
    static const char *const values[] = {"", "-1", "x", "1x", "1,5", "1.2.3", ".", "1 2", "1e3"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(delay_read(values[i]), WEFT_ROBOTS_NO_DELAY);
    assert_int_equal(delay_of("weft", ""), WEFT_ROBOTS_NO_DELAY);
}

TEST(a_crawl_delay_belongs_to_its_group_and_the_longest_counts)
{
    const char *body = "Crawl-delay: 9\nUser-agent: *\nCrawl-delay: 3\nDisallow: /x\n"
                       "User-agent: weft\nCrawl-delay: 1\nCrawl-delay: 2\nCrawl-delay: 1.5\n"
                       "Disallow: /y\nUser-agent: quick\nDisallow: /z\n";
    assert_int_equal(delay_of("weft", body), 2000);
    assert_int_equal(delay_of("other", body), 3000);
    assert_int_equal(delay_of("quick", body), WEFT_ROBOTS_NO_DELAY);
}

TEST(sitemaps_are_listed_wherever_they_stand)
{
    struct weft_robots robots = {0};
    const char *body = "Sitemap: https://a/1.xml\nUser-agent: x\nSITEMAP:https://a/2.xml # two\n"
                       "Sitemap:\nDisallow: /\nsite-map: /3.xml\nsitemap https://a/4.xml";
    static const char *const urls[] = {"https://a/1.xml", "https://a/2.xml", "/3.xml",
                                       "https://a/4.xml"};
    assert_int_equal(weft_robots_parse(&robots, weft_text_of(body), weft_text_of("weft")), 0);
    assert_int_equal(robots.sitemap_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(robots.sitemaps[i].data, urls[i]);
    assert_true(weft_robots_allows(&robots, weft_text_of("/")));
    weft_robots_free(&robots);
    assert_int_equal(robots.sitemap_count, 0);
    weft_robots_free(&robots);
}

/* ---- around it ------------------------------------------------------------------------------ */

TEST(the_status_of_the_answer_says_what_to_do)
{
    assert_int_equal(weft_robots_of_status(200, 0), WEFT_ROBOTS_RULES);
    assert_int_equal(weft_robots_of_status(206, 0), WEFT_ROBOTS_RULES);
    assert_int_equal(weft_robots_of_status(299, 0), WEFT_ROBOTS_RULES);
    assert_int_equal(weft_robots_of_status(300, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(301, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(302, UV_ELOOP), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(400, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(401, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(404, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(499, 0), WEFT_ROBOTS_ALLOW_ALL);
    assert_int_equal(weft_robots_of_status(429, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(500, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(503, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(0, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(-1, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(100, 0), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(0, UV_ECONNREFUSED), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(200, UV_ETIMEDOUT), WEFT_ROBOTS_DENY_ALL);
    assert_int_equal(weft_robots_of_status(404, WEFT_EHTTP), WEFT_ROBOTS_DENY_ALL);
}

static uint32_t age(const char *cache_control)
{
    return weft_robots_max_age_s(weft_text_of(cache_control));
}

TEST(rules_are_good_for_a_day_at_most_and_some_minutes_at_least)
{
    assert_int_equal(age(NULL), WEFT_ROBOTS_AGE_MAX_S);
    assert_int_equal(age(""), WEFT_ROBOTS_AGE_MAX_S);
    assert_int_equal(age("public"), WEFT_ROBOTS_AGE_MAX_S);
    assert_int_equal(age("max-age=3600"), 3600);
    assert_int_equal(age("max-age=12389"), 12389);
    assert_int_equal(age("public, Max-Age = \"3600\" , x=1"), 3600);
    assert_int_equal(age("max-age=7200, max-age=3600, max-age=9999"), 3600);
    assert_int_equal(age("max-age=99999999999999999999"), WEFT_ROBOTS_AGE_MAX_S);
    assert_int_equal(age("max-age=0"), WEFT_ROBOTS_AGE_MIN_S);
    assert_int_equal(age("no-store"), WEFT_ROBOTS_AGE_MIN_S);
    assert_int_equal(age("max-age=3600, NO-CACHE"), WEFT_ROBOTS_AGE_MIN_S);
    assert_int_equal(age("no-cache=\"set-cookie\""), WEFT_ROBOTS_AGE_MAX_S);
    assert_int_equal(age("max-age, max-age=, max-age=x, max-age=-1, max-age=\", max-age=\"\""),
                     WEFT_ROBOTS_AGE_MAX_S);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void parse_and_ask(unsigned long n)
{
    struct weft_robots robots = {0};
    char path[2000];
    (void)n;
    memset(path, '%', sizeof path);
    path[0] = '/';
    int status = weft_robots_parse(&robots, weft_text_of("User-agent: *\nDisallow: /x\nSitemap: a"),
                                   weft_text_of("weft"));
    assert_int_equal(status, weft_fault_hit() ? UV_ENOMEM : 0);
    assert_int_equal(weft_robots_allows(&robots, weft_text_of("/y")), status == 0);
    bool allows = weft_robots_allows(&robots, weft_text(path, sizeof path));
    assert_int_equal(allows, !weft_fault_hit());
    assert_true(weft_robots_allows(&robots, weft_text_of("/robots.txt")));
    weft_robots_free(&robots);
}

TEST(without_memory_nothing_is_allowed)
{
    fault_ladder(parse_and_ask);
    assert_int_equal(fault_ladder_height(), 2);
}

TEST(what_was_never_parsed_allows_all)
{
    struct weft_robots robots = {0};
    assert_true(weft_robots_allows(&robots, weft_text_of("/x")));
    weft_robots_free(&robots);
}

/* Compared with a matcher that tries everything, on patterns small enough for it. */
static bool try_all(const char *pattern, const char *path)
{
    if (*pattern == 0 || (pattern[0] == '$' && pattern[1] == 0))
        return *pattern == 0 || *path == 0;
    if (*pattern == '*') {
        for (;; path++) {
            if (try_all(pattern + 1, path))
                return true;
            if (*path == 0)
                return false;
        }
    }
    return *path == *pattern && try_all(pattern + 1, path + 1);
}

TEST(patterns_match_as_if_everything_was_tried)
{
    uint64_t seed = check_seed() * 0x9e3779b97f4a7c15u;
    for (unsigned long round = 0; round < check_scale(20000); round++) {
        char pattern[12] = "/", path[12] = "/", body[64];
        for (size_t i = 1; i < 8; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            pattern[i] = "ab*ab*"[(seed >> 33) % 6];
            path[i] = "ab"[seed >> 63];
        }
        memset(pattern + 2 + (seed >> 40) % 6, 0, 4);
        path[1 + (seed >> 50) % 8] = 0;
        if ((seed >> 45) % 3 == 0)
            pattern[strlen(pattern)] = '$'; /* there are NULs behind it */
        snprintf(body, sizeof body, "User-agent: *\nDisallow: %s\n", pattern);
        if (may_as("weft", body, path) == try_all(pattern, path))
            fail_msg("%s and %s, seed %llu", pattern, path, (unsigned long long)check_seed());
    }
}
