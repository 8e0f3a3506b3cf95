/* How a document is cut into pieces changes nothing: pages with everything that links.h knows, cut
 * in two at every byte, in three at random, and fed byte by byte. */
#include "check.h"
#include "links_record.h"

static const struct page {
    enum weft_links_type type;
    const char *charset;
    size_t size;
    const char *text;
} pages[] = {
#define PAGE(charset, text)                                                                        \
    {                                                                                              \
        WEFT_LINKS_HTML, charset, sizeof(text) - 1, text                                           \
    }
#define SHEET(charset, text)                                                                       \
    {                                                                                              \
        WEFT_LINKS_CSS, charset, sizeof(text) - 1, text                                            \
    }
    PAGE("",
         "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" 'http://www.w3.org/TR/html4'>\r\n"
         "<html><head><meta charset=\"UTF-8\"><title>A &amp; <a href=no></title>"
         "<base target=_top href='/docs/&quot;/'><base href=no>"
         "<link rel=\"shortcut icon\" href=\"i.ico\"/><LINK REL=StyleSheet HREF=s.css>"
         "<link rel=preload as=image imagesrcset='l1.png 1x, l2.png 2x' href=l0.png>"
         "<meta name=robots content='index, nofollow'><meta http-equiv=refresh content='0;URL=r'>"
         "<style type='text/css'>@import \"i.css\";\r\n b { background: url( 'u\\27 .png' ) }"
         "/* url(no) */</style></head>"),
    PAGE("", "<body background=bg.png style=\"background: url(&quot;q&amp;a.png&quot;)\">"
             "<a href='x?a=1&amp;b=2&copy=3&notit;&#x41;&#66;#f' rel=nofollow>x</a>"
             "<a href=\"\r\n y\r\nz \r\">y</a><a\thref\n=\n'v'\fclass=x>v</a><a href=w/>w</a>"
             "<area href=ar><map><img src=\"a.png\" srcset=\"b.png, c.png 2x\" alt='>'>"
             "<picture><source srcset='d.png 100w, e,f.png (x,y) 2x'></picture>"
             "<table background=t><tr><td background=td><form action=f><form method=post action=no>"
             "<input type=image src=in><object data=o></object><embed src=e><frame src=fr>"),
    PAGE("", "<video poster=p src=v><track src=t></video><audio src=a></audio><iframe src=if>"
             "<a href=no></iframe><svg><image xlink:href=si /><use href='su#x'/><script/>"
             "<![CDATA[<a href=no>]]>]]></svg><math><mi/></math>"
             "<!-- <a href=no> --!><a href=c1><!--><a href=c2><!---><a href=c3><!- x><?y z>"
             "<script src=sc>if (a < b) '</scrip' + '<a href=no>'</script>"
             "<script><!-- <script> </script> <a href=no> --></script><a href=sd>"
             "<textarea></textare><a href=no></textarea><a href=te><noscript><a href=ns>"
             "<xmp></xm><a href=no></xmp ><template><a href=tp></template></><a href=em>"),
    PAGE("",
         "<a \0b\0='\0' href='n\0l'>\0<p =x='y' \"z\"style=background:url(a)>"
         "<a href=&#0;&#xD800;&bogus;&amp><a href=a<b><a href=`c`d'e\"f><a href=one href=two>"
         "<a href=x\xC3\xA4&ouml;?\xC3\xA4><a HREF = \"\xE4\"></a href=no><plaintext><a href=no>"),
    /* Tags that look dull, and are or are not. */
    PAGE(
        "",
        "<p a\"b><a href=1></p><p =\"x><a href=2>\"><a href=3><div class='a>b'><a href=4></div>"
        "<span STYLE=\"background:url(5)\"><span sTyle='background:url(6)' class=x></SPAN >"
        "<p a==\"x><a href=7>\"><p a=b\"c><a href=8>\"><div a = \"q><a href=no>\"><a href=9>"
        "<p title=\"style\"><a href=10><div/style=background:url(11)><div a='x'style=\"background:"
        "url(12)\"b><li a='<a href=no>'><code x=y/><a href=13><p a=><a href=14><p a= 'z><a href=no>"
        "'><a href=15><pre class=\"\" ><a href=16><h2 id='a\"b'><a href=17><em \"><a href=18>\">"
        "<svg><a href=19><p></svg><a href=20><xmp><a href=no></xmp><a href=21><b x=\"no end><a "
        "href=n"),
    PAGE("",
         "<td width=\"1\" background=\"1\"><TABLE BackGround=2 id=\"x\"><tr id=\"a>b\" title=\""
         "<a href=no>\"><a href=3><p class=\"a\" style=\"background:url(4)\"><span id=\"x\"STYLE="
         "\"background:url(5)\"><h1 class=\"x\"><a href=6></h1><section data-x=\"1>\"><a href=7>"
         "</section x=\"><a href=no>\"><a href=8><code class=\"x\"/><a href=9><acronym title=\""
         "><a href=no>\"></acronym><p\xC3 class=\"x\"><a href=10><p-style class=\"x\"><a href=11>"
         "<tdx background=no><p 1=\"x\"><a href=12><p class=\"x\" <a href=\"no\"><a href=13>"
         "<li class=\"x\"\n\tid=\"y\"\f><a href=14><strongs style='background:url(15)'><math>"
         "<td background=16></math><nav class=\"no end><a href=no></nav></nav></nav></nav>"),
    /* Quotes that begin a value, and quotes that are letters. */
    PAGE("",
         "<p#a=\"b><a href=1>\"><p a=b=\"c><a href=2>\"><p a= b=\"c><a href=3>\"><p a=b c=\"d><a "
         "href=no>\"><a href=4><p a/b=\"c><a href=no>\"><a href=5><p data-a=\"x><a href=no>\"><a "
         "href=6><p:x y=\"><a href=no>\"><a href=7><p a = b='c><a href=8>'><p a='b'c='><a href=no>'"
         "><a href=9><p a=\"x\" b=c=\"d><a href=10>\"><p/ a=\"><a href=no>\"><a href=11><p></p>"),
    PAGE("latin1", "<a href='\xE4&auml;?\xE4&euro;&alpha;#\xE4'><p style='background:url(\xE4)'>"
                   "<style>@import url(\xFC.css)</style>"),
    PAGE("", "\xEF\xBB\xBF<a href=b><a href=\xC3\xA4>"),
    PAGE("", "\xFF\xFE<\0a\0 \0h\0r\0e\0f\0=\0\xE4\0\x3D\xD8\x00\xDE>\0"),
    PAGE("iso-2022-jp", "<a href='\x1B$B$\"\x1B(B'><a href=b>"),
    PAGE("", "<style>p { background: url(never"),
    PAGE("", "<a href='never ends>"),
    PAGE("", "<a href=x>&am"),
    SHEET("", "@charset \"latin1\";@import 'a.css';\n p { background: url(b\\.png) no-repeat, "
              "url(\"\xE4\") } /* url(no) */ @font-face { src: url( c ) }"),
};

enum { PAGES = sizeof pages / sizeof *pages };

/* The pieces end at these places; the last is the size. */
static void read_cut(struct weft_links *links, struct links_record *record, const struct page *page,
                     const size_t *ends, size_t count)
{
    links_record_free(record);
    *record = (struct links_record){
        .document = page->text, .document_size = page->size, .with_ranges = true};
    links->on_link = links_record_on_link;
    links->context = record;
    assert_int_equal(weft_links_begin(links, page->type, weft_text_of(page->charset)), 0);
    size_t at = 0;
    for (size_t i = 0; i < count; at = ends[i++])
        assert_int_equal(weft_links_feed(links, page->text + at, ends[i] - at), 0);
    assert_int_equal(weft_links_end(links), 0);
    assert_false(record->wrong_range);
    links_record_put(record, "", 0);
}

TEST(the_pages_have_the_links_that_they_should)
{
    static const size_t counts[PAGES] = {9, 19, 16, 7, 21, 16, 11, 3, 2, 1, 2, 1, 0, 1, 4};
    struct weft_links links = {0};
    struct links_record whole = {0};
    for (size_t i = 0; i < PAGES; i++) {
        read_cut(&links, &whole, &pages[i], &pages[i].size, 1);
        if (whole.count != counts[i])
            fail_msg("page %zu has %zu links, not %zu:\n%s", i, whole.count, counts[i], whole.text);
        assert_null(strstr(whole.text, "\"no\""));
    }
    links_record_free(&whole);
    weft_links_free(&links);
}

TEST(a_cut_at_any_byte_changes_nothing)
{
    struct weft_links links = {0}, other = {0};
    struct links_record whole = {0}, cut = {0};
    for (size_t i = 0; i < PAGES; i++) {
        read_cut(&links, &whole, &pages[i], &pages[i].size, 1);
        for (size_t at = 0; at <= pages[i].size; at++) {
            const size_t ends[] = {at, pages[i].size};
            read_cut(&other, &cut, &pages[i], ends, 2);
            assert_true(links_record_same(&cut, &whole));
        }
    }
    links_record_free(&whole);
    links_record_free(&cut);
    weft_links_free(&links);
    weft_links_free(&other);
}

TEST(byte_by_byte_is_the_same)
{
    struct weft_links links = {0};
    struct links_record whole = {0}, cut = {0};
    size_t ends[2048];
    for (size_t i = 0; i < PAGES; i++) {
        assert_true(pages[i].size <= sizeof ends / sizeof *ends);
        for (size_t at = 0; at < pages[i].size; at++)
            ends[at] = at + 1;
        read_cut(&links, &whole, &pages[i], &pages[i].size, 1);
        read_cut(&links, &cut, &pages[i], ends, pages[i].size);
        assert_true(links_record_same(&cut, &whole));
    }
    links_record_free(&whole);
    links_record_free(&cut);
    weft_links_free(&links);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

TEST(pieces_of_any_sizes_are_the_same)
{
    uint64_t seed = check_seed() * 0x9E3779B97F4A7C15u + 1;
    struct weft_links links = {0};
    struct links_record whole = {0}, cut = {0};
    for (unsigned long round = 0; round < check_scale(300); round++) {
        const struct page *page = &pages[next_random(&seed) % PAGES];
        size_t ends[64], count = 0, at = 0;
        while (count < 63 && at < page->size) {
            at += next_random(&seed) % 40;
            ends[count++] = at < page->size ? at : page->size;
        }
        ends[count++] = page->size;
        read_cut(&links, &whole, page, &page->size, 1);
        read_cut(&links, &cut, page, ends, count);
        if (!links_record_same(&cut, &whole))
            fail_msg("seed %llu, round %lu", (unsigned long long)check_seed(), round);
    }
    links_record_free(&whole);
    links_record_free(&cut);
    weft_links_free(&links);
}
