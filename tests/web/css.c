/* The links of style sheets: what is one, what is none, where it stands, and that pieces do not
 * matter.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "css_dump.h"
#include "fault.h"
#include <uv.h>
#include <weft/alloc.h>

static void same_in_pieces(const struct dump *whole, const char *sheet, size_t size)
{
    struct dump pieces = {0};
    for (size_t cut = 0; cut <= size; cut++) {
        assert_int_equal(css_dump(&pieces, sheet, size, cut, 0), 0);
        if (!dump_equal(whole, &pieces))
            fail_msg("cut at %zu: %s\ngives\n%s\nand not\n%s", cut, sheet, pieces.text,
                     whole->text);
    }
    assert_int_equal(css_dump(&pieces, sheet, size, 1, 1), 0);
    assert_true(dump_equal(whole, &pieces));
    dump_free(&pieces);
}

/* The lines of a dump without their positions: "a.png @b.css". */
static void shorten(const struct dump *dump, struct dump *words)
{
    dump_clear(words);
    for (const char *line = dump->text; *line != 0;) {
        const char *end = strchr(line, '\n'), *url = line + 3;
        url = strchr(strchr(url, ' ') + 1, ' ') + 1;
        if (words->size > 0)
            dump_bytes(words, " ", 1);
        if (line[0] == '@')
            dump_bytes(words, "@", 1);
        dump_bytes(words, url, (size_t)(end - url));
        line = end + 1;
    }
}

static void finds_bytes(const char *sheet, size_t size, const char *urls)
{
    struct dump whole = {0}, words = {0};
    assert_int_equal(css_dump(&whole, sheet, size, size, 0), 0);
    shorten(&whole, &words);
    if (strcmp(words.text, urls) != 0)
        fail_msg("'%s': '%s', not '%s'", sheet, words.text, urls);
    same_in_pieces(&whole, sheet, size);
    dump_free(&words);
    dump_free(&whole);
}

static void finds(const char *sheet, const char *urls)
{
    finds_bytes(sheet, strlen(sheet), urls);
}

TEST(urls_are_found_with_quotes_and_without)
{
    finds("a { background: url(a.png) }", "a.png");
    finds("a { background: url('a.png') }", "a.png");
    finds("a { background: url(\"a.png\") no-repeat }", "a.png");
    finds("a{b:url(a)}c{d:url(b)url(c),url(d)}", "a b c d");
    finds("background:url(  a.png\t\n)", "a.png");
    finds("background:url(\r\n\f 'a.png' )", "a.png");
    finds("a{b:url('it\"s')} c{d:url(\"it's\")}", "it\"s it's");
    finds("@font-face{src:url(a.woff2) format('woff2'),url(b.woff)format(\"woff\")}",
          "a.woff2 b.woff");
    finds("a{b:url(data:image/png;base64,AAAA+/=)}", "data:image/png;base64,AAAA+/=");
    finds("", "");
}

TEST(the_case_of_letters_does_not_matter)
{
    finds("a{b:URL(a.png) Url('B.png')}", "a.png B.png");
    finds("@IMPORT 'a.css'; @Import URL(b.css);", "@a.css @b.css");
}

TEST(names_that_only_contain_url_are_none)
{
    finds("a{b:curl(a) -url(b) url2(c) #url(d) 1url(e) url-prefix(f) .5url(g) \xc3\xa4url(h)}", "");
    finds("url (a) url", "");
    finds("@url(a) @--url(b) --url(c) _url(d)", "");
    finds("a.url(b)", "b");
    finds("a>url(b)+url(c)*url(d)/url(e)%url(f),url(g):url(h)!url(i)", "b c d e f g h i");
}

TEST(imports_are_found_as_strings_and_as_urls)
{
    finds("@import 'a.css';", "@a.css");
    finds("@import \"a.css\" screen and (color);", "@a.css");
    finds("@import url(a.css) layer(x) supports(b:url(c));", "@a.css c");
    finds("@import url( 'a.css' )", "@a.css");
    finds("@import'a.css'", "@a.css");
    finds("@import/**/'a.css'", "@a.css");
    finds("@import /* 'x' */ /**/ url(a.css) 'b.css';", "@a.css");
    finds("@import 'a.css'; @import 'b.css'; c{d:url(e)}", "@a.css @b.css e");
    finds("}@import 'a.css'", "@a.css");
}

TEST(strings_elsewhere_are_no_links)
{
    finds("a{content:'x'} b{c:\"url(d)\"}", "");
    finds("@import x 'a.css';", "");
    finds("@import;'a.css'", "");
    finds("@import ( 'a.css' )", "");
    finds("@import/ 'a.css'", "");
    finds("@import<!-- 'a.css'", "");
    finds("@importx 'a.css'; @import-x 'b.css'; import 'c.css'; x@import 'd.css'; #@import 'e.css'",
          "");
    finds("@charset \"utf-8\"; @media 'x'; @layer a;", "");
    finds("a[href='b.css']{}", "");
}

TEST(a_namespace_is_no_link)
{
    finds("@namespace url(http://www.w3.org/1999/xhtml); a{b:url(c)}", "c");
    finds("@namespace svg url('http://www.w3.org/2000/svg');url(a)", "a");
    finds("@NAMESPACE 'http://a/'; @import 'b'", "@b");
    finds("@namespace x{url(a)}", "a");
    finds("@namespac\\65 url(a)", "");
    finds("@namespaces url(a)", "a");
}

TEST(strings_in_an_image_set_are_links)
{
    finds("a{b:image-set('a.png' 1x, \"b.png\" 2x)} c{content:'d'}", "a.png b.png");
    finds("a{b:-webkit-image-set(url(a.png) 1x, url('b.png') 2x, 'c' 3x) 'd'}", "a.png b.png c");
    finds("a{b:image-set('a' type('image/png'), 'b' type(\"c\") 1x)}", "a b");
    finds("a{b:image-set((('a')) 'b') 'c'}", "b");
    finds("a{b:image-set('a'; c: 'd'}", "a");
    finds("a{b:image-set('a'} c{d:'e'}", "a");
    finds("a{b:x-image-set('a')}", "");
    finds("a{b:image-set(url(a ) 'b', url( 'c' ) 'd')}", "a b c d");
    finds("a{b:image-set(image-set('a') 'b')}", "b");
}

TEST(comments_hide_what_is_in_them)
{
    finds("/* url(a) */ url(b) /**/ url(c) /***/url(d)/*/url(e)*/ url(f)", "b c d f");
    finds("/* @import 'a'; **/@import 'b'", "@b");
    finds("u/**/rl(a) url/**/(b)", "");
    finds("url(/*a*/b)", "/*a*/b");
    finds("url(/**/'a')", "");
    finds("/* url(a)", "");
    finds("/ url(a) // url(b)\n /", "a b");
}

TEST(what_hides_a_sheet_from_old_browsers_is_a_token)
{
    finds("<!--url(a)-->url(b)", "a b");
    finds("<!--@import 'a';-->", "@a");
    finds("<!-url(a) <!url(b) <url(c) <!---url(d)", "b c");
    finds("<!-- <!-", "");
}

TEST(escapes_are_resolved_in_urls)
{
    finds("url(a\\28 b\\)c\\\\d)", "a(b)c\\d");
    finds("url('a\\27 b\\'c\\22')", "a'b'c\"");
    finds("url(\\000041\\42\r\n\\43\t\\44\f\\45\n\\46 )", "ABCDEF");
    finds("url(\\0000411)", "A1");
    finds("url(\\e4\\20ac\\1f600)", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    finds("url(\\E4\\20AC)", "\xc3\xa4\xe2\x82\xac");
    finds("url(\\0 \\d800 \\110000 \\ffffff)", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    finds("url(\\\xc3\xa4\xc3\xa4)", "\xc3\xa4\xc3\xa4");
    finds("url(a\\ b\\\tc)", "a b\tc");
    finds("url(\\zebra)", "zebra");
}

TEST(escapes_are_resolved_in_names)
{
    finds("\\75 rl(a) u\\52l(b) ur\\l(c) \\u\\r\\l(d) \\000075rl(e)", "a b c d e");
    finds("@\\69mport 'a' ; @impor\\54 'b'", "@a @b");
    finds("\\40import 'a'; \\@import 'b'; \\75\\72\\6c(c) \\0075rlx(d)", "c");
    finds("\\000075\r\nrl(a) \\75\nrl(b) \\75\r\rrl(c)", "a b");
    finds("\\23 url(a) \\31 url(b) #\\75rl(c) url\\28(d)", "");
    finds("\\\nurl(a) u\\\nrl(b) url\\\n(c) @import\\\n'd'", "a");
    finds("imag\\65-set('a') image\\2dset('b')", "a b");
}

TEST(a_string_goes_on_behind_an_escaped_line_end)
{
    finds("url('a\\\nb\\\r\nc\\\rd\\\fe')", "abcde");
    finds("url('a\\\r\r')url(b)", "");
    finds("@import 'a\\\r\nb'", "@ab");
}

TEST(a_bad_string_ends_with_its_line)
{
    finds("url('a\n) url(b)", "b");
    finds("@import 'a\r'; @import 'b'", "");
    finds("a{b:'c\n;d:url(e)}'", "e");
    finds("@import \"a\f@import 'b'", "@b");
}

TEST(a_bad_url_goes_on_to_its_bracket)
{
    finds("url(a b) url(c)", "c");
    finds("url(a'b) url(c)", "c");
    finds("url(a\"b) url(c)", "c");
    finds("url(a(b) url(c)", "c");
    finds("url(a\\\nb) url(c)", "c");
    finds("url(a\x01) url(b\x7f) url(c\x0b) url(d)", "d");
    finds("url(a b\\) url(c) url(d)", "d");
    finds("url(a b\\\\) url(c)", "c");
    finds("url(a 'b)url(c)", "c");
    finds("url(a \\)'b) url(c)'", "c");
    finds("url(a b", "");
}

TEST(nothing_and_nul)
{
    finds("url() url( ) url('') url(\"\") @import '';", "");
    static const char nul[] = "url(a\0b) url('\0') u\0rl(c) url(\\\0)";
    finds_bytes(nul, sizeof nul - 1,
                "a\xef\xbf\xbd"
                "b \xef\xbf\xbd \xef\xbf\xbd");
}

TEST(the_end_closes_what_is_open)
{
    finds("url(a", "a");
    finds("url( a ", "a");
    finds("url('a", "a");
    finds("@import 'a", "@a");
    finds("@import \"a\\", "@a");
    finds("url(a\\", "a\xef\xbf\xbd");
    finds("url(a\\4", "a\x04");
    finds("url(a\\41\r", "aA");
    finds("url('a\\\r", "a");
    finds("url(", "");
    finds("url", "");
    finds("url(a\\\n", "");
    finds("@import", "");
}

TEST(a_url_says_where_it_is_written)
{
    struct dump dump = {0};
    const char *sheet = "@import 'a.css';b{c:url( d\\28 ) url(\"\\65 f\") }";
    assert_int_equal(css_dump(&dump, sheet, strlen(sheet), 5, 1), 0);
    assert_string_equal(dump.text, "@' 9 14 a.css\n   25 30 d(\n \" 37 42 ef\n");
    assert_int_equal(css_dump(&dump, "url( a\\62 \n", 11, 5, 1), 0);
    assert_string_equal(dump.text, "   5 10 ab\n");
    assert_int_equal(css_dump(&dump, "url( a", 6, 5, 1), 0);
    assert_string_equal(dump.text, "   5 6 a\n");
    assert_int_equal(css_dump(&dump, "@import 'a", 10, 5, 1), 0);
    assert_string_equal(dump.text, "@' 9 10 a\n");
    dump_free(&dump);
}

/* Feeds text in pieces of the size given. */
static void feed_times(struct weft_css *css, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        assert_int_equal(weft_css_feed(css, text, strlen(text)), 0);
}

static void url_of_kibibytes(struct dump *dump, size_t kibibytes, const char *rest)
{
    char kibibyte[1025];
    struct weft_css css = {.on_url = css_dump_url, .context = dump};
    memset(kibibyte, 'x', 1024);
    kibibyte[1024] = 0;
    dump_clear(dump);
    weft_css_begin(&css);
    feed_times(&css, "url(", 1);
    feed_times(&css, kibibyte, kibibytes);
    feed_times(&css, rest, 1);
    assert_int_equal(weft_css_end(&css), 0);
    assert_true(css.url_room_ <= WEFT_CSS_URL_MAX);
    weft_css_free(&css);
}

TEST(a_url_above_the_limit_is_skipped)
{
    struct dump dump = {0};
    url_of_kibibytes(&dump, 64, ")url(a)");
    assert_int_equal(dump.count, 2);
    assert_true(dump.size > WEFT_CSS_URL_MAX);
    url_of_kibibytes(&dump, 64, "x)url(a)");
    assert_string_equal(dump.text, "   65546 65547 a\n");
    url_of_kibibytes(&dump, 64, "\\41)url(a)");
    assert_int_equal(dump.count, 1);
    url_of_kibibytes(&dump, 500, ")url(a)");
    assert_int_equal(dump.count, 1);
    dump_free(&dump);
}

TEST(it_can_be_used_again_also_in_the_midst)
{
    struct dump dump = {0};
    struct weft_css css = {.on_url = css_dump_url, .context = &dump};
    weft_css_begin(&css);
    feed_times(&css, "@namespace image-set( '", 1);
    weft_css_begin(&css);
    feed_times(&css, "'a' url(b)", 1);
    assert_int_equal(weft_css_end(&css), 0);
    assert_string_equal(dump.text, "   8 9 b\n");
    weft_css_begin(&css);
    feed_times(&css, "@import ", 1);
    assert_int_equal(weft_css_end(&css), 0);
    weft_css_begin(&css);
    feed_times(&css, "'a'", 1);
    assert_int_equal(weft_css_end(&css), 0);
    assert_int_equal(dump.count, 1);
    weft_css_free(&css);
    weft_css_free(&css);
    dump_free(&dump);
}

TEST(strings_that_are_no_links_take_no_memory)
{
    struct weft_css css = {.on_url = NULL};
    weft_fault_install();
    weft_css_begin(&css);
    feed_times(&css, "a{content:'", 1);
    feed_times(&css, "a string", 100);
    feed_times(&css, "'} @namespace url(http://a/); @namespace b 'http://b/';", 1);
    assert_int_equal(weft_css_end(&css), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    weft_css_free(&css);
    fault_remove();
}

TEST(nothing_is_fed_and_nobody_listens)
{
    struct weft_css css = {.on_url = NULL};
    weft_css_begin(&css);
    assert_int_equal(weft_css_feed(&css, NULL, 0), 0);
    feed_times(&css, "url(a)", 1);
    assert_int_equal(weft_css_end(&css), 0);
    weft_css_free(&css);
}

static void scan_two(unsigned long n)
{
    struct dump dump = {0};
    struct weft_css css = {.on_url = css_dump_url, .context = &dump};
    char long_url[600];
    memset(long_url, 'x', sizeof long_url);
    (void)n;
    weft_css_begin(&css);
    int status = weft_css_feed(&css, "@import 'a';url(", 16);
    int more = weft_css_feed(&css, long_url, sizeof long_url);
    assert_true(status == 0 || more == status);
    int end = weft_css_end(&css);
    assert_true(end == more);
    assert_int_equal(end, weft_fault_hit() ? UV_ENOMEM : 0);
    assert_int_equal(dump.count, status != 0 ? 0 : end != 0 ? 1 : 2);
    weft_css_free(&css);
    dump_free(&dump);
}

TEST(running_out_of_memory_is_said_and_stays)
{
    fault_ladder(scan_two);
    assert_int_equal(fault_ladder_height(), 2);
}

/* Pieces of CSS that mean something to each other, in any order. */
static const char *const shards[] = {
    "url(",  "url('", "url(\"", "@import ", "@namespace ", "image-set(", ")",    "'",
    "\"",    "\\",    "\n",     "\r",       "/*",          "*/",         "<!--", "-->",
    "\\75 ", "a.png", " ",      ";",        "{",           "}",          "u",    "rl(",
    "\\28",  "#",     "@",      "\\\r\n",   "\f",          "(",          "41",   "\xc3\xa4"};

TEST(pieces_do_not_matter_whatever_is_in_them)
{
    uint64_t seed = check_seed() * 0x9e3779b97f4a7c15u;
    for (unsigned long round = 0; round < check_scale(1500); round++) {
        struct dump sheet = {0}, whole = {0};
        for (int i = 0; i < 12; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const char *shard = shards[seed >> 59];
            dump_bytes(&sheet, shard, strlen(shard));
        }
        assert_int_equal(css_dump(&whole, sheet.text, sheet.size, sheet.size, 0), 0);
        same_in_pieces(&whole, sheet.text, sheet.size);
        dump_free(&sheet);
        dump_free(&whole);
    }
}
