/* The tokenizer: what becomes of each kind of markup, what it passes over, and what it never keeps.
 * That all of it is as the standard says is held against the public suite, in html_suite.c. */
/* ctest: labels=valgrind */
#include "check.h"
#include "fault.h"
#include "html_record.h"
#include <uv.h>

static int on_token(struct weft_html *html, const struct weft_html_token *token)
{
    record_token(html->context, token);
    return 0;
}

static void feed_in(struct weft_html *html, const char *page, size_t size, size_t piece)
{
    assert_int_equal(weft_html_begin(html), 0);
    for (size_t at = 0; at < size; at += piece)
        assert_int_equal(weft_html_feed(html, page + at, size - at < piece ? size - at : piece), 0);
    assert_int_equal(weft_html_end(html), 0);
}

/* The tokens of a page, whole and cut in two at every byte; html: what is wanted. */
static void expect_with(struct weft_html html, const char *page, size_t size, const char *lines)
{
    struct record record = {0};
    html.on_token = on_token;
    html.context = &record;
    for (size_t cut = 0; cut <= size; cut++) {
        record_clear(&record);
        assert_int_equal(weft_html_begin(&html), 0);
        assert_int_equal(weft_html_feed(&html, page, cut), 0);
        assert_int_equal(weft_html_feed(&html, page + cut, size - cut), 0);
        assert_int_equal(weft_html_end(&html), 0);
        record_bytes(&record, "", 1);
        assert_string_equal(record.data, lines);
    }
    record_free(&record);
    weft_html_free(&html);
}

static void expect(const char *page, const char *lines)
{
    struct weft_html html = {.wants = WEFT_HTML_WANTS_ALL, .elements = true};
    expect_with(html, page, strlen(page), lines);
}

/* ---- markup ---------------------------------------------------------------------------------- */

TEST(tags_have_names_and_attributes)
{
    expect("<A HREF='x' b=y c d = \"z\" />t</a >",
           "\nstart closed 1:a 4:href 1:x 1:b 1:y 1:c 0: 1:d 1:z\ntext 1:t\nend 1:a\neof");
    expect("<p a=1/><br/ x><q =a=b 'c'd>",
           "\nstart 1:p 1:a 2:1/\nstart 2:br 1:x 0:\nstart 1:q 2:=a 1:b 4:'c'd 0:\neof");
    expect("<a b=1 B=2 b=3 c=>x", "\nstart 1:a 1:b 1:1 1:c 0:\ntext 1:x\neof");
    expect("</b c='d>'/>", "\nend 1:b\neof");
}

TEST(what_only_looks_like_a_tag_is_text)
{
    expect("x\r", "\ntext 2:x\n\neof");
    expect("a < b <3 <", "\ntext 10:a < b <3 <\neof");
    expect("x</", "\ntext 3:x</\neof");
    expect("</>y", "\ntext 1:y\neof");
    expect("<a b", "\neof");
}

TEST(comments_of_all_kinds)
{
    expect("<!--a--b-c--><!----><!--><!---><!--x--!><!--y--!z-->",
           "\ncomment 6:a--b-c\ncomment 0:\ncomment 0:\ncomment 0:\ncomment 1:x\n"
           "comment 5:y--!z\neof");
    expect("<!a><?b><!-c></ d><!DOC>",
           "\ncomment 1:a\ncomment 2:?b\ncomment 2:-c\ncomment 2: d\ncomment 3:DOC\neof");
    expect("<!--\r\na\r--", "\ncomment 3:\na\n\neof");
    expect("<!--a--!-b--!-->", "\ncomment 9:a--!-b--!\neof");
    expect("<!DO", "\ncomment 2:DO\neof");
    expect("<![CDATA[x]]>", "\ncomment 10:[CDATA[x]]\neof");
}

TEST(doctypes)
{
    expect("<!doctype HTML><!DOCTYPE a PUBLIC 'b' \"c\"><!DOCTYPE d SYSTEM 'e' ><!DOCTYPE>",
           "\ndoctype 4:html - -\ndoctype 1:a 1:b 1:c\ndoctype 1:d - 1:e\ndoctype quirks - - -\n"
           "eof");
    expect("<!DOCTYPE a b>x<!DOCTYPE c PUBLIC 'd", "\ndoctype quirks 1:a - -\ntext 1:x\n"
                                                   "doctype quirks 1:c 1:d -\neof");
    expect("<!DOCTYPE><!DOCTYPE a><!DOCTYPE b PUX><!DOCTYPE c SYSTEM>",
           "\ndoctype quirks - - -\ndoctype 1:a - -\ndoctype quirks 1:b - -\n"
           "doctype quirks 1:c - -\neof");
    expect("<!DOCTYPE a SYSTEM 'b>c<!DOCTYPE d SYSTEM 'e' f><!DOCTYPE g PUBLIC '\r\nh\ri'>",
           "\ndoctype quirks 1:a - 1:b\ntext 1:c\ndoctype 1:d - 1:e\ndoctype 1:g 4:\nh\ni -\n"
           "eof");
    expect("<!DOCTYPE", "\ndoctype quirks - - -\neof");
    expect("<!DOCTYPE a", "\ndoctype quirks 1:a - -\neof");
    expect("<!DOCTYPE a PUB", "\ndoctype quirks 1:a - -\neof");
}

TEST(references_in_texts_and_values)
{
    expect("&lt;&ampx&notit;&notin;&#65;&#x42;&#x80;&#0;&bogus;&;&#;&#x;&",
           "\ntext 36:<&x\u00ACit;\u2209AB\u20AC\uFFFD&bogus;&;&#;&#x;&\neof");
    expect("<a b='&lt;&ampx&amp=&amp' c=&copy;>", "\nstart 1:a 1:b 12:<&ampx&amp=&"
                                                  " 1:c 2:\u00A9\neof");
    expect("&#x110000;&#99999999999999999999;&#x81;", "\ntext 8:\uFFFD\uFFFD\xC2\x81\neof");
    expect("&fjlig;&NotEqualTilde;&zwnj", "\ntext 12:fj\u2242\u0338&zwnj\neof");
}

TEST(newlines_and_nul)
{
    struct weft_html html = {.wants = WEFT_HTML_WANTS_ALL, .elements = true};
    static const char page[] = "a\r\nb\rc\0<p x='\r\n\r\0'>\r<title>\0\r</title>"
                               "<b\0 c\0=\0><script>\0</script><!--\0--><!doctype \0>&#65";
    static const char lines[] =
        "\ntext 6:a\nb\nc\0\nstart 1:p 1:x 5:\n\n\uFFFD\ntext 1:\n"
        "\nstart 5:title\ntext 4:\uFFFD\n\nend 5:title\nstart 4:b\uFFFD 4:c\uFFFD 3:\uFFFD"
        "\nstart 6:script\ntext 3:\uFFFD\nend 6:script\ncomment 3:\uFFFD\ndoctype 3:\uFFFD - -"
        "\ntext 1:A\neof";
    struct record record = {0};
    html.on_token = on_token;
    html.context = &record;
    for (size_t piece = 1; piece < sizeof page; piece++) {
        record_clear(&record);
        feed_in(&html, page, sizeof page - 1, piece);
        assert_int_equal(record.size, sizeof lines - 1);
        assert_memory_equal(record.data, lines, sizeof lines - 1);
    }
    record_free(&record);
    weft_html_free(&html);
}

/* ---- modes ----------------------------------------------------------------------------------- */

TEST(behind_some_elements_no_tags_are_looked_for)
{
    expect("<title>&lt;<b></titl></title><style>&lt;<b></STYLE ><i>",
           "\nstart 5:title\ntext 11:<<b></titl>\nend 5:title\nstart 5:style\ntext 7:&lt;<b>\n"
           "end 5:style\nstart 1:i\neof");
    expect("<plaintext></plaintext>&lt;", "\nstart 9:plaintext\ntext 16:</plaintext>&lt;\neof");
    expect("<noscript><b></noscript>", "\nstart 8:noscript\nstart 1:b\nend 8:noscript\neof");
}

TEST(scripts_end_where_the_standard_says)
{
    expect("<script>'</scrip'<!--<script></script>--></script>x",
           "\nstart 6:script\ntext 33:'</scrip'<!--<script></script>-->\nend 6:script\ntext 1:x\n"
           "eof");
    expect("<script><!-- -><script></script>x</script>",
           "\nstart 6:script\ntext 25:<!-- -><script></script>x\nend 6:script\neof");
    expect("<script><!--<sxcript></script>x",
           "\nstart 6:script\ntext 13:<!--<sxcript>\nend 6:script\ntext 1:x\neof");
    expect("<script><!--<script>a-b--c-->d</script>",
           "\nstart 6:script\ntext 22:<!--<script>a-b--c-->d\nend 6:script\neof");
    expect("<script>a\r\nb\rc<!x<!--<a+</script>",
           "\nstart 6:script\ntext 15:a\nb\nc<!x<!--<a+\nend 6:script\neof");
    expect("<script><!--</script>x", "\nstart 6:script\ntext 4:<!--\nend 6:script\ntext 1:x\neof");
}

TEST(svg_has_cdata_and_closed_scripts)
{
    expect("<svg><![CDATA[<a>]]]></svg><![CDATA[x]]>",
           "\nstart 3:svg\ntext 4:<a>]\nend 3:svg\ncomment 10:[CDATA[x]]\neof");
    expect("<svg><![CDATA[a]b]]c]]>d", "\nstart 3:svg\ntext 7:a]b]]cd\neof");
    expect("<math><script/><b>", "\nstart 4:math\nstart closed 6:script\nstart 1:b\neof");
    expect("<script/><b>", "\nstart closed 6:script\ntext 3:<b>\neof");
}

TEST(a_mode_can_be_set)
{
    struct weft_html html = {.on_token = on_token};
    assert_int_equal(weft_html_switch(&html, (enum weft_html_mode)9, weft_text(NULL, 0)),
                     UV_EINVAL);
    char name[33];
    memset(name, 'x', sizeof name);
    assert_int_equal(weft_html_switch(&html, WEFT_HTML_RCDATA, weft_text(name, 33)), UV_EINVAL);
    assert_int_equal(weft_html_switch(&html, WEFT_HTML_RCDATA, weft_text(name, 32)), 0);
}

/* ---- interest -------------------------------------------------------------------------------- */

static enum weft_html_interest only_a(struct weft_html *html, struct weft_text name)
{
    (void)html;
    if (weft_text_is(name, "a"))
        return WEFT_HTML_IF_ANY;
    return weft_text_is(name, "b") ? WEFT_HTML_TAKE : WEFT_HTML_SKIP;
}

static bool only_href(struct weft_html *html, struct weft_text name)
{
    (void)html;
    return weft_text_is(name, "href");
}

TEST(only_what_is_wanted_is_reported)
{
    struct weft_html html = {.wants_tag = only_a, .wants_attribute = only_href, .elements = true};
    const char *page = "<!doctype x>t<a id='1' href=x>&amp;</a><a id=2><b id='>' x=1&2><c href=no>"
                       "<!-- c --><script>'<a href=no>'</script><title><a href=no></title>";
    expect_with(html, page, strlen(page), "\nstart 1:a 4:href 1:x\nstart 1:b\neof");
}

TEST(raw_text_is_as_it_is_written)
{
    struct weft_html html = {
        .wants = WEFT_HTML_WANTS_TEXT, .wants_tag = only_a, .raw_text = true, .elements = true};
    const char *page = "a\r\n&lt;<p><title>\r&gt;</title>";
    expect_with(html, page, strlen(page), "\ntext 12:a\r\n&lt;\r&gt;\neof");
}

static int check_places(struct weft_html *html, const struct weft_html_token *token)
{
    const char *page = html->context;
    if (token->type == WEFT_HTML_TEXT)
        assert_memory_equal(page + token->start, token->text.data, token->text.size);
    if (token->type == WEFT_HTML_START_TAG) {
        assert_int_equal(page[token->start], '<');
        assert_int_equal(page[token->end - 1], '>');
    }
    return 0;
}

TEST(tokens_know_where_they_stand)
{
    const char *page = "ab<p x=y>cd]]<style>x</styl</style>]<!-- --><a>&amp;e";
    struct weft_html html = {.on_token = check_places,
                             .context = (void *)page,
                             .wants = WEFT_HTML_WANTS_ALL,
                             .raw_text = true,
                             .elements = true};
    for (size_t piece = 1; piece <= strlen(page); piece++)
        feed_in(&html, page, strlen(page), piece);
    weft_html_free(&html);
}

/* ---- sources --------------------------------------------------------------------------------- */

static int check_source(struct weft_html *html, const struct weft_html_token *token)
{
    (void)html;
    if (token->type != WEFT_HTML_START_TAG)
        return 0;
    const struct weft_html_attribute *x = &token->attributes[1];
    uint64_t start, end;
    assert_true(weft_text_is(x->value, "a&b\nc"));
    assert_int_equal(x->quote, '"');
    assert_int_equal(x->start, 15);
    assert_int_equal(x->end, 25);
    static const uint64_t starts[] = {15, 16, 21, 23, 24}, ends[] = {16, 21, 22, 24, 25};
    for (size_t i = 0; i < x->value.size; i++) {
        weft_html_source(x, i, 1, &start, &end);
        assert_int_equal(start, starts[i]);
        assert_int_equal(end, ends[i]);
    }
    weft_html_source(x, 1, 3, &start, &end);
    assert_int_equal(start, 16);
    assert_int_equal(end, 24);
    weft_html_source(x, 4, 0, &start, &end);
    assert_int_equal(start, 24);
    assert_int_equal(end, 24);
    return 0;
}

TEST(a_value_can_be_found_in_the_document)
{
    const char *page = "<a w='&lt;' x=\"a&amp;b\r\nc\">";
    struct weft_html html = {.on_token = check_source};
    for (size_t piece = 1; piece <= strlen(page); piece++)
        feed_in(&html, page, strlen(page), piece);
    weft_html_free(&html);
}

/* ---- the way it is used ---------------------------------------------------------------------- */

struct seen {
    size_t tokens, attributes, value_size;
    bool cut;
};

static int note(struct weft_html *html, const struct weft_html_token *token)
{
    struct seen *seen = html->context;
    seen->tokens++;
    if (token->type != WEFT_HTML_START_TAG)
        return 0;
    seen->attributes = token->attribute_count;
    if (token->attribute_count > 0) {
        seen->value_size = token->attributes[0].value.size;
        seen->cut = token->attributes[0].cut;
    }
    return 0;
}

static int stop_at_once(struct weft_html *html, const struct weft_html_token *token)
{
    (void)token;
    ++*(int *)html->context;
    return UV_ECANCELED;
}

TEST(on_token_can_end_it)
{
    int calls = 0;
    struct weft_html html = {
        .on_token = stop_at_once, .context = &calls, .wants = WEFT_HTML_WANTS_ALL};
    assert_int_equal(weft_html_begin(&html), 0);
    assert_int_equal(weft_html_feed(&html, "a<b>c", 5), UV_ECANCELED);
    assert_int_equal(weft_html_feed(&html, "d", 1), UV_ECANCELED);
    assert_int_equal(weft_html_end(&html), UV_ECANCELED);
    assert_int_equal(calls, 1);
    weft_html_free(&html);
}

TEST(calls_in_the_wrong_order_are_refused)
{
    struct weft_html html = {0};
    assert_int_equal(weft_html_begin(&html), UV_EINVAL);
    assert_int_equal(weft_html_feed(&html, "a", 1), UV_EINVAL);
    assert_int_equal(weft_html_end(&html), UV_EINVAL);
    html.on_token = note;
    html.context = &(struct seen){0};
    feed_in(&html, "a", 1, 1);
    assert_int_equal(weft_html_feed(&html, "a", 1), UV_EINVAL);
    assert_int_equal(weft_html_end(&html), UV_EINVAL);
    weft_html_free(&html);
    weft_html_free(&html);
}

static void read_rich(unsigned long n)
{
    (void)n;
    static const char page[] = "<!doctype a public 'b'><a b='c&amp;' d e=f>x";
    struct seen seen = {0};
    struct weft_html html = {.on_token = note, .context = &seen, .wants = WEFT_HTML_WANTS_ALL};
    assert_int_equal(weft_html_begin(&html), 0);
    int status = weft_html_feed(&html, page, sizeof page - 1);
    assert_int_equal(status, weft_fault_hit() ? UV_ENOMEM : 0);
    assert_int_equal(weft_html_end(&html), status);
    assert_true(status != 0 || seen.attributes == 3);
    weft_html_free(&html);
}

TEST(running_out_of_memory_is_an_error_and_nothing_else)
{
    fault_ladder(read_rich);
    assert_int_equal(fault_ladder_height(), 3);
}
