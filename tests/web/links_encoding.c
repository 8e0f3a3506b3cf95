/* In which encoding a page is, and what becomes of its links. */
/* ctest: labels=valgrind */
#include "check.h"
#include "links_record.h"

static struct links_record found;
static struct weft_links links;

static void read_page(enum weft_links_type type, const char *charset, const char *page, size_t size,
                      size_t piece)
{
    links_record_free(&found);
    found = (struct links_record){.document = page, .document_size = size};
    links = (struct weft_links){
        .on_link = links_record_on_link, .context = &found, .state_ = links.state_};
    assert_int_equal(weft_links_begin(&links, type, weft_text_of(charset)), 0);
    for (size_t at = 0; at < size; at += piece)
        assert_int_equal(weft_links_feed(&links, page + at, size - at < piece ? size - at : piece),
                         0);
    assert_int_equal(weft_links_end(&links), 0);
    assert_false(found.wrong_range);
}

static void forget(void)
{
    weft_links_free(&links);
    links_record_free(&found);
}

static void expect_size(const char *charset, const char *page, size_t size, const char *encoding,
                        enum weft_links_encoding_from from, const char *lines)
{
    const size_t pieces[] = {size + 1, 1, 2, 3, 1024};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        read_page(WEFT_LINKS_HTML, charset, page, size, pieces[i]);
        assert_string_equal(links.encoding, encoding);
        assert_int_equal(links.encoding_from, from);
        assert_string_equal(found.text != NULL ? found.text : "", lines);
    }
    forget();
}

static void expect(const char *charset, const char *page, const char *encoding,
                   enum weft_links_encoding_from from, const char *lines)
{
    expect_size(charset, page, strlen(page), encoding, from, lines);
}

/* ---- which ----------------------------------------------------------------------------------- */

TEST(a_page_that_says_nothing_is_utf8)
{
    expect("", "<a href=\xC3\xA4>", "UTF-8", WEFT_LINKS_FROM_DEFAULT, "navigation a \"\u00E4\"\n");
    expect("no-such", "<a href=a>", "UTF-8", WEFT_LINKS_FROM_DEFAULT, "navigation a \"a\"\n");
}

TEST(what_is_not_utf8_in_such_a_page_is_windows_1252)
{
    expect("", "<a href=\xE4?\xE4><a href=\xC3\xA4>", "UTF-8", WEFT_LINKS_FROM_DEFAULT,
           "navigation a \"\u00E4?%E4\"\nnavigation a \"\u00E4\"\n");
}

TEST(what_is_not_utf8_in_a_page_that_says_utf8_is_replaced)
{
    expect("utf-8", "<a href=\xE4?\xE4>", "UTF-8", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\uFFFD?\uFFFD\"\n");
}

TEST(a_byte_order_mark_is_stronger_than_the_header)
{
    expect("latin1", "\xEF\xBB\xBF<a href=\xC3\xA4>", "UTF-8", WEFT_LINKS_FROM_BOM,
           "navigation a \"\u00E4\"\n");
}

TEST(the_header_is_stronger_than_the_page)
{
    expect(" \tWindows-1251\n", "<meta charset=latin1><a href=\xE4>", "windows-1251",
           WEFT_LINKS_FROM_HEADER, "navigation a \"\u0434\"\n");
}

TEST(a_page_can_name_its_encoding)
{
    expect("", "<meta charset=latin1><a href=\xE4>", "windows-1252", WEFT_LINKS_FROM_META,
           "navigation a \"\u00E4\"\n");
    expect(
        "",
        "<!-- <meta charset=koi8-r> --><p title='<meta charset=koi8-r>'><META content='text/html; "
        "charset = \"iso-8859-2\"' http-equiv=content-type><a href=\xE6>",
        "ISO-8859-2", WEFT_LINKS_FROM_META, "navigation a \"\u0107\"\n");
    expect("", "<a href=\xE4><meta charset=no><meta charset='koi8-r'>", "KOI8-R",
           WEFT_LINKS_FROM_META, "navigation a \"\u0414\"\n");
    expect("",
           "<meta http-equiv=content-type content='charset; charset=koi8-r;x'><a href=\xE4>"
           "<meta http-equiv=content-type content='x'><!-- ",
           "KOI8-R", WEFT_LINKS_FROM_META, "navigation a \"\u0414\"\n");
    expect("", "<!-- <meta charset=koi8-r>", "UTF-8", WEFT_LINKS_FROM_DEFAULT, "");
    expect("", "<meta http-equiv=content-type content='xxxxxxxxxx'><meta charset=koi8-r>", "KOI8-R",
           WEFT_LINKS_FROM_META, "");
    expect("", "<meta charset=utf-16le><a href=a>", "UTF-8", WEFT_LINKS_FROM_META,
           "navigation a \"a\"\n");
}

TEST(a_name_for_the_encoding_has_to_come_within_1024_bytes)
{
    static char page[2048];
    memset(page, ' ', sizeof page);
    static const char meta[] = "<meta charset=latin1><a href=\xE4>";
    memcpy(page + 1024 - 21, meta, sizeof meta - 1);
    expect_size("", page, sizeof page, "windows-1252", WEFT_LINKS_FROM_META,
                "navigation a \"\u00E4\"\n");
    memset(page, ' ', sizeof page);
    memcpy(page + 1024 - 20, meta, sizeof meta - 1);
    expect_size("", page, sizeof page, "UTF-8", WEFT_LINKS_FROM_DEFAULT,
                "navigation a \"\u00E4\"\n");
}

TEST(a_style_sheet_can_name_its_encoding)
{
    static const char sheet[] = "@charset \"latin1\"; p { background: url(\xE4) }";
    read_page(WEFT_LINKS_CSS, "", sheet, sizeof sheet - 1, 3);
    assert_string_equal(links.encoding, "windows-1252");
    assert_string_equal(found.text, "requisite css-url \"\u00E4\"\n");
    static const char late[] = " @charset \"latin1\"; @import 'a'";
    read_page(WEFT_LINKS_CSS, "", late, sizeof late - 1, 3);
    assert_string_equal(links.encoding, "UTF-8");
    static const char wide[] = "@charset \"utf-16\"; @import '\xC3\xA4'";
    read_page(WEFT_LINKS_CSS, " \tno such ", wide, sizeof wide - 1, 3);
    assert_string_equal(links.encoding, "UTF-8");
    assert_int_equal(links.encoding_from, WEFT_LINKS_FROM_META);
    static const char wrong[] = "@charset \"latin1\" ; @import 'a'";
    read_page(WEFT_LINKS_CSS, "", wrong, sizeof wrong - 1, 3);
    assert_string_equal(links.encoding, "UTF-8");
    forget();
}

/* ---- conversion ------------------------------------------------------------------------------ */

TEST(the_query_stays_in_the_encoding_of_the_page)
{
    expect("latin1", "<a href='\xE4?\xE4=&eacute;&#x3b1;#\xE4?'>", "windows-1252",
           WEFT_LINKS_FROM_HEADER, "navigation a \"\u00E4?%E4=%E9%26%23945%3B#\u00E4?\"\n");
    expect("utf-8", "<a href='\xC3\xA4?\xC3\xA4'>", "UTF-8", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\u00E4?\u00E4\"\n");
}

TEST(references_are_utf8_whatever_the_page_is)
{
    expect("latin1", "<a href='\xE4&auml;\xE4&#128512;'>", "windows-1252", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\u00E4\u00E4\u00E4\U0001F600\"\n");
}

TEST(a_url_may_begin_within_a_reference)
{
    expect("latin1", "<meta http-equiv=refresh content='5;url&bne;x\xE4'>", "windows-1252",
           WEFT_LINKS_FROM_HEADER, "navigation meta-refresh \"\u20E5x\u00E4\"\n");
}

TEST(many_references_and_many_urls_in_one_value)
{
    static char page[65536];
    size_t size = (size_t)snprintf(page, sizeof page, "<img srcset='");
    for (int i = 0; i < 4000; i++)
        size += (size_t)snprintf(page + size, sizeof page - size, "\xE4&auml;&amp;, ");
    size += (size_t)snprintf(page + size, sizeof page - size, "'>");
    read_page(WEFT_LINKS_HTML, "latin1", page, size, 1000);
    assert_int_equal(found.count, 4000);
    static const char one[] = "requisite srcset \"\u00E4\u00E4&\"\n";
    for (size_t i = 0; i < 4000; i++)
        assert_memory_equal(found.text + i * (sizeof one - 1), one, sizeof one - 1);
    forget();
}

TEST(encodings_with_more_than_one_byte)
{
    expect("shift_jis", "<a href='\x95\x5C?\x95\x5C'>", "Shift_JIS", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\u8868?%95\\\"\n");
    expect("gb2312", "<a href='\xD6\xD0'>", "GBK", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\u4E2D\"\n");
    expect("euc-kr", "<a href='\xC7\xD1'>", "EUC-KR", WEFT_LINKS_FROM_HEADER,
           "navigation a \"\uD55C\"\n");
}

TEST(utf16_is_converted_on_the_way)
{
    static const char little[] = "\xFF\xFE<\0a\0 \0h\0r\0e\0f\0=\0\xE4\0\x3D\xD8\x00\xDE>\0";
    expect_size("", little, sizeof little - 1, "UTF-16LE", WEFT_LINKS_FROM_BOM,
                "navigation a \"\u00E4\U0001F600\"\n");
    static const char big[] = "\0<\0a\0 \0h\0r\0e\0f\0=\0\xE4\0>";
    expect_size("utf-16be", big, sizeof big - 1, "UTF-16BE", WEFT_LINKS_FROM_HEADER,
                "navigation a \"\u00E4\"\n");
    read_page(WEFT_LINKS_HTML, "utf-16be", big, sizeof big - 1, 3);
    assert_false(links.ranges);
    forget();
}

/* Pairs at every other place: some of them lie where a piece of the conversion ends. */
TEST(a_long_text_in_utf16_is_converted_as_a_whole)
{
    static char page[2 + 2 * 3 * 4096], url[2 * 4096 * 4];
    for (size_t shift = 0; shift < 2; shift++) {
        size_t size = 0, length = 0;
        const char *begin = shift ? "<a  href=" : "<a href=";
        for (const char *c = begin; *c != '\0'; c++) {
            page[size++] = *c;
            page[size++] = '\0';
        }
        length += (size_t)snprintf(url, sizeof url, "navigation a \"");
        for (int i = 0; i < 2000; i++) {
            memcpy(page + size, "\x3D\xD8\x00\xDE", 4);
            memcpy(url + length, "\U0001F600", 4);
            size += 4;
            length += 4;
        }
        memcpy(page + size, ">", 2);
        snprintf(url + length, sizeof url - length, "\"\n");
        read_page(WEFT_LINKS_HTML, "utf-16le", page, size + 2, 10000);
        assert_string_equal(found.text, url);
    }
    forget();
}

TEST(half_a_character_at_the_end_is_replaced)
{
    static const char sheet[] = "\xFF\xFE@\0i\0m\0p\0o\0r\0t\0 \0'\0a\0\x3D";
    read_page(WEFT_LINKS_CSS, "", sheet, sizeof sheet - 1, 4);
    assert_string_equal(found.text, "requisite css-import \"a\uFFFD\"\n");
    forget();
}

TEST(half_a_character_is_not_kept_for_the_next_document)
{
    static const char page[] = "\xFF\xFE<\0a\0 \0h\0r\0e\0f\0=\0a\0>\0";
    links = (struct weft_links){.on_link = links_record_on_link, .context = &found};
    assert_int_equal(weft_links_begin(&links, WEFT_LINKS_HTML, weft_text_of("utf-16le")), 0);
    assert_int_equal(weft_links_feed(&links, "a\0\x3D\xD8\x3D", 5), 0);
    read_page(WEFT_LINKS_HTML, "", page, sizeof page - 1, 100);
    assert_string_equal(found.text, "navigation a \"a\"\n");
    forget();
}

TEST(iso_2022_jp_is_converted_on_the_way)
{
    expect("iso-2022-jp", "<a href='\x1B$B$\"\x1B(B'><a href=b>", "ISO-2022-JP",
           WEFT_LINKS_FROM_HEADER, "navigation a \"\u3042\"\nnavigation a \"b\"\n");
}

TEST(an_encoding_that_is_unsafe_to_read_has_no_links)
{
    expect("hz-gb-2312", "<a href=a>", "replacement", WEFT_LINKS_FROM_HEADER, "");
}

TEST(a_range_counts_the_byte_order_mark)
{
    static const char page[] = "\xEF\xBB\xBF<a href=bc>";
    links_record_free(&found);
    found = (struct links_record){
        .document = page, .document_size = sizeof page - 1, .with_ranges = true};
    links = (struct weft_links){.on_link = links_record_on_link, .context = &found};
    assert_int_equal(
        weft_links_scan(&links, WEFT_LINKS_HTML, weft_text(NULL, 0), page, sizeof page - 1), 0);
    assert_string_equal(found.text, "navigation a \"bc\" <bc> 11-13\n");
    assert_true(links.ranges);
    forget();
}

/* ICU would leave out what nobody sees. */
TEST(what_is_not_seen_is_a_reference_in_a_query_too)
{
    expect("latin1", "<a href='?&#8203;'>", "windows-1252", WEFT_LINKS_FROM_HEADER,
           "navigation a \"?%26%238203%3B\"\n");
    expect("windows-1251", "<a href='?&#8203;'>", "windows-1251", WEFT_LINKS_FROM_HEADER,
           "navigation a \"?%26%238203%3B\"\n");
}
