/* The second spider: links, one after the other, as deep as NESTING says. And what it has in common
 * with those after it, which are put to the same tests: which pages they fetch, that they go on
 * from what is on disk, and that every page calls back. */
#include "site.h"

static const char *const all[] = {"v2", "v3", "v4", "v5"};
#define EACH_SPIDER(name) for (const char *const *name = all; name < all + 4; name++)

static struct site s;

/* v3 may ask for a page more than once: that is its race, and not the question here. */
static void expect_asked(const char *name, const char *expected)
{
    if (strcmp(name, "v3") == 0) {
        for (size_t i = 0; i < s.count; i++)
            s.pages[i].times = s.pages[i].times > 0;
    }
    assert_string_equal(asked(&s), expected);
}

/* / -> a, b; a -> c, /; b -> d; c -> e. Everything is on the same host but for the decoys. */
static void add_tree(void)
{
    site_add(&s, "/",
             "<a href=/a>a</a> <a href=b#part>b</a> <a href=http://127.0.0.2:9/x>another host</a>"
             "<a href=mailto:a@b>mail</a> <a href=http://[>no URL</a> <link href=/style.css>");
    site_add(&s, "/a", "<a href=/c>c</a> <a href=/>up</a>");
    site_add(&s, "/b", "<base href=/in/side/><a href=../d>d</a>");
    site_add(&s, "/c", "<a href=/e>e</a>");
    site_add(&s, "/in/d", "nothing more");
    site_add(&s, "/e", "the end");
}

TEST(nesting_says_how_deep_links_are_followed)
{
    EACH_SPIDER(name)
    {
        const char *const sets[] = {"/", "/ /a /b", "/ /a /b /c /in/d", "/ /a /b /c /e /in/d"};
        for (int nesting = 0; nesting <= 3; nesting++) {
            char number[2] = {(char)('0' + nesting), '\0'};
            site_begin(&s);
            add_tree();
            spider(&s, *name, "/", number, NULL);
            expect_asked(*name, sets[nesting]);
            assert_string_equal(s.err, "");
            assert_int_equal(s.exit_code, 0);
            site_end(&s);
        }
    }
}

TEST(the_nesting_is_1_unless_it_is_given)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        add_tree();
        spider(&s, *name, "/", NULL, NULL);
        expect_asked(*name, "/ /a /b");
        site_end(&s);
    }
}

TEST(the_URL_is_www_example_com_unless_it_is_given)
{
    EACH_SPIDER(name)
    {
        char path[2 * PATH];
        site_begin(&s);
        snprintf(path, sizeof path, "%s/www.example.com", s.folder);
        assert_int_equal(mkdir(path, 0777), 0);
        strcat(path,
               "/index.html"); /* it is there already, so that nobody has to go and fetch it */
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
        spider(&s, *name, NULL, NULL, NULL);
        assert_string_equal(s.out, "already there: www.example.com/index.html\nall there\n");
        assert_int_equal(s.exit_code, 0);
        site_end(&s);
    }
}

TEST(v2_takes_one_page_after_the_other_in_the_order_of_the_links)
{
    site_begin(&s);
    add_tree();
    for (size_t i = 0; i < s.count; i++)
        s.pages[i].wait_ms = 3;
    spider(&s, "v2", "/", "2", NULL);
    assert_int_equal(s.most, 1);
    assert_string_equal(s.out, "downloaded http://HOST/ as HOST/index.html\n"
                               "downloaded http://HOST/a as HOST/a.html\n"
                               "downloaded http://HOST/c as HOST/c.html\n"
                               "already there: HOST/index.html\n"
                               "downloaded http://HOST/b as HOST/b.html\n"
                               "downloaded http://HOST/in/d as HOST/in/d.html\n"
                               "all there\n");
    site_end(&s);
}

TEST(an_empty_page_calls_back)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        site_add(&s, "/", "<a href=/a> <a href=/b>");
        site_add(&s, "/a", "");
        site_add(&s, "/b", "no links");
        spider(&s, *name, "/", "5", NULL);
        expect_asked(*name, "/ /a /b");
        assert_int_equal(s.exit_code, 0);
        spider(&s, *name, "/", "5", NULL); /* and when it is read from disk */
        assert_string_equal(asked(&s), "");
        assert_int_equal(s.exit_code, 0);
        site_end(&s);
    }
}

/* The documents' queue spider looks for links in the name of a file that was there already. */
TEST(links_are_taken_from_the_content_and_not_from_the_name)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        add_tree();
        spider(&s, *name, "/a", "0", NULL);
        expect_asked(*name, "/a");
        spider(&s, *name, "/a", "1", NULL);
        expect_asked(*name, "/ /c");
        site_end(&s);
    }
}

TEST(what_is_on_disk_is_read_and_its_links_are_followed)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        add_tree();
        spider(&s, *name, "/", "3", NULL);
        assert_int_equal(s.exit_code, 0);
        unlink(file_of(&s, "/e.html")); /* as if it had been stopped before */
        unlink(file_of(&s, "/a.html"));
        spider(&s, *name, "/", "3", NULL);
        expect_asked(*name, "/a /e");
        assert_int_equal(s.exit_code, 0);
        scratch_equals(file_of(&s, "/e.html"), "the end");
        site_end(&s);
    }
}

TEST(a_crawl_that_was_not_deep_enough_goes_deeper)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        add_tree();
        spider(&s, *name, "/", "1", NULL);
        spider(&s, *name, "/", "3", NULL);
        expect_asked(*name, "/c /e /in/d");
        site_end(&s);
    }
}

TEST(the_first_error_ends_it_and_is_told_once)
{
    const char *const strict[] = {"v2", "v3", "v4"};
    for (int i = 0; i < 3; i++) {
        site_begin(&s);
        site_add(&s, "/", "<a href=/good> <a href=/bad> <a href=/worse>");
        site_add(&s, "/good", "good");
        site_add(&s, "/bad", "")->status = 500;
        site_add(&s, "/worse", "")->status = 500;
        spider(&s, strict[i], "/", "1", NULL);
        bool is_one =
            strcmp(s.err, "http://HOST/bad: 500 Internal Server Error from HOST\n") == 0 ||
            strcmp(s.err, "http://HOST/worse: 500 Internal Server Error from HOST\n") == 0;
        assert_true(is_one);
        assert_null(strstr(s.out, "all there"));
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

TEST(an_error_deep_down_is_told_at_the_top_with_its_URL)
{
    const char *const strict[] = {"v2", "v3", "v4"};
    for (int i = 0; i < 3; i++) {
        site_begin(&s);
        site_add(&s, "/", "<a href=/a>");
        site_add(&s, "/a", "<a href=/b>");
        site_add(&s, "/b", "<a href=/c>");
        spider(&s, strict[i], "/", "3", NULL);
        assert_string_equal(s.err, "http://HOST/c: 404 Not Found from HOST\n");
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

TEST(a_file_that_cannot_be_read_or_written_is_an_error)
{
    EACH_SPIDER(name)
    {
        site_begin(&s);
        site_add(&s, "/", "<a href=/a>");
        site_add(&s, "/a", "a page");
        spider(&s, *name, "/", "0", NULL);
        assert_int_equal(mkdir(file_of(&s, "/a.html"), 0777), 0);
        spider(&s, *name, "/", "1", NULL);
        assert_non_null(strstr(s.err, "HOST/a.html: illegal operation on a directory\n"));
        assert_string_equal(asked(&s), "");
        assert_int_equal(s.exit_code, 1);
        site_end(&s);
    }
}

TEST(bad_numbers_are_wrong_usage)
{
    const char *const bad[] = {"-1", "x", "1x", "", " 1", "99999999999999999999"};
    site_begin(&s);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        spider(&s, "v2", "/", bad[i], NULL);
        assert_non_null(strstr(s.err, "usage: "));
        assert_int_equal(s.exit_code, 2);
    }
    assert_string_equal(asked(&s), "");
    site_end(&s);
}

TEST(only_v5_knows_a_concurrency)
{
    site_begin(&s);
    site_add(&s, "/", "");
    for (int i = 0; i < 3; i++) {
        spider(&s, all[i], "/", "1", "2");
        assert_int_equal(s.exit_code, 2);
    }
    spider(&s, "v5", "/", "1", "0");
    assert_non_null(strstr(s.err, "usage: "));
    assert_int_equal(s.exit_code, 2);
    assert_string_equal(asked(&s), "");
    spider(&s, "v5", "/", "1", "2");
    assert_int_equal(s.exit_code, 0);
    site_end(&s);
}
