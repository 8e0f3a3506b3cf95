/* ICU on demand: what needs it is refused without it, all else is as always. It is looked for once a
 * process, so that here it is missing from beginning to end.
 * ctest: labels=valgrind-long */
#include "check.h"
#include "links_record.h"
#include "web/icu/icu.h"
#include <uv.h>
#include <weft/url.h>

static int parse(const char *text, struct weft_url *url)
{
    weft__icu_name = "libicu-that-is-not-there.so";
    return weft_url_parse(url, weft_text_of(text), NULL);
}

TEST(a_host_outside_ascii_is_refused)
{
    struct weft_url url = {0};
    assert_int_equal(parse("http://b\u00FCcher.test/", &url), UV_ENOSYS);
    assert_int_equal(url.href.size, 0);
    assert_int_equal(parse("http://b%C3%BCcher.test/", &url), UV_ENOSYS);
    weft_url_free(&url);
}

TEST(a_host_in_ascii_is_not)
{
    struct weft_url url = {0};
    assert_int_equal(parse("http://xn--bcher-kva.test/\u00FC?\u00FC", &url), 0);
    assert_string_equal(url.href.data, "http://xn--bcher-kva.test/%C3%BC?%C3%BC");
    weft_url_free(&url);
}

/* The links of a page that says which encoding it is in; how that ended. */
static int read_page(const char *charset, const char *page, size_t size, const char *lines)
{
    struct links_record found = {.document = page, .document_size = size};
    struct weft_links links = {.on_link = links_record_on_link, .context = &found};
    weft__icu_name = "libicu-that-is-not-there.so";
    assert_int_equal(weft_links_begin(&links, WEFT_LINKS_HTML, weft_text_of(charset)), 0);
    int status = weft_links_feed(&links, page, size);
    int end = weft_links_end(&links);
    assert_int_equal(end < 0 ? end : status, end);
    assert_string_equal(found.text != NULL ? found.text : "", lines);
    weft_links_free(&links);
    links_record_free(&found);
    return end;
}

TEST(a_page_in_utf8_is_read)
{
    static const char page[] = "<a href=\xC3\xA4><a href='\xF0\x9F\x98\x80?\xF0\x9F\x98\x80'>";
    assert_int_equal(read_page("utf-8", page, sizeof page - 1,
                               "navigation a \"\u00E4\"\nnavigation a \"\U0001F600?\U0001F600\"\n"),
                     0);
}

TEST(a_page_in_windows_1252_is_read)
{
    static const char page[] = "<a href=\xE4\x80?\xE4\x80\x81&#x20ac;&#1046;#\x80>";
    assert_int_equal(read_page("latin1", page, sizeof page - 1,
                               "navigation a \"\u00E4\u20AC?%E4%80%81%80%26%231046%3B#\u20AC\"\n"),
                     0);
}

TEST(a_page_that_says_nothing_and_is_not_utf8_is_read)
{
    static const char page[] = "<a href=\xE4?\xE4>";
    assert_int_equal(read_page("", page, sizeof page - 1, "navigation a \"\u00E4?%E4\"\n"), 0);
}

TEST(a_page_in_another_encoding_is_read_as_long_as_its_links_are_ascii)
{
    static const char page[] = "\xC4\xE0<a href=a?b>";
    assert_int_equal(read_page("windows-1251", page, sizeof page - 1, "navigation a \"a?b\"\n"), 0);
}

TEST(a_link_that_is_not_ends_the_page)
{
    static const char page[] = "<a href=a><a href=\xE4><a href=b>";
    assert_int_equal(read_page("windows-1251", page, sizeof page - 1, "navigation a \"a\"\n"),
                     UV_ENOSYS);
}

TEST(a_page_in_utf16_is_not_read)
{
    static const char page[] = "\xFF\xFE<\0a\0 \0h\0r\0e\0f\0=\0a\0>\0";
    assert_int_equal(read_page("", page, sizeof page - 1, ""), UV_ENOSYS);
}
