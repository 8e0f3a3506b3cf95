/* The parts of links.h that read one value: refreshes and srcsets. */
#include "check.h"
#include <string.h>
#include <uv.h>
#include <weft/links.h>

static void check_refresh(const char *value, uint32_t seconds, const char *url)
{
    struct weft_text text;
    uint32_t read = 7;
    assert_int_equal(weft_links_refresh(weft_text_of(value), &text, &read), 0);
    assert_int_equal(read, seconds);
    if (!weft_text_is(text, url))
        fail_msg("%s: %.*s", value, WEFT_TEXT_ARGS(text));
}

TEST(a_refresh_has_a_time_and_perhaps_a_url)
{
    check_refresh("5", 5, "");
    check_refresh(" 5 ; url=a", 5, "a");
    check_refresh("5;a", 5, "a");
    check_refresh("5, URL = 'a b' c", 5, "a b");
    check_refresh("5 url=a", 5, "a");
    check_refresh("5;url=\"a", 5, "a");
    check_refresh("5;'a'b", 5, "a");
    check_refresh("5;url a", 5, "url a");
    check_refresh("5;urla=b", 5, "urla=b");
    check_refresh(".5;u", 0, "u");
    check_refresh("1.9.9 ;\t\n url=x ", 1, "x ");
    check_refresh("99999999999999999999; a", UINT32_MAX, "a");
    check_refresh("0;", 0, "");
    check_refresh("0;url=", 0, "");
}

TEST(a_refresh_without_a_time_is_none)
{
    static const char *const values[] = {"", "  ", "url=a", "x5;url=a", "-5;url=a", "5x;url=a"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct weft_text text = weft_text("x", 1);
        uint32_t seconds = 7;
        assert_int_equal(weft_links_refresh(weft_text_of(values[i]), &text, &seconds), UV_EINVAL);
        assert_int_equal(text.size, 0);
    }
}

static void check_srcset(const char *value, const char *urls)
{
    struct weft_text rest = weft_text_of(value), url;
    char all[256] = "";
    while (weft_links_srcset_next(&rest, &url) == 1)
        snprintf(all + strlen(all), sizeof all - strlen(all), "[%.*s]", WEFT_TEXT_ARGS(url));
    assert_string_equal(all, urls);
    assert_int_equal(weft_links_srcset_next(&rest, &url), 0);
}

TEST(a_srcset_is_a_list_of_urls_and_descriptors)
{
    check_srcset("", "");
    check_srcset(" , ,", "");
    check_srcset("a", "[a]");
    check_srcset("a 1x, b 2x", "[a][b]");
    check_srcset("a,b", "[a,b]");
    check_srcset("a, b", "[a][b]");
    check_srcset("a,, b", "[a][b]");
    check_srcset("a 1x,b 2x", "[a][b]");
    check_srcset("a (1,2) 3x, b", "[a][b]");
    check_srcset("a (1, b", "[a]");
    check_srcset("data:,x 1x,\n\tb\f2x", "[data:,x][b]");
    check_srcset(",a", "[a]");
}
