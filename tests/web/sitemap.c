/* Sitemaps: each format, packed and not, broken ones, the limits, and that pieces do not matter.
 * ctest: shuffle=no */
#include "check.h"
#include "fault.h"
#include "sitemap_dump.h"
#include <uv.h>
#include <zlib.h>

/* What is found, and the status of the end; any two pieces give the same. */
static void gives_bytes(struct weft_sitemap *limits, const char *file, size_t size, int status,
                        const char *entries)
{
    struct dump whole = {0}, pieces = {0};
    int got = sitemap_dump(limits, &whole, file, size, size, 0);
    if (strcmp(whole.text, entries) != 0)
        fail_msg("'%s':\n%s\nand not\n%s", file, whole.text, entries);
    assert_int_equal(got, status);
    for (size_t cut = 0; cut <= size; cut++) {
        got = sitemap_dump(limits, &pieces, file, size, cut, 0);
        if (got != status || !dump_equal(&whole, &pieces))
            fail_msg("cut at %zu: '%s' gives %d\n%s\nand not\n%s", cut, file, got, pieces.text,
                     whole.text);
    }
    assert_int_equal(sitemap_dump(limits, &pieces, file, size, 1, 1), status);
    assert_true(dump_equal(&whole, &pieces));
    dump_free(&pieces);
    dump_free(&whole);
}

static void gives(const char *file, const char *entries)
{
    struct weft_sitemap sitemap = {0};
    gives_bytes(&sitemap, file, strlen(file), 0, entries);
}

/* ---- formats -------------------------------------------------------------------------------- */

TEST(a_urlset_gives_its_locations)
{
    gives("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
          "<url><loc>http://a/1</loc><lastmod>2024-05-01</lastmod><priority>0.5</priority></url>\n"
          "<url>\n  <lastmod> 2024-05-02T10:00:00+00:00 </lastmod>\n  <loc>\n http://a/2 \t</loc>\n"
          "</url><url><loc>/3</loc></url></urlset>\n",
          "http://a/1 2024-05-01\nhttp://a/2 2024-05-02T10:00:00+00:00\n/3\n");
}

TEST(an_index_gives_other_sitemaps)
{
    gives("<sitemapindex><sitemap><loc>http://a/1.xml.gz</loc><lastmod>2024</lastmod></sitemap>"
          "<sitemap><loc>http://a/2.xml</loc></sitemap></sitemapindex>",
          "+http://a/1.xml.gz 2024\n+http://a/2.xml\n");
}

TEST(rss_gives_the_links_of_its_items)
{
    gives("<rss version=\"2.0\"><channel><title>t</title><link>http://a/</link>"
          "<atom:link href=\"http://a/feed\" rel=\"self\"/>"
          "<image><url>http://a/i.png</url><link>http://a/</link></image>"
          "<item><title>x</title><link>http://a/1</link><pubDate>Mon, 06 Sep 2021</pubDate>"
          "<atom:link href='http://a/no'/><link>http://a/second</link></item>"
          "<item><link><![CDATA[http://a/2?a&b]]></link><guid>http://a/g</guid></item>"
          "</channel></rss>",
          "http://a/1 Mon, 06 Sep 2021\nhttp://a/2?a&b\n");
}

TEST(atom_gives_the_pages_of_its_entries)
{
    gives("<feed xmlns=\"http://www.w3.org/2005/Atom\"><link href=\"http://a/\"/>"
          "<updated>2020</updated>"
          "<entry><link href=\"http://a/1?x=1&amp;y=2\"/><updated>2021</updated></entry>"
          "<entry><link rel='edit' href='http://a/e'/><link href = http://a/2 rel = alternate >"
          "</link><link href='http://a/no'/></entry>"
          "<entry><link href='http://a/s' rel='self'/><id>http://a/id</id></entry>"
          "<entry><link rel='' href='http://a/3'></link></entry>"
          "<entry><link rel='alternate'href='http://a/4'/><link rel='edit'/></entry></feed>",
          "http://a/1?x=1&y=2 2021\nhttp://a/2\nhttp://a/3\nhttp://a/4\n");
}

TEST(a_text_gives_its_lines)
{
    gives("http://a/1\nhttps://a/2\r\n\r\n  HTTP://a/3 \t\n# no\nftp://a/4\nhttp://\nhttp://a/5",
          "http://a/1\nhttps://a/2\nHTTP://a/3\nhttp://a/5\n");
    gives("\xef\xbb\xbfhttp://a/1", "http://a/1\n");
    gives("{\"error\": \"http://a/\"}", "");
    gives("", "");
    gives(" \n\t", "");
}

TEST(a_page_of_html_gives_nothing)
{
    gives("<!DOCTYPE html><html><head><link href='/x.css' rel='stylesheet'></head><body>"
          "<a href='http://a/'>http://a/</a></body></html>",
          "");
}

/* ---- XML ------------------------------------------------------------------------------------ */

TEST(entities_are_resolved)
{
    gives("<url><loc>&lt;&gt;&amp;&quot;&apos;</loc></url>", "<>&\"'\n");
    gives("<url><loc>a&#38;b&#x26;c&#X26;d&#228;&#x20AC;&#x1F600;</loc></url>",
          "a&b&c&d\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n");
    gives("<url><loc>&#0;&#xd800;&#99999999;</loc></url>",
          "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n");
    gives("<url><loc>&amp;amp;</loc></url>", "&amp;\n");
}

TEST(what_only_looks_like_an_entity_is_text)
{
    gives("<url><loc>?a=1&b=2&c;&;&#;&#x;&#1x;&#xg;&amp</loc></url>",
          "?a=1&b=2&c;&;&#;&#x;&#1x;&#xg;&amp\n");
    gives("<url><loc>&aaaaaaaaaaaaaaaaaaaaaaaaaaaa;</loc></url>",
          "&aaaaaaaaaaaaaaaaaaaaaaaaaaaa;\n");
    gives("<url><loc>&&amp;&</loc></url>", "&&&\n");
}

TEST(entities_that_a_file_defines_are_not_expanded)
{
    gives("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">"
          "<!ENTITY c SYSTEM \"file:///etc/passwd\">]><url><loc>/&b;&c;</loc></url>",
          "/&b;&c;\n");
}

TEST(cdata_and_comments_may_stand_in_a_location)
{
    gives("<url><loc><![CDATA[http://a/?x&amp;<y>]]></loc></url>", "http://a/?x&amp;<y>\n");
    gives("<url><loc>a<![CDATA[b]c]]d]]]>e<![CDATA[]]>f</loc></url>", "ab]c]]d]ef\n");
    gives("<url><loc>a<!-- x -- > -> <loc>y</loc> -->b<!---->c<!--->d--->e</loc></url>", "abce\n");
    gives("<url><loc>a<?pi x?>b</loc></url>", "ab\n");
    gives("<!-- <url><loc>a</loc></url> --><url><loc>b</loc></url>", "b\n");
    gives("<![CDATA[<url><loc>a</loc></url>]]><url><loc>b</loc></url>", "b\n");
}

TEST(a_prefix_tells_whose_field_it_is)
{
    gives("<sm:urlset><sm:url><sm:loc>a</sm:loc><sm:lastmod>1</sm:lastmod></sm:url></sm:urlset>",
          "a 1\n");
    gives("<url><image:image><image:loc>no</image:loc></image:image><loc>a</loc>"
          "<xhtml:link rel='alternate' href='no'/><video:lastmod>2</video:lastmod></url>",
          "a\n");
    gives("<sm:url><loc>no</loc><sm:loc>a</sm:loc></url></sm:url><url><loc>b</loc></url>",
          "a\nb\n");
    gives("<item><media:url>no</media:url><link>a</link></item>", "a\n");
    gives("<url><loc>a</loc><x:url><x:loc>no</x:loc></x:url><lastmod>1</lastmod></url>", "a 1\n");
    gives("<:url><:loc>a</:loc></:url>", "");
}

TEST(names_have_any_case_and_tags_any_attributes)
{
    gives("<URL a='b>c' d=e/f g h = \"<\"><Loc x = '1' >a</LOC ></Url\n>", "a\n");
    gives("<URL a='b>c' d=e/f g h = \"i\"><Loc x = '1' >a</LOC ></Url\n>", "a\n");
    gives("<url/><loc>no</loc><url><loc/>no</url><url><loc />no<loc>a</loc></url>", "a\n");
}

TEST(broken_xml_gives_what_can_be_seen)
{
    gives("<url><loc>a<loc>b</url><url><loc>c</loc><url><loc>d</loc>", "a\nb\nc\nd\n");
    gives("<url><loc>a</lastmod><lastmod>1</url><url><loc>b</loc></url>", "a 1\nb\n");
    gives("<url <loc>a</loc </url><url><loc x='1>a</loc></url><url><loc>b</loc></url>", "a\nb\n");
    gives("<url><loc>a < b <3</loc></url>", "a < b <3\n");
    gives("</url></loc><loc>no</loc></url><url><loc>a</loc></url></url></url>", "a\n");
    gives("<url><loc>a</loc></url>trailing <", "a\n");
    gives("<url><loc>a</loc><loc>b</loc></url>", "a\nb\n");
    gives("<url><item>x</item><loc>a</loc></url><item><url>no</url><link>b</link></item>",
          "a\nb\n");
    gives("<url><loc>a<a>no</a></loc><lastmod>1</lastmod><lastmod>2</lastmod></url>", "a 2\n");
    gives("<!><!x><url><loc>a</loc></url>", "a\n");
    gives("<url><loc></loc></url><url><loc> </loc></url><url></url>", "");
}

TEST(a_location_that_the_end_cuts_off_is_none)
{
    gives("<url><loc>http://a/b", "");
    gives("<url><loc>http://a/b&am", "");
    gives("<url><loc>http://a/b</loc", "");
    gives("<url><loc>http://a/b</loc>", "http://a/b\n");
    gives("<url><loc>a</loc><lastmod>20", "a 20\n");
    gives("<entry><link href='http://a/b", "");
}

/* ---- limits --------------------------------------------------------------------------------- */

static void repeat(struct dump *file, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        dump_bytes(file, text, strlen(text));
}

TEST(a_location_above_the_limit_is_skipped)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    repeat(&file, "<url><loc>", 1);
    repeat(&file, "x", WEFT_SITEMAP_LOC_MAX);
    repeat(&file, "</loc></url><url><loc>", 1);
    repeat(&file, "x", WEFT_SITEMAP_LOC_MAX + 1);
    repeat(&file, "</loc></url><url><loc>a</loc></url>", 1);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 1000), 0);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.size, WEFT_SITEMAP_LOC_MAX + 3);
    dump_clear(&file);
    repeat(&file, "http://a/", 1000);
    repeat(&file, "\nhttp://b/", 1);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 1000), 0);
    assert_string_equal(found.text, "http://b/\n");
    dump_free(&file);
    dump_free(&found);
}

TEST(names_and_dates_above_their_limits_are_as_if_not_there)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    repeat(&file, "<url><", 1);
    repeat(&file, "loc", 100);
    repeat(&file, ">no</loc><loc>a</loc><lastmod>", 1);
    repeat(&file, "2", 65);
    repeat(&file, "</lastmod></url><url><loc>b</loc><lastmod>", 1);
    repeat(&file, "2", 64);
    repeat(&file, "</lastmod></url>", 1);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 50), 0);
    assert_memory_equal(found.text, "a\nb 2", 5);
    assert_int_equal(found.size, 5 + 63 + 1);
    dump_free(&file);
    dump_free(&found);
}

TEST(a_file_above_the_size_limit_ends_there)
{
    const char *file = "<url><loc>a</loc></url><url><loc>b</loc></url>";
    struct weft_sitemap sitemap = {.size_max = strlen(file)};
    gives_bytes(&sitemap, file, strlen(file), 0, "a\nb\n");
    sitemap.size_max--;
    gives_bytes(&sitemap, file, strlen(file), UV_EFBIG, "a\n");
    sitemap.size_max = 1;
    gives_bytes(&sitemap, file, strlen(file), UV_EFBIG, "");
    gives_bytes(&sitemap, "http://a/\n", 10, UV_EFBIG, "");
}

TEST(a_file_above_the_limit_of_entries_ends_there)
{
    const char *file = "<url><loc>a</loc></url><url><loc>b</loc></url><url><loc>c</loc></url>";
    struct weft_sitemap sitemap = {.entries_max = 3};
    gives_bytes(&sitemap, file, strlen(file), 0, "a\nb\nc\n");
    sitemap.entries_max = 2;
    gives_bytes(&sitemap, file, strlen(file), UV_EFBIG, "a\nb\n");
    gives_bytes(&sitemap, "http://a\nhttp://b\nhttp://c", 26, UV_EFBIG, "http://a\nhttp://b\n");
}

TEST(the_limits_are_those_of_the_protocol)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    repeat(&file, "http://a/\n", WEFT_SITEMAP_ENTRIES_MAX);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 4096), 0);
    assert_int_equal(found.count, 50000);
    repeat(&file, "http://a/\n", 1);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 4096), UV_EFBIG);
    assert_int_equal(found.count, 50000);
    dump_free(&file);
    dump_free(&found);
}

/* ---- gzip ----------------------------------------------------------------------------------- */

/* Adds a member with text, times over. */
static void pack(struct dump *file, const char *text, size_t times)
{
    unsigned char out[4096];
    z_stream zlib = {0};
    assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    int done = Z_OK;
    for (size_t i = 0; done != Z_STREAM_END; i++) {
        zlib.next_in = (Bytef *)(uintptr_t)text;
        zlib.avail_in = i < times ? (uInt)strlen(text) : 0;
        do {
            zlib.next_out = out;
            zlib.avail_out = sizeof out;
            done = deflate(&zlib, i < times ? Z_NO_FLUSH : Z_FINISH);
            dump_bytes(file, (char *)out, sizeof out - zlib.avail_out);
        } while (zlib.avail_out == 0);
    }
    deflateEnd(&zlib);
}

TEST(a_packed_file_is_unpacked)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0};
    pack(&file, "<url><loc>http://a/</loc></url>", 3);
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\nhttp://a/\nhttp://a/\n");
    dump_clear(&file);
    pack(&file, "http://a/", 1);
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\n");
    dump_free(&file);
}

TEST(members_are_put_together_and_what_is_behind_them_ignored)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0};
    pack(&file, "<url><loc>http:", 1);
    pack(&file, "", 1);
    pack(&file, "//a/</loc></url>", 1);
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\n");
    dump_bytes(&file, "\0\0<url><loc>b</loc></url>", 25);
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\n");
    file.size -= 25;
    dump_bytes(&file, "\x1fx\x8b", 3);
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\n");
    file.size -= 2;
    gives_bytes(&sitemap, file.text, file.size, 0, "http://a/\n");
    dump_free(&file);
}

TEST(a_packed_file_that_is_cut_off_says_so)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0};
    pack(&file, "http://a/\nhttp://b/", 1);
    gives_bytes(&sitemap, file.text, file.size - 9, UV_EOF, "http://a/\n");
    gives_bytes(&sitemap, file.text, file.size - 1, UV_EOF, "http://a/\n");
    gives_bytes(&sitemap, file.text, 2, UV_EOF, "");
    gives_bytes(&sitemap, file.text, 1, 0, "");
    dump_free(&file);
}

TEST(all_that_could_be_unpacked_is_seen_before_the_end_is_missed)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    pack(&file, "http://a/\n", 10000);
    for (size_t step = 0; step < 2; step++) {
        size_t size = file.size - 8; /* without its checksum and size */
        assert_int_equal(sitemap_dump(&sitemap, &found, file.text, size, size, step), UV_EOF);
        assert_int_equal(found.count, 10000);
    }
    dump_free(&file);
    dump_free(&found);
}

TEST(a_packed_file_that_is_broken_says_so)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0};
    pack(&file, "http://a/\nhttp://b/", 1);
    file.text[file.size - 5] ^= 1; /* of its checksum */
    gives_bytes(&sitemap, file.text, file.size, UV_EINVAL, "http://a/\n");
    file.text[2] = 7; /* the method */
    gives_bytes(&sitemap, file.text, file.size, UV_EINVAL, "");
    dump_free(&file);
}

TEST(bytes_that_are_almost_packed_are_a_text)
{
    gives("\x1fx\nhttp://a/", "http://a/\n");
    gives("\x1f", "");
}

TEST(a_bomb_ends_at_the_limit)
{
    enum { MEBIBYTE = 1024 * 1024, SMALL = 100 * 1024 };
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    char *blank = malloc(MEBIBYTE + 1);
    assert_non_null(blank);
    memset(blank, ' ', MEBIBYTE);
    blank[MEBIBYTE] = 0;
    pack(&file, "http://a/\n", 1);
    pack(&file, blank, 51);
    assert_true(file.size < SMALL);
    assert_int_equal(sitemap_dump(&sitemap, &found, file.text, file.size, 7, 4096), UV_EFBIG);
    assert_string_equal(found.text, "http://a/\n");
    free(blank);
    dump_free(&file);
    dump_free(&found);
}

/* ---- life ----------------------------------------------------------------------------------- */

TEST(an_error_stays_until_the_next_begin)
{
    struct dump found = {0};
    struct weft_sitemap sitemap = {
        .on_entry = sitemap_dump_entry, .context = &found, .size_max = 12};
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, "http://abcdefgh\n", 16), UV_EFBIG);
    assert_int_equal(weft_sitemap_feed(&sitemap, "\n", 1), UV_EFBIG);
    assert_int_equal(weft_sitemap_end(&sitemap), UV_EFBIG);
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, "http://a\n", 9), 0);
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, "\x1f\x8b\x08", 3), 0);
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, "<url><loc>", 10), 0);
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, NULL, 0), 0);
    assert_int_equal(weft_sitemap_feed(&sitemap, "http://b", 8), 0);
    assert_int_equal(weft_sitemap_end(&sitemap), 0);
    assert_string_equal(found.text, "http://a\nhttp://b\n");
    weft_sitemap_free(&sitemap);
    weft_sitemap_free(&sitemap);
    dump_free(&found);
}

TEST(nobody_has_to_listen)
{
    struct weft_sitemap sitemap = {0};
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_end(&sitemap), 0);
    weft_sitemap_begin(&sitemap);
    assert_int_equal(weft_sitemap_feed(&sitemap, "http://a\n", 9), 0);
    assert_int_equal(weft_sitemap_end(&sitemap), 0);
    weft_sitemap_free(&sitemap);
}

static void unpack_one(unsigned long n)
{
    struct weft_sitemap sitemap = {0};
    struct dump file = {0}, found = {0};
    (void)n;
    pack(&file, "http://a/\n", 10000);
    int status = sitemap_dump(&sitemap, &found, file.text, file.size, 20, 10);
    assert_int_equal(status, weft_fault_hit() ? UV_ENOMEM : 0);
    assert_true(status != 0 || found.count == 10000);
    dump_free(&file);
    dump_free(&found);
}

TEST(running_out_of_memory_is_said)
{
    fault_ladder(unpack_one);
    assert_true(fault_ladder_height() >= 3); /* ours, and zlib's state and window */
}

/* Pieces of sitemaps that mean something to each other, in any order. */
static const char *const shards[] = {
    "<url>",   "</url>",   "<loc>",  "</loc>", "<lastmod>", "</lastmod>", "<sitemap>", "</sitemap>",
    "<entry>", "</entry>", "<link ", "href='", "rel=",      "alternate",  "'",         "\"",
    ">",       "/>",       "<!--",   "-->",    "<![CDATA[", "]]>",        "&amp;",     "&#x4",
    "1;",      "a",        " ",      "\n",     "<item>",    "<link>",     "<",         "sm:"};

TEST(pieces_do_not_matter_whatever_is_in_them)
{
    uint64_t seed = check_seed() * 0x9e3779b97f4a7c15u;
    struct weft_sitemap sitemap = {0};
    for (unsigned long round = 0; round < check_scale(300); round++) {
        struct dump file = {0}, whole = {0};
        dump_bytes(&file, "<url>", 5);
        for (int i = 0; i < 14; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const char *shard = shards[seed >> 59];
            dump_bytes(&file, shard, strlen(shard));
        }
        assert_int_equal(sitemap_dump(&sitemap, &whole, file.text, file.size, file.size, 0), 0);
        gives_bytes(&sitemap, file.text, file.size, 0, whole.text);
        dump_free(&file);
        dump_free(&whole);
    }
}
