/* The fifth spider: a limit for all of it, errors that stop nothing, a server that has enough. */
#include "site.h"

enum { WIDE = 12 };

static struct site s;

/* A page with WIDE links: to /name0, /name1, … */
static void add_fan(const char *path, const char *name, unsigned long wait_ms)
{
    char body[64 * WIDE] = "";
    size_t size = 0;
    for (int i = 0; i < WIDE; i++)
        size += (size_t)snprintf(body + size, sizeof body - size, "<a href=/%s%d>", name, i);
    site_add(&s, path, body)->wait_ms = wait_ms;
}

/* / has WIDE links, and each of those WIDE again: 157 pages. */
static void add_wide_tree(unsigned long wait_ms)
{
    char path[32], leaf[32];
    add_fan("/", "", 0);
    for (int i = 0; i < WIDE; i++) {
        snprintf(path, sizeof path, "/%d", i);
        snprintf(leaf, sizeof leaf, "%d/", i);
        add_fan(path, leaf, wait_ms);
        for (int j = 0; j < WIDE; j++) {
            snprintf(leaf, sizeof leaf, "/%d/%d", i, j);
            site_add(&s, leaf, "a leaf")->wait_ms = wait_ms;
        }
    }
}

static unsigned long all_times(void)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < s.count; i++)
        sum += s.pages[i].times;
    return sum;
}

static size_t lines(const char *text, const char *with)
{
    size_t count = 0;
    for (; (text = strstr(text, with)) != NULL; text += strlen(with))
        count++;
    return count;
}

TEST(no_more_than_the_concurrency_are_under_way_whatever_the_tree)
{
    const char *const limits[] = {"1", "4", NULL};
    const unsigned most[] = {1, 4, 2};
    for (int i = 0; i < 3; i++) {
        site_begin(&s);
        add_wide_tree(2);
        spider(&s, "v5", "/", "2", limits[i]);
        assert_int_equal(s.exit_code, 0);
        assert_int_equal(all_times(), 1 + WIDE + WIDE * WIDE);
        assert_int_equal(s.most, most[i]); /* held, and made use of; 2 unless it is given */
        site_end(&s);
    }
}

TEST(v3_knows_no_limit)
{
    site_begin(&s);
    add_wide_tree(50);
    spider(&s, "v3", "/", "2", NULL);
    assert_int_equal(s.exit_code, 0);
    assert_true(s.most > WIDE);
    site_end(&s);
}

TEST(errors_stop_nothing_and_are_listed_at_the_end)
{
    site_begin(&s);
    site_add(&s, "/", "<a href=/bad> <a href=/a> <a href=/gone> <a href=/b>");
    site_add(&s, "/a", "<a href=/c>");
    site_add(&s, "/bad", "<a href=/never>")->status = 500;
    site_add(&s, "/b", "");
    site_add(&s, "/c", "");
    spider(&s, "v5", "/", "2", "1");
    assert_string_equal(asked(&s), "/ /a /b /bad /c /gone");
    assert_string_equal(s.err, "http://HOST/bad: 500 Internal Server Error from HOST\n"
                               "http://HOST/gone: 404 Not Found from HOST\n"
                               "failed; the same command tries again:\n"
                               "    http://HOST/bad\n"
                               "    http://HOST/gone\n");
    assert_int_equal(s.exit_code, 1);

    site_find(&s, weft_text_of("/bad"))->status = 200;
    site_find(&s, weft_text_of("/gone"))->status = 200;
    spider(&s, "v5", "/", "2", "1");
    assert_string_equal(asked(&s), "/bad /gone /never");
    assert_non_null(strstr(s.err, "http://HOST/never: 404 Not Found from HOST\n"));
    site_end(&s);
}

TEST(a_first_page_that_fails_is_the_end)
{
    site_begin(&s);
    spider(&s, "v5", "/none", NULL, NULL);
    assert_string_equal(s.err, "http://HOST/none: 404 Not Found from HOST\n"
                               "failed; the same command tries again:\n"
                               "    http://HOST/none\n");
    assert_string_equal(s.out, "");
    assert_int_equal(s.exit_code, 1);
    site_end(&s);
}

TEST(a_server_that_refuses_connections_is_survived_and_a_second_run_completes_it)
{
    site_begin(&s);
    add_wide_tree(0);
    s.drop_after = 50;
    spider(&s, "v5", "/", "2", "4");
    unsigned long first = all_times();
    assert_int_equal(s.exit_code, 1);
    assert_int_equal(first, 50);
    assert_non_null(strstr(s.err, "connection refused"));
    size_t there = lines(s.out, "downloaded ");
    assert_in_range(there, 50 - 4, 50); /* what was under way is lost */
    size_t failed = lines(s.err, "    http://");
    assert_true(failed > 0);

    s.drop_after = 0;
    spider(&s, "v5", "/", "2", "4");
    assert_string_equal(s.err, "");
    assert_int_equal(s.exit_code, 0);
    assert_int_equal(all_times(), 1 + WIDE + WIDE * WIDE - there); /* nothing a second time */
    assert_int_equal(lines(s.out, "already there: "), there);
    site_end(&s);
}

TEST(the_same_server_ends_v3_at_the_first_refusal)
{
    site_begin(&s);
    add_wide_tree(5);
    s.drop_after = 20;
    spider(&s, "v3", "/", "2", NULL);
    assert_int_equal(s.exit_code, 1);
    assert_int_equal(lines(s.err, "\n"), 1);
    site_end(&s);
}
