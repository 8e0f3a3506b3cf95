/* A document with other links in it. */
#include "check.h"
#include "fault.h"
#include "offline/swaps.h"
#include <string.h>
#include <weft/alloc.h>

static struct swaps swaps;
static const char *to;

static int swap(struct weft_links *links, const struct weft_link *link)
{
    (void)links;
    return swaps_add(&swaps, link, weft_text_of(to)) ? 0 : -12;
}

/* The document with all of its links leading to `target`; free it. */
static struct out swapped(const char *document, enum weft_links_type type, const char *target)
{
    struct weft_links links = {.on_link = swap, .guards = true};
    struct out out = {0};
    to = target;
    swaps_begin(&swaps, strlen(document));
    assert_int_equal(weft_links_scan(&links, type, weft_text(NULL, 0), document, strlen(document)),
                     0);
    weft_links_free(&links);
    assert_true(swaps_write(&swaps, weft_text_of(document), &out));
    out_text(&out, weft_text("", 1));
    return out;
}

static void becomes(const char *document, enum weft_links_type type, const char *target,
                    const char *expected)
{
    struct out out = swapped(document, type, target);
    assert_string_equal(out.data, expected);
    out_free(&out);
    swaps_free(&swaps);
}

TEST(links_are_replaced_where_they_stand)
{
    becomes("<a href=x>1</a><img src='y' srcset=\"a 1x, b 2x\">", WEFT_LINKS_HTML, "z",
            "<a href=z>1</a><img src='z' srcset=\"z 1x, z 2x\">");
    becomes("no links", WEFT_LINKS_HTML, "z", "no links");
    becomes("", WEFT_LINKS_HTML, "z", "");
}

TEST(what_would_become_many_times_as_long_is_not_written)
{
    static char document[200000], target[2000];
    struct weft_links links = {.on_link = swap, .guards = true};
    for (size_t i = 0; i + 10 < sizeof document; i += 10)
        memcpy(document + i, "<a href=q>", 10);
    memset(target, 'x', sizeof target - 1);
    for (int large = 0; large < 2; large++) {
        to = large ? target : "short";
        swaps_begin(&swaps, strlen(document));
        assert_int_equal(weft_links_scan(&links, WEFT_LINKS_HTML, weft_text(NULL, 0), document,
                                         strlen(document)),
                         0);
        assert_int_equal(swaps.full, large);
        assert_in_range(swaps.list.size, 0, 4 * sizeof document + (1 << 20));
    }
    weft_links_free(&links);
    swaps_free(&swaps);
}

TEST(a_replacement_is_escaped_in_an_attribute)
{
    becomes("<a href=\"x\">", WEFT_LINKS_HTML, "a?b&c='", "<a href=\"a?b&amp;c=&#39;\">");
}

TEST(a_refresh_does_not_take_a_name_for_its_label)
{
    becomes("<meta http-equiv=refresh content='5; /x'>", WEFT_LINKS_HTML, "url=1.html",
            "<meta http-equiv=refresh content='5; ./url=1.html'>");
    becomes("<meta http-equiv=refresh content='5; /x'>", WEFT_LINKS_HTML, "Url.html",
            "<meta http-equiv=refresh content='5; ./Url.html'>");
    becomes("<meta http-equiv=refresh content='5; url=/x'>", WEFT_LINKS_HTML, "1.html",
            "<meta http-equiv=refresh content='5; url=1.html'>");
}

TEST(a_replacement_is_escaped_in_a_style_sheet)
{
    becomes("p { background: url(x) } @import 'y';", WEFT_LINKS_CSS, "a(b)'c&d",
            "p { background: url(a%28b%29%27c&d) } @import 'a%28b%29%27c&d';");
    becomes("<p style=\"background: url('x')\">", WEFT_LINKS_HTML, "a&b'",
            "<p style=\"background: url('a&amp;b%27')\">");
}

TEST(a_replacement_does_not_end_where_it_stands)
{
    becomes("p { background: url(x) }", WEFT_LINKS_CSS, "a?b\\c#d\\",
            "p { background: url(a?b%5Cc#d%5C) }");
    becomes("<meta http-equiv=refresh content=\"0; url='x'\">", WEFT_LINKS_HTML, "it's",
            "<meta http-equiv=refresh content=\"0; url='it%27s'\">");
    becomes("<meta http-equiv=refresh content='5 x'>", WEFT_LINKS_HTML, ",a",
            "<meta http-equiv=refresh content='5 %2Ca'>");
    becomes("<img srcset=\"x 1x, y 2x\">", WEFT_LINKS_HTML, ",a,b,",
            "<img srcset=\"%2Ca,b%2C 1x, %2Ca,b%2C 2x\">");
    becomes("<a href=x>", WEFT_LINKS_HTML, ",a(b)\\", "<a href=,a(b)\\>");
}

TEST(what_stands_before_a_link_is_not_mixed_up_with_it)
{
    becomes("<a href='&#32x'>", WEFT_LINKS_HTML, "1", "<a href='&#32;1'>");
    becomes("<a href='&#X20/x&#32'>", WEFT_LINKS_HTML, "a", "<a href='&#X20;a&#32'>");
    becomes("<p style='a: url(&quot/x&quot)'>", WEFT_LINKS_HTML, "a",
            "<p style='a: url(&quot;a&quot)'>");
    becomes("<a href=' x'>", WEFT_LINKS_HTML, "1", "<a href=' 1'>");
}

TEST(nothing_does_not_take_the_next_attribute)
{
    becomes("<base href=/deep/ target=_top>", WEFT_LINKS_HTML, "", "<base href=\"\" target=_top>");
    becomes("<base href='/deep/' target=_top>", WEFT_LINKS_HTML, "", "<base href='' target=_top>");
}

TEST(guards_get_a_name_that_means_nothing)
{
    becomes("<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\"><a href=x>",
            WEFT_LINKS_HTML, "z",
            "<meta data-http-equiv='Content-Security-Policy' content=\"default-src 'none'\"><a "
            "href=z>");
    becomes("<link rel=stylesheet integrity=\"sha384-x\" href=a CROSSORIGIN>", WEFT_LINKS_HTML, "z",
            "<link rel=stylesheet data-integrity=\"sha384-x\" href=z data-CROSSORIGIN>");
    becomes("<script crossorigin = 'anonymous' src=a></script>", WEFT_LINKS_HTML, "z",
            "<script data-crossorigin = 'anonymous' src=z></script>");
    becomes("<script src=a crossorigin=anonymous></script>", WEFT_LINKS_HTML, "z",
            "<script src=z data-crossorigin=anonymous></script>");
}

TEST(a_byte_order_mark_is_in_nobodys_way)
{
    becomes("\xef\xbb\xbf<a href=x>", WEFT_LINKS_HTML, "z", "\xef\xbb\xbf<a href=z>");
}

TEST(a_document_that_has_the_links_already_does_not_differ)
{
    static const char document[] = "<a href=x><a href='x'>";
    struct out out = swapped(document, WEFT_LINKS_HTML, "x");
    assert_false(swaps_differ(&swaps, weft_text_of(document)));
    out_free(&out);
    out = swapped(document, WEFT_LINKS_HTML, "y");
    assert_true(swaps_differ(&swaps, weft_text_of(document)));
    out_free(&out);
    swaps_free(&swaps);
}

static void without_memory(unsigned long n)
{
    static const char document[] = "<a href=x><a href=y>";
    struct weft_link link = {.url = weft_text("x", 1), .start = 8, .end = 9, .in_attribute = true};
    struct swaps own = {0};
    struct out out = {0};
    (void)n;
    if (swaps_add(&own, &link, weft_text_of("z")))
        swaps_write(&own, weft_text_of(document), &out);
    out_free(&out);
    swaps_free(&own);
}

TEST(swapping_survives_running_out_of_memory)
{
    fault_ladder(without_memory);
}
