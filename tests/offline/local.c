/* Ways between the files of a copy. */
#include "check.h"
#include "offline/local.h"
#include <string.h>

static const char *way(const char *from, const char *to)
{
    static struct out out;
    out.size = 0;
    local_way(&out, weft_text_of(from), weft_text_of(to));
    out_text(&out, weft_text("", 1));
    return out.data;
}

TEST(a_way_goes_up_to_the_folder_that_both_are_in)
{
    assert_string_equal(way("h/a.html", "h/b.html"), "b.html");
    assert_string_equal(way("h/a.html", "h/a.html"), "a.html");
    assert_string_equal(way("h/a/b/c.html", "h/a/d.png"), "../d.png");
    assert_string_equal(way("h/a.html", "h/x/y/z.css"), "x/y/z.css");
    assert_string_equal(way("h:80/a/b.html", "other/c.html"), "../../other/c.html");
    assert_string_equal(way("h/ab/c.html", "h/abc/d.html"), "../abc/d.html");
}

TEST(a_percent_sign_of_a_name_is_escaped)
{
    assert_string_equal(way("h/a.html", "h/b%20c%25.html"), "b%2520c%2525.html");
}

static const char *name(const char *from, const char *link)
{
    static char buffer[64];
    return local_name(weft_text_of(from), weft_text_of(link), buffer, sizeof buffer) ? buffer
                                                                                     : NULL;
}

TEST(a_link_leads_to_the_name_that_its_way_was_made_of)
{
    static const char *const names[] = {"h/a.html", "h/b/c.png", "h/b%2f/d.html",
                                        "other/x~y@z=1,2.q"};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++)
            assert_string_equal(name(names[i], way(names[i], names[j])), names[j]);
    }
}

TEST(what_stands_behind_a_question_mark_or_a_number_sign_does_not_count)
{
    assert_string_equal(name("h/a.html", "b.html#c/../d"), "h/b.html");
    assert_string_equal(name("h/a.html", "b.html?c"), "h/b.html");
    assert_string_equal(name("h/a.html", "#c"), "h/a.html");
    assert_string_equal(name("h/a.html", ""), "h/a.html");
    assert_string_equal(name("h/a.html", "./b.html"), "h/b.html");
}

TEST(a_link_to_elsewhere_has_no_name)
{
    assert_null(name("h/a.html", "http://h/b.html"));
    assert_null(name("h/a.html", "mailto:a"));
    assert_null(name("h/a.html", "//h/b.html"));
    assert_null(name("h/a.html", "/b.html"));
    assert_null(name("h/a.html", "../../b.html"));
    assert_null(name("h/a.html", ".."));
    assert_null(name("h/a.html", "b/"));
    assert_null(name("h/a.html", "b%00.html"));
    assert_null(name("h/a.html", "b%2f.html"));
}

TEST(a_name_that_does_not_fit_is_none)
{
    char link[100];
    memset(link, 'x', sizeof link - 1);
    link[sizeof link - 1] = '\0';
    assert_null(name("h/a.html", link));
}

TEST(pages_are_known_by_their_names)
{
    assert_true(local_is_page(weft_text_of("a.html")));
    assert_true(local_is_page(weft_text_of("a.HTM")));
    assert_false(local_is_page(weft_text_of("a.php")));
    assert_false(local_is_page(weft_text_of(".html")));
    assert_true(local_is_program(weft_text_of("/x/a.php")));
    assert_false(local_is_program(weft_text_of("/x/a.png")));
}

static const char *ending(const char *name, const char *content_type)
{
    return local_ending(weft_text_of(name), weft_text_of(content_type));
}

TEST(a_name_that_misleads_a_browser_needs_another_ending)
{
    assert_string_equal(ending("h/a.php", "text/html; charset=utf-8"), ".html");
    assert_string_equal(ending("h/a.html", "Text/CSS"), ".css");
    assert_string_equal(ending("h/a.php", "text/css"), ".css");
    assert_string_equal(ending("h/a.txt", "text/css"), ".css");
    assert_string_equal(ending("h/a.png", "image/svg+xml"), ".svg");
    assert_string_equal(ending("h/a.html", "text/plain"), ".txt");
    assert_string_equal(ending("h/a.cgi", "image/png"), ".png");
    assert_string_equal(ending("h/a.html", "application/xhtml+xml"), ".xhtml"); /* read as XML, */
    assert_string_equal(ending("h/a.xhtml", "text/html"), ".html");             /* or not */
}

TEST(a_name_that_says_enough_stays)
{
    assert_null(ending("h/a.html", "text/html"));
    assert_null(ending("h/a.xhtml", "application/xhtml+xml"));
    assert_null(ending("h/a.XHT", "application/xhtml+xml"));
    assert_null(ending("h/a.css", "text/css"));
    assert_null(ending("h/a.SVG", "image/svg+xml"));
    assert_null(ending("h/a.md", "text/plain"));
    assert_null(ending("h/a.jpeg", "image/png"));
    assert_null(ending("h/a.html", "made/up"));
    assert_null(ending("h/a.html", ""));
    assert_null(ending("h/a.html", "nonsense"));
}

TEST(an_ending_takes_the_place_of_a_pages_and_stands_behind_others)
{
    char name[16] = "h/a.html";
    assert_true(local_end_with(name, ".css", name, sizeof name));
    assert_string_equal(name, "h/a.css");
    assert_true(local_end_with(name, ".html", name, sizeof name));
    assert_string_equal(name, "h/a.css.html");
    assert_false(local_end_with("h/a.cgi", ".html", name, 12));
    assert_true(local_end_with("h/a.cgi", ".html", name, 13));
}

static size_t head(const char *page)
{
    return local_head(weft_text_of(page));
}

TEST(what_belongs_into_the_head_comes_behind_the_doctype)
{
    assert_int_equal(head("<!DOCTYPE html><p>"), 15);
    assert_int_equal(head(" \n<!-- > --> <?xml x?>\n<!doctype html PUBLIC 'x'><p>"), 49);
    assert_int_equal(head("<p><!doctype html>"), 0);
    assert_int_equal(head("<!-- <!doctype html>"), 0);
    assert_int_equal(head("<!-- --!><p>--><!doctype html>"), 0);
    assert_int_equal(head("<!--><p>--><!doctype html>"), 0);
    assert_int_equal(head("<!---><!doctype html>"), 21);
    assert_int_equal(head("<!-- --!> --><!doctype html>"), 0);
    assert_int_equal(head("<!-- --> --!><!doctype html>"), 0);
    assert_int_equal(head("<!----!><!doctype html>"), 23);
    assert_int_equal(head("<!doctype html"), 0);
    assert_int_equal(head("text"), 0);
    assert_int_equal(head(""), 0);
    assert_int_equal(local_head(weft_text(NULL, 0)), 0);
}
