/* Links of pages and style sheets: which there are, of what kind, and where they stand. */
/* ctest: labels=valgrind */
#include "check.h"
#include "fault.h"
#include "links_record.h"
#include <uv.h>

static struct links_record found;
static struct weft_links links;

/* The lines of the document that comes now go into found. */
static void write_down(const char *document, size_t size)
{
    bool with_ranges = found.with_ranges;
    int stop = found.status;
    links_record_free(&found);
    found = (struct links_record){
        .document = document, .document_size = size, .with_ranges = with_ranges, .status = stop};
    links.on_link = links_record_on_link;
    links.context = &found;
}

/* Read a document in pieces; the lines stay in found. */
static int read_pieces(enum weft_links_type type, const char *charset, const char *document,
                       size_t size, size_t piece)
{
    write_down(document, size);
    int status = weft_links_begin(&links, type, weft_text_of(charset));
    for (size_t at = 0; at < size && status == 0; at += piece)
        status = weft_links_feed(&links, document + at, size - at < piece ? size - at : piece);
    if (status == 0)
        status = weft_links_end(&links);
    return status;
}

static void forget(void)
{
    weft_links_free(&links);
    links_record_free(&found);
    links = (struct weft_links){0};
    found = (struct links_record){0};
}

static void expect_in(enum weft_links_type type, const char *charset, const char *document,
                      size_t size, const char *lines)
{
    for (size_t piece = size + 1; piece > 0; piece = piece > 1 ? 1 : 0) {
        assert_int_equal(read_pieces(type, charset, document, size, piece), 0);
        assert_string_equal(found.text != NULL ? found.text : "", lines);
        assert_false(found.wrong_range);
    }
}

/* The page has these links, whole and byte by byte. */
static void expect(const char *page, const char *lines)
{
    expect_in(WEFT_LINKS_HTML, "", page, strlen(page), lines);
    forget();
}

static void expect_ranges(const char *page, const char *lines)
{
    found.with_ranges = true;
    expect(page, lines);
}

/* ---- elements -------------------------------------------------------------------------------- */

TEST(links_that_lead_to_other_pages)
{
    expect("<a href=one>1</a> <A HREF='two'>2</A> <area href=\"three\"><svg><a xlink:href=four>"
           "</a></svg><a name=x>no</a><a data-something=x>no</a>",
           "navigation a \"one\"\nnavigation a \"two\"\nnavigation area \"three\"\n"
           "navigation a \"four\"\n");
}

TEST(a_link_element_is_what_its_rel_says)
{
    expect("<link rel=stylesheet href=a><link rel='shortcut icon' href=b><link rel=preload href=c>"
           "<link rel=manifest href=d><link rel=next href=e><link rel=alternate href=f>"
           "<link rel='alternate stylesheet' href=g><link rel=canonical href=h><link href=i>"
           "<link rel=dns-prefetch href=//j><link rel='preconnect' href=//k>"
           "<link rel=PRELOAD as=image imagesrcset='l 1x'>",
           "requisite link \"a\"\nrequisite link \"b\"\nrequisite link \"c\"\n"
           "requisite link \"d\"\nnavigation link \"e\"\nnavigation link \"f\"\n"
           "requisite link \"g\"\nnavigation link \"h\"\nnavigation link \"i\"\n"
           "requisite srcset \"l\"\n");
}

TEST(what_a_page_is_shown_with)
{
    expect("<img src=a><script src=b></script><iframe src=c></iframe><frame src=d><embed src=e>"
           "<object data=f></object><video src=g poster=h></video><audio src=i></audio>"
           "<track src=j><input type=IMAGE src=k><input src=no><source src=l>"
           "<svg><image href=m /><use xlink:href='n#x'/></svg>",
           "requisite img \"a\"\nrequisite script \"b\"\nrequisite iframe \"c\"\n"
           "requisite frame \"d\"\nrequisite embed \"e\"\nrequisite object \"f\"\n"
           "requisite video \"g\"\nrequisite poster \"h\"\nrequisite audio \"i\"\n"
           "requisite track \"j\"\nrequisite input \"k\"\nrequisite source \"l\"\n"
           "requisite svg-image \"m\"\nrequisite svg-use \"n#x\"\n");
}

TEST(backgrounds_of_old_pages)
{
    expect("<body background=a><table background=b><tr background=c><td background=d>"
           "<th background=e><p background=no>",
           "requisite background \"a\"\nrequisite background \"b\"\n"
           "requisite background \"c\"\nrequisite background \"d\"\n"
           "requisite background \"e\"\n");
}

TEST(a_form_is_a_link_if_it_gets)
{
    expect("<form action=a><form action=b method=GET><form method=post action=c>"
           "<form method=dialog action=d><form action=e method=bogus>",
           "navigation form \"a\"\nnavigation form \"b\"\nnavigation form \"e\"\n");
}

TEST(a_fragment_alone_leads_elsewhere_only_with_a_base)
{
    expect("<a href=#a><base href=/one/><a href=#b><a href=''>",
           "base base \"/one/\"\nnavigation a \"#b\"\n");
}

TEST(the_first_base_with_a_href_is_reported_once)
{
    expect("<base target=x><base href=/one/><a href=a><base href=/two/>",
           "base base \"/one/\"\nnavigation a \"a\"\n");
}

TEST(every_candidate_of_a_srcset)
{
    expect_ranges("<img srcset='a.png 1x, b,c.png 2x,d.png' src=e>",
                  "requisite srcset \"a.png\" <a.png> 13-18\n"
                  "requisite srcset \"b,c.png\" <b,c.png> 23-30\n"
                  "requisite srcset \"d.png\" <d.png> 34-39\n"
                  "requisite img \"e\" <e> 45-46\n");
}

TEST(a_refresh_is_a_link)
{
    expect_ranges("<meta http-equiv=Refresh content='5; url=\"next\" '>"
                  "<meta http-equiv=refresh content=5><meta name=refresh content='1;url=no'>",
                  "navigation meta-refresh \"next\" <next> 42-46\n");
}

TEST(style_sheets_within_a_page)
{
    expect_ranges("<style>@import 'a.css'; p { background: url(b.png) }</style>"
                  "<p style='background:url(\"c.png\")'>"
                  "<p style=\"background:url(&quot;d&amp;.png&#34;)\">",
                  "requisite css-import \"a.css\" <a.css> 16-21\n"
                  "requisite css-url \"b.png\" <b.png> 44-49\n"
                  "requisite css-url \"c.png\" <c.png> 86-91\n"
                  "requisite css-url \"d&.png\" <d&amp;.png> 126-136\n");
    expect_ranges("<style>p { background: url(' a ') }</style>",
                  "requisite css-url \"a\" <a> 29-30\n");
}

TEST(a_style_that_never_ends_is_one)
{
    expect("<style>p{}</style>p { background: url(no) }<style>url(a)", "requisite css-url \"a\"\n");
    expect("<style>p { background: url(a", "requisite css-url \"a\"\n");
    expect("<style>p{}</styles><a href=no>url(b)</style ><a href=c>",
           "requisite css-url \"b\"\nnavigation a \"c\"\n");
}

TEST(a_style_that_has_one_itself_begins_anew_behind_it)
{
    expect("<style style='p: url(a'>p { background: url(b) }</style>",
           "requisite css-url \"a\"\nrequisite css-url \"b\"\n");
    expect("<style style='/*'>@import 'b'</style><style style='x: url(c'>",
           "requisite css-import \"b\"\nrequisite css-url \"c\"\n");
}

TEST(a_style_sheet_by_itself)
{
    const char *sheet = "@import url(a.css);\n/* url(no) */ p { background: url('b c.png') }";
    found.with_ranges = true;
    expect_in(WEFT_LINKS_CSS, "", sheet, strlen(sheet),
              "requisite css-import \"a.css\" <a.css> 12-17\n"
              "requisite css-url \"b c.png\" <b c.png> 55-62\n");
    forget();
}

/* ---- what is none ---------------------------------------------------------------------------- */

TEST(nothing_comes_from_comments_scripts_and_texts)
{
    expect("<!-- <a href=no> --><script>'<a href=no>'</script><title><a href=no></title>"
           "<textarea><img src=no></textarea><xmp><a href=no></xmp>"
           "<script><!-- <script><a href=no></script> --></script>"
           "<iframe><a href=no></iframe><noframes><a href=no></noframes>"
           "<noscript><a href=yes></noscript><template><a href=yes2></template><plaintext>"
           "<a href=no>",
           "navigation a \"yes\"\nnavigation a \"yes2\"\n");
}

TEST(what_cannot_be_fetched_is_left_out)
{
    expect("<a href=''><a href='  '><a href='#top'><a href=' #x'><a href='javascript:x()'>"
           "<a href=' JavaScript:x()'><a href='java\nscript:x()'><a href='data:,x'>"
           "<a href='mailto:x'><a href='tel:1'><a href=datax><a href='m'><a href='?q'>",
           "navigation a \"datax\"\nnavigation a \"m\"\nnavigation a \"?q\"\n");
}

TEST(a_script_that_is_closed_in_svg_hides_nothing)
{
    expect("<svg><script href=x /><style/><title/><a href=yes></svg><a href=yes2>",
           "navigation a \"yes\"\nnavigation a \"yes2\"\n");
    expect("<script src=a /><a href=no></script><a href=b>",
           "requisite script \"a\"\nnavigation a \"b\"\n");
    expect("<svg><![CDATA[ <a href=no> ]]><a href=yes>", "navigation a \"yes\"\n");
    expect("<svg><p><script/><a href=no>", "");
    expect("<svg><style/>url(no)</svg>", "");
}

TEST(a_url_that_is_too_long_is_left_out)
{
    enum { SIZE = 65536 };
    static char page[SIZE + 64];
    strcpy(page, "<a href=");
    memset(page + 8, 'x', SIZE);
    strcpy(page + 8 + SIZE, "><a href=b>");
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", page, strlen(page), 1000), 0);
    assert_int_equal(found.count, 2);
    memset(page + 8, 'x', SIZE + 1);
    strcpy(page + 9 + SIZE, "><a href=b>");
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", page, strlen(page), 1000), 0);
    assert_string_equal(found.text, "navigation a \"b\"\n");
    forget();
}

/* ---- values ---------------------------------------------------------------------------------- */

TEST(a_url_is_trimmed_and_its_references_are_decoded)
{
    expect_ranges("<a href='\n a&amp;b=1&copy=2&#x2f;&nbsp; '>",
                  "navigation a \"a&b=1&copy=2/\u00A0\" <a&amp;b=1&copy=2&#x2f;&nbsp;> 11-39\n");
    expect_ranges("<a href='a\r\n&amp;'>", "navigation a \"a\n&\" <a\r\n&amp;> 9-17\n");
    expect_ranges("<a href='a\rb\r'>", "navigation a \"a\nb\" <a\rb> 9-12\n");
}

TEST(the_first_of_two_attributes_counts)
{
    expect("<a href=one href=two>", "navigation a \"one\"\n");
}

static char quotes[8];
static int note_quote(struct weft_links *of, const struct weft_link *link)
{
    (void)of;
    size_t size = strlen(quotes);
    quotes[size] = link->quote != 0 ? link->quote : link->in_attribute ? '0' : '-';
    return 0;
}

TEST(a_link_says_what_stands_around_it)
{
    const char *page = "<a href=a><a href='b'><a href=\"c\"><style>@import 'd'</style>"
                       "<p style='background:url(e)'>";
    links = (struct weft_links){.on_link = note_quote};
    assert_int_equal(
        weft_links_scan(&links, WEFT_LINKS_HTML, weft_text(NULL, 0), page, strlen(page)), 0);
    assert_string_equal(quotes, "0'\"-'");
    forget();
}

/* ---- robots ---------------------------------------------------------------------------------- */

TEST(rel_nofollow_is_about_one_link)
{
    expect("<a href=a rel='x NoFollow'><a rel=nofollow href=b><a href=c><area href=d rel=nofollow>",
           "navigation a nofollow \"a\"\nnavigation a nofollow \"b\"\nnavigation a \"c\"\n"
           "navigation area nofollow \"d\"\n");
}

static void check_robots(const char *page, const char *agent, bool nofollow, bool noindex)
{
    links.agent = weft_text_of(agent);
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", page, strlen(page), 7), 0);
    assert_int_equal(links.nofollow, nofollow);
    assert_int_equal(links.noindex, noindex);
    forget();
}

TEST(meta_robots_is_about_the_page)
{
    check_robots("<meta name=robots content='NOINDEX, nofollow'>", "", true, true);
    check_robots("<meta name=ROBOTS content=none>", "", true, true);
    check_robots("<meta content='index,noindex' name=robots>", "", false, true);
    check_robots("<meta name=other content=none>", "", false, false);
    check_robots("<meta name=ours content=nofollow>", "Ours", true, false);
    check_robots("<meta name='' content=none>", "", false, false);
}

TEST(what_comes_behind_meta_robots_is_not_to_be_followed)
{
    expect("<a href=a><meta name=robots content=nofollow><a href=b>",
           "navigation a \"a\"\nnavigation a nofollow \"b\"\n");
}

/* ---- the way it is used ---------------------------------------------------------------------- */

TEST(on_link_can_end_it)
{
    const char *page = "<a href=a><a href=b>";
    found.status = UV_ECANCELED;
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "utf-8", page, strlen(page), 100), UV_ECANCELED);
    assert_int_equal(found.count, 1);
    assert_int_equal(weft_links_feed(&links, page, strlen(page)), UV_ECANCELED);
    assert_int_equal(weft_links_end(&links), UV_ECANCELED);
    assert_int_equal(weft_links_end(&links), UV_ECANCELED);
    assert_int_equal(found.count, 1);
    forget();
}

TEST(calls_in_the_wrong_order_are_refused)
{
    assert_int_equal(weft_links_begin(&links, WEFT_LINKS_HTML, weft_text(NULL, 0)), UV_EINVAL);
    assert_int_equal(weft_links_feed(&links, "x", 1), UV_EINVAL);
    assert_int_equal(weft_links_end(&links), UV_EINVAL);
    links.on_link = links_record_on_link;
    assert_int_equal(weft_links_begin(&links, (enum weft_links_type)7, weft_text(NULL, 0)),
                     UV_EINVAL);
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", "", 0, 1), 0);
    assert_int_equal(weft_links_feed(&links, "x", 1), UV_EINVAL);
    assert_int_equal(weft_links_end(&links), UV_EINVAL);
    forget();
    weft_links_free(&links);
}

static int scan(enum weft_links_type type, const char *document, size_t size)
{
    write_down(document, size);
    return weft_links_scan(&links, type, weft_text_of("utf-8"), document, size);
}

TEST(a_document_in_memory_takes_one_call)
{
    const char *page = "<meta name=robots content=noindex><a href=a><a href=b", *sheet = "a{url(c";
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "navigation a \"a\"\n");
    assert_true(links.noindex);
    assert_int_equal(weft_links_feed(&links, "<a href=c>", 10), UV_EINVAL);
    assert_int_equal(scan(WEFT_LINKS_CSS, sheet, strlen(sheet)), 0);
    assert_string_equal(found.text, "requisite css-url \"c\"\n");
    assert_int_equal(scan(WEFT_LINKS_HTML, NULL, 0), 0);
    assert_int_equal(found.count, 0);
    forget();
}

TEST(the_one_call_has_the_errors_of_the_three)
{
    const char *page = "<a href=a><a href=b>";
    assert_int_equal(scan((enum weft_links_type)7, page, strlen(page)), UV_EINVAL);
    found.status = UV_ECANCELED;
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), UV_ECANCELED);
    assert_int_equal(found.count, 1);
    found.status = 0;
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_int_equal(found.count, 2);
    forget();
}

TEST(in_xhtml_a_tag_that_ends_with_a_slash_is_closed)
{
    const char *page = "<title/><script src='a'/><a href='b'/><style/><a href='c'>"
                       "<![CDATA[<a href='no'>]]></a><script>'<a href=no>'</script>";
    const char *lines = "requisite script \"a\"\nnavigation a \"b\"\nnavigation a \"c\"\n";
    expect_in(WEFT_LINKS_XHTML, "", page, strlen(page), lines);
    expect_in(WEFT_LINKS_HTML, "", page, strlen(page), ""); /* all of it is the title's */
    expect_in(WEFT_LINKS_XHTML, "", page, strlen(page), lines);
    forget();
}

TEST(a_fragment_in_a_style_or_of_svg_stays_in_the_page_whatever_its_base_is)
{
    expect("<base href=/x/><svg><use href='#a'/><use xlink:href='#b'/></svg>"
           "<p style='fill:url(#c)'><style>p{fill:url(#d)}</style><a href='#e'>",
           "base base \"/x/\"\nnavigation a \"#e\"\n");
}

TEST(a_link_has_a_name_for_where_it_comes_from)
{
    assert_string_equal(weft_link_from_name(WEFT_LINK_A), "a");
    assert_string_equal(weft_link_from_name(WEFT_LINK_SVG_USE), "svg-use");
    assert_string_equal(weft_link_from_name(WEFT_LINK_CSS_IMPORT), "css-import");
    assert_string_equal(weft_link_from_name(WEFT_LINK_CROSSORIGIN), "crossorigin");
    assert_string_equal(weft_link_from_name(WEFT_LINK_POLICY), "policy");
    assert_string_equal(weft_link_from_name((enum weft_link_from)(WEFT_LINK_POLICY + 1)), "");
}

TEST(guards_are_told_to_who_asks_for_them)
{
    const char *page = "<script src=a integrity=x crossorigin></script><p integrity=y>";
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "requisite script \"a\"\n");
    links.guards = true;
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "requisite script \"a\"\n"
                                    "guard integrity \"x\"\n"
                                    "guard crossorigin \"\"\n");
    page = "<meta http-equiv=Content-security-Policy content=\"img-src 'none'\"><meta "
           "content=\"1;url=a\" http-equiv=refresh>";
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "guard policy \"Content-security-Policy\"\n"
                                    "navigation meta-refresh \"a\"\n");
    page = "<form method=POST action=a><form method=post><form method=dialog action=b>";
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "post form \"a\"\n");
    page = "<button formaction=a><input type=submit formaction=b><p formaction=c><button x "
           "style='u:url(d)'>";
    assert_int_equal(scan(WEFT_LINKS_HTML, page, strlen(page)), 0);
    assert_string_equal(found.text, "post form \"a\"\npost form \"b\"\n"
                                    "requisite css-url \"d\"\n");
    forget();
}

TEST(nothing_is_left_of_the_document_before)
{
    const char *first = "<base href=x><meta name=robots content=none><svg><style>url(a",
               *second = "<script/><a href=no></script><base href=y><a href=z>";
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", first, strlen(first), 100), 0);
    assert_true(links.nofollow && links.noindex);
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", second, strlen(second), 100), 0);
    assert_string_equal(found.text, "base base \"y\"\nnavigation a \"z\"\n");
    assert_false(links.nofollow || links.noindex);
    assert_int_equal(weft_links_begin(&links, WEFT_LINKS_HTML, weft_text_of("utf-8")), 0);
    assert_int_equal(weft_links_feed(&links, "<style>p {", 10), 0);
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "", "url(no)", 7, 100), 0);
    assert_int_equal(found.count, 0);
    forget();
}

/* ---- memory ---------------------------------------------------------------------------------- */

static const char rich[] = "<link href='\xE4&uuml;?\xF6'><p style='background:url(a&amp;b)'>"
                           "<img srcset='c 1x, d 2x' src=\"e&amp;f\"><style>@import 'g'</style>";

TEST(the_next_document_needs_no_more_memory)
{
    weft_fault_install();
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "latin1", rich, sizeof rich - 1, 5), 0);
    assert_int_equal(found.count, 6);
    unsigned long before = weft_fault_allocations();
    assert_int_equal(read_pieces(WEFT_LINKS_HTML, "latin1", rich, sizeof rich - 1, 3), 0);
    assert_int_equal(found.count, 6);
    assert_int_equal(weft_fault_allocations(), before);
    forget();
    fault_remove();
}

static void read_rich(unsigned long n)
{
    (void)n;
    int status = read_pieces(WEFT_LINKS_HTML, "latin1", rich, sizeof rich - 1, 4);
    if (weft_fault_hit())
        assert_int_equal(status, UV_ENOMEM);
    else
        assert_int_equal(found.count, 6);
    forget();
}

static void read_wide(unsigned long n)
{
    static const char page[] = "\xFE\xFF\0<\0a\0 \0h\0r\0e\0f\0=\0x\0>";
    (void)n;
    int status = read_pieces(WEFT_LINKS_HTML, "", page, sizeof page - 1, 4);
    if (weft_fault_hit())
        assert_int_equal(status, UV_ENOMEM);
    else
        assert_string_equal(found.text, "navigation a \"x\"\n");
    forget();
}

TEST(running_out_of_memory_is_an_error_and_nothing_else)
{
    fault_ladder(read_rich);
    assert_true(fault_ladder_height() > 3);
    fault_ladder(read_wide);
}
