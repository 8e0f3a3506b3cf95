/* The race of the third spider and its absence in the fourth and fifth: the same site, the same
 * seeds of the spider's own schedule, and a server that counts. */
#include "site.h"

enum { SEEDS = 6, HOLD_MS = 30 };

static struct site s;

/* Two ways lead to /c. Its answer is held back until a second one asks for it, but not for ever:
 * so whoever can come twice does. */
static void add_diamond(void)
{
    site_add(&s, "/", "<a href=/a>a</a> <a href=/b>b</a>");
    site_add(&s, "/a", "<a href=/c>c</a>");
    site_add(&s, "/b", "<a href=/c>c</a>");
    site_hold(site_add(&s, "/c", "reached twice"), HOLD_MS, "/c", 2);
}

/* How many of the seeds make a spider ask for /c twice. */
static unsigned doubles(const char *name, const char *third)
{
    unsigned doubled = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        site_begin(&s);
        add_diamond();
        spider_shuffled(&s, seed, name, "/", "2", third);
        assert_int_equal(s.exit_code, 0);
        assert_string_equal(s.err, "");
        assert_in_range(times(&s, "/c"), 1, 2);
        scratch_equals(file_of(&s, "/c.html"), "reached twice");
        doubled += times(&s, "/c") == 2;
        site_end(&s);
    }
    return doubled;
}

TEST(v3_downloads_the_same_page_twice_at_once)
{
    assert_true(doubles("v3", NULL) > 0);
}

TEST(v4_never_does)
{
    assert_int_equal(doubles("v4", NULL), 0);
}

TEST(v5_never_does)
{
    assert_int_equal(doubles("v5", "4"), 0);
}

TEST(a_link_that_is_there_twice_is_the_shortest_race)
{
    const struct {
        const char *name;
        unsigned times;
    } spiders[] = {{"v2", 1}, {"v3", 2}, {"v4", 1}, {"v5", 1}};
    for (int i = 0; i < 4; i++) {
        site_begin(&s);
        site_add(&s, "/", "<a href=/c>once</a> <a href=/c>twice</a>");
        site_hold(site_add(&s, "/c", ""), spiders[i].times == 2 ? PATIENCE_MS : HOLD_MS, "/c", 2);
        spider(&s, spiders[i].name, "/", "1", NULL);
        assert_int_equal(s.exit_code, 0);
        assert_int_equal(times(&s, "/c"), spiders[i].times);
        site_end(&s);
    }
}

/* /x is reached over /a and /b with no nesting left, and later over /late with some. The documents'
 * spider skips it the second time and never sees /y: what it fetches depends on who is first. */
static void add_two_ways(bool while_it_loads)
{
    site_add(&s, "/", "<a href=/a>a</a> <a href=/late>late</a>");
    site_add(&s, "/a", "<a href=/b>b</a>");
    site_add(&s, "/b", "<a href=/x>x</a>");
    site_add(&s, "/x", "<a href=/y>y</a>")->wait_ms = while_it_loads ? HOLD_MS : 0;
    site_add(&s, "/y", "found");
    site_hold(site_add(&s, "/late", "<a href=/x>x</a>"), PATIENCE_MS, "/x", 1);
}

TEST(a_page_that_is_reached_again_with_more_nesting_left_is_followed_further)
{
    const char *const spiders[] = {"v3", "v4", "v5"};
    for (int i = 0; i < 3; i++) {
        for (unsigned seed = 0; seed < 4; seed++) {
            site_begin(&s);
            add_two_ways(seed % 2 == 0);
            spider_shuffled(&s, seed, spiders[i], "/", "3", NULL);
            assert_int_equal(s.exit_code, 0);
            assert_int_equal(times(&s, "/y"), 1);
            assert_true(times(&s, "/x") == 1 || i == 0);
            site_end(&s);
        }
    }
}

TEST(v4_waits_for_a_page_that_then_fails_and_does_not_hang)
{
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        site_begin(&s);
        add_diamond();
        site_find(&s, weft_text_of("/c"))->status = 503;
        spider_shuffled(&s, seed, "v4", "/", "2", NULL);
        assert_string_equal(s.err, "http://HOST/c: 503 Service Unavailable from HOST\n");
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

/* A page that fails, but not before another one was asked for. */
static void add_failing(const char *path, const char *other)
{
    struct made *page = site_add(&s, path, "");
    page->status = 500;
    site_hold(page, PATIENCE_MS, other, 1);
}

/* Whoever fails second, at the same time, has nothing to say any more. */
TEST(two_failing_links_are_one_report)
{
    const char *const spiders[] = {"v3", "v4"};
    for (int i = 0; i < 2; i++) {
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            site_begin(&s);
            site_add(&s, "/", "<a href=/bad> <a href=/worse>");
            add_failing("/bad", "/worse");
            add_failing("/worse", "/bad");
            spider_shuffled(&s, seed, spiders[i], "/", "1", NULL);
            assert_string_equal(asked(&s), "/ /bad /worse");
            assert_non_null(strstr(s.err, ": 500 Internal Server Error from "));
            assert_ptr_equal(strchr(s.err, '\n'), s.err + strlen(s.err) - 1);
            assert_int_equal(s.exit_code, 1);
            site_end(&s);
        }
    }
}
