/* What a body looks like, if nobody says what it is.
 * ctest: shuffle=no */
#include "check.h"
#include "spider/reader.h"
#include <string.h>

static enum reader_look look(const char *body)
{
    return reader_look(body, strlen(body));
}

TEST(a_page_begins_with_a_tag_behind_blanks_and_a_mark)
{
    assert_int_equal(look("<p>"), READER_PAGE);
    assert_int_equal(look(" \t\r\n\f<!doctype html>"), READER_PAGE);
    assert_int_equal(look("\xef\xbb\xbf<p>"), READER_PAGE);
    assert_int_equal(look("\xef\xbb\xbf \n<p>"), READER_PAGE);
    assert_int_equal(look("x <p>"), READER_NO_PAGE);
    assert_int_equal(reader_look("\0<p>", 4), READER_NO_PAGE);
    assert_int_equal(look("\x89PNG"), READER_NO_PAGE);
}

TEST(blanks_say_nothing_yet)
{
    assert_int_equal(look(""), READER_BLANK);
    assert_int_equal(look(" \n"), READER_BLANK);
    assert_int_equal(look("\xef\xbb\xbf"), READER_BLANK);
    assert_int_equal(reader_look(NULL, 0), READER_BLANK);
}

TEST(a_body_tells_its_type_only_if_nobody_else_does)
{
    static const struct {
        const char *type, *name, *body;
        bool linked, untold;
    } cases[] = {
        {"", "h/a", "<p>", true, true},         {"nonsense", "h/a.xyz", "<p>", true, true},
        {"", "h/a", "text", false, false},      {"text/plain", "h/a", "<p>", false, false},
        {"", "h/a.png", "<p>", false, false},   {"", "h/a.html", "text", true, false},
        {"text/html", "h/a", "x", true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum weft_links_type type;
        struct weft_text charset;
        bool untold;
        assert_int_equal(reader_type_of(weft_text_of(cases[i].type), weft_text_of(cases[i].name),
                                        weft_text_of(cases[i].body), &type, &charset, &untold),
                         cases[i].linked);
        assert_int_equal(untold, cases[i].untold);
        assert_true(!cases[i].linked || type == WEFT_LINKS_HTML);
    }
}
